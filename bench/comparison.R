# The same work by mdpd and by other packages, for vignette("comparison").
#
#   Rscript bench/comparison.R [mdpd]
#
# With `mdpd` only this package's methods are run; the rows of the others stay as the last whole run
# left them.
#
# Writes vignettes/results/comparison.csv, a row for each data set, draw and method, and, of a whole
# run, comparison-machine.txt. poLCA, glca, VarSelLCM and mlbench are used where they are installed.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common.R", "cases.R", "methods.R")) {
  source(file.path(dirname(script), "lib", part))
}

# Data --------------------------------------------------------------------------------------------

# Survey answers: 12 of 60 items of four levels differ between 4 classes, a twentieth is missing.
# (With a tenth often a single row is complete, and then poLCA 1.6.0.2 stops with an error.)
survey_case <- function(seed) {
  new_case("survey", kind = "simulated", seed = seed, load = function() {
    set.seed(seed)
    model <- survey_model(k = 4, n_items = 60, n_informative = 12, n_levels = 4)
    x <- simulate(model, seed = seed, n_obs = 1000)[[1]]
    truth <- stats::setNames(attr(x, "component"), rownames(x))
    x[] <- lapply(x, function(item) replace(item, stats::runif(length(item)) < 0.05, NA))
    list(x = x, k = 4, truth = truth, model = model)
  })
}

# Probabilities uniform on the simplex: one distribution, or one for each class.
survey_model <- function(k, n_items, n_informative, n_levels) {
  draw <- function() {
    p <- stats::rexp(n_levels)
    p / sum(p)
  }
  item_probs <- lapply(seq_len(n_items), function(item) {
    probs <- if (item <= n_informative) replicate(k, draw()) else matrix(draw(), n_levels, k)
    dimnames(probs) <- list(letters[seq_len(n_levels)], seq_len(k))
    probs
  })
  names(item_probs) <- paste0("item_", seq_len(n_items))
  structure(
    list(k = k, mixing_weights = stats::setNames(rep(1 / k, k), seq_len(k)),
         item_probs = item_probs, informative = names(item_probs)[seq_len(n_informative)]),
    class = "mdpd"
  )
}

votes_case <- function() {
  new_case("votes", kind = "table", load = function() {
    truth <- stats::setNames(house_votes$party, rownames(house_votes))
    list(x = house_votes[-1], k = 2, truth = truth)
  })
}

dna_case <- function() {
  if (!requireNamespace("mlbench", quietly = TRUE)) {
    return(NULL)
  }
  package_case("DNA", "mlbench", "Class")
}

cases <- c(
  lapply(1:5, function(seed) simulated_case("crowd, 5 experts", rep(0.6, 5), seed)),
  lapply(1:5, function(seed) simulated_case("crowd, 20 experts", rep(0.6, 20), seed)),
  lapply(1:5, survey_case),
  list(votes_case()),
  Filter(Negate(is.null), list(dna_case()))
)

# Methods -----------------------------------------------------------------------------------------

with_glca <- function(case) {
  table <- as_factors(case$x)
  # Its formula calls a function of its own.
  formula <- stats::as.formula(paste0("item(", toString(paste0("`", names(table), "`")), ") ~ 1"),
                               env = asNamespace("glca"))
  codes <- table
  codes[] <- lapply(table, as.integer)
  # It drops rows without any answer.
  rows <- rownames(table)[rowSums(!is.na(table)) > 0]
  fit <- or_cannot(glca::glca(
    formula, data = codes, nclass = case$k, n.init = 10, seed = 1, std.err = FALSE,
    verbose = FALSE
  ))
  probs <- fit$param$rho$ALL
  model <- as_model(fit$param$gamma[1, ], probs, names(table), table)
  list(
    class = stats::setNames(max.col(as.matrix(fit$posterior$ALL), "first"), rows),
    named = FALSE, informative = NULL, penalised = penalised(model, table)
  )
}

methods <- list(
  default_call,
  default_by_bic,
  new_method("default call without the search for a better optimum", "unpolished",
             stages(control = stagewise_control(polish = FALSE))),
  new_method("mdpd(), 10 random starts", "random", ordinary_em("random")),
  new_method("poLCA, 10 starts", "polca", with_polca, "poLCA"),
  new_method("glca, 10 starts", "glca", with_glca, "glca"),
  new_method("VarSelLCM", "varsellcm", with_varsellcm, "VarSelLCM")
)
methods <- Filter(function(method) requireNamespace(method$package, quietly = TRUE), methods)
only_own <- identical(commandArgs(trailingOnly = TRUE), "mdpd")
if (only_own) methods <- Filter(function(method) method$package == "mdpd", methods)

# Measuring ---------------------------------------------------------------------------------------

# Processor time, on which other work of the machine has little influence. One run a draw where
# there are five draws; where there is one data set five runs, unless one takes over a minute.
timed <- function(method, case, runs) {
  seconds <- numeric()
  repeat {
    time <- system.time(outcome <- method$fit(case))
    seconds <- c(seconds, sum(time[names(time) != "elapsed"]))
    if (length(seconds) == runs || seconds[1] > 60) {
      return(list(outcome = outcome, seconds = stats::median(seconds), runs = length(seconds)))
    }
  }
}

measure <- function(method, about, case) {
  run <- tryCatch(
    timed(method, case, runs = if (is.na(about$seed)) 5 else 1),
    bench_cannot = function(e) {
      message(about$id, ", ", method$name, ": ", conditionMessage(e))
      NULL
    }
  )
  outcome <- run$outcome
  chosen <- outcome$informative
  experts <- case$model$informative
  right <- if (is.null(experts)) NA else sum(chosen %in% experts)
  data.frame(
    data = gsub(",", "", about$data), draw = about$seed, rows = nrow(case$x), items = ncol(case$x),
    k = case$k, missing = round(mean(is.na(as.matrix(case$x))), 3), method = method$key,
    version = as.character(utils::packageVersion(method$package)),
    error = if (is.null(run)) NA else error_of(outcome, case$truth),
    n_informative = if (is.null(chosen)) NA else length(chosen),
    precision = if (is.null(chosen)) NA else round(right / length(chosen), 3),
    recall = if (is.null(chosen)) NA else round(right / length(experts), 3),
    penalised = if (is.null(run)) NA else round(outcome$penalised, 2),
    seconds = if (is.null(run)) NA else round(run$seconds, 3),
    runs = if (is.null(run)) 0 else run$runs
  )
}

# Components without names are matched to the true classes; a row that was dropped is wrong.
error_of <- function(outcome, truth) {
  class <- outcome$class
  if (!is.null(names(class))) class <- stats::setNames(class[names(truth)], names(truth))
  round(error_rate(class, truth, align = !outcome$named), 4)
}

measure_case <- function(about) {
  case <- about$load()
  message(about$id)
  do.call(rbind, lapply(methods, measure, about, case))
}

folder <- file.path(here, "..", "vignettes", "results")
dir.create(folder, showWarnings = FALSE)
file <- file.path(folder, "comparison.csv")

# The new rows before those of other packages, draw by draw.
with_others <- function(results) {
  others <- subset(utils::read.csv(file), !method %in% results$method)
  all <- rbind(results, others)
  all[order(match(all$data, all$data), all$draw, method = "radix"), ]
}

results <- do.call(rbind, lapply(cases, measure_case))
if (only_own) results <- with_others(results)
utils::write.csv(results, file, row.names = FALSE, quote = FALSE)
if (!only_own) writeLines(machine_line(), file.path(folder, "comparison-machine.txt"))
