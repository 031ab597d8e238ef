# Classes of all rows of a store, shard by shard.

# Classes, or probabilities, of the rows of a store, shard by shard: to a CSV file with the columns
# `row` (the number), `id` where rows have ids, `class`, and with "prob" a column for each class; or
# without a file as predict() of rows in memory.
predict_store <- function(object, store, type, file, call = rlang::caller_env()) {
  check_intact(store, "newdata", call)
  items <- if (type == "density") {
    names(object$item_probs)
  } else if (store$manifest$kind == "crowd") {
    differing_items(object)
  } else {
    items_to_classify(object, store$manifest$items)
  }
  check_store_items(items, store, call)
  check_repeats(store, object$missing %||% "ignore", "newdata", call)
  warn_unseen_levels(unseen_in_store(object, store, items), call)
  if (!is.null(file)) {
    check_new_file(file, call = call)
    target <- file_to_replace(file)
    new <- tempfile("predictions-", dirname(target %||% tempfile()))
    on.exit(remove_files(new))
    to <- while_writing(open_predictions(new, is_gzip(file)), file, call)
    is_writing <- TRUE
    on.exit(if (is_writing) close(to), add = TRUE, after = FALSE)
  }
  out <- list()
  no_answer <- numeric()
  first <- 0
  for (at in seq_len(nrow(store$manifest$shards))) {
    rows <- predict_shard(object, store, at, items, type, call)
    if (is.null(file)) {
      out[[at]] <- rows$values
    } else {
      table <- prediction_table(rows, first)
      while_writing(append_rows(to, table, first == 0), file, call)
    }
    no_answer <- c(no_answer, first + rows$no_answer)
    first <- first + rows$n
  }
  if (type %in% c("class", "component")) inform_no_answer(no_answer)
  if (is.null(file)) {
    return(if (type == "prob") do.call(rbind, out) else unlist(out))
  }
  is_writing <- FALSE
  while_writing(close_predictions(to, new, is_gzip(file)), file, call)
  put_in_place(new, file, target, call)
  invisible(file)
}

is_gzip <- function(file) grepl("\\.gz$", file, ignore.case = TRUE)

open_predictions <- function(path, gzip) if (gzip) gzfile(path, "wb") else file(path, "w")

# R does not tell whether the last part of a compressed file could be written: the file does.
close_predictions <- function(to, path, gzip) {
  n_bytes <- if (gzip) seek(to)
  status <- suppressWarnings(close(to))
  is_whole <- if (gzip) is_whole_gzip(path, n_bytes) else identical(status, 0L)
  if (!is_whole) stop("It cannot be written")
}

# The last four bytes are the number of those that were compressed (RFC 1952).
is_whole_gzip <- function(path, n_bytes) {
  from <- file(path, "rb", raw = TRUE)
  on.exit(close(from))
  seek(from, max(0, file.size(path) - 4))
  end <- as.integer(readBin(from, "raw", 4))
  length(end) == 4 && sum(end * 256^(0:3)) == n_bytes %% 2^32
}

# What a rename may replace: the file behind any links, or one that is not there. NULL for what must
# be written into, a pipe, a device or a link to no file; R does not tell these from empty files,
# which lose nothing by it.
file_to_replace <- function(file) {
  if (isTRUE(file.size(file) > 0)) {
    normalizePath(file)
  } else if (!file.exists(file) && Sys.readlink(file) %in% c(NA, "")) {  # NA of what is not there
    path.expand(file)
  }
}

put_in_place <- function(new, file, target, call) {
  if (is.null(target)) {
    return(while_writing(append_file(new, file), file, call))
  }
  if (file.exists(target)) Sys.chmod(new, file.mode(target), use_umask = FALSE)
  rename_file(new, target, call)
}

# The items that are needed; of a crowd one worker of the fit will do, as in memory.
check_store_items <- function(items, store, call) {
  if (store$manifest$kind == "crowd") {
    check_has_workers(store$manifest$items, items, "newdata", call)
    return(invisible())
  }
  lacking <- setdiff(items, store$manifest$items)
  if (length(lacking) > 0) {
    abort_mdpd(
      c("The store must have all items of the fit.", x = "It lacks {.val {lacking}}."),
      class = "missing_item", call = call
    )
  }
}

# Of each item, and of the labels of a crowd, the levels of the store that the fit has not seen.
unseen_in_store <- function(object, store, items) {
  there <- intersect(items, store$manifest$items)
  of_crowd <- store$manifest$kind == "crowd"
  if (of_crowd) there <- utils::head(there, 1)
  unseen <- Map(function(levels, probs) setdiff(levels, rownames(probs)), levels(store)[there],
                object$item_probs[there])
  if (of_crowd) stats::setNames(unseen, rep("label", length(unseen))) else unseen
}

predict_shard <- function(object, store, at, items, type, call) {
  shard <- read_shard(store$path, store$manifest, at, call)
  coded <- shard_for_fit(shard, levels(store), object, items)
  n <- nrow(coded$codes)
  if (type == "density") {
    density <- stats::setNames(posterior_of(object, coded)$row_loglik, rownames(coded$codes))
    return(list(n = n, ids = shard$ids, no_answer = integer(), values = density))
  }
  held <- held_columns(shard$known, store$manifest$levels, object)
  posterior <- hold_rows(named_posterior(coded, object), held)
  if (type != "component") posterior <- class_posterior(posterior, object)
  no_answer <- rows_of_no_answer(coded, object, function(items) {
    shard_for_fit(shard, levels(store), object, intersect(items, store$manifest$items))$codes
  })
  no_answer <- setdiff(no_answer, which(!is.na(held)))
  class <- posterior_class(object, posterior, coded, no_answer)
  list(
    n = n, ids = shard$ids, no_answer = no_answer, class = class,
    values = if (type == "prob") posterior else class
  )
}

# The codes of a shard by the levels of a fit; items that the store does not have are missing
# throughout. Where a missing answer is a level of the fit, every cell has a code, so the codes are
# dense.
shard_for_fit <- function(shard, levels, object, items) {
  wanted <- lapply(object$item_probs[items], rownames)
  missing <- object$missing %||% "ignore"
  fills <- missing == "level"
  codes <- shard$codes
  if (fills || !identical(levels, wanted)) {
    maps <- Map(function(to, from) as.raw(codes_by_levels(from, to, missing)), wanted,
                levels[items])
    codes <- if (is_sparse(codes) && !fills) {
      map_answers(codes, maps)
    } else {
      map_columns(as.matrix(codes), maps)
    }
  }
  new_coded(codes, wanted, rep(1, nrow(codes)), missing)
}

# @param maps named by item: of the code 0 and of each level the new code.
map_columns <- function(codes, maps) {
  out <- matrix(raw(1), nrow(codes), length(maps), dimnames = list(rownames(codes), names(maps)))
  from <- match(names(maps), colnames(codes))
  for (j in seq_along(maps)) {
    code <- if (is.na(from[j])) 0L else as.integer(codes[, from[j]])
    out[, j] <- maps[[j]][code + 1L]
  }
  out
}

map_answers <- function(codes, maps) {
  item <- match(colnames(codes), names(maps))[codes$item]
  known <- which(!is.na(item))
  table <- do.call(cbind, maps)  # the items of a sparse store are workers, of the same labels
  code <- table[cbind(as.integer(codes$code[known]) + 1L, item[known])]
  row <- answer_rows(codes)[known]
  seen <- code != as.raw(0)
  new_sparse_codes(
    row[seen], item[known][seen], code[seen], c(nrow(codes), length(maps)),
    list(rownames(codes), names(maps))
  )
}

# As file.append(), which does not see that the last part cannot be written.
append_file <- function(from, to) {
  from <- file(from, "rb")
  on.exit(close(from))
  to <- file(to, "ab", raw = TRUE)
  is_open <- TRUE
  on.exit(if (is_open) close(to), add = TRUE)
  while (length(part <- readBin(from, "raw", 2^20)) > 0) writeBin(part, to)
  is_open <- FALSE
  if (!identical(suppressWarnings(close(to)), 0L)) stop("It cannot be written")
}

# Texts are in UTF-8, marked as what the session writes as it is, whatever its locale.
prediction_table <- function(rows, first) {
  out <- data.frame(row = value_text(first + seq_len(rows$n)))
  if (!is.null(rows$ids)) out$id <- as_bytes(rows$ids)
  if (!is.null(rows$class)) out$class <- as_bytes(unname(as.character(rows$class)))
  if (is.matrix(rows$values)) {
    # R gives a column called by the empty string another name.
    names <- as_bytes(c(names(out), colnames(rows$values)))
    out <- stats::setNames(cbind(out, as.data.frame(`rownames<-`(rows$values, NULL))), names)
  } else if (is.numeric(rows$values)) {
    out$density <- unname(rows$values)
  }
  out
}

as_bytes <- function(text) `Encoding<-`(enc2utf8(text), "unknown")

append_rows <- function(file, table, is_first) {
  utils::write.table(
    table, file, append = !is_first, col.names = is_first, row.names = FALSE, sep = ",",
    quote = which(vapply(table, is.character, NA) & names(table) != "row"), qmethod = "double",
    na = ""
  )
}
