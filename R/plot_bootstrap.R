#' @rdname bootstrap
#' @export
autoplot.mdpd_bootstrap <- function(object, max_items = 30, ...) {
  rlang::check_dots_empty()
  check_count(max_items)
  if (is.null(object$selection)) {
    abort_mdpd(
      c("The bootstrap must hold a selection to draw it, and this one does not.",
        i = "Use {.code bootstrap(fit, refit = TRUE)}."),
      class = "not_stored"
    )
  }
  shown <- utils::head(sort(object$selection, decreasing = TRUE), max_items)
  points <- data.frame(
    item = factor(names(shown), rev(names(shown))), frequency = unname(shown),
    informative = ifelse(names(shown) %in% object$fit$informative, "informative", "not informative")
  )
  draw_selection(points, object)
}

#' @rdname bootstrap
#' @export
plot.mdpd_bootstrap <- function(x, ...) draw_picture(autoplot(x, ...))

draw_selection <- function(points, object) {
  n_items <- length(object$selection)
  titles <- item_titles(names(object$selection), object$fit$variable_labels)
  room <- name_room(titles[levels(points$item)], nrow(points), 1.6, 0.34)
  many <- if (nrow(points) < n_items) paste(nrow(points), "of", comma(n_items)) else nrow(points)
  ggplot2::ggplot(
    points, ggplot2::aes(.data$frequency, .data$item, colour = .data$informative)
  ) +
    ggplot2::geom_segment(
      ggplot2::aes(x = 0, xend = .data$frequency, yend = .data$item), linewidth = 0.8
    ) +
    ggplot2::geom_point(size = 2.2) +
    ggplot2::scale_x_continuous(limits = c(0, 1), labels = percent) +
    name_scale(nrow(points), share = room$share, titles = function(items) titles[items],
               size = room$size) +
    ggplot2::scale_colour_manual(
      name = "In the fit", values = c(informative = "#0072B2", "not informative" = "#E69F00")
    ) +
    picture_titles("How often each item is informative", bootstrap_title(object),
                   paste0(many, " items, the most frequent first")) +
    ggplot2::labs(x = "Share of the samples", y = NULL) +
    theme_rows(room$size)
}
