# The covariance of a few combinations of the estimates of a fit of many parameters, whose
# information is too large to be inverted: by conjugate gradients, which only multiply it by
# vectors.

# With less than 500 parameters the inverse is as fast. By likelihood alone only the inverse tells
# what the data do not determine.
is_solved <- function(object, how) {
  n_levels <- vapply(object$item_probs[object$informative], nrow, 0L)
  !is.null(object$evidence) && is.null(how$design$replicates) &&
    object$k * (1 + sum(n_levels)) > 500
}

# As inverted_covariance(), which stands in where the information is not positive.
solved_covariance <- function(object, how, call) {
  model <- mixture_parameters(object)
  answers <- listed_answers(model, how)
  parts <- counted_parts(object, how, model, expected_counts(answers))
  answers <- uncertain_answers(answers, how)
  if (is.null(how$design)) warn_counted_weights(how$coded$weights, call)
  combined <- function(combinations) {
    combinations[, !parts$model$free] <- 0
    solved <- solve_information(parts, answers, t(combinations))
    if (is.null(solved)) {
      return(inverted_covariance(object, how, call)$combined(combinations))
    }
    influence <- t(solved * ifelse(parts$model$free, 1 / parts$model$estimate, 0))
    covariance <- if (is.null(how$design)) {
      combinations %*% solved
    } else {
      robust_covariance(parts, influence)
    }
    for (block in drawn_blocks(object, parts)) {
      drawn <- sweep(combinations[, block$at, drop = FALSE], 2, block$drawn, "*")
      of_levels <- drawn %*% outer(block$level, seq_len(nrow(block$covariance)), `==`)
      covariance <- covariance + of_levels %*% block$covariance %*% t(of_levels)
    }
    list(covariance = covariance, values = mixture_values(parts, influence))
  }
  list(combined = combined, undetermined = matrix(0, length(model$root), 0))
}

# All answers to the items of the mixture: a row of the data each, and a column of the one-hot data,
# whose first is one in every row. `parameter` has the number of each column's parameter in each
# component.
listed_answers <- function(model, how) {
  codes <- answers_by_item(how$coded$codes, model$items)
  given <- lapply(model$items, codes)
  before <- cumsum(c(1, lengths(how$coded$levels[model$items])))
  of_item <- Map(function(given, before) before + given$code, given, before[seq_along(given)])
  posterior <- unname(how$posterior)
  n_columns <- before[length(before)]
  list(
    row = c(seq_len(nrow(posterior)), unlist(lapply(given, `[[`, "row"))),
    column = factor(c(rep(1, nrow(posterior)), unlist(of_item)), seq_len(n_columns)),
    parameter = matrix(order(model$component, model$column), n_columns),
    weights = how$coded$weights, posterior = posterior
  )
}

expected_counts <- function(answers) {
  by_row <- answers$weights * answers$posterior
  counts <- rowsum_by(by_row[answers$row, , drop = FALSE], answers$column)
  replace(numeric(length(counts)), answers$parameter, counts)
}

# Those of rows whose class is not certain: the others tell as much as if it were known. Scores are
# of all rows.
uncertain_answers <- function(answers, how) {
  answers$by_score <- how$type == "score"
  uncertain <- which(answers$by_score | !is_certain(answers$posterior))
  kept <- answers$row %in% uncertain
  answers$row <- match(answers$row[kept], uncertain)
  answers$column <- answers$column[kept]
  answers$weights <- answers$weights[uncertain]
  answers$posterior <- answers$posterior[uncertain, , drop = FALSE]
  answers
}

# The inverse of the information on the moves that keep every sum at one, times the columns of
# `right`; NULL where it is not positive. In units of the roots, as invert_on_tangent().
solve_information <- function(parts, answers, right) {
  model <- parts$model
  root <- ifelse(model$free, model$root, 0)
  sums <- function(x) rowsum(x, model$simplex, reorder = FALSE)[model$simplex, , drop = FALSE]
  length <- sums(cbind(root^2))[, 1]
  axis <- ifelse(length > 0, root / sqrt(length), 0)
  inside <- function(x) model$free * x - axis * sums(axis * x)
  scale <- ifelse(model$free, 1 / model$root, 0)
  # If all classes were known; of one distribution it is the same in all directions.
  complete <- pmax(sums(cbind(model$free * parts$expected))[, 1] / pmax(length, 1e-300), 1e-300)
  diagonal <- scale^2 * if (answers$by_score) parts$pseudo_counts else parts$expected
  multiply <- function(x) inside(diagonal * x + scale * told_by_rows(scale * x, answers))
  n_columns <- max(1, 4e6 %/% (length(answers$row) * ncol(answers$posterior)))
  blocks <- split(seq_len(ncol(right)), (seq_len(ncol(right)) - 1) %/% n_columns)
  solved <- lapply(unname(blocks), function(columns) {
    conjugate_gradients(multiply, complete, inside(root * right[, columns, drop = FALSE]))
  })
  if (!any(vapply(solved, is.null, NA))) root * do.call(cbind, solved)
}

# What the rows add to the information of known classes, which is its diagonal, times the columns of
# x: less as classes are uncertain, by Louis's identity; or by the squares of the scores.
told_by_rows <- function(x, answers) {
  posterior <- answers$posterior
  k <- ncol(posterior)
  # A column for each component and column of x.
  by_column <- matrix(x[answers$parameter, ], nlevels(answers$column))
  by_row <- rowsum(by_column[as.integer(answers$column), , drop = FALSE], answers$row,
                   reorder = FALSE)
  weighted <- by_row * as.vector(posterior)
  scores <- Reduce(`+`, lapply(seq_len(k), function(component) {
    weighted[, seq(component, ncol(weighted), k), drop = FALSE]
  }))
  expected <- as.vector(posterior) * scores[, rep(seq_len(ncol(x)), each = k), drop = FALSE]
  told <- answers$weights * if (answers$by_score) expected else expected - weighted
  sums <- rowsum_by(told[answers$row, , drop = FALSE], answers$column)
  x[answers$parameter, ] <- matrix(sums, length(answers$parameter))
  x
}

# Solves A x = b for each column of b, A positive and near the diagonal `near`; NULL if A is not.
conjugate_gradients <- function(multiply, near, b, tol = 1e-10, max_iter = 1000) {
  x <- 0 * b
  ahead <- b / near
  size <- colSums(b * ahead)
  enough <- tol^2 * size
  for (iteration in seq_len(max_iter)) {
    to_go <- size > enough
    if (!any(to_go)) {
      return(x)
    }
    moved <- multiply(ahead)
    curvature <- colSums(ahead * moved)
    if (any(curvature[to_go] <= 0)) {
      return(NULL)
    }
    step <- rep(ifelse(to_go, size / curvature, 0), each = nrow(b))
    x <- x + step * ahead
    b <- b - step * moved
    before <- size
    size <- colSums(b^2 / near)
    ahead <- b / near + rep(ifelse(to_go, size / before, 0), each = nrow(b)) * ahead
  }
  NULL
}
