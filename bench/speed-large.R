# One default fit of large data. Usage: Rscript bench/speed-large.R wide|wider|tall|crowd
# Prints the share of the fit's time that is outside of the engine; then case, seconds elapsed and
# of the processor, peak memory (MB), error, that of the truth; then the seconds of each part and
# the stages' passes, see bench/lib/parts.R.
library(mdpd)
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "parts.R"))
source(file.path(dirname(script), "lib", "large_data.R"))
case <- commandArgs(trailingOnly = TRUE)[1]
data <- large_data(case)
invisible(gc())
time <- system.time(
  parts <- time_parts(fit <- stagewise_em(data$x, k = data$k, verbose = FALSE))
)
rows <- rownames(fit$posterior)
class <- if (is.null(rows)) data$class else data$class[as.integer(rows)]
counts <- table(factor(max.col(fit$posterior, "first"), seq_len(data$k)), class)
matched <- clue::solve_LSAP(unclass(counts), maximum = TRUE)
error <- 1 - sum(counts[cbind(seq_along(matched), matched)]) / length(data$class)
cat(sprintf("Outside of the engine: %.1f %% of the processor's time\n", 100 * parts$outside))
cat(case, time[["elapsed"]], sum(time[c("user.self", "sys.self")]), peak_memory(), error,
    mean(data$bayes != data$class), parts$seconds, parts$passes, "\n")
