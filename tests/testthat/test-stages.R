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

# p-value of the pair of the first stage.
first_stage <- function(coded) {
  engine_fit(coded, 2, refine = "none", max_stages = 1)$trace
}

test_that("the p-value of a single pair is right from certain to impossible independence", {
  for (seed in 1:60) {
    n_levels <- 2L + seed %% 4L
    coded <- with_seed(seed, {
      first <- sample.int(n_levels, 100, TRUE)
      second <- sample.int(n_levels + 1L, 100, TRUE)
      same <- stats::runif(100) < seed / 60
      coded_from_codes(cbind(first, ifelse(same, first, second)), c(n_levels, n_levels + 1L))
    })
    expected <- twin_log_p_value(coded, matrix(1, 100, 1), 1, 2)
    # Near p = 1 the logarithm has no relative accuracy; a p-value to 1e-10 is what counts there.
    expect_lt(abs(log(first_stage(coded)$p_value) - expected), 1e-10 * max(1, -expected))
  }
})

test_that("p-values too small for a number still order the pairs", {
  item <- rep(1:2, 50)
  twisted <- item
  twisted[1:4] <- 3L - twisted[1:4]
  coded <- coded_from_codes(cbind(twisted, item, item), c(2, 2, 2), rep(200, 100))
  g2 <- 2 * 100 * 200 * log(2)
  expect_identical(stats::pchisq(g2, 1, lower.tail = FALSE), 0)
  stage <- first_stage(coded)
  expect_identical(c(stage$item_1, stage$item_2), c("item_2", "item_3"))
  expect_identical(stage$p_value, 0)
})
