#' Labels given by a crowd
#'
#' Collects who labelled what and how: triples of an item, a worker and a label. The result can be
#' fitted by [stagewise_em()], which treats items as observations and workers as variables.
#'
#' Ids are kept as strings. They sort as numbers if all of them are numbers, also when they come as
#' strings, in level order if they are factors, and in the C locale otherwise. Unused factor levels
#' are dropped.
#'
#' Labels have no order. Where they are grades of a scale, a model of their order, or the rounded
#' mean of an item's grades, can be nearer to the truth than any fit that takes them as names:
#' compare.
#'
#' @param data Data frame, tibble, data.table or matrix of triples, one label in a row. A matrix
#'   without column names must have three columns: items, workers, labels.
#' @param item,worker,label The columns: a name or a position each. Ids may be of any type.
#' @param duplicates What to do if a worker labels an item more than once. `"count"`, the default:
#'   every label counts, as one more answer of that worker, independent of the others given the true
#'   label; left at the default with a message. `"error"`; or keep the `"first"` or the `"last"` of
#'   these labels.
#' @return A list of class `crowd_labels`:
#'   * `item`, `worker`, `label`: integer codes from 1, one for each label given;
#'   * `items`, `workers`, `labels`: strings, the ids the codes stand for; at most 254 labels.
#'
#'   `dim()` gives the numbers of items and workers, `as.matrix()` the table of items by workers
#'   with the labels as strings and `NA` where there is none, several of one worker for one item as
#'   `"a, b"` in label order, and `as.data.frame()` the triples as factors.
#' @section Errors:
#'   `mdpd_error_argument` for a column that is not there; `mdpd_error_data` for a table without
#'   rows, a list column, a missing id or label, or more than 254 labels;
#'   `mdpd_error_duplicated_label` for a worker who labels an item twice with
#'   `duplicates = "error"`. By default a message of class `mdpd_message_repeated_labels` says how
#'   many labels were given again.
#' @references Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using
#'   the EM algorithm, *Applied Statistics* 28, 20-28. \doi{10.2307/2346806}
#' @family crowds
#' @seealso [read_crowd()] to read triples from a file.
#' @examples
#' triples <- data.frame(
#'   item = c("img1", "img1", "img2", "img2"),
#'   worker = c("ann", "bob", "ann", "bob"),
#'   label = c("cat", "cat", "dog", "cat")
#' )
#' crowd <- crowd_labels(triples)
#' crowd
#' as.matrix(crowd)
#' @export
crowd_labels <- function(data, item = "item", worker = "worker", label = "label",
                         duplicates = c("count", "error", "first", "last")) {
  check_given(data)
  by_default <- missing(duplicates)
  duplicates <- check_choice(duplicates, c("count", "error", "first", "last"))
  data <- check_triples(data)
  columns <- c(
    item = check_triple_column(item, data),
    worker = check_triple_column(worker, data),
    label = check_triple_column(label, data)
  )
  if (anyDuplicated(columns)) {
    abort_mdpd(
      "{.arg item}, {.arg worker} and {.arg label} must be three different columns.",
      class = "argument"
    )
  }
  new_crowd_labels(lapply(columns, table_column, x = data), duplicates, by_default)
}

# `again`: how many labels a worker gave to an item that had one of the same worker.
inform_repeats <- function(again, hint = 'Say {.code duplicates = "count"}, or keep one by
                                          {.code "first"} or {.code "last"}.') {
  inform_mdpd(
    c("{again} label{?s} {?was/were} given again by a worker to an item; all count.", i = hint),
    class = "repeated_labels"
  )
}

# How many labels a worker gave to an item that had one of the same worker; of a store, too.
n_repeated <- function(crowd) {
  if (inherits(crowd, "row_store")) {
    return(sum(crowd$manifest$shards$repeats))
  }
  sum(duplicated(cell_index(crowd$item, crowd$worker, length(crowd$items))))
}

# Checks and codes the three columns `item`, `worker` and `label`. Where `duplicates` was left at
# its default, labels given again are told.
new_crowd_labels <- function(columns, duplicates, by_default = FALSE, call = rlang::caller_env()) {
  for (name in names(columns)) {
    check_id_column(columns[[name]], name, call)
  }
  item <- code_values(columns$item, numbers_first = TRUE, call = call)
  worker <- code_values(columns$worker, numbers_first = TRUE, call = call)
  label <- code_values(columns$label, numbers_first = TRUE, call = call)
  check_worker_ids(worker$levels, call)
  check_n_labels(label$levels, call)
  crowd <- structure(
    list(
      item = item$codes, worker = worker$codes, label = label$codes,
      items = item$levels, workers = worker$levels, labels = label$levels
    ),
    class = "crowd_labels"
  )
  drop_duplicated_labels(crowd, duplicates, by_default, call)
}

drop_duplicated_labels <- function(crowd, duplicates, by_default, call) {
  cell <- cell_index(crowd$item, crowd$worker, length(crowd$items))
  second <- anyDuplicated(cell)
  if (second > 0 && by_default) inform_repeats(n_repeated(crowd))
  if (second == 0 || duplicates == "count") {
    return(crowd)
  }
  if (duplicates == "error") {
    first <- match(cell[second], cell)
    abort_mdpd(
      c("A worker must label an item at most once.",
        x = "Worker {.val {crowd$workers[crowd$worker[first]]}} labels item
             {.val {crowd$items[crowd$item[first]]}} in rows {first} and {second}.",
        i = 'Let all count by {.code duplicates = "count"}, or keep one by {.code "first"} or
             {.code "last"}.'),
      class = "duplicated_label", call = call
    )
  }
  keep <- !duplicated(cell, fromLast = duplicates == "last")
  drop_unused_labels(crowd, keep)
}

# A label that only dropped triples had is no label of the crowd any more.
drop_unused_labels <- function(crowd, keep) {
  crowd[c("item", "worker", "label")] <- lapply(
    unclass(crowd)[c("item", "worker", "label")], `[`, keep
  )
  used <- tabulate(crowd$label, length(crowd$labels)) > 0
  crowd$label <- cumsum(used)[crowd$label]
  crowd$labels <- crowd$labels[used]
  crowd
}

#' @export
dim.crowd_labels <- function(x) {
  if (!has_named_fields(x)) abort_damaged(x, "x", rlang::current_env())
  c(length(x$items), length(x$workers))
}

#' @export
as.matrix.crowd_labels <- function(x, ...) {
  cells <- matrix(NA_character_, nrow(x), ncol(x), dimnames = list(x$items, x$workers))
  joined <- join_answers(cell_index(x$item, x$worker, nrow(x)), x$label, x$labels)
  cells[joined$at] <- joined$label
  cells
}

# The labels of each place `at` as one string, several of them joined in label order.
join_answers <- function(at, code, labels) {
  if (!anyDuplicated(at)) {
    return(list(at = at, label = labels[code]))
  }
  sorted <- order(at, code)
  by_place <- split(labels[code[sorted]], at[sorted])
  list(at = unique(at[sorted]), label = unname(vapply(by_place, paste, "", collapse = ", ")))
}

#' @export
as.data.frame.crowd_labels <- function(x, row.names = NULL, # nolint: object_name_linter.
                                       optional = FALSE, ...) {
  data.frame(
    item = code_to_factor(x$item, x$items),
    worker = code_to_factor(x$worker, x$workers),
    label = code_to_factor(x$label, x$labels),
    row.names = row.names
  )
}

#' @export
print.crowd_labels <- function(x, ...) {
  share <- tabulate(x$label, length(x$labels)) / length(x$label)
  again <- n_repeated(x)
  per_item <- range(tabulate(x$item, nrow(x)))
  per_worker <- range(tabulate(x$worker, ncol(x)))
  labels <- sprintf("%s (%.1f %%)", x$labels, 100 * share)
  if (length(labels) > 10) {
    labels <- c(labels[1:10], sprintf("and %d more", length(labels) - 10))
  }
  cat(
    sprintf("<crowd_labels: %d items x %d workers>\n", nrow(x), ncol(x)),
    sprintf("%d labels given, %.1f %% of the table%s; ", length(x$label),
            100 * (length(x$label) - again) / nrow(x) / ncol(x),
            if (again > 0) sprintf(", %d again by the same worker", again) else ""),
    sprintf("%d to %d an item, %d to %d a worker\n",
            per_item[1], per_item[2], per_worker[1], per_worker[2]),
    "Labels: ", paste(labels, collapse = ", "), "\n",
    sep = ""
  )
  invisible(x)
}

#' Majority vote
#'
#' The label most workers gave to each item: \eqn{\arg\max_r \sum_j 1[x_{ij} = r]}. A tie goes to
#' the tied label that is more frequent in the whole crowd, then to the first in label order, so
#' that the answer is the same every time.
#'
#' @param x A [crowd_labels()] object.
#' @param type `"class"` (the default) for the labels, `"prob"` for the shares of the votes.
#' @return For `"class"` a factor, one value an item, named by the items; its levels are the labels.
#'   For `"prob"` an items x labels matrix with row and column names; rows sum to 1.
#' @section Errors: `mdpd_error_argument` if `x` is not a crowd or `type` not one of the two.
#' @references Dawid and Skene (1979) start from these shares. \doi{10.2307/2346806}
#' @family crowds
#' @examples
#' crowd <- simulate_crowd(n_items = 20, n_workers = 9, seed = 1)
#' vote <- majority_vote(crowd$labels)
#' error_rate(vote, crowd$truth)
#' head(majority_vote(crowd$labels, type = "prob"))
#' @export
majority_vote <- function(x, type = c("class", "prob")) {
  check_class(x, "crowd_labels")
  type <- check_choice(type, c("class", "prob"))
  votes <- count_votes(x)
  if (type == "prob") {
    return(votes / rowSums(votes))
  }
  preferred <- order(-colSums(votes))
  winner <- preferred[max.col(votes[, preferred, drop = FALSE], ties.method = "first")]
  stats::setNames(code_to_factor(winner, x$labels), x$items)
}

count_votes <- function(x) {
  votes <- tabulate(cell_index(x$item, x$label, nrow(x)), nrow(x) * length(x$labels))
  matrix(votes, nrow(x), dimnames = list(x$items, x$labels))
}

# The labels of a crowd; NULL of other data.
labels_of <- function(x) if (inherits(x, "crowd_labels")) x$labels

# Checks -------------------------------------------------------------------------------------------

# The triples as a data frame or a matrix with column names.
check_triples <- function(data, arg = rlang::caller_arg(data), call = rlang::caller_env()) {
  if (!is.data.frame(data) && !is.matrix(data)) {
    abort_mdpd(
      "{.arg {arg}} must be a data frame or a matrix of triples, not {describe(data)}.",
      class = "argument", call = call
    )
  }
  check_has_row(data, arg, call)
  check_column_lengths(data, arg, call)
  check_encoding(item_names(data), "The names of the columns of {.arg {arg}}", call)
  if (is.matrix(data) && is.null(colnames(data))) {
    if (ncol(data) != 3) {
      abort_mdpd(
        "{.arg {arg}}, a matrix without column names, must have three columns, not {ncol(data)}.",
        class = "data", call = call
      )
    }
    colnames(data) <- c("item", "worker", "label")
  }
  data
}

# The position of the column that `column` names.
check_triple_column <- function(column, data, arg = rlang::caller_arg(column),
                                call = rlang::caller_env()) {
  if (rlang::is_string(column) && is.null(dim(column))) {
    check_encoding(column, "{.arg {arg}}", call)
    position <- which(item_names(data) == column)
    if (length(position) == 1) {
      return(position)
    }
    problem <- if (length(position) == 0) "There is no column" else "There are several columns"
    abort_mdpd(
      c("{.arg {arg}} must name one column of {.arg data}.",
        x = "{problem} {.field {column}} among {.field {item_names(data)}}."),
      class = "argument", call = call
    )
  }
  check_count(column, arg = arg, call = call)
  if (column > ncol(data)) {
    abort_mdpd(
      "{.arg {arg}} must be a column of {.arg data}, which has {ncol(data)}, not {column}.",
      class = "argument", call = call
    )
  }
  as.integer(column)
}

# Of a chunk `rows_before` are the rows that came before.
check_id_column <- function(x, name, call, rows_before = 0) {
  if (!holds_values(x)) {
    abort_mdpd(
      "The {name} column must be a vector of ids, not {describe(x)}.", class = "data", call = call
    )
  }
  check_can_read(x, call)
  missing <- which(is.na(without_na_level(plain_values(x))))
  if (length(missing) > 0) {
    abort_mdpd(
      c("The {name} column must have no missing value.",
        x = "Row {rows_before + missing[1]} has one; {length(missing)} in all."),
      class = "data", call = call
    )
  }
  check_exact(x, name, rows_before, call)
}

# Of longer numbers R keeps the first digits only, so different ids may have become one; of what is
# too long for a number, none.
check_exact <- function(x, name, rows_before, call) {
  long <- if (is.double(x) && !is.object(x)) which(abs(x) > 2^53)
  infinite <- long[is.infinite(x[long])]
  if (length(infinite) > 0) {
    abort_mdpd(
      c("The {name} column must have no infinite number.",
        x = "Row {rows_before + infinite[1]} has {x[infinite[1]]}; {length(infinite)} in all."),
      class = "data", call = call
    )
  }
  if (length(long) > 0) {
    abort_mdpd(
      c("The {name} column must have no number above 2^53: R does not keep its last digits.",
        x = "Row {rows_before + long[1]} has {value_text(x[long[1]])}.",
        i = "Read such ids as strings, for example by
             {.code utils::read.csv(file, colClasses = \"character\")}."),
      class = "data", call = call
    )
  }
}

# Workers are what columns are elsewhere.
check_worker_ids <- function(ids, call) {
  if ("" %in% ids) {
    abort_mdpd(
      c("Every worker must have an id.", x = "The worker column has an empty string.",
        i = "Leave out labels whose worker is not known, or give such a worker an id."),
      class = "data", call = call
    )
  }
  check_name_lengths(ids, "Names of workers", call)
}

check_n_labels <- function(labels, call) {
  if (length(labels) > max_levels) {
    abort_mdpd(
      c("A crowd must have at most {max_levels} labels.",
        x = "The label column has {length(labels)}.",
        i = "Is it the column of the items or of the workers?"),
      class = "data", call = call
    )
  }
}
