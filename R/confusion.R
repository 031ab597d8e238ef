#' Confusion matrices of the workers of a crowd
#'
#' What a worker says to items of each class:
#' \deqn{\hat\mu_{kr} = \frac{\sum_n g_{nk} 1[x_n = r]}{\sum_n g_{nk} 1[x_n \textrm{ observed}]}}{
#' mu[k,r] = sum_n g[n,k] 1[x_n = r] / sum_n g[n,k] 1[x_n observed]}
#' where \eqn{g_{nk}} is the posterior probability that item n is of class k and the sums are over
#' the items the worker labelled (with their case weights). In a fit by likelihood that has
#' converged, such as `mdpd(prior = 0)`, these are the item-response probabilities of the
#' informative workers; the others have one distribution in all classes there, and this is what
#' their labels show. By evidence the item-response probabilities are posterior means, drawn to what
#' the crowd answers, and this is what the labels of the worker alone show.
#'
#' @inheritParams worker_quality
#' @param worker Ids of workers, in the order wanted; by default, `NULL`, all of them.
#' @param type `"prob"`, the default, for probabilities; `"count"` for the sums above the line,
#'   which tell how many items a probability rests on.
#' @return For one `worker` a k x n_labels matrix: the class in the row, the label given in the
#'   column. Rows of probabilities sum to 1 or are `NA` if no item can be of that class. Classes are
#'   in label order if components are named by labels, and are the labels where several components
#'   stand for one. Otherwise a list of such matrices, named by
#'   the workers.
#' @section Errors:
#' Those of [worker_quality()]; `mdpd_error_argument` names the workers that are not in the fit.
#' @references
#' Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
#' the EM algorithm. *Applied Statistics* 28, 20-28. \doi{10.2307/2346806}
#' @family crowds
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 20, accuracy = c(0.9, 0.8, 0.7), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' round(confusion(fit, "1"), 2)
#' confusion(fit, c("1", "20"), type = "count")
#' @export
confusion <- function(object, worker = NULL, type = c("prob", "count")) {
  check_crowd_fit(object)
  type <- check_choice(type, c("prob", "count"))
  all_workers <- colnames(object$coded$codes)
  shown <- if (is.null(worker)) all_workers else check_workers(worker, all_workers)
  tables <- label_counts(object, shown)
  if (type == "prob") {
    tables <- lapply(tables, row_shares)
  }
  if (!is.null(worker) && length(shown) == 1) tables[[1]] else tables
}

# The posterior-weighted table of each worker, classes x labels; `given` is labels_given() of them.
# `others_only` judges the items by the other workers alone: without the worker's own say in the
# posterior.
label_counts <- function(object, workers, given = labels_given(object, workers),
                         others_only = FALSE) {
  all_rows <- `rownames<-`(object$posterior, NULL)  # a million names would be copied in vain
  tables <- lapply(workers, function(worker) {
    labels <- given(worker)
    posterior <- all_rows[labels$row, , drop = FALSE]
    if (others_only) {
      posterior <- posterior_of_others(posterior, object$item_probs[[worker]], labels)
    }
    posterior <- class_posterior(posterior, object)
    count_by_label(posterior * object$coded$weights[labels$row], labels$label, object)
  })
  stats::setNames(tables, workers)
}

count_by_label <- function(posterior, label, object) {
  counts <- vapply(seq_along(object$labels), function(r) {
    colSums(posterior[label == r, , drop = FALSE])
  }, numeric(ncol(posterior)))
  counts <- matrix(counts, ncol(posterior), dimnames = list(class = colnames(posterior),
                                                            label = object$labels))
  counts[match(class_levels(object), rownames(counts)), , drop = FALSE]
}

# Bayes' rule undone: g[n,k] / mu[k, x_n], normalised. What the floor keeps above zero stays so; a
# class ruled out by a probability of zero stays ruled out. Of several answers to a row all are
# undone.
posterior_of_others <- function(posterior, probs, labels) {
  said <- probs[labels$code, , drop = FALSE]
  if (anyDuplicated(labels$row)) {
    said <- exp(rowsum(log(said), labels$row, reorder = FALSE))[as.character(labels$row), ]
  }
  posterior <- posterior / pmax(said, .Machine$double.xmin)
  posterior / rowSums(posterior)
}

# A function of a worker that gives the items (`row`) this one labelled, the labels' codes and their
# numbers (`label`) among all labels. In a fit that counts a missing label as a level it is none.
labels_given <- function(object, workers = colnames(object$coded$codes)) {
  answers <- answers_by_item(object$coded$codes, workers)
  function(worker) {
    given <- answers(worker)
    given$label <- match(object$coded$levels[[worker]], object$labels)[given$code]
    lapply(given, `[`, !is.na(given$label))
  }
}

row_shares <- function(counts) {
  shares <- counts / rowSums(counts)
  replace(shares, is.nan(shares), NA)
}

# The share of each worker's labels that name the class; of components that stand for labels.
right_shares <- function(tables) {
  vapply(tables, function(counts) sum(diag(counts)) / sum(counts), 0)
}

# Of components that do not stand for labels.
labels_hint <- "They do where {.arg k} is at least the number of labels
                ({length(object$labels)}) and some worker is informative."
