#' Pictures of a comparison of groups
#'
#' * `"sizes"`: the sizes of the components by group, with 95 % intervals.
#' * `"items"`: for each item the largest difference between two groups in a probability, with the
#'   level and the component where it is, and the corrected p-value of working differently; the
#'   freed items stand out.
#' * `"item_probs"`: the probabilities of the freed items, by component and group, with 95 %
#'   intervals.
#'
#' @param object,x The result of [compare_groups()].
#' @param type `"sizes"`, the default, `"items"` or `"item_probs"`.
#' @param max_items The largest number of items shown, a count of at least 1: those with most
#'   evidence. By default, `NULL`, 30 for `"items"` and 6 for `"item_probs"`.
#' @param ... For `autoplot()`: must be empty. For `plot()`: arguments passed on to `autoplot()`.
#' @return `autoplot()` returns a ggplot object; `plot()` draws it and returns it invisibly.
#' @section Errors:
#' `mdpd_error_argument` for an argument out of range or of another type, `mdpd_error_not_stored`
#' for `type = "item_probs"` where no item is free, and for `type = "items"` where no difference is
#' known.
#' @references Okabe and Ito (2008), Color Universal Design.
#' @family diagnostics
#' @examples
#' fit <- stagewise_em(house_votes[c(4, 6, 9, 13)], k = 2)
#' parties <- compare_groups(fit, house_votes$party, free = "contras_aid")
#' plot(parties, type = "items")
#' @name plot.mdpd_groups
NULL

#' @rdname plot.mdpd_groups
#' @export
autoplot.mdpd_groups <- function(object, type = c("sizes", "items", "item_probs"),
                                 max_items = NULL, ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("sizes", "items", "item_probs"))
  check_of_type(list(max_items = max_items), of = list(max_items = c("items", "item_probs")), type)
  if (!is.null(max_items)) check_count(max_items)
  object <- show_group_labels(object)
  switch(
    type,
    sizes = plot_group_sizes(object),
    items = plot_group_items(object, max_items %||% 30),
    item_probs = plot_free_items(object, max_items %||% 6)
  )
}

#' @rdname plot.mdpd_groups
#' @export
plot.mdpd_groups <- function(x, ...) draw_picture(autoplot(x, ...))

plot_group_sizes <- function(object) {
  points <- tidy.mdpd_groups(object, conf.int = TRUE)
  rest <- 0.3 + height_beside_names(names(object$n))
  room <- name_room(levels(points$class), object$fit$k, rest, 0.34)
  ggplot2::ggplot(
    points, ggplot2::aes(.data$estimate, .data$class, colour = .data$group)
  ) +
    group_intervals(length(object$n)) +
    ggplot2::scale_x_continuous(limits = c(0, NA), labels = percent) +
    name_scale(object$fit$k, rest, room$share, size = room$size, limits = rev) +
    group_colours(object) +
    picture_titles("How common each component is in each group",
                   "95 % intervals", format_test(object$test, object$by_design),
                   paste0("Free items: ", free_title(object, most = 2))) +
    ggplot2::labs(x = "Size in the group", y = "Component") +
    theme_rows(room$size)
}

plot_group_items <- function(object, max_items) {
  items <- object$items[!is.na(object$items$effect), ]
  if (nrow(items) == 0) {
    abort_mdpd("The comparison must have an item that two groups answered often enough to draw it,
                and this one has none.", class = "not_stored", call = rlang::caller_env())
  }
  shown <- utils::head(items, max_items)
  shown$item <- factor(shown$item, rev(shown$item))
  shown$kind <- ifelse(shown$free, "free", "the same in all groups")
  room <- name_room(levels(shown$item), nrow(shown), 1.6, 0.34)
  many <- if (nrow(shown) < nrow(object$items)) paste("of", nrow(object$items))
  ggplot2::ggplot(shown, ggplot2::aes(.data$effect, .data$item, colour = .data$kind)) +
    ggplot2::geom_segment(
      ggplot2::aes(x = 0, xend = .data$effect, yend = .data$item), linewidth = 0.8
    ) +
    ggplot2::geom_point(size = 2.2) +
    ggplot2::geom_text(ggplot2::aes(label = effect_text(shown)), hjust = 0, size = 2.6,
                       nudge_x = max(shown$effect) / (5 * picture_size()[1]), lineheight = 0.9,
                       show.legend = FALSE) +
    # As much room for the words beside the longest.
    ggplot2::scale_x_continuous(labels = percent, expand = ggplot2::expansion(c(0, 1))) +
    name_scale(nrow(shown), share = room$share, size = room$size) +
    ggplot2::scale_colour_manual(
      name = NULL, values = c("free" = "#D55E00", "the same in all groups" = "#0072B2")
    ) +
    picture_titles("Which items work differently in the groups",
                   paste(c(nrow(shown), many, "items, the one with most evidence first"),
                         collapse = " ")) +
    ggplot2::labs(x = "Largest difference in a probability", y = NULL) +
    theme_rows(room$size)
}

# Such as: p < 0.001, yes in component 2. The p-value must not be cut; what would say too little
# beside it is left out. These are no names that must differ: each is cut as if it were alone.
effect_text <- function(items) {
  p <- paste0("p ", format_p(items$p_adjusted, equals = "= "))
  text <- paste0(p, ", ", items$level, " in component ", items$component)
  width <- 0.27 * picture_size()[1]
  height <- row_height(nrow(items))
  room <- text_columns(width, 7.4) * text_lines(height, 7.4)
  if (room < 40 && !fits_whole(text, width, height, 7.4)) {
    return(p)
  }
  vapply(text, fit_labels, "", width, height, 7.4, USE.NAMES = FALSE)
}

plot_free_items <- function(object, max_items) {
  if (!any(object$items$free)) {
    abort_mdpd("The comparison must have a free item to draw it, and this one has none.",
               class = "not_stored", call = rlang::caller_env())
  }
  shown <- utils::head(object$items$item[object$items$free], max_items)
  points <- as.data.frame(tidy.mdpd_groups(object, "item_probs", conf.int = TRUE))
  points <- points[points$variable %in% shown, ]
  points$variable <- factor(points$variable, shown)
  points$outcome <- factor(points$outcome, unique(points$outcome))
  panel <- 0.55 * picture_size()[1] / nlevels(points$class)
  heads <- side_names(levels(points$class), panel / picture_size()[1], 9, high = 0.16, bold = TRUE)
  n_rows <- nrow(unique(points[c("variable", "outcome")]))
  rest <- 1.8 + height_of_upright(heads)
  room <- name_room(levels(points$outcome), n_rows, rest, 0.18, most = 0.22)
  ggplot2::ggplot(points, ggplot2::aes(.data$estimate, .data$outcome, colour = .data$group)) +
    group_intervals(length(object$n)) +
    ggplot2::facet_grid(
      variable ~ class, scales = "free_y", space = "free_y",
      labeller = free_item_strips(length(shown), heads)
    ) +
    ggplot2::scale_x_continuous(limits = c(0, 1), breaks = c(0, 0.5, 1), labels = percent,
                                guide = sparse_axis()) +
    name_scale(n_rows, rest, room$share, size = room$size, limits = rev) +
    group_colours(object) +
    picture_titles("Items that work differently, by component and group", "95 % intervals") +
    ggplot2::labs(x = "Probability of the answer", y = NULL) +
    theme_mdpd() +
    ggplot2::theme(
      panel.grid.major.y = ggplot2::element_blank(), panel.spacing.x = ggplot2::unit(20, "pt"),
      panel.spacing.y = ggplot2::unit(8, "pt"),
      axis.text.x = ggplot2::element_text(size = max(5.5, min(7.5, 11 * panel))),
      axis.text.y = ggplot2::element_text(size = room$size),
      strip.text.x = side_text(heads, above = TRUE),
      strip.text.y = ggplot2::element_text(angle = 0, hjust = 0, size = 8), strip.clip = "off"
    )
}

free_item_strips <- function(n_items, heads) {
  ggplot2::labeller(
    variable = function(items) {
      fit_labels(items, 0.2 * picture_size()[1], row_height(n_items), 8.5)
    },
    class = side_labels(heads)
  )
}

# Points with their intervals, the groups one below the other.
group_intervals <- function(n_groups) {
  beside <- ggplot2::position_dodge2(width = min(0.8, 0.25 * n_groups), reverse = TRUE)
  list(
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$conf.low, xmax = .data$conf.high),
                            position = beside, linewidth = 0.6, na.rm = TRUE),
    ggplot2::geom_point(position = beside, size = 2)
  )
}

group_colours <- function(object) {
  groups <- names(object$n)
  ggplot2::scale_colour_manual(name = "Group", values = component_colours(groups),
                               labels = legend_labels, guide = name_legend(groups))
}
