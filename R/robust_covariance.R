# The covariance of the estimates that holds where the model is wrong, rows come in clusters or have
# sampling weights, see standard_errors(): sums over clusters of what each row adds to an estimate.

#' Covariance of a sum by a sampling design
#'
#' The terms of each cluster are totalled and the totals centred in their stratum, but for a single
#' cluster: the terms of all sum to zero. Goes over blocks of whole clusters, so that some `cells`
#' numbers are all that is ever held.
#'
#' @param values A function of numbers of terms: a matrix with a row for each.
#' @param n_values Its number of columns.
#' @param design See new_design().
#' @param cluster The cluster of each term; by default each is a row of the data.
#' @return n_values x n_values matrix.
#' @noRd
linearised_covariance <- function(values, n_values, design, cluster = design$cluster,
                                  cells = 4e6) {
  order <- order(cluster)
  begins <- match(cluster, cluster[order])[order]
  squares <- matrix(0, n_values, n_values)
  sums <- matrix(0, length(design$n_clusters), n_values)
  for (block in split(order, (begins - 1) %/% max(1, cells %/% n_values))) {
    totals <- rowsum(values(block), cluster[block], reorder = FALSE)
    stratum <- design$stratum[as.integer(rownames(totals))]
    squares <- squares + crossprod(totals * sqrt(design$factor[stratum]))
    of_strata <- rowsum(totals, stratum, reorder = FALSE)
    at <- as.integer(rownames(of_strata))
    sums[at, ] <- sums[at, , drop = FALSE] + of_strata
  }
  centring <- design$factor / design$n_clusters * (design$n_clusters > 1)
  unname(squares - crossprod(sums * sqrt(centring)))
}

# What a row adds to the estimates of the mixture, to first order: its score, times the inverse of
# the information.
mixture_values <- function(parts, influence = parts$mixture$influence) {
  coded <- parts$coded
  function(rows) {
    shown <- cbind(rep(1, length(rows)), one_hot(coded, parts$model$items, rows))
    scores <- row_scores(parts$model, shown, parts$posterior[rows, , drop = FALSE])
    tcrossprod(scores, influence) * coded$weights[rows]
  }
}

# What a row adds to the shares `probs` of the levels of some items, each a vector, among the rows
# that observe them.
share_values <- function(parts, items, probs) {
  coded <- parts$coded
  item <- rep(seq_along(items), lengths(probs))
  n <- unname(parts$observed[items])[item]
  function(rows) {
    shown <- one_hot(coded, items, rows)
    # As often as the row answers the item.
    answered <- shown %*% outer(item, item, `==`)
    (shown - sweep(answered, 2, unlist(probs), "*")) * outer(coded$weights[rows], n, "/")
  }
}

# Of one item, answer by answer: a crowd has many with few answers each.
robust_shares <- function(parts, item, probs) {
  given <- parts$answers(item)
  values <- function(at) {
    shown <- outer(given$code[at], seq_along(probs), `==`)
    sweep(shown, 2, probs) * parts$coded$weights[given$row[at]] / parts$observed[[item]]
  }
  linearised_covariance(values, length(probs), parts$design, parts$design$cluster[given$row])
}

# Of the mixture, or of the parameters `at`.
robust_mixture <- function(parts, at = seq_along(parts$model$root)) {
  covariance <- robust_covariance(parts, parts$mixture$influence[at, , drop = FALSE])
  diag(covariance)[is.na(diag(parts$mixture$covariance)[at])] <- NA
  covariance
}

# The sandwich, of what scores move by `influence`. Pseudo-counts enter it as so many rows more, so
# that of rows drawn one by one from the model the covariance is the inverse of the information,
# prior and all.
robust_covariance <- function(parts, influence) {
  values <- mixture_values(parts, influence)
  design_covariance(values, nrow(influence), parts$design, parts$coded$weights) +
    tcrossprod(sweep(influence, 2, sqrt(parts$pseudo_counts), "*"))
}

# Between all parameters, which have their rows and clusters in common.
joint_covariance <- function(parts, object, shared) {
  probs <- lapply(object$item_probs[shared], function(probs) probs[, 1])
  of_mixture <- mixture_values(parts)
  of_shares <- share_values(parts, shared, probs)
  values <- function(rows) cbind(of_mixture(rows), if (length(shared) > 0) of_shares(rows))
  n_values <- length(parts$model$root) + sum(lengths(probs))
  linearised_covariance(values, n_values, parts$design)
}

# Replicate weights --------------------------------------------------------------------------------

# Of a sum of `values`, as by linearised_covariance(), of a design of either kind: under replicate
# weights each value, which has one of the `weights`, counts as they say.
design_covariance <- function(values, n_values, design, weights) {
  replicates <- design$replicates
  if (is.null(replicates)) {
    return(linearised_covariance(values, n_values, design))
  }
  # The weights of a sample, of the same total.
  ratio <- sweep(replicates$weights, 2, sum(weights) / colSums(replicates$weights), "*") /
    ifelse(weights > 0, weights, Inf)
  totals <- matrix(0, ncol(ratio), n_values)
  sum <- 0
  for (block in row_blocks(seq_len(nrow(ratio)), n_values)) {
    block_values <- values(block)
    totals <- totals + crossprod(ratio[block, , drop = FALSE], block_values)
    sum <- sum + colSums(block_values)
  }
  crossprod(centre_replicates(totals, sum, replicates))
}

# The distances of the estimates of all samples from the centre, each times the root of what its
# square counts: samples x parameters, of which the covariance is the cross-product.
replicate_distances <- function(object, coded, replicates) {
  total <- sum(coded$weights)
  estimate <- function(weights) {
    coded$weights <- weights_of_total(weights, total)
    replicate_values(fit_on(object, drop_unobserved(coded)), object)
  }
  samples <- seq_len(ncol(replicates$weights))
  values <- lapply(samples, function(r) estimate(replicates$weights[, r]))
  centre_replicates(do.call(rbind, values), estimate(coded$weights), replicates)
}

# `values` has a row for each sample, `whole` is of all rows.
centre_replicates <- function(values, whole, replicates) {
  centre <- if (replicates$mse) whole else colMeans(values)
  sweep(values, 2, centre) * sqrt(replicates$scale * rep_len(replicates$rscales, nrow(values)))
}

# EM goes on from the fit under other weights, so far that what is left to go does not count beside
# the small distances of a jackknife.
fit_on <- function(object, coded) {
  object$control[c("tol", "max_iter", "polish")] <- list(1e-13, 5000, FALSE)
  if (is.null(object$evidence) || object$k == 1) {
    return(fit_sample(object, coded, refit = FALSE))
  }
  start <- continued_from(object, engine_order(object, coded), same_data = TRUE)
  start$informative <- match(object$informative, colnames(coded$codes), nomatch = 0L)
  problem <- new_problem(coded, object$labels, coded$known, object$prior, list(start))
  settings <- new_settings("continue", object$k, object$method, "sparse", control_of(object))
  name_sample(run_engine(problem, settings)$fits[[1]], object, coded)
}
