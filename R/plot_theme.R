# The look that all pictures share: theme, colours, labels.

theme_mdpd <- function() {
  ggplot2::theme_minimal(base_size = 10) +
    ggplot2::theme(
      # Without it a saved picture is transparent, black on black where the page is dark.
      plot.background = ggplot2::element_rect(fill = "white", colour = NA),
      plot.title = ggplot2::element_text(face = "bold", size = 12, margin = ggplot2::margin(b = 3)),
      plot.subtitle = ggplot2::element_text(colour = "grey30", size = 9.5,
                                            margin = ggplot2::margin(b = 6)),
      plot.title.position = "plot",
      plot.margin = ggplot2::margin(6, 10, 6, 6),
      strip.text = ggplot2::element_text(face = "bold", size = 9),
      panel.grid.minor = ggplot2::element_blank(),
      legend.position = "bottom",
      legend.title = ggplot2::element_text(size = 9, margin = ggplot2::margin(r = 12, b = 3)),
      legend.text = ggplot2::element_text(size = 8.5),
      legend.margin = ggplot2::margin(0, 0, 0, 0),
      legend.box.spacing = ggplot2::unit(4, "pt"),
      legend.key.size = ggplot2::unit(10, "pt")
    )
}

# A heat map needs no grid behind its tiles, and a colour bar wide enough to be read.
theme_heat_map <- function() {
  theme_mdpd() +
    ggplot2::theme(
      panel.grid = ggplot2::element_blank(),
      legend.key.width = ggplot2::unit(26, "pt"),
      legend.key.height = ggplot2::unit(8, "pt")
    )
}

# Titles and subtitles in lines that fit a picture four inches wide; sentences begin a line of their
# own.
picture_titles <- function(title, ...) {
  lines <- unlist(lapply(c(...), strwrap, width = 62))
  ggplot2::labs(title = title, subtitle = paste(lines, collapse = "\n"))
}

# Labels in at most `n_lines` lines of `width` columns of text. They are cut only where that is not
# room enough.
wrap_labels <- function(labels, width = 16, n_lines = 2) {
  lines <- lapply(labels, break_lines, width)
  room <- width * n_lines
  while (any(lengths(lines) > n_lines)) {
    lines <- lapply(shorten(labels, room), break_lines, width)
    room <- room - 1
  }
  vapply(lines, paste, "", collapse = "\n")
}

# Between words; a word that is wider than a line, or a text without spaces, wherever it must.
break_lines <- function(label, width) {
  lines <- strwrap(label, width + 1)
  while (any(too_wide <- nchar(lines, "width") > width)) {
    at <- which(too_wide)[1]
    start <- strtrim(lines[at], width)
    lines <- append(lines, substring(lines[at], nchar(start) + 1), after = at)
    lines[at] <- start
  }
  if (length(lines) == 0) "" else lines
}

# Labels of an axis that are left out where they would run into each other; what the size of the
# picture will be is not known before it is drawn.
sparse_axis <- function(...) ggplot2::guide_axis(check.overlap = TRUE, ...)

# A legend of the components below a picture four inches wide: as many columns as their labels
# allow.
component_legend <- function(object) {
  width <- max(nchar(component_labels(object), "width"))
  n_columns <- max(1, min(object$k, floor(60 / (width + 5))))
  ggplot2::guide_legend(ncol = n_columns, byrow = TRUE)
}

# Okabe and Ito (2008); the black comes last and is softened.
okabe_ito <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442",
               "#4D4D4D")

# Beyond eight components the eight hues come again darker, then lighter; beyond 24, a ramp.
component_colours <- function(components) {
  n <- length(components)
  colours <- if (n <= 24) {
    c(okabe_ito, blend(okabe_ito, "black", 0.45), blend(okabe_ito, "white", 0.6))[seq_len(n)]
  } else {
    grDevices::hcl.colors(n, "viridis")
  }
  stats::setNames(colours, components)
}

blend <- function(colours, with, share) {
  mixed <- (1 - share) * grDevices::col2rgb(colours) + share * drop(grDevices::col2rgb(with))
  grDevices::rgb(t(mixed), maxColorValue = 255)
}

# Light is low, dark is high; readable in grey.
scale_fill_heat <- function(..., limits = NULL) {
  ggplot2::scale_fill_viridis_c(
    ..., option = "mako", direction = -1, begin = 0.12, limits = limits, na.value = "grey90"
  )
}

# Text on a tile of the heat scale, for a value between 0 and 1.
ink_on_heat <- function(value) ifelse(value > 0.45, "white", "grey10")

# For the `breaks` of a discrete scale: every second, third, ... value when there are too many,
# beginning with the one that is drawn first: on a vertical axis the last, which is on top.
thin_breaks <- function(most, vertical = FALSE) {
  function(limits) {
    if (vertical) limits <- rev(limits)
    limits[seq(1, length(limits), by = max(1, ceiling(length(limits) / most)))]
  }
}

# "2 (31 %)": a component and its mixing weight.
component_labels <- function(object) {
  weights <- object$mixing_weights
  names <- shorten(names(weights), if (object$k <= 4) 24 else 16)
  stats::setNames(paste0(names, " (", percent(weights), ")"), names(weights))
}

# The same in lines below each other, where `per_row` stand side by side in the picture; upright,
# the weight goes on after the name.
stacked_labels <- function(object, per_row = object$k, upright = FALSE) {
  weights <- object$mixing_weights
  names <- if (upright) wrap_labels(names(weights), 12, if (per_row <= 12) 2 else 1)
           else wrap_labels(names(weights), max(8, floor(64 / per_row)), 3)
  between <- if (upright) " " else "\n"
  stats::setNames(paste0(names, between, "(", percent(weights), ")"), names(weights))
}

# Type size (points) at which `n` labels fit into a picture five inches high.
label_size <- function(n, largest = 9, smallest = 6) max(smallest, min(largest, 210 / n))

# Thin white lines between tiles, unless they would eat the tiles.
heat_tiles <- function(n_tiles = 1) {
  ggplot2::geom_tile(colour = "white", linewidth = if (n_tiles > 30) 0 else 0.3)
}

# The `probability` of each tile in percent.
tile_numbers <- function(cells, show) {
  cells <- cells[!is.na(cells$probability), ]
  if (show && nrow(cells) > 0) {
    ggplot2::geom_text(
      ggplot2::aes(label = round(100 * .data$probability)), data = cells, size = 2.6,
      show.legend = FALSE, colour = ink_on_heat(cells$probability), check_overlap = TRUE
    )
  }
}

vertical_text <- function(size) {
  ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5, size = size)
}

# Of a count.
whole_breaks <- function(limits) setdiff(round(pretty(limits, 4)), 0)

# What the steps of the phases are, as the title of an axis.
step_names <- function(names, phases) {
  title <- paste(names[names(names) %in% phases], collapse = "; ")
  paste0(toupper(substr(title, 1, 1)), substring(title, 2))
}
