later_step <- quote(later_step())

test_that("rows that lack a covariate are counted, and some must have all", {
  expect_silent(tell_incomplete(0, 10, 1, later_step))
  expect_message(tell_incomplete(1, 10, 5, later_step),
                 "1 of 10 rows lacks a covariate and does not count",
                 class = "mdpd_message_incomplete_covariates")
  for (given in list(c(10, 10, 5), c(1, 10, 0))) {
    expect_error(tell_incomplete(given[1], given[2], given[3], later_step),
                 "At least one row of weight above 0", class = "mdpd_error_argument")
  }
})

test_that("levels that rows have are known, and factors keep their contrasts", {
  g <- factor(c("b", "a", "c", "a"), levels = c("a", "b", "c", "d"))
  frame <- data.frame(g, s = c("u", "v", "u", "w"), z = 1:4)
  frame$two <- matrix(c("a", "b"), 4, 2)
  expect_identical(has_known_levels(frame, c(1, 1, 1, 1)), rep(TRUE, 4))
  expect_identical(has_known_levels(frame, c(0, 2, 0, 1)), c(FALSE, TRUE, FALSE, TRUE))
  expect_identical(has_known_levels(frame, c(0.1, 1, 1, 0)), c(TRUE, TRUE, TRUE, FALSE))
  expect_identical(levels(without_unused_levels(g)), c("a", "b", "c"))
  used <- stats::C(g[, drop = TRUE], stats::contr.sum)
  expect_identical(without_unused_levels(used), used)
  expect_identical(without_unused_levels(frame$s), frame$s)
})

test_that("a covariate that stands alone has two values, among rows of weight above 0", {
  data <- data.frame(a = c(1, 2, 2, 1), b = 1, z = c(1, 1, 1, 2))
  data$both <- cbind(1, 1:4)
  check <- function(formula, weights = rep(1, 4)) {
    frame <- covariate_frame(formula, data, "data", later_step)
    check_varying(frame, attr(frame, "terms"), weights, later_step)
  }
  expect_silent(check(~a))
  expect_silent(check(~ a + a:b))
  expect_silent(check(~ 0 + b))
  expect_silent(check(~both))
  expect_silent(check(~z, c(0.5, 0.5, 0.5, 0.5)))
  for (formula in c(~b, ~ a + b)) {
    expect_error(check(formula), "Covariate b must have at least two",
                 class = "mdpd_error_argument")
  }
  expect_error(check(~z, c(1, 1, 1, 0)), "Covariate z must have at least two",
               class = "mdpd_error_argument")
})

test_that("levels that no row has are none", {
  data <- data.frame(f = factor(c("u", "v", NA), c("u", "v", "w")))
  frame <- covariate_frame(~f, data, "data", later_step)
  expect_identical(levels(frame$f), c("u", "v"))
  expect_identical(as.integer(attr(frame, "na.action")), 3L)
})

test_that("a factor whose codes have no level is no covariate, whatever levels are used", {
  for (codes in list(c(1:2, 5L), c(1L, 1L, 5L))) {
    data <- data.frame(g = structure(codes, levels = c("a", "b"), class = "factor"))
    expect_error(covariate_frame(~g, data, "data", later_step),
                 "Covariate g must not be a damaged factor", class = "mdpd_error_argument")
  }
})

test_that("what can be no column of a design is told of the covariates", {
  rows <- sharp_rows(40)
  fit <- full_fit(rows)
  for (z in list(complex(real = 1:40, imaginary = 1), as.raw(1:40))) {
    expect_error(class_regression(fit, ~z, data.frame(z = z)),
                 "covariates must be computable from `data`", class = "mdpd_error_argument")
  }
})

test_that("columns are collinear where less than 1e-8 of one is left, whatever its unit", {
  rank <- function(apart, unit = 1) {
    scaled_qr(cbind(1, unit * (1 + apart * c(-1, 1, -1, 1))), rep(1, 4))$qr$rank
  }
  for (unit in c(1, 1e6)) {
    expect_identical(rank(5e-9, unit), 1L)
    expect_identical(rank(2e-8, unit), 2L)
  }
  expect_equal(scaled_qr(cbind(c(3, -4)), c(1, 1))$size, 5)
  expect_equal(scaled_qr(cbind(c(3, -4)), c(4, 9))$size, sqrt(4 * 9 + 9 * 16))
})

test_that("covariates are at most 1e150 in size", {
  x <- cbind(a = c(1, 1e150), b = c(-1e150, 0))
  expect_silent(check_finite_design(x, 1:2, later_step))
  x[2, 2] <- 1.1e150
  expect_error(check_finite_design(x, c(3, 7), later_step), "b is 1.1e\\+150 in row 7",
               class = "mdpd_error_argument")
})

test_that("an offset counts for all classes but the reference, or has a column for each", {
  added <- function(given, k = 3, reference = 2) {
    data <- list(given = given)
    frame <- stats::model.frame(~ offset(given), data)
    offset_matrix(frame, 1:2, k, reference, later_step)
  }
  expect_equal(added(c(1, 2)), cbind(c(1, 2), 0, c(1, 2)))
  expect_equal(added(c(TRUE, FALSE)), cbind(c(1, 0), 0, c(1, 0)))
  expect_equal(added(cbind(c(1, 2))), cbind(c(1, 2), 0, c(1, 2)))
  expect_equal(added(cbind(1:2, 3:4, c(7, 9))), cbind(c(-2, -2), 0, c(4, 5)))
  expect_error(added(cbind(1:2, 3:4)), "one for each of the 3 classes, not 2",
               class = "mdpd_error_argument")
  expect_error(added(c("a", "b")), "An offset must be numbers", class = "mdpd_error_argument")
  frame <- stats::model.frame(~ offset(a) + offset(b), list(a = c("u", "v"), b = 1:2))
  expect_error(offset_matrix(frame, 1:2, 3, 2, later_step), "An offset must be numbers",
               class = "mdpd_error_argument")
})
