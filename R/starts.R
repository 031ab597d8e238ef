# Where EM begins: a list with a posterior or the parameters that give it for each start, see
# new_problem().
# By the crowd EM from the vote also begins where all workers are alike.
#
# `draws`: how many starts are drawn, `n`, by which `seed`.
em_starts <- function(start, x, coded, k, draws, by_crowd, call = rlang::caller_env()) {
  named_by_label <- is_one_a_label(x, k)
  labels <- if (named_by_label) x$labels
  start <- start %||% default_start(x, k)
  if (inherits(start, "mdpd")) {
    return(list(model_start(start, coded, k, labels, call)))
  }
  if (is.matrix(start)) {
    return(list(list(posterior = posterior_start(start, nrow(coded$codes), k, labels, call))))
  }
  if (!rlang::is_string(start) || nrow(coded$codes) == 1) {
    return(list(list(posterior = class_start(start, coded, k, labels, call))))
  }
  switch(
    check_choice(start, c("majority", "random", "spectral"), call = call),
    majority = c(
      list(list(posterior = majority_start(x, named_by_label, call))),
      if (by_crowd) list(list(vote = TRUE))
    ),
    random = lapply(seq_len(draws$n), random_start, coded = coded, k = k, seed = draws$seed),
    spectral = lapply(
      seq_len(draws$n), grouping_start, coded = coded, k = k, seed = draws$seed,
      shared_levels = inherits(x, "crowd_labels") && k <= length(x$labels), call = call
    )
  )
}

default_start <- function(x, k) if (is_one_a_label(x, k)) "majority" else "random"

# What was asked for, for the fingerprint: a few words and numbers.
start_asked <- function(start, x, k, n_starts, seed) {
  start <- start %||% default_start(x, k)
  if (!rlang::is_string(start)) {
    return("given")
  }
  c(list(start), if (start != "majority") list(n_starts, seed))
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

# Each start has a seed of its own, so that none depends on how many there are. After the largest
# seed comes the smallest.
seed_of <- function(start, seed) {
  most <- as.double(.Machine$integer.max)
  (as.double(seed) + start - 1 + most) %% (2 * most + 1) - most
}

random_start <- function(start, coded, k, seed) {
  with_seed(seed_of(start, seed), {
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
  model <- spectral_start(coded, k, seed_of(start, seed), averaged)
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

# Which component of a start, whose components have these `names`, begins as which: known rows and
# prior counts mean component i by label i. `labels`: those of a crowd with one component a label,
# or NULL.
start_order <- function(names, labels, k) {
  if (!is.null(labels) && setequal(names, labels)) match(labels, names) else seq_len(k)
}

model_start <- function(start, coded, k, labels, call) {
  check_intact(start, "start", call)
  if (start$k != k) {
    abort_mdpd("{.arg start} must have {k} component{?s}, not {start$k}.",
               class = "argument", call = call)
  }
  check_has_items(names(coded$levels), names(start$item_probs), "start", call)
  columns <- start_order(component_labels_of(start), labels, k)
  probs <- Map(
    function(levels, probs) {
      # A level that the model does not know has no weight in any component.
      probs <- probs[match(levels, rownames(probs)), columns, drop = FALSE]
      replace(probs, is.na(probs), 0)
    },
    coded$levels, start$item_probs[names(coded$levels)]
  )
  list(mixing_weights = unname(start$mixing_weights[columns]), item_probs = unname(probs))
}

class_start <- function(start, coded, k, labels, call) {
  n_obs <- nrow(coded$codes)
  if (!holds_values(start) || length(start) != n_obs) {
    abort_mdpd(
      "{.arg start} must be {.val majority}, {.val random} or {.val spectral}, a model, a matrix, or
       one class for each of the {n_obs} row{?s}, not {describe(start)}.",
      class = "argument", call = call
    )
  }
  classes <- code_values(start, call = call)
  if (length(classes$levels) != k || any(classes$codes == 0)) {
    abort_mdpd(
      "{.arg start} must have {k} different classes and none missing, not
       {length(classes$levels)}.",
      class = "argument", call = call
    )
  }
  outer(classes$codes, start_order(classes$levels, labels, k), `==`) + 0
}

posterior_start <- function(start, n_obs, k, labels, call) {
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
  unname(start[, start_order(colnames(start), labels, k), drop = FALSE])
}
