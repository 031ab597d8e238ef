# What stands in `data` beside a fit must be its rows, in their order.

items <- answers(200)
fit <- stagewise_em(items, k = 2)
side <- with_seed(1, data.frame(z = stats::rnorm(200), g = sample(c("a", "b"), 200, TRUE)))
table <- cbind(items, side)
sorted <- table[order(table$z), ]

expect_refused <- function(code) {
  expect_error(code, "must be those of the fit, in the same order", class = "mdpd_error_argument")
}

# Every function that has `data` or a value a row.
refuses <- function(data, fitted = fit) {
  expect_refused(augment(fitted, data))
  expect_refused(class_regression(fitted, ~ z, data))
  expect_refused(distal_outcome(fitted, z, data))
}

takes <- function(data, fitted = fit) {
  expect_no_error(augmented <- augment(fitted, data))
  expect_identical(as.character(augmented$.class), as.character(predict(fitted)))
  expect_no_error(class_regression(fitted, ~ z, data))
  expect_no_error(distal_outcome(fitted, z, data))
}

test_that("sorted rows are refused, whatever the table is", {
  takes(table)
  refuses(sorted)
  refuses(`rownames<-`(sorted, NULL))
  refuses(sorted["z"])
  # Two rows that were exchanged are enough.
  at <- which(items$item_2 != items$item_2[1] & items$item_1 == items$item_1[1])[1]
  refuses(`rownames<-`(table[replace(1:200, c(1, at), c(at, 1)), ], NULL))
  if (rlang::is_installed("tibble")) refuses(tibble::as_tibble(sorted))
  if (rlang::is_installed("dplyr")) {
    takes(dplyr::group_by(table, g))
    refuses(dplyr::arrange(table, z))
    refuses(dplyr::group_by(dplyr::arrange(table, z), g))
  }
  matrix <- as.matrix(items)
  of_matrix <- stagewise_em(matrix, k = 2)
  expect_no_error(augment(of_matrix, matrix))
  expect_no_error(augment(of_matrix, matrix[, 8:1]))
  expect_refused(augment(of_matrix, matrix[200:1, 8:1]))
  expect_refused(augment(of_matrix, matrix[200:1, ]))
})

test_that("rows whose names are not those of the fit are refused, without any answers", {
  ids <- paste0("r", 1:200)
  named <- stagewise_em(`rownames<-`(items, ids), k = 2)
  beside <- function(names) `row.names<-`(side, names)
  expect_no_error(augment(named, beside(ids)))
  expect_error(augment(named, beside(replace(ids, 7, "other"))), "Row 7 is \"other\", .*\"r7\"",
               class = "mdpd_error_argument")
  expect_refused(augment(named, beside(rev(ids))))
})

test_that("two rows that changed places are refused if one item tells them apart", {
  # Of three levels each.
  few <- items[c("item_2", "item_5")]
  of_few <- suppressWarnings(mdpd(few, 2))
  other <- which(few$item_2 != few$item_2[1] & few$item_5 == few$item_5[1])[1]
  exchange <- function(x) `rownames<-`(x[replace(1:200, c(1, other), c(other, 1)), ], NULL)
  expect_refused(augment(of_few, exchange(few)))
  expect_error(augment(of_few, exchange(few)), "item_2 of row 1 is")
  # Where the levels of an item are others, these may be two answers that were mended.
  expect_no_error(augment(of_few, transform(exchange(few), item_5 = LETTERS[item_5])))
})

# Rows of which each answer is another.
with_other_answers <- function(rows) {
  table[rows, names(items)] <- lapply(items[rows, ], function(x) {
    levels(x)[as.integer(x) %% nlevels(x) + 1]
  })
  table
}

test_that("answers may be others in a tenth of the rows, and not in more", {
  takes(with_other_answers(1:20))
  refuses(with_other_answers(1:21))
  # Recoded by levels that are in part the same, they are not more.
  renamed <- with_other_answers(1:20)
  renamed[names(items)] <- lapply(renamed[names(items)], function(x) letters[as.integer(x) + 1])
  takes(renamed)
})

test_that("other answers are found whatever a further item says", {
  other <- answers(200, seed = 2)
  constant <- rep("x", 200)
  varying <- rep(c("x", "y"), 100)
  for (both in list(list(constant, constant), list(constant, varying), list(varying, constant))) {
    of_both <- stagewise_em(data.frame(items, more = both[[1]]), k = 2)
    expect_refused(augment(of_both, data.frame(other, more = both[[2]])))
  }
  # It may be no column of categories.
  expect_refused(augment(fit, replace(other, "item_1", list(as.list(side$z)))))
  # Nor need there be more than two answers to any item.
  of_two <- names(items)[lengths(lapply(items, levels)) == 2]
  expect_refused(augment(mdpd(items[of_two], 2), other[of_two]))
  # The advice holds: with an item left out there is nothing to compare.
  takes(cbind(other[-1], side))
  # One item that was asked again is none of other rows.
  takes(replace(table, "item_3", other["item_3"]))
})

# Three items of two levels, "a" and "b", in four rows.
coded <- coded_from_codes(cbind(c(1, 1, 2, 2), c(1, 2, 1, 2), c(1, 2, 2, 1)))

compare <- function(column, item) {
  compare_answers(given_codes(column, coded, item), own_codes(coded, item))
}

test_that("answers are compared by the levels of the fit, where both are there", {
  compared <- compare_answers(
    list(codes = c(1L, 2L, 1L, 2L, 0L, 1L), levels = c("a", "b"), same_levels = TRUE,
         by_fit = c(1L, 2L, 1L, 2L, 0L, 1L)),
    c(1L, 2L, 2L, 2L, 1L, 0L)
  )
  expect_identical(compared$differs, c(FALSE, FALSE, TRUE, FALSE, FALSE, FALSE))
  expect_true(compared$varies)
  expect_true(compared$is_other)
  expect_identical(compared$own, c(1L, 2L, 2L, 2L, 1L, 0L))
  # Where levels are others, by what most rows with the answer have in the fit.
  compared <- compare_answers(
    list(codes = c(1L, 1L, 1L, 2L, 2L), levels = c("x", "y"), same_levels = FALSE,
         by_fit = integer(5)),
    c(2L, 2L, 1L, 1L, 1L)
  )
  expect_identical(compared$differs, c(FALSE, FALSE, TRUE, FALSE, FALSE))
  expect_null(compared$given)
  expect_null(compared$own)
  expect_identical(compare_answers(NULL, 1:2),
                   list(varies = FALSE, is_other = FALSE, differs = c(FALSE, FALSE)))
})

test_that("an item tells rows apart if both tables have two answers, and is other if it must be", {
  told <- function(column, item = "item_1") unlist(compare(column, item)[c("varies", "is_other")])
  expect_identical(told(c("a", "a", "b", "b")), c(varies = TRUE, is_other = FALSE))
  expect_identical(told(c("a", "b", "a", "b")), c(varies = TRUE, is_other = TRUE))
  # Split in two, or put together.
  expect_identical(told(c("x", "y", "z", "z")), c(varies = TRUE, is_other = FALSE))
  expect_identical(told(factor(rep("a", 4), c("a", "b"))), c(varies = FALSE, is_other = FALSE))
  expect_identical(told(c("a", "b", NA, NA)), c(varies = FALSE, is_other = FALSE))
  compare_codes <- function(given, own) {
    given <- list(codes = given, levels = c("x", "y"), same_levels = FALSE)
    unlist(compare_answers(given, own)[c("varies", "is_other")])
  }
  # Of the other answer nothing is known in the fit.
  expect_identical(compare_codes(c(1L, 1L, 2L), c(1L, 2L, 0L)),
                   c(varies = FALSE, is_other = FALSE))
  expect_identical(compare_codes(c(1L, 1L, 1L, 2L), c(1L, 1L, 2L, 3L)),
                   c(varies = TRUE, is_other = FALSE))
})

test_that("a level that stands for missing values is missing again", {
  expect_identical(own_codes(coded, "item_1"), c(1L, 1L, 2L, 2L))
  coded$levels$item_1[2] <- missing_level
  expect_identical(own_codes(coded, "item_1"), c(1L, 1L, 2L, 2L))
  coded$missing <- "level"
  expect_identical(own_codes(coded, "item_1"), c(1L, 1L, 0L, 0L))
  expect_identical(own_codes(coded, "item_2"), c(1L, 2L, 1L, 2L))
})

test_that("columns hold categories, 254 of them at most", {
  many <- coded_from_codes(cbind(c(seq_len(254), 1)), 254)
  many$levels$item_1 <- as.character(1001:1254)
  given <- given_codes(c(1001:1254, NA), many, "item_1")
  expect_identical(given$by_fit, c(1:254, 0L))
  expect_true(given$same_levels)
  expect_null(given_codes(1001:1255, many, "item_1"))
  expect_null(given_codes(1001:1254, many, "item_1"))
  expect_false(given_codes(c("a", "c", "b", "b"), coded, "item_1")$same_levels)
  expect_identical(given_codes(c("a", "c", "b", NA), coded, "item_1")$by_fit, c(1L, 0L, 2L, 0L))
})

test_that("rows are surely other if they were sorted, or all items differ in more than a tenth", {
  item <- function(n_other, n = 20, ...) {
    item <- list(given = rep(1:2, n / 2), own = rep(2:1, n / 2), varies = TRUE, is_other = TRUE,
                 differs = seq_len(n) <= n_other)
    utils::modifyList(item, list(...))
  }
  expect_identical(surely_other(list(item(1), item(1))), "sorted")
  expect_identical(surely_other(list(item(1), item(1, is_other = FALSE))), "sorted")
  expect_null(surely_other(list(item(5, is_other = FALSE))))
  changed <- list(given = rep(1L, 20))
  expect_identical(surely_other(list(item(3, given = changed[[1]]))), "changed")
  expect_null(surely_other(list(item(2, given = changed[[1]]))))
  # Of the levels of one item nothing is known.
  unknown <- item(3)[c("varies", "is_other", "differs")]
  expect_identical(surely_other(list(item(3), unknown)), "changed")
  constant <- item(0, given = changed[[1]], varies = FALSE, is_other = FALSE)
  expect_identical(surely_other(list(item(3), constant)), "changed")
  expect_null(surely_other(list(item(3), item(0, given = changed[[1]], is_other = FALSE))))
  expect_null(surely_other(list(item(3, given = changed[[1]], varies = FALSE))))
})

test_that("the error names the first row that is another, and the item in which it is", {
  columns <- list(item_1 = c("a", "a", "b", "a"), item_2 = c("a", "a", "b", "b"),
                  item_3 = c("a", "b", "b", "a"))
  compared <- Map(compare, columns, names(columns))
  expect_error(
    abort_other_rows(columns, list(coded = coded), compared, "changed", rlang::current_env()),
    "Item item_2 of row 2 is \"a\", in the fit it is \"b\".", fixed = TRUE
  )
})

test_that("data that are no table are refused by name", {
  for (data in list(1:200, as.list(side), "side")) {
    expect_error(augment(fit, data), "`data` must be a data frame", class = "mdpd_error_argument")
  }
})

test_that("values that are named by rows are refused in another order", {
  expect_refused(compare_groups(fit, predict(fit, sorted)))
  expect_refused(distal_outcome(fit, predict(fit, sorted)))
  named <- stagewise_em(`rownames<-`(items, paste0("r", 1:200)), k = 2)
  groups <- stats::setNames(side$g, paste0("r", 1:200))
  expect_no_error(compare_groups(named, groups, free = character()))
  expect_refused(compare_groups(named, rev(groups)))
  expect_no_error(compare_groups(named, stats::setNames(groups, side$g), free = character()))
})

test_that("a fit of sorted rows takes them", {
  of_sorted <- stagewise_em(sorted[names(items)], k = 2)
  takes(sorted, of_sorted)
  takes(`rownames<-`(sorted, NULL), of_sorted)
  # The names do not go with the fit, but the answers agree.
  without <- stagewise_em(`rownames<-`(sorted[names(items)], NULL), k = 2)
  takes(sorted, without)
  expect_refused(augment(without, sorted["z"]))
  # One answer was mended: then the numbers count.
  mended <- sorted
  mended$item_1[1] <- setdiff(levels(sorted$item_1), sorted$item_1[1])
  expect_refused(augment(without, mended))
  refuses(table, of_sorted)
})

test_that("rows that no answer tells apart may change places", {
  few <- items[1:40, 1:2]
  of_few <- suppressWarnings(mdpd(few, 2))
  same <- order(few[[1]], few[[2]])
  pair <- same[which(duplicated(few[same, ]))[1] - 1:0]
  moved <- few[replace(1:40, pair, rev(pair)), ]
  expect_no_error(augment(of_few, `rownames<-`(moved, NULL)))
})

test_that("recoded, missing and mended answers are those of the same rows", {
  recoded <- table
  for (item in names(items)) {
    codes <- as.integer(factor(table[[item]]))
    # Reversed, from 0, and in letters.
    recoded[[item]] <- switch(
      match(item, names(items)) %% 3 + 1, max(codes) + 1 - codes, codes - 1, letters[codes]
    )
  }
  takes(recoded)
  refuses(`rownames<-`(recoded[order(recoded$z), ], NULL))
  coarse <- function(x) as.data.frame(lapply(x, function(item) item == "a"))
  few <- items[c("item_2", "item_5")]
  expect_no_error(augment(suppressWarnings(mdpd(few, 2)), coarse(few)))
  expect_no_error(augment(suppressWarnings(mdpd(coarse(few), 2)), few))
  merged <- table
  merged[names(items)] <- lapply(table[names(items)], function(x) as.integer(factor(x)) > 1)
  takes(merged)
  expect_no_error(augment(stagewise_em(merged[names(items)], k = 2), table))
  missing <- cbind(with_gaps(items), side)
  takes(missing)
  refuses(`rownames<-`(missing[order(missing$z), ], NULL))
  for (how in c("ignore", "level")) {
    of_missing <- stagewise_em(missing[names(items)], k = 2, missing = how)
    takes(missing, of_missing)
    takes(table, of_missing)
    refuses(`rownames<-`(missing[order(missing$z), ], NULL), of_missing)
    refuses(`rownames<-`(sorted, NULL), of_missing)
    # With the answers of the fit the rows are in its order, whatever their numbers.
    in_order <- missing[order(missing$z), ]
    takes(in_order, stagewise_em(`rownames<-`(in_order[names(items)], NULL), k = 2, missing = how))
  }
  mended <- table
  mended[1:5, names(items)] <- mended[6:10, names(items)]
  takes(mended)
  # A column of numbers is something else of the same name.
  takes(transform(table, item_1 = z))
})

test_that("fits of a survey design, with weights of 0 and without data compare what they have", {
  skip_if_not_installed("survey")
  with_ids <- data.frame(table, id = rep(1:40, 5), w = rep(c(1, 2, 0, 1.5), 50))
  design <- survey::svydesign(~id, weights = ~w, data = with_ids)
  of_design <- suppressMessages(stagewise_em(items, k = 2, weights = design))
  takes(design$variables, of_design)
  refuses(`rownames<-`(with_ids[order(with_ids$z), ], NULL), of_design)
  dropped <- stagewise_em(items, k = 2, keep_data = FALSE)
  expect_no_error(augment(dropped, `rownames<-`(sorted, NULL)))
  expect_refused(augment(dropped, sorted))
})

test_that("the errors say where, and what to do", {
  named <- stagewise_em(`rownames<-`(items, paste0("r", 1:200)), k = 2)
  other <- table
  other[names(items)] <- answers(200, seed = 2)
  expect_snapshot({
    show_conditions(class_regression(fit, ~ z, sorted))
    show_conditions(class_regression(fit, ~ z, other))
    show_conditions(augment(fit, sorted["z"]))
    show_conditions(compare_groups(fit, predict(fit, sorted)))
    show_conditions(distal_outcome(named, rev(stats::setNames(side$z, paste0("r", 1:200)))))
  })
})
