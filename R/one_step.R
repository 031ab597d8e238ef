# Classes and their shares by covariates at once, by EM (Bandeen-Roche and others 1997).

# A state of EM: `gamma`, the coefficients, and `probs`, the probabilities of all levels of the
# items that differ between the classes, levels x classes. `seeds` has one for each start.
fit_one_step <- function(first, problem, rows, gamma, seeds, max_iter) {
  coded <- take_rows(first$coded, rows)
  items <- first$model$items
  answers <- list(
    shown = one_hot(coded, items, seq_along(rows)),
    item = rep(seq_along(items), lengths(coded$levels[items])),
    mask = row_log_densities(first$object, coded) == -Inf
  )
  probs <- do.call(rbind, unname(first$object$item_probs[items]))
  climb <- function(state, tol) {
    accelerate_em(state, function(state) em_step(state, problem, answers), max_iter, tol)
  }
  tried <- lapply(seq_along(seeds), function(start) {
    begin <- if (start == 1) unname(probs) else moved_probs(probs, answers$item, seeds[start])
    climb(list(gamma = gamma, probs = begin), 1e-4)
  })
  values <- function(climbed) vapply(climbed, `[[`, 0, "value")
  posterior <- first$object$posterior[rows, , drop = FALSE]
  # Of many rows what is left to climb may be more than lies between two starts that end alike.
  ends <- lapply(tried[unique(c(1, best_start(values(tried))))], function(found) {
    climb(as_in_the_fit(found$state, problem, answers, posterior), 1e-8)
  })
  end <- ends[[best_start(values(ends))]]
  problem$log_density <- answer_densities(end$state$probs, answers)
  at <- evaluate_shares(problem, end$state$gamma)
  shared <- shared_loglik(coded, items)
  list(
    problem = problem, gamma = end$state$gamma, at = at, coded = coded, rows = rows,
    item_probs = with_probs(first$object, end$state$probs, answers$item, coded),
    value = at$value + shared, iterations = end$iterations, converged = end$converged,
    starts = starts_table(tried, shared), gain = end$value - ends[[1]]$value,
    n_left_alone = n_left_alone(first$object, coded)
  )
}

# Half way to probabilities drawn uniformly.
moved_probs <- function(probs, item, seed) {
  drawn <- with_seed(seed, matrix(stats::rexp(length(probs)), nrow(probs)))
  (unname(probs) + drawn / rowsum(drawn, item)[item, , drop = FALSE]) / 2
}

# Maxima that are the same but for what is left to climb are taken from the earlier start.
best_start <- function(values) which(values >= max(values) - 0.01)[1]

starts_table <- function(tried, shared) {
  data.frame(
    start = seq_along(tried), loglik = vapply(tried, `[[`, 0, "value") + shared,
    iterations = vapply(tried, `[[`, 0, "iterations")
  )
}

# The classes in the order of the fit's, of which they share the most `posterior`. An offset that is
# more than rounding or rows of known classes hold them where they are.
as_in_the_fit <- function(state, problem, answers, posterior) {
  if (any(abs(problem$offset) > 1e-9) || any(answers$mask)) {
    return(state)
  }
  problem$log_density <- answer_densities(state$probs, answers)
  target <- evaluate_shares(problem, state$gamma)$target
  order <- order(best_match(crossprod(target * problem$weights, posterior)))
  gamma <- matrix(0, nrow(state$gamma), problem$k)
  gamma[, -problem$reference] <- state$gamma
  gamma <- gamma[, order, drop = FALSE]
  gamma <- (gamma - gamma[, problem$reference])[, -problem$reference, drop = FALSE]
  list(gamma = within_bounds(gamma), probs = state$probs[, order, drop = FALSE])
}

answer_densities <- function(probs, answers) {
  densities <- answers$shown %*% log(pmax(probs, 1e-300))
  densities[answers$mask] <- -Inf
  densities
}

# The next state, and the log-likelihood of this one.
em_step <- function(state, problem, answers) {
  problem$log_density <- answer_densities(state$probs, answers)
  at <- evaluate_shares(problem, state$gamma)
  counts <- crossprod(answers$shown, problem$weights * at$target)
  totals <- rowsum(counts, answers$item)[answers$item, , drop = FALSE]
  probs <- ifelse(totals > 0, counts / totals, state$probs)
  list(
    state = list(gamma = newton_step(state$gamma, problem, at), probs = probs), value = at$value
  )
}

# Towards the shares by covariates that the posterior says, as far as that rises.
newton_step <- function(gamma, problem, at) {
  expected <- function(gamma) {
    shares <- log_shares(problem$q, problem$offset, gamma, problem$reference)
    sum(problem$weights * at$target * shares)
  }
  half <- invert_information(class_blocks(problem, at$share))$half
  gradient <- as.vector(share_gradient(problem, at))
  step <- matrix(half %*% crossprod(half, gradient), nrow(gamma))
  before <- expected(gamma)
  for (length in 0.5^(0:10)) {
    ahead <- within_bounds(gamma + length * step)
    if (expected(ahead) >= before) {
      return(ahead)
    }
  }
  gamma
}

within_bounds <- function(gamma) pmin(pmax(gamma, -largest_gamma), largest_gamma)

# EM with squared extrapolation (Varadhan and Roland 2008). Probabilities move by their roots, so
# that they stay above zero. A leap that loses likelihood is not made.
accelerate_em <- function(state, step, max_iter, tol) {
  iterations <- 0
  repeat {
    first <- step(state)
    second <- step(first$state)
    iterations <- iterations + 3
    change <- largest_change(state, first$state)
    if (change < tol || iterations >= max_iter) {
      return(list(state = second$state, value = second$value, iterations = iterations,
                  converged = change < tol))
    }
    leap <- step(extrapolate(state, first$state, second$state))
    state <- if (is.finite(leap$value) && leap$value >= second$value) leap$state else second$state
  }
}

largest_change <- function(a, b) max(0, abs(a$gamma - b$gamma), abs(a$probs - b$probs))

# A leap of probabilities leaves sums other than one; the step of EM from it has them again.
extrapolate <- function(state, first, second) {
  as_vector <- function(state) c(state$gamma, sqrt(state$probs))
  start <- as_vector(state)
  speed <- as_vector(first) - start
  turn <- as_vector(second) - as_vector(first) - speed
  length <- sqrt(sum(speed^2) / max(sum(turn^2), 1e-300))
  length <- min(max(1, length), 1e4)
  ahead <- start + 2 * length * speed + length^2 * turn
  gamma <- seq_along(state$gamma)
  list(
    gamma = within_bounds(matrix(ahead[gamma], nrow(state$gamma))),
    probs = matrix(pmin(ahead[-gamma]^2, 1), nrow(state$probs))
  )
}

# The probabilities of all items, those of the items that the classes share from these rows; those
# of an item that none of them answers stay as they are.
with_probs <- function(object, probs, item, coded) {
  item_probs <- object$item_probs
  for (i in seq_along(object$informative)) {
    item_probs[[object$informative[i]]][] <- probs[item == i, ]
  }
  shared <- shared_items(coded, object$informative)
  item_probs[shared] <- Map(function(probs, shares) {
    probs[] <- shares
    probs
  }, item_probs[shared], level_shares(coded, shared))
  item_probs
}

# Items that the classes share, answered by rows with a weight.
shared_items <- function(coded, items) {
  observed <- n_observed(coded$codes, coded$weights)
  setdiff(names(observed)[observed > 0], items)
}

# The parameters of the fit that these rows say nothing of.
n_left_alone <- function(object, coded) {
  absent <- names(which(n_observed(coded$codes, coded$weights) == 0))
  sum((lengths(coded$levels[absent]) - 1) * ifelse(absent %in% object$informative, object$k, 1))
}

shared_loglik <- function(coded, items) {
  shared <- shared_items(coded, items)
  entropy <- vapply(level_shares(coded, shared), function(shares) sum(p_log_p(shares)), 0)
  sum(n_observed(coded$codes, coded$weights)[shared] * entropy)
}

# Information of coefficients and items ----------------------------------------------------------

# Minus the second derivatives of the log-likelihood by a coefficient and an item's parameter, times
# the latter, or the product of the two scores; coefficients x parameters of the first step.
# `coded` has the rows of the problem.
cross_information <- function(problem, at, coded, model, type) {
  free <- setdiff(seq_len(problem$k), problem$reference)
  n_terms <- ncol(problem$q)
  cross <- matrix(0, n_terms * length(free), length(model$root))
  for (block in row_blocks(seq_len(nrow(problem$q)), length(model$root))) {
    shown <- one_hot(coded, model$items, block)
    q <- problem$weights[block] * problem$q[block, , drop = FALSE]
    for (i in seq_along(free)) {
      for (class in seq_len(problem$k)) {
        columns <- which(model$component == class & model$item > 0)
        moved <- cross_weight(at, block, free[i], class, type)
        of_terms <- (i - 1) * n_terms + seq_len(n_terms)
        cross[of_terms, columns] <- cross[of_terms, columns] +
          crossprod(q * moved, shown)[, model$column[columns], drop = FALSE]
      }
    }
  }
  cross
}

cross_weight <- function(at, rows, free, class, type) {
  target <- at$target[rows, , drop = FALSE]
  if (type == "score") {
    (target[, free] - at$share[rows, free]) * target[, class]
  } else {
    target[, free] * (target[, class] - (free == class))
  }
}

# The covariance of the coefficients (of q) and the standard errors of the items' probabilities.
one_step_covariance <- function(found, first) {
  type <- if (first$type == "score") "score" else "observed"
  object <- first$object
  object$item_probs <- found$item_probs
  model <- mixture_parameters(object)
  sums <- likelihood_sums(model, found$coded, found$at$target, type)
  model$free <- is_free(sums$count, model$simplex) & model$item > 0
  items <- which(model$free)
  scale <- 1 / model$root[items]
  of_items <- sums$information[items, items, drop = FALSE] * outer(scale, scale)
  of_shares <- if (type == "score") {
    crossprod(share_scores(found$problem, found$at) * sqrt(found$problem$weights))
  } else {
    share_information(found$problem, found$at)
  }
  cross <- cross_information(found$problem, found$at, found$coded, model, type)
  cross <- sweep(cross[, items, drop = FALSE], 2, scale, "*")
  basis <- tangent_basis(model)[items, , drop = FALSE]
  joint <- rbind(
    cbind(of_shares, cross %*% basis),
    cbind(t(cross %*% basis), crossprod(basis, of_items %*% basis))
  )
  inverse <- invert_information(joint)
  shares <- seq_len(nrow(of_shares))
  if (!is.null(first$design)) {
    values <- one_step_values(found, model, items, basis * scale, first)
    meat <- design_covariance(values, nrow(joint), first$design, first$weights)
    inverse$half <- sandwich_half(inverse$half, meat)
  }
  half <- model$root[items] * (basis %*% inverse$half[-shares, , drop = FALSE])
  errors <- replace(rep(NA_real_, length(model$root)), items, sqrt(rowSums(half^2)))
  list(
    covariance = tcrossprod(inverse$half[shares, , drop = FALSE]),
    null = inverse$null[shares, , drop = FALSE],
    item_errors = errors
  )
}

# The scores of each row of the fit, with its weight: of the coefficients and, by `basis`, of the
# items.
one_step_values <- function(found, model, items, basis, first) {
  of_shares <- share_scores(found$problem, found$at) * found$problem$weights
  function(rows) {
    of_items <- matrix(0, length(rows), ncol(basis))
    at <- match(rows, found$rows)
    counts <- !is.na(at)
    shown <- cbind(1, one_hot(found$coded, model$items, at[counts]))
    scores <- row_scores(model, shown, found$at$target[at[counts], , drop = FALSE])
    of_items[counts, ] <- (scores[, items, drop = FALSE] %*% basis) *
      found$problem$weights[at[counts]]
    cbind(in_all_rows(of_shares, found$rows, first)[rows, , drop = FALSE], of_items)
  }
}

# A root of the covariance of the estimates where `meat` is that of the scores and `half` a root of
# the inverse information.
sandwich_half <- function(half, meat) {
  spectrum <- eigen(crossprod(half, meat %*% half), symmetric = TRUE)
  half %*% sweep(spectrum$vectors, 2, sqrt(pmax(spectrum$values, 0)), "*")
}
