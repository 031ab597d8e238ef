#' Add rows to a store
#'
#' Appends rows of a table, or labels of a crowd, to a store on disk. What is there already keeps
#' its codes, so a day's rows cost about a day's work: of a table the last shard is filled up and
#' others are added; of a crowd also the shards that have an item with new labels are written anew.
#'
#' Levels that the store does not have stand behind those it has, with a message; so do new workers
#' of a crowd. A label for an item that is in the store already joins the labels of that item.
#' Interrupted at any moment, the store has all of the new rows or none. An object that was made
#' before still stands for the old rows, until the store is written to again: then
#' [open_row_store()] it. A fit of the store goes on with the new rows by [update.mdpd()]. Labels
#' that are known, see [add_known()], stay with their items.
#'
#' @param store A [row_store()].
#' @param new The rows, a source of any kind that [row_store()] takes. A table must have the columns
#'   of the store, by name, of items, ids and weights; others are ignored. A crowd must have the
#'   three columns of the store, or be [crowd_labels()].
#' @param ... Must be empty; the arguments after it are matched by full name.
#' @param weights Where the weights of the store were in no column: `NULL`, the default, for rows of
#'   weight 1, or a numeric vector with one value a row of a data frame or matrix.
#' @inheritParams row_store
#' @return The store with the rows, of class `row_store`. The argument still stands for the old
#'   rows.
#' @section Errors: as of [row_store()], and `mdpd_error_missing_item` for an absent column;
#'   `mdpd_error_damaged_shard` for a file that cannot be read. A message of class
#'   `mdpd_message_new_levels` names levels that are new.
#' @family stores
#' @examples
#' path <- tempfile("store")
#' store <- row_store(data.frame(a = c(1, 2, 1), b = c("x", "x", "y")), path)
#' store <- add_rows(store, data.frame(a = 3, b = "x"))
#' as.data.frame(store)
#' unlink(path, recursive = TRUE)
#' @export
add_rows <- function(store, new, ..., weights = NULL, na_values = NULL, query = NULL, sep = NULL,
                     header = TRUE) {
  rlang::check_dots_empty()
  call <- rlang::current_env()
  check_class(store, "row_store")
  text <- check_text_settings(sep, header)
  check_strings(na_values)
  path <- open_row_store(store$path)$path
  lock_store(path, call)
  on.exit(unlock_store(path))
  manifest <- open_row_store(path)$manifest
  clean_store(path, manifest)
  dir.create(spool_path(path))
  on.exit(remove_files(spool_path(path)), add = TRUE, after = FALSE)

  is_crowd <- manifest$kind == "crowd"
  names <- if (is_crowd) names_in(new, manifest)
  roles <- if (!is_crowd) roles_of_new(new, weights, manifest, call)
  text$strip <- is_crowd
  reader <- open_source(new, query, text, rows_at_once(manifest$shard_rows, names), call, "new")
  on.exit(reader$close(), add = TRUE, after = FALSE)
  na_values <- na_values %||% if (reader$from_text) c("", "NA")
  added <- if (is_crowd) {
    add_labels(reader, names, na_values, path, manifest, call)
  } else {
    add_table_rows(reader, roles, na_values, path, manifest, call)
  }
  write_manifest(added, path)
  new_row_store(path, added)
}

# The three columns of a crowd.
names_in <- function(new, manifest) {
  if (inherits(new, "crowd_labels")) c("item", "worker", "label") else unlist(manifest$columns)
}

roles_of_new <- function(new, weights, manifest, call) {
  columns <- manifest$columns
  if (!is.null(weights)) {
    if (!is.null(columns$weights) || !is_table_of_items(new)) {
      abort_mdpd(
        "{.arg weights} must be `NULL` where the weights of the store are in a column, or {.arg new}
         is no data frame or matrix.",
        class = "argument", call = call
      )
    }
    weights <- check_each_weight(weights, nrow(new), call = call)
  }
  new_roles(manifest$items, columns$id, columns$weights %||% weights)
}

# Tables -------------------------------------------------------------------------------------------

add_table_rows <- function(reader, roles, na_values, path, manifest, call) {
  spool <- new_spool(path, manifest$shard_rows)
  last <- partial_shard(path, manifest, call)
  if (!is.null(last)) spool$add(last)
  columns <- lapply(manifest$levels, known_column)
  grow <- grow_known_items(manifest$types, reader$from_text, na_values, call)
  with_ids <- list(add = function(piece) spool$add(fit_ids(piece, manifest$has_ids)))
  coded <- code_chunks(reader, roles, columns, grow, with_ids, call, "new")
  if (coded$n_rows == 0) {
    return(manifest)
  }
  weights <- join_weights(manifest$weights, coded$weights, coded$n_rows)
  n_rows <- sum(manifest$shards$rows) + coded$n_rows
  check_sum_of_weights(weights$sum, n_rows, "weights", call)
  finished <- lapply(coded$columns, finish_known)
  inform_new_levels(lapply(finished, `[[`, "new"))
  levels <- lapply(finished, `[[`, "levels")
  recoding <- recoding_of_table(finished)
  written <- recode_shards(spool$finish(), recoding, path, manifest$next_number)
  n_before <- lengths(manifest$levels)
  kept <- manifest$counts
  if (!is.null(last)) kept <- kept - count_levels(last$codes, last$weights, n_before)
  is_kept <- seq_len(nrow(manifest$shards) - !is.null(last))
  manifest$counts <- spread_counts(kept, n_before, recoding$n_levels) + written$counts
  manifest$n_unweighted <- (manifest$n_unweighted %||% 0) + sum_of_unweighted(finished)
  manifest$levels <- levels
  manifest$weights <- weights
  manifest$shards <- rbind(manifest$shards[is_kept, ], written$shards)
  manifest$next_number <- manifest$next_number + nrow(written$shards)
  manifest
}

# The rows of the last shard where it is not full.
partial_shard <- function(path, manifest, call) {
  last <- nrow(manifest$shards)
  if (manifest$shards$rows[last] == manifest$shard_rows) {
    return(NULL)
  }
  read_shard(path, manifest, last, call)
}

# Rows added without an id, to a store with ids.
fit_ids <- function(piece, has_ids) {
  piece["ids"] <- list(if (has_ids) piece$ids %||% rep(NA_character_, nrow(piece$codes)))
  piece
}

join_weights <- function(before, new, n_rows) {
  if (is.null(new) && !before$given) {
    before$sum <- before$sum + n_rows
    return(before)
  }
  new <- new %||% manifest_weights(NULL, n_rows)
  list(
    given = TRUE, smallest = min(before$smallest, new$smallest),
    largest = max(before$largest, new$largest), sum = before$sum + new$sum,
    unit = min(before$unit, new$unit)
  )
}
