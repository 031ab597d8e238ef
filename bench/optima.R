# Whether every start ends at the same optimum: random EM starts, refined and polished, against the
# default call, by penalised log-likelihood.
#
#   Rscript bench/optima.R [starts = 20] [folder = ../shared/data]      writes bench/optima.md
#
# `R_LIBS=.lib` before the command takes the package that `make demo` installs into the clone.
library(mdpd)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
here <- dirname(normalizePath(script))
arguments <- commandArgs(trailingOnly = TRUE)
n_starts <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
folder <- if (length(arguments) > 1) arguments[2] else file.path(here, "..", "..", "shared", "data")

real <- lapply(c(bluebird = "bluebird", dog = "dog", rte = "rte"), function(name) {
  read_crowd(file.path(folder, paste0(name, "_labels.csv")))
})
experts <- c(3, 5, 5, 10, 20)
simulated <- lapply(seq_along(experts), function(seed) {
  simulate_crowd(accuracy = rep(0.6, experts[seed]), seed = seed)$labels
})
names(simulated) <- sprintf("simulated, %d experts, seed %d", experts, seq_along(experts))

ends <- function(x) {
  k <- length(x$labels)
  polish <- stagewise_control(polish = TRUE)
  from_start <- function(seed) {
    suppressWarnings({
      fit <- mdpd(x, k = k, start = "random", n_starts = 1, seed = seed, verbose = FALSE)
      before <- refine(fit, verbose = FALSE)
      after <- refine(before, control = polish, verbose = FALSE)
    })
    c(before = before$penalised_loglik, after = after$penalised_loglik)
  }
  starts <- vapply(seq_len(n_starts), from_start, c(before = 0, after = 0))
  default <- stagewise_em(x, k = k, verbose = FALSE)$penalised_loglik
  best <- max(starts, default)
  data.frame(
    best = sprintf("%.2f", best), default = sprintf("%.2f", best - default),
    before = sprintf("%d of %d", sum(starts["before", ] > best - 0.5), n_starts),
    after = sprintf("%d of %d", sum(starts["after", ] > best - 0.5), n_starts),
    worst = sprintf("%.2f", best - min(starts["after", ]))
  )
}

crowds <- c(real, simulated)
table <- do.call(rbind, lapply(crowds, ends))
writeLines(
  c(
    "# Where starts end", "",
    sprintf("Made by `Rscript bench/optima.R %d`. Random EM starts on all items, then sparse", n_starts),
    "refinement (before the polish), then the polish; how many end within 0.5 nats of the best",
    "penalised log-likelihood seen for the data, and how far the worst and the default call are behind.",
    "", "| data | best seen (nats) | default call behind | before the polish | after it | worst behind |",
    "|---|---|---|---|---|---|",
    sprintf("| %s | %s | %s | %s | %s | %s |", names(crowds), table$best, table$default, table$before,
            table$after, table$worst)
  ),
  file.path(here, "optima.md")
)
