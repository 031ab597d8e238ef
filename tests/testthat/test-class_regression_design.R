# Class regressions and outcomes where the fit is of a sample by design.

designed <- function(fit, cluster = NULL, strata = NULL) {
  fit$design <- new_design(cluster, strata, fit$n_obs)
  fit
}
# From one start: of one-step, ten take three times as long.
slope_covariances <- function(fit, rows) {
  of_class <- lapply(regression_methods, function(method) {
    vcov(class_regression(fit, ~ z + g, rows$covariates, method = method, n_starts = 1))
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

test_that("clusters and strata given here are those of a design of the fit", {
  rows <- regression_rows(400)
  fit <- regression_fit(rows)
  cluster <- rep(1:40, each = 10)
  strata <- rep(1:4, each = 100)
  of_fit <- designed(fit, cluster, strata)
  for (method in regression_methods) {
    regress <- function(fit, ...) {
      class_regression(fit, ~ z + g, rows$covariates, method = method, ..., n_starts = 1)
    }
    found <- regress(fit, cluster = cluster, strata = strata)
    expect_identical(vcov(found), vcov(regress(of_fit)))
    expect_identical(found$design_df, 36)
    # Given here, they replace those of the fit.
    expect_identical(vcov(regress(of_fit, cluster = 1:400)), vcov(regress(designed(fit))))
  }
  for (y in list(rows$y, rows$answer)) {
    expect_identical(distal_outcome(fit, y, cluster = cluster, strata = strata)$covariance,
                     distal_outcome(of_fit, y)$covariance)
  }
  expect_snapshot({
    show_conditions(class_regression(fit, ~z, rows$covariates, cluster = 1:3))
    show_conditions(distal_outcome(fit, rows$y, strata = replace(strata, 2, NA)))
  })
})

test_that("few clusters have Student's t and F", {
  rows <- regression_rows(400)
  fit <- regression_fit(rows)
  found <- class_regression(fit, ~ z + g, rows$covariates, cluster = rep(1:8, each = 50))
  error <- sqrt(diag(vcov(found)))
  t <- as.vector(coef(found)) / error
  expect_equal(unname(confint(found)[, 2]), unname(coef(found) + stats::qt(0.975, 7) * error),
               ignore_attr = TRUE)
  expect_equal(tidy(found)$p.value, unname(2 * stats::pt(-abs(t), 7)))
  at <- c("z|2", "z|3")
  b <- as.vector(coef(found)["z", ])
  wald <- drop(b %*% solve(vcov(found)[at, at]) %*% b)
  expect_equal(anova(found)["z", "Pr(>F)"], stats::pf(wald / 2, 2, 7, lower.tail = FALSE))
  shares <- predict(found, rows$covariates[1, ], interval = TRUE)
  half <- diff(stats::qlogis(c(shares$conf.low[1], shares$conf.high[1]))) / 2
  slope <- with(shares[1, ], std.error / (estimate * (1 - estimate)))
  expect_equal(half / slope, stats::qt(0.975, 7))
  means <- distal_outcome(fit, rows$y, cluster = rep(1:8, each = 50))
  expect_equal(means$test$p.value,
               stats::pf(means$test$statistic / 2, 2, 7, lower.tail = FALSE))
  limits <- tidy(means, conf.int = TRUE)
  expect_equal(limits$conf.high - limits$estimate, stats::qt(0.975, 7) * limits$std.error)
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
      found <- class_regression(fit, ~z, rows, method = method, reference = "1", n_starts = 1)
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
  expect_error(anova(smaller, larger), "robust standard errors", class = "mdpd_error_no_likelihood")
  expect_error(logLik(larger), "robust standard errors", class = "mdpd_error_no_likelihood")
  expect_true(all(is.na(glance(larger)[c("logLik", "AIC", "BIC")])))
  tests <- anova(larger)
  expect_s3_class(tests, "anova")
  expect_named(tests, c("Df", "F", "Pr(>F)"))
  expect_equal(tests[["Pr(>F)"]], stats::pf(tests$F, tests$Df, 299, lower.tail = FALSE))
  expect_output(print(larger), "robust, with 299 degrees of freedom")
  expect_output(print(summary(larger)), "df +F +p")
  by_class <- distal_outcome(fit, rows$y)
  expect_output(print(by_class), "with 299 degrees of freedom")
  expect_output(print(by_class), "F [0-9.]+, df 2 and 299")
})

# Case weights as those of a survey: any numbers.
survey_like <- function(n_obs) with_seed(7, stats::rlnorm(n_obs, 0, 0.7))

test_that("weights that are no counts are told once by each way to standard errors", {
  rows <- regression_rows(300)
  fit <- regression_fit(rows, weights = survey_like(300))
  counted <- regression_fit(rows, weights = rep(1:3, 100))
  calls <- list(
    standard_errors, vcov, confint, tidy,
    function(fit) class_regression(fit, ~z, rows$covariates),
    function(fit) class_regression(fit, ~z, rows$covariates, method = "one-step", n_starts = 1),
    function(fit) distal_outcome(fit, rows$y),
    function(fit) bootstrap(fit, n = 2, refit = FALSE, verbose = FALSE)
  )
  for (call in calls) {
    told <- 0
    withCallingHandlers(call(fit), mdpd_warning_sampling_weights = function(cnd) {
      told <<- told + 1
      tryInvokeRestart("muffleWarning")
    })
    expect_equal(told, 1)
    expect_no_warning(call(counted), class = "mdpd_warning_sampling_weights")
  }
  robust <- list(
    function(fit) standard_errors(fit, type = "robust"),
    function(fit) class_regression(fit, ~z, rows$covariates, type = "robust"),
    function(fit) distal_outcome(fit, rows$y, type = "robust"),
    function(fit) bootstrap(fit, n = 2, refit = FALSE, cluster = 1:300, verbose = FALSE)
  )
  for (call in robust) {
    expect_no_warning(call(fit), class = "mdpd_warning_sampling_weights")
  }
  expect_snapshot({
    show_conditions(standard_errors(fit))
    show_conditions(bootstrap(fit, n = 2, refit = FALSE, verbose = FALSE))
  })
})

test_that("robust errors are those of rows as clusters, and ten times the weights change nothing", {
  rows <- regression_rows(300)
  weights <- survey_like(300)
  fit <- regression_fit(rows, weights = weights)
  tenfold <- regression_fit(rows, weights = 10 * weights)
  analyses <- list(
    function(fit, ...) class_regression(fit, ~z, rows$covariates, ...),
    function(fit, ...) class_regression(fit, ~z, rows$covariates, method = "bch", ...),
    function(fit, ...) distal_outcome(fit, rows$y, ...)
  )
  for (analysis in analyses) {
    found <- analysis(fit, type = "robust")
    expect_equal(vcov(found), vcov(analysis(fit, cluster = 1:300)))
    # Two fits, each at its maximum up to rounding.
    expect_equal(vcov(analysis(tenfold, type = "robust")), vcov(found), tolerance = 1e-4)
    expect_equal(found$design_df, 299)
    expect_identical(found$type, "robust")
  }
  expect_error(distal_outcome(fit, rows$y, type = "score", cluster = 1:300),
               class = "mdpd_error_argument")
})

test_that("what type asks for is kept of a fit of a design", {
  rows <- regression_rows(300)
  fit <- designed(regression_fit(rows))
  plain <- class_regression(fit, ~z, rows$covariates, type = "observed")
  expect_false(plain$by_design)
  expect_equal(vcov(plain), vcov(class_regression(regression_fit(rows), ~z, rows$covariates)))
})
