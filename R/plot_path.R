# The criteria of the number of components, each as the distance from its best value so that all
# share one scale. One component is often thousands of nats behind where the choice among the others
# is about a few: the scale is logarithmic, of one plus the distance.
plot_path <- function(object) {
  check_path(object, rlang::caller_env())
  points <- path_points(object$path)
  chosen <- object$path$k[match(object$k, object$path$components)]
  ggplot2::ggplot(points, ggplot2::aes(.data$k, .data$value, colour = .data$criterion)) +
    ggplot2::annotate("rect", xmin = -Inf, xmax = Inf, ymin = 0, ymax = weak_evidence,
                      fill = "grey93") +
    ggplot2::geom_vline(xintercept = chosen, linetype = "dashed", colour = "grey60") +
    (if (nrow(object$path) > 1) ggplot2::geom_line(linewidth = 0.6)) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$best), size = 2.4) +
    ggplot2::scale_shape_manual(
      name = NULL, values = c("best by this criterion" = 17, "not the best" = 16)
    ) +
    ggplot2::scale_colour_manual(name = NULL, values = c(
      "penalised log-likelihood" = "#0072B2", evidence = "#0072B2", AIC = "#E69F00", ICL = "#009E73"
    )) +
    ggplot2::scale_x_continuous(breaks = object$path$k) +
    scale_y_behind(points$value) +
    # Without an order ggplot2 places one legend now above, now below the other.
    ggplot2::guides(colour = ggplot2::guide_legend(order = 1),
                    shape = ggplot2::guide_legend(order = 2)) +
    picture_titles(
      "How many components",
      paste0("Dashed: this fit, with ", object$k, "; lower is better"),
      paste0("Shaded: within ", weak_evidence, " nats, no strong evidence against")
    ) +
    ggplot2::labs(x = "Components asked for (k)", y = "Behind the best\n(nats, log scale)") +
    theme_mdpd() +
    ggplot2::theme(legend.box = "vertical", legend.spacing.y = ggplot2::unit(0, "pt"))
}

# A difference of -BIC/2, the logarithm of a Bayes factor, below which Kass and Raftery (1995) do
# not call evidence strong (nats).
weak_evidence <- 3

# ggplot2 3.5 has renamed the argument.
scale_y_behind <- function(values) {
  breaks <- c(0, 1, 3, 10, 30, 100, 300, 10^(3:9))
  transformation <- if (utils::packageVersion("ggplot2") < "3.5.0") "trans" else "transform"
  arguments <- list(
    breaks = breaks[breaks <= max(values, weak_evidence)], labels = comma, guide = sparse_axis(),
    expand = ggplot2::expansion(0.05)
  )
  arguments[[transformation]] <- "log1p"
  do.call(ggplot2::scale_y_continuous, arguments)
}

# Long data.
path_points <- function(path) {
  behind <- behind_best(path)
  criteria <- c(main_name(path), names(behind)[-1])
  points <- data.frame(
    k = path$k,
    criterion = factor(rep(criteria, each = nrow(path)), criteria),
    value = unlist(behind, use.names = FALSE)
  )
  best <- unlist(lapply(behind, is_best, path))
  points$best <- ifelse(best, "best by this criterion", "not the best")
  points
}
