#' Simulate the labels of a crowd
#'
#' Draws the labels of a few experts among many workers who do not look at the items. Each item has
#' a true class, uniform over the labels. Expert j is right with probability `accuracy[j]` and else
#' gives one of the other labels, each as likely. Every other worker draws one distribution from the
#' uniform distribution on the simplex (normalised exponentials) and labels by it, whatever the
#' class.
#'
#' @param n_items,n_workers,n_labels Counts: items (at least 1, default 1000), workers (2 to
#'   1,000,000, default 100) and labels (2 to 254, default 3).
#' @param accuracy Numeric, at most one value a worker, each from 0 to 1: how often the experts, who
#'   are the first workers, are right. Default 0.6 for five workers, or all if there are fewer.
#' @param missing Probability that a label is missing, from 0 to below 1, the same for all and
#'   independent of everything (missing completely at random). Default 0. An item or a worker that
#'   would be left without any label keeps one.
#' @param seed A whole number, or `NULL` (the default) to draw from the session's random numbers.
#'   With a seed the result is the same whatever generator the session uses, and the session's
#'   random numbers go on as if nothing had been drawn.
#' @return A list:
#'   * `labels`: a [crowd_labels()] object, n_items x n_workers, ids `"1"`, `"2"`, ...;
#'   * `truth`: factor, the true class of each item, named by the items;
#'   * `model`: the true model, of class `mdpd`: `k`, `mixing_weights`, `item_probs`, `informative`
#'     (the experts who tell the classes apart) and `item_information` (nats);
#'   * `k`: the number of components, `n_labels`.
#' @section Errors: `mdpd_error_argument`, naming the argument.
#' @references Zhao and Zucker (2015), Stagewise Learning for Sparse Clustering of Discretely-Valued
#'   Data: the simulation of sparse crowds. \doi{10.48550/arXiv.1506.02975}
#' @family crowds
#' @family simulators
#' @examples
#' crowd <- simulate_crowd(n_items = 100, n_workers = 8, accuracy = c(0.9, 0.7), seed = 1)
#' crowd$labels
#' crowd$model$informative
#' error_rate(majority_vote(crowd$labels), crowd$truth)
#' @export
simulate_crowd <- function(n_items = 1000, n_workers = 100, n_labels = 3,
                           accuracy = rep(0.6, min(5, n_workers)), missing = 0,
                           seed = NULL) {
  check_count(n_items)
  check_n_columns(n_workers)
  check_n_cells(n_items, n_workers)
  check_count(n_labels, min = 2, max = max_levels)
  check_numbers(accuracy, c(0, 1))
  check_n_experts(accuracy, n_workers)
  check_number(missing, c(0, 1 - 1e-9))
  check_seed(seed)
  with_seed(seed, {
    model <- draw_crowd_model(n_workers, n_labels, accuracy)
    truth <- sample.int(n_labels, n_items, replace = TRUE)
    labels <- vapply(model$item_probs, draw_levels, integer(n_items), component = truth)
    observed <- draw_observed(n_items, n_workers, missing)
  })
  labels <- matrix(labels, n_items)
  cells <- which(observed, arr.ind = TRUE)
  columns <- list(item = cells[, 1], worker = cells[, 2], label = labels[observed])
  names <- as.character(seq_len(n_labels))
  list(
    labels = new_crowd_labels(lapply(columns, unname), "error"),
    truth = stats::setNames(code_to_factor(truth, names), seq_len(n_items)),
    model = model,
    k = n_labels
  )
}

#' Simulate data from a mixture
#'
#' Draws a component for each row by the mixing weights, then every item by the item-response
#' probabilities of that component, independently.
#'
#' @param object A model of class `mdpd`, fitted or from [simulate_crowd()].
#' @param nsim Number of data sets, a count from 1 to 1,000,000. Default 1.
#' @inheritParams simulate_crowd
#' @param n_obs Rows of each data set, at least 1; by default as many as the fit was made from.
#' @param ... Not used.
#' @return A list of `nsim` data frames, n_obs x n_items, of factors with the levels of the model.
#'   Each has the attribute `component`, a factor with the component drawn for each row. Nothing is
#'   missing, except that the level that stands for missing values in a fit with
#'   `missing = "level"` becomes `NA` again. The list has the attribute `seed`, as
#'   [stats::simulate()] asks: the state of the generator at the start.
#' @section Errors: `mdpd_error_argument`, naming the argument.
#' @family simulators
#' @examples
#' model <- simulate_crowd(n_workers = 4, accuracy = 0.9, seed = 1)$model
#' data <- simulate(model, seed = 1, n_obs = 5)[[1]]
#' data
#' attr(data, "component")
#' @importFrom stats simulate
#' @export
simulate.mdpd <- function(object, nsim = 1, seed = NULL, n_obs = object$n_obs, ...) {
  check_n_samples(nsim)
  check_seed(seed)
  check_count(n_obs)
  check_n_cells(n_obs, length(object$item_probs))
  with_seed(seed, {
    state <- generator_state(seed)
    data <- lapply(seq_len(nsim), function(i) draw_table(object, n_obs))
  })
  structure(stats::setNames(data, paste0("sim_", seq_len(nsim))), seed = state)
}

# Drawing ------------------------------------------------------------------------------------------

# Levels (codes from 1) of one item for rows of the given components, by inverting the cumulative
# probabilities. `probs` is levels x components.
draw_levels <- function(probs, component) {
  u <- stats::runif(length(component))
  code <- rep(1L, length(component))
  cumulative <- 0
  for (level in seq_len(nrow(probs) - 1)) {
    cumulative <- cumulative + unname(probs[level, ])
    code <- code + (u > cumulative[component])
  }
  code
}

draw_table <- function(object, n_obs) {
  component <- sample.int(object$k, n_obs, replace = TRUE, prob = object$mixing_weights)
  columns <- lapply(object$item_probs, function(probs) {
    code_to_factor(draw_levels(probs, component), rownames(probs))
  })
  if (identical(object$missing, "level")) {
    # The others stay, also those that few rows do not show.
    columns <- lapply(columns, function(column) {
      factor(column, setdiff(levels(column), missing_level))
    })
  }
  structure(
    columns,
    class = "data.frame", row.names = .set_row_names(n_obs),
    component = code_to_factor(component, names(object$mixing_weights))
  )
}

# The true model of a crowd: experts first, then workers who label at random.
draw_crowd_model <- function(n_workers, n_labels, accuracy) {
  labels <- as.character(seq_len(n_labels))
  experts <- lapply(accuracy, expert_probs, n_labels = n_labels)
  others <- replicate(n_workers - length(accuracy), noise_probs(n_labels), simplify = FALSE)
  item_probs <- lapply(c(experts, others), `dimnames<-`, list(labels, labels))
  names(item_probs) <- seq_len(n_workers)
  true_model(stats::setNames(rep(1 / n_labels, n_labels), labels), item_probs, labels)
}

# `labels` are those of a crowd, by which its components are named.
true_model <- function(mixing_weights, item_probs, labels = NULL) {
  information <- item_information(mixing_weights, item_probs)
  structure(
    list(
      k = length(mixing_weights),
      mixing_weights = mixing_weights,
      item_probs = item_probs,
      informative = names(item_probs)[information > 0],
      item_information = information,
      labels = labels
    ),
    class = "mdpd"
  )
}

expert_probs <- function(accuracy, n_labels) {
  probs <- matrix((1 - accuracy) / (n_labels - 1), n_labels, n_labels)
  diag(probs) <- accuracy
  probs
}

noise_probs <- function(n_labels) {
  probs <- stats::rexp(n_labels)
  matrix(probs / sum(probs), n_labels, n_labels)
}

# Which labels are given, with at least one in each row and each column.
draw_observed <- function(n_items, n_workers, missing) {
  if (missing == 0) {
    return(matrix(TRUE, n_items, n_workers))
  }
  observed <- matrix(stats::runif(n_items * n_workers) >= missing, n_items, n_workers)
  empty <- which(rowSums(observed) == 0)
  observed[cbind(empty, sample.int(n_workers, length(empty), replace = TRUE))] <- TRUE
  empty <- which(colSums(observed) == 0)
  observed[cbind(sample.int(n_items, length(empty), replace = TRUE), empty)] <- TRUE
  observed
}

# Checks -------------------------------------------------------------------------------------------

check_n_experts <- function(accuracy, n_workers, call = rlang::caller_env()) {
  if (length(accuracy) > n_workers) {
    abort_mdpd(
      c("{.arg accuracy} must have at most one value for each of the {n_workers} workers.",
        x = "It has {length(accuracy)}."),
      class = "argument", call = call
    )
  }
}
