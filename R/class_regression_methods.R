#' Read a class regression
#'
#' The numbers of a [class_regression()]: coefficients, intervals and tests; class probabilities of
#' new rows; nested regressions compared.
#'
#' Intervals and tests are those of Wald: estimate plus and minus \eqn{z} standard errors, and for
#' several coefficients together \eqn{b^\top V^{-1} b}{b' V^-1 b} against a chi-square distribution;
#' by robust standard errors they use Student's t and F, see [class_regression()]: the statistic is
#' then divided by its degrees of freedom. The interval
#' of a probability is made on the logit scale, by the delta method.
#'
#' `anova()` of one regression tests each term of the formula, all its coefficients in all classes
#' together, given the others; for several it is the likelihood-ratio test of each against the one
#' before, ordered by their number of coefficients. The ratio is exact for `"one-step"`. By
#' `"two-step"` and `"ml"` it takes the fit as certain: it holds where none of the covariates
#' matters, and is nearly right elsewhere. By `"bch"` there is no likelihood. The tests of one
#' regression count the uncertainty of the fit always.
#'
#' @param object,x A [class_regression()].
#' @param parm Names of terms, of classes or of coefficients (`"term|class"`), in any mixture; or
#'   positions. By default, `NULL`, all.
#' @param level,conf.level Confidence level, from 0 to 1. Default 0.95.
#' @param newdata Data frame with the covariates; for the posterior and for `augment()` also with
#'   the items of the fit. By default, `NULL`, the rows of the fit; one that lacks a covariate gets
#'   `NA`.
#' @param data For `augment()`: data frame with a row for each row of the fit, in the same order, as
#'   given to [class_regression()]. By default, `NULL`, the covariates of the rows that have all.
#' @param type `"prob"`, the default, the class probabilities by the covariates; `"posterior"`,
#'   those by covariates and answers; or `"class"`, the class of the largest posterior probability,
#'   `NA` for a row without any answer, with a message of class `mdpd_message_no_answer`.
#' @param interval Add standard errors and intervals? Default `FALSE`. For `type = "prob"`.
#' @param conf.int Add the ends of a confidence interval? Default `FALSE`.
#' @param exponentiate Odds ratios instead of coefficients? Default `FALSE`. Standard errors stay
#'   those of the coefficients.
#' @param ... For `anova()`: further regressions of the same fit, on the same rows, by the same
#'   method. `tidy()` and `glance()` ignore what other packages hand over, as modelsummary does.
#'   Otherwise not used; must be empty.
#' @return
#' * `coef()`: terms x (k - 1), a column for each class but the reference.
#' * `model.matrix()`: rows with covariates x terms.
#' * `vcov()`: the covariance of the coefficients, class by class, named `"term|class"`; `NA` where
#'   the data do not determine one.
#' * `confint()`: a row for each coefficient, the columns the ends of its interval.
#' * `predict()`: rows x k probabilities, rows sum to 1; a factor for `"class"`; with
#'   `interval = TRUE` a data frame with a row for each row and class: `row` (the row's name, or its
#'   number where it has none), `class`, `estimate`, `std.error`, `conf.low`, `conf.high`.
#' * `augment()`: the rows of `data` or `newdata` as they are, with `.class`, `.probability` and
#'   `.uncertainty` as in [augment.mdpd()], by covariates and answers, and for each class a column
#'   `.share_`, with its name, of the share by the covariates alone; all `NA` for a row that lacks a
#'   covariate, and the first three for one without any answer.
#' * `tidy()`: a row for each coefficient: `class` (factor), `term`, `estimate`, `std.error`,
#'   `statistic`, `p.value`, with `conf.int = TRUE` also `conf.low` and `conf.high`.
#' * `glance()`: one row: `k`, `method`, `reference`, `logLik`, `AIC`, `BIC`, `df`, `nobs`,
#'   `n_incomplete`, `converged`.
#' * `anova()`: a data frame of class `"anova"`.
#' * `summary()`: a list of class `"summary_class_regression"`: `regression`, `coefficients` (as
#'   from `tidy()`, with intervals and odds ratios) and `terms` (as from `anova()`).
#' * `logLik()`: the log-likelihood with `df` and `nobs`; `nobs()`: the sum of the case weights of
#'   the rows that count; `formula()`: the formula. `print()` returns its argument invisibly.
#' @section Errors:
#' `mdpd_error_argument` for an argument out of range; `mdpd_error_not_nested` when `anova()` is
#' given regressions that it cannot compare; `mdpd_error_no_likelihood` for `logLik()` and for
#' `anova()` of several by `"bch"` or with robust standard errors, for which `glance()` has `NA`;
#' `mdpd_error_missing_item` names the columns that `newdata` lacks.
#' @references
#' Bakk, Z. and Kuha, J. (2018). Two-step estimation of models between latent classes and external
#' variables. *Psychometrika* 83, 871-892. \doi{10.1007/s11336-017-9592-7}
#' @family conclusions
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 3)
#' regression <- class_regression(fit, ~ party, data = house_votes)
#' summary(regression)
#' tidy(regression, exponentiate = TRUE)
#' predict(regression, data.frame(party = c("democrat", "republican")), interval = TRUE)
#' anova(class_regression(fit, ~ 1, data = house_votes), regression)
#' augment(regression)[1:3, ]
#' @name print.class_regression
NULL

#' @rdname print.class_regression
#' @importFrom stats coef
#' @export
coef.class_regression <- function(object, ...) object$coefficients

#' @rdname print.class_regression
#' @export
vcov.class_regression <- function(object, ...) object$covariance

#' @rdname print.class_regression
#' @importFrom stats formula
#' @export
formula.class_regression <- function(x, ...) x$formula

#' @rdname print.class_regression
#' @importFrom stats model.matrix
#' @export
model.matrix.class_regression <- function(object, ...) object$x

#' @rdname print.class_regression
#' @export
nobs.class_regression <- function(object, ...) object$nobs

#' @rdname print.class_regression
#' @export
logLik.class_regression <- function(object, ...) {
  check_likelihood(object, "Use {.code method = \"two-step\"}, or test its terms by {.fn anova}.")
  structure(as.double(object$loglik), df = object$df, nobs = object$nobs, class = "logLik")
}

# That of rows drawn one by one is not the likelihood of clusters or of weights of a survey.
check_likelihood <- function(object, hint, call = rlang::caller_env()) {
  what <- if (object$by_design) {
    hint <- "{.fn anova} of one regression tests its terms."
    "with robust standard errors"
  } else if (is.na(object$loglik)) {
    "by {.val bch}"
  }
  if (!is.null(what)) {
    abort_mdpd(c(paste0("A regression ", what, " has no likelihood."), i = hint),
               class = "no_likelihood", call = call)
  }
}

#' @rdname print.class_regression
#' @export
confint.class_regression <- function(object, parm = NULL, level = 0.95, ...) {
  rlang::check_dots_empty()
  check_number(level, c(0, 1))
  at <- find_coefficients(parm, object)
  errors <- sqrt(diag(object$covariance))
  limits <- wald_limits(as.vector(object$coefficients)[at], errors[at], level, "linear",
                        object$design_df)
  `dimnames<-`(limits, list(rownames(object$covariance)[at], limit_names(level)))
}

find_coefficients <- function(parm, object, call = rlang::caller_env()) {
  all <- coefficient_table(object)
  find_parm(parm, nrow(all), function(p) which(all$name == p | all$term == p | all$class == p),
            "terms, classes or coefficients", call)
}

# One row for each coefficient, in the order of the covariance.
coefficient_table <- function(object) {
  coefficients <- object$coefficients
  estimate <- as.vector(coefficients)
  error <- unname(sqrt(diag(object$covariance)))
  data.frame(
    name = rownames(object$covariance),
    class = factor(colnames(coefficients)[col(coefficients)], object$classes),
    term = rownames(coefficients)[row(coefficients)], estimate = estimate, std.error = error,
    statistic = estimate / error, p.value = 2 * stats::pt(-abs(estimate / error), object$design_df)
  )
}

# Tables ------------------------------------------------------------------------------------------

# conf.int and conf.level are the names that all of broom has.
# nolint start: object_name_linter.

#' @rdname print.class_regression
#' @export
tidy.class_regression <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE,
                                  ...) {
  check_flag(conf.int)
  check_number(conf.level, c(0, 1))
  check_flag(exponentiate)
  table <- coefficient_table(x)[-1]
  if (conf.int) {
    limits <- confint(x, level = conf.level)
    table[c("conf.low", "conf.high")] <- list(limits[, 1], limits[, 2])
  }
  if (exponentiate) {
    changed <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
    table[changed] <- lapply(table[changed], exp)
  }
  as_tidy(table)
}

# nolint end

#' @rdname print.class_regression
#' @export
glance.class_regression <- function(x, ...) {
  loglik <- if (x$by_design) NA_real_ else x$loglik
  as_tidy(data.frame(
    k = x$k, method = x$method, reference = x$reference, logLik = loglik,
    AIC = 2 * x$df - 2 * loglik, BIC = log(x$nobs) * x$df - 2 * loglik, df = x$df,
    nobs = x$nobs, n_incomplete = x$n_incomplete, converged = x$converged
  ))
}

# Rows --------------------------------------------------------------------------------------------

#' @rdname print.class_regression
#' @export
augment.class_regression <- function(x, data = NULL, newdata = NULL, ...) {
  rlang::check_dots_empty()
  if (is.null(newdata) && !is.null(data)) check_rows_of_regression(data, x)
  call <- rlang::current_env()
  predicted <- function(type) predict_regression(x, newdata, type, call)
  class <- unname(predicted("class"))
  # What there is to say of new rows is said.
  posterior <- suppressWarnings(predicted("posterior"), "mdpd_warning")
  shares <- predicted("prob")
  rows <- row_table(newdata %||% data %||% x$covariates, x)
  at <- seq_along(class)
  if (is.null(newdata) && is.null(data)) {
    at <- x$rows
    rows$row_names <- rownames(x$posterior)
  }
  largest <- posterior[cbind(at, as.integer(class)[at])]
  ids <- if (!is.null(rows$row_names)) list(.rownames = rows$row_names)
  added <- c(
    list(.class = class[at], .probability = unname(largest), .uncertainty = 1 - unname(largest)),
    stats::setNames(lapply(seq_len(x$k), function(k) unname(shares[at, k])),
                    paste0(".share_", x$classes))
  )
  kept <- rows$columns[!names(rows$columns) %in% c(names(ids), names(added))]
  table <- structure(c(ids, kept, added), class = "data.frame",
                     row.names = .set_row_names(length(at)))
  grouped_as(as_tidy(table), newdata %||% data)
}

# As many rows as the fit has, with the covariates of the regression where they stand there.
check_rows_of_regression <- function(data, x, call = rlang::caller_env()) {
  check_formula_data(data, call)
  if (nrow(data) != x$n_obs) {
    abort_mdpd("{.arg data} must have the {x$n_obs} row{?s} of the fit, not {nrow(data)}.",
               class = "argument", call = call)
  }
  named <- intersect(names(x$covariates), names(data))
  given <- plain_variables(as.data.frame(data)[x$rows, named, drop = FALSE], like = x$covariates)
  differs <- !mapply(function(given, own) isTRUE(all.equal(given, own, check.attributes = FALSE)),
                     given, x$covariates[named])
  if (any(differs)) {
    abort_mdpd(
      c("The rows of {.arg data} must be those of the regression, in the same order.",
        x = "Covariate {.field {named[differs][1]}} has other values there."),
      class = "argument", call = call
    )
  }
}

# Predictions -------------------------------------------------------------------------------------

#' @rdname print.class_regression
#' @export
predict.class_regression <- function(object, newdata = NULL,
                                     type = c("prob", "posterior", "class"), interval = FALSE,
                                     level = 0.95, ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("prob", "posterior", "class"))
  check_flag(interval)
  check_number(level, c(0, 1))
  if (interval && type != "prob") {
    abort_mdpd("{.arg interval} needs {.code type = \"prob\"}, not {.val {type}}.",
               class = "argument")
  }
  if (interval) {
    design <- design_of(object, newdata, rlang::current_env())
    return(share_intervals(object, design, level))
  }
  predict_regression(object, newdata, type, rlang::current_env())
}

predict_regression <- function(object, newdata, type, call) {
  design <- design_of(object, newdata, call)
  if (type == "prob") {
    return(shares_by(object, design))
  }
  predict_posterior(object, design, newdata, type, call)
}

design_of <- function(object, newdata, call) {
  if (is.null(newdata)) own_design(object) else covariate_design(object, newdata, call)
}

# The design of all rows of the fit, NA where a covariate is missing.
own_design <- function(object) {
  x <- matrix(NA_real_, object$n_obs, ncol(object$x))
  offset <- matrix(0, object$n_obs, object$k)
  x[object$rows, ] <- object$x
  offset[object$rows, ] <- object$offset
  list(x = x, offset = offset, row_names = object$row_names %||% row_names_before(object))
}

# One saved before `row_names` were kept has the names of the rows with covariates alone.
row_names_before <- function(object) {
  names <- rownames(object$posterior)
  if (!is.null(names)) replace(as.character(seq_len(object$n_obs)), object$rows, names)
}

shares_by <- function(object, design, coefficients = object$coefficients) {
  reference <- match(object$reference, object$classes)
  shares <- matrix(NA_real_, nrow(design$x), object$k)
  known <- stats::complete.cases(design$x)
  shares[known, ] <- exp(log_shares(
    design$x[known, , drop = FALSE], design$offset[known, , drop = FALSE], coefficients, reference
  ))
  `dimnames<-`(shares, list(design$row_names, object$classes))
}

predict_posterior <- function(object, design, newdata, type, call) {
  if (is.null(newdata)) {
    posterior <- shares_by(object, design)
    posterior[object$rows, ] <- object$posterior
    no_answer <- object$no_answer
  } else {
    model <- object$model
    model$item_probs <- object$item_probs %||% model$item_probs
    coded <- read_to_classify(newdata, model, call)
    no_answer <- new_rows_without_answer(newdata, coded, model)
    joint <- log(shares_by(object, design)) + row_log_densities(model, coded)
    known <- stats::complete.cases(design$x)
    posterior <- joint
    posterior[known, ] <- exp(joint[known, , drop = FALSE] -
                                log_row_sums(joint[known, , drop = FALSE]))
  }
  if (type == "posterior") {
    return(posterior)
  }
  inform_no_answer(no_answer, "posterior", "those by the covariates alone")
  class <- rep(NA_integer_, nrow(posterior))
  known <- stats::complete.cases(posterior) & !seq_len(nrow(posterior)) %in% no_answer
  class[known] <- first_largest(posterior[known, , drop = FALSE])
  stats::setNames(factor(object$classes[class], object$classes), rownames(posterior))
}

share_intervals <- function(object, design, level) {
  shares <- shares_by(object, design)
  errors <- vapply(seq_len(object$k), function(class) {
    errors_of_moves(share_slopes(object, design$x, shares, class), object$covariance)
  }, numeric(nrow(shares)))
  rows <- rownames(shares) %||% seq_len(nrow(shares))
  interval_table(rep(rows, object$k), shares, errors, level, object$design_df)
}

# Row by row the derivatives of the share of a class by the coefficients.
share_slopes <- function(object, x, shares, class) {
  free <- setdiff(seq_len(object$k), match(object$reference, object$classes))
  do.call(cbind, lapply(free, function(l) shares[, class] * ((l == class) - shares[, l]) * x))
}

# The error of each row of `moves`, the derivatives of a number by the coefficients. Those without
# an error leave without one only what they move.
errors_of_moves <- function(moves, covariance) {
  unknown <- is.na(diag(covariance))
  known <- covariance[!unknown, !unknown, drop = FALSE]
  by_known <- moves[, !unknown, drop = FALSE]
  errors <- sqrt(rowSums((by_known %*% known) * by_known))
  replace(errors, rowSums(moves[, unknown, drop = FALSE] != 0) > 0, NA)
}

interval_table <- function(row, shares, errors, level, design_df) {
  limits <- wald_limits(as.vector(shares), as.vector(errors), level, "logit", design_df)
  as_tidy(data.frame(
    row = row, class = factor(colnames(shares)[col(shares)], colnames(shares)),
    estimate = as.vector(shares), std.error = as.vector(errors), conf.low = limits[, 1],
    conf.high = limits[, 2]
  ))
}

# Tests -------------------------------------------------------------------------------------------

#' @rdname print.class_regression
#' @importFrom stats anova
#' @export
anova.class_regression <- function(object, ...) {
  others <- list(...)
  if (length(others) == 0) {
    return(wald_tests(object))
  }
  compared <- c(list(object), others)
  check_regressions(compared)
  compared <- compared[order(vapply(compared, function(x) length(x$coefficients), 0))]
  check_nested_regressions(compared)
  loglik <- vapply(compared, `[[`, 0, "loglik")
  df <- vapply(compared, `[[`, 0, "df")
  ratio <- c(NA, pmax(2 * diff(loglik), 0))
  table <- data.frame(
    df, loglik, c(NA, diff(df)), ratio,
    stats::pchisq(ratio, c(NA, diff(df)), lower.tail = FALSE)
  )
  names(table) <- c("#Df", "LogLik", "Df", "Chisq", "Pr(>Chisq)")
  formulas <- vapply(compared, function(x) formula_text(x), "")
  heading <- c(
    paste0("Likelihood-ratio tests of class regressions, ", object$method, "\n"),
    paste0("Model ", seq_along(formulas), ": ", formulas, collapse = "\n")
  )
  structure(table, heading = heading, class = c("anova", "data.frame"))
}

check_regressions <- function(compared, call = rlang::caller_env()) {
  for (x in compared) {
    check_class(x, "class_regression", arg = "...", call = call)
  }
}

check_nested_regressions <- function(compared, call = rlang::caller_env()) {
  problem <- if (!all_same(compared, function(x) x$method)) {
    "Their methods differ."
  } else if (!all_same(compared, function(x) x$model[c("mixing_weights", "item_probs")])) {
    "They are of different fits."
  } else if (!all_same(compared, function(x) x$rows)) {
    "They count different rows: covariates are missing in others."
  } else if (!all_nested(compared)) {
    "The terms of one do not contain those of the one before."
  }
  if (!is.null(problem)) {
    abort_mdpd(
      c("{.fn anova} needs nested regressions of one fit, on the same rows, by one method.",
        x = problem), class = "not_nested", call = call
    )
  }
  for (x in compared) check_likelihood(x, "{.fn anova} of one regression tests its terms.", call)
}

all_same <- function(objects, part) {
  all(vapply(objects[-1], function(x) identical(part(x), part(objects[[1]])), NA))
}

# Is each design in the space of the next, and smaller? To what rounding leaves of each column: next
# to an income all others are small.
all_nested <- function(compared) {
  pairs <- Map(function(small, large) {
    left <- qr.resid(scaled_qr(large$x, 1)$qr, small$x)
    ncol(small$x) < ncol(large$x) && all(column_sizes(left) < 1e-6 * column_sizes(small$x)) &&
      isTRUE(all.equal(small$offset, large$offset))
  }, compared[-length(compared)], compared[-1])
  all(unlist(pairs))
}

column_sizes <- function(x) apply(abs(x), 2, max)

# All coefficients of a term, in all classes, against zero.
wald_tests <- function(object) {
  assigned <- attr(object$x, "assign")
  labels <- c("(Intercept)", attr(object$terms, "term.labels"))[sort(unique(assigned)) + 1]
  tests <- lapply(sort(unique(assigned)), function(term) {
    at <- which(rep(assigned == term, object$k - 1))
    wald_test(as.vector(object$coefficients)[at], object$covariance[at, at, drop = FALSE],
              object$design_df)
  })
  table <- do.call(rbind, tests)
  is_term <- sort(unique(assigned)) > 0
  table <- data.frame(table[is_term, , drop = FALSE])
  names <- if (object$by_design) c("Df", "F", "Pr(>F)") else c("Df", "Chisq", "Pr(>Chisq)")
  if (object$by_design) table[[2]] <- table[[2]] / table[[1]]
  dimnames(table) <- list(labels[is_term], names)
  heading <- paste0(
    "Wald tests of a class regression, ", object$method, "\n",
    "Each term in all classes together, given the others: ", formula_text(object), "\n"
  )
  structure(table, heading = heading, class = c("anova", "data.frame"))
}

# b' V^-1 b; NA where V is not known or is singular. In standard errors, as the condition of V
# itself goes with the units of the covariates.
wald_test <- function(estimate, covariance, design_df) {
  error <- sqrt(diag(covariance))
  z <- estimate / error
  correlation <- covariance / outer(error, error)
  known <- !anyNA(correlation) && rcond(correlation) > 1e-14
  value <- if (known) drop(z %*% solve(correlation, z)) else NA_real_
  df <- length(estimate)
  c(df = df, statistic = value, p.value = wald_p(value, df, design_df))
}

# By a design the statistic over its df is taken for F, as survey::regTermTest() does.
wald_p <- function(statistic, df, design_df) {
  # Nothing to test is no evidence.
  if (df == 0) {
    return(replace(1, is.na(statistic), NA))
  }
  stats::pf(statistic / df, df, design_df, lower.tail = FALSE)
}

# Text --------------------------------------------------------------------------------------------

#' @rdname print.class_regression
#' @export
print.class_regression <- function(x, ...) {
  rlang::check_dots_empty()
  cat_rule(paste0("Class regression: ", formula_text(x)))
  cat_fields(regression_fields(x))
  cat_heading(paste0("Coefficients (standard errors), each class against ", x$reference))
  cat_table(format_coefficients(x))
  cat_infinite(x)
  cat_units(x)
  cat_hint("summary(regression), plot(regression), plot(regression, type = \"shares\")")
  invisible(x)
}

formula_text <- function(x) paste(trimws(deparse(x$formula)), collapse = " ")

regression_fields <- function(x) {
  # By assigned classes a row without any answer does not count.
  without <- if (x$method %in% c("ml", "bch")) length(intersect(x$rows, x$no_answer)) else 0
  n_rows <- length(x$rows) - without
  left_out <- left_out_title(c("without a covariate" = x$n_incomplete,
                               "without any answer" = without))
  title <- c(
    "two-step" = "two-step, item probabilities of the fit",
    ml = "three-step, maximum likelihood of the assigned classes",
    bch = "three-step, weights of Bolck, Croon and Hagenaars",
    "one-step" = "one-step, classes and coefficients together"
  )
  c(
    Method = title[[x$method]],
    About = if (!is.null(x$variable_labels)) {
      paste0(names(x$variable_labels), ": ", x$variable_labels, collapse = "; ")
    },
    Data = paste0(plural(n_rows, "row"), weight_title(n_rows, x$nobs), left_out),
    Fit = if (!is.na(x$loglik) && !x$by_design) {
      paste0("log-likelihood ", nats(x$loglik), ", AIC ", nats(2 * x$df - 2 * x$loglik))
    },
    Errors = if (x$by_design) by_design_title(x),
    Status = gsub("_", " ", x$status)
  )
}

by_design_title <- function(x) {
  paste0("robust, with ", plural(x$design_df, "degree"), " of freedom")
}

format_coefficients <- function(x) {
  errors <- matrix(sqrt(diag(x$covariance)), nrow(x$coefficients))
  digits <- as.vector(row_digits(errors))
  cells <- paste0(number_text(x$coefficients, digits), " (", number_text(errors, digits), ")",
                  ifelse(is_infinite_coefficient(x), " *", ""))
  matrix(cells, nrow(errors),
         dimnames = list(shorten(rownames(x$coefficients), 30), shorten(colnames(x$coefficients))))
}

# What the mark says.
cat_infinite <- function(x) {
  if (any(is_infinite_coefficient(x))) {
    cat_line("  * no finite estimate: it grows without end, and its error says nothing")
  }
}

# Coefficients too small or too large to be read are so by the unit of a covariate.
cat_units <- function(x) {
  is_term <- attr(x$x, "assign") > 0
  digits <- row_digits(matrix(sqrt(diag(x$covariance)), nrow(x$coefficients)))
  is_large <- rowSums(abs(x$coefficients) >= 1e4) > 0 & !rownames(x$coefficients) %in%
    rownames(x$coefficients)[row(x$coefficients)[is_infinite_coefficient(x)]]
  tell <- function(which, units) {
    terms <- paste(shorten(rownames(x$coefficients)[which & is_term], 30), collapse = ", ")
    if (terms != "") cat_line("  ", terms, ": easier to read in ", units)
  }
  tell(digits > most_decimals, "larger units, as I(x / 1000)")
  tell(is_large, "smaller units, as I(1000 * x)")
}

# Of more decimals nobody counts the zeros.
most_decimals <- 6

# Decimals that show two digits of the smallest error of each row, one number a row.
row_digits <- function(errors) {
  smallest <- apply(as.matrix(errors), 1, function(e) min(e[e > 0], Inf, na.rm = TRUE))
  pmax(1 - floor(log10(pmin(smallest, 1))), 2)
}

number_text <- function(x, digits = 2) {
  # Each by itself: beside small ones they would get decimals or exponents.
  large <- vapply(x, format_number, "", digits = 2, scientific = 10)
  text <- ifelse(abs(x) >= 1e4, large, mapply(decimal_text, x, digits))
  # What rounds to zero has no sign.
  text <- sub("^-(0\\.?0*)$", "\\1", text)
  replace(text, is.na(x), "-")
}

# With as many decimals, or so many digits as to end where they would.
decimal_text <- function(x, digits) {
  if (digits <= most_decimals || x %in% c(0, NA)) {
    return(decimals(x, min(digits, most_decimals)))
  }
  decimals(x, max(0, digits + floor(log10(abs(x)))), "e")
}

#' @rdname print.class_regression
#' @export
summary.class_regression <- function(object, level = 0.95, ...) {
  rlang::check_dots_empty()
  table <- coefficient_table(object)[-1]
  limits <- confint(object, level = level)
  table[c("conf.low", "conf.high")] <- list(limits[, 1], limits[, 2])
  table$odds_ratio <- exp(table$estimate)
  structure(
    list(regression = object, coefficients = table, terms = wald_tests(object), level = level),
    class = "summary_class_regression"
  )
}

#' @rdname print.class_regression
#' @export
print.summary_class_regression <- function(x, ...) {
  rlang::check_dots_empty()
  regression <- x$regression
  cat_rule(paste0("Summary: class regression: ", formula_text(regression)))
  cat_fields(regression_fields(regression))
  for (class in setdiff(regression$classes, regression$reference)) {
    cat_heading(paste0("Class ", class, " against ", regression$reference))
    of_class <- x$coefficients$class == class
    infinite <- is_infinite_coefficient(regression)[of_class]
    cat_table(format_terms(x$coefficients[of_class, ], x$level, infinite))
  }
  cat_infinite(regression)
  cat_units(regression)
  if (nrow(x$terms) > 0) {
    cat_heading("Each term in all classes together (Wald test)")
    cat_table(format_term_tests(x$terms))
  }
  invisible(x)
}

format_terms <- function(table, level, infinite) {
  digits <- row_digits(table$std.error)
  interval <- paste(number_text(table$conf.low, digits), "to",
                    number_text(table$conf.high, digits))
  text <- cbind(
    estimate = number_text(table$estimate, digits),
    "std. error" = number_text(table$std.error, digits),
    interval, p = format_p(table$p.value), "odds ratio" = number_text(table$odds_ratio)
  )
  colnames(text)[3] <- paste0(format_number(100 * level), " % interval")
  `rownames<-`(text, paste0(shorten(table$term, 30), ifelse(infinite, " *", "")))
}

format_term_tests <- function(tests) {
  text <- cbind(df = format_number(tests[[1]]), statistic = number_text(tests[[2]]),
                p = format_p(tests[[3]]))
  colnames(text)[2] <- if (names(tests)[2] == "F") "F" else "chi-square"
  `rownames<-`(text, shorten(rownames(tests), 30))
}
