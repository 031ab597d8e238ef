# The parts of EM for classes and their shares by covariates; what it finds is in
# test-class_regression.R.

# Two classes by an intercept alone, four rows that answer two items of two levels.
small_problem <- function(offset = matrix(0, 4, 2)) {
  list(q = matrix(1, 4), offset = offset, weights = c(1, 2, 1, 1), k = 2, reference = 1)
}
small_answers <- function(mask = matrix(FALSE, 4, 2)) {
  first <- c(1, 1, 0, 0)
  second <- c(1, 0, 1, 0)
  list(shown = cbind(first, 1 - first, second, 1 - second), item = c(1, 1, 2, 2), mask = mask)
}
small_probs <- rbind(c(0.8, 0.3), c(0.2, 0.7), c(0.6, 0.1), c(0.4, 0.9))

test_that("other starts are half way to probabilities drawn for each item", {
  moved <- moved_probs(small_probs, c(1, 1, 2, 2), seed = 5)
  drawn <- with_seed(5, matrix(stats::rexp(8), 4))
  shares <- rbind(sweep(drawn[1:2, ], 2, colSums(drawn[1:2, ]), "/"),
                  sweep(drawn[3:4, ], 2, colSums(drawn[3:4, ]), "/"))
  expect_equal(moved, (small_probs + shares) / 2, ignore_attr = TRUE)
})

test_that("of starts that end alike the first is taken, and all of them are shown", {
  expect_identical(best_start(c(-10.02, -10.005, -10)), 2L)
  expect_identical(best_start(c(-10, -10.005)), 1L)
  tried <- list(list(value = -3, iterations = 6), list(value = -4, iterations = 9))
  expect_identical(starts_table(tried, -1),
                   data.frame(start = 1:2, loglik = c(-4, -5), iterations = c(6, 9)))
})

test_that("classes come back in the order of the fit, unless something holds them", {
  problem <- small_problem()
  posterior <- cbind(c(0.9, 0.8, 0.2, 0.1), c(0.1, 0.2, 0.8, 0.9))
  # The second class is that of the first level; it has three quarters of the rows.
  state <- list(gamma = matrix(log(3)), probs = small_probs[, 2:1])
  turned <- as_in_the_fit(state, problem, small_answers(), posterior)
  expect_equal(turned, list(gamma = matrix(-log(3)), probs = small_probs))
  expect_equal(as_in_the_fit(turned, problem, small_answers(), posterior), turned)
  # Rows say so by their weight: the last, with four of seven, another thing than the first.
  problem$weights <- c(1, 1, 1, 4)
  says <- cbind(c(1, 0.5, 0.5, 1), c(0, 0.5, 0.5, 0))
  expect_equal(as_in_the_fit(state, problem, small_answers(), says), state)
  problem$weights <- c(4, 1, 1, 1)
  expect_equal(as_in_the_fit(state, problem, small_answers(), says), turned)
  by_offset <- small_problem(offset = matrix(c(0, 0, 0, 0, 0, 0, 1, 0), 4))
  expect_identical(as_in_the_fit(state, by_offset, small_answers(), posterior), state)
  known <- small_answers(mask = matrix(1:8 == 3, 4))
  expect_identical(as_in_the_fit(state, problem, known, posterior), state)
})

test_that("a step of EM has the shares of what was answered, and leaves what was not", {
  problem <- small_problem()
  answers <- small_answers()
  answers$shown[, 3:4] <- 0
  at <- em_step(list(gamma = matrix(0), probs = small_probs), problem, answers)
  density <- small_probs[c(1, 1, 2, 2), ]
  target <- density / rowSums(density)
  counts <- colSums(c(1, 2, 0, 0) * target)
  expect_equal(at$state$probs[1:2, ],
               rbind(counts, colSums(c(0, 0, 1, 1) * target)) /
                 rep(colSums(problem$weights * target), each = 2), ignore_attr = TRUE)
  expect_identical(unname(at$state$probs[3:4, ]), small_probs[3:4, ])
  expect_equal(at$value, sum(problem$weights * log(rowSums(density) / 2)))
  # A tenth of each row says the same.
  part <- replace(problem, "weights", list(problem$weights / 10))
  expect_equal(em_step(list(gamma = matrix(0), probs = small_probs), part, answers)$state, at$state)
  # Newton's step towards the share of the second class.
  share <- sum(problem$weights * target[, 2]) / 5
  expect_equal(at$state$gamma, matrix((share - 0.5) / 0.25))
  problem$log_density <- log(density)
  far <- list(share = matrix(0.5, 4, 2), target = cbind(rep(0.001, 4), 0.999))
  moved <- newton_step(matrix(0), problem, far)
  expect_equal(moved, matrix((0.999 - 0.5) / 0.25))
})

# Half way to zero: a leap from two such steps arrives. `value_at` says what a state is worth.
half_way <- function(value_at = function(gamma) -gamma^2) {
  function(state) {
    list(state = list(gamma = state$gamma / 2, probs = state$probs), value = value_at(state$gamma))
  }
}

test_that("extrapolated EM counts its steps and ends by its tolerance or its limit", {
  start <- list(gamma = matrix(8), probs = matrix(0.5))
  end <- accelerate_em(start, half_way(), max_iter = 100, tol = 1e-9)
  expect_identical(end[c("iterations", "converged")], list(iterations = 6, converged = TRUE))
  expect_equal(end$state, list(gamma = matrix(0), probs = matrix(0.5)))
  cut <- accelerate_em(start, half_way(), max_iter = 3, tol = 1e-9)
  expect_identical(cut[c("iterations", "converged")], list(iterations = 3, converged = FALSE))
  expect_equal(cut$state$gamma, matrix(2))
  expect_equal(cut$value, matrix(-16))
  expect_identical(accelerate_em(start, half_way(), max_iter = 4, tol = 1e-9)$iterations, 6)
  # What the limit cuts has converged all the same where it moves no more.
  still <- list(gamma = matrix(0), probs = matrix(0.5))
  expect_true(accelerate_em(still, half_way(), max_iter = 3, tol = 1e-9)$converged)
})

test_that("a leap that loses likelihood, or has none, is not made", {
  start <- list(gamma = matrix(8), probs = matrix(0.5))
  for (lost in c(-100, NaN, -Inf)) {
    worse_at_zero <- half_way(function(gamma) if (gamma < 1e-9) lost else -gamma^2)
    end <- accelerate_em(start, worse_at_zero, max_iter = 6, tol = 1e-9)
    # From 2, where two steps led, to 1 and to 1 / 2.
    expect_equal(end$state$gamma, matrix(0.5))
  }
})

test_that("leaps are as long as the steps turn little, at least as far as the steps", {
  at <- function(gamma, probs = 0.25) list(gamma = matrix(gamma), probs = matrix(probs))
  expect_equal(extrapolate(at(8), at(4), at(2)), at(0))
  # Steps that become larger.
  expect_equal(extrapolate(at(0), at(1), at(5)), at(5))
  expect_equal(extrapolate(at(0), at(1), at(1.5)), at(2))
  # Of probabilities by their roots, which end at one.
  expect_equal(extrapolate(at(0, 0.01), at(0, 0.09), at(0, 0.16))$probs, matrix(0.25))
  expect_equal(extrapolate(at(0, 0.25), at(0, 0.49), at(0, 0.81))$probs, matrix(1))
  expect_identical(extrapolate(at(0), at(1), at(2))$gamma, matrix(largest_gamma))
  expect_identical(largest_change(at(0, 0.5), at(-0.1, 0.8)), abs(0.5 - 0.8))
  expect_identical(largest_change(at(1), at(1)), 0)
})

test_that("a sandwich has the meat between two inverses", {
  half <- matrix(c(0.5, 0.1, 0, 0.4), 2)
  meat <- matrix(c(2, 0.3, 0.3, 1), 2)
  inverse <- tcrossprod(half)
  expect_equal(tcrossprod(sandwich_half(half, meat)), inverse %*% meat %*% inverse)
  # Rounding leaves an eigenvalue below zero.
  flat <- matrix(c(1, 1, 1, 1 - 1e-12), 2)
  expect_equal(tcrossprod(sandwich_half(half, flat)), inverse %*% flat %*% inverse)
})

test_that("items that the classes share count where rows answer them, others are left alone", {
  codes <- cbind(c(1, 2, 1, 2), c(1, 0, 0, 0), 0, 0)
  coded <- coded_from_codes(codes, c(2, 2, 3, 4))
  expect_identical(shared_items(coded, "item_1"), "item_2")
  expect_identical(shared_items(coded, character()), c("item_1", "item_2"))
  # Two probabilities in each of three classes, and three of all.
  expect_equal(n_left_alone(list(informative = "item_3", k = 3), coded), 2 * 3 + 3)
  expect_equal(shared_loglik(coded, "item_2"), -4 * log(2))
  expect_equal(shared_loglik(coded, character()), -4 * log(2))
  expect_equal(shared_loglik(coded_from_codes(codes, c(2, 2, 3, 4), rep(3, 4)), "item_2"),
               -12 * log(2))
})
