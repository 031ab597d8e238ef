# Shows what a user reads of every error and warning: class, function and text. For snapshots that
# do not depend on how a version of testthat prints conditions.
show_conditions <- function(code) {
  tell <- function(cnd) {
    cat("<", class(cnd)[1], "> in ", rlang::call_name(cnd$call), "()\n", sep = "")
    cat(conditionMessage(cnd), "\n\n", sep = "")
  }
  withCallingHandlers(
    tryCatch(code, error = tell),
    warning = function(cnd) {
      tell(cnd)
      tryInvokeRestart("muffleWarning")
    }
  )
  invisible()
}

# Without messages of the package.
hush <- function(code) {
  withCallingHandlers(code, mdpd_message = function(cnd) tryInvokeRestart("muffleMessage"))
}
