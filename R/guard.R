# What stands before every function that is given an object made before: a fit, a crowd or what is
# made of them. See check_intact.R.

# A function behind the guard. Its body is evaluated in its own frame as before: arguments, call,
# return() and missing() are what they were. `args`: those that may be such objects.
guarded <- function(f, args = names(formals(f))[1]) {
  body(f) <- call("with_intact_objects", args, body(f))
  f
}

guard <- rlang::env(is_on = FALSE)

# Only what the user calls is guarded, not what is called from there: the checks go over all rows.
with_intact_objects <- function(args, code) {
  if (guard$is_on) {
    return(code)
  }
  guard$is_on <- TRUE
  on.exit(guard$is_on <- FALSE)
  frame <- parent.frame()
  given <- Filter(function(arg) !eval(call("missing", as.name(arg)), frame), args)
  made <- Filter(function(arg) inherits(get(arg, frame), classes_made), given)
  for (arg in made) check_intact(get(arg, frame), arg, frame)
  if (length(made) == 0) {
    return(code)
  }
  object <- get(made[1], frame)
  withCallingHandlers(
    code,
    error = function(cnd) {
      if (!is_ours(cnd)) abort_damaged(object, made[1], frame, parent = cnd)
    },
    warning = function(cnd) {
      if (!inherits(cnd, c("mdpd_warning", "lifecycle_warning_deprecated", "deprecatedWarning"))) {
        warn_damaged(object, made[1], frame, cnd)
        tryInvokeRestart("muffleWarning")
      }
    }
  )
}

# Errors of the package and those by which rlang checks `...` and asks for packages.
is_ours <- function(cnd) {
  inherits(cnd, c("mdpd_error", "rlib_error_dots_nonempty", "rlib_error_package_not_found"))
}

warn_damaged <- function(object, arg, call, cnd) {
  warn_mdpd(
    c("{.arg {arg}} may have been changed or damaged, or be of another version.",
      x = "{conditionMessage(cnd)}"),
    class = "damaged", call = call
  )
}
