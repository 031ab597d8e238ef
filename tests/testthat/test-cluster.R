# Fits by clusters against the same fit in this process, whatever dies on the way.

clustered_rows <- function(n = 4000) {
  withr::local_seed(1)
  class <- sample(3, n, TRUE, c(0.5, 0.3, 0.2))
  items <- lapply(1:10, function(item) {
    noise <- item > 7 | stats::runif(n) < 0.4
    factor(ifelse(noise, sample(3, n, TRUE), class))
  })
  table <- as.data.frame(stats::setNames(items, paste0("V", 1:10)))
  is.na(table$V2) <- sample(n, n / 20)
  table
}

# One for all tests that leave it as it was.
lasting <- new.env()

lasting_cluster <- function() {
  if (is.null(lasting$cluster)) lasting$cluster <- local_cluster(env = teardown_env())
  lasting$cluster
}

pids_of <- function(cluster) unlist(parallel::clusterCall(cluster, Sys.getpid))

# What the engine gives, so that every number of the fit is compared.
engine_fit <- function(store, carrier = NULL, deadline = 60, verbose = FALSE) {
  problem <- new_problem(coded_store(store, "ignore"))
  control <- complete_control(stagewise_control(threads = 1), "robust")
  settings <- new_settings("grow", 3, "robust", "sparse", control)
  at_work <- list(threads = 1, memory = 1e9, deadline = deadline, verbose = verbose)
  ask <- if (!is.null(carrier)) ask_by(carrier, store, at_work, rlang::current_env())
  limits <- list(search_rows = 1000, memory = 1e9)
  run_engine_on_store(problem, settings, store, limits, ask)$fits[[1]]
}

# Calls do(worker, task) just before the n-th task is sent, or after it; the greetings count too.
with_fault <- function(carrier, n, before = NULL, after = NULL) {
  n_sent <- 0
  send <- carrier$send
  carrier$send <- function(worker, task) {
    n_sent <<- n_sent + 1
    if (n_sent == n && !is.null(before)) before(worker)
    sent <- send(worker, task)
    if (n_sent == n && !is.null(after)) after(worker)
    sent
  }
  carrier
}

# Every task to some workers is changed.
with_tasks <- function(carrier, change, workers = 1:2) {
  send <- carrier$send
  carrier$send <- function(worker, task) {
    send(worker, if (worker %in% workers) change(task) else task)
  }
  carrier
}

local_clustered_store <- function(env = parent.frame()) {
  path <- local_folder(env)
  small_store(clustered_rows(), path)
}

test_that("a fit by any number of processes is that of this one", {
  skip_on_cran()
  store <- local_clustered_store()
  here <- engine_fit(store)
  for (n in 1:2) {
    cluster <- lasting_cluster()[seq_len(n)]
    expect_identical(engine_fit(store, socket_carrier(cluster)), here)
    # The workers have kept the shards.
    expect_identical(engine_fit(store, socket_carrier(cluster)), here)
  }
  fit <- stagewise_em(store, 3, search_rows = 1000, cluster = cluster)
  expect_identical(fit$store$reading, "sample")
  expect_identical(fit$loglik, here$loglik)
  expect_identical(fit$evidence, here$evidence)
})

test_that("daemons of mirai give the same fit, one of them killed, and all", {
  skip_on_cran()
  skip_if_not_installed("mirai")
  store <- local_clustered_store()
  here <- engine_fit(store)
  local_libraries()
  mirai::daemons(2)
  withr::defer(mirai::daemons(0))
  expect_identical(engine_fit(store, carrier_of("mirai", 60)), here)
  pids <- unique(unlist(mirai::mirai_map(1:50, function(i) Sys.getpid())[]))
  kill_one <- function(worker) tools::pskill(pids[1], tools::SIGKILL)
  carrier <- with_fault(mirai_carrier(60), 7, after = kill_one)
  expect_identical(suppressWarnings(engine_fit(store, carrier)), here)
  wrong <- with_tasks(mirai_carrier(60), function(task) replace(task, "version", "0.0.1"))
  expect_error(engine_fit(store, wrong), class = "mdpd_error_cluster")
  kill_all <- function(worker) {
    for (pid in pids) tools::pskill(pid, tools::SIGKILL)
    Sys.sleep(0.5)
  }
  carrier <- with_fault(mirai_carrier(60), 4, after = kill_all)
  expect_identical(suppressWarnings(engine_fit(store, carrier)), here)
  expect_error(
    stagewise_em(store, 3, cluster = "mirai"), class = "mdpd_error_cluster"
  )
})

test_that("the shards of a killed worker go to the others", {
  skip_on_cran()
  store <- local_clustered_store()
  here <- engine_fit(store)
  for (when in c("before", "after")) {
    cluster <- local_cluster()
    pids <- pids_of(cluster)
    kill <- function(worker) tools::pskill(pids[worker], tools::SIGKILL)
    fault <- list(socket_carrier(cluster), 8)
    fault[[when]] <- kill
    carrier <- do.call(with_fault, fault)
    expect_warning(fit <- engine_fit(store, carrier), class = "mdpd_warning_lost_worker")
    expect_identical(fit, here)
    expect_length(carrier$workers(), 1)
  }
})

test_that("the fit goes on in this process when no worker is left", {
  skip_on_cran()
  store <- local_clustered_store()
  here <- engine_fit(store)
  cluster <- local_cluster()
  pids <- pids_of(cluster)
  kill <- function(worker) for (pid in pids) tools::pskill(pid, tools::SIGKILL)
  carrier <- with_fault(socket_carrier(cluster), 9, after = kill)
  # Then the cluster is dead from the beginning.
  for (carrier in list(carrier, socket_carrier(cluster))) {
    expect_warning(
      expect_warning(fit <- engine_fit(store, carrier), class = "mdpd_warning_lost_worker"),
      class = "mdpd_warning_no_worker"
    )
    expect_identical(fit, here)
  }
})

test_that("replies to other calls are thrown away", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  cluster <- lasting_cluster()
  send_call <- utils::getFromNamespace("sendCall", "parallel")
  stale <- function(worker) {
    send_call(cluster[[worker]], function() list(sums = as.raw(1:10)), list(), tag = "task-old-1")
    send_call(cluster[[worker]], function() stop("of another call"), list())
  }
  stale(1)
  expect_identical(engine_fit(store, with_fault(socket_carrier(cluster), 6, before = stale)), here)
  expect_length(unique(pids_of(cluster)), 2)
})

test_that("a worker that hangs is lost at the deadline", {
  skip_on_cran()
  skip_on_os("windows")
  store <- local_clustered_store()
  here <- engine_fit(store)
  cluster <- local_cluster()
  pids <- pids_of(cluster)
  withr::defer(tools::pskill(pids, tools::SIGKILL))
  hang <- function(worker) tools::pskill(pids[worker], tools::SIGSTOP)
  carrier <- with_fault(socket_carrier(cluster), 5, before = hang)
  # Once, not in every pass: another warning would be one of the test.
  expect_warning(
    seconds <- system.time(fit <- engine_fit(store, carrier, deadline = 5))[["elapsed"]],
    class = "mdpd_warning_lost_worker"
  )
  expect_identical(fit, here)
  expect_gt(seconds, 5)
})

test_that("an answer is waited for until the first of the deadlines", {
  at_work <- function(ago) list(at_work = lapply(ago, function(s) list(since = now() - s)))
  left <- function(ago) time_left(list(deadline = 60), at_work(ago))
  # Some seconds for a machine that is slow.
  expect_gt(left(c("1" = 10, "2" = 30)), 20)
  expect_lt(left(c("1" = 10, "2" = 30)), 31)
  expect_identical(left(c("1" = 10, "2" = 70)), 0)
})

test_that("workers of another version or arithmetic are refused", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  cluster <- lasting_cluster()
  for (field in c("version", "fingerprint")) {
    other <- function(task) replace(task, field, "0.0.1")
    carrier <- with_tasks(socket_carrier(cluster), other, workers = 2)
    expect_warning(fit <- engine_fit(store, carrier), class = "mdpd_warning_refused_worker")
    expect_identical(fit, here)
    carrier <- with_tasks(socket_carrier(cluster), other)
    expect_error(
      suppressWarnings(engine_fit(store, carrier)), class = "mdpd_error_cluster"
    )
  }
})

test_that("workers that do not see the files are sent them", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  cluster <- lasting_cluster()
  n_sent <- 0
  blind <- function(task) {
    n_sent <<- n_sent + length(task$contents)
    task$files$path <- file.path(tempdir(), "not", "here", basename(task$files$path))
    task
  }
  expect_identical(engine_fit(store, with_tasks(socket_carrier(cluster), blind)), here)
  expect_equal(n_sent, nrow(store$manifest$shards))
})

# Workers do not see the files; the first that a task sends is changed.
sending_damaged <- function(task) {
  task$files$path <- file.path(tempdir(), "not", "here", basename(task$files$path))
  if (length(task$contents) > 0) task$contents[[1]][100] <- xor(task$contents[[1]][100], as.raw(1))
  task
}

test_that("workers that were sent a damaged file, or cannot keep one, lack it", {
  skip_on_cran()
  store <- local_clustered_store()
  here <- engine_fit(store)
  cluster <- local_cluster()
  expect_identical(engine_fit(store, with_tasks(socket_carrier(cluster), sending_damaged)), here)
  # Now with the file as it is.
  expect_silent(again <- engine_fit(store, socket_carrier(cluster)))
  expect_identical(again, here)
  parallel::clusterCall(cluster, function() unlink(tempdir(), recursive = TRUE))
  expect_silent(again <- engine_fit(store, with_tasks(socket_carrier(cluster), sending_damaged)))
  expect_identical(again, here)
})

test_that("what is lost again and again is done in this process", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  n_lost <- 0
  # Loses everything, but has workers all the time.
  carrier <- list(
    workers = function() 1:2, send = function(worker, task) is.null(task$sums),
    receive = function(seconds) list(worker = greeted(), answer = list(sums = NULL)),
    drop = function(worker) NULL, stop = function(seconds) integer(),
    is_lost = function(worker) {
      n_lost <<- n_lost + 1
      FALSE
    }
  )
  n_greeted <- 0
  greeted <- function() {
    n_greeted <<- n_greeted + 1
    n_greeted
  }
  expect_identical(suppressWarnings(engine_fit(store, carrier)), here)
  expect_gt(n_lost, 0)
  expect_equal(n_lost %% (2 * most_losses), 0)
})

# Workers in this process. `fails(worker, n)` says whether the n-th question is lost. `asked()` has
# for each question the worker and the numbers of the shards.
carrier_here <- function(n_workers, fails = function(worker, n) FALSE, is_lost = TRUE) {
  alive <- seq_len(n_workers)
  tasks <- list()
  asked <- character()
  list(
    workers = function() alive,
    send = function(worker, task) {
      tasks <<- c(tasks, list(c(task, worker = worker)))
      TRUE
    },
    receive = function(seconds) {
      task <- tasks[[1]]
      tasks <<- tasks[-1]
      worker <- task$worker
      if (!is.null(task$sums)) {
        shards <- as.integer(gsub("\\D", "", basename(task$files$path)))
        asked <<- c(asked, sprintf("%d: %s", worker, paste(shards, collapse = " ")))
        if (fails(worker, length(asked))) {
          return(list(worker = worker, failure = "It is gone."))
        }
      }
      list(worker = worker, answer = answer_task(task))
    },
    drop = function(worker) alive <<- setdiff(alive, worker),
    stop = function(seconds) integer(), is_lost = function(worker) is_lost,
    asked = function() asked
  )
}

test_that("each worker has the same shards in every pass", {
  store <- local_clustered_store()
  carrier <- carrier_here(3)
  expect_identical(engine_fit(store, carrier), engine_fit(store))
  asked <- utils::tail(carrier$asked(), 6)
  expect_identical(asked, rep(c("1: 1 4", "2: 2", "3: 3"), 2))
  expect_setequal(carrier$asked(), asked)
})

test_that("a single worker has all shards, and none is left where he is refused", {
  store <- local_clustered_store()
  carrier <- carrier_here(1)
  expect_identical(engine_fit(store, carrier), engine_fit(store))
  expect_setequal(carrier$asked(), "1: 1 2 3 4")
  refused <- carrier_here(1)
  refused$receive <- function(seconds) list(worker = 1L, answer = list(refused = "Another one."))
  expect_error(suppressWarnings(engine_fit(store, refused)), "must have a worker",
               class = "mdpd_error_cluster")
})

test_that("a file that is not there when a worker asks for it is no fault of the worker", {
  store <- local_clustered_store()
  file <- file.path(store$path, store$manifest$shards$file[2])
  carrier <- carrier_here(2)
  send <- carrier$send
  # As by sockets.
  carrier$send <- function(worker, task) {
    tryCatch(send(worker, task), error = function(cnd) FALSE, warning = function(cnd) FALSE)
  }
  # Behind the greetings: this process has gone over the rows.
  carrier <- with_fault(carrier, 3, before = function(worker) unlink(file))
  expect_silent(expect_error(engine_fit(store, carrier), "It cannot be opened",
                             class = "mdpd_error_damaged_shard"))
  expect_identical(carrier$workers(), 1:2)
})

test_that("workers have half a minute to load the package, and then the deadline", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  carrier <- carrier_here(2)
  receive <- carrier$receive
  waits <- numeric()
  # That nothing came yet makes nobody late.
  carrier$receive <- function(seconds) {
    waits <<- c(waits, seconds)
    if (length(waits) %% 2 == 0) receive(seconds)
  }
  expect_silent(fit <- engine_fit(store, carrier, deadline = 20))
  expect_identical(fit, here)
  expect_gt(waits[1], 21)
  expect_lt(max(waits), 30.5)
  # Behind the greetings of both.
  expect_lt(max(waits[-(1:4)]), 21)
})

test_that("the shards of a worker that is lost are dealt to all others, for good", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  # All know what is asked for before one is lost.
  carrier <- carrier_here(3, function(worker, n) n == 10)
  expect_warning(
    expect_identical(engine_fit(store, carrier), here), "Worker 1 of .*It is gone",
    class = "mdpd_warning_lost_worker"
  )
  expect_identical(carrier$asked()[10:14], c("1: 1 4", "2: 2", "3: 3", "2: 1", "3: 4"))
  expect_identical(utils::tail(carrier$asked(), 2), c("2: 1 2", "3: 3 4"))
})

test_that("shards that were lost three times in a pass are not asked for again in it", {
  store <- local_clustered_store()
  here <- engine_fit(store)
  carrier <- carrier_here(4, function(worker, n) worker == 3, is_lost = FALSE)
  expect_identical(suppressWarnings(engine_fit(store, carrier)), here)
  n_asked <- table(factor(utils::tail(carrier$asked(), 12)))
  expect_identical(c(n_asked), c("1: 1" = 2L, "2: 2" = 2L, "3: 3" = 6L, "4: 4" = 2L))
})

test_that("a bar shows the pass, and how many of its shards are done", {
  store <- local_clustered_store()
  slow <- carrier_here(3)
  receive <- slow$receive
  n_received <- 0
  slow$receive <- function(seconds) {
    n_received <<- n_received + 1
    # cli draws five times a second. Behind the greetings of all come the first sums.
    if (n_received == 4) Sys.sleep(0.5)
    receive(seconds)
  }
  withr::local_options(cli.progress_show_after = 0, cli.dynamic = FALSE)
  shown <- cli::cli_fmt(fit <- engine_fit(store, slow, verbose = TRUE))
  expect_identical(fit, engine_fit(store))
  expect_identical(shown[1], "Pass 1 over all rows: 2 of 4 shards")
})

test_that("errors of the computation come back with their class and are not tried again", {
  skip_on_cran()
  store <- local_clustered_store()
  cluster <- local_cluster()
  path <- withr::local_tempfile()
  n_tasks <- 0
  damaged <- function(task) {
    n_tasks <<- n_tasks + !is.null(task$sums)
    if (is.null(task$frame)) {
      return(task)
    }
    bytes <- readBin(task$files$path[1], "raw", task$files$bytes[1])
    bytes[100] <- xor(bytes[100], as.raw(1))
    writeBin(bytes, path)
    task$files$path[1] <- path
    task
  }
  carrier <- with_tasks(socket_carrier(cluster), damaged, workers = 2)
  expect_error(engine_fit(store, carrier), class = "mdpd_error_damaged_shard")
  carrier <- with_tasks(socket_carrier(cluster), function(task) {
    if (!is.null(task$sums)) task$sums <- as.raw(1:100)
    task
  }, workers = 2)
  expect_error(engine_fit(store, carrier), "checksum is wrong", class = "mdpd_error_worker")
  expect_length(unique(pids_of(cluster)), 2)
  expect_identical(engine_fit(store, socket_carrier(cluster)), engine_fit(store))
})

test_that("after an interrupt the cluster can be used", {
  store <- local_clustered_store()
  cluster <- lasting_cluster()
  carrier <- with_fault(socket_carrier(cluster), 6, after = function(worker) rlang::interrupt())
  was <- tryCatch(
    {
      engine_fit(store, carrier)
      "done"
    },
    interrupt = function(cnd) "interrupted"
  )
  expect_identical(was, "interrupted")
  expect_length(unique(pids_of(cluster)), 2)
  expect_identical(engine_fit(store, socket_carrier(cluster)), engine_fit(store))
})

test_that("a cluster that is none is an error", {
  store <- local_clustered_store()
  expect_snapshot(show_conditions({
    stagewise_em(store, 3, cluster = 2)
  }))
  expect_snapshot(show_conditions({
    stagewise_em(store, 3, cluster = "slurm")
  }))
  expect_snapshot(show_conditions({
    stagewise_em(store, 3, deadline = 0)
  }))
})

test_that("a cluster has a worker", {
  expect_error(check_cluster(structure(list(), class = c("SOCKcluster", "cluster"))),
               "`cluster` must be", class = "mdpd_error_argument")
  # Of mirai the daemons are looked for.
  local_in_package(list(check_daemons = function(call) "daemons"))
  expect_identical(check_cluster("mirai"), "daemons")
  expect_null(check_cluster(NULL))
})

test_that("what is no answer of a worker is its error", {
  answer <- list(sums = 1)
  expect_identical(answer_of(list(success = TRUE, value = answer)), answer)
  message_of <- function(...) conditionMessage(answer_of(list(...))$error)
  expect_identical(message_of(success = FALSE, value = list("no memory")), "no memory")
  expect_identical(message_of(success = TRUE, value = c("a", "b")), "a b")
})

test_that("messages by sockets are there as a whole", {
  skip_on_cran()
  both <- local_sockets()
  wait_for <- function(con) if (!socketSelect(list(con), FALSE, 10)) stop("No message comes.")
  value_of <- function(bytes) tryCatch(unserialize(bytes), error = function(cnd) NULL)
  # In one packet, unless functions have their source in it, or counters of coverage.
  read_all <- function(con) {
    bytes <- raw()
    n_reads <- 0
    while (is.null(value_of(bytes))) {
      wait_for(con)
      bytes <- c(bytes, readBin(con, "raw", 1e6))
      n_reads <- n_reads + 1
    }
    expect_true(n_reads == 1 || length(bytes) > 65000)
    value_of(bytes)
  }
  node_of <- function(con) structure(list(con = con), class = "SOCKnode")
  carrier <- socket_carrier(list(node_of(both$here)))
  work <- utils::getFromNamespace("workCommand", "parallel")
  checksum <- sprintf("%016d", 1:200)
  task <- list(
    version = as.character(utils::packageVersion("mdpd")), fingerprint = arithmetic(),
    sums = raw(1), frame_name = checksum[1], frame = NULL, contents = list(),
    files = list(path = rep("nowhere", 200), checksum = checksum, bytes = rep(1, 200))
  )
  # The first messages of a connection do not wait, whatever they are.
  for (time in 1:20) {
    expect_true(carrier$send(1, task))
    expect_identical(read_all(both$there)$data$args, list(task))
    # The loop of parallel's workers, at the other end.
    expect_true(carrier$send(1, task))
    wait_for(both$there)
    expect_true(work(node_of(both$there)))
    expect_identical(read_all(both$here)$value, list(lacks = c("frame", checksum)))
  }
})

test_that("shards are sent in pieces of some 256 MB, and what a worker sees is not sent", {
  files <- list(checksum = letters[1:6], bytes = 2^28 * c(0.5, 0.4, 0.5, 0.5, 9, 0.1))
  pass <- new.env()
  piece <- list(shards = 1:6, worker = 2, lost = 0, lacks = character())
  send_more(list(files = files), pass, piece, c("a", "b", "c", "d", "f"))
  expect_identical(lapply(pass$todo, `[[`, "shards"), list(1:2, 3:5, 6L))
  expect_identical(vapply(pass$todo, `[[`, 0, "lost"), c(0, 0, 0))
  # Who lacks again what was sent is lost for it.
  again <- pass$todo[[1]]
  pass$todo <- NULL
  send_more(list(files = files), pass, again, "b")
  expect_identical(pass$todo, list(list(shards = 1:2, worker = 2, lost = 1, lacks = "b")))
  # Also beside something else; what is not sent takes no room.
  pass$todo <- NULL
  files$bytes[1:2] <- c(2^28 - 1, 9)
  send_more(list(files = files), pass, replace(again, "lacks", "a"), c("a", "z"))
  expect_identical(pass$todo,
                   list(list(shards = 1:2, worker = 2, lost = 1, lacks = c("a", "z"))))
})

test_that("all pieces of a worker that is gone are dealt to the others, and count as lost", {
  piece <- function(shards, worker, lost = 0, lacks = character()) {
    list(shards = shards, worker = worker, lost = lost, lacks = lacks)
  }
  team <- list2env(list(carrier = list(workers = function() 2:3), deal = c(1L, 2L, 1L, 3L)))
  pass <- list2env(list(todo = list(piece(3L, 1, 1, "x"), piece(2L, 2))))
  deal_again(team, pass, 1, piece(1L, 1, 0, "frame"))
  expect_identical(team$deal, c(2L, 2L, 3L, 3L))
  expect_identical(pass$todo, list(piece(2L, 2), piece(1L, 2L, 1, "frame"), piece(3L, 3L, 2, "x")))
  # One alone gets all.
  team$carrier$workers <- function() 3L
  deal_again(team, pass, 2, piece(4L, 2))
  expect_identical(team$deal, rep(3L, 4))
  expect_identical(vapply(pass$todo, `[[`, 0L, "shards"), c(3:4, 2:1))
})

test_that("at the end of a pass workers have ten seconds or the deadline, and are named after it", {
  asked <- numeric()
  end <- function(deadline, at_work, still = integer()) {
    stop <- function(seconds) {
      asked <<- c(asked, seconds)
      still
    }
    end_pass(list(carrier = list(stop = stop), deadline = deadline), list(at_work = at_work))
  }
  expect_silent(end(60, list()))
  expect_length(asked, 0)
  expect_silent(end(60, list("1" = 1)))
  expect_silent(end(5, list("1" = 1)))
  expect_identical(asked, c(10, 5))
  expect_warning(end(60, list("2" = 1), 2L), "Worker 2 of the cluster is still at work",
                 class = "mdpd_warning_busy_worker")
  expect_warning(end(60, list("2" = 1, "1" = 1), 1:2), "Workers 1 and 2 .* are still at work",
                 class = "mdpd_warning_busy_worker")
})

test_that("files are those that are here with the size they must have, or were sent", {
  path <- withr::local_tempfile()
  writeBin(as.raw(1:9), path)
  files <- list(path = c(path, path, file.path(path, "none")), checksum = c("8", "9", "10"),
                bytes = c(9, 10, 9))
  expect_identical(files_here(files, list()), c(path, NA, NA))
  withr::defer(unlink(sent_path(c("sent", "short"))))
  files <- list(path = c(path, path), checksum = c("sent", "short"), bytes = c(3, 9))
  contents <- list(sent = as.raw(1:3), short = as.raw(1))
  expect_identical(files_here(files, contents), c(sent_path("sent"), NA))
})

test_that("a worker that cannot be reached is told, and an answer is waited for in vain", {
  skip_on_cran()
  # Of no connection that there is.
  gone <- structure(list(con = structure(9999L, class = c("sockconn", "connection"))),
                    class = "SOCKnode")
  expect_false(socket_carrier(list(gone))$send(1, list(sums = NULL)))
  # A connection was closed, and its number has gone to another.
  path <- withr::local_tempfile()
  closed <- file(path, "wb")
  close(closed)
  file <- file(path, "wb")
  expect_identical(as.integer(file), as.integer(closed))
  closed <- structure(list(con = structure(closed, class = class(gone$con))), class = "SOCKnode")
  expect_false(socket_carrier(list(closed))$send(1, list(sums = NULL)))
  close(file)
  expect_identical(file.size(path), 0)
  env <- environment()
  nodes <- lapply(1:2, function(i) {
    both <- local_sockets(env)
    list(node = structure(list(con = both$here), class = "SOCKnode"),
         there = structure(list(con = both$there), class = "SOCKnode"))
  })
  carrier <- socket_carrier(lapply(nodes, `[[`, "node"))
  expect_true(carrier$send(2, list(version = "none")))
  seconds <- function(code) system.time(code)[["elapsed"]]
  expect_gte(seconds(expect_null(carrier$receive(0.2))), 0.19)
  expect_null(carrier$receive(-1))
  expect_gte(seconds(expect_identical(carrier$stop(0.2), 2L)), 0.19)
  # The other one has nothing to do, and this one answers.
  answer <- function(at) utils::getFromNamespace("workCommand", "parallel")(nodes[[at]]$there)
  answer(2)
  expect_identical(carrier$stop(10), integer())
  # Who answers first is first.
  for (worker in 1:2) expect_true(carrier$send(worker, list(version = "none")))
  answer(2)
  got <- carrier$receive(10)
  expect_identical(got$worker, 2L)
  expect_match(got$answer$refused, "instead of none", fixed = TRUE)
})

test_that("a worker says why it cannot take part", {
  here <- as.character(utils::packageVersion("mdpd"))
  expect_identical(ask_worker(list(version = "0.0.1")),
                   list(refused = paste0("It has mdpd ", here, " instead of 0.0.1.")))
  expect_match(ask_worker(list(version = here, fingerprint = "other"))$refused, "arithmetic")
  expect_identical(ask_worker(list(version = here, fingerprint = arithmetic())), list(sums = NULL))
})

test_that("only the frame of a loop with a connection gets the way to reply", {
  has_reply <- function(master) {
    reply_whole()
    exists("sendData", inherits = FALSE)
  }
  master <- list(con = structure(1L, class = "sockconn"))
  expect_true(has_reply(master))
  expect_false(has_reply(list(con = 1)))
  expect_false(has_reply(1))
  inside <- function(master) {
    (function() {
      reply_whole()
      exists("sendData", inherits = FALSE)
    })()
  }
  expect_false(inside(master))
})
