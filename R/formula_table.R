#' The columns a one-sided formula names, and the case weights
#'
#' @param formula One-sided, of column names only: `~ a + b`, `~ .`, `~ . - c`.
#' @param data Data frame.
#' @param weights A quosure, evaluated with the columns of `data` at hand, as [lm()] does. Where it
#'   is a column, the dot does not stand for that one.
#' @return A list of `items`, a data frame of the columns named, and `weights`.
#' @noRd
formula_table <- function(formula, data, weights, call = rlang::caller_env()) {
  check_formula(formula, call)
  if (!missing(data) && is_survey_design(data)) {
    return(survey_table(formula, data, weights, call))
  }
  check_formula_data(data, call)
  # Also of columns that are taken off the dot, which R lets pass.
  check_has_items(setdiff(all.vars(formula), "."), names(data), "data", call)
  named <- if (rlang::quo_is_symbol(weights)) rlang::as_name(weights)
  others <- as.data.frame(data)[setdiff(names(data), named)]
  terms <- terms_of(read_terms(formula, others, call))
  is_column <- vapply(terms, function(term) is.symbol(str2lang(term)), logical(1))
  if (!all(is_column)) {
    abort_mdpd(
      "The formula must name columns only, not {.code {terms[!is_column][1]}}.",
      class = "argument", call = call
    )
  }
  items <- vapply(terms, function(term) as.character(str2lang(term)), character(1))
  check_has_items(items, names(data), "data", call)
  list(items = as.data.frame(data)[unname(items)], weights = masked_weights(weights, data, call))
}

# The items of a survey design, which is then the weights.
survey_table <- function(formula, design, weights, call) {
  if (!rlang::quo_is_null(weights)) {
    abort_mdpd(
      "{.arg weights} must not be given where {.arg data} is a survey design, which has its own.",
      class = "argument", call = call
    )
  }
  items <- formula_table(formula, survey_variables(design), weights, call)$items
  list(items = items, weights = design)
}

check_formula <- function(formula, call) {
  if (length(formula) != 2) {
    abort_two_sided(formula, call)
  }
}

check_formula_data <- function(data, call) {
  if (missing(data)) {
    abort_mdpd(
      "{.arg data} must be given: the data frame whose columns the formula names.",
      class = "argument", call = call
    )
  }
  if (!is.data.frame(data)) {
    abort_mdpd(
      c("{.arg data} must be a data frame, not {describe(data)}.",
        i = if (is_survey_design(data)) "The table of a design is {.code design$variables}."),
      class = "argument", call = call
    )
  }
  check_table_size(data, "data", call, min_columns = 1)
  check_column_names(names(data), "data", call)
}

# What the operators of the formula amount to.
read_terms <- function(formula, data, call) {
  tryCatch(stats::terms(formula, data = data), error = function(cnd) {
    abort_mdpd(
      c("The formula must name columns of {.arg data}, such as {.code ~ a + b}.",
        x = "{conditionMessage(cnd)}"),
      class = "argument", call = call
    )
  })
}

# Also offsets, which R keeps apart.
terms_of <- function(terms) {
  variables <- vapply(as.list(attr(terms, "variables"))[-1], rlang::expr_deparse, "", width = 500L)
  c(attr(terms, "term.labels"), variables[attr(terms, "offset")])
}

masked_weights <- function(weights, data, call) {
  check_is_column(weights, "weights", call)
  rlang::try_fetch(
    rlang::eval_tidy(weights, as.data.frame(data)),
    error = function(cnd) {
      abort_mdpd(
        c("{.arg weights} must be a column of {.arg data} or a numeric vector.",
          x = "{conditionMessage(cnd)}"),
        class = "argument", call = call
      )
    }
  )
}
