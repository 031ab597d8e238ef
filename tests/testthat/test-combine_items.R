answers_with_copies <- function() {
  data.frame(a = c(1L, 1L, 2L, 2L, NA, NA), b = c(1L, 2L, 2L, NA, 2L, NA),
             c = c(1L, 2L, 2L, 2L, NA, NA), d = 1:6)
}

test_that("the answer that most give is that of the new item; ties go to the first", {
  x <- answers_with_copies()
  three <- combine_items(x, c("a", "b", "c"))
  expect_identical(three, data.frame("a+b+c" = c(1L, 2L, 2L, 2L, 2L, NA), d = 1:6,
                                     check.names = FALSE))
  two <- combine_items(x, list(same = c("b", "a")))
  expect_identical(two$same, c(1L, 1L, 2L, 2L, 2L, NA))  # in the order of the data
  expect_identical(names(two), c("same", "c", "d"))
})

test_that("the mode is that of counting row by row", {
  x <- with_seed(1, matrix(sample(c(1:3, NA), 200 * 5, TRUE), 200))
  x[, 2:5][with_seed(2, stats::runif(800) < 0.5)] <- x[, rep(1, 4)][1:800 %% 2 == 0][1:400]
  x[, 2:5] <- ifelse(with_seed(3, stats::runif(800)) < 0.6, x[, rep(1, 4)], x[, 2:5])
  colnames(x) <- letters[1:5]
  by_row <- apply(x, 1, function(row) {
    row <- row[!is.na(row)]
    counts <- table(row)
    if (length(row) == 0) NA else row[row %in% names(counts)[counts == max(counts)]][1]
  })
  expect_identical(drop(combine_items(x, colnames(x))), unname(by_row))
})

test_that("a table keeps its kind, its row names and its other columns", {
  x <- answers_with_copies()
  rownames(x) <- paste0("row", 1:6)
  expect_identical(rownames(combine_items(x, c("a", "b"))), rownames(x))
  matrix <- as.matrix(x)
  combined <- combine_items(matrix, c("a", "b"))
  expect_identical(dimnames(combined), list(rownames(x), c("a+b", "c", "d")))
  expect_identical(combined[, "d"], matrix[, "d"])
  colnames(matrix)[4] <- "deparse.level"  # an argument of cbind()
  expect_identical(colnames(combine_items(matrix, c("a", "b"))), c("a+b", "c", "deparse.level"))
  unnamed <- combine_items(unname(matrix), c("V1", "V2"))
  expect_identical(colnames(unnamed), c("V1+V2", "V3", "V4"))
  skip_if_not_installed("tibble")
  expect_s3_class(combine_items(tibble::as_tibble(x), c("a", "b")), "tbl_df")
})

test_that("types and levels stay", {
  levels <- c("never", "some", "often")
  x <- data.frame(a = factor(c("some", "often"), levels, ordered = TRUE),
                  b = factor(c("some", NA), levels, ordered = TRUE))
  expect_identical(combine_items(x, c("a", "b"))[[1]], x$a)
  x$b <- factor(x$b, ordered = FALSE)
  expect_identical(combine_items(x, c("a", "b"))[[1]], x$a)
  x <- data.frame(a = c(TRUE, NA, FALSE), b = c(TRUE, FALSE, NA))
  expect_identical(combine_items(x, c("a", "b"))[[1]], c(TRUE, FALSE, FALSE))
  x <- data.frame(a = c("u", NA, "v"), b = factor(c("u", "v", NA)))
  expect_identical(combine_items(x, c("a", "b"))[[1]], c("u", "v", "v"))
  x <- data.frame(a = c(1.0, NA, 10), b = c(1L, 10L, NA))
  expect_identical(combine_items(x, c("a", "b"))[[1]], c(1, 10, 10))
  # One of them may never show a level.
  x <- data.frame(a = c("u", NA, "u"), b = c("u", "v", NA))
  expect_identical(combine_items(x, c("a", "b"))[[1]], c("u", "v", "u"))
  expect_identical(combine_items(x, c("b", "a"))[[1]], c("u", "v", "u"))
})

test_that("a formula, and the table of copied_items()", {
  x <- answers_with_copies()
  expect_identical(
    combine_items(~ a + c + d, c("a", "c"), data = x), combine_items(x[-2], c("a", "c"))
  )
  groups <- data.frame(group = c(1, 1), item = c("a", "b"), strength = c(1, 1))
  expect_identical(combine_items(x, groups), combine_items(x, c("a", "b")))
  expect_identical(combine_items(x, groups[0, ]), x)
  expect_identical(combine_items(x, list()), x)
  of_a_class <- structure(x, class = c("survey", "data.frame"))
  expect_identical(combine_items(of_a_class, list()), of_a_class)
})

test_that("rows that lack an answer do not count in how often two items agree", {
  # In the rows with both four of six agree, by chance three; the other rows are all of one answer.
  x <- data.frame(a = c(1, 1, 1, 2, 2, 2, rep(1, 30)), b = c(1, 1, 1, 1, 1, 2, rep(NA, 30)))
  expect_identical(combine_items(x, c("a", "b"))[[1]], x$a)
})

test_that("two groups become two items", {
  x <- cbind(answers_with_copies(), e = c(1, 2, 1, 2, 1, 2), f = c(1, 2, 1, 2, 2, 2))
  combined <- combine_items(x, list(c("a", "b"), last = c("e", "f")))
  expect_identical(names(combined), c("a+b", "c", "d", "last"))
  expect_identical(combined$last, x$e)
})

test_that("a new item may be called as one that another group combines", {
  x <- data.frame(a = c(1, 1, 2, NA), b = c(1, 1, 2, 2), c = c(1, 2, 1, 2), d = c(1, 2, 1, NA))
  same_names <- list(c = c("a", "b"), z = c("c", "d"))
  other_names <- list(y = c("a", "b"), z = c("c", "d"))
  expect_identical(combine_items(x, same_names), data.frame(c = x$b, z = x$c))
  triples <- data.frame(item = rep(1:4, 4), worker = rep(names(x), each = 4), label = unlist(x))
  crowd <- crowd_labels(triples[!is.na(triples$label), ])
  combined <- combine_items(crowd, same_names)
  expect_identical(combined$workers, c("c", "z"))
  combined$workers[1] <- "y"
  expect_identical(combined, combine_items(crowd, other_names))
})

test_that("labelled columns become a factor of their labels, or what their values are", {
  labelled <- function(values, ...) {
    structure(values, ..., class = c("haven_labelled", "vctrs_vctr", typeof(values)))
  }
  x <- data.frame(id = 1:3)
  x$a <- labelled(c(1, 2, NA), labels = c(agree = 1, refuse = 2))
  x$b <- labelled(c(1, NA, 2), labels = c(agree = 1, refuse = 2))
  expect_identical(combine_items(x, c("a", "b"))[[2]], factor(c("agree", "refuse", "refuse")))
  x$b <- factor(c("agree", NA, "refuse"))
  expect_identical(combine_items(x, c("a", "b"))[[2]], factor(c("agree", "refuse", "refuse")))
  x[c("a", "b")] <- list(labelled(c(1, 9, NA), na_values = 9), labelled(c(1, NA, 2)))
  class(x$a) <- c("haven_labelled_spss", class(x$a))
  expect_identical(combine_items(x, c("a", "b"))[[2]], c(1, NA, 2))
})

test_that("workers of a crowd become one", {
  triples <- data.frame(
    item = c(1, 1, 1, 2, 2, 3, 3, 4), worker = c("x", "y", "z", "x", "y", "y", "z", "z"),
    label = c("no", "yes", "yes", "no", "yes", "yes", "no", "no")
  )
  crowd <- crowd_labels(triples)
  expect_identical(
    as.matrix(combine_items(crowd, c("x", "y"))),
    matrix(c("no", "no", "yes", NA, "yes", NA, "no", "no"), 4,
           dimnames = list(1:4, c("x+y", "z")))
  )
  three <- combine_items(crowd, list(all = c("z", "x", "y")))
  expect_identical(drop(as.matrix(three)), c("1" = "yes", "2" = "no", "3" = "yes", "4" = "no"))
  expect_identical(dim(three), c(4L, 1L))
  twice <- crowd_labels(rbind(triples, c(1, "x", "no")), duplicates = "count")
  expect_identical(as.matrix(combine_items(twice, c("x", "y")))[1, 1], "no")
  # As where no workers copy each other.
  expect_identical(combine_items(crowd, list()), crowd)
})

test_that("the order of the rows does not settle ties within the first worker", {
  triples <- data.frame(item = c(1, 1, 1, 1, 2), worker = c("a", "a", "b", "b", "c"),
                        label = c("no", "yes", "yes", "no", "no"))
  for (rows in list(1:5, 5:1)) {
    crowd <- crowd_labels(triples[rows, ], duplicates = "count")
    expect_identical(as.matrix(combine_items(crowd, c("a", "b")))["1", "a+b"], "no")
  }
})

test_that("combining mends the classes and their number", {
  crowd <- simulate_crowd(500, 8, n_labels = 2, accuracy = rep(0.8, 8), seed = 1)
  x <- as.data.frame(as.matrix(crowd$labels))
  flip <- function(share, seed) {
    with_seed(seed, ifelse(stats::runif(500) < share, 3 - as.integer(x[[1]]), as.integer(x[[1]])))
  }
  copies <- cbind(x, a = flip(0.1, 2), b = flip(0.1, 3), c = flip(0.1, 4))
  quietly <- function(code) suppressMessages(suppressWarnings(code))
  before <- quietly(stagewise_em(copies, 1:4))
  expect_gt(before$k, 2)
  expect_no_warning(
    after <- stagewise_em(combine_items(copies, copied_items(before)), 1:4)
  )
  expect_identical(after$k, 2L)
  without <- error_rate(stagewise_em(x, 2), crowd$truth, align = TRUE)
  # The first item changes where three copies outvote it: in 3 % of the rows.
  expect_lt(error_rate(after, crowd$truth, align = TRUE), without + 0.02)
  expect_gt(error_rate(before, crowd$truth, align = TRUE), without + 0.1)
})

test_that("bad groups and items that do not match are errors", {
  x <- cbind(answers_with_copies(), opposite = c(2, 2, 1, 1, 2, 1), other = 4:9)
  expect_snapshot({
    show_conditions(combine_items(x, 1))
    show_conditions(combine_items(x, list(1:2)))
    show_conditions(combine_items(x, c("a", "z")))
    show_conditions(combine_items(x, "a"))
    show_conditions(combine_items(x, list(c("a", "b"), c("b", "c"))))
    show_conditions(combine_items(x, c("a", "other")))
    show_conditions(combine_items(x, c("a", "opposite")))
    show_conditions(combine_items(x, list(d = c("a", "b"))))
    show_conditions(combine_items(1:3, c("a", "b")))
  })
})

test_that("data, groups and names of items must be given", {
  x <- answers_with_copies()
  expect_error(combine_items(), "`x` must be given", class = "mdpd_error_argument")
  expect_error(combine_items(x), "`groups` must be given", class = "mdpd_error_argument")
  expect_error(combine_items(x, list(c("a", NA))), "list of names", class = "mdpd_error_argument")
  na_name <- stats::setNames(list(c("a", "b")), NA)
  expect_error(combine_items(x, na_name), "names that are strings", class = "mdpd_error_argument")
  unknown <- "a\xff"
  Encoding(unknown) <- "bytes"
  unknown_name <- stats::setNames(list(c("a", "b")), unknown)
  expect_error(combine_items(x, unknown_name), class = "mdpd_error_encoding")
  damaged <- data.frame(group = 1, item = factor(c("a", "b")))
  attr(damaged$item, "levels") <- "a"
  for (table in list(data.frame(item = c("a", "b")), data.frame(group = 1, name = c("a", "b")),
                     damaged)) {
    expect_error(combine_items(x, table), "must be a table of", class = "mdpd_error_argument")
  }
})

test_that("one level that the others lack is enough to tell items apart", {
  x <- data.frame(a = c(1, 2, 1), b = c(1, 3, 1))
  expect_error(combine_items(x, c("a", "b")), "b has .*3.*, a has .*1.* and .*2",
               class = "mdpd_error_data")
  ragged <- structure(list(a = 1:2, b = 1L), class = "data.frame", row.names = 1:2)
  expect_error(combine_items(ragged, c("a", "b")), class = "mdpd_error_data")
})

test_that("a name longer than R's names of columns is refused, of tables and of crowds", {
  groups <- stats::setNames(list(c("a", "b")), strrep("x", 10001))
  crowd <- crowd_labels(data.frame(item = 1, worker = c("a", "b"), label = 1:2))
  for (x in list(as.matrix(answers_with_copies()), answers_with_copies(), crowd)) {
    expect_error(combine_items(x, groups), "Names of new items must have at most 10,000 bytes",
                 class = "mdpd_error_argument")
  }
})

test_that("items may agree as often as by chance, or share no row", {
  x <- data.frame(a = c(1, 1, 2, 2), b = c(1, 2, 1, 2))
  expect_identical(combine_items(x, c("a", "b"))[[1]], x$a)
  x <- data.frame(a = c(1, NA), b = c(NA, 1))
  expect_identical(combine_items(x, c("a", "b"))[[1]], c(1, 1))
  # Where none of a group is answered the new item is missing.
  x <- data.frame(a = factor(c(NA, NA), "u"), b = factor(c(NA, NA), "u"))
  expect_identical(combine_items(x, c("a", "b"))[[1]], x$a)
})

test_that("each group is of two items or more, and of names, and items are categories", {
  x <- answers_with_copies()
  expect_error(combine_items(x, list(c("a", "b"), "c")), "One has c only",
               class = "mdpd_error_argument")
  expect_error(combine_items(x, character()), "One has none", class = "mdpd_error_argument")
  expect_error(combine_items(x, list(c("a", "b"), 3:4)), "list of names",
               class = "mdpd_error_argument")
  x$a <- x$a + 0.5
  expect_error(combine_items(x, c("a", "b")), "Column a of `x` must hold whole numbers",
               class = "mdpd_error_data")
})
