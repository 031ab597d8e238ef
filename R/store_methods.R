# What a store says of itself, and its rows back in R.

#' @export
dim.row_store <- function(x) c(sum(x$manifest$shards$rows), length(x$manifest$items))

#' @export
dimnames.row_store <- function(x) list(NULL, x$manifest$items)

#' @export
levels.row_store <- function(x) {
  levels <- x$manifest$levels
  if (x$manifest$kind == "table") {
    return(levels)
  }
  stats::setNames(rep(list(levels), length(x$manifest$items)), x$manifest$items)
}

#' Print a store of rows
#'
#' `print()` says what is in a store: rows, items, shards, size on disk, the share of cells without
#' an answer, levels and weights. `format()` gives its first line, and `summary()` tables of the
#' items and of the shards.
#'
#' @param x,object A [row_store()].
#' @param ... Not used.
#' @return `print()` returns `x` invisibly; `format()` a string; `summary()` a list of class
#'   `summary.row_store` of two data frames, printed by a method:
#'   * `items`: `item`, `n_levels`, and `weight`, the weighted number of answers, a row for each
#'     item;
#'   * `shards`: `file`, `rows`, `answers`, `weight` (the sum of the case weights) and `bytes`, a
#'     row for each shard.
#' @family stores
#' @examples
#' path <- tempfile("store")
#' store <- row_store(data.frame(a = c(1, 2, NA), b = c("x", "x", "y")), path)
#' print(store)
#' summary(store)
#' unlink(path, recursive = TRUE)
#' @export
print.row_store <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  cat(c(describe_shards(x), describe_cells(x), describe_weights(x), describe_known(x)), sep = "\n")
  invisible(x)
}

#' @rdname print.row_store
#' @export
format.row_store <- function(x, ...) {
  is_crowd <- x$manifest$kind == "crowd"
  sprintf(
    "<row_store: %s x %s>", plural(nrow(x), if (is_crowd) "item" else "row"),
    plural(ncol(x), if (is_crowd) "worker" else "item")
  )
}

describe_shards <- function(x) {
  shards <- x$manifest$shards
  sprintf(
    "%s of up to %s rows, %s in %s", plural(nrow(shards), "shard"), comma(x$manifest$shard_rows),
    format_bytes(sum(shards$bytes)), x$path
  )
}

format_bytes <- function(n) {
  units <- c("B", "kB", "MB", "GB", "TB")
  unit <- max(0, min(4, floor(log10(max(1, n)) / 3)))
  paste(format_number(round(n / 1000^unit, if (unit > 0) 1 else 0)), units[unit + 1])
}

describe_cells <- function(x) {
  shards <- x$manifest$shards
  n_cells <- nrow(x) * ncol(x)
  if (x$manifest$kind == "crowd") {
    labels <- x$manifest$levels
    shown <- if (length(labels) > 10) c(labels[1:10], sprintf("and %d more", length(labels) - 10))
    return(sprintf(
      "%s given, %.1f an item; they are %s", plural(sum(shards$answers), "label"),
      sum(shards$answers) / nrow(x), paste(shown %||% labels, collapse = ", ")
    ))
  }
  n_levels <- range(lengths(x$manifest$levels))
  sprintf(
    "%s levels an item; %s of the cells missing",
    paste(unique(n_levels), collapse = " to "), percent(1 - sum(shards$answers) / n_cells, 1)
  )
}

describe_weights <- function(x) {
  weights <- x$manifest$weights
  if (!weights$given) {
    return("No case weights")
  }
  sprintf(
    "Case weights from %s to %s where above 0, in all %s",
    format_number(weights$smallest, digits = 4), format_number(weights$largest, digits = 4),
    comma(signif(weights$sum, 7))
  )
}

# Only where there are some.
describe_known <- function(x) {
  n <- n_known(x)
  if (n > 0) {
    paste(if (n == 1) "The label of 1 item is" else paste("The labels of", comma(n), "items are"),
          "known")
  }
}

#' @rdname print.row_store
#' @export
summary.row_store <- function(object, ...) {
  n_levels <- store_n_levels(object$manifest)
  item <- rep(seq_along(n_levels), n_levels)
  weight <- as.vector(rowsum(object$manifest$counts, item))
  structure(
    list(
      items = data.frame(item = object$manifest$items, n_levels = n_levels, weight = weight),
      shards = object$manifest$shards[c("file", "rows", "answers", "weight", "bytes")],
      header = format(object)
    ),
    class = "summary.row_store"
  )
}

#' @export
print.summary.row_store <- function(x, ...) {
  cat(x$header, "\n\n", sep = "")
  print_first(x$items, "item")
  cat("\n")
  print_first(x$shards, "shard")
  invisible(x)
}

print_first <- function(table, noun, n = 10) {
  # The header has a point too.
  rlang::with_options(print(utils::head(table, n), row.names = FALSE), OutDec = ".")
  if (nrow(table) > n) cat("and", plural(nrow(table) - n, noun), "more\n")
}

#' Rows of a store as a data frame
#'
#' Reads shards back. The whole of them is checked on the way.
#'
#' @param x A [row_store()].
#' @param row.names `NULL`, the default, for the ids of the rows of a table where they all differ,
#'   else for none; or names for the rows.
#' @param optional,... Not used.
#' @param shards Numbers of the shards, by default (`NULL`) all of them.
#' @param n How many of the first rows, or labels of a crowd, a count; only their shards are read.
#' @return `as.matrix()` a matrix of strings, all rows x items; of a crowd see [crowd_labels()].
#'   The others, of a table, a data frame with a row for each of its rows and a column for each
#'   item, a factor; of a crowd one of triples, the factors `item`, `worker` and `label`, a row for
#'   each label.
#' @section Errors: `mdpd_error_damaged_shard` for a file that is not what was written, which it
#'   names; `mdpd_error_outdated_store` where the store was written to since the object was made and
#'   has no longer its files: then [open_row_store()] it again; `mdpd_error_argument` for a bad
#'   argument.
#' @family stores
#' @examples
#' path <- tempfile("store")
#' store <- row_store(data.frame(a = c(1, 2, NA), b = c("x", "x", "y")), path)
#' as.data.frame(store)
#' head(store, 2)
#' unlink(path, recursive = TRUE)
#' @export
as.data.frame.row_store <- function(x, row.names = NULL, # nolint: object_name_linter.
                                    optional = FALSE, ..., shards = NULL) {
  shards <- check_shards(shards, x)
  call <- rlang::current_env()
  read <- lapply(shards, function(at) read_shard(x$path, x$manifest, at, call))
  pieces <- lapply(read, function(shard) list(codes = shard$codes, ids = shard$ids))
  rows <- bind_pieces(pieces)
  if (x$manifest$kind == "crowd") {
    return(name_rows(answers_table(rows, x$manifest), row.names))
  }
  ids <- if (!anyNA(rows$ids) && !anyDuplicated(rows$ids)) rows$ids
  name_rows(items_table(rows, x), row.names, ids)
}

#' @rdname as.data.frame.row_store
#' @export
as.matrix.row_store <- function(x, ...) {
  rlang::check_dots_empty()
  rows <- as.data.frame(x)
  as.matrix(if (x$manifest$kind == "crowd") crowd_labels(rows, duplicates = "count") else rows)
}

#' @rdname as.data.frame.row_store
#' @importFrom utils head
#' @export
head.row_store <- function(x, n = 6, ...) {
  rlang::check_dots_empty()
  check_count(n)
  size <- x$manifest$shards[[if (x$manifest$kind == "crowd") "answers" else "rows"]]
  n_shards <- min(length(size), sum(cumsum(size) < n) + 1)
  utils::head(as.data.frame(x, shards = seq_len(n_shards)), n)
}

# By the `names` that the user gave, else by those there are.
name_rows <- function(table, names, or = NULL, call = rlang::caller_env()) {
  if (!is.null(names)) check_row_names(names, nrow(table), call)
  names <- names %||% or
  if (!is.null(names)) row.names(table) <- names
  table
}

check_row_names <- function(x, n, call) {
  are_texts <- rlang::is_bare_character(x, n) || rlang::is_bare_numeric(x, n)
  if (!are_texts || anyNA(x)) {
    abort_mdpd(
      "{.arg row.names} must be `NULL` or a name for each of the {n} row{?s}, not {describe(x)}.",
      class = "argument", call = call
    )
  }
  check_encoding(x, "{.arg row.names}", call)
  if (anyDuplicated(x)) {
    abort_mdpd(
      c("{.arg row.names} must all differ.", x = "{.val {x[anyDuplicated(x)]}} is there again."),
      class = "argument", call = call
    )
  }
}

items_table <- function(rows, x) {
  columns <- lapply(seq_len(ncol(x)), function(j) {
    code_to_factor(replace(as.integer(rows$codes[, j]), rows$codes[, j] == as.raw(0), NA),
                   x$manifest$levels[[j]])
  })
  structure(
    stats::setNames(columns, x$manifest$items), class = "data.frame",
    row.names = .set_row_names(nrow(rows$codes))
  )
}

answers_table <- function(rows, manifest) {
  codes <- to_sparse(rows$codes)
  items <- unique(rows$ids)  # a shard may be asked for twice
  data.frame(
    item = code_to_factor(match(rows$ids, items)[answer_rows(codes)], items),
    worker = code_to_factor(codes$item, manifest$items),
    label = code_to_factor(as.integer(codes$code), manifest$levels)
  )
}

check_shards <- function(shards, x, call = rlang::caller_env()) {
  n <- nrow(x$manifest$shards)
  if (is.null(shards)) {
    return(seq_len(n))
  }
  are_numbers <- is.numeric(shards) && length(shards) > 0
  if (!are_numbers || !all(shards %in% seq_len(n))) {
    abort_mdpd(
      "{.arg shards} must be numbers of shards, from 1 to {n}, not {describe(shards)}.",
      class = "argument", call = call
    )
  }
  unname(shards)
}

#' Check all files of a store
#'
#' Reads every file, the manifest too, and compares it with its checksum. A fit checks each shard
#' that it reads; this is to know before, or after a copy.
#'
#' @param store A [row_store()].
#' @return A data frame with a row for each file that is damaged or not there: `file`, and
#'   `problem`, a sentence; without rows if the store is sound. Damaged files bring a warning.
#' @section Errors: `mdpd_error_argument` if `store` is not a store; `mdpd_error_outdated_store` as
#'   of [as.data.frame()][as.data.frame.row_store]; a warning of class `mdpd_warning_damaged_shard`.
#' @family stores
#' @examples
#' path <- tempfile("store")
#' store <- row_store(data.frame(a = c(1, 2, 1), b = c("x", "x", "y")), path)
#' verify_store(store)
#' unlink(path, recursive = TRUE)
#' @export
verify_store <- function(store) {
  check_class(store, "row_store")
  damaged <- data.frame(file = character(), problem = character())
  verify <- function(read) {
    tryCatch(read, mdpd_error_damaged_shard = function(cnd) {
      damaged[nrow(damaged) + 1, ] <<- list(basename(cnd$file), cnd$body[["x"]])
    })
  }
  verify(read_manifest(store$path))
  for (at in seq_len(nrow(store$manifest$shards))) {
    verify(read_shard(store$path, store$manifest, at))
  }
  if (nrow(damaged) > 0) {
    warn_mdpd(
      c("{nrow(damaged)} file{?s} of the store {?is/are} damaged or missing.",
        x = "{.file {damaged$file}}.",
        i = "Make the store again by {.fn row_store}, or put back copies of the files."),
      class = "damaged_shard"
    )
  }
  damaged
}
