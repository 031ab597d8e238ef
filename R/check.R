# Argument checks: one line per argument, first thing in a public function. Each returns its input
# invisibly, or an error of class `mdpd_error_argument` (files: `mdpd_error_file`) that says what
# must hold and what was given. Checks of tables are in check_table.R, of triples in
# crowd_labels.R, of fits in check_fit.R.

check_count <- function(x, min = 1, max = Inf, arg = rlang::caller_arg(x),
                        call = rlang::caller_env()) {
  if (is_whole_number(x) && x >= min && x <= max) {
    return(invisible(x))
  }
  abort_mdpd(
    "{.arg {arg}} must be a whole number{describe_range(c(min, max))}, not {describe(x)}.",
    class = "argument", call = call
  )
}

check_flag <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (rlang::is_bool(x)) {
    return(invisible(x))
  }
  abort_mdpd(
    "{.arg {arg}} must be {.code TRUE} or {.code FALSE}, not {describe(x)}.",
    class = "argument", call = call
  )
}

check_string <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (rlang::is_string(x)) {
    return(invisible(x))
  }
  abort_mdpd("{.arg {arg}} must be one string, not {describe(x)}.", class = "argument", call = call)
}

# `range` is closed; write `.Machine$double.xmin` for a lower end of zero that is left out.
check_number <- function(x, range = c(-Inf, Inf), arg = rlang::caller_arg(x),
                         call = rlang::caller_env()) {
  if (is.numeric(x) && length(x) == 1 && is_within(x, range)) {
    return(invisible(x))
  }
  abort_mdpd(
    "{.arg {arg}} must be a finite number{describe_range(range)}, not {describe(x)}.",
    class = "argument", call = call
  )
}

# A numeric vector, every value of which is in the closed `range`.
check_numbers <- function(x, range = c(-Inf, Inf), arg = rlang::caller_arg(x),
                          call = rlang::caller_env()) {
  if (!is.numeric(x) || length(x) == 0) {
    abort_mdpd(
      "{.arg {arg}} must be a numeric vector with at least one value, not {describe(x)}.",
      class = "argument", call = call
    )
  }
  bad <- which(!is_within(x, range))
  if (length(bad) > 0) {
    abort_mdpd(
      c("{.arg {arg}} must hold finite numbers{describe_range(range)}.",
        x = "Value {bad[1]} is {x[bad[1]]}."),
      class = "argument", call = call
    )
  }
  invisible(x)
}

# One of `choices`; an argument left at its default, the vector of all choices, gives the first.
check_choice <- function(x, choices, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (identical(x, choices)) {
    return(choices[1])
  }
  if (rlang::is_string(x, choices)) {
    return(x)
  }
  abort_mdpd(
    "{.arg {arg}} must be {.or {.val {choices}}}, not {describe(x)}.",
    class = "argument", call = call
  )
}

# A seed for `set.seed()`, or NULL for the session's own random numbers.
check_seed <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (is.null(x) || is_whole_number(x) && abs(x) <= .Machine$integer.max) {
    return(invisible(x))
  }
  abort_mdpd(
    "{.arg {arg}} must be `NULL` or one whole number, not {describe(x)}.",
    class = "argument", call = call
  )
}

check_class <- function(x, class, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (inherits(x, class)) {
    return(invisible(x))
  }
  abort_mdpd(
    "{.arg {arg}} must be of class {.cls {class}}, not {describe(x)}.",
    class = "argument", call = call
  )
}

# Case weights as a plain double vector; NULL gives every row the weight one.
check_weights <- function(x, n_obs, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (is.null(x)) {
    return(rep(1, n_obs))
  }
  if (!is.numeric(x) || length(x) != n_obs) {
    abort_mdpd(
      c("{.arg {arg}} must be a numeric vector with one value for each of the {n_obs} row{?s}.",
        x = "It is {describe(x)}."),
      class = "argument", call = call
    )
  }
  check_numbers(x, c(0, Inf), arg, call)
  if (sum(x) == 0) {
    abort_mdpd("{.arg {arg}} must not all be zero.", class = "argument", call = call)
  }
  as.double(x)
}

# A path to an existing file that is not empty.
check_file <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_string(x, arg, call)
  if (!file.exists(x)) {
    abort_mdpd("File {.file {x}} does not exist.", class = "file", call = call)
  }
  if (dir.exists(x)) {
    abort_mdpd("{.file {x}} is a folder, not a file.", class = "file", call = call)
  }
  if (file.size(x) == 0) {
    abort_mdpd("File {.file {x}} is empty.", class = "file", call = call)
  }
  invisible(x)
}

is_whole_number <- function(x) {
  is.numeric(x) && rlang::is_scalar_integerish(x, finite = TRUE)
}

is_within <- function(x, range) {
  is.finite(x) & x >= range[1] & x <= range[2]
}

# What a value is, for the end of a message: the value itself when it is a plain scalar.
describe <- function(x) {
  if (rlang::is_scalar_atomic(x) && !is.object(x)) {
    return(cli::format_inline("{.val {x}}"))
  }
  size <- if (rlang::is_vector(x) && !is.data.frame(x)) paste(" of length", length(x))
  paste0(cli::format_inline("{.obj_type_friendly {x}}"), size)
}

describe_range <- function(range) {
  if (range[1] == .Machine$double.xmin) {
    return(paste0(" above 0", describe_range(c(-Inf, range[2]))))
  }
  ends <- as.character(range)
  if (all(is.finite(range))) {
    paste0(" from ", ends[1], " to ", ends[2])
  } else if (is.finite(range[1])) {
    paste0(" of at least ", ends[1])
  } else if (is.finite(range[2])) {
    paste0(" of at most ", ends[2])
  }
}

check_counts <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (length(x) < 2) {
    return(check_count(x, arg = arg, call = call))
  }
  if (!rlang::is_integerish(x, finite = TRUE) || any(x < 1)) {
    abort_mdpd(
      "{.arg {arg}} must be whole numbers of at least 1, not {describe(x)}.",
      class = "argument", call = call
    )
  }
  invisible(x)
}
