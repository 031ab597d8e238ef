# The covariance of the estimates of a fit, by its model or robust, see standard_errors().

# How the covariance is to be computed, checked: `type`, the `coded` data with their weights, the
# `posterior` of their rows, and the sampling `design` if it is robust.
read_how <- function(object, type, x = NULL, weights = NULL, cluster = NULL, strata = NULL,
                     call = rlang::caller_env()) {
  check_fit(object, call)
  sample <- read_sample(weights, call)
  coded <- data_of(object, x, sample$weights, call = call)
  if (!is.null(x) || !is.null(weights)) check_observed(coded, coded$weights, call)
  design <- sample$design
  if (!is.null(cluster) || !is.null(strata)) {
    design <- new_design(cluster, strata, nrow(coded$codes), call)
  } else if (is.null(x) && is.null(weights)) {
    design <- object$design
  }
  type <- covariance_type(type, design, !is.null(cluster) || !is.null(strata), call)
  if (type == "robust") design <- design %||% new_design(NULL, NULL, nrow(coded$codes), call)
  # The fit's own posterior knows of rows whose class was given.
  posterior <- if (is.null(x)) object$posterior else posterior_of(object, coded)$posterior
  list(type = type, coded = coded, posterior = posterior,
       design = if (type == "robust") design)
}

# A sample that is more than rows drawn one by one is by default taken as such.
covariance_type <- function(type, design, is_given, call) {
  choices <- c("observed", "score", "robust")
  if (identical(type, choices) && !is.null(design)) {
    return("robust")
  }
  if (identical(type, "exact")) type <- "observed" # the name of 0.1.0
  type <- check_choice(type, choices, call = call)
  if (is_given && type != "robust") {
    abort_mdpd(
      "{.arg cluster} and {.arg strata} need {.code type = \"robust\"}, not {.val {type}}.",
      class = "argument", call = call
    )
  }
  type
}

# The covariance matrix of all estimates, in the order of the parameter table; NA: none.
estimate_covariance <- function(object, how, call = rlang::caller_env()) {
  if (!is.null(how$design$replicates)) {
    return(crossprod(replicate_distances(object, how$coded, how$design$replicates)))
  }
  parts <- covariance_parts(object, how, call)
  shared <- setdiff(names(object$item_probs), object$informative)
  blocks <- covariance_blocks(object, parts, shared)
  covariance <- if (is.null(how$design)) 0 else joint_covariance(parts, object, shared)
  size <- sum(vapply(blocks, nrow, 0L))
  covariance <- matrix(covariance, size, size)
  last <- 0
  for (block in blocks) {
    at <- last + seq_len(nrow(block))
    covariance[at, at] <- block
    last <- last + nrow(block)
  }
  without <- is.na(diag(covariance))
  covariance[without, ] <- NA
  covariance[, without] <- NA
  covariance
}

# Their standard errors, without the matrix.
estimate_errors <- function(object, how, call = rlang::caller_env()) {
  if (!is.null(how$design$replicates)) {
    return(sqrt(colSums(replicate_distances(object, how$coded, how$design$replicates)^2)))
  }
  parts <- covariance_parts(object, how, call)
  shared <- setdiff(names(object$item_probs), object$informative)
  blocks <- covariance_blocks(object, parts, shared)
  # Rounding may leave less than nothing of what cannot vary.
  sqrt(pmax(unlist(lapply(blocks, diag), use.names = FALSE), 0))
}

# The covariance matrix as its diagonal blocks: the mixing weights with the informative items, then
# every other item. NA on the diagonal: no standard error.
covariance_blocks <- function(object, parts, shared) {
  mixture <- if (is.null(parts$design)) parts$mixture$covariance else robust_mixture(parts)
  if (!is.null(parts$drawn)) {
    mixture <- mixture + common_covariance(parts)
    if (!is.null(object$crowd_probs)) mixture <- mixture + crowd_covariance(object, parts)
  }
  c(list(mixture), lapply(shared, function(item) {
    probs <- unname(object$item_probs[[item]][, 1])
    covariance <- share_covariance(parts, item, probs)
    diag(covariance)[!is_free(probs * parts$observed[[item]], rep(1, length(probs)))] <- NA
    covariance
  }))
}

# What the covariance is made of.
covariance_parts <- function(object, how, call) {
  coded <- how$coded
  model <- mixture_parameters(object)
  inform_slow(length(model$root))
  by_score <- how$type == "score"
  sums <- likelihood_sums(model, coded, how$posterior, if (by_score) "score" else "observed")
  observed <- n_observed(coded$codes, coded$weights)
  shares <- if (!is.null(object$evidence)) level_shares(coded, model$items)
  drawn <- if (!is.null(shares)) drawn_to_common(object, model, sums$count, shares)
  pseudo_counts <- drawn$pseudo_counts %||% prior_of_parameters(object, coded)
  sums$count <- sums$count + pseudo_counts
  diag(sums$information) <- diag(sums$information) + pseudo_counts
  model$free <- is_free(sums$count, model$simplex)
  undetermined <- undetermined_directions(object, model$free)
  mixture <- mixture_covariance(model, sums, if (is.null(drawn)) undetermined)
  if (!is.null(drawn)) {
    mixture$step <- 0 # posterior means are not where the likelihood is highest
    mixture$by_prior <- if (!is.null(undetermined)) moved_by(undetermined)
  }
  if (is.null(how$design)) warn_counted_weights(coded$weights, call)
  warn_uncertainty(model, mixture, call)
  list(
    model = model, coded = coded, posterior = how$posterior, design = how$design,
    answers = if (!is.null(how$design)) answers_by_item(coded$codes), observed = observed,
    shares = shares, drawn = drawn, pseudo_counts = pseudo_counts, mixture = mixture,
    # By evidence the prior determines the rest.
    undetermined = if (is.null(drawn)) undetermined
  )
}

# The inverse takes time with the third power: 5 s for 2500 parameters, 20 s for 4000, two minutes
# for 7500.
inform_slow <- function(n_parameters) {
  if (n_parameters > 4000) {
    inform_mdpd(
      c("Standard errors of {comma(n_parameters)} parameters at once take a while.",
        i = "{.fn bootstrap} with {.code refit = FALSE} and a progress bar may be quicker."),
      class = "slow"
    )
  }
}

# Of the shares of an item's levels, `probs`, among the rows that observe it.
share_covariance <- function(parts, item, probs) {
  if (is.null(parts$design)) {
    column_covariance(probs, parts$observed[[item]])
  } else {
    robust_shares(parts, item, probs)
  }
}

# Of the items' own shares, as far as the columns are drawn to them.
common_covariance <- function(parts) {
  model <- parts$model
  covariance <- matrix(0, length(model$root), length(model$root))
  for (i in seq_along(model$items)) {
    at <- which(model$item == i)
    level <- model$column[at] - min(model$column[at]) + 1
    of_levels <- share_covariance(parts, model$items[i], parts$shares[[i]])
    covariance[at, at] <- tcrossprod(parts$drawn$of_item[at]) * of_levels[level, level]
  }
  covariance
}

# Of what the crowd answers, which all workers drawn to it have in common.
crowd_covariance <- function(object, parts) {
  model <- parts$model
  levels <- unlist(lapply(object$item_probs[model$items], function(probs) {
    rep(rownames(probs), object$k)
  }), use.names = FALSE)
  level <- match(levels, rownames(object$crowd_probs))
  covariance <- matrix(0, length(model$root), length(model$root))
  for (k in seq_len(object$k)) {
    at <- which(model$component == k & model$item > 0)
    of_levels <- column_covariance(object$crowd_probs[, k], max(parts$drawn$crowd_counts[k], 1))
    level_at <- level[at - object$k]
    covariance[at, at] <- tcrossprod(parts$drawn$of_crowd[at]) * of_levels[level_at, level_at]
  }
  covariance
}
