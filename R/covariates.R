# Covariates of the rows of a fit: from a formula and a data frame to a matrix of numbers.

# What a formula makes of the data of a fit:
#   formula, terms, xlevels, contrasts   to do the same with new data
#   rows         which rows of the fit have all covariates
#   covariates   the columns of `data` that the formula names, in these rows
#   variable_labels   what these are about, see variable_labels()
#   x, offset    the design, rows x terms, and rows x classes, what is added to the logits
#   weights      the case weights of these rows
read_covariates <- function(formula, data, object, reference, call) {
  check_covariates(formula, data, object, call)
  class(formula) <- "formula"  # rlang's quosures are some, too
  labels <- variable_labels(data)
  data <- plain_variables(data)
  frame <- covariate_frame(formula, data, "data", call)
  terms <- attr(frame, "terms")
  complete <- setdiff(seq_len(nrow(data)), as.integer(attr(frame, "na.action")))
  known <- has_known_levels(frame, row_weights(object)[complete])
  if (!all(known)) {
    frame <- frame[known, , drop = FALSE]
    frame[] <- lapply(frame, without_unused_levels)
  }
  rows <- complete[known]
  n_incomplete <- nrow(data) - length(rows)
  weights <- row_weights(object)[rows]
  tell_incomplete(n_incomplete, nrow(data), sum(weights), call)
  check_varying(frame, terms, weights, call)
  x <- as_computed(stats::model.matrix(terms, frame), "data", call)
  check_design(x, rows, weights, call)
  named <- intersect(all.vars(stats::formula(terms)), names(data))
  list(
    formula = formula, terms = terms, xlevels = stats::.getXlevels(terms, frame),
    contrasts = attr(x, "contrasts"), rows = rows, n_incomplete = n_incomplete,
    covariates = data[rows, named, drop = FALSE], x = x,
    variable_labels = labels[names(labels) %in% named],
    offset = offset_matrix(frame, rows, object$k, reference, call), weights = weights
  )
}

check_covariates <- function(formula, data, object, call) {
  if (missing(formula) || !rlang::is_formula(formula)) {
    abort_mdpd(
      "{.arg formula} must be a one-sided formula of covariates, such as {.code ~ age + sex}.",
      class = "argument", call = call
    )
  }
  check_formula(formula, call)
  check_formula_data(data, call)
  check_rows_of_fit(data, object, call)
}

# Rows without a covariate are left out of the frame, and named by its attribute.
covariate_frame <- function(formula, data, arg, call, ...) {
  frame <- as_computed(stats::model.frame(formula, data, na.action = stats::na.omit,
                                          drop.unused.levels = TRUE, ...), arg, call)
  # Of codes without a level R makes missing values here, or numbers of whatever memory holds.
  damaged <- vapply(frame, function(x) is_damaged_factor(x) || is.factor(x) && anyNA(x), NA)
  if (any(damaged)) {
    abort_mdpd("Covariate {.field {names(frame)[damaged][1]}} must not be a damaged factor.",
               class = "argument", call = call)
  }
  frame
}

# What R cannot make of the covariates, as of complex numbers, is told of them.
as_computed <- function(made, arg, call) {
  rlang::try_fetch(
    as_users(made),
    error = function(cnd) {
      abort_mdpd(
        c("The covariates must be computable from {.arg {arg}}.", x = "{conditionMessage(cnd)}"),
        class = "argument", call = call
      )
    }
  )
}

# Levels that only rows of weight 0 have, as those that subset() of a survey design left out, are
# none: no row tells what they do, and these lack the covariate.
has_known_levels <- function(frame, weights) {
  has_levels <- vapply(frame, function(x) is.factor(x) || is.character(x) && NCOL(x) == 1, NA)
  known <- lapply(frame[has_levels], function(x) x %in% x[weights > 0])
  Reduce(`&`, known, rep(TRUE, nrow(frame)))
}

# As stats::model.frame() drops them: a factor that has none keeps the contrasts it may have.
without_unused_levels <- function(x) {
  if (is.factor(x) && !all(levels(x) %in% x)) x[, drop = TRUE] else x
}

tell_incomplete <- function(n_incomplete, n_obs, total, call) {
  if (n_incomplete == n_obs || total == 0) {
    abort_mdpd(
      "At least one row of weight above 0 must have all covariates.",
      class = "argument", call = call
    )
  }
  if (n_incomplete > 0) {
    inform_mdpd(
      c("{n_incomplete} of {n_obs} row{?s} {cli::qty(n_incomplete)}lack{?s/} a covariate and
         {?does/do} not count in the regression.",
        i = "{cli::qty(n_incomplete)}{?It counts/They count} in the classes as before."),
      class = "incomplete_covariates", n = n_incomplete
    )
  }
}

# A covariate with one value tells nothing beside the intercept. Columns are found by position: the
# label of a term has backticks where the name of its column has none.
check_varying <- function(frame, terms, weights, call) {
  alone <- which(attr(terms, "order") == 1)
  at <- which(rowSums(as.matrix(attr(terms, "factors"))[, alone, drop = FALSE] > 0) > 0)
  shown <- frame[weights > 0, at, drop = FALSE]
  constant <- vapply(shown, function(x) NCOL(x) == 1 && length(unique(x)) < 2, NA)
  if (attr(terms, "intercept") == 1 && any(constant)) {
    abort_mdpd(
      "Covariate {.field {names(shown)[constant][1]}} must have at least two different values.",
      class = "argument", call = call
    )
  }
}

check_design <- function(x, rows, weights, call) {
  if (ncol(x) == 0) {
    abort_mdpd("{.arg formula} must have an intercept or a covariate.", class = "argument",
               call = call)
  }
  check_finite_design(x, rows, call)
  decomposition <- scaled_qr(x, weights)$qr
  if (decomposition$rank < ncol(x)) {
    extra <- colnames(x)[decomposition$pivot[(decomposition$rank + 1):ncol(x)]]
    abort_mdpd(
      c("The covariates must not determine each other.",
        x = "{.field {extra}} {cli::qty(extra)}follow{?s/} from the others: leave {?it/them} out."),
      class = "collinear", call = call, terms = extra
    )
  }
}

# Squares of larger numbers are none.
most_to_square <- 1e150

check_finite_design <- function(x, rows, call) {
  bad <- which(!(abs(x) <= most_to_square), arr.ind = TRUE)
  if (nrow(bad) > 0) {
    abort_mdpd(
      c("Covariates must be finite, and at most {most_to_square} in size.",
        x = "{.field {colnames(x)[bad[1, 2]]}} is {x[bad[1, 1], bad[1, 2]]} in row
             {rows[bad[1, 1]]}."),
      class = "argument", call = call
    )
  }
}

# Columns of one length: what counts as collinear has no unit. An intercept beside the year 2000
# leaves 1e-3 of it.
scaled_qr <- function(x, weights) {
  x <- x * sqrt(weights)
  size <- sqrt(colSums(x^2))
  list(qr = qr(sweep(x, 2, pmax(size, 1e-300), "/"), tol = 1e-8), size = size)
}

# What is added to the logits, rows x classes; one column counts for all but the reference.
offset_matrix <- function(frame, rows, k, reference, call) {
  given <- frame[attr(attr(frame, "terms"), "offset")]
  if (!all(vapply(given, function(x) is.numeric(x) || is.logical(x), NA))) {
    abort_mdpd("An offset must be numbers.", class = "argument", call = call)
  }
  offset <- stats::model.offset(frame) %||% numeric(nrow(frame))
  if (is.matrix(offset) && !ncol(offset) %in% c(1, k)) {
    abort_mdpd(
      "An offset must have one column, or one for each of the {k} classes, not {ncol(offset)}.",
      class = "argument", call = call
    )
  }
  offset <- as.matrix(offset)
  check_finite_design(`colnames<-`(offset, rep("offset", ncol(offset))), rows, call)
  if (ncol(offset) == 1) {
    offset <- outer(as.vector(offset), seq_len(k) != reference)
  }
  unname(offset - offset[, reference])
}

# The design of new data; rows that lack a covariate are NA.
covariate_design <- function(object, newdata, call) {
  named <- names(object$covariates)
  if (!is.data.frame(newdata)) {
    abort_mdpd("{.arg newdata} must be a data frame, not {describe(newdata)}.",
               class = "argument", call = call)
  }
  check_column_lengths(newdata, "newdata", call)
  check_has_items(named, names(newdata), "newdata", call)
  newdata <- plain_variables(newdata, like = object$covariates)
  frame <- withCallingHandlers(
    covariate_frame(object$terms, newdata, "newdata", call, xlev = object$xlevels),
    warning = function(cnd) {
      # Of its own, model.frame() warns of numbers in the place of categories,
      if (rlang::is_call(conditionCall(cnd), "model.frame.default")) abort_other_kind(call)
      # and of contrasts of the new data, in the place of which are those of the regression.
      dropped <- gettextf("contrasts dropped from factor %s", names(object$xlevels),
                          domain = "R-stats")
      if (conditionMessage(cnd) %in% dropped) rlang::cnd_muffle(cnd)
    }
  )
  absent <- as.integer(attr(frame, "na.action"))
  rows <- setdiff(seq_len(nrow(newdata)), absent)
  x <- matrix(NA_real_, nrow(newdata), nrow(object$coefficients))
  columns <- covariate_columns(object, frame, call)
  check_finite_design(columns, rows, call)
  x[rows, ] <- columns
  offset <- matrix(0, nrow(newdata), object$k)
  reference <- match(object$reference, object$classes)
  offset[rows, ] <- offset_matrix(frame, rows, object$k, reference, call)
  list(x = x, offset = offset, row_names = row_names(newdata))
}

# As many columns as the regression has coefficients of a class.
covariate_columns <- function(object, frame, call) {
  columns <- tryCatch(
    value_or(stats::model.matrix(object$terms, frame, contrasts.arg = object$contrasts), NULL),
    warning = function(cnd) NULL
  )
  if (is.null(columns) || ncol(columns) != nrow(object$coefficients)) abort_other_kind(call)
  columns
}

abort_other_kind <- function(call) {
  abort_mdpd(
    "{.arg newdata} must have the covariates as the regression had them: numbers or categories.",
    class = "argument", call = call
  )
}

# Labelled columns ---------------------------------------------------------------------------------

# A covariate or an outcome: categories where every value has a label, else numbers, as of a scale
# whose ends alone have one. New data follow `like`, what the column was made of before.
plain_variable <- function(x, like = NULL) {
  if (!is_labelled(x)) {
    return(x)
  }
  values <- plain_values(x)
  all_labelled <- all(values %in% c(attr(x, "labels", exact = TRUE), NA))
  is_category <- if (is.null(like)) is.character(values) || all_labelled else is.factor(like)
  if (is_category) read_labelled(x) else values
}

plain_variables <- function(data, like = NULL) {
  data <- as.data.frame(data)
  # Others are not touched: of what can be no column, as an environment, model.frame() tells.
  labelled <- names(data)[vapply(data, is_labelled, NA)]
  for (name in labelled) data[[name]] <- plain_variable(data[[name]], like[[name]])
  data
}
