#' Pictures of a class regression
#'
#' `autoplot()` makes one picture as a ggplot object; `plot()` draws it.
#'
#' * `"coefficients"`: the coefficients of each class against the reference, with intervals. Those
#'   whose interval does not reach zero are filled.
#' * `"shares"`: the share of each class against one covariate, with intervals: the mean over the
#'   rows of the regression (by case weight), were all of them to have that value of the covariate
#'   and else their own.
#'
#' @param object,x A [class_regression()].
#' @param type `"coefficients"`, the default, or `"shares"`.
#' @param covariate For `type = "shares"`: name of a column of the data that the formula names; by
#'   default, `NULL`, the first.
#' @param level Confidence level of the intervals, from 0 to 1. Default 0.95.
#' @param intercept Show the intercepts among the coefficients? By default, `FALSE`, only where
#'   there is nothing else.
#' @param ... For `autoplot()`: must be empty. For `plot()`: arguments passed on to `autoplot()`.
#' @return `autoplot()` returns a ggplot object; `plot()` draws it and returns it invisibly.
#' @section Errors: `mdpd_error_argument` for an argument out of range or of the other type, or
#'   `"shares"` of a regression without covariates.
#' @family conclusions
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 3)
#' regression <- class_regression(fit, ~ party, data = house_votes)
#' plot(regression)
#' plot(regression, type = "shares")
#' @name plot.class_regression
NULL

#' @rdname plot.class_regression
#' @export
autoplot.class_regression <- function(object, type = c("coefficients", "shares"),
                                      covariate = NULL, level = 0.95, intercept = FALSE, ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("coefficients", "shares"))
  check_number(level, c(0, 1))
  check_flag(intercept)
  check_of_type(list(covariate = covariate, intercept = if (intercept) TRUE),
                of = list(covariate = "shares", intercept = "coefficients"), type)
  if (type == "coefficients") {
    return(plot_coefficients(object, level, intercept))
  }
  covariate <- check_covariate(covariate, object)
  draw_shares(shares_against(object, covariate, level), object, covariate, level)
}

#' @rdname plot.class_regression
#' @export
plot.class_regression <- function(x, ...) draw_picture(autoplot(x, ...))

check_covariate <- function(covariate, object, call = rlang::caller_env()) {
  is_vector <- vapply(object$covariates, function(x) length(dim(x)) < 2, NA)
  named <- names(object$covariates)[is_vector]
  if (length(named) == 0) {
    abort_mdpd("{.code type = \"shares\"} needs a regression with a covariate from its data.",
               class = "argument", call = call)
  }
  if (is.null(covariate)) {
    return(named[1])
  }
  if (!rlang::is_string(covariate, named) || !is.null(dim(covariate))) {
    abort_mdpd("{.arg covariate} must be {.or {.val {named}}}, not {describe(covariate)}.",
               class = "argument", call = call)
  }
  covariate
}

# Coefficients ------------------------------------------------------------------------------------

plot_coefficients <- function(object, level, intercept) {
  table <- summary(object, level = level)$coefficients
  if (!intercept && any(table$term != "(Intercept)")) {
    table <- table[table$term != "(Intercept)", ]
  }
  table$term <- factor(table$term, rev(unique(table$term)))
  levels(table$term) <- make.unique(term_titles(object, levels(table$term)))
  table$class <- factor(table$class, colnames(object$coefficients))
  table$sure <- table$conf.low > 0 | table$conf.high < 0
  draw_coefficients(table, object, level)
}

draw_coefficients <- function(table, object, level) {
  beside <- ggplot2::position_dodge(width = 0.6)
  rest <- height_beside_names(object$classes)
  room <- name_room(levels(table$term), nlevels(table$term), rest, 0.34)
  # The first class on top.
  table$turn <- -as.integer(table$class)
  ggplot2::ggplot(
    table,
    ggplot2::aes(.data$estimate, .data$term, colour = .data$class, group = .data$turn)
  ) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey40", linetype = "22") +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$conf.low, xmax = .data$conf.high), position = beside,
      linewidth = 0.7, na.rm = TRUE
    ) +
    ggplot2::geom_point(
      ggplot2::aes(fill = ifelse(.data$sure %in% TRUE, as.character(.data$class), NA)),
      position = beside, shape = 21, size = 2.4, stroke = 0.9, show.legend = FALSE
    ) +
    class_scales(object) +
    name_scale(nlevels(table$term), rest, room$share, size = room$size) +
    ggplot2::guides(colour = name_legend(object$classes)) +
    picture_titles(
      "What goes with each class",
      paste0("Log odds against class ", object$reference, ", ", format_number(100 * level),
             " % intervals; filled: the interval does not reach 0")
    ) +
    ggplot2::labs(x = "Coefficient", y = NULL) +
    theme_mdpd() +
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = room$size),
                   legend.justification = "right")
}

# Each class has the colour that it has in the pictures of the fit.
class_scales <- function(object) {
  colours <- component_colours(object$classes)
  list(
    ggplot2::scale_colour_manual(values = colours, name = "Class", labels = legend_labels),
    ggplot2::scale_fill_manual(values = colours, name = "Class", labels = legend_labels,
                               na.value = "white", guide = "none")
  )
}

# Shares ------------------------------------------------------------------------------------------

# The values of a covariate and at each the mean shares of the classes, with intervals.
shares_against <- function(object, covariate, level) {
  values <- covariate_values(object$covariates[[covariate]])
  n_rows <- length(object$rows)
  # Means over a thousand rows spread evenly over the data are good to the width of a line.
  shown <- unique(round(seq(1, n_rows, length.out = min(n_rows, 1000))))
  data <- object$covariates[shown, , drop = FALSE]
  weights <- object$weights[shown] %||% rep(1, length(shown))
  tables <- lapply(seq_along(values), function(i) {
    data[[covariate]] <- rep(values[i], nrow(data))
    mean_shares(object, covariate_design(object, data, rlang::current_env()), weights, level)
  })
  table <- do.call(rbind, tables)
  # ggplot2 draws lengths of time by another package, hms.
  if (inherits(values, "difftime")) values <- as.numeric(values)
  table$value <- rep(values, each = object$k)
  table
}

is_continuous <- function(x) (is.numeric(x) || is_time(x)) && length(unique(x)) > 2

covariate_values <- function(x) {
  if (is_continuous(x)) {
    ends <- range(x)
    at <- seq(0, 1, length.out = 60)
    return(if (is_time(x)) ends[1] + at * diff(ends) else seq(ends[1], ends[2], length.out = 60))
  }
  if (is.factor(x)) factor(levels(droplevels(x)), levels(x)) else sort(unique(x))
}

mean_shares <- function(object, design, weights, level) {
  weights <- weights / sum(weights)
  shares <- shares_by(object, design)
  errors <- vapply(seq_len(object$k), function(class) {
    errors_of_moves(crossprod(weights, share_slopes(object, design$x, shares, class)),
                    object$covariance)
  }, 0)
  interval_table(1, crossprod(weights, shares), errors, level, object$design_df)
}

draw_shares <- function(table, object, covariate, level) {
  x <- object$covariates[[covariate]]
  continuous <- is_continuous(x)
  if (!continuous) table$value <- factor(table$value, unique(table$value))
  others <- if (ncol(object$covariates) > 1) "the other covariates as in the data; "
  title <- item_titles(covariate, object$variable_labels)[[1]]
  unit <- if (inherits(x, "difftime")) paste0(" (", units(x), ")")
  ggplot2::ggplot(table, ggplot2::aes(.data$value, .data$estimate, colour = .data$class)) +
    share_layers(continuous) +
    class_scales(object) +
    ggplot2::scale_y_continuous(limits = c(0, 1), labels = percent,
                                expand = ggplot2::expansion(c(0, 0.02))) +
    (if (!continuous) share_x_scale(nlevels(table$value))) +
    ggplot2::guides(colour = name_legend(object$classes)) +
    picture_titles(
      paste("Size of the classes by", title),
      paste0("Mean over the rows, ", others, format_number(100 * level), " % intervals")
    ) +
    ggplot2::labs(x = axis_title(paste0(title, unit)), y = "Share") +
    theme_mdpd() +
    ggplot2::theme(legend.justification = "right")
}

share_x_scale <- function(n) {
  ggplot2::scale_x_discrete(guide = sparse_axis(), labels = function(values) {
    room <- picture_size()
    fit_labels(values, 0.7 * room[1] / n, 0.14 * room[2], 8)
  })
}

share_layers <- function(continuous) {
  if (continuous) {
    return(list(
      ggplot2::geom_ribbon(
        ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high, fill = .data$class),
        alpha = 0.18, colour = NA, show.legend = FALSE
      ),
      ggplot2::geom_line(linewidth = 0.9)
    ))
  }
  beside <- ggplot2::position_dodge(width = 0.5)
  list(
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high), position = beside,
      linewidth = 0.7, na.rm = TRUE
    ),
    ggplot2::geom_point(position = beside, size = 2.4)
  )
}
