# What may happen to the workers of a cluster: a signal, a reply to something else, a link that is
# cut.

# In a process of its own, after some time.
# @return The path of a file that is there once it is done.
run_after <- function(seconds, command) {
  done <- tempfile("done-")
  later <- sprintf("(sleep %.3f; %s; : > %s) > /dev/null 2>&1 &", seconds, command, shQuote(done))
  system2("sh", c("-c", shQuote(later)))
  done
}

signal_after <- function(seconds, pids, signal) {
  run_after(seconds, sprintf("kill -%s %s", signal, paste(pids, collapse = " ")))
}

send_stale <- function(node) {
  send_call <- utils::getFromNamespace("sendCall", "parallel")
  send_call(node, function() list(sums = raw(9)), list(), tag = "task-of-another-fit-1")
}

pids_of <- function(cluster) unlist(parallel::clusterCall(cluster, Sys.getpid))

# For those that may be dead, or hang.
end_cluster <- function(cluster, pids) {
  for (pid in pids) tools::pskill(pid, tools::SIGKILL)
  for (node in cluster) try(close(node$con), silent = TRUE)
}

# A network namespace with a link to it ------------------------------------------------------------

ip <- function(...) system2("ip", c(...), stdout = FALSE, stderr = FALSE) == 0

# @return A list of the names of the `space` and of the `link` to it, and the addresses `here` and
#   `there`; NULL where there can be none: that needs Linux, root and `ip`.
new_network <- function() {
  id <- Sys.getpid()
  network <- list(
    space = paste0("mdpd-", id), link = paste0("md", id, "h"),
    here = sprintf("10.77.%d.1", id %% 250), there = sprintf("10.77.%d.2", id %% 250)
  )
  if (!nzchar(Sys.which("ip")) || !identical(system2("id", "-u", stdout = TRUE), "0")) {
    return(NULL)
  }
  far <- paste0("md", id, "t")
  in_space <- c("netns", "exec", network$space, "ip")
  steps <- list(
    c("netns", "add", network$space),
    c("link", "add", network$link, "type", "veth", "peer", "name", far),
    c("link", "set", far, "netns", network$space),
    c("addr", "add", paste0(network$here, "/24"), "dev", network$link),
    c("link", "set", network$link, "up"),
    c(in_space, "addr", "add", paste0(network$there, "/24"), "dev", far),
    c(in_space, "link", "set", far, "up")
  )
  if (all(vapply(steps, ip, NA))) {
    return(network)
  }
  end_network(network)
  NULL
}

end_network <- function(network) {
  end <- "kill -9 $(ip netns pids %s); ip netns del %s"
  system2("sh", c("-c", shQuote(sprintf(end, network$space, network$space))), stdout = FALSE,
          stderr = FALSE)
}

# Workers on the other side of a link, started as by ssh, whose first argument is the host.
far_cluster <- function(network, n) {
  shell <- tempfile("shell-")
  writeLines(
    c("#!/bin/sh", "shift", paste("exec ip netns exec", network$space, "sh -c \"$*\"")), shell
  )
  Sys.chmod(shell, "700")
  parallel::makeCluster(rep(network$there, n), master = network$here, rshcmd = shell)
}

cut_after <- function(seconds, network) {
  run_after(seconds, paste("ip link set", network$link, "down"))
}
