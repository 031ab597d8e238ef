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

# Labels on a scale: a mistake is mostly the label beside, and a part of the scale makes classes of
# more evidence than the labels.
ordered_crowd <- function(seed, n_items = 300, n_workers = 20, n_given = 6, n_labels = 6) {
  with_seed(seed, {
    truth <- sample(n_labels, n_items, TRUE)
    spread <- stats::runif(n_workers, 0.6, 1.5)
    lean <- stats::rnorm(n_workers, 0, 0.4)
    worker <- as.vector(replicate(n_items, sample(n_workers, n_given)))
    item <- rep(seq_len(n_items), each = n_given)
    label <- mapply(function(item, worker) {
      away <- seq_len(n_labels) - truth[item] - lean[worker]
      sample(n_labels, 1, prob = stats::dnorm(away / spread[worker]))
    }, item, worker)
  })
  list(labels = crowd_labels(data.frame(item, worker, label)),
       truth = stats::setNames(truth, seq_len(n_items)))
}

test_that("a fit that leaves a label without a component is none of a crowd's labels", {
  for (seed in 1:2) {
    crowd <- ordered_crowd(seed)
    fit <- suppressWarnings(stagewise_em(crowd$labels, k = 6), "mdpd_warning_not_converged")
    expect_setequal(names(fit$mixing_weights), crowd$labels$labels)
  }
})
