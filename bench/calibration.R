# Whether posterior probabilities mean what they say: of the rows that a fit gives to a class with
# probability .8, are 80 % in it? On new rows of simulated tables and crowds, and on real crowds
# with truth; and of the items said to differ with probability .8, do 80 % differ?
#
#   Rscript bench/calibration.R [draws = 10]
#
# Writes calibration.md and calibration.png in bench/results. In lib/ are the cases
# (calibration_data.R, on the simulators of bench/regimes.R), the report and the picture
# (calibration_report.R).
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
parts <- c("common", "pictures", "regimes_data", "regimes_design", "regimes_methods",
           "calibration_data", "calibration_report")
for (part in parts) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

arguments <- commandArgs(trailingOnly = TRUE)
n_draws <- if (length(arguments) > 0) as.integer(arguments[1]) else 10L

# Dawid and Skene's EM, from the majority vote, is for crowds only.
methods <- list(
  "default call" = stages_by("evidence"), "by BIC" = stages_by("bic"),
  "full EM" = em_from("random"), "Dawid-Skene" = em_from("majority")
)
methods_for <- function(is_crowd) {
  methods[c("default call", "by BIC", if (is_crowd) "Dawid-Skene" else "full EM")]
}

# Measuring ---------------------------------------------------------------------------------------

# One row for each row with known truth: the probability of its most probable class, whether that is
# the true one, and the Brier score, the squared distance of the probabilities from the truth.
judge_rows <- function(probs, truth) {
  truth <- as.character(truth[rownames(probs)])
  probs <- probs[!is.na(truth), , drop = FALSE]
  truth <- truth[!is.na(truth)]
  of_truth <- probs[cbind(seq_along(truth), match(truth, colnames(probs)))]
  of_truth[is.na(of_truth)] <- 0  # a class that the fit does not have
  data.frame(
    said = apply(probs, 1, max), happened = colnames(probs)[max.col(probs, "first")] == truth,
    brier = rowSums(probs^2) - 2 * of_truth + 1, row.names = NULL
  )
}

# Classes of a table have no names: they get those of the true classes of the rows of the fit.
judge_fit <- function(fit, data) {
  if (!data$is_crowd) fit <- align_components(fit, data$truth[rownames(fit$posterior)])
  of_fit <- judge_rows(fit$posterior, data$truth)
  of_fit$expected <- summary(fit)$expected_error
  new <- if (!is.null(data$new)) judge_rows(predict(fit, data$new, type = "prob"), data$truth)
  rbind(cbind(of_fit, rows = "of the fit"),
        if (!is.null(new)) cbind(new, expected = NA, rows = "new"))
}

# What is said of each item, and whether it differs.
judge_items <- function(fit, data) {
  data.frame(said = fit$inclusion, happened = names(fit$inclusion) %in% data$informative,
             row.names = NULL)
}

measure_draw <- function(case, draw) {
  set.seed(draw)
  data <- case$draw(draw)
  fits <- lapply(methods_for(data$is_crowd), function(fit) fit(data))
  rows <- do.call(rbind, Map(function(fit, method) {
    cbind(judge_fit(fit, data), method = method)
  }, fits, names(fits)))
  items <- if (!is.null(data$informative)) judge_items(fits[["default call"]], data)
  about <- data.frame(case = case$name, group = case$group, draw = draw)
  message(case$name, ", draw ", draw)
  list(rows = cbind(about, rows), items = if (!is.null(items)) cbind(about, items))
}

measure_case <- function(case) {
  draws <- if (case$group == real_group) 1 else seq_len(n_draws)
  lapply(draws, measure_draw, case = case)
}

# Running -----------------------------------------------------------------------------------------

measured <- unlist(lapply(calibration_cases(), measure_case), recursive = FALSE)
rows <- do.call(rbind, lapply(measured, `[[`, "rows"))
items <- do.call(rbind, lapply(measured, `[[`, "items"))
write_report("calibration", report_lines(rows, items))
draw_calibration(rows, items)
