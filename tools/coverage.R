# Lines of R/ that the R tests run, file by file, and those that none does, in .build/uncovered.txt.
# Usage: Rscript tools/coverage.R COPY, a copy of the package.
copy <- commandArgs(trailingOnly = TRUE)
# Of C++ the core's own tests tell: it is compiled as ever.
options(covr.flags = c(CXX17FLAGS = "-O2"))
# Each process writes what it ran as it ends; one that a test kills meanwhile leaves half of that,
# which is not counted.
installed <- tempfile("installed")
drop_halves <- sprintf("for (file in dir('%s', '^covr_trace_', full.names = TRUE)) {
  tryCatch(readRDS(file), error = function(e) unlink(file))
}", installed)
coverage <- covr::package_coverage(copy, type = "tests", code = drop_halves,
                                   install_path = installed, quiet = TRUE)
lines <- covr::tally_coverage(coverage)
lines <- lines[startsWith(lines$filename, "R/"), ]
shares <- tapply(lines$value > 0, lines$filename, mean)
cat(sprintf("%6.1f %% of lines  %s\n", 100 * sort(shares), names(sort(shares))), sep = "")
cat(sprintf("%6.1f %% of %d lines of R/, all\n", 100 * mean(lines$value > 0), nrow(lines)))
missed <- lines[lines$value == 0, ]
writeLines(sprintf("%s:%d", missed$filename, missed$line), ".build/uncovered.txt")
