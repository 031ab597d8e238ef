#' @rdname pair_residuals
#' @param x The data, where the fit keeps none; by default those of the fit. For `print()` and
#'   `plot()` the result of `pair_residuals()`.
#' @param type `"map"`, the default, a heat map of the effects, with a dot on pairs whose corrected
#'   p-value is below 0.05, the most dependent items first; or `"bars"`, the largest effects
#'   as bars.
#' @param max_shown For `type = "map"`: the largest number of items, a count of at least 2. Default
#'   40.
#' @export
autoplot.mdpd_pair_residuals <- function(object, type = c("map", "bars"), max_shown = 40,
                                         max_pairs = 20, ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("map", "bars"))
  check_of_type(list(max_shown = if (!missing(max_shown)) max_shown,
                     max_pairs = if (!missing(max_pairs)) max_pairs),
                of = list(max_shown = "map", max_pairs = "bars"), type)
  check_count(max_shown, min = 2)
  check_count(max_pairs)
  if (!has_pair_columns(object) || all(sparse_pairs(object))) {
    abort_mdpd("{.arg object} must hold a pair with five rows a cell to draw it, and all columns.",
               class = "not_stored")
  }
  object <- show_pair_labels(object[!sparse_pairs(object), ])
  if (type == "map") draw_pair_map(object, max_shown) else draw_pair_bars(object, max_pairs)
}

#' @rdname pair_residuals
#' @export
plot.mdpd_pair_residuals <- function(x, ...) draw_picture(autoplot(x, ...))

draw_pair_map <- function(object, max_items) {
  shown <- strongest_items(object, max_items)
  cells <- pair_cells(object, shown)
  size <- square_size(shown)
  n_items <- length(unique(c(object$item_1, object$item_2)))
  many <- if (length(shown) < n_items) paste(length(shown), "of", comma(n_items)) else n_items
  ggplot2::ggplot(cells, ggplot2::aes(.data$first, .data$second)) +
    ggplot2::geom_raster(ggplot2::aes(fill = .data$effect)) +
    pair_dots(cells, length(shown)) +
    ggplot2::scale_x_discrete(
      limits = shown, breaks = item_breaks(length(shown)),
      labels = square_labels(length(shown), TRUE, size), position = "top", guide = sparse_axis()
    ) +
    ggplot2::scale_y_discrete(
      limits = rev(shown), breaks = item_breaks(length(shown), vertical = TRUE),
      labels = square_labels(length(shown), size = size), guide = sparse_axis()
    ) +
    scale_fill_heat(limits = c(0, max(cells$effect, .Machine$double.eps))) +
    ggplot2::coord_fixed(expand = FALSE, clip = "off") +
    picture_titles("Pairs that the components leave dependent",
                   paste0(many, " items, the most dependent first"), dot_words(object),
                   room = square_title_room()) +
    ggplot2::labs(x = NULL, y = NULL, fill = "Effect") +
    theme_information(length(shown), size)
}

# Of a few pairs the place, as a dot where chance does not explain them.
pair_dots <- function(cells, n_shown) {
  sure <- cells[cells$p_adjusted < 0.05, ]
  if (nrow(sure) == 0) {
    return(NULL)
  }
  ink <- ink_on_heat(sure$effect / max(cells$effect))
  ggplot2::geom_point(data = sure, colour = ink, size = max(0.5, min(2, 40 / n_shown)))
}

dot_words <- function(object) {
  how <- if (attr(object, "n") > 0) paste0(comma(attr(object, "n")), " samples") else "chi-square"
  n_sure <- sum(object$p_adjusted < 0.05)
  if (n_sure == 0) {
    paste0("No pair has a corrected p-value below 0.05 (", how, ")")
  } else {
    paste0("Dots: corrected p-value below 0.05 (", how, "), ", plural(n_sure, "pair"))
  }
}

# Items chosen by their largest effect and sorted by the mean: by the largest, which both items of a
# pair share, they would be neighbours, and chance would look like a band along the diagonal.
strongest_items <- function(object, max_items) {
  effects <- split(rep(object$effect, 2), c(object$item_1, object$item_2))
  largest <- sort(vapply(effects, max, 0), decreasing = TRUE)
  chosen <- effects[names(utils::head(largest, max_items))]
  names(sort(vapply(chosen, mean, 0), decreasing = TRUE))
}

# Both halves of the square.
pair_cells <- function(object, shown) {
  object <- object[object$item_1 %in% shown & object$item_2 %in% shown, ]
  data.frame(
    first = factor(c(object$item_1, object$item_2), shown),
    second = factor(c(object$item_2, object$item_1), shown),
    effect = rep(object$effect, 2), p_adjusted = rep(object$p_adjusted, 2)
  )
}

draw_pair_bars <- function(object, max_pairs) {
  class(object) <- "data.frame"
  shown <- utils::head(object[order(-object$effect), ], max_pairs)
  shown$pair <- factor(seq_len(nrow(shown)), rev(seq_len(nrow(shown))))
  shown$sure <- ifelse(shown$p_adjusted < 0.05, "below 0.05", "0.05 and more")
  many <- if (nrow(shown) < nrow(object)) paste(nrow(shown), "of")
  ggplot2::ggplot(shown, ggplot2::aes(.data$effect, .data$pair, fill = .data$sure)) +
    ggplot2::geom_col(width = 0.7) +
    pair_scale(shown) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.05))) +
    ggplot2::scale_fill_manual(
      name = "Corrected p", breaks = c("below 0.05", "0.05 and more"),
      values = c("below 0.05" = "#D55E00", "0.05 and more" = "#56B4E9")
    ) +
    picture_titles("Pairs that the components leave dependent",
                   paste(c(many, comma(nrow(object)), "pairs, the largest effects first"),
                         collapse = " ")) +
    ggplot2::labs(x = "Effect", y = NULL) +
    theme_rows(label_size(nrow(shown), 1.4))
}

# Both items of a pair, side by side or below each other; half of the picture is for them.
pair_scale <- function(pairs) {
  n <- nrow(pairs)
  labels <- function(rows) {
    width <- 0.5 * picture_size()[1]
    height <- row_height(n, 1.4)
    size <- label_size(n, 1.4)
    items <- c(pairs$item_1, pairs$item_2)
    side <- max(nchar(items[seq_len(n)], "width") + nchar(items[-seq_len(n)], "width")) + 3
    beside <- side <= text_columns(width, size) || text_lines(height, size) < 2
    items <- if (beside) fit_pair_side(items, side, text_columns(width, size))
             else fit_labels(items, width, height / 2, size)
    names <- paste(items[seq_len(n)], items[-seq_len(n)], sep = if (beside) " - " else " -\n")
    names[as.integer(rows)]
  }
  ggplot2::scale_y_discrete(labels = labels)
}

fit_pair_side <- function(items, side, columns) {
  if (side <= columns) items else shorten(items, max(8, (columns - 3) %/% 2))
}
