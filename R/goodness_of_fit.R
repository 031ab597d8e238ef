#' Goodness of fit of a mixture
#'
#' Compares how often each pattern of answers was given, \eqn{O}, with how often the fit expects it,
#' \eqn{E}: the likelihood-ratio statistic \eqn{G^2}, Pearson's \eqn{X^2} and the power divergence
#' of Cressie and Read (1984), with p-values from the chi-square distribution and, for `n` samples
#' of the fitted model, from the parametric bootstrap.
#'
#' The statistics are of one family,
#' \deqn{\frac{2}{\lambda (\lambda + 1)} \sum O \Big[ \Big( \frac{O}{E} \Big)^\lambda - 1 \Big],}{2
#' / (lambda (lambda + 1)) sum O [(O / E)^lambda - 1],}
#' with \eqn{\lambda = 1} for \eqn{X^2}, which is then \eqn{\sum O^2 / E - N}{sum O^2 / E - N}, the
#' limit \eqn{\lambda \to 0}{lambda -> 0} for \eqn{G^2}, and the argument `lambda` for the third.
#' Patterns that nobody gave add nothing to these sums, so that the table of all patterns is never
#' made: it may have \eqn{5^{75}}{5^75} cells.
#'
#' The chi-square distribution is that of the statistics at the maximum of the likelihood. The
#' probabilities of a fit by evidence are posterior means, and those with prior counts or smoothing
#' are not there either: \eqn{G^2} of `poLCA::values` with three classes would be 5.3 in place of
#' 0.4. So EM goes on from such a fit, on its informative items and without a prior, to the maximum
#' next to it, and expects what that says; samples are drawn from there and fitted so too. Without
#' refinement the fit is taken as it is.
#'
#' The residual degrees of freedom are the cells minus one minus the parameters of the fit; poLCA
#' puts the number of rows in the place of the cells where it is smaller. With fewer than five rows
#' a cell the chi-square distribution cannot be relied on: models that held were rejected at 5 % in
#' none of the data by \eqn{G^2} and in 20 to 39 % by \eqn{X^2}, with samples in 0 to 8 % and in 2
#' to 9 % (`bench/goodness_of_fit.R`; the more cells, the more cautious is \eqn{G^2}). Then ask for
#' samples: rows are drawn from the fitted model, with the missing cells of the data, and the fit
#' goes on from its own parameters to each sample, without the search for a better optimum. The
#' p-value is \eqn{(g + 1) / (n + 1)}, where `g` of the samples have a statistic as large as that of
#' the data.
#'
#' With many items every row has a pattern of its own, and no statistic of patterns says much: see
#' [pair_residuals()] for where the model does not fit.
#'
#' @section Missing values:
#' By default every row counts. The rows that miss the same items make a table of their own, of the
#' items they answer, with as many rows as they are, and the statistics, cells and degrees of
#' freedom are summed over these tables. So values must be missing completely at random: else the
#' statistics are large for that reason alone, as where questions are only asked after a certain
#' answer. `rows = "complete"` takes the rows without a missing value, the rule of poLCA: these are
#' then no sample of all rows either. A message of class `mdpd_message_missing_cells` says what was
#' done. In samples the fit is to all rows in either case. With `missing = "level"` nothing is
#' missing.
#'
#' @param object A fitted mixture, see [stagewise_em()].
#' @param n Number of samples of the parametric bootstrap, a count of at most 1,000,000; 0, the
#'   default, draws none. 200 give a p-value near 0.05 with a standard error of 0.015.
#' @param lambda The power of the third statistic, a number from -0.5 (Freeman and Tukey) to 5.
#'   Default 2/3, which Cressie and Read recommend.
#' @param rows For data with missing cells: `"all"`, the default, or `"complete"`.
#' @param seed A whole number, or `NULL` to draw from the session's random numbers. Default 1: the
#'   same answer every run. Every sample has a seed of its own, so the result does not depend on
#'   `threads`.
#' @param threads Number of processes, a count of at least 1. Default 1. Forks, so on Windows always
#'   one.
#' @param x,weights The data and their case weights, where the fit keeps none; by default those of
#'   the fit. An `x` with as many rows has the weights of the fit; rows of another one count once
#'   each, of a weighted fit with a warning of class `mdpd_warning_no_weights`. Weights count rows:
#'   those of a sample survey, which do not, make the p-values wrong.
#' @param verbose Show a progress bar? Default: in interactive sessions.
#' @param ... Not used; must be empty.
#' @return A list of class `"mdpd_goodness_of_fit"`:
#'   \item{statistics}{data frame with the rows `"G2"`, `"X2"` and `"power divergence"`: `statistic`
#'     (these names), `value` (at least 0), `p_value` (of the chi-square distribution; `NA` without
#'     degrees of freedom) and `p_bootstrap` (`NA` without samples)}
#'   \item{df}{residual degrees of freedom; negative where there are more parameters than cells}
#'   \item{n_cells, n_patterns, share_empty}{number of cells of the table (of all tables), of
#'     patterns seen, and the share of the cells without a row, in \[0, 1\]}
#'   \item{n_parameters, nobs, n_items, k}{free parameters of the fit, weight of the rows counted,
#'     items, components}
#'   \item{is_sparse}{are there fewer than five rows a cell?}
#'   \item{by_likelihood}{did EM go on from the fit to the maximum of the likelihood?}
#'   \item{n_undetermined}{directions in which the parameters can be moved without any change of the
#'     model; 0 where it is identified, `NA` above 200 parameters, where it is not computed}
#'   \item{samples}{n x 3 matrix: the statistics of the samples}
#'   \item{lambda, rows, n, seed}{as given}
#'   `tidy()` gives the `statistics`, `glance()` one row for the whole, with the p-values of
#'   chi-square as `p_G2` and those of samples as `p_bootstrap_G2`, and so on; `plot()` draws the
#'   samples with the statistics of the data, `autoplot()` returns that picture as a ggplot object.
#' @section Errors and warnings:
#' `mdpd_error_argument` for an argument out of range, or for samples of a fit without refinement;
#' `mdpd_error_data` where a cell has several answers, as of a crowd in which a worker labels an
#' item twice, or where `rows = "complete"` finds none; `mdpd_error_not_stored` for a model that was
#' not fitted, and for a picture without samples; `mdpd_error_no_data` when the fit keeps no data
#' and `x` is not given;
#' `mdpd_error_replicate` when a process fails. `mdpd_warning_not_identified` when the parameters
#' are not determined by what the model says of answers, see `n_undetermined`;
#' `mdpd_warning_design_ignored` for a fit of a survey design, which p-values do not count;
#' `mdpd_warning_sampling_weights` for case weights that are not whole numbers, as those of a
#' survey.
#' @references
#' Cressie, N. and Read, T. R. C. (1984). Multinomial goodness-of-fit tests. *Journal of the Royal
#' Statistical Society B* 46, 440-464. \doi{10.1111/j.2517-6161.1984.tb01318.x}
#'
#' Langeheine, R., Pannekoek, J. and van de Pol, F. (1996). Bootstrapping goodness-of-fit measures
#' in categorical data analysis. *Sociological Methods and Research* 24, 492-516.
#' \doi{10.1177/0049124196024004004}
#'
#' Linzer, D. A. and Lewis, J. B. (2011). poLCA: an R package for polytomous variable latent class
#' analysis. *Journal of Statistical Software* 42 (10). \doi{10.18637/jss.v042.i10}
#' @family tests of fit
#' @examples
#' votes <- house_votes[c("crime", "mx_missile", "contras_aid", "budget_resolution")]
#' fit <- stagewise_em(votes, k = 2)
#' goodness_of_fit(fit, n = 50)
#' glance(goodness_of_fit(fit, rows = "complete"))
#' @export
goodness_of_fit <- function(object, n = 0, ...) {
  check_given(object)
  UseMethod("goodness_of_fit")
}

#' @export
goodness_of_fit.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname goodness_of_fit
#' @export
goodness_of_fit.mdpd <- function(object, n = 0, ..., lambda = 2 / 3, rows = c("all", "complete"),
                                 seed = 1, threads = 1, x = NULL, weights = NULL,
                                 verbose = interactive()) {
  rlang::check_dots_empty()
  check_n_samples(n, min = 0)
  check_number(lambda, c(-0.5, 5))
  rows <- check_choice(rows, c("all", "complete"))
  check_seed(seed)
  check_count(threads)
  check_flag(verbose)
  coded <- data_to_test(object, n, x, weights)
  table <- count_patterns(coded, rows)
  check_has_rows(table)
  inform_missing_cells(coded, rows)
  n_undetermined <- n_undetermined(object)
  warn_undetermined(n_undetermined, column_words(object))
  by_likelihood <- !is_at_maximum(object)
  tested <- if (by_likelihood) at_maximum(object, coded) else object

  values <- power_divergences(table, tested, lambda)
  how <- list(n = n, seed = seed, threads = threads, verbose = verbose)
  samples <- sample_model(tested, coded, how, function(sample, model) {
    power_divergences(count_patterns(sample, rows), model, lambda)
  })
  new_goodness_of_fit(object, table, values, samples, list(
    by_likelihood = by_likelihood, n_undetermined = n_undetermined, lambda = lambda, rows = rows,
    n = n, seed = seed
  ))
}

# Are the probabilities meant to be those of the greatest likelihood? Those that the stages leave
# are not meant as estimates.
is_at_maximum <- function(object) {
  is_plain <- is.null(object$evidence) && is.null(object$prior) && (object$smoothing %||% 0) == 0
  is_plain || object$k == 1 || identical(object$refine, "none")
}

# The fit that EM comes to from it by likelihood alone, with the same informative items.
at_maximum <- function(object, coded) {
  object[c("evidence", "prior", "smoothing")] <- NULL
  object[c("method", "refine")] <- list("em", "full")
  object$control[c("criterion", "smoothing", "tol", "max_iter")] <- list("bic", 0, 1e-10, 5000)
  model <- fit_sample(object, drop_unobserved(coded), refit = FALSE)
  at <- match(names(object$mixing_weights), names(model$mixing_weights))
  object$mixing_weights[] <- model$mixing_weights[at]
  object$item_probs[names(model$item_probs)] <- lapply(model$item_probs, function(probs) {
    probs[, at, drop = FALSE]
  })
  object
}

new_goodness_of_fit <- function(object, table, values, samples, about) {
  df <- table$n_cells - table$n_tables - object$df
  nobs <- sum(table$count)
  n_patterns <- length(table$count)
  structure(
    c(
      list(
        statistics = data.frame(
          statistic = c("G2", "X2", "power divergence"), value = unname(values),
          p_value = if (df > 0 && is.finite(df)) {
            stats::pchisq(unname(values), df, lower.tail = FALSE)
          } else {
            NA_real_
          },
          p_bootstrap = p_of_samples(samples, values)
        ),
        df = df, n_cells = table$n_cells, n_patterns = n_patterns,
        share_empty = 1 - n_patterns / table$n_cells, n_parameters = object$df, nobs = nobs,
        n_items = length(object$item_probs), k = object$k,
        is_sparse = nobs / table$n_cells < 5, samples = samples
      ),
      about
    ),
    class = "mdpd_goodness_of_fit"
  )
}

# Patterns -----------------------------------------------------------------------------------------

# The different rows, how often each was seen, `count`, and how many rows miss the same items,
# `total`; and how many tables these make, with how many cells. What is known of the classes of some
# rows says nothing of the table.
count_patterns <- function(coded, rows) {
  coded <- with_weight(coded)
  coded["known"] <- list(NULL)
  if (rows == "complete") {
    coded <- take_rows(coded, is_complete(coded))
  }
  kind <- row_patterns(coded$codes)
  first <- which(!duplicated(kind))
  kinds <- take_rows(coded, first)
  kinds$weights <- rep(1, length(first))
  count <- sum_by(coded$weights, kind)
  gaps <- gap_patterns(kinds$codes)
  of_table <- which(!duplicated(gaps))
  n_levels <- as.double(lengths(coded$levels))
  answered <- answered_items(select_rows(kinds$codes, of_table))
  list(
    coded = kinds, count = count, total = sum_by(count, gaps)[gaps],
    n_tables = length(of_table),
    n_cells = sum(vapply(answered, function(items) prod(n_levels[items]), 0))
  )
}

take_rows <- function(coded, rows) {
  coded$codes <- select_rows(coded$codes, rows)
  coded$weights <- coded$weights[rows]
  if (!is.null(coded$known)) coded$known <- coded$known[rows]
  coded
}

# What a fit is tested on, checked.
data_to_test <- function(object, n, x, weights, call = rlang::caller_env()) {
  check_fit(object, call)
  coded <- data_of(object, x, weights, call = call)
  warn_sample(coded, design_for(object, x, weights, nrow(coded$codes)), call)
  coded <- with_weight(coded)
  check_single_answers(coded, call)
  check_may_sample(object, n, call)
  if (n > 0) check_rows_drawn(coded$weights, call)
  coded
}

# p-values are of rows drawn one by one, each as often as its weight says.
warn_sample <- function(coded, design, call = rlang::caller_env()) {
  if (!is.null(design)) {
    warn_mdpd(
      c("The p-values do not count the survey design of the fit.",
        i = "They take the rows as drawn one by one, and are rather too small."),
      class = "design_ignored", call = call
    )
  } else {
    warn_no_counts(coded$weights, c(
      "The case weights are not whole numbers, and the p-values take them as counts of rows.",
      i = "If they are weights of a sample survey, the p-values are rather too small."
    ), call)
  }
}

# Rows of weight zero count as if left out.
with_weight <- function(coded) {
  if (all(coded$weights > 0)) coded else take_rows(coded, which(coded$weights > 0))
}

is_complete <- function(coded) lengths(answered_items(coded$codes)) == ncol(coded$codes)

# Of each row the numbers of the items that it answers.
answered_items <- function(codes) {
  if (!is_sparse(codes)) {
    observed <- which(t(codes != as.raw(0)), arr.ind = TRUE)
    return(split(unname(observed[, 1]), factor(observed[, 2], seq_len(nrow(codes)))))
  }
  split(codes$item, factor(answer_rows(codes), seq_len(nrow(codes))))
}

# A number for each row, the same for equal ones, from 1 in the order in which they are seen.
row_patterns <- function(codes) {
  if (is_sparse(codes)) {
    answers <- split(paste(codes$item, as.integer(codes$code)),
                     factor(answer_rows(codes), seq_len(nrow(codes))))
    return(number_patterns(vapply(answers, paste, "", collapse = " ")))
  }
  column_patterns(lapply(seq_len(ncol(codes)), function(j) as.integer(codes[, j])), nrow(codes))
}

# The same of which items are missing.
gap_patterns <- function(codes) {
  if (is_sparse(codes)) {
    codes$code[] <- as.raw(1)
    return(row_patterns(codes))
  }
  observed <- lapply(seq_len(ncol(codes)), function(j) as.integer(codes[, j] != as.raw(0)))
  column_patterns(observed, nrow(codes))
}

# Columns of whole numbers from 0 as the digits of one number, renumbered before it has more digits
# than a double holds exactly.
column_patterns <- function(columns, n_rows) {
  kind <- rep(1, n_rows)
  largest <- 1
  for (column in columns) {
    base <- max(0, column) + 1
    if ((largest + 1) * base > 2^52) {
      kind <- number_patterns(kind)
      largest <- max(kind)
    }
    kind <- kind * base + column
    largest <- (largest + 1) * base
  }
  number_patterns(kind)
}

number_patterns <- function(key) match(key, unique(key))

# Sums of `values` by kind, in the order of the kinds.
sum_by <- function(values, kind) as.vector(rowsum(values, kind))

# Statistics ---------------------------------------------------------------------------------------

# G2, X2 and the one of power lambda. Sums of O expm1(.) lose nothing where O and E are close.
power_divergences <- function(table, model, lambda) {
  log_ratio <- log(table$count) - log(table$total) - log_densities(model, table$coded)
  power <- function(lambda) {
    if (abs(lambda) < 1e-8) {
      return(2 * sum(table$count * log_ratio))
    }
    2 / (lambda * (lambda + 1)) * sum(table$count * expm1(lambda * log_ratio))
  }
  # Rounding may leave less than nothing.
  pmax(c(G2 = power(0), X2 = power(1), power = power(lambda)), 0)
}

log_densities <- function(model, coded) posterior_of(model, coded)$row_loglik

# Samples ------------------------------------------------------------------------------------------

# The numbers that `measure(sample, model)` finds in samples of a fit, each with the model that the
# fit has become by going on to it: a row for each.
#
# `how`: how many, `n`, by which `seed`, with how many `threads`, and whether `verbose`.
sample_model <- function(object, coded, how, measure) {
  if (how$n == 0) {
    return(NULL)
  }
  seeds <- with_seed(how$seed, sample.int(.Machine$integer.max, how$n))
  run <- function(seed) {
    sample <- drop_unobserved(with_seed(seed, draw_parametric(object, coded)))
    measure(sample, continue_to(object, sample))
  }
  do.call(rbind, run_replicates(seeds, run, how$threads, how$verbose))
}

# The model that the fit becomes on other data, by its own criterion from its own parameters.
continue_to <- function(object, coded) {
  fit <- if (object$method == "em") fit_held(object, coded) else refit_from(object, coded)
  list(
    mixing_weights = fit$mixing_weights,
    item_probs = stats::setNames(fit$item_probs, colnames(coded$codes)), control = object$control
  )
}

refit_from <- function(object, coded) {
  columns <- engine_order(object, coded)
  items <- colnames(coded$codes)
  start <- c(
    model_parameters(object, columns, items),
    list(informative = match(intersect(object$informative, items), items)),
    if (object$k > length(object$labels) && !is.null(object$stands_for)) {
      list(labels = match(object$stands_for[columns], object$labels))
    }
  )
  control <- control_of(object)
  control$polish <- FALSE
  control$smoothing <- object$smoothing %||% control$smoothing
  problem <- new_problem(coded, object$labels, coded$known, object$prior, list(start))
  settings <- new_settings("continue", object$k, object$method, object$refine, control)
  run_engine(problem, settings)$fits[[1]]
}

# The share of samples as large as the data, these counted among them; NA without samples.
p_of_samples <- function(samples, values) {
  if (is.null(samples)) {
    return(NA_real_)
  }
  # Rounding must not decide where a sample is as far as the data; what is infinite is not rounded.
  rounding <- ifelse(is.finite(values), 1e-8 * (1 + abs(values)), 0)
  reached <- t(samples) >= values - rounding
  # A sample may lack a statistic, as one without an answer to an item, and is then not as far.
  p <- (rowSums(reached, na.rm = TRUE) + 1) / (nrow(samples) + 1)
  unname(replace(p, is.na(values), NA))
}

# Checks and messages ------------------------------------------------------------------------------

check_single_answers <- function(coded, call = rlang::caller_env()) {
  if (has_repeats(coded$codes)) {
    abort_mdpd(
      c("Each cell must have at most one answer to make a table of patterns.",
        x = "A worker labels an item more than once.", i = "See {.arg duplicates} in
         {.fn crowd_labels}."),
      class = "data", call = call
    )
  }
}

check_may_sample <- function(object, n, call = rlang::caller_env()) {
  if (n > 0 && identical(object$refine, "none")) {
    abort_mdpd(
      c("{.arg n} must be 0 for a fit without refinement: it is no estimate that samples could
         repeat.", i = "Use {.fn refine} first."),
      class = "argument", call = call
    )
  }
}

check_has_rows <- function(table, call = rlang::caller_env()) {
  if (length(table$count) == 0) {
    abort_mdpd(
      c("There must be a row without a missing value with {.code rows = \"complete\"}.",
        i = "{.code rows = \"all\"} takes every row."),
      class = "data", call = call
    )
  }
}

inform_missing_cells <- function(coded, rows) {
  # As print() counts them: a row of weight 2 is two.
  n_incomplete <- round(sum(coded$weights[!is_complete(coded)]), 1)
  n_obs <- round(sum(coded$weights), 1)
  if (n_incomplete == 0) {
    return(invisible())
  }
  by_chance <- "Where what is missing depends on the answers, as with questions that not all are
                asked, the statistics are large by either."
  done <- if (rows == "complete") {
    c("{comma(n_incomplete)} of {comma(n_obs)} {quantity(n_obs)}row{?s}
       {quantity(n_incomplete)}{?has/have} a missing answer and {?is/are} left out.",
      i = "{.code rows = \"all\"} counts them.", i = by_chance)
  } else {
    c("{comma(n_incomplete)} of {comma(n_obs)} {quantity(n_obs)}row{?s}
       {quantity(n_incomplete)}{?has/have} a missing answer: rows with the same items missing make
       a table of their own.",
      i = "{.code rows = \"complete\"} leaves them out.", i = by_chance)
  }
  inform_mdpd(done, class = "missing_cells")
}

# Results ------------------------------------------------------------------------------------------

#' @rdname goodness_of_fit
#' @export
print.mdpd_goodness_of_fit <- function(x, ...) {
  rlang::check_dots_empty()
  cat_rule(paste0("Goodness of fit of a mixture of ", plural(x$k, "component")))
  cells <- cell_words(x)
  cat_fields(c(
    Data = paste0(plural(round(x$nobs, 1), "row"), ", ", plural(x$n_items, "item"), ", ",
                  plural(x$n_patterns, "pattern"), " of answers"),
    Cells = paste0(cells, ", ", percent(x$share_empty, 1), " of them empty"),
    Parameters = paste0(comma(x$n_parameters), ", residual degrees of freedom ", big_number(x$df)),
    Estimates = if (isTRUE(x$by_likelihood)) {
      "by EM from the fit to the maximum of the likelihood"
    }
  ))
  cat_heading("Statistics")
  cat_table(format_statistics(x))
  cat_notes(fit_notes(x))
  cat_hint("pair_residuals(fit)")
  invisible(x)
}

cell_words <- function(x) {
  a_cell <- x$nobs / x$n_cells
  rows <- if (a_cell < 0.1) {
    "far fewer rows than cells"
  } else {
    paste(plural(signif(a_cell, 2), "row"), "a cell")
  }
  paste0(big_number(x$n_cells), " (", rows, ")")
}

# Numbers that nobody reads digit by digit.
big_number <- function(x) {
  if (abs(x) < 1e9) {
    comma(x)
  } else if (is.finite(x)) {
    paste0("about 10^", round(log10(abs(x))))
  } else {
    "more than 10^308"
  }
}

format_statistics <- function(x) {
  power <- paste0("power divergence (", format_number(x$lambda, digits = 2), ")")
  table <- cbind(
    value = vapply(x$statistics$value, function(value) {
      if (value < 1e6) decimals(value, 2) else format_number(value, digits = 3)
    }, ""),
    "p (chi-square)" = format_p(x$statistics$p_value),
    "p (samples)" = if (x$n > 0) format_p(x$statistics$p_bootstrap)
  )
  rownames(table) <- c("likelihood ratio G2", "Pearson X2", power)
  table
}

# `ask`: the call that has samples.
fit_notes <- function(x, ask = "goodness_of_fit(fit, n = 200)") {
  c(
    if (x$df <= 0) {
      "No degrees of freedom are left: the model has as many parameters as there are free cells,
       or more."
    },
    if (x$is_sparse && x$df > 0) {
      paste0("Fewer than five rows a cell: do not rely on the chi-square p-values.",
             if (x$n == 0) paste0(" Ask for samples: ", ask, "."))
    },
    if (x$n > 0) paste0("p (samples): of ", plural(x$n, "sample"), " of the fitted model.")
  )
}

#' @rdname goodness_of_fit
#' @export
tidy.mdpd_goodness_of_fit <- function(x, ...) {
  rlang::check_dots_empty()
  table <- x$statistics
  as_tidy(data.frame(
    method = table$statistic, statistic = table$value, parameter = x$df, p.value = table$p_value,
    p.bootstrap = table$p_bootstrap
  ))
}

#' @rdname goodness_of_fit
#' @export
glance.mdpd_goodness_of_fit <- function(x, ...) {
  rlang::check_dots_empty()
  table <- x$statistics
  as_tidy(data.frame(
    G2 = table$value[1], X2 = table$value[2], power_divergence = table$value[3],
    df.residual = x$df, n_cells = x$n_cells, share_empty = x$share_empty,
    p_G2 = table$p_value[1], p_X2 = table$p_value[2], p_power_divergence = table$p_value[3],
    p_bootstrap_G2 = table$p_bootstrap[1], p_bootstrap_X2 = table$p_bootstrap[2],
    p_bootstrap_power_divergence = table$p_bootstrap[3], n = x$n, nobs = x$nobs
  ))
}
