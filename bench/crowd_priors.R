# What drawing the workers of a crowd to each other is worth: the error of mdpd() by default beside
# that of Dawid and Skene's EM (prior = 0), the majority vote and the default call, on the eight
# real crowds and on simulated ones.
#
#   Rscript bench/crowd_priors.R [draws = 10]              writes bench/results/crowd_priors.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
source(file.path(here, "lib", "regimes_data.R"))

real_names <- c("bluebird", "dog", "rte", "music", "face", "sentiment", "entities", "mozafari")

methods <- list(
  "majority vote" = function(labels, k) majority_vote(labels),
  "Dawid-Skene" = function(labels, k) mdpd(labels, k, prior = 0, verbose = FALSE),
  "mdpd()" = function(labels, k) mdpd(labels, k, verbose = FALSE),
  "stagewise_em()" = function(labels, k) stagewise_em(labels, k, verbose = FALSE)
)

# Share of wrong labels by each method; a fit's warnings show in its error.
errors_of <- function(labels, truth) {
  vapply(methods, function(method) {
    estimate <- suppressWarnings(method(labels, length(labels$labels)))
    class <- if (inherits(estimate, "mdpd")) predict(estimate) else estimate
    mean(as.character(class)[match(names(truth), names(class))] != truth, na.rm = TRUE)
  }, 0)
}

real_errors <- function(name) {
  crowd <- read_real(name)
  errors_of(crowd$labels, crowd$truth)
}

# Three labels; some workers guess, the others are right with probabilities from Beta(7, 3).
draw_guessing_crowd <- function(n_items, n_workers, per_item, guessers) {
  truth <- sample.int(3, n_items, replace = TRUE)
  right <- ifelse(stats::runif(n_workers) < guessers, 1 / 3, stats::rbeta(n_workers, 7, 3))
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  other <- (truth[item] + sample.int(2, length(item), replace = TRUE) - 1) %% 3 + 1
  label <- ifelse(stats::runif(length(item)) < right[worker], truth[item], other)
  labels <- crowd_labels(data.frame(item, worker, label))
  list(x = labels, truth = truth[as.integer(labels$items)])
}

simulated <- list(
  "3000 items x 50 weak workers, 5 labels an item" = function(seed) draw_weak_crowd(3000, 50, 5),
  "3000 x 50, 10 labels" = function(seed) draw_weak_crowd(3000, 50, 10),
  "6000 x 100, 5 labels" = function(seed) draw_weak_crowd(6000, 100, 5),
  "600 x 60, 6 labels, 60 % guess" = function(seed) draw_guessing_crowd(600, 60, 6, 0.6),
  "600 x 200, 5 labels, 20 % guess" = function(seed) draw_guessing_crowd(600, 200, 5, 0.2),
  "1000 x 100, 3 experts among guessers" = function(seed) draw_sparse_crowd(3, seed),
  "1000 x 100, 5 experts" = function(seed) draw_sparse_crowd(5, seed),
  "1000 x 100, 10 experts" = function(seed) draw_sparse_crowd(10, seed),
  "1000 x 100, 20 experts" = function(seed) draw_sparse_crowd(20, seed)
)

mean_errors <- function(draw, n_draws) {
  errors <- vapply(seq_len(n_draws), function(seed) {
    set.seed(seed)
    data <- draw(seed)
    errors_of(data$x, stats::setNames(as.character(data$truth), data$x$items))
  }, numeric(length(methods)))
  rowMeans(errors)
}

rows_of <- function(errors) {
  errors <- do.call(rbind, errors)
  cbind(crowd = rownames(errors), apply(100 * errors, 2, number, digits = 2))
}

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_draws <- if (length(arguments) > 0) arguments[1] else 10L
real <- lapply(stats::setNames(real_names, real_names), real_errors)
real$mean <- Reduce(`+`, real) / length(real)
drawn <- lapply(simulated, mean_errors, n_draws = n_draws)
write_report("crowd_priors", c(
  "# Workers drawn to the crowd", "",
  sprintf("Made by `Rscript bench/crowd_priors.R %d`. Percent of wrong labels.", n_draws), "",
  prose("*Dawid-Skene* is `mdpd(prior = 0)`, in which each worker stands alone; *mdpd()* is the",
        "default, `prior = \"crowd\"`; *stagewise_em()* is the default call, which searches on."),
  "",
  "## Real crowds", "", table_lines(rows_of(real), right = names(methods)), "",
  "## Simulated crowds", "",
  prose(sprintf("Means of %d draws.", n_draws), "Of the weak workers a fifth is right with",
        "probability 0.775, the others with 0.40 to 0.475, of four labels; experts are right with",
        "0.6 of three. Where some guess, the others are right with probabilities from Beta(7, 3),",
        "of three labels."), "",
  table_lines(rows_of(drawn), right = names(methods)), "",
  machine_line()
))
