# The model of two groups in which the item `b` is freed.
model_of_groups <- function() {
  items <- c("a", "b [f]", "b [m]", group_item)
  list(
    groups = list(variable = "sex", levels = c("f", "m"), items = c("a", "b"), free = "b"),
    item_probs = stats::setNames(rep(list(matrix(1, 1, 1)), 4), items)
  )
}

test_that("a group has no name of an item", {
  expect_identical(group_column("sex", c("a", "b")), "sex")
  expect_identical(group_column("b", c("a", "b")), "group")
  expect_identical(group_column("b", c("b", "group")), "group.1")
})

test_that("a freed item is seen in the rows of its group alone, and the group is an item", {
  x <- data.frame(b = c("u", "v", "u", NA), other = 1:4, sex = c("m", "f", NA, "m"),
                  a = c(1, 2, 1, 3), row.names = letters[1:4])
  expected <- data.frame(
    a = c(1, 2, 1, 3), "b [f]" = c(NA, "v", NA, NA), "b [m]" = c("u", NA, NA, NA),
    "(group)" = c("m", "f", NA, "m"), row.names = letters[1:4], check.names = FALSE
  )
  by_group <- function(x) rows_by_group(x, model_of_groups(), "newdata", NULL)
  expect_identical(by_group(x), expected)
  expect_identical(by_group(x[3, ]), expected[3, ])
  # What is in this form, is no table, or has no groups is left.
  expect_identical(by_group(expected), expected)
  expect_identical(by_group(as.matrix(x)), as.matrix(x))
  expect_identical(rows_by_group(x, list(item_probs = list(a = 1)), "newdata", NULL), x)
  for (gone in c("a", "b", "sex")) {
    expect_error(by_group(x[names(x) != gone]), gone, class = "mdpd_error_missing_item")
  }
})
