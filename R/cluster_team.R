# The workers of a cluster and who has which shards. Every shard is dealt to a worker, who has it in
# each pass over the rows and so has it in memory from the second pass on. Those of a worker that is
# lost are dealt to the others; what nobody can do is done in this process.

# How often the shards of a task are handed out again in a pass after they were lost: then they may
# be what kills the workers.
most_losses <- 3

# Bytes of files in one message.
most_bytes_sent <- 2^28

#' A team of workers
#'
#' @param carrier See cluster_sockets.R.
#' @param files Of all shards: `path`, `checksum` and `bytes`.
#' @param settings A list of `threads`, `memory`, `deadline` and `verbose`.
#' @param call The user's.
#' @return An environment. `deal` has the worker of each shard.
#' @noRd
new_team <- function(carrier, files, settings, call) {
  team <- list2env(list(
    carrier = carrier, files = files, settings = settings, call = call, n_passes = 0, n_refused = 0,
    deadline = max(30, settings$deadline),  # to load mdpd may take longer than a pass
    version = mdpd_version(), fingerprint = arithmetic()
  ))
  greet_workers(team)
  team$deadline <- settings$deadline
  # To a worker 0, which is nobody, where none is left.
  workers <- carrier$workers()
  team$deal <- rep_len(if (length(workers) > 0) workers else 0, length(files$path))
  team
}

# Workers that cannot take part are told apart before there is any work.
greet_workers <- function(team) {
  pass <- new_pass(team, list())
  for (worker in team$carrier$workers()) add_piece(pass, integer(), worker)
  run_pass(team, pass)
  if (team$n_refused > 0 && length(team$carrier$workers()) == 0) {
    abort_mdpd(
      c("{.arg cluster} must have a worker that can take part in the fit.",
        i = "Is mdpd installed there, in the same version as here?"),
      class = "cluster", call = team$call
    )
  }
}

#' One pass over all rows
#'
#' @param sums,frame What the engine asks, see EngineInR in `src/`.
#' @return A list of raw vectors.
#' @noRd
ask_team <- function(team, sums, frame) {
  team$n_passes <- team$n_passes + 1
  if (is.null(team$frame_name)) team$frame_name <- core_checksum(frame)
  pass <- new_pass(team, list(sums = sums, frame = frame))
  for (worker in unique(team$deal)) add_piece(pass, which(team$deal == worker), worker)
  run_pass(team, pass)
  pass$answers
}

# Pieces of a pass --------------------------------------------------------------------------------

# `todo` has pieces of work: lists of `shards`, the `worker` they are for, how often they were
# `lost`, and what the worker `lacks`. `at_work` has those that were handed out, named by worker.
new_pass <- function(team, question) {
  pass <- list2env(list(
    question = question, todo = list(), at_work = list(), answers = list(), bar = NULL
  ))
  if (isTRUE(team$settings$verbose) && !is.null(question$sums)) {
    # What is in braces is worked out where the bar moves, which does not know the team.
    pass$bar <- cli::cli_progress_bar(
      format = paste("Pass", team$n_passes,
                     "over all rows: {cli::pb_current} of {cli::pb_total} shards"),
      total = length(team$deal), clear = TRUE, .auto_close = FALSE
    )
  }
  pass
}

add_piece <- function(pass, shards, worker, lost = 0, lacks = character()) {
  piece <- list(shards = shards, worker = worker, lost = lost, lacks = lacks)
  pass$todo[[length(pass$todo) + 1]] <- piece
}

# After an error or an interrupt there are workers at work: the cluster is the user's, who may want
# to use it.
run_pass <- function(team, pass) {
  on.exit(end_pass(team, pass))
  repeat {
    has_tried <- hand_out(team, pass)
    if (length(pass$at_work) == 0) {
      if (has_tried) next else break
    }
    got <- team$carrier$receive(time_left(team, pass))
    if (is.null(got)) {
      drop_late(team, pass)
    } else if (is.null(got$answer)) {
      lose_worker(team, pass, got$worker, got$failure)
    } else {
      take_answer(team, pass, got$worker, got$answer)
    }
  }
  do_rest_here(team, pass)
}

end_pass <- function(team, pass) {
  if (!is.null(pass$bar)) cli::cli_progress_done(pass$bar)
  if (length(pass$at_work) == 0) {
    return(invisible())
  }
  still <- team$carrier$stop(min(10, team$deadline))
  if (length(still) > 0) {
    warn_mdpd(
      c("Worker{?s} {as.character(still)} of the cluster {?is/are} still at work.",
        i = "Stop the cluster and make another."),
      class = "busy_worker", call = team$call
    )
  }
}

# Every free worker gets one of its pieces, or cannot be reached. Was there any to give?
hand_out <- function(team, pass) {
  has_tried <- FALSE
  for (worker in setdiff(team$carrier$workers(), as.integer(names(pass$at_work)))) {
    is_its <- vapply(pass$todo, function(piece) {
      piece$worker == worker && piece$lost < most_losses
    }, NA)
    if (any(is_its)) {
      hand_out_one(team, pass, which(is_its)[1], worker)
      has_tried <- TRUE
    }
  }
  has_tried
}

hand_out_one <- function(team, pass, at, worker) {
  piece <- pass$todo[[at]]
  pass$todo[[at]] <- NULL
  piece$since <- now()
  pass$at_work[[as.character(worker)]] <- piece
  # Here, as what fails in send() is the worker's.
  task <- task_of(team, pass, piece)
  if (!team$carrier$send(worker, task)) {
    lose_worker(team, pass, worker, "It cannot be reached.")
  }
}

task_of <- function(team, pass, piece) {
  files <- lapply(team$files, `[`, piece$shards)
  lacking <- files$path[files$checksum %in% piece$lacks]
  contents <- lapply(lacking, read_to_send, team$call)
  names(contents) <- files$checksum[files$checksum %in% piece$lacks]
  list(
    version = team$version, fingerprint = team$fingerprint, sums = pass$question$sums,
    frame_name = team$frame_name, frame = if ("frame" %in% piece$lacks) pass$question$frame,
    files = files, contents = contents, threads = team$settings$threads,
    memory = team$settings$memory
  )
}

read_to_send <- function(path, call) {
  tryCatch(
    suppressWarnings(readBin(path, "raw", file.size(path))),
    error = function(cnd) abort_damaged_file(path, "It cannot be opened", call)
  )
}

take_piece <- function(pass, worker) {
  piece <- pass$at_work[[as.character(worker)]]
  pass$at_work[[as.character(worker)]] <- NULL
  piece
}

take_answer <- function(team, pass, worker, answer) {
  if (!is.null(answer$refused)) {
    refuse_worker(team, pass, worker, answer$refused)
  } else if (!is.null(answer$error)) {
    abort_as_worker(team, answer$error)
  } else if (!is.null(answer$lacks)) {
    send_more(team, pass, take_piece(pass, worker), answer$lacks)
  } else {
    piece <- take_piece(pass, worker)
    keep_answer(pass, answer$sums, piece$shards)
  }
}

keep_answer <- function(pass, sums, shards) {
  if (!is.null(sums)) pass$answers[[length(pass$answers) + 1]] <- sums
  if (!is.null(pass$bar)) cli::cli_progress_update(length(shards), id = pass$bar)
}

# Files that a worker does not see are sent, some at a time. It keeps them.
send_more <- function(team, pass, piece, lacks) {
  lost <- piece$lost + any(lacks %in% piece$lacks)
  checksums <- team$files$checksum[piece$shards]
  bytes <- ifelse(checksums %in% lacks, team$files$bytes[piece$shards], 0)
  for (shards in split(piece$shards, floor(cumsum(bytes) / most_bytes_sent))) {
    add_piece(pass, shards, piece$worker, lost, lacks)
  }
}

# Failures ----------------------------------------------------------------------------------------

time_left <- function(team, pass) {
  since <- vapply(pass$at_work, `[[`, 0, "since")
  max(0, min(since) + team$deadline - now())
}

drop_late <- function(team, pass) {
  since <- vapply(pass$at_work, `[[`, 0, "since")
  late <- since + team$deadline <= now()
  for (worker in as.integer(names(since)[late])) {
    problem <- sprintf("It did not answer within %g seconds.", team$deadline)
    lose_worker(team, pass, worker, problem)
  }
}

lose_worker <- function(team, pass, worker, problem) {
  piece <- take_piece(pass, worker)
  if (!team$carrier$is_lost(worker)) {
    add_piece(pass, piece$shards, worker, piece$lost + 1, piece$lacks)
  } else {
    team$carrier$drop(worker)
    deal_again(team, pass, worker, piece)
  }
  is_last <- length(team$carrier$workers()) == 0
  warn_mdpd(
    c("Worker {worker} of the cluster has failed.", x = problem,
      i = if (is_last) "No worker is left: the fit goes on in this process."),
    class = if (is_last) "no_worker" else "lost_worker", call = team$call
  )
}

# All shards of a worker that is gone, in this pass and the next ones.
deal_again <- function(team, pass, worker, piece) {
  mine <- vapply(pass$todo, function(piece) piece$worker == worker, NA)
  lost <- c(list(piece), pass$todo[mine])
  pass$todo <- pass$todo[!mine]
  left <- team$carrier$workers()
  dealt <- which(team$deal == worker)
  if (length(left) > 0) team$deal[dealt] <- rep_len(left, length(dealt))
  for (one in lost) {
    for (to in unique(team$deal[one$shards])) {
      add_piece(pass, one$shards[team$deal[one$shards] == to], to, one$lost + 1, one$lacks)
    }
  }
}

# Of mirai, any daemon may be given any task, so all must be able to.
refuse_worker <- function(team, pass, worker, problem) {
  if (!team$carrier$is_lost(worker)) {
    abort_mdpd(
      c("A daemon of mirai cannot take part in the fit.", x = problem), class = "cluster",
      call = team$call
    )
  }
  team$n_refused <- team$n_refused + 1
  piece <- take_piece(pass, worker)
  team$carrier$drop(worker)
  deal_again(team, pass, worker, piece)
  warn_mdpd(
    c("Worker {worker} of the cluster cannot take part in the fit.", x = problem),
    class = "refused_worker", call = team$call
  )
}

# What went wrong in the computation would go wrong elsewhere as well.
abort_as_worker <- function(team, cnd) {
  if (!inherits(cnd, "mdpd_error")) {
    abort_mdpd(
      c("A worker of the cluster has failed.", x = "{conditionMessage(cnd)}"), class = "worker",
      call = team$call
    )
  }
  cnd$call <- team$call
  rlang::cnd_signal(cnd)
}

# What no worker can do.
do_rest_here <- function(team, pass) {
  shards <- unlist(lapply(pass$todo, `[[`, "shards"))
  if (length(shards) == 0) {
    return(invisible())
  }
  core_set_frame(pass$question$frame)
  files <- lapply(team$files, `[`, shards)
  settings <- team$settings
  sums <- with_shard_files(
    core_answer_task(pass$question$sums, files, settings$threads, settings$memory), team$call
  )
  keep_answer(pass, sums, shards)
}
