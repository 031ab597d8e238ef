# The criteria of the number of components, each as the distance from its best value so that all
# share one scale.
plot_path <- function(object) {
  check_path(object, rlang::caller_env())
  points <- path_points(object$path)
  chosen <- object$path$k[match(object$k, object$path$components)]
  ggplot2::ggplot(points, ggplot2::aes(.data$k, .data$value, colour = .data$criterion)) +
    ggplot2::geom_vline(xintercept = chosen, linetype = "dashed", colour = "grey60") +
    ggplot2::geom_line(linewidth = 0.6) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$best), size = 2.6) +
    ggplot2::scale_shape_manual(
      name = NULL, values = c("best by this criterion" = 17, "not the best" = 16)
    ) +
    ggplot2::scale_colour_manual(name = "Criterion", values = c(
      "penalised log-likelihood" = "#0072B2", AIC = "#E69F00", ICL = "#009E73"
    )) +
    ggplot2::scale_x_continuous(breaks = object$path$k) +
    ggplot2::labs(
      title = "How many components",
      subtitle = sprintf("This fit has %d; lower is better", object$k),
      x = "Components asked for (k)", y = "Behind the best value\n(nats)"
    ) +
    theme_mdpd() +
    ggplot2::theme(legend.box = "vertical", legend.spacing.y = ggplot2::unit(0, "pt"))
}

# Long data; AIC and ICL are halved to nats.
path_points <- function(path) {
  behind <- list(
    "penalised log-likelihood" = max(path$penalised_loglik) - path$penalised_loglik,
    AIC = (path$AIC - min(path$AIC)) / 2,
    ICL = (path$ICL - min(path$ICL)) / 2
  )
  points <- data.frame(
    k = path$k,
    criterion = factor(rep(names(behind), each = nrow(path)), names(behind)),
    value = unlist(behind, use.names = FALSE)
  )
  points$best <- ifelse(points$value == 0, "best by this criterion", "not the best")
  points
}
