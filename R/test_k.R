#' Test of the number of components by bootstrap
#'
#' Tests k components against k - 1 by the likelihood ratio, for every two neighbouring numbers of a
#' path: is the gain in log-likelihood larger than what k components gain on data that have k - 1?
#' The likelihood ratio has no chi-square distribution here (k - 1 components are on the boundary of
#' what k can describe), so samples of the fit with k - 1 components tell what to expect (McLachlan
#' 1987; Nylund et al. 2007 find it the best of the tests for latent class models).
#'
#' The models tested are those of ordinary latent class analysis: all items differ between the
#' components, and the likelihood is at its maximum, whatever the fits maximise. With k - 1
#' components EM starts at the fit; in a sample at the parameters that it was drawn from. With k
#' components it starts, in the data and in every sample alike, at each split in two of one of the
#' k - 1 components along the axis of its strongest remaining dependence (the first axis of a
#' correspondence analysis within the component), and the best end counts. As samples and data go
#' through the same search, the level of the test holds even where the search misses a higher
#' optimum. Nothing is drawn but the samples. Known classes and prior counts are left out.
#'
#' Samples are drawn as by `bootstrap(type = "parametric")`: with the missing cells of the data.
#' Sampling stops early where the answer is clear (Besag and Clifford 1991): with `h = stop_after`
#' samples that reach the observed ratio after `l` of them the p-value is \eqn{h / l}; where all `n`
#' are drawn and `g` reach it, the p-value is \eqn{(g + 1) / (n + 1)}. Both hold their level exactly
#' if k - 1 components with the estimated parameters are true.
#'
#' @param path A fit made with several `k`, see [stagewise_em()]; or a list of fits of the same data
#'   with different numbers of components, of which two at least are neighbours. A number of a path
#'   where fewer components were found is tested too, if the fit with one less was.
#' @param n Largest number of samples for a test, a count from 19 to 1,000,000. Default 100. The
#'   smallest possible p-value is 1 / (n + 1).
#' @param ... Not used; must be empty.
#' @param alpha Level of the tests, a number from 0 to 1. Default 0.05. Tests go upwards from the
#'   smallest number and end with the first whose p-value is above it.
#' @param all Test all numbers, also above the first that is not needed? Default `FALSE`.
#' @param stop_after The number of samples that reach the observed ratio after which a test stops, a
#'   count of at least 1. Default 10. With `Inf` all `n` are drawn.
#' @param seed A whole number, or `NULL` to draw from the session's random numbers. Default 1: the
#'   same answer every run. Every sample has a seed of its own, so the result does not depend on
#'   `threads`.
#' @param threads Number of processes, a count of at least 1. Default 1. Forks, so on Windows always
#'   one.
#' @param object The result of `test_k()`.
#' @param x,weights The data and their case weights, where the fits keep none; by default those of
#'   the fits, as in [goodness_of_fit()]. For `print()` and `plot()`, `x` is the result of
#'   `test_k()`. Weights count rows: those of a sample survey, which do not, make the test wrong.
#' @param verbose Show a progress bar? Default: in interactive sessions.
#' @return A data frame of class `"mdpd_test_k"` with a row for every test: `k`; `loglik_null` and
#'   `loglik`, the log-likelihoods of k - 1 and of k components (nats); `statistic`, twice their
#'   difference; `df`, the difference of the numbers of free parameters; `draws`, the number of
#'   samples; `reached`, how many of them reach the statistic; `expected`, the mean of the statistic
#'   over them; and `p_value`. Its attributes are `alpha`, `n`, `seed`, `chosen`, the smallest
#'   number of components that is not rejected (`NA` where the largest one tested is needed), and
#'   `samples`, for each test the statistics of the samples. `tidy()` gives it as a plain table,
#'   `autoplot()` and `plot()` draw the samples of each test with a line where the data are.
#' @section Errors and warnings:
#' `mdpd_error_argument` for an argument out of range, fits of different data or no two neighbouring
#' numbers; `mdpd_error_not_stored` for a fit of one `k`; `mdpd_error_no_data` when the fits keep no
#' data and `x` is not given; `mdpd_error_replicate` when a process fails.
#' `mdpd_warning_design_ignored` for fits of a survey design, which p-values do not count;
#' `mdpd_warning_sampling_weights` for case weights that are not whole numbers, as those of a
#' survey.
#' @references
#' McLachlan, G. J. (1987). On bootstrapping the likelihood ratio test statistic for the number of
#' components in a normal mixture. *Applied Statistics* 36, 318-324. \doi{10.2307/2347790}
#'
#' Nylund, K. L., Asparouhov, T. and Muthen, B. O. (2007). Deciding on the number of classes in
#' latent class analysis and growth mixture modeling. *Structural Equation Modeling* 14, 535-569.
#' \doi{10.1080/10705510701575396}
#'
#' Besag, J. and Clifford, P. (1991). Sequential Monte Carlo p-values. *Biometrika* 78, 301-304.
#' \doi{10.1093/biomet/78.2.301}
#' @family tests of fit
#' @order 1
#' @examples
#' model <- simulate_crowd(n_workers = 8, n_labels = 2, accuracy = rep(0.8, 5), seed = 1)$model
#' fit <- stagewise_em(simulate(model, seed = 1, n_obs = 300)[[1]], k = 1:3)
#' tests <- test_k(fit, n = 39)
#' tests
#' plot(tests)
#' @export
test_k <- function(path, n = 100, ..., alpha = 0.05, all = FALSE, stop_after = 10, seed = 1,
                   threads = 1, x = NULL, weights = NULL, verbose = interactive()) {
  rlang::check_dots_empty()
  check_n_samples(n, min = 19)
  check_number(alpha, c(0, 1))
  check_flag(all)
  if (!identical(stop_after, Inf)) check_count(stop_after)
  check_seed(seed)
  check_count(threads)
  check_flag(verbose)
  fits <- neighbouring_fits(path)
  whole <- if (inherits(path, "mdpd")) path else fits[[1]]
  coded <- data_of(whole, x, weights)
  warn_sample(coded, design_for(whole, x, weights, nrow(coded$codes)))
  check_rows_drawn(coded$weights)
  coded["known"] <- list(NULL)
  seeds <- with_seed(seed, sample.int(.Machine$integer.max, n))
  tests <- list()
  for (fit in fits) {
    tests <- c(tests, list(test_one_more(fit, coded, seeds, stop_after, threads, verbose)))
    if (!all && tests[[length(tests)]]$p_value > alpha) break
  }
  new_test_k(tests, list(alpha = alpha, n = n, seed = seed))
}

new_test_k <- function(tests, settings) {
  columns <- c("k", "loglik_null", "loglik", "statistic", "df", "draws", "reached", "expected",
               "p_value")
  table <- do.call(rbind, lapply(tests, function(test) as.data.frame(test[columns])))
  kept <- table$k[table$p_value > settings$alpha]
  samples <- stats::setNames(lapply(tests, `[[`, "samples"), paste0("k = ", table$k))
  structure(
    table, class = c("mdpd_test_k", "data.frame"), alpha = settings$alpha, n = settings$n,
    seed = settings$seed, chosen = if (length(kept) > 0) min(kept) - 1L else NA_integer_,
    samples = samples
  )
}

# The fits that one more component is tested against: those with a neighbour above, or from whose
# neighbour one fell back. The test starts from the smaller fit alone.
neighbouring_fits <- function(path, call = rlang::caller_env()) {
  if (inherits(path, "mdpd")) {
    check_path(path, call)
    fits <- check_intact(path$path_fits, "path$path_fits", call)
    asked <- as.integer(path$path$k)
  } else {
    check_fits(path, call)
    fits <- path
    asked <- integer()
  }
  k <- vapply(fits, `[[`, 0L, "k")
  fits <- fits[!duplicated(k)]
  k <- unique(k)
  is_null <- (k + 1L) %in% c(k, asked)
  if (!any(is_null)) {
    abort_mdpd(
      c("{.arg path} must hold fits of neighbouring numbers of components, such as 2 and 3.",
        x = "It has {.val {sort(k)}}."),
      class = "argument", call = call
    )
  }
  fits[is_null][order(k[is_null])]
}

check_fits <- function(path, call) {
  are_fits <- is.list(path) && length(path) > 1 &&
    all(vapply(path, function(fit) inherits(fit, "mdpd") && !is.null(fit$loglik), NA))
  if (!are_fits) {
    abort_mdpd(
      c("{.arg path} must be a fit of several {.arg k} or a list of at least two fits, not
         {describe(path)}."),
      class = "argument", call = call
    )
  }
  of_data <- function(fit) list(codes = fit$coded$codes, weights = fit$coded$weights)
  differs <- !vapply(path[-1], function(fit) identical(of_data(fit), of_data(path[[1]])), NA)
  if (any(differs)) {
    abort_mdpd(
      "The fits of {.arg path} must be of the same data; fit {which(differs)[1] + 1} is not.",
      class = "argument", call = call
    )
  }
}

# One test -----------------------------------------------------------------------------------------

# One component more than the fit has.
test_one_more <- function(fit, coded, seeds, stop_after, threads, verbose) {
  control <- likelihood_control(fit)
  pair <- fit_pair(coded, fit, control)
  model <- list(
    k = fit$k, mixing_weights = pair$null$mixing_weights,
    item_probs = stats::setNames(pair$null$item_probs, names(coded$levels))
  )
  run <- function(seed) {
    sample <- drop_unobserved(with_seed(seed, draw_parametric(model, coded)))
    likelihood_ratio(fit_pair(sample, model, control))
  }
  observed <- likelihood_ratio(pair)
  title <- paste0("k = ", fit$k + 1)
  samples <- draw_until(seeds, run, observed, stop_after, threads, if (verbose) title)
  reached <- sum(reaches(samples, observed))
  list(
    k = fit$k + 1L, loglik_null = pair$null$loglik, loglik = pair$larger$loglik,
    statistic = observed, df = as.integer(pair$larger$df - pair$null$df), draws = length(samples),
    reached = reached, expected = mean(samples),
    p_value = sequential_p(reached, length(samples), stop_after), samples = samples
  )
}

# EM at the likelihood: the change of a step is compared with the log-likelihood of all rows, and a
# test needs a tenth of a nat at most.
likelihood_control <- function(fit) {
  control <- stagewise_control(tol = 1e-7, threads = fit$control$threads)
  complete_control(control, "paper")
}

# Maxima of the likelihood with as many components as the model, from its parameters, and one more.
fit_pair <- function(coded, model, control) {
  start <- model_parameters(model, items = names(coded$levels))
  null <- likelihood_em(coded, model$k, list(start), control)
  list(
    null = null,
    larger = likelihood_em(coded, model$k + 1, split_starts(coded, null), control)
  )
}

# The best end of EM on all items from these starts.
likelihood_em <- function(coded, k, starts, control) {
  settings <- new_settings("em", k, "em", "full", control)
  run_engine(new_problem(coded, starts = starts), settings)$fits[[1]]
}

likelihood_ratio <- function(pair) max(0, 2 * (pair$larger$loglik - pair$null$loglik))

# Rounding must not decide where a sample is as far as the data.
reaches <- function(samples, observed) samples >= observed - 1e-8 * (1 + abs(observed))

# Draws until it is clear that the observed value is nothing special. Where to stop is a matter of
# the order of the seeds, not of how many processes work on them.
draw_until <- function(seeds, run, observed, stop_after, threads, title = NULL) {
  if (.Platform$OS.type == "windows") threads <- 1
  at_once <- if (threads > 1) 5 * threads else 1
  if (!is.null(title)) cli::cli_progress_bar(title, total = length(seeds))
  samples <- numeric()
  while (length(samples) < length(seeds) && sum(reaches(samples, observed)) < stop_after) {
    chunk <- utils::head(seeds[seq_along(seeds) > length(samples)], at_once)
    samples <- c(samples, unlist(run_chunk(chunk, run, threads)))
    if (!is.null(title)) cli::cli_progress_update(inc = length(chunk))
  }
  last <- match(stop_after, cumsum(reaches(samples, observed)), nomatch = length(samples))
  samples[seq_len(last)]
}

sequential_p <- function(reached, draws, stop_after) {
  if (reached >= stop_after) reached / draws else (reached + 1) / (draws + 1)
}

# Starts -------------------------------------------------------------------------------------------

# For each component of a fit of the engine the parameters of the model in which it is split in two
# along its axis.
split_starts <- function(coded, fit) {
  rows <- spread_rows(nrow(coded$codes), sum(lengths(coded$levels)))
  shown <- filled_indicators(coded, rows)
  posterior <- fit$posterior[rows, , drop = FALSE] * coded$weights[rows]
  probs <- do.call(rbind, unname(fit$item_probs))
  # Nor could one that a component has given up.
  shares <- unlist(level_shares(coded, names(coded$levels)), use.names = FALSE)
  soft <- 0.99 * probs + 0.01 * shares
  share <- stats::plogis(2 * axis_scores(shown, posterior, probs))
  halves <- list(posterior * share, posterior * (1 - share))
  columns <- lapply(halves, function(half) {
    own <- sweep(crossprod(shown, half), 2, pmax(colSums(half), 1e-300), "/")
    # A level that one half does not show could never come back.
    0.9 * own + 0.1 * soft
  })
  sizes <- vapply(halves, colSums, numeric(ncol(posterior)))
  sizes <- matrix(sizes, ncol = 2) / pmax(colSums(posterior), 1e-300)
  item <- rep(seq_along(coded$levels), lengths(coded$levels))
  lapply(seq_len(ncol(posterior)), function(k) {
    weights <- fit$mixing_weights
    stacked <- cbind(soft, columns[[2]][, k])
    stacked[, k] <- columns[[1]][, k]
    list(
      mixing_weights = c(replace(weights, k, weights[k] * sizes[k, 1]), weights[k] * sizes[k, 2]),
      item_probs = unname(lapply(split(seq_along(item), item), function(at) {
        stacked[at, , drop = FALSE]
      }))
    )
  })
}

# A start needs no more rows than give some `cells` numbers.
spread_rows <- function(n_obs, n_levels, cells = 4e6) {
  n_rows <- min(n_obs, max(100, cells %/% n_levels))
  unique(round(seq(1, n_obs, length.out = n_rows)))
}

# n_rows x (all levels of the items): which level the row shows; of a missing cell the shares of the
# levels in all rows.
filled_indicators <- function(coded, rows) {
  items <- names(coded$levels)
  shown <- one_hot(coded, items, rows)
  item <- rep(seq_along(items), lengths(coded$levels))
  answered <- t(rowsum(t(shown), item))
  if (all(answered == 1)) {
    return(shown)
  }
  shares <- unlist(level_shares(coded, items), use.names = FALSE)
  shown <- shown / pmax(answered, 1)[, item]
  shown + (answered[, item] == 0) * rep(shares, each = length(rows))
}

# Of each row, for each component, its place on the axis along which the component's rows depend
# most, by a few steps of the power method; mean zero and variance one within the component.
axis_scores <- function(shown, posterior, probs, n_steps = 8) {
  scale <- 1 / sqrt(pmax(probs, 1e-6))
  # Any direction will do that no symmetry of the items makes orthogonal to the axis.
  axis <- matrix(cos(1.7 * seq_len(nrow(probs))), nrow(probs), ncol(probs))
  for (step in seq_len(n_steps)) {
    scores <- shown %*% (axis * scale)
    scores <- sweep(scores, 2, colSums(probs * axis * scale))
    weighted <- posterior * scores
    axis <- scale * (crossprod(shown, weighted) - sweep(probs, 2, colSums(weighted), "*"))
    axis <- sweep(axis, 2, pmax(sqrt(colSums(axis^2)), 1e-300), "/")
  }
  size <- pmax(colSums(posterior), 1e-300)
  scores <- sweep(scores, 2, colSums(weighted) / size)
  sweep(scores, 2, pmax(sqrt(colSums(posterior * scores^2) / size), 1e-300), "/")
}

# Results ------------------------------------------------------------------------------------------

#' @rdname test_k
#' @export
print.mdpd_test_k <- function(x, ...) {
  rlang::check_dots_empty()
  if (is.null(attr(x, "chosen"))) {
    return(NextMethod())  # some of its columns are a plain table
  }
  cat_rule("Bootstrap likelihood-ratio test of the number of components")
  cat_fields(c(
    Samples = paste0("at most ", comma(attr(x, "n")), " for a test, of the fit with k - 1"),
    Chosen = chosen_by_test(x)
  ))
  cat_heading("k components against k - 1")
  cat_table(format_tests(x))
  invisible(x)
}

chosen_by_test <- function(x) {
  level <- paste0("at level ", format_number(attr(x, "alpha")))
  if (is.na(attr(x, "chosen"))) {
    paste0("none: all are needed ", level, ", try more than ", max(x$k))
  } else {
    paste0("k = ", attr(x, "chosen"), ", the smallest that is not rejected ", level)
  }
}

format_tests <- function(x) {
  table <- cbind(
    "log-likelihood" = nats(x$loglik), "ratio" = nats(x$statistic), "expected" = nats(x$expected),
    df = x$df, draws = comma(x$draws), reached = x$reached, "p-value" = format_p(x$p_value)
  )
  rownames(table) <- paste0("k = ", x$k)
  table
}

#' @rdname test_k
#' @export
tidy.mdpd_test_k <- function(x, ...) {
  rlang::check_dots_empty()
  table <- structure(unclass(x)[names(x)], class = "data.frame", row.names = attr(x, "row.names"))
  names(table)[names(table) == "p_value"] <- "p.value"
  as_tidy(table)
}
