#' Regression of the class on covariates
#'
#' Which rows are in which class? A multinomial logit model of the class given covariates, with the
#' classes known only as far as the fit tells them. The shares of the classes of a row with
#' covariates \eqn{z} are
#' \deqn{P(Y = k | z) = \frac{\exp(z^\top \beta_k)}{\sum_l \exp(z^\top \beta_l)}, \qquad
#'   \beta_{ref} = 0,}{P(Y = k | z) = exp(z' beta_k) / sum_l exp(z' beta_l), beta_ref = 0,}
#' so that \eqn{\exp(\beta_{jk})} is the factor by which the odds of class k against the reference
#' change with one more unit of covariate j.
#'
#' If each row is assigned to its likeliest class, and that class is regressed on covariates as if
#' it were known, all coefficients are drawn to zero: the more, the less sure the classes are. Each
#' method here undoes that:
#'
#' * `"two-step"`, the default (Bakk and Kuha 2018): the item-response probabilities stay those of
#'   the fit, and the coefficients have the greatest likelihood of the answers,
#'   \eqn{\sum_n c_n \log \sum_k P(k | z_n) P(x_n | k)}{sum_n c_n log sum_k P(k | z_n) P(x_n | k)}.
#' * `"ml"` (Vermunt 2010): each row is assigned to its likeliest class, and the likelihood is that
#'   of the assigned classes, given how often the fit expects a class to be assigned when another is
#'   the true one.
#' * `"bch"` (Bolck, Croon and Hagenaars 2004; Vermunt 2010): the same errors are undone by weights,
#'   the rows of the inverse of their table. Some weights are negative. There is no likelihood.
#' * `"one-step"` (Bandeen-Roche and others 1997): coefficients and item-response probabilities are
#'   estimated together by maximum likelihood, as poLCA does. EM starts at the fit and at
#'   `n_starts - 1` places around it, and the highest maximum is kept. The classes may become other
#'   ones than those of the fit, the more so where the model of the covariates is wrong. No prior is
#'   used. Items that are the same in all components of the fit stay so.
#'
#' On simulated tables of which 14 % of the rows are assigned to a wrong class, a true slope of 1 is
#' 0.99 on average by `"two-step"`, 1.00 by `"one-step"`, 0.96 by `"ml"`, 0.95 by `"bch"` and 0.59
#' by a regression of the assigned classes; 95 % intervals hold the truth in 94 to 95 % of the draws
#' by these four, and in 59 % by the last (`bench/class_regression.R`).
#'
#' Standard errors count the uncertainty of the fit. With \eqn{J} the information of the
#' coefficients \eqn{\beta}, \eqn{\Sigma} the covariance of the fit's parameters \eqn{\theta} (see
#' [vcov()][vcov.mdpd]) and \eqn{C = \partial s / \partial \theta} the derivative of the score of
#' \eqn{\beta}, the covariance of two or three steps is
#' \deqn{J^{-1} + J^{-1} C \Sigma C^\top J^{-1}}{J^-1 + J^-1 C Sigma C' J^-1}
#' (Bakk and Kuha 2018, section 3; Bakk, Oberski and Vermunt 2014); by `"bch"` the first part is
#' \eqn{J^{-1} B J^{-1}}{J^-1 B J^-1} with \eqn{B} the sum of squared scores. With `"one-step"` it
#' is the inverse of the information of all parameters.
#'
#' With `cluster` or `strata`, and of a fit of a survey design, all covariances are robust, by the
#' scores of each row in both steps, totalled by cluster and centred in their stratum, or weighed
#' anew by the replicate weights; `type = "robust"` without any of these takes each row as a cluster
#' of its own, for weights of a sample survey and models that may be wrong. Intervals and tests then
#' use Student's t and the F distribution with as many degrees of freedom as there are clusters less
#' strata. `anova()` tests the terms of one regression then, and does not compare several. On
#' stratified samples of clusters 95 % intervals by two-step hold a true slope in 94 % of the
#' samples, and in 83 % if clusters and strata are not given (`bench/survey_errors.R`).
#'
#' The classes are the components of the fit, also of a crowd in which several stand for one label.
#' Rows with a missing covariate do not count in the regression, and a message of class
#' `mdpd_message_incomplete_covariates` says how many; in the classes of the fit they count as
#' before, except by `"one-step"`. A level that only rows of weight 0 have, as those that a subset
#' of a survey design left out, is missing. Rows with missing answers count with those that they
#' have. Where it depends on the covariates which answers are missing, take `"two-step"` or
#' `"one-step"`: by `"ml"` and `"bch"` rows of few answers have the same errors of assignment as the
#' others, and where an answer is missing with probability 1 / (1 + exp(1.5 - 1.5 x)), x standard
#' normal, a slope of 1 became some 0.7, and intervals held the worst coefficient in half of 50
#' draws (`bench/class_regression.R 50`). Case weights of the fit count.
#'
#' @param object A fitted mixture of at least two components that keeps its data, see
#'   [stagewise_em()] and [mdpd()].
#' @param formula One-sided, as for [stats::lm()]: numbers, factors, logicals, strings,
#'   transformations, interactions and an [offset()]. An offset is one number a row, added to the
#'   logits of all classes but the reference, or a matrix with a column for each class. `~ 1` has
#'   the sizes of the classes alone.
#' @param data Data frame with the covariates: a row for each row of the fit, in the same order;
#'   another order is an error where the names of the rows, or the answers of items that stand there
#'   too, say so. A labelled column, as haven reads it, is a factor if every value has a label, and
#'   else numbers; values that the user has declared missing are missing.
#' @param method `"two-step"`, `"ml"`, `"bch"` or `"one-step"`; by default the first.
#' @param ... Not used; must be empty.
#' @param reference The class that the others are compared with: name or number of a component; by
#'   default, `NULL`, the first, which is the largest.
#' @param cluster,strata The cluster and the stratum in which each row was drawn, vectors with one
#'   value for each row of the fit, see [standard_errors()]. By default, `NULL`, those of the fit's
#'   design; without one rows were drawn one by one.
#' @param type What standard errors rest on, as in [vcov()][vcov.mdpd]: `"observed"`, the second
#'   derivatives of the log-likelihood; `"score"`, the squares of its gradient by row, as in poLCA;
#'   or `"robust"`, see Details. Default: `"robust"` with `cluster` or `strata` and for a fit of a
#'   survey design, else `"observed"`. By `"bch"` the first two differ in the part of the fit only.
#' @param max_iter The largest number of iterations, a count. Default 5000.
#' @param n_starts By `"one-step"` the number of starts, a count from 1 to 1,000,000: the fit, and
#'   others in which each item-response probability is half way from that of the fit to one drawn
#'   uniformly. Default 10.
#' @param seed Seed of the drawn starts, a whole number, or `NULL` to draw from the session's random
#'   numbers. Default 1: the same answer every run; the session's random numbers are left alone.
#' @return A list of class `"class_regression"`:
#'   \item{coefficients}{terms x (k - 1) matrix, a column for each class but the reference}
#'   \item{covariance}{of the coefficients, class by class, named `"term|class"`}
#'   \item{shares, posterior}{rows with covariates x k: the probability of each class by the
#'     covariates, and by covariates and answers}
#'   \item{item_probs, item_errors}{by `"one-step"` the item-response probabilities, in the shape of
#'     `coef(fit)`, and their standard errors; else `NULL`}
#'   \item{errors}{by `"ml"` and `"bch"` the k x k probabilities of being assigned to the class of
#'     the column for a row of the class of the row; else `NULL`}
#'   \item{loglik, df}{log-likelihood (nats) and number of parameters: of the answers, comparable
#'     with those of the fit on the same rows, by `"two-step"` and `"one-step"`; of the assigned
#'     classes by `"ml"`; `NA` by `"bch"`}
#'   \item{n_obs, n_incomplete, rows, nobs, weights, row_names, no_answer}{rows of the fit, how many
#'     of them lack a covariate, the numbers of the others, the sum of their case weights, and these
#'     or `NULL`; the names of all rows of the fit, or `NULL`; and the numbers of rows without any
#'     answer, or `NULL`. These are in no class: by
#'     `"ml"` and `"bch"` they do not count, with a message of class `mdpd_message_no_answer`, and
#'     by the others they tell nothing}
#'   \item{starts}{by `"one-step"` a data frame with a row for every start: `start`, `loglik` (nats)
#'     where it came to, before the last steps, and `iterations`; else `NULL`}
#'   \item{by_design, design_df}{are standard errors those of clusters, strata or a survey design?
#'     And the degrees of freedom of intervals and tests, those of the clusters and strata with a
#'     row that counts, `Inf` without}
#'   \item{classes, reference, k, method, type, formula, covariates, variable_labels, call,
#'     status, converged, iterations}{what was asked and how it ended; labels that columns of `data`
#'     have, as haven sets them, stand in pictures}
#'   Methods are in [print.class_regression()], pictures in [plot.class_regression()].
#' @section Errors and warnings:
#' `mdpd_error_argument` names the argument or the covariate, `mdpd_error_collinear` the terms that
#' follow from others, `mdpd_error_one_component` is for a fit of one component,
#' `mdpd_error_empty_class` names classes that no row that counts is assigned to (`"ml"`, `"bch"`),
#' `mdpd_error_no_data` is for fits that keep no data. `mdpd_warning_separation` names coefficients
#' without a finite estimate, as where a covariate tells a class for sure: robust errors, and what
#' rests on them, tests and intervals, are `NA` then, others large;
#' `mdpd_warning_not_identified` those that the data do not determine, `mdpd_warning_not_converged`
#' says that `max_iter` was reached, `mdpd_warning_covariate_is_item` that a covariate has the
#' answers to an item of the fit, which must be other than it, `mdpd_warning_sampling_weights` that
#' weights which look like those of a sample survey are taken as counts. The fit's own covariance
#' may warn too, see [standard_errors()]. A message of class `mdpd_message_another_maximum` says
#' that `"one-step"` found a higher maximum than the one next to the fit, and how many rows change
#' their class.
#' @references
#' Bakk, Z. and Kuha, J. (2018). Two-step estimation of models between latent classes and external
#' variables. *Psychometrika* 83, 871-892. \doi{10.1007/s11336-017-9592-7}
#'
#' Bakk, Z., Oberski, D. L. and Vermunt, J. K. (2014). Relating latent class assignments to external
#' variables: standard errors for correct inference. *Political Analysis* 22, 520-540.
#' \doi{10.1093/pan/mpu003}
#'
#' Bandeen-Roche, K., Miglioretti, D. L., Zeger, S. L. and Rathouz, P. J. (1997). Latent variable
#' regression for multiple discrete outcomes. *Journal of the American Statistical Association* 92,
#' 1375-1386. \doi{10.1080/01621459.1997.10473658}
#'
#' Bolck, A., Croon, M. and Hagenaars, J. (2004). Estimating latent structure models with
#' categorical variables: one-step versus three-step estimators. *Political Analysis* 12, 3-27.
#' \doi{10.1093/pan/mph001}
#'
#' Varadhan, R. and Roland, C. (2008). Simple and globally convergent methods for accelerating the
#' convergence of any EM algorithm. *Scandinavian Journal of Statistics* 35, 335-353.
#' \doi{10.1111/j.1467-9469.2007.00585.x}
#'
#' Vermunt, J. K. (2010). Latent class modeling with covariates: two improved three-step approaches.
#' *Political Analysis* 18, 450-469. \doi{10.1093/pan/mpq025}
#' @family conclusions
#' @examples
#' # Did the parties vote as blocks?
#' fit <- stagewise_em(house_votes[-1], k = 2)
#' regression <- class_regression(fit, ~ party, data = house_votes)
#' regression
#' exp(confint(regression))
#' plot(regression, type = "shares")
#' @export
class_regression <- function(object, formula, data,
                             method = c("two-step", "ml", "bch", "one-step"), ...,
                             reference = NULL, cluster = NULL, strata = NULL,
                             type = c("observed", "score", "robust"), max_iter = 5000,
                             n_starts = 10, seed = 1) {
  check_no_weights(...names())
  rlang::check_dots_empty()
  method <- check_choice(method, c("two-step", "ml", "bch", "one-step"))
  check_count(max_iter)
  check_n_samples(n_starts)
  check_seed(seed)
  check_first_fit(object)
  reference <- check_component(reference, object, default = 1L)
  design <- read_covariates(formula, data, object, reference, rlang::current_env())
  first <- first_step(object, type, cluster, strata, rlang::current_env())
  warn_covariate_items(design, first)
  found <- if (method == "one-step") {
    seeds <- with_seed(seed, sample.int(.Machine$integer.max, n_starts))
    regress_in_one(first, design, reference, seeds, max_iter)
  } else {
    regress_in_steps(first, design, reference, method, max_iter)
  }
  call <- match.call()
  call[[1]] <- quote(class_regression)
  settings <- list(
    method = method, type = first$type, reference = reference, call = call
  )
  regression <- new_class_regression(found, first, design, settings)
  if (first$type == "robust") regression <- without_infinite_errors(regression)
  warn_regression(regression)
  regression
}

# Rows cannot count otherwise in the classes than in what is said of these.
check_no_weights <- function(names, call = rlang::caller_env()) {
  if ("weights" %in% names) {
    abort_mdpd(
      c("{.arg weights} must not be given: the case weights of the fit count.",
        i = "Fit with {.arg weights}, numbers or a survey design."),
      class = "argument", call = call
    )
  }
}

# A fit to go on from: of several components, with its data.
check_first_fit <- function(object, call = rlang::caller_env()) {
  check_class(object, "mdpd", call = call)
  check_fit(object, call)
  if (object$k == 1) {
    abort_mdpd("{.arg object} must have at least two components; it has one.",
               class = "one_component", call = call)
  }
  check_has_data(object, call = call)
}

# Estimates ----------------------------------------------------------------------------------------

# What both ways below return: the problem, coefficients `gamma` of its design and their
# `covariance`, `null` for directions that the data do not determine, and what is known of the end.
regress_in_steps <- function(first, design, reference, method, max_iter,
                             call = rlang::caller_env()) {
  classes <- if (method != "two-step") classification(first)
  if (method != "two-step") {
    check_classification(classes, first$object, design$rows, call)
    no_class <- design$rows %in% first$object$no_answer
    tell_no_class(which(no_class))
    design$weights[no_class] <- 0
  }
  evidence <- row_evidence(first, method, classes, design$rows)
  problem <- new_share_problem(design, first$object$k, reference, evidence)
  start <- null_shares(problem, first$object$mixing_weights)
  found <- c(list(problem = problem), solve_shares(problem, start, max_iter))
  squared <- crossprod(share_scores(problem, found$at) * sqrt(problem$weights))
  by_score <- first$type == "score" && method != "bch"
  inverse <- invert_information(if (by_score) squared else share_information(problem, found$at))
  covariance <- tcrossprod(inverse$half)
  own <- if (method == "bch") covariance %*% squared %*% covariance else covariance
  cross <- score_slopes(first, found, method, classes, design$rows)
  scores <- share_scores(problem, found$at) * problem$weights
  found$covariance <- later_covariance(first, own, covariance, cross, scores, design$rows)
  found$null <- cbind(inverse$null, later_moves(first, covariance, cross))
  found$errors <- classes$errors
  found$value <- found$at$value
  found
}

# The derivative of the score of the coefficients by the parameters of the first step.
score_slopes <- function(first, found, method, classes, rows) {
  if (method == "two-step") {
    coded <- take_rows(first$coded, rows)
    cross <- cross_information(found$problem, found$at, coded, first$model, "observed")
    return(sweep(-cross, 2, inverse_estimates(first$model), "*"))
  }
  problem <- found$problem
  slopes <- error_slopes(first, classes)
  if (method == "ml") {
    target <- found$at$target
    moved <- function(class) {
      values <- problem$weights * target[, class] * ((col(target) == class) - target)
      products_by_class(problem, values)
    }
    return(cross_by_density(moved, classes, rows, slopes))
  }
  sums <- crossprod(problem$q, problem$weights * problem$shares)
  moved <- cross_by_weights(sums, classes, slopes)[, -problem$reference, , drop = FALSE]
  matrix(moved, length(found$gamma))
}

regress_in_one <- function(first, design, reference, seeds, max_iter) {
  rows <- design$rows
  densities <- row_log_densities(first$object, first$coded)[rows, , drop = FALSE]
  problem <- new_share_problem(design, first$object$k, reference, list(log_density = densities))
  start <- null_shares(problem, first$object$mixing_weights)
  gamma <- solve_shares(problem, start, max_iter)$gamma
  found <- fit_one_step(first, problem, rows, gamma, seeds, max_iter)
  tell_another_maximum(found, first)
  c(found, one_step_covariance(found, first))
}

tell_another_maximum <- function(found, first) {
  if (found$gain == 0) {
    return(invisible())
  }
  before <- first_largest(first$object$posterior[found$rows, , drop = FALSE])
  moved <- sum(first$weights[found$rows] * (first_largest(found$at$target) != before))
  share <- percent(moved / sum(first$weights[found$rows]))
  inform_mdpd(
    c("The regression is at a higher maximum than the one next to the fit: {round(found$gain, 2)}
       nats above it.",
      i = "{share} of the rows have another likeliest class than in the fit.
           {.code n_starts = 1} stays with the maximum next to the fit."),
    class = "another_maximum", gain = found$gain
  )
}

# The result ---------------------------------------------------------------------------------------

new_class_regression <- function(found, first, design, settings) {
  object <- first$object
  classes <- names(object$mixing_weights)
  back <- found$problem$back
  root <- root_of_curvature(found)
  terms <- colnames(design$x)
  free <- classes[-settings$reference]
  row_names <- rownames(object$posterior)[design$rows]
  n_coefficients <- length(found$gamma)
  one_step <- settings$method == "one-step"
  # Without an answer a row is in no class, and tells nothing.
  counts <- !settings$method %in% c("ml", "bch") | !design$rows %in% object$no_answer
  structure(
    list(
      coefficients = `dimnames<-`(coefficients_of(found$problem, found$gamma),
                                  list(terms, free)),
      covariance = name_covariance(found, back, terms, free),
      shares = `dimnames<-`(found$at$share, list(row_names, classes)),
      posterior = regression_posterior(found, first, design, list(row_names, classes)),
      item_probs = if (one_step) found$item_probs,
      item_errors = if (one_step) shape_errors(object, found$item_errors),
      errors = if (!is.null(found$errors)) {
        `dimnames<-`(found$errors, list(true = classes, assigned = classes))
      },
      loglik = if (settings$method == "bch") NA_real_ else found$value,
      df = n_coefficients - (found$n_left_alone %||% 0) +
        if (settings$method %in% c("two-step", "one-step")) object$df - (object$k - 1) else 0,
      n_obs = object$n_obs, n_incomplete = design$n_incomplete, rows = design$rows,
      nobs = sum(design$weights[counts]), no_answer = object$no_answer,
      weights = if (any(design$weights != 1)) design$weights,
      row_names = rownames(object$posterior),
      flat = is_flat_ahead(found, design$x, root),
      curvature = tcrossprod(moves_of_coefficients(found$problem) %*% root),
      classes = classes, reference = classes[settings$reference], k = object$k,
      method = settings$method, type = settings$type, formula = design$formula,
      terms = design$terms, xlevels = design$xlevels, contrasts = design$contrasts,
      covariates = design$covariates, variable_labels = design$variable_labels, x = design$x,
      offset = design$offset,
      by_design = !is.null(first$design),
      design_df = interval_df(design_of_rows(first$design, design$rows), design$weights * counts),
      model = unclass(object)[c("k", "mixing_weights", "item_probs", "informative", "missing",
                                "control", "labels", "loglik")],
      call = settings$call, status = if (found$converged) "converged" else "iteration_limit",
      converged = found$converged, iterations = found$iterations, starts = found$starts
    ),
    class = "class_regression"
  )
}

# NA: not determined by the data.
name_covariance <- function(found, back, terms, free) {
  full <- kronecker(diag(length(free)), back)
  covariance <- full %*% found$covariance %*% t(full)
  covariance <- (covariance + t(covariance)) / 2
  loose <- sqrt(rowSums((full %*% found$null)^2)) > 1e-3 * sqrt(rowSums(full^2))
  covariance[loose, ] <- NA
  covariance[, loose] <- NA
  names <- paste0(rep(terms, length(free)), "|", rep(free, each = length(terms)))
  `dimnames<-`(covariance, list(names, names))
}

# Where a coefficient grows without end the scores vanish: by what they vary it would be certain.
without_infinite_errors <- function(regression) {
  infinite <- is_infinite_coefficient(regression)
  regression$covariance[infinite, ] <- NA
  regression$covariance[, infinite] <- NA
  regression
}

# By covariates and answers, whatever the coefficients were estimated from.
regression_posterior <- function(found, first, design, names) {
  posterior <- found$at$target
  if (is.null(found$problem$log_density) || !is.null(found$errors)) {
    densities <- row_log_densities(first$object, first$coded)[design$rows, , drop = FALSE]
    joint <- log(found$at$share) + densities
    posterior <- exp(joint - log_row_sums(joint))
  }
  `dimnames<-`(posterior, names)
}

shape_errors <- function(object, errors) {
  parameters <- parameter_table(object)
  all <- replace(rep(NA_real_, nrow(parameters)), seq_along(errors), errors)
  shape_as_coef(object, all, parameters)$item_probs
}

# Warnings -----------------------------------------------------------------------------------------

warn_regression <- function(regression, call = rlang::caller_env()) {
  if (!regression$converged) {
    warn_mdpd(
      c("The regression did not converge in {regression$iterations} iteration{?s}.",
        i = "Raise {.arg max_iter}, or take fewer covariates."),
      class = "not_converged", call = call
    )
  }
  names <- rownames(regression$covariance)
  infinite <- is_infinite_coefficient(regression)
  loose <- names[is.na(diag(regression$covariance)) & !infinite]
  infinite <- names[infinite]
  if (length(infinite) > 0) {
    warn_mdpd(
      c("{length(infinite)} coefficient{?s} {?has/have} no finite estimate: {.val {infinite}}.",
        i = "A covariate that tells a class for sure, or a class without rows, is the usual
             reason: its estimate grows without end and its standard error says nothing."),
      class = "separation", call = call, terms = infinite
    )
  }
  if (length(loose) > 0) {
    warn_mdpd(
      c("{length(loose)} coefficient{?s} {?is/are} not determined by the data and {?has/have} no
         standard error: {.val {loose}}.", i = "Fewer covariates may be enough."),
      class = "not_identified", call = call, terms = loose
    )
  }
}

warn_covariate_items <- function(design, first, call = rlang::caller_env()) {
  counts <- design$weights > 0
  for (name in names(design$covariates)) {
    x <- design$covariates[[name]]
    if (holds_values(x) && !is_time(x)) {
      warn_if_item(x[counts], design$rows[counts], first, "covariate", paste("Covariate", name),
                   call)
    }
  }
}

# Odds of e^5 or more over the range of the covariate, where the likelihood is flat or tells
# nothing. What the coefficients of a class amount to must be as large over the rows, as effects
# that are only far from where the rows are cancel out.
is_infinite_coefficient <- function(regression) {
  x <- regression$x[(regression$weights %||% 1) > 0, , drop = FALSE]
  size <- abs(regression$coefficients) * spans(x)
  error <- matrix(sqrt(diag(regression$covariance)), nrow(size))
  reach <- apply(x %*% regression$coefficients, 2, function(logit) diff(range(0, logit)))
  infinite <- size > 5 & (is.na(error) | regression$flat) & rep(reach > 5, each = nrow(size))
  intercept <- which(attr(regression$x, "assign") == 0)
  for (class in which(infinite[intercept, ])) {
    infinite[intercept, class] <- is_infinite_intercept(regression, class, infinite[, class])
  }
  as.vector(infinite)
}

# By how much the covariates move, from zero where they do not.
spans <- function(x) {
  apply(x, 2, function(x) max(abs(x - min(x)), if (diff(range(x)) == 0) 1))
}

# Does the likelihood stay where it is when a coefficient goes on, by 5 logits over the span of its
# covariate, and the others by what that takes of them? Where there is a maximum, even standard
# errors that exceed the estimate leave it a hundredth of a nat; terms x classes.
is_flat_ahead <- function(found, x, root = root_of_curvature(found)) {
  problem <- found$problem
  moves <- moves_of_coefficients(problem) %*% root
  ahead <- 5 * sign(as.vector(coefficients_of(problem, found$gamma))) /
    spans(x[problem$weights > 0, , drop = FALSE])
  value <- evaluate_shares(problem, found$gamma)$value
  flat <- vapply(seq_along(ahead), function(i) {
    along <- ahead[i] * drop(root %*% moves[i, ]) / sum(moves[i, ]^2)
    value - evaluate_shares(problem, found$gamma + along)$value < 1e-3
  }, NA)
  matrix(flat, nrow(found$gamma))
}

# The root of a covariance of gamma in which directions without information are as good as free.
root_of_curvature <- function(found) {
  problem <- found$problem
  spectrum <- eigen(share_information(problem, found$at), symmetric = TRUE)
  scale <- sqrt(pmax(spectrum$values, 1e-10 * sum(problem$weights)))
  sweep(spectrum$vectors, 2, scale, "/")
}

# Of those of the covariates by gamma, class by class.
moves_of_coefficients <- function(problem) kronecker(diag(problem$k - 1), problem$back)

# The intercept is what holds where all covariates are 0, which may be far from any row, as of a
# year: it is judged at the means of those whose own coefficients are finite. Its error is at least
# that by the `curvature`: where there is no end, scores vanish, and robust errors with them.
is_infinite_intercept <- function(regression, class, infinite) {
  intercept <- attr(regression$x, "assign") == 0
  weights <- regression$weights %||% rep(1, nrow(regression$x))
  at <- ifelse(infinite & !intercept, 0, colSums(regression$x * weights) / sum(weights))
  size <- abs(sum(at * regression$coefficients[, class]))
  own <- (class - 1) * length(at) + which(at != 0)
  # One that was saved before has no curvature.
  variances <- lapply(regression[c("covariance", "curvature")], function(covariance) {
    if (!is.null(covariance)) at[at != 0] %*% covariance[own, own, drop = FALSE] %*% at[at != 0]
  })
  error <- sqrt(max(0, unlist(variances)))
  size > 8 && (is.na(error) || error > size)
}
