# The paper's whole method: the engine against the plain-R twin, and both against what is published.

engine_paper <- function(coded, k, n_stages = 30, missing_level = FALSE) {
  coded$missing <- if (missing_level) "frozen" else "ignore"
  fit <- engine_fit(coded, k, "paper", "none", max_stages = n_stages)
  for (item in c("item_1", "item_2")) {
    fit$trace[[item]] <- match(fit$trace[[item]], colnames(coded$codes))
  }
  fit
}

# 300 rows, 12 items, the first 5 informative, 3 classes; a fourth level that is rare, 1 row in 100,
# so that the floor before and after a split has work to do.
paper_crowd <- function(seed, missing = 0) {
  with_seed(seed, {
    probs <- lapply(1:12, function(item) {
      if (item > 5) return(matrix(random_simplex(3), 3, 3))
      rbind(0.99 * (diag(3) * (0.75 - item / 20) + (0.25 + item / 20) / 3), 0.01)
    })
    model <- list(mixing_weights = rep(1 / 3, 3), item_probs = probs)
    random_coded(300, model, missing)
  })
}

# Up to the numbering of the components.
expect_same_components <- function(actual, expected, tolerance = 1e-7) {
  order <- as.integer(clue::solve_LSAP(crossprod(actual, expected), maximum = TRUE))
  expect_close(actual, expected[, order], tolerance)
}

test_that("the engine's stages are those of the plain-R twin", {
  for (missing in c(0, 0.3)) {
    for (missing_level in unique(c(FALSE, missing > 0))) {
      coded <- paper_crowd(1, missing)
      engine <- engine_paper(coded, 3, 10, missing_level)
      twin <- twin_stagewise_paper(coded, 3, 10, missing_level = missing_level)
      label <- paste("missing", missing, "as a level", missing_level)
      # Not the number of the component: which copy of a split is which is the eigenvector's sign.
      for (column in c("item_1", "item_2", "k", "n_informative")) {
        expect_equal(engine$trace[[column]], twin$trace[[column]], label = paste(label, column))
      }
      # Ten stages of EM carry the rounding of eigenvectors, 1e-15 over a spectral gap, on.
      expect_close(engine$trace$information, twin$trace$information, 1e-8, label)
      expect_setequal(engine$informative, twin$items)
      expect_same_components(engine$posterior, twin$posterior)
    }
  }
})

test_that("the stages do not depend on how levels are coded or rows are ordered", {
  coded <- paper_crowd(2)
  before <- engine_paper(coded, 3, 15)
  levels <- engine_paper(reverse_levels(coded), 3, 15)
  rows <- engine_paper(subset_rows(coded, 300:1), 3, 15)
  expect_equal(levels$trace$item_1, before$trace$item_1)
  expect_equal(rows$trace$item_1, before$trace$item_1)
  expect_same_components(levels$posterior, before$posterior)
  expect_same_components(reverse_rows(rows$posterior), before$posterior)
})

test_that("on bluebird the engine and the twin end as published", {
  crowd <- shared_coded("bluebird")
  engine <- engine_paper(crowd$coded, crowd$k)
  twin <- twin_stagewise_paper(crowd$coded, crowd$k)
  published <- c(8, 9, 17, 24, 26, 27, 30, 31, 35, 37, 39)
  expect_setequal(crowd$workers[engine$informative], published)
  expect_setequal(crowd$workers[twin$items], published)
  expect_identical(n_wrong(engine$posterior, crowd$truth), 13L)
  # 30 stages of EM on: near the fixed point differences of rounding shrink again.
  expect_same_components(engine$posterior, twin$posterior, 1e-6)

  full <- twin_refine(crowd$coded, engine$posterior, 60, sparse = FALSE)
  expect_identical(n_wrong(full$posterior, crowd$truth), 11L)
  # all digits that were published
  expect_equal(round(full$trace$loglik[60] / 108, 5), -17.48256)
})

test_that("on the 52 most active dog workers the engine agrees with the twin", {
  skip_below_level_2()
  crowd <- shared_coded("dog", 52)
  for (missing_level in c(FALSE, TRUE)) {
    engine <- engine_paper(crowd$coded, crowd$k, missing_level = missing_level)
    twin <- twin_stagewise_paper(crowd$coded, crowd$k, missing_level = missing_level)
    expect_equal(engine$trace$item_1, twin$trace$item_1)
    expect_equal(engine$trace$item_2, twin$trace$item_2)
    expect_setequal(engine$informative, twin$items)
    expect_same_components(engine$posterior, twin$posterior, 1e-5)
    expect_lte(n_wrong(twin$posterior, crowd$truth) / 807, 0.24)
    full <- twin_refine(crowd$coded, twin$posterior, 60, sparse = FALSE)
    expect_lte(n_wrong(full$posterior, crowd$truth) / 807, 0.16)
  }
})
