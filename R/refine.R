#' Refine a fitted mixture by EM
#'
#' Continues from a fit's posterior. `"sparse"` does EM on the penalised log-likelihood of the
#' paper: after each M-step an item is informative exactly when letting it differ between the
#' components gains more log-likelihood than its BIC penalty
#' \eqn{\lambda_i = \frac12 (K-1)(R_i-1) \log N_i}{1/2 (K-1)(R_i-1) log N_i}, with \eqn{R_i} the
#' levels seen and \eqn{N_i} the weight of the rows that observe the item. `"full"` does ordinary EM
#' in which every item differs between components. Where the fit's `control` says so, a search for a
#' better optimum follows, see `polish` in [stagewise_control()]. Known classes and prior counts of
#' the fit keep their weight.
#'
#' @param object A fitted mixture, see [stagewise_em()].
#' @param x The data: by default those of the fit. Other data are read by the fit's levels, as in
#'   [predict.mdpd()].
#' @param type `"sparse"` (default) or `"full"`.
#' @param ... Not used; must be empty.
#' @param weights Case weights of `x`; by default all 1, or those of the fit when `x` is not given.
#' @param control Settings, see [stagewise_control()]; by default those of the fit.
#' @param verbose Show a progress bar when it takes long?
#' @return The refined fit; its `trace` has the new iterations at the end.
#' @section Errors:
#' `mdpd_error_no_data` when the fit keeps no data and `x` is not given, and those of
#' [stagewise_em()].
#' @references
#' Zhao, V. and Zucker, S. W. (2015). Stagewise Learning for Sparse Clustering of Discretely-Valued
#' Data. \doi{10.48550/arXiv.1506.02975}
#' @family fitting
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3, method = "paper", refine = "none")
#' error_rate(fit, crowd$truth)
#' error_rate(refine(fit), crowd$truth)
#' @export
refine <- function(object, x = NULL, type = c("sparse", "full"), ...) {
  UseMethod("refine")
}

#' @rdname refine
#' @export
refine.mdpd <- function(object, x = NULL, type = c("sparse", "full"), ..., weights = NULL,
                        control = NULL, verbose = interactive()) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("sparse", "full"))
  check_flag(verbose)
  if (!is.null(control)) check_class(control, "stagewise_control")
  coded <- data_of(object, x, weights)
  check_observed(coded, coded$weights, rlang::current_env())
  method <- object$method %||% "robust"
  control <- complete_control(control %||% object$control %||% stagewise_control(), method)
  coded$threads <- control$threads
  kinds <- collapse_rows(coded)

  engine_control <- control
  engine_control$prior_counts <- prior_counts(object$prior, coded, object$labels)
  posterior <- if (is.null(x)) object$posterior else posterior_of(object, coded)$posterior
  columns <- core_columns(object, coded)
  start <- list(
    posterior = collapse_posterior(posterior[, columns, drop = FALSE], kinds),
    informative = match(object$informative, colnames(coded$codes))
  )
  refined <- expand_rows(refine_core(kinds, start, type, engine_control, verbose), kinds)
  fit <- new_mdpd(
    refined$fit, coded,
    class = setdiff(class(object), "mdpd"),
    trace = bind_traces(object$trace, refined$trace),
    status = if (length(refined$fit$mixing_weights) < object$k) {
      "fewer_components"
    } else {
      refined$status
    },
    method = method, refine = type, control = control, call = match.call(),
    labels = if (inherits(x, "crowd_labels")) x$labels else object$labels,
    keep_data = !is.null(object$coded), prior = object$prior, born = object$born[columns],
    smoothing = refined$smoothing
  )
  warn_status(fit, object$k)
  fit
}

# The components in the order in which the engine goes on with them: that of the labels where known
# rows or prior counts tie them to these, else that of the trace, whose numbers then go on.
core_columns <- function(object, coded) {
  if (is_tied_to_labels(object, coded) && setequal(names(object$mixing_weights), object$labels)) {
    match(object$labels, names(object$mixing_weights))
  } else {
    order(object$born %||% seq_len(object$k))
  }
}

# Refinement and polish from a posterior; "none" hands the start back. Of one component no item is
# informative, whatever the type, and there is nothing to polish. `vote` is another start, or NULL:
# where it refines to a higher penalised log-likelihood it goes on. NULL where EM ends at the
# optimum `done`.
refine_core <- function(coded, start, type, control, verbose, vote = NULL, done = NULL) {
  if (type == "none") {
    return(list(fit = start))
  }
  if (NCOL(start$posterior) == 1) {
    refined <- refine_from(start, coded, "sparse", control, verbose)
    refined$status <- "converged"
    return(refined)
  }
  refined <- refine_from(start, coded, type, control, verbose)
  if (!is.null(vote)) {
    voted <- refine_from(vote, coded, type, control, verbose)
    voted$trace$move[1] <- "vote"
    refined <- better_result(refined, voted)
  }
  if (!is.null(done) && is_same_optimum(refined$fit, done, coded, control)) {
    return(NULL)
  }
  if (!may_polish(refined, coded, control)) {
    return(refined)
  }
  polish_core(refined, coded, type, control, verbose)
}

may_polish <- function(refined, coded, control) {
  control$polish && is.null(coded$known) && refined$status == "converged"
}

refine_from <- function(start, coded, type, control, verbose) {
  refined <- core_refine(coded, start$posterior, start$informative, type, control, verbose)
  k <- length(refined$fit$mixing_weights)
  refined$trace <- trace_rows("refine", refined$trace, coded, k)
  refined
}

polish_core <- function(refined, coded, type, control, verbose) {
  k <- length(refined$fit$mixing_weights)
  polished <- core_polish(coded, refined$fit, type, control, verbose)
  smoothed <- smooth_core(coded, polished$fit, type, control, verbose)
  list(
    fit = smoothed$fit, status = polished$status, smoothing = smoothed$smoothing,
    optimum = if (polished$status == "converged") polished$fit,
    trace = rbind(
      refined$trace, trace_rows("polish", polished$trace, coded, k),
      trace_rows("polish", smoothed$trace, coded, k)
    )
  )
}

# Did EM come to the same optimum twice? Of one it stops within a few times its tolerance of the
# penalised log-likelihood, at the same items and, but for the order of the components, at the same
# rows in each.
is_same_optimum <- function(first, second, coded, control) {
  gap <- abs(first$penalised_loglik - second$penalised_loglik)
  if (length(first$mixing_weights) != length(second$mixing_weights) ||
      !setequal(first$informative, second$informative) ||
      gap > max(0.05, 5 * control$tol * abs(first$penalised_loglik))) {
    return(FALSE)
  }
  shared <- crossprod(first$posterior, coded$weights * second$posterior)
  match <- as.integer(clue::solve_LSAP(shared, maximum = TRUE))
  moved <- rowSums(abs(first$posterior - second$posterior[, match, drop = FALSE])) / 2
  sum(coded$weights * moved) < 0.001 * sum(coded$weights)
}

# The last move of the polish, see `smoothing_loss`; no row of the trace where the fit stays as it
# is.
smooth_core <- function(coded, fit, type, control, verbose) {
  if (type != "sparse" || control$smoothing_loss == 0 || length(fit$mixing_weights) == 1) {
    return(list(fit = fit))
  }
  smoothed <- core_smooth(coded, fit, control, verbose)
  if (smoothed$smoothing > control$smoothing) {
    smoothed$trace <- list(
      move = "smoothing", n_informative = length(smoothed$fit$informative),
      loglik = smoothed$fit$loglik, penalised_loglik = smoothed$fit$penalised_loglik
    )
  }
  smoothed
}

# EM with rows whose class is known held there; the components take the order of the labels.
refine_known <- function(refined, coded, known, labels, type, control, verbose) {
  fit <- refined$fit
  agreement <- rowsum((coded$weights * fit$posterior)[!is.na(known), , drop = FALSE],
                      known[!is.na(known)])
  item_probs <- name_item_probs(fit$item_probs, coded$levels, seq_along(labels))
  votes <- label_votes(item_probs, colnames(coded$codes)[fit$informative], coded, labels)
  # The votes count as much as ten known rows in all: a few known rows must not undo the names that
  # the workers' labels give, many must.
  shares <- sweep(votes, 2, colSums(votes), "/")
  overlap <- 10 * sweep(shares, 2, fit$mixing_weights, "*")
  at <- as.integer(rownames(agreement))
  overlap[at, ] <- overlap[at, ] + agreement
  order <- as.integer(clue::solve_LSAP(overlap, maximum = TRUE))
  coded$known <- known
  held <- core_refine(
    coded, fit$posterior[, order, drop = FALSE], fit$informative, type, control, verbose
  )
  list(
    fit = held$fit, status = held$status, born = order,
    trace = rbind(refined$trace, trace_rows("refine", held$trace, coded, length(labels)))
  )
}
