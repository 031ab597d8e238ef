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

# Of points or bars that each have a name beside them, at which no line is needed. Below narrow bars
# a legend in the middle would be cut off.
theme_rows <- function(size) {
  theme_mdpd() +
    ggplot2::theme(
      panel.grid.major.y = ggplot2::element_blank(),
      axis.text.y = ggplot2::element_text(size = size), legend.justification = "right"
    )
}

# A heat map needs no grid behind its tiles, and a colour bar wide enough to be read. It ends where
# the panels end: in the middle below them a narrow picture would cut it off.
theme_heat_map <- function() {
  theme_mdpd() +
    ggplot2::theme(
      panel.grid = ggplot2::element_blank(),
      legend.key.width = ggplot2::unit(min(26, 5.2 * picture_size()[1]), "pt"),
      legend.key.height = ggplot2::unit(8, "pt"),
      legend.justification = "right",
      plot.margin = ggplot2::margin(6, 14, 6, 6)
    )
}

# What plot() does with the picture that autoplot() makes, which is made before anything is drawn.
draw_picture <- function(picture) {
  force(picture)
  print(picture)
  invisible(picture)
}

# Titles and subtitles in lines that fit the picture, of which they have `room` inches; sentences
# begin a line of their own.
picture_titles <- function(title, ..., room = picture_size()[1]) {
  width <- max(40, min(100, floor(15 * room)))
  # No line begins with the sign of percent.
  lines <- unlist(lapply(gsub(" %", "\u00a0%", c(...), fixed = TRUE), strwrap, width = width))
  lines <- gsub("\u00a0", " ", lines, fixed = TRUE)
  # Bold letters of 12 points are as wide as others of 13.
  columns <- text_columns(room - 0.2, 13.2)
  ggplot2::labs(title = wrap_labels(title, columns), subtitle = paste(lines, collapse = "\n"))
}

# What the titles of a square have of the width: they begin where it does with the names beside it,
# and it stands in the middle.
square_title_room <- function() {
  size <- picture_size()
  min(size[1], mean(size))
}

# The title of a horizontal axis, in lines that fit beside what stands on the left, so many inches.
axis_title <- function(title, left = 0.9) {
  wrap_labels(title, text_columns(picture_size()[1] - left, 11))
}

# A picture for pages that say "class": its titles say so too.
in_classes <- function(picture) {
  titles <- picture$labels
  for (i in which(vapply(titles, is.character, NA))) {
    titles[[i]] <- sub("Component (mixing weight)", "Class (share of the rows)", titles[[i]],
                       fixed = TRUE)
    titles[[i]] <- gsub("([Cc])omponents", "\\1lasses", titles[[i]])
    titles[[i]] <- gsub("([Cc])omponent\\b", "\\1lass", titles[[i]])
  }
  picture$labels <- titles
  picture
}

# How labels fit into the room there is: in lines, cut where these are full. The room is measured
# when a picture is drawn, by the functions that scales and panels have for their labels; sizes of
# type and directions of text, which ggplot2 takes no function for, when it is made.

# Width and height in inches of what is drawn on; where nothing is open yet, what most pictures
# have.
picture_size <- function() {
  getOption("mdpd.picture_size") %||%
    if (grDevices::dev.cur() == 1) c(7, 5) else grDevices::dev.size("in")
}

# For a picture that is made before it is drawn, whatever is open meanwhile.
local_picture_size <- function(width, height, frame = parent.frame()) {
  rlang::local_options(mdpd.picture_size = c(width, height), .frame = frame)
}

# Columns of text of `size` points in so many inches: on average letters are half as wide as high,
# of some fonts more.
text_columns <- function(inches, size = 9) pmax(1, floor(72 * inches / (0.55 * size)))

text_inches <- function(columns, size = 9) columns * 0.55 * size / 72

text_lines <- function(inches, size = 9) pmax(1, floor(72 * inches / (1.1 * size)))

# Labels for a room of `width` by `height` inches, or for one each, in type of `size` points.
fit_labels <- function(labels, width, height, size = 9) {
  # Less cannot be cut so that it is still a name.
  columns <- rep_len(pmax(4, text_columns(width, size)), length(labels))
  n_lines <- rep_len(text_lines(height, size), length(labels))
  labels <- unname(labels)
  # Those of one room together, so that labels which are cut still differ.
  for (alike in split(seq_along(labels), paste(columns, n_lines))) {
    labels[alike] <- wrap_labels(labels[alike], columns[alike[1]], n_lines[alike[1]])
  }
  labels
}

# Labels in at most `n_lines` lines of `width` columns of text. They are cut only where that is not
# room enough.
wrap_labels <- function(labels, width = 16, n_lines = 2) {
  lines <- lapply(labels, break_lines, width)
  room <- width * n_lines
  while (any(is_long <- lengths(lines) > n_lines)) {
    # The labels that have room are as they were, and those that are cut differ from them.
    cut <- ifelse(is_long, shorten(labels, room), labels)
    lines[is_long] <- lapply(cut[is_long], break_lines, width)
    room <- room - 1
  }
  vapply(lines, paste, "", collapse = "\n")
}

# Between words; within a word that is wider than a line after a mark, and only where it has none
# wherever it must.
break_lines <- function(label, width) {
  lines <- strwrap(label, width + 1)
  too_wide <- match(TRUE, nchar(lines, "width") > width)
  if (is.na(too_wide)) {
    return(if (length(lines) == 0) "" else lines)
  }
  start <- line_start(lines[too_wide], width)
  rest <- c(substring(lines[too_wide], nchar(start) + 1), lines[-seq_len(too_wide)])
  rest <- paste(rest[rest != ""], collapse = " ")
  c(lines[seq_len(too_wide - 1)], start, if (rest != "") break_lines(rest, width))
}

# As much of a word as has room in a line.
line_start <- function(word, width) {
  start <- strtrim(word, max(2, width))
  to_mark <- sub("^(.*[[:alnum:]][_./-]+)[^_./-]+$", "\\1", start)
  if (grepl("[[:alnum:]][_./-]+$", start)) start else to_mark
}

# Labels of an axis that are left out where they would run into each other; what the size of the
# picture will be is not known before it is drawn.
sparse_axis <- function(...) ggplot2::guide_axis(check.overlap = TRUE, ...)

# Do all labels fit as they are, with no word broken?
fits_whole <- function(labels, width, height, size) {
  columns <- text_columns(width, size)
  max(0, nchar(words_of(labels), "width")) <= columns &&
    all(lengths(lapply(labels, break_lines, columns)) <= text_lines(height, size))
}

# What a line need not break: it may end at a space and after a mark.
words_of <- function(labels) {
  unlist(strsplit(gsub("([[:alnum:]][_./-]+)", "\\1 ", labels), " ", fixed = TRUE))
}

# The largest type, down from the `usual` one, in which labels fit as `fits(size)` says, and the
# smallest where they fit in none: it shows most of them.
fitted_size <- function(usual, fits, least = 6) {
  sizes <- unique(pmax(min(least, usual), usual - (0:8) / 2))
  fitting <- sizes[vapply(sizes, fits, NA)]
  if (length(fitting) > 0) fitting[1] else min(sizes)
}

# For names of rows the `share` of the picture's width and the `size` of type: long names have more
# of the width, before their type is smaller.
name_room <- function(names, n_rows, rest, share, most = 0.42) {
  usual <- label_size(n_rows, rest)
  width <- picture_size()[1]
  height <- row_height(n_rows, rest)
  if (!fits_whole(names, share * width, height, usual)) share <- most
  fits <- function(size) fits_whole(names, share * width, height, size)
  list(share = share, size = fitted_size(usual, fits))
}

# The share of the width that names in the `room` of name_room() leave, without margins and the
# title of the axis.
share_beside <- function(names, room) {
  width <- picture_size()[1]
  longest <- text_inches(max(nchar(names, "width")), room$size)
  1 - min(room$share, longest / width) - 0.7 / width
}

# Names of so many rows below each other, on `share` of the picture's width; `titles` has what
# stands for each.
name_scale <- function(n_rows, rest = 1.6, share = 0.34, titles = identity,
                       size = label_size(n_rows, rest), ...) {
  labels <- function(names) {
    fit_labels(unname(titles(names)), share * picture_size()[1], row_height(n_rows, rest), size)
  }
  ggplot2::scale_y_discrete(labels = labels, guide = sparse_axis(), ...)
}

# A legend of the components below a picture: as many columns as their labels allow.
component_legend <- function(object) {
  ggplot2::guide_legend(ncol = component_side(object), byrow = TRUE)
}

# How many labels of components stand side by side.
component_side <- function(object) {
  width <- max(nchar(unlist(strsplit(component_labels(object), "\n")), "width"))
  max(1, min(object$k, floor(15 * picture_size()[1] / (width + 5))))
}

# What the legend of the components takes of the height, in inches.
component_legend_height <- function(object) {
  lines <- max(lengths(strsplit(component_labels(object), "\n")))
  0.17 * lines * ceiling(object$k / component_side(object))
}

# A legend of names below a picture: in lines where one is too short, and in as many columns as
# these allow. The room is that of the whole picture if the theme has it end where the panels end.
name_legend <- function(names) ggplot2::guide_legend(ncol = legend_side(names), byrow = TRUE)

# How many names stand side by side.
legend_side <- function(names) {
  width <- min(legend_columns(), max(nchar(names, "width")))
  room <- text_columns(picture_size()[1] - 0.8, 8.5)
  max(1, min(length(names), floor(room / (width + 5))))
}

# What titles, axes and such a legend take of the height, in inches.
height_beside_names <- function(names) {
  lines <- lengths(strsplit(legend_labels(names), "\n"))
  1.4 + 0.17 * max(lines) * ceiling(length(names) / legend_side(names))
}

legend_labels <- function(names) wrap_labels(names, legend_columns())

# Of a title and a key the rest.
legend_columns <- function() min(44, text_columns(picture_size()[1] - 1.2, 8.5))

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

# Of probabilities: as many as stand apart below the colours.
heat_breaks <- function() if (picture_size()[1] < 5) (0:2) / 2 else (0:4) / 4

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

# "(31 %)", by component.
weight_labels <- function(object) {
  weights <- paste0("(", percent(object$mixing_weights), ")")
  stats::setNames(weights, names(object$mixing_weights))
}

# "2 (31 %)": a component and its mixing weight, for a legend below a picture four inches wide.
component_labels <- function(object, width = 50, n_lines = 2) {
  weights <- weight_labels(object)
  stats::setNames(labels_with(names(weights), weights, width, n_lines), names(weights))
}

# Names with something short, on one line or, where that would be too long, below the name.
labels_with <- function(names, below, width, n_lines) {
  labels <- paste(names, below)
  is_long <- nchar(labels, "width") > width
  labels[is_long] <- paste0(wrap_labels(names, width, n_lines), "\n", below)[is_long]
  labels
}

# Inches for each of `n` rows of a picture of which `rest` is taken by titles, legends and axes.
row_height <- function(n, rest = 1.6) max(0.8, picture_size()[2] - rest) / n

# Type size (points) at which `n` labels fit below each other.
label_size <- function(n, rest = 1.6) max(5.5, min(9, 62 * row_height(n, rest)))

# Thin white lines between tiles, unless they would eat the tiles.
heat_tiles <- function(n_tiles = 1) {
  ggplot2::geom_tile(colour = "white", linewidth = if (n_tiles > 30) 0 else 0.3)
}

# The `probability` of each tile in percent, where tiles of so many inches have room for it.
tile_numbers <- function(cells, width, height) {
  cells <- cells[!is.na(cells$probability), ]
  if (width >= 0.19 && height >= 0.1 && nrow(cells) > 0) {
    ggplot2::geom_text(
      ggplot2::aes(label = round(100 * .data$probability)), data = cells, size = 2.6,
      show.legend = FALSE, colour = ink_on_heat(cells$probability), check_overlap = TRUE
    )
  }
}

vertical_text <- function(size) {
  ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5, size = size)
}

# Of a count; below ten all of them.
whole_breaks <- function(limits) setdiff(round(pretty(limits, if (limits[2] < 10) 9 else 4)), 0)

# What the steps of the phases are, as the title of an axis.
step_names <- function(names, phases) {
  title <- paste(names[names(names) %in% phases], collapse = "; ")
  paste0(toupper(substr(title, 1, 1)), substring(title, 2))
}
