# The profile lines of latent class papers: items across, a line for each component.
plot_lines <- function(object, items, max_items, call = rlang::caller_env()) {
  shown <- profile_items(object, items, if (is.null(max_items)) 60 else max_items, call)
  # Where nobody asked for another order, that of the table, in which questions were asked.
  if (is.null(items)) shown$items <- intersect(names(object$item_probs), shown$items)
  points <- line_points(object, shown$items)
  scale <- line_scale(object$item_probs[shown$items], object$k)
  labels <- component_labels(object)
  ggplot2::ggplot(
    points, ggplot2::aes(.data$item, .data$score, colour = .data$component,
                         group = .data$component)
  ) +
    (if (nlevels(points$item) > 1) ggplot2::geom_line(linewidth = 0.7)) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$component),
                        size = if (nlevels(points$item) > 30) 1.3 else 2) +
    ggplot2::scale_colour_manual(values = component_colours(names(labels)), labels = labels,
                                 name = NULL, guide = component_legend(object)) +
    ggplot2::scale_shape_manual(values = rep_len(line_shapes, object$k), labels = labels,
                                name = NULL, guide = component_legend(object)) +
    line_x_scale(scale$items, component_legend_height(object)) +
    ggplot2::scale_y_continuous(limits = c(0, 1), breaks = scale$breaks, labels = scale$labels,
                                expand = ggplot2::expansion(0.03)) +
    picture_titles("What each component answers", line_subtitle(shown), scale$subtitle,
                   order_note(object$item_probs[shown$items])) +
    ggplot2::labs(x = "Item", y = scale$title) +
    theme_lines(scale$items)
}

# A second sign beside the colour, for those who read it in grey.
line_shapes <- c(16, 17, 15, 18, 1, 2, 0, 5)

# Long data: item, component, score. The score is the mean place of the answer among the levels,
# from 0 for the first to 1 for the last: of two levels the probability of the second.
line_points <- function(object, items) {
  components <- names(object$mixing_weights)
  scores <- vapply(object$item_probs[items], function(probs) {
    places <- (seq_len(nrow(probs)) - 1) / max(1, nrow(probs) - 1)
    drop(places %*% probs)
  }, numeric(object$k))
  data.frame(
    item = factor(rep(items, each = object$k), items),
    component = factor(rep(components, length(items)), components),
    score = as.vector(scores)
  )
}

# What the score is called: by its level where all items have the same two, by the levels where they
# have the same few, and else as the place of an answer among the levels.
line_scale <- function(item_probs, k) {
  levels <- unname(lapply(item_probs, rownames))
  n_levels <- lengths(levels)
  items <- stats::setNames(nm = names(item_probs))
  if (length(unique(levels)) > 1) {
    return(own_levels_scale(items, levels))
  }
  if (n_levels[1] == 2) {
    return(list(items = items, title = probability_of(shorten(levels[[1]][2])),
                breaks = (0:4) / 4, labels = percent))
  }
  if (!n_levels[1] %in% 3:9) {
    return(own_levels_scale(items, levels))
  }
  list(items = items, title = "Mean answer", labels = answer_labels(levels[[1]], k),
       breaks = (seq_len(n_levels[1]) - 1) / (n_levels[1] - 1))
}

# Beside the axis, on which they share the height of the lines: what the names of items and the
# legend leave of it.
answer_labels <- function(levels, k) {
  function(breaks) {
    room <- picture_size()
    rest <- 0.9 + 0.28 * room[2] + 0.2 * min(k, 4)
    fit_labels(levels, 0.18 * room[1], min(0.28, row_height(length(levels) - 1, rest)))
  }
}

own_levels_scale <- function(items, levels) {
  binary <- lengths(levels) == 2
  second <- vapply(levels[binary], `[`, "", 2)
  is_named <- length(unique(second)) > 1
  if (is_named) items[binary] <- paste0(items[binary], " = ", shorten(second, 14))
  scale <- list(items = items, breaks = (0:4) / 4)
  if (all(binary)) {
    return(c(scale, labels = percent, title = if (is_named) "Probability of\nthe level named"
                                              else probability_of(shorten(second[1]))))
  }
  of_two <- if (is_named) " (the one named)"
            else if (any(binary)) paste0(" (of two: ", shorten(second[1], 12), ")")
  c(scale, title = "Mean answer\n(0 to 1)", list(labels = ggplot2::waiver()),
    subtitle = paste0("0: the first level of an item, 1: the last", of_two))
}

# Levels in alphabetical order are likely to be as factor() found them, names without an order.
# Numbers, letters and grades have one.
order_note <- function(item_probs, most = 3) {
  unordered <- names(Filter(function(probs) {
    levels <- rownames(probs)
    length(levels) > 2 && !is.unsorted(tolower(levels)) && all(grepl("[[:alpha:]]{3}", levels))
  }, item_probs))
  if (length(unordered) == 0) {
    return(NULL)
  }
  paste0(
    "Levels in alphabetical order, perhaps no scale: ",
    paste(shorten(utils::head(unordered, most), 40), collapse = ", "),
    if (length(unordered) > most) paste0(" and ", length(unordered) - most, " more")
  )
}

line_subtitle <- function(shown) {
  paste0(shown$what, if (shown$by_strength && shown$left_out) ", the strongest")
}

# Below upright names the `legend` takes so many inches, above them the lines need an inch, the
# titles another.
line_x_scale <- function(labels, legend) {
  upright <- is_crowded(labels)
  size <- line_text_size(labels)
  text <- function(items) {
    room <- picture_size()
    each <- 0.8 * room[1] / length(labels)
    length <- max(0.4, min(0.32 * room[2], room[2] - 2 - legend))
    if (upright) fit_labels(unname(labels[items]), length, each, size)
    else fit_labels(unname(labels[items]), each, 0.2 * room[2], size)
  }
  ggplot2::scale_x_discrete(labels = text, guide = sparse_axis(),
                            expand = ggplot2::expansion(0, 0.4))
}

line_text_size <- function(labels) {
  max(5.5, min(9, 62 * 0.8 * picture_size()[1] / length(labels)))
}

# Do the items' names need to stand upright? Where a word is too wide, or narrow lines too many.
is_crowded <- function(labels) {
  width <- text_columns(0.8 * picture_size()[1] / length(labels) - 0.03, line_text_size(labels))
  n_lines <- max(lengths(lapply(labels, break_lines, width)))
  max(nchar(words_of(labels), "width")) > width || width < 12 && n_lines > 3 ||
    n_lines > picture_size()[2]
}

theme_lines <- function(labels) {
  size <- line_text_size(labels)
  theme_mdpd() +
    ggplot2::theme(
      axis.text.x = if (is_crowded(labels)) vertical_text(size)
                    else ggplot2::element_text(size = size)
    )
}
