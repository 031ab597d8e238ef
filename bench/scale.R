# Time and memory of fits of stores that need not fit in memory. Usage:
#   R_LIBS=.lib Rscript bench/scale.R table [N_ROWS [N_ITEMS]]     (1e6 rows of 100 items)
#   R_LIBS=.lib Rscript bench/scale.R crowd [N_ITEMS [N_WORKERS]]  (1e6 items, 1e4 workers)
#   R_LIBS=.lib Rscript bench/scale.R update [N_ROWS [N_ITEMS]]    (1e6 rows of 20 items)
#   R_LIBS=.lib Rscript bench/scale.R report
# Rows are drawn chunk by chunk, which is part of the time of coding: of three classes, a quarter of
# the items telling them apart with .6; or ten labels of four an item by workers who are right with
# .4 to .9. Prints seconds elapsed of coding, fit and predictions, iterations over all rows, the
# share of wrong classes and the peak memory of R, and keeps them in bench/results/scale.csv.
# --memory=BYTES is that of stagewise_em(); --different=N draws only N rows of a table and repeats
# these. `report` writes bench/results/scale.md of what is kept, with what crowds of three sizes say
# of 1e9 labels.
#
# `update` adds 1 % rows to such a table, twice, and prints seconds of add_rows(), update(), EM over
# all rows from there and a fit of all rows anew, elapsed and of the processor; by how many nats a
# thousand rows each is behind the fit anew, in evidence and in the log-likelihood of all rows at
# its parameters; and what update() says that a full round would gain.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
arguments <- commandArgs(trailingOnly = TRUE)
given <- arguments[!startsWith(arguments, "--")]
is_crowd <- identical(given[1], "crowd")
is_update <- identical(given[1], "update")
n_rows <- as.numeric(c(given, NA)[2])
n_others <- as.numeric(c(given, NA, NA)[3])
if (is.na(n_rows)) n_rows <- 1e6
if (is.na(n_others)) n_others <- if (is_crowd) 1e4 else if (is_update) 20 else 100
option <- function(name, default) {
  given <- grep(paste0("^--", name, "="), arguments, value = TRUE)
  if (length(given) > 0) as.numeric(sub(".*=", "", given[1])) else default
}
memory <- option("memory", 1e9)
n_different <- option("different", Inf)

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
  # Ten different workers, good ones and bad ones: a start for each item, and steps.
  start <- sample.int(n_others, length(rows), TRUE)
  step <- n_others %/% 11 + 1
  worker <- 1 + (rep(start, each = 10) + rep(0:9, length(rows)) * step) %% n_others
  truth <- rep(class_of(rows, 4), each = 10)
  other <- 1 + (truth + sample.int(3, length(truth), TRUE) - 1) %% 4
  label <- ifelse(runif(length(truth)) < accuracy[worker], truth, other)
  data.frame(item = rep(rows, each = 10), worker = worker, label = as.integer(label))
}

# Of the first rows, kept as bytes, all others are copies, which are of the same class.
repeat_rows <- function(make, n) {
  force(make)
  first <- NULL
  function(rows) {
    if (is.null(first)) first <<- lapply(make(seq_len(n))[-1], as.raw)
    at <- 1 + (rows - 1) %% n
    data.frame(id = at, lapply(first, function(column) as.integer(column[at])))
  }
}
if (is.finite(n_different)) table_rows <- repeat_rows(table_rows, n_different)

# Chunks of two million cells or labels.
chunks <- function(make, size = 2e6 / max(10, if (!is_crowd) n_others), done = 0, last = n_rows) {
  function() {
    rows <- done + seq_len(min(size, last - done))
    if (done >= last) {
      return(NULL)
    }
    done <<- done + length(rows)
    make(rows)
  }
}

# How many rows of each class, in the columns, a file of predictions has in each component.
tell_classes <- function(file, n_classes, size = 1e5) {
  lines <- file(file, "r")
  on.exit(close(lines))
  names <- strsplit(gsub("\"", "", readLines(lines, 1)), ",")[[1]]
  told <- 0
  repeat {
    part <- readLines(lines, size)
    if (length(part) == 0) {
      return(told)
    }
    part <- utils::read.csv(text = part, header = FALSE, col.names = names,
                            colClasses = "character")
    truth <- class_of(as.numeric(part$id), n_classes)
    told <- told + table(factor(as.integer(part$class), seq_len(n_classes)), factor(truth))
  }
}

# Updates ------------------------------------------------------------------------------------------

# Time of some code, and what it gives.
timed <- function(code) {
  spent <- system.time(value <- code)
  list(value = value, elapsed = spent[["elapsed"]], cpu = spent[["user.self"]])
}

loglik_of <- function(fit, store) sum(predict(fit, store, type = "density"))

# One day: what each way takes, and how far it comes. Returns the updated fit and the store.
run_day <- function(day, fit, store, n_new) {
  first <- nrow(store)
  adding <- timed(add_rows(store, chunks(table_rows, done = first, last = first + n_new)))
  store <- adding$value
  ways <- list(
    "update()" = timed(update(fit, store, memory = memory, verbose = FALSE)),
    "update(full = TRUE)" = timed(update(fit, store, full = TRUE, memory = memory,
                                         verbose = FALSE)),
    "fit anew" = timed(stagewise_em(store, 3, memory = memory, verbose = FALSE))
  )
  anew <- ways[["fit anew"]]
  thousands <- nrow(store) / 1000
  best <- loglik_of(anew$value, store)
  cat(sprintf("Day %d: %.0f rows to %.0f; add_rows() %.2f s\n", day, n_new, first, adding$elapsed))
  for (name in names(ways)) {
    way <- ways[[name]]
    cat(sprintf(
      "%-20s %7.2f s, cpu %7.2f s, %5.1f %% of it; behind %9.6f in evidence, %9.6f in loglik\n",
      name, way$elapsed, way$cpu, 100 * way$cpu / anew$cpu,
      (anew$value$evidence - way$value$evidence) / thousands,
      (best - loglik_of(way$value, store)) / thousands
    ))
  }
  said <- ways[[1]]$value$update
  cat(sprintf("a full round would gain %.6f; %.0f decisions changed\n", said$gain, said$n_changed))
  list(fit = ways[[1]]$value, store = store)
}

# Report -------------------------------------------------------------------------------------------

kept_file <- result_file("scale.csv")

# One row for each kind of data and size, the newest.
keep <- function(row) {
  there <- if (file.exists(kept_file)) utils::read.csv(kept_file)
  key <- c("data", "rows", "others", "different")
  rows <- rbind(there, row)
  rows <- rows[!duplicated(rows[key], fromLast = TRUE), ]
  utils::write.csv(rows[do.call(order, rows[key]), ], kept_file, row.names = FALSE)
}

# What a line in the number of rows says of `n_rows`: the search sees a sample of many rows.
extrapolate <- function(kept, column, n_rows) {
  line <- stats::lm(kept[[column]] ~ kept$rows)
  sum(stats::coef(line) * c(1, n_rows))
}

time_text <- function(seconds) {
  if (seconds < 100) paste(number(seconds, 1), "s") else paste(number(seconds / 60, 1), "minutes")
}

report_lines <- function(kept) {
  crowds <- kept[kept$data == "crowd", ]
  size <- ifelse(kept$data == "crowd", 10 * kept$rows, kept$rows * kept$others)
  table <- data.frame(
    data = ifelse(kept$data == "crowd", "items x workers", "rows x items"),
    size = paste(trimws(format(kept$rows, digits = 1)), "x",
                 trimws(format(kept$others, digits = 1))),
    different = ifelse(kept$data == "crowd", "", format(kept$different, digits = 1)),
    answers = format(size, digits = 1), coding = number(kept$coding, 1), fit = number(kept$fit, 1),
    predictions = number(kept$predictions, 1), iterations = kept$iterations,
    wrong = paste(number(100 * kept$wrong, 2), "%"), memory = number(kept$memory, 0)
  )
  names(table)[c(5:7, 10)] <- c("coding (s)", "fit (s)", "predictions (s)", "peak memory (MB)")
  c(
    "# Fits of stores that need not fit in memory",
    "",
    prose("Written by `Rscript bench/scale.R report` of what `Rscript bench/scale.R table` and",
          "`crowd` have measured, with the numbers of *size*; do not edit by hand."),
    "",
    prose(machine_line()),
    "",
    prose("Default calls, `k = 3` of tables and the four labels of crowds, ten labels an item;",
          "*fit* includes the search, *coding* the drawing of the rows, and predictions are",
          "written to a file. *Different* rows are drawn and repeated. *Iterations* are those over",
          "all rows. Seconds are elapsed, memory that of R."),
    "",
    table_lines(table, right = names(table)[-(1:2)]),
    if (nrow(crowds) >= 3) c("", lines_of_extrapolation(crowds))
  )
}

lines_of_extrapolation <- function(crowds) {
  time <- function(column) time_text(extrapolate(crowds, column, 1e8))
  prose(
    "By extrapolation from these crowds (a line in the number of labels), 1e9 labels of 1e8 items",
    "would be coded in", paste0(time("coding"), ","), "fitted in", paste0(time("fit"), ","),
    "and predicted in", paste0(time("predictions"), "."), "This has not been run; the shards, some",
    "5 GB, would be read again in each iteration. For 1e8 labels Dawid-Skene of spark-crowd took",
    "703 s on one machine and 426 s on three of ten cores, as published (Rodrigo, Aledo and",
    "G\u00e1mez 2019, JMLR 20(19)): other machines than this."
  )
}

# Run ----------------------------------------------------------------------------------------------

set.seed(1)
path <- tempfile("store-")
if (is_update) {
  store <- row_store(chunks(table_rows), path, id = "id")
  print(store)
  state <- list(store = store, fit = stagewise_em(store, 3, memory = memory, verbose = FALSE))
  for (day in 1:2) state <- run_day(day, state$fit, state$store, round(n_rows / 100))
  unlink(path, recursive = TRUE)
  quit()
}
if (identical(given[1], "report")) {
  write_report("scale", report_lines(utils::read.csv(kept_file)))
  quit()
}
seconds <- function(code) system.time(code)[["elapsed"]]
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
# A component of a table is the class that most of its rows have.
told <- tell_classes(file, fit$k)
right <- if (is_crowd) diag(told) else apply(told, 1, max)
wrong <- 1 - sum(right) / sum(told)
cat(sprintf("coding      %8.1f s\nfit         %8.1f s\npredictions %8.1f s\n", coding, fitting,
            predicting))
cat(nrow(fit$trace), " iterations over all rows; search: ", fit$store$reading, " of ",
    fit$store$search_rows, " rows\n", sep = "")
cat(sprintf("wrong       %8.4f\npeak memory %8.0f MB\n", wrong, as.numeric(peak) / 1000))
keep(data.frame(
  data = given[1], rows = n_rows, others = n_others, different = min(n_different, n_rows),
  coding = coding, fit = fitting, predictions = predicting, iterations = nrow(fit$trace),
  wrong = wrong, memory = as.numeric(peak) / 1000
))
unlink(path, recursive = TRUE)
