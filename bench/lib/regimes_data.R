# The simulators of bench/regimes.R. Each draws data from a mixture of product distributions that it
# knows: a list of `x` (integer matrix or crowd labels), `k`, the `truth` (a class a row), the
# classes that the true model gives the rows, `by_true_model`, and the names of the `informative`
# items. Draws use the session's generator: the caller sets the seed.
#
# Probabilities are in arrays, items x levels x classes. Item i is called "i<i>", the informative
# ones come first.

# Columns -----------------------------------------------------------------------------------------

# Columns from the symmetric Dirichlet, items x levels x classes: uniform on the simplex with the
# parameter 1, near its corners with a small one.
dirichlet_columns <- function(n_items, n_levels, k, parameter = 1) {
  draws <- array(stats::rgamma(n_items * n_levels * k, parameter), c(n_items, n_levels, k))
  sweep(draws, c(1, 3), apply(draws, c(1, 3), sum), "/")
}

# Each item has a common column; in an informative item each class mixes it with one of its own, of
# which `share` is its part.
mixed_columns <- function(common, own, share) {
  (1 - share) * as.vector(common) + share * own
}

# Binary items, level 2 with the probabilities `high` in the two classes; of the others between 0.2
# and 0.8, the same in both.
binary_columns <- function(n_items, n_informative, high) {
  of_level_2 <- matrix(stats::runif(n_items, 0.2, 0.8), n_items, 2)
  of_level_2[seq_len(n_informative), ] <- rep(high, each = n_informative)
  aperm(array(c(1 - of_level_2, of_level_2), c(n_items, 2, 2)), c(1, 3, 2))
}

# Rows --------------------------------------------------------------------------------------------

# Codes from 1, rows x items, by inverting the cumulative probabilities at `u`.
draw_codes <- function(probs, class, u = matrix(stats::runif(length(class) * nrow(probs)),
                                                length(class))) {
  codes <- matrix(1L, length(class), nrow(probs))
  cumulative <- 0
  for (level in seq_len(ncol(probs) - 1)) {
    cumulative <- cumulative + one_level(probs, level)
    codes <- codes + (u > t(cumulative)[class, , drop = FALSE])
  }
  codes
}

# Items x classes.
one_level <- function(probs, level) {
  matrix(probs[, level, ], nrow(probs), dim(probs)[3])
}

# Posterior probabilities under the true model, rows x classes; a missing code says nothing.
true_posterior <- function(codes, probs, weights) {
  log_joint <- matrix(log(weights), nrow(codes), length(weights), byrow = TRUE)
  for (level in seq_len(ncol(probs))) {
    has_level <- (!is.na(codes) & codes == level) + 0
    log_joint <- log_joint + has_level %*% log(pmax(one_level(probs, level), 1e-300))
  }
  joint <- exp(log_joint - apply(log_joint, 1, max))
  joint / rowSums(joint)
}

# The data of a model with known columns.
mixture_draw <- function(probs, weights, n_rows, n_informative) {
  class <- sample.int(length(weights), n_rows, replace = TRUE, prob = weights)
  codes <- draw_codes(probs, class)
  colnames(codes) <- paste0("i", seq_len(ncol(codes)))
  # The other items are the same in all classes and take long where they are many.
  some <- seq_len(n_informative)
  posterior <- true_posterior(codes[, some, drop = FALSE], probs[some, , , drop = FALSE], weights)
  list(x = codes, k = length(weights), truth = class, by_true_model = max.col(posterior),
       informative = colnames(codes)[some])
}

# The grid ----------------------------------------------------------------------------------------

# The share of the classes' own columns at which the true model errs as often as `error` says, by
# bisection on one set of random numbers; 1 where even that is not enough.
share_for_error <- function(common, own, weights, error, n_rows = 2000) {
  class <- sample.int(length(weights), n_rows, replace = TRUE, prob = weights)
  u <- matrix(stats::runif(n_rows * nrow(own)), n_rows)
  ends <- c(0, 1)
  for (step in 1:8) {
    middle <- mean(ends)
    probs <- mixed_columns(common, own, middle)
    posterior <- true_posterior(draw_codes(probs, class, u), probs, weights)
    too_hard <- mean(1 - do.call(pmax, asplit(posterior, 2))) > error
    ends[if (too_hard) 1 else 2] <- middle
  }
  ends[2]
}

# A table whose true model errs as often as `error` says. The classes' own columns are near the
# corners, so that a few items can tell much.
draw_calibrated <- function(n_rows, n_items, n_informative, n_levels, weights, error) {
  k <- length(weights)
  common <- dirichlet_columns(n_items, n_levels, 1)
  own <- dirichlet_columns(n_informative, n_levels, k, parameter = 0.25)
  some <- seq_len(n_informative)
  share <- share_for_error(common[some, , ], own, weights, error)
  probs <- array(common, c(n_items, n_levels, k))
  probs[some, , ] <- mixed_columns(common[some, , ], own, share)
  c(mixture_draw(probs, weights, n_rows, n_informative), share = share)
}

# The same with a given share.
draw_mixed <- function(n_rows, n_items, n_levels, k, share) {
  common <- dirichlet_columns(n_items, n_levels, 1)
  probs <- mixed_columns(common, dirichlet_columns(n_items, n_levels, k), share)
  mixture_draw(probs, rep(1 / k, k), n_rows, n_items)
}

draw_binary <- function(n_rows, n_items, n_informative, high) {
  mixture_draw(binary_columns(n_items, n_informative, high), c(0.5, 0.5), n_rows, n_informative)
}

# One class: no item tells anything.
draw_noise <- function(n_rows, n_items, n_levels) {
  mixture_draw(dirichlet_columns(n_items, n_levels, 1), 1, n_rows, 0)
}

# Crowds ------------------------------------------------------------------------------------------

# Experts among random workers, who give all labels: 1000 items, 100 workers, 3 labels, experts
# right with probability 0.6.
draw_sparse_crowd <- function(n_experts, seed) {
  crowd <- simulate_crowd(n_items = 1000, n_workers = 100, n_labels = 3,
                          accuracy = rep(0.6, n_experts), seed = seed)
  list(x = crowd$labels, k = crowd$k, truth = crowd$truth,
       by_true_model = predict(crowd$model, crowd$labels),
       informative = crowd$model$informative)
}

# Each item is labelled by a few workers; a fifth of them is right with probability 0.775, the
# others from 0.40 to 0.475. Wrong labels are equally likely.
draw_weak_crowd <- function(n_items, n_workers, labels_per_item, n_labels = 4) {
  n_good <- n_workers / 5
  right <- c(rep(0.775, n_good), seq(0.40, 0.475, length.out = n_workers - n_good))
  probs <- array(rep((1 - right) / (n_labels - 1), n_labels^2), c(n_workers, n_labels, n_labels))
  for (label in seq_len(n_labels)) {
    probs[, label, label] <- right
  }
  weights <- rep(1 / n_labels, n_labels)
  class <- sample.int(n_labels, n_items, replace = TRUE)
  codes <- draw_codes(probs, class)
  answered <- t(replicate(n_items, seq_len(n_workers) %in% sample.int(n_workers, labels_per_item)))
  codes[!answered] <- NA
  at <- which(answered, arr.ind = TRUE)
  # Ids of one width, so that the items keep their order.
  labels <- data.frame(item = sprintf("%05d", at[, 1]), worker = paste0("i", at[, 2]),
                       label = codes[at])
  list(x = crowd_labels(labels), k = n_labels, truth = class,
       by_true_model = max.col(true_posterior(codes, probs, weights)),
       informative = paste0("i", seq_len(n_workers)))
}
