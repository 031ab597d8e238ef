#' An outcome by class
#'
#' What follows from the class? The mean of a number, or the shares of the levels of a factor, in
#' each class, with standard errors, a test of whether all classes are equal, and tests of each pair
#' of classes. The outcome is not part of the fit. If each row is assigned to its likeliest class
#' and the outcome is averaged there, the classes are drawn towards each other: the more, the less
#' sure they are. Both methods undo that.
#'
#' With \eqn{W_n} the class that row n is assigned to and \eqn{D} the k x k table of the
#' probabilities of being assigned to each class given the true one, as the fit expects it,
#'
#' * `"bch"`, the default, weighs the rows by \eqn{w^*_{nk}}{w*[n,k]}, row \eqn{W_n} of
#'   \eqn{D^{-1}}: the mean of class k is \eqn{\sum_n c_n w^*_{nk} y_n / \sum_n c_n w^*_{nk}}{sum_n
#'   c_n w*[n,k] y_n / sum_n c_n w*[n,k]} (Bolck, Croon and Hagenaars 2004; Vermunt 2010). It takes
#'   nothing for granted about the outcome's distribution. Some weights are negative, so that a
#'   share near 0 may come out below it, with a warning.
#' * `"ml"` maximises the likelihood of the assigned classes and the outcome, \eqn{\sum_n c_n \log
#'   \sum_k \pi_k D_{k W_n} f_k(y_n)}{sum_n c_n log sum_k pi_k D[k,W_n] f_k(y_n)}. For numbers
#'   \eqn{f_k} is normal with a mean and a variance of its own; where they are far from that, as
#'   skewed ones are, the outcome changes the classes, and means, errors and tests are of other
#'   ones (Bakk and Vermunt 2016). A warning says so where a mean is further from that by `"bch"`
#'   than half a standard error and the error of the difference (Hausman 1978) explain, or where
#'   the sizes move by more than 10 % of the rows. The maximum is the one next to the classes of
#'   the fit, where EM from equal means ends; a higher one, if there is any, is of other classes.
#'
#' On simulated tables of which 14 % of the rows are assigned to a wrong class, a true mean of 1 is
#' 0.98 on average by `"ml"`, 0.97 by `"bch"` and 0.74 among the rows assigned to the class; 95 %
#' intervals hold the truth in 94.4, 93.5 and 33.7 % of the draws (`bench/class_regression.R`).
#'
#' The covariance has two parts, as in [class_regression()]: that of the outcome, with the fit taken
#' as certain, and what the uncertainty of the fit adds through \eqn{D} (Bakk, Oberski and Vermunt
#' 2014). The test of equality is that of Wald, with a chi-square distribution; p-values of pairs
#' are adjusted by Holm's method. With `cluster` or `strata`, of a fit of a survey design, and by
#' `type = "robust"` the covariance is robust, and intervals and tests use Student's t and F, as in
#' [class_regression()].
#'
#' Rows without an outcome are left out, which takes for granted that whether it is missing depends
#' on the class at most, and not on what it would have been (missing at random given the class).
#' Where of one class high values are missing more often than low ones, estimates are of those who
#' answered, and intervals may hold the truth far less often than their level says; nothing in the
#' data shows it.
#'
#' @param object A fitted mixture of at least two components that keeps its data, see
#'   [stagewise_em()] and [mdpd()]. For the methods the result of `distal_outcome()`.
#' @param y The outcome: numbers, at most 1e150 in size and not all within 1e-140, whose means
#'   are compared, or a factor, strings or logical values, whose shares are. One value for each
#'   row of the fit, in the same order; a column of `data`, or its name, where that is given. A
#'   labelled column, as haven reads it, is a factor if every value has a label, and else
#'   numbers. Rows where it is `NA` do not count, and a message of class
#'   `mdpd_message_incomplete_outcome` says how many. Nor do rows without any answer, which are
#'   in no class (`mdpd_message_no_answer`).
#' @param data Data frame in which `y` is looked up first: a row for each row of the fit, in the
#'   same order, as in [class_regression()]. By default, `NULL`, none.
#' @param method `"bch"`, the default, or `"ml"`.
#' @param cluster,strata The cluster and the stratum in which each row was drawn, vectors with one
#'   value for each row of the fit, see [standard_errors()]. By default, `NULL`, those of the fit's
#'   design; without one rows were drawn one by one.
#' @param type What standard errors rest on: `"observed"` or `"score"`, the covariance of the fit as
#'   [vcov()][vcov.mdpd] has it; or `"robust"`, for weights of a sample survey and models that may
#'   be wrong. Default: `"robust"` with `cluster` or `strata` and for a fit of a survey design, else
#'   `"observed"`.
#' @param what For `tidy()`: `"classes"`, the default, or `"pairs"`.
#' @param conf.int Add the ends of a confidence interval? Default `FALSE`.
#' @param level,conf.level Confidence level, from 0 to 1. Default 0.95.
#' @param x The result of `distal_outcome()`.
#' @param ... For `plot()`: arguments passed on to `autoplot()`. `tidy()` and `glance()` ignore what
#'   other packages hand over, as modelsummary does. Otherwise not used; must be empty.
#' @return A list of class `"distal_outcome"`:
#'   \item{estimates}{data frame with a row for each class, or for each level of each class:
#'     `class`, `level` (`NA` of a mean), `estimate`, `std.error`}
#'   \item{covariance}{of the estimates, in their order}
#'   \item{test}{that all classes are equal: `statistic`, `df`, `p.value`}
#'   \item{pairs}{data frame with a row for each pair of classes: `class_1`, `class_2`, `difference`
#'     (of the means, the first minus the second; `NA` of shares), `statistic`, `df`, `p.value`,
#'     `p.adjusted`}
#'   \item{sizes}{the shares of the classes among the rows that count}
#'   \item{kind, outcome, label, levels, method, type, nobs, n_obs, n_incomplete, n_no_answer,
#'     classes, k, call}{`"mean"` or `"shares"`, the name of the outcome and its label or `NULL`,
#'     its levels or `NULL`, sum of the case weights of the rows that count, numbers of rows (all,
#'     without an outcome, and with one but without any answer), names of the classes}
#'   \item{by_design, design_df}{are standard errors those of clusters, strata or a survey design?
#'     And the degrees of freedom of intervals and tests, `Inf` without}
#'   `tidy()` gives the estimates, with broom's names (`term`, the name of the outcome, `class`,
#'   `outcome`, the level, `estimate`, `std.error`), or the pairs, `glance()` one row: `outcome`,
#'   `method`, `statistic`, `df`, `p.value`, `nobs`, `n_incomplete`. `autoplot()` returns a ggplot
#'   object, `plot()` draws it. `augment()` has no rows to give, and is an error that says so.
#' @section Errors and warnings:
#' `mdpd_error_argument` for an outcome that is not a vector of one value a row, has one value only,
#' or by `"ml"` two numbers (`factor(y)` compares their shares), or is of another type;
#' `mdpd_error_one_component`, `mdpd_error_empty_class` and `mdpd_error_no_data` as in
#' [class_regression()]. `mdpd_warning_negative_share` and `mdpd_warning_classes_shifted` are
#' explained above; `mdpd_warning_outcome_is_item` says that the
#' outcome has the answers to an item of the fit, which are no outcome of the classes they make;
#' `mdpd_warning_sampling_weights` says that weights which look like those of a sample survey are
#' taken as counts; `mdpd_warning_boundary`
#' says, by `"ml"`, that shares of 0 or 1 have no standard error, or names classes in which a number
#' hardly varies. `mdpd_error_no_rows` is for `augment()`.
#' @references
#' Hausman, J. A. (1978). Specification tests in econometrics. *Econometrica* 46, 1251-1271.
#' \doi{10.2307/1913827}
#'
#' Bakk, Z. and Vermunt, J. K. (2016). Robustness of stepwise latent class modeling with continuous
#' distal outcomes. *Structural Equation Modeling* 23, 20-31. \doi{10.1080/10705511.2014.955104}
#'
#' Bakk, Z., Oberski, D. L. and Vermunt, J. K. (2014). Relating latent class assignments to external
#' variables: standard errors for correct inference. *Political Analysis* 22, 520-540.
#' \doi{10.1093/pan/mpu003}
#'
#' Bolck, A., Croon, M. and Hagenaars, J. (2004). Estimating latent structure models with
#' categorical variables: one-step versus three-step estimators. *Political Analysis* 12, 3-27.
#' \doi{10.1093/pan/mph001}
#'
#' Vermunt, J. K. (2010). Latent class modeling with covariates: two improved three-step approaches.
#' *Political Analysis* 18, 450-469. \doi{10.1093/pan/mpq025}
#' @family conclusions
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 2)
#' parties <- distal_outcome(fit, party, data = house_votes)
#' parties
#' tidy(parties, conf.int = TRUE)
#'
#' # The mean of a number: how often did members not vote?
#' absent <- distal_outcome(fit, rowSums(is.na(house_votes)))
#' plot(absent)
#' @export
distal_outcome <- function(object, y, data = NULL, method = c("bch", "ml"), ..., cluster = NULL,
                           strata = NULL, type = c("observed", "score", "robust")) {
  check_no_weights(...names())
  rlang::check_dots_empty()
  method <- check_choice(method, c("bch", "ml"))
  check_first_fit(object)
  asked <- rlang::enquo(y)
  y <- outcome_values(asked, data, object, rlang::current_env())
  outcome <- read_outcome(y$values, row_weights(object), object$no_answer, rlang::current_env())
  if (method == "ml") check_may_be_normal(outcome, rlang::current_env())
  first <- first_step(object, type, cluster, strata, rlang::current_env())
  warn_if_item(y$values[outcome$rows], outcome$rows, first, "outcome", "The outcome",
               rlang::current_env())
  classes <- classification(first)
  check_classification(classes, object, outcome$rows, rlang::current_env())
  found <- switch(
    method,
    bch = weigh_outcome(outcome, first, classes),
    ml = maximise_outcome(outcome, first, classes)
  )
  call <- match.call()
  call[[1]] <- quote(distal_outcome)
  result <- new_distal_outcome(found, outcome, object, list(
    outcome = outcome_name(asked), label = y$label, method = method, type = first$type,
    by_design = !is.null(first$design),
    design_df = interval_df(design_of_rows(first$design, outcome$rows), outcome$weights),
    call = call
  ))
  warn_outcome(result, found, object)
  result
}

# Input --------------------------------------------------------------------------------------------

outcome_values <- function(y, data, object, call) {
  if (rlang::quo_is_missing(y)) {
    abort_mdpd("{.arg y} must be given: the outcome, one value for each row of the fit.",
               class = "argument", call = call)
  }
  if (!is.null(data)) {
    check_formula_data(data, call)
    check_rows_of_fit(data, object, call)
  }
  values <- rlang::try_fetch(
    as_users(rlang::eval_tidy(y, as.data.frame(data))),
    error = function(cnd) {
      abort_mdpd(
        c("{.arg y} must be a column of {.arg data} or a vector.", x = "{conditionMessage(cnd)}"),
        class = "argument", call = call
      )
    }
  )
  if (rlang::is_string(values) && object$n_obs > 1 && !is.null(data)) {
    check_has_items(values, names(data), "data", call)
    values <- data[[values]]
  }
  label <- outcome_label(values)
  values <- without_na_level(check_outcome(plain_variable(values), object$n_obs, call))
  check_names_of_fit(values, object, "y", call)
  list(values = values, label = label)
}

# What the file says the column is about, or NULL.
outcome_label <- function(values) {
  label <- attr(values, "label", exact = TRUE)
  if (rlang::is_string(label) && label != "") label
}

check_outcome <- function(y, n_obs, call) {
  if (!is.atomic(y) || is.null(y) || length(dim(y)) > 1 || length(y) != n_obs) {
    abort_mdpd(
      c("{.arg y} must be a vector with one value for each of the {n_obs} row{?s} of the fit.",
        x = "It is {describe(y)}."),
      class = "argument", call = call
    )
  }
  if (!holds_numbers(y) && !holds_categories(y)) {
    abort_mdpd(
      "{.arg y} must hold numbers, a factor, strings or logical values, not {describe(y)}.",
      class = "argument", call = call
    )
  }
  endless <- which(sizes_of(y) > most_to_square)
  if (length(endless) > 0) {
    abort_mdpd("{.arg y} must be finite, and at most {most_to_square} in size; value {endless[1]} is
                not.", class = "argument", call = call)
  }
  y
}

holds_categories <- function(y) is_sound_factor(y) || is.character(y) || is.logical(y)
sizes_of <- function(y) if (holds_numbers(y)) abs(y)
holds_numbers <- function(y) is.numeric(y) && !is_time(y) && !inherits(y, "integer64")

outcome_name <- function(asked) {
  if (rlang::is_string(rlang::quo_get_expr(asked))) {
    rlang::quo_get_expr(asked)
  } else {
    rlang::as_label(asked)
  }
}

# `values`: what is averaged, rows x 1 or rows x levels, of the rows that count; `rows` are these.
read_outcome <- function(y, weights, no_answer, call) {
  rows <- setdiff(which(!is.na(y) & weights > 0), no_answer)
  n_incomplete <- sum(is.na(y))
  values <- y[rows]
  if (length(unique(values)) < 2) {
    abort_mdpd("{.arg y} must have at least two different values.", class = "argument", call = call)
  }
  if (holds_numbers(y)) check_unit(diff(range(as.double(values))), call)
  if (n_incomplete > 0) {
    inform_mdpd(
      "{n_incomplete} of {length(y)} row{?s} {cli::qty(n_incomplete)}{?has/have} no outcome and
       {?does/do} not count in it.",
      class = "incomplete_outcome", n = n_incomplete
    )
  }
  no_class <- no_answer[!is.na(y[no_answer])]
  tell_no_class(no_class)
  levels <- NULL
  if (holds_numbers(y)) {
    values <- matrix(as.double(values))
  } else {
    coded <- code_values(values)
    levels <- coded$levels
    values <- outer(coded$codes, seq_along(levels), `==`) + 0
  }
  list(values = values, levels = levels, rows = rows, weights = weights[rows], n_obs = length(y),
       n_incomplete = n_incomplete, n_no_answer = length(no_class))
}

# Squares of smaller spreads are zero, and one over those of a class a thousandth of it is infinite.
check_unit <- function(spread, call, least = 1e-140) {
  if (spread < least) {
    abort_mdpd(
      c("{.arg y} must have values that are at least {least} apart; the largest difference is
         {signif(spread, 2)}.", i = "Choose a smaller unit."),
      class = "argument", call = call
    )
  }
}

# The likelihood of two numbers has its maximum at classes that hold one of them each.
check_may_be_normal <- function(outcome, call) {
  if (is.null(outcome$levels) && length(unique(outcome$values)) == 2) {
    abort_mdpd(
      c("{.arg y} must have more than two different values by {.code method = \"ml\"}, for which
         numbers are normal within a class.", i = "{.code factor(y)} compares the shares of both."),
      class = "argument", call = call
    )
  }
}

# By weights ---------------------------------------------------------------------------------------

# Estimates are in the order of a matrix, (1 or levels) x classes, as are the rows of a covariance.
weigh_outcome <- function(outcome, first, classes) {
  shares <- solve(classes$errors)[classes$assigned[outcome$rows], , drop = FALSE]
  weighted <- outcome$weights * shares
  sizes <- colSums(weighted)
  estimate <- sweep(crossprod(outcome$values, weighted), 2, sizes, "/")
  n_values <- ncol(outcome$values)
  cell <- expand.grid(value = seq_len(n_values), class = seq_along(sizes))
  away <- outcome$values[, cell$value] - rep(estimate, each = nrow(shares))
  influence <- away * shares[, cell$class] / rep(sizes[cell$class], each = nrow(shares))
  own <- crossprod(influence * sqrt(outcome$weights))
  sums <- rbind(crossprod(outcome$values, weighted), sizes)
  moved <- cross_by_weights(sums, classes, error_slopes(first, classes))
  total <- moved[n_values + 1, cell$class, ]
  slopes <- matrix(moved[seq_len(n_values), , , drop = FALSE], nrow(cell)) -
    as.vector(estimate) * matrix(total, nrow(cell))
  slopes <- slopes / sizes[cell$class]
  covariance <- later_covariance(first, own, diag(nrow(cell)), slopes, influence * outcome$weights,
                                 outcome$rows)
  moves <- later_moves(first, diag(nrow(cell)) / outcome_unit(outcome), slopes)
  list(estimate = estimate, sizes = sizes / sum(sizes), covariance = covariance,
       loose = moved_by(moves))
}

# What moves of an estimate are counted in: of means the standard deviation of all.
outcome_unit <- function(outcome) {
  if (!is.null(outcome$levels)) {
    return(1)
  }
  shares <- outcome$weights / sum(outcome$weights)
  sqrt(sum(shares * (outcome$values - sum(outcome$values * shares))^2))
}

# By likelihood ------------------------------------------------------------------------------------

maximise_outcome <- function(outcome, first, classes) {
  log_density <- t(log(classes$errors))[classes$assigned[outcome$rows], , drop = FALSE]
  end <- outcome_em(outcome, log_density, first$object$mixing_weights)
  slopes <- error_slopes(first, classes)
  found <- if (is.null(outcome$levels)) {
    mean_covariance(outcome, end, classes, slopes)
  } else {
    level_covariance(outcome, end, classes, slopes, first$object)
  }
  covariance <- later_covariance(first, found$inverse, found$inverse, found$cross, found$scores,
                                 outcome$rows)
  found <- list(
    estimate = end$means, sizes = end$sizes, floor = end$floor, spread = end$spread,
    covariance = covariance[found$at, found$at, drop = FALSE], bounded = found$bounded,
    loose = moved_by(later_moves(first, found$inverse / found$unit, found$cross))[found$at]
  )
  weighed <- if (is.null(outcome$levels)) weigh_outcome(outcome, first, classes)
  c(found, list(away = if (!is.null(weighed)) beyond_weighed(found, weighed)))
}

# How far the mean of each class is from that by weights, in standard errors of that; 0 where that
# may be chance. Where both estimate the same the likelihood is efficient, and the variance of the
# difference is the difference of the variances (Hausman 1978). Half a standard error more is let
# pass: intervals with a bias of that much hold the truth in 92 instead of 95 %.
beyond_weighed <- function(found, weighed, alpha = 0.01) {
  variance <- diag(weighed$covariance)
  gained <- pmax(variance - diag(found$covariance), 0)
  limit <- stats::qnorm(alpha / (2 * length(variance)), lower.tail = FALSE)
  away <- as.vector(abs(found$estimate - weighed$estimate))
  known <- !found$loose & !weighed$loose & variance > 0
  ifelse(known & away^2 > limit^2 * gained + variance / 4, away / sqrt(variance), 0)
}

# EM over sizes and the outcome's distribution in each class: `means` (1 or levels x classes), of
# numbers with their `spread`, the standard deviations.
outcome_em <- function(outcome, log_density, sizes, max_iter = 10000) {
  y <- outcome$values
  numbers <- is.null(outcome$levels)
  total <- colSums(y * outcome$weights) / sum(outcome$weights)
  scale <- if (numbers) sqrt(sum(outcome$weights * (y - total)^2) / sum(outcome$weights)) else 1
  state <- list(sizes = unname(sizes), means = matrix(total, length(total), length(sizes)),
                spread = rep(scale, length(sizes)))
  for (iteration in seq_len(max_iter)) {
    joint <- rep(log(state$sizes), each = nrow(y)) + log_density +
      outcome_density(y, state, numbers)
    posterior <- exp(joint - log_row_sums(joint))
    weighted <- outcome$weights * posterior
    counts <- colSums(weighted)
    before <- state
    state$sizes <- counts / sum(counts)
    state$means <- sweep(crossprod(y, weighted), 2, counts, "/")
    if (numbers) {
      squares <- colSums(weighted * outer(as.vector(y), as.vector(state$means), `-`)^2)
      state$spread <- pmax(sqrt(squares / counts), 1e-3 * scale)
    }
    change <- max(abs(state$means - before$means) / scale, abs(state$sizes - before$sizes))
    if (change < 1e-9) break
  }
  c(state, list(posterior = posterior, floor = 1e-3 * scale))
}

outcome_density <- function(y, state, numbers) {
  if (numbers) {
    k <- length(state$sizes)
    vapply(seq_len(k), function(class) {
      stats::dnorm(y[, 1], state$means[class], state$spread[class], log = TRUE)
    }, numeric(nrow(y)))
  } else {
    log(pmax(y %*% state$means, 1e-300))
  }
}

# Of sizes (logits against the first class), means and log standard deviations, by Louis's identity.
mean_covariance <- function(outcome, end, classes, slopes) {
  k <- length(end$sizes)
  away <- outer(outcome$values[, 1], as.vector(end$means), `-`)
  counts <- colSums(outcome$weights * end$posterior)
  score_in <- function(class) {
    scores <- matrix(0, nrow(away), 3 * k - 1)
    scores[, seq_len(k - 1)] <- rep((seq_len(k) == class)[-1] - end$sizes[-1], each = nrow(away))
    scores[, k - 1 + class] <- away[, class] / end$spread[class]^2
    scores[, 2 * k - 1 + class] <- (away[, class] / end$spread[class])^2 - 1
    scores
  }
  in_class <- lapply(seq_len(k), score_in)
  mean_score <- Reduce(`+`, Map(function(s, class) s * end$posterior[, class], in_class,
                                seq_len(k)))
  information <- crossprod(mean_score * sqrt(outcome$weights))
  for (class in seq_len(k)) {
    weights <- outcome$weights * end$posterior[, class]
    information <- information - crossprod(in_class[[class]] * sqrt(weights))
  }
  sizes <- end$sizes[-1]
  curvature <- matrix(0, 3 * k - 1, 3 * k - 1)
  curvature[seq_len(k - 1), seq_len(k - 1)] <- sum(counts) * column_covariance(sizes, 1)
  diag(curvature)[k:(3 * k - 1)] <- c(counts / end$spread^2, 2 * counts)
  inverse <- tcrossprod(invert_information(information + curvature)$half)
  moved <- function(class) {
    outcome$weights * end$posterior[, class] * (in_class[[class]] - mean_score)
  }
  list(inverse = inverse, at = k - 1 + seq_len(k), scores = mean_score * outcome$weights,
       unit = rep(c(1, outcome_unit(outcome), 1), c(k - 1, k, k)),
       cross = cross_by_density(moved, classes, outcome$rows, slopes))
}

# Of sizes and shares, as of a mixture with one item.
level_covariance <- function(outcome, end, classes, slopes, object) {
  names <- names(object$mixing_weights)
  probs <- `dimnames<-`(end$means, list(outcome$levels, names))
  model <- mixture_parameters(list(
    k = object$k, mixing_weights = stats::setNames(end$sizes, names),
    item_probs = list(outcome = probs), informative = "outcome"
  ))
  # As likelihood_sums() has them of items, whose levels are fewer.
  shown <- cbind(1, outcome$values)
  in_all <- row_scores(model, shown, end$posterior)
  sums <- list(
    count = colSums(in_all * outcome$weights),
    information = crossprod(in_all * sqrt(outcome$weights)) -
      joint_moments(model, shown, end$posterior * outcome$weights, repeats = FALSE)
  )
  model$free <- is_free(sums$count, model$simplex)
  covariance <- mixture_covariance(model, sums)$covariance
  bounded <- is.na(diag(covariance))
  covariance[is.na(covariance)] <- 0
  shown <- shown[, model$column + 1]
  moved <- function(class) {
    scores <- rep(model$component == class, each = nrow(shown)) * shown - in_all
    outcome$weights * end$posterior[, class] * scores
  }
  cross <- cross_by_density(moved, classes, outcome$rows, slopes) * inverse_estimates(model)
  scores <- sweep(in_all, 2, inverse_estimates(model), "*") * outcome$weights
  at <- which(model$item > 0)
  list(inverse = covariance, cross = cross, scores = scores, at = at, unit = outcome_unit(outcome),
       bounded = bounded[at])
}

# Result and tests ---------------------------------------------------------------------------------

new_distal_outcome <- function(found, outcome, object, settings) {
  classes <- names(object$mixing_weights)
  n_values <- nrow(found$estimate)
  class <- rep(classes, each = n_values)
  level <- rep(outcome$levels %||% NA_character_, length(classes))
  names <- if (n_values == 1) class else paste0(level, "|", class)
  estimate <- as.vector(found$estimate)
  covariance <- `dimnames<-`((found$covariance + t(found$covariance)) / 2, list(names, names))
  tested <- list(classes = classes, levels = outcome$levels, estimate = estimate,
                 covariance = covariance, unit = outcome_unit(outcome), loose = found$loose,
                 design_df = settings$design_df)
  without <- found$loose | (found$bounded %||% FALSE)
  errors <- replace(unname(sqrt(pmax(diag(covariance), 0))), without, NA)
  structure(
    c(list(
      estimates = data.frame(class, level, estimate, std.error = errors),
      covariance = covariance, test = test_classes(tested, seq_along(classes)),
      pairs = test_pairs(tested), sizes = stats::setNames(found$sizes, classes),
      kind = if (is.null(outcome$levels)) "mean" else "shares", levels = outcome$levels,
      nobs = sum(outcome$weights), n_obs = outcome$n_obs, n_incomplete = outcome$n_incomplete,
      n_no_answer = outcome$n_no_answer,
      classes = classes, k = object$k
    ), settings),
    class = "distal_outcome"
  )
}

# That some classes have the same mean, or the same shares of all levels but the last.
test_classes <- function(tested, classes) {
  n_values <- max(1, length(tested$levels))
  values <- seq_len(max(1, n_values - 1))
  at <- function(class) (class - 1) * n_values + values
  contrasts <- do.call(rbind, lapply(classes[-1], function(class) {
    contrast <- matrix(0, length(values), length(tested$estimate))
    contrast[cbind(values, at(classes[1]))] <- 1
    contrast[cbind(values, at(class))] <- -1
    contrast
  }))
  difference <- drop(contrasts %*% tested$estimate) / tested$unit
  covariance <- contrasts %*% tested$covariance %*% t(contrasts) / tested$unit^2
  # What rounding leaves of a class in which nothing varies is no variance.
  fixed <- diag(covariance) < 1e-24
  covariance[fixed, ] <- 0
  covariance[, fixed] <- 0
  inverse <- invert_information(covariance)
  # Differences on the boundary are certain as far as the estimates tell: no test of them. A level
  # that none of the classes has is no difference.
  certain <- any(abs(crossprod(inverse$null, difference)) > 1e-8)
  # Nor of what the data do not determine.
  loose <- any(tested$loose[colSums(contrasts != 0) > 0])
  statistic <- if (certain || loose) NA_real_ else sum(crossprod(inverse$half, difference)^2)
  df <- ncol(inverse$half)
  list(statistic = statistic, df = df,
       p.value = wald_p(statistic, df, tested$design_df))
}

test_pairs <- function(tested) {
  pairs <- utils::combn(length(tested$classes), 2)
  tests <- apply(pairs, 2, function(pair) unlist(test_classes(tested, pair)))
  table <- data.frame(
    class_1 = tested$classes[pairs[1, ]], class_2 = tested$classes[pairs[2, ]],
    difference = if (is.null(tested$levels)) {
      tested$estimate[pairs[1, ]] - tested$estimate[pairs[2, ]]
    } else {
      NA_real_
    },
    t(tests)
  )
  table$p.adjusted <- stats::p.adjust(table$p.value, "holm")
  table
}

warn_outcome <- function(result, found, object, call = rlang::caller_env()) {
  estimates <- result$estimates
  outside <- result$kind == "shares" & (estimates$estimate < -1e-9 | estimates$estimate > 1 + 1e-9)
  if (any(outside)) {
    where <- paste0(estimates$level[outside], " in class ", estimates$class[outside])
    warn_mdpd(
      c("{length(where)} share{?s} {?is/are} below 0 or above 1: {where}.",
        i = "Weights undo errors of the classes on average only; {.code method = \"ml\"} keeps to
             the range."),
      class = "negative_share", call = call
    )
  }
  if (result$method == "ml") warn_likelihood(result, found, object, call)
}

warn_likelihood <- function(result, found, object, call) {
  warn_shifted(found, object, call)
  n_bounded <- sum(found$bounded)
  if (n_bounded > 0) {
    warn_mdpd(
      "{n_bounded} share{?s} of 0 or 1 {?has/have} no standard error, and {?is/are} not tested.",
      class = "boundary", call = call
    )
  }
  flat <- if (result$kind == "mean") result$classes[found$spread <= found$floor]
  if (length(flat) > 0) {
    warn_mdpd(
      c("The outcome hardly varies in class{?es} {.val {flat}}: its normal distribution is no model
         for it.", i = "Use {.code method = \"bch\"}."),
      class = "boundary", call = call
    )
  }
}

warn_shifted <- function(found, object, call) {
  shift <- sum(abs(found$sizes - object$mixing_weights)) / 2
  away <- max(found$away, 0)
  if (shift <= 0.1 && away == 0) {
    return(invisible(found))
  }
  told <- if (shift > 0.1) {
    "The outcome moves {percent(shift)} of the rows to other classes than those of the fit."
  } else {
    "The outcome changes the classes: a mean is {number_text(away, 1)} standard errors from that by
     {.code method = \"bch\"}."
  }
  warn_mdpd(
    c(told, i = "Its distribution within a class may be far from normal: {.code method = \"bch\"}
                 takes none for granted."),
    class = "classes_shifted", call = call
  )
}
