# Whether every start ends at the same optimum: random EM starts, refined and polished by BIC,
# against the default call by BIC, by penalised log-likelihood, on real and simulated crowds. (The
# evidence of two fits of a crowd is not of one prior: its columns begin at what a fit answers.)
#
#   Rscript bench/optima.R [starts = 50]        writes bench/results/optima.md
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

arguments <- commandArgs(trailingOnly = TRUE)
n_starts <- if (length(arguments) > 0) as.integer(arguments[1]) else 50L

# 1000 items and 100 workers each; experts of one accuracy, of several, of four labels, and with
# labels missing.
simulated_crowds <- function() {
  equal <- c(3, 5, 5, 10, 10, 15, 20)
  crowds <- lapply(seq_along(equal), function(seed) {
    simulate_crowd(accuracy = rep(0.6, equal[seed]), seed = seed)$labels
  })
  names(crowds) <- sprintf("%d experts, seed %d", equal, seq_along(equal))
  graded <- seq(0.7, 0.45, length.out = 30)
  varied <- list(
    "30 graded experts, seed 8" = simulate_crowd(accuracy = graded, seed = 8)$labels,
    "8 experts, 4 labels, seed 9" =
      simulate_crowd(n_labels = 4, accuracy = rep(c(0.8, 0.5), 4), seed = 9)$labels,
    "30 graded experts, half missing, seed 10" =
      simulate_crowd(accuracy = graded, missing = 0.5, seed = 10)$labels
  )
  c(crowds, varied)
}

by_bic <- function(...) stagewise_control(criterion = "bic", ...)

# Penalised log-likelihoods (nats) from one random start: after sparse refinement, and polished.
from_start <- function(seed, x, k) {
  suppressWarnings({
    fit <- mdpd(x, k = k, start = "random", n_starts = 1, seed = seed, verbose = FALSE)
    before <- refine(fit, control = by_bic(polish = FALSE), verbose = FALSE)
    after <- refine(before, control = by_bic(polish = TRUE), verbose = FALSE)
  })
  c(before = before$penalised_loglik, after = after$penalised_loglik)
}

# How far each start, before and after the polish, and the default call are behind the best of all.
ends <- function(name, x) {
  message(name)
  k <- length(x$labels)
  starts <- vapply(seq_len(n_starts), from_start, c(before = 0, after = 0), x = x, k = k)
  default <- stagewise_em(x, k = k, control = by_bic(), verbose = FALSE)$penalised_loglik
  best <- max(starts, default)
  list(best = best, before = best - starts["before", ], after = best - starts["after", ],
       default = best - default)
}

# Nats within which two fits are at the same optimum.
same <- 0.5

end_row <- function(name, end) {
  data.frame(
    data = name, best = number(end$best, 2), default = number(end$default, 2),
    before = sum(end$before < same), after = sum(end$after < same),
    worst = number(max(end$after), 2)
  )
}

crowd_names <- real_crowd_names()
real <- lapply(stats::setNames(crowd_names, crowd_names), function(name) read_real(name)$labels)
crowds <- c(real, simulated_crowds())
found <- Map(ends, names(crowds), crowds)
table <- do.call(rbind, Map(end_row, names(crowds), found))
names(table) <- c("data", "best seen (nats)", "default call by BIC behind",
                  "starts before the polish", "after it", "worst behind")
after <- unlist(lapply(found, `[[`, "after"))
crowd <- rep(names(crowds), each = n_starts)
default <- vapply(found, `[[`, 0, "default")

write_report("optima", c(
  "# Where starts end, by BIC",
  "",
  sprintf("Written by `Rscript bench/optima.R %d`; do not edit by hand.", n_starts),
  "",
  prose(machine_line()),
  "",
  prose(
    n_starts, "random EM starts on all items for each crowd, then sparse refinement by BIC, then",
    "the polish: how many end within", same, "nats of the best penalised log-likelihood seen for",
    "the data, and how far the worst of them and the default call by BIC are behind it. Up to 0.3",
    "nats of that is what the polish gives up for smoothing (`smoothing_loss`), the same from",
    "every start. Simulated crowds are those of `simulate_crowd()`, see the script."
  ),
  "",
  prose(
    sprintf("The polish ends within %.1f nats of the best from %.1f %% of all starts, at least",
            same, 100 * mean(after < same)),
    sprintf("%.1f %% of those of each crowd; the default call by BIC on %d of %d crowds.",
            100 * min(tapply(after < same, crowd, mean)), sum(default < same), length(default))
  ),
  "",
  table_lines(table, right = names(table)[-1])
))
