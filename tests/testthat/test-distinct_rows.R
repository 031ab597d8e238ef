# Codes of few kinds of rows, some cells missing, weights 0 to 3.
repeating <- function(n_obs = 400, n_items = 4, weighted = TRUE, seed = 1) {
  model <- hand_made_fit(n_items, k = 2, n_levels = c(2, 3), n_informative = n_items)
  x <- with_gaps(simulate(model, seed = seed, n_obs = n_obs)[[1]])
  attr(x, "component") <- NULL
  weights <- if (weighted) seq_len(n_obs) %% 4
  encode(x, weights, "ignore", arg = "x")
}

# The same data with only the answers given, which the engine computes with row by row.
row_by_row <- function(coded) {
  coded$codes <- as_sparse_codes(coded$codes)
  coded
}

# One row of each kind with the weight of all, and which kind each row is.
by_kind <- function(coded, known = NULL) {
  key <- do.call(paste, data.frame(unclass(coded)$codes, if (is.null(known)) "" else known))
  first <- which(!duplicated(key))
  kind <- match(key, key[first])
  kinds <- subset_rows(coded, first)
  kinds$weights <- as.vector(rowsum(coded$weights, kind))
  list(coded = kinds, kind = kind, first = first)
}

# The fit of all rows and that of their kinds: sums in another order, see `fit_tolerance`.
expect_fits_agree <- function(result, whole, rows = seq_len(nrow(whole$posterior))) {
  expect_equal(result$loglik, whole$loglik, tolerance = 1e-10)
  expect_equal(result$penalised_loglik, whole$penalised_loglik, tolerance = 1e-10)
  expect_setequal(result$informative, whole$informative)
  expect_identical(max.col(result$posterior[rows, ]), max.col(whole$posterior))
  expect_equal(result$posterior[rows, , drop = FALSE], whole$posterior, tolerance = 1e-8)
  expect_equal(result$item_probs, whole$item_probs, tolerance = 1e-8)
  expect_equal(result$df, whole$df)
  expect_equal(result$loglik_of_one, whole$loglik_of_one, tolerance = 1e-12)
  expect_equal(result$trace, whole$trace, tolerance = 1e-8)
  expect_identical(result$holds_known, whole$holds_known)
  expect_identical(result$status, whole$status)
}

# Rows that repeat, rows one by one, and one row of each kind have the same fit.
expect_collapsed_fit <- function(coded, k, ..., known = NULL) {
  fit <- engine_fit(coded, k, ..., known = known)
  kinds <- by_kind(coded, known)
  expect_lte(length(kinds$first), nrow(coded$codes) / 2)
  expect_fits_agree(fit, engine_fit(row_by_row(coded), k, ..., known = known))
  of_kinds <- engine_fit(kinds$coded, k, ..., known = known[kinds$first])
  expect_fits_agree(of_kinds, fit, kinds$kind)
  # The rows of a kind have one posterior to the last bit.
  expect_identical(fit$posterior, fit$posterior[kinds$first, , drop = FALSE][kinds$kind, ])
}

test_that("a fit of kinds is the fit of all rows", {
  for (weighted in c(FALSE, TRUE)) {
    coded <- repeating(weighted = weighted)
    for (refine in c("sparse", "full", "none")) {
      expect_collapsed_fit(coded, 2, refine = refine, polish = FALSE)
    }
    expect_collapsed_fit(coded, 3, polish = FALSE)
    expect_collapsed_fit(coded, 2)
  }
})

test_that("a fit of kinds is the fit of all rows with known classes, too", {
  crowd <- simulate_crowd(400, 5, 2, accuracy = rep(0.8, 4), seed = 1)
  known <- match(crowd$truth, crowd$labels$labels)
  known[-(1:60)] <- NA
  expect_collapsed_fit(encode(crowd$labels), 2, known = known, labels = crowd$labels$labels)
})

test_that("a fit of rows that repeat does not depend on their order", {
  coded <- repeating()
  rows <- order(seq_len(400) * 61 %% 399)
  fit <- engine_fit(coded, 2)
  permuted <- engine_fit(subset_rows(coded, rows), 2)
  expect_identical(permuted$posterior, fit$posterior[rows, ])
  expect_identical(without(permuted, "posterior"), without(fit, "posterior"))
})

test_that("EM from any start is that of all rows", {
  coded <- repeating(weighted = TRUE)
  start <- matrix((seq_len(800) * 0.618) %% 1, 400)
  start <- start / rowSums(start)
  for (type in c("full", "sparse")) {
    whole <- engine_refine(row_by_row(coded), start, type)
    expect_fits_agree(engine_refine(coded, start, type), whole)
  }
})

test_that("Titanic is the same as people, as a table and in any order", {
  table <- as.data.frame(Titanic)
  people <- table[rep(seq_len(nrow(table)), table$Freq), 1:4]
  for (k in 2:3) expect_collapsed_fit(encode(people), k, polish = FALSE)
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
    expect_setequal(names(fit$coded), c("codes", "levels", "weights", "missing", "known"))
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
  expect_lte(length(by_kind(sample)$first), 250)
  held <- fit_held(fit, row_by_row(sample))
  model <- fit_sample(fit, sample, refit = FALSE)
  expect_equal(unname(model$mixing_weights), held$mixing_weights, tolerance = 1e-8)
  expect_close(model$item_probs, held$item_probs, 1e-8)
})
