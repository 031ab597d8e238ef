# `classification` of a fit by evidence: by the posterior of rows that their class has not seen.

# Each row's posterior with one case of it taken out of its columns, in plain R, from
# vignette("method").
held_out_twin <- function(fit) {
  concentrations <- as.numeric(colnames(fit$item_shares)[-1])
  g <- fit$posterior
  sizes <- fit$mixing_weights * (fit$nobs + fit$k)
  held_out <- g * (1 - g / rep(sizes, each = nrow(g)))
  for (item in fit$informative) {
    codes <- as.integer(fit$coded$codes[, item])
    seen <- codes > 0
    n <- colSums(g[seen, , drop = FALSE] * row_weights(fit)[seen])
    pull <- vapply(n, function(n) {
      sum(fit$item_shares[item, -1] / (concentrations + n))
    }, 0)
    moved <- g[seen, , drop = FALSE] * rep(pull, each = sum(seen))
    ratio <- (1 - moved / fit$item_probs[[item]][codes[seen], , drop = FALSE]) / (1 - moved)
    held_out[seen, ] <- held_out[seen, ] * ratio
  }
  held_out / rowSums(held_out)
}

table_of <- function(fit, probable) {
  largest <- max.col(fit$posterior, "first")
  modal <- outer(largest, seq_len(fit$k), `==`) + 0
  names <- names(fit$mixing_weights)
  `dimnames<-`(crossprod(modal, probable * row_weights(fit)) / fit$nobs, list(names, names))
}

# Items that each tell a little, of few rows.
few_rows <- function(seed, n_obs = 200, n_items = 70) {
  with_seed(seed, {
    class <- sample(3, n_obs, TRUE, c(0.5, 0.3, 0.2))
    columns <- lapply(seq_len(n_items), function(item) {
      common <- stats::rexp(3)
      own <- replicate(3, 0.6 * prop.table(common) + 0.4 * prop.table(stats::rexp(3)))
      vapply(class, function(y) sample.int(3, 1, prob = own[, y]), 0L)
    })
    list(x = as.data.frame(setNames(columns, paste0("V", seq_len(n_items)))), class = class)
  })
}

fit_quietly <- function(x, k = 3, ...) suppressMessages(suppressWarnings(stagewise_em(x, k, ...)))

test_that("the classification by evidence is that of rows whose own answers are taken out", {
  rows <- few_rows(1)
  tables <- list(rows$x, with_gaps(rows$x))
  for (x in tables) {
    fit <- fit_quietly(x)
    expect_equal(fit$k, 3)
    held_out <- held_out_twin(fit)
    expect_equal(fit$classification, table_of(fit, held_out), tolerance = 1e-8)
    expect_equal(summary(fit)$expected_error, 1 - mean(held_out[cbind(seq_len(nrow(x)),
                                                                       max.col(fit$posterior))]),
                 tolerance = 1e-8)
    expect_equal(summary(fit)$overlap, fit$classification / rowSums(fit$classification))
  }
  weighted <- fit_quietly(rows$x, weights = rep(1:4, 50))
  expect_equal(weighted$classification, table_of(weighted, held_out_twin(weighted)),
               tolerance = 1e-8)
})

test_that("the expected error is near the error also where few rows tell of many items", {
  excess <- vapply(1:6, function(seed) {
    rows <- few_rows(seed + 10, n_obs = 150, n_items = 100)
    fit <- fit_quietly(rows$x)
    own <- mean(1 - apply(fit$posterior, 1, max))
    error_rate(fit, rows$class, align = TRUE) - c(own = own, held_out = expected_error(fit))
  }, numeric(2))
  means <- rowMeans(excess)
  expect_gt(means[["own"]], 0.03)
  expect_lt(abs(means[["held_out"]]), 0.7 * means[["own"]])
})

test_that("what stands for itself has the classification of its own posterior", {
  rows <- three_classes(300)$table
  crowd <- simulate_crowd(n_items = 150, n_workers = 12, accuracy = 0.7, seed = 1)
  fits <- list(
    fit_quietly(rows, control = stagewise_control(criterion = "bic")),
    fit_quietly(rows, refine = "full"), suppressMessages(mdpd(crowd$labels, k = 3))
  )
  for (fit in fits) {
    expect_gt(fit$k, 1)
    expect_equal(fit$classification, table_of(fit, fit$posterior), tolerance = 1e-12)
    expect_equal(expected_error(fit), mean(1 - apply(fit$posterior, 1, max)))
  }
  expect_identical(fit_quietly(rows, 1)$classification, matrix(1, dimnames = list("1", "1")))
})

test_that("the same rows have the same classification in a store, added, and by weights", {
  rows <- few_rows(3, n_items = 30)
  in_memory <- fit_quietly(rows$x)
  expect_equal(fit_quietly(new_store(rows$x))$classification, in_memory$classification,
               tolerance = 1e-12)
  # The first two thirds, and all after some rows more.
  store <- new_store(rows$x[1:150, ])
  fit <- fit_quietly(store)
  grown <- suppressMessages(update(fit, add_rows(store, rows$x[151:200, ]), full = TRUE))
  grown$posterior <- predict(grown, rows$x, type = "prob")
  grown$coded <- in_memory$coded
  expect_equal(grown$classification, table_of(grown, held_out_twin(grown)), tolerance = 1e-8)
  twice <- fit_quietly(rows$x[rep(seq_len(200), 2), ])
  weighted <- fit_quietly(rows$x, weights = rep(2, 200))
  expect_equal(twice$classification, weighted$classification, tolerance = 1e-8)
})

test_that("components in another order take their classification with them", {
  rows <- few_rows(1)
  fit <- fit_quietly(rows$x)
  turned <- permute_components(fit, c(2, 3, 1), c("x", "y", "z"))
  expect_identical(unname(turned$classification),
                   unname(fit$classification)[c(2, 3, 1), c(2, 3, 1)])
  expect_identical(dimnames(turned$classification), rep(list(c("x", "y", "z")), 2))
  expect_equal(expected_error(turned), expected_error(fit))
})

test_that("the table of classes is of the rows that have an answer", {
  rows <- few_rows(1)
  x <- rows$x
  x[1:10, ] <- NA
  fit <- fit_quietly(x)
  table <- classification_table(fit)
  expect_equal(sum(table), 1, tolerance = 1e-9)
  held_out <- held_out_twin(fit)[-(1:10), ]
  answered <- fit
  answered$posterior <- fit$posterior[-(1:10), ]
  answered$coded$weights <- rep(1, 190)
  expect_equal(unname(table), unname(table_of(answered, held_out)), tolerance = 1e-3)
})

test_that("outcomes of classes that are hard to tell apart keep more of their distance", {
  moved <- vapply(1:8, function(seed) {
    rows <- few_rows(seed + 30, n_obs = 150, n_items = 100)
    fit <- align_components(fit_quietly(rows$x), factor(rows$class))
    y <- with_seed(seed, rows$class + stats::rnorm(150, sd = 0.3))
    own <- of_posterior_alone(fit)
    true <- tapply(y, rows$class, mean)
    distance <- function(fit) {
      means <- stats::coef(suppressMessages(suppressWarnings(distal_outcome(fit, y))))
      unname(diff(means[c(1, 3)])) - (true[[3]] - true[[1]])
    }
    c(own = distance(own), held_out = distance(fit))
  }, numeric(2))
  means <- rowMeans(moved)
  expect_lt(means[["own"]], 0)
  expect_lt(abs(means[["held_out"]]), abs(means[["own"]]))
})
