# What the user tells of a crowd's true labels: the classes of some items, and prior counts.

# Known classes as component numbers in the order of the labels; NULL when none are known.
known_components <- function(known, x, k, call = rlang::caller_env()) {
  if (is_of_no_item(known)) {
    return(NULL)
  }
  check_named_by_label("known", x, k, call)
  check_are_labels(known, call)
  rows <- known_rows(names(known), length(known), x$items, call)
  labels <- label_codes(known, x$labels, "x", call)
  if (!all(is.na(labels))) replace(rep(NA_integer_, length(x$items)), rows, labels)
}

# What is left where no item was chosen says as little as NULL.
is_of_no_item <- function(known) is.null(known) || holds_values(known) && length(known) == 0

check_are_labels <- function(known, call) {
  if (!holds_values(known)) {
    abort_mdpd("{.arg known} must be a vector of labels, not {describe(known)}.",
               class = "argument", call = call)
  }
  if (length(known) > 0) as_classes(known, call = call)
}

# Numbers of labels of the crowd `arg`.
label_codes <- function(known, labels, arg, call) {
  if (length(known) == 0) {
    return(integer())
  }
  label <- as_classes(known, call = call)
  unheard <- setdiff(label, c(labels, NA))
  if (length(unheard) > 0) {
    abort_mdpd(
      "{.arg known} must hold labels of {.arg {arg}}; nobody gave {.val {unheard[1]}}.",
      class = "argument", call = call
    )
  }
  match(label, labels)
}

# The rows that the values of `known` belong to, by the names if there are any, else one by one.
known_rows <- function(ids, n_known, items, call) {
  if (is.null(ids)) {
    if (n_known != length(items)) {
      abort_mdpd(
        c("{.arg known} must have one value for each of the {length(items)} item{?s}, or be named by
           items.", x = "It has {n_known} value{?s} and no names."),
        class = "argument", call = call
      )
    }
    return(seq_along(items))
  }
  check_are_names(ids, call)
  check_no_others(setdiff(ids, items), items[1], "x", call)
  match(ids, items)
}

# Names of items, each once.
check_are_names <- function(ids, call) {
  check_encoding(ids, "The names of {.arg known}", call)
  nameless <- which(is.na(ids) | ids == "")
  problem <- if (length(nameless) > 0) {
    "{length(nameless)} of its {length(ids)} values {cli::qty(length(nameless))}{?has/have} no name,
     the first of them value {nameless[1]}."
  } else if (anyDuplicated(ids)) {
    "Item {.val {ids[anyDuplicated(ids)]}} is named more than once."
  }
  if (!is.null(problem)) {
    abort_mdpd(
      c("Every name of {.arg known} must be that of one item.", x = problem),
      class = "argument", call = call
    )
  }
}

# `others`: names that are of no item of `arg`, whose `first` item shows what they look like.
check_no_others <- function(others, first, arg, call) {
  if (length(others) > 0) {
    abort_mdpd(
      c("Every name of {.arg known} must be that of one item.",
        x = "There {cli::qty(others)}{?is/are} no item{?s} {.val {others}} in {.arg {arg}}.",
        i = "Its first item is {.val {first}}."),
      class = "argument", call = call
    )
  }
}

# The crowd's own where EM begins at the majority vote, unless the fit is to go without evidence.
default_prior <- function(x, k, start, missing, control) {
  from_vote <- is.null(start) || identical(start, "majority")
  may_be_crowd <- k > 1 && is_one_a_label(x, k) && missing != "level"
  if (from_vote && may_be_crowd && !identical(control$criterion, "bic")) "crowd" else 0
}

# The crowd has no counts that are known before.
check_crowd_prior <- function(x, k, missing, control, call = rlang::caller_env()) {
  check_named_by_label("prior", x, k, call)
  problem <- if (identical(control$criterion, "bic")) {
    "It goes by evidence, not by {.code criterion = \"bic\"}."
  } else if (missing == "level") {
    "With {.code missing = \"level\"} the workers' answers are not all alike."
  }
  if (!is.null(problem)) {
    abort_mdpd(
      c("{.arg prior} cannot be {.val crowd} here.", x = problem, i = "Use {.code prior = 0}."),
      class = "argument", call = call
    )
  }
  NULL
}

# Prior counts as a matrix, the true label in the row; NULL when there are none.
check_prior <- function(prior, x, k, call = rlang::caller_env()) {
  if (is.null(prior)) {
    return(NULL)
  }
  if (is.character(prior)) {
    abort_mdpd("{.arg prior} must be {.val crowd}, one number or a {k} x {k} matrix.",
               class = "argument", call = call)
  }
  check_numbers(prior, c(0, Inf), call = call)
  if (length(prior) == 1 && prior == 0) {
    return(NULL)
  }
  check_named_by_label("prior", x, k, call)
  if (length(prior) == 1) {
    prior <- matrix(prior, k, k)
  }
  if (!identical(dim(prior), c(as.integer(k), as.integer(k)))) {
    abort_mdpd("{.arg prior} must be one number or a {k} x {k} matrix.",
               class = "argument", call = call)
  }
  prior <- in_order_of_labels(prior, x$labels, call)
  if (any(prior > 0)) unname(prior)
}

# Of a matrix whose rows or columns have names these must be the labels.
in_order_of_labels <- function(prior, labels, call) {
  for (side in 1:2) {
    names <- dimnames(prior)[[side]]
    if (is.null(names)) next
    at <- match(labels, names)
    if (anyNA(at)) {
      abort_mdpd(
        c("{.arg prior} must have the labels as names of its {c('rows', 'columns')[side]}, or
           none.",
          x = "There is no {.val {labels[is.na(at)][1]}} among {.val {names}}."),
        class = "argument", call = call
      )
    }
    prior <- if (side == 1) prior[at, , drop = FALSE] else prior[, at, drop = FALSE]
  }
  prior
}

# A crowd with one component a label?
is_one_a_label <- function(x, k) inherits(x, "crowd_labels") && k == length(x$labels)

check_named_by_label <- function(arg, x, k, call) {
  if (!is_one_a_label(x, k)) {
    abort_mdpd(
      "{.arg {arg}} needs {.cls crowd_labels} with one component a label.",
      class = "argument", call = call
    )
  }
}

check_known <- function(known, k, refine, call = rlang::caller_env()) {
  if (is_of_no_item(known)) {
    return(invisible(known))
  }
  if (length(k) > 1) {
    abort_mdpd("{.arg known} needs one {.arg k}, the number of labels, not {length(k)} of them.",
               class = "argument", call = call)
  }
  if (refine == "none") {
    abort_mdpd("{.arg known} needs a refinement: {.arg refine} must not be {.val none}.",
               class = "argument", call = call)
  }
}
