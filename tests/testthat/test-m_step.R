# core_m_step() against its twin and by its properties.

engine_m_step <- function(coded, posterior, floor = 0, smoothing = 0) {
  core_m_step(coded, posterior, floor, smoothing)
}

# sum_n w_n sum_k g[n,k] log(w_k prod_i mu[k,i,x_ni]), what the M-step maximises
expected_loglik <- function(coded, posterior, model) {
  by_item <- vapply(seq_len(ncol(coded$codes)), function(item) {
    sum(twin_counts(coded, posterior, item) * log(model$item_probs[[item]]))
  }, 0)
  sum(by_item) + sum(colSums(coded$weights * posterior) * log(model$mixing_weights))
}

test_that("the M-step agrees with its plain-R twin", {
  for (case in random_cases(seed = 21)) {
    engine <- engine_m_step(case$coded, case$posterior)
    twin <- twin_m_step(case$coded, case$posterior)
    expect_close(engine$mixing_weights, twin$mixing_weights, label = case$label)
    expect_close(engine$item_probs, twin$item_probs, label = case$label)
  }
})

test_that("smoothing and floor agree with the twin, apart and together", {
  for (case in random_cases(seed = 22)[c(3, 8, 12, 15)]) {
    for (floor in c(0, 0.002, 0.15)) {
      for (smoothing in c(0, 0.7, 10)) {
        expect_close(
          engine_m_step(case$coded, case$posterior, floor, smoothing)$item_probs,
          twin_m_step(case$coded, case$posterior, floor, smoothing)$item_probs,
          label = paste(case$label, "floor", floor, "smoothing", smoothing)
        )
      }
    }
  }
})

test_that("mixing weights and every column of item_probs sum to one", {
  for (case in random_cases(seed = 23)) {
    for (floor in c(0, 0.1)) {
      engine <- engine_m_step(case$coded, case$posterior, floor)
      expect_close(sum(engine$mixing_weights), 1, 1e-14)
      sums <- unlist(lapply(engine$item_probs, colSums))
      expect_close(sums, rep(1, 5 * case$k), 1e-14)
    }
  }
})

test_that("the M-step maximises the expected log-likelihood", {
  case <- random_cases(seed = 24)[[15]]
  best <- engine_m_step(case$coded, case$posterior)
  highest <- expected_loglik(case$coded, case$posterior, best)
  for (direction in 1:20) {
    other <- best
    mix <- function(p, with) 0.95 * p + 0.05 * with
    with_seed(direction, {
      other$mixing_weights <- mix(best$mixing_weights, random_simplex(case$k))
      other$item_probs <- lapply(best$item_probs, function(p) {
        mix(p, replicate(ncol(p), random_simplex(nrow(p))))
      })
    })
    expect_lt(expected_loglik(case$coded, case$posterior, other), highest)
  }
})

test_that("missing cells are left out of an item's probabilities, not of the mixing weights", {
  coded <- coded_from_codes(cbind(c(1L, 2L, 0L, 0L), c(1L, 1L, 2L, 2L)), c(2, 2))
  posterior <- cbind(c(1, 0, 1, 1), c(0, 1, 0, 0))
  engine <- engine_m_step(coded, posterior)
  expect_close(engine$mixing_weights, c(0.75, 0.25), 1e-15)
  expect_close(engine$item_probs[[1]], cbind(c(1, 0), c(0, 1)), 1e-15)
  expect_close(engine$item_probs[[2]], cbind(c(1, 2) / 3, c(1, 0)), 1e-15)
})

test_that("a component that saw nothing of an item takes the item's observed frequencies", {
  coded <- coded_from_codes(cbind(c(1L, 2L, 2L, 0L), c(1L, 1L, 2L, 2L)), c(2, 2))
  posterior <- cbind(c(1, 1, 1, 0), c(0, 0, 0, 1))
  engine <- engine_m_step(coded, posterior)
  expect_close(engine$item_probs[[1]][, 2], c(1, 2) / 3, 1e-15)
})

test_that("the floor lifts what is below it and keeps the proportions of the rest", {
  codes <- cbind(rep(1:4, c(1, 1, 300, 698)))
  engine <- engine_m_step(coded_from_codes(codes, 4), matrix(1, 1000, 1), floor = 0.01)
  expect_close(engine$item_probs[[1]], c(0.01, 0.01, 0.98 * c(300, 698) / 998), 1e-13)
})

test_that("strong smoothing brings every component to the observed frequencies", {
  case <- random_cases(seed = 25)[[16]]
  smoothed <- engine_m_step(case$coded, case$posterior, smoothing = 1e9)$item_probs
  observed <- twin_m_step(case$coded, matrix(1, 60, 1))$item_probs
  for (item in 1:5) {
    # counts are at most 180, so what is left of them is of order 180 / 1e9
    expect_close(smoothed[[item]], rep(observed[[item]], case$k), 1e-6)
  }
})

test_that("permuting rows and levels permutes the parameters", {
  case <- random_cases(seed = 26)[[15]]
  before <- engine_m_step(case$coded, case$posterior, 0.002, 0.5)
  rows <- engine_m_step(subset_rows(case$coded, 60:1), reverse_rows(case$posterior), 0.002, 0.5)
  expect_close(rows$item_probs, before$item_probs, 1e-13)
  levels <- engine_m_step(reverse_levels(case$coded), case$posterior, 0.002, 0.5)
  expect_close(lapply(levels$item_probs, reverse_rows), before$item_probs, 1e-13)
})

test_that("a row of weight 2 counts like the row twice, weight 0 like no row", {
  case <- random_cases(seed = 27)[[7]]
  weighted <- case$coded
  weighted$weights <- rep(0:2, each = 20)
  rows <- c(21:60, 41:60)
  one_each <- subset_rows(case$coded, rows)
  expect_close(
    engine_m_step(weighted, case$posterior),
    engine_m_step(one_each, case$posterior[rows, ]), 1e-13
  )
})

test_that("an item with one level has probability one", {
  coded <- coded_from_codes(cbind(rep(1L, 6), rep(1:2, 3)), c(1, 2))
  engine <- engine_m_step(coded, with_seed(1, random_posterior(6, 3)), floor = 0.002)
  expect_close(engine$item_probs[[1]], rep(1, 3), 1e-15)
})
