# Whether what inst/standards.md names is there: the 101 standards, files, functions, and tests by
# what they say. Fails if anything is not.
page <- readLines("inst/standards.md", encoding = "UTF-8")
rows <- grep("^\\| (G|UL)[0-9]", page, value = TRUE)
found <- function(pattern, x) unlist(regmatches(x, gregexpr(pattern, x, perl = TRUE)))

standards <- sub("^\\| ([^ ]+) .*", "\\1", rows)
states <- sub("^\\|[^|]*\\| ([^|]*) \\|.*", "\\1", rows)
in_code <- unique(gsub("`", "", found("`[^`]+`", page)))

# Tests stand by their name only.
paths <- grep("^[A-Za-z_.-]+/|^test-|[.]md$", in_code, value = TRUE)
paths <- sub("^(test-.*[.]R)$", "tests/testthat/\\1", paths)

# Functions of the package, and of those it has methods for.
sources <- unlist(lapply(dir("R", full.names = TRUE), readLines, encoding = "UTF-8"))
helpers <- unlist(lapply(dir("tests/testthat", "^helper", full.names = TRUE), readLines))
defined <- sub("^`?([A-Za-z0-9_.]+)`? <- .*", "\\1", grep("^`?[A-Za-z0-9_.]+`? <- ",
                                                          c(sources, helpers), value = TRUE))
calls <- sub("\\(.*", "", grep("^[A-Za-z0-9_.]+\\(.*\\)$", in_code, value = TRUE))
is_there <- vapply(calls, function(name) {
  name %in% defined || any(startsWith(defined, paste0(name, ".")))
}, NA)

# "sentence" in `test-x.R`, and several sentences of one file.
cited <- found("\"[^\"]+(\\\\\"[^\"]+)*\"(, \"[^\"]+\")* in `test-[^`]+`", rows)
untrue <- unlist(lapply(cited, function(text) {
  file <- file.path("tests/testthat", sub(".*`(test-[^`]+)`$", "\\1", text))
  names <- gsub("^\"|\"$", "", strsplit(sub(" in `test-[^`]+`$", "", text), "\", \"")[[1]])
  test <- if (file.exists(file)) readLines(file, encoding = "UTF-8") else ""
  has_test <- vapply(names, function(name) {
    any(grepl(paste0("test_that(\"", name, "\""), test, fixed = TRUE))
  }, NA)
  paste0(basename(file), ": ", names[!has_test], recycle0 = TRUE)
}))

problems <- c(
  if (length(standards) != 101) paste(length(standards), "standards instead of 101"),
  paste("Twice:", standards[duplicated(standards)], recycle0 = TRUE),
  paste("No state:", standards[!states %in% c("Met", "In part", "Not met", "Does not apply")],
        recycle0 = TRUE),
  paste("No such file:", paths[!file.exists(paths)], recycle0 = TRUE),
  paste("No such function:", calls[!is_there], recycle0 = TRUE),
  paste("No such test:", untrue, recycle0 = TRUE)
)
if (length(problems) > 0) {
  cat("inst/standards.md:", problems, sep = "\n  ")
  quit(status = 1)
}
cat(sprintf("Standards: %d files, %d functions and %d tests are there.\n", length(paths),
            length(calls), length(cited)))
