rows <- regression_rows(400)
fit <- regression_fit(rows)
regression <- class_regression(fit, ~ z + g, rows$covariates)

test_that("the pictures are what they were", {
  expect_picture("coefficients", autoplot(regression))
  expect_picture("shares by a number", autoplot(regression, type = "shares"))
  expect_picture("shares by a factor", autoplot(regression, type = "shares", covariate = "g"))
  expect_picture("outcome means", autoplot(distal_outcome(fit, rows$y)))
  expect_picture("outcome shares", autoplot(distal_outcome(fit, rows$answer)))
})

test_that("coefficients are drawn with their intervals, intercepts if asked for", {
  drawn <- autoplot(regression, level = 0.8)$data
  limits <- confint(regression, level = 0.8)
  expect_equal(drawn$conf.low, unname(limits[c(2, 3, 5, 6), 1]))
  expect_setequal(as.character(drawn$term), c("z", "g: there"))
  # Filled where the interval does not reach zero: of these two on one side, two on the other.
  p <- summary(regression)$coefficients$p.value[c(2, 3, 5, 6)]
  fill <- ggplot2::layer_data(autoplot(regression, level = 1 - stats::median(p)), 3)$fill
  expect_identical(fill != "white", p < stats::median(p))
  expect_true("(Intercept)" %in% autoplot(regression, intercept = TRUE)$data$term)
  expect_error(autoplot(regression, level = 1.5), "`level`", class = "mdpd_error_argument")
  expect_error(autoplot(regression, "shares", intercept = TRUE), "`intercept` must be left out",
               class = "mdpd_error_argument")
  expect_true(all(autoplot(class_regression(fit, ~ 1, rows$covariates))$data$term ==
                    "(Intercept)"))
})

test_that("a coefficient without a standard error is drawn without an interval", {
  regression$covariance[2, 2] <- NA
  drawn <- autoplot(regression)
  expect_identical(is.na(drawn$data$conf.low), c(TRUE, FALSE, FALSE, FALSE))
  expect_no_warning(ggplot2::ggplotGrob(drawn))
})

test_that("shares are means over the rows with the value of the covariate", {
  drawn <- autoplot(regression, type = "shares", covariate = "g")$data
  there <- rows$covariates
  there$g[] <- "there"
  at_there <- drawn[drawn$value == "there", ]
  expect_equal(at_there$estimate, unname(colMeans(predict(regression, there))))
  expect_true(all(drawn$conf.low < drawn$estimate & drawn$estimate < drawn$conf.high))
  lines <- autoplot(regression, type = "shares")$data
  expect_equal(range(lines$value), range(rows$covariates$z))
  # At each value the shares sum to one.
  expect_close(tapply(lines$estimate, lines$value, sum), rep(1, 60), tolerance = 1e-9)
})

test_that("dates and times are drawn as lines over their range", {
  z <- rows$covariates$z
  for (when in list(as.Date("2024-01-01") + round(100 * z),
                    as.POSIXct("2024-01-01", "UTC") + 1e6 * z, as.difftime(z, units = "hours"))) {
    picture <- autoplot(class_regression(fit, ~ when, data.frame(when)), type = "shares")
    expect_identical(nrow(picture$data), 60L * 3L)
    expect_equal(as.numeric(range(picture$data$value)), as.numeric(range(when)))
    expect_s3_class(picture$layers[[2]]$geom, "GeomLine")
    expect_no_error(ggplot2::ggplot_build(picture))
  }
  expect_identical(picture$labels$x, "when (hours)")
  # The shares are those of the times, whatever stands on the axis.
  by_number <- autoplot(class_regression(fit, ~ z, rows$covariates), type = "shares")
  expect_equal(picture$data$estimate, by_number$data$estimate, tolerance = 1e-6)
  expect_match(by_number$labels$subtitle, "^Mean over the rows, 95 % intervals")
  local_picture_size(7, 5)
  long <- strrep("n", 60)
  expect_identical(share_x_scale(3)$labels(long), fit_labels(long, 0.7 * 7 / 3, 0.7, 8))
})

test_that("ordered factors and columns that are matrices are no hindrance", {
  data <- rows$covariates
  data$age <- factor(rep(c("young", "middle", "old", "middle"), 100), c("young", "middle", "old"),
                     ordered = TRUE)
  data$before <- cbind(0, data$z, -data$z)
  ordered <- class_regression(fit, ~ offset(before) + age, data)
  drawn <- autoplot(ordered, type = "shares")$data
  old <- data
  old$age[] <- "old"
  expect_equal(drawn$estimate[drawn$value == "old"], unname(colMeans(predict(ordered, old))))
})

test_that("plot draws and returns the picture invisibly", {
  local_pdf()
  expect_s3_class(withVisible(plot(regression))$value, "ggplot")
  expect_false(withVisible(plot(regression, type = "shares"))$visible)
  expect_false(withVisible(plot(distal_outcome(fit, rows$y)))$visible)
})

test_that("bad input is told", {
  expect_snapshot({
    show_conditions(autoplot(regression, type = "lines"))
    show_conditions(autoplot(regression, type = "shares", covariate = "age"))
    show_conditions(autoplot(class_regression(fit, ~ 1, rows$covariates), type = "shares"))
  })
})

test_that("numbers of two values are groups, of three a line", {
  expect_false(is_continuous(c(0, 1, 1)))
  expect_true(is_continuous(c(0, 1, 2)))
  expect_identical(covariate_values(c(1, 0, 1)), c(0, 1))
  expect_equal(covariate_values(c(1, 0, 3)), seq(0, 3, length.out = 60))
  dates <- as.Date("2024-01-01") + c(0, 59, 10)
  expect_equal(covariate_values(dates), dates[1] + 0:59)
})

test_that("of many rows a thousand stand for the means", {
  many <- regression
  rows <- rep(1:400, each = 5)
  many$covariates <- regression$covariates[rows, ]
  many$rows <- seq_len(2000)
  many$weights <- rep(1:2, 1000)
  shown <- unique(round(seq(1, 2000, length.out = 1000)))
  here <- many$covariates[shown, ]
  here$g[] <- "here"
  expect_equal(shares_against(many, "g", 0.95)$estimate[1:3],
               unname(apply(predict(regression, here), 2, stats::weighted.mean,
                            many$weights[shown])), tolerance = 1e-12)
})
