# Where EM begins: a list with a posterior or the parameters that give it for each start, see
# new_problem().
em_starts <- function(start, x, coded, k, n_starts, seed, call = rlang::caller_env()) {
  named_by_label <- inherits(x, "crowd_labels") && k == length(x$labels)
  start <- start %||% (if (named_by_label) "majority" else "random")
  if (inherits(start, "mdpd")) {
    return(list(model_start(start, coded, k, call)))
  }
  if (is.matrix(start)) {
    return(list(list(posterior = check_posterior(start, nrow(coded$codes), k, call))))
  }
  if (!rlang::is_string(start) || nrow(coded$codes) == 1) {
    return(list(list(posterior = class_start(start, coded, k, call))))
  }
  switch(
    check_choice(start, c("majority", "random", "spectral"), call = call),
    majority = list(list(posterior = majority_start(x, named_by_label, call))),
    random = lapply(seq_len(n_starts), random_start, coded = coded, k = k, seed = seed),
    spectral = lapply(
      seq_len(n_starts), grouping_start, coded = coded, k = k, seed = seed,
      shared_levels = inherits(x, "crowd_labels") && k <= length(x$labels), call = call
    )
  )
}

majority_start <- function(x, named_by_label, call) {
  if (!named_by_label) {
    abort_mdpd(
      c("{.code start = \"majority\"} needs {.cls crowd_labels} with one component a label.",
        i = "Use {.code start = \"random\"}."),
      class = "argument", call = call
    )
  }
  unname(majority_vote(x, type = "prob"))
}

# Each start has a seed of its own, so that none depends on how many there are.
random_start <- function(start, coded, k, seed) {
  with_seed(seed + start - 1, {
    probs <- lapply(lengths(coded$levels), function(n_levels) {
      probs <- matrix(stats::rexp(n_levels * k), n_levels)
      sweep(probs, 2, colSums(probs), "/")
    })
  })
  list(mixing_weights = rep(1 / k, k), item_probs = unname(probs))
}

# A grouping of the items into three for each start. Workers of a crowd share their labels, so that
# the answers of a group can be averaged; other items' levels are stacked, and those of workers of
# whom only some have a level for missing labels.
grouping_start <- function(start, coded, k, seed, shared_levels, call) {
  averaged <- shared_levels && length(unique(lengths(coded$levels))) == 1
  model <- spectral_start(coded, k, seed + start - 1, averaged)
  if (model$status != "found") {
    abort_mdpd(
      c("The spectral start found no {k} components.",
        x = if (model$status == "too_few_items") {
          "It needs three groups of items, each seen by enough rows."
        } else {
          "The moments of the groups do not tell {k} components apart."
        },
        i = "Use {.code start = \"random\"}."),
      class = "no_spectral_start", call = call
    )
  }
  model[c("mixing_weights", "item_probs")]
}

model_start <- function(start, coded, k, call) {
  if (start$k != k) {
    abort_mdpd("{.arg start} must have {k} component{?s}, not {start$k}.",
               class = "argument", call = call)
  }
  check_has_items(names(coded$levels), names(start$item_probs), "start", call)
  probs <- Map(
    function(levels, probs) {
      # A level that the model does not know has no weight in any component.
      probs <- probs[match(levels, rownames(probs)), , drop = FALSE]
      replace(probs, is.na(probs), 0)
    },
    coded$levels, start$item_probs[names(coded$levels)]
  )
  list(mixing_weights = unname(start$mixing_weights), item_probs = unname(probs))
}

class_start <- function(start, coded, k, call) {
  n_obs <- nrow(coded$codes)
  if (!is.atomic(start) || length(start) != n_obs) {
    abort_mdpd(
      "{.arg start} must be {.val majority}, {.val random} or {.val spectral}, a model, a matrix, or
       one class for each of the {n_obs} row{?s}, not {describe(start)}.",
      class = "argument", call = call
    )
  }
  classes <- code_values(start)
  if (length(classes$levels) != k || any(classes$codes == 0)) {
    abort_mdpd(
      "{.arg start} must have {k} different classes and none missing, not
       {length(classes$levels)}.",
      class = "argument", call = call
    )
  }
  outer(classes$codes, seq_len(k), `==`) + 0
}

check_posterior <- function(start, n_obs, k, call) {
  if (!is.numeric(start) || !identical(dim(start), c(n_obs, as.integer(k)))) {
    abort_mdpd(
      "{.arg start} must be a numeric matrix of {n_obs} row{?s} and {k} column{?s}.",
      class = "argument", call = call
    )
  }
  bad <- which(!is.finite(rowSums(start)) | abs(rowSums(start) - 1) > 1e-6 | rowSums(start < 0) > 0)
  if (length(bad) > 0) {
    abort_mdpd(
      "Rows of {.arg start} must be probabilities that sum to 1; row {bad[1]} is not.",
      class = "argument", call = call
    )
  }
  unname(start)
}

# Known classes as component numbers in the order of the labels; NULL when none are known.
known_components <- function(known, x, k, call = rlang::caller_env()) {
  if (is.null(known)) {
    return(NULL)
  }
  check_named_by_label("known", x, k, call)
  if (!is.atomic(known) || length(dim(known)) > 1) {
    abort_mdpd("{.arg known} must be a vector of labels, not {describe(known)}.",
               class = "argument", call = call)
  }
  label <- as_classes(known, call = call)
  rows <- known_rows(names(known), length(known), x$items, call)
  unheard <- setdiff(label, c(x$labels, NA))
  if (length(unheard) > 0) {
    abort_mdpd(
      "{.arg known} must hold labels of {.arg x}; nobody gave {.val {unheard[1]}}.",
      class = "argument", call = call
    )
  }
  replace(rep(NA_integer_, length(x$items)), rows, match(label, x$labels))
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
  nameless <- which(is.na(ids) | ids == "")
  unknown <- setdiff(ids, items)
  problem <- if (length(nameless) > 0) {
    "{length(nameless)} of its {n_known} values {?has/have} no name, the first of them value
     {nameless[1]}."
  } else if (anyDuplicated(ids)) {
    "Item {.val {ids[anyDuplicated(ids)]}} is named more than once."
  } else if (length(unknown) > 0) {
    c("There {?is/are} no item{?s} {.val {unknown}} in {.arg x}.",
      i = "Its first item is {.val {items[1]}}.")
  }
  if (!is.null(problem)) {
    abort_mdpd(
      c("Every name of {.arg known} must be that of one item.", x = problem[[1]], problem[-1]),
      class = "argument", call = call
    )
  }
  match(ids, items)
}

# Prior counts as a matrix, the true label in the row; NULL when there are none.
check_prior <- function(prior, x, k, call = rlang::caller_env()) {
  if (identical(prior, 0) || is.null(prior)) {
    return(NULL)
  }
  check_numbers(prior, c(0, Inf), call = call)
  check_named_by_label("prior", x, k, call)
  if (length(prior) == 1) {
    prior <- matrix(prior, k, k)
  }
  if (!identical(dim(prior), c(as.integer(k), as.integer(k)))) {
    abort_mdpd("{.arg prior} must be one number or a {k} x {k} matrix.",
               class = "argument", call = call)
  }
  unname(prior)
}

check_named_by_label <- function(arg, x, k, call) {
  if (!inherits(x, "crowd_labels") || k != length(x$labels)) {
    abort_mdpd(
      "{.arg {arg}} needs {.cls crowd_labels} with one component a label.",
      class = "argument", call = call
    )
  }
}
