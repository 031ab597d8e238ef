# Prints "required NAME" or "optional NAME" for each package of DESCRIPTION that is missing or old.
# Usage: Rscript tools/missing-packages.R run|vignettes|test|check|bench|coverage|docs|lint
purpose <- commandArgs(trailingOnly = TRUE)

# Data frame of name and least version ("0" if none is asked for) in one field of DESCRIPTION.
dependencies <- function(field) {
  text <- read.dcf("DESCRIPTION", field)[[1]]
  entries <- if (is.na(text)) character() else trimws(strsplit(text, ",")[[1]])
  entries <- entries[nzchar(entries)]
  version <- sub(".*>=\\s*([0-9.-]+).*", "\\1", entries)
  version[!grepl(">=", entries)] <- "0"
  data.frame(name = sub("[[:space:](].*", "", entries), version = version)
}

is_missing <- function(name, version) {
  found <- suppressWarnings(utils::packageDescription(name, fields = "Version"))
  is.na(found) || package_version(found) < version
}

least_r <- dependencies("Depends")
least_r <- least_r$version[least_r$name == "R"]
if (getRversion() < least_r) {
  stop("mdpd needs R ", least_r, " or later; this is R ", getRversion(), ".", call. = FALSE)
}

needed <- do.call(rbind, lapply(c("Depends", "Imports", "LinkingTo"), dependencies))
suggested <- dependencies("Suggests")
vignettes <- suggested$name %in% c("knitr", "rmarkdown")
always <- switch(purpose,
  run = ,
  bench = suggested[0, ],
  vignettes = suggested[vignettes, ],
  test = suggested[suggested$name == "testthat", ],
  check = suggested[vignettes | suggested$name == "testthat", ],
  coverage = data.frame(name = "covr", version = "3.6.0"),
  docs = data.frame(name = "roxygen2", version = "7.2.3"),
  lint = data.frame(
    name = c("lintr", "roxygen2", "spelling"), version = c("3.0.0", "7.2.3", "2.2")
  )
)
required <- unique(rbind(needed[needed$name != "R", ], always))
# Vignettes pull in pandoc, which is large: only where they are built.
optional <- switch(purpose,
  vignettes = suggested[suggested$name %in% c("haven", "survey"), ],
  test = suggested[!vignettes & !suggested$name %in% required$name, ],
  check = suggested[!suggested$name %in% required$name, ],
  # The peers, and data to compare on.
  bench = rbind(
    suggested[suggested$name %in% c("poLCA", "VarSelLCM"), ],
    data.frame(name = c("ade4", "FactoMineR", "glca", "mlbench", "vcd"), version = "0")
  ),
  suggested[0, ]
)

report <- function(packages, word) {
  gone <- unlist(Map(is_missing, packages$name, packages$version))
  if (any(gone)) {
    cat(paste(word, unique(packages$name[gone])), sep = "\n")
  }
}
report(required, "required")
report(optional, "optional")
