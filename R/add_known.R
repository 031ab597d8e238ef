#' Known labels of items in a store
#'
#' Tells the store of a crowd the true labels of some of its items (gold questions), which may come
#' long after the items. They are written beside the rows of these items, and stay with them when
#' rows are added.
#'
#' A fit by [stagewise_em()] with one component a label holds these items in the component of their
#' label, see its section 'Rows in a store'. [update()][update.mdpd()] goes on from a fit with what
#' became known since. Only shards with items whose known label changes are written anew, beside the
#' old ones; interrupted at any moment, the store has all of the new labels or none. An object that
#' was made before stands for the store as it was, until it is written to again: then
#' [open_row_store()] it.
#'
#' @param store A [row_store()] of a crowd.
#' @param known True labels, a vector named by items. Each is a label that somebody gave, or `NA`:
#'   then the label of that item is not known any longer. Items that are not named keep what is
#'   known of them.
#' @return The store with the labels, of class `row_store`. The argument still stands for the store
#'   as it was.
#' @section Errors: `mdpd_error_argument` if `store` is not the store of a crowd, or for a label
#'   that nobody gave, an item that is not in the store, is named twice or has no name;
#'   `mdpd_error_encoding` for text in an unknown encoding; `mdpd_error_locked_store` and
#'   `mdpd_error_damaged_shard` as of [add_rows()].
#' @family stores
#' @examples
#' path <- tempfile("store")
#' crowd <- simulate_crowd(n_items = 300, n_workers = 10, accuracy = rep(0.6, 6), seed = 1)
#' store <- row_store(crowd$labels, path)
#' store <- add_known(store, crowd$truth[1:20])
#' store
#' fit <- stagewise_em(store, k = 3)
#' mean(predict(fit, store)[crowd$labels$items] == crowd$truth)
#' unlink(path, recursive = TRUE)
#' @export
add_known <- function(store, known) {
  call <- rlang::current_env()
  check_class(store, "row_store")
  check_is_crowd(store, call)
  check_are_labels(known, call)
  check_are_named(known, call)
  path <- open_row_store(store$path)$path
  lock_store(path, call)
  on.exit(unlock_store(path))
  manifest <- open_row_store(path)$manifest
  clean_store(path, manifest)
  code <- label_codes(known, manifest$levels, "store", call)
  ids <- enc2utf8(as.character(names(known)))
  changed <- write_known(ids, code, path, manifest, call)
  if (!identical(changed, manifest)) write_manifest(changed, path)
  new_row_store(path, changed)
}

check_is_crowd <- function(store, call) {
  if (store$manifest$kind != "crowd") {
    abort_mdpd(
      "{.arg store} must be of the labels of a crowd, not of a table.",
      class = "argument", call = call
    )
  }
}

check_are_named <- function(known, call) {
  if (is.null(names(known)) && length(known) > 0) {
    abort_mdpd("{.arg known} must be named by items.", class = "argument", call = call)
  }
  check_are_names(names(known), call)
}

# Puts codes of labels, NA for none, beside the items of these ids. Shards where that changes
# something get new files; the files of their ids stay.
write_known <- function(ids, code, path, manifest, call) {
  at <- find_items(ids, path, manifest, call)
  check_no_others(ids[is.na(at$row)], first_id(path, manifest, call), "store", call)
  for (shard in unique(at$shard)) {
    here <- which(at$shard == shard)
    before <- read_known(path, manifest, shard, call)
    known <- replace(before, at$row[here], as.raw(replace(code[here], is.na(code[here]), 0L)))
    if (!identical(known, before)) manifest <- write_known_shard(known, shard, path, manifest, call)
  }
  manifest
}

write_known_shard <- function(known, at, path, manifest, call) {
  shard <- manifest$shards[at, ]
  file <- shard_name(manifest$next_number)
  about <- with_shard_files(core_set_known(
    file.path(path, shard$file), store_n_levels(manifest), shard$checksum, file.path(path, file),
    known
  ), call)
  about <- c(about[c("checksum", "known", "known_hash")],
             list(file = file, bytes = file.size(file.path(path, file))))
  manifest$shards[at, names(about)] <- about
  manifest$next_number <- manifest$next_number + 1
  manifest
}

first_id <- function(path, manifest, call) read_ids(path, manifest$shards[1, ], call)[1]
