# What stands before every function that is given an object made before: a fit, a crowd or what is
# made of them. See check_intact.R.

# A function behind the guard. Its body is evaluated in its own frame as before: arguments, call,
# return() and missing() are what they were. `args`: those that may be such objects; `quoted`: those
# that the function evaluates itself.
guarded <- function(f, args = names(formals(f))[1], quoted = character()) {
  body(f) <- call("with_intact_objects", args, setdiff(names(formals(f)), quoted), body(f))
  f
}

guard <- rlang::env(is_on = FALSE)

# Only what the user calls is guarded, not what is called from there: the checks go over all rows.
# What the user gave is evaluated before, so that what happens there is not blamed on the object.
with_intact_objects <- function(args, formals, code) {
  if (guard$is_on) {
    return(code)
  }
  frame <- parent.frame()
  force_arguments(formals, frame)
  guard$is_on <- TRUE
  on.exit(guard$is_on <- FALSE)
  made <- given_objects(args, frame)
  for (arg in made) check_intact(get(arg, frame), arg, frame)
  telling_memory(frame, {
    if (length(made) == 0) {
      telling_absent(formals, frame, code)
    } else {
      blame_object(telling_absent(formals, frame, code), get(made[1], frame), made[1], frame)
    }
  })
}

# What R or the engine says where the system has no more to give.
telling_memory <- function(frame, code) {
  withCallingHandlers(code, error = function(cnd) {
    if (is_of_memory(cnd)) {
      abort_mdpd("There is not enough memory.", class = "memory", call = frame, parent = cnd)
    }
  })
}

# An argument without a default that was not given: R says so where it is first needed, in the
# language of the session.
telling_absent <- function(formals, frame, code) {
  withCallingHandlers(code, error = function(cnd) {
    if (is_ours(cnd)) {
      return()
    }
    absent <- Filter(function(arg) is_missing_in(frame, arg), setdiff(formals, "..."))
    texts <- sprintf(gettext("argument \"%s\" is missing, with no default", domain = "R"), absent)
    arg <- absent[match(conditionMessage(cnd), texts)]
    if (!is.na(arg[1])) abort_absent(arg, frame)
  })
}

is_of_memory <- function(cnd) {
  inherits(cnd, "std::bad_alloc") ||
    !is_ours(cnd) && startsWith(conditionMessage(cnd), "cannot allocate ")
}

# Which of the arguments are objects made before?
given_objects <- function(args, frame) {
  given <- Filter(function(arg) !is_missing_in(frame, arg), args)
  Filter(function(arg) is_made(get(arg, frame)), given)
}

blame_object <- function(code, object, arg, frame) {
  withCallingHandlers(
    code,
    error = function(cnd) {
      if (is_blamed(cnd)) abort_damaged(object, arg, frame, parent = cnd)
    },
    warning = function(cnd) {
      if (is_blamed(cnd)) {
        warn_damaged(arg, frame, cnd)
        tryInvokeRestart("muffleWarning")
      }
    }
  )
}

is_blamed <- function(cnd) {
  guard$is_on && !is_ours(cnd) && !is_of_session(cnd) && !is_of_memory(cnd) && !is_drawing()
}

# Code that the user wrote, such as a formula, or that waits for the user, in the middle of a
# function behind the guard: its errors and warnings are passed on as they are.
as_users <- function(code) {
  was_on <- guard$is_on
  guard$is_on <- FALSE
  on.exit(guard$is_on <- was_on)
  code
}

# Conditions of the package and those by which rlang checks `...`, asks for packages and tells what
# is deprecated. To be asked first: the text of these is laid out anew whenever it is looked at.
is_ours <- function(cnd) {
  inherits(cnd, c("mdpd_error", "mdpd_warning", "rlib_error_dots_nonempty",
                  "rlib_error_package_not_found", "lifecycle_warning_deprecated",
                  "deprecatedWarning"))
}

# Is grid at work, which measures the texts of a picture and draws it? What fails there is the
# device, such as one that does not know all letters.
is_drawing <- function() {
  any(vapply(sys.frames(), function(frame) {
    environmentName(topenv(frame)) == "grid"
  }, NA))
}

warn_damaged <- function(arg, call, cnd) {
  warn_mdpd(
    c("{.arg {arg}} may have been changed or damaged, or be of another version.",
      x = "{conditionMessage(cnd)}"),
    class = "damaged", call = call
  )
}

# Arguments ----------------------------------------------------------------------------------------

# Evaluates what was given. A default is left: it is ours.
force_arguments <- function(formals, frame) {
  before <- character()
  for (arg in setdiff(formals, "...")) {
    if (!is_missing_in(frame, arg)) {
      check_is_column(rlang::inject(rlang::enquo(!!as.name(arg)), frame), arg, frame)
      force_argument(as.name(arg), arg, frame, before)
    }
    before <- c(before, arg)
  }
  if ("..." %in% formals) {
    names <- eval(quote(...names()), frame)
    for (i in seq_len(eval(quote(...length()), frame))) {
      arg <- paste0("..", i)
      shown <- if (isTRUE(names[i] != "")) names[i] else arg
      if (!is_missing_in(frame, arg)) force_argument(as.name(arg), shown, frame, before)
    }
  }
}

# The function itself, not its name: `missing` is an argument of simulate_crowd(), too.
is_missing_in <- function(frame, arg) eval(as.call(list(missing, as.name(arg))), frame)

# An error with a class of its own is the user's: they may wait for it. `before`: the arguments that
# were evaluated.
force_argument <- function(name, arg, frame, before) {
  rlang::try_fetch(
    eval(name, frame),
    simpleError = function(cnd) {
      if (is_of_session(cnd)) {
        return(rlang::zap()) # it goes on as it is
      }
      abort_mdpd(
        c("{.arg {arg}} cannot be evaluated.", x = "{conditionMessage(cnd)}",
          i = if ("data" %in% before) hint_at_column(name, frame)
              else if (arg == "group") hint_at_table(name, frame)),
        class = "argument", call = frame
      )
    }
  )
}

# The name of a column of `data` in the place of the column.
hint_at_column <- function(name, frame) {
  written <- eval(call("substitute", name), frame)
  has_data <- !is_missing_in(frame, "data") && is.data.frame(frame$data)
  if (has_data && is.symbol(written) && as.character(written) %in% names(frame$data)) {
    column <- call("$", eval(quote(substitute(data)), frame), written)
    cli::format_inline("Write {.code {rlang::as_label(column)}} for the column of {.arg data}.")
  }
}

# The same where there is no `data`.
hint_at_table <- function(name, frame) {
  written <- eval(call("substitute", name), frame)
  if (is.symbol(written)) {
    column <- call("$", quote(data), written)
    cli::format_inline("Write {.code {rlang::as_label(column)}} for a column of {.code data}.")
  }
}
