# Tables of categories as codes, the one form in which data reach the engine.
#
# An `mdpd_coded` object is a plain list:
#   codes    raw matrix, n_obs x n_items: 0 is missing, r is the r-th level of the item; dimnames
#            are the row names (or NULL) and the item names; of a sparse crowd `sparse_codes`
#   levels   named list, per item the levels seen, as strings; all workers of a crowd share theirs
#   weights  double, n_obs case weights, at least 0; sum(weights) is the N of the formulas
#   missing  how missing cells are modelled: "ignore", "frozen", "level" or "fail"
#   known    integer, the component that each row is known to belong to, or NA; NULL where a fit
#            holds no row
#   variable_labels
#            strings named by item, of the items that have one; not there where none has

#' Code a table of categories
#'
#' @param x Matrix, data frame or [crowd_labels()] object: rows are observations, columns items.
#' @param weights Case weights or NULL.
#' @param missing What a missing cell means, see [stagewise_em()].
#' @param arg,call How errors name `x` and the function the user called.
#' @return An `mdpd_coded` object.
#' @noRd
encode <- function(x, weights = NULL, missing = "ignore", arg = rlang::caller_arg(x),
                   call = rlang::caller_env()) {
  force(arg)
  missing <- check_choice(missing, c("ignore", "frozen", "level", "fail"), call = call)
  is_crowd <- inherits(x, "crowd_labels")
  if (is_crowd) {
    check_intact(x, arg, call)
    check_crowd_size(x, arg, call)
    check_repeats(x, missing, arg, call)
    weights <- check_weights(weights, nrow(x), call = call)
    given <- coded <- code_crowd(x, missing)
  } else {
    check_table(x, arg, call)
    weights <- check_weights(weights, nrow(x), call = call)
    given <- code_table(x, call)
    coded <- drop_unweighted_levels(given, weights)
    warn_duplicated_items(coded, weights, call)
    warn_blank_levels(coded, call)
    inform_id_columns(coded)
  }
  check_observed(coded, weights, call)
  # Missing is what was not given, not what no row with weight has; also such a level is dropped.
  coded <- apply_missing(given, missing, call)
  if (!is_crowd) coded <- drop_unweighted_levels(coded, weights)
  check_n_levels(coded$levels, call)
  coded <- new_coded(coded$codes, coded$levels, weights, missing)
  coded$variable_labels <- variable_labels(x)
  coded
}

#' Code new observations by the levels of a fit
#'
#' Columns are matched by name, and by position when `x` is a matrix without column names. Columns
#' that are not in `items` are ignored. A level the fit has not seen becomes a missing cell, with
#' one warning for all. Workers of whom a new crowd has no label are missing throughout.
#'
#' @param x Matrix, data frame or [crowd_labels()] object.
#' @param levels The `levels` of the fit's coded data, all items.
#' @param items Names of the items that are needed.
#' @param missing The fit's `missing`.
#' @return An `mdpd_coded` object of `items`, with all case weights one.
#' @noRd
encode_new <- function(x, levels, items = names(levels), missing = "ignore",
                       arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_intact(x, arg, call)
  new <- if (inherits(x, "crowd_labels")) {
    recode_crowd(x, levels[items], missing, arg, call)
  } else {
    recode_table(x, names(levels), levels[items], missing, arg, call)
  }
  warn_unseen_levels(new$unseen, call)
  new_coded(new$codes, levels[items], rep(1, nrow(new$codes)), missing)
}

# The S3 object ------------------------------------------------------------------------------------

new_coded <- function(codes, levels, weights, missing) {
  structure(
    list(codes = codes, levels = levels, weights = weights, missing = missing, known = NULL),
    class = "mdpd_coded"
  )
}

# Columns to codes ---------------------------------------------------------------------------------

code_table <- function(x, call) {
  items <- item_names(x)
  # Numbers and factors in one pass, as nearly all large tables are.
  coded <- core_code_table(x, list(row_names(x, call), items), nrow(x))
  coded$levels <- stats::setNames(coded$values, items)
  for (j in seq_along(items)) {
    column <- if (is.data.frame(x)) .subset2(x, j) else unclass(x)[0]
    coded$levels[[j]] <- level_text(column, coded$values[[j]])
  }
  for (j in which(lengths(coded$values) == 0)) {
    column <- code_values(table_column(x, j))
    coded$levels[[j]] <- column$levels
    check_n_levels(coded$levels[j], call, maybe_triples = length(items) == 3)
    coded$codes[, j] <- as.raw(column$codes)
  }
  list(codes = coded$codes, levels = coded$levels, what = "Column")
}

# A crowd in the words of a table: its items are the rows, its workers the items and its labels the
# levels.
as_answers <- function(x) {
  list(
    row = x$item, item = x$worker, code = x$label,
    rows = x$items, items = x$workers, levels = x$labels
  )
}

code_crowd <- function(x, missing) {
  given <- as_answers(x)
  dimnames <- list(given$rows, given$items)
  list(
    codes = answers_to_codes(given$row, given$item, given$code, dimnames, missing),
    levels = stats::setNames(rep(list(given$levels), length(given$items)), given$items),
    what = "Worker"
  )
}

# A table with few answers is sparse, if a cell without one is left out of all sums, and one in
# which a cell has several answers.
answers_to_codes <- function(row, item, code, dimnames, missing, n_obs = length(dimnames[[1]])) {
  dim <- c(n_obs, length(dimnames[[2]]))
  cell <- cell_index(row, item, dim[1])
  is_small <- length(code) < sparse_share * prod(dim)
  if (missing %in% c("ignore", "fail") && (is_small || anyDuplicated(cell))) {
    by_code <- order(code)  # so that the order of the triples does not matter
    return(new_sparse_codes(row[by_code], item[by_code], code[by_code], dim, dimnames))
  }
  codes <- matrix(raw(1), dim[1], dim[2], dimnames = dimnames)
  codes[cell] <- as.raw(code)
  codes
}

# New data as `codes` by the `levels` of the items needed, and per item the levels `unseen`.
recode_table <- function(x, all_items, levels, missing, arg, call) {
  if (!is_table_of_items(x)) {
    abort_not_a_table(x, arg, call)
  }
  check_column_lengths(x, arg, call)
  by_position <- is.matrix(x) && is.null(colnames(x))
  if (by_position && ncol(x) != length(all_items)) {
    abort_mdpd(
      c("{.arg {arg}} has no column names, so it must have the {length(all_items)} column{?s} of
         the fit, in order.", x = "It has {ncol(x)} column{?s}."),
      class = "missing_item", call = call
    )
  }
  names <- if (by_position) all_items else item_names(x)
  check_column_names(names, arg, call)
  items <- names(levels)
  check_has_items(items, names, arg, call, or_na = arg == "newdata" && any(items %in% names))
  codes <- matrix(raw(1), nrow(x), length(items), dimnames = list(row_names(x, call), items))
  unseen <- list()
  for (item in items) {
    column <- check_column(table_column(x, match(item, names)), item, arg, call)
    column <- recode(column, levels[[item]], missing)
    codes[, item] <- as.raw(column$codes)
    unseen[[item]] <- column$unseen
  }
  list(codes = codes, unseen = unseen)
}

# One label at a time: the table of items by workers may be too large.
recode_crowd <- function(x, levels, missing, arg, call) {
  items <- names(levels)
  check_repeats(x, missing, arg, call)
  check_has_workers(x$workers, items, arg, call)
  given <- as_answers(x)
  n_levels <- length(given$levels)
  item <- match(given$items, items)[given$item]
  # n_levels x items: the fit's codes of the crowd's levels.
  position <- vapply(levels, function(levels) match(given$levels, levels, nomatch = 0L),
                     integer(n_levels))
  at <- cell_index(given$code, item, n_levels)
  code <- position[at]
  kept <- which(code > 0L)  # neither of another worker, NA, nor unseen, 0
  codes <- answers_to_codes(
    given$row[kept], item[kept], code[kept], list(given$rows, items), missing
  )
  if (missing == "level") {
    absent <- vapply(levels, function(levels) match(missing_level, levels, nomatch = 0L), 0L)
    empty <- codes == as.raw(0)
    empty[cbind(given$row, item)[code %in% 0L, , drop = FALSE]] <- FALSE
    codes[empty] <- as.raw(absent[col(codes)[empty]])
  }
  unseen <- sort(unique(at[code %in% 0L]))
  level <- (unseen - 1) %% n_levels + 1
  of_item <- factor(items[(unseen - level) / n_levels + 1], items)
  list(codes = codes, unseen = split(given$levels[level], of_item, drop = TRUE))
}

check_has_workers <- function(workers, items, arg, call) {
  if (length(items) > 0 && !any(items %in% workers)) {
    abort_mdpd(
      c("{.arg {arg}} must have a label of at least one worker of the fit.",
        x = "Its first worker is {.val {workers[1]}}, the fit's {.val {items[1]}}."),
      class = "missing_item", call = call
    )
  }
}

# Levels seen only in rows of weight zero are not parameters: such rows count as if left out.
drop_unweighted_levels <- function(coded, weights) {
  if (all(weights > 0)) {
    return(coded)
  }
  for (j in seq_along(coded$levels)) {
    codes <- as.integer(coded$codes[, j])
    used <- tabulate(codes[weights > 0], length(coded$levels[[j]])) > 0
    coded$codes[, j] <- as.raw(c(0L, ifelse(used, cumsum(used), 0L))[codes + 1L])
    coded$levels[[j]] <- coded$levels[[j]][used]
  }
  coded
}

# Missing cells ------------------------------------------------------------------------------------

apply_missing <- function(coded, missing, call) {
  if (missing == "fail") {
    check_complete(coded, call)
  }
  if (missing != "level") {
    return(coded)
  }
  for (j in seq_along(coded$levels)) {
    absent <- coded$codes[, j] == as.raw(0)
    if (any(absent)) {
      check_no_missing_level(coded, j, call)
      coded$levels[[j]] <- c(coded$levels[[j]], missing_level)
      coded$codes[absent, j] <- as.raw(length(coded$levels[[j]]))
    }
  }
  coded
}

check_complete <- function(coded, call) {
  missing <- nrow(coded$codes) - n_rows_observed(coded$codes)
  if (any(missing > 0)) {
    first <- missing[missing > 0][1]
    abort_mdpd(
      c('{coded$what} {.field {names(first)}} must have no missing value with
         {.code missing = "fail"}.',
        x = "It has {as.integer(first)}; the table has {n_missing(coded$codes)} in all."),
      class = "missing_value", call = call
    )
  }
}

check_no_missing_level <- function(coded, j, call) {
  if (missing_level %in% coded$levels[[j]]) {
    abort_mdpd(
      c('{coded$what} {.field {names(coded$levels)[j]}} must not have a level
         {.val {missing_level}} with {.code missing = "level"}.',
        i = "That name stands for its missing values."),
      class = "data", call = call
    )
  }
}

# Checks -------------------------------------------------------------------------------------------

check_observed <- function(coded, weights, call) {
  empty <- n_observed(coded$codes, if (any(weights == 0)) weights > 0) == 0
  if (any(empty)) {
    what <- coded$what %||% "Item"
    abort_mdpd(
      "{what} {.field {names(coded$levels)[empty][1]}} must have an observed value; all of
       its values are missing{if (any(weights == 0)) ' or of weight zero'}.",
      class = "data", call = call, item = names(coded$levels)[empty][1]
    )
  }
}

# A level for missing answers is a cell's only one.
check_repeats <- function(x, missing, arg, call) {
  again <- if (missing %in% c("level", "frozen")) n_repeated(x) else 0
  if (again > 0) {
    abort_mdpd(
      c("{.arg missing} must be {.val ignore} or {.val fail} where a worker labels an item more than
         once, not {.val {missing}}.",
        x = "{.arg {arg}} has {again} such label{?s}."),
      class = "argument", call = call
    )
  }
}

check_crowd_size <- function(x, arg, call) {
  if (length(x$workers) < 2) {
    abort_mdpd(
      c("{.arg {arg}} must have at least two workers.", x = "It has one, {.val {x$workers}}."),
      class = "data", call = call
    )
  }
}

# Warnings -----------------------------------------------------------------------------------------

warn_duplicated_items <- function(coded, weights, call) {
  repeats <- repeats_to_tell(coded$codes, coded$levels, weights)
  warn_repeated_items(repeats, colnames(coded$codes), call)
}

# `original`: positions of the items repeated, named by those of the items that repeat them.
warn_repeated_items <- function(original, items, call) {
  if (length(original) > 0) {
    repeats <- sprintf("%s (of %s)", items[as.integer(names(original))], items[original])
    warn_mdpd(
      c("{length(repeats)} item{?s} repeat{?s/} another exactly: {.field {repeats}}.",
        i = "Items must be independent within a component; leave repeated ones out."),
      class = "duplicated_items", call = call, items = items[as.integer(names(original))]
    )
  }
}

# A field of a file that was left empty is a text, and not NA.
warn_blank_levels <- function(coded, call) {
  n_levels <- lengths(coded$levels)
  blank <- which(!grepl("[^[:space:]]", unlist(coded$levels, use.names = FALSE)))
  if (length(blank) > 0) {
    item <- rep(seq_along(n_levels), n_levels)[blank]
    code <- as.raw(sequence(n_levels)[blank])
    n_cells <- sum(coded$codes[, item, drop = FALSE] == rep(code, each = nrow(coded$codes)))
    items <- unique(names(n_levels)[item])
    shown <- name_some(items)
    warn_mdpd(
      c("Empty strings in {length(items)} item{?s} are taken for an answer, {n_cells} in all.",
        x = "{shown}",
        i = "Where nothing was answered make them {.code NA}: {.code x[x == \"\"] <- NA}."),
      class = "blank_level", call = call, items = items
    )
  }
}

# What has another value in each row names the rows and tells nothing of them.
inform_id_columns <- function(coded) {
  fewest_rows <- 10
  n_rows <- nrow(coded$codes)
  ids <- names(coded$levels)[lengths(coded$levels) == n_rows]
  if (n_rows >= fewest_rows && length(ids) > 0) {
    shown <- name_some(ids)
    inform_mdpd(
      c("{length(ids)} column{?s} with another answer in each row {?is/are} taken for
         {?an item/items}: {shown}.",
        i = "What numbers or names the rows is no item: leave it out."),
      class = "id_column"
    )
  }
}

# As duplicated_items(), but not those that by chance may be so in a table of `n_items`.
repeats_to_tell <- function(codes, levels, weights, n_items = ncol(codes)) {
  original <- duplicated_items(codes, lengths(levels))
  sizes <- lapply(as.integer(names(original)), function(j) {
    seen <- codes[, j] != as.raw(0)
    rowsum(weights[seen], as.integer(codes[seen, j]))
  })
  original[!are_alike_by_chance(sizes, n_items)]
}

# Rare answers to many items are of the same rows by chance. Of independent items with levels of
# these sizes (rows) one pair in so many is alike as there are ways to divide the rows, and all
# pairs may be such.
are_alike_by_chance <- function(sizes, n_items) {
  lchoose(n_items, 2) - vapply(sizes, log_ways_to_divide, 0) > log(0.001)
}

# Levels of the same size may change places.
log_ways_to_divide <- function(sizes) {
  lfactorial(sum(sizes)) - sum(lfactorial(sizes)) - sum(lfactorial(table(sizes)))
}

# Items that divide the rows as an earlier one does, whatever their levels are called: the earlier
# one's position, named by the item's.
duplicated_items <- function(codes, n_levels) {
  first <- core_repeated_items(codes, n_levels)
  again <- which(first != seq_along(first))
  stats::setNames(first[again], again)
}

warn_unseen_levels <- function(unseen, call) {
  unseen <- unseen[lengths(unseen) > 0]
  if (length(unseen) > 0) {
    found <- vapply(names(unseen), function(item) {
      cli::format_inline("{.field {item}} ({.val {unseen[[item]]}})")
    }, character(1))
    warn_mdpd(
      c("Levels that the fit has not seen are treated as missing.", x = "{found}"),
      class = "unseen_level", call = call, levels = unseen
    )
  }
}
