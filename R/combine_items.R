#' Make near-copies one item
#'
#' Replaces each group of items that repeat one answer by a single item, so that it counts once:
#' what to do after the warning `mdpd_warning_copied_items`, with the groups of [copied_items()].
#'
#' In each row the new item has the answer that most items of the group give; where answers are
#' given equally often, that of the first item. Missing cells are left out, so the item is missing
#' only where all of the group are. Where four answers each differ from the true one in some rows,
#' the mode is nearer to it than any of them; for two items it is the first, filled from the second.
#'
#' Two workers who copy from one another count as one worker: in a crowd the groups are workers, and
#' the new worker gives each item the label that most labels of the group are; of several such one
#' of the first worker, and of several of hers the first in the order of the labels.
#'
#' @param x The data: a data frame or a matrix, n_obs rows and n_items columns; a [crowd_labels()]
#'   object, whose workers are combined; or a one-sided formula naming columns of `data`, such as
#'   `~ .`.
#' @param groups The groups: the table that [copied_items()] returns, or any data frame with the
#'   columns `group` and `item`; a list of character vectors, the items of a group each; or one such
#'   vector. An item is in one group at most, a group has two items or more. Names of a list name
#'   the new items.
#' @param ... For a formula: `data`. Otherwise not used; must be empty.
#' @param data For a formula: the data frame its names are looked up in.
#' @return The data in the form given, a crowd, a matrix, a tibble or a data frame, which is a plain
#'   one where it was of another class, such as `data.table`; a formula gives a data frame of the
#'   items it names. It has as many rows, their names kept. Each new item is where the first of its
#'   group was and is named by all of them, `"a+b+c"`, or by the name of the group. Its type is that
#'   of the group; a factor where the values have labels, as haven reads them, and with items of
#'   several types strings. Without groups `x` is returned as it is.
#' @section Errors: `mdpd_error_argument` when `groups` are not as described;
#' `mdpd_error_missing_item` when an item of a group is not in `x`; `mdpd_error_data` when the items
#' of a group have different levels, or one agrees with the first less often than by chance, as a
#' question asked the other way round does: recode it first. The warning names such items.
#' @references
#' Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
#' the EM algorithm. *Applied Statistics* 28, 20-28: the vote of observers. \doi{10.2307/2346806}
#' @family diagnostics
#' @examples
#' x <- data.frame(a = c(1, 1, 2, 2, NA), b = c(1, 2, 2, NA, 2), c = c(1, 2, 2, 2, NA), d = 1:5)
#' combine_items(x, c("a", "b", "c"))
#' combine_items(x, list(same = c("a", "b")))
#' @export
combine_items <- function(x, groups, ...) {
  check_given(x)
  check_given(groups)
  UseMethod("combine_items")
}

#' @rdname combine_items
#' @export
combine_items.formula <- function(x, groups, data, ...) {
  rlang::check_dots_empty()
  combine_items(formula_table(x, data, rlang::quo(NULL))$items, groups)
}

#' @rdname combine_items
#' @export
combine_items.crowd_labels <- function(x, groups, ...) {
  rlang::check_dots_empty()
  groups <- check_groups(groups, x$workers)
  if (length(groups) == 0) {
    return(x)
  }
  place <- place_groups(groups, x$workers)
  for (workers in place$groups) x <- combine_workers(x, workers)
  x$workers[place$first] <- names(groups)
  x$workers <- x$workers[place$kept]
  x$worker <- match(x$worker, place$kept)
  drop_unused_labels(x, rep(TRUE, length(x$item)))
}

#' @rdname combine_items
#' @export
combine_items.default <- function(x, groups, ...) {
  rlang::check_dots_empty()
  if (!is_table_of_items(x)) {
    abort_not_a_table(x, "x", rlang::current_env())
  }
  check_column_lengths(x, "x", rlang::current_env())
  names <- item_names(x)
  check_column_names(names, "x", rlang::current_env())
  groups <- check_groups(groups, names)
  if (length(groups) == 0) {
    return(x)
  }
  columns <- stats::setNames(lapply(seq_along(names), table_column, x = x), names)
  place <- place_groups(groups, names)
  call <- rlang::current_env()
  columns[place$first] <- lapply(place$groups, function(at) combine_columns(columns[at], call))
  names(columns)[place$first] <- names(groups)
  like_table(columns[place$kept], x)
}

# Positions among `names`: those of each of the `groups`; the `first` of each, where the new item
# is; and those `kept`. By name nothing can be found once a new item has that of one combined.
place_groups <- function(groups, names) {
  groups <- lapply(unname(groups), match, names)
  first <- vapply(groups, min, 0L)
  list(
    groups = groups, first = first, kept = setdiff(seq_along(names), setdiff(unlist(groups), first))
  )
}

# A table of the class that `x` has; what a class keeps besides the columns is not known to fit.
like_table <- function(columns, x) {
  if (is.matrix(x)) {
    table <- do.call(cbind, unname(columns))  # names would be those of arguments
    return(`dimnames<-`(table, list(rownames(x), names(columns))))
  }
  class <- intersect(class(x), c("tbl_df", "tbl", "data.frame"))
  structure(columns, class = class, row.names = attr(x, "row.names"))
}

# Columns ------------------------------------------------------------------------------------------

# One column of several, the first of which settles ties.
combine_columns <- function(columns, call) {
  columns <- Map(function(column, name) {
    check_column(column, name, "x", call)
    read_labelled(column)
  }, columns, names(columns))
  coded <- lapply(columns, code_values, call = call)
  levels <- common_levels(columns, coded, call)
  codes <- vapply(coded, function(item) {
    c(0L, match(item$levels, levels))[item$codes + 1L]
  }, integer(length(columns[[1]])))
  codes <- matrix(codes, ncol = length(columns), dimnames = list(NULL, names(columns)))
  check_agreement(codes, call)
  at <- which(codes > 0, arr.ind = TRUE)
  given <- most_given(at[, 1], at[, 2], codes[codes > 0])
  code <- replace(rep(NA_integer_, nrow(codes)), given$row, given$code)
  as_type_of(columns, code, levels)
}

# Of each row the code that is there most often, of several such that of the lowest rank, of several
# of that the lowest: not what happens to stand first.
most_given <- function(row, rank, code) {
  cell <- cell_index(row, code, max(row, 0))
  n <- tabulate(match(cell, unique(cell)))[match(cell, unique(cell))]
  sorted <- order(row, -n, rank, code)
  first <- sorted[!duplicated(row[sorted])]
  list(row = row[first], code = code[first])
}

# Those of the item that has most; the others have no level that it does not have.
common_levels <- function(columns, coded, call) {
  levels <- Map(function(column, item) {
    if (is.factor(column)) levels(column) else item$levels
  }, columns, coded)
  widest <- which.max(lengths(levels))
  for (item in names(coded)) {
    other <- setdiff(coded[[item]]$levels, levels[[widest]])
    if (length(other) > 0) {
      abort_mdpd(
        c("Items of a group must have the same levels.",
          x = "{.field {item}} has {.val {other[1]}}, {.field {names(levels)[widest]}} has
               {.val {levels[[widest]]}}."),
        class = "data", call = call, item = item
      )
    }
  }
  levels[[widest]]
}

check_agreement <- function(codes, call) {
  for (j in seq_len(ncol(codes))[-1]) {
    found <- agreement_of_pair(codes[, 1], codes[, j])
    if (found$is_below_chance) {
      abort_mdpd(
        c("Items of a group must agree more often than by chance.",
          x = "{.field {colnames(codes)[j]}} and {.field {colnames(codes)[1]}} agree in
               {.val {round(100 * found$agreed)}} % of the rows, by chance in
               {.val {round(100 * found$by_chance)}} %.",
          i = "If one asks the other way round, recode it first."),
        class = "data", call = call, item = colnames(codes)[j]
      )
    }
  }
}

# In what share of the rows with both two items agree, and would by chance.
agreement_of_pair <- function(a, b) {
  both <- a > 0 & b > 0
  n_levels <- max(a, b, 1)
  shares <- function(code) tabulate(code, n_levels) / length(code)
  agreed <- mean(a[both] == b[both])
  by_chance <- sum(shares(a[both]) * shares(b[both]))
  list(agreed = agreed, by_chance = by_chance,
       is_below_chance = any(both) && agreed < by_chance - 1e-12)
}

# The items of a group for which combine_items() asks to recode: they have levels that the item with
# most does not have, or agree with the first less often than by chance.
#
# `coded`: data as they are fitted, in whose order items are combined.
items_to_recode <- function(group, coded) {
  levels <- coded$levels[names(coded$levels) %in% group]
  widest <- levels[[which.max(lengths(levels))]]
  has_others <- vapply(levels, function(item) !all(item %in% widest), NA)
  codes_of <- function(item) {
    c(0L, match(levels[[item]], widest, nomatch = 0L))[as.integer(coded$codes[, item]) + 1L]
  }
  first <- codes_of(names(levels)[1])
  is_reversed <- vapply(names(levels), function(item) {
    agreement_of_pair(first, codes_of(item))$is_below_chance
  }, NA)
  names(levels)[has_others | is_reversed]
}

# Codes as what the columns are: a factor, numbers, logical values, else strings.
as_type_of <- function(columns, code, levels) {
  are <- function(is_type) all(vapply(columns, is_type, NA))
  if (are(is.factor)) {
    return(factor(levels[code], levels, ordered = is.ordered(columns[[1]])))
  }
  if (!are(Negate(is.factor))) {
    return(levels[code])
  }
  if (are(is.logical)) {
    as.logical(levels[code])
  } else if (are(is.integer)) {
    as.integer(levels[code])
  } else if (are(is.numeric)) {
    as.double(levels[code])
  } else {
    levels[code]
  }
}

# Workers ------------------------------------------------------------------------------------------

# Several workers of a crowd as the first of them, who gives each item one label.
combine_workers <- function(x, workers) {
  of_group <- x$worker %in% workers
  given <- most_given(x$item[of_group], x$worker[of_group], x$label[of_group])
  x$item <- c(x$item[!of_group], given$row)
  x$label <- c(x$label[!of_group], given$code)
  x$worker <- c(x$worker[!of_group], rep(min(workers), length(given$row)))
  x
}

# Checks -------------------------------------------------------------------------------------------

# A list of the groups' items, named by the new items.
check_groups <- function(groups, names, call = rlang::caller_env()) {
  groups <- list_of_groups(groups, call)
  what <- cli::format_inline("{.arg groups}")
  if (anyNA(names(groups))) {
    abort_mdpd("{.arg groups} must have names that are strings, not {.code NA}.",
               class = "argument", call = call)
  }
  check_encoding(names(groups), what, call)
  for (group in groups) check_encoding(group, what, call)
  items <- unlist(unname(groups))
  absent <- setdiff(items, names)
  if (length(absent) > 0) {
    abort_mdpd(
      "{.arg x} must have the item{?s} of {.arg groups}; it has no {.field {absent}}.",
      class = "missing_item", call = call, items = absent
    )
  }
  if (anyDuplicated(items) || any(lengths(groups) < 2)) {
    alone <- groups[lengths(groups) < 2][1]
    problem <- if (anyDuplicated(items)) "{.field {items[anyDuplicated(items)]}} is named twice."
               else if (length(alone[[1]]) == 0) "One has none."
               else "One has {.field {alone[[1]]}} only."
    abort_mdpd(
      c("{.arg groups} must have at least two items each, and an item once.", x = problem),
      class = "argument", call = call
    )
  }
  name_groups(lapply(groups, function(group) names[names %in% group]), names, call)
}

list_of_groups <- function(groups, call) {
  if (is_table_of_groups(groups)) {
    item <- as.character(groups[["item"]])
    return(unname(split(item, match(groups[["group"]], unique(groups[["group"]])))))
  }
  if (is.character(groups)) {
    groups <- list(groups)
  }
  strings <- is.list(groups) && !is.data.frame(groups) &&
    all(vapply(groups, function(group) is.character(group) && !anyNA(group), NA))
  if (strings) {
    return(groups)
  }
  abort_mdpd(
    c("{.arg groups} must be a table of {.fn copied_items} or a list of names of items, not
       {describe(groups)}.", i = 'Such as {.code list(c("a", "b"), c("d", "e"))}.'),
    class = "argument", call = call
  )
}

is_table_of_groups <- function(x) {
  is.data.frame(x) && all(c("group", "item") %in% names(x)) &&
    holds_values(x[["group"]]) && holds_values(x[["item"]])
}

# By their items where a group has no name.
name_groups <- function(groups, names, call) {
  joined <- vapply(groups, paste, "", collapse = "+")
  given <- enc2utf8(names(groups) %||% rep("", length(groups)))
  names(groups) <- ifelse(given == "", joined, given)
  check_name_lengths(names(groups), "Names of new items", call, class = "argument")
  all_names <- c(setdiff(names, unlist(groups)), names(groups))
  if (anyDuplicated(all_names)) {
    abort_mdpd(
      "The new items must have names of their own; {.field {all_names[anyDuplicated(all_names)]}} is
       another item's.", class = "argument", call = call
    )
  }
  groups
}
