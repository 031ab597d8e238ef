# Does memory grow from fit to fit? Fits of tables and of crowds, by evidence and by BIC, with
# predictions and summaries, one after the other, in one process. Prints the resident memory of the
# process after each tenth of them, in kB, and what the last half added.
# Run: R_LIBS=.lib Rscript bench/memory.R [number of fits, by default 10000]
suppressMessages(library(mdpd))

n_fits <- as.integer(c(commandArgs(TRUE), "10000")[1])
votes <- house_votes[-1]
crowd <- simulate_crowd(n_items = 60, n_workers = 10, accuracy = rep(0.7, 4), seed = 1)$labels
fits <- list(
  function() stagewise_em(votes, 2),
  function() stagewise_em(votes, 2, control = stagewise_control(criterion = "bic")),
  function() stagewise_em(crowd, 3),
  function() mdpd(votes[1:8], 3, seed = 1),
  function() stagewise_em(votes, 2, control = stagewise_control(threads = 2))
)

resident <- function() {
  gc()
  line <- grep("VmRSS", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}

use <- function(fit) {
  predict(fit, type = "prob")
  if (fit$k > 1) information(fit)
  invisible(summary(fit))
}

tenth <- ceiling(n_fits / 10)
kilobytes <- numeric()
for (i in seq_len(n_fits)) {
  suppressMessages(suppressWarnings(use(fits[[1 + i %% length(fits)]]())))
  if (i %% tenth == 0) {
    kilobytes <- c(kilobytes, resident())
    cat(sprintf("%6d fits %9.0f kB\n", i, kilobytes[length(kilobytes)]))
  }
}
half <- ceiling(length(kilobytes) / 2)
cat(sprintf("the last half added %.0f kB\n", kilobytes[length(kilobytes)] - kilobytes[half]))
