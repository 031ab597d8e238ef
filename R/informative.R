#' Informative items
#'
#' @param object A fitted mixture, see [stagewise_em()], or a true model from [simulate_crowd()].
#' @param ... Not used; must be empty.
#' @param fdr For a fit by evidence: the share of the items named that may be expected to be the
#'   same in all components (the false discovery rate), a number from 0 to 1. Of the items in the
#'   order of their inclusion the most are named whose mean probability of being the same,
#'   1 - inclusion, stays at or below it, and none whose own is above twice the rate, or one half.
#'   Default 0.05. See `inclusion` in [stagewise_em()].
#' @return Names of the informative items. For a fit by evidence those named at that false discovery
#'   rate, the surest first; else all that differ between components, in the order they joined:
#'   those of the stages first, then those the refinement added, by decreasing gain. How much each
#'   tells about the component is in `object$item_information` (nats).
#' @section Errors:
#' `mdpd_error_argument` when `fdr` is not a number from 0 to 1.
#' @references
#' Zhao, V. and Zucker, S. W. (2015). Stagewise Learning for Sparse Clustering of Discretely-Valued
#' Data. \doi{10.48550/arXiv.1506.02975}
#'
#' Efron, B., Tibshirani, R., Storey, J. D. and Tusher, V. (2001). Empirical Bayes analysis of a
#' microarray experiment. *Journal of the American Statistical Association* 96, 1151-1160.
#' \doi{10.1198/016214501753382129}
#' @family results
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' informative(fit)
#' round(head(sort(fit$inclusion, decreasing = TRUE), 8), 3)
#' informative(fit, fdr = 0.2)
#' @export
informative <- function(object, ...) {
  check_given(object)
  UseMethod("informative")
}

#' @export
informative.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname informative
#' @export
informative.mdpd <- function(object, ..., fdr = 0.05) {
  rlang::check_dots_empty()
  check_number(fdr, c(0, 1))
  informative_items(object, fdr)
}

# Without the check of an object that the user gave. One component tells nothing apart, whatever
# items it was fitted to.
informative_items <- function(object, fdr = 0.05) {
  if (object$k == 1) {
    return(character())
  }
  if (is.null(object$inclusion)) object$informative else named_at_rate(object$inclusion, fdr)
}

# The surest items, of which that share may be expected to be the same in all components. Many sure
# ones would pay for some that are hardly surer than not, and of those the fit has learned most:
# hence the second bound.
named_at_rate <- function(inclusion, fdr = 0.05) {
  same <- sort(1 - inclusion)
  names(same)[cumsum(same) <= fdr * seq_along(same) & same <= min(2 * fdr, 0.5)]
}

# Items, the one with most evidence first; a true model has no data, so the one that tells most
# about the component.
informative_order <- function(object, items = informative_items(object)) {
  strength <- object$item_evidence %||% object$item_information
  items[order(strength[items], decreasing = TRUE)]
}

# Of a fit, or of its summary.
n_informative <- function(x) {
  if (inherits(x, "mdpd")) length(informative_items(x)) else NROW(x$informative)
}
