# The workers of a crowd: accuracy against the number of labels.
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
        i = labels_hint),
      class = "unnamed_components", call = call
    )
  }
  quality <- worker_quality(object)
  kind <- worker_kind(quality)
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

# Those with most evidence, where neither names nor points lie on their names.
worker_names <- function(points) {
  named <- points[points$informative, ]
  named <- utils::head(named[order(-named$evidence), ], 24)
  named$name <- shorten(named$worker, 12)
  # Side by side, a name above the point would be crossed by the neighbours' intervals.
  named$y <- if (worker_scale(points) == "rank") named$accuracy_upper else named$accuracy
  ggplot2::geom_text(
    ggplot2::aes(y = .data$y, label = .data$name), data = named[!has_point(named, points), ],
    size = 2.8, vjust = -0.8, check_overlap = TRUE, show.legend = FALSE
  )
}

# Is there a point on the name, which is of 8 points and from 0.06 to 0.15 inches above its own?
# Titles and axes take an inch of the width and 1.6 of the height.
has_point <- function(named, points) {
  at <- if (worker_scale(points) == "log") log else identity
  beside <- abs(outer(at(named$x), at(points$x), `-`)) / diff(range(at(points$x)))
  above <- outer(named$y, points$accuracy, function(y, accuracy) accuracy - y)
  half <- text_inches(nchar(named$name, "width"), 8) / 2
  on_name <- (picture_size()[1] - 1) * beside < half + 0.04 &
    abs((picture_size()[2] - 1.6) * above - 0.11) < 0.08
  rowSums(on_name) > 0
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
