#' @rdname goodness_of_fit
#' @export
autoplot.mdpd_goodness_of_fit <- function(object, ...) {
  rlang::check_dots_empty()
  if (object$n == 0) {
    abort_mdpd(
      c("The test must hold samples to draw it, and this one does not.",
        i = "Use {.code goodness_of_fit(fit, n = 200)}."),
      class = "not_stored"
    )
  }
  table <- object$statistics
  samples <- as.list(as.data.frame(object$samples))
  draw_samples(stats::setNames(samples, table$statistic), table$value, table$p_bootstrap) +
    picture_titles("Does the model fit?", "Bars: samples of the fitted model; line: the data") +
    ggplot2::labs(x = "Statistic", y = "Samples")
}

#' @rdname goodness_of_fit
#' @export
plot.mdpd_goodness_of_fit <- function(x, ...) draw_picture(autoplot(x, ...))

# A panel for each of the `samples` of a statistic, named by what stands above it, with its p-value
# and a line where the `observed` value is, however far from them.
draw_samples <- function(samples, observed, p_values) {
  n_columns <- grDevices::n2mfrow(length(samples))[1]
  heads <- side_names(names(samples), 0.9 / n_columns - 0.22 / picture_size()[1], 9, bold = TRUE,
                      below = stats::setNames(paste("p", format_p(p_values, equals = "= ")),
                                              names(samples)))
  panels <- factor(names(samples), names(samples))
  bars <- do.call(rbind, lapply(seq_along(samples), function(i) {
    bars <- sample_bars(samples[[i]])
    cbind(bars, panel = rep(panels[i], nrow(bars)))
  }))
  ggplot2::ggplot(bars) +
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$n),
      fill = okabe_ito[5], colour = okabe_ito[5], linewidth = 0.2
    ) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$value), colour = okabe_ito[6],
                        linewidth = 0.8, data = data.frame(value = observed, panel = panels)) +
    ggplot2::facet_wrap("panel", ncol = n_columns, scales = "free_x",
                        labeller = ggplot2::as_labeller(side_labels(heads))) +
    ggplot2::scale_x_continuous(breaks = sample_breaks(n_columns), labels = short_numbers,
                                guide = sparse_axis()) +
    ggplot2::scale_y_continuous(breaks = whole_breaks, expand = ggplot2::expansion(c(0, 0.05))) +
    theme_mdpd() +
    ggplot2::theme(strip.text = side_text(heads, above = TRUE), strip.clip = "off",
                   panel.spacing.x = ggplot2::unit(16, "pt"))
}

# As many as stand apart below panels of which so many are side by side: half an inch for each.
sample_breaks <- function(n_columns) {
  function(limits) pretty(limits, max(1, min(5, floor(1.8 * picture_size()[1] / n_columns))))
}

# Numbers of any size for a short axis: 1,200 or 5e+09.
short_numbers <- function(x) {
  large <- !is.na(x) & abs(x) >= 1e6
  ifelse(large, vapply(x, format, "", digits = 3), comma(x))
}

# Bins over the samples alone: a value far from them would have all of them in one.
sample_bars <- function(values) {
  values <- values[is.finite(values)]
  breaks <- if (length(values) > 0) pretty(values, 15) else 0
  counts <- tabulate(findInterval(values, breaks, rightmost.closed = TRUE), length(breaks) - 1)
  shown <- counts > 0
  data.frame(from = breaks[-length(breaks)], to = breaks[-1], n = counts)[shown, ]
}
