# Three layouts, after what the items have in common:
#   all have two levels            one tile for each item and component: P(second level)
#   all have the same levels       a panel for each component, items x levels
#   anything else                  a panel for each item, levels x components
plot_profiles <- function(object, items, max_items, call = rlang::caller_env()) {
  shown <- profile_items(object, items, if (is.null(max_items)) 20 else max_items, call)
  levels <- unname(lapply(object$item_probs[shown$items], rownames))
  draw <- if (all(lengths(levels) == 2)) {
    draw_binary_profiles
  } else if (length(unique(levels)) == 1) {
    draw_shared_profiles
  } else {
    draw_mixed_profiles
  }
  draw(object, shown$items) +
    scale_fill_heat(limits = c(0, 1), labels = percent, breaks = c(0, 0.25, 0.5, 0.75, 1)) +
    picture_titles("What each component answers",
                   paste0(shown$what, if (shown$by_strength) ", strongest first", "; in percent"))
}

# The items asked for, or the informative ones with most evidence, and what to call them.
profile_items <- function(object, items, max_items, call) {
  if (!is.null(items)) {
    check_items(items, names(object$item_probs), call = call)
    return(first_items(unique(items), max_items, "item"))
  }
  informative <- informative_order(object)
  if (length(informative) > 0) {
    return(first_items(informative, max_items, "informative item", by_strength = TRUE))
  }
  shown <- first_items(names(object$item_probs), max_items, "item")
  shown$what <- paste0("No item is informative: ", shown$what)
  shown
}

first_items <- function(items, max_items, noun, by_strength = FALSE) {
  shown <- utils::head(items, max_items)
  left_out <- length(items) > length(shown)
  what <- paste0(if (left_out) paste0(length(shown), " of "), plural(length(items), noun))
  list(items = shown, what = what, by_strength = by_strength, left_out = left_out)
}

# Long data: item, level, component, probability.
profile_cells <- function(object, items, most_levels = Inf) {
  cells <- lapply(items, function(item) {
    probs <- few_levels(object$item_probs[[item]], object$mixing_weights, most_levels)
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

# The levels that tell the components apart most, in their order; the others are one more.
few_levels <- function(probs, mixing_weights, most) {
  if (nrow(probs) <= most) {
    return(probs)
  }
  apart <- abs(probs - drop(probs %*% mixing_weights)) %*% mixing_weights
  is_shown <- rank(-apart, ties.method = "first") < most
  others <- colSums(probs[!is_shown, , drop = FALSE])
  probs <- rbind(probs[is_shown, , drop = FALSE], others)
  rownames(probs)[nrow(probs)] <- plural(sum(!is_shown), "other")
  probs
}

draw_binary_profiles <- function(object, items) {
  cells <- profile_cells(object, items)
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
    ggplot2::scale_x_discrete(labels = stacked_labels(object), guide = sparse_axis()) +
    item_scale(function(items) wrap_labels(labels[items], 30, text_lines(n_items))) +
    ggplot2::labs(
      x = "Component (mixing weight)", y = "Item",
      fill = if (length(level) == 1) probability_of(shorten(level))
             else "Probability of\nthe level named"
    ) +
    theme_profiles(n_items) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(size = label_size(3 * object$k)))
}

draw_shared_profiles <- function(object, items) {
  cells <- profile_cells(object, items)
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
      labeller = ggplot2::as_labeller(stacked_labels(object, ceiling(object$k / n_rows)))
    ) +
    ggplot2::scale_x_discrete(
      breaks = thin_breaks(max(1, floor(44 / ceiling(object$k / n_rows)))),
      labels = function(x) wrap_labels(x, 16, if (per_row > 20) 1 else 2), guide = sparse_axis()
    ) +
    item_scale(function(x) wrap_labels(x, 18, text_lines(n_items * n_rows)),
               most = if (n_rows == 1) 40 else 26 / n_rows) +
    ggplot2::labs(x = "Level", y = "Item", fill = "Probability") +
    theme_profiles(n_items * n_rows) +
    ggplot2::theme(
      axis.text.x = if (wide) vertical_text(label_size(per_row, smallest = 6))
                    else ggplot2::element_text(size = 8.5),
      strip.text = ggplot2::element_text(size = label_size(3 * ceiling(object$k / n_rows)))
    )
}

# Level names of different items are kept apart by the item's name in front of them.
draw_mixed_profiles <- function(object, items) {
  cells <- profile_cells(object, items, most_levels = 10)
  cells$row <- paste(cells$item, cells$position, cells$level, sep = "\r")
  cells$row <- factor(cells$row, rev(unique(cells$row)))
  n_columns <- mixed_columns(cells)
  n_rows <- ceiling(length(items) / n_columns)
  upright <- n_columns * object$k > 6
  ggplot2::ggplot(cells, ggplot2::aes(.data$component, .data$row, fill = .data$probability)) +
    heat_tiles(max(cells$position) * n_rows) +
    tile_numbers(cells, show = n_rows * max(cells$position) <= 30 && n_columns * object$k <= 24) +
    ggplot2::facet_wrap("item", ncol = n_columns, scales = "free_y",
                        labeller = ggplot2::as_labeller(strip_text(n_columns, n_rows))) +
    ggplot2::scale_x_discrete(
      labels = stacked_labels(object, n_columns * object$k * (if (upright) 1 else 2), upright),
      guide = sparse_axis()
    ) +
    mixed_y_scale(n_columns, n_rows, max(cells$position)) +
    ggplot2::labs(x = "Component (mixing weight)", y = "Level of the item", fill = "Probability") +
    theme_profiles(n_rows * 8) +
    ggplot2::theme(
      axis.text.x = if (upright) vertical_text(label_size(object$k * n_columns))
                    else ggplot2::element_text(size = 8),
      strip.text = ggplot2::element_text(
        size = 8.5, margin = ggplot2::margin(2, 0, 1, 0),
        hjust = if (max(nchar(items, "width")) > 14) 1 else 0.5  # there is room on the left
      ),
      strip.clip = "off",
      panel.spacing = ggplot2::unit(4, "pt")
    )
}

# As many columns of panels as leave room for the levels beside them, in two lines each; but not
# more than five panels below each other.
mixed_columns <- function(cells) {
  n_items <- nlevels(cells$item)
  longest <- max(nchar(cells$level, "width"))
  width <- if (longest > 10) min(14, longest / 2 + 2) else max(8, longest)
  max(ceiling(n_items / 5), min(ceiling(sqrt(n_items)), floor(42 / width)))
}

mixed_y_scale <- function(n_columns, n_rows, n_levels) {
  width <- max(8, floor(42 / n_columns))
  n_lines <- if (n_rows * n_levels <= 16) 2 else 1
  ggplot2::scale_y_discrete(
    breaks = thin_breaks(max(3, floor(30 / n_rows)), vertical = TRUE),
    labels = function(x) wrap_labels(sub("^.*\r", "", x), width, n_lines), expand = c(0, 0),
    guide = sparse_axis()
  )
}

# Names of items above panels, in two lines where there are few. Beside a panel's own width there
# is that of the levels on its left.
strip_text <- function(n_columns, n_rows) {
  function(items) wrap_labels(items, floor(60 / n_columns), if (n_rows <= 4) 2 else 1)
}

# Lines for the name of each of so many items below each other.
text_lines <- function(n_items) if (n_items <= 8) 3 else if (n_items <= 16) 2 else 1

# The most informative item is on top.
item_scale <- function(labels, most = 40) {
  ggplot2::scale_y_discrete(
    limits = rev, breaks = thin_breaks(most, vertical = TRUE), labels = labels, expand = c(0, 0),
    guide = sparse_axis()
  )
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
