# A check as a public function uses it: the argument is called `k`, the call is `fit()`.
fit <- function(k, check, ...) check(k, ...)

expect_rejects <- function(check, value, regexp, ..., error = "argument") {
  error <- expect_error(fit(value, check, ...), regexp, class = paste0("mdpd_error_", error))
  expect_identical(rlang::call_name(error$call), "fit")
}

test_that("check_count takes whole numbers from `min` to `max`", {
  for (k in list(1, 1L, 1e5)) expect_identical(check_count(k), k)
  expect_identical(check_count(0, min = 0), 0)
  bad <- list(0, -1, 1.5, NA, NaN, Inf, NULL, "2", TRUE, c(1, 2), list(1), mean, factor(1))
  for (k in bad) expect_rejects(check_count, k, "`k` must be a whole number of at least 1")
  expect_rejects(check_count, 9, "`k` must be a whole number from 2 to 8", min = 2, max = 8)
})

test_that("check_flag takes TRUE and FALSE", {
  expect_true(check_flag(TRUE))
  expect_false(check_flag(FALSE))
  for (k in list(NA, 1, "TRUE", NULL, c(TRUE, FALSE))) {
    expect_rejects(check_flag, k, "`k` must be `TRUE` or `FALSE`")
  }
})

test_that("check_string takes one string", {
  expect_identical(check_string(""), "")
  for (k in list(NA_character_, 1, NULL, c("a", "b"), factor("a"))) {
    expect_rejects(check_string, k, "`k` must be one string")
  }
})

test_that("check_number takes one finite number in a closed range", {
  for (k in list(0, 1, 0.5, 1L)) expect_identical(check_number(k, c(0, 1)), k)
  for (k in list(-0.1, 1.1, NA_real_, NaN, "0", NULL, c(0, 1), TRUE)) {
    expect_rejects(check_number, k, "`k` must be a finite number from 0 to 1", range = c(0, 1))
  }
  expect_rejects(check_number, -1, "number of at least 0, not -1", range = c(0, Inf))
  expect_rejects(check_number, 1, "number of at most 0, not 1", range = c(-Inf, 0))
  expect_rejects(check_number, Inf, "finite number, not Inf")
})

test_that("check_numbers names the first value out of range", {
  expect_identical(check_numbers(c(0, 1), c(0, 1)), c(0, 1))
  expect_rejects(check_numbers, c(0.5, 2, 3), "Value 2 is 2", range = c(0, 1))
  expect_rejects(check_numbers, c(0.5, NA), "Value 2 is NA", range = c(0, 1))
  for (k in list(numeric(), NULL, "a", list(1))) {
    expect_rejects(check_numbers, k, "`k` must be a numeric vector with at least one value")
  }
})

test_that("check_choice takes one of the choices, the first if all are given", {
  choices <- c("robust", "paper")
  expect_identical(check_choice("paper", choices), "paper")
  expect_identical(check_choice(choices, choices), "robust")
  expect_rejects(
    check_choice, "papre", "`k` must be \"robust\" or \"paper\", not \"papre\"", choices = choices
  )
  for (k in list(NULL, 1, NA, character(), c("robust", "robust"))) {
    expect_rejects(check_choice, k, "`k` must be", choices = choices)
  }
})

test_that("check_seed takes NULL and whole numbers of any sign", {
  for (k in list(NULL, 1, -5L, 0)) expect_identical(check_seed(k), k)
  for (k in list(1.5, NA, "1", c(1, 2), 1e10)) {
    expect_rejects(check_seed, k, "`k` must be `NULL` or one whole number")
  }
})

test_that("check_class names the class it wants", {
  expect_identical(check_class(mtcars, "data.frame"), mtcars)
  expect_rejects(check_class, 1, "`k` must be of class <mdpd>, not 1", class = "mdpd")
})

test_that("check_weights gives plain doubles, ones by default", {
  expect_identical(check_weights(NULL, 3), c(1, 1, 1))
  expect_identical(check_weights(c(a = 2L, b = 0L), 2), c(2, 0))
  expect_identical(check_weights(structure(c(1, 2), class = "units"), 2), c(1, 2))
})

test_that("bad weights are errors", {
  for (k in list(1, "a", c(1, 2, 3), list(1, 2), factor(1:2))) {
    expect_rejects(check_weights, k, "`k` must be a numeric vector with one value", n_obs = 2)
  }
  expect_rejects(check_weights, c(1, -1), "Value 2 is -1", n_obs = 2)
  expect_rejects(check_weights, c(NA, 1), "Value 1 is NA", n_obs = 2)
  expect_rejects(check_weights, c(1, Inf), "Value 2 is Inf", n_obs = 2)
  expect_rejects(check_weights, c(0, 0), "`k` must not all be zero", n_obs = 2)
})

test_that("check_file wants a file that exists and is not empty", {
  file <- tempfile()
  expect_rejects(check_file, 3, "`k` must be one string")
  expect_rejects(check_file, file, "does not exist", error = "file")
  expect_rejects(check_file, tempdir(), "is a folder", error = "file")
  file.create(file)
  expect_rejects(check_file, file, "is empty", error = "file")
  writeLines("a", file)
  expect_identical(check_file(file), file)
})

test_that("a value is described in a few words, whatever it is", {
  expect_identical(describe(1.5), "1.5")
  expect_match(describe("a{b}"), "a{b}", fixed = TRUE)
  expect_identical(describe(NULL), "NULL")
  expect_match(describe(1:3), "of length 3")
  for (x in list(mean, iris, quote(a + b), factor("a"), globalenv())) {
    expect_lt(nchar(describe(x)), 40)
  }
})
