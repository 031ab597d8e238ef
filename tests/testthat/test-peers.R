# Agreement with independent programs that fit the same models: poLCA (all items differ between the
# components, Linzer and Lewis 2011) and VarSelLCM (only the informative items do, Marbac and Sedki
# 2019). Both begin at random starts of their own. poLCA's standard errors are in
# test-uncertainty.R.

# They and we stop when an EM iteration gains less than some 1e-11 nats. EM converges geometrically,
# so what is left is that gain times rate / (1 - rate): 1e-7 nats at a rate of 0.9999. Other optima
# of these data are 0.01 nats away or more.
nats <- 1e-7
# `gap` nats below the maximum an estimate is up to sqrt(2 gap) standard errors away from it. These
# fits take 50 to 400 iterations, so the rates are lower and gaps under 1e-9; standard errors are
# about 0.1. A posterior adds up the logarithms of all items' estimates: ten times as much.
estimate <- 1e-5
posterior <- 1e-4

to_rounding <- stagewise_control(tol = 1e-15, max_iter = 1e5, smoothing_loss = 0)
by_bic_to_rounding <- stagewise_control(
  criterion = "bic", tol = 1e-15, max_iter = 1e5, smoothing_loss = 0
)

expect_within <- function(actual, expected, tolerance) {
  expect_lt(max(abs(unname(actual) - unname(expected))), tolerance)
}

# `mixing_weights`, `item_probs` (components in rows) and `posterior` as another program has them.
expect_same_estimates <- function(fit, theirs) {
  k <- length(theirs$mixing_weights)
  fit <- align_components(fit, `colnames<-`(theirs$posterior, seq_len(k)))
  expect_within(fit$mixing_weights, theirs$mixing_weights, estimate)
  expect_named(theirs$item_probs, names(fit$item_probs))
  for (item in names(fit$item_probs)) {
    expect_within(fit$item_probs[[item]], t(theirs$item_probs[[item]]), estimate)
  }
  expect_within(fit$posterior, theirs$posterior, posterior)
}

# poLCA --------------------------------------------------------------------------------------------

fit_polca <- function(x, keep_missing = FALSE) {
  formula <- stats::as.formula(paste0("cbind(", toString(names(x)), ") ~ 1"))
  with_seed(1, poLCA::poLCA(
    formula, x, nclass = 3, nrep = 3, tol = 1e-12, maxiter = 1e4, na.rm = !keep_missing,
    calc.se = FALSE, verbose = FALSE
  ))
}

expect_same_as_polca <- function(fit, peer) {
  expect_within(fit$loglik, peer$llik, nats)
  expect_equal(fit$df, peer$npar)
  expect_equal(nobs(fit), peer$N)
  # They hold the log-likelihood twice.
  expect_within(AIC(fit), peer$aic, 2 * nats)
  expect_within(BIC(fit), peer$bic, 2 * nats)
  expect_same_estimates(
    fit, list(mixing_weights = peer$P, item_probs = peer$probs, posterior = peer$posterior)
  )
}

test_that("mdpd() and poLCA reach the same optimum of carcinoma, each from its random starts", {
  carcinoma <- polca_data("carcinoma")[1:7]
  peer <- fit_polca(carcinoma)
  # Known to three decimals.
  expect_equal(round(peer$llik, 3), -293.705)
  expect_same_as_polca(mdpd(carcinoma, k = 3, control = to_rounding), peer)
})

test_that("mdpd() and poLCA reach the same optimum of election, each from its random starts", {
  election <- stats::na.omit(polca_data("election")[1:12])
  peer <- fit_polca(election)
  # Known to two decimals.
  expect_equal(round(peer$llik, 2), -16714.66)
  expect_same_as_polca(mdpd(election, k = 3, control = to_rounding), peer)
})

test_that("mdpd() and poLCA agree on election with its missing values kept", {
  election <- polca_data("election")[1:12]
  expect_gt(sum(is.na(election)), 0)
  peer <- fit_polca(election, keep_missing = TRUE)
  expect_same_as_polca(mdpd(election, k = 3, control = to_rounding), peer)
})

test_that("mdpd() started at poLCA's solution ends there", {
  carcinoma <- polca_data("carcinoma")[1:7]
  peer <- fit_polca(carcinoma)
  fit <- mdpd(carcinoma, k = 3, start = peer$posterior, control = to_rounding)
  expect_same_as_polca(fit, peer)
})

# VarSelLCM ----------------------------------------------------------------------------------------

# 500 rows of three classes. Each class has a favourite level in the first six items and none in the
# other four; no probability is near zero, because VarSelLCM gives up starts that reach a one.
sparse_answers <- function(missing = 0) {
  n_levels <- c(2, 3, 4, 3, 4, 3, 2, 3, 4, 3)
  with_seed(1, {
    class <- sample(3, 500, TRUE, c(0.5, 0.3, 0.2))
    items <- lapply(seq_along(n_levels), function(item) {
      r <- n_levels[item]
      favourite <- (class + item) %% r + 1
      guess <- sample(r, 500, TRUE)
      knows <- item <= 6 & stats::runif(500) < 0.6
      answer <- factor(letters[ifelse(knows, favourite, guess)])
      replace(answer, stats::runif(500) < missing, NA)
    })
  })
  as.data.frame(stats::setNames(items, paste0("item_", seq_along(items))))
}

fit_varsel <- function(x) {
  skip_if_not_installed("VarSelLCM")
  with_seed(1, VarSelLCM::VarSelCluster(
    x, gvals = 3, vbleSelec = TRUE, crit.varsel = "BIC", nbcores = 1, nbSmall = 20, nbKeep = 5,
    tolKeep = 1e-11
  ))
}

expect_same_model_as_varsel <- function(fit, peer) {
  expect_setequal(informative(fit), peer@model@names.relevant)
  expect_equal(fit$df, peer@criteria@nbparam)
  expect_same_estimates(fit, list(
    mixing_weights = peer@param@pi, item_probs = peer@param@paramCategorical@alpha,
    posterior = peer@partitions@tik
  ))
}

test_that("stagewise_em() and VarSelLCM select the same items with the same criterion", {
  x <- sparse_answers()
  peer <- fit_varsel(x)
  fit <- stagewise_em(x, k = 3, control = by_bic_to_rounding)
  expect_setequal(informative(fit), paste0("item_", 1:6))
  expect_same_model_as_varsel(fit, peer)
  expect_within(fit$loglik, peer@criteria@loglikelihood, nats)
  # Theirs are to be maximised: loglik - df log(n) / 2 and loglik - df.
  expect_within(-BIC(fit) / 2, peer@criteria@BIC, nats)
  expect_within(-AIC(fit) / 2, peer@criteria@AIC, nats)
  # Ours leaves out the one distribution that every item has in any case.
  marginals <- sum(vapply(x, nlevels, 0L) - 1) / 2 * log(nrow(x))
  expect_within(fit$penalised_loglik - marginals, peer@criteria@BIC, nats)
})

test_that("stagewise_em() and VarSelLCM agree on the estimates when values are missing", {
  x <- sparse_answers(missing = 0.1)
  # Not on the log-likelihood: VarSelLCM 2.1.3.2 adds one nat for every missing cell (`probavari`
  # begins at ones in XEMPen.cpp), the same in all components, so that nothing else changes. Nor on
  # the penalty, which has all rows there and the observed ones here; these items are clear cases.
  expect_same_model_as_varsel(stagewise_em(x, k = 3, control = by_bic_to_rounding), fit_varsel(x))
})
