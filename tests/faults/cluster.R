# Fits by clusters with faults at random moments: workers killed, stopped, a stale reply, an
# interrupt. Each must end, with the same bits as without a fault. Prints what happened to how many.
# Run: Rscript bench/scale_faults.R [number of faults, by default 100]
library(mdpd)

n_faults <- as.integer(c(commandArgs(TRUE), "100")[1])
set.seed(1)

new_rows <- function(n = 6000) {
  class <- sample(3, n, TRUE)
  items <- lapply(1:10, function(item) {
    factor(ifelse(item > 7 | stats::runif(n) < 0.5, sample(3, n, TRUE), class))
  })
  as.data.frame(stats::setNames(items, paste0("V", 1:10)))
}

store <- row_store(new_rows(), tempfile("store"), shard_rows = 1024)
numbers <- function(fit) fit[c("mixing_weights", "item_probs", "evidence", "loglik", "inclusion")]
fit_by <- function(cluster) {
  numbers(stagewise_em(store, 3, search_rows = 1000, cluster = cluster, deadline = 3))
}
new_cluster <- function() parallel::makeCluster(2)
pids_of <- function(cluster) unlist(parallel::clusterCall(cluster, Sys.getpid))

# In a process of its own, after some time.
signal_after <- function(seconds, pids, signal) {
  kill <- sprintf("sleep %.3f; kill -%s %s", seconds, signal, paste(pids, collapse = " "))
  system2("sh", c("-c", shQuote(paste0("(", kill, ") > /dev/null 2>&1 &"))))
}

send_stale <- function(node) {
  send_call <- utils::getFromNamespace("sendCall", "parallel")
  send_call(node, function() list(sums = raw(9)), list(), tag = "task-of-another-fit-1")
}

make_fault <- function(kind, cluster, pids, seconds) {
  switch(kind,
    kill = signal_after(seconds, sample(pids, 1), "KILL"),
    "kill all" = signal_after(seconds, pids, "KILL"),
    stop = signal_after(seconds, sample(pids, 1), "STOP"),
    stale = send_stale(cluster[[sample(2, 1)]]),
    interrupt = signal_after(seconds, Sys.getpid(), "INT")
  )
}

# After an interrupt the same cluster is asked once more. `seconds`, `fit`, and the number of
# `warnings`.
fit_with_fault <- function(kind, cluster, seconds) {
  warnings <- 0
  count <- function(cnd) {
    warnings <<- warnings + 1
    invokeRestart("muffleWarning")
  }
  make_fault(kind, cluster, pids_of(cluster), seconds)
  began <- proc.time()[["elapsed"]]
  fit <- withCallingHandlers(
    tryCatch(fit_by(cluster), interrupt = function(cnd) fit_by(cluster)), warning = count
  )
  took <- proc.time()[["elapsed"]] - began
  # For an interrupt that comes after the fit.
  tryCatch(Sys.sleep(max(0.1, seconds)), interrupt = function(cnd) NULL)
  list(seconds = took, fit = fit, warnings = warnings)
}

expected <- fit_by(NULL)
cluster <- new_cluster()
invisible(fit_by(cluster))
usual <- system.time(fit_by(cluster))[["elapsed"]]
kinds <- c("kill", "kill all", "stop", "stale", "interrupt")
outcome <- data.frame()
for (at in seq_len(n_faults)) {
  kind <- kinds[(at - 1) %% length(kinds) + 1]
  pids <- pids_of(cluster)
  run <- fit_with_fault(kind, cluster, stats::runif(1, 0, usual))
  outcome <- rbind(outcome, data.frame(
    kind, seconds = run$seconds, noticed = run$warnings > 0, same = identical(run$fit, expected)
  ))
  if (kind %in% c("kill", "kill all", "stop")) {
    for (pid in pids) tools::pskill(pid, tools::SIGKILL)
    for (node in cluster) try(close(node$con), silent = TRUE)
    cluster <- new_cluster()
    invisible(fit_by(cluster))
  }
}
parallel::stopCluster(cluster)
print(stats::aggregate(
  cbind(faults = 1, noticed, same, seconds) ~ kind, outcome,
  function(x) if (all(x %in% 0:1)) sum(x) else max(x)
))
cat(sprintf("%d faults, %d fits with the same bits; usually %.2f s\n", n_faults,
            sum(outcome$same), usual))
stopifnot(outcome$same)
