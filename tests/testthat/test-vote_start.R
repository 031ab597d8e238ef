test_that("where no pair of workers is evidence the majority vote is another start", {
  # Six labels an item: any two workers share two items or so.
  crowd <- simulate_crowd(
    n_items = 2000, n_workers = 200, accuracy = rep(0.75, 100), missing = 0.97, seed = 5
  )
  by_bic <- stagewise_control(criterion = "bic")
  fit <- stagewise_em(crowd$labels, k = 3, control = by_bic)
  expect_gte(fit$trace$p_value[1], 0.01)
  expect_equal(sum(fit$trace$move %in% "vote"), 1)
  expect_equal(fit$trace$phase[fit$trace$move %in% "vote"], "refine")
  expect_lt(error_rate(fit, crowd$truth), error_rate(majority_vote(crowd$labels), crowd$truth))
  from_vote <- mdpd(crowd$labels, k = 3, start = "majority", prior = 0)
  refined <- refine(from_vote, control = by_bic)
  expect_gte(fit$penalised_loglik, refined$penalised_loglik - 1e-6 * abs(fit$loglik))
  expect_s3_class(plot(fit, type = "history"), "ggplot")
})

test_that("where the pairs are evidence the stages go on alone", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.8, 8), seed = 1)
  fit <- stagewise_em(crowd$labels, k = 3, control = stagewise_control(criterion = "bic"))
  expect_lt(fit$trace$p_value[1], 0.01)
  expect_false("vote" %in% fit$trace$move)
})
