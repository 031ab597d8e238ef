# Fits by clusters with faults at random moments: workers killed or stopped, a reply to something
# else, an interrupt, a link that is cut. Each must end in time with the same bits as without a
# fault. Prints what happened to how many; of each that did not end so the line that repeats it.
# From the root of the clone:
#
#   Rscript tests/faults/cluster.R faults=100 seed=1
#
# `counts=FILE` leaves "passed failed" there. A link is cut where there may be a network namespace.

library(mdpd)
source("bench/lib/faults.R")
# A fit takes about a second, and some more where it waits for the deadline.
hanging <- 120
deadline <- 3

settings <- list(faults = 100, seed = 1, counts = NULL)
for (pair in strsplit(commandArgs(TRUE), "=")) {
  settings[[pair[1]]] <- utils::type.convert(pair[2], as.is = TRUE)
}

new_rows <- function(n = 6000) {
  class <- sample(3, n, TRUE)
  items <- lapply(1:10, function(item) {
    factor(ifelse(item > 7 | stats::runif(n) < 0.5, sample(3, n, TRUE), class))
  })
  as.data.frame(stats::setNames(items, paste0("V", 1:10)))
}

hash_of_fit <- function(fit) {
  rlang::hash(fit[c("mixing_weights", "item_probs", "evidence", "loglik", "inclusion")])
}
fit_by <- function(cluster) {
  hash_of_fit(stagewise_em(store, 3, search_rows = 1000, cluster = cluster, deadline = deadline))
}

# What is done later leaves a file.
make_fault <- function(kind, cluster, pids, seconds) {
  switch(kind,
    kill = signal_after(seconds, sample(pids, 1), "KILL"),
    "kill all" = signal_after(seconds, pids, "KILL"),
    stop = signal_after(seconds, sample(pids, 1), "STOP"),
    stale = send_stale(cluster[[sample(2, 1)]]),
    interrupt = signal_after(seconds, Sys.getpid(), "INT"),
    cut = cut_after(seconds, network)
  )
}

# The last sleep is when R sees a signal that came just now.
wait_for <- function(fault) {
  while (is.character(fault) && !file.exists(fault)) Sys.sleep(0.05)
  Sys.sleep(0.01)
}

# After an interrupt the same cluster is asked once more. The `seconds`, the `hash` or what an error
# says, and whether it was `noticed`.
fit_with_fault <- function(kind, cluster, pids, seconds) {
  noticed <- FALSE
  notice <- function(cnd) {
    noticed <<- TRUE
    invokeRestart("muffleWarning")
  }
  hash <- NULL
  ask <- function() {
    hash <<- tryCatch(
      withCallingHandlers(fit_by(cluster), warning = notice), error = conditionMessage
    )
    took <<- proc.time()[["elapsed"]] - began
  }
  began <- proc.time()[["elapsed"]]
  took <- NULL
  setTimeLimit(elapsed = hanging, transient = TRUE)
  on.exit(setTimeLimit())
  # On a busy machine an interrupt may come before the fit, or long after it.
  tryCatch(
    {
      fault <- make_fault(kind, cluster, pids, seconds)
      ask()
      wait_for(fault)
    },
    interrupt = function(cnd) NULL
  )
  if (is.null(took)) ask()
  list(seconds = took, hash = hash, noticed = noticed)
}

# A cluster for the fault: far away for a cut, else the last one, if that is as it was. Workers that
# have yet to load mdpd have a longer deadline.
cluster <- NULL
ready_cluster <- function(kind) {
  if (kind != "cut" && !is.null(cluster)) {
    return(cluster)
  }
  if (kind == "cut") ip("link", "set", network$link, "up")
  new <- if (kind == "cut") far_cluster(network, 2) else parallel::makeCluster(2)
  parallel::clusterCall(new, loadNamespace, "mdpd")
  new
}

set.seed(settings$seed)
store <- row_store(new_rows(), tempfile("store"), shard_rows = 1024)
expected <- fit_by(NULL)
cluster <- ready_cluster("none")
invisible(fit_by(cluster))
usual <- system.time(fit_by(cluster))[["elapsed"]]
network <- new_network()
kinds <- c("kill", "kill all", "stop", "stale", "interrupt", if (!is.null(network)) "cut")
outcome <- data.frame()
for (at in seq_len(settings$faults)) {
  kind <- kinds[(at - 1) %% length(kinds) + 1]
  near <- ready_cluster(kind)
  pids <- pids_of(near)
  run <- fit_with_fault(kind, near, pids, stats::runif(1, 0, usual))
  is_right <- identical(run$hash, expected)
  outcome <- rbind(outcome, data.frame(
    kind, seconds = run$seconds, noticed = run$noticed, right = is_right
  ))
  if (!is_right) {
    cat(sprintf("Fault %d of seed %d, %s: %s\n", at, settings$seed, kind, run$hash))
  }
  is_whole <- is_right && kind %in% c("stale", "interrupt")
  if (!is_whole) end_cluster(near, pids)
  if (kind != "cut") cluster <- if (is_whole) near
}
if (!is.null(cluster)) parallel::stopCluster(cluster)
if (!is.null(network)) end_network(network)
unlink(store$path, recursive = TRUE)
print(stats::aggregate(
  cbind(faults = 1, noticed, right, seconds) ~ kind, outcome,
  function(x) if (all(x %in% 0:1)) sum(x) else max(x)
))
n_failed <- sum(!outcome$right)
cat(sprintf("A fit takes %.2f s; the longest with a fault took %.2f s\n", usual,
            max(outcome$seconds)))
if (!is.null(settings$counts)) {
  cat(nrow(outcome) - n_failed, n_failed, "\n", file = settings$counts)
}
if (n_failed > 0) quit(status = 1)
