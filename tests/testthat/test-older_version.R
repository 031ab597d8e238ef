# Fits that version 0.1.0 has saved (fits-0.1.0/make.R made them) do all that it could, and what
# came later.

read_old <- function(name) readRDS(test_path("fits-0.1.0", paste0(name, ".rds")))
names <- sub("[.]rds$", "", dir(test_path("fits-0.1.0"), "rds$"))
quietly <- function(code) {
  utils::capture.output(value <- suppressWarnings(suppressMessages(code)))
  value
}

test_that("there are fits of version 0.1.0 of all kinds", {
  expect_length(names, 8)
  for (name in names) {
    expect_identical(read_old(name)$version, "0.1.0")
  }
})

test_that("an old fit is printed, drawn, described and used for new rows", {
  for (name in names) {
    fit <- read_old(name)
    for (ask in list(print, summary, coef, logLik, informative, tidy, glance, simulate)) {
      expect_no_error(quietly(ask(fit)))
    }
    expect_no_error(quietly(plot(fit)))
    expect_length(quietly(predict(fit)), fit$n_obs)
  }
})

test_that("an old fit that keeps its data goes on from there", {
  for (name in setdiff(names, "without_data")) {
    fit <- read_old(name)
    expect_identical(dim(quietly(vcov(fit))), rep(nrow(parameter_table(fit)), 2))
    refined <- quietly(refine(fit, type = "full"))
    expect_gte(refined$loglik, fit$loglik - 1e-6 * abs(fit$loglik))
    expect_s3_class(quietly(bootstrap(fit, n = 2)), "mdpd_bootstrap")
    expect_s3_class(quietly(goodness_of_fit(fit, n = 2)), "mdpd_goodness_of_fit")
    expect_s3_class(quietly(pair_residuals(fit)), "mdpd_pair_residuals")
    expect_identical(refined$control$criterion, "bic")
  }
})

test_that("an old fit without its data says what to do", {
  expect_error(vcov(read_old("without_data")), "keep_data = TRUE", class = "mdpd_error_no_data")
})
