# Are the rows that the user gives beside a fit those of the fit, in their order? Told by the names
# of the rows, and by the answers where the data have the items too.

check_rows_of_fit <- function(data, object, call = rlang::caller_env()) {
  if (!is.data.frame(data) && !is.matrix(data) && !inherits(data, "crowd_labels")) {
    abort_not_a_table(data, "data", call)
  }
  n_obs <- nrow(object$posterior)
  if (nrow(data) != n_obs) {
    abort_mdpd(
      c("{.arg data} must have the {n_obs} row{?s} of the fit.",
        x = "It has {nrow(data)}.",
        i = "New rows are {.arg newdata}."),
      class = "argument", call = call
    )
  }
  rows <- row_table(data, object)
  own <- rownames(object$posterior)
  if (!is.null(own)) {
    check_names_agree(rows$row_names, own, "data", call)
  }
  same_answers <- !inherits(data, "crowd_labels") && check_answers(rows$columns, object, call)
  # With the answers of the fit the rows are in its order, whatever their numbers are.
  if (is.null(own) && !same_answers) {
    check_row_numbers(rows$row_names, "data", call)
  }
}

# One value for each row, which may be named by the rows, as predict() names classes.
check_names_of_fit <- function(x, object, arg, call = rlang::caller_env()) {
  own <- rownames(object$posterior)
  if (is.null(own)) {
    check_row_numbers(names(x), arg, call)
  } else if (setequal(names(x), own)) {
    check_names_agree(names(x), own, arg, call)
  }
}

# Of a table that lost its row names on the way, nothing is known.
check_names_agree <- function(names, own, arg, call) {
  differs <- which(names != own)
  if (length(differs) > 0) {
    abort_mdpd(
      c("The {rows_word(arg)} of {.arg {arg}} must be those of the fit, in the same order.",
        x = "Row {differs[1]} is {.val {names[differs[1]]}}, the fit's
             {.val {own[differs[1]]}}."),
      class = "argument", call = call
    )
  }
}

# Sorting leaves each row of a data frame its number.
check_row_numbers <- function(names, arg, call) {
  numbers <- as.character(seq_along(names))
  differs <- which(names != numbers)
  if (length(differs) > 0 && setequal(names, numbers)) {
    abort_mdpd(
      c("The {rows_word(arg)} of {.arg {arg}} must be those of the fit, in the same order.",
        x = "Row {differs[1]} is named {.val {names[differs[1]]}}: it seems that they were sorted
             after the fit.",
        i = if (arg == "data") {
          "If they are in the order of the fit, take their names away:
           {.code rownames(data) <- NULL}."
        } else {
          "If they are in the order of the fit, give {.code unname({arg})}."
        }),
      class = "argument", call = call
    )
  }
}

rows_word <- function(arg) if (arg == "data") "rows" else "values"

# Rows as they are ---------------------------------------------------------------------------------

# The fit's rows from its codes. A level that stands for missing values is missing again; several
# answers of a worker to a row are one level of their own.
decode <- function(coded) {
  answers <- answers_by_item(coded$codes)
  columns <- lapply(names(coded$levels), function(item) {
    given <- answers(item)
    joined <- join_answers(given$row, given$code, coded$levels[[item]])
    label <- replace(rep(NA_character_, nrow(coded$codes)), joined$at, joined$label)
    column <- factor(label, unique(c(coded$levels[[item]], sort(joined$label, method = "radix"))))
    if (coded$missing == "level") factor(column, exclude = missing_level) else column
  })
  list(columns = stats::setNames(columns, names(coded$levels)), row_names = rownames(coded$codes))
}

# The columns of a table as they are; a crowd's are its workers.
row_table <- function(data, object) {
  if (inherits(data, "crowd_labels")) {
    crowd <- code_crowd(data, "ignore")
    return(decode(new_coded(crowd$codes, crowd$levels, rep(1, nrow(data)), "ignore")))
  }
  columns <- lapply(seq_len(ncol(data)), table_column, x = data)
  by_position <- is.matrix(data) && is.null(colnames(data))
  names(columns) <- if (by_position) names(object$item_probs) else item_names(data)
  list(columns = columns, row_names = row_names(data))
}

# Answers ------------------------------------------------------------------------------------------

# Are all items among the columns, with the answers of the fit? An error where the rows are surely
# others. The same rows may have other codes, more or fewer missing values, and some other answers:
# items are recoded and mended before a fit, and after.
check_answers <- function(columns, object, call) {
  coded <- object$coded
  items <- names(object$item_probs)
  if (!is.matrix(coded$codes) || !all(items %in% names(columns))) {
    return(FALSE)
  }
  given <- function(item) given_codes(columns[[item]], coded, item)
  # Nothing is kept of each item: the table may be large.
  if (all(vapply(items, function(item) {
    identical(given(item)$by_fit, own_codes(coded, item))
  }, NA))) {
    return(TRUE)
  }
  compared <- lapply(stats::setNames(nm = items), function(item) {
    compare_answers(given(item), own_codes(coded, item))
  })
  why <- surely_other(compared)
  if (!is.null(why)) abort_other_rows(columns, object, compared, why, call)
  FALSE
}

# How the rows are others: "sorted", or "changed" in all items; NULL where they may be the same.
surely_other <- function(compared) {
  told <- vapply(compared, function(item) item$is_other, NA)
  varies <- vapply(compared, function(item) item$varies, NA)
  if (any(told) && have_same_rows(compared)) {
    return("sorted")
  }
  # What was mended is in few rows.
  share <- mean(Reduce(`|`, lapply(compared, `[[`, "differs")))
  if (any(varies) && all(told[varies]) && share > 0.1) "changed"
}

# An item's codes in the fit, 0 also where a level stands for missing values.
own_codes <- function(coded, item) {
  codes <- as.integer(coded$codes[, item])
  if (coded$missing == "level") {
    codes[codes == match(missing_level, coded$levels[[item]], nomatch = 0L)] <- 0L
  }
  codes
}

# The codes of a column by its own levels, and by those of the fit, 0 where the fit has none. NULL
# of what holds no categories: it is something else of the same name.
given_codes <- function(column, coded, item) {
  given <- value_or(code_values(column), NULL)
  if (length(given$codes) != nrow(coded$codes) || length(given$levels) > max_levels) {
    return(NULL)
  }
  position <- match(given$levels, coded$levels[[item]], nomatch = 0L)
  list(codes = given$codes, levels = given$levels, same_levels = all(position > 0L),
       by_fit = c(0L, position)[given$codes + 1L])
}

# A column and an item of the fit, row by row:
#   given, own   the codes of both, those given by the fit's levels; NULL where levels differ
#   varies       do both tell rows apart?
#   is_other     has no recoding made one of the other?
#   differs      in which rows the answer is another, as far as the levels go
compare_answers <- function(given, own) {
  if (is.null(given)) {
    return(list(varies = FALSE, is_other = FALSE, differs = logical(length(own))))
  }
  both <- own > 0L & given$codes > 0L
  counts <- table(factor(given$codes, seq_along(given$levels))[both], own[both])
  usual <- as.integer(colnames(counts))[max.col(counts, ties.method = "first")]
  expected <- if (given$same_levels) given$by_fit else c(0L, usual)[given$codes + 1L]
  list(
    given = if (given$same_levels) given$by_fit, own = if (given$same_levels) own,
    varies = sum(rowSums(counts) > 0) > 1 && ncol(counts) > 1,
    is_other = any(rowSums(counts > 0) > 1) && any(colSums(counts > 0) > 1),
    differs = both & expected != own
  )
}

# In whatever order; not known where levels differ.
have_same_rows <- function(compared) {
  rows <- function(field) {
    sort(do.call(paste, unname(lapply(compared, `[[`, field))), method = "radix")
  }
  known <- !any(vapply(compared, function(item) is.null(item$given), NA))
  known && identical(rows("given"), rows("own"))
}

abort_other_rows <- function(columns, object, compared, why, call) {
  first <- vapply(compared, function(item) which(item$differs)[1], 0L)
  item <- names(compared)[which.min(first)]
  row <- min(first, na.rm = TRUE)
  coded <- object$coded
  given <- given_codes(columns[[item]], coded, item)
  answers <- c(given$levels[given$codes[row]], coded$levels[[item]][own_codes(coded, item)[row]])
  abort_mdpd(
    c("The rows of {.arg data} must be those of the fit, in the same order.",
      x = "Item {.field {item}} of row {row} is {.val {answers[1]}}, in the fit it is
           {.val {answers[2]}}.",
      i = switch(
        why,
        sorted = "They are in another order: sort them back, or fit them as they are now.",
        changed = "If they are those of the fit, with other answers, leave the items out of
                   {.arg data}."
      )),
    class = "argument", call = call
  )
}
