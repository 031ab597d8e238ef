# How often test_k() at 5 % asks for a component too many, and how long it takes on a survey of 1000
# rows and 75 items.
#
#   Rscript bench/test_k.R [data sets = 200]       writes bench/results/test_k.md
#
# With 0 data sets the level stays as the report has it, and only the time is measured again.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common", "null_models", "regimes_data")) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}
arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_sets <- if (length(arguments) > 0) arguments[1] else 200L

# Level -------------------------------------------------------------------------------------------

# The p-value of one component more than there are, and the samples drawn for it.
test_null <- function(seed, case) {
  x <- simulate(case$model, seed = seed, n_obs = case$n_obs)[[1]]
  k <- case$model$k
  # The larger fit only says that its number is to be tested.
  fits <- suppressWarnings(list(
    mdpd(x, k = k, start = case$model, prior = 0), mdpd(x, k = k + 1, n_starts = 1, prior = 0)
  ))
  test <- test_k(fits, n = 100, verbose = FALSE)
  c(p = test$p_value, draws = test$draws)
}

level_row <- function(case) {
  started <- proc.time()[["elapsed"]]
  tests <- vapply(seq_len(n_sets), test_null, numeric(2), case = case)
  message(case$name, ": ", proc.time()[["elapsed"]] - started, " s")
  c(
    "true model" = case$name, rows = case$n_obs, "at 5 %" = share_cell(tests["p", ] <= 0.05),
    "at 10 %" = share_cell(tests["p", ] <= 0.1),
    "samples a test" = number(mean(tests["draws", ]), 0)
  )
}

level_lines <- function() {
  if (n_sets == 0) {
    lines <- readLines(result_file("test_k.md"))
    return(lines[seq(match("## Level", lines), match("## Time", lines) - 1)])
  }
  levels <- do.call(rbind, lapply(null_cases(), level_row))
  c(
    "## Level", "",
    prose(
      n_sets, "data sets from each model. Percent in which `test_k(n = 100)` rejects the true",
      "number of components for one more, with its Monte-Carlo standard error; and the mean number",
      "of samples until the sequential stop."
    ), "",
    table_lines(levels, right = colnames(levels)[-1]), ""
  )
}
levels <- level_lines()

made_by <- function() {
  if (n_sets == 0) {
    return(grep("^Made by", readLines(result_file("test_k.md")), value = TRUE))
  }
  sprintf("Made by `Rscript bench/test_k.R %d`.", n_sets)
}

# Time --------------------------------------------------------------------------------------------

set.seed(1)
survey <- draw_mixed(1000, 75, n_levels = 5, k = 5, share = 0.35)
# Time of the processor: other work on the machine does not count.
seconds <- c(
  fit = sum(system.time(path <- stagewise_em(survey$x, k = 1:6, verbose = FALSE))[1:2]),
  test = sum(system.time(test <- test_k(path, n = 200, verbose = FALSE))[1:2])
)
steps <- cbind(
  k = test$k, "likelihood ratio" = number(test$statistic, 0),
  "mean of the samples" = number(test$expected, 0), samples = test$draws,
  "p-value" = number(test$p_value, 3)
)

write_report("test_k", c(
  "# The bootstrap test of the number of components", "",
  made_by(), "",
  levels,
  "## Time", "",
  prose(
    "Survey of 1000 rows and 75 items of 5 levels, 5 classes, each column 0.65 of a common one and",
    sprintf("0.35 of its own. `stagewise_em(x, k = 1:6)` takes %.1f s of the processor,",
            seconds[["fit"]]),
    sprintf("`test_k(path, n = 200)` %.0f s, and chooses k = %d.", seconds[["test"]],
            attr(test, "chosen"))
  ), "",
  table_lines(steps, right = colnames(steps)), "",
  sprintf("mdpd %s, R %s, 1 process on a shared machine of 2 cores.", utils::packageVersion("mdpd"),
          getRversion())
))
