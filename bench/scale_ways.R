# Do all ways to go over the rows give one fit, to the last bit? In memory, shards of four sizes,
# one and two threads, shards read anew in each pass, and the workers of clusters: sockets, mirai,
# MPI, with a worker killed, a stale reply, and a network that is cut. Usage:
#   Rscript bench/scale_ways.R       writes bench/results/scale_ways.md
# mirai and Rmpi are used where they are installed. The cut network needs Linux, root and `ip`: the
# workers are in a network namespace of their own, and the link to it is taken down.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))
source(file.path(dirname(script), "lib", "faults.R"))
sample_size <- 4096
deadline <- 5

# Fits ---------------------------------------------------------------------------------------------

draw_rows <- function(n = 2e5) {
  set.seed(1)
  class <- sample(3, n, TRUE, c(0.5, 0.3, 0.2))
  items <- lapply(1:20, function(item) {
    told <- item <= 10 & stats::runif(n) < 0.5
    ifelse(told, class, sample(3, n, TRUE))
  })
  rows <- stats::setNames(as.data.frame(items), paste0("q", 1:20))
  is.na(rows$q3) <- sample(n, n / 20)
  rows
}

hash <- function(fit) {
  parts <- c("mixing_weights", "item_probs", "evidence", "loglik", "inclusion", "informative", "k")
  substr(rlang::hash(unclass(fit)[parts]), 1, 16)
}
fit_whole <- function(x, ...) {
  more <- if (inherits(x, "row_store")) list(search_rows = 2e5)
  hash(do.call(stagewise_em, c(list(x, 2:4, verbose = FALSE, ...), more)))
}
warned <- character()
fit_sample <- function(x = stores[[3]], ...) {
  count <- function(cnd) {
    warned <<- c(warned, sub("mdpd_warning_", "", class(cnd)[1]))
    invokeRestart("muffleWarning")
  }
  warned <<- character()
  withCallingHandlers(
    hash(stagewise_em(x, 2:4, search_rows = sample_size, verbose = FALSE, ...)),
    warning = count
  )
}
threads <- function(n) stagewise_control(threads = n)

# A row of the report.
way <- function(name, search, code) {
  seconds <- system.time(value <- code)[["elapsed"]]
  message(name, ": ", value, ", ", round(seconds, 1), " s")
  data.frame(way = name, search = search, hash = value, seconds = number(seconds, 1),
             warnings = if (search == "sample") toString(unique(warned)) else "")
}

# Clusters -----------------------------------------------------------------------------------------

with_sockets <- function(code) {
  cluster <- parallel::makeCluster(2)
  pids <- pids_of(cluster)
  on.exit(end_cluster(cluster, pids))
  code(cluster, pids)
}

socket_ways <- function() {
  # From its start: reading of totals, the search, then the passes.
  usual <- with_sockets(function(cluster, pids) {
    system.time(fit_sample(cluster = cluster))[["elapsed"]]
  })
  killed <- function(share, n = 1) {
    with_sockets(function(cluster, pids) {
      for (pid in pids[seq_len(n)]) signal_after(share * usual, pid, "KILL")
      fit_sample(cluster = cluster)
    })
  }
  rbind(
    way("2 workers by sockets", "sample", with_sockets(function(x, pids) fit_sample(cluster = x))),
    way("one killed in the search", "sample", killed(0.2)),
    way("one killed in EM", "sample", killed(0.7)),
    way("both killed in EM", "sample", killed(0.7, 2)),
    way("a stale reply", "sample", with_sockets(function(cluster, pids) {
      send_stale(cluster[[1]])
      fit_sample(cluster = cluster)
    }))
  )
}

mirai_ways <- function() {
  if (!requireNamespace("mirai", quietly = TRUE)) {
    return(NULL)
  }
  mirai::daemons(2)
  on.exit(mirai::daemons(0))
  way("2 daemons of mirai", "sample", fit_sample(cluster = "mirai"))
}

# In a process of its own, which ends by force: Rmpi hangs when it stops what it has started.
mpi_ways <- function() {
  # More processes than cores, which Open MPI has to be told that it may.
  Sys.setenv(OMPI_MCA_rmaps_base_oversubscribe = "1")
  if (system2("Rscript", c("-e", shQuote("library(Rmpi)")), stdout = FALSE, stderr = FALSE) != 0) {
    return(NULL)
  }
  told <- suppressWarnings(system2(
    "Rscript", c(shQuote(script), "--mpi", shQuote(stores[[3]]$path)), stdout = TRUE
  ))
  told <- strsplit(grep("^hash", told, value = TRUE), " ")[[1]]
  out <- way("4 workers by MPI", "sample", told[2])
  replace(out, "seconds", number(as.numeric(told[3]), 1))
}

run_by_mpi <- function(path) {
  cluster <- parallel::makeCluster(4, type = "MPI")
  pids <- unlist(parallel::clusterCall(cluster, Sys.getpid))
  seconds <- system.time(found <- fit_sample(open_row_store(path), cluster = cluster))[["elapsed"]]
  cat("hash", found, seconds, "\n")
  flush(stdout())
  for (pid in c(pids, Sys.getpid())) tools::pskill(pid, tools::SIGKILL)
}

network_ways <- function() {
  network <- new_network()
  if (is.null(network)) {
    return(NULL)
  }
  on.exit(end_network(network))
  cluster <- far_cluster(network, 2)
  whole <- way("2 workers behind a link", "sample", fit_sample(cluster = cluster))
  # Earlier and earlier, until it is not the end of the fit.
  for (share in c(0.7, 0.6, 0.5, 0.4)) {
    cut_after(share * as.numeric(whole$seconds), network)
    cut <- way(paste0("the link cut in EM, deadline ", deadline, " s"), "sample",
               fit_sample(cluster = cluster, deadline = deadline))
    if (nzchar(cut$warnings)) break
    Sys.sleep(as.numeric(whole$seconds))
    ip("link", "set", network$link, "up")
  }
  rbind(whole, cut)
}

# Report -------------------------------------------------------------------------------------------

if (identical(commandArgs(TRUE)[1], "--mpi")) run_by_mpi(commandArgs(TRUE)[2])
rows <- draw_rows()
stores <- lapply(c(1024, 4096, 16384, 65536), function(shard_rows) {
  row_store(rows, tempfile("store-"), shard_rows = shard_rows)
})
names(stores) <- vapply(stores, function(store) nrow(summary(store)$shards), 0)

in_memory <- lapply(1:2, function(n) {
  name <- paste("in memory, threads:", n)
  rbind(way(name, "all rows", fit_whole(rows, control = threads(n))),
        way(name, "sample", fit_sample(rows, control = threads(n))))
})
by_shards <- lapply(names(stores), function(n) {
  rbind(way(paste("shards:", n), "all rows", fit_whole(stores[[n]])),
        way(paste("shards:", n), "sample", fit_sample(stores[[n]])))
})
more <- list(
  way("one thread", "sample", fit_sample(control = threads(1))),
  way("shards read in each pass", "sample", fit_sample(memory = 0)),
  socket_ways(), mirai_ways(), mpi_ways(), network_ways()
)
table <- do.call(rbind, c(in_memory, by_shards, more))
table <- table[order(table$search != "all rows"), ]
n_hashes <- tapply(table$hash, table$search, function(x) length(unique(x)))
write_report("scale_ways", c(
  "# One fit, whichever way the rows are gone over", "",
  "Made by `Rscript bench/scale_ways.R`.", "",
  prose("200,000 rows of 20 items of three levels, 5 % of one item missing; `k = 2:4`. The hash is",
        "of the parameters, the evidence, the log-likelihood, the inclusion of the items and k.",
        "Either the search has all rows, or a sample of about", sample_size, "and EM has all. A",
        "worker is killed by `kill -9`; without a warning that came when the fit had ended. The",
        "warnings are those of the fit; seconds are elapsed."),
  "",
  prose("Different hashes:", n_hashes[["all rows"]], "where the search has all rows,",
        n_hashes[["sample"]], "where it has a sample."), "",
  table_lines(table, right = "seconds"), "", machine_line()
))
unlink(vapply(stores, function(store) store$path, ""), recursive = TRUE)
if (any(n_hashes != 1)) quit(status = 1)
