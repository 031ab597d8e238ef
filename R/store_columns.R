# Columns that come in chunks, coded as they come, by a list of their values that grows. When all
# have come, the values are put in order as those of a column in memory are, by code_values(), and
# the codes are renamed.
#
# A growing column is a list:
#   type       of the values: one of `column_types`
#   values     the different values in the order they came: the provisional levels
#   factor_levels, labels
#              of a factor all its levels; of a labelled column the labels of values; or NULL
#   first_row  per value the row it came with first
#   n          per value in how many rows it is
#   is_used    per value: has one of these rows a weight above 0?
#   are_numbers, renamed
#              of text in many spellings, see numbers_of_column()

# A column whose chunks are of different types has the last of their types here, as with c().
column_types <- c("none", "logical", "integer", "double", "character")

new_column <- function(values = character(), type = "none") {
  list(
    type = type, values = values, first_row = numeric(length(values)),
    n = numeric(length(values)), is_used = rep(TRUE, length(values))
  )
}

#' Take in a chunk of a column
#'
#' @param column A growing column.
#' @param x A vector of any type that a column may have.
#' @param rows_before How many rows came before.
#' @param weights Case weights of the rows, or NULL.
#' @param max_values Most values that the column may have.
#' @param na_values Strings that stand for a missing value.
#' @return The column, with `codes` of the chunk.
#' @noRd
grow_column <- function(column, x, rows_before = 0, weights = NULL, max_values = Inf,
                        na_values = NULL) {
  column <- keep_attributes(column, x)
  x <- chunk_values(x)
  both <- common_type(column, x)
  column[c("type", "values")] <- both[c("type", "values")]
  codes <- match(both$x, column$values, nomatch = 0L)
  fresh <- which(codes == 0L)
  fresh <- fresh[!is.na(both$x[fresh])]
  if (length(fresh) > 0) {
    values <- answers_among(unique(both$x[fresh]), na_values)
    place <- match(both$x[fresh], values)
    codes[fresh] <- ifelse(is.na(place), 0L, place + length(column$values))
    column$first_row <- c(column$first_row, rows_before + fresh[match(values, both$x[fresh])])
    column$values <- c(column$values, values)
  }
  column <- count_values(column, codes, weights)
  # More codes than a byte has are never read: whoever set the limit stops here.
  column$codes <- if (length(column$values) <= max_values) codes
  column
}

# Without those that stand for a missing value, which need no code. Logical values wait for the end:
# with numbers in a later chunk they are called otherwise.
answers_among <- function(values, na_values) {
  if (is.logical(values)) values else values[!as_type(values, "character") %in% na_values]
}

count_values <- function(column, codes, weights) {
  n_values <- length(column$values)
  fill <- function(x, with) c(x, rep(with, n_values - length(x)))
  column$n <- fill(column$n, 0) + tabulate(codes, n_values)
  column$is_used <- if (is.null(weights)) {
    rep(TRUE, n_values)
  } else {
    fill(column$is_used, FALSE) | tabulate(codes[weights > 0], n_values) > 0
  }
  column
}

# What values are called by, where chunks come with it.
keep_attributes <- function(column, x) {
  if (is.factor(x)) {
    column$factor_levels <- union(column$factor_levels, levels(x))
  } else if (is_labelled(x)) {
    labels <- attr(x, "labels", exact = TRUE)
    known <- labels %in% column$labels
    column$labels <- c(column$labels, if (!is.null(names(labels))) labels[!known])
    column$is_labelled <- TRUE
  }
  if (!is.factor(x) && !is_all_missing(x)) column$is_mixed <- TRUE
  column
}

# Plain values, those that are missing as NA. Numbers of one name are one value from the start: two
# provisional codes of a worker would hide that a label is given again. Labels of values are found
# by the numbers as they are.
chunk_values <- function(x) {
  if (is.factor(x)) {
    return(as.character(x))
  }
  values <- plain_vector(plain_values(x))
  if (is_labelled(x)) values else round_fractions(values)
}

# The values of the column and of the chunk in the type that holds both.
common_type <- function(column, x) {
  type <- if (is_all_missing(x)) "none" else typeof(x)
  type <- column_types[max(match(c(column$type, type), column_types))]
  list(type = type, values = as_type(column$values, type), x = as_type(x, type))
}

# Most columns begin with a value.
is_all_missing <- function(x) length(x) == 0 || is.na(x[1]) && all(is.na(x))

as_type <- function(x, type) {
  if (type == "none" || typeof(x) == type) {
    return(x)
  }
  if (type != "character") {
    return(as.vector(x, type))
  }
  text <- rep(NA_character_, length(x))
  text[!is.na(x)] <- value_text(x)
  text
}

#' Put the values of a column in order
#'
#' @param column A growing column that has come to its end.
#' @param from_text Were all values strings only because the source is a text file?
#' @param numbers_first As in code_values().
#' @param na_values Strings that stand for a missing value.
#' @return A list of `levels`, `code_of`, the final code of each provisional one and of 0 before
#'   them, `n_unweighted`, how many rows have values that none with weight has, and `type`.
#' @noRd
finish_column <- function(column, from_text = FALSE, numbers_first = FALSE, na_values = NULL) {
  values <- final_values(column, from_text, na_values)
  coded <- code_values(values, numbers_first)
  used <- tabulate(coded$codes[column$is_used], length(coded$levels)) > 0
  list(
    levels = coded$levels[used],
    code_of = c(0L, ifelse(used, cumsum(used), 0L))[c(0L, coded$codes) + 1L],
    n_unweighted = sum(column$n[coded$codes %in% which(!used)]),
    type = type_of_values(values), all_levels = coded$levels
  )
}

# As a column in memory would have them.
final_values <- function(column, from_text, na_values) {
  values <- column$values
  values[as_type(values, "character") %in% na_values] <- NA
  if (from_text && !has_long_number(values)) {
    return(utils::type.convert(as.character(values), na.strings = character(), as.is = TRUE))
  }
  if (isTRUE(column$is_labelled)) {
    structure(values, labels = column$labels, class = "haven_labelled")
  } else if (!is.null(column$factor_levels) && !isTRUE(column$is_mixed)) {
    factor(values, column$factor_levels)
  } else {
    values
  }
}

# A whole number that a double does not hold; 2^53 + 1 becomes 2^53.
has_long_number <- function(text) {
  long <- grep("^[-+]?[0-9]{16,}$", text, value = TRUE)
  any(abs(as.double(long)) >= 2^53)
}

#' Numbers in a growing column of text
#'
#' @param column A growing column of strings, each spelling a value.
#' @return The column with one value for each number and `are_numbers`, so that no other string may
#'   come; `renamed` has the new code of each old one, and of 0 before them. NULL if it has others.
#' @noRd
numbers_of_column <- function(column) {
  spelled <- spell_numbers(column$values)
  if (is.null(spelled)) {
    return(NULL)
  }
  values <- unique(spelled[!is.na(spelled)])
  code <- match(spelled, values, nomatch = 0L)
  of_value <- lapply(seq_along(values), function(value) code == value)
  column[c("type", "values", "are_numbers", "renamed")] <-
    list("character", values, TRUE, c(0L, code))
  column$first_row <- vapply(of_value, function(is_same) min(column$first_row[is_same]), 0)
  column$n <- vapply(of_value, function(is_same) sum(column$n[is_same]), 0)
  column$is_used <- vapply(of_value, function(is_same) any(column$is_used[is_same]), NA)
  column
}

# Each number in one spelling, which loses no digit, and blanks as missing; NULL where a string is
# no number that R keeps.
spell_numbers <- function(text) {
  values <- unique(text)
  numbers <- suppressWarnings(as.double(values))  # as type.convert()
  is_blank <- is.na(values) | trimws(values) == ""
  if (has_long_number(values) || any(is.na(numbers) & !is.nan(numbers) & !is_blank)) {
    return(NULL)
  }
  spelled <- sprintf("%a", numbers + 0)  # + 0: no minus before a zero
  replace(spelled, is_blank, NA)[match(text, values)]
}

type_of_values <- function(x) {
  if (is.factor(x)) "factor" else if (is_labelled(x)) "labelled" else typeof(x)
}
