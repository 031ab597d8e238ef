# Installs packages from the CRAN mirror this R is set to. Usage: Rscript ... LIBRARY NAME...
arguments <- commandArgs(trailingOnly = TRUE)
library <- arguments[1]
packages <- arguments[-1]

if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  stop("This R is set to no CRAN mirror; set `options(repos = )` in your .Rprofile.", call. = FALSE)
}
message("Installing from CRAN: ", toString(packages))
utils::install.packages(packages, lib = library, quiet = TRUE, Ncpus = parallel::detectCores())
