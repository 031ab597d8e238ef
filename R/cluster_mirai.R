# The daemons of mirai as carriers of tasks, see cluster_sockets.R. Which of them takes a task is
# for mirai to say: our workers are places for tasks, as many as there are daemons.

mirai_carrier <- function(deadline) {
  n_daemons <- function() as.integer(mirai::status()$connections)
  tasks <- list()

  send <- function(worker, task) {
    tasks[[as.character(worker)]] <<- mirai::mirai(
      ask_worker(task), ask_worker = ask_worker, task = task, .timeout = ceiling(1000 * deadline)
    )
    TRUE
  }
  # Each task ends at its own deadline, so there is no other.
  receive <- function(seconds) {
    if (length(tasks) == 0) {
      return(NULL)
    }
    mirai::race_mirai(tasks)
    name <- names(tasks)[!vapply(tasks, mirai::unresolved, NA)][1]
    value <- tasks[[name]]$data
    tasks[[name]] <<- NULL
    c(list(worker = as.integer(name)), read_mirai(value))
  }
  stop <- function(seconds) {
    for (task in tasks) mirai::stop_mirai(task)
    tasks <<- list()
    integer()
  }
  n_places <- n_daemons()
  list(
    workers = function() if (n_daemons() > 0) seq_len(n_places) else integer(),
    send = send, receive = receive, drop = function(worker) tasks[[as.character(worker)]] <<- NULL,
    stop = stop, is_lost = function(worker) n_daemons() == 0
  )
}

read_mirai <- function(value) {
  if (mirai::is_mirai_error(value)) {
    return(list(answer = list(error = simpleError(as.character(attr(value, "message"))))))
  }
  if (mirai::is_error_value(value)) {
    return(list(failure = "The connection is lost, or the deadline is over."))
  }
  list(answer = value)
}
