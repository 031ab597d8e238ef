# Access to a table, a data frame or a matrix, that does not depend on its class: no `[`, no `drop`.

is_table_of_items <- function(x) (is.data.frame(x) || is.matrix(x)) && !is_count_table(x)

# By their class: a two-way table of counts is a matrix too.
is_count_table <- function(x) inherits(x, c("table", "ftable"))

table_column <- function(x, j) {
  if (is.data.frame(x)) .subset2(x, j) else unclass(x)[, j]
}

item_names <- function(x) {
  if (is.data.frame(x)) {
    names(x)
  } else if (is.null(colnames(x))) {
    paste0("V", seq_len(ncol(x)))
  } else {
    colnames(x)
  }
}

row_names <- function(x) {
  if (is.matrix(x)) {
    rownames(x)
  } else if (.row_names_info(x) > 0) {  # negative: automatic, so no names
    as.character(attr(x, "row.names"))
  }
}

# Where cell (row, column) is in a matrix; double, since big tables pass the largest integer.
cell_index <- function(row, column, n_rows) {
  row + (column - 1) * n_rows
}
