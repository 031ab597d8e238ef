# A row of panels for each quantity, a column for each phase of the fit. Only stages have an
# information: its row comes last, and the legend stands where it has no panels.
plot_trace <- function(object) {
  check_stored(object, "trace")
  points <- trace_points(object)
  ggplot2::ggplot(points, ggplot2::aes(.data$step, .data$value)) +
    trace_frames(points) +
    split_lines(points) +
    trace_line(points) +
    ggplot2::geom_blank(data = transform(points[points$panel == items_in_use, ], value = 0)) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$phase, shape = .data$event),
                        size = if (max(points$step) > 50) 1.2 else 2.2) +
    ggplot2::facet_grid(
      panel ~ phase, scales = "free", switch = "y",
      labeller = ggplot2::labeller(phase = trace_phases)
    ) +
    ggplot2::scale_x_continuous(breaks = whole_breaks, expand = ggplot2::expansion(0.04, 0.4),
                                guide = sparse_axis()) +
    ggplot2::scale_y_continuous(breaks = few_breaks, expand = ggplot2::expansion(0.12),
                                guide = sparse_axis()) +
    ggplot2::scale_colour_manual(
      values = c(stage = "#0072B2", grow = "#CC79A7", refine = "#D55E00", polish = "#009E73"),
      guide = "none"
    ) +
    ggplot2::scale_shape_manual(
      name = NULL, values = c("component split" = 17, "no component split" = 16),
      breaks = intersect(c("component split", "no component split"), points$event)
    ) +
    trace_labels(object) +
    theme_trace(points)
}

# A count: its scale begins at zero.
items_in_use <- "Items\nin use\n(set S)"

trace_phases <- c(stage = "Stages", grow = "Growth", refine = "Refinement", polish = "Polish")

# Long data, three rows for each row of the trace; unknown values are dropped.
trace_points <- function(object) {
  trace <- object$trace
  values <- list(trace_loglik(object) / object$nobs, trace$n_informative, trace$information)
  names(values) <- c("Log-lik.\nper row\n(nats)", items_in_use,
                     "Strongest\ndependence\n(nats)")
  split <- trace$move %in% "split"
  points <- data.frame(
    step = stats::ave(seq_along(trace$phase), trace$phase, FUN = seq_along),
    k = trace$k,
    phase = factor(trace$phase, intersect(names(trace_phases), trace$phase)),
    event = ifelse(split, "component split", "no component split"),
    panel = factor(rep(names(values), each = nrow(trace)), names(values)),
    value = as.double(unlist(values))
  )
  points[!is.na(points$value), ]
}

# The paper shows the likelihood of all items by component; a full refinement goes on with it.
trace_loglik <- function(object) {
  trace <- object$trace
  if (identical(object$method, "paper") && !identical(object$refine, "sparse")) {
    ifelse(is.na(trace$loglik_all), trace$loglik, trace$loglik_all)
  } else {
    trace$loglik
  }
}

# In the panels that show the step of the split.
split_lines <- function(points) {
  splits <- points[points$event == "component split", c("step", "phase", "panel")]
  ggplot2::geom_vline(
    ggplot2::aes(xintercept = .data$step), data = splits, colour = "grey70", linetype = "22"
  )
}

# A line through a single point would only give a message.
trace_line <- function(points) {
  n_steps <- stats::ave(points$step, as.character(points$phase), FUN = max)
  if (any(n_steps > 1)) {
    ggplot2::geom_line(ggplot2::aes(group = .data$panel), data = points[n_steps > 1, ],
                       colour = "grey55")
  }
}

# Whole numbers where that leaves enough of them: the size of S is a count.
few_breaks <- function(limits) {
  breaks <- pretty(limits, 4)
  if (diff(limits) > 1.2) unique(round(breaks)) else breaks
}

# Why the log-likelihood is lower after the polish, where it is.
polish_note <- function(object) {
  trace <- object$trace
  moves <- trace$move[trace$phase == "polish" & c(FALSE, diff(trace_loglik(object)) < 0)]
  notes <- c(
    if (any(moves != "smoothing")) {
      paste("A move of the polish may lower the log-likelihood: it stays where it raises the",
            if (is.null(object$evidence)) "penalised log-likelihood," else "evidence,",
            "which also counts what the parameters cost.")
    },
    if (any(moves == "smoothing")) {
      paste("Smoothing, the last move, lowers the log-likelihood of these rows a little, so that",
            "no probability rests on a few answers alone.")
    }
  )
  if (length(notes) > 0) paste(strwrap(paste(notes, collapse = " "), 85), collapse = "\n")
}

trace_labels <- function(object) {
  trace <- object$trace
  steps <- c(stage = "stage", grow = "split", refine = "iteration", polish = "move")
  list(
    picture_titles(
      "How the fit went",
      paste0(stages_and_splits(trace), "; ", plural(object$k, "component"), " on ",
             plural(n_informative(object), "informative item"))
    ),
    ggplot2::labs(x = step_names(steps, trace$phase), y = NULL, caption = polish_note(object))
  )
}

# A frame around each panel with points; white over those without, which hides their grid.
trace_frames <- function(points) {
  panels <- expand.grid(panel = levels(points$panel), phase = levels(points$phase))
  frame <- function(data, ...) {
    data <- cbind(data, from = rep(-Inf, nrow(data)), to = rep(Inf, nrow(data)))
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = .data$from, ymax = .data$to),
      data = data, inherit.aes = FALSE, ...
    )
  }
  has_points <- paste(panels$panel, panels$phase) %in% paste(points$panel, points$phase)
  # A row that is empty throughout has no panels.
  is_row <- panels$panel %in% points$panel
  list(frame(panels[has_points, ], fill = NA, colour = "grey85"),
       if (any(is_row & !has_points)) frame(panels[is_row & !has_points, ], fill = "white"))
}

# The quantities' names take the place of the axis titles.
theme_trace <- function(points) {
  theme_mdpd() +
    legend_in_hole(points) +
    ggplot2::theme(
      strip.placement = "outside", strip.clip = "off",
      strip.text.y.left = ggplot2::element_text(face = "plain", size = 8.5, angle = 0, hjust = 1),
      panel.spacing = ggplot2::unit(7, "pt")
    )
}


# Among the panels where the last row has none, else below. ggplot2 3.5 has renamed the place.
legend_in_hole <- function(points) {
  n_columns <- length(unique(points$phase))
  rows <- tapply(points$phase, points$panel, function(phase) length(unique(phase)))
  rows <- rows[!is.na(rows)]
  n_last <- rows[[length(rows)]]
  if (n_last == n_columns) {
    return(NULL)
  }
  centre <- c((n_columns + n_last) / 2 / n_columns, 0.5 / length(rows))
  if (utils::packageVersion("ggplot2") < "3.5.0") {
    ggplot2::theme(legend.position = centre)
  } else {
    ggplot2::theme(legend.position = "inside", legend.position.inside = centre)
  }
}
