#' @rdname test_k
#' @order 2
#' @export
autoplot.mdpd_test_k <- function(object, ...) {
  rlang::check_dots_empty()
  # Of the tests that are left, where some rows were taken out.
  samples <- attr(object, "samples")[paste0("k = ", object$k)]
  if (is.null(samples)) {
    abort_mdpd("{.arg object} must be the whole result of {.fn test_k}: its rows hold no samples.",
               class = "not_stored")
  }
  panels <- paste(object$k, "against", object$k - 1)
  draw_samples(stats::setNames(samples, panels), object$statistic, object$p_value) +
    picture_titles(
      "How many components are needed?",
      "Bars: samples of the fit with one component fewer; line: the data",
      paste("Chosen:", chosen_by_test(object))
    ) +
    ggplot2::labs(x = "Twice the log-likelihood ratio", y = "Samples")
}

#' @rdname test_k
#' @export
plot.mdpd_test_k <- function(x, ...) draw_picture(autoplot(x, ...))
