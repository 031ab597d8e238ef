# Rows on their way to the shards. They are spooled in shards of the final size, with the codes that
# were known when they came; when all have come, each shard is written once more with those of the
# store. So a source is read once, whatever it is.
#
# Rows come in pieces, lists of `codes` (a raw matrix or `sparse_codes`), `weights` (or NULL), `ids`
# (or NULL) and `known` (or NULL): raw, the code of each row's known label, 0 where it has none.

#' Collect rows into shards
#'
#' @param path Folder of the store; the shards go to its spool.
#' @param shard_rows Rows of a shard.
#' @return A list of functions: `add(piece)`; `rename(item, code_of)`, where the codes of an item
#'   that have come so far are to be others, `code_of` the code 0 and each one after it; and
#'   `finish()`, which returns a list with what is known of each shard: `path`, `checksum`, `ids`,
#'   the path of the file with the ids, and what is to be `renamed` in it.
#' @noRd
new_spool <- function(path, shard_rows) {
  pieces <- list()
  n_rows <- 0
  shards <- list()
  write_one <- function(piece) {
    shards[[length(shards) + 1]] <<- spool_shard(piece, path, length(shards) + 1)
  }
  add <- function(piece) {
    pieces[[length(pieces) + 1]] <<- piece
    n_rows <<- n_rows + nrow(piece$codes)
    if (n_rows < shard_rows) {
      return(invisible())
    }
    all <- bind_pieces(pieces)
    n_full <- n_rows %/% shard_rows
    for (at in seq_len(n_full)) {
      write_one(piece_rows(all, (at - 1) * shard_rows, shard_rows))
    }
    n_rows <<- n_rows - n_full * shard_rows
    pieces <<- if (n_rows > 0) list(piece_rows(all, n_full * shard_rows, n_rows)) else list()
  }
  rename <- function(item, code_of) {
    pieces <<- lapply(pieces, function(piece) {
      piece$codes[, item] <- code_of[as.integer(piece$codes[, item]) + 1L]
      piece
    })
    shards <<- lapply(shards, function(shard) {
      shard$renamed <- c(shard$renamed, list(list(item = item, code_of = code_of)))
      shard
    })
  }
  finish <- function() {
    if (n_rows > 0) write_one(bind_pieces(pieces))
    shards
  }
  list(add = add, rename = rename, finish = finish)
}

spool_shard <- function(piece, path, number) {
  file <- file.path(spool_path(path), shard_name(number))
  about <- with_shard_files(core_write_shard(file, piece$codes, piece$weights, piece$known))
  ids_file <- file.path(spool_path(path), ids_name(number))
  ids <- if (!is.null(piece$ids)) write_ids(piece$ids, ids_file)
  list(
    path = file, checksum = about$checksum, n_rows = about$rows, n_items = ncol(piece$codes),
    ids = ids, hash = if (!is.null(piece$hash)) range(piece$hash)
  )
}

write_ids <- function(ids, file) {
  save_checked(enc2utf8(ids), file)
  file
}

# Pieces -------------------------------------------------------------------------------------------

# Some rows, from the one after `first`.
piece_rows <- function(piece, first, n) {
  if (first == 0 && n == nrow(piece$codes)) {
    return(piece)
  }
  rows <- first + seq_len(n)
  list(
    codes = select_rows(piece$codes, rows), weights = piece$weights[rows], ids = piece$ids[rows],
    hash = piece$hash[rows], known = piece$known[rows]
  )
}

bind_pieces <- function(pieces) {
  if (length(pieces) == 1) {
    return(pieces[[1]])
  }
  part <- function(name) unlist(lapply(pieces, `[[`, name))
  list(
    codes = bind_codes(lapply(pieces, `[[`, "codes")),
    weights = bind_optional(pieces, "weights", 1), ids = part("ids"), hash = part("hash"),
    known = bind_optional(pieces, "known", raw(1))
  )
}

# A part that pieces need not have, with a value for each row; NULL where none has it.
bind_optional <- function(pieces, part, otherwise) {
  has_part <- !vapply(pieces, function(piece) is.null(piece[[part]]), NA)
  if (any(has_part)) {
    unlist(lapply(pieces, function(piece) piece[[part]] %||% rep(otherwise, nrow(piece$codes))))
  }
}

# Items that came later have no answer in earlier rows.
bind_codes <- function(codes) {
  n_items <- max(vapply(codes, ncol, 0L))
  if (any(vapply(codes, is_sparse, NA))) {
    return(bind_sparse(lapply(codes, to_sparse), n_items))
  }
  wide <- lapply(codes, function(one) {
    cbind(unname(one), matrix(raw(1), nrow(one), n_items - ncol(one)))
  })
  do.call(rbind, wide)
}

to_sparse <- function(codes) if (is_sparse(codes)) codes else as_sparse_codes(codes)

bind_sparse <- function(codes, n_items) {
  n_of_row <- unlist(lapply(codes, function(one) diff(one$row_start)))
  sorted_sparse_codes(
    n_of_row, unlist(lapply(codes, `[[`, "item")), unlist(lapply(codes, `[[`, "code")),
    c(length(n_of_row), n_items), list(NULL, NULL)
  )
}

# Shards -------------------------------------------------------------------------------------------

#' Write spooled shards with the codes of the store
#'
#' @param spooled What `finish()` of a spool returned.
#' @param recoding A list, per item of the spool: `item_of`, its place in the store, and `code_of`,
#'   a raw vector of the code that stands for each old one (or one such vector for all); and
#'   `n_levels`, per item of the store, and `is_dense`.
#' @param path,first_number Folder, and number of the first file.
#' @return A list of `shards`, rows of the manifest, and `counts`, the weighted counts of all
#'   levels.
#' @noRd
recode_shards <- function(spooled, recoding, path, first_number) {
  counts <- numeric(sum(recoding$n_levels))
  shards <- vector("list", length(spooled))
  for (at in seq_along(spooled)) {
    number <- first_number + at - 1
    from <- spooled[[at]]
    file <- file.path(path, shard_name(number))
    into <- recoding_of_shard(recoding, from)
    about <- with_shard_files(core_recode_shard(
      from$path, rep(255L, from$n_items), from$checksum, file, into
    ))
    remove_files(from$path)
    counts <- counts + about$level_weights
    shards[[at]] <- c(
      list(file = basename(file)),
      about[c("rows", "answers", "repeats", "most_repeats", "is_dense", "weight", "rows_hash")],
      list(bytes = file.size(file), checksum = about$checksum),
      place_ids(from$ids, path, number), list(hash_from = from$hash[1], hash_to = from$hash[2]),
      about[c("known", "known_hash")]
    )
  }
  list(shards = do.call(rbind, lapply(shards, as_shard_row)), counts = counts)
}

# Of the columns of a table, see finish_known() and finish_column().
recoding_of_table <- function(finished) {
  list(
    n_levels = unname(lengths(lapply(finished, `[[`, "levels"))), item_of = seq_along(finished),
    code_of = lapply(finished, function(item) as.raw(item$code_of)), is_dense = TRUE
  )
}

# Of those of the workers and labels of a crowd.
recoding_of_crowd <- function(worker, label, is_dense) {
  list(
    n_levels = rep(length(label$levels), length(worker$levels)), item_of = worker$code_of[-1],
    code_of = list(as.raw(label$code_of)), is_dense = is_dense
  )
}

as_shard_row <- function(shard) {
  shard[vapply(shard, is.null, NA)] <- NA_real_
  as.data.frame(shard)
}

# A shard has the items, and their codes, that were there when it was spooled.
recoding_of_shard <- function(recoding, shard) {
  first <- seq_len(shard$n_items)
  recoding$item_of <- recoding$item_of[first]
  if (length(recoding$code_of) > 1) recoding$code_of <- recoding$code_of[first]
  for (one in shard$renamed) {
    code_of <- recoding$code_of[[one$item]]
    recoding$code_of[[one$item]] <- code_of[as.integer(one$code_of) + 1L]
  }
  recoding
}

# Weighted counts of all levels, item by item.
count_levels <- function(codes, weights, n_levels) {
  first <- cumsum(c(0, n_levels))
  if (is_sparse(codes)) {
    at <- first[codes$item] + as.integer(codes$code)
    sums <- rowsum(weights[answer_rows(codes)], at, reorder = FALSE)
    return(replace(numeric(sum(n_levels)), as.integer(rownames(sums)), sums))
  }
  of_item <- lapply(seq_along(n_levels), function(j) {
    vapply(seq_len(n_levels[j]), function(level) sum(weights[codes[, j] == as.raw(level)]), 0)
  })
  as.numeric(unlist(of_item))
}

# The file of the ids moves out of the spool as it is.
place_ids <- function(ids, path, number) {
  if (is.null(ids)) {
    return(list(ids_file = NA_character_, ids_checksum = NA_character_))
  }
  file <- ids_name(number)
  rename_file(ids, file.path(path, file))
  list(ids_file = file, ids_checksum = core_file_checksum(file.path(path, file)))
}

# Codes, weights, ids and known labels of one shard, all of it checked.
read_shard <- function(path, manifest, at, call = rlang::caller_env()) {
  shard <- manifest$shards[at, ]
  read <- with_shard_files(
    core_read_shard(file.path(path, shard$file), store_n_levels(manifest), shard$checksum), call
  )
  ids <- read_ids(path, shard, call)
  if (is_sparse(read$codes)) {
    read$codes$dimnames <- list(ids, manifest$items)
  } else {
    dimnames(read$codes) <- list(ids, manifest$items)
  }
  list(codes = read$codes, weights = read$weights, ids = ids, known = read$known)
}

read_ids <- function(path, shard, call) {
  if (is.na(shard$ids_file)) {
    return(NULL)
  }
  file <- file.path(path, shard$ids_file)
  if (!identical(with_shard_files(core_file_checksum(file), call), shard$ids_checksum)) {
    abort_damaged_file(file, "Its checksum is wrong", call)
  }
  readRDS(file)
}

# Of each row of a shard the code of its known label, 0 where it has none.
read_known <- function(path, manifest, at, call) {
  shard <- manifest$shards[at, ]
  with_shard_files(core_known_of_shard(
    file.path(path, shard$file), store_n_levels(manifest), shard$checksum
  ), call)
}

#' Where items of a crowd are
#'
#' @param ids Of items, in UTF-8.
#' @param among Numbers of the shards to look into.
#' @return A data frame with a row for each id: its `shard`, and its `row` there; NA where it is
#'   not.
#' @noRd
find_items <- function(ids, path, manifest, call, among = seq_len(nrow(manifest$shards))) {
  out <- data.frame(shard = rep(NA_integer_, length(ids)), row = rep(NA_integer_, length(ids)))
  hash <- core_hash(ids)
  for (at in among) {
    shard <- manifest$shards[at, ]
    near <- which(is.na(out$row) & hash >= shard$hash_from & hash <= shard$hash_to)
    if (length(near) == 0) next
    row <- match(ids[near], read_ids(path, shard, call))
    out$row[near] <- row
    out$shard[near[!is.na(row)]] <- at
  }
  out
}
