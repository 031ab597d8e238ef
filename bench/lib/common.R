# What the benchmarks share: where things are, the real crowds, the tables of a report. A script
# that reads it has set `script`, its own path in bench/.
#
# The package must be installed; `R_LIBS=.lib` before a command takes the one that `make demo`
# installs into the clone, and `make bench` does all of it.
library(mdpd)

here <- dirname(normalizePath(script))

# Reports, their pictures and tables.
result_file <- function(name) file.path(here, "results", name)

# Real crowds -------------------------------------------------------------------------------------

# The folder that holds <name>_labels.csv (item,worker,label) and <name>_truth.csv (item,label):
# `data` in the one named by MDPD_SHARED, else in ../shared beside the clone.
shared_folder <- Sys.getenv("MDPD_SHARED", file.path(here, "..", "..", "shared"))

# Those of `names` that are there; these three are the published ones.
real_crowd_names <- function(names = c("bluebird", "dog", "rte")) {
  there <- file.exists(file.path(shared_folder, "data", paste0(names, "_labels.csv")))
  if (!all(there)) {
    message("Left out, not in ", file.path(shared_folder, "data"), ": ", toString(names[!there]))
  }
  names[there]
}

# The labels, and the true label of each item, named by item.
read_real <- function(name) {
  file <- function(what) file.path(shared_folder, "data", paste0(name, "_", what, ".csv"))
  truth <- utils::read.csv(file("truth"))
  list(labels = read_crowd(file("labels")), truth = stats::setNames(truth$label, truth$item))
}

# The crowd of the `n` workers with the most labels, as in the paper's experiment on dog.
most_active <- function(labels, n) {
  triples <- as.data.frame(labels)
  workers <- names(sort(table(triples$worker), decreasing = TRUE))[seq_len(n)]
  crowd_labels(droplevels(triples[triples$worker %in% workers, ]))
}

# Reports -----------------------------------------------------------------------------------------

# Paragraphs of a report: one string each, broken into lines.
prose <- function(...) strwrap(paste(...), width = 100)

bullet <- function(...) strwrap(paste("-", ...), width = 100, exdent = 2)

# A Markdown table: `table` has cells as text, numbers are aligned to the right.
table_lines <- function(table, right = character()) {
  row <- function(cells) paste0("| ", paste(cells, collapse = " | "), " |")
  cells <- do.call(cbind, lapply(as.data.frame(table), as.character))
  align <- ifelse(colnames(cells) %in% right, "---:", "---")
  unname(c(row(colnames(cells)), row(align), apply(cells, 1, row)))
}

# Text for a table; a dash where there is no number.
number <- function(x, digits) {
  text <- formatC(x, format = "f", digits = digits)
  replace(text, is.na(x), "-")
}

machine_line <- function() {
  cpu <- "unknown processor"
  if (file.exists("/proc/cpuinfo")) {
    cpu <- grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)[1]
    cpu <- sub("^.*: *", "", cpu)
  }
  paste0("Machine: ", cpu, ", ", parallel::detectCores(), " cores; ",
         utils::osVersion, "; ", R.version.string, "; mdpd ", utils::packageVersion("mdpd"), ".")
}

# Writes bench/results/<name>.md and shows it.
write_report <- function(name, lines) {
  writeLines(lines, result_file(paste0(name, ".md")))
  cat(lines, sep = "\n")
}
