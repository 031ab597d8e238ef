# `cluster` of stagewise_em(): NULL, "mirai", or a cluster of the package parallel.

check_cluster <- function(cluster, arg = "cluster", call = rlang::caller_env()) {
  if (is.null(cluster)) {
    return(invisible())
  }
  if (identical(cluster, "mirai")) {
    return(check_daemons(call))
  }
  if (!inherits(cluster, "cluster") || length(cluster) == 0) {
    abort_mdpd(
      "{.arg {arg}} must be `NULL`, {.val mirai} or a cluster of {.fn parallel::makeCluster}, not
       {describe(cluster)}.",
      class = "argument", call = call
    )
  }
}

check_daemons <- function(call) {
  rlang::check_installed("mirai", "for `cluster = \"mirai\"`.")
  if (as.integer(mirai::status()$connections) == 0) {
    abort_mdpd(
      c("{.code cluster = \"mirai\"} needs daemons, and none is connected.",
        i = "Start some, such as by {.code mirai::daemons(2)}."),
      class = "cluster", call = call
    )
  }
}

carrier_of <- function(cluster, deadline) {
  if (inherits(cluster, "cluster")) socket_carrier(cluster) else mirai_carrier(deadline)
}

#' A cluster at work for a fit
#'
#' @param carrier Of carrier_of().
#' @param store A [row_store()].
#' @param settings,call See new_team().
#' @return A function for core_fit_shards().
#' @noRd
ask_by <- function(carrier, store, settings, call) {
  shards <- store$manifest$shards
  files <- list(
    path = file.path(store$path, shards$file), checksum = shards$checksum, bytes = shards$bytes
  )
  team <- new_team(carrier, files, settings, call)
  function(sums, frame) ask_team(team, sums, frame)
}
