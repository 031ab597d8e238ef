test_that("the trace has a row for every stage and tells what each did", {
  fit <- stagewise_em(answers(), k = 3, method = "paper", refine = "none")
  trace <- fit$trace
  columns <- c("stage", "phase", "k", "item_1", "item_2", "component", "information", "p_value",
               "n_informative", "loglik", "loglik_all", "penalised_loglik", "split_length")
  expect_length(setdiff(columns, names(trace)), 0)
  expect_identical(trace$stage, 1:30)
  expect_true(all(trace$phase == "stage"))
  expect_false(is.unsorted(trace$k))
  expect_false(is.unsorted(trace$n_informative))
  expect_identical(trace$n_informative[30], length(fit$informative))
  expect_setequal(fit$informative, c(trace$item_1, trace$item_2)[
    rep(trace$n_informative > c(0, head(trace$n_informative, -1)), 2)
  ])
  expect_equal(sum(!is.na(trace$split_length)), 2)  # from one component to three
  # Length 0.05 on each of two items.
  expect_equal(trace$split_length[1], 0.05 * sqrt(2))
  expect_equal(trace$loglik[30], fit$loglik)
  expect_equal(trace$penalised_loglik[30], fit$penalised_loglik)
  expect_true(all(trace$information >= 0))
})

test_that("the robust stages stop by themselves and give the corrected p-value of each pair", {
  fit <- stagewise_em(answers(), k = 2)
  stages <- fit$trace[fit$trace$phase == "stage", ]
  expect_lt(nrow(stages), 10)
  expect_true(all(stages$p_value > 0 & stages$p_value <= 1))
  # Once both components are there, only a significant pair may add items.
  expect_true(all(stages$p_value[-1] < 0.01))
  expect_identical(fit$status, "converged")
  expect_true(fit$converged)
})

test_that("max_stages limits the stages", {
  control <- stagewise_control(max_stages = 1)
  fit <- stagewise_em(answers(), k = 2, refine = "none", control = control)
  expect_identical(nrow(fit$trace), 1L)
  expect_identical(fit$status, "stage_limit")
})
