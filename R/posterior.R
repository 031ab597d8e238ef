# What the posterior says of the rows.

predicted_component <- function(posterior) max.col(posterior, ties.method = "first")

largest_posterior <- function(posterior) {
  posterior[cbind(seq_len(nrow(posterior)), predicted_component(posterior))]
}

# Case weights, where the fit keeps them; else every row counts the same.
row_weights <- function(object) {
  object$weights %||% object$coded$weights %||% rep(1, nrow(object$posterior))
}

# Of an entropy -sum p log p (nats).
p_log_p <- function(p) ifelse(p > 0, p * log(p), 0)

# The share of wrong classes to be expected if the model holds.
expected_error <- function(object) {
  stats::weighted.mean(1 - largest_posterior(object$posterior), row_weights(object))
}

# The share of the rows whose class is at least that probable.
share_sure <- function(object, probability) {
  stats::weighted.mean(largest_posterior(object$posterior) >= probability, row_weights(object))
}

# The entropy of the classes of all rows (nats).
class_entropy <- function(object) -sum(row_weights(object) * p_log_p(object$posterior))

# Levels of the class factor: the order of the labels where components are named by them.
class_levels <- function(object) {
  names <- names(object$mixing_weights)
  if (setequal(names, object$labels)) object$labels else names
}

posterior_class <- function(posterior, levels) {
  class <- colnames(posterior)[predicted_component(posterior)]
  stats::setNames(factor(class, levels = levels), rownames(posterior))
}
