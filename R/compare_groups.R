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
#'   whose rows all have weight 0, or answer no informative item and are of no known class.
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
#'     `size` (they sum to 1 in each group), `std.error` (`NA` of a size of 0, where a group is all
#'     of one component, and where the size rests on what the data do not determine)}
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
#'     parameters, with all levels of a freed item in each group that answers it}
#'   \item{by_design, design_df}{are errors and tests those of a survey design? And its degrees of
#'     freedom, `Inf` without}
#'   \item{fit}{the model as a fit of [mdpd()], with the items `"item \[group\]"` and `"(group)"`.
#'     [predict()][predict.mdpd] and [augment()][augment.mdpd] of it take new rows as they are: a
#'     data frame with the items and the group, in a column of the name that it had in the call
#'     (`region` of `table$region`, `"group"` where it had none or that of an item). As the group is
#'     an item there, its `loglik` and `df` count how rows are spread over the groups: they are
#'     those above plus
#'     \eqn{\sum_g N_g \log(N_g / N)}{sum_g N_g log(N_g / N)} and plus the number of groups less
#'     one}
#'   \item{variable_labels}{those of the items, which prints and pictures show; or `NULL`}
#'   It has methods for `print()`, [summary()][summary.mdpd_groups], [tidy()][tidy.mdpd_groups],
#'   `autoplot()`, `plot()` and those of [predict.mdpd_groups()].
#' @section Errors and warnings:
#' `mdpd_error_argument` for an argument out of range, a single group, a fit with one component, one
#' with fewer than two informative items that rows with a group answer, or an item that has the name
#' of one of the model, such as `"(group)"`; `mdpd_error_no_data` when the fit keeps no data and `x`
#' is not given; `mdpd_error_not_stored` for a model without data. A message of class
#' `mdpd_message_missing_group` counts the rows without a group, or names the groups without a row
#' of weight above 0 or without an answer to an informative item, one of class
#' `mdpd_message_unanswered_items` names the items that no row with a group answers, and one of
#' class `mdpd_message_small_group` groups of fewer than 10 rows; `mdpd_warning_group_is_item` says
#' that an item has the same answer in all of each group; `mdpd_warning_many_items` says that more
#' than half of the items work differently; `mdpd_warning_sampling_weights` is for case weights that
#' are not whole numbers, as those of a survey, where there is no survey design: evidence and
#' p-values then find differences that are not there, and free items wrongly. Those of
#' [standard_errors()], except those of estimates on the boundary and of weights.
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
  coded_group <- groups_that_answer(read_group(group, how$coded$weights), object, how$coded)
  check_names_of_groups(object, coded_group$levels)
  if (is.null(x)) check_names_of_fit(group, object, "group")
  groups <- group_data(object, how, coded_group)
  tell_odd_groups(groups)
  groups$variable <- group_column(variable, names(object$item_probs))
  groups$verbose <- verbose
  found <- if (is.null(free)) {
    search_items(groups, alpha)
  } else {
    free_items(groups, intersect(free, groups$items))
  }
  new_groups(groups, found)
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
  check_n_groups(coded$levels, call)
  coded
}

check_n_groups <- function(levels, call) {
  if (length(levels) < 2 || length(levels) > max_levels) {
    abort_mdpd(
      "{.arg group} must have from 2 to {max_levels} different groups, not {length(levels)}.",
      class = "argument", call = call
    )
  }
}

# Groups whose rows all weigh nothing, as those that subset() of a survey design left out, are none.
weighted_groups <- function(coded, weights) {
  weighs <- seq_along(coded$levels) %in% coded$codes[weights > 0]
  empty <- coded$levels[!weighs]
  if (length(empty) > 0) {
    inform_mdpd("{length(empty)} group{?s} {?has/have} no row of weight above 0 and {?is/are} left
                 out: {.val {empty}}.", class = "missing_group", groups = empty)
  }
  some_groups(coded, weighs)
}

# Where no row answers an item that tells classes apart, nor has a known class, nothing says how
# large they are. `unanswered`: the rows of such groups.
groups_that_answer <- function(coded, object, data, call = rlang::caller_env()) {
  items <- informative(object)
  answers <- answers_by_item(data$codes, items)
  rows <- unlist(lapply(items, function(item) answers(item)$row), use.names = FALSE)
  tells <- data$weights > 0 & (seq_along(coded$codes) %in% rows | !is.na(data$known %||% NA))
  answered <- seq_along(coded$levels) %in% coded$codes[tells]
  empty <- coded$levels[!answered]
  if (length(empty) > 0) {
    inform_mdpd("{length(empty)} group{?s} {?has/have} no answer to an informative item and
                 {?is/are} left out: {.val {empty}}.", class = "missing_group", groups = empty)
    check_n_groups(coded$levels[answered], call)
  }
  kept <- some_groups(coded, answered)
  c(kept, list(unanswered = coded$codes > 0 & kept$codes == 0))
}

some_groups <- function(coded, kept) {
  list(codes = c(0L, cumsum(kept) * kept)[coded$codes + 1L], levels = coded$levels[kept])
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
