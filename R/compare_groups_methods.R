# What compare_groups() returns, and its print() and tidy().

# Result -------------------------------------------------------------------------------------------

new_groups <- function(groups, found) {
  fit <- as_group_fit(found$model, groups)
  parts <- parts_of_groups(fit, groups)
  loose <- parts$mixture$loose & parts$model$free
  covariance <- covariance_blocks(fit, parts, character())[[1]]
  items <- item_table(groups, found)
  warn_many_items(items, groups$columns_are)
  n <- group_totals(groups)
  structure(
    list(
      sizes = size_table(fit, covariance, groups, loose), items = items,
      item_probs = free_table(fit, sqrt(diag(covariance)), groups, found$model$free),
      test = test_sizes(groups, found), n = n, n_left_out = groups$n_left_out,
      loglik = fit$loglik - sum(n * log(n / sum(n))),
      df = fit$df - (length(n) - 1), by_design = !is.null(groups$design),
      design_df = groups$design_df, fit = fit, variable_labels = groups$variable_labels
    ),
    class = "mdpd_groups"
  )
}

# P(k | g) by Bayes' rule from the weights and the item of the group, with its delta method: what is
# on the boundary is known, and what rests on `loose` parameters has no error.
size_table <- function(fit, covariance, groups, loose) {
  k <- fit$k
  joint <- t(fit$item_probs[[group_item]]) * fit$mixing_weights
  sizes <- sweep(joint, 2, colSums(joint), "/")
  parameters <- parameter_table(fit)
  unknown <- is.na(diag(covariance))
  covariance[unknown, ] <- 0
  covariance[, unknown] <- 0
  of_weights <- seq_len(k)
  errors <- vapply(seq_along(groups$levels), function(g) {
    of_group <- which(parameters$item %in% group_item & parameters$level == groups$levels[g])
    slope <- diag(sizes[, g], k) - tcrossprod(sizes[, g])
    at <- c(of_weights, of_group)
    estimate <- pmax(parameters$estimate[at], 1e-300)
    slope <- sweep(cbind(slope, slope), 2, estimate, "/")
    errors <- sqrt(pmax(0, rowSums((slope %*% covariance[at, at]) * slope)))
    # In the units in which directions are.
    rests_on <- moved_by(sweep(slope, 2, sqrt(estimate), "*")[, loose[at], drop = FALSE])
    ifelse(rests_on, NA, errors)
  }, numeric(k))
  size <- as.vector(sizes)
  data.frame(
    group = factor(rep(groups$levels, each = k), groups$levels),
    component = factor(rep(rownames(joint), length(groups$levels)), component_levels(fit)),
    size = size, std.error = ifelse(has_size_error(sizes, groups), as.vector(errors), NA)
  )
}

# Before the boundary EM gets ever slower: a class of less than a hundredth of a row is on it, and
# what there is in a group that is all of one class has no error.
has_size_error <- function(sizes, groups) {
  rows <- sweep(sizes, 2, group_totals(groups), "*")
  has_rows <- rows > 0.01
  as.vector(has_rows & rep(colSums(has_rows) > 1, each = nrow(sizes)))
}

# Sums of the case weights.
group_totals <- function(groups) {
  codes <- factor(groups$codes, seq_along(groups$levels), groups$levels)
  vapply(split(groups$weights, codes), sum, 0)
}

test_sizes <- function(groups, found) {
  marginal <- tapply(groups$weights, groups$codes, sum)
  of_groups <- sum(marginal * log(marginal / sum(marginal)))
  gain <- found$model$loglik - of_groups - found$equal$loglik
  df <- (ncol(groups$start) - 1) * (length(groups$levels) - 1)
  statistic <- scaled_ratio(groups, found$model, gain, group_item)
  data.frame(statistic = statistic, df = df,
             p_value = wald_p(statistic, df, groups$design_df))
}

item_table <- function(groups, found) {
  tests <- found$tests
  p_value <- exp(tests$log_p)
  effects <- lapply(tests$item, function(item) item_effect(groups, found$larger[[item]], item))
  table <- data.frame(
    item = tests$item, free = tests$item %in% found$model$free, tests[c("statistic", "df")],
    p_value = p_value, p_adjusted = stats::p.adjust(p_value, "holm"), evidence = tests$evidence,
    do.call(rbind, effects)
  )
  `rownames<-`(table[order(-table$evidence, match(table$item, groups$items)), ], NULL)
}

# Where the probabilities of the groups differ most, among those of which enough rows were seen.
item_effect <- function(groups, model, item, at_least = 5) {
  given <- groups$answers[[item]]
  weighted <- model$posterior[given$row, , drop = FALSE] * groups$weights[given$row]
  of_group <- groups$codes[given$row]
  counts <- rowsum(weighted, of_group)
  seen <- groups$levels[sort(unique(of_group))]
  probs <- model$result$item_probs[
    match(item_of_group(item, seen), names(model$problem$coded$levels))
  ]
  probs <- vapply(seq_along(seen), function(g) {
    few <- counts[g, ] < at_least
    replace(probs[[g]], cbind(rep(seq_len(nrow(probs[[g]])), sum(few)),
                              rep(which(few), each = nrow(probs[[g]]))), NA)
  }, unname(probs[[1]]))
  largest_difference(probs, groups$item_levels[[item]], groups$components, seen)
}

# `probs`: levels x components x groups.
largest_difference <- function(probs, levels, components, groups) {
  span <- apply(probs, 1:2, function(p) {
    if (sum(!is.na(p)) > 1) diff(range(p, na.rm = TRUE)) else NA
  })
  if (all(is.na(span))) {
    return(data.frame(effect = NA_real_, component = NA_character_, level = NA_character_,
                      lowest = NA_character_, highest = NA_character_))
  }
  # Both levels of a binary item differ by the same.
  at <- arrayInd(first_of_largest(span), dim(span))
  p <- probs[at[1], at[2], ]
  data.frame(effect = max(span, na.rm = TRUE), component = components[at[2]],
             level = levels[at[1]], lowest = groups[first_of_largest(-p)],
             highest = groups[first_of_largest(p)])
}

# The first that is the largest, within rounding.
first_of_largest <- function(x) which(x >= max(x, na.rm = TRUE) - tie_tolerance)[1]

# The probabilities of the free items by group.
free_table <- function(fit, errors, groups, free) {
  parameters <- parameter_table(fit)
  item <- rep(groups$items[groups$items %in% free], each = length(groups$levels))
  group <- rep(groups$levels, length(item) / length(groups$levels))
  if (length(item) == 0) {
    return(data.frame(item = character(), level = character(), component = factor(),
                      group = factor(), probability = numeric(), std.error = numeric()))
  }
  rows <- lapply(seq_along(item), function(i) {
    at <- which(parameters$item %in% item_of_group(item[i], group[i]))
    data.frame(
      item = rep(item[i], length(at)), level = parameters$level[at],
      component = factor(parameters$component[at], component_levels(fit)),
      group = factor(rep(group[i], length(at)), groups$levels),
      probability = parameters$estimate[at], std.error = errors[at]
    )
  })
  do.call(rbind, rows)
}

warn_many_items <- function(items, what, call = rlang::caller_env(2)) {
  n_free <- sum(items$free)
  if (n_free > nrow(items) / 2) {
    warn_mdpd(
      c("{n_free} of {nrow(items)} {what} work differently in the groups.",
        i = "The classes are hardly the same ones: fit each group alone before comparing sizes."),
      class = "many_items", call = call
    )
  }
}

# Methods ------------------------------------------------------------------------------------------

#' @rdname compare_groups
#' @param max_items The largest number of items printed, a count of at least 1. Default 8.
#' @export
print.mdpd_groups <- function(x, max_items = 8, ...) {
  rlang::check_dots_empty()
  check_count(max_items)
  names <- utils::head(x$items$item, max_items)
  x <- show_group_labels(x)
  cat_rule(paste0("Comparison of ", length(x$n), " groups in ", plural(x$fit$k, "component")))
  left_out <- if (x$n_left_out > 0) paste0("; ", plural(x$n_left_out, "row"), " without a group")
  cat_fields(c(
    Groups = paste0(paste0(names(x$n), " (", comma(round(x$n, 1)), ")", collapse = ", "), left_out),
    Fit = paste0("log-likelihood ", nats(x$loglik), ", df ", comma(x$df)),
    "Free items" = free_title(x)
  ))
  cat_heading("Component sizes by group, with standard errors")
  cat_table(format_sizes(x))
  cat_line("  All groups alike: ", format_test(x$test, x$by_design))
  cat_heading("Do the items work the same in all groups?")
  cat_group_items(x$items, names, max_items)
  cat_hint("plot(x), plot(x, type = \"items\"), tidy(x)")
  invisible(x)
}

# With the variable labels in place of the names of the items.
show_group_labels <- function(x) {
  titles <- item_titles(x$items$item, x$variable_labels)
  x$items$item <- unname(titles[x$items$item])
  x$item_probs$item <- unname(titles[as.character(x$item_probs$item)])
  x
}

free_title <- function(x, most = 8) {
  free <- x$items$item[x$items$free]
  if (length(free) == 0) {
    return("none")
  }
  left_out <- if (length(free) > most) paste0("; and ", length(free) - most, " more")
  paste0(paste(utils::head(free, most), collapse = "; "), left_out)
}

# Items that are sentences stand in the table by name, and below it in full.
cat_group_items <- function(items, names, max_items, width = 20) {
  titles <- utils::head(items$item, max_items)
  is_long <- any(nchar(titles, "width") > width)
  if (is_long) items$item[seq_along(names)] <- names
  cat_table(format_group_items(items, max_items))
  if (is_long) {
    cat_heading("What these items are about")
    short <- shorten(names, width)
    cat_fields(stats::setNames(titles, paste0("  ", short))[short != titles])
  }
}

format_sizes <- function(x) {
  error <- decimals(100 * x$sizes$std.error, 1)
  cells <- paste0(percent(x$sizes$size, 1), " (", ifelse(is.na(x$sizes$std.error), "-", error), ")")
  table <- matrix(cells, length(x$n), byrow = TRUE)
  dimnames(table) <- list(shorten(names(x$n), 20), shorten(names(x$fit$mixing_weights), 14))
  table
}

format_test <- function(test, by_design) {
  paste0(if (by_design) "Rao-Scott" else "likelihood-ratio", " statistic ",
         decimals(test$statistic, 1), " on ", test$df, " df, p ",
         format_p(test$p_value, equals = "= "))
}

format_group_items <- function(items, max_items) {
  shown <- utils::head(items, max_items)
  names <- paste0(shorten(shown$item, 20), ifelse(shown$free, " (free)", ""))
  # The numbers take 33 columns.
  where <- words_of_difference(shown, cli::console_width() - 33 - max(0, nchar(names, "width")))
  table <- cbind(
    evidence = ifelse(is.na(shown$evidence), "-", nats(shown$evidence)),
    "p (Holm)" = format_p(shown$p_adjusted), difference = format_share(shown$effect),
    "largest for" = ifelse(is.na(shown$effect), "-", where)
  )
  rownames(table) <- names
  structure(table, left_out = nrow(items) - nrow(shown))
}

# Names as long as there is room for.
words_of_difference <- function(items, room) {
  for (width in c(40, 30, 24, 20, 16, 12)) {
    where <- paste0(short_levels(items$level, width), " in ", shorten(items$component, width), ": ",
                    shorten(items$lowest, width), " < ", shorten(items$highest, width))
    if (max(0, nchar(where, "width")) <= room) break
  }
  where
}

#' Tidy tables of a comparison of groups
#'
#' @param x The result of [compare_groups()].
#' @param what `"sizes"`, the default, the component sizes by group; `"items"`, the tests of the
#'   items; or `"item_probs"`, the probabilities of the freed items by group.
#' @param conf.int Add the ends of a confidence interval, made on the logit scale? Default `FALSE`;
#'   not for `"items"`.
#' @param conf.level Confidence level, from 0 to 1. Default 0.95.
#' @param ... Not used: what other packages hand over, as modelsummary does.
#' @return A table as in [compare_groups()], with broom's names: `term` (`"mixing_weight"`, the
#'   item, or `"item = level"`), `variable`, `class` (factor, the component), `outcome` (a level),
#'   `estimate` (a probability; of `"items"` the largest difference), `std.error`, `conf.low`,
#'   `conf.high`, `statistic`, `df`, `p.value`, `adj.p.value`. A tibble where the package tibble is
#'   installed, else a data frame.
#' @section Errors: `mdpd_error_argument` for an argument out of range.
#' @references
#' Wickham, H. (2014). Tidy data. *Journal of Statistical Software* 59 (10).
#' \doi{10.18637/jss.v059.i10}
#' @family results
#' @examples
#' fit <- stagewise_em(house_votes[c(4, 6, 9, 13)], k = 2)
#' parties <- compare_groups(fit, house_votes$party, free = character())
#' tidy(parties, conf.int = TRUE)
#' # A table to publish: modelsummary::modelsummary(parties, shape = group ~ class)
#' @export
tidy.mdpd_groups <- function(x, what = c("sizes", "items", "item_probs"),
                             conf.int = FALSE, # nolint: object_name_linter.
                             conf.level = 0.95, ...) { # nolint: object_name_linter.
  what <- check_choice(what, c("sizes", "items", "item_probs"))
  check_flag(conf.int)
  check_number(conf.level, c(0, 1))
  table <- x[[what]]
  broom <- c(item = "variable", component = "class", level = "outcome", size = "estimate",
             probability = "estimate", effect = "estimate", p_value = "p.value",
             p_adjusted = "adj.p.value")
  renamed <- names(table) %in% names(broom)
  names(table)[renamed] <- broom[names(table)[renamed]]
  term <- switch(
    what,
    sizes = rep("mixing_weight", nrow(table)),
    items = table$variable,
    item_probs = paste(table$variable, "=", table$outcome, recycle0 = TRUE)
  )
  table <- cbind(term, table)
  table$class <- factor(table$class, component_levels(x$fit))
  if (conf.int && what != "items") {
    limits <- wald_limits(table$estimate, table$std.error, conf.level, "logit", x$design_df)
    table[c("conf.low", "conf.high")] <- list(limits[, 1], limits[, 2])
  }
  as_tidy(table)
}
