# Writes NAMESPACE from the sources alone: the package need not install, which an outdated NAMESPACE
# may prevent. roxygen2's own loader leaves out the data sets, whose names it then cannot resolve.
load_sources <- function(path) {
  environment <- suppressMessages(roxygen2::load_source(path))
  for (file in dir(file.path(path, "data"), "[.]rda$", full.names = TRUE)) {
    load(file, envir = environment)
  }
  environment
}
roxygen2::roxygenise(roclets = "namespace", load_code = load_sources)
