# Checks of tables of items: what the user gave, before it is coded.

check_table <- function(x, arg, call) {
  # By what the user wrote, before a caller gives `x` another value.
  force(arg)
  if (!is_table_of_items(x)) {
    abort_not_a_table(x, arg, call)
  }
  check_table_size(x, arg, call)
  items <- item_names(x)
  check_column_names(items, arg, call)
  check_no_triples(x, arg, call)
  inform_count_column(x)
  # Of a large matrix of numbers column by column takes longer than to code it.
  if (!is_matrix_of_whole(x)) {
    for (j in seq_along(items)) check_column(table_column(x, j), items[j], arg, call)
  }
}

is_matrix_of_whole <- function(x) {
  is.matrix(x) && !is.object(x) && switch(
    typeof(x), integer = , logical = TRUE, double = core_are_whole(x), FALSE
  )
}

abort_not_a_table <- function(x, arg, call) {
  abort_mdpd(
    c("{.arg {arg}} must be a data frame, a matrix or {.cls crowd_labels}, not {describe(x)}.",
      i = table_hint(x)),
    class = "argument", call = call
  )
}

table_hint <- function(x) {
  if (is_count_table(x)) {
    "Give the counts as weights:
     {.code stagewise_em(~ ., k, data = as.data.frame(x), weights = Freq)}."
  } else if (inherits(x, "row_store")) {
    "The classes of the rows of a store are written by {.code predict(fit, store, file = )}."
  } else if (is.list(x)) {
    "Items of one length make a table by {.fn as.data.frame}."
  }
}

# One row a label, not one row an observation: fitted as it is, the ids would be answers.
check_no_triples <- function(x, arg, call) {
  if (setequal(tolower(item_names(x)), c("item", "worker", "label"))) {
    abort_mdpd(
      c("{.arg {arg}} must be a table of items, and this one looks like labels given by workers.",
        i = "Its columns are {.field {item_names(x)}}: make them a crowd by {.fn crowd_labels}."),
      class = "data", call = call
    )
  }
}

# How often a row was seen, as in the data frame of a table of counts, is no answer.
inform_count_column <- function(x) {
  items <- item_names(x)
  column <- which(tolower(items) %in% c("freq", "n", "count"))
  if (length(column) == 1 && counts_rows(x, column)) {
    inform_mdpd(
      c("Column {.field {items[column]}} is taken for an item.",
        i = "If it says how often a row was seen, give it as weights:
             {.code stagewise_em(~ ., k, data, weights = {items[column]})}."),
      class = "count_column"
    )
  }
}

# Numbers beside categories; or, where these are numbers too, beyond all of them, with each row of
# the others once, as count() of dplyr and poLCA's tables have them.
counts_rows <- function(x, column) {
  values <- lapply(seq_along(item_names(x)), function(j) plain_column(x, j))
  counts <- values[[column]]
  others <- values[-column]
  if (is_category(counts) || length(others) == 0) {
    return(FALSE)
  }
  are_numbers <- !vapply(others, is_category, NA)
  if (!any(are_numbers)) {
    return(TRUE)
  }
  largest <- max(unlist(lapply(others[are_numbers], range_of)), -Inf)
  all_whole(counts) && max(range_of(counts)) > largest &&
    !anyDuplicated(do.call(paste, c(unname(others), sep = "\r")))
}

range_of <- function(x) suppressWarnings(range(x, na.rm = TRUE, finite = TRUE))

# Numbers in a matrix of text are numbers here.
plain_column <- function(x, j) {
  column <- table_column(x, j)
  if (is.character(x)) utils::type.convert(column, as.is = TRUE) else column
}

is_category <- function(x) !is.numeric(x) || is_labelled(x)

check_has_row <- function(x, arg, call) {
  if (nrow(x) == 0) {
    abort_mdpd("{.arg {arg}} must have at least one row.", class = "data", call = call)
  }
}

check_table_size <- function(x, arg, call, min_columns = 2) {
  check_column_lengths(x, arg, call)
  check_has_row(x, arg, call)
  if (ncol(x) == 0) {
    abort_mdpd("{.arg {arg}} must have columns; it has none.", class = "data", call = call)
  }
  if (ncol(x) < min_columns) {
    abort_mdpd(
      c("{.arg {arg}} must have at least two columns.",
        x = "It has one, {.field {item_names(x)}}."),
      class = "data", call = call
    )
  }
}

# A data frame that was changed by hand may have columns of another length.
check_column_lengths <- function(x, arg, call) {
  n_rows <- if (is.data.frame(x)) vapply(unclass(x), NROW, 0L)
  differs <- which(n_rows != nrow(x))
  if (length(differs) > 0) {
    abort_mdpd(
      c("The columns of {.arg {arg}} must have a value for each of its {nrow(x)} row{?s}.",
        x = "Column {differs[1]} has {n_rows[differs[1]]}."),
      class = "data", call = call
    )
  }
}

check_column_names <- function(names, arg, call) {
  check_encoding(names, "The names of the columns of {.arg {arg}}", call)
  unnamed <- which(is.na(names) | names == "")
  if (is.null(names) || length(unnamed) > 0) {
    abort_mdpd(
      c("Every column of {.arg {arg}} must have a name.",
        x = "Column {c(unnamed, 1)[1]} has none.",
        i = if (identical(unnamed, 1L)) {
          "If these are names of rows, write the file without: {.code row.names = FALSE}."
        }),
      class = "data", call = call
    )
  }
  check_name_lengths(names, "Names of columns", call)
  if (anyDuplicated(names)) {
    twice <- names[anyDuplicated(names)]
    abort_mdpd(
      c("The columns of {.arg {arg}} must have different names.",
        x = "There are {sum(names == twice)} columns {.field {twice}}."),
      class = "data", call = call
    )
  }
}

# R has no names of arguments or of columns above that.
check_name_lengths <- function(names, what, call, class = "data") {
  n_bytes <- nchar(names, "bytes")
  if (any(n_bytes > 10000)) {
    abort_mdpd(
      c("{what} must have at most 10,000 bytes.",
        x = "{.val {substr(names[which.max(n_bytes)], 1, 20)}}... has {comma(max(n_bytes))}."),
      class = class, call = call
    )
  }
}

# `or_na`: would a column of `NA` do?
check_has_items <- function(items, names, arg, call, or_na = FALSE) {
  absent <- setdiff(items, names)
  if (length(absent) > 0) {
    abort_mdpd(
      c("{.arg {arg}} must have the column{cli::qty(absent)}{?s} {.field {absent}}.",
        i = if (or_na) {
          "Of an item that nobody answered give {.code {arg}[[\"{absent[1]}\"]] <- NA}."
        }),
      class = "missing_item", call = call, items = absent
    )
  }
}

# A column must be a vector of categories: factor, string, whole number or logical. `rows` are those
# of the values in the user's data.
check_column <- function(x, name, arg, call, rows = seq_along(x)) {
  kind <- if (is_time(x)) {
    "dates or times"
  } else if (length(dim(x)) > 1) {
    "a table of its own"
  } else if (is.list(x)) {
    "a list"
  } else if (inherits(x, "integer64")) {
    "64-bit integers"
  } else if (is_damaged_factor(x)) {
    "a damaged factor"
  } else if (!is.factor(x) && !typeof(x) %in% c("logical", "integer", "double", "character")) {
    paste("values of type", typeof(x))
  }
  check_encoding(if (is.factor(x)) levels(x) else x, "Column {.field {name}} of {.arg {arg}}", call)
  if (!is.null(kind)) {
    abort_mdpd(
      c("Column {.field {name}} of {.arg {arg}} must hold categories (a factor, strings, whole
         numbers or logical values), not {kind}.",
        i = if (inherits(x, "integer64")) {
          "Give integers: by {.fn as.integer}, or in a query by {.code CAST}."
        }),
      class = "data", call = call, item = name
    )
  }
  if (is.double(x)) {
    check_whole(as.vector(unclass(plain_values(x))), name, arg, call, rows)
  }
  invisible(x)
}

check_whole <- function(x, name, arg, call, rows = seq_along(x)) {
  if (core_are_whole(x)) {
    return(invisible(x))
  }
  row <- which(is.nan(x) | !is.na(x) & (is.infinite(x) | x != trunc(x)))[1]
  hint <- if (is.finite(x[row])) {
    "Cut measurements into classes first, for example with {.fn cut}."
  } else {
    "Write {.code NA} for a missing value."
  }
  abort_mdpd(
    c("Column {.field {name}} of {.arg {arg}} must hold whole numbers.",
      x = "Row {rows[row]} is {x[row]}.", i = hint),
    class = "data", call = call, item = name
  )
}

check_n_levels <- function(levels, call, maybe_triples = FALSE) {
  too_many <- lengths(levels) > max_levels
  if (any(too_many)) {
    levels <- levels[too_many][1]
    abort_mdpd(
      c("An item must have at most {max_levels} levels.",
        x = "{.field {names(levels)}} has {length(levels[[1]])}.",
        i = if (maybe_triples) "Are the rows labels by workers? Then use {.fn crowd_labels} first."
            else "Is it an identifier? Then leave it out."),
      class = "data", call = call, item = names(levels)
    )
  }
}
