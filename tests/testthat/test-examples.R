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

for (name in names(pages)) {
  test_that(paste("the example prints what it printed:", name), {
    expect_snapshot(run_example(pages[[name]]), transform = without_paths)
  })
}
