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

# Of two labels a worker is right about the first with one probability and about the second with
# another.
draw_two_labels <- function(n_items, n_workers, per_item, right_1, right_2) {
  truth <- sample.int(2, n_items, replace = TRUE)
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  right <- ifelse(truth[item] == 1, right_1[worker], right_2[worker])
  is_right <- stats::runif(length(item)) < right
  crowd_of(item, worker, ifelse(is_right, truth[item], 3 - truth[item]), truth)
}

# All lean to the first label.
draw_leaning <- function(n_items, n_workers, per_item) {
  draw_two_labels(n_items, n_workers, per_item, stats::runif(n_workers, 0.85, 0.97),
                  stats::runif(n_workers, 0.3, 0.8))
}

# As often right about both, one worker more than another.
draw_unequal <- function(n_items, n_workers, per_item, a, b) {
  right <- stats::rbeta(n_workers, a, b)
  draw_two_labels(n_items, n_workers, per_item, right, right)
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

# All workers are right with one probability, and each wrong label is as likely.
draw_one_accuracy <- function(n_items, n_workers, n_labels, right, seed) {
  crowd <- simulate_crowd(n_items, n_workers, n_labels, rep(right, n_workers), seed = seed)
  list(x = crowd$labels, truth = crowd$truth)
}

# Crowds in which more than the label makes the answers. As a crowd of answers in long form.
crowd_of <- function(item, worker, label, truth) {
  labels <- crowd_labels(data.frame(item, worker, label))
  list(x = labels, truth = truth[as.integer(labels$items)])
}

# Items from easy to hard, each of which has one label that its mistakes are mostly taken for.
draw_hard_items <- function(n_workers, n_items = 400) {
  truth <- sample.int(3, n_items, replace = TRUE, c(0.5, 0.3, 0.2))
  hardness <- stats::runif(n_items)
  skill <- stats::runif(n_workers, 0.8, 0.97)
  near <- vapply(truth, function(label) sample(setdiff(1:3, label), 1), 1)
  item <- rep(seq_len(n_items), n_workers)
  worker <- rep(seq_len(n_workers), each = n_items)
  is_right <- stats::runif(length(item)) <
    skill[worker] * (1 - hardness[item]) + hardness[item] / 2
  mistake <- ifelse(stats::runif(length(item)) < 0.8, near[item],
                    sample.int(3, length(item), replace = TRUE))
  crowd_of(item, worker, ifelse(is_right, truth[item], mistake), truth)
}

# Labels along a scale: workers differ in how far they spread and where they lean.
draw_ordered <- function(n_labels, n_items = 300, n_workers = 20, per_item = 6) {
  truth <- sample.int(n_labels, n_items, replace = TRUE)
  spread <- stats::runif(n_workers, 0.6, 1.5)
  lean <- stats::rnorm(n_workers, 0, 0.4)
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  label <- mapply(function(item, worker) {
    at <- truth[item] + lean[worker]
    sample.int(n_labels, 1, prob = stats::dnorm(seq_len(n_labels), at, spread[worker]))
  }, item, worker)
  crowd_of(item, worker, label, truth)
}

# Eight of 20 workers follow one source that knows nothing.
draw_followers <- function(n_items = 400, n_workers = 20, per_item = 8) {
  truth <- sample.int(3, n_items, replace = TRUE)
  source <- sample.int(3, n_items, replace = TRUE)
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  follows <- ifelse(worker <= 8, source[item], truth[item])
  says <- stats::runif(length(item)) < ifelse(worker <= 8, 0.9, 0.8)
  label <- ifelse(says, follows, sample.int(3, length(item), replace = TRUE))
  crowd_of(item, worker, label, truth)
}

# All workers miss more of the second label than they see.
draw_biased <- function(n_items = 400, n_workers = 40, per_item = 10) {
  truth <- sample.int(2, n_items, replace = TRUE)
  sees <- stats::runif(n_workers, 0.25, 0.6)
  mistakes <- stats::runif(n_workers, 0.02, 0.15)
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  says_2 <- stats::runif(length(item)) < ifelse(truth[item] == 2, sees[worker], mistakes[worker])
  crowd_of(item, worker, 1 + says_2, truth)
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
  "1000 x 100, 20 experts" = function(seed) draw_sparse_crowd(20, seed),
  "62 items x 12 workers, 8 labels, right with 0.4" = function(seed) {
    draw_one_accuracy(62, 12, 8, 0.4, seed)
  },
  "100 x 6, 5 labels, right with 0.6" = function(seed) draw_one_accuracy(100, 6, 5, 0.6, seed),
  "40 x 8, 4 labels, right with 0.5" = function(seed) draw_one_accuracy(40, 8, 4, 0.5, seed),
  "400 items x 15 workers, items of all grades of hardness" = function(seed) draw_hard_items(15),
  "400 x 7, items of all grades of hardness" = function(seed) draw_hard_items(7),
  "300 x 20, 6 answers, 5 labels along a scale" = function(seed) draw_ordered(5),
  "300 x 20, 6 answers, 8 labels along a scale" = function(seed) draw_ordered(8),
  "400 x 20, 8 answers, 8 workers follow a source" = function(seed) draw_followers(),
  "400 x 40, 10 answers, all miss a label" = function(seed) draw_biased(),
  "600 x 25, 3 answers, 2 labels, all lean to one" = function(seed) draw_leaning(600, 25, 3),
  "2000 x 60, 3 answers, 2 labels, all lean to one" = function(seed) draw_leaning(2000, 60, 3),
  "200 x 20, 5 answers, 2 labels, Beta(6, 4)" = function(seed) draw_unequal(200, 20, 5, 6, 4),
  "80 x 8, 4 answers, 2 labels, Beta(7, 3)" = function(seed) draw_unequal(80, 8, 4, 7, 3),
  "3000 x 100, 3 answers, 2 labels, Beta(12, 6)" = function(seed) {
    draw_unequal(3000, 100, 3, 12, 6)
  },
  "400 x 6, 2 labels, right with 0.6" = function(seed) draw_one_accuracy(400, 6, 2, 0.6, seed),
  "100 x 10, 2 labels, right with 0.6" = function(seed) draw_one_accuracy(100, 10, 2, 0.6, seed)
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
        "of three labels; with Beta(a, b) all are. Who lean to a label are right about it with .85",
        "to .97, and about the other with .3 to .8."), "",
  table_lines(rows_of(drawn), right = names(methods)), "",
  machine_line()
))
