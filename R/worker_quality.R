#' How good each worker of a crowd is
#'
#' Ranks the workers by how much their labels say about the class in all, estimates how often each
#' is right without knowing the truth, and marks those whose labels do not depend on the class.
#'
#' All but `information` and `evidence` comes from the worker's table of posterior-weighted counts,
#' see [confusion()]: \eqn{C_{kr} = \sum_n g_{nk} 1[x_n = r]}{C[k,r] = sum_n g[n,k] 1[x_n = r]}. A
#' sparse fit gives workers who are not informative the same label distribution in every class, by
#' evidence nearly so; the counts show what they did. Where the classes are uncertain the counts of
#' such workers lean towards their overall label shares, so a little skill looks like less.
#'
#' * **Evidence** is the logarithm of a Bayes factor, of a worker who looks against one who does not
#'   (nats), see `item_evidence` in [stagewise_em()]. For fits without evidence it is what the
#'   worker's labels gain in log-likelihood by depending on the class, minus the BIC penalty of the
#'   probabilities estimated for that, which comes to about the same (Schwarz 1978): close to the
#'   number of labels times the information of one, less a fee for few labels. The order by the
#'   information of one label would put those first who were lucky with five; for the skill of a
#'   worker read the accuracy with its interval.
#' * **Accuracy** is \eqn{p = \sum_k C_{kk} / n}{p = sum_k C[k,k] / n}, the mean posterior
#'   probability \eqn{p_n} of the labels given. Its interval is Jeffreys' for a proportion, with the
#'   effective number of labels
#'   \eqn{n (1 - \mathrm{mean}(p_n (1 - p_n)) / (q (1 - q)))}{
#'   n (1 - mean(p_n (1 - p_n)) / (q (1 - q)))}
#'   in place of n, with \eqn{q = (n p + 1/2) / (n + 1)}{q = (n p + 1/2) / (n + 1)}: where the true
#'   class is uncertain the labels tell less (missing information, Louis 1982). Of few labels
#'   it is wide, and it must be: read the interval, not the estimate. It takes the rest of the model
#'   as known, so where few workers are informative and the classes uncertain it is too narrow. In
#'   simulated crowds of 15 to 600 labels a worker 95 to 98 % of the intervals hold the truth. The
#'   accuracy is not drawn to that of the crowd, as the estimates of a fit by evidence are: those
#'   know the classes better than workers one by one, and intervals from their posterior hold the
#'   truth of 78 to 93 % of the workers (`bench/worker_intervals.R`).
#' * **Score** is the spammer score of Raykar and Yu (2011), with
#'   \eqn{\mu_{kr} = C_{kr} / \sum_r C_{kr}}{mu[k,r] = C[k,r] / sum_r C[k,r]}:
#'   \deqn{\frac{1}{k (k - 1)} \sum_{a < b} \sum_r (\mu_{ar} - \mu_{br})^2}{
#'   1 / (k (k - 1)) sum_{a < b} sum_r (mu[a,r] - mu[b,r])^2}
#'   Classes of which the worker saw no item are left out, and k is the number of the others. It is
#'   0 for a worker whose labels do not depend on the class and 1 for one who always gives a class
#'   its own label, whichever it is: someone who swaps two labels is no spammer. Chance lifts it
#'   when labels are few.
#' * **Bias** is the total variation distance between the shares of the labels given and of the
#'   classes seen, \eqn{\frac12 \sum_r | C_{\cdot r} - C_{r \cdot} | / n}{
#'   1/2 sum_r |C[.,r] - C[r,.]| / n}: the share of labels that would have to change for the worker
#'   to use each as often as it is true.
#' * A **spammer** is a worker whose labels show no dependence on the class and who would have shown
#'   it if half as informative as the others. Both are judged by the classes the *other* workers
#'   give, from \eqn{G = \sum_{kr} C_{kr} \log ( C_{kr} n / (C_{k \cdot} C_{\cdot r}) )}{
#'   G = sum_kr C[k,r] log(C[k,r] n / (C[k,.] C[.,r]))}, a log-likelihood ratio, with
#'   \eqn{d = (k - 1)(R - 1)} degrees of freedom for R labels in use. First, no dependence:
#'   \eqn{G \le \frac{d}{2} \log n}{G <= d/2 log n}, the BIC penalty, and by evidence an `evidence`
#'   (below) of at most \eqn{\log 20}{log 20}. Second, the explained share of
#'   the entropy of the classes seen, \eqn{G / (n H)}, is less than half of what it is in all
#'   workers with dependence: at the level `alpha` the hypothesis is rejected that it is half or
#'   more (2G is noncentral chi-square; a G below chance counts as chance). So a worker with few
#'   labels, or who saw one class only, is not marked, nor is one with fewer labels than the table
#'   has cells: nothing is known of them.
#'
#' @param object A fit of [crowd_labels()], see [stagewise_em()] and [mdpd()], that keeps its data.
#' @param level Probability that the accuracy is in its interval, from 0 to 1. Default 0.95.
#' @param alpha Probability, from 0 to 1, of marking as a spammer by mistake someone half as
#'   informative as the others. Default 0.05.
#' @return A data frame with a row for each worker, the one with most evidence first:
#'   \item{worker}{id, a string}
#'   \item{n_labels}{number of labels given}
#'   \item{accuracy, accuracy_lower, accuracy_upper}{probability of a right label among the items
#'     the worker labelled, and its interval, in \[0, 1\]}
#'   \item{information}{mutual information of one label and the component under the model (nats),
#'     `item_information` of the fit; 0, or by evidence close to it, for those who are not
#'     informative}
#'   \item{evidence}{what all labels of the worker say about the class, less the penalty (nats), 0
#'     for those who are not informative; by evidence, where theirs may be a little above or below
#'     0, see `item_evidence` in [stagewise_em()]}
#'   \item{inclusion}{by evidence the probability that the worker's labels depend on the class, in
#'     \[0, 1\]; else `NA`}
#'   \item{score}{Raykar and Yu's score, in \[0, 1\]: 0 for a spammer, 1 for a perfect worker; `NA`
#'     of one who saw a single class}
#'   \item{bias, over_used}{how far the labels lean, in \[0, 1\], and the label the worker gives too
#'     often by most; `NA` where the bias is zero}
#'   \item{rank}{the worker's place in `informative(object)`, `NA` outside}
#'   \item{informative}{is the worker one of `informative(object)`?}
#'   \item{spammer}{see above; `NA` if no worker shows dependence: there is no yardstick}
#'   Accuracy and bias need components that stand for labels. They are `NA`, with a message of class
#'   `mdpd_message_unnamed_components`, unless `k` is the number of labels, by evidence at least
#'   that, and some worker is informative.
#' @section Errors:
#' `mdpd_error_not_a_crowd` when the fit is not of crowd labels, `mdpd_error_not_stored` for a model
#' that was not fitted, `mdpd_error_no_data` for a fit with `keep_data = FALSE`,
#' `mdpd_error_argument` for an argument out of range.
#' @references
#' Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
#' the EM algorithm. *Applied Statistics* 28, 20-28. \doi{10.2307/2346806}
#'
#' Raykar, V. C. and Yu, S. (2011). Ranking annotators for crowdsourced labeling tasks. *Advances in
#' Neural Information Processing Systems* 24, 1809-1817.
#'
#' Raykar, V. C. and Yu, S. (2012). Eliminating spammers and ranking annotators for crowdsourced
#' labeling tasks. *Journal of Machine Learning Research* 13, 491-518.
#'
#' Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm.
#' *Journal of the Royal Statistical Society B* 44, 226-233.
#' \doi{10.1111/j.2517-6161.1982.tb01203.x}
#'
#' Schwarz, G. (1978). Estimating the dimension of a model. *Annals of Statistics* 6, 461-464.
#' \doi{10.1214/aos/1176344136}
#'
#' Brown, L. D., Cai, T. T. and DasGupta, A. (2001). Interval estimation for a binomial proportion.
#' *Statistical Science* 16, 101-133. \doi{10.1214/ss/1009213286}
#' @family crowds
#' @seealso `plot(object, type = "workers")` and `plot(object, type = "confusion")` draw it.
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 20, accuracy = c(0.9, 0.8, 0.7), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' quality <- worker_quality(fit)
#' head(quality)
#' quality$worker[quality$spammer]
#' @export
worker_quality <- function(object, level = 0.95, alpha = 0.05) {
  check_crowd_fit(object)
  check_number(level, c(0, 1))
  check_number(alpha, c(0, 1))
  workers <- colnames(object$coded$codes)
  given <- labels_given(object, workers)
  counts <- label_counts(object, workers, given)
  dependence <- dependence_test(object, workers, given)
  quality <- data.frame(
    worker = workers,
    n_labels = vapply(workers, function(worker) length(given(worker)$row), 0L),
    accuracy_table(object, workers, given, level),
    information = unname(object$item_information[workers]),
    evidence = unname(object$item_evidence[workers]),
    inclusion = unname(object$inclusion[workers]) %||% NA_real_,
    score = vapply(counts, spammer_score, 0),
    bias_table(object, counts),
    rank = match(workers, informative(object)),
    informative = workers %in% informative(object),
    spammer = is_spammer(dependence, alpha, is_sure(object, workers)),
    row.names = NULL
  )
  if (!named_by_labels(object)) {
    inform_mdpd(
      c("The components do not stand for labels, so accuracy and bias are not known.",
        i = labels_hint),
      class = "unnamed_components"
    )
  }
  by_quality <- order(!quality$informative, -quality$evidence, -dependence$gain)
  structure(quality[by_quality, ], row.names = seq_along(workers))
}

# Columns ------------------------------------------------------------------------------------------

accuracy_table <- function(object, workers, given, level) {
  if (!named_by_labels(object)) {
    return(data.frame(accuracy = NA_real_, accuracy_lower = NA_real_, accuracy_upper = NA_real_))
  }
  posterior <- class_posterior(object$posterior, object)
  component <- match(label_names(object), colnames(posterior))
  rows <- lapply(workers, function(worker) {
    labels <- given(worker)
    right <- posterior[cbind(labels$row, component[labels$label])]
    accuracy_interval(right, object$coded$weights[labels$row], level)
  })
  table <- as.data.frame(do.call(rbind, rows))
  stats::setNames(table, c("accuracy", "accuracy_lower", "accuracy_upper"))
}

# `right`: the posterior probability of each label the worker gave.
accuracy_interval <- function(right, weights, level) {
  n <- sum(weights)
  if (n == 0) {
    return(c(NA, NA, NA))
  }
  accuracy <- min(1, sum(weights * right) / n)
  # Of a worker who is always right so little is unknown that its share of next to nothing would say
  # little: it is compared with what half a label right and half a label wrong leave to know.
  middle <- (n * accuracy + 0.5) / (n + 1)
  unknown <- sum(weights * right * (1 - right)) / n / (middle * (1 - middle))
  known <- 1 - min(1, unknown)
  tail <- (1 - level) / 2
  interval <- stats::qbeta(c(tail, 1 - tail), n * known * accuracy + 0.5,
                           n * known * (1 - accuracy) + 0.5)
  # Jeffreys' interval leaves out the estimate when that is 0 or 1.
  c(accuracy, min(interval[1], accuracy), max(interval[2], accuracy))
}

# Raykar and Yu (2011). A class the worker has not seen cannot be compared.
spammer_score <- function(counts) {
  probs <- stats::na.omit(row_shares(counts))
  k <- nrow(probs)
  if (k < 2) NA_real_ else sum(stats::dist(probs)^2) / (k * (k - 1))
}

bias_table <- function(object, counts) {
  if (!named_by_labels(object)) {
    return(data.frame(bias = NA_real_, over_used = NA_character_))
  }
  excess <- vapply(counts, function(table) {
    (colSums(table) - rowSums(table)) / sum(table)
  }, numeric(length(object$labels)))
  excess <- matrix(excess, length(object$labels))
  over_used <- object$labels[first_largest(t(replace(excess, is.nan(excess), 0)))]
  bias <- colSums(abs(excess)) / 2
  # Below rounding error the worker does not lean at all.
  leans <- bias > 1e-12
  data.frame(bias = ifelse(leans, bias, 0), over_used = ifelse(leans, over_used, NA))
}

# For each worker: the log-likelihood ratio `gain` of labels that depend on the class over labels
# that do not (nats), the classes judged by the others; its degrees of freedom, by the labels in use
# and by all; the entropy `to_gain` of the classes of the labels' items (nats); the number of labels
# (case weights count) and of cells.
dependence_test <- function(object, workers, given) {
  tables <- label_counts(object, workers, given, others_only = TRUE)
  entropy <- function(n) if (sum(n) > 0) -sum(p_log_p(n / sum(n))) else 0
  data.frame(
    gain = vapply(tables, log_likelihood_ratio, 0),
    df = (n_classes(object) - 1) * vapply(tables, function(table) {
      max(0, sum(colSums(table) > 0) - 1)
    }, 0),
    df_all = (n_classes(object) - 1) * (length(object$labels) - 1),
    to_gain = vapply(tables, function(table) sum(table) * entropy(rowSums(table)), 0),
    n = vapply(tables, sum, 0),
    n_cells = n_classes(object) * length(object$labels)
  )
}

log_likelihood_ratio <- function(counts) {
  expected <- outer(rowSums(counts), colSums(counts)) / sum(counts)
  cells <- counts > 0
  max(0, sum(counts[cells] * log(counts[cells] / expected[cells])))
}

# By evidence, do the labels of workers depend on the class by twenty to one? Of many labels the
# penalty of BIC for all cells is more than a good worker gains.
is_sure <- function(object, workers) {
  if (is.null(object$evidence)) FALSE else unname(object$item_evidence[workers]) > log(20)
}

# The yardstick is the share of entropy explained by the workers with dependence; d/2 of a gain is
# chance.
is_spammer <- function(evidence, alpha, is_sure = FALSE) {
  # A worker of one label has no degrees of freedom, and a gain that is rounding.
  shown <- evidence$gain > evidence$df / 2 * log(pmax(1, evidence$n))
  dependent <- evidence$df > 0 & (shown | is_sure)
  if (!any(dependent)) {
    return(NA)
  }
  yardstick <- evidence[dependent, ]
  explained <- sum(pmax(0, yardstick$gain - yardstick$df / 2)) / sum(yardstick$to_gain)
  p_value <- stats::pchisq(
    pmax(2 * evidence$gain, evidence$df_all), evidence$df_all,
    ncp = explained / 2 * 2 * evidence$to_gain
  )
  !dependent & evidence$n >= evidence$n_cells & p_value <= alpha
}

# In words, for a picture or a table. NA: not known to be a spammer.
worker_kind <- function(quality) {
  kind <- ifelse(quality$informative, "informative", "undecided")
  replace(kind, quality$spammer %in% TRUE & !quality$informative, "spammer")
}
