#' Compare groups of rows
#'
#' Are the classes as common in every group, and do the items mean the same in all of them?
#' Estimates the class sizes of each group, looks for items that work differently in the groups, and
#' frees these, so that the sizes can be compared.
#'
#' The model is that of several groups at once: the informative items of the fit have the same
#' probabilities in all groups (they are *invariant*), except the freed ones, which have their own
#' in each, and the class sizes are free,
#' \deqn{P(x_n \mid g) = \sum_k \pi_{k \mid g} \prod_{i \notin F} \mu_{ik}(x_{ni})
#'   \prod_{i \in F} \mu_{ikg}(x_{ni}).}{P(x[n] | g) =
#'   sum_k pi[k|g] prod_{i not in F} mu[i,k](x[n,i]) prod_{i in F} mu[i,k,g](x[n,i]).}
#' It is fitted by EM from the posterior of the fit as an ordinary mixture, in which the group is
#' one item more and a freed item is replaced by one item for each group, missing in the others;
#' both are exact. There is no prior in it: for a fit by evidence the estimates are not drawn
#' together.
#'
#' The search begins with all items the same. Each of the others is freed in turn; the one with the
#' smallest p-value of the likelihood-ratio test is kept free if this, corrected for the number of
#' items tested (Holm 1979), is below `alpha`; and so on. The tests in the result compare the model
#' found with the one in which that item alone is the other way. The test of the sizes compares it
#' with the one in which all groups have the same. For a fit of a survey design, standard errors are
#' robust and statistics are divided by the mean design effect of what they test (Rao and Scott
#' 1984); their p-values are those of F, with as many degrees of freedom below as the design has
#' (clusters less strata; of replicate weights their rank less one), and so are intervals those of
#' Student's t. Under replicate weights the scores of the rows are weighed anew, and not the fits.
#'
#' Where nothing differs (2, 4 or 12 groups of 20 to 160 rows, 2 classes, 6 items), the test of the
#' sizes at 5 % rejects in 2 to 8 % of the tables, and some item is freed in 5 to 10 %, most often
#' with 12 groups. An item to which one class says yes in 50 % in place of 85 % in half of the
#' groups is freed in half of the tables with 4 groups of 40 rows, and in 90 % with 80 rows
#' (`bench/compare_groups.R`).
#'
#' A small difference is significant in a large sample: look at `effect`. Where more than half of
#' the items work differently, the classes are hardly the same ones in all groups, and a warning
#' says so.
#'
#' @param object A fitted mixture, see [stagewise_em()] and [mdpd()], with at least two components
#'   and two informative items.
#' @param group The group of each row: a factor, strings, whole numbers or logical values, n_obs of
#'   them with at least two different ones, in the order of the fit: names that are those of the
#'   rows must have it. Rows in which it is `NA` are left out, with a message, and so are groups
#'   whose rows all have weight 0.
#' @param alpha The level of the search, a number from 0 to 1: the probability that some item is
#'   freed though all are the same, in large groups. Default 0.05.
#' @param free Names of the items to free, instead of the search; `character()` for none. By
#'   default, `NULL`, they are searched for.
#' @param x,weights The data and their case weights (or a survey design), where the fit keeps none;
#'   by default those of the fit, as in [standard_errors()].
#' @param verbose Show a progress bar when the search takes long? Default: in interactive sessions.
#' @param ... Not used; must be empty.
#' @return A list of class `"mdpd_groups"`:
#'   \item{sizes}{data frame, a row for each group and component: `group` and `component` (factors),
#'     `size` (they sum to 1 in each group), `std.error` (`NA` of a size of 0, and where a group is
#'     all of one component)}
#'   \item{items}{data frame, a row for each informative item, the one with most evidence first:
#'     `item`; `free`; `statistic` (twice the log-likelihood ratio), `df`, `p_value` and
#'     `p_adjusted` (Holm) of the test that it works the same in all groups; `evidence`, the log
#'     Bayes factor of working differently as far as the BIC has it, \eqn{(\mathrm{statistic} -
#'     \mathrm{df} \log N_i) / 2}{(statistic - df log N_i) / 2} (nats); `effect`, the largest
#'     difference between two groups in the probability of a level in a component, among groups with
#'     at least five expected answers there; with its `component`, its `level`, and the groups with
#'     the `lowest` and the `highest` probability. `NA` where fewer than two groups answered the
#'     item.}
#'   \item{item_probs}{data frame, a row for each level of each freed item in each component and
#'     group: `item`, `level`, `component`, `group`, `probability`, `std.error`}
#'   \item{test}{data frame of one row, the test of equal sizes: `statistic`, `df`, `p_value`}
#'   \item{n}{named by group: sum of the case weights}
#'   \item{n_left_out}{number of rows without a group}
#'   \item{loglik, df}{log-likelihood of the items given the groups (nats) and its number of free
#'     parameters}
#'   \item{by_design, design_df}{are errors and tests those of a survey design? And its degrees of
#'     freedom, `Inf` without}
#'   \item{fit}{the model as a fit of [mdpd()], with the items `"item \[group\]"` and `"(group)"`.
#'     [predict()][predict.mdpd] and [augment()][augment.mdpd] of it take new rows as they are: a
#'     data frame with the items and the group, in a column of the name that it had in the call
#'     (`region` of `table$region`, `"group"` where it had none). As the group is an item there, its
#'     `loglik` and `df` count how rows are spread over the groups: they are those above plus
#'     \eqn{\sum_g N_g \log(N_g / N)}{sum_g N_g log(N_g / N)} and plus the number of groups less
#'     one}
#'   \item{variable_labels}{those of the items, which prints and pictures show; or `NULL`}
#'   It has methods for `print()`, [summary()][summary.mdpd_groups], [tidy()][tidy.mdpd_groups],
#'   `autoplot()`, `plot()` and those of [predict.mdpd_groups()].
#' @section Errors and warnings:
#' `mdpd_error_argument` for an argument out of range, a single group, a fit with one component,
#' one with fewer than two informative items that rows with a group answer, or an item that has the
#' name of one of the model, such as `"(group)"`; `mdpd_error_no_data` when the fit keeps no data
#' and `x` is not given; `mdpd_error_not_stored` for a model without data. A message of class
#' `mdpd_message_missing_group` counts the rows without a group, or names the groups without a row
#' of weight above 0, one of class `mdpd_message_unanswered_items` names the items that no row with
#' a group answers, and one of class `mdpd_message_small_group` groups of fewer than 10 rows;
#' `mdpd_warning_group_is_item` says that an item has the same answer in all of each group;
#' `mdpd_warning_many_items` says that more than half of the items work differently;
#' `mdpd_warning_sampling_weights` is for case weights that are not whole numbers, as those of a
#' survey, where there is no survey design: evidence and p-values then find differences that are
#' not there, and free items wrongly. Those of [standard_errors()], except those of estimates on
#' the boundary and of weights.
#' @references
#' Clogg, C. C. and Goodman, L. A. (1985). Simultaneous latent structure analysis in several groups.
#' *Sociological Methodology* 15, 81-110. \doi{10.2307/270847}
#'
#' Holm, S. (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal
#' of Statistics* 6, 65-70.
#'
#' Rao, J. N. K. and Scott, A. J. (1984). On chi-squared tests for multiway contingency tables with
#' cell proportions estimated from survey data. *Annals of Statistics* 12, 46-60.
#' \doi{10.1214/aos/1176346391}
#' @family diagnostics
#' @examples
#' model <- simulate_crowd(n_workers = 6, n_labels = 2, accuracy = rep(0.8, 6), seed = 1)$model
#' answers <- simulate(model, seed = 1, n_obs = 600)[[1]]
#' region <- rep(c("north", "south"), each = 300)
#' # In the south nobody understands the first question
#' answers[[1]][301:600] <- rev(answers[[1]][301:600])
#' fit <- stagewise_em(answers, k = 2)
#' regions <- compare_groups(fit, region)
#' regions
#' regions$items[1:2, c("item", "p_adjusted", "effect", "lowest", "highest")]
#' plot(regions)
#' @export
compare_groups <- function(object, group, ..., alpha = 0.05, free = NULL, x = NULL,
                           weights = NULL, verbose = interactive()) {
  rlang::check_dots_empty()
  check_class(object, "mdpd")
  check_number(alpha, c(0, 1))
  check_flag(verbose)
  how <- read_how(object, c("observed", "score", "robust"), x, weights)
  check_has_classes(object)
  if (is.null(how$design)) warn_weights_of_groups(how$coded$weights)
  free <- check_free(free, object)
  variable <- variable_name(substitute(group))
  coded_group <- read_group(group, how$coded$weights)
  check_names_of_groups(object, coded_group$levels)
  if (is.null(x)) check_names_of_fit(group, object, "group")
  groups <- group_data(object, how, coded_group)
  tell_odd_groups(groups)
  groups$variable <- variable
  groups$verbose <- verbose
  found <- if (is.null(free)) {
    search_items(groups, alpha)
  } else {
    free_items(groups, intersect(free, groups$items))
  }
  new_groups(object, groups, found)
}

# Checks -------------------------------------------------------------------------------------------

check_has_classes <- function(object, call = rlang::caller_env()) {
  n_items <- n_informative(object)
  if (object$k < 2 || n_items < 2) {
    abort_mdpd(
      c("{.arg object} must have at least two components and two informative items.",
        x = "It has {object$k} component{?s} and {n_items} informative item{?s}."),
      class = "argument", call = call
    )
  }
}

check_free <- function(free, object, call = rlang::caller_env()) {
  check_encoding(free, "{.arg free}", call)
  unknown <- if (is.character(free)) setdiff(free, informative(object))
  if (!is.null(free) && !is.character(free) || length(unknown) > 0) {
    abort_mdpd(
      c("{.arg free} must be names of informative items, or {.code NULL} to search for them.",
        x = if (is.character(free)) "There is no informative item {.val {unknown[1]}}."
            else "It is {describe(free)}."),
      class = "argument", call = call
    )
  }
  unique(free)
}

# The group of each row as codes, 0 where it has none, and the names of the groups.
read_group <- function(group, weights, call = rlang::caller_env()) {
  check_group(group, length(weights), call = call)
  check_categories(group, call)
  coded <- weighted_groups(code_values(group, call = call), weights)
  if (length(coded$levels) < 2 || length(coded$levels) > max_levels) {
    abort_mdpd(
      "{.arg group} must have from 2 to {max_levels} different groups, not {length(coded$levels)}.",
      class = "argument", call = call
    )
  }
  coded
}

# Groups whose rows all weigh nothing, as those that subset() of a survey design left out, are none.
weighted_groups <- function(coded, weights) {
  weighs <- seq_along(coded$levels) %in% coded$codes[weights > 0]
  empty <- coded$levels[!weighs]
  if (length(empty) > 0) {
    inform_mdpd("{length(empty)} group{?s} {?has/have} no row of weight above 0 and {?is/are} left
                 out: {.val {empty}}.", class = "missing_group", groups = empty)
  }
  list(codes = c(0L, cumsum(weighs) * weighs)[coded$codes + 1L], levels = coded$levels[weighs])
}

# Each item of the model must have a name of its own, whichever of them are freed.
check_names_of_groups <- function(object, levels, call = rlang::caller_env()) {
  freed <- outer(informative(object), levels, item_of_group)
  names <- c(names(object$item_probs), group_item, freed)
  twice <- names[duplicated(names)]
  if (length(twice) > 0) {
    abort_mdpd(
      c("The items of {.arg object} and the groups of {.arg group} must not give two items of the
         comparison the name {.val {twice[1]}}.",
        i = "The group is an item of it, {.val {group_item}}, and a freed item is one for each
             group, such as {.val {freed[1]}}: rename an item of the fit or a group."),
      class = "argument", call = call
    )
  }
}

# `of`: what has the rows, where it is an argument.
check_group <- function(group, n_obs, of = "", call = rlang::caller_env()) {
  if (!holds_values(group) || length(group) != n_obs) {
    abort_mdpd(
      c(paste0("{.arg group} must be a vector with one group for each of the {n_obs} row{?s}", of,
               "."), x = "It is {describe(group)}."),
      class = "argument", call = call
    )
  }
}

# The column that new rows have their group in: `table$region` is "region".
variable_name <- function(code) {
  if (rlang::is_call(code, c("$", "[["), n = 2)) code <- code[[3]]
  if (rlang::is_string(code) || is.symbol(code)) as.character(code) else "group"
}

check_categories <- function(group, call) {
  if (is_time(group) || is.double(group) && !all_whole(group)) {
    abort_mdpd(
      c("{.arg group} must hold categories (a factor, strings, whole numbers or logical values).",
        i = "Cut measurements into classes first, for example with {.fn cut}."),
      class = "argument", call = call
    )
  }
}

# What the weights of a survey do to a search by tests: more rows than there are, more is found.
warn_weights_of_groups <- function(weights, call = rlang::caller_env()) {
  warn_no_counts(weights, c(
    "The case weights are not whole numbers, and each row counts as many times as it weighs: in the
     evidence and the p-values of the items, and in those of the sizes.",
    i = "If they are weights of a sample survey, this frees items that work the same: give
         {.code weights = design}, made by {.fn survey::svydesign}, to the fit."
  ), call)
}

# Sizes that rest on nearly nothing, and groups that the classes are made of.
tell_odd_groups <- function(groups, call = rlang::caller_env()) {
  n_rows <- tabulate(groups$codes, length(groups$levels))
  small <- groups$levels[n_rows < 10]
  if (length(small) > 0) {
    inform_mdpd(
      "{length(small)} group{?s} {?has/have} fewer than 10 rows, and {?its/their} sizes say little:
       {.val {small}}.", class = "small_group", groups = small
    )
  }
  item <- same_item(groups$codes, groups$items, function(item) groups$answers[[item]])
  warn_same_as_item(item, "group", "The groups are",
                    "Class sizes differ for that alone: fit without the {column} before comparing.",
                    is_crowd = groups$columns_are == "workers", call)
}

# Data of several groups ---------------------------------------------------------------------------

# The rows that count in a group, and what all the models of them have in common: of each
# informative item its `answers`, the components in the order in which the engine goes on with them,
# and where EM begins.
group_data <- function(object, how, group, call = rlang::caller_env()) {
  weighs <- how$coded$weights > 0
  rows <- which(weighs & group$codes > 0)
  n_left_out <- sum(weighs & group$codes == 0)
  if (n_left_out > 0) {
    inform_mdpd("{n_left_out} row{?s} without a group {?is/are} left out.",
                class = "missing_group")
  }
  coded <- how$coded
  columns <- engine_order(object, coded)
  codes <- select_rows(coded$codes, rows)
  items <- answered_in_groups(intersect(names(object$item_probs), informative(object)), codes, call)
  answers <- answers_by_item(codes, items)
  list(
    codes = group$codes[rows], levels = group$levels, weights = coded$weights[rows],
    known = coded$known[rows], labels = if (!is.null(coded$known)) object$labels,
    row_names = rownames(codes), items = items, item_levels = coded$levels[items],
    answers = stats::setNames(lapply(items, answers), items), n_left_out = n_left_out,
    design = design_of_rows(how$design, rows), columns = columns,
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
  fit$groups <- list(variable = groups$variable, levels = groups$levels, items = groups$items,
                     free = model$free)
  by_size <- order(model$result$mixing_weights, decreasing = TRUE)
  permute_components(fit, order(groups$columns[by_size]), groups$components[order(groups$columns)])
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
  table$log_p <- stats::pf(table$statistic / table$df, table$df, interval_df(groups$design),
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

# Result -------------------------------------------------------------------------------------------

new_groups <- function(object, groups, found) {
  fit <- as_group_fit(found$model, groups)
  covariance <- covariance_blocks(fit, parts_of_groups(fit, groups), character())[[1]]
  items <- item_table(groups, found)
  warn_many_items(items, groups$columns_are)
  n <- group_totals(groups)
  structure(
    list(
      sizes = size_table(fit, covariance, groups), items = items,
      item_probs = free_table(fit, sqrt(diag(covariance)), groups, found$model$free),
      test = test_sizes(groups, found), n = n, n_left_out = groups$n_left_out,
      loglik = fit$loglik - sum(n * log(n / sum(n))),
      df = fit$df - (length(n) - 1), by_design = !is.null(groups$design),
      design_df = interval_df(groups$design), fit = fit, variable_labels = groups$variable_labels
    ),
    class = "mdpd_groups"
  )
}

# P(k | g) by Bayes' rule from the weights and the item of the group, with its delta method.
size_table <- function(fit, covariance, groups) {
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
    slope <- sweep(cbind(slope, slope), 2, pmax(parameters$estimate[at], 1e-300), "/")
    sqrt(pmax(0, rowSums((slope %*% covariance[at, at]) * slope)))
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
             p_value = wald_p(statistic, df, interval_df(groups$design)))
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
  at <- arrayInd(which.max(span), dim(span))
  p <- probs[at[1], at[2], ]
  data.frame(effect = max(span, na.rm = TRUE), component = components[at[2]],
             level = levels[at[1]], lowest = groups[which.min(p)], highest = groups[which.max(p)])
}

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

# Items that are sentences stand in the table by name, and below it by name and label.
cat_group_items <- function(items, names, max_items, width = 20) {
  titles <- utils::head(items$item, max_items)
  is_long <- any(nchar(titles, "width") > width)
  if (is_long) items$item[seq_along(names)] <- names
  cat_table(format_group_items(items, max_items))
  if (is_long) {
    cat_heading("What these items are about")
    cat_fields(stats::setNames(titles, paste0("  ", names)))
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
    where <- paste0(shorten(items$level, width), " in ", shorten(items$component, width), ": ",
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
