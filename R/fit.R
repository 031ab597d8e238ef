# Assembles the fit that users see from what the core returns: names, order of components, and the
# quantities that follow from the parameters. The object is a plain list, safe for saveRDS(). `born`
# are the numbers of the core's components in the trace, where they are not 1, 2, ...; `smoothing`
# is that of the last estimate, where it is not that of the control.
new_mdpd <- function(core, coded, class, trace, status, method, refine, control, call, labels,
                     keep_data, prior = NULL, born = NULL, smoothing = NULL) {
  items <- colnames(coded$codes)
  informative <- items[core$informative]
  order <- order(core$mixing_weights, decreasing = TRUE)
  item_probs <- name_item_probs(core$item_probs, coded$levels, order)
  # Known rows have tied component i to label i, and so have prior counts that differ.
  names <- if (is.null(coded$known) && all(prior == prior[1])) {
    component_names(item_probs, informative, coded, labels)
  } else {
    labels[order]
  }
  item_probs <- lapply(item_probs, `colnames<-`, names)
  mixing_weights <- stats::setNames(core$mixing_weights[order], names)
  posterior <- name_posterior(core$posterior, order, rownames(coded$codes), names)
  fit <- list(
    k = length(names),
    mixing_weights = mixing_weights,
    item_probs = item_probs,
    informative = informative,
    item_information = item_information(mixing_weights, item_probs),
    item_evidence = item_evidence(item_probs, informative, posterior, coded),
    posterior = posterior,
    loglik = core$loglik,
    penalised_loglik = core$penalised_loglik,
    df = core$df,
    nobs = sum(coded$weights),
    weights = if (any(coded$weights != 1)) coded$weights,
    n_obs = nrow(coded$codes),
    n_missing = n_missing(coded$codes),
    trace = trace,
    born = stats::setNames((born %||% seq_along(order))[order], names),
    status = status,
    converged = status %in% c("converged", "fewer_components"),
    method = method, refine = refine, missing = coded$missing, control = control, call = call,
    version = as.character(utils::packageVersion("mdpd")),
    coded = if (keep_data) coded,
    labels = labels, prior = prior, smoothing = smoothing %||% control$smoothing
  )
  structure(fit, class = c(class, "mdpd"))
}

name_item_probs <- function(item_probs, levels, order) {
  probs <- Map(
    function(probs, levels) {
      probs <- probs[, order, drop = FALSE]
      rownames(probs) <- levels
      probs
    },
    item_probs, levels
  )
  stats::setNames(probs, names(levels))
}

name_posterior <- function(posterior, order, row_names, names) {
  posterior <- posterior[, order, drop = FALSE]
  dimnames(posterior) <- list(row_names, names)
  posterior
}

# Components of a crowd with one component a label carry the labels' names: the one-to-one matching
# in which the informative workers most often say the label.
component_names <- function(item_probs, informative, coded, labels) {
  k <- ncol(item_probs[[1]])
  if (is.null(labels) || k != length(labels) || length(informative) == 0) {
    return(as.character(seq_len(k)))
  }
  votes <- label_votes(item_probs, informative, coded, labels)
  labels[as.integer(clue::solve_LSAP(t(votes), maximum = TRUE))]
}

# labels x components: how often the informative workers give a label in a component, each worker
# counted by the weight of the rows labelled. A level for missing labels is no label.
label_votes <- function(item_probs, informative, coded, labels) {
  n_labels <- n_observed(coded$codes, coded$weights)[informative]
  votes <- Map(
    function(probs, n) n * probs[labels, , drop = FALSE], item_probs[informative], n_labels
  )
  Reduce(`+`, votes)
}

# I(X_i; Y) = sum_k w_k sum_r mu_kr log(mu_kr / mubar_r) for every item (nats).
item_information <- function(mixing_weights, item_probs) {
  x_log_x <- function(x) {
    out <- x * log(x)
    out[x == 0] <- 0
    out
  }
  vapply(item_probs, function(probs) {
    information <- sum(x_log_x(probs) %*% mixing_weights) - sum(x_log_x(probs %*% mixing_weights))
    # Below rounding error the columns are equal.
    if (information > 1e-12) information else 0
  }, 0)
}

# What the rows that observe an item gain in log-likelihood by letting it differ between the
# components, at the posterior, minus its BIC penalty (nats):
# sum_k W_k KL(mu_k || mubar) - (K - 1)(R - 1) / 2 log W, with W_k the weight of component k among
# these rows and R the levels seen. Items outside the informative set gain and pay nothing.
item_evidence <- function(item_probs, informative, posterior, coded) {
  evidence <- stats::setNames(numeric(length(item_probs)), names(item_probs))
  posterior <- posterior * coded$weights
  total <- colSums(posterior)
  answers <- answers_by_item(coded$codes, informative)
  for (item in informative) {
    probs <- item_probs[[item]]
    weights <- observed_weights(answers(item)$row, posterior, total)
    n <- sum(weights)
    information <- item_information(weights / n, list(probs))
    n_levels <- sum(rowSums(probs) > 0)
    penalty <- (ncol(probs) - 1) * (n_levels - 1) / 2 * log(n)
    evidence[[item]] <- n * information - penalty
  }
  evidence
}

# Column sums of `posterior` over `rows`, those that observe an item, or by way of the others if
# they are fewer.
observed_weights <- function(rows, posterior, total) {
  if (length(rows) > nrow(posterior) / 2) {
    total - colSums(posterior[-rows, , drop = FALSE])
  } else {
    colSums(posterior[rows, , drop = FALSE])
  }
}

# The coded data a function works on: those given, read by the fit's levels, or the fit's own.
data_of <- function(object, x = NULL, weights = NULL, arg = "x", call = rlang::caller_env()) {
  if (!is.null(x)) {
    coded <- read_new(x, object, arg = arg, call = call)
    coded$weights <- check_weights(weights, nrow(coded$codes), call = call)
    coded$threads <- object$control$threads
    return(coded)
  }
  if (is.null(object$coded)) {
    abort_mdpd(
      c("The fit keeps no data.",
        i = "Give {.arg {arg}}, or fit with {.code keep_data = TRUE}."),
      class = "no_data", call = call
    )
  }
  coded <- object$coded
  if (!is.null(weights)) {
    coded$weights <- check_weights(weights, nrow(coded$codes), call = call)
  }
  coded
}

# A fit, as against a true model, which has parameters only.
check_fit <- function(object, call = rlang::caller_env()) {
  if (is.null(object$loglik)) {
    abort_mdpd(
      "{.arg object} must be a fit; it is a model without data.",
      class = "not_stored", call = call
    )
  }
  invisible(object)
}

# New data by the levels and the treatment of missing values of a fit.
read_new <- function(x, object, items = names(object$item_probs), arg = rlang::caller_arg(x),
                     call = rlang::caller_env()) {
  levels <- lapply(object$item_probs, rownames)
  encode_new(x, levels, items, object$missing %||% "ignore", arg = arg, call = call)
}

# Posterior and log-density at the fit's parameters; all items of `coded` enter.
posterior_of <- function(object, coded) {
  items <- colnames(coded$codes)
  core_posterior(coded, object$mixing_weights, object$item_probs[items], seq_along(items))
}
