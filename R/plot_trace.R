# A row of panels for each quantity, a column for each phase of the fit.
plot_trace <- function(object) {
  check_stored(object, "trace")
  points <- trace_points(object)
  ggplot2::ggplot(points, ggplot2::aes(.data$step, .data$value)) +
    split_lines(points) +
    trace_line(points) +
    ggplot2::geom_blank(data = transform(points[points$panel == levels(points$panel)[3], ],
                                         value = 0)) +  # a count begins at zero
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
    theme_trace()
}

trace_phases <- c(stage = "Stages", grow = "Growth", refine = "Refinement", polish = "Polish")

# Long data, three rows for each row of the trace; unknown values are dropped.
trace_points <- function(object) {
  trace <- object$trace
  values <- list(
    "Log-lik.\nper row\n(nats)" = trace_loglik(object) / object$nobs,
    "Largest\ncond. inf.\n(nats)" = trace$information,
    "Size\nof S\n(items)" = trace$n_informative
  )
  split <- trace$move %in% "split"
  points <- data.frame(
    step = stats::ave(seq_along(trace$phase), trace$phase, FUN = seq_along),
    k = trace$k,
    phase = factor(trace$phase, names(trace_phases)),
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

split_lines <- function(points) {
  splits <- unique(points[points$event == "component split", c("step", "phase")])
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

trace_labels <- function(object) {
  trace <- object$trace
  steps <- c(stage = "stage", grow = "split", refine = "iteration", polish = "move")
  list(
    picture_titles(
      "How the fit went",
      paste0(stages_and_splits(trace), "; ", plural(object$k, "component"), " on ",
             plural(n_informative(object), "informative item"))
    ),
    ggplot2::labs(x = step_names(steps, trace$phase), y = NULL)
  )
}

# The quantities' names take the place of the axis titles.
theme_trace <- function() {
  theme_mdpd() +
    ggplot2::theme(
      strip.placement = "outside",
      strip.text.y.left = ggplot2::element_text(face = "plain", size = 8.5, angle = 0, hjust = 1),
      panel.border = ggplot2::element_rect(colour = "grey85", fill = NA),
      panel.spacing = ggplot2::unit(7, "pt")
    )
}
