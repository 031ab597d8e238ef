# Coverage of the intervals of worker_quality(): simulates crowds whose workers differ, fits each by
# mdpd() and counts how often the interval of a worker's accuracy holds the true one. Beside it the
# interval from the posterior of the evidence, a mixture over the families of columns: one column,
# around the crowd's or around the worker's own at each concentration.
#
#   Rscript bench/worker_intervals.R [draws = 20]       writes bench/results/worker_intervals.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

# A share of the workers guesses; the others are right with probabilities from Beta(7, 3). Wrong
# labels are equally likely.
draw_crowd <- function(n_items, n_workers, per_item, k, guessers, seed) {
  set.seed(seed)
  truth <- sample.int(k, n_items, replace = TRUE)
  right <- ifelse(stats::runif(n_workers) < guessers, 1 / k, stats::rbeta(n_workers, 7, 3))
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  other <- (truth[item] + sample.int(k - 1, length(item), replace = TRUE) - 1) %% k + 1
  label <- ifelse(stats::runif(length(item)) < right[worker], truth[item], other)
  list(labels = crowd_labels(data.frame(item, worker, label)), accuracy = right, k = k)
}

# The posterior ------------------------------------------------------------------------------------

# Mean and variance of the probability of a right label, averaged over the classes the worker saw,
# under each family. `counts`: classes x labels; `known`: the share of the information on a label
# that the uncertain classes leave.
family_moments <- function(counts, known, crowd, concentrations) {
  n_seen <- rowSums(counts)
  seen <- n_seen / sum(n_seen)
  same <- (colSums(counts) + 1) / (sum(counts) + ncol(counts))
  mean_same <- sum(seen * same)
  # Which classes the worker saw is uncertain too: as of a proportion.
  var_same <- mean_same * (1 - mean_same) / (known * sum(counts) + ncol(counts) + 1)
  of_columns <- function(c, centre) {
    right <- (c * centre + diag(counts)) / (c + n_seen)
    c(sum(seen * right), sum(seen^2 * right * (1 - right) / (c + known * n_seen + 1)))
  }
  own <- vapply(concentrations, function(c) {
    of_columns(c, prop.table(colSums(counts / (n_seen + c + 1))))
  }, c(0, 0))
  alike <- vapply(concentrations, of_columns, c(0, 0), centre = diag(crowd))
  cbind(c(mean_same, var_same), own, alike)
}

# Quantiles of the mixture, each family by the beta distribution of its moments.
mixture_interval <- function(moments, shares, level = 0.95) {
  size <- pmax(moments[1, ] * (1 - moments[1, ]) / moments[2, ] - 1, 1e-3)
  below <- function(x) sum(shares * stats::pbeta(x, size * moments[1, ], size * (1 - moments[1, ])))
  vapply(c(1 - level, 1 + level) / 2, function(p) {
    stats::uniroot(function(x) below(x) - p, c(0, 1), tol = 1e-6)$root
  }, 0)
}

# The share of information that the interval of worker_quality() goes by, from its own estimate.
known_share <- function(fit, worker) {
  codes <- as.matrix(fit$coded$codes)[, worker]
  rows <- which(codes > 0)
  right <- fit$posterior[cbind(rows, match(fit$labels[as.integer(codes[rows])],
                                           colnames(fit$posterior)))]
  binomial <- mean(right) * (1 - mean(right))
  if (binomial > 0) min(1, mean((right - mean(right))^2) / binomial) else 1
}

posterior_intervals <- function(fit) {
  concentrations <- as.numeric(grep("^[0-9]", colnames(fit$item_shares), value = TRUE))
  crowd <- t(fit$crowd_probs[fit$labels, fit$labels])
  intervals <- vapply(rownames(fit$item_shares), function(worker) {
    counts <- confusion(fit, worker, type = "count")
    moments <- family_moments(counts, known_share(fit, worker), crowd, concentrations)
    shares <- fit$item_shares[worker, ]
    c(sum(shares * moments[1, ]), mixture_interval(moments, shares))
  }, c(0, 0, 0))
  t(intervals)
}

# Coverage -----------------------------------------------------------------------------------------

crowds <- list(
  "15 labels a worker, 5 an item, 3 labels" = list(600, 200, 5, 3, 0.2),
  "20 a worker, 5 an item, 2 labels" = list(600, 150, 5, 2, 0.2),
  "40 a worker, 4 an item, 5 labels" = list(1000, 100, 4, 5, 0.2),
  "60 a worker, 6 an item, 3 labels, 60 % guess" = list(600, 60, 6, 3, 0.6),
  "150 a worker, 10 an item, 3 labels" = list(600, 40, 10, 3, 0.2),
  "600 a worker, 12 an item, 3 labels" = list(1000, 20, 12, 3, 0.2)
)

# Coverage, mean width and root mean squared error of the estimate, of both.
measure <- function(table, accuracy) {
  c(coverage = mean(table[, 2] <= accuracy & accuracy <= table[, 3]),
    width = mean(table[, 3] - table[, 2]), error = sqrt(mean((table[, 1] - accuracy)^2)))
}

one_draw <- function(seed, crowd) {
  data <- do.call(draw_crowd, c(crowd, seed = seed))
  fit <- suppressWarnings(mdpd(data$labels, data$k, verbose = FALSE))
  quality <- worker_quality(fit)
  counted <- as.matrix(quality[match(rownames(fit$item_shares), quality$worker),
                               c("accuracy", "accuracy_lower", "accuracy_upper")])
  accuracy <- data$accuracy[as.integer(rownames(fit$item_shares))]
  c(measure(counted, accuracy), measure(posterior_intervals(fit), accuracy))
}

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_draws <- if (length(arguments) > 0) arguments[1] else 20L
means <- t(vapply(crowds, function(crowd) {
  rowMeans(vapply(seq_len(n_draws), one_draw, numeric(6), crowd = crowd))
}, numeric(6)))
cells <- apply(means, 2, number, digits = 3)
columns <- c("coverage", "width", "error", "posterior: coverage", "width", "error")
table <- `colnames<-`(cbind(names(crowds), cells), c("crowd", columns))
write_report("worker_intervals", c(
  "# Intervals of the accuracy of workers", "",
  sprintf("Made by `Rscript bench/worker_intervals.R %d`.", n_draws), "",
  prose(sprintf("Means of %d crowds each, fitted by `mdpd()`;", n_draws),
        "a fifth of the workers guesses, where it is not said otherwise, and the others are right",
        "with probabilities from Beta(7, 3). *Coverage*: share of the workers whose 95 % interval",
        "holds the true accuracy; *width* of the interval; *error*: root mean squared error of the",
        "estimate. First what `worker_quality()` gives, from posterior-weighted counts at an",
        "effective number of labels; then from the posterior of the evidence."),
  "",
  unname(table_lines(table, right = columns)), "",
  machine_line()
))
