# Interrupts, forked processes, sessions side by side and long loops. Each runs in a session of its
# own, which may hang or die without the tests.

new_session <- function() {
  testthat::skip_if_not_installed("callr")
  testthat::skip_on_os("windows")
  # R's compiler of functions that were not compiled before would swallow the end of the time.
  options <- callr::r_session_options(env = c(callr::rcmd_safe_env(), R_ENABLE_JIT = "0"))
  session <- callr::r_session$new(options, wait = TRUE)
  session$run(function(library) {
    .libPaths(library)
    base::library(mdpd)
  }, list(.libPaths()))
  session
}

# Data of which a fit takes a second or so, through all phases.
long_fit <- function() {
  crowd <- simulate_crowd(600, 40, 4, accuracy = rep(0.5, 12), missing = 0.3, seed = 1)
  suppressMessages(suppressWarnings(
    stagewise_em(as.matrix(crowd$labels), k = 1:6, control = stagewise_control(threads = 2))
  ))$loglik
}

# What else takes as long: coding, into a store too, samples of the bootstrap, and a prediction.
long_works <- list(
  coding = function() {
    column <- rep_len(letters[1:5], 7e5)
    table <- as.data.frame(lapply(1:8, function(item) paste0(column, item)))
    names(table) <- letters[1:8]
    mdpd(table, 1)$loglik
  },
  store = function() {
    table <- as.data.frame(lapply(1:8, function(item) rep_len(seq_len(item + 1), 3e5)))
    names(table) <- letters[1:8]
    folder <- tempfile("store")
    on.exit(unlink(folder, recursive = TRUE))
    store <- row_store(table, folder, shard_rows = 1024)
    verify_store(store)
    nrow(store)
  },
  bootstrap = function() {
    data <- data.frame(a = rep(1:2, 20), b = rep(c(1, 1, 2, 2), 10), c = rep(1:2, each = 20))
    fit <- suppressWarnings(mdpd(data, 2, n_starts = 1))
    suppressWarnings(bootstrap(fit, n = 150, verbose = FALSE))$estimates
  },
  predict = function() {
    data <- data.frame(a = rep(1:2, 20), b = rep(c(1, 1, 2, 2), 10), c = rep(1:2, each = 20))
    fit <- suppressWarnings(mdpd(data, 2, n_starts = 1))
    sum(predict(fit, data[rep_len(1:40, 4e5), ], type = "prob")[, 1])
  }
)

# Processor seconds of a session, which other work on the machine does not lengthen.
used_seconds <- function(session) sum(session$get_cpu_times()[c("user", "system")])

# Those from the interrupt, a moment after the work began, until the session answers; NA where the
# work was done before.
interrupt_after <- function(session, moment, work) {
  started <- tempfile("started-")
  session$call(function(started, work) {
    file.create(started)
    work()
  }, list(started, work))
  while (!file.exists(started)) Sys.sleep(0.001)
  Sys.sleep(moment)
  if (session$poll_process(0) == "ready") {
    session$read()
    return(NA)
  }
  before <- used_seconds(session)
  session$interrupt()
  answered <- session$poll_process(20000)
  seconds <- used_seconds(session) - before
  testthat::expect_identical(answered, "ready")
  session$read()
  seconds
}

# As R 4.5 does in a job in the background, and what it starts.
ignores_interrupts <- function(session) {
  ignored <- session$run(function() {
    if (file.exists("/proc/self/status")) {
      sub("SigIgn:\\s*", "", grep("^SigIgn:", readLines("/proc/self/status"), value = TRUE))
    }
  })
  length(ignored) == 1 && bitwAnd(strtoi(substring(ignored, nchar(ignored)), 16L), 2L) > 0
}

# The work is interrupted `n` times at random moments; afterwards it gives what it gave before.
# @param usual Seconds that the half of them takes at most.
expect_interruptible <- function(work, n, usual = 0.2) {
  session <- new_session()
  on.exit(session$close())
  testthat::skip_if(ignores_interrupts(session), "interrupts are ignored in the background")
  lasts <- system.time(expected <- session$run(work))[[3]]
  moments <- with_seed(1, stats::runif(n, 0, 0.9 * lasts))
  seconds <- vapply(moments, interrupt_after, 0, session = session, work = work)
  expect_true(any(!is.na(seconds)))
  expect_lt(stats::median(seconds, na.rm = TRUE), usual)
  expect_lt(max(seconds, na.rm = TRUE), 2)
  expect_identical(session$run(work), expected)
}

test_that("an interrupt at any moment ends the fit at once and leaves the session whole", {
  skip_on_cran()
  skip_if_not_installed("callr")
  expect_interruptible(long_fit, if (test_level() < 2) 3 else 60)
})

test_that("the time that setTimeLimit() gives ends a fit by R's error, not by an interrupt", {
  skip_on_cran()
  session <- new_session()
  on.exit(session$close())
  # Again and again, as the work may take less time than it took before, on a machine that was busy.
  within <- function(seconds, work) {
    on.exit(setTimeLimit())
    last <- proc.time()[["elapsed"]] + 2 * seconds + 5
    setTimeLimit(elapsed = seconds)
    tryCatch(
      while (proc.time()[["elapsed"]] < last) work(),
      error = conditionMessage, interrupt = function(cnd) "an interrupt"
    )
  }
  lasts <- system.time(expected <- session$run(long_fit))[[3]]
  limit <- session$run(function() gettext("reached elapsed time limit", domain = "R"))
  for (share in c(0.3, 0.5, 0.7)) {
    expect_identical(session$run(within, list(share * lasts, long_fit)), limit)
  }
  expect_identical(session$run(long_fit), expected)
})

test_that("an interrupt ends coding, stores, bootstrap and prediction at once", {
  skip_below_level_2()
  skip_if_not_installed("callr")
  # R itself does not look for an interrupt within a function of a column of 700,000 strings.
  for (work in long_works) expect_interruptible(work, 10, usual = 0.5)
})

test_that("forked children fit on several threads after the parent has", {
  skip_on_cran()
  session <- new_session()
  on.exit(session$close())
  session$call(function(fit) {
    here <- fit()
    there <- parallel::mclapply(1:2, function(child) fit(), mc.cores = 2)
    c(here, unlist(there))
  }, list(long_fit))
  expect_identical(session$poll_process(120000), "ready")
  loglik <- session$read()$result
  expect_identical(loglik, rep(loglik[1], 3))
})

test_that("a fit for which the system has no more threads is the same on one", {
  skip_on_cran()
  skip_on_os(c("windows", "mac"))
  code <- c(
    "library(mdpd)",
    "crowd <- simulate_crowd(12000, 40, 4, accuracy = rep(0.5, 12), seed = 1)",
    "fit <- stagewise_em(as.matrix(crowd$labels), 3, control = stagewise_control(threads = 2))",
    "cat(fingerprint(fit))"
  )
  # A thread has a stack as large as the limit, here more than there are addresses. cli says that it
  # gets none.
  starved <- output_within("ulimit -s 4000000000; ", code, stderr = FALSE)
  expect_match(starved, "^[0-9a-f]")
  expect_identical(starved, output_within("", code))
})

test_that("workers that are forked of a session that has fitted on several threads answer", {
  skip_on_cran()
  session <- new_session()
  on.exit(session$close())
  session$call(function(fit) {
    fit()
    options(warn = 2) # a worker that does not answer is told by a warning
    class <- rep(1:2, 1000)
    rows <- as.data.frame(replicate(10, ifelse(stats::runif(2000) < 0.8, class, 3 - class)))
    store <- mdpd::row_store(rows, tempfile())
    cluster <- parallel::makeForkCluster(1)
    on.exit(parallel::stopCluster(cluster))
    loglik <- function(...) {
      control <- mdpd::stagewise_control(threads = 2)
      mdpd::stagewise_em(store, 2, search_rows = 1000, control = control, ...)$loglik
    }
    c(loglik(), loglik(cluster = cluster, deadline = 60))
  }, list(long_fit))
  expect_identical(session$poll_process(120000), "ready")
  answer <- session$read()
  expect_null(answer$error)
  expect_identical(answer$result[2], answer$result[1])
})

test_that("two sessions write reports and fits side by side", {
  skip_on_cran()
  skip_if_not_installed("htmltools")
  skip_if_not_installed("DT")
  skip_if_not_installed("gridSVG")
  folder <- withr::local_tempdir()
  sessions <- list(new_session(), new_session())
  write <- function(folder, name) {
    data <- data.frame(a = rep(1:2, 20), b = rep(1:2, 20), c = rep(1:2, each = 20))
    fit <- suppressWarnings(mdpd(data, 2))
    saveRDS(fit, file.path(folder, paste0(name, ".rds")))
    report(mdpd(data, 1), file.path(folder, paste0(name, ".html")), open = FALSE)
  }
  for (i in 1:2) sessions[[i]]$call(write, list(folder, i))
  for (session in sessions) {
    expect_identical(session$poll_process(120000), "ready")
    expect_null(session$read()$error)
    session$close()
  }
  fits <- lapply(file.path(folder, paste0(1:2, ".rds")), readRDS)
  expect_identical(fits[[1]]$posterior, fits[[2]]$posterior)
  pages <- lapply(file.path(folder, paste0(1:2, ".html")), readLines)
  expect_identical(length(pages[[1]]), length(pages[[2]]))
})

test_that("memory does not grow in a loop of 10,000 fits", {
  skip_below_level_2()
  skip_if_not(file.exists("/proc/self/statm"))
  session <- new_session()
  on.exit(session$close())
  pages <- session$run(function() {
    used <- function() {
      gc()
      as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][2])
    }
    data <- data.frame(a = rep(1:2, 20), b = rep(c(1, 1, 2, 2), 10), c = rep(1:2, each = 20))
    loop <- function(n) for (i in seq_len(n)) suppressWarnings(mdpd(data, 2, n_starts = 1))
    loop(2000)
    before <- used()
    loop(10000)
    used() - before
  })
  # A page has 4096 bytes. What a fit leaves would be at least some hundred bytes: a megabyte in
  # all; the heap of R breathes by less than four.
  expect_lt(pages * 4096, 4 * 2^20)
})
