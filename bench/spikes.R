# Which orientations and which neurons are found in simulated spike trains.
#
#   Rscript bench/spikes.R [draws = 5]
#
# Takes an hour. Results are kept in .build/bench/spikes, a file for each population, draw and
# method, and the next run goes on where it was. Writes bench/results/spikes.md and, in
# vignettes/results/:
#   spikes-draws.csv    a row for each population, draw and method
#   spikes-classes.csv  one draw: share of the orientations in each class, by method
#   spikes-neurons.csv  one draw: what each neuron tells, in truth and by method
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

arguments <- commandArgs(trailingOnly = TRUE)
seeds <- seq_len(if (length(arguments) > 0) as.integer(arguments[1]) else 5L)
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

by_bic <- function(...) stagewise_control(criterion = "bic", ...)

# Each takes what simulate_spikes() returns and gives a fit, or classes.
methods <- list(
  "true model" = function(visual) predict(visual$model, visual$spikes),
  "the paper" = function(visual) {
    stagewise_em(visual$spikes, k = visual$k, method = "paper", refine = "none", verbose = FALSE)
  },
  "default call" = function(visual) stagewise_em(visual$spikes, k = visual$k, verbose = FALSE),
  "by BIC" = function(visual) {
    stagewise_em(visual$spikes, k = visual$k, control = by_bic(), verbose = FALSE)
  },
  "from the true classes, by BIC" = function(visual) {
    fit <- mdpd(visual$spikes, k = visual$k, start = visual$truth, control = by_bic(),
                verbose = FALSE)
    refine(fit, type = "sparse", control = by_bic(polish = TRUE), verbose = FALSE)
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

# The classes under the names of the orientations they are matched to, and what each neuron tells.
tuning_table <- function(method, fit, visual) {
  classes <- predict(align_components(fit, visual$truth))
  data.frame(method, as.data.frame(class_tuning(classes, visual$truth), responseName = "share"))
}

neuron_table <- function(method, fit, visual) {
  data.frame(
    method, visual$neurons[c("neuron", "tuned")],
    true_information = visual$model$item_information,
    information = fit$item_information, informative = visual$neurons$neuron %in% informative(fit)
  )
}

measure_method <- function(method, visual) {
  message("  ", method)
  time <- system.time(result <- suppressWarnings(methods[[method]](visual)))
  is_fit <- inherits(result, "mdpd")
  list(
    row = data.frame(method, measure_classes(result, visual), measure_neurons(result, visual),
                     seconds = sum(time[c("user.self", "sys.self")])),
    classes = if (is_fit) tuning_table(method, result, visual),
    neurons = if (is_fit) neuron_table(method, result, visual)
  )
}

kept_file <- function(population, seed, method) {
  name <- gsub("[^a-z0-9]+", "-", tolower(paste(population, seed, method)))
  file.path(dirname(here), ".build", "bench", "spikes", paste0(name, ".rds"))
}

# Of each method what there is, else anew.
measure_draw <- function(seed, population) {
  message(population, ", seed ", seed)
  files <- vapply(names(methods), kept_file, "", population = population, seed = seed)
  if (!all(file.exists(files))) {
    visual <- do.call(simulate_spikes, c(populations[[population]], seed = seed))
  }
  for (method in names(methods)[!file.exists(files)]) {
    saveRDS(measure_method(method, visual), files[[method]])
  }
  results <- lapply(files, readRDS)
  list(rows = data.frame(population, seed, bind(results, "row")),
       classes = bind(results, "classes"), neurons = bind(results, "neurons"))
}

bind <- function(results, what) do.call(rbind, unname(lapply(results, `[[`, what)))

# Stored for the vignette -------------------------------------------------------------------------

write_result <- function(table, name) {
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, 6)
  # Names of methods have commas.
  utils::write.csv(
    table, file.path(here, "..", "vignettes", "results", paste0("spikes-", name, ".csv")),
    row.names = FALSE
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

# Running -----------------------------------------------------------------------------------------

dir.create(dirname(kept_file("", 1, "")), showWarnings = FALSE, recursive = TRUE)
# All populations once, then all again.
draws <- lapply(seeds, function(seed) {
  lapply(stats::setNames(nm = names(populations)), measure_draw, seed = seed)
})
rows <- bind(unlist(draws, recursive = FALSE), "rows")
rows <- rows[order(match(rows$population, names(populations))), ]
write_result(rows, "draws")
write_result(draws[[1]][[shown]]$classes, "classes")
write_result(draws[[1]][[shown]]$neurons, "neurons")

write_report("spikes", c(
  "# Spike trains: orientations and tuned neurons that are found",
  "",
  "Written by `Rscript bench/spikes.R`; do not edit by hand.",
  "",
  prose(machine_line()),
  "",
  prose(
    "`simulate_spikes()`: 2400 trials of 12 orientations, 240 neurons, of which 60 are tuned,",
    "gains correlated by 0.2; the title says what is otherwise. Seeds 1 to",
    paste0(max(seeds), ","), "mean and range."
  ),
  "",
  "- *peaks*: different orientations at which the tuning curves of the classes peak, of 12.",
  "- *recovered*: those of them that at least half the trials of a class show.",
  "- *height*: mean over the classes of the share of their trials at the peak.",
  "- *error*: share of trials in the wrong class under the best matching of classes.",
  "- *precision*, *recall*: of the informative neurons as the tuned ones.",
  bullet("*true model* knows all probabilities. *The paper* is its algorithm, `method = \"paper\",",
         "refine = \"none\"`. *From the true classes* starts sparse EM at the truth, with the",
         "polish of the default call: what the criterion prefers near it."),
  "- *EM on all neurons* is `mdpd()`: the best of ten random starts. Seconds are processor time.",
  unlist(lapply(names(populations), function(population) {
    c("", paste0("## ", population), "", summary_lines(rows[rows$population == population, ]))
  }))
))
