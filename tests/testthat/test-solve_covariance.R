# Of a fit of any size, by conjugate gradients and by the inverse.
combined_by <- function(way, fit, type, combinations, ...) {
  how <- read_how(fit, type, ...)
  way(fit, how, NULL)$combined(combinations)
}

expect_same_covariance <- function(fit, type, ...) {
  n <- length(mixture_parameters(fit)$root)
  combinations <- with_seed(1, matrix(rnorm(3 * n), 3))
  solved <- combined_by(solved_covariance, fit, type, combinations, ...)
  inverted <- suppressWarnings(combined_by(inverted_covariance, fit, type, combinations, ...))
  # Conjugate gradients end when 1e-10 of what there was is left.
  expect_close(solved$covariance, inverted$covariance, 1e-8 * max(abs(inverted$covariance)))
  alone <- combined_by(solved_covariance, fit, type, combinations[1, , drop = FALSE], ...)
  expect_close(alone$covariance, inverted$covariance[1, 1], 1e-8)
  values <- inverted$values(1:20)
  expect_close(solved$values(1:20), values, 1e-8 * max(abs(values)))
}

test_that("combinations of estimates have the covariance that the inverse gives them", {
  fit <- stagewise_em(sharp_rows(300), k = 2)
  for (type in c("observed", "score", "robust")) {
    expect_same_covariance(fit, type)
    expect_same_covariance(regression_fit(regression_rows()), type)
  }
  cluster <- rep(1:30, length.out = fit$n_obs)
  expect_same_covariance(fit, "robust", cluster = cluster, strata = cluster %% 3)
})

test_that("so do those of crowds, with repeated labels and workers drawn to the crowd", {
  crowd <- simulate_crowd(n_items = 150, n_workers = 40, n_labels = 3, accuracy = rep(0.7, 40),
                          missing = 0.5, seed = 1)
  labels <- as.data.frame(crowd$labels)
  repeated <- crowd_labels(rbind(labels, labels[1:200, ]), duplicates = "count")
  fit <- stagewise_em(repeated, k = 3)
  expect_false(is.null(fit$crowd_probs))
  expect_length(unique(is_certain(fit$posterior)), 2)
  expect_same_covariance(fit, "observed")
  expect_same_covariance(fit, "score")
  # Of an estimate the worker's own labels are a part, the rest is what it is drawn to.
  drawn <- suppressWarnings(covariance_parts(fit, read_how(fit, "observed"), NULL))$drawn
  to_common <- drawn$of_item + drawn$of_crowd
  expect_true(all(drawn$of_item > -1e-12 & drawn$of_crowd >= 0 & to_common < 1))
  expect_gt(max(drawn$of_crowd), 0.5)
})

test_that("fits of many parameters by evidence are solved, others inverted", {
  fit <- stagewise_em(sharp_rows(300), k = 2)
  expect_false(is_solved(fit, list()))
  wide <- fit
  wide$informative <- rep(fit$informative, 100)
  expect_true(is_solved(wide, list()))
  expect_false(is_solved(wide, list(design = list(replicates = list()))))
  wide$evidence <- NULL
  expect_false(is_solved(wide, list()))
  # From 501 on.
  of_levels <- function(n, k = 2) {
    list(k = k, evidence = TRUE, informative = "a", item_probs = list(a = matrix(0, n, k)))
  }
  expect_false(is_solved(of_levels(249), list()))
  expect_true(is_solved(of_levels(250), list()))
  expect_true(is_solved(of_levels(166, k = 3), list()))
})

test_that("estimates on the boundary are taken as known by both", {
  x <- sharp_rows(300)
  class <- attr(x, "component")
  # The class in item 1, and in item 4 no level c or d in class 1.
  x$item_1 <- c("a", "b")[class]
  x$item_4[class == "1" & x$item_4 %in% c("c", "d")] <- "a"
  fit <- suppressWarnings(mdpd(x, k = 2, start = outer(class, c("1", "2"), `==`) + 0, prior = 0))
  parts <- suppressWarnings(covariance_parts(fit, read_how(fit, "observed"), NULL))
  expect_equal(sum(!parts$model$free), 6)
  for (type in c("observed", "score", "robust")) {
    expect_same_covariance(fit, type)
  }
})

test_that("an information that is not positive is left to the inverse", {
  multiply <- function(by) function(x) by * x
  b <- cbind(c(1, 2, 0), c(0, 1, 1), 0)
  expect_close(conjugate_gradients(multiply(c(1, 2, 3)), 1, b), b / c(1, 2, 3), 1e-9)
  expect_null(conjugate_gradients(multiply(c(1, -2, 3)), 1, b))
  expect_null(conjugate_gradients(multiply(c(1, -2, 3)), 1, cbind(c(1, 0, 0), c(0, 1, 0))))
  expect_null(conjugate_gradients(multiply(c(1, 0, 3)), 1, cbind(c(0, 1, 0))))
  # The unit does not matter.
  expect_close(conjugate_gradients(multiply(c(1, 2, 3)), 1, 1e-6 * b), 1e-6 * b / c(1, 2, 3), 1e-9)
  # As many rounds as there are dimensions are enough.
  expect_close(conjugate_gradients(multiply(c(1, 2, 3)), 1, b, max_iter = 4), b / c(1, 2, 3), 1e-9)
  # No more rounds than are allowed.
  expect_null(conjugate_gradients(multiply(c(1, 2, 3)), 1, b, max_iter = 1))
})

test_that("the inverse stands in where conjugate gradients do not end", {
  fit <- stagewise_em(sharp_rows(300), k = 2)
  combinations <- diag(length(mixture_parameters(fit)$root))[1:3, ]
  inverted <- combined_by(inverted_covariance, fit, "observed", combinations)
  local_in_package(list(conjugate_gradients = function(...) NULL))
  solved <- combined_by(solved_covariance, fit, "observed", combinations)
  expect_identical(solved$covariance, inverted$covariance)
})

test_that("a regression of a crowd of many workers is the same either way", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 60, n_labels = 3, accuracy = rep(0.8, 60),
                          missing = 0.9, seed = 1)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_true(is_solved(fit, list()))
  z <- with_seed(1, data.frame(z = rnorm(400)))
  solved <- class_regression(fit, ~ z, z)
  # The sandwich of rows drawn one by one is near the inverse; it takes the scores of all rows.
  robust <- class_regression(fit, ~ z, z, type = "robust")
  expect_close(sqrt(diag(vcov(robust)) / diag(vcov(solved))), rep(1, 4), 0.2)
  expect_same_covariance(fit, "observed")
})
