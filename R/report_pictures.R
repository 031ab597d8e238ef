# Pictures of a report: the ggplots of the package as SVG by gridSVG, whose marks say what they are.

# `tips` names the marks of one layer, in the order in which they are drawn; `marks` is how grid
# names these: "geom_rect.rect" or "geom_point.points". The size is that for which the plot was
# made, see local_picture_size().
report_picture <- function(plot, id, alt, caption, tips = NULL, marks = "geom_rect.rect") {
  width <- picture_size()[1]
  height <- picture_size()[2]
  svg <- picture_svg(plot, id, tips, marks, width, height)
  svg <- sub("<svg [^>]*>", paste0(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" ",
    "viewBox=\"0 0 ", 72 * width, " ", 72 * height,
    "\" style=\"min-width:", 62 * width, "px;max-width:", 7 * width, "rem\" ",
    "role=\"img\" aria-label=\"",
    htmltools::htmlEscape(alt, attribute = TRUE), "\">"
  ), svg)
  htmltools::tags$figure(htmltools::HTML(svg), htmltools::tags$figcaption(caption))
}

# Inches: as wide as a narrow screen leaves readable; a picture that needs more scrolls there.
report_width <- 5.2

# The device only measures text: that of cairo knows all letters.
picture_svg <- function(plot, id, tips, marks, width, height) {
  before <- grDevices::dev.cur()
  file <- tempfile(fileext = ".svg")
  if (capabilities("cairo")) {
    grDevices::svg(file, width, height)
  } else {
    grDevices::pdf(NULL, width, height)
  }
  device <- grDevices::dev.cur()
  on.exit({
    grDevices::dev.off(device)
    if (before > 1) grDevices::dev.set(before)
    unlink(file)
  })
  print(plot)
  grid::grid.force()
  if (!is.null(tips)) name_marks(tips, marks)
  written <- tempfile(fileext = ".svg")
  on.exit(unlink(written), add = TRUE)
  gridSVG::grid.export(written, prefix = paste0(id, "."), strict = FALSE, indent = FALSE,
                       annotate = FALSE, uniqueNames = TRUE, xmldecl = NULL)
  add_titles(paste(readLines(written, warn = FALSE, encoding = "UTF-8"), collapse = "\n"))
}

# Gives each mark its text. Panels are separate grobs, drawn one after the other.
name_marks <- function(tips, marks) {
  names <- grid::grid.ls(print = FALSE)$name
  names <- grep(paste0("^", gsub(".", "\\.", marks, fixed = TRUE)), names, value = TRUE)
  names <- unique(names)
  sizes <- vapply(names, function(name) length(grid::grid.get(name)$x), 0L)
  stopifnot(sum(sizes) == length(tips))  # else marks and texts would not belong together
  last <- cumsum(sizes)
  for (i in seq_along(names)) {
    # gridSVG writes attributes as they are.
    shown <- htmltools::htmlEscape(tips[seq_len(sizes[i]) + last[i] - sizes[i]], attribute = TRUE)
    gridSVG::grid.garnish(names[i], "data-tip" = shown, group = FALSE)
  }
}

# The browser shows the title of a mark, and reads it aloud, without any script.
add_titles <- function(svg) {
  gsub("<(rect|use|circle) ([^>]*)data-tip=\"([^\"]*)\"([^>]*)/>",
       "<\\1 \\2data-tip=\"\\3\"\\4><title>\\3</title></\\1>", svg)
}

# The text of each mark of a layer, in the order in which its panels draw them: an aesthetic that no
# geom here draws, but all of them carry along.
mark_tips <- function(plot, tip, layer = 1) {
  data <- ggplot2::layer_data(plot + ggplot2::aes(label = !!rlang::enquo(tip)), layer)
  data$label[order(data$PANEL)]
}

# The page has a heading and a caption. gridSVG sets text a little lower than R's devices, and
# second lines more so: titles of axes and of panels get room, and layers of text that is to stand
# above a point are left out.
for_page <- function(plot) {
  keep <- vapply(plot$layers, function(layer) {
    !inherits(layer$geom, "GeomText") || is.null(layer$aes_params$vjust)
  }, NA)
  plot$layers <- plot$layers[keep]
  in_classes(plot) + ggplot2::labs(title = NULL, subtitle = NULL) + ggplot2::theme(
    # gridSVG sets lines a third further apart than R does.
    text = ggplot2::element_text(lineheight = 0.75),
    axis.title.x = ggplot2::element_text(margin = ggplot2::margin(t = 9)),
    strip.text = ggplot2::element_text(margin = ggplot2::margin(8, 0, 7, 0), lineheight = 0.75),
    legend.margin = ggplot2::margin(t = 4)
  )
}

# The pictures ------------------------------------------------------------------------------------

profile_picture <- function(object) {
  # Many columns of tiles need more than a narrow screen has.
  n_columns <- object$k * max(vapply(object$item_probs[informative(object)], nrow, 0L))
  width <- if (n_columns > 20) 7 else report_width
  cells <- plot_profiles(object, NULL, NULL)$data
  local_picture_size(width, profile_height(cells, width))
  plot <- for_page(plot_profiles(object, NULL, NULL))
  report_picture(
    plot, "profiles", "Heat map of what each class answers to the informative items.",
    paste0("How probable each answer is in each class, for the items that tell most; the table ",
           "below has the numbers."),
    mark_tips(plot, paste0(.data$item, " = ", .data$level, "\nClass ", .data$component, ": ",
                           percent(.data$probability, 1)))
  )
}

# In inches, by the rows of tiles and the lines that the longest of their names takes: a row for
# each item, or where the items have panels of their own one for each level of the longest in each
# row of panels.
profile_height <- function(cells, width = 7) {
  rows <- profile_rows(cells)
  n_lines <- names_lines(rows$names, rows$share * width)
  min(12, max(3.2, rows$rest + max(0.22, 0.16 * n_lines + 0.05) * rows$n))
}

# The number of rows, their names with the share of the width that these have, and what else is
# high.
profile_rows <- function(cells) {
  if (is.null(cells$row)) {
    is_shared <- is.factor(cells$level)
    return(list(n = nlevels(cells$item), names = levels(cells$item),
                share = if (is_shared) 0.26 else 0.34, rest = if (is_shared) 2.4 else 1.6))
  }
  if (isTRUE(attr(cells, "together"))) {
    return(list(n = nlevels(cells$row), names = unique(cells$text), share = 0.36, rest = 1.7))
  }
  n_columns <- mixed_columns(cells)
  n_panels <- ceiling(nlevels(cells$panel) / n_columns)
  longest <- max(lengths(split(cells$row, cells$panel))) / nlevels(cells$component)
  list(n = n_panels * longest, names = unique(cells$text), share = 0.36 / n_columns,
       rest = 1.6 + 0.5 * n_panels)
}

# Lines of the longest of the names, up to five.
names_lines <- function(names, width) {
  min(5, max(lengths(lapply(names, break_lines, text_columns(width)))))
}

path_picture <- function(object) {
  local_picture_size(report_width, 3.8)
  plot <- for_page(plot_path(object))
  layers <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomPoint"), NA)
  report_picture(
    plot, "path", "Lines: how far each number of classes is behind the best, by each criterion.",
    paste0("How far each number of classes is behind the best (nats, log scale; lower is better). ",
           "Dashed: this fit. Shaded: less than ", weak_evidence,
           " nats, no strong evidence against (Kass and Raftery 1995)."),
    mark_tips(plot, paste0(.data$criterion, ", k = ", .data$k, "\n", nats(.data$value),
                           " nats behind the best"), which(layers)),
    "geom_point.points"
  )
}

pairs_picture <- function(pairs, most = 12) {
  pairs <- show_pair_labels(pairs)
  shown <- utils::head(pairs[order(-pairs$effect), ], most)
  # Both names, below each other where they do not fit side by side.
  n_lines <- 2 * names_lines(c(shown$item_1, shown$item_2), 0.5 * report_width)
  beside <- names_lines(paste(shown$item_1, "-", shown$item_2), 0.5 * report_width) == 1
  height <- min(12, 1.4 + (if (beside) 0.3 else 0.16 * n_lines + 0.1) * nrow(shown))
  local_picture_size(report_width, height)
  plot <- for_page(draw_pair_bars(pairs, most))
  is_sure <- any(pairs$p_adjusted < 0.05)
  report_picture(
    plot, "pairs", "Bars: the pairs of items with the largest effects.",
    if (is_sure) "Pairs that the classes leave dependent, the largest effects first."
    else "The largest effects among the pairs; chance explains all of them.",
    mark_tips(plot, paste0(.data$item_1, " and ", .data$item_2, "\nEffect ",
                           format_share(.data$effect)))
  )
}

# How many rows of each class are how sure: counts, so that no row can be told.
certainty_picture <- function(object) {
  counts <- certainty_counts(object)
  seen <- counts$sure %in% counts$sure[counts$rows > 0]
  colours <- stats::setNames(c("#0B4F7D", "#5B9BC6", "#C5DCEC", "#E69F00"), levels(counts$sure))
  counts <- droplevels(counts[seen, ])
  n <- nlevels(counts$class)
  n_lines <- names_lines(levels(counts$class), 0.34 * report_width)
  height <- min(12, 1.4 + max(0.35, 0.16 * n_lines + 0.06) * n)
  local_picture_size(report_width, height)
  plot <- ggplot2::ggplot(counts, ggplot2::aes(.data$rows, .data$class, fill = .data$sure)) +
    ggplot2::geom_col(position = ggplot2::position_stack(reverse = TRUE), width = 0.7) +
    ggplot2::scale_fill_manual(values = colours, name = "Probability\nof the class") +
    name_scale(n, 1.4, limits = rev) +
    ggplot2::scale_x_continuous(labels = comma, expand = ggplot2::expansion(c(0, 0.06)),
                                guide = sparse_axis()) +
    ggplot2::labs(x = if (has_weights(object)) "Weight of the rows" else "Rows", y = NULL) +
    theme_mdpd() +
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = label_size(n, 1.4)),
                   legend.justification = "right")
  report_picture(
    plot, "certainty", "Bars: rows of each class by the probability of that class.",
    "Rows of each class by how probable it is that they belong to it.",
    mark_tips(plot, paste0("Class ", .data$class, ", ", .data$sure, "\n",
                           row_words(.data$rows, has_weights(object))))
  )
}

row_words <- function(rows, are_weights) {
  if (are_weights) paste("weight", comma(round(rows, 1)))
  else paste(comma(rows), ifelse(rows == 1, "row", "rows"))
}

# Case weights count.
certainty_counts <- function(object) {
  posterior <- class_posterior(object$posterior, object)
  class <- predict.mdpd(object)
  sure <- cut(largest_posterior(posterior), c(-Inf, 0.5, 0.8, 0.95, Inf), right = FALSE,
              labels = c("below 50 %", "50 to 80 %", "80 to 95 %", "95 % or more"))
  sure <- factor(sure, rev(levels(sure)))
  counts <- tapply(row_weights(object), list(class, sure), sum, default = 0)
  counts <- counts[match(classes_by_size(object), rownames(counts)), , drop = FALSE]
  data.frame(
    class = factor(rownames(counts)[row(counts)], rownames(counts)),
    sure = factor(colnames(counts)[col(counts)], colnames(counts)), rows = as.vector(counts)
  )
}

# In the order of all tables: several components may stand for one class.
classes_by_size <- function(object) {
  if (has_kinds(object)) unique(unname(object$stands_for)) else names(object$mixing_weights)
}

worker_picture <- function(object) {
  local_picture_size(report_width, 4.2)
  plot <- for_page(plot_workers(object))
  layers <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomPoint"), NA)
  report_picture(
    plot, "accuracy", "Points: the estimated accuracy of each worker, with intervals.",
    "How often each worker is right, as estimated, with 95 % intervals. Dashed: guessing.",
    mark_tips(plot, paste0("Worker ", .data$worker, ", ", .data$kind, "\nright ",
                           percent(.data$accuracy), " of ", comma(.data$n_labels), " labels"),
              which(layers)),
    "geom_point.points"
  )
}
