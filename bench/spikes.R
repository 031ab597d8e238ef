# Which orientations and which neurons are found in simulated spike trains.
#
#   Rscript bench/spikes.R
#
# Takes half an hour. Writes bench/results/spikes.md and, in vignettes/results/:
#   spikes-draws.csv    a row for each population, draw and method
#   spikes-classes.csv  one draw: share of the orientations in each class, by method
#   spikes-neurons.csv  one draw: what each neuron tells, in truth and in the default fit
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

seeds <- 1:5
# The first is what simulate_spikes() has by default: 60 of 240 neurons tuned, 2400 trials, gains
# correlated by 0.2. The others differ from it in one thing.
populations <- list(
  "240 neurons" = list(),
  "600 neurons" = list(n_neurons = 600, n_tuned = 60),
  "1200 trials" = list(n_trials = 1200),
  "gains correlated by 0.5" = list(gain_correlation = 0.5),
  "one gain for all neurons" = list(gain_correlation = 1)
)
shown <- "600 neurons"

# Each takes what simulate_spikes() returns and gives a fit, or classes.
methods <- list(
  "true model" = function(visual) predict(visual$model, visual$spikes),
  "default call" = function(visual) stagewise_em(visual$spikes, k = visual$k, verbose = FALSE),
  "from the true classes" = function(visual) {
    fit <- mdpd(visual$spikes, k = visual$k, start = visual$truth, verbose = FALSE)
    refine(fit, type = "sparse", control = stagewise_control(polish = TRUE), verbose = FALSE)
  },
  "EM on all neurons" = function(visual) {
    mdpd(visual$spikes, k = visual$k, verbose = FALSE)
  }
)

# Measures ----------------------------------------------------------------------------------------

# classes x orientations: the share of a class's trials that showed the orientation.
class_tuning <- function(classes, truth) {
  shares <- prop.table(table(class = classes, orientation = truth), 1)
  shares[!is.nan(shares[, 1]), , drop = FALSE]
}

classes_of <- function(result) if (inherits(result, "mdpd")) predict(result) else result

# An orientation is recovered when it is the peak of a class that has at least half its trials from
# it: peaks alone would lie at 8 of 12 orientations if classes had nothing to do with them.
measure_classes <- function(result, visual) {
  tuning <- class_tuning(classes_of(result), visual$truth)
  peak <- apply(tuning, 1, which.max)
  height <- apply(tuning, 1, max)
  data.frame(
    peaks = length(unique(peak)), recovered = length(unique(peak[height >= 0.5])),
    height = mean(height), error = error_rate(result, visual$truth, align = TRUE)
  )
}

# Plain EM chooses no neurons: all of them take part.
measure_neurons <- function(result, visual) {
  if (!inherits(result, "mdpd")) {
    return(data.frame(informative = NA, precision = NA, recall = NA, penalised_loglik = NA))
  }
  tuned <- visual$model$informative
  chosen <- informative(result)
  data.frame(
    informative = length(chosen), precision = mean(chosen %in% tuned),
    recall = mean(tuned %in% chosen), penalised_loglik = result$penalised_loglik
  )
}

run_method <- function(name, visual) {
  seconds <- sum(system.time(result <- methods[[name]](visual))[c("user.self", "sys.self")])
  list(
    result = result,
    row = data.frame(
      method = name, measure_classes(result, visual), measure_neurons(result, visual),
      seconds = seconds
    )
  )
}

measure_draw <- function(population, seed) {
  message(population, ", seed ", seed)
  visual <- do.call(simulate_spikes, c(populations[[population]], seed = seed))
  runs <- lapply(stats::setNames(nm = names(methods)), run_method, visual = visual)
  c(
    list(rows = data.frame(population, seed, do.call(rbind, lapply(runs, `[[`, "row")))),
    # The others are not looked at again.
    if (population == shown && seed == seeds[1]) {
      list(visual = visual, results = lapply(runs, `[[`, "result"))
    }
  )
}

# Stored for the vignette -------------------------------------------------------------------------

write_result <- function(table, name) {
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, 6)
  utils::write.csv(
    table, file.path(here, "..", "vignettes", "results", paste0("spikes-", name, ".csv")),
    row.names = FALSE, quote = FALSE
  )
}

# The classes of each method under the names of the orientations they are matched to.
tuning_table <- function(draw) {
  do.call(rbind, lapply(c("default call", "EM on all neurons"), function(method) {
    classes <- predict(align_components(draw$results[[method]], draw$visual$truth))
    data.frame(method, as.data.frame(class_tuning(classes, draw$visual$truth),
                                     responseName = "share"))
  }))
}

neuron_table <- function(draw) {
  fit <- draw$results[["default call"]]
  data.frame(
    draw$visual$neurons[c("neuron", "tuned")],
    true_information = draw$visual$model$item_information,
    information = fit$item_information,
    informative = draw$visual$neurons$neuron %in% informative(fit)
  )
}

# Report ------------------------------------------------------------------------------------------

mean_and_range <- function(x, digits) {
  if (anyNA(x)) {
    return("-")
  }
  ends <- number(range(x), digits)
  paste0(number(mean(x), max(1, digits)), if (ends[1] != ends[2]) {
    paste0(" (", ends[1], " to ", ends[2], ")")
  })
}

summary_lines <- function(draws) {
  groups <- split(draws, factor(draws$method, names(methods)))
  table <- do.call(rbind, lapply(names(groups), function(method) {
    group <- groups[[method]]
    c(
      method = method, peaks = mean_and_range(group$peaks, 0),
      recovered = mean_and_range(group$recovered, 0), height = mean_and_range(group$height, 2),
      error = mean_and_range(group$error, 3), informative = mean_and_range(group$informative, 0),
      precision = mean_and_range(group$precision, 2), recall = mean_and_range(group$recall, 2),
      "penalised log-likelihood" = number(mean(group$penalised_loglik), 0),
      seconds = number(mean(group$seconds), 1)
    )
  }))
  table_lines(table, c("penalised log-likelihood", "seconds"))
}

draws <- lapply(stats::setNames(nm = names(populations)), function(population) {
  lapply(seeds, measure_draw, population = population)
})
rows <- do.call(rbind, lapply(unlist(draws, recursive = FALSE), `[[`, "rows"))
write_result(rows, "draws")
write_result(tuning_table(draws[[shown]][[1]]), "classes")
write_result(neuron_table(draws[[shown]][[1]]), "neurons")

write_report("spikes", c(
  "# Spike trains: orientations and tuned neurons that are found",
  "",
  "Written by `Rscript bench/spikes.R`; do not edit by hand.",
  "",
  machine_line(),
  "",
  "`simulate_spikes()`: 2400 trials of 12 orientations, 240 neurons, of which 60 are tuned, gains",
  "correlated by 0.2; the title says what is otherwise. Seeds 1 to 5, mean and range.",
  "",
  "- *peaks*: different orientations at which the tuning curves of the classes peak, of 12.",
  "- *recovered*: those of them that at least half the trials of a class show.",
  "- *height*: mean over the classes of the share of their trials at the peak.",
  "- *error*: share of trials in the wrong class under the best matching of classes.",
  "- *precision*, *recall*: of the informative neurons as the tuned ones.",
  "- *true model* knows all probabilities. *From the true classes* starts sparse EM at the truth,",
  "  with the polish of the default call: what the likelihood prefers near it.",
  "- *EM on all neurons* is `mdpd()`: the best of ten random starts. Seconds are processor time.",
  unlist(lapply(names(populations), function(population) {
    c("", paste0("## ", population), "", summary_lines(rows[rows$population == population, ]))
  }))
))
