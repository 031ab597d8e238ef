#' Informative items
#'
#' @param object A fitted mixture, see [stagewise_em()], or a true model from [simulate_crowd()].
#' @param ... Not used; must be empty.
#' @return Names of the informative items, in the order they joined: those of the stages first, then
#'   those the refinement added, by decreasing gain. How much each tells about the component is in
#'   `object$item_information` (nats).
#' @references
#' Zhao, V. and Zucker, S. W. (2015). Stagewise Learning for Sparse Clustering of Discretely-Valued
#' Data. \doi{10.48550/arXiv.1506.02975}
#' @family results
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' informative(stagewise_em(crowd$labels, k = 3))
#' @export
informative <- function(object, ...) {
  UseMethod("informative")
}

#' @rdname informative
#' @export
informative.mdpd <- function(object, ...) {
  rlang::check_dots_empty()
  object$informative
}

# The informative items, the one with most evidence first; a true model has no data, so the one that
# tells most about the component.
informative_order <- function(object) {
  items <- object$informative
  strength <- object$item_evidence %||% object$item_information
  items[order(strength[items], decreasing = TRUE)]
}

n_informative <- function(x) NROW(x$informative)
