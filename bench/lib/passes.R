# One pass of EM over the rows of a store, with the messages by which workers are asked for it.

internal <- function(name) utils::getFromNamespace(name, "mdpd")

# A store of rows drawn at random, three levels an item.
random_store <- function(n_rows, n_items, shard_rows = 65536) {
  answers <- lapply(seq_len(n_items), function(item) sample.int(3, n_rows, TRUE))
  names(answers) <- paste0("V", seq_len(n_items))
  row_store(as.data.frame(answers), tempfile("store-"), shard_rows = shard_rows)
}

files_of_store <- function(store) {
  shards <- store$manifest$shards
  list(path = file.path(store$path, shards$file), checksum = shards$checksum, bytes = shards$bytes)
}

# The question of a pass at three components that all items tell apart: a list of raw vectors, the
# `task` that goes out and the `frame`, which is sent once.
question_of <- function(store) {
  n_items <- ncol(store)
  item_probs <- lapply(lengths(levels(store)), function(n) {
    probs <- matrix(stats::rexp(3 * n), n)
    sweep(probs, 2, colSums(probs), "/")
  })
  start <- list(mixing_weights = rep(1 / 3, 3), item_probs = unname(item_probs),
                informative = seq_len(n_items))
  question <- NULL
  ask <- function(task, frame) {
    if (is.null(question)) question <<- list(task = task, frame = frame)
    internal("core_set_frame")(frame)
    list(internal("core_answer_task")(task, files_of_store(store), 1, 0))
  }
  control <- internal("complete_control")(stagewise_control(max_iter = 1, threads = 1), "robust")
  settings <- internal("new_settings")("continue", 3, "robust", "sparse", control)
  coded <- internal("coded_store")(store, "ignore")
  internal("run_engine_on_store")(
    internal("new_problem")(coded, starts = list(start)), settings, store, 1000, 0, ask
  )
  question
}

# The sums of a pass over some files, in this process.
answer_here <- function(question, files, memory = 1e9) {
  internal("core_set_frame")(question$frame)
  internal("core_answer_task")(question$task, files, 1, memory)
}
