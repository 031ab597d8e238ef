test_that("numbers have commas, one blank before a percent sign and no sign without a digit", {
  expect_identical(comma(c(1, 1234567, 0.5)), c("1.0", "1,234,567.0", "0.5"))
  expect_identical(comma(c(7, 100000)), c("7", "100,000"))
  expect_identical(percent(c(0.256, 0.004)), c("26 %", "0 %"))
  expect_identical(percent(0.25, 1), "25.0 %")
  expect_identical(nats(c(-0.04, -0.06, 12.34)), c("0.0", "-0.1", "12.3"))
  expect_identical(nats_about_class(0.12345), "0.123")
  expect_identical(format_share(c(0.256, NA)), c("0.26", "-"))
  expect_identical(c(plural(0, "row"), plural(1, "row"), plural(1000, "row")),
                   c("0 rows", "1 row", "1,000 rows"))
})

test_that("p-values have three decimals, and one from which on they are small", {
  expect_identical(format_p(c(0.001, 0.0009999, NA, 0.25)), c("0.001", "< 0.001", "-", "0.250"))
  expect_identical(format_p(c(0.25, 0), equals = "= "), c("= 0.250", "< 0.001"))
})

test_that("a total weight is told where it is not the number of rows, but for rounding", {
  expect_null(weight_title(10, 10))
  expect_identical(weight_title(10, 10.26), " of total weight 10.3")
  expect_identical(weight_title(10, 1050), " of total weight 1,050")
  # A billionth of the rows.
  expect_identical(weighs_other(1000, 1000 + c(-2e-6, -5e-7, 5e-7, 2e-6)),
                   c(TRUE, FALSE, FALSE, TRUE))
})

test_that("labels are cut at the end, else in the middle, else where they begin to differ", {
  expect_identical(shorten(strrep("n", 16:17)), c(strrep("n", 16), paste0(strrep("n", 13), "...")))
  alike <- c("a long label that ends in one", "a long label that ends in two")
  expect_identical(shorten(alike), c("a long ...in one", "a long ...in two"))
  expect_identical(shorten(alike, 20), c("a long labe...in one", "a long labe...in two"))
  expect_identical(shorten(alike, 9), c("a l...one", "a l...two"))
  expect_identical(shorten(c("number one", "number two"), 4), c("...e", "...o"))
  within <- paste("the same beginning", c("and", "but"), "the same end, at length")
  expect_identical(shorten(c(name = "short")), c(name = "short"))
  expect_identical(shorten(within), c("the ...and th...", "the ...but th..."))
})

test_that("labels that no cut tells apart are numbered, short ones stay", {
  expect_identical(number_cut(c("abcdefgh", "abcdef", "abc", "abcdefgx", "abcdefgh"), 6),
                   c("ab...1", "abcdef", "abc", "ab...4", "ab...1"))
  # In four columns dots give way: a number that is cut would be another label's.
  narrow <- number_cut(paste0("question ", 1:120, " of the survey"), 4)
  expect_identical(narrow[c(1, 9, 10, 99, 100)], c("...1", "...9", "..10", "..99", ".100"))
  expect_identical(cut_middle(c("abcdef", "abcdefg"), 6, 0), c("abcdef", "abc..."))
  expect_identical(cut_middle("abcdefgh", 6, 2), "a...gh")
  # Where there is no room for a beginning there is none.
  expect_identical(cut_middle("abcdefgh", 4, 2), "...gh")
})

test_that("what labels begin with alike is counted in characters", {
  expect_identical(common_prefix(c("abx", "abyz", "abxx")), 2)
  expect_identical(common_prefix(c("abc", "ab")), 2)
  expect_identical(common_prefix(c("ab", "ab")), 2)
  expect_identical(common_prefix(c("x", "y", "xy")), 0)
})
