# Access to a table, a data frame or a matrix, that does not depend on its class: no `[`, no `drop`.

is_table_of_items <- function(x) (is.data.frame(x) || is.matrix(x)) && !is_count_table(x)

# By their class: a two-way table of counts is a matrix too.
is_count_table <- function(x) inherits(x, c("table", "ftable"))

table_column <- function(x, j) {
  if (is.data.frame(x)) .subset2(x, j) else unclass(x)[, j]
}

item_names <- function(x) {
  names <- if (is.data.frame(x)) names(x) else colnames(x)
  if (is.matrix(x) && is.null(names)) names <- sprintf("V%d", seq_len(ncol(x)))
  if (is.character(names) && all(is_valid_text(names))) enc2utf8(names) else names
}

row_names <- function(x, call = rlang::caller_env()) {
  names <- if (is.matrix(x)) {
    rownames(x)
  } else if (.row_names_info(x) > 0) {  # negative: automatic, so no names
    as.character(attr(x, "row.names"))
  }
  check_encoding(names, "Row names", call)
  if (!is.null(names)) enc2utf8(names)
}

# Where cell (row, column) is in a matrix; double, since big tables pass the largest integer.
cell_index <- function(row, column, n_rows) {
  row + (column - 1) * n_rows
}

# Of an entropy -sum p log p (nats).
p_log_p <- function(p) ifelse(p > 0, p * log(p), 0)

# As rowsum(), with a row of zeros for a level that does not occur; NA is in no group.
rowsum_by <- function(x, group) {
  sums <- matrix(0, nlevels(group), ncol(x))
  in_group <- !is.na(group)
  found <- rowsum(x[in_group, , drop = FALSE], as.integer(group)[in_group])
  sums[as.integer(rownames(found)), ] <- found
  sums
}
