#' EM on all items for mixtures of categorical data
#'
#' Fits a mixture of product distributions in which all items differ between the components, by the
#' EM algorithm from a start of your choice: what poLCA does from random starts. For a crowd, from
#' the majority vote, the workers are by default drawn to what the crowd answers, as far as the
#' labels say that they are alike; `prior = 0` is the classic model of Dawid and Skene, in which
#' each stands alone.
#'
#' With `prior = "crowd"` a worker's answers to each true label have a Dirichlet prior around those
#' of the crowd, around the worker's own overall answers, are the same for all labels (a worker who
#' does not look), or are right with one probability, drawn to that of the crowd, whatever the
#' label, with each other label as likely (one accuracy). The weights of these and the crowd's
#' answers are learned from all labels (empirical Bayes; the evidence of [stagewise_em()], see
#' `vignette("method")`), and estimates are posterior means. Where pairs of answers to an item show
#' that the crowd's mistakes are alike, its answers are drawn to columns in which each wrong label
#' is as likely: of few items with many labels there would be little else to estimate them from.
#'
#' Two other models of a crowd are not built in: that every worker has a single accuracy, and a
#' difficulty for each item besides (GLAD, Whitehill et al. 2009). On the eight published crowds
#' both label 21.4 % of the items wrong, the default 18.7 %, because workers confuse some labels
#' more than others (`Rscript bench/crowd_models.R 2`, `Rscript bench/crowd_priors.R`).
#'
#' @inheritParams stagewise_em
#' @param k Number of components, a whole number from 1 to the number of rows.
#' @param start Where EM begins:
#'   * `"majority"`: the shares of the labels each item got. For [crowd_labels()] with `k` equal to
#'     the number of labels, and there the default. With `prior = "crowd"` EM begins there, and
#'     where a few steps of EM lead in which all workers are drawn to the crowd; the end with more
#'     evidence is kept.
#'   * `"random"`: item-response probabilities drawn uniformly from the simplex, `n_starts` times;
#'     the fit with the highest log-likelihood (evidence with `prior = "crowd"`) is kept. The
#'     default for other data.
#'   * `"spectral"`: moments of three groups of workers (items), see Zhang et al. (2016); `n_starts`
#'     random groupings, of which likewise the best after EM is kept.
#'   * an n_obs x k matrix of posterior probabilities (rows sum to 1); a vector or factor of n_obs
#'     classes with k different values; or a model of class `mdpd` with k components. For a crowd
#'     with one component a label, columns, classes or components that are called as the labels
#'     begin as these, in whatever order they come; others in the order they have.
#' @param n_starts Number of random starts or of random groupings, a count from 1 to 1,000,000.
#'   Default 10; the other starts are single.
#' @param seed Seed of the random starts and groupings, a whole number, or `NULL` to draw from the
#'   session's random numbers. Default 1: the same answer every run; the session's random numbers
#'   are left alone.
#' @param known For crowds: true labels of some items, as a vector with one value (or `NA`) an item,
#'   or a vector named by item ids. These items keep their class throughout (gold questions).
#' @param prior For crowds with one component a label: `"crowd"`, or pseudo-counts added to every
#'   worker's confusion matrix, a labels x labels matrix (row: the true label, column: the label
#'   given; in the order of the labels, or named by them) or one number for all cells; 0 adds none.
#'   Default, `NULL`: `"crowd"` where EM begins at the majority vote, unless `missing` is `"level"`
#'   or `control` has `criterion = "bic"`; else 0.
#' @return A fit of class `mdpd`, with the parts described in [stagewise_em()] and
#'   \item{starts}{data frame with a row for every start: `start`, `loglik` (nats), with
#'     `prior = "crowd"` `evidence` (nats), `iterations`, `status`}
#'   \item{prior}{the prior counts as a labels x labels matrix, or `NULL`}
#'   With `prior = "crowd"` it is a fit by evidence: the part `informative` has all workers, as EM
#'   uses all, of whom [informative()] and `print()` name those who surely depend on the label,
#'   which may be none; `known` items keep their class, and component i is label i where some are
#'   known.
#' @section Errors and warnings:
#' Those of [stagewise_em()]; `mdpd_error_argument` for `prior = "crowd"` on data without one
#' component a label, with `missing = "level"` or with `criterion = "bic"`;
#' `mdpd_error_no_spectral_start` when the moments do not show `k` components.
#' `mdpd_warning_not_converged` when the best start reached `max_iter`.
#' `mdpd_warning_equal_components` when two components are the same or one is empty.
#' `mdpd_warning_held_majorities` with `prior = "crowd"` from the majority vote, as in
#' [stagewise_em()].
#' `mdpd_warning_not_identified` as in [stagewise_em()], unless classes are known or have prior
#' counts.
#' @references
#' Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete data
#' via the EM algorithm. *Journal of the Royal Statistical Society B* 39, 1-38.
#' \doi{10.1111/j.2517-6161.1977.tb01600.x}
#'
#' Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
#' the EM algorithm. *Applied Statistics* 28, 20-28. \doi{10.2307/2346806}
#'
#' Whitehill, J., Ruvolo, P., Wu, T., Bergsma, J. and Movellan, J. (2009). Whose vote should count
#' more: optimal integration of labels from labelers of unknown expertise. *Advances in Neural
#' Information Processing Systems* 22, 2035-2043.
#'
#' Zhang, Y., Chen, X., Zhou, D. and Jordan, M. I. (2016). Spectral methods meet EM. *Journal of
#' Machine Learning Research* 17 (102), 1-44.
#' @family fitting
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 10, accuracy = rep(0.7, 6), seed = 1)
#' fit <- mdpd(crowd$labels, k = 3)
#' error_rate(fit, crowd$truth)
#' round(fit$crowd_probs, 2)  # what the crowd answers to each label
#' error_rate(mdpd(crowd$labels, k = 3, prior = 0), crowd$truth)
#'
#' # With the answers to twenty gold questions
#' gold <- crowd$truth[1:20]
#' error_rate(mdpd(crowd$labels, k = 3, known = gold), crowd$truth)
#' @export
mdpd <- function(x, k, ...) {
  check_given(x)
  UseMethod("mdpd")
}

#' @rdname mdpd
#' @export
mdpd.formula <- function(x, k, data, ..., weights = NULL) {
  table <- formula_table(x, data, rlang::enquo(weights))
  # Through the generic, so that errors show it as their call.
  fit <- mdpd(table$items, k, ..., weights = table$weights)
  fit$call <- match.call()
  fit$call[[1]] <- quote(mdpd)
  fit
}

#' @rdname mdpd
#' @export
mdpd.default <- function(x, k, ..., start = NULL, n_starts = 10, seed = 1, known = NULL,
                         prior = NULL, missing = c("ignore", "frozen", "level", "fail"),
                         weights = NULL, control = stagewise_control(), keep_data = TRUE,
                         verbose = interactive()) {
  check_foreign_arguments(rlang::enexprs(...))
  rlang::check_dots_empty()
  check_is_column(rlang::enquo(weights), "weights")
  check_is_column(rlang::enquo(known), "known")
  check_n_samples(n_starts)
  check_seed(seed)
  missing <- check_choice(missing, c("ignore", "frozen", "level", "fail"))
  check_control(control)
  check_flag(keep_data)
  check_flag(verbose)
  check_not_design(x)
  sample <- read_sample(weights)
  coded <- open_fit(x, k, sample$weights, missing)
  labels <- labels_of(x)
  known <- known_components(known, x, k)
  prior <- prior %||% default_prior(x, k, start, missing, control)
  by_crowd <- identical(prior, "crowd")
  prior <- if (by_crowd) check_crowd_prior(x, k, missing, control) else check_prior(prior, x, k)
  seed <- seed %||% sample.int(.Machine$integer.max %/% 2, 1)
  starts <- em_starts(start, x, coded, k, list(n = n_starts, seed = seed), by_crowd)
  problem <- new_problem(coded, labels, known, prior, starts)
  control <- complete_control(control, "paper")
  if (by_crowd) control$criterion <- "evidence"
  refine <- if (by_crowd) "sparse" else "full"
  settings <- new_settings("em", k, "em", refine, control, verbose)
  result <- run_engine(problem, settings)
  call <- match.call()
  call[[1]] <- quote(mdpd)
  about <- list(class = NULL, call = call, keep_data = keep_data, design = sample$design,
                start = start_asked(start, x, k, n_starts, seed))
  fit <- new_mdpd(result$fits[[1]], problem, settings, about)
  fit$starts <- result$starts
  warn_status(fit, k)
  warn_equal_components(fit)
  warn_held_majorities(fit)
  warn_not_identified(fit)
  fit
}
