# Class regressions and outcomes where the fit is of a sample by design.

designed <- function(fit, cluster = NULL, strata = NULL) {
  fit$design <- new_design(cluster, strata, fit$n_obs)
  fit
}
slope_covariances <- function(fit, rows) {
  of_class <- lapply(regression_methods, function(method) {
    vcov(class_regression(fit, ~ z + g, rows$covariates, method = method))
  })
  of_outcome <- lapply(list(rows$y, rows$answer), function(y) {
    lapply(c("bch", "ml"), function(method) distal_outcome(fit, y, method = method)$covariance)
  })
  c(of_class, of_outcome[[1]], of_outcome[[2]])
}
rep_rows <- function(rows, at) {
  lapply(rows, function(part) if (is.data.frame(part)) part[at, ] else part[at])
}

test_that("rows that are there twice, as one cluster, tell no more than once", {
  rows <- regression_rows(400)
  twice <- rep_rows(rows, rep(seq_len(400), 2))
  once <- slope_covariances(designed(regression_fit(rows)), rows)
  both <- slope_covariances(designed(regression_fit(twice), rep(seq_len(400), 2)), twice)
  # As far as EM of the one-step regression goes on both.
  for (i in seq_along(once)) {
    expect_close(both[[i]], once[[i]], tolerance = 1e-5)
  }
})

test_that("where the model is true and rows are drawn one by one, a design changes little", {
  rows <- regression_rows(4000)
  fit <- regression_fit(rows)
  model <- slope_covariances(fit, rows)
  robust <- slope_covariances(designed(fit), rows)
  for (i in seq_along(model)) {
    ratio <- sqrt(diag(robust[[i]]) / diag(model[[i]]))
    # Errors of 4000 rows have a standard deviation of some 2 to 4 % themselves.
    expect_true(all(abs(ratio - 1) < 0.15), info = paste(i, toString(round(ratio, 3))))
  }
})

test_that("of classes that are sure a regression has the standard errors of survey", {
  skip_if_not_installed("survey")
  n <- 600
  rows <- with_seed(1, {
    cluster <- rep(seq_len(60), each = 10)
    z <- stats::rnorm(n) + stats::rnorm(60)[cluster]
    class <- 1 + (stats::runif(n) < stats::plogis(z + stats::rnorm(60)[cluster]))
    items <- matrix(stats::runif(n * 12) < c(0.01, 0.99)[class], n)
    data.frame(ifelse(items, "yes", "no"), cluster, z, class, stratum = rep(1:3, each = 200),
               weight = stats::runif(n, 0.5, 2))
  })
  design <- survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = rows,
                              nest = TRUE)
  replicates <- survey::as.svrepdesign(design, type = "JKn")
  for (sample in list(design, replicates)) {
    fit <- suppressMessages(stagewise_em(rows[1:12], k = 2, weights = sample))
    fit <- align_components(fit, as.character(rows$class))
    known <- survey::svyglm(I(class == 2) ~ z, sample, family = stats::quasibinomial())
    for (method in regression_methods) {
      found <- class_regression(fit, ~z, rows, method = method, reference = "1")
      expect_close(coef(found), stats::coef(known), tolerance = 1e-2)
      # Classes are not quite sure, and the jackknife is here of linear terms, in svyglm() of
      # estimates, whose curvature is some 1 / 20 for 20 clusters in a stratum.
      expect_close(sqrt(diag(vcov(found))), sqrt(diag(stats::vcov(known))),
                   tolerance = if (identical(sample, design)) 0.01 else 0.05)
    }
  }
})

test_that("likelihoods of a design are not compared, but its terms are tested", {
  rows <- regression_rows(300)
  fit <- designed(regression_fit(rows))
  larger <- class_regression(fit, ~ z + g, rows$covariates)
  smaller <- class_regression(fit, ~z, rows$covariates)
  expect_error(anova(smaller, larger), "survey design", class = "mdpd_error_no_likelihood")
  expect_s3_class(anova(larger), "anova")
  expect_output(print(larger), "robust, by the survey design")
  expect_output(print(distal_outcome(fit, rows$y)), "robust, by the survey design")
})
