test_that("an error carries its own class, the package's class, the call and the data", {
  fit_it <- function(k) abort_mdpd("{.arg k} is {k}.", class = "argument", k = k)
  error <- expect_error(fit_it(3), "`k` is 3", class = "mdpd_error_argument")
  expect_s3_class(error, "mdpd_error")
  expect_identical(rlang::call_name(error$call), "fit_it")
  expect_identical(error$k, 3)
})

test_that("a condition without a class of its own still has the package's", {
  expect_identical(condition_classes("error", NULL), "mdpd_error")
  expect_identical(
    condition_classes("warning", "not_converged"),
    c("mdpd_warning_not_converged", "mdpd_warning")
  )
})

test_that("a warning carries its classes", {
  warn_it <- function() warn_mdpd("Look at {.field a}.", class = "odd")
  warning <- expect_warning(warn_it(), "Look at a", class = "mdpd_warning_odd")
  expect_s3_class(warning, "mdpd_warning")
})

test_that("a message carries its classes", {
  message <- expect_message(inform_mdpd("{1 + 1} stages.", class = "stage"), "2 stages")
  expect_s3_class(message, c("mdpd_message_stage", "mdpd_message"), exact = FALSE)
})

test_that("braces in a value are not evaluated", {
  level <- "{stop('evaluated')}"
  expect_error(abort_mdpd("Level {.val {level}}."), "{stop('evaluated')}", fixed = TRUE)
})
