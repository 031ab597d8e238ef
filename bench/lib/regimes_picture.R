# The pictures of bench/regimes.R: error by the share of informative items on the grid, and error at
# the other points.

regime_colours <- c("true model" = "black", "full EM" = "#009E73", bic = "#56B4E9",
                    evidence = "#D55E00", "Dawid-Skene" = "#7A5195", "majority vote" = "grey60")
# The true model, a bar, is what nobody can be far below.
regime_shapes <- c("true model" = 95, "full EM" = 15, bic = 17, evidence = 19, "Dawid-Skene" = 18,
                   "majority vote" = 18)
point_sizes <- c("true model" = 5, "full EM" = 2.2, bic = 2.2, evidence = 2.2,
                 "Dawid-Skene" = 2.6, "majority vote" = 2.6)
grid_methods <- c("true model", "full EM", "bic", "evidence")

# Mean error of each method at each point.
mean_errors <- function(points, draws, methods) {
  names <- vapply(points, `[[`, "", "name")
  rows <- draws[draws$point %in% names & draws$method %in% methods, ]
  means <- stats::aggregate(error ~ point + method, rows, mean)
  means$method <- factor(means$method, methods)
  means$point <- factor(means$point, names)
  means
}

# The factors of the grid, beside its points.
with_grid_factors <- function(means, points) {
  of_point <- points[match(means$point, vapply(points, `[[`, "", "name"))]
  on_grid <- function(what) unlist(lapply(of_point, function(point) point$on_grid[[what]]))
  items <- on_grid("n_items")
  strength <- on_grid("strength")
  share <- on_grid("share")
  means$items <- factor(paste(items, "items"), paste(sort(unique(items)), "items"))
  means$strength <- factor(strength_label(strength), strength_label(names(strengths)))
  means$share <- factor(paste(100 * share, "%"), paste(100 * sort(unique(share)), "%"))
  means
}

strength_label <- function(strength) {
  paste0(strength, "\ntrue model ", 100 * strengths[strength], " %")
}

grid_picture <- function(points, draws) {
  points <- Filter(function(point) point$group == "grid", points)
  means <- with_grid_factors(mean_errors(points, draws, grid_methods), points)
  beside <- position_dodge(width = 0.3)
  ggplot(means, aes(share, error, colour = method, shape = method, group = method)) +
    geom_hline(yintercept = 2 / 3, linetype = "dotted", colour = "grey40") +
    geom_line(position = beside, linewidth = 0.4, alpha = 0.6) +
    geom_point(aes(size = method), position = beside) +
    facet_grid(strength ~ items, scales = "free_x", space = "free_x") +
    method_scales(regime_shapes[grid_methods]) +
    error_scale(scale_y_continuous) +
    labs(
      title = "Rows in the wrong class, from sparse to dense and from weak to strong",
      subtitle = paste0(
        "Fits at the true k, means of the draws; 1000 rows, 3 levels, 3 equal classes. ",
        "Dotted: one class for all rows."
      ),
      x = "share of informative items", y = NULL
    ) +
    bench_theme() +
    theme(legend.position = "top", strip.text.y = element_text(angle = 0),
          panel.border = element_rect(colour = "grey85", fill = NA))
}

others_picture <- function(points, draws) {
  points <- Filter(function(point) !point$group %in% c("grid", "noise"), points)
  means <- mean_errors(points, draws, names(regime_colours))
  groups <- vapply(points, `[[`, "", "group")
  means$group <- factor(groups[as.integer(means$point)], unique(groups))
  means$point <- factor(means$point, rev(levels(means$point)))
  # A bar that stands across its row.
  shapes <- replace(regime_shapes, "true model", 124)
  ggplot(means[order(means$method), ], aes(error, point, colour = method, shape = method)) +
    geom_point(aes(size = method)) +
    facet_grid(group ~ ., scales = "free_y", space = "free_y") +
    method_scales(shapes[names(regime_colours)]) +
    error_scale(scale_x_continuous) +
    labs(title = "Rows in the wrong class", subtitle = "Fits at the true k, means of the draws.",
         x = NULL, y = NULL) +
    guides(colour = guide_legend(nrow = 1)) +
    bench_theme() +
    theme(legend.position = "top", strip.text.y = element_text(angle = 0),
          panel.grid.major.y = element_line(colour = "grey92"))
}

# One colour and one shape a method, in the order of `shapes`.
method_scales <- function(shapes) {
  methods <- names(shapes)
  list(
    scale_colour_manual(NULL, values = regime_colours[methods]),
    scale_shape_manual(NULL, values = shapes),
    scale_size_manual(NULL, values = point_sizes[methods])
  )
}

error_scale <- function(scale) {
  scale(labels = scales::label_percent(suffix = " %"), limits = c(0, NA),
        expand = expansion(mult = c(0.02, 0.05)))
}

draw_picture <- function(points, draws) {
  save_picture("regimes", grid_picture(points, draws), width = 9, height = 6.5)
  save_picture("regimes-others", others_picture(points, draws), width = 9, height = 6.5)
}
