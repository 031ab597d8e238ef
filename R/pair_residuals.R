#' Pairs of items that the components leave dependent
#'
#' Within a component items must be independent of each other. This compares the two-way table of
#' every pair of items with the one that the fit expects (the bivariate residual), says how far they
#' are apart, and whether chance explains it.
#'
#' For a pair with the observed table \eqn{O} and \eqn{N = \sum O}{N = sum O} rows that answer both
#' items, the fit expects \eqn{E_{rs} = N \sum_k w_k \mu_{kir} \mu_{kjs}}{E[r,s] = N sum_k w[k]
#' mu[k,i,r] mu[k,j,s]}. The statistic is Pearson's, \eqn{\sum (O - E)^2 / E}{sum (O - E)^2 / E};
#' the effect is \eqn{\sqrt{X^2 / (N \min(R_i - 1, R_j - 1))}}{sqrt(X2 / (N min(R_i - 1, R_j -
#' 1)))}, 0 where the tables are the same, and for two items that one component leaves dependent
#' Cramer's V.
#'
#' Without samples the p-value is that of the chi-square distribution with
#' \eqn{(R_i - 1)(R_j - 1)} degrees of freedom. It is not right, as the fit has seen the same data:
#' most pairs agree better than that (Oberski, van Kollenburg and Vermunt 2013). Where the model
#' held, 4.7 % of the pairs had a p-value of at most 5 % with one component, 1.4 % with two and 0.5
#' % with three (`bench/goodness_of_fit.R`): a small one counts, a large one says little. With `n`
#' samples of the fitted model, drawn and fitted as by [goodness_of_fit()], it is
#' \eqn{(g + 1) / (n + 1)} for a pair whose statistic is reached in `g` samples: 5.5, 4.7 and 4.3 %
#' there. Two items that repeated each other in a fifth of the rows were found in 62, 6 and 68 % of
#' the data by corrected p-values of chi-square, in 62, 10 and 89 % by those of samples.
#'
#' As many pairs are looked at, there is a second, corrected p-value: below 0.05 it names, with a
#' probability of 95 %, no pair by chance. Without samples it is by Holm's method; with samples it
#' is the share of the samples in which any pair is as conspicuous (Westfall and Young 1993), which
#' counts that pairs with a common item go together.
#'
#' @inheritParams goodness_of_fit
#' @param n Number of samples of the parametric bootstrap, a count; 0, the default, draws none.
#' @param items Names of at least two items; by default, `NULL`, all items of the fit, but at most
#'   `max_items`.
#' @param max_items The largest number of items where `items` is not given, a count of at least 2.
#'   Default 100, of which are 4,950 pairs: the informative ones first, then the others in the order
#'   of the data. A message of class `mdpd_message_items_left_out` says how many are left out.
#' @param weights Case weights of `x`; they count rows: those of a sample survey, which do not, make
#'   the p-values wrong.
#' @return A data frame of class `"mdpd_pair_residuals"` with a row for each pair, the most
#'   conspicuous first: `item_1`, `item_2` (in the order of the fit), `n_obs` (weight of the rows
#'   that answer both), `statistic`, `df`, `effect` (from 0), `p_value` and `p_adjusted`. Pairs that
#'   no row answers, and those of a constant item, are left out. Its attributes `k`, `n` and `seed`
#'   say how it was made. It has methods for `print()`, `tidy()` (a plain table, with broom's
#'   names), `autoplot()` and `plot()`.
#' @section Errors and warnings:
#' Those of [goodness_of_fit()], and `mdpd_error_argument` where `items` are not of the fit.
#' @references
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
  UseMethod("pair_residuals")
}

#' @export
pair_residuals.default <- function(object, ...) check_class(object, "mdpd")

#' @rdname pair_residuals
#' @export
pair_residuals.mdpd <- function(object, n = 0, ..., items = NULL, max_items = 100, seed = 1,
                                threads = 1, x = NULL, weights = NULL, verbose = interactive()) {
  rlang::check_dots_empty()
  check_count(n, min = 0)
  check_count(max_items, min = 2)
  check_seed(seed)
  check_count(threads)
  check_flag(verbose)
  coded <- data_to_test(object, n, x, weights)
  items <- pair_items(items, object, max_items)

  pairs <- compare_pairs(coded, object, items)
  kept <- pairs$n_obs > 0 & pairs$df > 0
  samples <- sample_model(object, coded, n, seed, threads, verbose, function(sample, model) {
    compare_pairs(sample, model, items)$statistic[kept]
  })
  new_pair_residuals(pairs[kept, ], samples, list(
    k = object$k, n = n, seed = seed, variable_labels = object$variable_labels
  ))
}

new_pair_residuals <- function(pairs, samples, about) {
  smaller <- pmin(pairs$levels_1, pairs$levels_2) - 1
  pairs$effect <- sqrt(pairs$statistic / (pairs$n_obs * smaller))
  of_chi_square <- chi_square_p(pairs$statistic, pairs$df)
  if (is.null(samples)) {
    pairs$p_value <- of_chi_square
    pairs$p_adjusted <- stats::p.adjust(of_chi_square, "holm")
  } else {
    pairs$p_value <- p_of_samples(samples, pairs$statistic)
    pairs$p_adjusted <- p_of_any(samples, pairs)
  }
  pairs <- pairs[order(of_chi_square, -pairs$effect), ]
  columns <- c("item_1", "item_2", "n_obs", "statistic", "df", "effect", "p_value", "p_adjusted")
  pairs <- pairs[columns]
  rownames(pairs) <- NULL
  do.call(structure, c(list(pairs, class = c("mdpd_pair_residuals", "data.frame")), about))
}

chi_square_p <- function(statistic, df) stats::pchisq(statistic, df, lower.tail = FALSE)

# The share of samples in which some pair has as small a p-value of the chi-square distribution, the
# scale on which pairs with different numbers of levels can be compared. As logarithms: they are
# small.
p_of_any <- function(samples, pairs) {
  log_p <- function(statistic) {
    stats::pchisq(statistic, pairs$df, lower.tail = FALSE, log.p = TRUE)
  }
  most <- apply(samples, 1, function(statistic) max(-log_p(statistic), na.rm = TRUE))
  p_of_samples(matrix(most, nrow(samples), nrow(pairs)), -log_p(pairs$statistic))
}

# Tables -------------------------------------------------------------------------------------------

# Statistic and degrees of freedom of all pairs of these items. Both tables of all pairs are the
# blocks of one matrix, with a row and a column for each level of each item. A sample may lack an
# item: its pairs are NA.
compare_pairs <- function(coded, model, items) {
  here <- intersect(items, colnames(coded$codes))
  n_levels <- lengths(coded$levels[here])
  of_item <- rep(seq_along(here), n_levels)
  by_block <- function(x) unname(rowsum(t(rowsum(x, of_item)), of_item))
  observed <- pair_counts(coded, here)
  probs <- do.call(rbind, model$item_probs[here])
  expected <- probs %*% (model$mixing_weights * t(probs)) *
    by_block(observed)[of_item, of_item]
  distance <- (observed - expected)^2 / expected
  distance[observed == expected] <- 0 # cells that are neither expected nor seen
  # Levels of probability 0 are in no cell that could be seen.
  n_possible <- as.vector(rowsum((rowSums(probs) > 0) + 0, of_item))
  at <- utils::combn(length(items), 2)
  block <- function(x) x[cbind(match(items, here)[at[1, ]], match(items, here)[at[2, ]])]
  levels <- n_possible[match(items, here)]
  data.frame(
    item_1 = items[at[1, ]], item_2 = items[at[2, ]], n_obs = block(by_block(observed)),
    statistic = block(by_block(distance)), df = (levels[at[1, ]] - 1) * (levels[at[2, ]] - 1),
    levels_1 = levels[at[1, ]], levels_2 = levels[at[2, ]]
  )
}

# How often each two levels are answered together, for some `cells` numbers at a time.
pair_counts <- function(coded, items, cells = 4e6) {
  n_levels <- sum(lengths(coded$levels[items]))
  rows <- seq_along(coded$weights)
  counts <- matrix(0, n_levels, n_levels)
  for (block in split(rows, (rows - 1) %/% max(1, cells %/% n_levels))) {
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
      c("{max_items} of {length(all_items)} items are compared, the informative ones first.",
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
  check_encoding(items, cli::format_inline("{.arg items}"), call)
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
  cat_rule(paste0("Pairs of items that ", plural(attr(x, "k"), "component"), " leave dependent"))
  small <- sum(x$p_adjusted < 0.05)
  how <- if (attr(x, "n") > 0) {
    paste0(comma(attr(x, "n")), " samples of the fitted model")
  } else {
    "the chi-square distribution, too large for most pairs"
  }
  cat_fields(c(
    Pairs = paste0(comma(nrow(x)), ", of which ", comma(small),
                   " with a corrected p-value below 0.05"),
    "p-values" = paste0("by ", how)
  ))
  cat_heading("The most conspicuous pairs")
  cat_table(format_residuals(show_pair_labels(x), max_pairs))
  cat_hint("plot(pairs)")
  invisible(x)
}

# A part of the columns is a plain table.
has_pair_columns <- function(x) {
  all(c("item_1", "item_2", "statistic", "effect", "p_value", "p_adjusted") %in% names(x)) &&
    !is.null(attr(x, "k"))
}

format_residuals <- function(x, max_pairs) {
  shown <- utils::head(x, max_pairs)
  table <- cbind(
    effect = format_share(shown$effect), "X2" = nats(shown$statistic), df = shown$df,
    "p-value" = format_p(shown$p_value), corrected = format_p(shown$p_adjusted)
  )
  # The numbers take some 36 columns of the line.
  rownames(table) <- pair_names(shown, max(18, (cli::console_width() - 42) %/% 2))
  structure(table, left_out = nrow(x) - nrow(shown))
}

# With the variable labels in place of the names of the items.
show_pair_labels <- function(x) {
  titles <- item_titles(unique(c(x$item_1, x$item_2)), attr(x, "variable_labels"))
  x$item_1 <- unname(titles[x$item_1])
  x$item_2 <- unname(titles[x$item_2])
  x
}

pair_names <- function(x, width = 18) {
  items <- shorten(c(x$item_1, x$item_2), width)
  paste(items[seq_len(nrow(x))], utils::tail(items, nrow(x)), sep = " - ", recycle0 = TRUE)
}

#' @rdname pair_residuals
#' @export
tidy.mdpd_pair_residuals <- function(x, ...) {
  rlang::check_dots_empty()
  as_tidy(data.frame(
    item_1 = x$item_1, item_2 = x$item_2, n_obs = x$n_obs, statistic = x$statistic,
    parameter = x$df, effect = x$effect, p.value = x$p_value, adj.p.value = x$p_adjusted
  ))
}
