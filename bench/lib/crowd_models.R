# Two models of a crowd in plain R, both by EM from the majority vote. Each returns the posterior
# probabilities, items x labels.

# The label with the highest probability; a tie goes to the label that is more frequent.
class_of <- function(posterior, labels) {
  preferred <- order(-colSums(posterior))
  class <- preferred[max.col(posterior[, preferred, drop = FALSE], ties.method = "first")]
  stats::setNames(labels$labels[class], labels$items)
}

# Of each item, log P(its labels | true label r) up to what all r share: the sum over its labels of
# the log-odds of label r being right. `gain` has one value a label given.
log_votes <- function(labels, gain) {
  votes <- matrix(0, length(labels$items), length(labels$labels))
  sums <- rowsum(gain, labels$item + (labels$label - 1) * nrow(votes))
  votes[as.integer(rownames(sums))] <- sums
  votes
}

# All labels are as likely before any is given, as in both models' published form: with weights that
# are estimated both give most of a crowd whose workers miss one label to the other (bluebird: 42 %
# of the labels are wrong instead of 28).
posterior_of <- function(log_votes) {
  joint <- exp(log_votes - apply(log_votes, 1, max))
  joint / rowSums(joint)
}

vote_shares <- function(labels) unname(majority_vote(labels, type = "prob"))

# The probability that each label given is right.
right_of <- function(labels, posterior) posterior[cbind(labels$item, labels$label)]

# EM until no posterior moves by more than `tol`; `e_step` gives the votes of the model estimated
# from the probabilities that labels are right.
em <- function(labels, e_step, tol = 1e-5, max_iter = 500) {
  posterior <- vote_shares(labels)
  for (iteration in seq_len(max_iter)) {
    new <- posterior_of(e_step(right_of(labels, posterior)))
    moved <- max(abs(new - posterior))
    posterior <- new
    if (moved < tol) break
  }
  posterior
}

# A worker is right with one probability, its posterior mode under Beta(prior); wrong labels are
# equally likely.
one_coin <- function(labels, prior = c(4, 2)) {
  n_labels <- length(labels$labels)
  n_given <- tabulate(labels$worker, length(labels$workers))
  em(labels, function(right) {
    n_right <- drop(rowsum(right, labels$worker))
    accuracy <- (n_right + prior[1] - 1) / (n_given + sum(prior) - 2)
    gain <- stats::qlogis(accuracy) + log(n_labels - 1)
    log_votes(labels, gain[labels$worker])
  })
}

# P(right) = plogis(skill of the worker * ease of the item), the ease the exponential of a standard
# normal and the skill normal with mean 1 and variance 1, as in the authors' program; steps of
# gradient ascent on both, with the diagonal of the expected curvature for their length.
glad <- function(labels, n_steps = 5) {
  n_labels <- length(labels$labels)
  skill <- rep(1, length(labels$workers))
  log_ease <- rep(0, length(labels$items))
  step <- function(right) {
    ease <- exp(log_ease)[labels$item]
    at <- skill[labels$worker] * ease
    miss <- right - stats::plogis(at)
    curve <- stats::plogis(at) * stats::plogis(-at)
    skill <<- skill + 0.5 * (drop(rowsum(miss * ease, labels$worker)) - (skill - 1)) /
      (drop(rowsum(curve * ease^2, labels$worker)) + 1)
    log_ease <<- log_ease + 0.5 * (drop(rowsum(miss * at, labels$item)) - log_ease) /
      (drop(rowsum(curve * at^2, labels$item)) + 1)
  }
  em(labels, function(right) {
    for (i in seq_len(n_steps)) step(right)
    at <- skill[labels$worker] * exp(log_ease)[labels$item]
    log_votes(labels, at + log(n_labels - 1))
  }, max_iter = 200)
}
