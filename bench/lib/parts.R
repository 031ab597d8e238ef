# What the parts of a fit take, as the engine says; what they leave is spent in R. The engine's door
# is replaced in the package's namespace by one that notes what comes out of it.

part_names <- c("stages", "growth", "refinement", "polish")

# Seconds of each part, and the passes over all pairs that the stages made, full and partial; and
# the share of the processor's time that is spent outside of that door: coding, checks, what R makes
# of it.
time_parts <- function(code) {
  namespace <- asNamespace("mdpd")
  door <- namespace$core_fit
  replace_door <- function(by) {
    unlockBinding("core_fit", namespace)
    assign("core_fit", by, namespace)
    lockBinding("core_fit", namespace)
  }
  processor <- function() sum(proc.time()[1:2])
  seconds <- 0
  inside <- 0
  passes <- c(full = 0, partial = 0)
  replace_door(function(...) {
    before <- processor()
    result <- door(...)
    inside <<- inside + processor() - before
    seconds <<- seconds + result$seconds
    passes <<- passes + c(result$n_full_passes, result$n_partial_passes)
    result
  })
  on.exit(replace_door(door))
  start <- Sys.time()
  began <- processor()
  force(code)
  all <- processor() - began
  elapsed <- as.numeric(Sys.time() - start, units = "secs")
  list(elapsed = elapsed, seconds = c(seconds, R = elapsed - sum(seconds)), passes = passes,
       outside = 1 - inside / all)
}
