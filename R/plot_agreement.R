#' @rdname agreement
#' @export
autoplot.mdpd_agreement <- function(object, ...) {
  rlang::check_dots_empty()
  points <- object$measures[!is.na(object$measures$estimate), ]
  points$measure <- factor(points$measure, rev(points$measure))
  titles <- measure_titles(object)
  n_items <- plural(object$n_paired, "item")
  ggplot2::ggplot(points, ggplot2::aes(.data$estimate, .data$measure)) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey60", linetype = "dashed") +
    ggplot2::geom_errorbar(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), width = 0.15,
                           orientation = "y", colour = okabe_ito[1], na.rm = TRUE) +
    ggplot2::geom_point(size = 2.4, colour = okabe_ito[1]) +
    ggplot2::expand_limits(x = c(0, 1)) +
    # There is no legend.
    name_scale(nrow(points), rest = 1.1, titles = function(measures) titles[measures]) +
    picture_titles(
      paste("Agreement of", plural(object$n_workers, "worker")),
      if (object$n_paired < 2) paste(n_items, "with labels of two workers: no intervals")
      else paste0(n_items, "; with ", percent(object$level), " intervals")
    ) +
    # Beside the names of the measures.
    ggplot2::labs(x = axis_title("Agreement (1: all agree; 0: none, or as by chance)",
                                 0.34 * picture_size()[1] + 0.3), y = NULL) +
    theme_mdpd() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

#' @rdname agreement
#' @export
plot.mdpd_agreement <- function(x, ...) draw_picture(autoplot(x, ...))
