# Calls every exported function and S3 method with right, nearly right and wrong arguments, and
# checks what comes back. From the root of the clone, with the package in the library:
#
#   Rscript tests/fuzz/fuzz.R seconds=100 seed=1      calls for that long
#   Rscript tests/fuzz/fuzz.R calls=5000 seed=1       so many calls
#   Rscript tests/fuzz/fuzz.R repeat=1000123          one call again, shown with its arguments
#
# A failure prints the line that repeats it. `counts=FILE` leaves "passed failed" of the functions
# there.

library(mdpd)
session <- globalenv()
`%||%` <- rlang::`%||%`
for (part in c("values", "data", "damage", "objects", "stores", "targets", "oracle", "call")) {
  source(file.path("tests/fuzz", paste0(part, ".R")))
}

read_settings <- function(given) {
  settings <- list(seconds = Inf, calls = Inf, seed = 1, counts = NULL, only = ".")
  for (pair in strsplit(given, "=")) {
    settings[[pair[1]]] <- utils::type.convert(pair[2], as.is = TRUE)
  }
  if (!settings$seed %in% 0:213) stop("`seed` must be from 0 to 213.")
  if (is.infinite(settings$seconds) && is.infinite(settings$calls)) settings$seconds <- 100
  settings
}

# The seed of a call says which function it is, too: one after the other.
name_of <- function(seed) sort(names(targets), method = "radix")[seed %% length(targets) + 1]

# Those that take long are left out of most rounds.
is_due <- function(seed, name) {
  every <- if (name %in% names(rounds)) rounds[[name]] else 1
  (seed %/% length(targets)) %% every == 0
}

try_seed <- function(seed) {
  on.exit(remove_work())
  layout$is_due <- (seed %/% length(targets)) %% 10 == 0
  call <- draw_call(name_of(seed), seed)
  started <- sum(proc.time()[1:2])
  utils::capture.output(found <- judge_call(call))
  c(found, if (sum(proc.time()[1:2]) - started > 20) "took more than 20 seconds")
}

# Calls from `first` on, until the time or the number is up. `tally` counts the calls of each
# function and those that failed.
run_calls <- function(first, settings) {
  names <- grep(settings$only, names(targets), value = TRUE)
  tally <- matrix(0, length(targets), 2, dimnames = list(names(targets), c("calls", "failed")))
  started <- proc.time()[[3]]
  seed <- first
  while (proc.time()[[3]] - started < settings$seconds && sum(tally[, "calls"]) < settings$calls) {
    name <- name_of(seed)
    if (name %in% names && is_due(seed, name)) {
      # Should R itself end, the file says in which call.
      if (!is.null(settings$last)) writeLines(as.character(seed), settings$last)
      found <- try_seed(seed)
      tally[name, ] <- tally[name, ] + c(1, length(found) > 0)
      for (what in unique(found)) {
        cat(sprintf("Rscript tests/fuzz/fuzz.R repeat=%d  # %s(): %s\n", seed, name, what))
      }
    }
    seed <- seed + 1
  }
  tally
}

repeat_seed <- function(seed) {
  call <- draw_call(name_of(seed), seed)
  cat(call$name, if (call$damaged) "(damaged)", "\n")
  utils::str(call$args, give.attr = FALSE, list.len = 60)
  outcome <- run_call(call)
  print(outcome$result)
  lapply(outcome$conditions, print)
  if (inherits(outcome$result, "error")) print(rlang::trace_back())
}

# A page waits for its reader: here it is closed once it is open.
close_pages <- function() {
  run <- shiny::runApp
  run_briefly <- function(page, port, ...) {
    cancel <- later::later(shiny::stopApp)
    on.exit(cancel())
    suppressMessages(run(page, port = port, launch.browser = FALSE))
  }
  utils::assignInNamespace("runApp", run_briefly, "shiny")
}

generic_of <- generics_of_methods()
check_targets()
if (requireNamespace("shiny", quietly = TRUE)) close_pages()
grDevices::pdf(NULL)
objects <- make_objects()
settings <- read_settings(commandArgs(trailingOnly = TRUE))
if (!is.null(settings[["repeat"]])) {
  repeat_seed(settings[["repeat"]])
  quit()
}
tally <- run_calls(settings$seed * 1e7, settings)
called <- tally[tally[, "calls"] > 0, , drop = FALSE]
cat(sprintf("%d calls of %d functions, %d failed\n", sum(called[, "calls"]), nrow(called),
            sum(called[, "failed"])))
n_failed <- sum(called[, "failed"] > 0)
if (!is.null(settings$counts)) {
  cat(nrow(called) - n_failed, n_failed, "\n", file = settings$counts)
}
quit(status = n_failed > 0)
