# How often goodness_of_fit() and pair_residuals() at 5 % reject models that are true, by the
# chi-square distribution and by samples of the fitted model; and how often pair_residuals() finds
# two items that depend on each other; and how often pair_residuals() names pairs of workers in true
# crowds, in which each pair labels few items together.
#
#   Rscript bench/goodness_of_fit.R [data sets = 100]       writes bench/results/goodness_of_fit.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common", "null_models")) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}
arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_sets <- if (length(arguments) > 0) arguments[1] else 100L
n_samples <- 39

# The second item repeats the first in a fifth of the rows.
add_dependence <- function(x, seed) {
  set.seed(seed)
  same <- stats::runif(nrow(x)) < 0.2
  x$item_2[same] <- x$item_1[same]
  x
}

fit_true <- function(x, case) {
  suppressWarnings(mdpd(x, k = case$model$k, start = case$model, prior = 0))
}

measure <- function(seed, case) {
  x <- simulate(case$model, seed = seed, n_obs = case$n_obs)[[1]]
  fit <- fit_true(x, case)
  statistics <- goodness_of_fit(fit, n = n_samples, verbose = FALSE)$statistics
  plain <- pair_residuals(fit)
  sampled <- pair_residuals(fit, n = n_samples, verbose = FALSE)
  spoilt <- fit_true(add_dependence(x, seed), case)
  finds <- function(pairs) pairs$p_adjusted[pairs$item_1 == "item_1" & pairs$item_2 == "item_2"]
  below <- function(p) mean(p <= 0.05)
  c(
    g2 = below(statistics$p_value[1]), g2_samples = below(statistics$p_bootstrap[1]),
    x2 = below(statistics$p_value[2]), x2_samples = below(statistics$p_bootstrap[2]),
    pair = below(plain$p_value), pair_samples = below(sampled$p_value),
    any = below(min(plain$p_adjusted)), any_samples = below(min(sampled$p_adjusted)),
    found = below(finds(pair_residuals(spoilt))),
    found_samples = below(finds(pair_residuals(spoilt, n = n_samples, verbose = FALSE)))
  )
}

shares <- lapply(null_cases(), function(case) {
  started <- proc.time()[["elapsed"]]
  measured <- vapply(seq_len(n_sets), measure, numeric(10), case = case)
  message(case$name, ": ", proc.time()[["elapsed"]] - started, " s")
  measured
})

rows <- c(
  g2 = "whole table, G2", x2 = "whole table, X2", pair = "a pair", any = "any pair, corrected",
  found = "the dependent pair, corrected"
)
table <- do.call(rbind, lapply(seq_along(shares), function(at) {
  case <- null_cases()[[at]]
  cells <- apply(shares[[at]], 1, share_cell)
  cbind("true model" = case$name, rows = case$n_obs, test = rows,
        "chi-square" = cells[names(rows)], samples = cells[paste0(names(rows), "_samples")])
}))

crowd_cases <- list(
  list(n_items = 400, n_workers = 30, missing = 0.6),
  list(n_items = 1000, n_workers = 50, missing = 0.8)
)

# Share of the pairs that have a p-value of at most 0.05, whether any has a corrected one, and what
# there would be by Pearson's statistic alone.
measure_crowd <- function(seed, case) {
  crowd <- simulate_crowd(case$n_items, case$n_workers, missing = case$missing, seed = seed)
  pairs <- pair_residuals(suppressWarnings(mdpd(crowd$labels, k = 3)))
  tested <- pairs[!pairs$is_sparse, ]
  pearson <- stats::pchisq(tested$statistic, tested$df, lower.tail = FALSE)
  c(
    rows = mean(tested$n_obs), tested = mean(!pairs$is_sparse), pair = mean(tested$p_value <= 0.05),
    any = any(tested$p_adjusted <= 0.05), pair_x2 = mean(pearson <= 0.05),
    any_x2 = any(stats::p.adjust(pearson, "holm") <= 0.05)
  )
}

crowd_table <- do.call(rbind, lapply(crowd_cases, function(case) {
  measured <- vapply(seq_len(n_sets), measure_crowd, numeric(6), case = case)
  cells <- apply(measured, 1, share_cell)
  cbind(
    crowd = paste(case$n_items, "items,", case$n_workers, "workers"),
    "rows a pair" = round(mean(measured["rows", ])),
    "pairs tested" = sprintf("%.0f %%", 100 * mean(measured["tested", ])),
    "a pair" = cells["pair"], "any pair, corrected" = cells["any"],
    "a pair, X2 alone" = cells["pair_x2"], "any pair, X2 alone" = cells["any_x2"]
  )
}))

write_report("goodness_of_fit", c(
  "# Tests of fit where the model holds", "",
  sprintf("Made by `Rscript bench/goodness_of_fit.R %d`.", n_sets), "",
  prose(
    n_sets, "data sets from each model. Percent of the p-values of at most 0.05, with the",
    "Monte-Carlo standard error, by the chi-square distribution and by", n_samples, "samples of",
    "the fitted model (`n =`). *any pair*: percent of the data sets in which some pair has a",
    "corrected p-value of at most 0.05. *the dependent pair*: the same data with the second item",
    "made to repeat the first in a fifth of the rows; percent of the data sets that show it."
  ), "",
  table_lines(table, right = colnames(table)[c(2, 4, 5)]), "",
  "## Pairs of workers in true crowds", "",
  prose(
    "The same of", n_sets, "crowds of three labels each, without samples; pairs with fewer than",
    "five rows a cell are not tested. *X2 alone*: if the test were of Pearson's statistic instead",
    "of the smaller of it and the likelihood ratio."
  ), "",
  table_lines(crowd_table, right = colnames(crowd_table)[-1]), "",
  sprintf("mdpd %s, R %s.", utils::packageVersion("mdpd"), getRversion())
))
