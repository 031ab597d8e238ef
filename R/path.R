#' Another number of components from the same run
#'
#' A call of [stagewise_em()] with several `k` fits the whole path and returns the fit with most
#' evidence or, for fits without evidence, with the highest penalised log-likelihood. This takes
#' another one from it, without refitting.
#'
#' Differences of the evidence are logarithms of Bayes factors (nats). On the scale of Kass and
#' Raftery (1995) less than 1 is hardly worth a mention, 1 to 3 are positive evidence, 3 to 5 strong
#' and more than 5 very strong, provided that the model holds. Against more components this is too
#' sure: the evidence approximates the marginal likelihood from below, the further the more
#' components, and leans to few where classes overlap. Of three weak classes it took 17 nats too
#' many off the third (`bench/marginal_likelihood.R`); a number of probability above .99 was the
#' true one in 45 % of tables whose classes are close, and in 93 % where they are far apart
#' (`bench/choose_k_calibration.R`). [test_k()] tests the next one.
#'
#' @param object A fit made with several `k`, see [stagewise_em()].
#' @param k The number of components wanted, one of those asked for; by default the best one by
#'   `criterion`.
#' @param criterion Where no `k` is given: `"evidence"` (the largest, the default of fits by
#'   evidence), `"penalised"` (the largest penalised log-likelihood, the default of others),
#'   `"BIC"`, `"AIC"` or `"ICL"` (the smallest).
#' @return The fit with `k` components; it has the same `path`, a data frame with a row for every
#'   `k`: `k`; `components` found; `loglik` and `penalised_loglik` (nats); `df`; `AIC`; `BIC`;
#'   `ICL`, which is BIC plus twice the entropy of the posterior; `entropy`, one minus that entropy
#'   divided by its largest value, from 0 (nothing is known of the classes) to 1 (all rows are
#'   certain); `n_informative`; `status`; and, for fits by evidence, `evidence` (nats) and
#'   `probability`, that of this number among those found, all equally probable before; `NA` where
#'   fewer components were found, which says nothing of how probable that number is, and where no
#'   other number was. For a crowd with more components than labels also `label_agreement`, see
#'   [stagewise_em()]: below 0.8 the fit is not chosen and its `probability` is `NA`.
#' @section Errors:
#' `mdpd_error_not_stored` when the fit has no path, `mdpd_error_argument` when it has no such `k`
#' or both `k` and `criterion` are given.
#' Warnings of class `mdpd_warning_fewer_components`, `mdpd_warning_not_converged` and
#' `mdpd_warning_not_identified` where the fit chosen is such, see [stagewise_em()].
#' @references
#' Kass, R. E. and Raftery, A. E. (1995). Bayes factors. *Journal of the American Statistical
#' Association* 90, 773-795. \doi{10.1080/01621459.1995.10476572}
#'
#' Schwarz, G. (1978). Estimating the dimension of a model. *Annals of Statistics* 6, 461-464.
#' \doi{10.1214/aos/1176344136}
#'
#' Biernacki, C., Celeux, G. and Govaert, G. (2000). Assessing a mixture model for clustering with
#' the integrated completed likelihood. *IEEE Transactions on Pattern Analysis and Machine
#' Intelligence* 22, 719-725. \doi{10.1109/34.865189}
#' @family fitting
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 10, accuracy = rep(0.8, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 1:4)
#' fit$k
#' fit$path
#' choose_k(fit, 2)
#' @export
choose_k <- function(object, k = NULL,
                     criterion = c("evidence", "penalised", "BIC", "AIC", "ICL")) {
  check_class(object, "mdpd")
  check_path(object)
  if (!is.null(k) && !missing(criterion)) {
    abort_mdpd("Give {.arg k} or {.arg criterion}: with {.arg k} there is nothing to choose.",
               class = "argument")
  }
  may_choose <- c(main_criterion(object$path), "penalised", "BIC", "AIC", "ICL")
  criterion <- if (missing(criterion)) may_choose[1] else check_choice(criterion, may_choose)
  row <- if (is.null(k)) best_row(object$path, criterion) else position_in(k, object$path$k)
  if (length(row) != 1 || is.na(row)) {
    abort_mdpd("{.arg k} must be one of {.val {object$path$k}}, not {describe(k)}.",
               class = "argument")
  }
  chosen <- from_path(object$path_fits, row, object$path, object$coded)
  warn_status(chosen, object$path$k[row])
  warn_not_identified(chosen)
  chosen
}

# NA where it is none of them, or no number.
position_in <- function(k, ks) if (rlang::is_bare_numeric(k, 1)) match(k, ks) else NA

# The best of several fits, with the others in its path.
new_path <- function(results, problem, settings, about, call = rlang::caller_env()) {
  keep_data <- about$keep_data
  about$keep_data <- FALSE
  # Once for all; beside the data it is not needed.
  about$data_hash <- about$data_hash %||%
    (if (keep_data) NA_character_ else hash_of_coded(problem$coded, problem$labels))
  fits <- lapply(results, new_mdpd, problem, settings, about)
  path <- fits_table(fits, settings$k)
  if (!is.null(fits[[1]]$evidence)) path <- add_evidence(path, fits)
  inform_unsure_labels(path)
  best <- best_row(path, main_criterion(path))
  inform_largest_k(path, fits[[best]])
  inform_weak_classes(path, fits[[best]])
  warn_of_fit(fits[[best]], path$k[best], results[[best]], problem$coded, call)
  from_path(fits, best, path, if (keep_data) problem$coded)
}

# All that a fit with `k` asked for, made of the engine's `result`, is to be warned of.
warn_of_fit <- function(fit, k, result, coded, call = rlang::caller_env()) {
  warn_status(fit, k, call)
  warn_independent(fit, result$loglik_of_one + result$log_prob_of_known, call)
  warn_one_pair(fit, call)
  warn_held_majorities(fit, call)
  if (!is.null(fit$posterior)) { # fits of a store hold no rows
    warn_copied_items(fit, coded, call)
    warn_unlinked_items(fit, coded, call)
  }
  warn_not_identified(fit, call)
}

from_path <- function(fits, row, path, coded) {
  fit <- fits[[row]]
  fit["coded"] <- list(coded)
  fit$path <- path
  fit$path_fits <- fits
  fit
}

# A row for each fit with the `k` asked for.
fits_table <- function(fits, k) {
  of_each <- function(f, ...) unlist(lapply(fits, f, ...))
  log_likelihoods <- lapply(fits, stats::logLik)
  of_likelihoods <- function(f) vapply(log_likelihoods, f, 0)
  bic <- of_likelihoods(stats::BIC)
  data.frame(
    k = k, components = of_each(`[[`, "k"), loglik = of_each(`[[`, "loglik"),
    penalised_loglik = of_each(`[[`, "penalised_loglik"), df = of_each(`[[`, "df"),
    AIC = of_likelihoods(stats::AIC), BIC = bic, ICL = bic + 2 * of_each(class_entropy),
    entropy = of_each(relative_entropy), n_informative = of_each(n_informative),
    status = of_each(`[[`, "status")
  )
}

# A fit that fell back is another number's, and counts there.
has_all_components <- function(path) path$components == path$k

# What may be chosen by evidence: if no fit is sure of its labels, any.
may_be_best <- function(path) has_sure_labels(path) | !any(has_sure_labels(path))

# Where more evidence than that of the fit chosen is of components whose labels are not sure.
inform_unsure_labels <- function(path) {
  best <- best_row(path, main_criterion(path))
  unsure <- which(!has_sure_labels(path) & main_value(path) > main_value(path)[best])
  if (length(unsure) > 0 && has_sure_labels(path)[best]) {
    inform_mdpd(
      c("Of {.arg k} = {path$k[unsure]} the evidence is higher, but not all components are sure of
         their label.", i = "{.fn choose_k} takes one of these nevertheless."),
      class = "unsure_labels"
    )
  }
}

# Where the best number is the last one tried, the next may be better, unless components of the
# `chosen` fit repeat each other already.
inform_largest_k <- function(path, chosen) {
  best <- best_row(path, main_criterion(path))
  if (nrow(path) == 1 || best < nrow(path) || !has_all_components(path)[best] ||
        any(repeats_component(chosen))) {
    return(invisible(path))
  }
  inform_mdpd(
    c("The best number of components is the largest asked for, {path$k[best]}.",
      i = "More may be better: raise {.arg k}."),
    class = "largest_k"
  )
}

# Where one component is chosen, though others kept theirs: see warn_independent().
inform_weak_classes <- function(path, chosen) {
  weak <- path$k[path$k > 1 & has_all_components(path)]
  may_fall_back <- !is.null(chosen$evidence) && chosen$refine == "sparse" && is.null(chosen$labels)
  if (chosen$k == 1 && may_fall_back && length(weak) > 0) {
    inform_mdpd(
      c("One component has the most evidence, but the items do hang together, more than 99 of 100
         tables of independent items.",
        i = "There may be classes of which no item is sure to tell:
             {.code choose_k(fit, {weak[1]})}."),
      class = "weak_classes"
    )
  }
}

add_evidence <- function(path, fits) {
  path$evidence <- vapply(fits, `[[`, 0, "evidence")
  if (any(vapply(fits, function(fit) !is.null(fit$stands_for), NA))) {
    path$label_agreement <- vapply(fits, function(fit) fit$label_agreement %||% NA_real_, 0)
  }
  counts <- has_all_components(path) & has_sure_labels(path)
  relative <- ifelse(counts, exp(path$evidence - max(path$evidence[may_be_best(path)])), NA)
  # The only one found is compared with none.
  if (sum(counts) == 1) relative[] <- NA
  path$probability <- relative / sum(relative, na.rm = TRUE)
  path
}

# What the fits of a path are compared by.
main_criterion <- function(path) if (is.null(path$evidence)) "penalised" else "evidence"

main_value <- function(path) path$evidence %||% path$penalised_loglik

main_name <- function(path) {
  if (is.null(path$evidence)) "penalised log-likelihood" else "evidence"
}

best_row <- function(path, criterion) {
  switch(
    criterion,
    evidence = which.max(replace(path$evidence, !may_be_best(path), -Inf)),
    penalised = which.max(path$penalised_loglik),
    which.min(path[[criterion]])
  )
}

# The best, by how far each is `behind`, of those that may be chosen; one that fell back is none.
is_best <- function(behind, path) {
  behind == min(behind[may_be_best(path)]) & may_be_best(path) & has_all_components(path)
}

# How far each number of components is behind the best by each criterion, in nats: AIC and ICL are
# halved.
behind_best <- function(path) {
  main <- main_value(path)
  data.frame(
    main = max(main) - main,
    AIC = (path$AIC - min(path$AIC)) / 2,
    ICL = (path$ICL - min(path$ICL)) / 2
  )
}
