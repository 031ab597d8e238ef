# What the engine is asked: a problem, and the settings of the fit. Their fields are declared here
# and nowhere else; src/bind_fit.cpp reads them.

#' What is to be fitted
#'
#' @param coded An `mdpd_coded` object.
#' @param labels The labels of a crowd, which the first levels of each item are, or NULL. With as
#'   many components, component i stands for label i where rows are known or labels have a prior.
#' @param known The component that each row is known to belong to, or NA; NULL where none is known.
#' @param prior Pseudo-counts, labels x labels, the true label in the row; or NULL.
#' @param starts Where EM begins, a list with for each start `posterior`, n_obs x k, or the
#'   parameters that give it, `mixing_weights` and `item_probs` (per item levels x k), and maybe the
#'   numbers of the `informative` items, and by evidence the `item_prior` and `crowd_probs` to go on
#'   with, and of rows in a store `n_levels`, per item those it was estimated from, the first; or
#'   `vote`, for that of a crowd of workers alike. None: growth from one component.
#' @param standing Of rows in a store: sums of those that EM does not go over, see standing_sums.R;
#'   or NULL.
#' @param held Of rows in a store: of each label the component in which the rows are held that are
#'   known to have it; or NULL, where none is held.
#' @param known_weight Where rows are held, of each label how many are known to have it.
#' @param known_before Of rows that EM goes over again: a list of the numbers of the `row` and the
#'   `label` of those that were held where it starts; or NULL.
#' @return A list of these, with the prior as the engine stacks it in `prior_counts`: the levels of
#'   all items in rows, components in columns.
#' @noRd
new_problem <- function(coded, labels = NULL, known = NULL, prior = NULL, starts = list(),
                        standing = NULL, held = NULL, known_weight = NULL, known_before = NULL) {
  list(
    coded = coded, labels = labels, known = known, prior = prior,
    prior_counts = prior_counts(prior, coded, labels), starts = starts, standing = standing,
    held = held, known_weight = known_weight, known_before = known_before
  )
}

#' How it is to be fitted
#'
#' @param task `"grow"`: from one component; `"continue"`: refinement of the one start; `"em"`:
#'   EM on all items from every start.
#' @param k Numbers of components, ascending; several only to grow.
#' @param method,refine As in [stagewise_em()]; `"em"` is the method of [mdpd()].
#' @param control A complete `stagewise_control`, see complete_control().
#' @param verbose Show a progress bar?
#' @return A list of these.
#' @noRd
new_settings <- function(task, k, method, refine, control, verbose = FALSE) {
  list(task = task, k = k, method = method, refine = refine, control = control, verbose = verbose)
}

#' One call of the engine
#'
#' @param search_rows Of more rows the search has a sample of about as many.
#' @return A list of
#'   fits    one for each number of components, each a list of what the engine knows of it: the
#'           parameters with items and components by number, posterior, log-likelihoods, `df`,
#'           `item_evidence`, `loglik_of_one`, `log_prob_of_known`, `status`, `smoothing`,
#'           `born` (or NULL), `holds_known`, and its `trace` as a data frame
#'   starts  data frame with a row for each start of EM
#'   n_full_passes, n_partial_passes
#'           how often pairs of items were searched by the stages
#'   seconds by what was done: stages, growth, refinement, polish
#'   reading, n_search_rows
#'           of more than `search_rows` rows "sample" where the search had one, and its rows
#' @noRd
run_engine <- function(problem, settings, search_rows = Inf) {
  result <- if (nrow(problem$coded$codes) > search_rows) {
    core_fit_by_sample(problem, settings, search_rows)
  } else {
    core_fit(problem, settings)
  }
  read_engine(result, problem)
}

read_engine <- function(result, problem) {
  items <- names(problem$coded$levels)
  result$fits <- lapply(result$fits, function(fit) {
    fit$trace <- trace_table(fit$trace, items)
    if (length(fit$born) == 0) fit["born"] <- list(NULL)
    fit
  })
  starts <- result$starts
  if (all(is.na(starts$evidence))) starts$evidence <- NULL
  result$starts <- data.frame(start = seq_along(starts$loglik), starts)
  result
}

# The trace as a data frame, with items by name. data.frame() takes longer than ten EM iterations of
# a small table.
trace_table <- function(columns, items) {
  n <- length(columns$phase)
  columns$item_1 <- items[columns$item_1]
  columns$item_2 <- items[columns$item_2]
  if (all(is.na(columns$evidence))) columns$evidence <- NULL
  structure(
    c(list(stage = seq_len(n)), columns), class = "data.frame", row.names = .set_row_names(n)
  )
}

# One table of both, numbered through.
bind_traces <- function(first, second) {
  if (!is.null(first) && is.null(first$evidence) != is.null(second$evidence)) {
    first$evidence <- first$evidence %||% NA_real_
    second$evidence <- second$evidence %||% NA_real_
    second <- second[names(first)]
  }
  trace <- rbind(first, second)
  trace$stage <- seq_len(NROW(trace))
  trace
}

# A level for missing labels has no prior.
prior_counts <- function(prior, coded, labels) {
  if (is.null(prior)) {
    return(NULL)
  }
  counts <- t(prior)[match(unlist(coded$levels), labels), , drop = FALSE]
  replace(counts, is.na(counts), 0)
}
