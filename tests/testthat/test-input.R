# ---- the same data in another form ---------------------------------------------------------------

test_that("matrix, data frame, tibble and data.table are the same data", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  as_class <- function(...) `class<-`(x, c(..., "data.frame"))
  strings <- as.data.frame(lapply(x, as.character))
  forms <- list(as_class("tbl_df", "tbl"), as_class("data.table"), strings, as.matrix(x),
                as.data.frame(lapply(x, ordered)))
  for (form in forms) {
    expect_identical(without(stagewise_em(form, k = 2), "call"), without(fit, "call"))
  }
})

test_that("integers, doubles, strings and factors are the same data, logicals but for names", {
  codes <- as.data.frame(lapply(as.data.frame(as.matrix(small_crowd()$labels)), `==`, "1"))
  codes[] <- lapply(codes, as.integer)
  fit <- stagewise_em(codes, k = 2)
  forms <- list(
    as.matrix(codes),
    as.data.frame(lapply(codes, as.double)),
    as.data.frame(lapply(codes, as.character)),
    as.data.frame(lapply(codes, factor)),
    as.data.frame(lapply(codes, factor, levels = -1:5)),  # levels that no row has
    as.data.frame(lapply(codes, factor, levels = c("0", "a", NA, "1"), exclude = NULL))
  )
  for (form in forms) {
    expect_identical(without(stagewise_em(form, k = 2), "call"), without(fit, "call"))
  }
  logical <- stagewise_em(as.data.frame(lapply(codes, as.logical)), k = 2)
  expect_identical(rownames(logical$item_probs[[1]]), c("FALSE", "TRUE"))
  expect_identical(without(logical, "call", "item_probs", "coded"),
                   without(fit, "call", "item_probs", "coded"))
})

test_that("columns of several types stand side by side", {
  x <- answers()
  mixed <- x
  mixed$item_1 <- x$item_1 == levels(x$item_1)[2]
  mixed$item_2 <- as.integer(x$item_2)
  mixed$item_3 <- as.character(x$item_3)
  mixed$item_4 <- as.double(as.integer(x$item_4)) * 1e6
  fit <- stagewise_em(mixed, k = 2)
  expect_equal(fit$posterior, stagewise_em(x, k = 2)$posterior)
  expect_identical(rownames(fit$item_probs$item_1), c("FALSE", "TRUE"))
  expect_identical(rownames(fit$item_probs$item_2), c("1", "2", "3"))
  expect_identical(rownames(fit$item_probs$item_4), c("1000000", "2000000"))
})

test_that("columns with odd class attributes do not break a fit", {
  x <- answers()
  odd <- x
  odd$item_1 <- structure(as.integer(x$item_1), class = c("units", "odd"), unit = "m")
  odd$item_2 <- structure(as.character(x$item_2), class = "labelled", label = "a question")
  expect_equal(stagewise_em(odd, k = 2)$posterior, stagewise_em(x, k = 2)$posterior)
})

test_that("a formula is the same as the columns it names", {
  x <- answers()
  same <- function(formula, columns) {
    expect_identical(without(stagewise_em(formula, k = 2, data = x), "call"),
                     without(stagewise_em(x[columns], k = 2), "call"))
  }
  same(~., names(x))
  same(~ item_3 + item_1 + item_2 + item_5, c("item_3", "item_1", "item_2", "item_5"))
  same(~ . - item_8, names(x)[1:7])
  x$`a name` <- x$item_1
  x$item_1 <- NULL
  same(~ `a name` + item_2 + item_3, c("a name", "item_2", "item_3"))
})

test_that("a formula takes the arguments of a fit", {
  x <- with_gaps(answers())
  fit <- stagewise_em(~., k = 2, data = x, method = "paper", refine = "none", missing = "frozen",
                      weights = rep(2, 300))
  expect_identical(unclass(fit)[c("method", "refine", "missing", "nobs")],
                   list(method = "paper", refine = "none", missing = "frozen", nobs = 600))
})

test_that("an offset is no item", {
  expect_error(stagewise_em(~ offset(item_1) + item_2 + item_3, k = 2, data = answers(20)),
               "columns only, not `offset\\(item_1\\)`", class = "mdpd_error_argument")
})

test_that("a formula may name the one column of its data, and the first it cannot read is told", {
  weights <- rlang::quo(NULL)
  one <- formula_table(~ a, data.frame(a = c(1, 2, 1)), weights)
  expect_identical(one, list(items = data.frame(a = c(1, 2, 1)), weights = NULL))
  x <- data.frame(a = 1:2, b = 1:2, c = 1:2)
  expect_error(formula_table(~ a + log(b) + exp(c), x, weights), "columns only, not `log\\(b\\)`",
               class = "mdpd_error_argument")
  expect_error(formula_table(~ . - d, x, weights), "column d", class = "mdpd_error_missing_item")
  expect_error(formula_table(~ a, x[0], weights), class = "mdpd_error_data")
})

test_that("a table of counts is fitted by formula as its rows written out", {
  counts <- as.data.frame(Titanic)
  counted <- stagewise_em(~., k = 2, data = counts, weights = Freq)
  written_out <- stagewise_em(counts[rep(seq_len(32), counts$Freq), 1:4], k = 2)
  expect_equal(counted$item_probs, written_out$item_probs)
  expect_named(mdpd(~., k = 2, data = counts, weights = Freq)$item_probs, names(counts)[1:4])
})

test_that("a crowd is the same as its table of items by workers", {
  crowd <- small_crowd(missing = 0.3)$labels
  fit <- stagewise_em(crowd, k = 2)  # 3 labels, so components carry no labels' names
  skip <- c("call", "labels", "coded")
  # By evidence the workers of a crowd are alike, the items of a table are not.
  by_bic <- stagewise_control(criterion = "bic")
  expect_equal(without(stagewise_em(as.matrix(crowd), k = 2, control = by_bic), skip),
               without(stagewise_em(crowd, k = 2, control = by_bic), skip))
  expect_identical(fit$labels, c("1", "2", "3"))
})

test_that("row names are kept, automatic ones are none", {
  x <- answers()
  expect_null(rownames(stagewise_em(x, k = 2)$posterior))
  rownames(x) <- paste0("person_", 300:1)
  expect_identical(rownames(stagewise_em(x, k = 2)$posterior), rownames(x))
  expect_identical(rownames(stagewise_em(as.matrix(x), k = 2)$posterior), rownames(x))
  crowd <- small_crowd()$labels
  expect_identical(rownames(stagewise_em(crowd, k = 3)$posterior), crowd$items)
})

# ---- odd items -----------------------------------------------------------------------------------

test_that("a constant item is kept, never informative and changes nothing", {
  x <- answers()
  for (method in c("robust", "paper")) {
    for (refine in c("sparse", "full", "none")) {
      plain <- stagewise_em(x, k = 2, method = method, refine = refine)
      fit <- stagewise_em(cbind(constant = "yes", x), k = 2, method = method, refine = refine)
      expect_false("constant" %in% fit$informative)
      expect_equal(unname(fit$item_probs$constant), matrix(1, 1, 2))
      expect_lt(fit$item_information[["constant"]], 1e-12)  # a sum of doubles of size one
      expect_equal(fit$loglik, plain$loglik, tolerance = fit_tolerance)
      expect_equal(fit$penalised_loglik, plain$penalised_loglik, tolerance = fit_tolerance)
      expect_equal(fit$df, plain$df)
      expect_equal(fit$posterior, plain$posterior, tolerance = fit_tolerance)
    }
  }
})

test_that("an item that repeats another is a classed warning that names both", {
  x <- answers()
  x$copy <- x$item_2
  expect_snapshot(show_conditions(
    fit <- stagewise_em(x, k = 2, method = "paper", refine = "none")
  ))
  expect_identical(dim(fit$posterior), c(300L, 2L))
})

test_that("254 levels can be fitted and 255 cannot", {
  x <- data.frame(a = rep(1:254, 2), b = rep(c("u", "v"), each = 254), c = rep(1:4, 127))
  expect_identical(dim(stagewise_em(x, k = 1)$item_probs$a), c(254L, 1L))
  expect_identical(nrow(suppressWarnings(stagewise_em(x, k = 2))$item_probs$a), 254L)
  x$a[1] <- 255L
  x <- rbind(x, data.frame(a = 256L, b = "u", c = 1L))
  expect_error(stagewise_em(x, k = 1), "at most 254 levels", class = "mdpd_error_data")
})

test_that("a column of counts beside categories is told from an item by a message", {
  counts <- as.data.frame(table(answers()[c("item_1", "item_2", "item_3", "item_4")]))
  said <- "mdpd_message_count_column"
  expect_message(with_count <- mdpd(counts, k = 2), "weights = Freq", class = said)
  expect_true("Freq" %in% names(with_count$item_probs))
  expect_message(stagewise_em(~., k = 1, data = counts), class = said)
  counts$n <- counts$Freq
  counts$Freq <- NULL
  expect_message(stagewise_em(counts, k = 1), "weights = n", class = said)
  expect_silent(fit <- stagewise_em(~., k = 2, data = counts, weights = n))
  expect_false("n" %in% names(fit$item_probs))
  # Beside categories only, whether rows occur again or not.
  parts <- data.frame(a = c("x", "x", "y"), b = c("u", "u", "v"), n = c(1, 2, 3))
  expect_message(stagewise_em(parts, k = 1), "weights = n", class = said)
  # Among other numbers, as a category, or as the name of an item it says nothing.
  expect_silent(stagewise_em(transform(answers(), n = factor(rep(1:2, 150))), k = 2))
  numbers <- transform(answers(), n = rep(1:2, 150), m = rep(2:1, each = 150))
  expect_silent(stagewise_em(numbers, k = 2))
})

test_that("a column of counts beside numbers, and in a matrix, is told too", {
  said <- "mdpd_message_count_column"
  counts <- as.data.frame(table(answers()[c("item_1", "item_2", "item_3", "item_4")]))
  numbers <- as.data.frame(lapply(counts, as.integer))
  numbers$Freq <- numbers$Freq + 3L
  names(numbers)[5] <- "n"
  expect_message(mdpd(numbers, k = 1), "weights = n", class = said)
  expect_message(mdpd(as.matrix(numbers), k = 1), class = said)
  expect_message(mdpd(as.matrix(counts), k = 1), "weights = Freq", class = said)
  # Before an infinite value is an error.
  infinite <- transform(numbers, item_1 = replace(item_1, 1, Inf))
  expect_message(try(mdpd(infinite, k = 1), silent = TRUE), class = said)
  # An item of that name like the others, or beside rows that occur again, is one.
  small <- replace(numbers, "n", rep(c(1, 2, 2, 1, 2), length.out = nrow(numbers)))
  expect_message(mdpd(small, k = 1), NA, class = said)
  expect_message(mdpd(as.matrix(small), k = 1), NA, class = said)
  expect_message(mdpd(rbind(numbers, numbers), k = 1), NA, class = said)
})

test_that("counts beside numbers are larger than all of them, those beside a category need not", {
  is_told <- function(..., n) counts_rows(data.frame(..., n = n), ...length() + 1)
  expect_true(is_told(a = c("x", "y"), n = c(3, 4)))
  expect_false(is_told(a = c(1, 4), n = c(3, 4)))
  expect_true(is_told(a = c(1, 4), n = c(3, 5)))
  expect_false(is_told(a = c(1, 4), n = c(3, 5.5)))
  expect_false(is_told(a = c("x", "y"), b = c(1, 4), n = c(3, 4)))
  expect_true(is_told(a = c("x", "y"), b = c(1, 4), n = c(3, 5)))
  # A category is no count, and a number with labels for its values is a category.
  expect_false(is_told(a = c("x", "y"), n = c("u", "v")))
  labelled <- structure(c(7, 8), labels = c(no = 7, yes = 8), class = "haven_labelled")
  table <- structure(list(a = labelled, n = c(3, 4)), class = "data.frame", row.names = 1:2)
  expect_true(counts_rows(table, 2))
  expect_false(counts_rows(table[2:1], 2))
})

test_that("the empty string is a level and a label as any other", {
  crowd <- simulate_crowd(n_items = 100, n_workers = 6, n_labels = 2, accuracy = rep(0.8, 6),
                          seed = 1)
  triples <- as.data.frame(crowd$labels)
  named <- function(label) {
    levels(triples$label) <- c(label, "b")
    crowd_labels(triples)
  }
  # Both sort before "b".
  pairs <- lapply(c("", "a"), function(label) {
    x <- named(label)
    table <- suppressWarnings(mdpd(as.data.frame(as.matrix(x)), k = 2), "mdpd_warning_blank_level")
    list(x = x, table = table, crowd = mdpd(x, k = 2), kinds = stagewise_em(x, k = 3))
  })
  same <- function(of) {
    plain <- function(x) unlist(Filter(is.numeric, as.list(x)), use.names = FALSE)
    # The kinds of so few workers are more than their answers tell.
    found <- suppressWarnings(lapply(pairs, function(pair) plain(of(pair))),
                              "mdpd_warning_not_identified")
    expect_identical(found[[1]], found[[2]])
    expect_false(anyNA(found[[1]]) || length(found[[1]]) == 0)
  }
  same(function(fits) align_components(fits$table, fits$table)$item_probs)
  same(function(fits) bootstrap(fits$table, n = 2)["estimates"])
  same(function(fits) list(error_rate(fits$crowd, crowd$truth, align = TRUE)))
  for (kind in c("crowd", "kinds")) {
    same(function(fits) list(vcov(fits[[kind]])[1:2, 1:2]))
    same(function(fits) confusion(fits[[kind]]))
    same(function(fits) item_quality(fits[[kind]])[c("probability", "gain", "best_gain")])
    same(function(fits) certainty_counts(fits[[kind]])["rows"])
    same(function(fits) goodness_of_fit(fits[[kind]], n = 3)$statistics)
  }
  below <- stats::setNames(c("(1 %)", "(2 %)"), c("", "b"))
  expect_match(side_labels(side_names(names(below), 0.4, 8, below))(""), "(1 %)", fixed = TRUE)
})
