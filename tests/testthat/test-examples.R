# What the examples of the help pages print. Users see it first, and in it most of what a page
# promises of its function.

# Prints as R's console does, in an environment of its own and without pictures.
run_example <- function(page) {
  file <- withr::local_tempfile(fileext = ".R")
  tools::Rd2ex(page, file)
  withr::local_pdf(NULL)
  env <- new.env(parent = globalenv())
  for (call in parse(file, keep.source = FALSE)) {
    value <- withVisible(eval(call, env))
    if (value$visible) print(value$value)
  }
}

has_example <- function(page) "\\examples" %in% vapply(page, attr, "", "Rd_tag")
pages <- Filter(has_example, tools::Rd_db("mdpd"))

without_paths <- function(lines) gsub("\\S*/Rtmp\\S*", "<file>", lines)

# Other versions write conditions and tables in another way. There, and where what is installed says
# what they do, examples only must not warn.
writes_as_here <- function() {
  utils::packageVersion("testthat") < "3.2" && rlang::is_installed("pillar") &&
    utils::packageVersion("pillar") < "1.9"
}

# Where a package it uses is not installed, such an example does nothing.
needs_a_package <- function(page) any(grepl("examplesIf", unlist(page)))

for (name in names(pages)) {
  test_that(paste("the example prints what it printed:", name), {
    if (writes_as_here() && !needs_a_package(pages[[name]])) {
      expect_snapshot(run_example(pages[[name]]), transform = without_paths)
    } else {
      expect_warning(utils::capture.output(suppressMessages(run_example(pages[[name]]))), NA)
    }
  })
}
