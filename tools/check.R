# Counts the steps of an R CMD check. Usage: Rscript tools/check.R LOG EXPLAINED COUNTS
# Every line that a note prints must match a regular expression in the file EXPLAINED.
arguments <- commandArgs(trailingOnly = TRUE)
steps <- tools::check_packages_in_dir_details(logs = arguments[1], drop_ok = FALSE)
patterns <- trimws(sub("#.*", "", readLines(arguments[2])))
patterns <- patterns[nzchar(patterns)]

matches_any <- function(line) any(vapply(patterns, grepl, NA, x = line))
is_explained <- function(output) {
  lines <- trimws(strsplit(output, "\n")[[1]])
  lines <- lines[nzchar(lines)]
  length(lines) > 0 && all(vapply(lines, matches_any, NA))
}

explained <- steps$Status == "NOTE" & vapply(steps$Output, is_explained, NA)
good <- steps$Status %in% c("OK", "NONE", "SKIPPED") | explained
for (i in which(explained)) {
  cat("Explained note: ", steps$Check[i], "\n", sep = "")
}
for (i in which(!good)) {
  cat(steps$Status[i], ": ", steps$Check[i], "\n", steps$Output[i], "\n", sep = "")
}
cat(sum(good), sum(!good), "\n", file = arguments[3])
