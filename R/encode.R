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

max_levels <- 254L  # a code is one byte: 0 is missing, 255 is kept free
missing_level <- "(missing)"

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
  if (inherits(x, "crowd_labels")) {
    check_crowd_size(x, arg, call)
    weights <- check_weights(weights, nrow(x), call = call)
    coded <- code_crowd(x, missing)
  } else {
    check_table(x, arg, call)
    weights <- check_weights(weights, nrow(x), call = call)
    coded <- drop_unweighted_levels(code_table(x, arg, call), weights)
    warn_duplicated_items(coded, call)
  }
  check_observed(coded, weights, call)
  coded <- apply_missing(coded, missing, call)
  check_n_levels(coded$levels, call)
  new_coded(coded$codes, coded$levels, weights, missing)
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
  force(arg)
  new <- if (inherits(x, "crowd_labels")) {
    recode_crowd(x, levels[items], missing, arg, call)
  } else {
    recode_table(x, names(levels), levels[items], missing, arg, call)
  }
  warn_unseen_levels(new$unseen, call)
  new_coded(new$codes, levels[items], rep(1, nrow(new$codes)), missing)
}

#' The columns a one-sided formula names, and the case weights
#'
#' @param formula One-sided, of column names only: `~ a + b`, `~ .`, `~ . - c`.
#' @param data Data frame.
#' @param weights A quosure, evaluated with the columns of `data` at hand, as [lm()] does. Where it
#'   is a column, the dot does not stand for that one.
#' @return A list of `items`, a data frame of the columns named, and `weights`.
#' @noRd
formula_table <- function(formula, data, weights, call = rlang::caller_env()) {
  check_formula(formula, call)
  check_formula_data(data, call)
  named <- if (rlang::quo_is_symbol(weights)) rlang::as_name(weights)
  others <- as.data.frame(data)[setdiff(names(data), named)]
  terms <- attr(stats::terms(formula, data = others), "term.labels")
  is_column <- vapply(terms, function(term) is.symbol(str2lang(term)), logical(1))
  if (!all(is_column)) {
    abort_mdpd(
      "The formula must name columns only, not {.code {terms[!is_column][1]}}.",
      class = "argument", call = call
    )
  }
  items <- vapply(terms, function(term) as.character(str2lang(term)), character(1))
  check_has_items(items, names(data), "data", call)
  list(items = as.data.frame(data)[unname(items)], weights = masked_weights(weights, data, call))
}

check_formula <- function(formula, call) {
  if (length(formula) != 2) {
    abort_mdpd(
      c("The formula must be one-sided, such as {.code ~ a + b} or {.code ~ .}.",
        x = "It has a response, {.code {rlang::as_label(formula[[2]])}}."),
      class = "argument", call = call
    )
  }
}

check_formula_data <- function(data, call) {
  if (missing(data)) {
    abort_mdpd(
      "{.arg data} must be given: the data frame whose columns the formula names.",
      class = "argument", call = call
    )
  }
  if (!is.data.frame(data)) {
    abort_mdpd(
      "{.arg data} must be a data frame, not {describe(data)}.", class = "argument", call = call
    )
  }
  check_table_size(data, "data", call, min_columns = 1)
  check_column_names(names(data), "data", call)
}

masked_weights <- function(weights, data, call) {
  rlang::try_fetch(
    rlang::eval_tidy(weights, as.data.frame(data)),
    error = function(cnd) {
      abort_mdpd(
        c("{.arg weights} must be a column of {.arg data} or a numeric vector.",
          x = "{conditionMessage(cnd)}"),
        class = "argument", call = call
      )
    }
  )
}

# The S3 object ------------------------------------------------------------------------------------

new_coded <- function(codes, levels, weights, missing) {
  structure(
    list(codes = codes, levels = levels, weights = weights, missing = missing, known = NULL),
    class = "mdpd_coded"
  )
}

# Columns to codes ---------------------------------------------------------------------------------

code_table <- function(x, arg, call) {
  items <- item_names(x)
  levels <- stats::setNames(vector("list", length(items)), items)
  codes <- matrix(raw(1), nrow(x), length(items), dimnames = list(row_names(x), items))
  for (j in seq_along(items)) {
    column <- code_values(table_column(x, j))
    levels[[j]] <- column$levels
    check_n_levels(levels[j], call, maybe_triples = length(items) == 3)
    codes[, j] <- as.raw(column$codes)
  }
  list(codes = codes, levels = levels, what = "Column")
}

code_crowd <- function(x, missing) {
  # The items of a crowd are the rows, its workers the items of the model.
  codes <- answers_to_codes(x$item, x$worker, x$label, dim(x), list(x$items, x$workers), missing)
  levels <- rep(list(x$labels), length(x$workers))
  list(codes = codes, levels = stats::setNames(levels, x$workers), what = "Worker")
}

# A table with few answers is sparse, if a cell without one is left out of all sums.
answers_to_codes <- function(row, item, code, dim, dimnames, missing) {
  if (missing %in% c("ignore", "fail") && length(code) < sparse_share * prod(dim)) {
    return(new_sparse_codes(row, item, code, dim, dimnames))
  }
  codes <- matrix(raw(1), dim[1], dim[2], dimnames = dimnames)
  codes[cell_index(row, item, dim[1])] <- as.raw(code)
  codes
}

# Codes (0 is missing) and levels of one vector. Levels are in factor order, numbers ascending,
# FALSE before TRUE, strings in the C locale so that results do not depend on where they are made.
# `numbers_first` sorts strings that all are numbers as numbers: ids read from a file.
code_values <- function(x, numbers_first = FALSE) {
  if (is.factor(x)) {
    return(code_factor(x))
  }
  x <- if (is_time(x) || inherits(x, "integer64")) as.character(x) else as.vector(unclass(x))
  if (is.double(x) && !all_whole(x)) {
    x <- signif(x, 15)  # values that print alike are one level
  }
  values <- unique(x)
  values <- if (numbers_first && is_number_text(values)) {
    values[order(as.double(values), values, method = "radix")]
  } else {
    sort(values, method = "radix")
  }
  list(codes = match(x, values[!is.na(values)], nomatch = 0L), levels = value_text(values))
}

code_factor <- function(x) {
  codes <- as.integer(x)
  used <- tabulate(codes, nlevels(x)) > 0 & !is.na(levels(x))
  codes <- ifelse(used, cumsum(used), 0L)[codes]
  codes[is.na(codes)] <- 0L
  list(codes = codes, levels = levels(x)[used])
}

# Strings without loss: whole numbers are never written 1e+05.
value_text <- function(values) {
  values <- values[!is.na(values)]
  text <- enc2utf8(as.character(values))
  if (is.double(values)) {
    whole <- values == trunc(values) & is.finite(values)
    text[whole] <- sprintf("%.0f", values[whole] + 0)  # + 0: no minus before a zero
  }
  text
}

is_number_text <- function(x) {
  is.character(x) && all(grepl("^[-+]?[0-9]+([.][0-9]+)?$", x[!is.na(x)]))
}

is_time <- function(x) inherits(x, c("Date", "POSIXt", "difftime"))

all_whole <- function(x) all(is.na(x) | is.finite(x) & x == trunc(x))

# Codes of a new column by the levels of the fit, and the levels the fit does not have.
recode <- function(x, levels, missing) {
  coded <- code_values(x)
  position <- match(coded$levels, levels, nomatch = 0L)
  absent <- if (missing == "level") match(missing_level, levels, nomatch = 0L) else 0L
  list(codes = c(absent, position)[coded$codes + 1L], unseen = coded$levels[position == 0L])
}

# New data as `codes` by the `levels` of the items needed, and per item the levels `unseen`.
recode_table <- function(x, all_items, levels, missing, arg, call) {
  if (!is_table_of_items(x)) {
    abort_not_a_table(x, arg, call)
  }
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
  check_has_items(items, names, arg, call)
  codes <- matrix(raw(1), nrow(x), length(items), dimnames = list(row_names(x), items))
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
  check_has_workers(x, items, arg, call)
  item <- match(x$workers, items)[x$worker]
  # labels x items: the codes of the crowd's labels.
  position <- vapply(levels, function(levels) match(x$labels, levels, nomatch = 0L),
                     integer(length(x$labels)))
  at <- cell_index(x$label, item, length(x$labels))
  code <- position[at]
  known <- which(code > 0L)  # neither of another worker, NA, nor unseen, 0
  codes <- answers_to_codes(
    x$item[known], item[known], code[known], c(nrow(x), length(items)), list(x$items, items),
    missing
  )
  if (missing == "level") {
    absent <- vapply(levels, function(levels) match(missing_level, levels, nomatch = 0L), 0L)
    empty <- codes == as.raw(0)
    empty[cbind(x$item, item)[code %in% 0L, , drop = FALSE]] <- FALSE
    codes[empty] <- as.raw(absent[col(codes)[empty]])
  }
  unseen <- sort(unique(at[code %in% 0L]))
  label <- (unseen - 1) %% length(x$labels) + 1
  worker <- factor(items[(unseen - label) / length(x$labels) + 1], items)
  list(codes = codes, unseen = split(x$labels[label], worker, drop = TRUE))
}

check_has_workers <- function(x, items, arg, call) {
  if (length(items) > 0 && !any(items %in% x$workers)) {
    abort_mdpd(
      c("{.arg {arg}} must have a label of at least one worker of the fit.",
        x = "Its first worker is {.val {x$workers[1]}}, the fit's {.val {items[1]}}."),
      class = "missing_item", call = call
    )
  }
}

# Access that does not depend on the class of the table: no `[`, no `drop`.
table_column <- function(x, j) {
  if (is.data.frame(x)) .subset2(x, j) else unclass(x)[, j]
}

item_names <- function(x) {
  if (is.data.frame(x)) {
    names(x)
  } else if (is.null(colnames(x))) {
    paste0("V", seq_len(ncol(x)))
  } else {
    colnames(x)
  }
}

row_names <- function(x) {
  if (is.matrix(x)) {
    rownames(x)
  } else if (.row_names_info(x) > 0) {  # negative: automatic, so no names
    as.character(attr(x, "row.names"))
  }
}

# Where cell (row, column) is in a matrix; double, since big tables pass the largest integer.
cell_index <- function(row, column, n_rows) {
  row + (column - 1) * n_rows
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
  missing <- nrow(coded$codes) - n_observed(coded$codes)
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

# Checks of tables ---------------------------------------------------------------------------------

check_table <- function(x, arg, call) {
  if (!is_table_of_items(x)) {
    abort_not_a_table(x, arg, call)
  }
  check_table_size(x, arg, call)
  items <- item_names(x)
  check_column_names(items, arg, call)
  check_no_triples(x, arg, call)
  for (j in seq_along(items)) {
    check_column(table_column(x, j), items[j], arg, call)
  }
}

abort_not_a_table <- function(x, arg, call) {
  abort_mdpd(
    c("{.arg {arg}} must be a data frame, a matrix or {.cls crowd_labels}, not {describe(x)}.",
      i = table_hint(x)),
    class = "argument", call = call
  )
}

is_table_of_items <- function(x) (is.data.frame(x) || is.matrix(x)) && !is_count_table(x)

table_hint <- function(x) {
  if (is_count_table(x)) {
    "Give the counts as weights:
     {.code stagewise_em(~ ., k, data = as.data.frame(x), weights = Freq)}."
  } else if (is.list(x)) {
    "Items of one length make a table by {.fn as.data.frame}."
  }
}

# By their class: a two-way table of counts is a matrix too.
is_count_table <- function(x) inherits(x, c("table", "ftable"))

# One row a label, not one row an observation: fitted as it is, the ids would be answers.
check_no_triples <- function(x, arg, call) {
  if (setequal(tolower(item_names(x)), c("item", "worker", "label"))) {
    abort_mdpd(
      c("{.arg {arg}} must be a table of items, and this one looks like labels given by workers.",
        i = "Its columns are {.field {item_names(x)}}: make them a crowd by {.fn crowd_labels}."),
      class = "data", call = call
    )
  }
}

check_table_size <- function(x, arg, call, min_columns = 2) {
  if (nrow(x) == 0) {
    abort_mdpd("{.arg {arg}} must have at least one row.", class = "data", call = call)
  }
  if (ncol(x) == 0) {
    abort_mdpd("{.arg {arg}} must have columns; it has none.", class = "data", call = call)
  }
  if (ncol(x) < min_columns) {
    abort_mdpd(
      c("{.arg {arg}} must have at least two columns.",
        x = "It has one, {.field {item_names(x)}}."),
      class = "data", call = call
    )
  }
}

check_column_names <- function(names, arg, call) {
  unnamed <- which(is.na(names) | names == "")
  if (is.null(names) || length(unnamed) > 0) {
    abort_mdpd(
      c("Every column of {.arg {arg}} must have a name.",
        x = "Column {c(unnamed, 1)[1]} has none."),
      class = "data", call = call
    )
  }
  if (anyDuplicated(names)) {
    twice <- names[anyDuplicated(names)]
    abort_mdpd(
      c("The columns of {.arg {arg}} must have different names.",
        x = "There are {sum(names == twice)} columns {.field {twice}}."),
      class = "data", call = call
    )
  }
}

check_has_items <- function(items, names, arg, call) {
  absent <- setdiff(items, names)
  if (length(absent) > 0) {
    abort_mdpd(
      "{.arg {arg}} must have the column{cli::qty(absent)}{?s} {.field {absent}}.",
      class = "missing_item", call = call, items = absent
    )
  }
}

# A column must be a vector of categories: factor, string, whole number or logical.
check_column <- function(x, name, arg, call) {
  kind <- if (is_time(x)) {
    "dates or times"
  } else if (length(dim(x)) > 1) {
    "a table of its own"
  } else if (is.list(x)) {
    "a list"
  } else if (inherits(x, "integer64")) {
    "64-bit integers"
  } else if (!is.factor(x) && !typeof(x) %in% c("logical", "integer", "double", "character")) {
    paste("values of type", typeof(x))
  }
  if (!is.null(kind)) {
    abort_mdpd(
      "Column {.field {name}} of {.arg {arg}} must hold categories (a factor, strings, whole
       numbers or logical values), not {kind}.",
      class = "data", call = call, item = name
    )
  }
  if (is.double(x)) {
    check_whole(as.vector(unclass(x)), name, arg, call)
  }
  invisible(x)
}

check_whole <- function(x, name, arg, call) {
  if (all_whole(x) && !any(is.nan(x))) {
    return(invisible(x))
  }
  row <- which(is.nan(x) | !is.na(x) & (is.infinite(x) | x != trunc(x)))[1]
  hint <- if (is.finite(x[row])) {
    "Cut measurements into classes first, for example with {.fn cut}."
  } else {
    "Write {.code NA} for a missing value."
  }
  abort_mdpd(
    c("Column {.field {name}} of {.arg {arg}} must hold whole numbers.",
      x = "Row {row} is {x[row]}.", i = hint),
    class = "data", call = call, item = name
  )
}

check_n_levels <- function(levels, call, maybe_triples = FALSE) {
  too_many <- lengths(levels) > max_levels
  if (any(too_many)) {
    levels <- levels[too_many][1]
    abort_mdpd(
      c("An item must have at most {max_levels} levels.",
        x = "{.field {names(levels)}} has {length(levels[[1]])}.",
        i = if (maybe_triples) "Are the rows labels by workers? Then use {.fn crowd_labels} first."
            else "Is it an identifier? Then leave it out."),
      class = "data", call = call, item = names(levels)
    )
  }
}

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

check_crowd_size <- function(x, arg, call) {
  if (length(x$workers) < 2) {
    abort_mdpd(
      c("{.arg {arg}} must have at least two workers.", x = "It has one, {.val {x$workers}}."),
      class = "data", call = call
    )
  }
}

# Warnings -----------------------------------------------------------------------------------------

warn_duplicated_items <- function(coded, call) {
  original <- duplicated_items(coded$codes, lengths(coded$levels))
  if (length(original) > 0) {
    items <- colnames(coded$codes)
    repeats <- sprintf("%s (of %s)", items[as.integer(names(original))], items[original])
    warn_mdpd(
      c("{length(repeats)} item{?s} repeat{?s/} another exactly: {.field {repeats}}.",
        i = "Items must be independent within a component; leave repeated ones out."),
      class = "duplicated_items", call = call, items = items[as.integer(names(original))]
    )
  }
}

# Items that divide the rows as an earlier one does, whatever their levels are called: the earlier
# one's position, named by the item's. Rows are compared only where the counts of levels agree.
duplicated_items <- function(codes, n_levels) {
  varying <- which(n_levels > 1)
  counts <- vapply(varying, function(j) {
    paste(sort(tabulate(as.integer(codes[, j]), n_levels[j])), collapse = " ")
  }, character(1))
  groups <- split(varying, counts)
  original <- lapply(unname(groups[lengths(groups) > 1]), function(group) {
    keys <- vapply(group, function(j) partition_key(as.integer(codes[, j])), character(1))
    first <- match(keys, keys)
    copy <- first != seq_along(first)
    stats::setNames(group[first[copy]], group[copy])
  })
  original <- unlist(original)
  original[order(as.integer(names(original)))]
}

# The same for two columns exactly when they differ by the names of their levels only: codes are
# renumbered in the order in which they are seen, missing cells apart.
partition_key <- function(codes) {
  seen <- unique(codes)
  rlang::hash(match(codes, seen[seen > 0L], nomatch = 0L))
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
