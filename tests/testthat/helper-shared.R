# Real data that may not be shipped lie in a folder `shared/data` beside the package or above it;
# the environment variable MDPD_SHARED names the folder `shared` elsewhere. Tests skip without it.

shared_folder <- function() {
  folder <- Sys.getenv("MDPD_SHARED")
  if (nzchar(folder)) {
    return(folder)
  }
  above <- normalizePath(".")
  while (!dir.exists(file.path(above, "shared", "data")) && dirname(above) != above) {
    above <- dirname(above)
  }
  file.path(above, "shared")
}

shared_file <- function(name) {
  file <- file.path(shared_folder(), "data", name)
  if (!file.exists(file)) {
    testthat::skip(paste("no shared data:", name))
  }
  file
}

# The labels of a real crowd: "bluebird", "dog" or "rte".
shared_crowd <- function(name) {
  read_crowd(shared_file(paste0(name, "_labels.csv")))
}

# The true labels of its items, as a factor named by the items.
shared_truth <- function(name) {
  truth <- utils::read.csv(shared_file(paste0(name, "_truth.csv")), colClasses = "character")
  stats::setNames(factor(truth$label), truth$item)
}
