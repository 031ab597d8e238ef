# The algebra on exact moments is tested in tests/core/test-spectral.cpp; here: data.

spectral <- function(coded, k, groups = NULL, seed = 1, averaged = TRUE) {
  core_spectral_start(coded, k, groups, 10L, seed, averaged)
}

# Plain Dawid-Skene: 20 workers who are right with probability 0.5 to 0.9.
dense_crowd <- function(n_items, missing = 0, seed = 1) {
  simulate_crowd(
    n_items = n_items, n_workers = 20, n_labels = 3, accuracy = seq(0.5, 0.9, length.out = 20),
    missing = missing, seed = seed
  )
}

largest_difference <- function(start, model) {
  max(abs(unlist(start$item_probs) - unlist(model$item_probs)))
}

start_of <- function(crowd, ...) spectral(encode(crowd$labels), 3, ...)

# Ordinary EM on all items from the start; the error counts labels as named by the start.
em_from <- function(start, coded) {
  posterior <- core_posterior(
    coded, start$mixing_weights, start$item_probs, seq_along(coded$levels)
  )$posterior
  control <- complete_control(stagewise_control(), "paper")
  core_refine(coded, posterior, integer(), "full", control, FALSE)$fit
}

share_wrong <- function(fit, truth) mean(max.col(fit$posterior, "first") != truth)

test_that("a large dense crowd's confusion matrices are found, each under its label", {
  crowd <- dense_crowd(20000)
  start <- start_of(crowd)
  expect_equal(start$status, "found")
  # A frequency has a standard error of 0.006 (6700 items a class); groups of seven workers who are
  # right seven times in ten lose a small factor.
  expect_lt(largest_difference(start, crowd$model), 0.05)
  expect_lt(max(abs(start$mixing_weights - 1 / 3)), 0.02)
})

test_that("the distance from the truth falls with the number of items", {
  distance <- vapply(c(200, 2000, 20000), function(n_items) {
    mean(vapply(1:5, function(seed) {
      crowd <- dense_crowd(n_items, seed = seed)
      largest_difference(start_of(crowd, seed = seed), crowd$model)
    }, 0))
  }, 0)
  # A hundred times the items is a tenth of the distance; chance and the simplex leave room.
  expect_true(all(diff(distance) < 0))
  expect_lt(distance[3], distance[1] / 5)
})

test_that("missing labels add noise and no bias", {
  crowd <- dense_crowd(50000, missing = 0.6)
  expect_lt(largest_difference(start_of(crowd), crowd$model), 0.1)
})

test_that("permuting workers together with their groups permutes the start", {
  coded <- encode(dense_crowd(2000)$labels)
  groups <- rep_len(0:2, 20)
  order <- c(20:11, 1:10)
  plain <- spectral(coded, 3, groups)
  permuted <- spectral(subset_items(coded, order), 3, groups[order])
  # The same sums in another order, through three inversions.
  expect_close(permuted$item_probs, plain$item_probs[order], 1e-8)
  expect_close(permuted$mixing_weights, plain$mixing_weights, 1e-8)
})

test_that("the order of rows and the names of the groups do not matter", {
  coded <- encode(dense_crowd(2000, missing = 0.3)$labels)
  groups <- rep_len(0:2, 20)
  plain <- spectral(coded, 3, groups)
  rows <- spectral(subset_rows(coded, 2000:1), 3, groups)
  expect_close(rows$item_probs, plain$item_probs, 1e-8)
  renamed <- spectral(coded, 3, c(2L, 0L, 1L)[groups + 1])
  expect_close(renamed$item_probs, plain$item_probs, 1e-8)
})

test_that("renaming the labels renames the start", {
  coded <- encode(dense_crowd(5000)$labels)
  groups <- rep_len(0:2, 20)
  plain <- spectral(coded, 3, groups)
  reversed <- spectral(reverse_levels(coded), 3, groups)
  expect_close(reversed$item_probs, lapply(plain$item_probs, function(p) p[3:1, 3:1]), 1e-8)
})

test_that("the same seed gives the same start, another seed another grouping", {
  coded <- encode(dense_crowd(300)$labels)
  expect_identical(spectral(coded, 3, seed = 4), spectral(coded, 3, seed = 4))
  expect_false(identical(spectral(coded, 3, seed = 4), spectral(coded, 3, seed = 5)))
})

test_that("the session's random numbers are left alone", {
  coded <- encode(dense_crowd(300)$labels)
  set.seed(1)
  before <- .Random.seed
  spectral(coded, 3)
  expect_identical(.Random.seed, before)
})

test_that("items with different levels, fewer than components, are told apart when stacked", {
  truth <- hand_made_fit(n_items = 12, k = 4, n_levels = c(2, 3, 4), n_informative = 12)
  coded <- encode(simulate(truth, seed = 1, n_obs = 20000)[[1]])
  start <- spectral(coded, 4, averaged = FALSE)
  expect_equal(start$status, "found")
  expect_false(is.unsorted(-start$mixing_weights))
  fit <- em_from(start, coded)
  # EM ends where it ends from the true model: the start lies in its basin.
  from_truth <- em_from(truth[c("mixing_weights", "item_probs")], coded)
  expect_close(fit$loglik, from_truth$loglik, 1e-6)
})

test_that("every start is a set of distributions", {
  for (case in random_cases(n_items = 6)) {
    start <- spectral(case$coded, case$k, averaged = FALSE)
    expect_close(sum(start$mixing_weights), 1)
    expect_close(lapply(start$item_probs, colSums), rep(1, 6 * case$k), label = case$label)
    expect_gt(min(unlist(start$item_probs)), 0)
  }
})

test_that("one component is near the observed frequencies", {
  coded <- encode(dense_crowd(2000)$labels)
  start <- spectral(coded, 1)
  expect_equal(start$mixing_weights, 1)
  # Moments with two groups of workers, not the workers' own frequencies: off by their noise.
  expect_close(start$item_probs, twin_m_step(coded, matrix(1, 2000))$item_probs, 0.05)
})

test_that("what cannot be whitened is told", {
  crowd <- dense_crowd(100)
  coded <- encode(crowd$labels)
  expect_equal(spectral(subset_items(coded, 1:2), 3)$status, "too_few_items")
  expect_equal(spectral(coded, 4)$status, "rank_too_low")
  constant <- coded_from_codes(matrix(1L, 50, 6), rep(2L, 6))
  expect_equal(spectral(constant, 2)$status, "rank_too_low")
})

# Zhang et al. (2016), table 2: 10.09 to 12.04, 16.89 to 31.85 and 7.12 % over partitions.
test_that("EM from the spectral start is near its published errors on real crowds", {
  at_most <- c(bluebird = 0.1204, dog = 0.1689, rte = 0.0762) # rte: 4 of 800 items for the grouping
  for (name in names(at_most)) {
    data <- shared_coded(name)
    for (seed in 1:10) {
      fit <- em_from(spectral(data$coded, data$k, seed = seed), data$coded)
      expect_lte(share_wrong(fit, data$truth), at_most[[name]] + 1e-4)
    }
  }
})
