# The stages of a fit, done again: a fit has the trace of its stages, but not the n_obs x k
# posterior after each, which the conditional information takes.

# Posterior and informative items (their numbers, in the order they joined) after a stage; before
# the first there is one component.
model_at_stage <- function(stage, object, coded) {
  if (stage == 0) {
    return(list(posterior = matrix(1, nrow(coded$codes), 1), informative = integer()))
  }
  control <- object$control
  control$max_stages <- stage
  k <- max(object$trace$k[object$trace$phase == "stage"])
  settings <- new_settings("grow", k, object$method, "none", control)
  run_engine(new_problem(coded), settings)$fits[[1]]
}
