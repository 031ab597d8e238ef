test_that("a table of items is a data frame or a matrix, but no table of counts", {
  expect_true(is_table_of_items(data.frame(a = 1)))
  expect_true(is_table_of_items(diag(2)))
  expect_false(is_table_of_items(table(1:2, 1:2)))
  expect_false(is_table_of_items(1:2))
})

test_that("items without names are called as read.csv() calls columns", {
  expect_identical(item_names(matrix(1, 1, 3)), c("V1", "V2", "V3"))
  expect_identical(item_names(matrix(1, 1, 1, dimnames = list("r", "a"))), "a")
  expect_identical(item_names(data.frame(a = 1, b = 2)), c("a", "b"))
  latin <- `Encoding<-`("\xe9", "latin1")
  expect_identical(Encoding(item_names(structure(1, dim = c(1, 1), dimnames = list(NULL, latin)))),
                   "UTF-8")
})

test_that("names of rows are those that somebody gave", {
  expect_null(row_names(data.frame(a = 1:3)))
  expect_null(row_names(data.frame()))
  expect_null(row_names(diag(2)))
  expect_identical(row_names(data.frame(a = 1, row.names = "x")), "x")
  expect_identical(row_names(data.frame(a = 1:2, row.names = c(5L, 3L))), c("5", "3"))
  expect_identical(row_names(matrix(1, 1, 1, dimnames = list("r", "a"))), "r")
})

test_that("cells of large tables are counted past the largest integer", {
  expect_identical(cell_index(2L, 3L, 10L), 22)
  expect_identical(cell_index(1L, 100001L, 100000L), 1e10 + 1)
})

test_that("terms of an entropy are zero where the probability is", {
  expect_identical(p_log_p(c(0, 0.5, 1)), c(0, 0.5 * log(0.5), 0))
})

test_that("sums by group have a row for each level, and none for what is missing", {
  group <- factor(c("b", NA, "b", "c"), c("a", "b", "c"))
  expect_identical(rowsum_by(cbind(c(1, 2, 3, 4), 5:8), group),
                   rbind(c(0, 0), c(4, 12), c(4, 8)))
  expect_identical(rowsum_by(cbind(c(1, 2, 3, 4)), group), cbind(c(0, 4, 4)))
  expect_identical(rowsum_by(rbind(c(1, 5), c(2, 6)), factor(c("a", NA))), rbind(c(1, 5)))
})
