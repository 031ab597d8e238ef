# What the parts of a fit take, as the engine says; what they leave is spent in R. The engine's door
# is replaced in the package's namespace by one that notes what comes out of it.

part_names <- c("stages", "growth", "refinement", "polish")

# Seconds of each part, and the passes over all pairs that the stages made, full and partial.
time_parts <- function(code) {
  namespace <- asNamespace("mdpd")
  door <- namespace$core_fit
  replace_door <- function(by) {
    unlockBinding("core_fit", namespace)
    assign("core_fit", by, namespace)
    lockBinding("core_fit", namespace)
  }
  seconds <- 0
  passes <- c(full = 0, partial = 0)
  replace_door(function(...) {
    result <- door(...)
    seconds <<- seconds + result$seconds
    passes <<- passes + c(result$n_full_passes, result$n_partial_passes)
    result
  })
  on.exit(replace_door(door))
  start <- Sys.time()
  force(code)
  elapsed <- as.numeric(Sys.time() - start, units = "secs")
  list(elapsed = elapsed, seconds = c(seconds, R = elapsed - sum(seconds)), passes = passes)
}
