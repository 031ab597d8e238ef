#' The fit that users see
#'
#' Gives what the engine found its names and the order of its components. The object is a plain
#' list, safe for saveRDS().
#'
#' @param result One of the `fits` of run_engine().
#' @param problem,settings What was asked, see new_problem() and new_settings().
#' @param about A list of the `class` before `"mdpd"` or NULL, the user's `call`, `keep_data`, and,
#'   or NULL: the `design` by which the rows were sampled; the `store` they come from; `search_rows`
#'   where the search had a sample of as many; what EM was asked to `start` from; and the
#'   `data_hash`, where it is known.
#' @return An object of class `mdpd`, see [stagewise_em()].
#' @noRd
new_mdpd <- function(result, problem, settings, about) {
  coded <- problem$coded
  coded["known"] <- list(if (result$holds_known) problem$known)
  totals <- coded$totals %||% row_totals(coded)
  informative <- names(coded$levels)[result$informative]
  by_evidence <- length(result$inclusion) > 0
  order <- order(result$mixing_weights, decreasing = TRUE)
  item_probs <- name_item_probs(result$item_probs, coded$levels, order)
  names <- component_names(result, problem, order)
  item_probs <- lapply(item_probs, `colnames<-`, names)
  mixing_weights <- stats::setNames(result$mixing_weights[order], names)
  fit <- list(
    k = length(names),
    mixing_weights = mixing_weights,
    item_probs = item_probs,
    informative = informative,
    item_information = item_information(mixing_weights, item_probs),
    item_evidence = stats::setNames(result$item_evidence, names(coded$levels)),
    inclusion = if (by_evidence) stats::setNames(result$inclusion, names(coded$levels)),
    item_prior = if (by_evidence) name_item_prior(result$item_prior, result$concentrations),
    item_shares = if (by_evidence) name_item_shares(result, names(coded$levels)),
    crowd_probs = name_crowd_probs(result$crowd_probs, order, coded$levels[[1]], names),
    posterior = if (nrow(result$posterior) > 0) {
      name_posterior(result$posterior, order, rownames(coded$codes), names)
    },
    classification = name_classification(result, order, names),
    sums = sums_of_posterior(result, order),
    loglik = result$loglik,
    penalised_loglik = result$penalised_loglik,
    evidence = if (by_evidence) result$evidence,
    df = result$df,
    nobs = result$nobs,
    weights = totals$weights,
    n_obs = totals$n_obs,
    n_missing = totals$n_missing,
    n_known = count_known(coded, about$store),
    no_answer = totals$no_answer,
    trace = result$trace,
    born = stats::setNames((result$born %||% seq_along(order))[order], names),
    status = result$status,
    converged = result$status %in% c("converged", "search_limit", "fewer_components"),
    method = settings$method, refine = settings$refine, missing = coded$missing,
    control = settings$control, call = about$call,
    version = mdpd_version(),
    asked = list(task = settings$task, k = settings$k, start = about$start),
    coded = if (about$keep_data) coded,
    data_hash = if (!about$keep_data) about$data_hash %||% hash_of_coded(coded, problem$labels),
    design = about$design, store = about$store, search_rows = about$search_rows,
    variable_labels = coded$variable_labels,
    labels = problem$labels, stands_for = labels_of_kinds(result, problem, order, names),
    label_agreement = if (length(result$labels) > length(problem$labels)) result$label_agreement,
    prior = problem$prior, smoothing = result$smoothing
  )
  structure(fit, class = c(about$class, "mdpd"))
}

# Of the rows that are assigned to the row's component, how probable the column's is; in shares of
# all. What did not come from the engine has none.
name_classification <- function(result, order, names) {
  shares <- result$modal
  if (is.null(shares)) {
    return(NULL)
  }
  if (length(names) == 1) shares <- matrix(1)
  `dimnames<-`(shares[order, order, drop = FALSE], list(names, names))
}

# Of a fit that keeps no posterior what is known of it: its `entropy` (nats), and what EM can go on
# with, see standing_sums.R.
sums_of_posterior <- function(result, order) {
  if (is.null(result$entropy) || is.na(result$entropy)) {
    return(NULL)
  }
  kept <- list(
    entropy = result$entropy,
    pseudo_counts = if (length(result$pseudo_counts) > 0) result$pseudo_counts,
    standing = result$standing
  )
  order_kept_sums(kept[lengths(kept) > 0], order)
}

# What a fit says of its rows.
row_totals <- function(coded) {
  list(
    weights = if (any(coded$weights != 1)) coded$weights,
    n_obs = nrow(coded$codes), n_missing = n_missing(coded$codes),
    no_answer = rows_of_no_class(coded)
  )
}

name_item_probs <- function(item_probs, levels, order) {
  probs <- Map(
    function(probs, levels) {
      probs <- probs[, order, drop = FALSE]
      rownames(probs) <- levels
      probs
    },
    item_probs, levels
  )
  stats::setNames(probs, names(levels))
}

name_posterior <- function(posterior, order, row_names, names) {
  posterior <- posterior[, order, drop = FALSE]
  dimnames(posterior) <- list(row_names, names)
  posterior
}

# The weight of one and the same column, then of each concentration of columns around the item's own
# frequencies, then, of a crowd, around the crowd's, and of one accuracy around the crowd's.
name_item_prior <- function(weights, concentrations) {
  has_crowd <- length(weights) > 1 + length(concentrations)
  of_crowd <- if (has_crowd) {
    c(paste("crowd", concentrations), paste("accuracy", concentrations))
  }
  stats::setNames(weights, c("same", concentrations, of_crowd))
}

# Of each item the posterior probability of each of these.
name_item_shares <- function(result, items) {
  shares <- result$item_shares
  weights <- names(name_item_prior(result$item_prior, result$concentrations))
  `dimnames<-`(shares, list(items, weights))
}

# The columns that those of a crowd are around; NULL of other fits.
name_crowd_probs <- function(probs, order, levels, names) {
  if (length(probs) == 0) {
    return(NULL)
  }
  `dimnames<-`(probs[, order, drop = FALSE], list(levels, names))
}

# Rows of which nothing is known, neither an answer nor the class; NULL where there are none.
rows_of_no_class <- function(coded) {
  rows <- rows_without_answer(coded$codes)
  if (!is.null(coded$known)) rows <- rows[is.na(coded$known[rows])]
  if (length(rows) > 0) rows
}

# Case weights, 0 of these rows.
weights_that_count <- function(coded) replace(coded$weights, rows_of_no_class(coded), 0)

# Rows without an answer to any item, also to those that are the same in every component and so are
# not in `coded`.
#
# `codes_of`: a function of names of items that returns the codes of those that there are, by the
# levels of the fit.
rows_of_no_answer <- function(coded, object, codes_of) {
  rows <- rows_without_answer(coded$codes)
  others <- setdiff(names(object$item_probs), names(coded$levels))
  if (length(rows) == 0 || length(others) == 0) {
    return(rows)
  }
  intersect(rows, rows_without_answer(codes_of(others)))
}

# Items without which the posterior cannot be computed.
differing_items <- function(object) {
  differs <- vapply(object$item_probs, function(probs) any(probs != probs[, 1]), NA)
  # With one component nothing differs, and any item will do to count the rows.
  if (any(differs)) names(object$item_probs)[differs] else names(object$item_probs)
}

# Do known classes or prior counts say which component stands for which label?
is_tied_to_labels <- function(object, coded) !is.null(coded$known) || !is.null(object$prior)

# How many items the fit holds in the class of their known label, also where it keeps no data.
n_gold <- function(object) object$n_known %||% count_known(object$coded, object$store)

count_known <- function(coded, store) sum(!is.na(coded$known)) + NROW(store$known)

# I(X_i; Y) = sum_k w_k sum_r mu_kr log(mu_kr / mubar_r) for every item (nats).
item_information <- function(mixing_weights, item_probs) {
  vapply(item_probs, function(probs) {
    information <- sum(p_log_p(probs) %*% mixing_weights) - sum(p_log_p(probs %*% mixing_weights))
    # Below rounding error the columns are equal.
    if (information > 1e-12) information else 0
  }, 0)
}

# The coded data a function works on: those given, read by the fit's levels, or the fit's own. `arg`
# is where they may be given, "object" nowhere.
data_of <- function(object, x = NULL, weights = NULL, arg = "x", call = rlang::caller_env()) {
  if (is.null(x)) {
    check_has_data(object, if (arg != "object") arg, call)
    coded <- object$coded
  } else {
    coded <- read_new(x, object, arg = arg, call = call)
    check_has_row(coded$codes, arg, call)
    if (is.null(weights)) weights <- weights_for(object, nrow(coded$codes), arg, call)
    coded["known"] <- list(known_for(object, rownames(coded$codes), arg, call))
  }
  if (!is.null(x) || !is.null(weights)) {
    coded$weights <- check_weights(weights, nrow(coded$codes), call = call)
  }
  coded
}

# Rows that are given without weights have those of the fit, where there are as many.
weights_for <- function(object, n_rows, arg, call) {
  own <- object$weights %||% object$coded$weights
  if (length(own) == n_rows) {
    return(own)
  }
  is_same_size <- n_rows == (object$n_obs %||% n_rows)
  if (!is.null(object$design) && !is_same_size || is_weighted(object)) {
    warn_mdpd(
      c("Each row of {.arg {arg}} counts once, though the rows of the fit have weights.",
        x = if (!is_same_size) "It has {comma(n_rows)} {cli::qty(n_rows)}row{?s}, the fit
                              {comma(object$n_obs)}.",
        i = if (arg == "x") "Give {.arg weights}, one number for each row, 1 if they count once."),
      class = "no_weights", call = call
    )
  }
  NULL
}

# The known classes of rows that are given, where they are the items of the fit.
known_for <- function(object, items, arg, call) {
  if (n_gold(object) == 0) {
    return(NULL)
  }
  own <- object$coded$known
  if (!is.null(own) && setequal(items, rownames(object$coded$codes))) {
    return(own[match(items, rownames(object$coded$codes))])
  }
  if (is.null(own) && length(items) == object$n_obs) {
    warn_mdpd(
      c("The {n_gold(object)} known label{?s} of the fit do{?es/} not count: it keeps no data, and
         {.arg {arg}} does not tell them.", i = "Fit with {.code keep_data = TRUE}."),
      class = "no_known", call = call
    )
  }
  NULL
}

# Sums of weights are all that fits of a store keep of them.
is_weighted <- function(object) {
  !is.null(object$weights) ||
    !is.null(object$n_obs) && weighs_other(n_counted(object), object$nobs)
}

# How many rows count. Those of a store are not listed; without weights they are as many as they
# weigh.
n_counted <- function(object) {
  if (isFALSE(object$store$is_weighted)) object$nobs else object$n_obs - length(object$no_answer)
}

# The survey design of these rows, which have it with the weights of the fit.
design_for <- function(object, x, weights, n_rows) {
  if (is.null(weights) && (is.null(x) || isTRUE(n_rows == object$n_obs))) object$design
}

# New data by the levels and the treatment of missing values of a fit.
read_new <- function(x, object, items = names(object$item_probs), arg = rlang::caller_arg(x),
                     call = rlang::caller_env()) {
  force(arg)  # before `x` is another
  levels <- lapply(object$item_probs, rownames)
  x <- rows_by_group(x, object, arg, call)
  check_has_workers_columns(x, object, arg, call)
  encode_new(x, levels, items, object$missing %||% "ignore", arg = arg, call = call)
}

# A fit of a crowd takes tables of items by workers too, but not the triples that crowds come as.
check_has_workers_columns <- function(x, object, arg, call) {
  if (is.null(object$labels) || !is_table_of_items(x) || NCOL(x) < 3) {
    return(invisible(x))
  }
  workers <- names(object$item_probs)
  by_position <- is.matrix(x) && is.null(colnames(x))
  if (if (by_position) ncol(x) == length(workers) else any(workers %in% item_names(x))) {
    return(invisible(x))
  }
  abort_mdpd(
    c("{.arg {arg}} must be {.cls crowd_labels}, or have a column for each worker of the fit.",
      x = if (!by_position) "There is no column of a worker, such as {.field {workers[1]}}.",
      i = "If it has an item, a worker and a label in each row, make it a crowd by
           {.fn crowd_labels}."),
    class = "missing_item", call = call, items = workers
  )
}

# Posterior and log-density at the fit's parameters; all items of `coded` enter.
posterior_of <- function(object, coded) {
  items <- colnames(coded$codes)
  coded["known"] <- list(known_columns(object, coded))
  core_posterior(
    coded, object$mixing_weights, object$item_probs[items], threads_of(object)
  )
}

# Which component each row is known to be in, NA where that is not known; NULL where no row is.
# Coded data have the number of the label, and the fit its components in an order of its own.
known_columns <- function(object, coded) {
  if (!is.null(coded$known)) {
    match(label_names(object), names(object$mixing_weights))[coded$known]
  }
}

# Threads for what is asked of a fit; a true model has no control.
threads_of <- function(object) object$control$threads %||% core_defaults("robust")$threads
