# Labels that are added to the store of a crowd. Those of items that are there go to the shards of
# these items, which are written anew; the other items fill up the last shard and make new ones.

add_labels <- function(reader, names, na_values, path, manifest, call) {
  columns <- list(worker = known_column(manifest$items), label = known_column(manifest$levels))
  labels <- bucket_labels(reader, names, na_values, columns, path, call, "new")
  if (labels$n_labels == 0) {
    return(manifest)
  }
  rows <- new_row_maker(manifest$duplicates, labels$columns, call, is_new = TRUE)
  spool <- new_spool(path, manifest$shard_rows)
  later <- new_collection(nrow(manifest$shards))
  for_each_bucket(path, 64 * manifest$shard_rows, function(block) {
    new <- collect_known(block, later, path, manifest, call)
    if (length(new$ids) > 0) spool$add(rows$piece(new))
  })
  changed <- write_changed(later, rows, spool, path, manifest, call)
  if (rows$seen()$n_read - changed$n_before != labels$n_labels) {
    abort_unwritable(spool_path(path), call)
  }
  written <- recode_added(c(changed$spooled, spool$finish()), rows$seen(), labels$columns, path,
                          manifest, call)
  again <- rows$seen()$again - changed$again
  if (again > 0 && manifest$duplicates == "count") {
    inform_repeats(again, 'The store was made with {.code duplicates = "count"}.')
  }
  manifest_with(manifest, written, changed)
}

# Labels of items that are in the store, by shard, until all have come: 12 bytes each.
new_collection <- function(n_shards) {
  of_shard <- vector("list", n_shards)
  list(
    add = function(at, labels) of_shard[[at]] <<- c(of_shard[[at]], list(labels)),
    get = function(at) {
      part <- function(name) unlist(lapply(of_shard[[at]], `[[`, name))
      list(row = part("row"), worker = part("worker"), label = part("label"))
    },
    shards = function() which(lengths(of_shard) > 0)
  )
}

# Puts the labels of known items into the collection; returns a block of the others.
collect_known <- function(block, later, path, manifest, call) {
  shards <- manifest$shards
  hash <- range(block$hash)
  is_new <- rep(TRUE, length(block$ids))
  for (at in which(shards$hash_from <= hash[2] & shards$hash_to >= hash[1])) {
    row <- match(block$ids, read_ids(path, shards[at, ], call))
    known <- !is.na(row[block$item])
    if (any(known)) {
      later$add(at, list(row = row[block$item[known]], worker = block$worker[known],
                         label = block$label[known]))
      is_new[!is.na(row)] <- FALSE
    }
  }
  kept <- is_new[block$item]
  list(
    ids = block$ids[is_new], item = cumsum(is_new)[block$item[kept]], worker = block$worker[kept],
    label = block$label[kept], hash = block$hash[is_new]
  )
}

# Spools the shards that have new labels, and lets the last one, where it is not full, join the new
# rows. Returns what is spooled, the numbers of these shards, those of shards that are `replaced`,
# their `counts`, how many labels they had before, and how many of these were given `again`.
write_changed <- function(later, rows, spool, path, manifest, call) {
  last <- nrow(manifest$shards)
  is_partial <- manifest$shards$rows[last] < manifest$shard_rows
  at_once <- setdiff(later$shards(), if (is_partial) last)
  out <- list(spooled = list(), changed = at_once, again = 0, n_before = 0, counts = 0,
              replaced = c(at_once, if (is_partial) last))
  n_levels <- store_n_levels(manifest)
  for (at in out$replaced) {
    shard <- read_shard(path, manifest, at, call)
    out$counts <- out$counts + count_levels(shard$codes, shard$weights, n_levels)
    out$n_before <- out$n_before + manifest$shards$answers[at]
    out$again <- out$again + sum(is_repeated(to_sparse(shard$codes)))
    piece <- rows$piece(join_labels(shard, later$get(at)))
    if (at %in% at_once) {
      # Numbers of new rows begin at 1, those of changed shards far behind.
      out$spooled <- c(out$spooled, list(spool_shard(piece, path, 500000 + at)))
    } else {
      spool$add(piece)
    }
  }
  out
}

# Labels that came later stand behind.
join_labels <- function(shard, more) {
  codes <- to_sparse(shard$codes)
  list(
    ids = shard$ids, item = c(answer_rows(codes), more$row), worker = c(codes$item, more$worker),
    label = c(as.integer(codes$code), more$label), hash = core_hash(shard$ids),
    known = shard$known
  )
}

recode_added <- function(spooled, seen, columns, path, manifest, call) {
  columns$label$is_used <- columns$label$is_used & seen$is_used
  worker <- finish_known(columns$worker)
  check_worker_ids(worker$levels, call)
  label <- finish_known(columns$label)
  inform_new_labels(label$new)
  is_dense <- all(manifest$shards$is_dense) && (seen$again == 0 || manifest$duplicates != "count")
  recoding <- recoding_of_crowd(worker, label, is_dense)
  written <- recode_shards(spooled, recoding, path, manifest$next_number)
  c(written, list(items = worker$levels, levels = label$levels))
}

manifest_with <- function(manifest, written, changed) {
  n_before <- rep(length(manifest$levels), length(manifest$items))
  n_now <- rep(length(written$levels), length(written$items))
  counts <- spread_counts(manifest$counts - changed$counts, n_before, n_now) + written$counts
  n_changed <- length(changed$changed)
  shards <- manifest$shards
  shards[changed$changed, ] <- written$shards[seq_len(n_changed), ]
  shards <- shards[setdiff(seq_len(nrow(shards)), setdiff(changed$replaced, changed$changed)), ]
  is_new <- seq_len(nrow(written$shards)) > n_changed
  manifest$shards <- rbind(shards, written$shards[is_new, ])
  row.names(manifest$shards) <- NULL
  manifest[c("items", "levels", "counts")] <- list(written$items, written$levels, counts)
  manifest$weights$sum <- sum(manifest$shards$rows)
  manifest$next_number <- manifest$next_number + nrow(written$shards)
  manifest
}
