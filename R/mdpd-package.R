#' mdpd: sparse mixtures of discrete product distributions
#'
#' Clusters categorical data in which most items are noise, by stagewise EM. [stagewise_em()] fits,
#' [informative()] names the items that matter, [predict()][predict.mdpd] classifies new rows,
#' [plot()][plot.mdpd] shows what was found. For crowdsourced labels begin with [crowd_labels()] or
#' [read_crowd()].
#'
#' After the fit:
#' * Does it fit? [goodness_of_fit()], [pair_residuals()], [test_k()], [copied_items()].
#' * How sure is it? [standard_errors()], also of survey designs, and [bootstrap()].
#' * What follows? [class_regression()] of the class on covariates, [distal_outcome()] by class,
#'   [compare_groups()].
#' * For others: [name_components()], [report()], [explore()].
#'
#' With `vignette("mdpd")` one gets started, `vignette("survey")` goes from a labelled survey file
#' to a published table, `vignette("crowdsourcing")` is about labels of workers.
#'
#' @section Model:
#' A row \eqn{x} of items has the density
#' \deqn{f(x) = \sum_{k=1}^K w_k \prod_{i \in S} \mu_{k,i,x_i} \prod_{i \notin S} \bar\mu_{i,x_i}}{
#' f(x) = sum_k w_k prod_(i in S) mu[k,i,x_i] prod_(i not in S) mubar[i,x_i]}
#' with mixing weights \eqn{w}, item-response probabilities \eqn{\mu} and the informative set
#' \eqn{S}: items outside \eqn{S} have the same distribution in every component. Items are
#' independent within a component (local independence), and a missing answer is missing at random.
#'
#' @references
#' Zhao, V. and Zucker, S. W. (2015). Stagewise Learning for Sparse Clustering of Discretely-Valued
#' Data. \doi{10.48550/arXiv.1506.02975}
#'
#' Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
#' the EM algorithm. *Applied Statistics* 28, 20-28. \doi{10.2307/2346806}
#' @name mdpd-package
#' @docType package
#' @keywords internal
#' @useDynLib mdpd, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom rlang %||%
NULL
