# Three layouts, after what the items have in common:
#   all have two levels            one tile for each item and component: P(second level)
#   all have the same levels       a panel for each component, items x levels
#   anything else                  a panel for each item, levels x components
plot_profiles <- function(object, max_items) {
  max_items <- if (is.null(max_items)) 20 else max_items
  items <- informative_order(object)
  if (length(items) == 0) {
    items <- names(object$item_probs)
  }
  shown <- utils::head(items, max_items)
  levels <- unname(lapply(object$item_probs[shown], rownames))
  draw <- if (all(lengths(levels) == 2)) {
    draw_binary_profiles
  } else if (length(unique(levels)) == 1) {
    draw_shared_profiles
  } else {
    draw_mixed_profiles
  }
  draw(object, profile_cells(object, shown)) +
    scale_fill_heat(limits = c(0, 1), labels = percent, breaks = c(0, 0.25, 0.5, 0.75, 1)) +
    profile_labels(object, length(shown), length(items))
}

# Long data: item, level, component, probability.
profile_cells <- function(object, items) {
  cells <- lapply(items, function(item) {
    probs <- object$item_probs[[item]]
    data.frame(
      item = item, level = rownames(probs)[row(probs)], position = as.vector(row(probs)),
      component = names(object$mixing_weights)[col(probs)], probability = as.vector(probs)
    )
  })
  cells <- do.call(rbind, cells)
  cells$item <- factor(cells$item, items)
  cells$component <- factor(cells$component, names(object$mixing_weights))
  cells
}

draw_binary_profiles <- function(object, cells) {
  cells <- cells[cells$position == 2, ]
  n_items <- nlevels(cells$item)
  level <- unique(cells$level)
  labels <- stats::setNames(as.character(cells$item), cells$item)
  if (length(level) > 1) {
    labels <- stats::setNames(paste0(shorten(labels), " = ", shorten(cells$level, 10)), labels)
  }
  ggplot2::ggplot(cells, ggplot2::aes(.data$component, .data$item, fill = .data$probability)) +
    heat_tiles() +
    tile_numbers(cells, show = n_items <= 25 && object$k <= 14) +
    ggplot2::scale_x_discrete(labels = component_labels(object, "\n"), guide = sparse_axis()) +
    item_scale(function(items) shorten(labels[items], 28)) +
    ggplot2::labs(
      x = "Component (mixing weight)", y = "Item",
      fill = if (length(level) == 1) probability_of(shorten(level))
             else "Probability of\nthe level named"
    ) +
    theme_profiles(n_items) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(size = label_size(3 * object$k)))
}

draw_shared_profiles <- function(object, cells) {
  levels <- unique(cells$level)
  cells$level <- factor(cells$level, levels)
  n_items <- nlevels(cells$item)
  n_rows <- ceiling(object$k * length(levels) / 72)
  per_row <- ceiling(object$k / n_rows) * length(levels)
  wide <- per_row * max(nchar(shorten(levels, 12))) > 60
  ggplot2::ggplot(cells, ggplot2::aes(.data$level, .data$item, fill = .data$probability)) +
    heat_tiles(per_row) +
    tile_numbers(cells, show = per_row <= 16 && n_items * n_rows <= 25) +
    ggplot2::facet_wrap(
      "component", nrow = n_rows,
      labeller = ggplot2::as_labeller(component_labels(object, "\n"))
    ) +
    ggplot2::scale_x_discrete(
      breaks = thin_breaks(max(1, floor(44 / ceiling(object$k / n_rows)))),
      labels = shorten, guide = sparse_axis()
    ) +
    item_scale(shorten, most = if (n_rows == 1) 40 else 26 / n_rows) +
    ggplot2::labs(x = "Level", y = "Item", fill = "Probability") +
    theme_profiles(n_items * n_rows) +
    ggplot2::theme(
      axis.text.x = if (wide) vertical_text(label_size(per_row, smallest = 6))
                    else ggplot2::element_text(size = 8.5),
      strip.text = ggplot2::element_text(size = label_size(3 * ceiling(object$k / n_rows)))
    )
}

# Level names of different items are kept apart by the item's name in front of them.
draw_mixed_profiles <- function(object, cells) {
  cells$row <- paste(cells$item, cells$level, sep = "\r")
  cells$row <- factor(cells$row, rev(unique(cells$row)))
  n_items <- nlevels(cells$item)
  label_width <- min(10, max(nchar(cells$level)))
  n_columns <- min(if (label_width > 4) 4 else 5, ceiling(sqrt(n_items)))
  n_rows <- ceiling(n_items / n_columns)
  ggplot2::ggplot(cells, ggplot2::aes(.data$component, .data$row, fill = .data$probability)) +
    heat_tiles(max(cells$position) * n_rows) +
    tile_numbers(cells, show = n_rows * max(cells$position) <= 30 &&
                   n_columns * object$k <= 24) +
    ggplot2::facet_wrap("item", ncol = n_columns, scales = "free_y",
                        labeller = ggplot2::as_labeller(shorten)) +
    ggplot2::scale_x_discrete(labels = component_labels(object), guide = sparse_axis()) +
    ggplot2::scale_y_discrete(
      breaks = thin_breaks(max(3, floor(22 / n_rows)), vertical = TRUE),
      labels = function(x) shorten(sub("^.*\r", "", x), 10), expand = c(0, 0),
      guide = sparse_axis()
    ) +
    ggplot2::labs(x = "Component (mixing weight)", y = "Level of the item", fill = "Probability") +
    theme_profiles(n_rows * 8) +
    ggplot2::theme(
      axis.text.x = vertical_text(label_size(object$k * n_columns)),
      strip.text = ggplot2::element_text(size = 8.5, margin = ggplot2::margin(2, 0, 1, 0)),
      panel.spacing = ggplot2::unit(4, "pt")
    )
}

# The most informative item is on top.
item_scale <- function(labels, most = 40) {
  ggplot2::scale_y_discrete(
    limits = rev, breaks = thin_breaks(most, vertical = TRUE), labels = labels, expand = c(0, 0),
    guide = sparse_axis()
  )
}

profile_labels <- function(object, n_shown, n_all) {
  what <- if (n_informative(object) == 0) {
    paste0("No item is informative: ", plural(n_shown, "item"))
  } else if (n_shown < n_all) {
    paste0(n_shown, " of ", plural(n_all, "informative item"), ", strongest first")
  } else {
    paste0(plural(n_all, "informative item"), ", strongest first")
  }
  picture_titles("What each component answers", paste0(what, "; in percent"))
}

# On two lines where the level would make it too long for a narrow picture.
probability_of <- function(level) {
  paste0("Probability of", if (nchar(level, "width") > 6) "\n" else " ", "\"", level, "\"")
}

theme_profiles <- function(n_rows) {
  theme_heat_map() +
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = label_size(n_rows)),
                   panel.spacing.x = ggplot2::unit(6, "pt"))
}
