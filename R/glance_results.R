#' Results in one row
#'
#' What a result comes to, for those who collect many of them in one table.
#'
#' @param x The result of [pair_residuals()], [test_k()], [bootstrap()] or [agreement()].
#' @param ... Not used: what other packages hand over, as modelsummary does.
#' @return One row, a tibble where the package tibble is installed, else a data frame; of
#' * [pair_residuals()]: `k`, `n_pairs`, `n_dependent` (with a corrected p-value below 0.05),
#'   `largest_effect`, `smallest_p.value` (corrected) and `n`, the number of samples;
#' * [test_k()]: `chosen` (`NA` where all were rejected), `alpha`, `n_tests` and `n`, the largest
#'   number of samples of a test;
#' * [bootstrap()]: `k` of the fit, `type`, `refit`, `n` (samples) and `same_k`, the share of
#'   samples in which as many components were found;
#' * [agreement()]: `krippendorff_alpha`, `fleiss_kappa`, `gwet_ac1`, `raw_agreement`, `n_items`,
#'   `n_workers`, `n_labels`.
#' @section Errors: `mdpd_error_argument` for some of the columns of a result in its place.
#' @references
#' Wickham, H. (2014). Tidy data. *Journal of Statistical Software* 59 (10).
#' \doi{10.18637/jss.v059.i10}
#' @family results
#' @examples
#' fit <- stagewise_em(house_votes[c(4, 6, 9, 13)], k = 2)
#' glance(pair_residuals(fit))
#' @name glance.mdpd_pair_residuals
NULL

#' @rdname glance.mdpd_pair_residuals
#' @export
glance.mdpd_pair_residuals <- function(x, ...) {
  check_whole_result(has_pair_columns(x))
  as_tidy(data.frame(
    k = attr(x, "k"), n_pairs = nrow(x), n_dependent = sum(x$p_adjusted < 0.05, na.rm = TRUE),
    largest_effect = largest_of(x$effect), smallest_p.value = -largest_of(-x$p_adjusted),
    n = attr(x, "n")
  ))
}

#' @rdname glance.mdpd_pair_residuals
#' @export
glance.mdpd_test_k <- function(x, ...) {
  check_whole_result(!is.null(attr(x, "chosen")))
  as_tidy(data.frame(chosen = attr(x, "chosen"), alpha = attr(x, "alpha"), n_tests = nrow(x),
                     n = attr(x, "n")))
}

#' @rdname glance.mdpd_pair_residuals
#' @export
glance.mdpd_bootstrap <- function(x, ...) {
  as_tidy(data.frame(k = x$fit$k, type = x$type, refit = x$refit, n = x$n,
                     same_k = mean(x$k == x$fit$k)))
}

#' @rdname glance.mdpd_pair_residuals
#' @export
glance.mdpd_agreement <- function(x, ...) {
  measures <- stats::setNames(as.list(x$measures$estimate), x$measures$measure)
  as_tidy(data.frame(measures, n_items = x$n_items, n_workers = x$n_workers, n_labels = x$n_labels))
}

# NA of none.
largest_of <- function(x) if (all(is.na(x))) NA_real_ else max(x, na.rm = TRUE)

check_whole_result <- function(is_whole, call = rlang::caller_env()) {
  if (!is_whole) {
    abort_mdpd("{.arg x} must be the whole result, not some of its columns.", class = "argument",
               call = call)
  }
}
