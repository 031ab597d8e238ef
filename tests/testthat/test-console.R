shown <- function(code, width = 80) {
  rlang::local_options(cli.width = width)
  utils::capture.output(code)
}

test_that("fields stand behind their names, and go on below one another", {
  expect_identical(shown(cat_fields(c(A = "x"))), "A          x")
  words <- "one two three four five six seven eight nine ten"
  expect_identical(shown(cat_fields(c(Method = words, "A long name" = "x")), 30), c(
    "Method      one two three four", "            five six seven", "            eight nine ten",
    "A long name x"
  ))
  # Letters of two columns count as such.
  expect_identical(shown(cat_fields(c("\u65e5\u672c" = words)), 40)[2],
                   paste0(strrep(" ", 11), "seven eight nine ten"))
})

test_that("entries are in as many columns as the line has room for", {
  entries <- paste0("a_", 1:7)
  expect_identical(shown(cat_columns(entries, 9), 20),
                   c("  a_1   a_2   a_3", "  a_4   a_5   a_6", "  a_7"))
  expect_identical(shown(cat_columns(entries, 9), 19)[1], "  a_1   a_2")
  expect_identical(shown(cat_columns(entries[1:2], 9), 5), c("  a_1", "  a_2"))
  expect_identical(shown(cat_columns(entries, 3), 80),
                   c("  a_1   a_2   a_3", paste0("  ", ellipsis, " and 4 more")))
  expect_identical(shown(cat_columns("alone", 9)), "  alone")
  expect_identical(shown(cat_columns(character(), 9)), character())
})

test_that("a table of one row is shown, and of none nothing", {
  table <- cbind(n = c(first = 1))
  expect_identical(shown(cat_table(table)), c("        n", "  first 1"))
  expect_identical(shown(cat_table(table[0, , drop = FALSE])), character())
  expect_identical(shown(cat_table(structure(table, left_out = 1)))[3],
                   paste0("  ", ellipsis, " and 1 more"))
  expect_identical(shown(cat_left_out(0)), character())
  expect_identical(shown(cat_left_out(NULL)), character())
})

test_that("within another print there is no hint, and afterwards there is again", {
  expect_identical(shown(cat_hint("plot(x)")), c("", "Next: plot(x)"))
  expect_identical(shown(without_hint(cat_hint("plot(x)"))), character())
  expect_identical(shown(cat_hint("plot(x)")), c("", "Next: plot(x)"))
})
