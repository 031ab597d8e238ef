#' How sure the label of each item is
#'
#' One row for each item of a crowd: its most probable label, how sure that is, and what one more
#' vote would tell.
#'
#' The gain of a vote is the expected fall of the entropy of the item's class, exactly, over the
#' labels r that the voter may give. With the item's posterior g, the voter's item-response
#' probabilities \eqn{\mu} and \eqn{p_r = \sum_k g_k \mu_{kr}}{p[r] = sum_k g[k] mu[k,r]}:
#' \deqn{H(g) - \sum_r p_r H\left(\frac{g \mu_{\cdot r}}{p_r}\right)}{
#' H(g) - sum_r p[r] H(g mu[.,r] / p[r])}
#' It is never negative, and zero for an item whose class is certain. The probability of an error
#' would be no better measure: it falls only where a single label can change the decision, so that
#' two votes that agree would settle any item.
#'
#' For orientation: with two labels, the vote of a worker who is right in 80 % is worth 0.19 nats on
#' an item of which nothing is known, 0.07 where the label is 90 % sure, 0.02 where it is 97 % sure.
#' The model is taken as known; see the intervals in [worker_quality()].
#'
#' @param object A fit of [crowd_labels()], see [stagewise_em()] and [mdpd()], that keeps its data.
#' @param min_gain The least gain that pays for a vote (nats), at least 0. Default 0.02.
#' @return A data frame with a row for each item, in the order of the fit:
#'   \item{item}{id, a string}
#'   \item{label}{the most probable class, a factor as from [predict()]}
#'   \item{probability}{the probability that `label` is right, in \[1 / k, 1\]}
#'   \item{entropy}{entropy of the class (nats), in \[0, log k\]}
#'   \item{n_labels}{number of labels given}
#'   \item{gain}{expected fall of the entropy (nats) by the vote of one more worker as good as the
#'     informative ones: the mean over all of them, whether they have labelled the item or not, as
#'     the voter may be new; 0 if there are none}
#'   \item{next_worker, best_gain}{the informative worker whose vote is worth most among those who
#'     have not labelled the item, and its gain; `NA` and 0 if none is left or the class is certain}
#'   \item{another_vote}{would another vote pay, `gain > min_gain`? So it may be `TRUE` where all
#'     informative workers have labelled the item, and `next_worker` is `NA`: it takes a new one}
#' @section Errors:
#' `mdpd_error_not_a_crowd` when the fit is not of crowd labels, `mdpd_error_not_stored` for a model
#' that was not fitted, `mdpd_error_no_data` for a fit with `keep_data = FALSE`,
#' `mdpd_error_argument` for an argument out of range.
#' @references
#' Lindley, D. V. (1956). On a measure of the information provided by an experiment. *Annals of
#' Mathematical Statistics* 27, 986-1005. \doi{10.1214/aoms/1177728069}
#'
#' Sheng, V. S., Provost, F. and Ipeirotis, P. G. (2008). Get another label? Improving data quality
#' and data mining using multiple, noisy labelers. *KDD '08*, 614-622.
#' \doi{10.1145/1401890.1401965}
#' @family crowds
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 20, accuracy = rep(0.7, 8), missing = 0.5,
#'                         seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' items <- item_quality(fit)
#' head(items)
#'
#' # The items to label next, and by whom
#' to_label <- items[items$another_vote, ]
#' head(to_label[order(-to_label$gain), c("item", "next_worker")])
#' @export
item_quality <- function(object, min_gain = 0.02) {
  check_crowd_fit(object)
  check_number(min_gain, c(0, Inf))
  posterior <- class_posterior(object$posterior, object)
  given <- labels_given(object)
  gains <- vote_gains(object, given)
  data.frame(
    item = rownames(posterior),
    label = unname(predict.mdpd(object)),
    probability = unname(largest_posterior(posterior)),
    entropy = pmax(0, -rowSums(p_log_p(posterior))),
    n_labels = n_labels_given(object, given),
    gains,
    another_vote = gains$gain > min_gain,
    row.names = NULL
  )
}

# The number of labels each item was given.
n_labels_given <- function(object, given) {
  rows <- lapply(colnames(object$coded$codes), function(worker) given(worker)$row)
  tabulate(unlist(rows), nrow(object$posterior))
}

# What a vote of the informative workers is worth for every item: on average, and by the best who is
# left.
vote_gains <- function(object, given) {
  workers <- informative_items(object)
  gains <- core_vote_gains(
    object$posterior, match(if (has_kinds(object)) object$stands_for, object$labels),
    lapply(workers, label_probs, object = object),
    lapply(workers, function(worker) given(worker)$row), object$control$threads
  )
  data.frame(
    gain = gains$mean, next_worker = workers[gains$best_worker], best_gain = gains$best
  )
}

# What a worker says who gives a label: without the level for missing labels, if the fit has it.
label_probs <- function(object, worker) {
  probs <- object$item_probs[[worker]]
  at <- match(object$labels, rownames(probs))
  probs <- probs[at[!is.na(at)], , drop = FALSE]
  probs / rep(colSums(probs), each = nrow(probs))
}
