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

test_that("no count is larger than R's integers, nor a number of samples than a million", {
  most <- .Machine$integer.max
  expect_identical(check_count(most), most)
  expect_rejects(check_count, most + 1, "from 1 to 2,147,483,647, not 2147483648")
  expect_rejects(check_count, 0, "of at least 1, not 0")
  for (n in c(1, 1e6)) expect_identical(check_n_samples(n), n)
  expect_rejects(check_n_samples, 1e6 + 1, "from 1 to 1,000,000, not")
  expect_rejects(check_n_samples, 1, "from 2 to", min = 2)
})

test_that("check_counts takes one whole number of at least 1 or several", {
  for (k in list(1, 3L, 2:1, c(3, 3), c(1, .Machine$integer.max))) {
    expect_identical(check_counts(k), k)
  }
  for (k in list(0, 1.5, NA, NULL, "2")) {
    expect_rejects(check_counts, k, "`k` must be a whole number of at least 1, not")
  }
  # Numbers of a class, such as of vctrs, may not even compare with others.
  odd <- structure(1:2, class = "odd")
  for (k in list(0:1, c(1, 1.5), c(1, NA), c(1, Inf), c(1, 2^31), c("1", "2"), list(1, 2), odd)) {
    expect_rejects(check_counts, k, "`k` must be whole numbers of at least 1, not .* of length 2")
  }
})

test_that("check_n_cells takes as many rows as R can index the cells of", {
  n_rows <- (2^31 - 1) %/% 3
  fit <- function(n) check_n_cells(n, 3)
  expect_null(fit(n_rows))
  error <- expect_error(fit(n_rows + 1), "`n` .* 715,827,882 with 3 columns: .*2\\^31 - 1 .*883",
                        class = "mdpd_error_argument")
  expect_identical(rlang::call_name(error$call), "fit")
  expect_error(check_n_cells(2^31, 1), "2,147,483,647 with 1 column:")
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

test_that("check_file_name takes one string of at most 3,000 bytes", {
  expect_error(check_file_name(strrep("\u00e9", 1500)), NA)
  expect_rejects(check_file_name, paste0(strrep("abcde", 600), "f"),
                 "It has 3,001 and begins with .(abcde){4}\"")
  expect_rejects(check_file_name, 1, "`k` must be one string")
})

test_that("check_number takes one finite number in a closed range", {
  for (k in list(0, 1, 0.5, 1L)) expect_identical(check_number(k, c(0, 1)), k)
  for (k in list(-0.1, 1.1, NA_real_, NaN, "0", NULL, c(0, 1), TRUE)) {
    expect_rejects(check_number, k, "`k` must be a finite number from 0 to 1", range = c(0, 1))
  }
  expect_rejects(check_number, -1, "number of at least 0, not -1", range = c(0, Inf))
  expect_rejects(check_number, 1, "number of at most 0, not 1", range = c(-Inf, 0))
  expect_rejects(check_number, Inf, "finite number, not Inf")
  expect_rejects(check_number, 0, "number above 0 of at most 1, not 0",
                 range = c(.Machine$double.xmin, 1))
  expect_rejects(check_number, 2e5, "number from 0 to 100,000, not", range = c(0, 1e5))
  expect_rejects(check_number, 2e5, "number from 0 to 99999, not", range = c(0, 99999))
})

test_that("check_numbers names the first value out of range", {
  for (k in list(c(0, 1), matrix(1:0, 1))) expect_identical(check_numbers(k, c(0, 1)), k)
  expect_rejects(check_numbers, c(0.5, 2, 3), "Value 2 is 2", range = c(0, 1))
  expect_rejects(check_numbers, c(0.5, NA), "Value 2 is NA", range = c(0, 1))
  for (k in list(numeric(), NULL, "a", list(1), array(1, 1))) {
    expect_rejects(check_numbers, k, "`k` must be a numeric vector with at least one value")
  }
})

test_that("check_choice takes one of the choices, the first if all are given", {
  choices <- c("robust", "paper")
  expect_identical(check_choice("paper", choices), "paper")
  expect_identical(check_choice(choices, choices), "robust")
  of_a_class <- structure(c(a = "paper"), class = c("glue", "character"))
  expect_identical(check_choice(of_a_class, choices), "paper")
  expect_rejects(
    check_choice, "papre", "`k` must be \"robust\" or \"paper\", not \"papre\"", choices = choices
  )
  for (k in list(NULL, 1, NA, character(), c("robust", "robust"))) {
    expect_rejects(check_choice, k, "`k` must be", choices = choices)
  }
})

test_that("check_seed takes NULL and whole numbers of any sign", {
  for (k in list(NULL, 1, -5L, 0, 2^31 - 1, 1 - 2^31)) expect_identical(check_seed(k), k)
  for (k in list(1.5, NA, "1", c(1, 2), 2^31, -2^31)) {
    expect_rejects(check_seed, k, "`k` must be `NULL` or one whole number")
  }
})

test_that("check_class names the class it wants", {
  expect_identical(check_class(mtcars, "data.frame"), mtcars)
  expect_rejects(check_class, 1, "`k` must be of class <mdpd>, not 1", class = "mdpd")
})

test_that("check_given wants an argument, whatever it is", {
  ask <- function(k) check_given(k)
  expect_null(ask(NULL))
  error <- expect_error(ask(), "`k` must be given", class = "mdpd_error_argument")
  expect_identical(rlang::call_name(error$call), "ask")
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

test_that("weights sum to a number of rows", {
  # Rounding may leave a billionth less than one row.
  for (k in list(c(0.5, 0.5), c(1, 0), c(5e14, 5e14), rep(0.1, 10), 1 - 1e-9)) {
    expect_identical(check_weights(k, length(k)), k)
  }
  expect_rejects(check_weights, c(0.5, 0.4999), "not to 1.*sum to the 2 rows there are", n_obs = 2)
  expect_rejects(check_weights, 0.1234, "not to 0.123\\.\n.*sum to the 1 row there is", n_obs = 1)
  expect_rejects(check_weights, 1 - 1.1e-9, "not to 1", n_obs = 1)
  expect_rejects(check_weights, c(1e15, 1e3), "from 1 to 1e15, not to 1e\\+15", n_obs = 2)
})

test_that("weights are counts up to a millionth", {
  for (weights in list(1:3, c(2, 0), 1e-6, 1 - 5e-7)) expect_true(are_counts(weights))
  for (weights in list(c(1, 1.5), 2e-6, 1 - 2e-6)) expect_false(are_counts(weights))
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

test_that("a new file has a folder, and is none", {
  file <- tempfile()
  expect_identical(check_new_file(file), file)
  expect_rejects(check_new_file, 3, "`k` must be one string")
  expect_rejects(check_new_file, file.path(file, "x"), "does not exist", error = "file")
  expect_rejects(check_new_file, tempdir(), "is a folder", error = "file")
})

test_that("categories are a plain vector or a factor, and not a fit", {
  for (x in list(1L, 2.5, "a", NA, factor("a"), array("a", 1), I("a"), Sys.Date(), numeric())) {
    expect_true(holds_values(x))
  }
  for (x in list(NULL, list(1), mean, quote(a), raw(1), 1i, matrix(1), structure(1, class = "mdpd"),
                 data.frame(a = 1))) {
    expect_false(holds_values(x))
  }
})

test_that("a factor whose codes are not those of its levels holds none, and is called damaged", {
  without_levels <- structure(1:2, class = "factor")
  expect_false(holds_values(without_levels))
  expect_identical(describe(without_levels), "a damaged factor")
  expect_error(error_rate(without_levels, 1:2), "`estimate`.*not a damaged factor",
               class = "mdpd_error_argument")
})

test_that("of text the first that is in no encoding is named", {
  bytes <- `Encoding<-`("caf\xe9", "bytes")
  damaged <- `Encoding<-`("n\xe4", "UTF-8")
  latin <- `Encoding<-`("\xfc", "latin1")
  texts <- c("a", bytes, latin, damaged, NA)
  expect_identical(is_valid_text(texts), c(TRUE, FALSE, TRUE, FALSE, TRUE))
  for (x in list("a", latin, character(), NA_character_, 1, NULL)) {
    expect_identical(check_encoding(x, "It"), x)
  }
  expect_error(check_encoding(texts, "It"), "It must be text .* \"caf<e9>\" is not",
               class = "mdpd_error_encoding")
  expect_error(check_string(damaged, "k"), "`k` must be text in", class = "mdpd_error_encoding")
})

test_that("names of items and ids of workers are some of those there are, each once", {
  there <- c("a", "b", "3")
  expect_identical(check_items("b", there), "b")
  expect_identical(check_items(c("b", "a", "b"), there), c("b", "a"))
  expect_rejects(check_items, c("a", "d", "e"), "`k` must hold names of items of the fit", there)
  expect_rejects(check_items, c("a", "d", "e"), "There are no \"d\" and \"e\"", there)
  expect_rejects(check_items, "d", "There is no \"d\"", there)
  for (k in list(character(), NULL, 1, factor("a"))) {
    expect_rejects(check_items, k, "names of items of the fit.*It is", there)
  }
  expect_identical(check_workers(3, there), "3")
  expect_identical(check_workers(factor(c("b", "a", "b")), there), c("b", "a"))
  expect_rejects(check_workers, c("a", "d"), "`k` must hold ids of workers.*no \"d\"", there)
  for (k in list(character(), NULL, list("a"))) {
    expect_rejects(check_workers, k, "ids of workers of the fit.*It is", there)
  }
})

test_that("what is asked of a fit must be there, with advice on how to get it", {
  fit <- hand_made_fit()
  expect_identical(check_stored(fit, "trace"), fit)
  expect_identical(check_stored(list(trace = 1), "trace"), list(trace = 1))
  fit$trace <- fit$trace[0, ]
  expect_error(check_stored(fit, "trace"), "hold a trace to draw it.*Models returned by",
               class = "mdpd_error_not_stored")
  expect_error(check_stored(list(store = 1), "trace"), "Fits of a store keep nothing",
               class = "mdpd_error_not_stored")
  # It is asked by the method that draws, whose caller is the user's.
  draw <- function(object) check_stored(object, "trace")
  autoplot <- function(object) draw(object)
  expect_identical(rlang::call_name(expect_error(autoplot(fit))$call), "autoplot")
  expect_no_data <- function(object, advice, ...) {
    expect_error(check_has_data(object, ...), advice, class = "mdpd_error_no_data")
  }
  expect_no_data(fit, "no data\\.\n.*Fit with `keep_data = TRUE`")
  expect_no_data(fit, "Give `x`, or fit with", arg = "x")
  expect_no_data(list(store = 1), "needs a fit of rows in memory")
  expect_no_data(list(store = 1), "give rows in memory as `x`", arg = "x")
  expect_error(check_crowd_fit(fit), "must be a fit of crowd labels",
               class = "mdpd_error_not_a_crowd")
  expect_error(check_crowd_fit(list(labels = "a")), "of class <mdpd>",
               class = "mdpd_error_argument")
  truth <- hand_made_truth()
  truth$labels <- "a"
  expect_error(check_crowd_fit(truth), class = "mdpd_error_not_stored")
  crowd <- hand_made_crowd_fit()
  expect_identical(check_crowd_fit(crowd), crowd)
  crowd$coded <- NULL
  expect_error(check_crowd_fit(crowd), class = "mdpd_error_no_data")
})

test_that("check_is_column wants a column that is there, and makes no other call", {
  rows <- data.frame(a = 1)
  settings <- list(a = 1)
  asked <- function(x) check_is_column(rlang::enquo(x), "x")
  for (code in expression(rows$b, rows[["b"]])) {
    cnd <- expect_error(eval(call("asked", code)), class = "mdpd_error_argument")
    expect_match(conditionMessage(cnd), "is `NULL`: `rows` has no such column", fixed = TRUE)
    expect_match(conditionMessage(cnd), paste0("`", rlang::as_label(code), "`"), fixed = TRUE)
  }
  expect_null(asked(rows$a))
  expect_null(asked(NULL))
  expect_null(asked(settings$b))
  expect_null(asked(no_such$b))
  n_calls <- 0
  made <- function() {
    n_calls <<- n_calls + 1
    rows
  }
  expect_null(asked(made()$b))
  expect_null(asked(rows[[as.character(n_calls)]]))
  expect_equal(n_calls, 0)
})

test_that("a value is described in a few words, whatever it is", {
  expect_identical(describe(1.5), "1.5")
  expect_match(describe("a{b}"), "a{b}", fixed = TRUE)
  expect_identical(describe(NULL), "NULL")
  expect_match(describe(1:3), "of length 3")
  expect_identical(c(describe(mean), describe(iris)), c("a function", "a data frame"))
  for (x in list(mean, iris, quote(a + b), factor("a"), globalenv())) {
    expect_lt(nchar(describe(x)), 40)
  }
})
