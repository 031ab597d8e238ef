#' Items that copy each other
#'
#' Finds groups of items that agree with each other far more than the classes explain: a question
#' asked twice, a sum and its parts, workers who copy from one another. A mixture counts each of
#' them as evidence of its own. So rows come out too sure, and with more components some of these
#' stand for nothing but the answers of one group.
#'
#' Such components explain the group away, so it is not enough to look at what the fit leaves
#' unexplained. Each candidate group is judged by the other items: its own answers are taken out of
#' the posterior, which leaves \eqn{h_{nk}}{h[n,k]}, the probability of component k in row n by all
#' items but these, with parameters in which the row itself does not count. From it each item of the
#' group is predicted, by the columns \eqn{\mu_{ik}}{mu[i,k]} that predict it best. Two items that
#' depend on each other through the classes only show the pairs of answers \eqn{E_k(r, s) = \sum_n
#' h_{nk} \sum_l h_{nl} \mu_{ilr} \mu_{jls}}{E[k](r,s) = sum_n h[n,k] sum_l h[n,l] mu[i,l,r]
#' mu[j,l,s]}; seen are \eqn{O_k(r, s) = \sum_n h_{nk} 1[x_{ni} = r, x_{nj} = s]}{O[k](r,s) = sum_n
#' h[n,k] 1[x[n,i] = r, x[n,j] = s]}. The divergence of O from E, less what chance makes of it, is
#' divided by the smaller of the two entropies that the other items leave (\eqn{\sum_k}{sum_k} over
#' the components, in nats): 0 where the classes explain all, 1 where one item decides the other.
#' From 0.08 on items are called copies, if the divergence is significant and at least three times
#' that with any other item: else a class is missing rather than an item too many.
#'
#' Candidates are groups in the tree of average linkage of the informative items, at most 100 with
#' the most evidence, by their mutual information relative to the smaller entropy, from 0.15 on; of
#' a crowd whose informative workers have as much of it in the mean, of all workers that enter the
#' fit (`object$informative`). At
#' most two thirds of the informative items are one group. Where all of them copy each other nothing
#' is said: a class makes the same table. (`mdpd_warning_one_pair`
#' tells where it is two items alone.) Where there are many rows some of them are used, evenly
#' spaced: 1000 of a table without missing cells, and more if fewer cells are answered.
#'
#' Items that agree may also be a scale: how a class was meant to be measured. The tables are the
#' same, so that only someone who knows the questions can tell. If two items alone measure a class,
#' or a step of a Guttman scale, they are named as copies, and made one item they lose the class.
#' `mdpd_warning_copied_items` of [stagewise_em()] names such groups from a mean strength of 0.25
#' on, and of items, but not of workers, none where they are more than half of the informative ones.
#'
#' An item that asks the other way round is a copy, too: what counts is that one answer tells the
#' other. [combine_items()] takes it once it is recoded, and the warning names such items.
#'
#' Workers of a crowd who are asked by what others have answered, as [item_quality()] proposes, may
#' look like copies: of two who share the items on which the first contradicts the rest, the second
#' agrees with the first more often than the rest lets expect.
#'
#' @param object A fitted mixture, see [stagewise_em()] and [mdpd()].
#' @param x,weights The data of the fit, n_obs rows, and their case weights; needed only if the fit
#'   keeps none. Weights are by default, `NULL`, those of the fit; only fits of a store keep none,
#'   and then rows count once each, with a warning of class `mdpd_warning_no_weights` if those of
#'   the store are weighted.
#' @return A data frame with a row for each item of each group, the groups in the order of their
#'   first items, the items in the order of the data: `group` (1, 2, ...), `item` (string) and
#'   `strength`, the item's mean over the others of its group of what is described above, mostly
#'   from 0 to 1. No rows where there are no copies.
#' @section Errors:
#' `mdpd_error_argument` when `x` has not the rows of the fit,
#' `mdpd_error_not_stored` for a model that was not fitted, `mdpd_error_no_data` when the fit keeps
#' no data and `x` is not given.
#' @references Vermunt, J. K. and Magidson, J. (2004). Latent class analysis. In *The Sage
#' Encyclopedia of Social Science Research Methods*: local dependence. \doi{10.4135/9781412950589}
#'
#' Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, chapter 2.
#' \doi{10.1002/047174882X}
#' @family diagnostics
#' @seealso [combine_items()], which makes each group one item; [information()], the dependence of
#'   all pairs that the fit leaves unexplained.
#' @examples
#' crowd <- simulate_crowd(n_items = 400, n_workers = 8, n_labels = 2, accuracy = rep(0.8, 8),
#'                         seed = 1)
#' x <- as.data.frame(as.matrix(crowd$labels))
#' x$again <- ifelse(seq_len(400) %% 12 == 0, "1", x[["3"]])  # worker 3 once more, nearly
#' x$and_again <- ifelse(seq_len(400) %% 12 == 5, "2", x[["3"]])
#' fit <- suppressWarnings(stagewise_em(x, k = 1:4), "mdpd_warning_copied_items")
#' fit$k
#' copied_items(fit)
#' stagewise_em(combine_items(x, copied_items(fit)), k = 1:4)$k
#' @export
copied_items <- function(object, x = NULL, weights = NULL) {
  check_class(object, "mdpd")
  check_fit(object)
  if (is_table_of_items(x) || inherits(x, "crowd_labels")) check_n_obs(nrow(x), object)
  coded <- data_of(object, x, weights)
  posterior <- if (is.null(x)) object$posterior else posterior_of(object, coded)$posterior
  copies_table(find_copies(object, coded, posterior))
}

check_n_obs <- function(n_rows, object, call = rlang::caller_env()) {
  if (n_rows != object$n_obs) {
    abort_mdpd("{.arg x} must have the {object$n_obs} row{?s} of the fit, not {n_rows}.",
               class = "argument", call = call)
  }
}

# Bounds, each said in the help.
copy_bounds <- list(
  candidates = 100, rows = 1000, most_rows = 5000, association = 0.15, strength = 0.08,
  shared = 1 / 3, group = 10, alpha = 1e-4, warned = 0.25
)

copies_table <- function(groups) {
  n <- vapply(groups, function(group) length(group$items), 0L)
  data.frame(
    group = rep(seq_along(groups), n),
    item = as.character(unlist(lapply(groups, `[[`, "items"))),
    strength = as.numeric(unlist(lapply(groups, `[[`, "strength")))
  )
}

warn_copied_items <- function(fit, coded, call = rlang::caller_env()) {
  found <- find_copies(fit, coded, fit$posterior)
  # Labels, unlike scales of items, do not need workers who agree.
  most <- if (is.null(fit$labels)) length(informative_items(fit)) / 2 else Inf
  groups <- groups_to_warn_of(found, most)
  items <- lapply(groups, `[[`, "items")
  items <- items[!vapply(items, are_told_of, NA, fit = fit, coded = coded)]
  if (length(items) > 0) {
    recode <- if (is.null(fit$labels)) unlist(lapply(items, items_to_recode, coded))
    warn_groups(items, column_words(fit), call, recode)
  }
  invisible(fit)
}

# Do they all repeat the first exactly? warn_duplicated_items() has said so of a table.
are_told_of <- function(items, fit, coded) {
  if (!is.null(fit$labels)) {
    return(FALSE)
  }
  codes <- as.matrix(coded$codes[, items])
  told <- repeats_to_tell(codes, coded$levels[items], coded$weights, length(coded$levels))
  length(told) == length(items) - 1
}

# Three items and more that agree may also be how a class was meant to be measured. Without being
# asked, of such only those are named that agree as nearly the same question does, and none where
# they are more than `most` items.
groups_to_warn_of <- function(groups, most) {
  sizes <- vapply(groups, function(group) length(group$items), 0L)
  strengths <- vapply(groups, function(group) mean(group$strength), 0)
  large <- sizes > 2
  named <- !large | (strengths >= copy_bounds$warned & sum(sizes[large]) <= most)
  groups[named]
}

# `recode`: the items that combine_items() does not take as they are.
warn_groups <- function(items, what = "items", call, recode = NULL) {
  recode <- if (length(recode) > 0) name_some(recode)
  shown <- vapply(items[seq_len(min(3, length(items)))], name_some, "")
  more <- length(items) - length(shown)
  warn_mdpd(
    c("Some {what} agree with each other far more than the classes explain.",
      rlang::set_names(sprintf("{shown[%d]}", seq_along(shown)), "x"),
      x = if (more > 0) "And {more} more group{?s}.",
      i = "One answer counts several times: components may rest on it alone, and the posterior is
           too sure.",
      i = if (what == "items") {
        "If they ask the same, make each group one item and fit again:
         {.code combine_items(x, copied_items(fit))}. If a class was to be measured by these items
         alone, keep them."
      } else {
        "If they copy, make each group one worker and fit again:
         {.code combine_items(x, copied_items(fit))}."
      },
      i = if (!is.null(recode)) {
        "Recode first what asks the other way round or has other levels than the rest of its group:
         {recode}."
      }),
    class = "copied_items", call = call, items = items
  )
}

# The search ---------------------------------------------------------------------------------------

# A list with for each group of copies its `items` and their `strength`.
find_copies <- function(object, coded, posterior) {
  if (object$k == 1) {
    return(list())
  }
  view <- view_items(object, coded, informative_order(object))
  if (!is.null(object$labels) && are_associated(view)) {
    view <- view_items(object, coded, informative_order(object, object$informative))
  }
  n_informative <- view$n_informative
  largest <- min(copy_bounds$group, 2 * n_informative / 3)
  if (largest < 2 || length(view$rows) < 2) {
    return(list())
  }
  nodes <- candidate_groups(view, largest)
  if (length(nodes) == 0) {
    return(list())
  }
  view <- view_posterior(view, object, coded, posterior)
  found <- list()
  judged <- judge_groups(nodes, view)
  while (length(judged) > 0) {
    best <- strongest_group(judged, n_informative)
    found <- c(found, list(best))
    # The rest is judged with one item of each group found.
    view$log_joint <- log_without(view, best$items[-1])
    rest <- Filter(function(group) !any(group$items %in% best$items), judged)
    judged <- judge_groups(lapply(rest, `[[`, "node"), view)
  }
  found[order(vapply(found, function(group) match(group$items[1], names(coded$levels)), 0L))]
}

# What is looked at of these items, and how they hang together.
view_items <- function(object, coded, items) {
  if (length(items) < 2) {
    return(list(rows = integer(), n_informative = length(items)))
  }
  view <- view_answers(object, coded, items)
  if (length(view$rows) >= 2) view$association <- relative_information(view)
  c(view, list(n_informative = length(items)))
}

# Do they all, in the mean? Workers who copy each other may be the only ones who are sure to differ
# between the labels: then all workers are looked at.
are_associated <- function(view) {
  if (is.null(view$association)) {
    return(FALSE)
  }
  mean(view$association[upper.tri(view$association)]) >= copy_bounds$association
}

# What is looked at, see copy_strength.R: some items, and some rows.
view_answers <- function(object, coded, items = informative_order(object)) {
  items <- utils::head(items, copy_bounds$candidates)
  items <- names(coded$levels)[names(coded$levels) %in% items]
  some <- select_items(coded$codes, items)
  rows <- rows_to_compare(some, coded$weights)
  list(
    rows = rows, codes = first_answers(select_rows(some, rows)), weights = coded$weights[rows],
    levels = coded$levels[items], threads = threads_of(object)
  )
}

# Adds what the items say of these rows; most data have no groups to judge by it.
view_posterior <- function(view, object, coded, posterior) {
  rows <- view$rows
  some <- select_items(coded$codes, names(view$levels))
  answered <- n_observed(some, coded$weights) / sum(coded$weights)
  lifted <- lift_probabilities(object)
  posterior <- if (identical(lifted$item_probs, object$item_probs)) {
    posterior[rows, , drop = FALSE]
  } else {
    part <- new_coded(select_rows(coded$codes, rows), coded$levels, view$weights, coded$missing)
    part$known <- coded$known[rows]
    posterior_of(lifted, part)$posterior
  }
  add_posterior(view, lifted, posterior, answered)
}

# What an answer that is impossible in a component hides of it, whatever the other items say, cannot
# be had back by taking the item out.
lift_probabilities <- function(object) {
  object$item_probs <- lapply(object$item_probs, function(probs) {
    probs[probs < 1e-10] <- 1e-10
    probs
  })
  object
}

# Rows with weight that answer at least two of the items, evenly spaced if they are many: as many as
# two items that are answered as often as most share some 1000 of them.
rows_to_compare <- function(codes, weights = 1) {
  n_answers <- n_answers_of_rows(codes)
  rows <- which(n_answers >= 2 & weights > 0)
  share <- mean(n_answers[rows]) / ncol(codes)
  n <- min(length(rows), ceiling(copy_bounds$rows / share^2), copy_bounds$most_rows, na.rm = TRUE)
  rows[round(seq(1, length(rows), length.out = n))]
}

# Dense integer codes; of several answers of a row to one item the first.
first_answers <- function(codes) {
  if (is_sparse(codes)) {
    again <- is_repeated(codes)
    codes <- new_sparse_codes(
      answer_rows(codes)[!again], codes$item[!again], codes$code[!again], dim(codes),
      dimnames(codes)
    )
    codes <- as.matrix(codes)
  }
  matrix(as.integer(codes), nrow(codes), ncol(codes), dimnames = list(NULL, colnames(codes)))
}

# The nodes of the tree of items, each the items of its two branches, as far as they are associated
# and not too many.
candidate_groups <- function(view, largest) {
  tree <- stats::hclust(stats::as.dist(1 - view$association), "average")
  items <- colnames(view$codes)
  nodes <- list()
  for (m in seq_len(nrow(tree$merge))) {
    nodes[[m]] <- lapply(tree$merge[m, ], function(at) {
      if (at < 0) items[-at] else unlist(nodes[[at]])
    })
  }
  sizes <- vapply(nodes, function(node) length(unlist(node)), 0L)
  nodes[tree$height <= 1 - copy_bounds$association & sizes <= largest]
}

# Mutual information of all pairs, from 0 to 1: divided by the smaller entropy on the same rows.
relative_information <- function(view) {
  coded <- new_coded(
    matrix(as.raw(view$codes), nrow(view$codes), dimnames = dimnames(view$codes)), view$levels,
    view$weights, "ignore"
  )
  information <- core_information(coded, matrix(1, nrow(view$codes), 1), 0L, view$threads)
  observed <- view$codes > 0
  # Items that all rows answer have these in common.
  is_whole <- colSums(observed) == nrow(observed)
  patterns <- which(!is_whole | cumsum(is_whole) == 1)
  pattern_of <- match(ifelse(is_whole, which(is_whole)[1], seq_along(is_whole)), patterns)
  rows_of <- observed[, patterns, drop = FALSE] * view$weights
  both <- crossprod(observed, rows_of) / sum(view$weights)
  # Of item i on the rows that observe item j too.
  entropy <- lapply(colnames(view$codes), function(item) {
    shares <- crossprod(level_indicators(view, item), rows_of)
    shares <- shares / rep(pmax(colSums(shares), 1e-300), each = nrow(shares))
    -colSums(p_log_p(shares))
  })
  both <- both[, pattern_of]
  entropy <- do.call(rbind, entropy)[, pattern_of]
  # Less what chance makes of it, which is much where two workers share few rows.
  n_free <- lengths(view$levels) - 1
  chance <- outer(n_free, n_free) / (2 * sum(view$weights))
  relative <- (information - chance) / pmax(both * pmin(entropy, t(entropy)), 1e-12)
  pmin(pmax(relative, 0), 1)
}

# Judgement ----------------------------------------------------------------------------------------

# Of the nodes those that hold.
judge_groups <- function(nodes, view) {
  alpha <- copy_bounds$alpha / choose(ncol(view$codes), 2)
  Filter(Negate(is.null), lapply(nodes, judge_group, view = view, alpha = alpha))
}

# Of the groups that are in no larger one the strongest, small ones first: where the items are of
# two kinds, each agreeing among themselves, the classes are what most of them say.
strongest_group <- function(groups, n_informative) {
  is_part <- vapply(groups, function(group) {
    any(vapply(groups, function(other) {
      all(group$items %in% other$items) && length(other$items) > length(group$items)
    }, NA))
  }, NA)
  groups <- groups[!is_part]
  score <- vapply(groups, function(group) {
    mean(group$strength) * (1 - length(group$items) / n_informative)
  }, 0)
  groups[[which.max(score)]]
}

# The items, in the order of the data, with their strength; NULL where they are no copies.
judge_group <- function(node, view, alpha) {
  items <- intersect(colnames(view$codes), unlist(node))
  h <- posterior_without(view, items)
  # Columns as they are on average explain less than the best ones, and are quick.
  means <- columns_of(items, h, view, n_steps = 0)
  if (mean(cross_strength(node, h, view, means, alpha)) < copy_bounds$strength) {
    return(NULL)
  }
  strength <- pairwise(items, h, view, columns_of(items, h, view), alpha)
  across <- strength[node[[1]], node[[2]]]
  within <- strength[upper.tri(strength)]
  if (mean(across) < copy_bounds$strength || min(within) < copy_bounds$strength / 2 ||
        is_shared(items, mean(within), view, alpha)) {
    return(NULL)
  }
  list(items = items, strength = unname(rowSums(strength) / (length(items) - 1)), node = node)
}

# Does one of the three nearest items outside depend on those of the group a third as much as they
# do on each other?
is_shared <- function(items, strength, view, alpha) {
  others <- setdiff(colnames(view$codes), items)
  near <- order(colSums(view$association[items, others, drop = FALSE]), decreasing = TRUE)
  near <- others[utils::head(near, 3)]
  any(vapply(near, function(other) {
    joined <- c(items, other)
    h <- posterior_without(view, joined)
    depends <- function(n_steps) {
      columns <- columns_of(joined, h, view, n_steps)
      mean(cross_strength(list(items, other), h, view, columns, alpha)) >
        copy_bounds$shared * strength
    }
    depends(n_steps = 0) && depends(n_steps = 30)
  }, NA))
}
