#' Take over a fit of another package
#'
#' Makes a fit of poLCA one of this package, with its parameters, its numbering of the classes and
#' its data, so that it can be drawn, described, used to classify new rows and carried on by
#' [refine()].
#'
#' Parameters are taken as they are. What follows from them is computed anew: the log-likelihood and
#' the posterior, which poLCA keeps from the step before its last.
#'
#' With `na.rm = FALSE` poLCA counts rows without any answer in no class, so that the sizes of its
#' classes add up to the share of the others. Here they are divided by that, and sum to 1; the
#' log-likelihood is higher than poLCA's accordingly.
#'
#' A fit with covariates has class sizes for each row, and one of this package does not: the sizes
#' are then those of all rows, with a warning, and the log-likelihood and the posterior are those
#' without covariates.
#'
#' @param x A fit made by poLCA's function of this name, or a model of class `mdpd`, which is
#'   returned as it is.
#' @param ... Not used; must be empty.
#' @return A fit of class `mdpd`, as of [mdpd()], without a `trace`; its components are named by the
#'   numbers of poLCA's classes, in their order. `call` is poLCA's, and `converged` is `FALSE` where
#'   poLCA had reached `maxiter`. Levels are those of the factors, or the numbers; one that no row
#'   shows is left out.
#' @section Errors and warnings: `mdpd_error_argument` for a fit of any other kind;
#'   `mdpd_warning_covariates` for one with covariates; `mdpd_warning_not_identified` as in
#'   [mdpd()].
#' @references
#' Linzer, D. A. and Lewis, J. B. (2011). poLCA: an R package for polytomous variable latent class
#' analysis. *Journal of Statistical Software* 42 (10). \doi{10.18637/jss.v042.i10}
#' @family fitting
#' @examplesIf requireNamespace("poLCA", quietly = TRUE)
#' data(values, package = "poLCA")
#' set.seed(1)
#' theirs <- poLCA::poLCA(cbind(A, B, C, D) ~ 1, values, nclass = 2, verbose = FALSE)
#' fit <- as_mdpd(theirs)
#' fit
#' confint(fit, "mixing_weights")
#' refine(fit, type = "full")$loglik - theirs$llik
#' @export
as_mdpd <- function(x, ...) {
  check_given(x)
  UseMethod("as_mdpd")
}

#' @export
as_mdpd.default <- function(x, ...) {
  abort_mdpd("{.arg x} must be a fit of poLCA, not {describe(x)}.", class = "argument")
}

#' @rdname as_mdpd
#' @export
as_mdpd.mdpd <- function(x, ...) {
  rlang::check_dots_empty()
  x
}

#' @rdname as_mdpd
#' @export
as_mdpd.poLCA <- function(x, ...) {
  rlang::check_dots_empty()
  warn_covariates(x)
  k <- length(x$P)
  problem <- new_problem(encode(x$y, arg = "x$y"))
  control <- complete_control(stagewise_control(), "paper")
  settings <- new_settings("em", k, "em", "full", control)
  result <- polca_result(x, problem$coded)
  fit <- new_mdpd(result, problem, settings, list(class = NULL, call = x$call, keep_data = TRUE))
  # Not by size, but as their users know them.
  by_size <- order(result$mixing_weights, decreasing = TRUE)
  fit <- permute_components(fit, order(by_size), as.character(seq_len(k)))
  warn_not_identified(fit)
  fit
}

# What the engine would have given back, see run_engine().
polca_result <- function(x, coded) {
  item_probs <- lapply(names(coded$levels), function(item) {
    probs <- t(x$probs[[item]])
    levels <- if (is.factor(x$y[[item]])) rownames(probs) else as.character(seq_len(nrow(probs)))
    unname(probs[match(coded$levels[[item]], levels), , drop = FALSE])
  })
  sizes <- polca_sizes(x)
  at <- core_posterior(coded, sizes, item_probs, core_defaults("robust")$threads)
  evidence <- item_gains(at$posterior, coded)
  loglik <- sum(coded$weights * at$row_loglik)
  k <- length(x$P)
  n_free <- lengths(coded$levels) - 1
  nobs <- sum(coded$weights)  # poLCA counts all rows
  list(
    mixing_weights = sizes, item_probs = item_probs, posterior = at$posterior,
    informative = seq_along(item_probs), item_evidence = evidence$gain - evidence$penalty,
    loglik = loglik, df = k * sum(n_free) + k - 1,
    penalised_loglik = loglik - sum(evidence$penalty) - (k - 1) / 2 * log(nobs), nobs = nobs,
    status = if (x$numiter < x$maxiter) "converged" else "iteration_limit",
    holds_known = FALSE, smoothing = 0
  )
}

# To the last bit theirs where every row has an answer.
polca_sizes <- function(x) {
  if (any(rowSums(!is.na(x$y)) == 0)) x$P / sum(x$P) else x$P
}

# What each item gains in log-likelihood by differing between the components, and its BIC penalty,
# see `item_evidence` in stagewise_em().
item_gains <- function(posterior, coded) {
  sum_of <- function(x) sum(p_log_p(x))
  answers <- answers_by_item(coded$codes)
  gains <- lapply(names(coded$levels), function(item) {
    given <- answers(item)
    counts <- rowsum(coded$weights[given$row] * posterior[given$row, , drop = FALSE], given$code)
    data.frame(
      gain = sum_of(counts) - sum_of(colSums(counts)) - sum_of(rowSums(counts)) +
        sum_of(sum(counts)),
      penalty = (ncol(counts) - 1) * (nrow(counts) - 1) / 2 * log(sum(counts))
    )
  })
  do.call(rbind, gains)
}

warn_covariates <- function(x, call = rlang::caller_env()) {
  if (is.matrix(x$coeff)) {
    warn_mdpd(
      c("The covariates of the class are left out: {.val {rownames(x$coeff)[-1]}}.",
        i = "Each row has the class sizes of all rows; {.fn class_regression} takes covariates."),
      class = "covariates", call = call
    )
  }
}
