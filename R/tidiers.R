#' Tidy tables of a fitted mixture
#'
#' A fit as tables, for those who work with broom and the tidyverse: `tidy()` has a row for each
#' estimated probability, `glance()` one row for the fit, `augment()` a row for each row of the data
#' with its class.
#'
#' `modelsummary::modelsummary(fit, shape = term ~ class)` makes a table to publish of `tidy()` and
#' `glance()`, a column for each class; `gt::gt()` and `flextable::flextable()` take the tables as
#' they are. `tidy()`, `glance()` and `augment()` are the generics that broom has too, in whatever
#' order the two packages are attached; [bootstrap()] stays this package's.
#'
#' The tables are tibbles where the package tibble is installed, and plain data frames elsewhere;
#' neither has row names. Column names follow broom where it has a name for the thing.
#'
#' For a fit of several `k`, the tables are those of the best; `fit$path` compares all of them in
#' one table, and [choose_k()] takes out another one.
#'
#' A fit of crowd labels is augmented like any other, with a row for each item and a column for each
#' worker. The last example goes from there to a row for each label given.
#'
#' @param x A fitted mixture, see [stagewise_em()] and [mdpd()]; for `tidy()` also a true model from
#'   [simulate_crowd()], which has no standard errors, or the result of [bootstrap()], whose
#'   standard errors and percentile intervals are those of the samples.
#' @param what For `tidy()`: `"item_probs"`, the default, the item-response probabilities; or
#'   `"mixing_weights"`, the sizes of the components.
#' @param conf.int Add the ends of a confidence interval? Default `FALSE`. The intervals are those
#'   of `confint()`, made on the logit scale.
#' @param conf.level Confidence level, from 0 to 1. Default 0.95.
#' @param se Compute standard errors? By default (`NULL`) those of up to 2500 parameters; of more a
#'   message of class `mdpd_message_no_errors` says that they are left out. The time grows with the
#'   cube of the number of parameters of the items that differ between components, by evidence
#'   nearly all: some 5 seconds for 2500, minutes for 8000. Ignored with `conf.int = TRUE`.
#' @param type,cluster,strata For `tidy()`: which standard errors, see [standard_errors()].
#' @param data For `augment()`: the data of the fit, n_obs rows in the order of the fit, if the
#'   table is to have their own columns, also those that were no items, and dplyr's groups if there
#'   are any. Rows in another order are an error where their names, or the answers to the items, say
#'   so. By default the items as the fit keeps them: factors.
#' @param newdata For `augment()`: new rows, see [predict.mdpd()]; `data` is then ignored.
#' @param ... Not used; must be empty for `augment()`. `tidy()` and `glance()` ignore what other
#'   packages hand over, as modelsummary does.
#' @return
#' * `tidy(what = "item_probs")`: a row for each level of each item in each component, with the
#'   columns that broom has for fits of poLCA: `term` (the item and the level, `"item = level"`),
#'   `variable` (the item), `class` (factor, the component), `outcome` (the level), `estimate` (the
#'   probability; they sum to 1 for each item and component), `std.error`, with `conf.int = TRUE`
#'   also `conf.low` and `conf.high`, and `informative` (does the item differ between the
#'   components?). `std.error` is `NA` for estimates of 0 or 1 and where the fit keeps no data, see
#'   [standard_errors()], and where they are left out, see `se`.
#' * `tidy(what = "mixing_weights")`: a row for each component: `term` (`"mixing_weight"`), `class`,
#'   `estimate` (sum 1), `std.error`, and the ends of the interval.
#' * `glance()`: one row: `k`, `n_informative`, `logLik`, `penalised_loglik` and `evidence` (nats;
#'   `NA` of a fit that has none), `BIC`, `AIC`, `SABIC`, `CAIC`, `entropy` (entropy R-squared, see
#'   [summary()][summary.mdpd]), `df`, `nobs` (sum of the case weights), `converged`.
#' * `augment()`: the rows of the data, all of them and in their order, as they are, with `.class`
#'   (factor, the component or label as from [predict()]), `.probability` (that
#'   probability, in \[1 / k, 1\]) and `.uncertainty` (one minus it, the probability that the class
#'   is wrong, in \[0, 1 - 1 / k\]), all three `NA` for a row without any answer. Row names, if
#'   there are any, and the ids of a crowd's items come first, as `.rownames`. Columns of these
#'   names are replaced.
#' @section Errors:
#' `mdpd_error_not_stored` for `glance()` and `augment()` of a model that was not fitted (except
#' with `newdata`); `mdpd_error_no_data` for `augment()` of a fit without data when none are given,
#' and for `conf.int = TRUE`; `mdpd_error_argument` for an argument out of range or `data` that have
#' not the rows of the fit; those of [predict.mdpd()] for `newdata`. Warnings are those of
#' [standard_errors()], except that estimates on the boundary are left to the `NA`.
#' @references
#' Wickham, H. (2014). Tidy data. *Journal of Statistical Software* 59 (10).
#' \doi{10.18637/jss.v059.i10}
#' @family results
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 15, accuracy = rep(0.75, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' glance(fit)
#' tidy(fit, what = "mixing_weights")
#' head(subset(tidy(fit, conf.int = TRUE), informative))
#'
#' # A row for each item of the crowd, and from there a row for each label
#' items <- augment(fit)
#' items[1:3, c(".rownames", ".class", ".probability", ".uncertainty")]
#' labels <- merge(as.data.frame(crowd$labels), items[c(".rownames", ".class")],
#'                 by.x = "item", by.y = ".rownames")
#' head(labels)
#' @name tidy.mdpd
NULL

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

# conf.int and conf.level are the names that all of broom has.
# nolint start: object_name_linter.

#' @rdname tidy.mdpd
#' @export
tidy.mdpd <- function(x, what = c("item_probs", "mixing_weights"), conf.int = FALSE,
                      conf.level = 0.95, se = NULL, type = c("observed", "score", "robust"),
                      cluster = NULL, strata = NULL, ...) {
  what <- check_choice(what, c("item_probs", "mixing_weights"))
  check_flag(conf.int)
  check_number(conf.level, c(0, 1))
  if (!is.null(se)) check_flag(se)
  parameters <- parameter_table(x)
  columns <- list(std.error = rep(NA_real_, nrow(parameters)))
  if (conf.int || !is.null(x$coded) && (se %||% has_quick_errors(x))) {
    how <- read_how(x, type, cluster = cluster, strata = strata, arg = "object")
    columns$std.error <- quiet_errors(x, how, rlang::current_env())
  }
  if (conf.int) {
    limits <- wald_limits(parameters$estimate, columns$std.error, conf.level, "logit",
                          interval_df(how$design, how$coded$weights))
    columns[c("conf.low", "conf.high")] <- list(limits[, 1], limits[, 2])
  }
  tidy_table(x, what, columns, parameters)
}

#' @rdname tidy.mdpd
#' @export
tidy.mdpd_bootstrap <- function(x, what = c("item_probs", "mixing_weights"), conf.int = FALSE,
                                conf.level = 0.95, ...) {
  what <- check_choice(what, c("item_probs", "mixing_weights"))
  check_flag(conf.int)
  check_number(conf.level, c(0, 1))
  columns <- list(std.error = apply(x$estimates, 2, stats::sd, na.rm = TRUE))
  if (conf.int) {
    limits <- confint(x, level = conf.level)
    columns[c("conf.low", "conf.high")] <- list(limits[, 1], limits[, 2])
  }
  tidy_table(x$fit, what, columns, x$parameters)
}

# nolint end

#' @rdname tidy.mdpd
#' @export
glance.mdpd <- function(x, ...) {
  check_fit(x)
  as_tidy(data.frame(
    k = x$k, n_informative = n_informative(x), logLik = x$loglik,
    penalised_loglik = x$penalised_loglik, evidence = x$evidence %||% NA_real_,
    BIC = stats::BIC(x), AIC = stats::AIC(x), SABIC = criteria(x)$sabic, CAIC = criteria(x)$caic,
    entropy = relative_entropy(x), df = x$df, nobs = x$nobs, converged = x$converged
  ))
}

#' @rdname tidy.mdpd
#' @export
augment.mdpd <- function(x, data = NULL, newdata = NULL, ...) {
  rlang::check_dots_empty()
  if (!is.null(newdata)) {
    coded <- read_to_classify(newdata, x, rlang::current_env())
    no_answer <- new_rows_without_answer(newdata, coded, x)
    table <- add_class(row_table(newdata, x), named_posterior(coded, x), x, coded, no_answer)
    return(grouped_as(table, newdata))
  }
  check_fit(x)
  if (is.null(x$posterior)) {
    abort_mdpd(
      c("The fit keeps no posterior of its rows, as it is of a store.",
        i = "Give rows in {.arg newdata}, or write the classes of all by
             {.code predict(fit, store, file = )}."),
      class = "no_data"
    )
  }
  if (is.null(data)) {
    rows <- decode(data_of(x, arg = "data"))
    return(add_class(rows, x$posterior, x))
  }
  check_rows_of_fit(data, x)
  grouped_as(add_class(row_table(data, x), x$posterior, x), data)
}

# Probabilities ------------------------------------------------------------------------------------

# Who wants a table of probabilities need not wait minutes for what was not asked for.
# Replicate weights need no inverse.
has_quick_errors <- function(object) {
  n_parameters <- if (is.null(object$design$replicates)) n_joint_parameters(object) else 0
  if (n_parameters > 2500) {
    inform_mdpd(
      c("{.field std.error} is left out: standard errors of {comma(n_parameters)} parameters take
         {slow_time(n_parameters)}.",
        i = "{.code tidy(x, se = TRUE)} computes them, {.code se = FALSE} says nothing."),
      class = "no_errors"
    )
  }
  n_parameters <= 2500
}

# NA says that an estimate on the boundary has no standard error; a warning for each fit of
# many would say no more.
quiet_errors <- function(object, how, call) {
  suppressWarnings(estimate_errors(object, how, call = call), "mdpd_warning_boundary")
}

# The parameters with what is known of each, `columns`, as a table of `what`. A distribution that
# the components share stands in the table once for each of them.
tidy_table <- function(model, what, columns, parameters) {
  at <- shape_as_coef(model, seq_len(nrow(parameters)), parameters)[[what]]
  components <- factor(names(model$mixing_weights), levels = component_levels(model))
  table <- if (what == "mixing_weights") {
    data.frame(term = "mixing_weight", class = components)
  } else {
    items <- rep(names(at), lengths(at))
    levels <- unlist(lapply(at, function(rows) rownames(rows)[row(rows)]))
    data.frame(
      term = paste(items, "=", levels), variable = items,
      class = components[unlist(lapply(at, col))], outcome = levels
    )
  }
  columns <- c(list(estimate = unlist(model[[what]])), lapply(columns, `[`, unlist(at)))
  table <- data.frame(table, columns, row.names = NULL)
  if (what == "item_probs") {
    # The model of a bootstrap is a list.
    named <- if (inherits(model, "mdpd")) informative(model) else model$informative
    table$informative <- table$variable %in% named
  }
  as_tidy(table)
}

# Rows ---------------------------------------------------------------------------------------------

add_class <- function(rows, posterior, object, coded = object$coded,
                      no_answer = object$no_answer) {
  inform_no_answer(no_answer)
  posterior <- class_posterior(posterior, object)
  largest <- replace(unname(largest_posterior(posterior)), no_answer, NA)
  ids <- if (!is.null(rows$row_names)) list(.rownames = rows$row_names)
  added <- list(
    .class = unname(posterior_class(object, posterior, coded, no_answer)),
    .probability = largest, .uncertainty = 1 - largest
  )
  kept <- rows$columns[!names(rows$columns) %in% c(names(ids), names(added))]
  n_obs <- .set_row_names(nrow(posterior))
  as_tidy(structure(c(ids, kept, added), class = "data.frame", row.names = n_obs))
}

# By the groups of dplyr, where the data have them.
grouped_as <- function(table, data) {
  if (inherits(data, c("grouped_df", "rowwise_df")) && rlang::is_installed("dplyr")) {
    table <- dplyr::dplyr_reconstruct(table, data)
  }
  table
}

# `tibble` says whether the package is there.
as_tidy <- function(table, tibble = rlang::is_installed("tibble")) {
  if (tibble) tibble::as_tibble(as.data.frame(table)) else table
}
