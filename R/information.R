#' Pairwise conditional mutual information
#'
#' Measures the dependence between two items that the mixture leaves unexplained:
#' \deqn{I_{ij} = \sum_k w_k \, I(X_i; X_j \mid k)}{I[i,j] = sum_k w_k I(X_i; X_j | k)}
#' under the empirical distribution weighted by the posterior. Were the model exact, it would be
#' zero up to sampling noise.
#'
#' @param object A fitted mixture, see [stagewise_em()].
#' @param x The data, n_obs rows; by default those of the fit.
#' @param component Name or number of one component, for \eqn{I(X_i; X_j \mid k)} within it; `NULL`,
#'   the default, for the sum over all.
#' @param ... Not used; must be empty.
#' @param weights Case weights, one non-negative number a row; by default, `NULL`, those of the fit,
#'   also of an `x` with as many rows. Rows of another `x` then count once each, of a weighted fit
#'   with a warning of class `mdpd_warning_no_weights`.
#' @return A symmetric n_items x n_items matrix of non-negative numbers in nats; the diagonal is
#'   zero. With missing values an entry is multiplied by the share of the component's weight on
#'   which both items are observed.
#' @section Errors:
#' `mdpd_error_argument` when there is no such component, `mdpd_error_no_data` when the fit keeps no
#' data and `x` is not given.
#' @references
#' Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, chapter 2.
#' \doi{10.1002/047174882X}
#'
#' Zhao, V. and Zucker, S. W. (2015). Stagewise Learning for Sparse Clustering of Discretely-Valued
#' Data. \doi{10.48550/arXiv.1506.02975}
#' @family diagnostics
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' max(information(fit))
#' @export
information <- function(object, x = NULL, component = NULL, ...) {
  check_given(object)
  UseMethod("information")
}

#' @export
information.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname information
#' @export
information.mdpd <- function(object, x = NULL, component = NULL, ..., weights = NULL) {
  rlang::check_dots_empty()
  information_of_rows(object, x, component, "x", rlang::current_env(), weights)
}

# Of the rows of the fit, or of those that are given by the argument `arg`.
information_of_rows <- function(object, x, component, arg, call, weights = NULL) {
  component <- check_component(component, object, call = call)
  coded <- data_of(object, x, weights, arg, call)
  check_table_size(coded$codes, arg, call, min_columns = 1)
  posterior <- if (is.null(x)) object$posterior else posterior_of(object, coded)$posterior
  information_at(posterior, object, coded, component)
}

# Component 0: the sum over all.
information_at <- function(posterior, object, coded, component = 0L) {
  coded$weights <- weights_that_count(coded)
  information <- core_information(coded, posterior, component, threads_of(object))
  items <- colnames(coded$codes)
  dimnames(information) <- list(items, items)
  information
}

# The component's number, or that of NULL: 0 stands for all of them.
check_component <- function(component, object, default = 0L, arg = rlang::caller_arg(component),
                            call = rlang::caller_env()) {
  if (is.null(component)) {
    return(default)
  }
  names <- names(object$mixing_weights)
  at <- if (is.character(component)) match(component, names) else component
  if (is_whole_number(at) && at >= 1 && at <= object$k) {
    return(as.integer(at))
  }
  abort_mdpd(
    "{.arg {arg}} must be one of {.val {names}}, not {describe(component)}.",
    class = "argument", call = call
  )
}
