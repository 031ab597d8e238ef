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
    crowd <- ordered_crowd(seed, n_items = 200)
    fit <- suppressWarnings(stagewise_em(crowd$labels, k = 6), "mdpd_warning_not_converged")
    # The stages leave labels without one.
    expect_lt(sum(fit$trace$move %in% "split"), 5)
    expect_setequal(names(fit$mixing_weights), crowd$labels$labels)
  }
})

# Items differ in how hard they are, and each has one label that its mistakes are taken for.
crowd_of_hard_items <- function(seed, n_items = 400, n_workers = 15) {
  with_seed(seed, {
    truth <- sample(3, n_items, TRUE, c(0.5, 0.3, 0.2))
    hardness <- stats::runif(n_items)
    skill <- stats::runif(n_workers, 0.8, 0.97)
    near <- vapply(truth, function(label) sample(setdiff(1:3, label), 1), 1)
    label <- vapply(skill, function(skill) {
      is_right <- stats::runif(n_items) < skill * (1 - hardness) + hardness / 2
      mistake <- ifelse(stats::runif(n_items) < 0.8, near, sample(3, n_items, TRUE))
      ifelse(is_right, truth, mistake)
    }, numeric(n_items))
  })
  answers <- data.frame(item = rep(seq_len(n_items), n_workers),
                        worker = rep(seq_len(n_workers), each = n_items), label = as.vector(label))
  list(labels = crowd_labels(answers), truth = stats::setNames(truth, seq_len(n_items)))
}

test_that("clear majorities of informative workers are overruled only where that is explained", {
  for (seed in 1:2) {
    crowd <- crowd_of_hard_items(seed)
    of_vote <- error_rate(majority_vote(crowd$labels), crowd$truth)
    for (fit_crowd in list(stagewise_em, mdpd)) {
      expect_warning(fit <- fit_crowd(crowd$labels, k = 3), class = "mdpd_warning_held_majorities")
      expect_equal(sum(fit$trace$move %in% "majorities"), 1)
      expect_true(fit$converged)
      expect_output(print(fit), "surely more: workers depend on", fixed = TRUE)
      expect_lt(error_rate(fit, crowd$truth), of_vote + 0.02)
    }
    # Some labels known do not keep EM from it.
    gold <- crowd$truth[seq(1, 400, by = 40)]
    known <- hush(suppressWarnings(stagewise_em(crowd$labels, k = 3, known = gold)))
    expect_lt(error_rate(known, crowd$truth), of_vote + 0.02)
    expect_identical(as.integer(as.character(predict(known)[names(gold)])), unname(gold))
  }
})

test_that("labels that are known against clear majorities are not overruled by EM", {
  known <- with_seed(1, {
    truth <- sample(c("a", "b"), 300, TRUE)
    is_hard <- seq_along(truth) <= 30
    other <- ifelse(truth == "a", "b", "a")
    label <- vapply(stats::runif(12, 0.65, 0.9), function(accuracy) {
      ifelse(stats::runif(300) < ifelse(is_hard, 0.1, accuracy), truth, other)
    }, truth)
    list(labels = crowd_labels(data.frame(item = 1:300, worker = rep(1:12, each = 300),
                                          label = as.vector(label))),
         gold = stats::setNames(truth[is_hard], 1:30))
  })
  expect_no_warning(fit <- mdpd(known$labels, k = 2, known = known$gold),
                    class = "mdpd_warning_held_majorities")
  expect_false("majorities" %in% fit$trace$move)
  expect_identical(as.character(predict(fit)[1:30]), unname(known$gold))
})

test_that("majorities of workers who copy each other, or share a bias, may be overruled", {
  copied <- with_seed(1, {
    truth <- sample(3, 400, TRUE)
    source <- sample(3, 400, TRUE)
    worker <- rep(1:20, each = 400)
    item <- rep(1:400, 20)
    follows <- ifelse(worker <= 8, source[item], truth[item])
    says <- stats::runif(8000) < ifelse(worker <= 8, 0.9, 0.8)
    label <- ifelse(says, follows, sample(3, 8000, TRUE))
    keep <- stats::runif(8000) < 0.4
    list(labels = crowd_labels(data.frame(item, worker, label)[keep, ]),
         truth = stats::setNames(truth, 1:400))
  })
  fit <- suppressWarnings(stagewise_em(copied$labels, k = 3), "mdpd_warning_copied_items")
  expect_false("majorities" %in% fit$trace$move)
  expect_lt(error_rate(fit, copied$truth), 0.06)
  biased <- with_seed(2, {
    truth <- sample(2, 400, TRUE)
    worker <- rep(1:40, each = 400)
    item <- rep(1:400, 40)
    sees <- stats::runif(40, 0.25, 0.6)
    label <- 1 + (stats::runif(16000) < ifelse(truth[item] == 2, sees[worker], 0.08))
    keep <- stats::runif(16000) < 0.25
    list(labels = crowd_labels(data.frame(item, worker, label)[keep, ]),
         truth = stats::setNames(truth, 1:400))
  })
  fit <- expect_warning(stagewise_em(biased$labels, k = 2), NA)
  expect_gt(error_rate(majority_vote(biased$labels), biased$truth), 0.3)
  expect_lt(error_rate(fit, biased$truth), 0.15)
})

test_that("EM of a crowd along a scale of eight labels converges", {
  for (seed in 1:2) expect_true(mdpd(ordered_crowd(seed, n_labels = 8)$labels, k = 8)$converged)
})
