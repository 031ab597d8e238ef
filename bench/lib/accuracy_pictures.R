# The pictures of bench/accuracy.R.
# Okabe and Ito's colours, told apart by all readers; the default call is the one in vermilion.
method_colours <- c(
  "true model" = "black", "majority vote" = "grey60", "majority vote, then EM" = "#0072B2",
  "spectral, then EM" = "#56B4E9", "random EM, 10 starts" = "#009E73",
  "poLCA, 10 starts" = "#F0C000", "VarSelLCM" = "#CC79A7", "paper" = "#7A5195",
  "default call" = "#D55E00"
)

# Mean, lowest and highest error of each method by the number of experts of equal accuracy.
error_by_experts <- function(rows) {
  rows <- rows[rows$kind == "simulated" & rows$method %in% names(method_colours) &
                 !grepl("graded", rows$data), ]
  by_method(rows, function(draws) {
    data.frame(experts = draws$experts[1], method = draws$method[1], error = mean(draws$error),
               lowest = min(draws$error), highest = max(draws$error))
  })
}

simulated_picture <- function(rows) {
  means <- error_by_experts(rows)
  means$method <- factor(means$method, names(method_colours))
  shown <- means[means$method == "default call", ]
  ggplot(means, aes(experts, error, colour = method)) +
    geom_ribbon(aes(ymin = lowest, ymax = highest), data = shown, colour = NA,
                fill = method_colours[["default call"]], alpha = 0.15) +
    geom_line(aes(linewidth = method == "default call", linetype = method == "true model")) +
    geom_point(size = 1.4) +
    scale_colour_manual(values = method_colours, drop = TRUE) +
    scale_linewidth_manual(values = c("TRUE" = 1.1, "FALSE" = 0.5), guide = "none") +
    scale_linetype_manual(values = c("TRUE" = "22", "FALSE" = "solid"), guide = "none") +
    scale_x_continuous(breaks = unique(means$experts)) +
    scale_y_continuous(labels = scales::label_percent(), limits = c(0, NA),
                       expand = expansion(mult = c(0, 0.04))) +
    labs(
      title = "Rows in the wrong class, by the number of experts among 100 workers",
      subtitle = "Mean of the draws; the band is the default call's lowest to highest.",
      x = "experts", y = NULL, colour = NULL
    ) +
    bench_theme()
}

real_picture <- function(rows) {
  rows <- rows[rows$kind != "simulated" & !is.na(rows$error) & !grepl("workers", rows$data), ]
  rows$method <- factor(rows$method, rev(method_names))
  rows$is_default <- rows$method == "default call"
  # A line to compare with, in every panel.
  default <- rows[rows$is_default, c("data", "error")]
  ggplot(rows, aes(error, method)) +
    geom_vline(aes(xintercept = error), data = default, colour = "#D55E00", linewidth = 0.3) +
    geom_point(aes(colour = is_default), size = 2) +
    facet_wrap(~data, scales = "free_x") +
    scale_colour_manual(values = c("TRUE" = "#D55E00", "FALSE" = "grey35"), guide = "none") +
    scale_x_continuous(labels = scales::label_percent(), limits = c(0, NA),
                       breaks = scales::breaks_extended(4), expand = expansion(mult = c(0, 0.08))) +
    labs(title = "Rows in the wrong class", subtitle = "The line is the default call.", x = NULL,
         y = NULL) +
    bench_theme() +
    theme(panel.grid.major.y = element_line(colour = "grey92"), panel.spacing.x = unit(16, "pt"))
}

draw_pictures <- function(results) {
  rows <- scores_of(results)
  save_picture("accuracy-simulated", simulated_picture(rows), width = 8, height = 4.8)
  save_picture("accuracy-real", real_picture(rows), width = 9, height = 5.5)
}
