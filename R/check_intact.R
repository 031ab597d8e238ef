# Objects that were made before: fits, crowds, stores and what is made of them. They may have been
# changed by hand, damaged on disk or made by another version of the package, in more ways than can
# be listed. So what the engine and most functions read is checked here, and in every function that
# is given such an object an error or warning of R says of which object it is; see guard.R.

classes_made <- c(
  "mdpd", "crowd_labels", "sparse_codes", "stagewise_control", "summary_mdpd", "mdpd_bootstrap",
  "mdpd_groups", "mdpd_goodness_of_fit", "mdpd_pair_residuals", "mdpd_test_k", "mdpd_agreement",
  "class_regression", "summary_class_regression", "distal_outcome", "poLCA", "row_store",
  "summary.row_store", "mdpd_result_summary"
)

is_made <- function(x) inherits(x, classes_made) || is_list_of_fits(x)

is_list_of_fits <- function(x) {
  is.list(x) && !is.object(x) && length(x) > 0 && all(vapply(x, inherits, NA, "mdpd"))
}

check_intact <- function(object, arg, call) {
  if (is_list_of_fits(object)) {
    for (at in seq_along(object)) check_intact(object[[at]], sprintf("%s[[%d]]", arg, at), call)
    return(invisible(object))
  }
  # A column of a table may be what it likes: what reads the table says what is wrong with it.
  if (inherits(object, classes_made)) {
    if (!has_named_fields(object)) abort_damaged(object, arg, call)
    check_holds_no_quosure(object, arg, call)
  }
  check_parts(object, parts_by_class[[intersect(class(object), names(parts_by_class))[1]]], arg,
              call)
  if (inherits(object, "mdpd") && !is.null(object$loglik)) {
    check_parts(object, parts_of_fit, arg, call)
  }
  invisible(object)
}

has_named_fields <- function(object) {
  is.list(object) && length(object) > 0 && is_text(attr(object, "names"))
}

# All parts are values. Where one is code that rlang has quoted, rlang would warn of its own.
check_holds_no_quosure <- function(object, arg, call) {
  fields <- if (is.list(object)) unclass(object)
  is_quosure <- vapply(fields, function(part) {
    length(rapply(list(part), function(x) TRUE, "quosure")) > 0
  }, NA)
  if (any(is_quosure)) {
    abort_damaged(object, arg, call, part = names(fields)[is_quosure][1])
  }
}

# The first part that is not as it must be ends the check, as the next may rely on it.
check_parts <- function(object, parts, arg, call) {
  # As a list: `$` of some classes, and of what is none, is something else.
  fields <- if (is.list(object)) unclass(object)
  for (name in names(parts)) {
    # What a check cannot even look at, such as a function in place of numbers, is damaged too.
    is_whole <- value_or(suppressWarnings(parts[[name]](fields[[name]], fields)), FALSE)
    if (!isTRUE(is_whole)) {
      abort_damaged(object, arg, call, part = name)
    }
  }
}

# By the `part` that is known to be damaged, or by the error of R that it led to.
abort_damaged <- function(object, arg, call, part = NULL, parent = NULL) {
  made_by <- version_of(object)
  here <- mdpd_version()
  abort_mdpd(
    c("{.arg {arg}} cannot be used: it was changed or damaged, or is of another version.",
      x = if (!is.null(part)) "Its {.field {part}} is not as it must be.",
      i = if (!is.null(made_by) && made_by != here) {
        "It was made by version {made_by} of mdpd, and this is {here}."
      },
      i = "Make it again, or read a copy of it that is whole."),
    class = "damaged", call = call, parent = parent
  )
}

version_of <- function(object) {
  version <- if (has_named_fields(object)) unclass(object)[["version"]]
  if (rlang::is_string(version) && is_text(version)) version
}

# Parts --------------------------------------------------------------------------------------------

# Of each part a function of the part and of all fields: is it as it must be?

parts_of_model <- list(
  k = function(x, fields) is_whole_number(x) && x >= 1,
  mixing_weights = function(x, fields) {
    holds(are_shares(x), length(x) == fields$k, are_names(names(x)))
  },
  item_probs = function(x, fields) {
    holds(is.list(x), are_item_names(names(x)), all(vapply(x, are_item_probs, NA, k = fields$k)))
  },
  informative = function(x, fields) {
    length(x) == 0 || are_names(x) && all(x %in% names(fields$item_probs))
  },
  item_information = function(x, fields) is_number_per_item(x, fields),
  item_evidence = function(x, fields) is_number_per_item(x, fields),
  inclusion = function(x, fields) is_number_per_item(x, fields),
  labels = function(x, fields) is.null(x) || are_names(x),
  # A model of hands, or of version 0.1.0, may hold no setting.
  control = function(x, fields) length(x) == 0 || is_control(x),
  missing = function(x, fields) is.null(x) || rlang::is_string(x, ways_of_missing)
)

parts_of_fit <- list(
  loglik = function(x, fields) is_finite_number(x),
  method = function(x, fields) is.null(x) || rlang::is_string(x),
  refine = function(x, fields) is.null(x) || rlang::is_string(x),
  df = function(x, fields) is_finite_number(x),
  nobs = function(x, fields) is_finite_number(x),
  n_obs = function(x, fields) is_whole_number(x) && x >= 1,
  # A fit of a store has the sums of its posterior only.
  posterior = function(x, fields) {
    is.null(x) && is.list(fields$sums) || is_posterior(x, fields)
  },
  weights = function(x, fields) is.null(x) || are_case_weights(x, fields$n_obs),
  coded = function(x, fields) is.null(x) || are_coded(x, fields),
  no_answer = function(x, fields) all(x %in% seq_len(fields$n_obs)),
  trace = function(x, fields) is.null(x) || is.data.frame(x),
  path_fits = function(x, fields) is.null(x) || is_list_of_fits(x)
)

parts_of_crowd <- list(
  items = function(x, fields) are_names(x),
  workers = function(x, fields) are_item_names(x),
  labels = function(x, fields) are_names(x) && length(x) <= max_levels,
  item = function(x, fields) are_codes(x, length(fields$items), length(x)),
  worker = function(x, fields) are_codes(x, length(fields$workers), length(fields$item)),
  label = function(x, fields) are_codes(x, length(fields$labels), length(fields$item))
)

# Sizes only: the codes themselves are checked where they enter the engine.
parts_of_sparse_codes <- list(
  dim = function(x, fields) is.numeric(x) && length(x) == 2,
  dimnames = function(x, fields) {
    holds(is.list(x), length(x) == 2, all(lengths(x) == fields$dim | vapply(x, is.null, NA)))
  },
  row_start = function(x, fields) are_row_starts(x, fields)
)

parts_of_regression <- list(
  k = function(x, fields) is_whole_number(x) && x >= 1,
  classes = function(x, fields) are_names(x) && length(x) == fields$k,
  x = function(x, fields) is.matrix(x) && is.double(x),
  coefficients = function(x, fields) {
    holds(is.double(x), identical(dim(x), c(ncol(fields$x), as.integer(fields$k - 1))))
  },
  covariance = function(x, fields) {
    holds(is.double(x), identical(dim(x), rep(length(fields$coefficients), 2)))
  },
  terms = function(x, fields) inherits(x, "terms")
)

parts_of_outcome <- list(
  estimates = function(x, fields) {
    holds(is.data.frame(x), is_double(x$estimate), is_double(x$std.error))
  },
  outcome = function(x, fields) rlang::is_string(x),
  label = function(x, fields) is.null(x) || rlang::is_string(x),
  covariance = function(x, fields) {
    holds(is.double(x), identical(dim(x), rep(nrow(fields$estimates), 2)))
  }
)

parts_of_store <- list(
  path = function(x, fields) rlang::is_string(x) && is_text(x),
  manifest = function(x, fields) is_manifest(x)
)

parts_of_bootstrap <- list(
  n = function(x, fields) is_whole_number(x) && x >= 1,
  k = function(x, fields) holds(is.integer(x), length(x) == fields$n, !anyNA(x), all(x >= 1)),
  estimates = function(x, fields) holds(is.double(x), is.matrix(x), nrow(x) == fields$n),
  selection = function(x, fields) is.null(x) || holds(is_double(x), are_names(names(x)))
)

is_table_of_items <- function(x, fields) {
  is.data.frame(x) && (is.character(x$item) || is.factor(x$item))
}

parts_of_groups <- list(
  sizes = function(x, fields) is.data.frame(x), items = is_table_of_items,
  item_probs = is_table_of_items
)

is_column_of_names <- function(x, fields) is.null(x) || is_text(x)
is_column_of_numbers <- function(x, fields) is.null(x) || is.numeric(x) && !is.object(x)

# A user may have left out columns.
parts_of_pair_residuals <- list(
  item_1 = is_column_of_names, item_2 = is_column_of_names, n_obs = is_column_of_numbers,
  statistic = is_column_of_numbers, G2 = is_column_of_numbers, df = is_column_of_numbers,
  effect = is_column_of_numbers, p_value = is_column_of_numbers, p_adjusted = is_column_of_numbers
)

parts_by_class <- list(
  mdpd = parts_of_model, crowd_labels = parts_of_crowd, sparse_codes = parts_of_sparse_codes,
  row_store = parts_of_store, mdpd_bootstrap = parts_of_bootstrap,
  mdpd_groups = parts_of_groups, mdpd_pair_residuals = parts_of_pair_residuals,
  class_regression = parts_of_regression, distal_outcome = parts_of_outcome
)

is_posterior <- function(x, fields) {
  holds(is_double(x), identical(dim(x), as.integer(c(fields$n_obs, fields$k))),
        all(is.finite(x)), identical(colnames(x), names(fields$mixing_weights)))
}

are_item_probs <- function(x, k) {
  holds(is_double(x), length(dim(x)) == 2, ncol(x) == k, are_names(rownames(x)),
        all(is.finite(x)), all(x >= 0), all(abs(colSums(x) - 1) < 1e-6))
}

# The codes themselves are checked where they enter the engine.
are_coded <- function(x, fields) {
  items <- names(fields$item_probs)
  holds(
    is.list(x), is_matrix_of_codes(x$codes), nrow(x$codes) == fields$n_obs,
    identical(colnames(x$codes), items), identical(names(x$levels), items),
    identical(unname(lapply(x$levels, unname)), unname(lapply(fields$item_probs, rownames))),
    are_case_weights(x$weights, fields$n_obs), rlang::is_string(x$missing, ways_of_missing),
    is.null(x$known) || is.integer(x$known), length(x$known) %in% c(0, fields$n_obs)
  )
}

ways_of_missing <- c("ignore", "frozen", "level", "fail")

is_number_per_item <- function(x, fields) is.null(x) || is_double(x, length(fields$item_probs))

is_matrix_of_codes <- function(x) {
  if (!inherits(x, "sparse_codes")) {
    return(is.raw(x) && is.matrix(x))
  }
  holds(is.integer(x$item), is.raw(x$code), is.numeric(x$dim), length(x$dim) == 2,
        are_row_starts(x$row_start, x), length(x$code) == length(x$item), is.list(x$dimnames),
        length(x$dimnames) == 2)
}

# Else what is made for each answer could be of any size.
are_row_starts <- function(x, codes) {
  holds(is_double(x, codes$dim[1] + 1), x[1] == 0, !is.unsorted(x),
        x[length(x)] == length(codes$item))
}

are_case_weights <- function(x, n_obs) {
  holds(is_double(x, n_obs), all(is.finite(x)), all(x >= 0), sum(x) > 0)
}

are_shares <- function(x) {
  holds(is_double(x), all(is.finite(x)), all(x >= 0), abs(sum(x) - 1) < 1e-6)
}

are_codes <- function(x, n_levels, n) {
  holds(is.integer(x), is.null(dim(x)), length(x) == n, n > 0, !anyNA(x), min(x) >= 1,
        max(x) <= n_levels)
}
