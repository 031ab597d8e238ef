# Judges mutants of R/, for tools/mutants.R, from the root of the copy. All tests run once while
# statements are counted, so that a mutant meets those tests only that come by its line: in forks of
# this process, where the code with the changed file takes the place of the package's. What fails
# there kills the mutant only if it passes with the code as it is.
#
# Processes that tests start have the package as it is installed: a mutant that only these would
# tell survives.

suppressPackageStartupMessages({
  library(testthat)
  library(mdpd)
})
package <- asNamespace("mdpd")

methods <- getNamespaceInfo(package, "S3methods")
attached <- as.environment("package:mdpd")

exports <- getNamespaceExports(package)

# The code of each file of R/ but RcppExports.R, in the order in which R reads them.
read_sources <- function(keep_source = FALSE) {
  files <- sort(setdiff(dir("R", full.names = TRUE), "R/RcppExports.R"), method = "radix")
  lapply(stats::setNames(nm = files), function(file) {
    as.list(parse(file, keep.source = keep_source, encoding = "UTF-8"))
  })
}
sources <- read_sources()

# The code of all files in the place of the package's own, wherever that is found by name. That of
# one file is not enough: zzz.R puts functions of others behind the guard, and lists hold some.
put_in_package <- function(sources) {
  # Each time: tests that put another function in the place of one lock it again.
  for (name in ls(package, all.names = TRUE)) unlockBinding(name, package)
  for (name in exports) unlockBinding(name, attached)
  for (code in sources) for (expression in code) eval(expression, package)
  for (name in exports) assign(name, get(name, package), attached)
  for (i in seq_len(nrow(methods))) {
    registerS3method(methods[i, 1], methods[i, 2], methods[i, 3], package)
  }
}

# Runs tests of a file.
# @param names of the tests; NULL for all.
# @param after called with the name of each test that was run, and the seconds that it took.
run_topic <- function(topic, names, reporter, after = NULL) {
  env <- new.env(parent = package)
  env$test_that <- function(desc, code) {
    if (!is.null(names) && !desc %in% names) {
      return(invisible())
    }
    call <- sys.call()
    call[[1]] <- quote(testthat::test_that)
    # Without collecting garbage before: of all code and counts that takes longer than most tests.
    seconds <- system.time(eval(call, parent.frame()), gcFirst = FALSE)[["elapsed"]]
    if (!is.null(after)) after(desc, seconds)
  }
  test_dir("tests/testthat", filter = paste0("^", topic, "$"), reporter = reporter, env = env,
           package = "mdpd", load_package = "none", stop_on_failure = FALSE)
}

# Which tests run which statements -----------------------------------------------------------------

spots <- list()  # of each statement its file, and its first and last line
is_run <- logical()
count <- function(statement) is_run[statement] <<- TRUE

# The call that counts a statement.
counter_of <- function(source, file) {
  spots[[length(spots) + 1]] <<- list(file = file, from = source[1], to = source[3])
  as.call(list(count, length(spots)))
}

# The same code with a counter before each statement and in each function.
with_counters <- function(code, file) {
  if (!is.call(code)) {
    return(code)
  }
  if (identical(code[[1]], as.name("function"))) {
    counter <- if (!is.null(code[[4]])) counter_of(code[[4]], file)
    code[[3]] <- call("{", counter, with_counters(code[[3]], file))
    code[4] <- list(NULL)
    return(code)
  }
  is_block <- identical(code[[1]], as.name("{")) && length(code) > 1
  sources <- if (is_block) attr(code, "srcref")
  for (i in seq_along(code)) {
    # Only calls: an argument that is left out, as in x[1, ], can be asked for nothing else.
    if (is.call(code[[i]])) code[[i]] <- with_counters(code[[i]], file)
  }
  if (is_block) {
    counters <- lapply(sources[-1], counter_of, file = file)
    code <- as.call(c(code[[1]], rbind(counters, as.list(code)[-1])))
  }
  code
}

# A table of the statements, and of each test its `topic`, `name`, `seconds` and `statements`.
trace_tests <- function() {
  with_source <- read_sources(keep_source = TRUE)
  counted <- lapply(stats::setNames(nm = names(sources)), function(file) {
    has_functions <- vapply(sources[[file]], function(x) {
      rlang::is_call(x, "<-") && rlang::is_call(x[[3]], c("function", "list"))
    }, NA)
    code <- lapply(with_source[[file]][has_functions], with_counters, file = file)
    replace(sources[[file]], has_functions, code)
  })
  put_in_package(counted)
  is_run <<- logical(length(spots))
  tests <- list()
  for (topic in sub("^test-(.*)[.]R$", "\\1", dir("tests/testthat", "^test-"))) {
    after <- function(name, seconds) {
      tests[[length(tests) + 1]] <<- list(topic = topic, name = name, seconds = seconds,
                                          statements = which(is_run))
      is_run[] <<- FALSE
    }
    utils::capture.output(run_topic(topic, NULL, SilentReporter$new(), after))
  }
  put_in_package(sources)
  column <- function(name) unlist(lapply(spots, `[[`, name))
  list(tests = tests, statements = data.frame(file = column("file"), from = column("from"),
                                              to = column("to")))
}

# Those that come by the innermost statement of a line; all where it is in no function.
tests_of_line <- function(trace, file, line) {
  statements <- trace$statements
  around <- which(statements$file == file & statements$from <= line & statements$to >= line)
  if (length(around) == 0) {
    return(trace$tests)
  }
  statement <- around[which.min((statements$to - statements$from)[around])]
  Filter(function(test) statement %in% test$statements, trace$tests)
}

# Mutants ------------------------------------------------------------------------------------------

# The name of the first test that fails in a fork, "" where it does not end in time or ends outside
# of tests; NULL where all pass.
first_failure <- function(sources, topic, names, seconds) {
  result <- tempfile()
  unfinished <- paste0(result, "-unfinished")
  says <- function(what) {
    writeLines(what, unfinished)
    file.rename(unfinished, result)
    tools::pskill(Sys.getpid(), tools::SIGKILL)  # without what R does at its end
  }
  reporter <- R6::R6Class(inherit = Reporter, public = list(
    add_result = function(context, test, result) {
      kinds <- paste0("expectation_", c("failure", "error", "warning"))
      if (inherits(result, kinds)) says(c("failed", test))
    },
    end_file = function() says("passed")
  ))
  fork <- parallel::mcparallel({
    put_in_package(sources)
    run_topic(topic, names, reporter$new())
  }, silent = TRUE, mc.set.seed = FALSE)
  begun <- proc.time()[["elapsed"]]
  while (!file.exists(result) && proc.time()[["elapsed"]] - begun < seconds) {
    ended <- suppressWarnings(parallel::mccollect(fork, wait = FALSE, timeout = 1))
    if (!is.null(ended)) break
  }
  tools::pskill(fork$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(fork))
  said <- if (file.exists(result)) readLines(result, encoding = "UTF-8")
  if (!identical(said, "passed")) c(said[-1], "")[1]
}

# "killed", "survived" or "stillborn". Topics of the file's own name come first, then those that
# take least time.
# @param lines of the changed file.
judge_r <- function(trace, mutant, lines, most_seconds) {
  code <- tryCatch(as.list(parse(text = lines, encoding = "UTF-8", keep.source = FALSE)),
                   error = function(e) NULL)
  if (is.null(code)) {
    return("stillborn")
  }
  changed <- replace(sources, mutant$file, list(code))
  tests <- tests_of_line(trace, mutant$file, mutant$line)
  if (length(tests) == 0) {
    return("survived")
  }
  seconds <- vapply(tests, `[[`, 0, "seconds")
  topics <- vapply(tests, `[[`, "", "topic")
  own <- sub("[.]R$", "", basename(mutant$file))
  of_topic <- tapply(seconds, topics, sum)
  is_own <- startsWith(names(of_topic), own) |
    startsWith(rep(own, length(of_topic)), names(of_topic))
  spent <- 0
  for (topic in names(of_topic)[order(!is_own, of_topic)]) {
    names <- vapply(tests[topics == topic], `[[`, "", "name")
    most <- 60 + 10 * of_topic[[topic]]
    failed <- first_failure(changed, topic, names, most)
    if (!is.null(failed)) {
      before <- names[seq_len(match(failed, names, length(names)))]
      if (is.null(first_failure(sources, topic, before, most))) {
        return("killed")
      }
      cat("  Of", topic, "the same tests fail with the code as it is: they tell nothing.\n")
    }
    spent <- spent + of_topic[[topic]]
    if (spent > most_seconds) break
  }
  "survived"
}
