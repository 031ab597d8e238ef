# Clusters of the package parallel as carriers of tasks. A carrier is a list of functions:
#   workers()           numbers of those that can be sent a task
#   send(worker, task)  gives the worker a task, one at a time; FALSE if it cannot be reached
#   receive(seconds)    waits for whoever answers first: a list of `worker` and either `answer` or
#                       `failure`, a sentence; NULL if nobody did in time
#   drop(worker)        is never asked again
#   stop(seconds)       ends the tasks at work, or waits until they are done; returns the numbers of
#                       the workers that are still at work
#   is_lost(worker)     does a failure mean that the worker is gone?

#' Tasks by a cluster of parallel
#'
#' Nodes with a socket are waited for with a deadline. Others, such as those of MPI, which ends as a
#' whole when a process of it dies, have none.
#'
#' @param cluster Of [parallel::makeCluster()].
#' @return A carrier, see above.
#' @noRd
socket_carrier <- function(cluster) {
  has_sockets <- all(vapply(cluster, function(node) inherits(node$con, "sockconn"), NA))
  alive <- seq_along(cluster)
  # The tag of each worker's task, which its reply repeats. After an interrupted call, or when
  # another worker has died, the reply to something else may come first.
  tags <- rep(NA_character_, length(cluster))
  series <- basename(tempfile("task-"))
  n_sent <- 0

  send <- function(worker, task) {
    n_sent <<- n_sent + 1
    tag <- paste0(series, "-", n_sent)
    failed <- function(cnd) FALSE
    sent <- tryCatch(
      {
        send_task(cluster[[worker]], task, tag)
        TRUE
      },
      error = failed, warning = failed  # serialize() fails, writeBin() warns
    )
    if (sent) tags[worker] <<- tag
    sent
  }
  receive <- function(seconds) {
    until <- now() + seconds
    repeat {
      message <- next_message(cluster, which(!is.na(tags)), has_sockets, until)
      if (is.null(message)) {
        return(NULL)
      }
      if (!is.null(message$failure)) {
        tags[message$worker] <<- NA
        return(message)
      }
      if (identical(message$value$tag, tags[message$worker])) {
        tags[message$worker] <<- NA
        return(list(worker = message$worker, answer = answer_of(message$value)))
      }
    }
  }
  drop <- function(worker) {
    alive <<- setdiff(alive, worker)
    tags[worker] <<- NA
  }
  stop <- function(seconds) {
    until <- now() + seconds
    while (any(!is.na(tags)) && !is.null(receive(until - now()))) NULL
    which(!is.na(tags))
  }
  list(
    workers = function() alive, send = send, receive = receive, drop = drop, stop = stop,
    is_lost = function(worker) TRUE
  )
}

send_task <- function(node, task, tag) {
  call <- list(fun = ask_worker, args = list(task), return = TRUE, tag = tag)
  if (inherits(node$con, "sockconn")) {
    # R numbers connections, and gives the number of one that was closed to the next.
    if (!identical(getConnection(node$con), node$con)) stop("It is closed.")
    send_whole(node, list(type = "EXEC", data = call, tag = NULL))
  } else {
    utils::getFromNamespace("sendCall", "parallel")(node, call$fun, call$args, tag = tag)
  }
}

now <- function() proc.time()[["elapsed"]]

# The next message of some nodes, whatever it answers; NULL if there is none in time.
next_message <- function(cluster, workers, has_sockets, until) {
  if (!has_sockets) {
    message <- utils::getFromNamespace("recvOneData", "parallel")(cluster)
    return(list(worker = message$node, value = message$value))
  }
  sockets <- lapply(cluster[workers], `[[`, "con")
  left <- max(0, until - now())
  ready <- socketSelect(sockets, FALSE, left)
  if (!any(ready)) {
    return(NULL)
  }
  worker <- workers[which(ready)[1]]
  con <- cluster[[worker]]$con
  # A message may break off in the middle.
  before <- socketTimeout(con, max(1, ceiling(left)))
  on.exit(socketTimeout(con, before))
  tryCatch(
    list(worker = worker, value = suppressWarnings(unserialize(con))),
    error = function(cnd) list(worker = worker, failure = "The connection is lost.")
  )
}

# An error that ask_worker() did not catch comes as its message.
answer_of <- function(value) {
  if (isTRUE(value$success) && is.list(value$value)) {
    return(value$value)
  }
  list(error = simpleError(paste(as.character(value$value), collapse = " ")))
}
