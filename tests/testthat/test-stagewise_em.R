test_that("a planted mixture is found: the informative items, the parameters, the classes", {
  model <- answers_model()
  x <- simulate(model, seed = 1, n_obs = 2000)[[1]]
  fit <- stagewise_em(x, k = 2)
  expect_setequal(informative(fit), model$informative)
  # Five standard errors of a probability estimated from the smaller component's 800 rows.
  error <- 5 * sqrt(0.25 / 800)
  expect_equal(fit$mixing_weights, model$mixing_weights, tolerance = error)
  for (item in names(x)) {
    expect_lt(max(abs(fit$item_probs[[item]] - model$item_probs[[item]])), error)
  }
  # The true model's own share of errors here is 1.5 %.
  expect_lt(error_rate(fit, attr(x, "component")), 0.025)
})

test_that("estimates come closer to the truth with more rows", {
  model <- answers_model()
  distance <- vapply(c(100, 1000, 10000), function(n_obs) {
    fit <- stagewise_em(simulate(model, seed = 1, n_obs = n_obs)[[1]], k = 2)
    sqrt(sum((unlist(fit$item_probs) - unlist(model$item_probs))^2))
  }, 0)
  expect_lt(distance[2], distance[1])
  expect_lt(distance[3], distance[2])
})

test_that("probabilities are probabilities: in [0, 1], nothing missing, sums of one", {
  fits <- list(
    stagewise_em(answers(), k = 2),
    stagewise_em(with_gaps(answers()), k = 3, method = "paper", refine = "none"),
    stagewise_em(answers(), k = 4, refine = "full"),
    stagewise_em(small_crowd(missing = 0.5)$labels, k = 3)
  )
  one <- 1e-12  # sums of a few doubles
  for (fit in fits) {
    probs <- unlist(list(fit$posterior, fit$mixing_weights, fit$item_probs))
    expect_false(anyNA(probs))
    expect_true(all(probs >= 0 & probs <= 1 + one))
    expect_equal(rowSums(fit$posterior), rep(1, fit$n_obs), tolerance = one,
                 ignore_attr = "names")
    expect_equal(sum(fit$mixing_weights), 1, tolerance = one)
    for (item in fit$item_probs) {
      expect_equal(unname(colSums(item)), rep(1, fit$k), tolerance = one)
    }
    expect_true(all(is.finite(c(fit$loglik, fit$penalised_loglik, fit$df, fit$item_information))))
  }
})

test_that("the same data give the same fit, and the session's random numbers are left alone", {
  set.seed(1)
  state <- .Random.seed
  fit <- stagewise_em(answers(), k = 3)
  expect_identical(.Random.seed, state)
  set.seed(2)
  expect_identical(stagewise_em(answers(), k = 3), fit)
})

test_that("the fit is the same to the last bit for any number of threads", {
  # Enough work that the engine does share it out.
  crowd <- simulate_crowd(n_items = 20000, n_workers = 40, seed = 11)
  fit_with <- function(threads) {
    control <- stagewise_control(threads = threads, polish = FALSE)
    fit <- stagewise_em(crowd$labels, k = 3, control = control)
    fit[c("mixing_weights", "item_probs", "informative", "posterior", "loglik", "trace")]
  }
  expect_identical(fit_with(2), fit_with(1))
  expect_identical(fit_with(1000), fit_with(1))
})

test_that("a fit prints nothing and leaves its input alone", {
  x <- with_gaps(answers())
  crowd <- small_crowd()$labels
  before <- unserialize(serialize(list(x, crowd), NULL))
  expect_silent(stagewise_em(x, k = 2, verbose = FALSE))
  expect_silent(stagewise_em(crowd, k = 3, verbose = FALSE))
  expect_identical(list(x, crowd), before)
})

test_that("showing progress does not change the fit", {
  suppressMessages(fit <- stagewise_em(answers(), k = 2, verbose = TRUE))
  expect_identical(without(fit, "call"), without(stagewise_em(answers(), k = 2), "call"))
})

test_that("the fit says how it was made", {
  control <- stagewise_control(alpha = 0.001)
  fit <- stagewise_em(answers(), k = 2, refine = "full", missing = "fail", control = control)
  expect_s3_class(fit, c("stagewise_em", "mdpd"), exact = TRUE)
  expect_identical(unclass(fit)[c("method", "refine", "missing", "n_missing", "n_obs")],
                   list(method = "robust", refine = "full", missing = "fail", n_missing = 0L,
                        n_obs = 300L))
  expect_equal(fit$control$alpha, 0.001)
  expect_false(any(vapply(fit$control, is.null, NA)))
  expect_identical(fit$version, as.character(packageVersion("mdpd")))
})

test_that("keep_data = FALSE keeps everything but the data", {
  fit <- stagewise_em(answers(), k = 2)
  small <- stagewise_em(answers(), k = 2, keep_data = FALSE)
  expect_null(small$coded)
  expect_true("coded" %in% names(small))
  varying <- c("call", "coded", "data_hash")
  expect_identical(without(small, varying), without(fit, varying))
})

test_that("update() fits again with another argument", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  expect_equal(update(fit, k = 1)$k, 1)
  fit <- stagewise_em(~., k = 2, data = x)
  expect_equal(update(fit, k = 1)$k, 1)
})

test_that("the controls reach the engine", {
  x <- answers()
  loglik <- function(...) {
    control <- stagewise_control(...)
    stagewise_em(x, k = 2, method = "paper", refine = "none", control = control)$loglik
  }
  expect_lt(loglik(max_stages = 2), loglik())
  two_stages <- loglik(max_stages = 2)
  # More steps and longer ones climb further; a floor and a pseudo-count hold the model back.
  expect_gt(loglik(max_stages = 2, em_steps = 3), two_stages)
  expect_gt(loglik(max_stages = 2, split_step = 0.2), two_stages)
  expect_lt(loglik(floor = 0.1), loglik())
  expect_lt(loglik(smoothing = 20), loglik())
})

test_that("smoothing draws the probabilities to the observed frequencies", {
  x <- answers()
  spread <- function(smoothing) {
    control <- stagewise_control(smoothing = smoothing)
    fit <- stagewise_em(x, k = 2, refine = "full", control = control)
    mean(fit$item_information)
  }
  expect_lt(spread(50), spread(0))
})

test_that("a search for a better optimum that was ended is a message and a status", {
  fit <- stagewise_em(answers(), k = 2)
  expect_message(warn_status(fit, 2), NA, class = "mdpd_message_search_limit")
  # Only searches of a minute and more end so.
  fit$status <- "search_limit"
  expect_message(warn_status(fit, 2), "refine(fit)", fixed = TRUE,
                 class = "mdpd_message_search_limit")
  expect_match(paste(method_text(fit), collapse = " "), "was ended after as many passes")
})

test_that("max_iter = 1 is a classed warning that says what to change", {
  control <- stagewise_control(max_iter = 1)
  expect_snapshot(show_conditions(
    fit <- stagewise_em(answers(), k = 2, method = "paper", control = control)
  ))
  expect_identical(fit$status, "iteration_limit")
  expect_false(fit$converged)
  expect_equal(rowSums(fit$posterior), rep(1, 300))
  expect_warning(stagewise_em(answers(), k = 2, control = control),
                 class = "mdpd_warning_not_converged")
})

test_that("choices and settings must be among the known ones", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x, k = 2, method = "papre"))
    show_conditions(stagewise_em(x, k = 2, refine = "yes"))
    show_conditions(stagewise_em(x, k = 2, missing = "drop"))
    show_conditions(stagewise_em(x, k = 2, control = list(alpha = 0.1)))
    show_conditions(stagewise_em(x, k = 2, keep_data = NA))
    show_conditions(stagewise_em(x, k = 2, verbose = 1))
  })
  for (argument in c("method", "refine", "missing", "control", "keep_data", "verbose")) {
    arguments <- stats::setNames(list("wrong"), argument)
    expect_error(do.call(stagewise_em, c(list(x, k = 2), arguments)), argument,
                 class = "mdpd_error_argument")
  }
})

test_that("an unknown argument is an error that names it", {
  x <- answers(n_obs = 20)
  expect_error(stagewise_em(x, k = 2, methods = "paper"), "methods",
               class = "rlib_error_dots_nonempty")
  expect_error(stagewise_em(x, 2, "paper"), class = "rlib_error_dots_nonempty")
  expect_error(stagewise_em(~., k = 2, data = x, methods = 1), "methods",
               class = "rlib_error_dots_nonempty")
  # One that other packages have is answered with what to write, see test-foreign_arguments.R.
  expect_error(stagewise_em(x, k = 2, seed = 1), "seed", class = "mdpd_error_argument")
  expect_error(stagewise_em(~., k = 2, data = x, seed = 1), "seed", class = "mdpd_error_argument")
  expect_error(stagewise_em(small_crowd()$labels, k = 3, seed = 1), "seed",
               class = "mdpd_error_argument")
})

test_that("errors are the user's call, also by formula", {
  x <- answers(n_obs = 20)
  bad <- list(
    quote(stagewise_em(x, k = 0)), quote(stagewise_em(x[1], k = 2)),
    quote(stagewise_em(x, k = 2, weights = -1)), quote(stagewise_em(~., k = 0, data = x)),
    quote(stagewise_em(~item_1, k = 2, data = x)), quote(stagewise_em(~., k = 21, data = x))
  )
  for (call in bad) {
    error <- expect_error(eval(call), class = "mdpd_error")
    expect_identical(rlang::call_name(error$call), "stagewise_em")
  }
})

test_that("an error leaves nothing half done", {
  set.seed(1)
  state <- .Random.seed
  x <- answers()
  x$bad <- 1:300 / 2
  copy <- unserialize(serialize(x, NULL))
  files <- dir(tempdir())
  fit <- "as before"
  try(fit <- stagewise_em(x, k = 2), silent = TRUE)
  expect_identical(fit, "as before")
  expect_identical(x, copy)
  expect_identical(.Random.seed, state)
  expect_identical(dir(tempdir()), files)
})
