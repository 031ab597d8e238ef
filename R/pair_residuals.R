#' Pairs of items that the components leave dependent
#'
#' Within a component items must be independent of each other. This compares the two-way table of
#' every pair of items with the one that the fit expects (the bivariate residual), says how far they
#' are apart, and whether chance explains it.
#'
#' For a pair with the observed table \eqn{O} and \eqn{N = \sum O}{N = sum O} rows that answer both
#' items, the fit expects \eqn{E_{rs} \propto \sum_k w_k \mu_{kir} \mu_{kjs}}{E[r,s] = sum_k w[k]
#' mu[k,i,r] mu[k,j,s]}, up to factors of rows and columns that give it the margins of \eqn{O}
#' (Deming and Stephan 1940). Where answers are missing, \eqn{w_k}{w[k]} is the mean posterior of
#' these rows: who answers may depend on other answers (missing at random); samples have the same
#' cells missing whatever they answer, so that p-values by samples can then be too small. At maximum
#' likelihood and without missing values E has these margins from the start. The statistics are
#' Pearson's, \eqn{X^2 = \sum (O - E)^2 / E}{X2 = sum (O - E)^2 / E}, and the likelihood ratio,
#' \eqn{G^2 = 2 \sum O \log (O / E)}{G2 = 2 sum O log(O / E)}.
#' The effect, \eqn{\sum |O - E| / (2 N)}{sum |O - E| / (2 N)}, is the share of these rows that
#' would have to answer otherwise for the table to be as expected: 0 where the two are the same, and
#' never above 1.
#'
#' Tests are of the smaller of the two statistics. One row in a cell that expects a hundredth of a
#' row makes \eqn{X^2}{X2} 98, which chance does to a hundredth of such cells and chi-square calls
#' impossible; \eqn{G^2}{G2} is then 7.2, and small p-values have the right size (Hoeffding 1965).
#' Where cells expect a few rows it is \eqn{G^2}{G2} that comes out too large (Larntz 1978).
#'
#' Without samples the p-value is that of the chi-square distribution with
#' \eqn{(R_i - 1)(R_j - 1)} degrees of freedom, of the levels that these rows show. It is not right,
#' as the fit has seen the same data: most pairs agree better than that (Oberski, van Kollenburg and
#' Vermunt 2013). Where the model held, 3.5 % of the pairs had a p-value of at most 5 % with one
#' component, 1.4 % with two and 0.4 % with three (`bench/goodness_of_fit.R`): a small one counts, a
#' large one says little. With `n` samples of the fitted model, each fitted by the criterion of the
#' fit, it is \eqn{(g + 1) / (n + 1)} for a pair whose statistic is reached in `g` samples: 5.8, 4.6
#' and 4.3 % there. Two items that repeated each other in a fifth of the rows were found in 62, 6
#' and 68 % of the data by corrected p-values of chi-square, in 69, 12 and 94 % by those of samples.
#'
#' Pairs with fewer than five rows a cell of their table, as nearly all of a large crowd have, are
#' tested by samples only: without, their p-values are `NA`. Pictures leave them out, as their
#' effects are large by chance. In true crowds of 400 items and 30 workers who each label 40 % of
#' them, 4.0 % of the pairs of workers had a p-value of at most 5 %, and 2 % of the crowds a pair
#' with a corrected one (`bench/goodness_of_fit.R`).
#'
#' As many pairs are looked at, there is a second, corrected p-value: below 0.05 it names, with a
#' probability of 95 %, no pair by chance. Without samples it is by Holm's method; with samples it
#' is the share of the samples in which any pair is as conspicuous (Westfall and Young 1993), which
#' counts that pairs with a common item go together.
#'
#' @inheritParams goodness_of_fit
#' @param n Number of samples of the parametric bootstrap, a count of at most 1,000,000; 0, the
#'   default, draws none.
#' @param items Names of at least two items; by default, `NULL`, all items of the fit, but at most
#'   `max_items`.
#' @param max_items The largest number of items where `items` is not given, a count of at least 2.
#'   Default 100, of which are 4,950 pairs: the informative ones first, then the others in the order
#'   of the data. A message of class `mdpd_message_items_left_out` says how many are left out.
#' @param weights Case weights; by default, `NULL`, those of the fit, as in [goodness_of_fit()].
#'   They count rows: those of a sample survey, which do not, make the p-values wrong.
#' @return A data frame of class `"mdpd_pair_residuals"` with a row for each pair, the most
#'   conspicuous first and those that are not tested last: `item_1`, `item_2` (in the order of the
#'   fit), `n_obs` (weight of the rows that answer both), `statistic` (\eqn{X^2}{X2}), `G2`, `df`,
#'   `effect` (0 to 1), `p_value`, `p_adjusted` and `is_sparse` (fewer than five rows a cell?).
#'   Pairs are left out where the rows that answer both items, if any, show one level of an item.
#'   Its attributes `k`, `n` and `seed` say how it was made. It has methods for `print()`, `tidy()`
#'   (a plain table, with broom's names), `autoplot()` and `plot()`.
#' @section Errors and warnings:
#' Those of [goodness_of_fit()], and `mdpd_error_argument` where `items` are not of the fit.
#' @references
#' Deming, W. E. and Stephan, F. F. (1940). On a least squares adjustment of a sampled frequency
#' table when the expected marginal totals are known. *Annals of Mathematical Statistics* 11,
#' 427-444. \doi{10.1214/aoms/1177731829}
#'
#' Hoeffding, W. (1965). Asymptotically optimal tests for multinomial distributions. *Annals of
#' Mathematical Statistics* 36, 369-401. \doi{10.1214/aoms/1177700150}
#'
#' Larntz, K. (1978). Small-sample comparisons of exact levels for chi-squared goodness-of-fit
#' statistics. *Journal of the American Statistical Association* 73, 253-263.
#' \doi{10.1080/01621459.1978.10481567}
#'
#' Oberski, D. L., van Kollenburg, G. H. and Vermunt, J. K. (2013). A Monte Carlo evaluation of
#' three methods to detect local dependence in binary data latent class models. *Advances in Data
#' Analysis and Classification* 7, 267-279. \doi{10.1007/s11634-013-0146-2}
#'
#' Westfall, P. H. and Young, S. S. (1993). *Resampling-Based Multiple Testing*. Wiley, chapter 2.
#'
#' Holm, S. (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal
#' of Statistics* 6, 65-70.
#' @family tests of fit
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 2)
#' pairs <- pair_residuals(fit, n = 20)
#' pairs
#' plot(pairs)
#' @export
pair_residuals <- function(object, n = 0, ...) {
  check_given(object)
  UseMethod("pair_residuals")
}

#' @export
pair_residuals.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname pair_residuals
#' @export
pair_residuals.mdpd <- function(object, n = 0, ..., items = NULL, max_items = 100, seed = 1,
                                threads = 1, x = NULL, weights = NULL, verbose = interactive()) {
  rlang::check_dots_empty()
  check_n_samples(n, min = 0)
  check_count(max_items, min = 2)
  check_seed(seed)
  check_count(threads)
  check_flag(verbose)
  coded <- data_to_test(object, n, x, weights)
  items <- pair_items(items, object, max_items)

  pairs <- compare_pairs(coded, object, items)
  kept <- pairs$n_obs > 0 & pairs$df > 0
  how <- list(n = n, seed = seed, threads = threads, verbose = verbose)
  samples <- sample_model(object, coded, how, function(sample, model) {
    smaller_statistic(compare_pairs(sample, model, items))[kept]
  })
  new_pair_residuals(pairs[kept, ], samples, list(
    k = object$k, n = n, seed = seed, variable_labels = object$variable_labels
  ))
}

new_pair_residuals <- function(pairs, samples, about) {
  pairs$is_sparse <- pairs$n_obs < 5 * pairs$n_cells
  of_chi_square <- chi_square_p(smaller_statistic(pairs), pairs$df)
  if (is.null(samples)) {
    pairs$p_value <- replace(of_chi_square, pairs$is_sparse, NA)
    pairs$p_adjusted <- stats::p.adjust(pairs$p_value, "holm")
  } else {
    pairs$p_value <- p_of_samples(samples, smaller_statistic(pairs))
    pairs$p_adjusted <- p_of_any(samples, pairs)
  }
  pairs <- pairs[order(is.na(pairs$p_value), of_chi_square, -pairs$effect), ]
  columns <- c("item_1", "item_2", "n_obs", "statistic", "G2", "df", "effect", "p_value",
               "p_adjusted", "is_sparse")
  pairs <- pairs[columns]
  rownames(pairs) <- NULL
  do.call(structure, c(list(pairs, class = c("mdpd_pair_residuals", "data.frame")), about))
}

# What tests are of: each of the two is too large where the other is not.
smaller_statistic <- function(pairs) pmin(pairs$statistic, pairs$G2 %||% Inf)

chi_square_p <- function(statistic, df) stats::pchisq(statistic, df, lower.tail = FALSE)

# The share of samples in which some pair has as small a p-value of the chi-square distribution, the
# scale on which pairs with different numbers of levels can be compared. As logarithms: they are
# small.
p_of_any <- function(samples, pairs) {
  log_p <- function(statistic) {
    stats::pchisq(statistic, pairs$df, lower.tail = FALSE, log.p = TRUE)
  }
  # Of a sample in which no pair has a table nothing is conspicuous.
  samples[] <- apply(samples, 1, function(statistic) max(0, -log_p(statistic), na.rm = TRUE))
  p_of_samples(samples, -log_p(smaller_statistic(pairs)))
}

# Tables -------------------------------------------------------------------------------------------

# Statistics and degrees of freedom of all pairs of these items. Both tables of all pairs are the
# blocks of one matrix, with a row and a column for each level of each item. A sample may lack an
# item: its pairs are NA.
compare_pairs <- function(coded, model, items) {
  here <- intersect(items, colnames(coded$codes))
  of_item <- rep(seq_along(here), lengths(coded$levels[here]))
  of_levels <- function(x) unname(rowsum(x, of_item))
  by_block <- function(x) of_levels(t(of_levels(x)))
  observed <- pair_counts(coded, here)
  expected <- with_margins(
    expected_pairs(coded, model, here, of_item), of_levels(observed), of_item
  )
  # Cells that are neither expected nor seen add nothing, nor do unseen ones to G2.
  pearson <- ifelse(observed == expected, 0, (observed - expected)^2 / expected)
  ratio <- ifelse(observed == 0, 0, 2 * observed * log(observed / expected))
  # How many levels of the first item the rows show that answer both.
  n_shown <- of_levels((t(of_levels(observed)) > 0) + 0)
  at <- utils::combn(length(items), 2)
  pair <- cbind(match(items, here)[at[1, ]], match(items, here)[at[2, ]])
  levels_1 <- n_shown[pair]
  levels_2 <- n_shown[pair[, 2:1, drop = FALSE]]
  n_obs <- by_block(observed)[pair]
  data.frame(
    item_1 = items[at[1, ]], item_2 = items[at[2, ]], n_obs = n_obs,
    statistic = by_block(pearson)[pair],
    # Rounding may leave less than nothing.
    G2 = pmax(by_block(ratio)[pair], 0), df = (levels_1 - 1) * (levels_2 - 1),
    effect = by_block(abs(observed - expected))[pair] / (2 * n_obs),
    n_cells = levels_1 * levels_2
  )
}

# Up to their margins. Where answers are missing, the rows that answer two items are those of any
# component by their posterior; else by the sizes of the components.
expected_pairs <- function(coded, model, items, of_item, cells = 4e6) {
  probs <- do.call(rbind, unname(model$item_probs[items]))
  if (n_missing(coded$codes) == 0) {
    return(probs %*% (model$mixing_weights * t(probs)))
  }
  coded["known"] <- list(NULL)
  item_probs <- model$item_probs[colnames(coded$codes)]
  posterior <- core_posterior(coded, model$mixing_weights, item_probs, threads = 1)$posterior
  expected <- 0
  for (block in row_blocks(seq_along(coded$weights), length(items), cells)) {
    answered <- times_answered(coded, items, block)
    for (component in seq_along(model$mixing_weights)) {
      weights <- coded$weights[block] * posterior[block, component]
      sizes <- crossprod(answered, weights * answered)
      expected <- expected + tcrossprod(probs[, component]) * sizes[of_item, of_item]
    }
  }
  expected
}

# How often each of some rows answers each item.
times_answered <- function(coded, items, rows) {
  answers <- answers_by_item(select_rows(coded$codes, rows), items)
  counts <- vapply(items, function(item) {
    tabulate(answers(item)$row, length(rows)) + 0
  }, numeric(length(rows)))
  matrix(counts, length(rows))
}

# The expected tables with the margins of the observed ones, by iterative proportional fitting of
# all at once; `margins`, items x levels, has how often each level is given with each item.
with_margins <- function(expected, margins, of_item, max_iter = 100) {
  margins <- t(margins)
  other <- outer(of_item, seq_len(ncol(margins)), `!=`)
  for (iteration in seq_len(max_iter)) {
    sums <- t(unname(rowsum(t(expected), of_item)))
    factor <- ifelse(sums > 0, margins / sums, 1)
    expected <- t(expected * factor[, of_item])
    if (all(abs(factor - 1)[other & margins > 0] < 1e-9)) break
  }
  expected
}

# How often each two levels are answered together, for some `cells` numbers at a time.
pair_counts <- function(coded, items, cells = 4e6) {
  n_levels <- sum(lengths(coded$levels[items]))
  counts <- matrix(0, n_levels, n_levels)
  for (block in row_blocks(seq_along(coded$weights), n_levels, cells)) {
    shown <- one_hot(coded, items, block)
    counts <- counts + crossprod(shown, coded$weights[block] * shown)
  }
  counts
}

# Which items: those asked for, or the informative ones first.
pair_items <- function(items, object, max_items, call = rlang::caller_env()) {
  all_items <- names(object$item_probs)
  if (!is.null(items)) {
    check_item_names(items, all_items, call)
    return(all_items[all_items %in% items])
  }
  if (length(all_items) > max_items) {
    inform_mdpd(
      c("{max_items} of {length(all_items)} {column_words(object)} are compared, the informative
         ones first.",
        i = "Raise {.arg max_items}, or name {.arg items}."),
      class = "items_left_out"
    )
  }
  first <- utils::head(c(informative_order(object), setdiff(all_items, informative_order(object))),
                       max_items)
  all_items[all_items %in% first]
}

check_item_names <- function(items, all_items, call) {
  if (!is.character(items) || length(unique(items)) < 2) {
    abort_mdpd(
      "{.arg items} must be names of at least two items, not {describe(items)}.",
      class = "argument", call = call
    )
  }
  check_encoding(items, "{.arg items}", call)
  unknown <- setdiff(items, all_items)
  if (length(unknown) > 0) {
    abort_mdpd(
      c("{.arg items} must be items of the fit.", x = "There {?is/are} no {.val {unknown}}."),
      class = "argument", call = call
    )
  }
}

# Results ------------------------------------------------------------------------------------------

#' @rdname pair_residuals
#' @param max_pairs The largest number of pairs printed or drawn as bars, a count of at least 1.
#'   Default 10 printed, 20 in the picture.
#' @export
print.mdpd_pair_residuals <- function(x, max_pairs = 10, ...) {
  rlang::check_dots_empty()
  check_count(max_pairs)
  if (!has_pair_columns(x)) {
    return(NextMethod())
  }
  leave <- if (attr(x, "k") == 1) " leaves" else " leave"
  cat_rule(paste0("Pairs of items that ", plural(attr(x, "k"), "component"), leave, " dependent"))
  small <- sum(x$p_adjusted < 0.05, na.rm = TRUE)
  how <- if (attr(x, "n") > 0) {
    paste0(plural(attr(x, "n"), "sample"), " of the fitted model")
  } else {
    "the chi-square distribution, too large for most pairs"
  }
  cat_fields(c(
    Pairs = paste0(comma(nrow(x)), ", of which ", comma(small),
                   " with a corrected p-value below 0.05"),
    "p-values" = paste0("by ", how)
  ))
  tested <- x[!is.na(x$p_value), ]
  if (nrow(tested) > 0) {
    cat_heading("The most conspicuous pairs (statistic: the smaller of X2 and G2)")
    cat_table(format_residuals(show_pair_labels(tested), max_pairs))
  }
  cat_notes(sparse_note(x))
  cat_hint("plot(pairs)")
  invisible(x)
}

# A part of the columns is a plain table.
has_pair_columns <- function(x) {
  all(c("item_1", "item_2", "statistic", "effect", "p_value", "p_adjusted") %in% names(x)) &&
    !is.null(attr(x, "k"))
}

# Results made by 0.1.0 do not say which pairs are sparse.
sparse_pairs <- function(x) x$is_sparse %||% logical(nrow(x))

sparse_note <- function(x) {
  n_sparse <- sum(sparse_pairs(x))
  if (n_sparse == 0) {
    return(NULL)
  }
  all <- if (n_sparse == nrow(x)) "All pairs" else plural(n_sparse, "pair")
  has <- if (all == "1 pair") " has" else " have"
  paste0(
    all, has, " fewer than five rows a cell",
    if (attr(x, "n") == 0) {
      " and no p-value. Ask for samples: pair_residuals(fit, n = 200)."
    } else {
      "."
    }
  )
}

format_residuals <- function(x, max_pairs) {
  shown <- utils::head(x, max_pairs)
  # Where nothing is missing, all pairs have all rows.
  has_gaps <- length(unique(x$n_obs)) > 1
  table <- cbind(
    rows = if (has_gaps) comma(round(shown$n_obs, 1)), effect = format_share(shown$effect),
    statistic = nats(smaller_statistic(shown)), df = shown$df,
    "p-value" = format_p(shown$p_value), corrected = format_p(shown$p_adjusted)
  )
  # The numbers take some 40 columns of the line, and the rows some 7 more.
  room <- cli::console_width() - if (has_gaps) 50 else 43
  rownames(table) <- pair_names(shown, max(15, room %/% 2))
  structure(table, left_out = nrow(x) - nrow(shown))
}

# With the variable labels in place of the names of the items.
show_pair_labels <- function(x) {
  titles <- item_titles(unique(c(x$item_1, x$item_2)), attr(x, "variable_labels"))
  x$item_1 <- unname(titles[x$item_1])
  x$item_2 <- unname(titles[x$item_2])
  x
}

pair_names <- function(x, width) {
  items <- shorten(c(x$item_1, x$item_2), width)
  paste(items[seq_len(nrow(x))], utils::tail(items, nrow(x)), sep = " - ")
}

#' @rdname pair_residuals
#' @export
tidy.mdpd_pair_residuals <- function(x, ...) {
  rlang::check_dots_empty()
  as_tidy(data.frame(
    item_1 = x$item_1, item_2 = x$item_2, n_obs = x$n_obs, statistic = x$statistic, G2 = x$G2,
    parameter = x$df, effect = x$effect, p.value = x$p_value, adj.p.value = x$p_adjusted
  ))
}
