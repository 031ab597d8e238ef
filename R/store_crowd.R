# Labels of a crowd into stores. Rows are the crowd's items, and all labels of an item must come
# together, wherever they are in the source: each label goes to one of some files by the hash of its
# item's id; these are split again while they are too large; then one after the other is read, its
# items are sorted by their hashes, and its rows go to the spool. So rows are in the order of the
# hashes, whatever the order of the source.
#
# Labels are kept in blocks, lists of `ids`, the different items; `item`, the position of each
# label's item among these; `worker` and `label`, provisional codes; and, of rows that were in the
# store, `known`, see store_shards.R.

n_buckets <- 64

#' Put all labels of a source into buckets
#'
#' @param names,na_values Of the three columns; and strings that stand for a missing value.
#' @param columns The growing columns `worker` and `label`.
#' @param arg The argument that the labels come from. Those that are `"new"` in a store become
#'   strings, as its levels are.
#' @return A list of `columns`, grown, and `n_labels`, how many there are.
#' @noRd
bucket_labels <- function(reader, names, na_values, columns, path, call, arg = "source") {
  n_labels <- 0
  repeat {
    chunk <- reader$next_chunk()
    if (is.null(chunk)) break
    if (nrow(chunk) == 0) next
    chunk <- read_triples(chunk, names, na_values, n_labels, call, arg)
    if (arg == "new") chunk[c("worker", "label")] <- lapply(chunk[c("worker", "label")], id_text)
    columns$worker <- grow_column(columns$worker, chunk$worker, n_labels)
    columns$label <- grow_column(columns$label, chunk$label, n_labels, max_values = max_levels)
    if (is.null(columns$label$codes)) check_n_labels(seq_len(max_levels + 1), call)
    item <- id_codes(chunk$item)
    block <- list(ids = item$ids, item = item$codes, worker = columns$worker$codes,
                  label = columns$label$codes)
    append_blocks(block, bucket_path(path, ""), 0)
    n_labels <- n_labels + length(item$codes)
  }
  columns <- lapply(columns, function(column) replace(column, "codes", list(NULL)))
  list(columns = columns, n_labels = n_labels)
}

# Items, workers and labels of a chunk; `names` are those of its columns.
read_triples <- function(chunk, names, na_values, rows_before, call, arg) {
  found <- item_names(chunk)
  check_column_names(found, arg, call)
  check_has_items(names, found, arg, call)
  triples <- lapply(names, function(name) {
    x <- table_column(chunk, match(name, found))
    if (is.character(x) && !is.object(x)) x[x %in% na_values] <- NA
    x
  })
  names(triples) <- c("item", "worker", "label")
  for (name in names(triples)) {
    check_id_column(triples[[name]], name, call, rows_before)
  }
  triples
}

# Of each id a code, and the different ids as strings.
id_codes <- function(x) {
  if (is.factor(x) || is_labelled(x)) {
    coded <- code_values(x)
    return(list(ids = coded$levels, codes = coded$codes))
  }
  values <- unique(x)
  list(ids = id_text(values), codes = match(x, values))
}

# Buckets ------------------------------------------------------------------------------------------

# A bucket's name says which part of the range of hashes it has: two digits a split.
bucket_path <- function(path, name) file.path(spool_path(path), paste0("bucket-", name))

# Adds a block to the buckets of a split; `depth` splits came before.
append_blocks <- function(block, prefix, depth) {
  bucket <- floor(core_hash(block$ids) * n_buckets^(depth + 1)) %% n_buckets
  of_label <- bucket[block$item]
  in_order <- order(of_label, method = "radix")  # stable: labels stay in their order
  ends <- cumsum(tabulate(of_label + 1, n_buckets))
  for (at in which(diff(c(0, ends)) > 0)) {
    labels <- in_order[seq.int(c(0, ends)[at] + 1, ends[at])]
    append_block(block_labels(block, labels), paste0(prefix, sprintf("%02d", at - 1L)))
  }
}

block_labels <- function(block, labels) {
  item <- block$item[labels]
  used <- unique(item)
  list(ids = block$ids[used], item = match(item, used), worker = block$worker[labels],
       label = block$label[labels])
}

append_block <- function(block, file) {
  con <- file(file, "ab")
  on.exit(close(con))
  serialize(block, con, xdr = FALSE)
}

# Calls use(block) for every block of a file.
for_each_block <- function(file, use) {
  con <- file(file, "rb")
  on.exit(close(con))
  repeat {
    block <- value_or(unserialize(con), NULL)
    if (is.null(block)) break
    use(block)
  }
}

#' Read the labels in the order of the hashes of their items
#'
#' @param path Folder of the store.
#' @param max_labels A bucket with more labels is split; small ones are put together, up to a 64th.
#' @param use A function of a block that has all labels of its items; the items are sorted by hash.
#' @noRd
for_each_bucket <- function(path, max_labels, use, name = "", depth = 1) {
  waiting <- character()
  most_bytes <- bytes_of_label * max_labels / n_buckets
  use_waiting <- function() {
    if (length(waiting) > 0) use(sort_block(read_buckets(waiting)))
    remove_files(waiting)
    waiting <<- character()
  }
  for (file in dir(spool_path(path), paste0("^bucket-", name, "[0-9]{2}$"), full.names = TRUE)) {
    is_large <- n_labels_in(file) > max_labels && depth < 8
    if (is_large || sum(file.size(c(waiting, file))) > most_bytes) use_waiting()
    if (is_large) {
      for_each_block(file, function(block) append_blocks(block, file, depth))
      remove_files(file)
      for_each_bucket(path, max_labels, use, sub("^bucket-", "", basename(file)), depth + 1)
    } else {
      waiting <- c(waiting, file)
    }
  }
  use_waiting()
}

bytes_of_label <- 12  # at least

n_labels_in <- function(file) {
  if (file.size(file) < bytes_of_label * 1024) {
    return(0)
  }
  n <- 0
  for_each_block(file, function(block) n <<- n + length(block$item))
  n
}

# All blocks as one.
read_buckets <- function(files) {
  blocks <- list()
  for (file in files) {
    for_each_block(file, function(block) blocks[[length(blocks) + 1]] <<- block)
  }
  ids <- unique(unlist(lapply(blocks, `[[`, "ids")))
  part <- function(name) unlist(lapply(blocks, `[[`, name))
  item <- unlist(lapply(blocks, function(block) match(block$ids, ids)[block$item]))
  list(ids = ids, item = item, worker = part("worker"), label = part("label"))
}

sort_block <- function(block) {
  hash <- core_hash(block$ids)
  in_order <- order(hash, block$ids, method = "radix")
  list(
    ids = block$ids[in_order], item = order(in_order)[block$item], worker = block$worker,
    label = block$label, hash = hash[in_order]
  )
}

# Rows ---------------------------------------------------------------------------------------------

#' Turn blocks into rows
#'
#' @param duplicates See crowd_labels().
#' @param columns Growing columns.
#' @param is_new Are the labels added to a store, which has settled what is done?
#' @return A list of `piece(block)`, a piece for the spool, and `seen()`: how many labels were given
#'   `again`, in all `n_read` and `n` that are kept, and, per provisional label, whether it
#'   `is_used`.
#' @noRd
new_row_maker <- function(duplicates, columns, call, is_new = FALSE) {
  again <- 0
  n_read <- 0
  n <- 0
  is_used <- logical(length(columns$label$values))
  piece <- function(block) {
    n_read <<- n_read + length(block$item)
    cell <- cell_index(block$item, block$worker, length(block$ids))
    if (anyDuplicated(cell)) {
      again <<- again + sum(duplicated(cell))
      block <- drop_repeats(block, cell, duplicates, columns, is_new, call)
    }
    n <<- n + length(block$item)
    is_used[block$label] <<- TRUE
    rows <- new_sparse_codes(
      block$item, block$worker, block$label, c(length(block$ids), length(columns$worker$values)),
      list(NULL, NULL)
    )
    list(codes = rows, ids = block$ids, hash = block$hash, known = block$known)
  }
  list(piece = piece, seen = function() {
    list(again = again, n_read = n_read, n = n, is_used = is_used)
  })
}

# Labels of one worker for one item are in the order of the source.
drop_repeats <- function(block, cell, duplicates, columns, is_new, call) {
  if (duplicates == "count") {
    return(block)
  }
  if (duplicates == "error") {
    second <- anyDuplicated(cell)
    worker <- as_type(columns$worker$values[block$worker[second]], "character")
    abort_mdpd(
      c("A worker must label an item at most once.",
        x = "Worker {.val {worker}} labels item {.val {block$ids[block$item[second]]}} again.",
        i = if (is_new) {
          'Leave the label out: the store was made with {.code duplicates = "error"}.'
        } else {
          'Let all count by {.code duplicates = "count"}, or keep one by {.code "first"} or
           {.code "last"}.'
        }),
      class = "duplicated_label", call = call
    )
  }
  keep <- !duplicated(cell, fromLast = duplicates == "last")
  block[c("item", "worker", "label")] <- lapply(block[c("item", "worker", "label")], `[`, keep)
  block
}

#' The manifest of a new store of a crowd, its shards written
#'
#' @param labels What bucket_labels() returned.
#' @param settings A list of `path`, `shard_rows`, `first_number`, `names`, `duplicates`,
#'   `by_default`.
#' @noRd
store_crowd <- function(labels, settings, call) {
  if (labels$n_labels == 0) {
    abort_mdpd("{.arg source} must have at least one row.", class = "data", call = call)
  }
  columns <- labels$columns
  worker <- finish_column(columns$worker, numbers_first = TRUE)
  check_n_workers(worker$levels, call)
  check_worker_ids(worker$levels, call)
  rows <- new_row_maker(settings$duplicates, columns, call)
  spool <- new_spool(settings$path, settings$shard_rows)
  for_each_bucket(settings$path, 64 * settings$shard_rows,
                  function(block) spool$add(rows$piece(block)))
  spooled <- spool$finish()
  seen <- rows$seen()
  # A bucket that a full disk has cut ends early.
  if (seen$n_read != labels$n_labels) abort_unwritable(spool_path(settings$path), call)
  if (seen$again > 0 && settings$by_default) inform_repeats(seen$again)
  columns$label$is_used <- seen$is_used
  label <- finish_column(columns$label, numbers_first = TRUE)
  n_obs <- sum(vapply(spooled, `[[`, 0, "n_rows"))
  is_dense <- seen$n >= sparse_share * n_obs * length(worker$levels) &&
    (seen$again == 0 || settings$duplicates != "count")
  recoding <- recoding_of_crowd(worker, label, is_dense)
  written <- recode_shards(spooled, recoding, settings$path, settings$first_number)
  list(
    format = format_of_stores, package = mdpd_version(),
    kind = "crowd", shard_rows = settings$shard_rows, items = worker$levels, levels = label$levels,
    types = c(worker = worker$type, label = label$type), duplicates = settings$duplicates,
    variable_labels = NULL,
    columns = as.list(settings$names), counts = written$counts,
    weights = manifest_weights(NULL, n_obs, call), has_ids = TRUE, shards = written$shards,
    next_number = settings$first_number + nrow(written$shards)
  )
}

check_n_workers <- function(workers, call) {
  if (length(workers) < 2) {
    abort_mdpd(
      c("{.arg source} must have labels of at least two workers.",
        x = "It has one, {.val {workers}}."),
      class = "data", call = call
    )
  }
}
