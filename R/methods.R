#' Extract parts of a fitted mixture
#'
#' @param object A fitted mixture, see [stagewise_em()].
#' @param ... Not used.
#' @return
#' * `coef()`: a list of `mixing_weights` (k probabilities) and `item_probs` (one levels x k matrix
#'   of probabilities for each item).
#' * `fitted()`: the n_obs x k posterior probabilities of the fit's own rows.
#' * `logLik()`: the log-likelihood of all items (nats) with the number of free parameters `df` and
#'   the sum of the case weights `nobs`, so that [stats::AIC()] and [stats::BIC()] work. With
#'   nothing missing `BIC()` is -2 times the penalised log-likelihood up to a constant of the data.
#' * `nobs()`: the sum of the case weights.
#' * `anova()`: an error. Twice the log-likelihood ratio of fits with different numbers of
#'   components has no chi-square distribution: see [test_k()].
#' @section Errors:
#' `mdpd_error_not_stored` when the object is a model that was not fitted to data, except `coef()`;
#' `mdpd_error_no_chi_square` for `anova()`.
#' @family results
#' @name mdpd-methods
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' coef(fit)$item_probs[[informative(fit)[1]]]
#' BIC(fit)
NULL

#' @rdname mdpd-methods
#' @importFrom stats coef
#' @export
coef.mdpd <- function(object, ...) {
  object[c("mixing_weights", "item_probs")]
}

#' @rdname mdpd-methods
#' @importFrom stats fitted
#' @export
fitted.mdpd <- function(object, ...) {
  check_fit(object)
  object$posterior
}

#' @rdname mdpd-methods
#' @importFrom stats logLik
#' @export
logLik.mdpd <- function(object, ...) {
  check_fit(object)
  structure(as.double(object$loglik), df = object$df, nobs = object$nobs, class = "logLik")
}

#' @rdname mdpd-methods
#' @importFrom stats nobs
#' @export
nobs.mdpd <- function(object, ...) {
  check_fit(object)
  object$nobs
}

#' @rdname mdpd-methods
#' @export
anova.mdpd <- function(object, ...) {
  abort_mdpd(
    c("{.arg object} must not be a mixture: its likelihood ratio has no chi-square distribution.",
      i = "{.fn test_k} tests numbers of components by samples; {.code stagewise_em(x, k = 1:5)}
           compares them by evidence."),
    class = "no_chi_square"
  )
}
