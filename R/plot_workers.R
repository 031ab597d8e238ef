# Two pictures of the workers of a crowd: accuracy against the number of labels, and confusion
# matrices.

# ---- accuracy --------------------------------------------------------------------------

plot_workers <- function(object) {
  points <- worker_positions(worker_points(object))
  ggplot2::ggplot(points, ggplot2::aes(.data$x, .data$accuracy, colour = .data$kind)) +
    ggplot2::geom_hline(yintercept = 1 / length(object$labels), colour = "grey40",
                        linetype = "22") +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$accuracy_lower, ymax = .data$accuracy_upper),
      alpha = if (nrow(points) > 60) 0.25 else 0.45, linewidth = 0.5, show.legend = FALSE
    ) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$kind), size = 2, stroke = 0.9) +
    worker_names(points) +
    worker_x_scale(points) +
    ggplot2::scale_y_continuous(limits = c(0, 1.03), breaks = (0:4) / 4, labels = percent,
                                expand = ggplot2::expansion(c(0.01, 0.02))) +
    ggplot2::scale_colour_manual(values = worker_colours, name = NULL) +
    ggplot2::scale_shape_manual(values = worker_shapes, name = NULL) +
    worker_picture_labels(object, points) +
    theme_mdpd()
}

worker_colours <- c(informative = "#0072B2", undecided = "grey55", spammer = "#D55E00")
worker_shapes <- c(informative = 16, undecided = 1, spammer = 4)

worker_points <- function(object, call = rlang::caller_env(2)) {
  check_crowd_fit(object, call)
  if (!named_by_labels(object)) {
    abort_mdpd(
      c("The components must stand for labels to draw the workers' accuracy.",
        i = "They do where {.arg k} is the number of labels ({length(object$labels)}) and some
             worker is informative."),
      class = "unnamed_components", call = call
    )
  }
  quality <- worker_quality(object)
  kind <- ifelse(quality$informative, "informative", "undecided")
  kind[quality$spammer %in% TRUE & !quality$informative] <- "spammer"
  quality$kind <- factor(kind, names(worker_colours)[names(worker_colours) %in% kind])
  quality[!is.na(quality$accuracy), ]
}

# Counts that differ by a factor of ten or more are read on a log scale. Where all are about equal a
# scale of counts would put the workers in one place: they stand side by side, by accuracy.
worker_scale <- function(points) {
  ratio <- max(points$n_labels) / min(points$n_labels)
  if (ratio < 1.2) "rank" else if (ratio < 10) "linear" else "log"
}

# Workers with the same count are spread a little to both sides, by a quasi-random sequence.
worker_positions <- function(points) {
  tied <- stats::ave(points$n_labels, points$n_labels, FUN = length)
  turn <- stats::ave(points$n_labels, points$n_labels, FUN = seq_along)
  spread <- pmin(0.12, 0.008 * (tied - 1)) * ((turn * 0.618) %% 1 - 0.5)
  n <- points$n_labels
  points$x <- switch(
    worker_scale(points),
    rank = rank(-points$accuracy, ties.method = "first"),
    linear = n + spread * diff(range(n)),
    log = exp(log(n) + spread * diff(range(log(n))))
  )
  points
}

# Those with most evidence, where their names do not overlap.
worker_names <- function(points) {
  named <- points[points$informative, ]
  named <- utils::head(named[order(-named$evidence), ], 24)
  named$name <- shorten(named$worker, 12)
  # Side by side, a name above the point would be crossed by the neighbours' intervals.
  named$y <- if (worker_scale(points) == "rank") named$accuracy_upper else named$accuracy
  ggplot2::geom_text(
    ggplot2::aes(y = .data$y, label = .data$name), data = named, size = 2.8, vjust = -0.8,
    check_overlap = TRUE, show.legend = FALSE
  )
}

worker_x_scale <- function(points) {
  switch(
    worker_scale(points),
    rank = ggplot2::scale_x_continuous(breaks = NULL, expand = ggplot2::expansion(0.04, 0.3)),
    linear = ggplot2::scale_x_continuous(labels = comma, breaks = whole_breaks,
                                         expand = ggplot2::expansion(0.05)),
    log = ggplot2::scale_x_log10(labels = comma, expand = ggplot2::expansion(0.05))
  )
}

worker_picture_labels <- function(object, points) {
  n <- unique(comma(range(points$n_labels)))
  list(
    picture_titles(
      "How often each worker is right",
      paste0(plural(nrow(points), "worker"), ", ", sum(points$informative), " informative, ",
             plural(sum(points$kind == "spammer"), "spammer"), "; 95 % intervals"),
      paste0("Dashed: guessing among ", length(object$labels), " labels")
    ),
    ggplot2::labs(
      x = if (worker_scale(points) == "rank") {
        paste0("Workers, by accuracy (", paste(n, collapse = " to "), " labels each)")
      } else {
        "Number of labels given"
      },
      y = "Estimated accuracy"
    )
  )
}

# ---- confusion matrices ----------------------------------------------------------------

# A small heat map for each worker: classes down, the labels given across.
plot_confusion <- function(object, workers, max_items) {
  check_crowd_fit(object, rlang::caller_env())
  shown <- confusion_workers(object, workers, if (is.null(max_items)) 12 else max_items)
  tables <- label_counts(object, shown)
  cells <- confusion_cells(object, tables)
  n_columns <- ceiling(sqrt(length(shown) * 4 / 3))
  per_row <- n_columns * length(object$labels)
  ggplot2::ggplot(cells, ggplot2::aes(.data$label, .data$class, fill = .data$probability)) +
    heat_tiles(per_row) +
    tile_numbers(cells, show = per_row <= 20) +
    ggplot2::facet_wrap("worker", ncol = n_columns,
                        labeller = ggplot2::as_labeller(confusion_strips(object, tables))) +
    ggplot2::scale_x_discrete(breaks = thin_breaks(ceiling(40 / n_columns)), expand = c(0, 0),
                              labels = function(x) shorten(x, 12), guide = sparse_axis()) +
    ggplot2::scale_y_discrete(
      limits = rev, breaks = thin_breaks(ceiling(28 / ceiling(length(shown) / n_columns)), TRUE),
      expand = c(0, 0), labels = function(x) shorten(x, 12), guide = sparse_axis()
    ) +
    scale_fill_heat(limits = c(0, 1), labels = percent, breaks = (0:4) / 4) +
    confusion_labels(object, shown, workers) +
    theme_confusion(object, n_columns, legend = per_row > 20)
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
confusion_strips <- function(object, tables) {
  right <- if (named_by_labels(object)) paste0(percent(right_shares(tables)), " of ")
  n <- comma(round(vapply(tables, sum, 0)))
  detail <- paste0(right, n, if (is.null(right)) " labels")
  stats::setNames(paste0(shorten(names(tables), 14), "\n", detail), names(tables))
}

confusion_labels <- function(object, shown, workers) {
  n_informative <- length(object$informative)
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
