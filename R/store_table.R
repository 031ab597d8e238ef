# Tables into stores: chunks of a source to pieces of codes, and pieces to shards.

# What the columns of a source are to be: `items`, names or NULL for all others; `id` and `weights`,
# a name each or NULL. `given_weights` is a vector where weights are in no column. A manifest has
# nothing but UTF-8.
new_roles <- function(items = NULL, id = NULL, weights = NULL) {
  given <- if (is.numeric(weights)) weights
  in_utf8 <- function(names) if (!is.null(names)) enc2utf8(names)
  list(items = in_utf8(items), id = in_utf8(id),
       weights = if (is.null(given)) in_utf8(weights), given_weights = given)
}

#' Code all chunks of a table
#'
#' @param reader A reader, see store_sources.R.
#' @param roles See new_roles().
#' @param code_items A function of the items of a chunk and the growing columns there are, which
#'   returns the columns grown, with their `codes`.
#' @param spool A spool, see new_spool().
#' @return A list of `columns`, the growing columns named by item, `weights`, see add_weights(), and
#'   `n_rows`.
#' @noRd
code_chunks <- function(reader, roles, columns, code_items, spool, call, arg = "source") {
  weights <- NULL
  variable_labels <- NULL
  n_rows <- 0
  repeat {
    chunk <- reader$next_chunk()
    if (is.null(chunk)) break
    if (nrow(chunk) == 0) next
    chunk <- read_chunk(chunk, roles, names(columns), n_rows, call, arg)
    variable_labels <- variable_labels %||% variable_labels(chunk$items)
    columns <- code_items(chunk$items, columns, n_rows, chunk$weights)
    columns <- rename_spooled(columns, spool)
    weights <- add_weights(weights, chunk$weights)
    spool$add(list(
      codes = codes_of_chunk(columns, nrow(chunk$items)), weights = chunk$weights, ids = chunk$ids
    ))
    n_rows <- n_rows + nrow(chunk$items)
  }
  list(columns = columns, weights = weights, n_rows = n_rows, variable_labels = variable_labels)
}

# Codes that stand for another value than when they went to the spool.
rename_spooled <- function(columns, spool) {
  for (j in which(!vapply(columns, function(column) is.null(column$renamed), NA))) {
    spool$rename(j, as.raw(columns[[j]]$renamed))
    columns[[j]]$renamed <- NULL
  }
  columns
}

codes_of_chunk <- function(columns, n_rows) {
  codes <- matrix(raw(1), n_rows, length(columns))
  for (j in seq_along(columns)) {
    codes[, j] <- as.raw(columns[[j]]$codes)
  }
  codes
}

# The columns of a chunk in their roles. `expected` are the items of the chunks before.
read_chunk <- function(chunk, roles, expected, rows_before, call, arg) {
  names <- item_names(chunk)
  named <- c(roles$items, roles$id, roles$weights)
  check_column_names(if (is.null(roles$items)) names else names[names %in% named], arg, call)
  check_has_items(named, names, arg, call)
  items <- roles$items %||% setdiff(names, c(roles$id, roles$weights))
  if (length(expected) == 0) {
    check_items_of_source(chunk_items(chunk, items), call)
    expected <- items
  }
  check_same_items(items, expected, rows_before, call)
  list(
    items = chunk_items(chunk, expected),
    ids = chunk_ids(chunk, roles$id, rows_before, call),
    weights = chunk_weights(chunk, roles, rows_before, call)
  )
}

# As a data frame: columns as they are.
chunk_items <- function(chunk, items) {
  at <- match(items, item_names(chunk))
  structure(
    lapply(stats::setNames(at, items), table_column, x = chunk), class = "data.frame",
    row.names = .set_row_names(nrow(chunk))
  )
}

check_items_of_source <- function(items, call) {
  check_table_size(items, "source", call)
  if (setequal(tolower(names(items)), c("item", "worker", "label"))) {
    abort_mdpd(
      c("{.arg source} must be a table of items, and this one looks like labels given by workers.",
        i = "Name its columns in {.arg item}, {.arg worker} and {.arg label}."),
      class = "data", call = call
    )
  }
  inform_count_column(items)
}

check_same_items <- function(items, expected, rows_before, call) {
  if (!setequal(items, expected)) {
    absent <- setdiff(expected, items)
    more <- setdiff(items, expected)
    abort_mdpd(
      c("All chunks of {.arg source} must have the same columns.",
        x = "From row {rows_before + 1} on, there is
             {if (length(absent) > 0) 'no' else 'another'} column
             {.field {c(absent, more)[1]}}."),
      class = "missing_item", call = call, items = c(absent, more)
    )
  }
}

# Those of a column; else the names of the rows, where they have names.
chunk_ids <- function(chunk, id, rows_before, call) {
  if (is.null(id)) {
    return(row_names(chunk))
  }
  column <- table_column(chunk, match(id, item_names(chunk)))
  check_id_column(column, id, call, rows_before)
  id_text(column)
}

# Ids as strings, each by itself, so that chunks do not matter.
id_text <- function(x) {
  if (is.character(x) && !is.object(x)) {
    return(enc2utf8(x))
  }
  coded <- code_values(x)
  c(NA, coded$levels)[coded$codes + 1L]
}

# Weights ------------------------------------------------------------------------------------------

# NULL where the source has none.
chunk_weights <- function(chunk, roles, rows_before, call) {
  rows <- rows_before + seq_len(nrow(chunk))
  if (!is.null(roles$given_weights)) {
    return(roles$given_weights[rows])
  }
  if (is.null(roles$weights)) {
    return(NULL)
  }
  x <- table_column(chunk, match(roles$weights, item_names(chunk)))
  if (is.character(x)) x <- text_to_numbers(x)
  if (!is.numeric(x)) {
    abort_mdpd(
      "The column {.field {roles$weights}} of weights must be numeric, not {describe(x)}.",
      class = "data", call = call
    )
  }
  x <- plain_numbers(x, call)
  bad <- which(!is_within(x, c(0, Inf)))
  if (length(bad) > 0) {
    abort_mdpd(
      c("The column {.field {roles$weights}} must hold finite weights of at least 0.",
        x = "Row {rows[bad[1]]} is {x[bad[1]]}."),
      class = "data", call = call
    )
  }
  x
}

# What is missing is no number, and still no reason to call all of them text.
text_to_numbers <- function(x) {
  is_missing <- is.na(x) | trimws(x) %in% c("", "NA")
  if (all(is_missing | is_number(trimws(x)))) as.double(replace(x, is_missing, NA)) else x
}

# What the manifest says of weights, and the `rest` that R's sum() knows of behind the last digit of
# the sum: so it is, chunk by chunk, that of all weights at once.
add_weights <- function(so_far, weights) {
  if (is.null(weights)) {
    return(so_far)
  }
  positive <- weights[weights > 0]
  so_far <- so_far %||% list(smallest = Inf, largest = 0, sum = 0, unit = Inf, rest = 0)
  parts <- c(so_far$sum, so_far$rest, weights)
  total <- sum(parts)
  list(
    smallest = min(so_far$smallest, positive), largest = max(so_far$largest, positive),
    sum = total, unit = min(so_far$unit, core_weight_unit(positive)),
    rest = if (is.finite(total)) sum(c(parts, -total)) else 0
  )
}

# All weights of a store; NULL stands for rows of weight one.
manifest_weights <- function(weights, n_rows, call) {
  if (is.null(weights)) {
    return(list(given = FALSE, smallest = 1, largest = 1, sum = n_rows, unit = 1))
  }
  check_sum_of_weights(weights$sum, n_rows, "weights", call)
  c(list(given = TRUE), weights[c("smallest", "largest", "sum", "unit")])
}

# New stores ---------------------------------------------------------------------------------------

# Items as they grow while chunks come. A column with too many levels is told at once.
grow_items <- function(from_text, na_values, call) {
  function(items, columns, rows_before, weights) {
    if (length(columns) == 0) {
      columns <- lapply(items, function(x) new_column())
    }
    for (item in names(columns)) {
      x <- items[[item]]
      check_column(x, item, "source", call, rows_before + seq_along(x))
      columns[[item]] <- grow_item(columns[[item]], x, rows_before, weights, from_text, na_values)
      if (is.null(columns[[item]]$codes)) {
        abort_too_many(columns[[item]], item, from_text, na_values, call)
      }
    }
    columns
  }
}

# Fields of text that have more spellings than an item has levels can only be numbers.
grow_item <- function(column, x, rows_before, weights, from_text, na_values) {
  if (!isTRUE(column$are_numbers)) {
    grown <- grow_column(column, x, rows_before, weights, max_levels, na_values)
    column <- if (is.null(grown$codes) && from_text) numbers_of_column(column)
    if (is.null(column)) {
      return(grown)
    }
  }
  numbers <- spell_numbers(replace(x, x %in% na_values, NA))
  most <- if (is.null(numbers)) 0 else max_levels
  grow_column(column, numbers %||% x, rows_before, weights, most, na_values)
}

# As a column in memory would be refused, as far as it has been read.
abort_too_many <- function(column, item, from_text, na_values, call) {
  values <- final_values(column, from_text, na_values)
  check_final_values(values, column, item, call)
  abort_mdpd(
    c("An item must have at most {max_levels} levels.",
      x = "{.field {item}} has {max(length(column$values), max_levels + 1L)} or more.",
      i = "Is it an identifier? Then leave it out by {.arg items}, or name it in {.arg id}."),
    class = "data", call = call, item = item
  )
}

# Types of text are known at the end only.
check_final_values <- function(values, column, item, call) {
  in_order <- order(column$first_row)
  check_column(values[in_order], item, "source", call, column$first_row[in_order])
}

#' The manifest of a new store of a table, its shards written
#'
#' @param coded What code_chunks() returned.
#' @param spooled What the spool's `finish()` returned.
#' @param settings A list of `path`, `shard_rows`, `first_number`, `roles`, `from_text`,
#'   `na_values`.
#' @noRd
store_table <- function(coded, spooled, settings, call) {
  if (coded$n_rows == 0) {
    abort_mdpd("{.arg source} must have at least one row.", class = "data", call = call)
  }
  weights <- manifest_weights(coded$weights, coded$n_rows, call)
  finished <- finish_items(coded$columns, settings, call)
  levels <- lapply(finished, `[[`, "levels")
  recoding <- recoding_of_table(finished)
  written <- recode_shards(spooled, recoding, settings$path, settings$first_number)
  manifest <- list(
    format = format_of_stores, package = mdpd_version(),
    kind = "table", shard_rows = settings$shard_rows, items = names(levels), levels = levels,
    types = vapply(finished, `[[`, "", "type"), variable_labels = coded$variable_labels,
    columns = settings$roles[c("id", "weights")], counts = written$counts,
    n_unweighted = sum_of_unweighted(finished), weights = weights,
    has_ids = !anyNA(written$shards$ids_file), shards = written$shards,
    next_number = settings$first_number + nrow(written$shards)
  )
  warn_repeated_items(same_items(coded$columns, finished, settings$path, manifest),
                      manifest$items, call)
  manifest
}

sum_of_unweighted <- function(finished) sum(vapply(finished, `[[`, 0, "n_unweighted"))

# Items that repeat an earlier one, but not by chance, see repeats_to_tell(). Rows are read again
# only where two items have as many answers of each level, in the order of their first rows.
same_items <- function(columns, finished, path, manifest) {
  first_seen <- Map(level_order, columns, finished)
  keys <- vapply(first_seen, `[[`, "", "key")
  varying <- lengths(manifest$levels) > 1
  original <- match(keys, keys)
  copies <- which(original < seq_along(keys) & varying)
  for (at in seq_len(nrow(manifest$shards))) {
    if (length(copies) == 0) break
    codes <- read_shard(path, manifest, at)$codes
    is_same <- vapply(copies, function(j) {
      identical(first_seen[[j]]$rank[as.integer(codes[, j]) + 1L],
                first_seen[[original[j]]]$rank[as.integer(codes[, original[j]]) + 1L])
    }, NA)
    copies <- copies[is_same]
  }
  by_chance <- are_alike_by_chance(lapply(first_seen[copies], `[[`, "n"), length(keys))
  stats::setNames(original[copies], copies)[!by_chance]
}

# The levels of a column in the order of their first rows: `rank` of each code, 0 for missing, and
# how many rows have each, `n`.
level_order <- function(column, finished) {
  code <- finished$code_of[-1]
  kept <- code > 0
  first <- tapply(column$first_row[kept], code[kept], min)
  n <- tapply(column$n[kept], code[kept], sum)
  in_order <- order(first)
  list(
    rank = c(0L, order(in_order)), n = n,
    key = paste(c(first[in_order], n[in_order]), collapse = " ")
  )
}

finish_items <- function(columns, settings, call) {
  finished <- lapply(stats::setNames(nm = names(columns)), function(item) {
    values <- final_values(columns[[item]], settings$from_text, settings$na_values)
    check_final_values(values, columns[[item]], item, call)
    finish_column(columns[[item]], settings$from_text, na_values = settings$na_values)
  })
  check_n_levels(lapply(finished, `[[`, "all_levels"), call)
  empty <- which(lengths(lapply(finished, `[[`, "levels")) == 0)
  if (length(empty) > 0) {
    item <- names(finished)[empty[1]]
    abort_mdpd(
      "Column {.field {item}} must have an observed value; all of its values are
       missing{if (length(columns[[item]]$values) > 0) ' or of weight zero'}.",
      class = "data", call = call, item = item
    )
  }
  finished
}
