test_that("a row of weight two counts like two equal rows", {
  x <- with_gaps(answers())
  twice <- seq_len(300) %% 3 == 0
  for (name in names(fit_variants)) {
    weighted <- do.call(
      stagewise_em, c(list(x, k = 2, weights = ifelse(twice, 2, 1)), fit_variants[[name]])
    )
    repeated <- fit_variant(rbind(x, x[twice, ]), 2, name)
    expect_equal(weighted$nobs, repeated$nobs)
    expect_equal(weighted$df, repeated$df)
    expect_equal(weighted$loglik, repeated$loglik, tolerance = fit_tolerance)
    expect_equal(weighted$penalised_loglik, repeated$penalised_loglik, tolerance = fit_tolerance)
    expect_equal(BIC(weighted), BIC(repeated), tolerance = fit_tolerance)
    expect_equal(AIC(weighted), AIC(repeated), tolerance = fit_tolerance)
    expect_identical(weighted$informative, repeated$informative)
    expect_equal(coef(weighted), coef(repeated), tolerance = fit_tolerance)
    expect_equal(weighted$posterior, unname_rows(repeated$posterior[1:300, ]),
                 tolerance = fit_tolerance)
  }
})

# 400 rows of 30 items of four levels, three classes that half of the items tell apart a little.
draw_weak_table <- function(seed) {
  set.seed(seed)
  class <- sample(3, 400, TRUE, c(0.4, 0.35, 0.25))
  shares <- function() prop.table(stats::rgamma(4, 0.8))
  as.data.frame(lapply(1:30, function(item) {
    common <- shares()
    probs <- replicate(3, if (item <= 15) 0.75 * common + 0.25 * shares() else common)
    answers <- draw_codes(probs, class)
    factor(replace(answers, stats::runif(400) < 0.1, NA))
  }), col.names = paste0("v", 1:30))
}

test_that("a weak table is searched as far with weights as with its rows written out", {
  # Of 331 rows with a weight, of 400, or of 700: which starts are tried depends on how many.
  for (seed in 1:3) {
    drawn <- draw_weak_table(seed)
    weights <- tabulate(sample(400, 700, TRUE), 400)
    weighted <- suppressWarnings(stagewise_em(drawn, k = 3, weights = weights))
    written <- suppressWarnings(stagewise_em(drawn[rep(1:400, weights), ], k = 3))
    expect_equal(weighted$evidence, written$evidence, tolerance = 1e-12)
    expect_equal(coef(weighted), coef(written), tolerance = fit_tolerance)
  }
})

test_that("a row of weight zero does not count but has a posterior", {
  x <- answers()
  x$item_1 <- factor(replace(as.character(x$item_1), 1, "a level of one row"))
  weights <- rep(c(0, 1), c(10, 290))
  fit <- stagewise_em(x, k = 2, weights = weights)
  rest <- stagewise_em(x[-(1:10), ], k = 2)
  expect_equal(fit$nobs, 290)
  expect_identical(fit$n_obs, 300L)
  expect_equal(fit$df, rest$df)
  expect_equal(fit$loglik, rest$loglik, tolerance = fit_tolerance)
  expect_equal(coef(fit), coef(rest), tolerance = fit_tolerance)
  expect_equal(fit$posterior[-(1:10), ], unname_rows(rest$posterior), tolerance = fit_tolerance)
  expect_equal(rowSums(fit$posterior[1:10, ]), rep(1, 10))
})

test_that("a fractional weight lies between", {
  x <- answers()
  loglik <- vapply(c(1, 1.5, 2), function(weight) {
    suppressWarnings(
      stagewise_em(x, k = 2, weights = rep(weight, 300), refine = "none", method = "paper")$loglik,
      classes = "mdpd_warning_sampling_weights"
    )
  }, 0)
  # The stages of the paper do not depend on the size of the data.
  expect_equal(loglik / loglik[1], c(1, 1.5, 2), tolerance = fit_tolerance)
})
