# Three layouts, after what the items have in common:
#   all have two levels            one tile for each item and component: P(second level)
#   all have the same levels       a panel for each component, items x levels
#   anything else                  a panel for each item, levels x components, but one for those of
#                                  two levels, where there are some
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
    scale_fill_heat(limits = c(0, 1), labels = percent, breaks = heat_breaks()) +
    picture_titles("What each component answers",
                   paste0(shown$what, if (shown$by_strength) ", strongest first", "; in percent"))
}

# The items asked for, or the informative ones with most evidence, or all if there are none; and
# what to call them.
profile_items <- function(object, items, max_items, call) {
  if (!is.null(items)) {
    check_items(items, names(object$item_probs), call = call)
    return(first_items(unique(items), max_items, "item"))
  }
  informative <- informative_order(object)
  if (length(informative) > 0) {
    return(first_items(informative, max_items, "informative item", by_strength = TRUE))
  }
  # Components between which no item is sure to differ do so in some more than in others.
  information <- object$item_information
  differs <- length(information) > 0 && max(information) > 0
  items <- names(object$item_probs)
  if (differs) items <- items[order(information[items], decreasing = TRUE)]
  shown <- first_items(items, max_items, "item", by_strength = differs)
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
  labels <- level_titles(object, items)
  placed <- profile_names(object, labels, n_items, 1.7, 0.34,
                          components_across(object$k, label_size(3 * object$k)))
  ggplot2::ggplot(cells, ggplot2::aes(.data$component, .data$item, fill = .data$probability)) +
    heat_tiles() +
    tile_numbers(cells, placed$side$share * picture_size()[1],
                 row_height(n_items, placed$rest)) +
    ggplot2::scale_x_discrete(labels = side_labels(placed$side), guide = sparse_axis()) +
    item_scale(n_items, placed$rest, placed$room, function(items) labels[items]) +
    ggplot2::labs(
      x = "Component (mixing weight)", y = "Item",
      fill = if (length(level) == 1) probability_of(shorten(level))
             else "Probability of\nthe level named"
    ) +
    theme_profiles(placed$room$size) +
    ggplot2::theme(axis.text.x = side_text(placed$side))
}

# Items of two levels: with the name of the second where they have not all the same.
level_titles <- function(object, items) {
  level <- vapply(object$item_probs[items], function(probs) rownames(probs)[2], "")
  titles <- if (length(unique(level)) == 1) items else paste0(items, " = ", short_levels(level, 12))
  stats::setNames(titles, items)
}

draw_shared_profiles <- function(object, items) {
  cells <- profile_cells(object, items)
  levels <- unique(cells$level)
  cells$level <- factor(cells$level, levels)
  n_items <- nlevels(cells$item)
  n_rows <- ceiling(object$k * length(levels) / 72)
  n_columns <- ceiling(object$k / n_rows)
  per_row <- n_columns * length(levels)
  tile <- 0.58 * picture_size()[1] / per_row
  wide <- 0.05 * max(nchar(shorten(levels, 12))) > tile
  size <- if (wide) max(6, min(9, 62 * tile, 2.6 * picture_size()[2]))
          else fitted_size(8.5, function(size) fits_whole(words_of(levels), tile, 0.15, size))
  rest <- 1.6 + if (wide) 0.22 * picture_size()[2] else 0.2
  across <- components_across(n_columns, label_size(3 * n_columns), gap = 0.08, blocks = n_rows,
                              bold = TRUE)
  placed <- profile_names(object, items, n_items * n_rows, rest, 0.26, across)
  ggplot2::ggplot(cells, ggplot2::aes(.data$level, .data$item, fill = .data$probability)) +
    heat_tiles(per_row) +
    tile_numbers(cells, tile, row_height(n_items * n_rows, placed$rest)) +
    ggplot2::facet_wrap("component", nrow = n_rows,
                        labeller = ggplot2::as_labeller(side_labels(placed$side))) +
    ggplot2::scale_x_discrete(breaks = thin_breaks(max(1, floor(44 / n_columns))),
                              labels = level_labels(per_row, wide, size), guide = sparse_axis()) +
    item_scale(n_items * n_rows, placed$rest, placed$room,
               most = if (n_rows == 1) 40 else 26 / n_rows) +
    ggplot2::labs(x = "Level", y = "Item", fill = "Probability") +
    theme_profiles(placed$room$size) +
    ggplot2::theme(
      axis.text.x = if (wide) vertical_text(size) else ggplot2::element_text(size = size),
      strip.text = side_text(placed$side, above = TRUE), strip.clip = "off"
    )
}

# Of levels below columns of tiles, of which `per_row` stand side by side.
level_labels <- function(per_row, upright, size) {
  function(levels) {
    room <- picture_size()
    tile <- 0.58 * room[1] / per_row
    if (upright) fit_labels(levels, 0.21 * room[2], min(tile, 0.3), size)
    else fit_labels(levels, tile, 0.3, size)
  }
}

# Three or more items of two levels share a panel, in which they have a row each; another has a
# panel of its own, with a row for each level.
draw_mixed_profiles <- function(object, items) {
  cells <- mixed_cells(object, items)
  together <- isTRUE(attr(cells, "together")) && nlevels(cells$row) <= 40
  n_panels <- nlevels(cells$panel)
  n_columns <- if (together) 1 else mixed_columns(cells)
  n_rows <- ceiling(n_panels / n_columns)
  per_column <- if (together) nlevels(cells$row) else n_rows * max(table(cells$panel)) / object$k
  side <- mixed_names(object, n_columns)
  rest <- (if (together) 1.7 else 1.5 + 0.3 * n_rows) + height_of_upright(side)
  room <- name_room(unique(cells$text), per_column, rest, 0.36 / n_columns, 0.42 / n_columns)
  strip <- strip_room(cells, together, n_columns, row_height(per_column, rest) / object$k)
  ggplot2::ggplot(cells, ggplot2::aes(.data$component, .data$row, fill = .data$probability)) +
    heat_tiles(per_column) +
    tile_numbers(cells, 0.6 * picture_size()[1] / (n_columns * object$k),
                 row_height(per_column, rest)) +
    mixed_panels(together, n_columns, strip) +
    ggplot2::scale_x_discrete(labels = side_labels(side), guide = sparse_axis()) +
    mixed_y_scale(cells, n_columns, n_rows, per_column, rest, room) +
    ggplot2::labs(x = "Component (mixing weight)",
                  y = if (together) NULL else "Level of the item", fill = "Probability") +
    theme_profiles(room$size) +
    ggplot2::theme(
      axis.text.x = side_text(side),
      strip.text = ggplot2::element_text(size = strip$size - !together, lineheight = 0.9,
                                         hjust = strip_side(cells, strip, n_columns, room),
                                         margin = ggplot2::margin(2, 0, 1, 0)),
      strip.text.y = ggplot2::element_text(angle = 0, hjust = 0,
                                           margin = ggplot2::margin(0, 0, 0, 4)),
      strip.clip = "off",
      panel.spacing = ggplot2::unit(4, "pt")
    )
}

# Rows of tiles with the `panel` of each and its label, `text`.
mixed_cells <- function(object, items) {
  cells <- profile_cells(object, items, most_levels = 10)
  binary <- items[vapply(object$item_probs[items], nrow, 0L) == 2]
  cells$panel <- as.character(cells$item)
  cells$text <- cells$level
  # Levels of different items that have the same name are different rows.
  cells$row <- paste(cells$item, cells$position, sep = "\r")
  together <- length(binary) >= 3
  if (together) {
    titles <- level_titles(object, binary)
    level <- unique(cells$level[cells$item %in% binary & cells$position == 2])
    cells <- cells[!cells$item %in% binary | cells$position == 2, ]
    shared <- cells$item %in% binary
    cells$text[shared] <- titles[as.character(cells$item[shared])]
    cells$panel[shared] <- paste0(length(binary), " items: ",
                                  if (length(level) == 1) shorten(level, 12) else "level named")
  }
  cells$panel <- factor(cells$panel, unique(cells$panel))
  cells <- cells[order(cells$panel), ]
  cells$row <- factor(cells$row, rev(unique(cells$row)))
  structure(cells, together = together)
}

# Below each other, rows of equal height, or side by side.
mixed_panels <- function(together, n_columns, strip) {
  labeller <- ggplot2::as_labeller(function(panels) {
    fit_labels(panels, strip$width, strip$height[panels], strip$size)
  })
  if (together) {
    ggplot2::facet_grid(panel ~ ., scales = "free_y", space = "free_y", labeller = labeller)
  } else {
    ggplot2::facet_wrap("panel", ncol = n_columns, scales = "free_y", labeller = labeller)
  }
}

# Inches for the title of each panel, beside its rows or above them, and the size of type. `cell`:
# the height of a row, for each of its cells.
strip_room <- function(cells, together, n_columns, cell) {
  picture <- picture_size()
  panels <- levels(cells$panel)
  width <- (if (together) 0.18 else 0.9 / n_columns) * picture[1]
  height <- if (together) cell * tabulate(cells$panel)
            else rep(0.1 * picture[2] - 0.1, length(panels))
  size <- fitted_size(if (together) 8.5 else 9.5, function(size) {
    all(mapply(fits_whole, panels, width, height, size))
  }, least = 7.5)
  list(width = width, height = stats::setNames(height, panels), size = size)
}

# Titles above panels stand in the middle, and end with panels that are much narrower, as the names
# of levels take much of the width: in the middle they would run out of the picture.
strip_side <- function(cells, strip, n_columns, room) {
  width <- picture_size()[1]
  titles <- fit_labels(levels(cells$panel), strip$width, strip$height, strip$size)
  longest <- function(labels) max(nchar(unlist(strsplit(labels, "\n")), "width"))
  names <- min(room$share * width, text_inches(longest(cells$text), room$size))
  # Beside the panels are the title of the axis and, 0.15 inches on both sides, margins.
  panel <- (width - 0.4) / n_columns - names
  if (text_inches(longest(titles), strip$size) > panel + 0.3) 1 else 0.5
}

# Below each column of panels.
mixed_names <- function(object, n_columns) {
  side_names(names(object$mixing_weights), 0.6 / (n_columns * object$k), 8, weight_labels(object))
}

# As many columns of panels as leave room for the levels beside them, in two lines each; but not
# more than five panels below each other.
mixed_columns <- function(cells) {
  n_panels <- nlevels(cells$panel)
  longest <- max(nchar(cells$text, "width"))
  width <- if (longest > 10) min(14, longest / 2 + 2) else max(8, longest)
  max(ceiling(n_panels / 5), min(ceiling(sqrt(n_panels)), floor(42 / width)))
}

mixed_y_scale <- function(cells, n_columns, n_rows, per_column, rest, room) {
  text <- stats::setNames(cells$text, cells$row)
  labels <- function(rows) {
    fit_labels(unname(text[rows]), room$share * picture_size()[1], row_height(per_column, rest),
               room$size)
  }
  most <- if (n_columns == 1) 40 else max(3, floor(30 / n_rows))
  ggplot2::scale_y_discrete(breaks = thin_breaks(most, vertical = TRUE), labels = labels,
                            expand = c(0, 0), guide = sparse_axis())
}

# The most informative item is on top; names have the `room` of name_room().
item_scale <- function(n_rows, rest, room, titles = identity, most = 40) {
  name_scale(n_rows, rest, room$share, titles, room$size, limits = rev, expand = c(0, 0),
             breaks = thin_breaks(most, vertical = TRUE))
}

# On two lines where the level would make it too long for a narrow picture.
probability_of <- function(level) {
  paste0("Probability of", if (nchar(level, "width") > 6) "\n" else " ", "\"", level, "\"")
}

theme_profiles <- function(size) {
  theme_heat_map() +
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = size),
                   panel.spacing.x = ggplot2::unit(6, "pt"))
}
