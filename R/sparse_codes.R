# The codes of a crowd in which most workers labelled few items, or some gave an item several
# labels, and what is asked of codes in either form. Everything here costs in the number of answers,
# not of cells.
#
# A `sparse_codes` object stands for the raw matrix `codes` of an `mdpd_coded` object. It is a list:
#   row_start      double, n_obs + 1: row n has answers row_start[n] + 1, ..., row_start[n + 1]
#   item           integer, the item (column) of each answer, ascending within a row; as often as
#                  the row answers it
#   code           raw, the code of each answer, at least 1
#   dim, dimnames  those of the matrix
# dim(), dimnames() and `[` are those of the matrix; what `[` returns is dense, and only codes with
# at most one answer a cell can be made so.

# An answer takes five bytes here and a cell of the matrix one: below this share of cells with an
# answer, half the memory is saved at least, and time in proportion.
sparse_share <- 0.1

# `row`, `item` and `code` of each answer, in any order.
new_sparse_codes <- function(row, item, code, dim, dimnames) {
  by_row <- order(row, item, method = "radix")
  sorted_sparse_codes(
    as.double(tabulate(row, dim[1])), item[by_row], as.raw(code)[by_row], dim, dimnames
  )
}

# `n`: how many answers each row has; `item` and `code` are in the order that they are held in.
sorted_sparse_codes <- function(n, item, code, dim, dimnames) {
  structure(
    list(row_start = c(0, cumsum(n)), item = item, code = code, dim = dim, dimnames = dimnames),
    class = "sparse_codes"
  )
}

is_sparse <- function(codes) inherits(codes, "sparse_codes")

# Does a row answer an item more than once? Such answers stand side by side.
has_repeats <- function(codes) is_sparse(codes) && any(is_repeated(codes))
is_repeated <- function(codes) {
  n <- length(codes$item)
  at <- seq_len(n)[-1]
  row <- answer_rows(codes)
  c(logical(min(n, 1)), row[at] == row[at - 1] & codes$item[at] == codes$item[at - 1])
}

as_sparse_codes <- function(codes) {
  at <- which(codes != as.raw(0), arr.ind = TRUE)
  new_sparse_codes(
    unname(at[, 1]), unname(at[, 2]), codes[at], dim(codes), dimnames(codes) %||% list(NULL, NULL)
  )
}

#' @export
dim.sparse_codes <- function(x) x$dim

#' @export
dimnames.sparse_codes <- function(x) x$dimnames

#' @export
as.matrix.sparse_codes <- function(x, ...) {
  if (has_repeats(x)) abort_mdpd("A cell of {.arg x} has several answers.", class = "argument")
  codes <- matrix(raw(1), nrow(x), ncol(x), dimnames = dimnames(x))
  codes[cell_index(answer_rows(x), x$item, nrow(x))] <- x$code
  codes
}

#' @export
`[.sparse_codes` <- function(x, i, j, drop = TRUE) {
  if (nargs() - (!missing(drop)) != 3) {
    abort_mdpd("{.arg x} must be indexed by rows and items.", class = "argument")
  }
  if (!missing(i)) {
    x <- select_rows(x, i)
  }
  if (!missing(j)) {
    x <- select_items(x, j)
  }
  codes <- as.matrix(x)
  if (drop) codes[, ] else codes
}

# Row of every answer.
answer_rows <- function(codes) rep.int(seq_len(nrow(codes)), diff(codes$row_start))

# Parts --------------------------------------------------------------------------------------------

# Some rows, repeated or not, in the form the codes have.
select_rows <- function(codes, rows) {
  if (!is_sparse(codes)) {
    return(codes[rows, , drop = FALSE])
  }
  names <- codes$dimnames
  rows <- positions(rows, codes$dim[1], names[[1]])
  start <- codes$row_start[rows]
  n <- codes$row_start[rows + 1] - start
  at <- rep.int(start - cumsum(c(0, n))[seq_along(n)], n) + seq_len(sum(n))
  sorted_sparse_codes(n, codes$item[at], codes$code[at], c(length(rows), codes$dim[2]),
                      list(names[[1]][rows], names[[2]]))
}

# Some items, each once, in the form the codes have.
select_items <- function(codes, items) {
  if (!is_sparse(codes)) {
    return(codes[, items, drop = FALSE])
  }
  items <- positions(items, ncol(codes), colnames(codes))
  position <- replace(integer(ncol(codes)), items, seq_along(items))
  item <- position[codes$item]
  kept <- item > 0
  new_sparse_codes(
    answer_rows(codes)[kept], item[kept], codes$code[kept], c(nrow(codes), length(items)),
    list(rownames(codes), colnames(codes)[items])
  )
}

# An index of any kind as positions.
positions <- function(index, n, names, call = rlang::caller_env(2)) {
  at <- value_or(if (is.character(index)) match(index, names) else seq_len(n)[index], NA)
  if (anyNA(at)) abort_mdpd("A subscript is out of bounds.", class = "argument", call = call)
  at
}

# Answers ------------------------------------------------------------------------------------------

# Per item the number of answers, or the weight of their rows. Weights TRUE and FALSE choose rows.
n_observed <- function(codes, weights = NULL) {
  n <- if (!is_sparse(codes) && (is.null(weights) || all(weights == 1))) {
    core_answers_of_items(codes)
  } else if (!is_sparse(codes)) {
    vapply(seq_len(ncol(codes)), function(j) as.double(sum(weights[codes[, j] != as.raw(0)])), 0)
  } else if (is.null(weights)) {
    as.double(tabulate(codes$item, ncol(codes)))
  } else if (is.logical(weights)) {
    as.double(tabulate(codes$item[weights[answer_rows(codes)]], ncol(codes)))
  } else {
    sums <- rowsum(weights[answer_rows(codes)], codes$item, reorder = FALSE)
    replace(numeric(ncol(codes)), as.integer(rownames(sums)), sums)
  }
  stats::setNames(n, colnames(codes))
}

# Per item the number of rows that observe it.
n_rows_observed <- function(codes) {
  again <- if (is_sparse(codes)) tabulate(codes$item[is_repeated(codes)], ncol(codes)) else 0
  n_observed(codes) - again
}

# The rows that answer no item.
rows_without_answer <- function(codes) {
  if (is_sparse(codes)) {
    return(which(diff(codes$row_start) == 0))
  }
  empty <- seq_len(nrow(codes))
  for (j in seq_len(ncol(codes))) {
    if (length(empty) == 0) break
    empty <- empty[codes[empty, j] == as.raw(0)]
  }
  empty
}

# Per item the weighted shares of its levels among the rows that observe it.
level_shares <- function(coded, items = colnames(coded$codes)) {
  answers <- answers_by_item(coded$codes, items)
  shares <- lapply(items, function(item) {
    given <- answers(item)
    level <- factor(given$code, seq_along(coded$levels[[item]]))
    counts <- vapply(split(coded$weights[given$row], level), sum, 0, USE.NAMES = FALSE)
    counts / sum(counts)
  })
  stats::setNames(shares, items)
}

# How many answers each row has; several to one item count each.
n_answers_of_rows <- function(codes) {
  if (is_sparse(codes)) diff(codes$row_start) else core_answers_of_rows(codes)
}

# An integer where it is small enough for one.
n_missing <- function(codes) {
  n <- prod(dim(codes)) - sum(n_rows_observed(codes))
  if (n <= .Machine$integer.max) as.integer(n) else n
}

# A function of one of `items`, a name, that gives the rows that observe it, ascending (as often as
# they answer it), and their codes. The answers are sorted once for all items.
answers_by_item <- function(codes, items = colnames(codes)) {
  if (!is_sparse(codes)) {
    return(function(item) {
      code <- as.integer(codes[, item])
      row <- which(code > 0L)
      list(row = row, code = code[row])
    })
  }
  codes <- select_items(codes, items)
  by_item <- order(codes$item, method = "radix")  # stable: the rows stay ascending
  row <- answer_rows(codes)[by_item]
  code <- codes$code[by_item]
  start <- c(0, cumsum(as.double(tabulate(codes$item, length(items)))))
  function(item) {
    j <- match(item, items)
    at <- start[j] + seq_len(start[j + 1] - start[j])
    list(row = row[at], code = as.integer(code[at]))
  }
}

# New codes for all answers: for every item `recode(item, rows)`, missing cells as before.
replace_answers <- function(codes, recode) {
  answers <- answers_by_item(codes)
  drawn <- lapply(colnames(codes), function(item) as.raw(recode(item, answers(item)$row)))
  if (is_sparse(codes)) {
    codes$code[order(codes$item, method = "radix")] <- unlist(drawn)
  } else {
    for (j in seq_along(drawn)) {
      codes[codes[, j] != as.raw(0), j] <- drawn[[j]]
    }
  }
  codes
}
