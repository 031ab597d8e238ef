# The table back from its codes, as strings.
decode <- function(coded) {
  codes <- coded$codes
  cells <- vapply(seq_len(ncol(codes)), function(j) {
    c(NA, coded$levels[[j]])[as.integer(codes[, j]) + 1]
  }, character(nrow(codes)))
  matrix(cells, nrow(codes), dimnames = dimnames(codes))
}

mixed <- data.frame(
  factor = factor(c("low", "high", "low", NA), levels = c("low", "mid", "high")),
  string = c("b", "a", "B", "A"),
  whole = c(100000, 2, 10, NA),
  integer = c(3L, NA, -1L, 3L),
  logical = c(TRUE, FALSE, NA, TRUE)
)

# What a table becomes -----------------------------------------------------------------------------

test_that("columns of every kind are coded by their levels in order", {
  coded <- encode(mixed)
  expect_s3_class(coded, "mdpd_coded")
  expect_identical(coded$levels, list(
    factor = c("low", "high"),
    string = c("A", "B", "a", "b"),
    whole = c("2", "10", "100000"),
    integer = c("-1", "3"),
    logical = c("FALSE", "TRUE")
  ))
  expect_identical(
    decode(coded),
    cbind(
      factor = c("low", "high", "low", NA), string = c("b", "a", "B", "A"),
      whole = c("100000", "2", "10", NA), integer = c("3", NA, "-1", "3"),
      logical = c("TRUE", "FALSE", NA, "TRUE")
    )
  )
  expect_identical(coded$weights, rep(1, 4))
  expect_identical(coded$missing, "ignore")
})

test_that("a cell takes one byte", {
  coded <- encode(matrix(sample(2:3, 1e5, replace = TRUE), 1000))
  expect_type(coded$codes, "raw")
  expect_lt(as.numeric(object.size(coded$codes)), 1.2e5)
})

test_that("matrix, data frame, tibble and data.table give the same codes", {
  table <- data.frame(a = c("x", "y", NA), b = c("u", "u", "v"))
  coded <- encode(table)
  expect_identical(encode(as.matrix(table)), coded)
  skip_if_not_installed("tibble")
  expect_identical(encode(tibble::as_tibble(table)), coded)
  skip_if_not_installed("data.table")
  expect_identical(encode(data.table::as.data.table(table)), coded)
})

test_that("a matrix of any plain type is coded; columns without names are V1, V2, ...", {
  numbers <- matrix(c(1, 2, 2, 1, 1, 1), 3)
  expect_identical(encode(numbers)$levels, list(V1 = c("1", "2"), V2 = "1"))
  expect_identical(encode(numbers == 1)$levels, list(V1 = c("FALSE", "TRUE"), V2 = "TRUE"))
  expect_identical(encode(structure(numbers, class = "odd"))$levels$V1, c("1", "2"))
})

test_that("one row is enough", {
  coded <- encode(data.frame(a = "x", b = 2, c = TRUE))
  expect_identical(dim(coded$codes), c(1L, 3L))
  expect_identical(encode(matrix(1:3, 1))$levels, list(V1 = "1", V2 = "2", V3 = "3"))
})

test_that("permuting rows or columns permutes the codes and changes nothing else", {
  coded <- encode(mixed)
  rows <- c(3, 1, 4, 2)
  permuted <- encode(mixed[rows, 5:1])
  expect_identical(unname(permuted$codes), unname(coded$codes[rows, 5:1]))
  expect_identical(permuted$levels, coded$levels[5:1])
})

test_that("the level order does not depend on the locale", {
  table <- data.frame(a = c("a", "B", "b", "A"), b = 1)
  expect_identical(encode(table)$levels$a, c("A", "B", "a", "b"))
  # Strings are text, also where they could be read as numbers.
  expect_identical(encode(data.frame(a = c("9", "10"), b = 1))$levels$a, c("10", "9"))
})

test_that("columns with odd class attributes are coded by their values", {
  labelled <- structure(c(2L, 1L, 2L), labels = c(no = 1L, yes = 2L), class = c("labelled", "vctr"))
  table <- data.frame(b = 1:3)
  table$a <- labelled
  table$c <- structure(c(1, 5, 1), units = "m", class = "units")
  table$d <- I(c("u", "v", "u"))
  table$e <- factor(c("u", "v", "u"), ordered = TRUE)
  coded <- suppressWarnings(encode(table))
  expect_identical(coded$levels$a, c("no", "yes"))
  expect_identical(coded$levels$c, c("1", "5"))
  expect_identical(as.integer(coded$codes[, "d"]), c(1L, 2L, 1L))
  expect_identical(as.integer(coded$codes[, "e"]), c(1L, 2L, 1L))
})

test_that("a factor level NA is a missing value", {
  table <- data.frame(a = addNA(factor(c("x", NA, "y"))), b = 1:3)
  expect_identical(encode(table)$levels$a, c("x", "y"))
  expect_identical(as.integer(encode(table)$codes[, "a"]), c(1L, 0L, 2L))
})

test_that("numbers are written in full and minus zero is zero", {
  table <- data.frame(a = c(1e5, 1e15, 123456), b = c(-0, 0, 1))
  expect_identical(encode(table)$levels$a, c("100000", "123456", "1000000000000000"))
  expect_identical(encode(table)$levels$b, c("0", "1"))
  expect_identical(encode(data.frame(a = 100000L, b = 1L))$levels$a, "100000")
})

test_that("row names are kept, automatic ones are not", {
  expect_null(rownames(encode(mixed)$codes))
  expect_identical(rownames(encode(mixed[c(3, 1), 1:2])$codes), c("3", "1"))
  expect_identical(rownames(encode(mtcars[c("cyl", "gear")])$codes), rownames(mtcars))
  named <- matrix(1:4, 2, dimnames = list(c("r", "s"), NULL))
  expect_identical(rownames(suppressWarnings(encode(named))$codes), c("r", "s"))
})

test_that("254 levels are the most an item can have", {
  expect_length(suppressMessages(encode(data.frame(a = 1:254, b = 1)))$levels$a, 254)
  expect_error(
    encode(data.frame(b = 1, id = 1:255)), "id has 255.*identifier", class = "mdpd_error_data"
  )
  expect_error(
    encode(data.frame(task = 1:255, who = 1:5, answer = 1:3)), "crowd_labels",
    class = "mdpd_error_data"
  )
})

# Weights ------------------------------------------------------------------------------------------

test_that("weights are checked and kept as plain doubles", {
  expect_identical(encode(mixed, weights = c(1L, 2L, 0L, 1L))$weights, c(1, 2, 0, 1))
  expect_error(encode(mixed, weights = 1:3), "`weights`.*4 rows", class = "mdpd_error_argument")
})

test_that("rows of weight zero add no level, as if they were left out", {
  table <- data.frame(a = c("x", "y", "z"), b = factor(c("u", "v", "w"), levels = c("w", "v", "u")))
  coded <- suppressWarnings(encode(table, weights = c(1, 0, 2)))
  expect_identical(coded$levels, suppressWarnings(encode(table[c(1, 3), ]))$levels)
  expect_identical(as.integer(coded$codes[, "a"]), c(1L, 0L, 2L))
})

# Missing values -----------------------------------------------------------------------------------

test_that('missing = "level" makes NA a level, last, only where there is one', {
  coded <- encode(mixed, missing = "level")
  expect_identical(coded$levels$factor, c("low", "high", "(missing)"))
  expect_identical(coded$levels$string, c("A", "B", "a", "b"))
  expect_identical(decode(coded)[4, "whole"], c(whole = "(missing)"))
  expect_false(any(coded$codes == as.raw(0)))
})

test_that("missing cells of rows of weight zero count as if these were left out", {
  table <- data.frame(a = c(NA, "x", "y", "x"), b = c("u", NA, "v", "u"), c = c("z", "p", "q", "p"))
  coded <- suppressWarnings(encode(table, weights = c(0, 1, 1, 1), missing = "level"))
  without <- suppressWarnings(encode(table[-1, ], missing = "level"))
  expect_identical(coded$levels, without$levels)
  expect_identical(unname(coded$codes[-1, ]), unname(without$codes))
  expect_identical(as.integer(coded$codes[1, ]), c(0L, 1L, 0L))
  # A level of such rows only is no missing cell; one that is missing is counted.
  complete <- table[2:4, ]
  complete$b[1] <- "w"
  expect_silent(suppressWarnings(encode(complete, weights = c(0, 1, 1), missing = "fail")))
  expect_error(encode(table, weights = c(0, 1, 1, 1), missing = "fail"), "It has 1;.*2 in all",
               class = "mdpd_error_missing_value")
})

test_that('missing = "level" is an error where a level has that name already', {
  table <- data.frame(a = c("(missing)", NA), b = 1:2)
  expect_error(
    encode(table, missing = "level"), "a must not have a level", class = "mdpd_error_data"
  )
})

test_that('missing = "fail" names the first column with NA and counts the cells', {
  expect_error(
    encode(mixed[5:1], missing = "fail"), "logical must have no missing.*It has 1;.*4 in all",
    class = "mdpd_error_missing_value"
  )
  complete <- data.frame(a = 1:2, b = c("u", "u"))
  expect_identical(encode(complete, missing = "fail")$codes, encode(complete)$codes)
})

test_that('missing = "frozen" codes as "ignore" does', {
  expect_identical(encode(mixed, missing = "frozen")$codes, encode(mixed)$codes)
  expect_error(encode(mixed, missing = "drop"), "`missing` must be", class = "mdpd_error_argument")
})

# Bad tables ---------------------------------------------------------------------------------------

test_that("things that are not tables are errors", {
  for (x in list(1:3, "a", NULL, list(a = 1, b = 2), mean, array(1, c(2, 2, 2)))) {
    expect_error(encode(x), "`x` must be a data frame, a matrix or", class = "mdpd_error_argument")
  }
})

test_that("tables without rows or with fewer than two columns are errors", {
  expect_error(encode(mixed[0, ]), "at least one row", class = "mdpd_error_data")
  expect_error(encode(mixed[, 0]), "must have columns", class = "mdpd_error_data")
  expect_error(encode(matrix(1, 0, 0)), "at least one row", class = "mdpd_error_data")
  expect_error(encode(mixed["whole"]), "two columns.*one, whole", class = "mdpd_error_data")
})

test_that("columns without a name or with the same name are errors", {
  table <- data.frame(a = 1, b = 2, c = 3)
  expect_error(
    encode(stats::setNames(table, c("a", "b", "a"))), "2 columns a", class = "mdpd_error_data"
  )
  expect_error(
    encode(stats::setNames(table, c("a", "", "c"))), "Column 2 has", class = "mdpd_error_data"
  )
  expect_error(
    encode(stats::setNames(table, c("a", "b", NA))), "Column 3 has", class = "mdpd_error_data"
  )
  expect_error(encode(`attr<-`(table, "names", NULL)), "Column 1 has", class = "mdpd_error_data")
  # What is first may be names of rows.
  hint <- "row.names = FALSE"
  expect_error(encode(stats::setNames(table, c("", "b", "c"))), hint, fixed = TRUE)
  second <- expect_error(encode(stats::setNames(table, c("a", "", ""))), "Column 2 has")
  expect_no_match(conditionMessage(second), hint, fixed = TRUE)
  long <- stats::setNames(table, c("a", strrep("b", 10001), "c"))
  expect_error(encode(long), "at most 10,000 bytes", class = "mdpd_error_data")
  expect_silent(check_name_lengths(c("a", strrep("b", 10000)), "Names", NULL))
  expect_error(check_name_lengths(c("a", strrep("b", 10001)), "Names", NULL), "has 10,001",
               class = "mdpd_error_data")
})

test_that("columns of another length and damaged factors are errors, one dimension is none", {
  table <- structure(list(a = 1:2, b = 1L, c = 1:2), class = "data.frame", row.names = 1:2)
  expect_error(encode(table), "each of its 2 rows.*Column 2 has 1", class = "mdpd_error_data")
  table$b <- structure(1:2, levels = "u", class = "factor")
  expect_error(encode(table), "Column b .*a damaged factor", class = "mdpd_error_data")
  for (x in list(factor(c("u", NA)), factor(c("v", "u")), factor(character()))) {
    expect_true(is_sound_factor(x))
  }
  codes_and_levels <- list(list(0:1, c("u", "v")), list(c(3L, NA), c("u", "v")), list(1:2, 1:2),
                           list(1:2, NULL))
  for (x in codes_and_levels) {
    expect_false(is_sound_factor(`oldClass<-`(`attr<-`(x[[1]], "levels", x[[2]]), "factor")))
  }
  table$b <- array(c("u", "v"))
  expect_identical(suppressWarnings(encode(table))$levels$b, c("u", "v"))
})

test_that("columns that hold no categories are errors that name them", {
  bad <- list(
    "a list" = list(1, 2),
    "dates or times" = as.Date("2020-01-01") + 0:1,
    "dates or times" = as.POSIXct("2020-01-01", tz = "UTC") + 0:1,
    "dates or times" = as.POSIXlt("2020-01-01", tz = "UTC") + 0:1,
    "dates or times" = as.difftime(1:2, units = "mins"),
    "values of type complex" = complex(2),
    "values of type raw" = raw(2),
    "a table of its own" = matrix(1:4, 2),
    "a table of its own" = data.frame(u = 1:2, v = 1:2),
    "64-bit integers" = structure(c(1, 2), class = "integer64")
  )
  for (i in seq_along(bad)) {
    table <- data.frame(a = 1:2)
    table$odd <- bad[[i]]
    expect_error(
      encode(table), paste0("Column odd of `table` must hold categories.*", names(bad)[i]),
      class = "mdpd_error_data"
    )
  }
  expect_error(encode(table), "as.integer.*CAST")  # the last of them
  expect_error(encode(matrix(list(1), 2, 2)), "Column V1.*a list", class = "mdpd_error_data")
  expect_error(encode(matrix(1i, 2, 2)), "Column V1.*complex", class = "mdpd_error_data")
})

test_that("fractions, NaN and infinite values are errors that name column and row", {
  with_odd <- function(value) data.frame(a = 1:3, odd = c(1, NA, value))
  expect_error(encode(with_odd(1.5)), "Column odd.*Row 3 is 1.5.*cut", class = "mdpd_error_data")
  expect_error(encode(with_odd(NaN)), "Column odd.*Row 3 is NaN.*NA", class = "mdpd_error_data")
  expect_error(encode(with_odd(Inf)), "Column odd.*Row 3 is Inf.*NA", class = "mdpd_error_data")
})

test_that("a column without an observed value is an error", {
  expect_error(
    encode(data.frame(a = 1:2, empty = NA)), "Column empty must have an observed value",
    class = "mdpd_error_data"
  )
  expect_error(
    encode(data.frame(a = 1:2, empty = c(NA, 1)), weights = c(1, 0)), "empty.*weight zero",
    class = "mdpd_error_data"
  )
  expect_error(
    encode(data.frame(a = 1:2, empty = factor(c(NA, NA), "u")), missing = "level"), "empty",
    class = "mdpd_error_data"
  )
  expect_error(
    encode(data.frame(a = 1:2, empty = c(NA, 1), none = NA), weights = c(2, 0)),
    "Column empty.*weight zero", class = "mdpd_error_data"
  )
})

test_that("an error carries the user's call and the name of the item", {
  fit <- function(data) encode(data)
  error <- expect_error(fit(data.frame(a = 1:2, odd = c(0.5, 1))), "of `data`")
  expect_identical(rlang::call_name(error$call), "fit")
  expect_identical(error$item, "odd")
})

test_that("numbers and factors are coded as value by value", {
  set.seed(1)
  draw <- function(values, n = 400) sample(values, n, replace = TRUE)
  kinds <- list(
    small = draw(c(1:5, NA)), double = draw(c(3, -1, 0, NA)), far = draw(c(1L, 1000L, NA)),
    huge = draw(c(2^31, 2^31 + 1)), large = draw(c(100000, 100001)),
    flag = draw(c(TRUE, FALSE, NA)),
    none = rep(NA_integer_, 400), bytes = as.integer(draw(1:254)), year = draw(1890:2020),
    factor = factor(draw(c("b", "a", NA)), c("c", "b", "a")), ordered = ordered(draw(c("x", "y"))),
    na_level = addNA(factor(draw(c("x", NA)))), word = draw(c("b", "a", NA)),
    most = draw(c(.Machine$integer.max, .Machine$integer.max - 1L)),
    least = draw(c(-.Machine$integer.max, 1L)), named = stats::setNames(draw(1:2), 1:400),
    labelled = structure(draw(c(1, 2)), labels = c(no = 1, yes = 2), class = "haven_labelled")
  )
  expect_coded <- function(x, columns) {
    coded <- code_table(x, NULL)
    twin <- lapply(columns, code_values)
    expect_identical(unname(coded$levels), unname(lapply(twin, `[[`, "levels")))
    expect_identical(
      unname(coded$codes), matrix(as.raw(unlist(lapply(twin, `[[`, "codes"))), nrow(x))
    )
    expect_identical(dimnames(coded$codes), list(NULL, names(coded$levels)))
  }
  expect_coded(structure(kinds, class = "data.frame", row.names = .set_row_names(400)), kinds)
  for (matrix in list(cbind(kinds$small, kinds$year), cbind(kinds$double, kinds$small),
                      cbind(kinds$flag, kinds$flag), cbind(kinds$word, "k"),
                      cbind(kinds$double, kinds$huge))) {
    expect_coded(matrix, apply(matrix, 2, identity, simplify = FALSE))
  }
})

test_that("answers of items and rows are counted as cell by cell", {
  set.seed(2)
  codes <- matrix(as.raw(sample(0:2, 300, TRUE)), 30, dimnames = list(NULL, letters[1:10]))
  seen <- codes != as.raw(0)
  expect_identical(n_observed(codes), colSums(seen))
  expect_identical(n_observed(codes, rep(1, 30)), colSums(seen))
  weights <- stats::runif(30)
  expect_equal(n_observed(codes, weights), colSums(weights * seen))
  expect_identical(core_answers_of_rows(codes), as.integer(rowSums(seen)))
})

# Repeated items -----------------------------------------------------------------------------------

test_that("an item that divides the rows as another does is named in a warning", {
  again <- function(x) rep(x, 10)
  table <- data.frame(a = again(c(1, 2, NA, 2)), b = again(c(1, 1, 2, 2)),
                      c = again(c("y", "x", NA, "x")), d = "k")
  warning <- expect_warning(
    encode(table), "1 item repeats another exactly: c \\(of a\\)",
    class = "mdpd_warning_duplicated_items"
  )
  expect_identical(warning$items, "c")
  table$e <- rev(table$b)
  expect_warning(encode(table), "2 items repeat.*c \\(of a\\) and e \\(of b\\)")
})

test_that("empty strings are an answer, with one warning that names the items", {
  table <- data.frame(a = c("y", "", "n", ""), b = c("u", "v", " ", NA), c = c(1, 2, 1, 2))
  warning <- expect_warning(
    coded <- encode(table), "in 2 items are taken for an answer, 3 in all",
    class = "mdpd_warning_blank_level"
  )
  expect_identical(warning$items, c("a", "b"))
  expect_identical(coded$levels$a, c("", "n", "y"))
  expect_identical(decode(coded)[, c("a", "b")], as.matrix(table[c("a", "b")]))
  expect_identical(encode_new(table, coded$levels)$codes, coded$codes)
  filled <- suppressWarnings(encode(table, missing = "level"), "mdpd_warning_blank_level")
  expect_identical(filled$levels$b, c(" ", "u", "v", "(missing)"))
  expect_warning(encode(data.frame(a = c("", " ", "x", ""), b = 1:2)),
                 "in 1 item .* 3 in all", class = "mdpd_warning_blank_level")
  table[] <- lapply(table, function(x) replace(x, trimws(x) == "", NA))
  expect_warning(encode(table), NA)
})

test_that("a column with another value in each row is told of, as it may name the rows", {
  table <- data.frame(id = 101:110, a = 1:2, name = letters[1:10])
  message <- expect_message(coded <- encode(table), class = "mdpd_message_id_column")
  expect_match(conditionMessage(message), "2 columns .*are taken for\\s+items:\\s+id and name\\.")
  expect_identical(unname(lengths(coded$levels)), c(10L, 2L, 10L))
  expect_message(encode(table[1:9, ]), NA)
  expect_message(encode(transform(table, id = 1, name = replace(name, 2, "a"))), NA)
})

test_that("rare answers of the same rows by chance are not told of, a copy beside them is", {
  rare <- with_seed(77, sapply(stats::rbeta(600, 0.5, 2), stats::rbinom, n = 200, size = 1))
  colnames(rare) <- paste0("species_", 1:600)
  expect_gt(length(duplicated_items(encode(rare)$codes, rep(2L, 600))), 3)
  expect_warning(encode(rare), NA)
  common <- rare[, which.max(colSums(rare) * colSums(1 - rare))]
  warning <- expect_warning(encode(cbind(rare, copy = common)),
                            class = "mdpd_warning_duplicated_items")
  expect_identical(warning$items, "copy")
})

test_that("as many pairs are alike by chance as there are ways to divide the rows", {
  every <- as.matrix(expand.grid(rep(list(1:3), 7)))
  ways <- function(sizes) {
    fits <- apply(every, 1, function(x) identical(sort(tabulate(x, 3)), sort(sizes)))
    nrow(unique(t(apply(every[fits, ], 1, function(x) match(x, unique(x))))))
  }
  for (sizes in list(c(3L, 2L, 2L), c(4L, 2L, 1L), c(5L, 1L, 1L))) {
    expect_equal(exp(log_ways_to_divide(sizes)), ways(sizes))
  }
  # 20 rows in two halves: 92378 ways, a thousandth is between the pairs of 14 and of 15 items.
  expect_false(are_alike_by_chance(list(c(10, 10)), 14))
  expect_true(are_alike_by_chance(list(c(10, 10)), 15))
  expect_identical(are_alike_by_chance(list(), 3), logical())
})

test_that("constant items and items that differ in one cell are not repeated", {
  expect_no_warning_in <- function(table) expect_warning(encode(table), NA)
  expect_no_warning_in(data.frame(a = "k", b = "k", c = 1:3))
  expect_no_warning_in(data.frame(a = c(1, 2, NA), b = c(1, 2, 1)))
  expect_no_warning_in(data.frame(a = c(1, 2, 1, 2), b = c(1, 2, 2, 1)))
})

test_that("duplicated_items agrees with comparing all pairs of items", {
  set.seed(1)
  codes <- matrix(as.raw(sample(0:2, 4 * 60, replace = TRUE)), 4)
  found <- duplicated_items(codes, rep(2L, 60))
  partition <- apply(codes, 2, function(x) {
    x <- as.integer(x)
    paste(match(x, setdiff(unique(x), 0L), nomatch = 0L), collapse = "")
  })
  expect_identical(as.integer(names(found)), which(duplicated(partition)))
  expect_identical(partition[unname(found)], partition[duplicated(partition)])
})

test_that("workers of a crowd may repeat each other", {
  crowd <- crowd_labels(expand.grid(item = 1:3, worker = 1:2, label = "a"))
  expect_warning(encode(crowd), NA)
})

# Crowds -------------------------------------------------------------------------------------------

triples <- data.frame(
  item = c("i2", "i1", "i2", "i10"), worker = c(2, 1, 1, 10), label = c("no", "yes", "yes", "yes")
)

test_that("a crowd is coded items by workers with one label set for all", {
  coded <- encode(crowd_labels(triples))
  expect_identical(dimnames(coded$codes), list(c("i1", "i10", "i2"), c("1", "2", "10")))
  expect_identical(
    unname(decode(coded)), rbind(c("yes", NA, NA), c(NA, NA, "yes"), c("yes", "no", NA))
  )
  expect_true(all(vapply(coded$levels, identical, logical(1), c("no", "yes"))))
})

test_that("a crowd's missing labels can be a level or an error", {
  crowd <- crowd_labels(triples)
  expect_identical(encode(crowd, missing = "level")$levels$`1`, c("no", "yes", "(missing)"))
  expect_error(
    encode(crowd, missing = "fail"), "Worker 1 must have no missing.*5 in all",
    class = "mdpd_error_missing_value"
  )
})

test_that("a crowd of one worker or with a worker of weight zero is an error", {
  expect_error(encode(crowd_labels(triples[1, ])), "two workers", class = "mdpd_error_data")
  expect_error(
    encode(crowd_labels(triples), weights = c(1, 0, 1)), "Worker 10 must have",
    class = "mdpd_error_data"
  )
})

# New data -----------------------------------------------------------------------------------------

test_that("coding the training data as new data gives the same codes", {
  for (missing in c("ignore", "level")) {
    coded <- encode(mixed, missing = missing)
    new <- encode_new(mixed, coded$levels, missing = missing)
    expect_identical(new[c("codes", "levels", "weights")], coded[c("codes", "levels", "weights")])
  }
  crowd <- crowd_labels(triples)
  expect_identical(encode_new(crowd, encode(crowd)$levels), encode(crowd))
})

test_that("columns of new data are found by name, extra ones ignored", {
  coded <- encode(mixed)
  new <- encode_new(cbind(extra = Sys.Date(), mixed[5:1]), coded$levels)
  expect_identical(new$codes, coded$codes)
  part <- encode_new(mixed["whole"], coded$levels, items = "whole")
  expect_identical(part$codes, coded$codes[, "whole", drop = FALSE])
})

test_that("a level is recognised whatever the type of the column", {
  levels <- list(a = c("1", "2"), b = c("FALSE", "TRUE"))
  new <- encode_new(data.frame(a = factor(c(2, 1)), b = c("TRUE", NA)), levels)
  expect_identical(decode(new), cbind(a = c("2", "1"), b = c("TRUE", NA)))
})

test_that("new data may have no row, one row or a column of NA", {
  levels <- encode(mixed)$levels
  expect_identical(dim(encode_new(mixed[0, ], levels)$codes), c(0L, 5L))
  expect_identical(dim(encode_new(mixed[4, ], levels)$codes), c(1L, 5L))
  empty <- encode_new(data.frame(a = NA, b = "u"), list(a = "x", b = "u"))
  expect_identical(empty$codes[1, ], c(a = as.raw(0), b = as.raw(1)))
})

test_that("a matrix without column names is matched by position", {
  levels <- list(a = c("1", "2"), b = c("1", "2"))
  expect_identical(decode(encode_new(matrix(c("1", "2"), 1), levels)), cbind(a = "1", b = "2"))
  expect_identical(decode(encode_new(matrix(c("1", "2"), 1), levels, "b")), cbind(b = "2"))
  expect_error(
    encode_new(matrix("1", 1, 3), levels), "must have the 2 columns.*It has 3",
    class = "mdpd_error_missing_item"
  )
})

test_that("new data without a needed column are an error that names it", {
  levels <- encode(mixed)$levels
  error <- expect_error(
    encode_new(mixed[c(1, 2, 4)], levels), "must have the columns whole and logical",
    class = "mdpd_error_missing_item"
  )
  expect_identical(error$items, c("whole", "logical"))
  expect_error(encode_new(1:3, levels), "must be a data frame", class = "mdpd_error_argument")
  bad <- transform(mixed, whole = whole + 0.5)
  expect_error(encode_new(bad, levels), "Column whole", class = "mdpd_error_data")
})

test_that("unseen levels are missing, with one warning for all", {
  levels <- list(a = c("x", "y"), b = c("1", "2"))
  warnings <- capture_warnings(
    coded <- encode_new(data.frame(a = c("x", "{new}"), b = c(7, 9)), levels)
  )
  expect_length(warnings, 1)
  expect_match(warnings, 'a ("{new}") and b ("7" and "9")', fixed = TRUE)
  expect_identical(decode(coded), cbind(a = c("x", NA), b = c(NA_character_, NA)))
  expect_warning(
    encode_new(data.frame(a = "z", b = 1), levels), class = "mdpd_warning_unseen_level"
  )
})

test_that("a missing cell is the level (missing) only for fits that model it so", {
  levels <- list(a = c("x", "(missing)"), b = "u")
  new <- data.frame(a = NA, b = NA)
  expect_identical(as.integer(encode_new(new, levels, missing = "level")$codes), c(2L, 0L))
  expect_identical(as.integer(encode_new(new, levels)$codes), c(0L, 0L))
})

test_that("a new crowd may lack workers and have others", {
  levels <- encode(crowd_labels(triples))$levels
  new <- crowd_labels(data.frame(item = 1:2, worker = c(2, 99), label = c("yes", "no")))
  coded <- encode_new(new, levels)
  expect_identical(dimnames(coded$codes), list(c("1", "2"), c("1", "2", "10")))
  expect_identical(unname(decode(coded)), rbind(c(NA, "yes", NA), NA))
  strangers <- crowd_labels(data.frame(item = 1, worker = "new", label = "no"))
  expect_error(
    encode_new(strangers, levels), "at least one worker of the fit.*new.*1",
    class = "mdpd_error_missing_item"
  )
})

test_that("new data count every row once, and a single worker must be of the fit", {
  crowd <- crowd_labels(triples)
  expect_identical(encode_new(crowd, encode(crowd)$levels)$weights, rep(1, 3))
  expect_error(check_has_workers("a", "b", "x", NULL), "Its first worker is \"a\", the fit's \"b\"",
               class = "mdpd_error_missing_item")
  expect_silent(check_has_workers("a", character(), "x", NULL))
})

test_that("unseen labels are named by worker, of one worker or several", {
  levels <- list(a = c("no", "yes"), b = c("no", "yes"))
  new <- crowd_labels(data.frame(
    item = c(1, 1, 2, 2, 3), worker = c("a", "b", "a", "b", "b"),
    label = c("yes", "maybe", "no", "never", "no")
  ))
  warning <- expect_warning(coded <- encode_new(new, levels), class = "mdpd_warning_unseen_level")
  expect_identical(warning$levels, list(b = c("maybe", "never")))
  expect_identical(unname(decode(coded)), rbind(c("yes", NA), c("no", NA), c(NA, "no")))
})

test_that("answers are sparse where they are less than a tenth of the cells, or one twice", {
  code <- function(n, missing = "ignore", item = rep(1:2, each = 10)) {
    answers_to_codes(rep(1:10, 2)[1:n], item[1:n], rep(1L, n), list(NULL, paste0("w", 1:20)),
                     missing, n_obs = 10)
  }
  expect_true(is_sparse(code(19)))
  expect_false(is_sparse(code(20)))
  expect_false(is_sparse(code(19, "level")))
  expect_identical(as.matrix(code(19)), code(19, "level"))
  few <- list(NULL, c("u", "v"))
  expect_true(is_sparse(answers_to_codes(c(1, 1, 2), c(1, 1, 2), 1:3, few, "ignore", n_obs = 2)))
})

test_that("one label given again is enough to tell that it cannot be of a level", {
  again <- crowd_labels(rbind(triples, triples[1, ]), duplicates = "count")
  for (missing in c("level", "frozen")) {
    expect_error(encode(again, missing = missing), "has 1 such label.", fixed = TRUE,
                 class = "mdpd_error_argument")
  }
})

# Formulas -----------------------------------------------------------------------------------------

formula_items_of <- function(formula, data) formula_table(formula, data, rlang::quo(NULL))$items

test_that("weights of a formula are looked up in the data, and the dot leaves them out", {
  counts <- data.frame(a = 1:2, b = 1:2, n = 3:4)
  n <- 9
  masked <- function(formula, weights) formula_table(formula, counts, rlang::enquo(weights))
  expect_identical(masked(~., n), list(items = counts[1:2], weights = 3:4))
  expect_identical(masked(~., 2 * n), list(items = counts, weights = c(6, 8)))
  expect_identical(masked(~ a + n, n), list(items = counts[c("a", "n")], weights = 3:4))
  expect_identical(masked(~., counts$n)$weights, 3:4)
  expect_identical(masked(~., NULL), list(items = counts, weights = NULL))
  expect_error(masked(~., Freq), "Freq", class = "mdpd_error_argument")
})

test_that("a formula picks columns", {
  expect_identical(formula_items_of(~ whole + factor, mixed), mixed[c("whole", "factor")])
  expect_identical(formula_items_of(~., mixed), mixed)
  expect_identical(formula_items_of(~ . - whole, mixed), mixed[-3])
  odd <- stats::setNames(mixed[1:2], c("my item", "if"))
  expect_identical(formula_items_of(~., odd), odd)
  expect_identical(formula_items_of(~ `my item`, odd), odd["my item"])
  expect_identical(rownames(formula_items_of(~ cyl + am, mtcars)), rownames(mtcars))
})

test_that("bad formulas are errors that say what is wrong", {
  expect_error(
    formula_items_of(whole ~ factor, mixed), "one-sided.*whole", class = "mdpd_error_argument"
  )
  expect_error(
    formula_items_of(~ log(whole), mixed), "not `log\\(whole\\)`", class = "mdpd_error_argument"
  )
  expect_error(formula_items_of(~ whole:factor, mixed), "columns only",
               class = "mdpd_error_argument")
  expect_error(
    formula_items_of(~ whole + nowhere, mixed), "nowhere", class = "mdpd_error_missing_item"
  )
  expect_error(formula_items_of(~., as.matrix(mixed)), "`data` must be",
               class = "mdpd_error_argument")
  expect_error(formula_items_of(~., mixed[0]), "must have columns", class = "mdpd_error_data")
  expect_error(formula_items_of(~., mixed[0, ]), "at least one row", class = "mdpd_error_data")
})

# Values -------------------------------------------------------------------------------------------

test_that("each time has a text of its own, whichever others there are", {
  time <- as.POSIXct("2020-10-24 22:30:00", tz = "UTC") + c(0, 3600 * 1:3, 1e-6, 5400)
  expected <- c("2020-10-24 22:30:00", "2020-10-24 23:30:00", "2020-10-25 00:30:00",
                "2020-10-25 01:30:00", "2020-10-24 22:30:00.000001", "2020-10-25")
  expect_identical(time_text(time), expected)
  expect_identical(vapply(seq_along(time), function(i) time_text(time[i]), ""), expected)
  expect_identical(time_text(time[c(NA, 1)]), c(NA, expected[1]))
  # In Berlin it was half past two twice.
  attr(time, "tzone") <- "Europe/Berlin"
  expect_identical(time_text(time[1:4]), c("2020-10-25 00:30:00", "2020-10-25 01:30:00",
                                           "2020-10-25 02:30:00 CEST", "2020-10-25 02:30:00 CET"))
  day <- as.Date("2020-01-02") - 0:1
  expect_identical(code_values(day), list(codes = 2:1, levels = c("2020-01-01", "2020-01-02")))
  expect_identical(code_values(as.difftime(c(10, 9.5), units = "mins"))$levels, c("9.5", "10"))
})

test_that("numbers that print alike are one level, and whole ones are kept to the last digit", {
  levels_of <- function(...) code_values(...)$levels
  expect_identical(levels_of(c(1, 0.1 + 0.2, 0.3)), c("0.3", "1"))
  expect_identical(levels_of(c(0.1234567890123456, 0.1234567890123464)), "0.123456789012346")
  expect_identical(levels_of(2^53 - 0:1), c("9007199254740991", "9007199254740992"))
  for (x in list(c(NA, 3, -1e15), numeric(), 1:2)) expect_true(all_whole(x))
  for (x in list(c(1, 1.5), c(1, Inf))) expect_false(all_whole(x))
})

test_that("strings are in the order of their letters, of numbers only where that is asked for", {
  levels_of <- function(...) code_values(...)$levels
  expect_identical(levels_of(c("9", "10")), c("10", "9"))
  expect_identical(levels_of(c("9", "10", NA), numbers_first = TRUE), c("9", "10"))
  expect_identical(levels_of(c("9", "10", "x"), numbers_first = TRUE), c("10", "9", "x"))
  for (x in list(c("1", NA), c("-2.5", "+3"), character())) expect_true(is_number_text(x))
  for (x in list(1:2, c("1", "a"), "1.", "1e5")) expect_false(is_number_text(x))
})

test_that("numbers are written as ever, whatever the session has for exponents", {
  for (scipen in c(-9, 99)) {
    withr::local_options(scipen = scipen)
    expect_identical(value_text(c(0.5, 1e-5, 1e5, 2.25)), c("0.5", "1e-05", "100000", "2.25"))
    expect_identical(value_text(123456L), "123456")
    expect_equal(getOption("scipen"), scipen)
  }
})

test_that("numbers are written as ever, whatever the session has for a decimal point", {
  withr::local_options(OutDec = ",")
  expect_identical(value_text(c(0.5, 1e-4, 1e5, 2.25)), c("0.5", "1e-04", "100000", "2.25"))
  expect_identical(getOption("OutDec"), ",")
  expect_identical(crowd_labels(data.frame(item = 1:2, worker = 1:2, label = c(0.5, 1)))$labels,
                   c("0.5", "1"))
  rates <- simulate_spikes(20, 4, n_tuned = 0, n_orientations = 8, seed = 1)$rates
  expect_identical(colnames(rates)[2], "22.5")
})

test_that("64-bit integers are read by bit64, and not at all without", {
  # As they are without its methods: tiny numbers.
  ids <- structure(c(1, 2) * 2^-1074, class = "integer64")
  triples <- structure(list(item = ids, worker = 1:2, label = 1:2), class = "data.frame",
                       row.names = 1:2)
  if (rlang::is_installed("bit64")) {
    expect_identical(crowd_labels(triples)$items, c("1", "2"))
  } else {
    expect_error(crowd_labels(triples), "bit64", class = "rlib_error_package_not_found")
  }
})

test_that("without weights of zero no level is dropped, seen or not", {
  coded <- list(codes = matrix(as.raw(c(1, 2, 1)), 3), levels = list(c("a", "b", "never")))
  expect_identical(drop_unweighted_levels(coded, c(1, 2, 1)), coded)
  expect_identical(drop_unweighted_levels(coded, c(1, 0, 1))$levels, list("a"))
})
