# The fits that compare_groups() compares, of the rows of all groups, and which items differ.

# Data of several groups ---------------------------------------------------------------------------

# The rows that count in a group, and what all the models of them have in common: of each
# informative item its `answers`, the components in the order in which the engine goes on with them,
# and where EM begins.
group_data <- function(object, how, group, call = rlang::caller_env()) {
  weighs <- how$coded$weights > 0
  rows <- which(weighs & group$codes > 0)
  n_left_out <- sum(weighs & group$codes == 0 & !group$unanswered)
  if (n_left_out > 0) {
    inform_mdpd("{n_left_out} row{?s} without a group {?is/are} left out.",
                class = "missing_group")
  }
  coded <- how$coded
  design <- design_of_rows(how$design, rows)
  columns <- engine_order(object, coded)
  codes <- select_rows(coded$codes, rows)
  items <- answered_in_groups(intersect(names(object$item_probs), informative(object)), codes, call)
  answers <- answers_by_item(codes, items)
  list(
    codes = group$codes[rows], levels = group$levels, weights = weights_that_count(coded)[rows],
    known = coded$known[rows], labels = if (!is.null(coded$known)) object$labels,
    row_names = rownames(codes), items = items, item_levels = coded$levels[items],
    answers = stats::setNames(lapply(items, answers), items), n_left_out = n_left_out,
    design = design, design_df = interval_df(design, coded$weights[rows]), columns = columns,
    components = names(object$mixing_weights)[columns],
    start = unname(how$posterior[rows, columns, drop = FALSE]), threads = threads_of(object),
    variable_labels = object$variable_labels, columns_are = column_words(object)
  )
}

# Those of the items that some of the rows answer: of a split ballot others may be of other rows.
answered_in_groups <- function(items, codes, call) {
  absent <- items[n_observed(codes)[items] == 0]
  items <- setdiff(items, absent)
  if (length(items) < 2) {
    abort_mdpd(
      c("The rows that have a group must answer at least two informative items.",
        x = "They answer {length(items)}."), class = "argument", call = call
    )
  }
  if (length(absent) > 0) {
    inform_mdpd("{length(absent)} item{?s} that no row with a group answers {?is/are} left out:
                 {.val {absent}}.", class = "unanswered_items", items = absent)
  }
  items
}

# The coded data of the model with some items free: one item a group for each of these. `sizes`: do
# the class sizes differ? The group is then an item too.
group_table <- function(groups, free, sizes = TRUE) {
  parts <- lapply(groups$items, function(item) {
    given <- groups$answers[[item]]
    of_group <- if (item %in% free) groups$codes[given$row] else rep(1L, length(given$row))
    names <- if (item %in% free) item_of_group(item, groups$levels) else item
    seen <- sort(unique(of_group))
    list(row = given$row, code = given$code, column = match(of_group, seen), names = names[seen],
         levels = rep(groups$item_levels[item], length(seen)))
  })
  if (sizes) {
    parts <- c(parts, list(list(
      row = seq_along(groups$codes), code = groups$codes, column = rep(1L, length(groups$codes)),
      names = group_item, levels = list(groups$levels)
    )))
  }
  n_columns <- vapply(parts, function(part) length(part$names), 0L)
  before <- cumsum(c(0L, n_columns))
  take <- function(field) unlist(lapply(parts, `[[`, field), use.names = FALSE)
  names <- take("names")
  column <- Map(function(part, before) part$column + before, parts, utils::head(before, -1))
  codes <- answers_to_codes(
    take("row"), unlist(column), take("code"), list(groups$row_names, names), "ignore",
    n_obs = length(groups$codes)
  )
  levels <- unlist(lapply(parts, `[[`, "levels"), recursive = FALSE, use.names = FALSE)
  coded <- new_coded(codes, stats::setNames(levels, names), groups$weights, "ignore")
  coded["known"] <- list(groups$known)
  coded
}

# EM from a posterior, to where log-likelihoods can be compared.
fit_groups <- function(groups, free, start = groups$start, sizes = TRUE) {
  coded <- group_table(groups, free, sizes)
  problem <- new_problem(coded, known = groups$known, starts = list(list(posterior = start)))
  control <- stagewise_control(criterion = "bic", polish = FALSE, smoothing = 0, tol = 1e-11,
                               max_iter = 2000, threads = groups$threads)
  settings <- new_settings("em", ncol(start), "em", "full", complete_control(control, "paper"))
  result <- run_engine(problem, settings)$fits[[1]]
  # Not before: the group is an item too, whose levels are no labels.
  problem["labels"] <- list(groups$labels)
  list(result = result, problem = problem, settings = settings, loglik = result$loglik,
       posterior = result$posterior, free = free)
}

# The model as a fit, with the components in the order and under the names of the one compared.
as_group_fit <- function(model, groups, call = quote(compare_groups())) {
  about <- list(class = NULL, call = call, keep_data = TRUE, design = NULL)
  fit <- new_mdpd(model$result, model$problem, model$settings, about)
  fit$df <- fit$df + n_unseen_levels(groups, model$free) * fit$k
  fit$groups <- list(variable = groups$variable, levels = groups$levels, items = groups$items,
                     free = model$free)
  by_size <- order(model$result$mixing_weights, decreasing = TRUE)
  permute_components(fit, order(groups$columns[by_size]), groups$components[order(groups$columns)])
}

# Of the free items the levels that a group which answers them never shows, though another one does.
# They are parameters as those of the model with the item alike in all groups are, where they may be
# shown by any: else freeing an item could have fewer.
n_unseen_levels <- function(groups, free) {
  unseen <- vapply(groups$answers[free], function(given) {
    shown <- table(groups$codes[given$row], given$code) > 0
    sum(!shown)
  }, 0L)
  sum(unseen)
}

# Search -------------------------------------------------------------------------------------------

# Items are freed one at a time, the surest first, while a test says so.
search_items <- function(groups, alpha) {
  model <- fit_groups(groups, character())
  repeat {
    freed <- free_each(groups, model)
    tests <- test_items(groups, freed, model)
    best <- which.min(tests$log_p)
    # None is left, or none says so.
    if (length(best) == 0 || stats::p.adjust(exp(tests$log_p), "holm")[best] >= alpha) {
      break
    }
    model <- freed[[best]]
  }
  finish_search(groups, model, freed, tests)
}

free_items <- function(groups, free) {
  model <- fit_groups(groups, free)
  freed <- free_each(groups, model)
  finish_search(groups, model, freed, test_items(groups, freed, model))
}

# The models in which one item more is free, named by it.
free_each <- function(groups, model) {
  others <- setdiff(groups$items, model$free)
  bar <- if (groups$verbose) {
    cli::cli_progress_bar(paste0("Items, ", length(model$free), " free"), total = length(others))
  }
  lapply(stats::setNames(nm = others), function(item) {
    freed <- fit_groups(groups, c(model$free, item), model$posterior)
    if (groups$verbose) cli::cli_progress_update(id = bar)
    freed
  })
}

# The tests of the items that are free in the end, too: against the model in which one of them is
# not; of each item, the model in which it is free; and the model of equal sizes.
finish_search <- function(groups, model, freed, tests) {
  of_free <- lapply(model$free, function(item) {
    smaller <- fit_groups(groups, setdiff(model$free, item), model$posterior)
    test_items(groups, stats::setNames(list(model), item), smaller)
  })
  with_item <- stats::setNames(rep(list(model), length(model$free)), model$free)
  equal <- fit_groups(groups, model$free, model$posterior, sizes = FALSE)
  list(model = model, equal = equal, larger = c(with_item, freed),
       tests = do.call(rbind, c(of_free, list(tests))))
}

# Of each item, free in one of the `larger` models, which are named by it, and not in the `smaller`.
test_items <- function(groups, larger, smaller) {
  rows <- lapply(names(larger), function(item) {
    given <- groups$answers[[item]]
    n_groups <- length(unique(groups$codes[given$row]))
    df <- ncol(groups$start) * (n_groups - 1) * (length(unique(given$code)) - 1)
    ratio <- scaled_ratio(groups, larger[[item]], larger[[item]]$loglik - smaller$loglik,
                              item_of_group(item, groups$levels))
    weight <- sum(groups$weights[given$row])
    data.frame(item = item, statistic = ratio, df = df, evidence = (ratio - df * log(weight)) / 2)
  })
  table <- do.call(rbind, rows)
  if (is.null(table)) {
    return(NULL)
  }
  table[table$df == 0, c("statistic", "evidence")] <- NA
  table$log_p <- stats::pf(table$statistic / table$df, table$df, groups$design_df,
                           lower.tail = FALSE, log.p = TRUE)
  table
}

# Twice what the larger model gains, divided by the design effect if there is one.
scaled_ratio <- function(groups, model, gain, items) {
  effect <- if (is.null(groups$design)) 1 else design_effect(groups, model, items)
  max(0, 2 * gain) / effect
}

# How much larger, on average, the variance of what is tested is by the sampling design than by the
# model: of the differences between the items of an item's groups, or between the components of one
# item.
design_effect <- function(groups, model, items) {
  fit <- as_group_fit(model, groups)
  parameters <- parameter_table(fit)
  # An item whose rows in a group all answer the same tells nothing of the classes there.
  at <- which(parameters$item %in% intersect(items, fit$informative))
  if (length(at) == 0) {
    return(1)
  }
  one_item <- length(items) == 1
  unit <- if (one_item) parameters$component[at] else parameters$item[at]
  cell <- paste(parameters$level, if (!one_item) parameters$component)[at]
  parts <- suppressWarnings(parts_of_groups(fit, groups), "mdpd_warning_not_identified")
  # A probability known to less than a tenth of a row has come close to 0; with a variance above 1
  # nearly nothing is known of it.
  range <- c((0.1 / sum(groups$weights))^2, 1)
  mean_variance_ratio(robust_mixture(parts, at), parts$mixture$covariance[at, at],
                      differences(unit, cell), range)
}

# A row for each difference of a cell between a unit and the first.
differences <- function(unit, cell) {
  first <- match(paste(unit[1], cell), paste(unit, cell))
  rows <- which(seq_along(unit) != first)
  contrasts <- matrix(0, length(rows), length(unit))
  contrasts[cbind(seq_along(rows), rows)] <- 1
  contrasts[cbind(seq_along(rows), first[rows])] <- -1
  contrasts
}

# Along the axes of the second covariance, as far as there is any. What has no standard error is
# left out, and so is what has a variance out of `range`: neither variance means anything then.
mean_variance_ratio <- function(first, second, contrasts, range = c(0, Inf)) {
  known <- !is.na(diag(second))
  contrasts <- contrasts[rowSums(contrasts[, !known, drop = FALSE] != 0) == 0, known, drop = FALSE]
  if (nrow(contrasts) == 0) {
    return(1)
  }
  of <- function(covariance) contrasts %*% covariance[known, known, drop = FALSE] %*% t(contrasts)
  axes <- eigen(of(second), symmetric = TRUE)
  kept <- axes$values > max(range[1], 1e-8 * axes$values[1]) & axes$values < range[2]
  if (!any(kept)) {
    return(1)
  }
  vectors <- axes$vectors[, kept, drop = FALSE]
  mean(colSums(vectors * (of(first) %*% vectors)) / axes$values[kept])
}

# What the covariance is made of. NA says that an estimate on the boundary has no standard error; of
# weights that are no counts compare_groups() has warned.
parts_of_groups <- function(fit, groups, call = rlang::caller_env()) {
  how <- list(type = if (is.null(groups$design)) "observed" else "robust", coded = fit$coded,
              posterior = fit$posterior, design = groups$design)
  suppressWarnings(covariance_parts(fit, how, call),
                   c("mdpd_warning_boundary", "mdpd_warning_sampling_weights"))
}
