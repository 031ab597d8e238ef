# Every condition of the package carries two classes, `mdpd_<kind>_<class>` and `mdpd_<kind>`, so
# that a caller can catch one problem or all of them. `message` is a cli message: glue and inline
# markup are evaluated in `.envir`, and values are never parsed again.

#' Signal an error, a warning or a message of the package
#'
#' @param message Character vector in cli's notation; names such as `i` and `x` make bullets.
#' @param class One word, the last part of the condition's class: `"argument"`, `"data"`,
#'   `"missing_item"`, `"missing_value"`, `"duplicated_label"`, `"file"`, ...
#' @param call The environment of the function the user called.
#' @param ... Data stored in the condition.
#' @param .envir Where `message` is evaluated.
#' @return `abort_mdpd()` never returns; the others return invisibly.
#' @noRd
abort_mdpd <- function(message, class = NULL, call = .envir, ..., .envir = parent.frame()) {
  cli::cli_abort(
    message, class = condition_classes("error", class), call = call, ..., .envir = .envir
  )
}

warn_mdpd <- function(message, class = NULL, call = .envir, ..., .envir = parent.frame()) {
  cli::cli_warn(
    message, class = condition_classes("warning", class), call = call, ..., .envir = .envir
  )
}

inform_mdpd <- function(message, class = NULL, ..., .envir = parent.frame()) {
  cli::cli_inform(message, class = condition_classes("message", class), ..., .envir = .envir)
}

condition_classes <- function(kind, class) {
  kind <- paste0("mdpd_", kind)
  c(if (!is.null(class)) paste0(kind, "_", class), kind)
}
