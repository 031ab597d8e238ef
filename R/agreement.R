#' How well the workers of a crowd agree
#'
#' Krippendorff's alpha, Fleiss' kappa, Gwet's AC1 and the raw agreement of the labels, with
#' intervals by resampling the items. They need neither a fit nor the truth. Workers who agree may
#' be wrong together, and a crowd with few good workers agrees little and still tells the truth: for
#' that see [stagewise_em()] and [worker_quality()].
#'
#' All measure pairs of labels that two workers gave to the same item. Workers need not label all
#' items; an item with the labels of one worker alone is in no pair. A worker who labelled an item
#' several times stands there with one label, drawn at random from them: the counts and the
#' agreement of pairs, of which the measures are made, are means over that draw. With
#' \eqn{n_{ir}} the number of workers who gave item i the label r, \eqn{n_i} the sum over r, and
#' without such repeats:
#'
#' * **Raw agreement** is the share of the pairs of an item that agree,
#'   \eqn{P_i = \sum_r n_{ir} (n_{ir} - 1) / (n_i (n_i - 1))}{
#'   P_i = sum_r n_ir (n_ir - 1) / (n_i (n_i - 1))}, and P its mean over the items with a pair.
#' * **Fleiss' kappa** is \eqn{(P - P_e) / (1 - P_e)} with \eqn{P_e = \sum_r p_r^2}{
#'   P_e = sum_r p_r^2}, \eqn{p_r} the mean of \eqn{n_{ir} / n_i} over all items. Fleiss (1971) has
#'   as many labels for every item; for unequal numbers it is the form of Gwet (2014).
#' * **Gwet's AC1** is the same with \eqn{P_e = \sum_r p_r (1 - p_r) / (R - 1)}{
#'   P_e = sum_r p_r (1 - p_r) / (R - 1)}, R the number of labels in use. Where one label is by far
#'   the most frequent, kappa and alpha are small although nearly all labels agree; AC1 is not.
#' * **Krippendorff's alpha** is \eqn{1 - D_o / D_e}: the mean squared difference between two labels
#'   of the same item over that between any two labels; an item counts by its number of labels. The
#'   difference is 1 for any two labels (`"nominal"`), the difference of the numbers (`"interval"`)
#'   or that of their mean ranks among all labels (`"ordinal"`).
#'
#' Each is 1 where all agree; all but the raw agreement are 0 where labels agree as often as
#' at random, and below 0 where they agree less often. Intervals take the items as a sample and the
#' workers as given: `n` times as many items are drawn with replacement, and the interval ends at
#' quantiles of what they give.
#'
#' @param x Labels as [crowd_labels()], or a matrix or data frame with a row for each item and a
#'   column for each worker, at least two, `NA` where there is no label; columns as in
#'   [stagewise_em()]. Labels have the order of the crowd's `labels`, of the factor levels, of
#'   numbers, or of the alphabet.
#' @param metric For Krippendorff's alpha: `"nominal"`, the default, `"ordinal"` for labels in order
#'   or `"interval"` for labels that are numbers. The others take labels to be the same or not.
#' @param level Confidence level, from 0 to 0.999. Default 0.95.
#' @param n Number of samples, a whole number from 2 / (1 - `level`) to 1,000,000. Default 1000.
#' @param seed A whole number, or `NULL` to draw from the session's random numbers. Default 1: the
#'   same answer every run. The session's random numbers are left alone.
#' @param object The result of `agreement()`.
#' @param ... Not used; must be empty. For `plot()`: arguments passed on to `autoplot()`.
#' @return A list of class `"mdpd_agreement"`:
#'   \item{measures}{data frame with a row for each measure: `measure` (`"krippendorff_alpha"`,
#'     `"fleiss_kappa"`, `"gwet_ac1"`, `"raw_agreement"`), `estimate` (at most 1; the last in
#'     \[0, 1\]), `std_error`, `lower`, `upper`. `NA` where all labels are the same: agreement
#'     cannot be told from chance then. The last three are `NA` where a single item has labels of
#'     two workers}
#'   \item{n_items, n_paired, n_workers, n_labels}{counts: items, those with labels of two workers
#'     or more, workers, labels given}
#'   \item{metric, level, n, seed}{as given}
#'   It has methods for `print()`, [tidy()], which gives the measures with broom's column names, and
#'   `autoplot()` and `plot()`, which draw them with their intervals.
#' @section Errors and warnings:
#' `mdpd_error_argument` for an argument out of range or `metric = "interval"` with labels that are
#' not numbers; `mdpd_error_data` for a table that cannot be read or where no item has labels of two
#' workers. `mdpd_warning_long_table` for a table that seems to have a row for each label.
#' @references
#' Krippendorff, K. (2004). *Content Analysis: An Introduction to Its Methodology*, 2nd edition,
#' chapter 11. Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability.
#' <https://repository.upenn.edu/asc_papers/43>
#'
#' Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. *Psychological
#' Bulletin* 76, 378-382. \doi{10.1037/h0031619}
#'
#' Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high
#' agreement. *British Journal of Mathematical and Statistical Psychology* 61, 29-48.
#' \doi{10.1348/000711006X126600}. Gwet, K. L. (2014). *Handbook of Inter-Rater Reliability*, 4th
#' edition.
#' @family crowds
#' @examples
#' crowd <- simulate_crowd(n_items = 100, n_workers = 8, accuracy = rep(0.8, 8), seed = 1)
#' agreement(crowd$labels, n = 200)
#'
#' # Krippendorff's example: four observers, twelve units
#' units <- rbind(
#'   a = c(1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA), b = c(1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3),
#'   c = c(NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA), d = c(1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA)
#' )
#' agreement(t(units), metric = "ordinal", n = 200)
#' @export
agreement <- function(x, metric = c("nominal", "ordinal", "interval"), level = 0.95, n = 1000,
                      seed = 1) {
  check_given(x)
  metric <- check_choice(metric, c("nominal", "ordinal", "interval"))
  check_number(level, c(0, 0.999))
  check_n_samples(n, min = samples_needed(level))
  check_seed(seed)
  labels <- labels_by_worker(x)
  check_metric(metric, labels$labels)
  votes <- item_votes(labels)
  n_items <- length(votes$n_workers)
  n_paired <- sum(votes$n_workers > 1)
  measures <- function(counts) agreement_measures(votes, metric, counts)
  estimate <- measures(rep(1, n_items))
  samples <- with_seed(seed, vapply(seq_len(n), function(sample) {
    measures(drop(stats::rmultinom(1, n_items, rep(1, n_items))))
  }, estimate))
  structure(
    list(
      measures = measure_table(estimate, samples, level, n_paired), n_items = n_items,
      n_paired = n_paired, n_workers = length(unique(labels$worker)),
      n_labels = length(labels$label), metric = metric, level = level, n = n, seed = seed
    ),
    class = "mdpd_agreement"
  )
}

# What one item alone would vary by is not known.
measure_table <- function(estimate, samples, level, n_paired) {
  if (n_paired < 2) samples[] <- NA
  ends <- c(1 - level, 1 + level) / 2
  limits <- apply(samples, 1, stats::quantile, ends, na.rm = TRUE, names = FALSE)
  data.frame(
    measure = names(estimate), estimate = unname(estimate),
    std_error = unname(apply(samples, 1, stats::sd, na.rm = TRUE)),
    lower = unname(limits[1, ]), upper = unname(limits[2, ])
  )
}

# Labels -------------------------------------------------------------------------------------------

# The parts of a crowd that agreement needs: codes `item`, `worker`, `label`, and the `labels`.
labels_by_worker <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  check_intact(x, arg, call)
  if (!inherits(x, "crowd_labels")) {
    x <- table_labels(x, arg, call)
  }
  if (!any(duplicated(x$item) & !duplicated(cell_index(x$item, x$worker, max(x$item, 0))))) {
    abort_mdpd("{.arg {arg}} must have an item with labels of two workers.",
               class = "data", call = call)
  }
  x
}

# A table of items by workers, whose columns have levels of their own: one set of labels for all.
table_labels <- function(x, arg, call) {
  check_table(x, arg, call)
  columns <- read_labelled_columns(lapply(seq_len(ncol(x)), table_column, x = x))
  coded <- lapply(columns, code_values, numbers_first = TRUE)
  warn_long_table(coded, colnames(x), arg, call)
  labels <- unique(unlist(lapply(coded, `[[`, "levels")))
  labels <- if (all(vapply(columns, is.factor, NA))) {
    intersect(unique(unlist(lapply(columns, levels))), labels)
  } else {
    code_values(labels, numbers_first = TRUE)$levels
  }
  codes <- vapply(coded, function(column) {
    c(NA, match(column$levels, labels))[column$codes + 1]
  }, integer(nrow(x)))
  codes <- matrix(codes, nrow(x))
  given <- which(!is.na(codes), arr.ind = TRUE)
  list(item = given[, 1], worker = given[, 2], label = codes[given], labels = labels,
       items = seq_len(nrow(x)))
}

# Labels are in the order of the values that any column has, where all have the same.
read_labelled_columns <- function(columns) {
  labels <- lapply(columns, attr, "labels", exact = TRUE)
  if (all(vapply(columns, is_labelled, NA)) && length(unique(labels)) == 1) {
    values <- unlist(lapply(columns, plain_values))
    read <- read_labelled(structure(values, labels = labels[[1]], class = "haven_labelled"))
    return(unname(split(read, rep(seq_along(columns), lengths(columns)))))
  }
  lapply(columns, read_labelled)
}

# A table with a row for each label is taken for workers too, who would never agree. Its columns are
# ids and labels: words of one are in no other, or one without gaps has many more numbers.
warn_long_table <- function(coded, names, arg, call) {
  levels <- lapply(coded, `[[`, "levels")
  n_own <- vapply(seq_along(levels), function(i) {
    length(setdiff(levels[[i]], unlist(levels[-i])))
  }, 0L)
  has_gaps <- vapply(coded, function(column) any(column$codes == 0), NA)
  is_apart <- if (is_number_text(unlist(levels))) {
    n_own > lengths(levels) / 2 & lengths(levels) >= 3 * min(lengths(levels)) & !any(has_gaps)
  } else {
    n_own == lengths(levels) & n_own > 1
  }
  odd <- which(is_apart)[1]
  if (length(levels) >= 3 && !is.na(odd)) {
    name <- names[odd] %||% odd
    warn_mdpd(
      c("The columns of {.arg {arg}} are taken for workers, but column {.val {name}} has
         {n_own[odd]} labels that no other has.",
        i = "Of a table with a row for each label, make a crowd first:
             {.code agreement(crowd_labels(table, item, worker, label))}, by the names of its
             columns."),
      class = "long_table", call = call
    )
  }
}

check_metric <- function(metric, labels, call = rlang::caller_env()) {
  if (metric == "interval" && !is_number_text(labels)) {
    abort_mdpd(
      c('{.code metric = "interval"} must have labels that are numbers.',
        x = "The labels are {.val {utils::head(labels, 5)}}."),
      class = "argument", call = call
    )
  }
}

# Items x labels: the number of workers who gave an item each label, one who gave several by shares.
# `repeated` has the shares of these alone, a row for each worker and item, and `of_item` whose.
item_votes <- function(crowd) {
  cell <- cell_index(crowd$item, crowd$worker, length(crowd$items))
  share <- 1 / tabulate(match(cell, cell), length(cell))[match(cell, cell)]
  size <- c(length(crowd$items), length(crowd$labels))
  votes <- add_up(share, crowd$item, crowd$label, size)
  again <- share < 1
  of_cell <- match(cell[again], unique(cell[again]))
  n_workers <- round(rowSums(votes))  # shares of a third add up to a little less than one
  votes <- list(
    votes = votes, n_workers = n_workers, rates = votes / pmax(1, n_workers),
    labels = crowd$labels,
    repeated = add_up(share[again], of_cell, crowd$label[again], c(max(0, of_cell), size[2])),
    of_item = crowd$item[again][!duplicated(of_cell)]
  )
  votes$disagreement <- disagreement(votes, NULL)
  votes
}

# A matrix of sums of `x` by row and column.
add_up <- function(x, row, column, size) {
  sums <- matrix(0, size[1], size[2])
  at <- cell_index(row, column, size[1])
  places <- unique(at)
  sums[places] <- rowsum(x, match(at, places))
  sums
}

# Measures -----------------------------------------------------------------------------------------

# With each item as often as `counts` says.
agreement_measures <- function(votes, metric, counts) {
  paired <- counts * (votes$n_workers > 1)
  raw <- 1 - sum(paired * votes$disagreement / pmax(1, votes$n_workers)) / sum(paired)
  rates <- drop(counts %*% votes$rates) / sum(counts * (votes$n_workers > 0))
  beyond <- function(chance) (raw - chance) / (1 - chance)
  in_use <- colSums(votes$votes) > 0
  measures <- c(
    krippendorff_alpha = krippendorff_alpha(votes, metric, paired),
    fleiss_kappa = beyond(sum(rates^2)),
    gwet_ac1 = beyond(sum(rates * (1 - rates)) / (sum(in_use) - 1)),
    raw_agreement = raw
  )
  replace(measures, is.nan(measures), NA)
}

krippendorff_alpha <- function(votes, metric, paired) {
  totals <- drop(paired %*% votes$votes)
  if (sum(totals > 0) < 2) {
    return(NA_real_)  # nothing to disagree about
  }
  values <- label_values(metric, totals, votes$labels)
  observed <- if (metric == "nominal") votes$disagreement else disagreement(votes, values)
  1 - (sum(totals) - 1) * sum(paired * observed) / pair_differences(t(totals), values)
}

# Numbers whose squared difference is the metric's; NULL where any two labels are as different. The
# ordinal difference, of all labels from one to the other with half of both, is that of mean ranks.
label_values <- function(metric, totals, labels) {
  switch(
    metric,
    ordinal = cumsum(totals) - totals / 2,
    interval = as.double(labels)
  )
}

# Of each row of shares the sum of squared differences over all its ordered pairs.
pair_differences <- function(shares, values) {
  total <- rowSums(shares)
  if (is.null(values)) {
    return(total^2 - rowSums(shares^2))
  }
  2 * (total * drop(shares %*% values^2) - drop(shares %*% values)^2)
}

# Of each item the sum over its pairs of different workers, for each worker one's mean.
disagreement <- function(votes, values) {
  within <- numeric(length(votes$n_workers))
  if (length(votes$of_item) > 0) {
    own <- rowsum(pair_differences(votes$repeated, values), votes$of_item)
    within[as.integer(rownames(own))] <- own
  }
  (pair_differences(votes$votes, values) - within) / pmax(1, votes$n_workers - 1)
}

# Output -------------------------------------------------------------------------------------------

#' @rdname agreement
#' @export
print.mdpd_agreement <- function(x, ...) {
  rlang::check_dots_empty()
  cat_rule(paste0("Agreement of ", plural(x$n_workers, "worker")))
  single <- x$n_items - x$n_paired
  cat_fields(c(
    Labels = paste0(comma(x$n_labels), " on ", plural(x$n_items, "item"),
                    if (single > 0) paste0("; ", comma(single), " without a pair of labels")),
    Intervals = if (x$n_paired < 2) "none: a single item has labels of two workers" else
      paste0(percent(x$level), ", from ", plural(x$n, "sample"), " of the items")
  ))
  names <- measure_titles(x)
  numbers <- as.matrix(x$measures[c("estimate", "std_error", "lower", "upper")])
  table <- matrix(decimals(numbers, 3), nrow(numbers))
  table[is.na(numbers)] <- "-"
  dimnames(table) <- list(names[x$measures$measure],
                          c("estimate", "standard error", limit_names(x$level)))
  cat("\n")
  cat_table(table)
  invisible(x)
}

measure_titles <- function(x) {
  c(krippendorff_alpha = paste0("Krippendorff's alpha (", x$metric, ")"),
    fleiss_kappa = "Fleiss' kappa", gwet_ac1 = "Gwet's AC1", raw_agreement = "Raw agreement")
}

#' @rdname agreement
#' @export
tidy.mdpd_agreement <- function(x, ...) {
  rlang::check_dots_empty()
  table <- x$measures
  names(table) <- c("measure", "estimate", "std.error", "conf.low", "conf.high")
  as_tidy(table)
}
