#' Standard errors, covariances and confidence intervals
#'
#' The uncertainty of the mixing weights and item-response probabilities of a fit, from the
#' curvature of its log-likelihood at the informative set of the fit. That the set itself was chosen
#' from the data is not counted; for that see [bootstrap()].
#'
#' With the posterior \eqn{g_{nk}}, case weights \eqn{c_n} and \eqn{s_n} the gradient of row n's
#' log-density, the observed information of a mixture is (Louis 1982)
#' \deqn{J = \sum_n c_n \Big[ s_n s_n^\top - \sum_k g_{nk} \big( u_{nk} u_{nk}^\top -
#'   D_{nk} \big) \Big],}{J = sum_n c_n [s_n s_n' - sum_k g[n,k] (u[n,k] u[n,k]' - D[n,k])],}
#' with \eqn{u_{nk}} the gradient of the log-density of row n jointly with component k and
#' \eqn{D_{nk}} the diagonal matrix of its squares. The covariance of `type = "observed"` is the
#' inverse of \eqn{J} on the directions in which every distribution keeps its sum of 1, so it holds
#' for all levels, the last one too. `type = "score"` is the sum of
#' \eqn{c_n s_n s_n^\top}{c_n s_n s_n'} alone, which estimates the same thing and is what poLCA
#' reports. An item that is not informative has one distribution \eqn{p} for all components,
#' estimated from the \eqn{N_i} rows that observe it and independent of the rest: its covariance is
#' \eqn{(\mathrm{diag}(p) - p p^\top) / N_i}{(diag(p) - p p') / N_i}.
#'
#' `type = "robust"` is the sandwich (White 1982, Binder 1983)
#' \deqn{J^{-1} \Big[ \sum_h \frac{m_h}{m_h - 1} \sum_{c \in h} (t_c - \bar t_h)
#'   (t_c - \bar t_h)^\top \Big] J^{-1},}{J^-1 [sum_h m_h / (m_h - 1) sum_{c in h} (t_c - tbar_h)
#'   (t_c - tbar_h)'] J^-1,}
#' with \eqn{t_c} the sum of \eqn{c_n s_n} over the rows of cluster c and \eqn{m_h} the number of
#' clusters in stratum h; without `cluster` each row is its own, without `strata` there is one
#' stratum. It holds where the model is wrong, where rows come in clusters, and where the weights
#' are sampling weights: ten times the weights change nothing, whereas the other types take them for
#' counts of rows, with a warning of class `mdpd_warning_sampling_weights` where they are not whole
#' numbers. The shares of items that are not informative are linearised in the same way. Of a
#' single component these are the standard errors of the package survey. With few clusters the
#' sandwich is too small: the number of clusters less that of strata should be well above the number
#' of parameters that one looks at together.
#'
#' The default interval of a probability \eqn{p} is made on the logit scale,
#' \eqn{\mathrm{logit}(p) \pm z \, \mathrm{se} / (p (1 - p))}{logit(p) +- z se / (p (1 - p))}, and
#' so stays inside (0, 1); `scale = "linear"` gives \eqn{p \pm z \, \mathrm{se}}{p +- z se}. The
#' quantile \eqn{z} is the normal distribution's; of clusters that of Student's t with as many
#' degrees of freedom as there are clusters less strata, as is usual in surveys.
#'
#' All of these are for classes that the items tell well. Where a quarter of the rows or more are in
#' a wrong class, intervals of the share of a small class hold the truth in about half of the
#' samples, and of few rows it is twice too large, by the likelihood still more than by the evidence
#' (`bench/coverage.R`).
#'
#' @param object A fitted mixture, see [stagewise_em()]; for `standard_errors()` and `confint()`
#'   also the result of [bootstrap()].
#' @param type `"observed"`, the negative second derivatives of the log-likelihood (called `"exact"`
#'   in 0.1.0, which is still taken); `"score"`, the outer product of its gradient by row; or
#'   `"robust"`. Default: `"robust"` with `cluster` or `strata` and for a fit of a survey design,
#'   else `"observed"`.
#' @param x Data with the fit's items, needed where the fit keeps none. By default those of the fit.
#' @param weights Case weights, one non-negative number a row; by default, `NULL`, those of the fit,
#'   also of an `x` with as many rows. Rows of another `x` then count once each, of a weighted fit
#'   with a warning of class `mdpd_warning_no_weights`; known classes as in [refine()]. Or a survey
#'   design, see [stagewise_em()].
#' @param cluster,strata For `type = "robust"`: vectors with one value for each row, none of them
#'   missing: the cluster and the stratum in which the row was drawn; every cluster in one stratum,
#'   every stratum with at least two clusters. By default those of the design of the fit, where
#'   its weights count; else `NULL`: rows drawn one by one.
#' @param parm Which parameters: names of parameters (see Value), names of items, or
#'   `"mixing_weights"`, in any mixture; or positions. By default all.
#' @param level Confidence level, from 0 to 1. Default 0.95.
#' @param scale `"logit"`, the default, or `"linear"`.
#' @param ... Not used; must be empty.
#' @return
#' * `standard_errors()`: a list of the shape of `coef()`: `mixing_weights` (k) and `item_probs`
#'   (for each item a levels x k matrix; equal columns where the item is not informative).
#' * `vcov()`: a symmetric matrix with a row for every parameter, named `"weight|component"`,
#'   `"item:level|component"` for informative items and `"item:level"` for the others, in this
#'   order. All levels are there, so its rank is the number of free parameters, not its size. With
#'   many items it is large; the other two functions never build it.
#' * `confint()`: a matrix with a row for every parameter, named as in `vcov()`, and the columns of
#'   the lower and the upper end, such as `2.5 %` and `97.5 %`.
#'
#' @section Survey designs:
#' For a fit of a `survey::svydesign()` the clusters are those of its first stage, in their strata;
#' later stages are part of what these vary by. A finite population correction counts where there is
#' one stage; with several, and where clusters were drawn with unequal probabilities (`pps`), it is
#' left out, which is on the safe side. A stratum that is one cluster adds nothing; where one of
#' several was drawn, `options(survey.lonely.psu = )` counts as in the package survey, as it is when
#' the model is fitted. Rows of a subset of a design keep the numbers of clusters of the whole. For
#' a calibrated design the weights are taken as they are, with a message of class
#' `mdpd_message_calibrated`. For a fit of a `survey::svrepdesign()` EM goes on from the fit under
#' each set of replicate weights, and the covariance is that of these estimates; informative items
#' are held, except by evidence, where the estimates are again posterior means under the weights of
#' items that the replicate shows.
#'
#' @section Fits by evidence:
#' Their estimates are posterior means. Each column is drawn from its own counts to what the
#' components have in common, or in a crowd to what the crowd answers, by as many pseudo-counts as
#' the concentrations learned have, weighed by how probable they are for the item
#' (`object$item_shares`); of a worker of one accuracy the answers in all components count for each
#' column. These enter the information, and what is common is uncertain as a mean of the components
#' is, or as a column of all rows is where the item may be the same in all components; what the
#' crowd answers as a column of all labels in the component. What comes out is how far posterior
#' means are from truths that vary as the prior says, not a spread in repeated samples of one truth,
#' which is smaller. In `type = "robust"` pseudo-counts are as many rows more, inside the sandwich
#' too, for the same reason.
#'
#' @section Estimates without a standard error:
#' An estimate on the boundary, a probability of 0 or 1 (to which less than 0.01 of a row's weight
#' belongs, or all but that), has none: its entries are `NA`, with a warning of class
#' `mdpd_warning_boundary`, and the others are those of the model in which it is fixed there. (poLCA
#' gives it the value 0.) No warning is given for what is not a parameter: the weight of a single
#' component, a level that occurs in no row, the level of a constant item. Parameters that the data
#' do not determine are `NA` with a warning of class `mdpd_warning_not_identified`: those that can
#' be moved without any change of what the model says of answers (looked for with at most 200
#' parameters, see [goodness_of_fit()]), and those without information in the data. By evidence the
#' prior determines them, and the warning says so. A warning of class `mdpd_warning_not_at_maximum`
#' says that the fit is not at a maximum of its likelihood, or with smoothing and prior counts of
#' its posterior density, such as a fit without refinement: the standard errors are then those of
#' the curvature where the fit is. Smoothing and prior counts enter the information as the counts of
#' a Dirichlet prior. A message of class `mdpd_message_slow` says that there are more than 4000
#' parameters, whose covariance takes from 20 seconds to minutes, and how long.
#' @section Errors:
#' `mdpd_error_not_stored` for a model that was not fitted to data, `mdpd_error_no_data` when the
#' fit keeps no data and `x` is not given, `mdpd_error_argument` for an argument out of range,
#' `mdpd_error_single_cluster` for a stratum with one cluster.
#' @references
#' Binder, D. A. (1983). On the variances of asymptotically normal estimators from complex surveys.
#' *International Statistical Review* 51, 279-292. \doi{10.2307/1402588}
#'
#' Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm.
#' *Journal of the Royal Statistical Society B* 44, 226-233.
#'   \doi{10.1111/j.2517-6161.1982.tb01203.x}
#'
#' McLachlan, G. and Peel, D. (2000). *Finite Mixture Models*, sections 2.15 and 2.16.
#' \doi{10.1002/0471721182}
#'
#' Linzer, D. A. and Lewis, J. B. (2011). poLCA: an R package for polytomous variable latent class
#' analysis. *Journal of Statistical Software* 42 (10). \doi{10.18637/jss.v042.i10}
#'
#' White, H. (1982). Maximum likelihood estimation of misspecified models. *Econometrica* 50, 1-25.
#' \doi{10.2307/1912526}
#' @family uncertainty
#' @examples
#' model <- simulate_crowd(n_workers = 8, n_labels = 2, accuracy = rep(0.8, 5), seed = 1)$model
#' fit <- stagewise_em(simulate(model, seed = 1, n_obs = 500)[[1]], k = 2)
#' standard_errors(fit)$mixing_weights
#' confint(fit, "mixing_weights")
#' confint(fit, informative(fit)[1])
#'
#' # Rows that come by ten
#' standard_errors(fit, cluster = rep(1:50, each = 10))$mixing_weights
#' @export
standard_errors <- function(object, ...) {
  check_given(object)
  UseMethod("standard_errors")
}

#' @export
standard_errors.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname standard_errors
#' @export
standard_errors.mdpd <- function(object, type = c("observed", "score", "robust"), x = NULL,
                                 weights = NULL, cluster = NULL, strata = NULL, ...) {
  rlang::check_dots_empty()
  how <- read_how(object, type, x, weights, cluster, strata)
  shape_as_coef(object, estimate_errors(object, how), parameter_table(object))
}

#' @rdname standard_errors
#' @importFrom stats vcov
#' @export
vcov.mdpd <- function(object, type = c("observed", "score", "robust"), x = NULL, weights = NULL,
                      cluster = NULL, strata = NULL, ...) {
  rlang::check_dots_empty()
  how <- read_how(object, type, x, weights, cluster, strata)
  names <- parameter_table(object)$name
  `dimnames<-`(estimate_covariance(object, how), list(names, names))
}

#' @rdname standard_errors
#' @importFrom stats confint
#' @export
confint.mdpd <- function(object, parm = NULL, level = 0.95, scale = c("logit", "linear"),
                         type = c("observed", "score", "robust"), x = NULL, weights = NULL,
                         cluster = NULL, strata = NULL, ...) {
  rlang::check_dots_empty()
  check_number(level, c(0, 1))
  scale <- check_choice(scale, c("logit", "linear"))
  parameters <- parameter_table(object)
  rows <- find_parameters(parm, parameters)
  how <- read_how(object, type, x, weights, cluster, strata)
  errors <- estimate_errors(object, how)
  limits <- wald_limits(parameters$estimate[rows], errors[rows], level, scale,
                        interval_df(how$design, how$coded$weights))
  dimnames(limits) <- list(parameters$name[rows], limit_names(level))
  limits
}

# Intervals ----------------------------------------------------------------------------------------

wald_limits <- function(estimate, error, level, scale, df = Inf) {
  z <- stats::qt((1 + level) / 2, df)
  half <- outer(error, c(-z, z))
  if (scale == "linear") {
    return(estimate + half)
  }
  inside <- estimate > 0 & estimate < 1
  limits <- half  # a matrix, also of no estimate
  limits[] <- stats::plogis(stats::qlogis(estimate) + half / (estimate * (1 - estimate)))
  limits[!inside, ] <- NA
  limits
}

limit_names <- function(level) {
  ends <- 100 * c(1 - level, 1 + level) / 2
  paste(format_number(ends, trim = TRUE, digits = 3, scientific = FALSE), "%")
}
