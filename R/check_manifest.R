# What a manifest must be, whether it was read from a file or is in an object; see store_folder.R.

# A list that names all of its fields, each as it must be.
is_manifest <- function(x) {
  if (!is.list(x) || is.object(x) || !is_text(names(x))) {
    return(FALSE)
  }
  for (name in names(parts_of_manifest)) {
    if (!is_part_of_manifest(x[[name]], name, x)) {
      return(FALSE)
    }
  }
  TRUE
}

# Only the shards are of a class, that of a data frame: of another one, as damage can make them, the
# methods would be asked.
is_part_of_manifest <- function(x, name, fields) {
  class <- if (name == "shards") "data.frame"
  identical(attr(x, "class"), class) && isTRUE(parts_of_manifest[[name]](x, fields))
}

# The later ones rely on those before.
parts_of_manifest <- list(
  kind = function(x, fields) rlang::is_string(x, c("table", "crowd")),
  shard_rows = function(x, fields) is_whole_number(x) && x >= 1,
  items = function(x, fields) are_item_names(x) && length(x) > 0,
  levels = function(x, fields) {
    if (fields$kind == "crowd") {
      return(are_levels(x))
    }
    holds(is.list(x), identical(names(x), fields$items), all(vapply(x, are_levels, NA)))
  },
  types = function(x, fields) {
    holds(is_text(x), fields$kind == "crowd" || identical(names(x), fields$items))
  },
  duplicates = function(x, fields) {
    fields$kind == "table" || rlang::is_string(x, c("count", "error", "first", "last"))
  },
  variable_labels = function(x, fields) is.null(x) || is_text(x),
  columns = function(x, fields) is.list(x) && all(vapply(x, is_column_name, NA)),
  counts = function(x, fields) are_amounts(x, sum(store_n_levels(fields))),
  n_unweighted = function(x, fields) is.null(x) || is_whole_number(x) && x >= 0,
  weights = function(x, fields) {
    numbers <- c("smallest", "largest", "sum", "unit")
    holds(is.list(x), rlang::is_bool(x$given), all(vapply(x[numbers], is_finite_number, NA)),
          all(unlist(x[numbers]) > 0))
  },
  has_ids = function(x, fields) rlang::is_bool(x),
  next_number = function(x, fields) is_whole_number(x) && x >= 1 && x <= 1e9,
  shards = function(x, fields) are_shards(x, fields)
)

are_levels <- function(x) are_names(x) && length(x) > 0 && length(x) <= max_levels

is_column_name <- function(x) is.null(x) || rlang::is_string(x)

are_amounts <- function(x, n) holds(is_double(x, n), all(is.finite(x)), all(x >= 0))

are_shards <- function(x, fields) {
  n <- nrow(x)
  holds(
    n > 0, are_names(names(x)),
    all(lengths(unclass(x)[names(x)]) == n),
    are_names(x$file), all(grepl("^shard-[0-9]+[.]bin$", x$file)),
    are_amounts(x$rows, n), all(x$rows >= 1 & x$rows <= fields$shard_rows),
    all(x$rows == round(x$rows)), are_amounts(x$answers, n), are_amounts(x$most_repeats, n),
    rlang::is_logical(x$is_dense, n), !anyNA(x$is_dense), are_amounts(x$weight, n),
    are_amounts(x$bytes, n), are_checksums(x$checksum),
    is.null(x$repeats) || are_amounts(x$repeats, n),
    is.null(x$rows_hash) || are_checksums(x$rows_hash),
    is.null(x$known) || are_amounts(x$known, n) && all(x$known <= x$rows),
    is.null(x$known_hash) || are_checksums(x$known_hash), are_ids_of_shards(x, fields)
  )
}

are_checksums <- function(x) is_text(x) && all(grepl("^[0-9a-f]{16}$", x))

# A crowd's ids are found by their hashes.
are_ids_of_shards <- function(x, fields) {
  if (fields$kind == "crowd" && !(is_double(x$hash_from) && is_double(x$hash_to))) {
    return(FALSE)
  }
  if (!fields$has_ids) {
    return(is.character(x$ids_file))
  }
  kept <- which(!is.na(x$ids_file))
  holds(is.character(x$ids_file), all(grepl("^ids-[0-9]+[.]rds$", x$ids_file[kept])),
        fields$kind == "table" || length(kept) == nrow(x), are_checksums(x$ids_checksum[kept]))
}

# Per item; all workers of a crowd share their levels.
store_n_levels <- function(manifest) {
  if (manifest$kind == "crowd") {
    rep(length(manifest$levels), length(manifest$items))
  } else {
    unname(lengths(manifest$levels))
  }
}
