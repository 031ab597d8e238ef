# Would a simpler or another model of a crowd classify better than the package's? One-coin, where a
# worker is right with one probability whatever the true label is, and GLAD, where items differ in
# difficulty (Whitehill et al. 2009, Whose vote should count more), beside the majority vote, Dawid
# and Skene's EM (prior = 0), mdpd() and stagewise_em(): error on the eight real crowds, on these
# with few labels an item left, and on simulated crowds.
#
#   Rscript bench/crowd_models.R [draws = 2]               writes bench/results/crowd_models.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
source(file.path(here, "lib", "regimes_data.R"))
source(file.path(here, "lib", "crowd_models.R"))

real_names <- c("bluebird", "dog", "rte", "music", "face", "sentiment", "entities", "mozafari")

by_fit <- function(fit) function(labels) predict(suppressWarnings(fit(labels)))

methods <- list(
  "majority vote" = majority_vote,
  "one-coin" = function(labels) class_of(one_coin(labels), labels),
  "GLAD" = function(labels) class_of(glad(labels), labels),
  "Dawid-Skene" = by_fit(function(x) mdpd(x, length(x$labels), prior = 0, verbose = FALSE)),
  "mdpd()" = by_fit(function(x) mdpd(x, length(x$labels), verbose = FALSE)),
  "stagewise_em()" = by_fit(function(x) stagewise_em(x, length(x$labels), verbose = FALSE))
)

# Share of wrong labels by each method, in percent; `truth` is named by item.
errors_of <- function(labels, truth) {
  vapply(methods, function(method) {
    class <- method(labels)
    100 * mean(as.character(class)[match(names(truth), names(class))] != truth, na.rm = TRUE)
  }, 0)
}

# Real crowds -------------------------------------------------------------------------------------

real_errors <- function(crowd) errors_of(crowd$labels, crowd$truth)

# With at most `per_item` labels of each item, drawn at random.
thinned_errors <- function(crowd, per_item, n_draws) {
  triples <- as.data.frame(crowd$labels)
  draws <- vapply(seq_len(n_draws), function(seed) {
    set.seed(seed)
    rank <- stats::ave(stats::runif(nrow(triples)), triples$item, FUN = rank)
    kept <- crowd_labels(droplevels(triples[rank <= per_item, ]), duplicates = "count")
    errors_of(kept, crowd$truth[names(crowd$truth) %in% kept$items])
  }, numeric(length(methods)))
  rowMeans(draws)
}

# Simulated crowds --------------------------------------------------------------------------------

# `per_item` labels an item of `n_workers`, each right with his own probability, from Beta(7, 3);
# wrong labels are drawn with `lean` to the first label: 0, every wrong label is as likely.
draw_crowd <- function(n_items, n_workers, per_item, n_labels, lean = 0, spread = 0) {
  truth <- sample.int(n_labels, n_items, replace = TRUE)
  skill <- stats::qlogis(stats::rbeta(n_workers, 7, 3))
  ease <- exp(stats::rnorm(n_items, 0, spread))
  item <- rep(seq_len(n_items), each = per_item)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, per_item)))
  right <- stats::runif(length(item)) < stats::plogis(skill[worker] * ease[item])
  further <- sample.int(n_labels - 1, length(item), replace = TRUE)
  other <- (truth[item] + further - 1) %% n_labels + 1
  drawn_to_first <- truth[item] != 1 & stats::runif(length(item)) < lean
  label <- ifelse(right, truth[item], ifelse(drawn_to_first, 1, other))
  labels <- crowd_labels(data.frame(item, worker, label))
  list(labels = labels, truth = stats::setNames(truth, seq_len(n_items)))
}

simulated <- list(
  "one-coin: 1000 x 100, 3 labels an item, of 2" = function() draw_crowd(1000, 100, 3, 2),
  "the same, of 5 labels" = function() draw_crowd(1000, 100, 3, 5),
  "1000 x 500, 3 labels an item, of 4: 6 a worker" = function() draw_crowd(1000, 500, 3, 4),
  "workers lean: 1000 x 100, 3 labels, of 4" = function() draw_crowd(1000, 100, 3, 4, lean = 0.6),
  "the same, 10 labels" = function() draw_crowd(1000, 100, 10, 4, lean = 0.6),
  "GLAD: items differ, 1000 x 100, 5 labels, of 2" = function() {
    draw_crowd(1000, 100, 5, 2, spread = 1)
  },
  "1000 x 100, 5 experts among guessers" = function() {
    drawn <- draw_sparse_crowd(5, sample.int(1e6, 1))
    list(labels = drawn$x, truth = stats::setNames(as.character(drawn$truth), drawn$x$items))
  }
)

simulated_errors <- function(draw, n_draws) {
  draws <- vapply(seq_len(n_draws), function(seed) {
    set.seed(seed)
    real_errors(draw())
  }, numeric(length(methods)))
  rowMeans(draws)
}

# Report ------------------------------------------------------------------------------------------

rows_of <- function(errors) {
  errors <- do.call(rbind, errors)
  lines <- cbind(crowd = rownames(errors), apply(errors, 2, number, digits = 2))
  table_lines(lines, right = names(methods))
}

with_mean <- function(errors) c(errors, list(mean = Reduce(`+`, errors) / length(errors)))

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_draws <- if (length(arguments) > 0) arguments[1] else 2L
names <- real_crowd_names(real_names)
crowds <- lapply(stats::setNames(names, names), read_real)
real <- with_mean(lapply(crowds, real_errors))
thinned <- with_mean(lapply(crowds, thinned_errors, per_item = 3, n_draws))
drawn <- lapply(simulated, simulated_errors, n_draws)
write_report("crowd_models", c(
  "# Other models of a crowd", "",
  sprintf("Made by `Rscript bench/crowd_models.R %d`. Percent of wrong labels.", n_draws), "",
  prose("*One-coin*: a worker is right with one probability, drawn to a Beta(4, 2), and wrong",
        "labels are equally likely. *GLAD* (Whitehill et al. 2009): the log-odds of a right label",
        "are the skill of the worker times the ease of the item, with normal priors. Both are EM",
        "from the majority vote, all labels as likely, in `bench/lib/crowd_models.R`.",
        "*Dawid-Skene* is `mdpd(prior = 0)`; *mdpd()* and *stagewise_em()* are the defaults."),
  "",
  "## Real crowds", "", rows_of(real), "",
  "## Real crowds, at most 3 labels an item", "",
  prose(sprintf("Means of %d draws of the labels.", n_draws)), "", rows_of(thinned), "",
  "## Simulated crowds", "",
  prose(sprintf("Means of %d draws.", n_draws), "Items x workers. Workers are right with",
        "probabilities from Beta(7, 3); where they lean, six of ten wrong labels are the first",
        "one; where items differ, the log-odds are multiplied by a log-normal ease. The last is of",
        "`bench/crowd_priors.R`."), "",
  rows_of(drawn), "",
  machine_line()
))
