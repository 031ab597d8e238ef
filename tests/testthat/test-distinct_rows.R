# Codes of few kinds of rows, some cells missing, weights 0 to 3.
repeating <- function(n_obs = 400, n_items = 4, weighted = TRUE, seed = 1) {
  model <- hand_made_fit(n_items, k = 2, n_levels = c(2, 3), n_informative = n_items)
  x <- with_gaps(simulate(model, seed = seed, n_obs = n_obs)[[1]])
  attr(x, "component") <- NULL
  weights <- if (weighted) seq_len(n_obs) %% 4
  encode(x, weights, "ignore", arg = "x")
}

settings_of <- function(polish = TRUE, refine = "sparse", ...) {
  list(
    method = "robust", refine = refine, verbose = FALSE, ...,
    control = complete_control(stagewise_control(polish = polish), "robust")
  )
}

expect_collapsed <- function(coded) expect_false(is.null(coded$kind))

# The fit of all rows and that of their kinds: sums in another order, see `fit_tolerance`.
expect_fits_agree <- function(coded, k, settings) {
  kinds <- collapse_rows(coded, settings$known)
  expect_collapsed(kinds)
  whole <- fit_stages(coded, k, settings)
  settings$known <- collapse_known(settings$known, kinds)
  result <- expand_rows(fit_stages(kinds, k, settings), kinds)
  expect_equal(result$fit$loglik, whole$fit$loglik, tolerance = 1e-10)
  expect_equal(result$fit$penalised_loglik, whole$fit$penalised_loglik, tolerance = 1e-10)
  expect_setequal(result$fit$informative, whole$fit$informative)
  expect_identical(max.col(result$fit$posterior), max.col(whole$fit$posterior))
  expect_equal(result$fit$posterior, whole$fit$posterior, tolerance = 1e-8)
  expect_equal(result$fit$item_probs, whole$fit$item_probs, tolerance = 1e-8)
  expect_equal(result$fit$df, whole$fit$df)
  expect_equal(result$loglik_of_one, whole$loglik_of_one, tolerance = 1e-12)
  expect_equal(result$trace, whole$trace, tolerance = 1e-8)
  expect_identical(result$known, whole$known)
  expect_identical(result$status, whole$status)
}

# ---- kinds -------------------------------------------------------------------------------------

test_that("kinds of rows are those of unique(), with the sums of their weights", {
  coded <- repeating()
  kinds <- collapse_rows(coded)
  expect_collapsed(kinds)
  expect_identical(nrow(kinds$codes), nrow(unique(coded$codes)))
  expect_identical(unname(kinds$codes[kinds$kind, ]), unname(coded$codes))
  expect_identical(kinds$weights, as.vector(rowsum(coded$weights, kinds$kind)))
  expect_identical(whole_data(kinds), coded)
  expect_identical(kinds[c("levels", "missing")], unclass(coded)[c("levels", "missing")])
})

test_that("the kinds do not depend on the order of the rows", {
  coded <- repeating()
  rows <- order(seq_len(400) * 61 %% 399)
  permuted <- coded
  permuted$codes <- coded$codes[rows, ]
  permuted$weights <- coded$weights[rows]
  first <- collapse_rows(coded)
  second <- collapse_rows(permuted)
  expect_identical(second$codes, first$codes)
  expect_identical(second$weights, first$weights)
  expect_identical(second$kind, first$kind[rows])
})

test_that("equal rows of different known classes stay apart", {
  coded <- repeating()
  known <- rep(c(1L, 2L, NA, NA, NA), 80)
  kinds <- collapse_rows(coded, known)
  expect_identical(nrow(kinds$codes), nrow(unique(data.frame(coded$codes, known))))
  expect_identical(collapse_known(known, kinds)[kinds$kind], known)
})

test_that("data of many kinds of rows are left as they are", {
  half <- encode(expand.grid(a = 1:4, b = 1:4, c = 1:4)[rep(1:64, 2), ])
  expect_collapsed(collapse_rows(half))
  more <- half
  more$codes <- half$codes[-1, ]
  more$weights <- half$weights[-1]
  expect_identical(collapse_rows(more), more)
  sparse <- encode(simulate_crowd(50, 400, 2, accuracy = 0.8, missing = 0.99, seed = 1)$labels)
  expect_true(is_sparse(sparse$codes))
  expect_identical(collapse_rows(sparse), sparse)
})

test_that("a start of kinds has the sums over rows of the start of all rows", {
  coded <- repeating()
  kinds <- collapse_rows(coded)
  start <- matrix((seq_len(800) * 0.618) %% 1, 400)
  start <- start / rowSums(start)
  collapsed <- collapse_posterior(start, kinds)
  expect_equal(rowSums(collapsed), rep(1, nrow(kinds$codes)), tolerance = 1e-12)
  expect_equal(
    core_m_step(kinds, collapsed, 0, 0), core_m_step(coded, start, 0, 0), tolerance = 1e-12
  )
})

# ---- fits --------------------------------------------------------------------------------------

test_that("a fit of kinds is the fit of all rows", {
  for (weighted in c(FALSE, TRUE)) {
    coded <- repeating(weighted = weighted)
    for (refine in c("sparse", "full", "none")) {
      expect_fits_agree(coded, 2, settings_of(FALSE, refine))
    }
    expect_fits_agree(coded, 3, settings_of(FALSE))
    expect_fits_agree(coded, 2, settings_of(TRUE))
  }
})

test_that("a fit of kinds is the fit of all rows with known classes, too", {
  crowd <- simulate_crowd(400, 5, 2, accuracy = rep(0.8, 4), seed = 1)
  coded <- encode(crowd$labels)
  known <- match(crowd$truth, crowd$labels$labels)
  known[-(1:60)] <- NA
  labels <- crowd$labels$labels
  expect_fits_agree(coded, 2, settings_of(known = known, labels = labels))
})

test_that("Titanic costs 24 rows and is the same as people, as a table and in any order", {
  table <- as.data.frame(Titanic)
  people <- table[rep(seq_len(nrow(table)), table$Freq), 1:4]
  coded <- encode(people)
  expect_identical(nrow(collapse_rows(coded)$codes), 24L)
  for (k in 2:3) expect_fits_agree(coded, k, settings_of(FALSE))
  fit <- stagewise_em(people, k = 2)
  counted <- stagewise_em(~ ., k = 2, data = table, weights = Freq)
  expect_equal(fit$loglik, counted$loglik, tolerance = 1e-10)
  expect_setequal(fit$informative, counted$informative)
  expect_equal(BIC(fit), BIC(counted), tolerance = 1e-10)
  rows <- order(seq_len(2201) * 61 %% 2200)
  permuted <- stagewise_em(people[rows, ], k = 2)
  expect_identical(permuted$posterior, fit$posterior[rows, ])
  same <- c("loglik", "penalised_loglik", "item_probs", "mixing_weights", "trace", "informative")
  expect_identical(unclass(permuted)[same], unclass(fit)[same])
})

test_that("a user sees all rows", {
  table <- as.data.frame(Titanic)
  people <- table[rep(seq_len(nrow(table)), table$Freq), 1:4]
  fits <- list(
    stagewise_em(people, k = 2), stagewise_em(people, k = 1:3), mdpd(people, k = 2),
    refine(stagewise_em(people, k = 2, method = "paper", refine = "none"))
  )
  for (fit in fits) {
    expect_identical(c(fit$n_obs, nrow(fit$posterior)), c(2201L, 2201L))
    expect_identical(nobs(fit), 2201)
    expect_null(fit$weights)
    expect_identical(rownames(fit$posterior), rownames(people))
    expect_identical(unclass(fit$coded)$codes, encode(people)$codes)
    expect_setequal(names(fit$coded), c("codes", "levels", "weights", "missing", "threads"))
    expect_equal(predict(fit, people, type = "prob"), fit$posterior, tolerance = 1e-8)
    expect_equal(sum(predict(fit, people, type = "density")), fit$loglik, tolerance = 1e-10)
    # The rows of a kind have one posterior to the last bit.
    expect_identical(nrow(unique(unname(fit$posterior))), nrow(unique(people)))
  }
})

test_that("a sample of the bootstrap is fitted as all of its rows", {
  x <- hand_made_fit(4, n_levels = c(2, 3), n_informative = 4)
  fit <- stagewise_em(simulate(x, seed = 2, n_obs = 500)[[1]], k = 2)
  sample <- with_seed(1, draw_sample(fit, fit$coded, "nonparametric"))
  expect_collapsed(collapse_rows(sample))
  held <- fit_held(fit, sample)
  model <- fit_sample(fit, sample, refit = FALSE)
  expect_equal(unname(model$mixing_weights), held$mixing_weights, tolerance = 1e-8)
  expect_close(model$item_probs, held$item_probs, 1e-8)
})

test_that("the votes that name the components count the weights of the rows", {
  crowd <- simulate_crowd(200, 5, 2, accuracy = rep(0.8, 4), seed = 1)
  fit <- stagewise_em(crowd$labels, k = 2)
  votes <- function(coded) label_votes(fit$item_probs, fit$informative, coded, fit$labels)
  kinds <- collapse_rows(fit$coded)
  expect_collapsed(kinds)
  expect_equal(votes(kinds), votes(fit$coded), tolerance = 1e-12)
})

test_that("EM from any start is that of all rows", {
  coded <- repeating(weighted = TRUE)
  kinds <- collapse_rows(coded)
  start <- matrix((seq_len(800) * 0.618) %% 1, 400)
  start <- start / rowSums(start)
  control <- complete_control(stagewise_control(), "paper")
  whole <- em_with_prior(coded, start, NULL, NULL, control, FALSE)
  em <- em_with_prior(kinds, collapse_posterior(start, kinds), NULL, NULL, control, FALSE)
  expect_equal(em$trace, whole$trace, tolerance = 1e-10)
  expect_equal(expand_rows(em, kinds)$fit, whole$fit, tolerance = 1e-8)
})
