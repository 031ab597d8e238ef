# Time and memory of fits of stores that need not fit in memory. Usage:
#   R_LIBS=.lib Rscript bench/scale.R table [N_ROWS [N_ITEMS]]     (1e6 rows of 100 items)
#   R_LIBS=.lib Rscript bench/scale.R crowd [N_ITEMS [N_WORKERS]]  (1e6 items, 1e4 workers)
# Rows are drawn chunk by chunk, which is part of the time of coding: of three classes, a quarter of
# the items telling them apart with .6; or ten labels of four an item by workers who are right with
# .4 to .9. Prints seconds elapsed of coding, fit and predictions, iterations over all rows, the
# share of wrong classes and the peak memory of R. --memory=BYTES is that of stagewise_em().
arguments <- commandArgs(trailingOnly = TRUE)
given <- arguments[!startsWith(arguments, "--")]
is_crowd <- identical(given[1], "crowd")
n_rows <- as.numeric(c(given, NA)[2])
n_others <- as.numeric(c(given, NA, NA)[3])
if (is.na(n_rows)) n_rows <- 1e6
if (is.na(n_others)) n_others <- if (is_crowd) 1e4 else 100
memory <- as.numeric(sub("--memory=", "", grep("^--memory=", arguments, value = TRUE)))
if (length(memory) == 0) memory <- 1e9
library(mdpd)

# Rows ---------------------------------------------------------------------------------------------

# The class of a row, by its number: a hash, so that no list of all is kept.
class_of <- function(row, n_classes) 1L + (row * 7919) %% 10007 %% n_classes

table_rows <- function(rows) {
  class <- class_of(rows, 3)
  columns <- lapply(seq_len(n_others), function(item) {
    other <- 1L + (class + sample.int(2, length(rows), TRUE) - 1L) %% 3L
    told <- ifelse(runif(length(rows)) < 0.6, class, other)
    as.integer(if (item <= n_others / 4) told else sample.int(3, length(rows), TRUE))
  })
  data.frame(id = rows, stats::setNames(columns, paste0("V", seq_len(n_others))))
}

accuracy <- stats::setNames(seq(0.4, 0.9, length.out = n_others), seq_len(n_others))

crowd_rows <- function(rows) {
  # Ten different workers: a step and a start for each item.
  start <- sample.int(n_others, length(rows), TRUE)
  worker <- 1 + (rep(start, each = 10) + rep(0:9, length(rows)) * 997) %% n_others
  truth <- rep(class_of(rows, 4), each = 10)
  other <- 1 + (truth + sample.int(3, length(truth), TRUE) - 1) %% 4
  label <- ifelse(runif(length(truth)) < accuracy[worker], truth, other)
  data.frame(item = rep(rows, each = 10), worker = worker, label = as.integer(label))
}

chunks <- function(make, size = 1e5) {
  done <- 0
  function() {
    rows <- done + seq_len(min(size, n_rows - done))
    if (done >= n_rows) {
      return(NULL)
    }
    done <<- done + length(rows)
    make(rows)
  }
}

# Run ----------------------------------------------------------------------------------------------

set.seed(1)
path <- tempfile("store-")
seconds <- function(code) sprintf("%8.1f s", system.time(code)[["elapsed"]])
coding <- seconds(store <- if (is_crowd) {
  row_store(chunks(crowd_rows), path, item = "item", worker = "worker", label = "label")
} else {
  row_store(chunks(table_rows), path, id = "id")
})
print(store)
fitting <- seconds(fit <- stagewise_em(store, if (is_crowd) 4 else 3, memory = memory,
                                       verbose = FALSE))
peak <- sub("[^0-9]*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))
file <- tempfile(fileext = ".csv")
predicting <- seconds(predict(fit, store, file = file))
said <- utils::read.csv(file, colClasses = c(row = "NULL"))
truth <- class_of(as.numeric(said$id), fit$k)
# A component of a table is the class that most of its rows have.
told <- table(said$class, truth)
right <- if (is_crowd) diag(told) else apply(told, 1, max)
wrong <- 1 - sum(right) / nrow(said)
cat("coding     ", coding, "\nfit        ", fitting, " of it ", nrow(fit$trace),
    " iterations over all rows; search: ", fit$store$reading, " of ", fit$store$search_rows,
    " rows\npredictions", predicting, sprintf("\nwrong       %8.4f\npeak memory %8.0f MB\n", wrong,
                                              as.numeric(peak) / 1000), sep = "")
unlink(path, recursive = TRUE)
