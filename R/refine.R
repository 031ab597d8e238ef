#' Refine a fitted mixture by EM
#'
#' Continues from a fit's posterior. `"sparse"` does EM on the `criterion` of its `control`, see
#' [stagewise_control()]: on the evidence, or, as after `method = "paper"`, on the penalised
#' log-likelihood. By that an item is informative, after each M-step, exactly when letting it differ
#' between the components gains more log-likelihood than its BIC penalty
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
#' @param weights Case weights, one non-negative number a row; by default, `NULL`, those of the fit,
#'   also of an `x` with as many rows. Rows of another `x` then count once each, of a weighted fit
#'   with a warning of class `mdpd_warning_no_weights`. Known classes are those of the fit where `x`
#'   has its items; a fit that keeps no data has none of them, with a warning of class
#'   `mdpd_warning_no_known`.
#' @param control Settings, see [stagewise_control()]; by default those of the fit.
#' @param verbose Show a progress bar when it takes long?
#' @return The refined fit, its components in the order and under the names that the user gave them,
#'   see [name_components()]; its `trace` has the new iterations at the end.
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
  check_given(object)
  UseMethod("refine")
}

#' @export
refine.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname refine
#' @export
refine.mdpd <- function(object, x = NULL, type = c("sparse", "full"), ..., weights = NULL,
                        control = NULL, verbose = interactive()) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("sparse", "full"))
  check_flag(verbose)
  if (!is.null(control)) check_control(control)
  coded <- data_of(object, x, weights)
  coded$variable_labels <- object$variable_labels
  check_observed(coded, coded$weights, rlang::current_env())
  method <- object$method %||% "robust"
  control <- if (is.null(control)) control_of(object) else complete_control(control, method)
  columns <- engine_order(object, coded)
  problem <- new_problem(
    coded, object$labels, coded$known, object$prior,
    list(c(
      continued_from(object, columns, is.null(x)),
      list(informative = match(object$informative, colnames(coded$codes))),
      if (object$k > length(object$labels) && !is.null(object$stands_for)) {
        list(labels = match(object$stands_for[columns], object$labels))
      }
    ))
  )
  settings <- new_settings("continue", object$k, method, type, control, verbose)
  result <- run_engine(problem, settings)$fits[[1]]
  result$trace <- bind_traces(object$trace, result$trace)
  result["born"] <- list(object$born[columns])
  call <- match.call()
  # As users can write it.
  call[[1]] <- quote(refine)
  fit <- new_mdpd(result, problem, settings, list(
    class = setdiff(class(object), "mdpd"), call = call,
    # A model, or the fit of a store, has none that could be kept.
    keep_data = !is.null(object$coded) || is.null(object$loglik) || !is.null(object$store),
    design = design_for(object, x, weights, nrow(coded$codes))
  ))
  fit$groups <- object$groups # of compare_groups()
  warn_status(fit, object$k)
  warn_not_identified(fit)
  keep_arrangement(fit, object, if (is.null(x)) object$posterior)
}

# Where EM goes on: at the posterior of the fit, with what it has learned from all items, or on
# other data at that of its parameters.
continued_from <- function(object, columns, same_data) {
  if (!same_data) {
    return(model_parameters(object, columns))
  }
  c(
    list(posterior = unname(object$posterior[, columns, drop = FALSE])),
    if (!is.null(object$item_prior)) list(item_prior = unname(object$item_prior)),
    if (!is.null(object$crowd_probs)) {
      list(crowd_probs = unname(object$crowd_probs[, columns, drop = FALSE]))
    }
  )
}

# Parameters as the engine takes them.
model_parameters <- function(object, columns = seq_len(object$k),
                             items = names(object$item_probs)) {
  list(
    mixing_weights = unname(object$mixing_weights[columns]),
    item_probs = lapply(unname(object$item_probs[items]), function(probs) {
      unname(probs[, columns, drop = FALSE])
    })
  )
}

# The components in the order in which the engine goes on with them: that of the labels where known
# rows or prior counts tie them to these, else that of the trace, whose numbers then go on.
engine_order <- function(object, coded) {
  labels <- label_names(object)
  if (is_tied_to_labels(object, coded) && setequal(names(object$mixing_weights), labels)) {
    match(labels, names(object$mixing_weights))
  } else {
    order(object$born %||% seq_len(object$k))
  }
}
