test_that("the exact information is minus the second derivatives of the log-likelihood", {
  skip_on_cran()
  x <- sharp_rows(300)
  weights <- rep(c(1, 2, 4), 100)
  fits <- list(
    full_fit(x), full_fit(with_gaps(x), weights = weights),
    full_fit(sharp_rows(600, k = 3)[2:5], k = 3)
  )
  for (fit in fits) {
    names <- free_names(fit)
    # The differences are good to about 1e-5 of the largest entry.
    expect_close(vcov(fit)[names, names], twin_covariance(fit), tolerance = 1e-4)
  }
})

test_that("smoothing is a prior: the information is that of the log-posterior at its mode", {
  x <- with_gaps(sharp_rows(300))
  weights <- rep(c(1, 2, 4), 100)
  for (smoothing in c(3, 40)) {
    fit <- mdpd(x, k = 2, start = sharp_model(2), weights = weights, control = stagewise_control(
      smoothing = smoothing, tol = 1e-14, max_iter = 5000
    ))
    expect_identical(fit$smoothing, smoothing)
    theta <- unname(free_parameters(fit))
    frequencies <- lapply(x, function(item) as.vector(prop.table(xtabs(weights ~ item))))
    minus_log_posterior <- function(move) {
      model <- twin_model_of(theta + move, fit)
      log_prior <- sum(mapply(function(probs, m) sum(smoothing * m * log(probs)),
                              model$item_probs, frequencies))
      -twin_posterior(fit$coded, model, 1:5)$loglik - log_prior
    }
    twin <- solve(twin_numerical_hessian(minus_log_posterior, length(theta), 1e-4))
    names <- free_names(fit)
    expect_no_warning(ours <- vcov(fit))
    expect_close(ours[names, names], twin, tolerance = 1e-4)
  }
})

test_that("prior counts are a prior too, and a default fit is at its mode", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 8, n_labels = 2, accuracy = rep(0.75, 8),
                          seed = 2)$labels
  prior <- matrix(c(60, 5, 9, 80), 2)
  fit <- mdpd(crowd, k = 2, prior = prior, control = converged)
  expect_no_warning(errors <- standard_errors(fit)$item_probs)
  fit$prior <- NULL
  expect_warning(without <- standard_errors(fit)$item_probs,
                 class = "mdpd_warning_not_at_maximum")
  expect_true(all(unlist(errors) < unlist(without)))
  default <- stagewise_em(crowd, k = 2, control = stagewise_control(criterion = "bic"))
  expect_gt(default$smoothing, 0)
  expect_no_warning(standard_errors(default))
})

test_that("the score information is the outer product of the gradients of the rows", {
  fit <- full_fit(with_gaps(sharp_rows(400)), weights = rep(c(1, 3), 200))
  scores <- twin_scores(fit)
  names <- free_names(fit)
  # Central differences of first order: 1e-8 a score.
  expect_close(vcov(fit, type = "score")[names, names],
               solve(crossprod(scores * sqrt(fit$coded$weights))), tolerance = 1e-5)
})

test_that("a covariance holds for all levels: it has the rank of the free parameters", {
  fit <- full_fit(sharp_rows())
  covariance <- vcov(fit)
  expect_identical(covariance, t(covariance))
  values <- eigen(covariance, symmetric = TRUE, only.values = TRUE)$values
  expect_equal(sum(values > 1e-10), fit$df)
  item <- grep("^item_4:.*[|]1$", rownames(covariance))
  expect_close(colSums(covariance[item, ]), rep(0, ncol(covariance)), tolerance = 1e-8)
})

test_that("standard errors are the roots of the diagonal of vcov(), in the shape of coef()", {
  fit <- stagewise_em(answers(1000), k = 2)
  errors <- standard_errors(fit)
  expect_identical(lapply(errors$item_probs, dimnames), lapply(coef(fit)$item_probs, dimnames))
  expect_named(errors$mixing_weights, names(fit$mixing_weights))
  diagonal <- sqrt(diag(vcov(fit)))
  expect_equal(errors$mixing_weights, diagonal[1:2], ignore_attr = TRUE)
  item <- fit$informative[1]
  level <- rownames(fit$item_probs[[item]])[1]
  expect_equal(errors$item_probs[[item]][1, "2"], diagonal[[paste0(item, ":", level, "|2")]])
})

test_that("an item that is not informative has the standard error of a share", {
  x <- with_gaps(answers(1000))
  fit <- stagewise_em(x, k = 2)
  item <- setdiff(names(x), informative(fit))[1]
  share <- prop.table(table(x[[item]]))
  n_observed <- sum(!is.na(x[[item]]))
  for (component in 1:2) {
    expect_equal(standard_errors(fit)$item_probs[[item]][, component],
                 sqrt(share * (1 - share) / n_observed), ignore_attr = TRUE)
  }
})

test_that("a case weight of 2 counts like two equal rows", {
  x <- sharp_rows(600)
  fit <- full_fit(x)
  doubled <- full_fit(rbind(x, x))
  for (type in c("observed", "score")) {
    expect_close(vcov(fit, type = type, x = x, weights = rep(2, 600)), vcov(doubled, type = type),
                 tolerance = 1e-6)
  }
  expect_close(vcov(full_fit(x, weights = rep(2, 600))), vcov(doubled), tolerance = 1e-6)
})

test_that("the order of rows and of components does not matter", {
  x <- sharp_rows(600)
  fit <- full_fit(x)
  errors <- standard_errors(fit)
  expect_close(standard_errors(fit, x = reverse_rows(x)), errors, tolerance = 1e-8)
  swapped <- align_components(fit, c("2", "1")[max.col(fit$posterior)])
  expect_close(standard_errors(swapped)$mixing_weights, rev(errors$mixing_weights),
               tolerance = 1e-8)
})

test_that("sums over blocks of rows add up", {
  fit <- full_fit(with_gaps(sharp_rows(250)))
  sums <- lapply(c(4e6, 100, 1), function(cells) {
    likelihood_sums(mixture_parameters(fit), fit$coded, fit$posterior, "observed", cells = cells)
  })
  expect_close(sums[[2]], sums[[1]])
  expect_close(sums[[3]], sums[[1]])
})

test_that("rows of a known class enter with that class", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 6, accuracy = rep(0.6, 6), seed = 1)
  told <- mdpd(crowd$labels, k = 3, known = crowd$truth, prior = 0, control = converged)
  # With every class known the weights are shares.
  expect_equal(standard_errors(told)$mixing_weights,
               sqrt(told$mixing_weights * (1 - told$mixing_weights) / 400))
})

test_that("standard errors agree with poLCA on carcinoma", {
  carcinoma <- polca_data("carcinoma")
  formula <- stats::as.formula("cbind(A, B, C, D, E, F, G) ~ 1")
  peer <- with_seed(1, poLCA::poLCA(formula, carcinoma, nclass = 3, nrep = 10, verbose = FALSE,
                                    tol = 1e-12, maxiter = 1e4))
  expect_equal(peer$llik, -293.705, tolerance = 1e-5)
  fit <- mdpd(carcinoma, k = 3, start = peer$posterior, control = converged)
  expect_equal(fit$loglik, peer$llik, tolerance = 1e-8)

  expect_warning(errors <- standard_errors(fit, type = "score"),
                 class = "mdpd_warning_boundary")
  order <- order(peer$P, decreasing = TRUE)
  # Two programs, each at the optimum to about 1e-7.
  expect_close(errors$mixing_weights, peer$P.se[order], tolerance = 1e-5)
  for (item in names(errors$item_probs)) {
    ours <- errors$item_probs[[item]]
    theirs <- t(peer$probs.se[[item]][order, ])
    expect_close(ours[!is.na(ours)], theirs[!is.na(ours)], tolerance = 1e-5)
    expect_true(all(theirs[is.na(ours)] < 1e-6))
  }
  # The exact information is another estimate of the same.
  exact <- suppressWarnings(standard_errors(fit))$mixing_weights
  expect_close(exact, errors$mixing_weights, tolerance = 0.01)
})

test_that("estimates on the boundary are NA, with a warning, and the rest goes on", {
  x <- sharp_rows(600)
  class <- attr(x, "component")
  x$item_1 <- x$item_3 <- c("a", "b")[class]
  fit <- suppressWarnings(full_fit(x))  # items 1 and 3 are the same
  errors <- NULL
  expect_warning(errors <- standard_errors(fit), class = "mdpd_warning_boundary")
  expect_true(all(is.na(errors$item_probs$item_1)))
  expect_false(anyNA(c(errors$mixing_weights, errors$item_probs$item_2)))
  # Items 1 and 3 say the class, so the other estimates are shares.
  share <- mean(class == "1")
  expect_close(errors$mixing_weights, rep(sqrt(share * (1 - share) / 600), 2), tolerance = 1e-6)
  expect_warning(covariance <- vcov(fit), class = "mdpd_warning_boundary")
  expect_true(all(is.na(covariance["item_1:a|1", ])))
})

test_that("what is no parameter gives no warning", {
  x <- data.frame(answers(300)[c("item_1", "item_2")], constant = "a")
  fit <- stagewise_em(x, k = 1)
  expect_silent(errors <- standard_errors(fit))
  expect_true(is.na(errors$mixing_weights))
  expect_true(is.na(errors$item_probs$constant))
  expect_false(anyNA(errors$item_probs$item_1))
})

test_that("estimates that the data do not determine are NA, with a warning", {
  # Two items of two levels: three degrees of freedom for five parameters.
  x <- sharp_rows(600)[c("item_1", "item_3")]
  start <- sharp_model()
  expect_warning(fit <- mdpd(x, k = 2, start = start, control = converged),
                 class = "mdpd_warning_not_identified")
  expect_warning(errors <- standard_errors(fit), class = "mdpd_warning_not_identified")
  expect_true(all(is.na(unlist(errors))))
})

test_that("a fit that is not at a maximum is told", {
  fit <- stagewise_em(answers(1000), k = 2, method = "paper", refine = "none",
                      control = stagewise_control(max_stages = 4))
  expect_warning(standard_errors(fit), class = "mdpd_warning_not_at_maximum")
})

test_that("intervals are on the logit scale, widen with the level and stay inside (0, 1)", {
  fit <- full_fit(sharp_rows(200))
  limits <- confint(fit)
  expect_identical(rownames(limits), rownames(vcov(fit)))
  expect_identical(colnames(limits), c("2.5 %", "97.5 %"))
  expect_true(all(limits > 0 & limits < 1))
  wide <- confint(fit, level = 0.99)
  expect_true(all(wide[, 1] < limits[, 1] & wide[, 2] > limits[, 2]))
  p <- fit$mixing_weights[["1"]]
  error <- standard_errors(fit)$mixing_weights[["1"]]
  half <- c(-1, 1) * qnorm(0.975) * error
  expect_equal(limits["weight|1", ], plogis(qlogis(p) + half / (p * (1 - p))), ignore_attr = TRUE)
  expect_equal(confint(fit, 1, scale = "linear")[1, ], p + half, ignore_attr = TRUE)
})

test_that("an interval on the logit scale is that of a probability inside (0, 1)", {
  limits <- wald_limits(c(0, 0.5, 1), c(0.1, 0.1, 0.1), 0.9, "logit")
  expect_identical(limits[c(1, 3), ], matrix(NA_real_, 2, 2))
  half <- stats::qnorm(0.95) * 0.1
  expect_equal(limits[2, ], 1 / (1 + exp(c(4, -4) * half)))
  expect_equal(wald_limits(1, 0.1, 0.9, "linear"), cbind(1 - half, 1 + half))
  expect_identical(limit_names(1 / 3), c("33.3 %", "66.7 %"))
  expect_identical(limit_names(0.9999), c("0.005 %", "99.995 %"))
})

test_that("a level is free where more than a hundredth of a row has it, and another is", {
  expect_identical(is_free(c(0.01, 0.011, 5, 3, 0, 0.02, 0.02), c(1, 1, 1, 2, 2, 3, 3)),
                   c(FALSE, TRUE, TRUE, FALSE, FALSE, TRUE, TRUE))
})

test_that("a single estimate without a standard error is told", {
  # Of three levels the second occurs in the other component only.
  probs <- list(item = cbind(c(0.7, 0, 0.3), c(0.2, 0.5, 0.3)))
  model <- mixture_parameters(list(k = 2, mixing_weights = c(0.4, 0.6), item_probs = probs,
                                   informative = "item"))
  model$free <- model$estimate > 0
  expect_warning(warn_uncertainty(model, list(step = 0), NULL),
                 "1 estimate of 0 or 1 has no standard error", class = "mdpd_warning_boundary")
  model$free <- TRUE
  expect_silent(warn_uncertainty(model, list(step = 0.5, loose = c(FALSE, FALSE)), NULL))
  expect_warning(warn_uncertainty(model, list(step = 0, loose = c(FALSE, TRUE)), NULL),
                 "1 estimate is not determined by the data and has",
                 class = "mdpd_warning_not_identified")
  expect_warning(warn_uncertainty(model, list(step = 0, by_prior = c(FALSE, TRUE)), NULL),
                 "its standard error rests on the prior", class = "mdpd_warning_not_identified")
  expect_warning(warn_uncertainty(model, list(step = 0.514), NULL),
                 "0.51 standard errors\\s+away", class = "mdpd_warning_not_at_maximum")
})

test_that("parm selects by name, by item, by position", {
  fit <- full_fit(sharp_rows(300))
  all <- confint(fit)
  expect_identical(confint(fit, "mixing_weights"), all[1:2, ])
  expect_identical(confint(fit, c("item_2", "weight|2")),
                   all[c(grep("^item_2:", rownames(all)), 2), ])
  expect_identical(confint(fit, 3), all[3, , drop = FALSE])
})

test_that("bad arguments are told", {
  fit <- full_fit(sharp_rows(300))
  expect_error(confint(fit, "nobody"), class = "mdpd_error_argument")
  expect_error(confint(fit, c("item_2", "nobody")), "There is no \"nobody\"", fixed = TRUE)
  expect_error(confint(fit, 1000), class = "mdpd_error_argument")
  expect_error(confint(fit, character()), class = "mdpd_error_argument")
  expect_error(confint(fit, level = 2), class = "mdpd_error_argument")
  expect_error(vcov(fit, type = "sandwich"), class = "mdpd_error_argument")
  expect_identical(vcov(fit, type = "exact"), vcov(fit))  # the name of 0.1.0
  expect_error(standard_errors(sharp_model()), class = "mdpd_error_not_stored")
  fit$coded <- NULL
  expect_error(vcov(fit), class = "mdpd_error_no_data")
  expect_close(vcov(fit, x = sharp_rows(300)), vcov(full_fit(sharp_rows(300))), tolerance = 1e-8)
  expect_snapshot(show_conditions(confint(fit, "nobody")))
})

test_that("many parameters at once are told", {
  expect_silent(inform_slow(4000))
  expect_message(inform_slow(4001), "4,001 parameters.*a minute or less",
                 class = "mdpd_message_slow")
  expect_message(inform_slow(7505), "7,505 parameters.*some 2 minutes",
                 class = "mdpd_message_slow")
})

test_that("a row of a certain class counts by its answers alone, repeated ones too", {
  crowd <- simulate_crowd(n_items = 80, n_workers = 12, n_labels = 3, accuracy = rep(0.8, 12),
                          seed = 1)
  labels <- as.data.frame(crowd$labels)
  for (table in list(labels, rbind(labels, labels[1:200, ]))) {
    fit <- mdpd(crowd_labels(table, duplicates = "count"), k = 3)
    model <- mixture_parameters(fit)
    sums <- function(posterior) likelihood_sums(model, fit$coded, posterior, "observed")
    certain <- fit$posterior
    certain[1:60, ] <- outer(first_largest(certain)[1:60], 1:3, `==`) + 0
    # So little doubt that nothing but the way of computing changes.
    doubted <- certain
    doubted[1:60, ] <- (1 - 3e-12) * certain[1:60, ] + 1e-12
    expect_equal(sum(is_certain(certain)) - sum(is_certain(doubted)), 60)
    expect_close(sums(certain)$information, sums(doubted)$information, 1e-8)
    expect_close(sums(certain)$count, sums(doubted)$count, 1e-8)
  }
})
