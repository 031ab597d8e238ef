# Error, size of the informative set and time on real and on simulated crowds.
# Usage: Rscript bench/crowds.R [folder]
#   folder  holds <name>_labels.csv (item,worker,label) and <name>_truth.csv (item,label) for
#           bluebird, dog and rte; by default ../shared/data, seen from the clone
# Writes bench/crowds.md. The package must be installed; `R_LIBS=.lib` before the command takes the
# one that `make demo` installs into the clone.
library(mdpd)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- normalizePath(file.path(dirname(script), ".."))
folder <- c(commandArgs(trailingOnly = TRUE), file.path(root, "..", "shared", "data"))[1]
if (!file.exists(file.path(folder, "bluebird_labels.csv"))) {
  stop("There are no crowds in ", folder, ": give their folder as the first argument.")
}

# The methods -------------------------------------------------------------------------------------

# Each takes labels and the number of classes and returns a fit or, for the vote, a class an item.
fit_with <- function(...) {
  function(labels, k) stagewise_em(labels, k = k, ..., verbose = FALSE)
}
vote <- function(labels, k) majority_vote(labels)

complete_methods <- list(
  "majority vote" = vote,
  "paper" = fit_with(method = "paper", refine = "none"),
  "paper, then full EM" = fit_with(method = "paper", refine = "full"),
  "default call" = fit_with()
)

# With missing labels the paper's way of treating them is one more setting.
incomplete_methods <- c(
  complete_methods[1:3],
  list(
    "paper, missing frozen" = fit_with(method = "paper", refine = "none", missing = "frozen"),
    "paper, missing frozen, then full EM" =
      fit_with(method = "paper", refine = "full", missing = "frozen")
  ),
  complete_methods[4]
)

# The result and the median of `times` processor times: what else runs on the machine hardly counts.
run <- function(method, labels, k, times = 5) {
  seconds <- numeric(times)
  for (i in seq_len(times)) {
    seconds[i] <- sum(system.time(result <- method(labels, k))[c("user.self", "sys.self")])
  }
  list(result = result, seconds = stats::median(seconds))
}

# Full EM and the vote choose no workers.
chooses_workers <- function(result) inherits(result, "mdpd") && result$refine != "full"

n_informative <- function(result) {
  if (chooses_workers(result)) length(informative(result)) else NA
}

# Real crowds -------------------------------------------------------------------------------------

read_real <- function(name) {
  truth <- utils::read.csv(file.path(folder, paste0(name, "_truth.csv")))
  list(
    labels = read_crowd(file.path(folder, paste0(name, "_labels.csv"))),
    truth = stats::setNames(truth$label, truth$item)
  )
}

# The crowd of the `n` workers with the most labels, as in the paper's experiment on dog.
most_active <- function(labels, n) {
  triples <- as.data.frame(labels)
  workers <- names(sort(table(triples$worker), decreasing = TRUE))[seq_len(n)]
  crowd_labels(droplevels(triples[triples$worker %in% workers, ]))
}

measure_real <- function(name, labels, truth, methods) {
  runs <- lapply(methods, run, labels = labels, k = length(labels$labels))
  data.frame(
    crowd = name, items = nrow(labels), workers = ncol(labels), method = names(methods),
    wrong = vapply(runs, function(run) n_wrong(run$result, truth), 0),
    error = vapply(runs, function(run) 100 * error_rate(run$result, truth), 0),
    informative = vapply(runs, function(run) n_informative(run$result), 0),
    seconds = vapply(runs, function(run) run$seconds, 0)
  )
}

n_wrong <- function(result, truth) round(error_rate(result, truth) * length(truth))

# The mean error of a majority vote that draws among tied labels.
random_ties_error <- function(labels, truth) {
  votes <- majority_vote(labels, type = "prob")
  tied <- votes == apply(votes, 1, max)
  right <- tied[cbind(names(truth), as.character(truth))] / rowSums(tied)[names(truth)]
  1 - mean(right)
}

real_crowds <- function() {
  bluebird <- read_real("bluebird")
  dog <- read_real("dog")
  rte <- read_real("rte")
  rbind(
    measure_real("bluebird", bluebird$labels, bluebird$truth, complete_methods),
    measure_real("dog", dog$labels, dog$truth, incomplete_methods),
    measure_real("dog, 52 workers", most_active(dog$labels, 52), dog$truth, incomplete_methods),
    measure_real("rte", rte$labels, rte$truth, incomplete_methods)
  )
}

# Simulated crowds --------------------------------------------------------------------------------

measure_draw <- function(n_experts, seed) {
  crowd <- simulate_crowd(
    n_items = 1000, n_workers = 100, n_labels = 3, accuracy = rep(0.6, n_experts), seed = seed
  )
  runs <- lapply(complete_methods, run, labels = crowd$labels, k = crowd$k, times = 1)
  error <- vapply(runs, function(run) error_rate(run$result, crowd$truth), 0)
  data.frame(
    experts = n_experts, seed = seed, method = c("true model", names(runs)),
    error = c(error_rate(predict(crowd$model, crowd$labels), crowd$truth), error),
    informative = c(NA, vapply(runs, function(run) n_informative(run$result), 0)),
    exact = c(NA, vapply(runs, function(run) {
      chooses_workers(run$result) && setequal(informative(run$result), crowd$model$informative)
    }, NA)),
    seconds = c(NA, vapply(runs, function(run) run$seconds, 0))
  )
}

simulated_crowds <- function(n_experts = c(3, 5, 10, 20), seeds = 1:8) {
  cases <- expand.grid(seed = seeds, n_experts = n_experts)
  draws <- do.call(rbind, Map(measure_draw, cases$n_experts, cases$seed))
  draws$method <- factor(draws$method, unique(draws$method))
  groups <- split(draws, list(draws$method, draws$experts), drop = TRUE)
  do.call(rbind, lapply(groups, function(group) {
    data.frame(
      experts = group$experts[1], method = as.character(group$method[1]),
      error = mean(group$error), lowest = min(group$error), highest = max(group$error),
      informative = mean(group$informative), exact = sum(group$exact),
      seconds = mean(group$seconds)
    )
  }))
}

# Writing -----------------------------------------------------------------------------------------

table_lines <- function(table, align) {
  row <- function(cells) paste0("| ", paste(cells, collapse = " | "), " |")
  c(row(colnames(table)), row(align), apply(table, 1, row))
}

number <- function(x, digits) {
  text <- formatC(x, format = "f", digits = digits)
  replace(text, is.na(x), "")
}

real_lines <- function(real) {
  table_lines(
    cbind(
      crowd = real$crowd, "items x workers" = paste(real$items, "x", real$workers),
      method = real$method, wrong = real$wrong, "error (%)" = number(real$error, 2),
      informative = number(real$informative, 0), seconds = number(real$seconds, 3)
    ),
    c("---", "---", "---", "---:", "---:", "---:", "---:")
  )
}

simulated_lines <- function(simulated) {
  chooses <- !is.na(simulated$informative)
  table_lines(
    cbind(
      experts = simulated$experts, method = simulated$method,
      "mean error" = number(simulated$error, 3),
      "lowest to highest" = paste(number(simulated$lowest, 3), "to", number(simulated$highest, 3)),
      informative = number(simulated$informative, 1),
      "exactly the experts" = ifelse(chooses, paste(simulated$exact, "of 8"), ""),
      seconds = number(simulated$seconds, 3)
    ),
    c("---:", "---", "---:", "---", "---:", "---:", "---:")
  )
}

machine_line <- function() {
  cpu <- "unknown processor"
  if (file.exists("/proc/cpuinfo")) {
    cpu <- grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)[1]
    cpu <- sub("^.*: *", "", cpu)
  }
  paste0(cpu, ", ", parallel::detectCores(), " cores (one is used); ", utils::osVersion, "; ",
         R.version.string, "; mdpd ", utils::packageVersion("mdpd"), ".")
}

ties_line <- function(name) {
  crowd <- read_real(name)
  sprintf("%s %.2f %%", name, 100 * random_ties_error(crowd$labels, crowd$truth))
}

report <- c(
  "# Crowds: error, informative workers and time",
  "",
  "Written by `Rscript bench/crowds.R [folder]`; do not edit by hand.",
  "",
  paste("Machine:", machine_line()),
  "",
  "- *majority vote* is `majority_vote()`.",
  "- *paper* is `method = \"paper\", refine = \"none\"`; *then full EM* has `refine = \"full\"`.",
  "- *default call* is `stagewise_em(labels, k)`.",
  "- *missing frozen* is `missing = \"frozen\"`, as in the paper; others ignore missing labels.",
  "- *informative* is the number of workers in the informative set; full EM uses all workers.",
  "- *seconds* are processor time, without reading the file.",
  "",
  "## Real crowds",
  "",
  "Data: Zhang, Chen, Zhou and Jordan (2014), not part of the package. Components are matched to",
  "labels without the truth. Seconds are the median of five runs.",
  "",
  real_lines(real_crowds()),
  "",
  "The majority vote breaks ties the same way every time, so one rule decides all of them. With",
  "ties broken at random its mean error would be",
  paste0(toString(vapply(c("bluebird", "dog", "rte"), ties_line, "")), ";"),
  "the figure published for rte, 10.31 %, is such a mean.",
  "",
  "## Simulated crowds",
  "",
  "`simulate_crowd(n_items = 1000, n_workers = 100, n_labels = 3, accuracy = rep(0.6, experts))`,",
  "seeds 1 to 8. The error is the share of items in the wrong class, the true model the one that",
  "the labels were drawn from. Seconds are means over the eight draws.",
  "",
  simulated_lines(simulated_crowds())
)
writeLines(report, file.path(root, "bench", "crowds.md"))
cat(report, sep = "\n")
