# The covariance of the estimates of a fit, by its model or robust, see standard_errors().

# How the covariance is to be computed, checked: `type`, the `coded` data with their weights, the
# `posterior` of their rows, and the sampling `design` if it is robust. `arg`: see data_of().
read_how <- function(object, type, x = NULL, weights = NULL, cluster = NULL, strata = NULL,
                     arg = "x", call = rlang::caller_env()) {
  check_fit(object, call)
  sample <- read_sample(weights, call)
  coded <- data_of(object, x, sample$weights, arg, call)
  if (!is.null(x) || !is.null(weights)) check_observed(coded, coded$weights, call)
  design <- sample$design
  if (!is.null(cluster) || !is.null(strata)) {
    design <- new_design(cluster, strata, nrow(coded$codes), call)
  } else {
    design <- design %||% design_for(object, x, weights, nrow(coded$codes))
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
  for (block in drawn_blocks(object, parts)) {
    at <- block$at
    mixture[at, at] <- mixture[at, at] +
      tcrossprod(block$drawn) * block$covariance[block$level, block$level]
  }
  c(list(mixture), lapply(shared, function(item) {
    probs <- unname(object$item_probs[[item]][, 1])
    covariance <- share_covariance(parts, item, probs)
    diag(covariance)[!is_free(probs * parts$observed[[item]], rep(1, length(probs)))] <- NA
    covariance
  }))
}

# What later steps need. Estimates on the boundary are taken as known. `combined` is a function of
# `combinations` of the estimates, a line each: their `covariance`, and `values`, of rows what each
# adds to them. `undetermined`: moves of the parameters that change nothing of what the model says.
inverted_covariance <- function(object, how, call) {
  if (is.null(how$design$replicates)) {
    parts <- covariance_parts(object, how, call)
    covariance <- covariance_blocks(object, parts, character())[[1]]
  } else {
    # Only what rows add is told by the model, and not its warnings.
    parts <- suppressWarnings(covariance_parts(object, how, call), "mdpd_warning")
    mixture <- seq_along(parts$model$root)
    covariance <- estimate_covariance(object, how, call)[mixture, mixture]
  }
  known <- is.na(diag(covariance))
  covariance[known, ] <- 0
  covariance[, known] <- 0
  parts$mixture$influence[known, ] <- 0
  list(
    combined = function(combinations) {
      list(covariance = combinations %*% covariance %*% t(combinations),
           values = mixture_values(parts, combinations %*% parts$mixture$influence))
    },
    undetermined = parts$model$root * (parts$undetermined %||% matrix(0, length(known), 0))
  )
}

# What the covariance is made of.
covariance_parts <- function(object, how, call) {
  model <- mixture_parameters(object)
  inform_slow(n_joint_parameters(object))
  type <- if (how$type == "score") "score" else "observed"
  sums <- likelihood_sums(model, how$coded, how$posterior, type)
  parts <- counted_parts(object, how, model, sums$count)
  drawn <- parts$drawn
  sums$count <- parts$expected
  diag(sums$information) <- diag(sums$information) + parts$pseudo_counts
  undetermined <- undetermined_directions(object, parts$model$free)
  mixture <- mixture_covariance(parts$model, sums, if (is.null(drawn)) undetermined)
  if (!is.null(drawn)) {
    mixture$step <- 0 # posterior means are not where the likelihood is highest
    mixture$by_prior <- if (!is.null(undetermined)) moved_by(undetermined)
  }
  if (is.null(how$design)) warn_counted_weights(how$coded$weights, call)
  warn_uncertainty(parts$model, mixture, call)
  parts$mixture <- mixture
  # By evidence the prior determines the rest.
  parts$undetermined <- if (is.null(drawn)) undetermined
  parts
}

# Those that take no matrix, from the expected count of each parameter's level.
counted_parts <- function(object, how, model, count) {
  coded <- how$coded
  shares <- if (!is.null(object$evidence)) level_shares(coded, model$items)
  drawn <- if (!is.null(shares)) drawn_to_common(object, model, count, shares)
  pseudo_counts <- drawn$pseudo_counts %||% prior_of_parameters(object, coded)
  expected <- count + pseudo_counts
  model$free <- is_free(expected, model$simplex)
  list(
    model = model, coded = coded, posterior = how$posterior, design = how$design,
    answers = if (!is.null(how$design)) answers_by_item(coded$codes),
    observed = n_observed(coded$codes, coded$weights), shares = shares, drawn = drawn,
    pseudo_counts = pseudo_counts, expected = expected
  )
}

inform_slow <- function(n_parameters) {
  if (n_parameters > 4000) {
    inform_mdpd(
      c("Standard errors of {comma(n_parameters)} parameters at once take
         {slow_time(n_parameters)}.",
        i = "{.fn bootstrap} with {.code refit = FALSE} and a progress bar may be quicker."),
      class = "slow"
    )
  }
}

# The inverse takes time with the third power: 5 s for 2500 parameters, 20 s for 4000, two minutes
# for 7500.
slow_time <- function(n_parameters) {
  minutes <- (n_parameters / 4000)^3 * 20 / 60
  if (minutes < 1.5) "a minute or less" else sprintf("some %d minutes", round(minutes))
}

# The parameters whose covariance is one matrix: those of the components.
n_joint_parameters <- function(object) length(mixture_parameters(object)$root)

# Of the shares of an item's levels, `probs`, among the rows that observe it.
share_covariance <- function(parts, item, probs) {
  if (is.null(parts$design)) {
    column_covariance(probs, parts$observed[[item]])
  } else {
    robust_shares(parts, item, probs)
  }
}

# By evidence: what the columns are drawn to is uncertain too, the items' own shares and what the
# crowd answers, which all workers drawn to it have in common. For each of these the parameters `at`
# that are drawn, how far, the level of each, and the `covariance` of the levels.
drawn_blocks <- function(object, parts) {
  if (is.null(parts$drawn)) {
    return(list())
  }
  model <- parts$model
  of_items <- lapply(seq_along(model$items), function(i) {
    at <- which(model$item == i)
    list(at = at, drawn = parts$drawn$of_item[at],
         level = model$column[at] - min(model$column[at]) + 1,
         covariance = share_covariance(parts, model$items[i], parts$shares[[i]]))
  })
  c(of_items, if (!is.null(object$crowd_probs)) crowd_blocks(object, parts))
}

crowd_blocks <- function(object, parts) {
  model <- parts$model
  level <- levels_of_crowd(object, model)
  lapply(seq_len(object$k), function(k) {
    at <- which(model$component == k & model$item > 0)
    n <- max(parts$drawn$crowd_counts[k], 1)
    list(at = at, drawn = parts$drawn$of_crowd[at], level = level[at],
         covariance = column_covariance(object$crowd_probs[, k], n))
  })
}
