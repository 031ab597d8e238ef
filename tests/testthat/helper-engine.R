# The engine without the main interface: coded data in, and out comes what it says, with items and
# components by number.

# The fit from one component; `...` are settings, see stagewise_control().
engine_fit <- function(coded, k, method = "robust", refine = "sparse", ..., labels = NULL,
                       known = NULL) {
  control <- complete_control(stagewise_control(...), method)
  run_engine(
    new_problem(coded, labels, known), new_settings("grow", k, method, refine, control)
  )$fits[[1]]
}

# EM from one start, a posterior or parameters, and nothing else; sparse EM by BIC.
engine_refine <- function(coded, start, type, tol = 1e-9, max_iter = 500, smoothing = 0,
                          informative = seq_along(coded$levels), criterion = "bic") {
  if (is.matrix(start)) start <- list(posterior = start)
  start$informative <- as.integer(informative)
  control <- complete_control(
    stagewise_control(criterion = criterion, polish = FALSE, tol = tol, max_iter = max_iter,
                      smoothing = smoothing),
    "robust"
  )
  run_engine(
    new_problem(coded, starts = list(start)),
    new_settings("continue", max(1, ncol(start$posterior)), "robust", type, control)
  )$fits[[1]]
}

# Puts functions, by name, in the place of the package's own until the end of `env`.
local_in_package <- function(functions, env = parent.frame()) {
  namespace <- asNamespace("mdpd")
  put <- function(functions) {
    for (name in names(functions)) {
      unlockBinding(name, namespace)
      assign(name, functions[[name]], namespace)
      lockBinding(name, namespace)
    }
  }
  plain <- mget(names(functions), namespace)
  withr::defer(put(plain), env)
  put(functions)
}
