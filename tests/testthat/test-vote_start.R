test_that("where no pair of workers is evidence the majority vote is another start", {
  # Six labels an item: any two workers share two items or so.
  crowd <- simulate_crowd(
    n_items = 2000, n_workers = 200, accuracy = rep(0.75, 100), missing = 0.97, seed = 5
  )
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_gte(fit$trace$p_value[1], 0.01)
  expect_equal(sum(fit$trace$move %in% "vote"), 1)
  expect_equal(fit$trace$phase[fit$trace$move %in% "vote"], "refine")
  expect_lt(error_rate(fit, crowd$truth), error_rate(majority_vote(crowd$labels), crowd$truth))
  from_vote <- mdpd(crowd$labels, k = 3, start = "majority")
  expect_gte(fit$penalised_loglik, refine(from_vote)$penalised_loglik - 1e-6 * abs(fit$loglik))
  expect_s3_class(plot(fit, type = "history"), "ggplot")
})

test_that("where the pairs are evidence the stages go on alone", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.8, 8), seed = 1)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_lt(fit$trace$p_value[1], 0.01)
  expect_false("vote" %in% fit$trace$move)
})

test_that("a crowd also starts from the vote where any split was at what chance shows", {
  settings <- list(
    method = "robust", refine = "sparse", labels = letters[1:3], control = list(alpha = 0.01)
  )
  grew <- function(p_value, split_length) {
    grew_on_chance(
      list(trace = list(p_value = p_value, split_length = split_length)), 3, settings
    )
  }
  expect_false(grew(c(1e-9, 1e-4, 0.005), c(0.1, 0.2, NA)))
  expect_true(grew(c(0.5, 1e-4), c(0.1, 0.2)))
  expect_true(grew(c(1e-9, 1), c(0.1, 0.2)))
  expect_true(grew(NA_real_, NA_real_))
})
