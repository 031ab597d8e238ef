# Shows what a user reads of every error, warning and message: class, function and text. For
# snapshots that do not depend on how a version of testthat prints conditions.
show_conditions <- function(code) {
  tell <- function(cnd) {
    of <- if (!is.null(cnd$call)) rlang::call_name(cnd$call)
    cat("<", class(cnd)[1], ">", if (!is.null(of)) c(" in ", of, "()"), "\n", sep = "")
    cat(trimws(conditionMessage(cnd), "right"), "\n\n", sep = "")
  }
  withCallingHandlers(
    tryCatch(code, error = tell),
    warning = function(cnd) {
      tell(cnd)
      tryInvokeRestart("muffleWarning")
    },
    message = function(cnd) {
      tell(cnd)
      tryInvokeRestart("muffleMessage")
    }
  )
  invisible()
}

# Without messages of the package.
hush <- function(code) {
  withCallingHandlers(code, mdpd_message = function(cnd) tryInvokeRestart("muffleMessage"))
}
