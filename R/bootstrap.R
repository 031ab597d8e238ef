#' Bootstrap of a fitted mixture
#'
#' Fits the mixture again to samples of the data, for standard errors and intervals that rest on no
#' curvature, and to see how stable the choice of the informative items is.
#'
#' A nonparametric sample draws rows with replacement: multinomial counts become the case weights
#' and the data are not copied. A parametric sample is drawn from the fitted model as by
#' [simulate()][simulate.mdpd], with the missing cells of the data; with case weights, rows of the
#' data are first drawn by weight for their pattern of missing cells, one for each unit of weight.
#' Rows of a known class tell the class that was drawn. Prior counts of [mdpd()] are added in every
#' sample.
#'
#' With `cluster` or `strata`, or of a fit of a survey design, whole clusters are drawn within their
#' strata, n - 1 of the n clusters of a stratum with replacement, and the weight of a row is
#' multiplied by n / (n - 1) for each time its cluster is drawn (Rao and Wu 1988); weights are
#' then sampling weights. A share of the population that is in the sample is not counted.
#'
#' With `refit = TRUE` every sample goes through the whole method of the fit, stages, refinement and
#' polish, so that the spread contains the choice of the informative items and the optimum found.
#' With `refit = FALSE` the informative items are held and EM goes on from the fit's posterior,
#' which is fast and the counterpart of the standard errors of [vcov()][vcov.mdpd];
#' nothing is selected then. The components of each sample are matched to those of the fit by
#' [align_components()].
#'
#' Rows that are repeated make weak dependence look stronger than new data would: under
#' `"nonparametric"` an item that tells nothing is selected more often than it deserves (items 6 to
#' 8 of the example below in 0 to 6 % of 200 samples, against 0 to 1 % under `"parametric"`; of the
#' same fit by BIC in 1.5 to 19 %, against 2 to 2.5 %). Take a low frequency for noise, or draw
#' parametric samples, which in turn rely on the fitted model.
#'
#' broom has a deprecated function of the same name. It is left out when broom is attached after
#' this package, by [conflictRules()], and remains as `broom::bootstrap()`.
#'
#' @param object A fitted mixture, see [stagewise_em()]; for the methods the result of
#'   `bootstrap()`.
#' @param n Number of samples, a count from 2 to 1,000,000. Default 200.
#' @param type `"nonparametric"`, the default, or `"parametric"`.
#' @param refit `TRUE` to fit each sample from scratch, the default for fits of [stagewise_em()];
#'   `FALSE` to go on from the fit, the only way for fits of [mdpd()] and the default there.
#' @param seed A whole number, or `NULL` to draw from the session's random numbers. Default 1: the
#'   same answer every run. The session's random numbers are left alone. Every sample has a seed of
#'   its own, so the result does not depend on `threads`.
#' @param threads Number of processes, a count of at least 1. Default 1. Forks, so on Windows always
#'   one.
#' @param x,weights The data and their case weights, where the fit keeps none; by default those of
#'   the fit, as in [standard_errors()]. For `print()` and `plot()`, `x` is the result of
#'   `bootstrap()`. `weights` may be a survey design, see [stagewise_em()].
#' @param cluster,strata For `type = "nonparametric"`: vectors with one value for each row, none of
#'   them missing: the cluster and the stratum in which the row was drawn; every cluster in one
#'   stratum, every stratum with at least two clusters. By default those of the design of the fit,
#'   where its weights count; else `NULL`: rows are drawn one by one.
#' @param verbose Show a progress bar? Default: in interactive sessions.
#' @param ... Not used; must be empty.
#' @return A list of class `"mdpd_bootstrap"`:
#'   \item{estimates}{n x parameters matrix, columns named as in [vcov()][vcov.mdpd];
#'     `NA` where a sample shows fewer components or does not observe the item. The column of an
#'     item that is not informative in the fit holds its distribution over all components.}
#'   \item{parameters}{data frame, a row for each column of `estimates`: `name`, `item`, `level`,
#'     `component` and the fit's own `estimate`}
#'   \item{selection}{named by item: the share of the samples in which the item was informative, see
#'     [informative()] (for a fit by evidence take parametric samples: rows drawn twice agree in
#'     every item, which the evidence takes for small differences of all), from 0 to 1; `NULL`
#'     unless `refit`}
#'   \item{k}{n counts: components found}
#'   \item{fit}{`coef()` and the informative items of the fit}
#'   \item{n, type, refit, seed}{as given}
#'   \item{design}{what was drawn by clusters and strata, in words; or `NULL`}
#'   It has methods for [standard_errors()] (standard deviation over the samples), `confint()`
#'   (percentile intervals; to reach beyond the outermost samples one of 95 % takes 40 of them, with
#'   less it comes with a warning, and `print()` leaves it out), `vcov()` (over the samples without
#'   `NA`), `print()`, and `autoplot()` and `plot()`, which show the selection.
#' @section Errors and warnings:
#' `mdpd_error_argument` for an argument out of range or `refit = TRUE` on a fit that is not of
#' [stagewise_em()], `mdpd_error_no_data` when the fit keeps no data and `x` is not given,
#' `mdpd_error_not_stored` for a model without data, or a picture of the selection without `refit`,
#' `mdpd_error_single_cluster` for a stratum with one cluster, `mdpd_error_replicate` when a process
#' fails. `mdpd_warning_sampling_weights` for case weights that are not whole numbers, without
#' clusters: as many rows are drawn as the weights sum to. `confint()` warns by
#' `mdpd_warning_few_samples`.
#' @references
#' Efron, B. and Tibshirani, R. J. (1993). *An Introduction to the Bootstrap*.
#' \doi{10.1201/9780429246593}
#'
#' Rao, J. N. K. and Wu, C. F. J. (1988). Resampling inference with complex survey data. *Journal of
#' the American Statistical Association* 83, 231-241. \doi{10.1080/01621459.1988.10478591}
#'
#' Meinshausen, N. and Buehlmann, P. (2010). Stability selection. *Journal of the Royal Statistical
#' Society B* 72, 417-473. \doi{10.1111/j.1467-9868.2010.00740.x}
#' @family uncertainty
#' @examples
#' model <- simulate_crowd(n_workers = 8, n_labels = 2, accuracy = rep(0.8, 5), seed = 1)$model
#' fit <- stagewise_em(simulate(model, seed = 1, n_obs = 300)[[1]], k = 2)
#' samples <- bootstrap(fit, n = 20, type = "parametric")
#' samples
#' samples$selection
#' confint(samples, "mixing_weights", level = 0.9)
#' autoplot(samples)
#' @export
bootstrap <- function(object, ...) {
  check_given(object)
  UseMethod("bootstrap")
}

#' @export
bootstrap.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname bootstrap
#' @export
bootstrap.mdpd <- function(object, n = 200, type = c("nonparametric", "parametric"), ...,
                           refit = inherits(object, "stagewise_em"), seed = 1, threads = 1,
                           x = NULL, weights = NULL, cluster = NULL, strata = NULL,
                           verbose = interactive()) {
  rlang::check_dots_empty()
  check_n_samples(n, min = 2)
  type <- check_choice(type, c("nonparametric", "parametric"))
  check_flag(refit)
  check_seed(seed)
  check_count(threads)
  check_flag(verbose)
  check_fit(object)
  check_refit(object, refit)
  sample <- read_sample(weights)
  coded <- data_of(object, x, sample$weights)
  n_obs <- nrow(coded$codes)
  design <- design_given(cluster, strata, type, n_obs)
  if (is.null(design) && type == "nonparametric") {
    design <- bootstrap_design(object, sample, x, n_obs)
  }
  if (is.null(design)) {
    ask <- "{.code cluster = seq_along(weights)}, which draws rows alike"
    if (type == "parametric") ask <- paste("{.code type = \"nonparametric\"} and", ask)
    warn_counted_weights(coded$weights, rlang::current_env(), ask)
    check_rows_drawn(coded$weights)
  }

  seeds <- with_seed(seed, sample.int(.Machine$integer.max, n))
  run <- function(seed) {
    sample <- with_seed(seed, draw_sample(object, coded, type, design))
    fit_sample(object, drop_unobserved(sample), refit)
  }
  replicates <- run_replicates(seeds, run, threads, verbose)
  new_bootstrap(object, replicates, list(
    n = n, type = type, refit = refit, seed = seed,
    design = if (!is.null(design)) design_title(design)
  ))
}

new_bootstrap <- function(object, replicates, settings) {
  parameters <- parameter_table(object)
  estimates <- do.call(rbind, lapply(replicates, replicate_values, object = object))
  colnames(estimates) <- parameters$name
  items <- names(object$item_probs)
  structure(
    c(
      list(
        estimates = estimates, parameters = parameters,
        selection = if (settings$refit) selection_frequency(replicates, items),
        k = vapply(replicates, `[[`, 0L, "k"),
        fit = c(
          unclass(object)[c("k", "mixing_weights", "item_probs")],
          list(informative = informative(object), variable_labels = object$variable_labels)
        )
      ),
      settings
    ),
    class = "mdpd_bootstrap"
  )
}

check_refit <- function(object, refit, call = rlang::caller_env()) {
  if (refit && !inherits(object, "stagewise_em")) {
    abort_mdpd(
      c("{.arg refit} must be {.code FALSE} for a fit that is not of {.fn stagewise_em}.",
        i = "Its samples begin from the posterior of the fit."),
      class = "argument", call = call
    )
  }
}

# Samples ------------------------------------------------------------------------------------------

draw_sample <- function(object, coded, type, design = NULL) {
  if (type == "nonparametric") {
    coded$weights <- if (is.null(design)) {
      resampled_weights(coded$weights)
    } else {
      resampled_clusters(coded$weights, design)
    }
    return(coded)
  }
  draw_parametric(object, coded)
}

# The design of the clusters and strata that were given; NULL: neither was.
design_given <- function(cluster, strata, type, n_obs, call = rlang::caller_env()) {
  if (is.null(cluster) && is.null(strata)) {
    return(NULL)
  }
  if (type == "parametric") {
    abort_mdpd(
      "{.arg cluster} and {.arg strata} need {.code type = \"nonparametric\"}: the model knows of
       neither.", class = "argument", call = call
    )
  }
  new_design(cluster, strata, n_obs, call)
}

# The design by which clusters are drawn; NULL: rows are drawn one by one.
bootstrap_design <- function(object, sample, x, n_obs, call = rlang::caller_env()) {
  design <- sample$design %||% design_for(object, x, sample$weights, n_obs)
  if (!is.null(design$replicates)) {
    abort_mdpd(
      c("The replicate weights of the survey design take the place of a bootstrap.",
        i = "{.code standard_errors(fit)} uses them."),
      class = "argument", call = call
    )
  }
  design
}

# Of a stratum's n clusters n - 1 are drawn, and count n / (n - 1) times as often as drawn; a single
# one always is. Clusters without rows were drawn too.
resampled_clusters <- function(weights, design) {
  times <- rep(1, length(design$stratum))
  for (stratum in which(design$n_clusters > 1)) {
    at <- which(design$stratum == stratum)
    n <- design$n_clusters[stratum]
    times[at] <- stats::rmultinom(1, n - 1, rep(1, n))[seq_along(at)] * n / (n - 1)
  }
  weights * times[design$cluster]
}

# R draws as many rows as the weights sum to, and counts them by an integer.
check_rows_drawn <- function(weights, call = rlang::caller_env()) {
  most <- .Machine$integer.max
  if (round(sum(weights)) > most) {
    abort_mdpd(
      c("Case weights must sum to at most {comma(most)} where samples are drawn by them.",
        x = "They sum to {signif(sum(weights), 3)}.",
        i = "If they are in another unit than rows, divide them."),
      class = "argument", call = call
    )
  }
}

# How often each row is drawn. The total stays what it was where it is not a whole number.
resampled_weights <- function(weights) {
  total <- sum(weights)
  size <- max(1, round(total))
  as.double(stats::rmultinom(1, size, weights)) * total / size
}

draw_parametric <- function(object, coded) {
  rows <- seq_along(coded$weights)
  if (any(coded$weights != 1)) {
    size <- max(1, round(sum(coded$weights)))
    rows <- sample.int(length(rows), size, replace = TRUE, prob = coded$weights)
    coded$weights <- rep(sum(coded$weights) / size, size)
  }
  component <- sample.int(object$k, length(rows), replace = TRUE, prob = object$mixing_weights)
  if (!is.null(coded$known)) {
    # The likelihood of a known row is that of its class and its items: the class is drawn too.
    drawn <- match(names(object$mixing_weights)[component], label_names(object))
    coded$known <- ifelse(is.na(coded$known[rows]), NA_integer_, drawn)
  }
  coded$codes <- replace_answers(select_rows(coded$codes, rows), function(item, rows) {
    draw_levels(object$item_probs[[item]], component[rows])
  })
  coded
}

# Runs -------------------------------------------------------------------------------------------

# One seed, one sample. Processes work on a handful of seeds each before the progress is shown.
run_replicates <- function(seeds, run, threads, verbose) {
  if (.Platform$OS.type == "windows") threads <- 1
  chunks <- split(seeds, (seq_along(seeds) - 1) %/% (if (threads > 1) 5 * threads else 1))
  if (verbose) cli::cli_progress_bar("Bootstrap samples", total = length(seeds))
  results <- list()
  for (chunk in chunks) {
    results <- c(results, run_chunk(chunk, run, threads))
    if (verbose) cli::cli_progress_update(inc = length(chunk))
  }
  results
}

run_chunk <- function(seeds, run, threads) {
  if (threads == 1) {
    return(lapply(seeds, run))
  }
  # A failure is told below, so the warning about it is not needed.
  results <- suppressWarnings(
    parallel::mclapply(seeds, run, mc.cores = threads, mc.set.seed = FALSE)
  )
  failed <- vapply(results, function(result) is.null(result) || inherits(result, "try-error"), NA)
  if (any(failed)) {
    # One that was killed, as for want of memory, says nothing.
    problem <- results[failed][[1]] %||% "The process that was at it has ended."
    abort_mdpd(
      c("A sample could not be fitted.", x = "{as.character(problem)}"),
      class = "replicate", call = NULL
    )
  }
  results
}

# Results ------------------------------------------------------------------------------------------

selection_frequency <- function(replicates, items) {
  selected <- vapply(replicates, function(model) items %in% model$informative,
                     logical(length(items)))
  stats::setNames(rowMeans(matrix(selected, length(items))), items)
}

#' @rdname standard_errors
#' @export
standard_errors.mdpd_bootstrap <- function(object, ...) {  # nolint: object_name_linter.
  rlang::check_dots_empty()
  errors <- apply(object$estimates, 2, stats::sd, na.rm = TRUE)
  shape_as_coef(object$fit, unname(errors), object$parameters)
}

#' @rdname bootstrap
#' @export
vcov.mdpd_bootstrap <- function(object, ...) {
  rlang::check_dots_empty()
  stats::cov(object$estimates, use = "na.or.complete")
}

#' @rdname standard_errors
#' @export
confint.mdpd_bootstrap <- function(object, parm = NULL, level = 0.95, ...) {
  rlang::check_dots_empty()
  check_number(level, c(0, 1))
  rows <- find_parameters(parm, object$parameters)
  warn_few_samples(object$estimates[, rows, drop = FALSE], level)
  percentile_limits(object, rows, level)
}

percentile_limits <- function(object, rows, level) {
  ends <- c(1 - level, 1 + level) / 2
  limits <- apply(object$estimates[, rows, drop = FALSE], 2, stats::quantile, ends, na.rm = TRUE,
                  names = FALSE)
  limits <- matrix(limits, ncol = 2, byrow = TRUE)
  dimnames(limits) <- list(object$parameters$name[rows], limit_names(level))
  limits
}

# The number of samples of which one is expected outside each end of the interval; rounding must not
# raise it.
samples_needed <- function(level) ceiling(2 / (1 - level) - 1e-6)

warn_few_samples <- function(estimates, level, call = rlang::caller_env()) {
  n <- min(colSums(!is.na(estimates)))
  if (n < samples_needed(level)) {
    warn_mdpd(
      c("An interval of {100 * level} % takes at least {samples_needed(level)} samples, not {n}.",
        x = "Its ends are the outermost samples or lie between them: it is too short.",
        i = "Raise {.arg n} in {.fn bootstrap}, or lower {.arg level}."),
      class = "few_samples", call = call
    )
  }
}

#' @rdname bootstrap
#' @param max_items The largest number of items shown, a count of at least 1: those selected most
#'   often. Default 12 printed, 30 in the picture.
#' @export
print.mdpd_bootstrap <- function(x, max_items = 12, ...) {
  rlang::check_dots_empty()
  check_count(max_items)
  titles <- item_titles(names(x$fit$item_probs), x$fit$variable_labels)
  cat_rule(paste0("Bootstrap of a mixture of ", plural(x$fit$k, "component")))
  cat_fields(c("Made from" = bootstrap_title(x), Components = found_components(x)))
  cat_heading("Mixing weights")
  cat_table(format_weights(x))
  if (!is.null(x$selection)) {
    frequency <- sort(x$selection[x$selection > 0], decreasing = TRUE)
    if (length(frequency) > 0) cat_heading("Items, by how often they are informative")
    cat_columns(paste0(shorten(titles[names(frequency)], 20), " (", percent(frequency), ")",
                       recycle0 = TRUE), most = max_items)
  }
  cat_hint("standard_errors(), confint()")
  invisible(x)
}

bootstrap_title <- function(x) {
  how <- if (x$refit) "each fitted from scratch" else "informative items held"
  paste0(plural(x$n, paste(x$type, "sample")), if (!is.null(x$design)) paste(" of", x$design), ", ",
         how)
}

found_components <- function(x) {
  found <- table(x$k)
  paste(names(found), "in", vapply(found, plural, "", "sample"), collapse = ", ")
}

format_weights <- function(x) {
  table <- cbind(
    estimate = x$fit$mixing_weights, "standard error" = standard_errors(x)$mixing_weights,
    if (x$n >= samples_needed(0.95)) {
      percentile_limits(x, find_parameters("mixing_weights", x$parameters), 0.95)
    }
  )
  rows <- shorten(rownames(table), 20)
  columns <- colnames(table)
  table <- matrix(decimals(table, 3), nrow(table))
  dimnames(table) <- list(rows, columns)
  table
}
