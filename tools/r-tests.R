# Runs the testthat tests with the package in the library and counts them. From the root of the
# clone:
#
#   Rscript tools/r-tests.R COUNTS_FILE [PATTERN]
#
# leaves `passed failed` in the file. PATTERN, in Perl's notation, is of the files to run, without
# "test-" and ".R".

args <- commandArgs(trailingOnly = TRUE)
counts_file <- args[1]
pattern <- if (length(args) > 1) args[2] else "."

# Whether each test_that() passed; what a file expects between them counts as a test too. A warning
# is a failure. A test that skips has not passed, whatever it expected before.
counter_class <- R6::R6Class("Counter",
  inherit = testthat::Reporter,
  public = list(
    kinds = character(),
    outcomes = character(),
    files = character(),
    file = NA,
    start_file = function(filename) self$file <- basename(filename),
    start_test = function(context, test) self$count(),
    add_result = function(context, test, result) {
      self$kinds <- union(self$kinds, sub("^expectation_", "", class(result)[1]))
    },
    end_test = function(context, test) self$count(),
    end_file = function() self$count(),
    count = function() {
      if (length(self$kinds) > 0) {
        passed <- if ("skip" %in% self$kinds) "skipped" else "passed"
        failed <- any(c("failure", "error", "warning") %in% self$kinds)
        self$outcomes <- c(self$outcomes, if (failed) "failed" else passed)
        self$files <- c(self$files, self$file)
        self$kinds <- character()
      }
    }
  )
)
counter <- counter_class$new()
summary <- testthat::SummaryReporter$new(show_praise = FALSE, max_reports = Inf)
problems <- 0

cat("R tests\n")
tryCatch(
  testthat::test_dir("tests/testthat",
    filter = pattern, perl = TRUE, package = "mdpd", load_package = "installed",
    stop_on_failure = FALSE,
    reporter = testthat::MultiReporter$new(list(summary, counter))
  ),
  error = function(e) {
    cat("\nThe tests stopped: ", conditionMessage(e), "\n", sep = "")
    problems <<- problems + 1
  }
)

# A file without a single result has tested nothing, whatever the reason.
topics <- sub("^test-(.*)[.]R$", "\\1", dir("tests/testthat", "^test-"))
wanted <- sprintf("test-%s.R", grep(pattern, topics, perl = TRUE, value = TRUE))
silent <- setdiff(wanted, counter$files)
if (length(silent) > 0) {
  cat("No test ran in", toString(silent), "\n")
}
passed <- sum(counter$outcomes == "passed")
failed <- sum(counter$outcomes == "failed") + length(silent) + problems
cat("R tests: ", passed, " passed, ", failed, " failed\n", sep = "")
cat("R tests skipped: ", sum(counter$outcomes == "skipped"), "\n", sep = "")
cat(passed, failed, "\n", file = counts_file)
