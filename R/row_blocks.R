# Rows in blocks, for what has `width` numbers of each: some `cells` numbers are all that is ever
# held.
row_blocks <- function(rows, width, cells = 4e6) {
  split(rows, (seq_along(rows) - 1) %/% max(1, cells %/% width))
}
