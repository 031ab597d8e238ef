# The lanes of history.R, in the order of component_lanes() from the top.
plot_history <- function(object) {
  check_stored(object, "trace")
  events <- history_events(object$trace)
  history <- component_lanes(events)
  lanes <- history$lanes
  lanes$component <- lane_components(history, object)
  names <- component_labels(object)
  alive <- lanes[!is.na(lanes$component), ]
  ggplot2::ggplot(lanes, ggplot2::aes(x = .data$from, y = .data$y)) +
    history_links(history) +
    ggplot2::geom_segment(
      ggplot2::aes(xend = .data$to, yend = .data$y, colour = .data$component), linewidth = 1.4
    ) +
    split_names(events, history) +
    ggplot2::geom_point(ggplot2::aes(.data$x, .data$y, shape = .data$event), fill = "white",
                        data = history_marks(events, history),
                        size = if (nrow(events) > 40) 1.2 else 2.2) +
    ggplot2::scale_colour_manual(values = component_colours(names(names)), na.value = "grey70",
                                 guide = "none") +
    ggplot2::scale_shape_manual(name = NULL, values = event_shapes) +
    ggplot2::scale_x_continuous(breaks = whole_breaks, expand = ggplot2::expansion(c(0.02, 0))) +
    ggplot2::scale_y_reverse(breaks = alive$y, labels = names[alive$component], position = "right",
                             expand = ggplot2::expansion(0, c(0.7, 0.9)), guide = sparse_axis()) +
    history_titles(object, events) +
    theme_mdpd() +
    ggplot2::theme(
      panel.grid.major.y = ggplot2::element_blank(),
      axis.text.y.right = ggplot2::element_text(size = label_size(nrow(lanes)))
    )
}

event_shapes <- c(split = 17, "items joined" = 21, "merge and split" = 15, "other move" = 4)

history_links <- function(history) {
  if (is.null(history$links)) {
    return(NULL)
  }
  links <- history$links
  links$y <- history$lanes$y[links$from]
  links$yend <- history$lanes$y[links$to]
  ggplot2::geom_segment(
    ggplot2::aes(x = .data$x, xend = .data$x, y = .data$y, yend = .data$yend), data = links,
    colour = "grey45", linetype = ifelse(links$kind == "merge", "22", "solid")
  )
}

# The pair of items that asked for a split: above the new lane, or before it where it begins late;
# cut by the room there is to that side, of 78 columns of text in all.
split_names <- function(events, history) {
  splits <- history$links[history$links$kind == "split", ]
  pair <- events[splits$x, c("item_1", "item_2")]
  known <- !is.na(pair$item_1)
  if (!any(known)) {
    return(NULL)
  }
  late <- splits$x > 0.6 * nrow(events)
  end <- nrow(events) + 0.5
  room <- 78 * ifelse(late, splits$x, end - splits$x) / end
  names <- data.frame(
    x = splits$x + ifelse(late, -0.01, 0.012) * end,
    y = history$lanes$y[splits$to],
    label = mapply(pair_name, pair$item_1, pair$item_2, pmin(22, pmax(12, room / 2 - 2)),
                   USE.NAMES = FALSE),
    hjust = ifelse(late, 1, 0), vjust = ifelse(late, 0.5, -0.6)
  )[known, ]
  ggplot2::geom_text(
    ggplot2::aes(.data$x, .data$y, label = .data$label, hjust = .data$hjust, vjust = .data$vjust),
    data = names, size = 2.5, colour = "grey25", check_overlap = TRUE
  )
}

pair_name <- function(item_1, item_2, width) {
  toString(shorten(c(item_1, item_2), floor(width)))
}

# On the lane of the component concerned; moves of items and rows concern all, and stand below.
history_marks <- function(events, history) {
  y <- history$lanes$y[history$at]
  below <- nrow(history$lanes) + 1
  data.frame(x = seq_len(nrow(events)), y = replace(y, is.na(y), below), event = events$event)
}

history_titles <- function(object, events) {
  polish <- sum(events$phase == "polish")
  steps <- c(stage = "stage", grow = "split of the fit before", polish = "move of the polish")
  by_pair <- events$move %in% "split" & !is.na(events$item_1)
  list(
    picture_titles(
      "How the components came about",
      paste0(stages_and_splits(events), if (any(by_pair)) ", named by the pair of items"),
      if (polish > 0) paste0("Then ", plural(polish, "move"), " of the polish")
    ),
    ggplot2::labs(x = step_names(steps, events$phase), y = NULL)
  )
}
