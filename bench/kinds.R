# Crowds whose labels have several kinds of items: what more components than labels are worth, how
# often the evidence asks for them where there are none, and what they cost real crowds.
#
#   Rscript bench/kinds.R       writes bench/results/kinds.md (minutes)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

# Simulated crowds ---------------------------------------------------------------------------------

# Each item is labelled by `redundancy` workers, who are right with probability `skill`, their own;
# of hard items they say the label `mistake` with a probability around `mistaken` and the true one
# else.
draw_crowd <- function(truth, is_hard, mistake, mistaken, skill, redundancy, n_labels) {
  n_items <- length(truth)
  n_workers <- length(skill)
  of_hard <- pmin(0.98, pmax(0.02, stats::rnorm(n_workers, mistaken, 0.1)))
  item <- rep(seq_len(n_items), each = redundancy)
  worker <- as.vector(replicate(n_items, sample.int(n_workers, redundancy)))
  own <- truth[item]
  other <- 1 + (own - 1 + sample.int(n_labels - 1, length(own), replace = TRUE)) %% n_labels
  u <- stats::runif(length(own))
  label <- ifelse(is_hard[item], ifelse(u < of_hard[worker], mistake[own], own),
                  ifelse(u < skill[worker], own, other))
  list(labels = crowd_labels(data.frame(item, worker, label)),
       truth = stats::setNames(truth, seq_len(n_items)))
}

# 35 % of the items of some labels or of all are hard.
shared_mistakes <- function(n_labels, redundancy, mistaken, labels_with_hard, hard = 0.35) {
  truth <- sample.int(n_labels, 600, replace = TRUE)
  is_hard <- truth <= labels_with_hard & stats::runif(600) < hard
  draw_crowd(truth, is_hard, c(seq_len(n_labels)[-1], 1), mistaken, stats::runif(40, 0.6, 0.95),
             redundancy, n_labels)
}

# Four common labels, 30 % of the items of two of them hard; the fifth is rare.
rare_label <- function(redundancy, mistaken, share) {
  truth <- sample.int(5, 300, replace = TRUE, prob = c(0.3, 0.3, 0.2, 0.2 - share, share))
  is_hard <- truth <= 2 & stats::runif(300) < 0.3
  draw_crowd(truth, is_hard, c(3, 4, 1, 2, 1), mistaken, stats::runif(60, 0.7, 0.95), redundancy, 5)
}

one_kind <- function(n_labels, redundancy) {
  shared_mistakes(n_labels, redundancy, 0.4, 0, hard = 0)
}

# Of one crowd -------------------------------------------------------------------------------------

# The error where each component has a label of its own, whatever the votes say.
one_to_one_error <- function(fit, crowd) {
  labels <- crowd$labels$labels
  votes <- crossprod(fit$posterior, majority_vote(crowd$labels, type = "prob"))
  label <- labels[as.integer(clue::solve_LSAP(votes, maximum = TRUE))]
  class <- stats::setNames(label[max.col(fit$posterior)], rownames(fit$posterior))
  error_rate(class, crowd$truth)
}

errors_of <- function(name, crowd) {
  n_labels <- length(crowd$labels$labels)
  ks <- seq(n_labels, min(2 * n_labels, n_labels + 5))
  path <- quietly(stagewise_em(crowd$labels, ks, verbose = FALSE))
  one <- choose_k(path, n_labels)
  unsure <- path$path$k[which.max(path$path$evidence)]
  data.frame(
    family = name, vote = error_rate(majority_vote(crowd$labels), crowd$truth),
    dawid_skene = error_rate(quietly(mdpd(crowd$labels, n_labels, prior = 0, verbose = FALSE)),
                             crowd$truth),
    one_to_one = one_to_one_error(one, crowd), of_labels = error_rate(one, crowd$truth),
    chosen = error_rate(path, crowd$truth),
    by_evidence_alone = error_rate(choose_k(path, unsure), crowd$truth),
    more = path$k > n_labels, more_by_evidence_alone = unsure > n_labels
  )
}

quietly <- function(expr) suppressMessages(suppressWarnings(expr))

all_of <- function(name, design, draw) {
  rows <- lapply(seq_len(nrow(design)), function(row) {
    set.seed(100 + row)
    errors_of(name, do.call(draw, as.list(design[row, , drop = FALSE])))
  })
  do.call(rbind, rows)
}

simulated <- rbind(
  all_of("shared mistakes, one label", expand.grid(
    n_labels = c(2, 3, 5), redundancy = c(3, 5, 10), mistaken = c(0.25, 0.35, 0.42),
    labels_with_hard = 1
  ), shared_mistakes),
  all_of("shared mistakes, all labels", expand.grid(
    n_labels = c(2, 3, 5), redundancy = c(3, 5, 10), mistaken = c(0.25, 0.35, 0.42),
    labels_with_hard = 5
  ), shared_mistakes),
  all_of("a rare label", expand.grid(
    redundancy = c(5, 10, 20), mistaken = c(0.3, 0.4), share = c(0.03, 0.01), draw = 1:2
  ), function(draw, ...) rare_label(...)),
  all_of("one kind a label", expand.grid(
    n_labels = 2:5, redundancy = c(3, 5, 10), draw = 1:2
  ), function(draw, ...) one_kind(...))
)

eight <- c("bluebird", "dog", "rte", "music", "face", "sentiment", "entities", "mozafari")
eight <- eight[file.exists(file.path(shared_folder, "data", paste0(eight, "_labels.csv")))]
real <- do.call(rbind, lapply(eight, function(name) errors_of(name, read_real(name))))

# The report ---------------------------------------------------------------------------------------

errors <- c("vote", "dawid_skene", "one_to_one", "of_labels", "chosen", "by_evidence_alone")
headings <- c("vote", "Dawid-Skene", "k labels, one to one", "k labels", "chosen",
              "by evidence alone")

by_family <- function(rows) {
  one <- function(family) {
    of <- rows[rows$family == family, ]
    gain <- of$chosen - of$of_labels
    data.frame(
      family, nrow(of), t(sprintf("%.1f", 100 * colMeans(of[errors]))), sum(of$more),
      sum(gain < -0.005), sum(gain > 0.005), sum(of$more_by_evidence_alone)
    )
  }
  table <- do.call(rbind, lapply(unique(rows$family), one))
  names(table) <- c("crowds", "number", headings, "k larger", "better", "worse",
                    "k larger by evidence alone")
  table
}

of_real <- function(rows) {
  table <- data.frame(rows$family, vapply(rows[errors], function(x) sprintf("%.2f", 100 * x),
                                          character(nrow(rows))))
  names(table) <- c("crowd", headings)
  table
}

write_report("kinds", c(
  "# Several components a label",
  "",
  prose(
    "Made by `Rscript bench/kinds.R`: errors in percent. *k labels*: `stagewise_em()` with as many",
    "components as labels; *one to one*: the same fit if each component had to have a label of its",
    "own. *Chosen*: of `k` from the number of labels to twice that, at most five more, those that",
    "are not sure of their labels passed over; *by evidence alone*: none passed over. *Better* and",
    "*worse*: by more than half a percentage point than with as many components as labels.",
    "Simulated crowds have 600 items and 40 workers (with a rare label 300 and 60), 3 to 20 labels",
    "an item."
  ),
  "",
  table_lines(by_family(simulated), right = names(by_family(simulated))[-1]),
  "",
  "## Real crowds",
  "",
  table_lines(of_real(real), right = headings)
))
