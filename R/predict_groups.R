#' Use the model of a comparison of groups
#'
#' The classes of rows by the model that [compare_groups()] found, where freed items work by group
#' and each group has its own class sizes; its log-likelihood; and all in one row.
#'
#' The log-likelihood is that of the items given the groups, so that it can be compared with that of
#' [compare_groups()] with other items free. That of `object$fit` is of items and groups together.
#'
#' @param object,x The result of [compare_groups()].
#' @param newdata Data frame with the items of the fit, and with the group, in a column of the name
#'   that it had in the call of [compare_groups()] (`"group"` where an item has that name), unless
#'   `group` is given. By default, `NULL`, the rows that were compared.
#' @param group The group of each row of `newdata`: a vector with one value a row, `NA` where it is
#'   not known; answers to freed items then tell nothing of the class, and the class sizes are those
#'   of all groups. By default, `NULL`, the column of `newdata`.
#' @param type `"class"`, the default, or `"prob"`, as in [predict.mdpd()].
#' @param ... Not used; must be empty for `predict()` and `augment()`. `glance()` ignores what other
#'   packages hand over, as modelsummary does.
#' @return
#' * `predict()`: a factor with the class of each row, or a matrix of the probabilities, rows x k.
#' * `augment()`: the rows of `newdata`, or else the groups of the rows that were compared, with
#'   `.class`, `.probability` and `.uncertainty` as in [augment.mdpd()].
#' * `logLik()`: the log-likelihood (nats) of the items given the groups, with `df` and `nobs`, so
#'   that [stats::AIC()] and [stats::BIC()] work. `nobs()`: the sum of the case weights.
#' * `glance()`: one row: `k`, `n_groups`, `n_free` (items), `logLik`, `AIC`, `BIC`, `df`, `nobs`,
#'   and `statistic`, `df.test` and `p.value` of the test of equal sizes.
#' @section Errors:
#' `mdpd_error_argument` for an argument out of range, and for a `group` without `newdata` or of
#' another length; `mdpd_error_missing_item` names the columns that `newdata` lacks. Warnings and
#' messages are those of [predict.mdpd()].
#' @references
#' Clogg, C. C. and Goodman, L. A. (1985). Simultaneous latent structure analysis in several groups.
#' *Sociological Methodology* 15, 81-110. \doi{10.2307/270847}
#' @family results
#' @examples
#' fit <- stagewise_em(house_votes[c(4, 6, 9, 13)], k = 2)
#' parties <- compare_groups(fit, house_votes$party, free = "contras_aid")
#' table(predict(parties), house_votes$party)
#' predict(parties, house_votes[1:3, ], type = "prob")
#' AIC(parties)
#' @export
predict.mdpd_groups <- function(object, newdata = NULL, group = NULL, type = c("class", "prob"),
                                ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("class", "prob"))
  if (is.null(newdata)) {
    if (!is.null(group)) {
      abort_mdpd("{.arg group} must be given with {.arg newdata} only.", class = "argument")
    }
    return(predict.mdpd(object$fit, type = type))
  }
  if (!is.data.frame(newdata)) {
    abort_mdpd("{.arg newdata} must be a data frame, not {describe(newdata)}.", class = "argument")
  }
  if (!is.null(group)) {
    check_group(group, nrow(newdata), of = " of {.arg newdata}")
    newdata[[object$fit$groups$variable]] <- group
  }
  predict_rows(object$fit, newdata, type, rlang::current_env())
}

#' @rdname predict.mdpd_groups
#' @export
augment.mdpd_groups <- function(x, newdata = NULL, ...) {
  rlang::check_dots_empty()
  if (!is.null(newdata)) {
    return(augment.mdpd(x$fit, newdata = newdata))
  }
  rows <- decode(data_of(x$fit))
  rows$columns <- stats::setNames(rows$columns[group_item], x$fit$groups$variable)
  add_class(rows, x$fit$posterior, x$fit)
}

#' @rdname predict.mdpd_groups
#' @export
logLik.mdpd_groups <- function(object, ...) {
  structure(as.double(object$loglik), df = object$df, nobs = sum(object$n), class = "logLik")
}

#' @rdname predict.mdpd_groups
#' @export
nobs.mdpd_groups <- function(object, ...) sum(object$n)

#' @rdname predict.mdpd_groups
#' @export
glance.mdpd_groups <- function(x, ...) {
  as_tidy(data.frame(
    k = x$fit$k, n_groups = length(x$n), n_free = sum(x$items$free), logLik = x$loglik,
    AIC = stats::AIC(logLik.mdpd_groups(x)), BIC = stats::BIC(logLik.mdpd_groups(x)), df = x$df,
    nobs = sum(x$n), statistic = x$test$statistic, df.test = x$test$df, p.value = x$test$p_value
  ))
}
