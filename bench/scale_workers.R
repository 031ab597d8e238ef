# What a worker more brings to a pass of EM over the rows of a store. Usage:
#   R_LIBS=.lib Rscript bench/scale_workers.R
# writes bench/results/scale_workers.md and its picture. Measured on this machine: the seconds of
# the processor that a shard of 65,536 rows takes; the bytes of the messages; what a pass costs
# where there is nothing to compute, by the number of workers and the bytes; and whole passes with
# one worker and with two. From the first three a model of a pass is drawn for up to 100 workers.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
source(file.path(dirname(script), "lib", "passes.R"))
source(file.path(dirname(script), "lib", "pictures.R"))
set.seed(1)
n_times <- 15
shard_rows <- 65536

# Measures -----------------------------------------------------------------------------------------

# Of a shard of so many items, by a pass over 2e7 answers in memory; of the fastest, which a
# neighbour on the machine disturbs least.
compute_seconds <- function(n_items) {
  store <- random_store(2e7 / n_items, n_items)
  on.exit(unlink(store$path, recursive = TRUE))
  question <- question_of(store)
  pass <- function() answer_here(question, files_of_store(store))
  pass()
  seconds <- replicate(n_times, system.time(pass())[["user.self"]])
  mean(sort(seconds)[1:5]) * shard_rows / nrow(store)
}

# Asks all workers of a cluster once: each has the shards `deal` gives it.
new_asker <- function(cluster, question, files) {
  settings <- list(threads = 1, memory = 1e9, deadline = 600, verbose = FALSE)
  carrier <- internal("carrier_of")(cluster, 600)
  team <- internal("new_team")(carrier, files, settings, rlang::current_env())
  function() internal("ask_team")(team, question$task, question$frame)
}

pass_seconds <- function(ask) {
  ask()
  min(replicate(n_times, system.time(ask(), FALSE)[["elapsed"]]))
}

# A pass with next to nothing to compute: each worker has the same 50 rows.
overhead_of <- function(cluster, n_items) {
  store <- random_store(50, n_items)
  on.exit(unlink(store$path, recursive = TRUE))
  question <- question_of(store)
  n_sums <- length(answer_here(question, files_of_store(store)))
  each <- lapply(files_of_store(store), rep, length(cluster))
  data.frame(workers = length(cluster), items = n_items,
             bytes = length(question$task) + n_sums,
             seconds = pass_seconds(new_asker(cluster, question, each)))
}

with_workers <- function(n, code) {
  cluster <- parallel::makeCluster(n)
  on.exit(parallel::stopCluster(cluster))
  code(cluster)
}

overheads <- do.call(rbind, lapply(c(1, 2, 4), function(n) {
  with_workers(n, function(cluster) {
    do.call(rbind, lapply(c(20, 1000, 5000), overhead_of, cluster = cluster))
  })
}))
line <- stats::coef(stats::lm(seconds ~ 0 + workers + I(workers * bytes), overheads))
costs <- c(worker = line[[1]], byte = line[[2]])
compute <- vapply(c("20" = 20, "1000" = 1000), compute_seconds, 0)
bytes <- stats::setNames(overheads$bytes[1:2], overheads$items[1:2])

# Seconds of a pass over `n_shards`.
model <- function(n_shards, workers, n_items) {
  at <- as.character(n_items)
  ceiling(n_shards / workers) * compute[[at]] +
    workers * (costs[["worker"]] + costs[["byte"]] * bytes[[at]])
}

whole_passes <- function(n_shards, n_items = 20) {
  store <- random_store(n_shards * shard_rows, n_items)
  on.exit(unlink(store$path, recursive = TRUE))
  question <- question_of(store)
  files <- files_of_store(store)
  answer_here(question, files)
  here <- time_passes(function() answer_here(question, files))
  internal("core_forget_rows")()
  measured <- lapply(1:2, function(n) {
    with_workers(n, function(cluster) time_passes(new_asker(cluster, question, files), cluster))
  })
  data.frame(
    where = c("this process", "1 worker", "2 workers"), do.call(rbind, c(list(here), measured)),
    model = c(n_shards * compute[[as.character(n_items)]], model(n_shards, 1:2, n_items))
  )
}

processor <- function() sum(proc.time()[1:2])

# The fastest pass, elapsed; and the mean seconds of the processor that a pass takes one after the
# other, of the worker that has most to do and then of this process, which a neighbour on the
# machine does not change.
time_passes <- function(ask, cluster = NULL) {
  ask()
  of_workers <- function() if (!is.null(cluster)) unlist(parallel::clusterCall(cluster, processor))
  before <- list(of_workers(), processor())
  elapsed <- min(replicate(n_times, system.time(ask(), FALSE)[["elapsed"]]))
  here <- processor() - before[[2]]
  data.frame(elapsed, in_row = (here + max(0, of_workers() - before[[1]])) / n_times)
}
n_measured <- 40
measured <- whole_passes(n_measured)
print(overheads)
print(costs)
print(compute)
print(measured)

# Report -------------------------------------------------------------------------------------------

cases <- data.frame(
  name = c("1e8 rows x 20 items", "1e7 rows x 20 items", "1e7 rows x 1000 items"),
  rows = c(1e8, 1e7, 1e7), items = c(20, 20, 1000)
)
curves <- do.call(rbind, lapply(seq_len(nrow(cases)), function(at) {
  workers <- 1:100
  seconds <- model(ceiling(cases$rows[at] / shard_rows), workers, cases$items[at])
  data.frame(data = cases$name[at], workers, seconds, speedup = seconds[1] / seconds)
}))
curves$data <- factor(curves$data, cases$name)
points <- data.frame(workers = 1:2, speedup = measured$in_row[2] / measured$in_row[2:3])
picture <- ggplot(curves, aes(workers, speedup)) +
  geom_abline(slope = 1, colour = "grey80") +
  geom_line(aes(colour = data), linewidth = 0.7) +
  geom_point(data = points, size = 2) +
  scale_colour_manual(values = c("#0072B2", "#D55E00", "#009E73"), name = NULL) +
  labs(
    x = "workers", y = "times as fast as one worker",
    title = "A pass of EM over all rows, by a model of measured costs",
    subtitle = paste0("Lines: model. Points: measured, processor, ",
                      format(n_measured * shard_rows, big.mark = ","),
                      " rows x 20 items.\nGrey: as many times as workers")
  ) +
  bench_theme() +
  theme(legend.position = "top", legend.justification = "left")
save_picture("scale_workers", picture, 7, 4.4)

shown <- curves[curves$workers %in% c(1, 2, 4, 8, 16, 32, 64, 100), ]
wide <- stats::reshape(
  transform(shown[c("data", "workers", "seconds")], seconds = signif(seconds, 3)),
  idvar = "workers", timevar = "data", direction = "wide"
)
names(wide) <- sub("seconds[.]", "", names(wide))
best <- vapply(split(curves, curves$data), function(one) one$workers[which.min(one$seconds)], 0)
costs_table <- data.frame(
  cost = c("a shard of 65,536 rows x 20 items", "a shard of 65,536 rows x 1000 items",
           "a worker in a pass", "a megabyte to or from a worker"),
  "milliseconds" = number(1e3 * c(compute, costs * c(1, 1e6)), 2),
  measured = c(rep(sprintf("processor, fastest 5 of %d passes in memory", n_times), 2),
               rep("line through the fastest of passes with nothing to compute", 2))
)
measured_table <- data.frame(
  where = measured$where, "processor (ms)" = number(1e3 * measured$in_row, 0),
  "elapsed (ms)" = number(1e3 * measured$elapsed, 0),
  "model (ms)" = number(1e3 * measured$model, 0), check.names = FALSE
)
write_report("scale_workers", c(
  "# What a worker more brings", "",
  "Made by `Rscript bench/scale_workers.R`.", "",
  prose("Passes of EM over the rows of a store, three components, items of three levels, shards in",
        "memory, workers by sockets with one thread each. The machine was shared with many other",
        "jobs:",
        "elapsed seconds are the fastest of", n_times, "passes and still tell of these; those of",
        "the",
        "processor are of the busiest worker and then of the process that asks."), "",
  "## Measured", "",
  table_lines(costs_table, right = "milliseconds"), "",
  prose("Messages of a pass: parameters out and sums back,", number(bytes[["20"]] / 1e3, 1),
        "kB a worker for 20 items and", number(bytes[["1000"]] / 1e3, 1), "kB for 1000. Whole",
        "passes over", format(n_measured * shard_rows, big.mark = ","), "rows of 20 items:"), "",
  table_lines(measured_table, right = names(measured_table)[-1]), "",
  "## A model, not a measurement", "",
  prose("The seconds of a pass with W workers are those of the largest number of shards that one",
        "of",
        "them has, plus the costs above, those of a worker W times: this process serves one after",
        "the other. The workers are as fast as this machine's one core, and the messages as on",
        "this",
        "machine; on a network a round trip and the bandwidth come to the last two."), "",
  table_lines(wide, right = names(wide)), "",
  prose("In the model a pass is shortest with", paste(best, collapse = ", "), "of up to 100",
        "workers.",
        "The search before is done in the process that asks, whatever the workers."), "",
  "![A pass of EM over all rows, by a model of measured costs](scale_workers.png)", "",
  machine_line()
))
