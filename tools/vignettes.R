# Builds the vignettes of a source folder and adds them to an installed package, which need not be
# compiled again for that. Usage: Rscript tools/vignettes.R SOURCE INSTALLED
arguments <- commandArgs(trailingOnly = TRUE)
source <- arguments[1]
installed <- arguments[2]

tools::buildVignettes(dir = source, tangle = TRUE, quiet = TRUE)
built <- tools::pkgVignettes(dir = source, output = TRUE, source = TRUE)

title_of <- function(file) {
  entry <- grep("VignetteIndexEntry", readLines(file, encoding = "UTF-8"), value = TRUE)[1]
  sub(".*VignetteIndexEntry\\{(.*)\\}.*", "\\1", entry)
}

# What vignette() and browseVignettes() look up.
index <- data.frame(
  File = basename(built$docs), Title = vapply(built$docs, title_of, ""),
  PDF = basename(built$outputs), R = basename(unlist(built$sources)),
  Depends = I(rep(list(character()), length(built$docs))),
  Keywords = I(rep(list(character()), length(built$docs))), row.names = NULL
)
doc <- file.path(installed, "doc")
dir.create(doc, showWarnings = FALSE)
copied <- file.copy(c(built$docs, built$outputs, unlist(built$sources)), doc, overwrite = TRUE)
stopifnot(length(built$docs) > 0, copied)
saveRDS(index, file.path(installed, "Meta", "vignette.rds"))
