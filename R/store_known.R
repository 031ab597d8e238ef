# Columns of rows that are added to a store: the levels that are there keep their codes, and new
# ones come behind them.

# What a growing column begins with, so that its provisional codes are those of the store.
known_column <- function(levels) {
  column <- new_column(levels, "character")
  column$n_known <- length(levels)
  column
}

# As grow_items() for the columns of a store with such `types`.
grow_known_items <- function(types, from_text, na_values, call) {
  function(items, columns, rows_before, weights) {
    for (item in names(columns)) {
      x <- items[[item]]
      rows <- rows_before + seq_along(x)
      text <- if (from_text) {
        text_of_type(replace(x, x %in% na_values, NA), types[[item]], item, rows, call)
      } else {
        check_column(x, item, "new", call, rows)
        replace(id_text(x), stands_for_missing(x, na_values), NA)
      }
      column <- grow_column(columns[[item]], text, rows_before, weights)
      check_n_levels(stats::setNames(list(column$values), item), call)
      columns[[item]] <- column
    }
    columns
  }
}

# By the value as it was given, as in a new store: that of a labelled column is no label.
stands_for_missing <- function(x, na_values) {
  if (is.null(na_values)) FALSE else as_type(chunk_values(x), "character") %in% na_values
}

# Fields of text as the levels of a column would be called, each by itself.
text_of_type <- function(x, type, item, rows, call) {
  check_encoding(x, "Column {.field {item}}", call)
  values <- unique(x)
  text <- values
  if (type %in% c("integer", "double")) {
    numbers <- suppressWarnings(as.double(values))  # as type.convert(), also of 0x1A
    is_number <- !is.na(numbers) | is.nan(numbers)
    check_column(numbers[is_number], item, "new", call, rows[match(values[is_number], x)])
    text[is_number] <- value_text(numbers[is_number])
  } else if (type == "logical") {
    text <- sub("^T$", "TRUE", sub("^F$", "FALSE", values))
  }
  # As the store was read: only in text a blank is something.
  if (type != "character") text[which(trimws(values) == "")] <- NA
  text[match(x, values)]
}

#' Put new levels behind those that are there
#'
#' @param column A growing column that began as known_column().
#' @return A list of `levels`, the `new` ones among them, and `code_of` and `n_unweighted`, see
#'   finish_column().
#' @noRd
finish_known <- function(column) {
  known <- seq_len(column$n_known)
  new <- setdiff(which(column$is_used), known)
  sorted <- code_values(column$values[new], numbers_first = TRUE)
  code_of <- integer(length(column$values))
  code_of[known] <- known
  code_of[new] <- column$n_known + sorted$codes
  list(levels = c(column$values[known], sorted$levels), new = sorted$levels,
       code_of = c(0L, code_of), n_unweighted = sum(column$n[code_of == 0L]))
}

# `new`: a list of levels, named by item.
inform_new_levels <- function(new) {
  new <- new[lengths(new) > 0]
  if (length(new) > 0) {
    levels <- vapply(new, function(x) cli::format_inline("{.val {shorten(x, 60)}}"), "")
    about <- utils::head(sprintf("Item %s: %s.", names(new), levels), 5)
    inform_mdpd(
      c("{length(new)} item{?s} {?has/have} levels that are new in the store.",
        stats::setNames(gsub("([{}])", "\\1\\1", about), rep("*", length(about)))),
      class = "new_levels"
    )
  }
}

inform_new_labels <- function(new) {
  if (length(new) > 0) {
    inform_mdpd("The crowd has {length(new)} new label{?s}: {.val {shorten(new, 60)}}.",
                class = "new_levels")
  }
}

# Counts of all levels where some items, or levels of them, have come.
spread_counts <- function(counts, n_before, n_now) {
  out <- numeric(sum(n_now))
  first <- cumsum(c(0, n_now))[seq_along(n_before)]
  out[rep(first, n_before) + sequence(n_before)] <- counts
  out
}
