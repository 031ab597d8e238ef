rows <- regression_rows()
fit <- of_posterior_alone(regression_fit(rows))
covariates <- rows$covariates

regress <- function(method = "two-step", formula = ~ z + g, object = fit, data = covariates, ...) {
  class_regression(object, formula, data, method = method, ...)
}

# The regressions of all methods, made once.
usual <- lapply(stats::setNames(regression_methods, regression_methods), regress)

# The log-likelihood of coefficients by plain formulas: `density` has the rows' densities by class.
twin_regression_loglik <- function(beta, x, density, weights = 1) {
  shares <- exp(cbind(0, x %*% matrix(beta, ncol(x))))
  sum(weights * log(rowSums(shares / rowSums(shares) * density)))
}

twin_densities <- function(fit) {
  equal <- list(mixing_weights = rep(1, fit$k) / fit$k, item_probs = unname(fit$item_probs))
  step <- twin_posterior(fit$coded, equal, seq_along(fit$item_probs))
  step$posterior * exp(step$row_loglik) * fit$k
}

# Of the assigned classes: true x assigned.
twin_errors <- function(fit) {
  assigned <- max.col(fit$posterior)
  counts <- t(vapply(1:3, function(true) {
    vapply(1:3, function(s) sum(fit$posterior[assigned == s, true]), 0)
  }, numeric(3)))
  counts / rowSums(counts)
}

x_twin <- stats::model.matrix(~ z + g, covariates)

test_that("two-step and ml are where their likelihood is highest", {
  densities <- list(
    "two-step" = twin_densities(fit), ml = t(twin_errors(fit))[max.col(fit$posterior), ]
  )
  for (method in names(densities)) {
    regression <- usual[[method]]
    at <- as.vector(coef(regression))
    loglik <- function(move) twin_regression_loglik(at + move, x_twin, densities[[method]])
    expect_close(regression$loglik, loglik(0), tolerance = 1e-9)
    # Central differences with steps of 1e-4: what rounding leaves of the gradient is 1e-7 a row.
    gradient <- vapply(1:6, function(i) {
      step <- replace(numeric(6), i, 1e-4)
      (loglik(step) - loglik(-step)) / 2e-4
    }, 0)
    expect_lt(max(abs(gradient)), 1e-3)
  }
})

test_that("standard errors have the curvature's part and the first step's", {
  at_end <- list(
    "two-step" = function(beta) twin_regression_loglik(beta, x_twin, twin_densities(fit)),
    ml = function(beta) {
      twin_regression_loglik(beta, x_twin, t(twin_errors(fit))[max.col(fit$posterior), ])
    }
  )
  for (method in names(at_end)) {
    regression <- usual[[method]]
    beta <- as.vector(coef(regression))
    hessian <- twin_numerical_hessian(function(move) -at_end[[method]](beta + move), 6, 1e-3)
    of_first <- first_step_twin(fit, function(fit) as.vector(coef(regress(method, object = fit))))
    # Differences of second order with steps of 1e-3 are good to 1e-5.
    expect_close(vcov(regression), solve(hessian) + of_first, tolerance = 1e-3)
    # The first step's part is seen: it is no rounding.
    expect_gt(max(diag(of_first) / diag(vcov(regression))), 0.02)
  }
})

test_that("bch is a weighted multinomial regression with a sandwich", {
  regression <- usual$bch
  expect_close(regression$errors, twin_errors(fit))
  expect_named(dimnames(regression$errors), c("true", "assigned"))
  shares <- solve(twin_errors(fit))[max.col(fit$posterior), ]
  fitted <- regression$shares
  expect_lt(max(abs(crossprod(x_twin, shares - fitted))), 1e-4)
  scores <- cbind((shares - fitted)[, 2] * x_twin, (shares - fitted)[, 3] * x_twin)
  loglik <- function(beta) {
    p <- exp(cbind(0, x_twin %*% matrix(beta, 3)))
    sum(shares * log(p / rowSums(p)))
  }
  beta <- as.vector(coef(regression))
  bread <- solve(twin_numerical_hessian(function(move) -loglik(beta + move), 6, 1e-3))
  of_first <- first_step_twin(fit, function(fit) as.vector(coef(regress("bch", object = fit))))
  expect_close(vcov(regression), bread %*% crossprod(scores) %*% bread + of_first,
               tolerance = 1e-3)
  # So it is by any type, which is that of the first step then.
  expect_close(vcov(regress("bch", type = "score")), vcov(regression), tolerance = 0.01)
})

test_that("one-step is the maximum over items and coefficients, with the observed information", {
  few <- regression_rows(300, 0.85, seed = 3, n_items = 4)
  small <- regression_fit(few)
  x <- stats::model.matrix(~ z, few$covariates)
  regression <- regress("one-step", ~ z, small, few$covariates)
  theta <- c(coef(regression), vapply(regression$item_probs, function(p) stats::qlogis(p[1, ]),
                                      numeric(3)))
  first_level <- vapply(names(few$items), function(i) {
    few$items[[i]] == rownames(small$item_probs[[i]])[1]
  }, logical(300))
  minus_loglik <- function(move) {
    theta <- theta + move
    p <- stats::plogis(matrix(theta[-(1:4)], 3))
    density <- exp(first_level %*% t(log(p)) + (1 - first_level) %*% t(log(1 - p)))
    -twin_regression_loglik(theta[1:4], x, density)
  }
  expect_close(regression$loglik, -minus_loglik(0), tolerance = 1e-9)
  expect_gte(regression$loglik, regress("two-step", ~ z, small, few$covariates)$loglik)
  covariance <- solve(twin_numerical_hessian(minus_loglik, length(theta), 1e-3))
  expect_close(vcov(regression), covariance[1:4, 1:4], tolerance = 1e-3)
  # d p = p (1 - p) d logit p
  p <- stats::plogis(theta[-(1:4)])
  errors <- vapply(regression$item_errors, function(e) e[1, ], numeric(3))
  expect_close(errors, p * (1 - p) * sqrt(diag(covariance))[-(1:4)], tolerance = 1e-3)
})

test_that("one-step leaves items alone that no row with the covariates answers", {
  few <- regression_rows(400, seed = 3)
  second <- rep(c(FALSE, TRUE), 200)
  few$items$item_6[second] <- NA
  few$items$noise <- ifelse(second, NA, rep(c("a", "a", "b", "b"), 100))
  all <- regression_fit(few)
  # A fit in which the classes share the last: it has one probability, and not one a class.
  all$informative <- paste0("item_", 1:6)
  all$df <- all$df - 2
  z <- data.frame(z = ifelse(second, few$covariates$z, NA))
  found <- hush(regress("one-step", ~ z, all, z, n_starts = 1))
  left <- c("item_6", "noise")
  expect_equal(found$item_probs[left], all$item_probs[left])
  expect_true(all(is.na(unlist(found$item_errors[left]))))
  rest <- list(items = few$items[second, 1:5], class = few$class[second])
  expected <- hush(regress("one-step", ~ z, regression_fit(rest), z[second, , drop = FALSE],
                           n_starts = 1))
  expect_equal(found$loglik, expected$loglik, tolerance = 1e-8)
  expect_close(coef(found), coef(expected), 1e-4)
  expect_equal(found$df, expected$df)
})

test_that("one-step gives what poLCA gives on its own example", {
  skip_on_cran()
  election <- polca_data("election")
  items <- names(election)[1:12]
  response <- paste0("cbind(", toString(items), ")")
  for (terms in c("PARTY", "AGE + EDUC")) {
    named <- all.vars(stats::as.formula(paste("~", terms)))
    complete <- election[stats::complete.cases(election[c(items, named)]), ]
    formula <- stats::as.formula(paste(response, "~", terms))
    peer <- with_seed(1, poLCA::poLCA(formula, complete, nclass = 3, nrep = 3, verbose = FALSE,
                                      tol = 1e-13, maxiter = 1e4))
    if (terms == "PARTY") expect_equal(peer$llik, -16222.32, tolerance = 1e-6)
    start <- align_components(
      mdpd(complete[items], k = 3, start = peer$posterior), as.character(peer$predclass)
    )
    ours <- class_regression(start, stats::as.formula(paste("~", terms)), complete, "one-step",
                             reference = "1", type = "score", n_starts = 1)
    expect_equal(ours$loglik, peer$llik, tolerance = 1e-9)
    # Both are at the optimum to about 1e-6 of a coefficient.
    expect_close(coef(ours)[, c("2", "3")], peer$coeff, tolerance = 1e-4)
    errors <- matrix(sqrt(diag(vcov(ours))), ncol = 2, dimnames = dimnames(coef(ours)))
    expect_close(errors[, c("2", "3")], peer$coeff.se, tolerance = 1e-3)
    expect_equal(ours$df, peer$npar)
  }
})

test_that("one-step finds the highest of three maxima, which poLCA finds in eight of 20 starts", {
  skip_on_cran()
  election <- polca_data("election")
  named <- c(names(election)[1:12], "AGE", "EDUC")
  complete <- election[stats::complete.cases(election[named]), ]
  response <- stats::as.formula(paste0("cbind(", toString(named[1:12]), ") ~ AGE + EDUC"))
  peer <- with_seed(1, poLCA::poLCA(response, complete, nclass = 3, nrep = 20, verbose = FALSE,
                                    calc.se = FALSE))
  for (learn in list(stagewise_em, mdpd)) {
    fit <- learn(complete[named[1:12]], k = 3)
    found <- suppressMessages(class_regression(fit, ~ AGE + EDUC, complete, "one-step"))
    # poLCA stops where a step gains less than 1e-10.
    expect_equal(found$loglik, peer$llik, tolerance = 1e-7)
  }
  # The likelihood of the fit, which has no covariates, leads to the lowest.
  expect_message(again <- class_regression(fit, ~ AGE + EDUC, complete, "one-step"),
                 class = "mdpd_message_another_maximum")
  expect_identical(again$coefficients, found$coefficients)
  near <- class_regression(fit, ~ AGE + EDUC, complete, "one-step", n_starts = 1)
  expect_lt(near$loglik, found$loglik - 2)
  # Wherever EM came from, the classes are in the order of the fit's.
  shared <- crossprod(found$posterior, fit$posterior)
  expect_identical(unname(apply(shared, 1, which.max)), 1:3)
})

test_that("starts have their seeds, and the maximum next to the fit is one of them", {
  few <- regress("one-step", n_starts = 2)
  expect_identical(few$starts, regress("one-step", n_starts = 3)$starts[1:2, ])
  expect_identical(few$starts, regress("one-step", n_starts = 2, seed = 1)$starts)
  expect_false(identical(few$starts, regress("one-step", n_starts = 2, seed = 2)$starts))
  # What the last steps climb from a change of 1e-4.
  expect_equal(max(few$starts$loglik), few$loglik, tolerance = 1e-6)
  alone <- regress("one-step", n_starts = 1)
  expect_identical(nrow(alone$starts), 1L)
  # That is the fit's own, nothing is drawn.
  expect_identical(alone$starts, regress("one-step", n_starts = 1, seed = 5)$starts)
  expect_close(coef(alone), coef(few), tolerance = 1e-6)
  expect_null(regress()$starts)
  session <- lapply(1:2, function(i) {
    set.seed(3)
    regress("one-step", n_starts = 2, seed = NULL)$starts
  })
  expect_identical(session[[1]], session[[2]])
})

test_that("squared extrapolation is at the end of a geometric sequence at once", {
  end <- list(gamma = cbind(c(2, -1)), probs = cbind(c(0.25, 0.81)))
  state <- function(n) {
    list(gamma = end$gamma + c(3, 1) * 0.2^n,
         probs = (sqrt(end$probs) + c(0.2, -0.1) * 0.2^n)^2)
  }
  expect_equal(extrapolate(state(0), state(1), state(2)), end)
  expect_equal(extrapolate(end, end, end), end)
  # No further than the bounds, and no more than 20,000 equal steps.
  point <- function(gamma, root) list(gamma = matrix(gamma), probs = matrix(root^2))
  expect_equal(extrapolate(point(0, 0.5), point(20, 0.8), point(30, 0.95)), point(30, 1))
  expect_equal(extrapolate(point(0, 0.5), point(1e-4, 0.5), point(2e-4, 0.5)), point(2, 0.5))
})

test_that("EM leaps where that gains, and goes on by steps where it does not", {
  at <- function(x) list(gamma = matrix(x), probs = matrix(0.25))
  halving <- function(state) {
    list(state = at(8 + (state$gamma - 8) / 2), value = -drop(state$gamma - 8)^2)
  }
  # The first leap ends at 8, the second round sees it.
  expect_equal(accelerate_em(at(0), halving, 100, 1e-9),
               list(state = at(8), value = 0, iterations = 6, converged = TRUE))
  # Of a round that is the last the second step counts.
  expect_equal(accelerate_em(at(0), halving, 3, 1e-9),
               list(state = at(6), value = -16, iterations = 3, converged = FALSE))
  # From 0 by 1 to 5, two steps a round, whatever is beyond 10.
  for (beyond in c(-1e6, NaN, Inf)) {
    walk <- function(state) {
      x <- drop(state$gamma)
      list(state = at(x + min(1, 5 - x)), value = if (x > 10) beyond else -(x - 5)^2)
    }
    expect_identical(accelerate_em(at(0), walk, 100, 1e-9)[c("iterations", "converged")],
                     list(iterations = 12, converged = TRUE))
  }
})

test_that("a step of EM is that of Bayes' rule, and keeps what no answer tells", {
  answers <- list(shown = cbind(c(1, 0, 0), c(0, 1, 1), 0, 0), item = c(1, 1, 2, 2),
                  mask = matrix(FALSE, 3, 2))
  problem <- list(q = matrix(1, 3, 1), offset = matrix(0, 3, 2), weights = c(0.1, 0.2, 0.1), k = 2,
                  reference = 1)
  state <- list(gamma = matrix(log(3)), probs = cbind(c(0.6, 0.4, 0.3, 0.7), c(0.2, 0.8, 0.9, 0.1)))
  step <- em_step(state, problem, answers)
  joint <- rbind(c(0.25 * 0.6, 0.75 * 0.2), c(0.25 * 0.4, 0.75 * 0.8))[c(1, 2, 2), ]
  expect_equal(step$value, sum(problem$weights * log(rowSums(joint))))
  counts <- problem$weights * joint / rowSums(joint)
  expect_equal(step$state$probs[1, ], counts[1, ] / colSums(counts))
  expect_equal(step$state$probs[2, ], colSums(counts[2:3, ]) / colSums(counts))
  expect_equal(step$state$probs[3:4, ], state$probs[3:4, ], ignore_attr = TRUE)
})

test_that("starts are half way to what is drawn, and the first of equal ones is taken", {
  probs <- cbind(c(0.5, 0.5, 0, 0.3, 0.7), c(1, 0, 0.2, 0.2, 0.6))
  item <- c(1, 1, 2, 2, 2)
  moved <- moved_probs(probs, item, 1)
  expect_equal(rowsum(moved, item), matrix(1, 2, 2), ignore_attr = TRUE)
  expect_true(all(moved > probs / 2))
  expect_identical(best_start(c(-12, -10, -9.995)), 2L)
  expect_identical(best_start(c(-12, -10, -9.985)), 3L)
})

test_that("classes stay where an offset or a known class holds them", {
  answers <- list(shown = rbind(c(1, 0), c(0, 1), c(0, 1)), item = c(1, 1),
                  mask = matrix(FALSE, 3, 2))
  problem <- list(q = matrix(1, 3, 1), offset = matrix(0, 3, 2), weights = c(1, 1, 1), k = 2,
                  reference = 1)
  state <- list(gamma = matrix(0.5), probs = cbind(c(0.9, 0.1), c(0.2, 0.8)))
  other_order <- cbind(c(0, 1, 1), c(1, 0, 0))
  turned <- as_in_the_fit(state, problem, answers, other_order)
  expect_equal(turned, list(gamma = matrix(-0.5), probs = state$probs[, 2:1]))
  expect_identical(as_in_the_fit(state, problem, answers, 1 - other_order), state)
  held <- problem
  held$offset[2, 2] <- 1
  expect_identical(as_in_the_fit(state, held, answers, other_order), state)
  answers$mask[3, 1] <- TRUE
  expect_identical(as_in_the_fit(state, problem, answers, other_order), state)
})

test_that("the design is orthonormal by weight, and begins at the sizes of the classes", {
  x <- cbind(1, c(2000, 2001, 2005, 2010), c(0, 1e-3, 0, 1e-3))
  weights <- c(1, 2, 0, 1.5)
  design <- list(x = x, weights = weights, offset = matrix(0, 4, 3))
  problem <- new_share_problem(design, 3, 2, NULL)
  expect_close(crossprod(problem$q * sqrt(weights)) / 4.5, diag(3))
  expect_close(problem$q %*% solve(problem$back), x)
  sizes <- c(0.5, 0.3, 0.2)
  start <- null_shares(problem, sizes)
  shares <- exp(log_shares(problem$q, problem$offset, start, 2))
  expect_equal(shares, matrix(sizes, 4, 3, byrow = TRUE))
})

test_that("a coefficient without an end stops at 30, and a gradient of a millionth is an end", {
  problem <- list(q = matrix(1, 2, 1), back = diag(1), offset = matrix(0, 2, 2),
                  weights = c(1, 3), k = 2, reference = 1)
  # By bch weights of classes may be negative, and the likelihood rise for ever.
  problem$shares <- cbind(rep(-0.5, 2), 1.5)
  found <- solve_shares(problem, 0, 100)
  expect_equal(found$gamma, matrix(30))
  expect_true(found$converged)
  # The derivative of the share by the logit is 1 / 4.
  problem$shares[] <- 0.5
  is_end <- function(gradient) solve_shares(problem, 4 * gradient, 0)$converged
  expect_true(is_end(5e-7))
  expect_false(is_end(2e-6))
})

test_that("a million times the weights end at the same coefficients", {
  problem <- class_regression(fit, ~ z + g, covariates)
  problem <- new_share_problem(
    list(x = problem$x, weights = rep(1, 600), offset = problem$offset), 3, 1,
    list(log_density = log(fit$posterior))
  )
  start <- null_shares(problem, fit$mixing_weights)
  usual <- solve_shares(problem, start, 100)
  problem$weights <- problem$weights * 1e6
  many <- solve_shares(problem, start, 100)
  expect_true(usual$converged && many$converged)
  expect_close(many$gamma, usual$gamma, tolerance = 1e-8)
  expect_false(solve_shares(problem, start, 1)$converged)
})

test_that("classes go back to the order of the fit, with their coefficients", {
  order <- c(3, 1, 2)
  moved <- fit
  moved$item_probs <- lapply(fit$item_probs, function(p) `[<-`(p, value = p[, order]))
  moved$posterior[] <- fit$posterior[, order]
  # EM begins at the items of `moved`, the posterior is that of `fit`.
  mixed <- fit
  mixed$item_probs <- moved$item_probs
  mixed$mixing_weights[] <- fit$mixing_weights[order]
  for (reference in c("1", "2")) {
    expected <- regress("one-step", n_starts = 1, reference = reference)
    # The standard errors are those of a fit that is not at its maximum.
    found <- suppressWarnings(
      regress("one-step", object = mixed, n_starts = 1, reference = reference),
      classes = "mdpd_warning_not_at_maximum"
    )
    # Both are at the optimum to about 1e-6 of a coefficient.
    expect_close(coef(found), coef(expected), tolerance = 1e-4)
    expect_close(found$posterior, expected$posterior, tolerance = 1e-4)
  }
})

test_that("with classes beyond doubt all methods are the regression of a known class", {
  rows <- regression_rows(500, accuracy = 0.99, seed = 2, n_items = 12)
  two <- rows$class != "3"
  start <- outer(rows$class[two], c("1", "2"), `==`) + 0
  sharp <- align_components(mdpd(rows$items[two, ], k = 2, start = start), rows$class[two])
  expect_true(all(apply(sharp$posterior, 1, max) > 1 - 1e-4))
  known <- stats::glm((rows$class[two] == "2") ~ z + g, stats::binomial, rows$covariates[two, ])
  for (method in regression_methods) {
    regression <- regress(method, object = sharp, data = rows$covariates[two, ], reference = "1")
    # What doubt is left is below 1e-4.
    expect_close(coef(regression), coef(known), tolerance = 1e-3)
    # By bch it is a sandwich, another estimate of the same.
    tolerance <- if (method == "bch") 0.05 else 1e-3
    expect_close(sqrt(diag(vcov(regression))), sqrt(diag(vcov(known))), tolerance)
  }
})

test_that("without covariates the classes have the sizes of the fit", {
  for (method in regression_methods) {
    shares <- predict(regress(method, ~ 1))
    expect_close(shares[1, ], fit$mixing_weights, tolerance = 1e-5)
  }
  # Of two classes that is a single number.
  two <- stagewise_em(rows$items, k = 2)
  for (method in regression_methods) {
    regression <- suppressMessages(regress(method, ~ 1, object = two))
    expect_identical(c(dim(coef(regression)), dim(vcov(regression))), rep(1L, 4))
    expect_gt(vcov(regression), 0)
  }
})

test_that("all methods find the truth, and the naive regression does not", {
  skip_on_cran()
  many <- regression_rows(8000, 0.8, seed = 5)
  large <- regression_fit(many)
  truth <- as.vector(regression_coefficients[, -1])
  for (method in regression_methods) {
    regression <- regress(method, object = large, data = many$covariates)
    away <- (as.vector(coef(regression)) - truth) / sqrt(diag(vcov(regression)))
    # Six draws of a standard normal: beyond 3.5 once in 400 such tests.
    expect_lt(max(abs(away)), 3.5)
  }
  sure <- of_posterior_alone(large)
  sure$posterior[] <- outer(max.col(large$posterior), 1:3, `==`)
  # A fit that is sure of what it is not.
  naive <- suppressWarnings(regress("bch", object = sure, data = many$covariates))
  expect_lt(coef(naive)["z", "2"], 0.85)
  expect_gt(coef(naive)["z", "3"], -0.6)
})

test_that("coefficients that the fit does not determine have no error, whatever the unit", {
  class <- rep(1:4, c(80, 60, 90, 70))
  partly <- fit_that_tells_some(class)
  z <- rep(0:1, 150)
  counts <- table(z, class)[, 1:2]
  for (unit in c(1e-3, 1e3)) {
    told <- NULL
    # The last warning is of the regression, others of the fit.
    withCallingHandlers(
      found <- class_regression(partly, ~ z, data.frame(z = unit * z)),
      mdpd_warning_not_identified = function(cnd) {
        told <<- cnd$terms
        tryInvokeRestart("muffleWarning")
      }
    )
    loose <- c("(Intercept)|3", "z|3", "(Intercept)|4", "z|4")
    expect_identical(told, loose)
    expect_true(all(is.na(vcov(found)[loose, ])))
    # Of classes that are sure it is the logarithm of an odds ratio.
    expect_close(vcov(found)["z|2", "z|2"] * unit^2, sum(1 / counts), tolerance = 1e-4)
  }
})

test_that("a higher maximum than the one next to the fit is told, with what it changes", {
  posterior <- rbind(c(0.9, 0.1), c(0.2, 0.8), c(0.6, 0.4), c(0.3, 0.7), c(0.3, 0.7))
  first <- list(object = list(posterior = posterior), weights = c(1, 2, 1, 1, 5))
  found <- list(gain = 3.75, rows = 1:4, at = list(target = posterior[c(1, 1, 3, 4), ]))
  # Row 2, of weight 2 among 5, has another likeliest class.
  told <- expect_message(tell_another_maximum(found, first), "3.75\\s+nats above it.*40 % of",
                         class = "mdpd_message_another_maximum")
  expect_equal(told$gain, 3.75)
  # The same of one row, which moves.
  found[c("rows", "at")] <- list(2, list(target = posterior[1, , drop = FALSE]))
  expect_message(tell_another_maximum(found, first), "100 % of")
  found$gain <- 0
  expect_silent(tell_another_maximum(found, first))
})

test_that("what starts have left to climb is no other maximum, of however many rows", {
  rows <- regression_rows(accuracy = 0.8)
  # Of weights of 10,000 the first start is left 0.1 nats below the others.
  many <- regression_fit(rows, rep(1e4, 600))
  expect_silent(found <- regress("one-step", ~z, many, rows$covariates))
  alone <- regress("one-step", ~z, many, rows$covariates, n_starts = 1)
  expect_identical(coef(found), coef(alone))
})

test_that("a case weight of two counts like two equal rows", {
  weights <- rep(c(1, 2, 3), 200)
  twice <- rep(seq_along(weights), weights)
  repeated <- lapply(rows[c("items", "covariates")], function(x) x[twice, ])
  repeated$class <- rows$class[twice]
  weighted <- regression_fit(rows, weights)
  plain <- regression_fit(repeated)
  for (method in regression_methods) {
    a <- regress(method, object = weighted)
    b <- regress(method, object = plain, data = repeated$covariates)
    expect_close(coef(a), coef(b), tolerance = 1e-5)
    expect_close(vcov(a), vcov(b), tolerance = 1e-5)
    expect_equal(nobs(a), nobs(b))
    expect_identical(a$weights, weights)
    expect_null(b$weights)
    expect_equal(a$loglik, b$loglik, tolerance = 1e-8)
  }
  a <- regress("one-step", object = weighted, type = "score")
  b <- regress("one-step", object = plain, data = repeated$covariates, type = "score")
  expect_close(vcov(a), vcov(b), tolerance = 1e-5)
})

test_that("the order of rows and the names of classes do not matter", {
  turned <- list(items = `rownames<-`(reverse_rows(rows$items), NULL), class = rev(rows$class))
  behind <- `rownames<-`(reverse_rows(covariates), NULL)
  renamed <- align_components(
    regression_fit(turned), unname(c("1" = "c", "2" = "a", "3" = "b")[turned$class])
  )
  for (method in regression_methods) {
    a <- usual[[method]]
    b <- regress(method, object = renamed, data = behind, reference = "c")
    expect_close(coef(b)[, c("a", "b")], coef(a), tolerance = 1e-5)
    expect_close(b$posterior[600:1, c("c", "a", "b")], a$posterior, tolerance = 1e-5)
  }
})

test_that("another reference says the same", {
  for (method in regression_methods) {
    a <- usual[[method]]
    b <- regress(method, reference = "2")
    expect_named(predict(b)[1, ], c("1", "2", "3"))
    expect_close(coef(b)[, "3"], coef(a)[, "3"] - coef(a)[, "2"], tolerance = 1e-4)
    expect_close(predict(b), predict(a), tolerance = 1e-4)
    names <- c("z|2", "z|3")
    expect_close(vcov(b)["z|3", "z|3"],
                 sum(vcov(a)[names, names] * c(1, -1, -1, 1)), tolerance = 1e-4)
  }
  # By their numbers too, from the first to the last.
  expect_identical(coef(regress(reference = 1)), coef(usual[["two-step"]]))
  expect_identical(coef(regress(reference = 3)), coef(regress(reference = "3")))
  for (reference in list(0, 1.5, 4, NA)) {
    expect_error(regress(reference = reference), "`reference` must be one of",
                 class = "mdpd_error_argument")
  }
})

test_that("the unit of a covariate does not matter, nor where its zero is", {
  year <- data.frame(z = 2000 + 1e-3 * covariates$z, g = covariates$g)
  for (method in regression_methods) {
    a <- usual[[method]]
    b <- regress(method, data = year)
    expect_close(coef(b)["z", ], 1e3 * coef(a)["z", ], tolerance = 1e-4)
    expect_close(vcov(b)["z|2", "z|2"], 1e6 * vcov(a)["z|2", "z|2"], tolerance = 1e-4)
    expect_close(predict(b), predict(a), tolerance = 1e-5)
  }
})

test_that("an offset is added to the logits", {
  for (method in regression_methods) {
    a <- usual[[method]]
    b <- regress(method, ~ z + g + offset(2 + 0.5 * z))
    expect_close(coef(b), coef(a) - c(2, 0.5, 0), tolerance = 1e-4)
    expect_close(predict(b, covariates[1:5, ]), predict(a)[1:5, ], tolerance = 1e-4)
  }
  # Coefficients make up for one, however large.
  for (method in regression_methods) {
    far <- coef(regress(method, ~ z + offset(rep(300, 600))))
    expect_close(far, coef(regress(method, ~z)) - c(300, 0), tolerance = 1e-5)
  }
  one_column <- regress(formula = ~ z + g + offset(cbind(2 + 0.5 * z)))
  expect_identical(coef(one_column), coef(regress(formula = ~ z + g + offset(2 + 0.5 * z))))
  by_class <- regress(formula = ~ z + g + offset(cbind(1, 0, 3 * z)))
  expect_close(coef(by_class), coef(usual[["two-step"]]) - cbind(c(-1, 0, 0), c(-1, 3, 0)),
               tolerance = 1e-4)
  counted <- regress(formula = ~ g + offset(log(z)), data = transform(covariates, z = exp(z)))
  expect_error(predict(counted, data.frame(z = c(1, 0), g = "here")), "offset is -Inf in row 2",
               class = "mdpd_error_argument")
})

test_that("rows that lack a covariate do not count, and a message says so", {
  gaps <- covariates
  gaps$z[c(3, 10)] <- NA
  gaps$g[4] <- NA
  for (method in regression_methods) {
    expect_message(regression <- regress(method, data = gaps),
                   class = "mdpd_message_incomplete_covariates")
    expect_identical(regression$rows, setdiff(1:600, c(3, 4, 10)))
    expect_identical(regression$n_incomplete, 3L)
    expect_true(all(is.na(predict(regression)[c(3, 4, 10), ])))
    expect_true(all(is.na(predict(regression, type = "class")[c(3, 4, 10)])))
  }
  # By one-step they do not count in the items either.
  kept <- setdiff(1:600, c(3, 4, 10))
  fewer <- regression_fit(list(items = rows$items[kept, ], class = rows$class[kept]))
  expect_close(coef(regression),
               coef(regress("one-step", object = fewer, data = covariates[kept, ])),
               tolerance = 1e-4)
  # A weight of zero is no row at all, however far away.
  weights <- replace(rep(1, 600), 11, 0)
  gone <- covariates
  gone$z[11] <- 1e6
  weighted <- regression_fit(rows, weights)
  expect_no_warning(regression <- regress(object = weighted, data = gone))
  expect_close(coef(regression), coef(regress(object = weighted)), tolerance = 1e-6)
})

test_that("a covariate must vary among the rows of positive weight, beside an intercept", {
  weights <- rep(c(0, 1, 2), 200)
  weighted <- regression_fit(rows, weights)
  varying <- data.frame(z = covariates$z, same = as.numeric(weights == 0), light = weights == 1,
                        gap = ifelse(weights == 0, covariates$z, NA))
  expect_error(regress(object = weighted, formula = ~ z + same, data = varying), "Covariate same",
               class = "mdpd_error_argument")
  expect_error(hush(regress(object = weighted, formula = ~ gap, data = varying)),
               "row of weight above 0 must have all", class = "mdpd_error_argument")
  # One that is the same in the rows of weight 2 varies.
  expect_no_error(
    suppressWarnings(regress(object = weighted, formula = ~ light, data = varying))
  )
  # Without an intercept it is one.
  varying$same <- 2
  expect_close(coef(regress(formula = ~ 0 + same, data = varying)),
               coef(regress(formula = ~ 1)) / 2, tolerance = 1e-6)
  expect_silent(check_finite_design(cbind(z = c(1, -1e150)), 1:2, NULL))
})

test_that("a level that only rows of weight 0 have is none", {
  kept <- rep(c(TRUE, TRUE, FALSE), 200)
  weighted <- regression_fit(rows, as.numeric(kept))
  left <- lapply(rows[c("items", "covariates")], function(table) table[kept, ])
  alone <- regression_fit(c(left, list(class = rows$class[kept])))
  elsewhere <- replace(as.character(covariates$g), which(!kept)[1:100], "elsewhere")
  for (g in list(elsewhere, factor(elsewhere))) {
    expect_message(
      regression <- regress(object = weighted, data = data.frame(z = covariates$z, g)),
      "^100 of 600 rows lack a covariate", class = "mdpd_message_incomplete_covariates"
    )
    of_kept <- regress(object = alone, data = left$covariates)
    # Both fits end by steps of 1e-13.
    expect_close(coef(regression), coef(of_kept), 1e-6)
    expect_close(vcov(regression), vcov(of_kept), 1e-6)
    expect_identical(which(is.na(predict(regression)[, 1])), which(elsewhere == "elsewhere"))
  }
})

test_that("a covariate that is an item in the rows that count is told, a time is none", {
  weights <- rep(0:1, 300)
  weighted <- regression_fit(rows, weights)
  item <- rows$items$item_1
  data <- data.frame(z = ifelse(weights == 0, rev(item), item))
  suppressWarnings(
    expect_warning(regress(object = weighted, formula = ~ z, data = data), "item_1",
                   class = "mdpd_warning_covariate_is_item"),
    classes = "mdpd_warning_separation"
  )
  data$day <- as.Date("2020-01-01") + seq_along(item)
  data$both <- as.matrix(covariates["z"])
  expect_silent(regress(formula = ~ day + both, data = data))
})

test_that("rows with missing answers count with those that they have", {
  gaps <- list(items = with_gaps(rows$items), class = rows$class)
  gaps$items[1, ] <- NA
  partial <- regression_fit(gaps)
  for (method in regression_methods) {
    regression <- regress(method, object = partial)
    expect_false(anyNA(c(coef(regression), vcov(regression))))
    expect_close(coef(regression), coef(usual[[method]]), tolerance = 0.5)
  }
  # A row without any answer tells nothing: its class is that of its covariates.
  two_step <- regress(object = partial)
  expect_close(two_step$posterior[1, ], two_step$shares[1, ], tolerance = 1e-9)
})

test_that("factors, interactions and transformations are those of model.matrix()", {
  regression <- regress(formula = ~ poly(z, 2) * g)
  expect_identical(rownames(coef(regression)),
                   colnames(stats::model.matrix(~ poly(z, 2) * g, covariates)))
  expect_close(predict(regression, covariates[5:9, ]), predict(regression)[5:9, ],
               tolerance = 1e-9)
  # An empty level of a factor is no term.
  more <- covariates
  more$g <- factor(more$g, c("here", "there", "nowhere"))
  expect_identical(rownames(coef(regress(data = more))), c("(Intercept)", "z", "gthere"))
})

test_that("a quosure is a formula like any other", {
  quoted <- regress(formula = rlang::quo(z + g))
  expect_identical(coef(quoted), coef(regress(formula = ~ z + g)))
  expect_identical(class(formula(quoted)), "formula")
})

test_that("default fits, crowds and known classes work", {
  noise <- with_seed(1, replicate(2, sample(c("yes", "no"), 600, TRUE)))
  default <- stagewise_em(data.frame(rows$items, noise), k = 3)
  expect_length(informative(default), 6)
  for (method in regression_methods) {
    regression <- regress(method, object = default)
    expect_false(anyNA(c(coef(regression), vcov(regression))))
  }
  # Likelihoods of all items, also of those that the classes share; ten starts are the default.
  gain <- regression$loglik - regress(object = default)$loglik
  expect_true(gain > 0 && gain < 20)
  expect_identical(nrow(regression$starts), 10L)
  expect_equal(max(regression$starts$loglik), regression$loglik, tolerance = 1e-6)
  # By the penalised likelihood classes share what tells them nothing apart.
  by_bic <- stagewise_control(criterion = "bic")
  regression <- regress(
    "one-step", object = stagewise_em(data.frame(rows$items, noise), k = 3, control = by_bic)
  )
  expect_equal(max(regression$starts$loglik), regression$loglik, tolerance = 1e-6)
  crowd <- simulate_crowd(n_items = 400, n_workers = 12, accuracy = rep(0.7, 6), missing = 0.3,
                          seed = 1)
  z <- data.frame(z = as.integer(crowd$truth) + with_seed(1, stats::rnorm(400)))
  told <- mdpd(crowd$labels, k = 3, known = crowd$truth, prior = 0)
  label <- as.character(crowd$truth)
  known <- label %in% c("1", "2")
  regression <- class_regression(told, ~ z, z, reference = "1")
  # With every class known the regression is that of the truth: its score is zero.
  is_label <- outer(label, regression$classes, `==`)
  expect_lt(max(abs(crossprod(cbind(1, z$z), is_label - regression$shares))), 1e-4)
  sparse <- mdpd(crowd$labels, k = 3)
  for (method in regression_methods) {
    expect_true(all(is.finite(coef(class_regression(sparse, ~ z, z, method)))))
  }
})

test_that("separation is told, and predictions stay probabilities", {
  covariates$told <- max.col(fit$posterior) == 2
  for (method in regression_methods) {
    # Of the rows that are told none is of class 1 or 3: how many of each is not determined.
    suppressWarnings(
      expect_warning(regression <- regress(method, ~ told, data = covariates),
                     class = "mdpd_warning_separation"),
      classes = "mdpd_warning_not_identified"
    )
    expect_true(all(is.finite(predict(regression))))
  }
})

test_that("a covariate far from zero is no separation, however little it tells", {
  # Of this seed's years the intercept is far from zero, and its error larger, by all methods.
  covariates$year <- 1990 + with_seed(3, sample(0:30, 600, replace = TRUE))
  for (method in regression_methods) {
    expect_no_warning(regression <- regress(method, ~ year, data = covariates, n_starts = 1))
    expect_true(any(abs(coef(regression)[1, ]) > 8))
    expect_false(any(grepl("*", capture.output(print(regression)), fixed = TRUE)))
    centred <- regress(method, ~ I(year - 2005), data = covariates, n_starts = 1)
    # Both end where the gradient is below 1e-6.
    expect_close(coef(regression)[1, ] + 2005 * coef(regression)[2, ], coef(centred)[1, ], 1e-4)
  }
  for (formula in list(~ I(year + 2e6), ~ year * g, ~ year + I((year - 2005)^2))) {
    expect_no_warning(regress(formula = formula, data = covariates))
  }
})

test_that("of a covariate that tells a class, the intercept is judged with what moves it", {
  assigned <- max.col(fit$posterior)
  infinite <- function(formula, data) {
    regression <- NULL
    expect_warning(regression <- regress("bch", formula, data = data),
                   class = "mdpd_warning_separation")
    rownames(vcov(regression))[is_infinite_coefficient(regression)]
  }
  # Each class in years of its own: wherever the intercept is taken from, it has no finite estimate.
  covariates$year <- c(2000, 2030, 2060)[assigned] + seq_len(600) %% 5
  expect_length(infinite(~ year, covariates), 4)
  # Rows that are told are of class 2, and the others of any: the intercept is that of the others.
  covariates$year <- 1990 + with_seed(3, sample(0:30, 600, replace = TRUE))
  covariates$told <- assigned == 2 & seq_len(600) %% 2 == 0
  told <- infinite(~ told, covariates)
  expect_true("toldTRUE|2" %in% told)
  expect_false(any(startsWith(told, "(Intercept)")))
  expect_identical(infinite(~ year + told, covariates), told)
})

test_that("robust errors, which vanish where scores do, hide no intercept without an end", {
  # Nobody in the reference group is of class 2.
  of_one <- fit$posterior[, "1"] > 0.95 & seq_len(600) %% 2 == 0
  covariates$told <- factor(ifelse(of_one, "none", "some"))
  infinite <- function(method, type) {
    regression <- NULL
    expect_warning(
      regression <- regress(method, ~ told + z, data = covariates, type = type, n_starts = 1),
      class = "mdpd_warning_separation"
    )
    rownames(vcov(regression))[is_infinite_coefficient(regression)]
  }
  for (method in regression_methods) {
    for (type in c("observed", "robust")) {
      expect_true(all(c("(Intercept)|2", "toldsome|2") %in% infinite(method, type)))
    }
  }
})

test_that("robust errors are not sure of an effect that grows without end", {
  # Hardly any row is of this level, and none of class 2.
  few <- which(fit$posterior[, "1"] > 0.95)[1:8]
  covariates$level <- factor(replace(rep(c("a", "b"), 300), few, "few"), c("a", "b", "few"))
  for (method in c("two-step", "ml")) {
    for (design in list(NULL, rep(1:300, 2))) {
      expect_warning(
        regression <- regress(method, ~ level + z, data = covariates, type = "robust",
                              cluster = design, n_starts = 1),
        class = "mdpd_warning_separation"
      )
      infinite <- is_infinite_coefficient(regression)
      expect_identical(rownames(vcov(regression))[infinite], c("levelfew|2", "levelfew|3"))
      expect_identical(is.na(vcov(regression)), outer(infinite, infinite, `|`),
                       ignore_attr = "dimnames")
      expect_identical(is.na(tidy(regression)$p.value), infinite)
      tests <- anova(regression)
      expect_identical(is.na(tests[[ncol(tests)]]), c(TRUE, FALSE))
      # Of rows of other levels the shares do not hang on it.
      told <- predict(regression, interval = TRUE)
      expect_identical(is.na(told$conf.low), told$row %in% few)
    }
  }
})

test_that("separation is told wherever the likelihood has no maximum, and only there", {
  # Rows of class 2 are all of the last year, or none of them is of one year.
  separated <- function(accuracy, method, make_year) {
    rows <- regression_rows(accuracy = accuracy)
    years <- data.frame(year = with_seed(1, make_year(rows$class == "2")))
    told <- FALSE
    withCallingHandlers(
      class_regression(regression_fit(rows), ~ year, years, method, n_starts = 1),
      mdpd_warning_separation = function(cnd) {
        told <<- TRUE
        tryInvokeRestart("muffleWarning")
      }
    )
    told
  }
  last_year <- function(told) replace(sample(2000:2003, 600, TRUE), told, 2004)
  not_2002 <- function(told) {
    year <- sample(2000:2004, 600, TRUE)
    factor(replace(year, told & year == 2002, 2003))
  }
  # Standard errors of 18 beside 20, and of 101 beside -7.
  expect_true(separated(0.95, "two-step", last_year))
  expect_true(separated(0.8, "two-step", not_2002))
  # By the errors of assignment some are of other years: 7 with an error of 4 is an estimate.
  expect_false(separated(0.95, "bch", last_year))
  expect_false(separated(0.8, "ml", not_2002))
})

# Of two classes: the parts of a regression that say whether a coefficient has an end.
crafted_regression <- function(x, coefficients, flat = TRUE, assign = seq_len(ncol(x)) - 1, ...) {
  names <- paste0(letters[seq_len(ncol(x))], "|2")
  list(x = structure(x, assign = assign), coefficients = matrix(coefficients),
       covariance = matrix(0, ncol(x), ncol(x), dimnames = list(names, names)),
       flat = matrix(flat, ncol(x)), converged = TRUE, ...)
}

test_that("a covariate moves from its least to its largest value, or from zero", {
  expect_identical(spans(cbind(1, c(2, 5, 3), c(-1, -1, 0))), c(1, 3, 1))
})

test_that("a coefficient without an end has odds beyond e^5, over its covariate and in all", {
  infinite <- function(...) is_infinite_coefficient(crafted_regression(...))
  z <- cbind(1, c(0, 1, 0.5))
  expect_identical(infinite(z, c(0.1, 5)), c(FALSE, FALSE))
  expect_identical(infinite(z, c(0.1, 5.5)), c(FALSE, TRUE))
  expect_identical(infinite(z, c(0.1, -5.5)), c(FALSE, TRUE))
  expect_identical(infinite(z, c(0.1, 5.5), flat = FALSE), c(FALSE, FALSE))
  # Where it tells nothing it need not be flat.
  no_error <- crafted_regression(z, c(0.1, 5.5), flat = FALSE)
  no_error$covariance[2, 2] <- NA
  expect_identical(is_infinite_coefficient(no_error), c(FALSE, TRUE))
  # What others cancel out is not in the logits, and these are measured from zero.
  twice <- z[, c(1, 2, 2)]
  expect_identical(infinite(twice, c(0, 6, -1)), rep(FALSE, 3))
  expect_identical(infinite(twice, c(0.1, 6, -0.5)), c(FALSE, TRUE, FALSE))
  expect_true(infinite(matrix(1, 3), 5.5, assign = 1))
  expect_false(infinite(matrix(1, 3), 4, assign = 1))
  # Rows of weight zero are no rows.
  far <- cbind(1, c(0, 1, 100))
  expect_identical(infinite(far, c(0.1, 0.06), weights = c(1, 1, 0)), c(FALSE, FALSE))
  expect_identical(infinite(far, c(0.1, 0.06), weights = c(1, 1, 0.1)), c(FALSE, TRUE))
  expect_identical(infinite(far, c(0.1, 6), weights = c(0, 1, 0)), c(FALSE, TRUE))
})

test_that("a likelihood is flat ahead that five more logits lower by less than a thousandth", {
  flat <- function(beta, share) {
    # A row of weight zero is none, however far away.
    x <- matrix(c(1, 100))
    problem <- list(q = x, back = diag(1), offset = matrix(0, 2, 2), shift = 0, weights = 1:0,
                    k = 2, reference = 1, shares = cbind(1 - share, c(share, share)))
    gamma <- matrix(beta)
    found <- list(problem = problem, gamma = gamma, at = evaluate_shares(problem, gamma))
    drop(is_flat_ahead(found, x))
  }
  # Of a share of the other class it is 5 times that, less the 5e-5 that are left to gain.
  expect_true(flat(10, 1 - 1.9e-4))
  expect_false(flat(10, 1 - 2.3e-4))
  expect_true(flat(-10, 1.9e-4))
  expect_false(flat(-10, 2.3e-4))
})

test_that("an intercept has no end where it is large at the means and its error larger", {
  # At the means 2 of z.
  judge <- function(intercept, error, slope = 0, infinite = c(TRUE, FALSE), ...) {
    regression <- crafted_regression(cbind(1, c(0, 1, 5)), c(intercept, slope), ...)
    regression$covariance[1, 1] <- error^2
    is_infinite_intercept(regression, 1, infinite)
  }
  expect_false(judge(8, 9))
  expect_true(judge(8.5, 9))
  expect_false(judge(9.5, 9))
  expect_true(judge(9.5, NA))
  expect_true(judge(4, 9, slope = 2.25))
  expect_false(judge(4, 9, slope = 2.25, weights = c(1, 1, 0)))
  # One that has no end itself counts nothing.
  expect_false(judge(4, 9, slope = 4.5, infinite = c(TRUE, TRUE)))
  of_second <- crafted_regression(cbind(1, c(0, 1, 5)), c(0, 0))
  of_second$coefficients <- cbind(c(0, 0), c(8.5, 0))
  of_second$covariance <- diag(c(1, 0, 81, 0))
  expect_true(is_infinite_intercept(of_second, 2, c(TRUE, FALSE)))
})

test_that("one coefficient without an end, or without an error, is told alone", {
  z <- cbind(1, c(0, 1, 0.5))
  one <- crafted_regression(z, c(0.1, 5.5))
  told <- expect_warning(warn_regression(one), "^1 coefficient has no finite estimate: \"b[|]2\"",
                         class = "mdpd_warning_separation")
  expect_identical(told$terms, "b|2")
  one <- crafted_regression(z, c(0.1, 1))
  expect_silent(warn_regression(one))
  one$covariance[2, 2] <- NA
  told <- expect_warning(warn_regression(one), "^1 coefficient is not determined",
                         class = "mdpd_warning_not_identified")
  expect_identical(told$terms, "b|2")
})

test_that("a coefficient is not determined where a loose direction has a thousandth of it", {
  loose <- function(null, back = 1) {
    found <- list(covariance = diag(2), null = matrix(c(null, 0)))
    covariance <- name_covariance(found, back * diag(2), c("a", "b"), "2")
    expect_identical(dimnames(covariance), list(c("a|2", "b|2"), c("a|2", "b|2")))
    expect_identical(covariance[["b|2", "b|2"]], back^2)
    expect_identical(is.na(covariance[[1, 2]]), is.na(covariance[[1, 1]]))
    is.na(covariance[[1, 1]])
  }
  for (back in c(1, 2)) {
    expect_false(loose(9e-4, back))
    expect_true(loose(1.2e-3, back))
  }
})

test_that("a column that is none is an error that names the argument", {
  regression <- regress()
  odd <- covariates[1:3, ]
  odd[["z"]] <- NULL
  odd <- structure(c(as.list(odd), list(z = new.env())), class = "data.frame", row.names = 1:3)
  expect_error(predict(regression, odd), "`newdata` must have a value for each",
               class = "mdpd_error_data")
})

test_that("covariates may have names that need backticks", {
  odd <- stats::setNames(covariates, c("Age (years)", "my group"))
  for (method in regression_methods) {
    plain <- regress(method, n_starts = 1)
    for (formula in list(~ `Age (years)` + `my group`, ~ .)) {
      regression <- regress(method, formula, data = odd, n_starts = 1)
      expect_identical(unname(coef(regression)), unname(coef(plain)))
      expect_identical(unname(vcov(regression)), unname(vcov(plain)))
      expect_identical(predict(regression, odd[1:3, ]), predict(plain, covariates[1:3, ]))
      expect_identical(anova(regression)$Chisq, anova(plain)$Chisq)
    }
  }
  formula <- ~ exp(`Age (years)`) * `my group` + offset(`Age (years)`)
  expect_identical(
    unname(coef(regress(formula = formula, data = odd))),
    unname(coef(regress(formula = ~ exp(z) * g + offset(z))))
  )
  odd$`my group` <- "one"
  expect_error(regress(formula = ~ `my group`, data = odd), "my group must have at least two",
               class = "mdpd_error_argument")
})

test_that("an empty class is told by the methods that assign rows", {
  empty <- of_posterior_alone(suppressWarnings(mdpd(rows$items[1:2], k = 3, seed = 1)))
  empty$posterior <- cbind("1" = rep(0.5, 600), "2" = 0.3, "3" = 0.2)
  for (method in c("ml", "bch")) {
    expect_error(suppressWarnings(regress(method, object = empty)),
                 class = "mdpd_error_empty_class")
  }
  # One alone.
  empty$posterior <- cbind("1" = rep(c(0.5, 0.2), 300), "2" = rep(c(0.3, 0.6), 300), "3" = 0.2)
  expect_error(suppressWarnings(regress("ml", object = empty)), "assigned to it; \"3\" has none",
               class = "mdpd_error_empty_class")
  # None of the rows that have the covariate.
  data <- data.frame(z = ifelse(predict(fit) == "2", NA, covariates$z))
  for (method in c("ml", "bch")) {
    expect_error(hush(regress(method, ~ z, data = data)), "count here; \"2\" has none",
                 class = "mdpd_error_empty_class")
  }
})

test_that("bad input is told", {
  covariates$twice <- 2 * covariates$z
  covariates$same <- 1
  covariates$endless <- replace(covariates$z, 7, Inf)
  one <- stagewise_em(rows$items, k = 1)
  dropped <- stagewise_em(rows$items, k = 2, keep_data = FALSE)
  expect_snapshot({
    show_conditions(class_regression(rows$items, ~ z, covariates))
    show_conditions(class_regression(one, ~ z, covariates))
    show_conditions(class_regression(dropped, ~ z, covariates))
    show_conditions(class_regression(fit, "z", covariates))
    show_conditions(class_regression(fit, g ~ z, covariates))
    show_conditions(class_regression(fit, ~ z))
    show_conditions(class_regression(fit, ~ z, covariates[1:9, ]))
    show_conditions(class_regression(fit, ~ age, covariates))
    show_conditions(class_regression(fit, ~ z + twice, covariates))
    show_conditions(class_regression(fit, ~ same, covariates))
    show_conditions(class_regression(fit, ~ endless, covariates))
    show_conditions(class_regression(fit, ~ 0, covariates))
    show_conditions(class_regression(fit, ~ offset(cbind(z, z)), covariates))
    show_conditions(class_regression(fit, ~ offset(log(pmax(z, 0))), covariates))
    show_conditions(class_regression(fit, ~ z + offset(g), covariates))
    show_conditions(class_regression(fit, ~ z, covariates, method = "three"))
    show_conditions(class_regression(fit, ~ z, covariates, reference = "4"))
    show_conditions(class_regression(fit, ~ z, covariates, weights = rep(1, 600)))
    show_conditions(class_regression(fit, ~ z, covariates, max_iter = 0))
    show_conditions(class_regression(fit, ~ z, covariates, n_starts = 0))
    show_conditions(class_regression(fit, ~ z, covariates, seed = 0.5))
    show_conditions(class_regression(fit, ~ z, transform(covariates, z = NA)))
    show_conditions(class_regression(fit, ~ z, covariates, method = "one-step", max_iter = 3))
  })
})

test_that("the largest number of iterations that may be asked for is no other fit", {
  rows <- regression_rows(300)
  fit <- regression_fit(rows)
  usual <- class_regression(fit, ~ z, rows$covariates)
  most <- class_regression(fit, ~ z, rows$covariates, max_iter = .Machine$integer.max)
  expect_identical(coef(most), coef(usual))
})

test_that("rows without any answer are in no class and change no coefficient", {
  rows <- regression_rows(300)
  fit <- regression_fit(rows)
  more <- with_empty_rows(rows)
  of_more <- regression_fit(more)
  covariates <- rbind(rows$covariates, rows$covariates[1:6, ])
  for (method in c("two-step", "ml", "bch")) {
    without <- class_regression(fit, ~ z + g, rows$covariates, method)
    tell <- if (method == "two-step") expect_silent else expect_message
    tell(regression <- class_regression(of_more, ~ z + g, covariates, method))
    # Both fits end within the tolerance of EM.
    expect_close(coef(regression), coef(without), tolerance = 1e-5)
    expect_close(vcov(regression), vcov(without), tolerance = 1e-4)
    expect_identical(nobs(regression), if (method == "two-step") 306 else 300)
    expect_message(class <- predict(regression, type = "class"), "6 rows without any answer",
                   class = "mdpd_message_no_answer")
    expect_identical(which(is.na(class)), stats::setNames(301:306, 301:306))
    # Their covariates tell of them.
    shares <- predict(regression, type = "posterior")[301:306, ]
    expect_close(shares, predict(regression, covariates[1:6, ]))
  }
  expect_output(print(regression), "300 rows; 6 more without any answer do not count", fixed = TRUE)
  last <- cbind(more$items, covariates)[300:301, ]
  expect_message(class <- predict(regression, last, type = "class"),
                 "1 row without any answer has no class", class = "mdpd_message_no_answer")
  expect_identical(is.na(unname(class)), c(FALSE, TRUE))
  expect_message(tell_no_class(7), "1 row without any answer has no class and does not count",
                 class = "mdpd_message_no_answer")
  expect_silent(tell_no_class(integer()))
})
