# Where the evidence chooses two components though there are three classes, .6/.3/.1, and full EM
# tells them apart: would the marginal likelihood itself choose three? Both of the same model and of
# the same data, the marginal likelihood by annealed importance sampling.
#
#   Rscript bench/marginal_likelihood.R [draws = 6]    writes bench/results/marginal_likelihood.md
#
# Some minutes. In lib/ are the simulator (regimes_data.R) and the sampler
# (marginal_likelihood.R), which is checked first where all ways to divide the rows can be summed.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common", "regimes_data", "marginal_likelihood")) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

n_draws <- as.integer(c(commandArgs(trailingOnly = TRUE), 6)[1])

# What most of these items have in a fit of two components.
concentration <- 40.5
first_seed <- 960000

# Sampler -----------------------------------------------------------------------------------------

# 12 rows and 4 items so weak that there is but one mode: the orders are not to be counted.
check_row <- function(seed) {
  set.seed(seed)
  class <- rep(1:2, each = 6)
  x <- matrix(ifelse(stats::runif(48) < c(0.15, 0.85)[class], 1, 2), 12)
  ones <- ones_of(x, 2)
  end <- evidence_of(ones, 0.9 * diag(2)[class, ] + 0.05, concentration, 2)
  sampled <- log_marginal_likelihood(ones, end, concentration, 2, n_chains = 100)
  sampled[["estimate"]] - log(2) - log_marginal_by_sum(ones, concentration)
}

# Draws -------------------------------------------------------------------------------------------

by_one_thread <- function(...) stagewise_control(threads = 1, ...)
quietly <- function(expr) suppressMessages(suppressWarnings(expr))

# Three components from each start, those of the truth as well, so that no search can miss them.
starts_of <- function(data) {
  fit <- function(k) quietly(stagewise_em(data$x, k, control = by_one_thread()))$posterior
  full <- quietly(mdpd(data$x, 3, start = "random", n_starts = 10, prior = 0,
                       control = by_one_thread(criterion = "bic"), verbose = FALSE))
  list(two = list(fit(2)),
       three = list(fit(3), full$posterior, 0.9 * diag(3)[data$truth, ] + 0.1 / 3),
       full_em = error_rate(full, data$truth, align = TRUE))
}

# The end with the most evidence, and both measures of it against one component.
measured <- function(ones, starts) {
  ends <- lapply(starts, function(g) end_by_evidence(ones, g, concentration, 3))
  best <- ends[[which.max(vapply(ends, `[[`, 0, "evidence"))]]
  sampled <- log_marginal_likelihood(ones, best, concentration, 3)
  c(evidence = best$evidence, estimate = sampled[["estimate"]] - log_marginal_of_one(ones, 3),
    spread = sampled[["spread"]])
}

draw_row <- function(draw) {
  set.seed(first_seed + draw)
  data <- draw_calibrated(1000, 75, 75, 3, c(0.6, 0.3, 0.1), 0.15)
  ones <- ones_of(data$x, 3)
  starts <- starts_of(data)
  two <- measured(ones, starts$two)
  three <- measured(ones, starts$three)
  message("draw ", draw)
  data.frame(draw, full_em = starts$full_em, evidence_2 = two[["evidence"]],
             evidence_3 = three[["evidence"]], marginal_2 = two[["estimate"]],
             marginal_3 = three[["estimate"]], spread_2 = two[["spread"]],
             spread_3 = three[["spread"]])
}

# Report ------------------------------------------------------------------------------------------

errors <- vapply(1:3, check_row, 0)
draws <- do.call(rbind, lapply(seq_len(n_draws), draw_row))
by_evidence <- draws$evidence_3 - draws$evidence_2
by_marginal <- draws$marginal_3 - draws$marginal_2
can_tell <- draws$full_em < 0.25

shown <- data.frame(
  draw = draws$draw, "full EM errs" = sprintf("%.1f %%", 100 * draws$full_em),
  "evidence, 2" = number(draws$evidence_2, 1), "3" = number(draws$evidence_3, 1),
  "3 less 2" = number(by_evidence, 1), "marginal likelihood, 2" = number(draws$marginal_2, 1),
  "3 " = number(draws$marginal_3, 1), "3 less 2 " = number(by_marginal, 1),
  "spread, 2" = number(draws$spread_2, 1), "3  " = number(draws$spread_3, 1),
  check.names = FALSE
)

write_report("marginal_likelihood", c(
  "# The evidence and the marginal likelihood of weak uneven classes",
  "",
  sprintf("Written by `Rscript bench/marginal_likelihood.R %d`; do not edit by hand.", n_draws),
  "",
  prose(machine_line()),
  "",
  prose(
    "1000 rows, 75 items of three levels, all informative and weak, three classes of .6, .3 and",
    ".1 (the point of `bench/regimes.R`; seeds of their own). Both numbers are nats against one",
    "component, of one model: all items have the concentration", concentration, "and a centre with",
    "a uniform prior. Three components begin at the default fit, at full EM and at the true",
    "classes; the end with the most evidence is measured. The marginal likelihood is by annealed",
    "importance sampling, 12 chains of 120 temperatures; *spread* is the standard deviation of",
    "the chains' log weights. Where all ways to divide the rows can be summed the sampler is",
    "within", number(max(abs(errors)), 3), "nats."
  ),
  "",
  prose(sprintf(
    "Three components have more evidence than two in %d of %d draws, and more %s in %d;",
    sum(by_evidence > 0), n_draws, "marginal likelihood", sum(by_marginal > 0)
  ), sprintf(
    "of the %d draws in which full EM errs on less than 25 %% in %d and %d.", sum(can_tell),
    sum(by_evidence[can_tell] > 0), sum(by_marginal[can_tell] > 0)
  ), sprintf(
    "The evidence is less than the marginal likelihood by %s nats of two components and by %s %s",
    number(mean(draws$marginal_2 - draws$evidence_2), 1),
    number(mean(draws$marginal_3 - draws$evidence_3), 1), "of three,"
  ), sprintf(
    "in the mean: it takes %s nats too many off the third.",
    number(mean(by_marginal - by_evidence), 1)
  )),
  "",
  table_lines(shown, names(shown))
))
