test_that("coef() gives the parameters", {
  fit <- stagewise_em(answers(), k = 2)
  expect_identical(coef(fit)$mixing_weights, fit$mixing_weights)
  expect_identical(coef(fit)$item_probs, fit$item_probs)
  model <- simulate_crowd(20, 5, seed = 1)$model
  expect_named(coef(model), c("mixing_weights", "item_probs"))
})

test_that("fitted() gives the posterior of the fit's rows", {
  fit <- stagewise_em(answers(), k = 2)
  expect_identical(fitted(fit), fit$posterior)
})

test_that("logLik() has what the generics of stats need", {
  fit <- stagewise_em(answers(), k = 2, weights = rep(2, 300))
  loglik <- logLik(fit)
  expect_s3_class(loglik, "logLik")
  expect_equal(c(loglik), fit$loglik, ignore_attr = TRUE)
  expect_equal(attr(loglik, "df"), fit$df)
  expect_equal(attr(loglik, "nobs"), 600)
  expect_equal(nobs(fit), 600)
})

test_that("AIC() and BIC() of stats work, also of several fits", {
  x <- answers()
  one <- stagewise_em(x, k = 1)
  two <- stagewise_em(x, k = 2)
  expect_equal(AIC(two), -2 * two$loglik + 2 * two$df)
  expect_equal(BIC(two), -2 * two$loglik + log(300) * two$df)
  expect_equal(BIC(one, two)$BIC, c(BIC(one), BIC(two)))
  expect_lt(BIC(two), BIC(one))
})

test_that("the degrees of freedom count the parameters that are free", {
  x <- answers()
  free <- vapply(x, nlevels, 0L) - 1
  for (k in 1:4) {
    fit <- stagewise_em(x, k = k)
    inside <- names(x) %in% fit$informative
    expect_equal(fit$df, k - 1 + k * sum(free[inside]) + sum(free[!inside]))
    expect_equal(stagewise_em(x, k = k, refine = "full")$df, k - 1 + k * sum(free))
  }
})

test_that("BIC is minus twice the penalised log-likelihood up to a constant of the data", {
  x <- answers()
  fits <- list(
    stagewise_em(x, k = 1), stagewise_em(x, k = 2), stagewise_em(x, k = 3), stagewise_em(x, k = 4),
    stagewise_em(x, k = 2, refine = "full"), stagewise_em(x, k = 3, refine = "full"),
    stagewise_em(x, k = 2, refine = "none"), stagewise_em(x, k = 3, method = "paper")
  )
  # The constant: the parameters of the independence model times log N.
  constant <- sum(vapply(x, nlevels, 0L) - 1) * log(300)
  for (fit in fits) {
    expect_equal(BIC(fit), -2 * fit$penalised_loglik + constant)
  }
})

test_that("BIC is minus twice the penalised log-likelihood with case weights, too", {
  x <- answers()
  weights <- rep(c(1, 2), 150)
  constant <- sum(vapply(x, nlevels, 0L) - 1) * log(450)
  for (k in 1:3) {
    fit <- stagewise_em(x, k = k, weights = weights)
    expect_equal(BIC(fit), -2 * fit$penalised_loglik + constant)
  }
})

test_that("the penalised log-likelihood finds the number of components", {
  for (k in 2:4) {
    model <- hand_made_fit(n_items = 10, k = k, n_levels = 4, n_informative = 6)
    x <- simulate(model, seed = k, n_obs = 600)[[1]]
    penalised <- vapply(1:5, function(k) {
      suppressWarnings(
        stagewise_em(x, k = k), classes = "mdpd_warning_fewer_components"
      )$penalised_loglik
    }, 0)
    expect_identical(which.max(penalised), k)
  }
})

test_that("the log-likelihood of a true model is not there, and says so", {
  model <- simulate_crowd(20, 5, seed = 1)$model
  expect_error(logLik(model), class = "mdpd_error")
  expect_error(BIC(model), class = "mdpd_error")
  expect_error(nobs(model), class = "mdpd_error")
  expect_error(fitted(model), class = "mdpd_error")
})
