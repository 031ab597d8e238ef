# Some rows of a store, and their sums; see standing_sums.R.

# Rows from the one after `first` to the one of number `last`, shard by shard: a data frame of the
# `shard`, how many of its rows are before the `first`, and how many there are, `n`.
pieces_between <- function(store, first, last) {
  end <- cumsum(store$manifest$shards$rows)
  start <- end - store$manifest$shards$rows
  at <- which(end > first & start < last)
  from <- pmax(first - start[at], 0)
  data.frame(shard = at, first = from, n = pmin(last, end[at]) - start[at] - from)
}

whole_shards <- function(store, shards) {
  data.frame(shard = shards, first = rep(0, length(shards)), n = store$manifest$shards$rows[shards])
}

files_of <- function(store, pieces) {
  shards <- store$manifest$shards[pieces$shard, ]
  list(
    path = file.path(store$path, shards$file), checksum = shards$checksum, first = pieces$first,
    n = pieces$n
  )
}

# Sums ---------------------------------------------------------------------------------------------

# Where EM is: what of a start the E-step needs.
point_of <- function(object, items) {
  c(model_parameters(object, items = items), list(informative = match(object$informative, items)))
}

# Rows of a store as a fit of it goes over them.
rows_alone <- function(object, store) {
  list(coded = list(levels = levels(store)), held = held_components(object, store))
}

# The sums of some rows of a store at the parameters of a fit of it.
sums_of_pieces <- function(object, store, pieces, call) {
  items <- store$manifest$items
  relied <- which(object$sums$standing$reliance > 0)
  with_shard_files(
    core_sums_of_shards(
      rows_alone(object, store), point_of(object, items), files_of(store, pieces),
      relied, !is.null(object$evidence), threads_of(object)
    ),
    call
  )
}

# Of a crowd the last shard, if it is not full, is written anew when rows are added: with its sums
# apart the others stand.
keep_last_shard <- function(fit, store, call = rlang::caller_env()) {
  last <- nrow(store$manifest$shards)
  is_partial <- store$manifest$shards$rows[last] < store$manifest$shard_rows
  fit$sums$last <- if (store$manifest$kind == "crowd" && is_partial) {
    sums_of_pieces(fit, store, whole_shards(store, last), call)
  }
  fit
}

weights_of_sums <- c("n_obs", "weight", "level_weight", "levels", "components", "overlap", "modal",
                     "entropy", "reliance")

# Without some of the rows; NULL where none is left.
subtract_sums <- function(sums, part) {
  if (sums$n_obs == part$n_obs) {
    return(NULL)
  }
  # Rounding can leave a little less than nothing.
  sums[weights_of_sums] <- Map(
    function(x, y) pmax(x - y, 0), sums[weights_of_sums], part[weights_of_sums]
  )
  sums
}

# Where levels and items have come, behind those that were there.
spread_sums <- function(sums, n_before, n_now) {
  sums$level_weight <- spread_counts(sums$level_weight, n_before, n_now)
  sums$levels <- vapply(seq_len(ncol(sums$levels)), function(k) {
    spread_counts(sums$levels[, k], n_before, n_now)
  }, numeric(sum(n_now)))
  sums$reliance <- c(sums$reliance, numeric(length(n_now) - length(n_before)))
  sums
}
