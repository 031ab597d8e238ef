# Checks of a model that the user gave: whether it holds what is asked of it.

# What messages call the columns of the data of a fit: those of a crowd are its workers, and its
# items are rows.
column_words <- function(object) if (is.null(object$labels)) "items" else "workers"

# A fit, as against a true model, which has parameters only.
check_fit <- function(object, call = rlang::caller_env()) {
  if (is.null(object$loglik)) {
    abort_mdpd(
      "{.arg object} must be a fit; it is a model without data.",
      class = "not_stored", call = call
    )
  }
  invisible(object)
}

# A picture needs a part of the fit that true models do not have.
check_stored <- function(object, part, call = rlang::caller_env(2)) {
  if (!is.null(object[[part]]) && NROW(object[[part]]) > 0) {
    return(invisible(object))
  }
  abort_mdpd(
    c("The model must hold a {part} to draw it, and this one does not.",
      i = if (is.null(object$store)) "Models returned by {.fn stagewise_em} hold one."
          else "Fits of a store keep nothing of single rows; fits of rows in memory do."),
    class = "not_stored", call = call
  )
}

# Data in the fit. `arg`: the argument that takes the data instead, where there is one, which may be
# `or_store`.
check_has_data <- function(object, arg = NULL, call = rlang::caller_env(), or_store = FALSE) {
  if (!is.null(object$coded)) {
    return(invisible(object))
  }
  advice <- if (is.null(object$store)) {
    if (is.null(arg)) "Fit with {.code keep_data = TRUE}."
    else "Give {.arg {arg}}, or fit with {.code keep_data = TRUE}."
  } else {
    if (is.null(arg)) "It is of a store: this needs a fit of rows in memory, such as some of them."
    else if (or_store) "It is of a store: give this, or rows in memory, as {.arg {arg}}."
    else "It is of a store: give rows in memory as {.arg {arg}}."
  }
  abort_mdpd(c("The fit keeps no data.", i = advice), class = "no_data", call = call)
}

# A fit of crowd labels that holds its posterior and its data.
check_crowd_fit <- function(object, call = rlang::caller_env()) {
  check_class(object, "mdpd", arg = "object", call = call)
  if (is.null(object$labels)) {
    abort_mdpd(
      c("{.arg object} must be a fit of crowd labels.",
        i = "Make them by {.fn crowd_labels} or {.fn read_crowd} before the fit."),
      class = "not_a_crowd", call = call
    )
  }
  check_fit(object, call)
  check_has_data(object, call = call)
}

check_workers <- function(worker, all_workers, arg = rlang::caller_arg(worker),
                          call = rlang::caller_env()) {
  check_encoding(worker, "{.arg {arg}}", call)
  ids <- if (holds_values(worker)) id_text(worker) # numbers as in crowd_labels()
  unknown <- setdiff(ids, all_workers)
  if (length(ids) > 0 && length(unknown) == 0) {
    return(unique(ids))
  }
  abort_mdpd(
    c("{.arg {arg}} must hold ids of workers of the fit.",
      x = if (length(ids) == 0) "It is {describe(worker)}."
          else "There {?is/are} no {.val {unknown}}."),
    class = "argument", call = call
  )
}

# Names of items of a fit.
check_items <- function(items, all_items, arg = rlang::caller_arg(items),
                        call = rlang::caller_env()) {
  check_encoding(items, "{.arg {arg}}", call)
  unknown <- if (is.character(items)) setdiff(items, all_items)
  if (is.character(items) && length(items) > 0 && length(unknown) == 0) {
    return(unique(items))
  }
  abort_mdpd(
    c("{.arg {arg}} must hold names of items of the fit.",
      x = if (is.character(items) && length(items) > 0) "There {?is/are} no {.val {unknown}}."
          else "It is {describe(items)}."),
    class = "argument", call = call
  )
}

check_path <- function(object, call = rlang::caller_env()) {
  if (is.null(object$path)) {
    abort_mdpd(
      c("The fit has no path of several {.arg k}.",
        i = "Give {.fn stagewise_em} several {.arg k}, such as {.code k = 1:6}."),
      class = "not_stored", call = call
    )
  }
}
