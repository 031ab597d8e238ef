# Argument checks: one line per argument, first thing in a public function. Each returns its input
# invisibly, or an error of class `mdpd_error_argument` (files: `mdpd_error_file`) that says what
# must hold and what was given. Checks of tables are in check_table.R, of triples in
# crowd_labels.R, of fits in check_fit.R.

# No count is larger than R's integers: they index and draw.
check_count <- function(x, min = 1, max = Inf, arg = rlang::caller_arg(x),
                        call = rlang::caller_env()) {
  most <- .Machine$integer.max
  if (is_whole_number(x) && x >= min && x <= base::min(max, most)) {
    return(invisible(x))
  }
  if (is_whole_number(x) && x > most) max <- base::min(max, most)
  abort_mdpd(
    "{.arg {arg}} must be a whole number{describe_range(c(min, max))}, not {describe(x)}.",
    class = "argument", call = call
  )
}

# Samples to be drawn and fitted: the seeds of 2^31 of them would take minutes and gigabytes before
# the first is drawn.
check_n_samples <- function(x, min = 1, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_count(x, min = min, max = 1e6, arg = arg, call = call)
}

# Columns to be drawn, each with a name and a model of its own: with 2^31 of them the system may
# have no memory left and end the session.
check_n_columns <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_count(x, min = 2, max = 1e6, arg = arg, call = call)
}

# A table to be drawn: R indexes its cells by integers.
check_n_cells <- function(n_rows, n_columns, arg = rlang::caller_arg(n_rows),
                          call = rlang::caller_env()) {
  most <- .Machine$integer.max %/% n_columns
  if (n_rows > most) {
    abort_mdpd(
      c("{.arg {arg}} must be at most {comma(most)} with {comma(n_columns)}
         {cli::qty(n_columns)}column{?s}: a table has up to 2^31 - 1 cells.",
        x = "It is {comma(n_rows)}."),
      class = "argument", call = call
    )
  }
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
  if (rlang::is_string(x) && is.null(dim(x))) {
    return(invisible(check_encoding(x, "{.arg {arg}}", call)))
  }
  abort_mdpd("{.arg {arg}} must be one string, not {describe(x)}.", class = "argument", call = call)
}

# R and the system have longer ones nowhere.
check_file_name <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_string(x, arg, call)
  if (nchar(x, "bytes") > 3000) {
    abort_mdpd(
      c("{.arg {arg}} must have at most 3,000 bytes.",
        x = "It has {comma(nchar(x, 'bytes'))} and begins with {.val {substr(x, 1, 20)}}."),
      class = "argument", call = call
    )
  }
}

# `range` is closed; write `.Machine$double.xmin` for a lower end of zero that is left out.
check_number <- function(x, range = c(-Inf, Inf), arg = rlang::caller_arg(x),
                         call = rlang::caller_env()) {
  if (rlang::is_bare_numeric(x, 1) && is.null(dim(x)) && is_within(x, range)) {
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
  if (!rlang::is_bare_numeric(x) || length(x) == 0 || length(dim(x)) == 1) {
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

# One of `choices`, without class or names that `x` may have; an argument left at its default, the
# vector of all choices, gives the first.
check_choice <- function(x, choices, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (identical(x, choices)) {
    return(choices[1])
  }
  if (rlang::is_string(x, choices) && is.null(dim(x))) {
    return(choices[[match(unclass(x), choices)]])
  }
  abort_mdpd(
    "{.arg {arg}} must be {.or {.val {choices}}}, not {describe(x)}.",
    class = "argument", call = call
  )
}

# Arguments of other types of a picture than the one asked for would do nothing. `given`: the values
# by argument, `NULL` where there is none; `of`: the types that each is of.
check_of_type <- function(given, of, type, call = rlang::caller_env()) {
  given <- names(given)[!vapply(given, is.null, NA)]
  for (arg in given[!vapply(of[given], function(types) type %in% types, NA)]) {
    abort_mdpd("{.arg {arg}} must be left out with {.code type = {.val {type}}}: it is of
                {.code type = {.or {.val {of[[arg]]}}}}.", class = "argument", call = call)
  }
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

# Of an argument without a default; before a generic is dispatched on it, or before other checks.
check_given <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (missing(x)) abort_absent(arg, call)
}

abort_absent <- function(arg, call) {
  abort_mdpd("{.arg {arg}} must be given.", class = "argument", call = call)
}

# Case weights as a plain double vector; NULL gives every row the weight one.
check_weights <- function(x, n_obs, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  force(arg)
  if (is.null(x)) {
    return(rep(1, n_obs))
  }
  x <- check_each_weight(x, n_obs, arg, call)
  check_sum_of_weights(sum(x), n_obs, arg, call)
  x
}

check_each_weight <- function(x, n_obs, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (!is.numeric(x) || length(x) != n_obs) {
    abort_mdpd(
      c("{.arg {arg}} must be a numeric vector with one value for each of the {n_obs} row{?s}.",
        x = "It is {describe(x)}."),
      class = "argument", call = call
    )
  }
  check_numbers(plain_numbers(x, call), c(0, Inf), arg, call)
}

# Numbers without their class, as doubles. The methods of a labelled column may not be there.
plain_numbers <- function(x, call = rlang::caller_env()) {
  check_can_read(x, call)
  as.double(if (is_labelled(x)) unclass(x) else x)
}

# Without bit64 R takes the bits of 64-bit integers for those of other numbers.
check_can_read <- function(x, call = rlang::caller_env()) {
  if (inherits(x, "integer64")) {
    rlang::check_installed("bit64", "to read 64-bit integers.", call = call)
  }
}

# It is the number of rows of the formulas: of less than one row the penalty of BIC would be a
# reward, and beyond 1e15 one more row is lost in rounding.
check_sum_of_weights <- function(sum, n_obs, arg, call) {
  if (sum == 0) {
    abort_mdpd("{.arg {arg}} must not all be zero.", class = "argument", call = call)
  }
  if (sum < 1 - 1e-9 || sum > 1e15) {
    abort_mdpd(
      c("{.arg {arg}} must sum to a number of rows, from 1 to 1e15, not to {signif(sum, 3)}.",
        i = "Multiply them so that they sum to the {n_obs} row{?s} there {?is/are}."),
      class = "argument", call = call
    )
  }
}

# Text in any encoding that R knows is the same text. What is none, because R was told that it is
# bytes or because it is damaged, can neither be compared nor shown. `what`: whose text it is, in
# cli's markup with names of the caller, worked out only where it is told: that takes longer than
# most columns.
check_encoding <- function(x, what, call = rlang::caller_env()) {
  bad <- if (is.character(x)) which(!is_valid_text(x))
  if (length(bad) > 0) {
    what <- cli::format_inline(what, .envir = rlang::caller_env())
    abort_mdpd(
      c("{what} must be text in a known encoding, and {.val {show_bytes(x[bad[1]])}} is not.",
        i = "Say what it is by {.fn Encoding} or convert it by {.fn iconv}."),
      class = "encoding", call = call
    )
  }
  invisible(x)
}

is_valid_text <- function(x) {
  is_bytes <- Encoding(x) == "bytes"
  if (any(is_bytes)) x[is_bytes] <- ""
  !is_bytes & validUTF8(enc2utf8(x))
}

# What is no character by its code in angle brackets.
show_bytes <- function(x) {
  Encoding(x) <- "unknown"
  iconv(x, "UTF-8", "UTF-8", sub = "byte")
}

# Can a vector hold values of categories?
holds_values <- function(x) {
  types <- c("logical", "integer", "double", "character")
  is_vector <- typeof(x) %in% types && length(dim(x)) < 2 && !inherits(x, "mdpd")
  if (is.factor(x)) is_sound_factor(x) else is_vector
}

# A factor whose codes are those of its levels.
is_sound_factor <- function(x) {
  codes <- unclass(x)
  is.factor(x) && is.integer(codes) && is.character(levels(x)) &&
    all(is.na(codes) | codes >= 1 & codes <= nlevels(x))
}

is_damaged_factor <- function(x) is.factor(x) && !is_sound_factor(x)

# What was asked for by `table$column` or `table[["column"]]` where the table has no such column is
# `NULL`, as if nothing had been given. Of a list, which may hold settings, it may be meant.
#
# `asked`: a quosure of the argument.
check_is_column <- function(asked, arg, call = rlang::caller_env()) {
  code <- rlang::quo_get_expr(asked)
  called <- setdiff(all.names(code), all.vars(code))
  # Calls of other functions are not made twice.
  if (!rlang::is_call(code, c("$", "[["), n = 2) || !all(called %in% c("$", "[["))) {
    return(invisible())
  }
  value_of <- function(code) {
    tryCatch(suppressWarnings(eval(code, rlang::quo_get_env(asked))), error = identity)
  }
  if (is.data.frame(value_of(code[[2]])) && is.null(value_of(code))) {
    abort_mdpd(
      c("{.arg {arg}} must be a column that is there, or {.code NULL} itself.",
        x = "{.code {rlang::as_label(code)}} is {.code NULL}: {.code {rlang::as_label(code[[2]])}}
             has no such column."),
      class = "argument", call = call
    )
  }
}

# A path at which a file can be made.
check_new_file <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_file_name(x, arg, call)
  if (!dir.exists(dirname(x))) {
    abort_mdpd("The folder {.file {dirname(x)}} does not exist.", class = "file", call = call)
  }
  check_no_folder(x, call)
  invisible(x)
}

check_no_folder <- function(x, call) {
  if (dir.exists(x)) {
    abort_mdpd("{.file {x}} is a folder, not a file.", class = "file", call = call)
  }
}

# A path to an existing file that is not empty.
check_file <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_file_name(x, arg, call)
  if (!file.exists(x)) {
    abort_mdpd("File {.file {x}} does not exist.", class = "file", call = call)
  }
  check_no_folder(x, call)
  if (file.size(x) == 0) {
    abort_mdpd("File {.file {x}} is empty.", class = "file", call = call)
  }
  invisible(x)
}

is_whole_number <- function(x) {
  rlang::is_bare_numeric(x, 1) && is.null(dim(x)) && rlang::is_integerish(x, finite = TRUE)
}

is_within <- function(x, range) {
  is.finite(x) & x >= range[1] & x <= range[2]
}

# What a value is, for the end of a message: the value itself when it is a plain scalar.
describe <- function(x) {
  if (is.character(x)) x[!is_valid_text(x)] <- show_bytes(x[!is_valid_text(x)])
  if (rlang::is_scalar_atomic(x) && !is.object(x)) {
    return(cli::format_inline("{.val {x}}"))
  }
  if (is_damaged_factor(x)) {
    return("a damaged factor")
  }
  size <- if (rlang::is_vector(x) && !is.data.frame(x)) paste(" of length", length(x))
  paste0(cli::format_inline("{.obj_type_friendly {x}}"), size)
}

describe_range <- function(range) {
  if (range[1] == .Machine$double.xmin) {
    return(paste0(" above 0", describe_range(c(-Inf, range[2]))))
  }
  # As in the help: 1,000,000 and not 1e+06.
  is_large <- is.finite(range) & abs(range) >= 1e5
  ends <- ifelse(is_large, vapply(range, comma, ""), as.character(range))
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
  if (!rlang::is_bare_numeric(x) || !rlang::is_integerish(x, finite = TRUE) || any(x < 1) ||
        any(x > .Machine$integer.max)) {
    abort_mdpd(
      "{.arg {arg}} must be whole numbers of at least 1, not {describe(x)}.",
      class = "argument", call = call
    )
  }
  invisible(x)
}
