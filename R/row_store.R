#' A store of rows on disk
#'
#' Codes a table of categories, or labels of a crowd, that may be larger than memory, into a folder:
#' rows in shards of one byte a cell, with a checksum each, and a manifest of the levels. The source
#' is read once. A fit reads shard after shard.
#'
#' Levels, their order, what is missing and what is an error are as in [stagewise_em()] with the
#' whole source in memory, however the source is cut into chunks. In detail:
#'   * A column whose chunks are of different types has the type that `c()` would give: `1L` and `1`
#'     are the same level, and so are `1` and `"1"` where another chunk has strings. Levels of a
#'     factor stand in the order in which the chunks bring them; a column that is a factor in some
#'     chunks only is one of strings.
#'   * Text files are read as strings; when all have been seen, each column gets the type that
#'     [utils::read.csv()] would give it: `01` and `1` are the same level of a column of numbers,
#'     and different ones as soon as the column has a word, or a whole number from 2^53 on, of which
#'     R would not keep the last digits.
#'   * Rows of a table keep their order. Those of a crowd, one an item, are in an order that depends
#'     on nothing but their ids (on a hash of them), so the order of the labels does not matter.
#'
#' Rows are added by [add_rows()], and true labels of items by [add_known()].
#'
#' Never more than a few shards are in memory, with the levels; of a crowd also the ids of the
#' workers. While it is made, a store takes twice its space on disk. It is there when it is
#' complete: after an interruption the folder has the old store, or none, and the next call starts
#' anew.
#'
#' @param source One of:
#'   * a data frame, a matrix or [crowd_labels()];
#'   * paths of text files, comma, tab or semicolon separated, plain or compressed (gzip, bzip2,
#'     xz), or of Parquet files (by the package nanoparquet, else arrow, a row group at a time);
#'     patterns such as `"2024/*.csv.gz"` stand for all files that match, in the order of their
#'     names;
#'   * a connection to a database (by the package DBI), with `query`; or a result of
#'     `DBI::dbSendQuery()`;
#'   * a function without arguments that returns the next rows, a data frame or a matrix, at every
#'     call, and `NULL` at the end.
#' @param path Folder of the store: new, empty, or a store that may be replaced.
#' @param ... Must be empty; the arguments after it are matched by full name.
#' @param items Names of the columns that are items; by default (`NULL`) all columns but those of
#'   `id` and `weights`.
#' @param id Name of a column that identifies the rows, kept beside them; by default (`NULL`) the
#'   row names of a data frame or matrix, if it has any.
#' @param weights Case weights, finite and at least 0: the name of a column, or, for a data frame or
#'   a matrix, a numeric vector with one value a row. By default (`NULL`) all rows weigh 1.
#' @param item,worker,label For labels of a crowd, the names of their three columns, see
#'   [crowd_labels()]; then `items`, `id` and `weights` must be `NULL`, their default.
#' @param duplicates What to do if a worker labels an item more than once, see [crowd_labels()].
#' @param na_values Strings that stand for a missing value, in whatever type a column has. By
#'   default (`NULL`) `""` and `"NA"` in text files, and none elsewhere.
#' @param query SQL, or the name of a table, where `source` is a connection to a database.
#' @param sep,header For text files: the separator, see [read_crowd()] (by default, `NULL`, found in
#'   the first line; of a table white space only where that has no other); and `TRUE`, the default,
#'   if the first line has the names of the columns, else they are `V1`, `V2`, ...
#' @param shard_rows Rows of a shard, a power of two from 1,024 to 4,194,304 (2^22); by default
#'   65,536.
#' @param replace `TRUE` to replace a store that is in `path`; by default (`FALSE`) it is an error.
#' @return An object of class `row_store`, a list of `path` and `manifest`; it is small, and
#'   [saveRDS()] keeps it. `dim()` gives the numbers of rows and items, `dimnames()` has the names
#'   of the items, `levels()` a list with the levels of each item, and [as.data.frame()] the rows of
#'   some shards.
#' @section Errors:
#'   `mdpd_error_argument` for a bad argument; `mdpd_error_file` for a file that cannot be read, or
#'   a folder that has other files or a store; `mdpd_error_locked_store` if another process writes
#'   to the folder; `mdpd_error_missing_item` for a column that is not in all chunks;
#'   `mdpd_error_encoding` for text in an unknown encoding; and `mdpd_error_data` for all that a
#'   table or a crowd in memory must not have, see [stagewise_em()] and [crowd_labels()].
#' @references Fowler, Noll and Vo (1991) for the checksum, FNV-1a, here by words of eight bytes.
#' @family stores
#' @examples
#' path <- tempfile("store")
#' answers <- data.frame(sex = c("f", "m", "f"), vote = c(1, 3, NA), trust = c(TRUE, FALSE, FALSE))
#' store <- row_store(answers, path)
#' store
#' levels(store)
#' as.data.frame(store)
#' unlink(path, recursive = TRUE)
#' @export
row_store <- function(source, path, ..., items = NULL, id = NULL, weights = NULL, item = NULL,
                      worker = NULL, label = NULL,
                      duplicates = c("count", "error", "first", "last"), na_values = NULL,
                      query = NULL, sep = NULL, header = TRUE, shard_rows = 65536,
                      replace = FALSE) {
  check_given(source)
  check_given(path)
  rlang::check_dots_empty()
  call <- rlang::current_env()
  by_default <- missing(duplicates)
  duplicates <- check_choice(duplicates, c("count", "error", "first", "last"))
  check_shard_rows(shard_rows)
  check_flag(replace)
  text <- check_text_settings(sep, header)
  crowd <- check_crowd_columns(source, item, worker, label, call)
  roles <- check_roles(source, items, id, weights, crowd, call)
  check_strings(na_values)
  path <- check_store_path(path, replace, call)

  open <- function() {
    text$strip <- !is.null(crowd)
    open_source(source, query, text, rows_at_once(shard_rows, crowd), call)
  }
  settings <- list(
    shard_rows = shard_rows, roles = roles, names = crowd, na_values = na_values,
    duplicates = duplicates, by_default = by_default
  )
  write_store(path, open, settings, call)
}

#' Open a store of rows
#'
#' @param path Folder of a store, made by [row_store()].
#' @return An object of class `row_store`, see [row_store()].
#' @section Errors: `mdpd_error_file` if there is no store, or one of another version of the format;
#'   `mdpd_error_damaged_shard` if its manifest cannot be read or a file is not there or has another
#'   length. What the files hold is checked when they are read, or by [verify_store()].
#' @family stores
#' @examples
#' path <- tempfile("store")
#' row_store(data.frame(a = c(1, 2, 1), b = c("x", "x", "y")), path)
#' open_row_store(path)
#' unlink(path, recursive = TRUE)
#' @export
open_row_store <- function(path) {
  check_given(path)
  call <- rlang::current_env()
  check_file_name(path)
  if (!file.exists(manifest_path(path))) {
    unfinished <- dir.exists(spool_path(path)) || dir.exists(lock_path(path))
    abort_mdpd(
      c("{.file {path}} must be the folder of a store.",
        x = if (unfinished) "A store was begun here and has not been completed."
            else "It has no manifest.",
        i = "Make {if (unfinished) 'it again' else 'one'} by {.fn row_store}."),
      class = "file"
    )
  }
  manifest <- read_settled(path, function() {
    manifest <- read_manifest(path, call)
    check_files(path, manifest, call)
    manifest
  })
  new_row_store(path, manifest)
}

check_files <- function(path, manifest, call) {
  files <- file.path(path, manifest$shards$file)
  found <- file.size(files)
  bad <- which(is.na(found) | found != manifest$shards$bytes)
  if (length(bad) > 0) {
    problem <- if (is.na(found[bad[1]])) {
      "It is not there"
    } else {
      sprintf("It has %.0f bytes instead of %.0f", found[bad[1]], manifest$shards$bytes[bad[1]])
    }
    abort_damaged_file(files[bad[1]], problem, call)
  }
}

# Writing ------------------------------------------------------------------------------------------

# Text files have many values, crowds three columns: some 30 MB of them in R at once.
rows_at_once <- function(shard_rows, crowd) {
  most <- if (is.null(crowd)) shard_rows else 16 * shard_rows
  function(n_columns) max(64, min(most, floor(2^22 / max(1, n_columns))))
}

# All that happens between taking the lock and giving it back.
write_store <- function(path, open, settings, call) {
  dir.create(path, showWarnings = FALSE, recursive = TRUE)
  lock_store(path, call)
  on.exit(unlock_store(path))
  old <- old_manifest(path)
  clean_store(path, old)
  dir.create(spool_path(path))
  on.exit(remove_files(spool_path(path)), add = TRUE, after = FALSE)
  settings$path <- path
  settings$first_number <- old$next_number %||% 1
  reader <- open()
  on.exit(reader$close(), add = TRUE, after = FALSE)
  manifest <- write_shards(reader, settings, call)
  write_manifest(manifest, path)
  clean_store(path, manifest)
  new_row_store(path, manifest)
}

write_shards <- function(reader, settings, call) {
  settings$na_values <- settings$na_values %||% if (reader$from_text) c("", "NA")
  settings$from_text <- reader$from_text
  if (!is.null(settings$names)) {
    columns <- list(worker = new_column(), label = new_column())
    labels <- bucket_labels(
      reader, settings$names, settings$na_values, columns, settings$path, call
    )
    return(store_crowd(labels, settings, call))
  }
  spool <- new_spool(settings$path, settings$shard_rows)
  grow <- grow_items(settings$from_text, settings$na_values, call)
  coded <- code_chunks(reader, settings$roles, list(), grow, spool, call)
  store_table(coded, spool$finish(), settings, call)
}

# Checks -------------------------------------------------------------------------------------------

check_shard_rows <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_count(x, 2^10, 2^22, arg = arg, call = call)
  if (log2(x) != round(log2(x))) {
    abort_mdpd(
      "{.arg {arg}} must be a power of two, not {x}.", class = "argument", call = call
    )
  }
}

check_text_settings <- function(sep, header, call = rlang::caller_env()) {
  check_separator(sep, "sep", call)
  check_flag(header, "header", call)
  list(sep = sep, header = header)
}

check_strings <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (!is.null(x) && (!is.character(x) || anyNA(x))) {
    abort_mdpd(
      "{.arg {arg}} must be `NULL` or a character vector without {.code NA}, not {describe(x)}.",
      class = "argument", call = call
    )
  }
  check_encoding(x, "{.arg {arg}}", call)
}

# The names of the three columns of a crowd; NULL for a table.
check_crowd_columns <- function(source, item, worker, label, call) {
  columns <- list(item = item, worker = worker, label = label)
  given <- !vapply(columns, is.null, NA)
  if (!any(given)) {
    return(if (inherits(source, "crowd_labels")) {
      c(item = "item", worker = "worker", label = "label")
    })
  }
  if (!all(given)) {
    abort_mdpd(
      "{.arg item}, {.arg worker} and {.arg label} must be given together; {.arg
       {names(columns)[!given][1]}} is not.",
      class = "argument", call = call
    )
  }
  for (name in names(columns)) check_string(columns[[name]], name, call)
  columns <- vapply(columns, function(name) enc2utf8(unname(name)), "")
  if (anyDuplicated(columns)) {
    abort_mdpd(
      "{.arg item}, {.arg worker} and {.arg label} must be three different columns.",
      class = "argument", call = call
    )
  }
  columns
}

check_roles <- function(source, items, id, weights, crowd, call) {
  given <- c("items", "id", "weights")[c(!is.null(items), !is.null(id), !is.null(weights))]
  if (!is.null(crowd) && length(given) > 0) {
    abort_mdpd(
      "{.arg {given[1]}} must be `NULL` for labels of a crowd.", class = "argument", call = call
    )
  }
  check_strings(items, call = call)
  if (!is.null(id)) check_string(id, call = call)
  if (is.numeric(weights) && is_table_of_items(source)) {
    weights <- check_weights(weights, nrow(source), call = call)
  } else if (!is.null(weights)) {
    check_string(weights, call = call)
  }
  roles <- c(items, id, if (is.character(weights)) weights)
  if (anyDuplicated(roles)) {
    abort_mdpd(
      "A column must not be given twice: {.field {roles[anyDuplicated(roles)]}} is.",
      class = "argument", call = call
    )
  }
  new_roles(items, id, weights)
}

# New, empty, or with nothing but a store's files.
check_store_path <- function(path, replace, call) {
  check_file_name(path, call = call)
  if (!nzchar(path)) {
    abort_mdpd("{.arg path} must be a folder, not an empty string.", class = "argument",
               call = call)
  }
  path <- path.expand(path)
  if (file.exists(path) && !dir.exists(path)) {
    abort_mdpd("{.file {path}} must be a folder, not a file.", class = "file", call = call)
  }
  own <- c(list_store_files(path), "spool", dir(path, "^lock"))
  others <- setdiff(dir(path, all.files = TRUE, no.. = TRUE), own)
  if (length(others) > 0) {
    abort_mdpd(
      c("{.arg path} must be a new folder, an empty one or a store.",
        x = "{.file {path}} has other files, such as {.file {others[1]}}."),
      class = "file", call = call
    )
  }
  if (file.exists(manifest_path(path)) && !replace) {
    abort_mdpd(
      c("{.file {path}} has a store already.",
        i = "Replace it by {.code replace = TRUE}, or add rows to it by {.fn add_rows}."),
      class = "file", call = call
    )
  }
  path
}
