# The split: closed-form Hessian against numerical second derivatives, the exact objective against
# its twin, and what symmetry says about both.

# A split of the last component of `case` along items 2 and 4, with S = {1, 2, 4}.
split_case <- function(case) {
  items <- c(1L, 2L, 4L)
  split <- list(component = case$k, item_1 = 2L, item_2 = 4L)
  c(case, list(
    split = split, items = items,
    row_posterior = twin_posterior(case$coded, case$model, items)$posterior,
    probs_1 = case$model$item_probs[[2]][, case$k], probs_2 = case$model$item_probs[[4]][, case$k],
    basis = twin_tangent_basis(case$n_levels[2], case$n_levels[4])
  ))
}

engine_hessian <- function(s, missing_level = FALSE) {
  core_split_hessian(
    s$coded, s$row_posterior, s$split$component, s$split$item_1, s$split$item_2,
    s$probs_1, s$probs_2, missing_level
  )
}

engine_objective <- function(s, d, missing_level = FALSE) {
  core_split_objective(
    s$coded, s$row_posterior, s$split$component, s$split$item_1, s$split$item_2,
    s$probs_1, s$probs_2, missing_level, d
  )
}

in_tangent <- function(hessian, basis) unname(crossprod(basis, hessian %*% basis))

# Where nothing is missing, the missing level is empty and needs no second look.
as_level <- function(case) unique(c(FALSE, any(case$coded$codes == as.raw(0))))

# A move half way to the boundary of the simplex, in a random direction.
random_move <- function(s, seed) {
  d <- drop(s$basis %*% with_seed(seed, stats::rnorm(ncol(s$basis))))
  d * 0.5 * min(c(s$probs_1, s$probs_2) / abs(d))
}

test_that("the closed-form Hessian agrees with numerical second derivatives", {
  for (case in random_cases(n_obs = 150, seed = 51)) {
    s <- split_case(case)
    for (missing_level in as_level(case)) {
      objective <- function(u) {
        twin_split_objective(
          s$coded, s$model, s$items, s$split, drop(s$basis %*% u), missing_level
        )
      }
      # The step keeps the error of second order, (step / smallest probability)^2, near 1e-5, and
      # that of rounding, 1e-16 / step^2, below it.
      step <- min(s$probs_1, s$probs_2) / 300
      numerical <- twin_numerical_hessian(objective, ncol(s$basis), step)
      closed <- in_tangent(engine_hessian(s, missing_level), s$basis)
      expect_close(closed, numerical, 1e-4, case$label)
    }
  }
})

test_that("the Hessian agrees with its plain-R twin on the tangent space", {
  for (case in random_cases(n_obs = 80, seed = 52)) {
    s <- split_case(case)
    for (missing_level in as_level(case)) {
      twin <- twin_split_hessian(
        s$coded, s$row_posterior, s$split, s$probs_1, s$probs_2, missing_level
      )
      expect_close(
        in_tangent(engine_hessian(s, missing_level), s$basis), in_tangent(twin, s$basis),
        label = case$label
      )
    }
  }
})

test_that("the Hessian holds where most cells of the tables are empty", {
  for (seed in 1:10) {
    case <- with_seed(seed, {
      n_levels <- sample(3:5, 5, TRUE)
      model <- random_model(2, n_levels)
      list(k = 2, coded = random_coded(8, model, 0.2), model = model, n_levels = n_levels)
    })
    s <- split_case(case)
    twin <- twin_split_hessian(s$coded, s$row_posterior, s$split, s$probs_1, s$probs_2)
    engine <- engine_hessian(s)
    expect_true(all(is.finite(engine)))
    expect_close(in_tangent(engine, s$basis), in_tangent(twin, s$basis), label = paste(seed))
  }
})

test_that("the exact objective agrees with its plain-R twin", {
  for (case in random_cases(seed = 53)) {
    s <- split_case(case)
    for (missing_level in as_level(case)) {
      d <- random_move(s, case$k)
      expect_close(
        engine_objective(s, d, missing_level),
        twin_split_objective(s$coded, s$model, s$items, s$split, d, missing_level),
        label = case$label
      )
    }
  }
})

test_that("before it moves the duplicate leaves the information as it is", {
  for (case in random_cases(seed = 54)) {
    s <- split_case(case)
    for (missing_level in as_level(case)) {
      before <- core_information(s$coded, s$row_posterior, 0, missing_level)[2, 4]
      expect_close(engine_objective(s, 0 * c(s$probs_1, s$probs_2), missing_level), before)
    }
  }
})

test_that("the objective is even: the two copies may change places", {
  for (case in random_cases(seed = 55)) {
    s <- split_case(case)
    d <- random_move(s, case$k)
    expect_close(engine_objective(s, -d), engine_objective(s, d), label = case$label)
  }
})

test_that("a small move along the lowest eigenvector lowers the objective as the Hessian says", {
  item <- rep(1:2, 50)
  noisy <- item
  noisy[seq(5, 100, 5)] <- 3L - noisy[seq(5, 100, 5)]
  coded <- coded_from_codes(cbind(item, noisy))
  s <- list(
    coded = coded, row_posterior = matrix(1, 100, 1), probs_1 = c(0.5, 0.5), probs_2 = c(0.5, 0.5),
    split = list(component = 1, item_1 = 1, item_2 = 2), basis = twin_tangent_basis(2, 2)
  )
  spectrum <- eigen(in_tangent(engine_hessian(s), s$basis), symmetric = TRUE)
  lowest <- which.min(spectrum$values)
  expect_lt(spectrum$values[lowest], 0)
  step <- 1e-3
  change <- engine_objective(s, step * drop(s$basis %*% spectrum$vectors[, lowest])) -
    engine_objective(s, rep(0, 4))
  # The next term of the expansion is of relative order (step / 0.5)^2 = 4e-6.
  expect_close(change, spectrum$values[lowest] * step^2 / 2, 1e-4)
})

test_that("the spectrum does not depend on how levels are coded", {
  case <- random_cases(seed = 56)[[16]]
  s <- split_case(case)
  reversed <- s
  reversed$coded <- reverse_levels(s$coded)
  reversed$probs_1 <- rev(s$probs_1)
  reversed$probs_2 <- rev(s$probs_2)
  spectrum <- function(s) eigen(in_tangent(engine_hessian(s), s$basis), symmetric = TRUE)$values
  expect_close(spectrum(reversed), spectrum(s), 1e-11)
})
