#' @rdname goodness_of_fit
#' @export
autoplot.mdpd_goodness_of_fit <- function(object, ...) {
  rlang::check_dots_empty()
  if (object$n == 0) {
    abort_mdpd(
      c("The test must hold samples to draw it, and this one does not.",
        i = "Use {.code goodness_of_fit(fit, n = 200)}."),
      class = "not_stored"
    )
  }
  table <- object$statistics
  panels <- paste0(table$statistic, "\np ", format_p(table$p_bootstrap, equals = "= "))
  panels <- factor(panels, panels)
  samples <- data.frame(value = as.vector(object$samples),
                        panel = rep(panels, each = nrow(object$samples)))
  ggplot2::ggplot(samples, ggplot2::aes(.data$value)) +
    ggplot2::geom_histogram(bins = 30, fill = okabe_ito[5], na.rm = TRUE) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$value), colour = okabe_ito[6],
                        linewidth = 0.8, data = data.frame(value = table$value, panel = panels)) +
    ggplot2::facet_wrap("panel", scales = "free_x") +
    ggplot2::scale_x_continuous(guide = sparse_axis()) +
    ggplot2::scale_y_continuous(breaks = whole_breaks) +
    picture_titles("Does the model fit?", "Bars: samples of the fitted model; line: the data") +
    ggplot2::labs(x = "Statistic", y = "Samples") +
    theme_mdpd() +
    ggplot2::theme(strip.clip = "off")
}

#' @rdname goodness_of_fit
#' @export
plot.mdpd_goodness_of_fit <- function(x, ...) {
  picture <- autoplot.mdpd_goodness_of_fit(x, ...)
  print(picture)
  invisible(picture)
}
