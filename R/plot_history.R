# The lanes of history.R, in the order of component_lanes() from the top.
plot_history <- function(object) {
  check_stored(object, "trace")
  events <- history_events(object$trace)
  n_first <- n_at_start(object$trace)
  history <- component_lanes(events, n_first)
  lanes <- history$lanes
  lanes$component <- lane_components(history, object)
  ggplot2::ggplot(lanes, ggplot2::aes(x = .data$from, y = .data$y)) +
    ggplot2::geom_vline(xintercept = which(events$event == "another start") - 0.15,
                        linetype = "22", colour = "grey40") +
    history_links(history) +
    ggplot2::geom_segment(
      ggplot2::aes(xend = .data$to, yend = .data$y, colour = .data$component), linewidth = 1.4
    ) +
    split_names(events, history) +
    history_points(events, history) +
    ggplot2::scale_colour_manual(values = component_colours(names(object$mixing_weights)),
                                 na.value = "grey70", guide = "none") +
    ggplot2::scale_x_continuous(breaks = whole_breaks, expand = ggplot2::expansion(c(0.02, 0))) +
    history_y_scale(lanes, object) +
    history_titles(events, n_first) +
    theme_mdpd() +
    ggplot2::theme(
      panel.grid.major.y = ggplot2::element_blank(), legend.justification = "left",
      axis.text.y.right = ggplot2::element_text(size = label_size(max(lanes$y)))
    )
}

# The components of the fit at the ends of their lanes.
history_y_scale <- function(lanes, object) {
  alive <- lanes[!is.na(lanes$component), ]
  n_rows <- max(lanes$y)
  labels <- function(at) {
    size <- label_size(n_rows)
    width <- text_columns(0.32 * picture_size()[1], size)
    # A line is for the weight.
    n_lines <- max(1, text_lines(row_height(n_rows, 1.2), size) - 1)
    unname(component_labels(object, width, n_lines)[alive$component])
  }
  ggplot2::scale_y_reverse(breaks = alive$y, labels = labels, position = "right",
                           expand = ggplot2::expansion(0, c(0.5, 0.7)), guide = sparse_axis())
}

event_shapes <- c(split = 17, "items joined" = 21, "merge and split" = 15,
                  "items or rows moved" = 4)

# No layer where there is nothing to mark: a scale without a value makes ggplot2 warn.
history_points <- function(events, history) {
  marks <- history_marks(events, history)
  if (nrow(marks) == 0) {
    return(NULL)
  }
  list(
    ggplot2::geom_point(ggplot2::aes(.data$x, .data$y, shape = .data$event), fill = "white",
                        data = marks, size = if (nrow(events) > 40) 1.2 else 2.2),
    ggplot2::scale_shape_manual(name = NULL, values = event_shapes)
  )
}

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

# The pair of items that asked for a split: above the new lane or before it, wherever there is more
# room, below each other where lanes are far apart. All names are cut alike.
split_names <- function(events, history) {
  splits <- history$links[history$links$kind == "split", ]
  splits <- splits[!is.na(events$item_1[splits$x]), ]
  if (NROW(splits) == 0) {
    return(NULL)
  }
  end <- max(history$lanes$to)
  room <- room_beside(splits, history)
  columns <- text_columns(0.65 * picture_size()[1] * pmax(room$before, room$after) / end, 7.1)
  below <- row_height(max(history$lanes$y)) > 0.35
  width <- max(8, if (below) min(columns) - 1 else (min(columns) - 2) %/% 2)
  pair <- matrix(shorten(unlist(events[splits$x, c("item_1", "item_2")]), width), ncol = 2)
  label <- paste(pair[, 1], pair[, 2], sep = if (below) ",\n" else ", ")
  needed <- vapply(strsplit(label, "\n"), function(lines) max(nchar(lines, "width")), 0L)
  # What has no room at all is at least in the picture.
  before <- ifelse(needed > columns, splits$x > end / 2, room$before > room$after)
  names <- data.frame(
    x = splits$x + ifelse(before, -0.01, 0.012) * end, y = history$lanes$y[splits$to], label,
    hjust = ifelse(before, 1, 0), vjust = ifelse(before, 0.5, if (below) -0.3 else -0.6)
  )
  ggplot2::geom_text(
    ggplot2::aes(.data$x, .data$y, label = .data$label, hjust = .data$hjust, vjust = .data$vjust),
    data = names, size = 2.5, lineheight = 0.9, colour = "grey25", check_overlap = TRUE
  )
}

# From a split along its new lane, and back, to the next line or mark there.
room_beside <- function(splits, history) {
  links <- history$links
  y <- history$lanes$y
  room <- lapply(seq_len(nrow(splits)), function(i) {
    at <- y[splits$to[i]]
    x <- links$x[pmin(y[links$from], y[links$to]) <= at & at <= pmax(y[links$from], y[links$to])]
    data.frame(
      before = splits$x[i] - max(0, x[x < splits$x[i]]),
      after = min(history$lanes$to[splits$to[i]], x[x > splits$x[i]]) - splits$x[i]
    )
  })
  do.call(rbind, room)
}

# On the lane of the component concerned; moves of items and rows concern all that are there.
history_marks <- function(events, history) {
  lanes <- history$lanes
  marks <- lapply(which(events$event != "another start"), function(x) {
    lane <- history$at[x]
    if (is.na(lane)) lane <- which(lanes$from < x & lanes$to > x)
    data.frame(x = rep(x, length(lane)), y = lanes$y[lane], event = events$event[x])
  })
  none <- data.frame(x = integer(), y = integer(), event = events$event[0])
  marks <- do.call(rbind, c(list(none), marks))
  marks$event <- droplevels(marks$event)
  marks
}

start_words <- c(vote = "the majority vote", correspondence = "clusters of the rows",
                 scattered = "at random")

last_start <- function(events) utils::tail(events$move[events$event == "another start"], 1)

history_titles <- function(events, n_first) {
  polish <- sum(events$phase == "polish")
  steps <- c(stage = "stage", grow = "split of the fit before",
             refine = "another start", polish = "move of the polish")
  by_pair <- events$move %in% "split" & !is.na(events$item_1)
  list(
    picture_titles(
      "How the components came about",
      if (n_first > 1) paste0("EM began with ", plural(n_first, "component"))
      else paste0(stages_and_splits(events), if (any(by_pair)) ", named by the pair of items"),
      if (polish > 0) paste0("Then ", plural(polish, "move"), " of the polish"),
      if (any(events$event == "another start")) {
        paste0("Dashed: another start was better (", start_words[last_start(events)],
               "); its components take the place of those found before")
      }
    ),
    ggplot2::labs(x = step_names(steps, events$phase), y = NULL)
  )
}
