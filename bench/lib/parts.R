# What the parts of a fit take. The engine's functions are replaced in the package's namespace by
# ones that note their time; what they leave is spent in R.
part_functions <- c(stages = "core_stagewise", growth = "core_grow", refinement = "core_refine",
                    polish = "core_polish", smoothing = "core_smooth")

# Seconds of each part, and the passes over all pairs that the stages made, full and partial.
time_parts <- function(code) {
  namespace <- asNamespace("mdpd")
  plain <- mget(part_functions, namespace)
  seconds <- stats::setNames(numeric(length(part_functions)), names(part_functions))
  passes <- c(full = 0, partial = 0)
  replace_in_namespace <- function(functions) {
    for (name in names(functions)) {
      unlockBinding(name, namespace)
      assign(name, functions[[name]], namespace)
      lockBinding(name, namespace)
    }
  }
  timed <- lapply(stats::setNames(names(part_functions), part_functions), function(part) {
    function(...) {
      start <- Sys.time()
      result <- plain[[part_functions[[part]]]](...)
      seconds[[part]] <<- seconds[[part]] + as.numeric(Sys.time() - start, units = "secs")
      if (part == "stages") {
        passes <<- passes + c(result$n_full_passes, result$n_partial_passes)
      }
      result
    }
  })
  replace_in_namespace(timed)
  on.exit(replace_in_namespace(plain))
  start <- Sys.time()
  force(code)
  elapsed <- as.numeric(Sys.time() - start, units = "secs")
  list(elapsed = elapsed, seconds = c(seconds, R = elapsed - sum(seconds)), passes = passes)
}
