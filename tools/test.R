# Runs the testthat tests against the installed package and leaves `passed failed` in a file.
# Usage: Rscript tools/test.R COUNTS
counts_file <- commandArgs(trailingOnly = TRUE)

# Counts every single expectation, also those that a file makes outside of test_that().
counter_class <- R6::R6Class("Counter",
  inherit = testthat::Reporter,
  public = list(
    kinds = character(),
    files = character(),
    file = NA,
    start_file = function(filename) self$file <- basename(filename),
    add_result = function(context, test, result) {
      self$kinds <- c(self$kinds, sub("^expectation_", "", class(result)[1]))
      self$files <- c(self$files, self$file)
    },
    count = function(...) sum(self$kinds %in% c(...))
  )
)
counter <- counter_class$new()
summary <- testthat::SummaryReporter$new(show_praise = FALSE, max_reports = Inf)
problems <- 0

cat("R tests\n")
tryCatch(
  testthat::test_dir("tests/testthat",
    package = "mdpd", load_package = "installed", stop_on_failure = FALSE,
    reporter = testthat::MultiReporter$new(list(summary, counter))
  ),
  error = function(e) {
    cat("\nThe tests stopped: ", conditionMessage(e), "\n", sep = "")
    problems <<- problems + 1
  }
)

# A file without a single result has tested nothing, whatever the reason.
silent <- setdiff(dir("tests/testthat", "^test.*\\.[rR]$"), counter$files)
if (length(silent) > 0) {
  cat("No test ran in", toString(silent), "\n")
}
passed <- counter$count("success")
failed <- counter$count("failure", "error", "warning") + length(silent) + problems
skipped <- counter$count("skip")
cat("R tests: ", passed, " passed, ", failed, " failed, ", skipped, " skipped\n", sep = "")
cat(passed, failed, "\n", file = counts_file)
