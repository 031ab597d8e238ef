# A small heat map for each worker: classes down, the labels given across.
plot_confusion <- function(object, workers, max_items) {
  check_crowd_fit(object, rlang::caller_env())
  shown <- confusion_workers(object, workers, if (is.null(max_items)) 12 else max_items)
  tables <- label_counts(object, shown)
  cells <- confusion_cells(object, tables)
  n_columns <- ceiling(sqrt(length(shown) * 4 / 3))
  per_row <- n_columns * length(object$labels)
  n_rows <- ceiling(length(shown) / n_columns)
  numbers <- tile_numbers(cells, 0.8 * picture_size()[1] / per_row,
                          row_height(n_rows * object$k, 1.2 + 0.3 * n_rows))
  ggplot2::ggplot(cells, ggplot2::aes(.data$label, .data$class, fill = .data$probability)) +
    heat_tiles(per_row) +
    numbers +
    ggplot2::facet_wrap(
      "worker", ncol = n_columns,
      labeller = ggplot2::as_labeller(confusion_strips(object, tables, n_columns))
    ) +
    ggplot2::scale_x_discrete(breaks = thin_breaks(ceiling(40 / n_columns)), expand = c(0, 0),
                              labels = function(x) shorten(x, 12), guide = sparse_axis()) +
    ggplot2::scale_y_discrete(
      limits = rev, breaks = thin_breaks(ceiling(28 / n_rows), TRUE),
      expand = c(0, 0), labels = function(x) shorten(x, 12), guide = sparse_axis()
    ) +
    scale_fill_heat(limits = c(0, 1), labels = percent, breaks = heat_breaks()) +
    confusion_labels(object, shown, workers) +
    theme_confusion(object, n_columns, legend = is.null(numbers))
}

confusion_workers <- function(object, workers, most, call = rlang::caller_env(2)) {
  all_workers <- colnames(object$coded$codes)
  if (!is.null(workers)) {
    return(check_workers(workers, all_workers, call = call))
  }
  informative <- informative_order(object)
  utils::head(if (length(informative) > 0) informative else all_workers, most)
}

# Long data. A class of which the worker labelled less than half an item is shown without
# probabilities.
confusion_cells <- function(object, tables) {
  cells <- Map(function(worker, counts) {
    probs <- row_shares(counts)
    probs[rowSums(counts) < 0.5, ] <- NA
    data.frame(
      worker = worker, class = rownames(probs)[row(probs)], label = colnames(probs)[col(probs)],
      probability = as.vector(probs)
    )
  }, names(tables), tables)
  cells <- do.call(rbind, unname(cells))
  cells$worker <- factor(cells$worker, names(tables))
  cells$class <- factor(cells$class, class_levels(object))
  cells$label <- factor(cells$label, object$labels)
  cells
}

# "17: 93 % of 108"
confusion_strips <- function(object, tables, n_columns) {
  right <- if (named_by_labels(object)) paste0(percent(right_shares(tables)), " of ")
  n <- comma(round(vapply(tables, sum, 0)))
  detail <- paste0(right, n, if (is.null(right)) " labels")
  # Beside the names of the classes, in bold type.
  beside <- 0.6 + text_inches(max(nchar(shorten(class_levels(object), 12), "width")), 8)
  width <- max(8, text_columns((picture_size()[1] - beside) / n_columns, 8.8))
  stats::setNames(paste0(shorten(names(tables), width), "\n", detail), names(tables))
}

confusion_labels <- function(object, shown, workers) {
  n_informative <- n_informative(object)
  which <- if (!is.null(workers)) {
    plural(length(shown), "worker")
  } else if (n_informative == 0) {
    paste0("No worker is informative: ", plural(length(shown), "worker"))
  } else if (length(shown) == n_informative) {
    paste0(plural(n_informative, "informative worker"), ", strongest first")
  } else {
    paste0(length(shown), " of ", n_informative, " informative workers, strongest first")
  }
  by_label <- named_by_labels(object)
  list(
    picture_titles(
      "What workers say to items of each class", which,
      paste0("In percent", if (by_label) "; above each worker, the share of right labels")
    ),
    ggplot2::labs(x = "Label given", y = if (by_label) "True label, as estimated" else "Component",
                  fill = "Probability")
  )
}

# With a number on every tile the legend would only take room.
theme_confusion <- function(object, n_columns, legend) {
  long <- max(nchar(shorten(object$labels, 12))) * length(object$labels) * n_columns > 60
  theme_heat_map() +
    ggplot2::theme(
      legend.position = if (legend) "bottom" else "none",
      axis.text.x = if (long) vertical_text(8) else ggplot2::element_text(size = 8),
      axis.text.y = ggplot2::element_text(size = 8),
      strip.text = ggplot2::element_text(size = 8, lineheight = 0.9,
                                         margin = ggplot2::margin(1, 0, 1, 0)),
      panel.spacing = ggplot2::unit(4, "pt")
    )
}
