plot_posterior <- function(object) {
  check_stored(object, "posterior")
  bins <- posterior_bins(object, max_bins = 500)
  blocks <- posterior_blocks(bins)
  named <- named_blocks(blocks)
  heads <- side_names(named$component, named$share, 8)
  components <- names(object$mixing_weights)
  ggplot2::ggplot(posterior_bars(bins, components)) +
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = .data$bottom, ymax = .data$top,
                   fill = .data$component, colour = .data$component),
      linewidth = 0.3  # in the colour of the bar: neighbours would show a seam between them
    ) +
    ggplot2::geom_segment(
      ggplot2::aes(x = .data$from, xend = .data$to, y = .data$sure, yend = .data$sure), data = bins,
      linewidth = 0.4
    ) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$to), data = blocks[-nrow(blocks), ],
                        colour = "white", linewidth = 0.9) +
    posterior_x_scale(named, heads) +
    ggplot2::scale_y_continuous(expand = c(0, 0), breaks = (0:4) / 4) +
    ggplot2::scale_fill_manual(
      values = component_colours(components), labels = component_labels(object), drop = FALSE,
      aesthetics = c("fill", "colour"), name = NULL
    ) +
    ggplot2::guides(fill = component_legend(object), colour = component_legend(object)) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) +
    posterior_labels(object) +
    theme_mdpd() +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), axis.text.x.top = side_text(heads),
                   plot.margin = ggplot2::margin(6, 18, 6, 6))
}

# Rows by predicted class, the surest first. Each bin is a run of neighbours of one class: `from`
# and `to` on the axis of rows (case weights count), the class, and the mean posterior.
posterior_bins <- function(object, max_bins) {
  class <- predicted_column(object)
  sure <- largest_posterior(object$posterior)
  sorted <- order(class, -sure)
  n_bins <- pmax(1, ceiling(max_bins * tabulate(class, object$k) / length(class)))
  run <- unlist(lapply(split(seq_along(class), class[sorted]), function(rows) {
    k <- class[sorted[rows[1]]]
    k * (max_bins + 1) + ceiling(seq_along(rows) * min(n_bins[k], length(rows)) / length(rows))
  }))
  run <- match(run, unique(run))
  weights <- row_weights(object)[sorted]
  width <- drop(rowsum(weights, run))
  posterior <- rowsum(object$posterior[sorted, , drop = FALSE] * weights, run) / width
  bins <- data.frame(from = cumsum(width) - width, to = cumsum(width),
                     class = class[sorted][!duplicated(run)])
  bins$posterior <- posterior
  bins$sure <- posterior[cbind(seq_along(width), bins$class)]
  bins[width > 0, ]
}

# One bar for each bin and component, the predicted class at the bottom.
posterior_bars <- function(bins, components) {
  bars <- lapply(seq_along(components), function(k) {
    is_class <- bins$class == k
    before <- seq_along(components) < k
    below <- rowSums(bins$posterior[, before, drop = FALSE]) + ifelse(bins$class > k, bins$sure, 0)
    bottom <- ifelse(is_class, 0, below)
    data.frame(from = bins$from, to = bins$to, component = components[k],
               bottom = bottom, top = bottom + bins$posterior[, k])
  })
  bars <- do.call(rbind, bars)
  bars$component <- factor(bars$component, components)
  bars[bars$top - bars$bottom > 1e-3, ]
}

# Where each predicted class begins and ends.
posterior_blocks <- function(bins) {
  data.frame(
    class = unique(bins$class), component = colnames(bins$posterior)[unique(bins$class)],
    from = as.vector(tapply(bins$from, bins$class, min)),
    to = as.vector(tapply(bins$to, bins$class, max))
  )
}

# The classes that have room for their names, with their `share` of the width. The legend has all.
named_blocks <- function(blocks) {
  blocks$share <- 0.82 * (blocks$to - blocks$from) / max(blocks$to)
  blocks <- blocks[blocks$share > 0.016, ]
  stands <- Map(side_names, blocks$component, blocks$share, 8)
  blocks[!vapply(stands, `[[`, NA, "upright"), ]
}

# Rows below, the names of the classes above.
posterior_x_scale <- function(named, heads) {
  above <- if (nrow(named) == 0) ggplot2::waiver() else ggplot2::dup_axis(
    name = "Predicted class", breaks = (named$from + named$to) / 2,
    labels = function(at) side_labels(heads)(named$component), guide = sparse_axis()
  )
  ggplot2::scale_x_continuous(expand = c(0, 0), labels = comma, guide = sparse_axis(),
                              sec.axis = above)
}

posterior_labels <- function(object) {
  list(
    picture_titles(
      "How sure the class of each row is",
      paste0("Expected error ", percent(expected_error(object), 1),
             if (holds_rows_out(object)) {
               ", each row judged by the others"
             } else {
               ": what is not in the colour of its class"
             }),
      paste0(percent(share_sure(object, 0.95)), " of rows are at least 95 % sure")
    ),
    ggplot2::labs(x = posterior_axis(object), y = "Posterior probability")
  )
}

# The axis counts what the rows stand for.
posterior_axis <- function(object) {
  rows <- comma(nrow(object$posterior))
  what <- if (has_weights(object)) paste("Weight of the", rows, "rows")
          else paste0("Rows (", rows, ")")
  axis_title(paste0(what, ", the surest of a class first"))
}
