# How often an expression calls the functions of the engine that build the coded data. The functions
# are replaced in the package's namespace.
engine_calls <- function(code) {
  builders <- c("core_fit", "core_posterior", "core_information")
  plain <- mget(builders, asNamespace("mdpd"))
  calls <- stats::setNames(integer(length(builders)), builders)
  counting <- lapply(stats::setNames(builders, builders), function(name) {
    function(...) {
      calls[[name]] <<- calls[[name]] + 1L
      plain[[name]](...)
    }
  })
  local_in_package(counting)
  force(code)
  calls
}

# `n` calls of the whole method, each of which builds the data once, and nothing else but the search
# for copies among a part of the rows and items, at most once, and before it the posterior of these;
# and the posterior of the cells in which it is seen whether the model is identified.
expect_engine_calls <- function(code, n = 1) {
  calls <- engine_calls(code)
  expect_identical(calls[["core_fit"]], as.integer(n))
  expect_lte(calls[["core_posterior"]], 2)
  expect_lte(calls[["core_information"]], 1)
}

test_that("a fit is one call of the engine, which builds the coded data once", {
  x <- answers(200)
  expect_engine_calls(stagewise_em(x, k = 2))
  expect_engine_calls(stagewise_em(x, k = 4, method = "paper"))
  expect_engine_calls(suppressWarnings(stagewise_em(x, k = 4)))
  expect_engine_calls(stagewise_em(x, k = 1:4))
  expect_engine_calls(stagewise_em(x, k = 2, refine = "none"))
  crowd <- small_crowd(missing = 0.3)
  gold <- crowd$truth[1:30]
  names(gold) <- crowd$labels$items[1:30]
  expect_engine_calls(stagewise_em(crowd$labels, k = 3))
  expect_engine_calls(stagewise_em(crowd$labels, k = 3, known = gold))
})

test_that("ordinary EM from any number of starts is one call of the engine", {
  x <- answers(200)
  fit <- stagewise_em(x, k = 2)
  crowd <- small_crowd()$labels
  expect_engine_calls(mdpd(x, k = 2, n_starts = 5))
  expect_engine_calls(mdpd(x, k = 2, start = fit))
  expect_engine_calls(mdpd(x, k = 2, start = rep(1:2, 100)))
  expect_engine_calls(mdpd(crowd, k = 3))
  expect_engine_calls(mdpd(crowd, k = 3, start = "spectral", n_starts = 5))
})

test_that("a fit is refined by one call of the engine, on its data or on others", {
  fit <- stagewise_em(answers(200), k = 2, refine = "none")
  expect_engine_calls(refine(fit))
  expect_engine_calls(refine(fit, answers(300, seed = 2), type = "full"))
})

test_that("each sample of a bootstrap is one call of the engine", {
  fit <- stagewise_em(answers(200), k = 2)
  for (refit in c(FALSE, TRUE)) {
    for (type in c("nonparametric", "parametric")) {
      expect_engine_calls(bootstrap(fit, n = 3, type = type, refit = refit, verbose = FALSE), 3)
    }
  }
})

test_that("what is asked of a fit that is there builds the coded data once", {
  fit <- stagewise_em(answers(200), k = 2)
  none <- c(core_fit = 0L, core_posterior = 0L, core_information = 0L)
  expect_identical(engine_calls(predict(fit, answers(50, seed = 2))), replace(none, 2, 1L))
  expect_identical(engine_calls(information(fit)), replace(none, 3, 1L))
  expect_identical(engine_calls(predict(fit)), none)
  # Of the cells of the table, to see whether the model is identified.
  expect_identical(engine_calls(summary(fit)), replace(none, 2, 1L))
})

# The table, the calls and the expected numbers are those of tests/core/fit/test-fit.cpp: a user of
# the core in plain C++ gets what R gives.
test_that("a fixed table has the fit that plain C++ gives", {
  codes <- cbind(
    c(1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2),
    c(1, 1, 1, 2, 1, 1, 3, 3, 2, 3, 3, 3),
    c(1, 1, 2, 1, 1, 1, 2, 2, 2, 1, 2, 0), # once missing
    c(1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2)
  )
  coded <- coded_from_codes(codes, c(2, 3, 2, 2), c(8, 7, 3, 4, 6, 5, 9, 8, 2, 3, 7, 6))
  robust <- engine_fit(coded, 2, criterion = "bic")
  # To 1e-10 in 134 nats.
  expect_lt(abs(robust$loglik - -133.76153925025577), 1e-10)
  expect_lt(abs(robust$penalised_loglik - -144.26412185313052), 1e-10)
  expect_identical(robust$informative, 1:3)
  expect_identical(robust$df, 10)
  expect_identical(robust$status, "converged")
  expect_identical(nrow(robust$trace), 5L)

  evidence <- engine_fit(coded, 2)
  expect_lt(abs(evidence$evidence - -147.17053194026784), 1e-10)
  expect_lt(abs(evidence$loglik - -134.72416635216982), 1e-10)

  paper <- engine_fit(coded, 2, "paper", "full")
  expect_lt(abs(paper$loglik - -133.7615137607813), 1e-10)
  expect_identical(paper$df, 11)
})

test_that("a prior is stacked by the labels of each item's levels, and other levels have none", {
  coded <- list(levels = list(ann = c("no", "yes"), bob = c("yes", "no", "(missing)")))
  prior <- rbind(c(1, 2), c(3, 4)) # the true label in the row
  expect_identical(
    new_problem(coded, c("no", "yes"), prior = prior)$prior_counts,
    rbind(c(1, 3), c(2, 4), c(2, 4), c(1, 3), c(0, 0))
  )
  expect_null(new_problem(coded, c("no", "yes"))$prior_counts)
})

test_that("a trace is a data frame numbered through, with items by name", {
  fit <- engine_fit(encode(answers(200)), 2)
  expect_s3_class(fit$trace, "data.frame")
  expect_identical(fit$trace$stage, seq_len(nrow(fit$trace)))
  expect_true(all(fit$trace$item_1[fit$trace$phase == "stage"] %in% names(answers(2))))
  both <- bind_traces(fit$trace, fit$trace)
  expect_identical(both$stage, seq_len(2L * nrow(fit$trace)))
  expect_identical(nrow(bind_traces(NULL, fit$trace)), nrow(fit$trace))
})

test_that("traces of which one has the evidence have it both", {
  with <- data.frame(stage = 1:2, loglik = c(-9, -8), evidence = c(-12, -11))
  without <- data.frame(stage = 1L, loglik = -7)
  expect_identical(bind_traces(without, with),
                   data.frame(stage = 1:3, loglik = c(-7, -9, -8), evidence = c(NA, -12, -11)))
  expect_identical(bind_traces(with, without),
                   data.frame(stage = 1:3, loglik = c(-9, -8, -7), evidence = c(-12, -11, NA)))
  expect_named(bind_traces(without, without), c("stage", "loglik"))
  expect_identical(bind_traces(NULL, with), with)
})
