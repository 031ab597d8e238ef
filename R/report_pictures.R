# Pictures of a report: the ggplots of the package as SVG by gridSVG, whose marks say what they are.

# `tips` names the marks of one layer, in the order in which they are drawn; `marks` is how grid
# names these: "geom_rect.rect" or "geom_point.points".
report_picture <- function(plot, id, alt, caption, tips = NULL, marks = "geom_rect.rect",
                           width = 7, height = 4.5) {
  svg <- picture_svg(plot, id, tips, marks, width, height)
  svg <- sub("<svg [^>]*>", paste0(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" ",
    "viewBox=\"0 0 ", 72 * width, " ", 72 * height, "\" role=\"img\" aria-label=\"",
    htmltools::htmlEscape(alt, attribute = TRUE), "\">"
  ), svg)
  htmltools::tags$figure(htmltools::HTML(svg), htmltools::tags$figcaption(caption))
}

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
for_page <- function(plot, ...) {
  keep <- vapply(plot$layers, function(layer) {
    !inherits(layer$geom, "GeomText") || is.null(layer$aes_params$vjust)
  }, NA)
  plot$layers <- plot$layers[keep]
  plot + ggplot2::labs(title = NULL, subtitle = NULL, ...) + ggplot2::theme(
    axis.title.x = ggplot2::element_text(margin = ggplot2::margin(t = 9)),
    strip.text = ggplot2::element_text(margin = ggplot2::margin(2, 0, 7, 0)),
    legend.margin = ggplot2::margin(t = 4)
  )
}

# The pictures ------------------------------------------------------------------------------------

profile_picture <- function(object) {
  plot <- for_page(plot_profiles(object, NULL, NULL))
  if (identical(plot$labels$x, "Component (mixing weight)")) {
    plot <- plot + ggplot2::labs(x = "Class (share of the rows)")
  }
  report_picture(
    plot, "profiles", "Heat map of what each class answers to the informative items.",
    paste0("How probable each answer is in each class, for the items that tell most; the table ",
           "below has the numbers."),
    mark_tips(plot, paste0(.data$item, " = ", .data$level, "\nClass ", .data$component, ": ",
                           percent(.data$probability, 1))),
    height = profile_height(plot$data)
  )
}

# In inches, by the rows of tiles: a row for each item, or where the items have panels of their own
# one for each level of the longest in each row of panels.
profile_height <- function(cells) {
  n_items <- nlevels(cells$item)
  is_mixed <- !is.null(cells$row)
  n_panels <- if (is_mixed) ceiling(n_items / min(4, ceiling(sqrt(n_items)))) else 0
  n_rows <- if (is_mixed) n_panels * max(cells$position) else n_items
  min(10, max(3.2, 1.6 + 0.22 * n_rows + 0.5 * n_panels))
}

path_picture <- function(object) {
  plot <- for_page(plot_path(object), x = "Classes asked for (k)")
  layers <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomPoint"), NA)
  report_picture(
    plot, "path", "Lines: how far each number of classes is behind the best, by each criterion.",
    paste0("How far each number of classes is behind the best (nats, log scale; lower is better). ",
           "Dashed: this fit. Shaded: less than ", weak_evidence,
           " nats, no strong evidence against (Kass and Raftery 1995)."),
    mark_tips(plot, paste0(.data$criterion, ", k = ", .data$k, "\n", nats(.data$value),
                           " nats behind the best"), which(layers)),
    "geom_point.points", height = 3.8
  )
}

pairs_picture <- function(pairs, most = 12) {
  plot <- for_page(draw_pair_bars(show_pair_labels(pairs), most))
  report_picture(
    plot, "pairs", "Bars: the pairs of items that the classes leave most dependent.",
    "Pairs that the classes leave dependent, the largest effects first.",
    mark_tips(plot, paste0(.data$item_1, " and ", .data$item_2, "\nEffect ",
                           format_share(.data$effect))),
    height = min(8, 1.4 + 0.3 * min(most, nrow(pairs)))
  )
}

# How many rows of each class are how sure: counts, so that no row can be told.
certainty_picture <- function(object) {
  counts <- certainty_counts(object)
  plot <- ggplot2::ggplot(counts, ggplot2::aes(.data$rows, .data$class, fill = .data$sure)) +
    ggplot2::geom_col(position = ggplot2::position_stack(reverse = TRUE), width = 0.7) +
    ggplot2::scale_fill_manual(
      values = stats::setNames(c("#0B4F7D", "#5B9BC6", "#C5DCEC", "#E69F00"), levels(counts$sure)),
      drop = FALSE, name = "Probability of the class"
    ) +
    ggplot2::scale_y_discrete(limits = rev, labels = shorten) +
    ggplot2::scale_x_continuous(labels = comma, expand = ggplot2::expansion(c(0, 0.03))) +
    ggplot2::labs(x = "Rows", y = NULL) +
    theme_mdpd()
  report_picture(
    plot, "certainty", "Bars: rows of each class by the probability of that class.",
    "Rows of each class by how probable it is that they belong to it.",
    mark_tips(plot, paste0("Class ", .data$class, ", ", .data$sure, "\n", comma(.data$rows),
                           " rows")),
    height = min(8, 1.4 + 0.35 * nlevels(counts$class))
  )
}

# Case weights count.
certainty_counts <- function(object) {
  posterior <- class_posterior(object$posterior, object)
  class <- predict.mdpd(object)
  sure <- cut(largest_posterior(posterior), c(-Inf, 0.5, 0.8, 0.95, Inf), right = FALSE,
              labels = c("below 50 %", "50 to 80 %", "80 to 95 %", "95 % or more"))
  sure <- factor(sure, rev(levels(sure)))
  counts <- tapply(row_weights(object), list(class, sure), sum, default = 0)
  data.frame(
    class = factor(rownames(counts)[row(counts)], rownames(counts)),
    sure = factor(colnames(counts)[col(counts)], colnames(counts)), rows = as.vector(counts)
  )
}

worker_picture <- function(object) {
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
