# What is read off an outcome by class, see distal_outcome().

#' @rdname distal_outcome
#' @export
print.distal_outcome <- function(x, ...) {
  rlang::check_dots_empty()
  what <- if (x$kind == "mean") "mean" else "shares"
  about <- if (!is.null(x$label)) paste0(" (", x$label, ")")
  cat_rule(shorten(paste0("Outcome by class: ", what, " of ", shorten(x$outcome, 40), about), 70))
  cat_fields(c(
    Method = if (x$method == "bch") {
      "weights of Bolck, Croon and Hagenaars"
    } else {
      "maximum likelihood of the assigned classes"
    },
    Data = outcome_rows_title(x),
    Errors = if (x$by_design) by_design_title(x),
    Test = paste0("all classes equal: ", test_words(x$test, x), ", p ", p_phrase(x$test$p.value))
  ))
  cat_heading(if (x$kind == "mean") "Means" else "Shares (standard errors)")
  cat_table(if (x$kind == "mean") format_means(x) else format_shares(x))
  cat_heading("Pairs of classes, p adjusted by Holm's method")
  cat_table(format_pairs(x))
  cat_hint("tidy(outcome, conf.int = TRUE), plot(outcome)")
  invisible(x)
}

# "chi-square 2.21, df 1", or by design "F 2.21, df 1 and 29"
test_words <- function(test, x) {
  if (!x$by_design) {
    return(paste0("chi-square ", number_text(test$statistic), ", df ", test$df))
  }
  paste0("F ", number_text(test$statistic / test$df), ", df ", test$df, " and ", x$design_df)
}

outcome_rows_title <- function(x) {
  # A result of an older version does not have the second.
  left_out <- c("without an outcome" = x$n_incomplete, "without any answer" = x$n_no_answer)
  n_rows <- x$n_obs - sum(left_out)
  paste0(plural(n_rows, "row"), weight_title(n_rows, x$nobs), left_out_title(left_out))
}

p_phrase <- function(p) replace(format_p(p, "= "), is.na(p), "not known")

format_means <- function(x) {
  limits <- outcome_limits(x, 0.95)
  digits <- outcome_digits(x)
  ends <- matrix(column_text(limits, digits), ncol = 2)
  text <- cbind(
    size = percent(x$sizes, 1), mean = column_text(x$estimates$estimate, digits),
    "std. error" = column_text(x$estimates$std.error, digits),
    "95 % interval" = paste(ends[, 1], "to", ends[, 2])
  )
  `rownames<-`(text, shorten(x$classes, 20))
}

# Two digits of the smallest error; of errors of hundreds no decimals.
outcome_digits <- function(x) {
  errors <- x$estimates$std.error
  if (isTRUE(min(errors) >= 100)) 0 else row_digits(t(errors))
}

# Numbers of one unit have the same decimals: none where one has five digits before them.
column_text <- function(x, digits = 2) {
  number_text(x, if (any(abs(x) >= 1e4, na.rm = TRUE)) 0 else digits)
}

format_shares <- function(x) {
  errors <- ifelse(is.na(x$estimates$std.error), "-", percent(x$estimates$std.error, 1))
  cells <- paste0(percent(x$estimates$estimate, 1), " (", errors, ")")
  matrix(cells, length(x$levels), dimnames = list(shorten(x$levels, 30), shorten(x$classes, 12)))
}

format_pairs <- function(x) {
  pairs <- x$pairs
  text <- cbind(
    difference = if (x$kind == "mean") column_text(pairs$difference, outcome_digits(x)),
    statistic = column_text(if (x$by_design) pairs$statistic / pairs$df else pairs$statistic),
    df = pairs$df, p = format_p(pairs$p.adjusted)
  )
  colnames(text)[colnames(text) == "statistic"] <- if (x$by_design) "F" else "chi-square"
  `rownames<-`(text, paste(shorten(pairs$class_1, 20), "and", shorten(pairs$class_2, 20)))
}

#' @rdname distal_outcome
#' @export
coef.distal_outcome <- function(object, ...) {
  stats::setNames(object$estimates$estimate, rownames(object$covariance))
}

#' @rdname distal_outcome
#' @export
vcov.distal_outcome <- function(object, ...) object$covariance

# Shares on the logit scale, where they are inside (0, 1); from 0 to 1.
outcome_limits <- function(x, level) {
  estimate <- x$estimates$estimate
  error <- x$estimates$std.error
  limits <- wald_limits(estimate, error, level, "linear", x$design_df)
  if (x$kind == "mean") {
    return(limits)
  }
  inside <- estimate > 0 & estimate < 1
  if (any(inside)) {
    limits[inside, ] <- wald_limits(estimate[inside], error[inside], level, "logit",
                                    x$design_df)
  }
  limits[] <- pmin(pmax(limits, 0), 1)
  limits
}

# conf.int and conf.level are the names that all of broom has.
# nolint start: object_name_linter.

#' @rdname distal_outcome
#' @export
tidy.distal_outcome <- function(x, what = c("classes", "pairs"), conf.int = FALSE,
                                conf.level = 0.95, ...) {
  what <- check_choice(what, c("classes", "pairs"))
  check_flag(conf.int)
  check_number(conf.level, c(0, 1))
  if (what == "pairs") {
    pairs <- x$pairs
    pairs[c("class_1", "class_2")] <- lapply(pairs[c("class_1", "class_2")], factor, x$classes)
    return(as_tidy(pairs))
  }
  table <- data.frame(term = x$outcome, x$estimates)
  table$class <- factor(table$class, x$classes)
  names(table)[names(table) == "level"] <- "outcome"
  if (x$kind == "mean") table$outcome <- NULL
  if (conf.int) {
    limits <- outcome_limits(x, conf.level)
    table[c("conf.low", "conf.high")] <- list(limits[, 1], limits[, 2])
  }
  as_tidy(table)
}

# nolint end

#' @rdname distal_outcome
#' @export
glance.distal_outcome <- function(x, ...) {
  as_tidy(data.frame(
    outcome = x$outcome, method = x$method, statistic = x$test$statistic, df = x$test$df,
    p.value = x$test$p.value, nobs = x$nobs, n_incomplete = x$n_incomplete
  ))
}

#' @rdname distal_outcome
#' @export
augment.distal_outcome <- function(x, ...) {
  abort_mdpd(
    c("{.arg x} must have rows: an outcome by class has estimates of classes alone.",
      i = "{.code augment(fit, data)} has the class of each row, {.code tidy(x)} the estimates."),
    class = "no_rows"
  )
}

#' @rdname distal_outcome
#' @export
autoplot.distal_outcome <- function(object, level = 0.95, ...) {
  rlang::check_dots_empty()
  check_number(level, c(0, 1))
  table <- object$estimates
  table[c("low", "high")] <- as.data.frame(outcome_limits(object, level))
  table$class <- factor(table$class, object$classes)
  table$turn <- -as.integer(table$class)
  if (object$kind == "mean") {
    table$place <- factor(table$class, rev(object$classes))
    draw_outcome(table, object, level) + ggplot2::guides(colour = "none") +
      ggplot2::labs(x = axis_title(paste("Mean of", outcome_title(object)), 1.5), y = "Class")
  } else {
    table$place <- factor(table$level, rev(object$levels))
    draw_outcome(table, object, level) + ggplot2::guides(colour = name_legend(object$classes)) +
      ggplot2::scale_x_continuous(labels = percent) + ggplot2::expand_limits(x = 0) +
      ggplot2::labs(x = "Share in the class", y = NULL)
  }
}

#' @rdname distal_outcome
#' @export
plot.distal_outcome <- function(x, ...) draw_picture(autoplot(x, ...))

outcome_title <- function(object) object$label %||% object$outcome

draw_outcome <- function(table, object, level) {
  beside <- ggplot2::position_dodge(width = 0.6)
  rest <- if (object$kind == "mean") 1.6 else height_beside_names(object$classes)
  room <- name_room(levels(table$place), nlevels(table$place), rest, 0.34)
  ggplot2::ggplot(
    table, ggplot2::aes(.data$estimate, .data$place, colour = .data$class, group = .data$turn)
  ) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$low, xmax = .data$high), position = beside,
                            linewidth = 0.7, na.rm = TRUE) +
    ggplot2::geom_point(position = beside, size = 2.4) +
    class_scales(object) +
    name_scale(nlevels(table$place), rest, room$share, size = room$size) +
    picture_titles(
      paste(outcome_title(object), "by class"),
      paste0(format_number(100 * level), " % intervals; all classes equal: p ",
             p_phrase(object$test$p.value))
    ) +
    theme_mdpd() +
    ggplot2::theme(axis.text.y = ggplot2::element_text(size = room$size),
                   legend.justification = "right")
}
