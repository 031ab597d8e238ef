# Whether the probabilities of numbers of components mean what they say: where `path$probability`
# gives the number chosen .9, is it right in 90 %? Of tables with 1 to 4 components, each number as
# often.
#
#   Rscript bench/choose_k_calibration.R [draws = 400]
#
# Writes bench/results/choose_k_calibration.md.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_draws <- if (length(arguments) > 0) arguments[1] else 400L
n_obs <- 500
n_items <- 12
least_size <- 0.15

# Probabilities of an item are Beta about a centre of its own: the larger `alike`, the closer.
cases <- c("far apart" = 4, "close" = 12)

draw_table <- function(k, alike) {
  repeat {
    sizes <- stats::rgamma(k, 4)
    sizes <- sizes / sum(sizes)
    if (min(sizes) >= least_size) break
  }
  class <- sample.int(k, n_obs, TRUE, sizes)
  items <- lapply(seq_len(n_items), function(item) {
    centre <- stats::rbeta(1, 3, 3)
    yes <- stats::rbeta(k, alike * centre, alike * (1 - centre))
    as.integer(stats::runif(n_obs) < yes[class])
  })
  stats::setNames(as.data.frame(items), paste0("item", seq_len(n_items)))
}

# The number chosen, what is said of it, and whether the true one was found at all.
measure_draw <- function(draw, alike) {
  set.seed(draw)
  true <- 1 + (draw - 1) %% 4
  x <- draw_table(true, alike)
  fit <- suppressMessages(suppressWarnings(stagewise_em(x, k = 1:4, verbose = FALSE)))
  path <- fit$path
  at <- match(fit$k, path$components)
  found <- path$components == path$k
  best <- function(criterion) path$k[found][which.min(path[[criterion]][found])]
  data.frame(true, chosen = fit$k, said = path$probability[at], found = found[true],
             AIC = best("AIC"), BIC = best("BIC"))
}

# Report ------------------------------------------------------------------------------------------

percent_cell <- function(hits) {
  share <- mean(hits)
  paste0(number(100 * share, 0), " (", number(100 * sqrt(share * (1 - share) / length(hits)), 0),
         ")")
}

said_table <- function(draws) {
  levels <- c("to .7", ".7 to .9", ".9 to .99", ".99 to .999", "above .999", "one number found")
  level <- cut(draws$said, c(0, 0.7, 0.9, 0.99, 0.999, 1), levels[-6])
  level <- factor(ifelse(is.na(level), levels[6], as.character(level)), levels)
  do.call(rbind, lapply(split(draws, level, drop = TRUE), function(some) {
    c(draws = nrow(some), said = number(100 * mean(some$said), 1),
      right = percent_cell(some$chosen == some$true),
      "fewer than the true" = number(100 * mean(some$chosen < some$true), 0),
      "true one not found" = number(100 * mean(!some$found), 0))
  }))
}

case_lines <- function(case) {
  draws <- do.call(rbind, lapply(seq_len(n_draws), measure_draw, alike = cases[[case]]))
  said <- said_table(draws)
  counts <- table(factor(draws$true, 1:4), factor(draws$chosen, 1:4))
  right <- function(chosen) percent_cell(chosen == draws$true)
  c(
    paste0("## Classes that are ", case), "",
    prose(sprintf("Right are %s %% of the numbers chosen by the evidence, %s by AIC and %s by BIC.",
                  right(draws$chosen), right(draws$AIC), right(draws$BIC))), "",
    table_lines(cbind(probability = rownames(said), said), right = colnames(said)), "",
    table_lines(cbind("true, and chosen:" = 1:4, unclass(counts)), right = 1:4), ""
  )
}

lines <- unlist(lapply(names(cases), case_lines))
write_report("choose_k_calibration", c(
  "# Probabilities of numbers of components", "",
  paste0("Made by `Rscript bench/choose_k_calibration.R ", n_draws, "`."), "",
  prose(
    n_draws, "tables each of 500 rows and 12 items of two levels, of 1 to 4 classes of at least",
    "15 % of the rows, each number as often; all items differ. The fit is",
    "`stagewise_em(x, k = 1:4)`.",
    "*Said* is what `path$probability` has for the number chosen, in percent, *right* how often it",
    "is the true one, with the Monte-Carlo standard error; *not found* where fewer components",
    "came of the true number. Where all other numbers are not found nothing is said."
  ), "",
  lines, machine_line()
))
