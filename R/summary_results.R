#' Summaries of results
#'
#' The print of a result in full, and what else its tables have.
#'
#' Beside what `print()` shows there are
#' * of [distal_outcome()] the estimates with standard errors and 95 % intervals;
#' * of [compare_groups()] all items, the sizes with their 95 % intervals, and the probabilities of
#'   the freed items by group;
#' * of [goodness_of_fit()] with `n` above 0 how large the statistics are in the samples;
#' * of [bootstrap()] the item-response probabilities with standard errors;
#' * of [pair_residuals()] the items, by the number of their pairs with a corrected p-value below
#'   0.05;
#' * of [test_k()] and [agreement()] nothing: the print has all.
#'
#' @param object,x The result; for `print()` its summary.
#' @param max_rows The largest number of rows printed of each of these tables, a count of at least
#'   1. Default 30.
#' @param ... Not used; must be empty.
#' @return `summary()`: a list of class `"mdpd_result_summary"`: `result`, what was given, and
#'   `tables`, a named list of data frames. `print()` returns its argument invisibly.
#' @section Errors: `mdpd_error_argument` for an argument out of range.
#' @references
#' Efron, B. and Tibshirani, R. J. (1993). *An Introduction to the Bootstrap*.
#' \doi{10.1201/9780429246593}
#' @family results
#' @examples
#' fit <- stagewise_em(house_votes[c(4, 6, 9, 13)], k = 2)
#' summary(distal_outcome(fit, party, data = house_votes))
#' summary(pair_residuals(fit))
#' @name summary.mdpd_groups
NULL

new_result_summary <- function(result, tables = list()) {
  tables <- Filter(function(table) NROW(table) > 0, tables)
  structure(list(result = result, tables = tables), class = "mdpd_result_summary")
}

#' @rdname summary.mdpd_groups
#' @export
summary.mdpd_groups <- function(object, ...) {
  rlang::check_dots_empty()
  new_result_summary(object, list(
    "Component sizes by group, with 95 % intervals" =
      without_term(tidy.mdpd_groups(object, conf.int = TRUE)),
    "Freed items by group" =
      without_term(tidy.mdpd_groups(object, "item_probs", conf.int = TRUE))
  ))
}

#' @rdname summary.mdpd_groups
#' @export
summary.distal_outcome <- function(object, ...) {
  rlang::check_dots_empty()
  new_result_summary(object, list(
    "Estimates, with 95 % intervals" =
      without_term(tidy.distal_outcome(object, conf.int = TRUE))
  ))
}

#' @rdname summary.mdpd_groups
#' @export
summary.mdpd_goodness_of_fit <- function(object, ...) {
  rlang::check_dots_empty()
  tables <- list()
  if (object$n > 0) {
    samples <- object$samples
    ends <- apply(samples, 2, stats::quantile, c(0.05, 0.5, 0.95), names = FALSE, na.rm = TRUE)
    tables[["The statistics in samples of the model"]] <- data.frame(
      statistic = object$statistics$statistic, observed = object$statistics$value,
      mean = unname(colMeans(samples, na.rm = TRUE)), "5 %" = ends[1, ], median = ends[2, ],
      "95 %" = ends[3, ], check.names = FALSE
    )
  }
  new_result_summary(object, tables)
}

#' @rdname summary.mdpd_groups
#' @export
summary.mdpd_bootstrap <- function(object, ...) {
  rlang::check_dots_empty()
  with_limits <- object$n >= samples_needed(0.95)
  table <- without_term(tidy.mdpd_bootstrap(object, conf.int = with_limits))
  shown <- setdiff(names(table), "informative")
  new_result_summary(object, list("Item-response probabilities" = table[table$informative, shown]))
}

#' @rdname summary.mdpd_groups
#' @export
summary.mdpd_pair_residuals <- function(object, ...) {
  rlang::check_dots_empty()
  if (!has_pair_columns(object)) {
    return(NextMethod())
  }
  item <- c(object$item_1, object$item_2)
  item <- factor(item, unique(item))
  small <- rep(object$p_adjusted < 0.05, 2)
  table <- data.frame(
    item = levels(item), pairs = tabulate(item, nlevels(item)),
    dependent = as.vector(tapply(small, item, sum, na.rm = TRUE)),
    largest_effect = as.vector(tapply(rep(object$effect, 2), item, max))
  )
  table <- table[order(-table$dependent, -table$largest_effect), ]
  new_result_summary(object, list("Items, by how many of their pairs are dependent" = table))
}

#' @rdname summary.mdpd_groups
#' @export
summary.mdpd_test_k <- function(object, ...) {
  rlang::check_dots_empty()
  if (is.null(attr(object, "chosen"))) {
    return(NextMethod())  # some of its columns are a plain table
  }
  new_result_summary(object)
}

#' @rdname summary.mdpd_groups
#' @export
summary.mdpd_agreement <- function(object, ...) {
  rlang::check_dots_empty()
  new_result_summary(object)
}

# Of tidy(), as a data frame: the term is in the title, or in other columns.
without_term <- function(table) as.data.frame(table)[setdiff(names(table), "term")]

#' @rdname summary.mdpd_groups
#' @export
print.mdpd_result_summary <- function(x, max_rows = 30, ...) {
  rlang::check_dots_empty()
  check_count(max_rows)
  without_hint(if (inherits(x$result, "mdpd_groups")) {
    print(x$result, max_items = max(1, nrow(x$result$items)))
  } else {
    print(x$result)
  })
  for (title in names(x$tables)) {
    cat_heading(title)
    cat_table(format_result(x$tables[[title]], max_rows))
  }
  invisible(x)
}

# The first column that tells rows apart is that of the names; numbers have three significant
# digits or more.
format_result <- function(table, max_rows) {
  shown <- utils::head(table, max_rows)
  cells <- vapply(shown, function(column) {
    if (is.double(column)) {
      text <- sub("[.]$", "", formatC(column, format = "fg", digits = 3, flag = "#",
                                       decimal.mark = "."))
      replace(text, is.na(column), "-")
    } else {
      shorten(as.character(column), 24)
    }
  }, character(nrow(shown)))
  cells <- matrix(cells, nrow(shown), dimnames = list(NULL, names(shown)))
  text <- cells[, -1, drop = FALSE]
  rownames(text) <- cells[, 1]
  structure(text, left_out = nrow(table) - nrow(shown))
}
