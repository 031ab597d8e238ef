# Six workers of known skill among fourteen who do not look, each with labels for about half the
# items.
small_crowd <- function(seed = 1, n_items = 400) {
  simulate_crowd(n_items, 20, 3, accuracy = c(0.9, 0.9, 0.8, 0.8, 0.7, 0.7), missing = 0.5,
                 seed = seed)
}
crowd <- small_crowd()
fit <- stagewise_em(crowd$labels, k = 3)
quality <- worker_quality(fit)

by_worker <- function(quality) quality[match(sort(quality$worker), quality$worker), ]

# Plain definitions ------------------------------------------------------------------------------

test_that("accuracy, bias, score and confusion are what their definitions say", {
  votes <- as.matrix(crowd$labels)
  posterior <- fit$posterior[, fit$labels]
  for (worker in c("1", "7", "20")) {
    given <- votes[, worker]
    counts <- sapply(fit$labels, function(r) colSums(posterior * (given %in% r)))
    n <- sum(!is.na(given))
    row <- quality[quality$worker == worker, ]
    expect_equal(row$n_labels, n)
    expect_equal(row$accuracy, sum(diag(counts)) / n)
    shift <- colSums(counts) - rowSums(counts)
    expect_equal(row$bias, sum(abs(shift)) / 2 / n)
    expect_equal(row$over_used, fit$labels[which.max(shift)])
    mu <- counts / rowSums(counts)
    pairs <- utils::combn(3, 2)
    score <- sum((mu[pairs[1, ], ] - mu[pairs[2, ], ])^2) / (3 * 2)
    expect_equal(row$score, score)
    expect_equal(unname(confusion(fit, worker)), unname(mu))
    expect_equal(unname(confusion(fit, worker, type = "count")), unname(counts))
  }
})

test_that("the score is 0 for equal rows, 1 for a permutation, for two labels Youden's J squared", {
  expect_equal(spammer_score(rbind(c(2, 6), c(1, 3))), 0)
  expect_equal(spammer_score(diag(4)[c(2, 1, 4, 3), ] * 7), 1)
  expect_equal(spammer_score(rbind(c(8, 2), c(3, 7))), (0.8 + 0.7 - 1)^2)
  expect_identical(spammer_score(rbind(c(8, 2), c(0, 0))), NA_real_)
})

test_that("of informative workers the confusion matrix is what a converged fit says", {
  # The refinement stops when the log-likelihood moves by less than a relative 1e-8 or so; the
  # parameters are then within a few 1e-4.
  # By evidence the columns are drawn to those of the crowd, and the matrix is of the answers alone.
  fit <- stagewise_em(crowd$labels, k = 3, control = stagewise_control(criterion = "bic"))
  for (worker in fit$informative) {
    expect_equal(unname(confusion(fit, worker)), unname(t(fit$item_probs[[worker]][, fit$labels])),
                 tolerance = 5e-3)
  }
})

test_that("with certain classes accuracy is the share right and the interval Jeffreys'", {
  expect_equal(accuracy_interval(rep(1:0, c(8, 2)), rep(1, 10), 0.95),
               c(0.8, stats::qbeta(c(0.025, 0.975), 8.5, 2.5)))
  expect_equal(accuracy_interval(rep(1, 5), rep(1, 5), 0.95)[3], 1)
  expect_equal(accuracy_interval(rep(0, 5), rep(1, 5), 0.95)[2], 0)
})

test_that("nothing is known of a worker without labels", {
  expect_identical(accuracy_interval(numeric(), numeric(), 0.95), c(NA, NA, NA))
  expect_identical(accuracy_interval(c(1, 0), c(0, 0), 0.95), c(NA, NA, NA))
})

test_that("classes that are next to certain are no less known than certain ones", {
  certain <- accuracy_interval(rep(1, 100), rep(1, 100), 0.95)
  for (doubt in c(1e-12, 1e-9, 1e-6)) {
    interval <- accuracy_interval(rep(1 - doubt, 100), rep(1, 100), 0.95)
    expect_equal(interval, certain, tolerance = 1e-3)
  }
  # Where workers are now right and now wrong it is the share of the variance.
  right <- rep(c(0.9, 0.2), c(700, 300))
  share <- mean((right - 0.69)^2) / (0.69 * 0.31)
  expect_equal(accuracy_interval(right, rep(1, 1000), 0.95)[2:3],
               stats::qbeta(c(0.025, 0.975), 1000 * share * 0.69 + 0.5, 1000 * share * 0.31 + 0.5),
               tolerance = 1e-3)
})

test_that("with classes of which nothing is known the interval is that of no labels", {
  expect_equal(accuracy_interval(rep(0.5, 50), rep(1, 50), 0.9)[2:3],
               stats::qbeta(c(0.05, 0.95), 0.5, 0.5))
})

test_that("the classes of the others are the posterior without the worker", {
  others <- setdiff(crowd$labels$workers, "1")
  without <- fit
  without$item_probs[["1"]][] <- 1 / 3
  expected <- predict(without, crowd$labels, type = "prob")
  rows <- which(!is.na(as.matrix(crowd$labels)[, "1"]))
  own <- match(as.matrix(crowd$labels)[rows, "1"], crowd$labels$labels)
  labels <- list(row = rows, code = own)
  expect_equal(posterior_of_others(fit$posterior[rows, ], fit$item_probs[["1"]], labels),
               expected[rows, ], tolerance = 1e-6)
  # All of several labels are undone, whatever their number.
  again <- list(row = rep(rows, 2), code = rep(own, 2))
  twice <- fit$posterior[again$row, ] * fit$item_probs[["1"]][again$code, ]
  of_others <- posterior_of_others(twice / rowSums(twice), fit$item_probs[["1"]], again)
  expect_equal(of_others, expected[again$row, ], tolerance = 1e-6)
})

test_that("a worker who leans by no more than rounding does not lean", {
  crowd <- list(labels = c("a", "b"), stands_for = c("1" = "a", "2" = "b"))
  lean <- function(n) bias_table(crowd, list(w = rbind(c(50, n), c(0, 50))))
  expect_identical(lean(5e-11), data.frame(bias = 0, over_used = NA))
  expect_gt(lean(2e-10)$bias, 1e-12)
  expect_equal(lean(25), data.frame(bias = 0.2, over_used = "b"))
})

test_that("the accuracy of uncertain labels is known by half of a label more on each side", {
  right <- c(0.9, 0.7, 0.2)
  weights <- c(1, 2, 1)
  accuracy <- 2.5 / 4
  middle <- (4 * accuracy + 0.5) / 5
  known <- 1 - (0.09 + 2 * 0.21 + 0.16) / 4 / (middle * (1 - middle))
  expect_equal(accuracy_interval(right, weights, 0.9), c(
    accuracy, stats::qbeta(c(0.05, 0.95), 4 * known * accuracy + 0.5,
                           4 * known * (1 - accuracy) + 0.5)
  ))
})

# Known truth ------------------------------------------------------------------------------------

test_that("accuracy is close to the truth with many items and confusion to the true model", {
  many <- simulate_crowd(3000, 20, 3, accuracy = seq(0.5, 0.9, by = 0.1), seed = 2)
  fit <- stagewise_em(many$labels, k = 3)
  quality <- worker_quality(fit)
  truth <- vapply(many$model$item_probs, function(probs) mean(diag(probs)), 0)
  # Standard error below 0.01 from 3000 labels, some more from the uncertain classes.
  expect_lt(max(abs(quality$accuracy - truth[quality$worker])), 0.05)
  expect_lt(max(abs(confusion(fit, "5") - t(many$model$item_probs[["5"]]))), 0.06)
})

test_that("spammers are exactly those who are no experts when the signal is strong", {
  for (seed in 1:3) {
    strong <- simulate_crowd(1000, 40, 3, accuracy = rep(0.7, 6), seed = seed)
    quality <- worker_quality(stagewise_em(strong$labels, k = 3))
    expect_setequal(quality$worker[quality$spammer], as.character(7:40))
    expect_setequal(quality$worker[quality$informative], as.character(1:6))
  }
})

test_that("full EM, which makes everybody informative, marks the same spammers", {
  strong <- simulate_crowd(600, 12, 3, accuracy = rep(0.8, 6), seed = 1)
  quality <- worker_quality(mdpd(strong$labels, k = 3))
  expect_setequal(quality$worker[quality$spammer], as.character(7:12))
})

test_that("someone who swaps two labels is no spammer, but wrong", {
  strong <- simulate_crowd(500, 8, 3, accuracy = rep(0.9, 5), seed = 1)
  triples <- as.data.frame(strong$labels)
  swapped <- triples$worker == "2"
  triples$label[swapped] <- c("2", "1", "3")[as.integer(triples$label[swapped])]
  quality <- worker_quality(stagewise_em(crowd_labels(triples), k = 3))
  row <- quality[quality$worker == "2", ]
  expect_false(row$spammer)
  expect_lt(row$accuracy, 0.5)
  expect_gt(row$score, 0.5)
})

test_that("intervals cover the true accuracy of experts, and of the others", {
  skip_below_level_2()
  covered <- vapply(1:40, function(seed) {
    crowd <- simulate_crowd(1000, 30, 3, accuracy = rep(0.8, 8), missing = 0.3, seed = seed)
    quality <- worker_quality(stagewise_em(crowd$labels, k = 3))
    truth <- vapply(crowd$model$item_probs, function(probs) mean(diag(probs)), 0)[quality$worker]
    inside <- quality$accuracy_lower <= truth & truth <= quality$accuracy_upper
    c(mean(inside[quality$informative]), mean(inside[!quality$informative]))
  }, numeric(2))
  # 320 and 880 intervals; the rest of the model is taken as known, which costs some percent.
  expect_gt(mean(covered[1, ]), 0.88)
  expect_gt(mean(covered[2, ]), 0.90)
})

# The table --------------------------------------------------------------------------------------

test_that("a worker with few labels does not come before one with many by luck", {
  # Three labels, all as the fit would have them, tell more each than those of an expert.
  lucky <- as.data.frame(crowd$labels)
  sure <- order(-apply(fit$posterior, 1, max))[1:60]
  class <- factor(predict(fit)[sure], fit$labels)
  sure <- sure[unlist(lapply(split(seq_along(sure), class), utils::head, 4))]
  lucky <- rbind(lucky, data.frame(item = rownames(fit$posterior)[sure], worker = "lucky",
                                   label = predict(fit)[sure]))
  by_bic <- stagewise_control(criterion = "bic")
  quality <- worker_quality(stagewise_em(crowd_labels(lucky), k = 3, control = by_bic))
  at <- which(quality$worker == "lucky")
  expect_gt(quality$information[at], max(quality$information[-at]))
  expect_gt(at, 4)
})

test_that("there is a row for each worker, the most informative first", {
  expect_named(quality, c(
    "worker", "n_labels", "accuracy", "accuracy_lower", "accuracy_upper", "information", "evidence",
    "inclusion", "score", "bias", "over_used", "rank", "informative", "spammer"
  ))
  expect_setequal(quality$worker, crowd$labels$workers)
  expect_false(is.unsorted(-quality$evidence))
  expect_equal(quality$inclusion, unname(fit$inclusion[quality$worker]))
  expect_equal(quality$worker[match(seq_along(fit$informative), quality$rank)], informative(fit))
  expect_equal(is.na(quality$rank), !quality$informative)
  expect_identical(rownames(quality), as.character(1:20))
})

test_that("intervals hold the estimate and are wider at a higher level", {
  expect_true(all(quality$accuracy_lower <= quality$accuracy &
                    quality$accuracy <= quality$accuracy_upper))
  wide <- worker_quality(fit, level = 0.99)
  expect_true(all(wide$accuracy_upper - wide$accuracy_lower >
                    quality$accuracy_upper - quality$accuracy_lower))
})

test_that("permuted items, workers and labels permute the table", {
  triples <- as.data.frame(crowd$labels)
  renamed <- data.frame(
    item = factor(triples$item, rev(levels(triples$item))),
    worker = factor(triples$worker, rev(levels(triples$worker))),
    label = factor(c("z", "a", "m")[as.integer(triples$label)])
  )
  permuted <- worker_quality(stagewise_em(crowd_labels(renamed), k = 3))
  columns <- setdiff(names(quality), c("rank", "over_used"))
  # Other orders of summation end EM at another iteration.
  expect_equal(by_worker(permuted)[columns], by_worker(quality)[columns], tolerance = 1e-3,
               ignore_attr = TRUE)
  expect_equal(match(by_worker(permuted)$over_used, c("z", "a", "m")),
               as.integer(by_worker(quality)$over_used))
})

test_that("case weights count like repeated rows", {
  twice <- fit
  twice$coded$weights <- rep(2, fit$n_obs)
  expect_equal(confusion(twice, "1", type = "count"), 2 * confusion(fit, "1", type = "count"))
  expect_equal(worker_quality(twice)[c("accuracy", "bias")], quality[c("accuracy", "bias")])
})

test_that("a worker with one label is no spammer and has a wide interval", {
  one <- as.data.frame(crowd$labels)
  one <- rbind(one, data.frame(item = "1", worker = "new", label = "2"))
  row <- subset(worker_quality(stagewise_em(crowd_labels(one), k = 3)), worker == "new")
  expect_equal(row$n_labels, 1L)
  expect_false(row$spammer)
  expect_gt(row$accuracy_upper - row$accuracy_lower, 0.5)
})

test_that("a worker with few labels, or who saw one class only, is never marked", {
  evidence <- data.frame(
    gain = c(60, 0, 0, 0), df = 4, df_all = 4, to_gain = c(110, 110, 5, 0), n = c(100, 100, 8, 100),
    n_cells = 9
  )
  expect_identical(is_spammer(evidence, 0.05), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(is_spammer(evidence[-1, ], 0.05), NA)
  # The first explains 58 of 110 nats, 60 less half its degrees of freedom: of someone half as good
  # twice the gain is chi-squared with this centre, and less than 4 with this probability.
  p_value <- stats::pchisq(4, 4, ncp = 58)
  expect_true(is_spammer(evidence, 1.05 * p_value)[2])
  expect_false(is_spammer(evidence, 0.95 * p_value)[2])
  # Dependence is more than half a logarithm of the number of labels for each degree of freedom.
  evidence$gain[1] <- 2 * log(100) + 0.01
  expect_false(is_spammer(evidence, 0.05)[1])
  evidence$gain[1] <- 2 * log(100) - 0.01
  expect_identical(is_spammer(evidence, 0.05), NA)
})

test_that("degrees of freedom are those of a table of classes by labels", {
  labels <- data.frame(
    item = rep(1:15, 3), worker = rep(c("a", "b", "two labels"), each = 15),
    label = c(rep(c(1, 2, 3, 1, 3), 3), rep(c(1, 2, 3, 2, 3), 3), rep(c(2, 2, 1, 1, 2), 3))
  )
  fit <- suppressWarnings(mdpd(crowd_labels(labels), 3))
  given <- labels_given(fit, names(fit$item_probs))
  tested <- dependence_test(fit, names(fit$item_probs), given)
  expect_equal(tested$df, (3 - 1) * (c(3, 3, 2) - 1))
  expect_equal(tested$df_all, rep((3 - 1) * (3 - 1), 3))
  expect_equal(tested$n_cells, rep(3 * 3, 3))
})

test_that("what a worker's labels tell is what a table of classes by labels tells", {
  counts <- rbind(c(8, 2), c(1, 9))
  expected <- rbind(c(4.5, 5.5), c(4.5, 5.5))
  expect_equal(log_likelihood_ratio(counts), sum(counts * log(counts / expected)))
  expect_equal(log_likelihood_ratio(rbind(c(4, 0.5), c(0, 0))), 0)
  expect_equal(log_likelihood_ratio(diag(c(0.5, 2))), 0.5 * log(5) + 2 * log(1.25))
  workers <- c("1", "7", "20")
  given <- labels_given(fit, workers)
  tested <- dependence_test(fit, workers, given)
  tables <- label_counts(fit, workers, given, others_only = TRUE)
  expect_equal(tested$n, unname(vapply(tables, sum, 0)))
  expect_equal(tested$gain, unname(vapply(tables, log_likelihood_ratio, 0)))
  expect_equal(tested$to_gain, unname(vapply(tables, function(table) {
    -sum(rowSums(table) * log(rowSums(table) / sum(table)))
  }, 0)))
  # Of two labels, and of one.
  first <- match(1:2, given("1")$label)
  of <- function(at) {
    dependence_test(fit, "1", function(worker) lapply(given("1"), `[`, at))[c("df", "to_gain", "n")]
  }
  expect_equal(unlist(of(first)[c("df", "n")]), c(df = 2, n = 2))
  expect_equal(unlist(of(first[1])[c("df", "n")]), c(df = 0, n = 1))
  expect_gt(of(first[1])$to_gain, 0)
  # And of none.
  expect_equal(unlist(of(0)), c(df = 0, to_gain = 0, n = 0))
})

test_that("someone always of one opinion is a spammer", {
  always <- as.data.frame(crowd$labels)
  always <- rbind(always, data.frame(item = 1:400, worker = "yes", label = "2"))
  row <- subset(worker_quality(stagewise_em(crowd_labels(always), k = 3)), worker == "yes")
  expect_true(row$spammer)
  expect_equal(row$score, 0)
  expect_equal(row$over_used, "2")
})

test_that("labels may be named by anything, and missing labels be a level", {
  triples <- as.data.frame(crowd$labels)
  triples$label <- factor(triples$label, labels = c("(missing)?", "b c", "\u00e9"))
  renamed <- stagewise_em(crowd_labels(triples), k = 3)
  expect_equal(dimnames(confusion(renamed, "1")),
               list(class = renamed$labels, label = renamed$labels))
  expect_equal(worker_quality(renamed)$accuracy, quality$accuracy, tolerance = 1e-6)
  level <- suppressWarnings(stagewise_em(crowd$labels, k = 3, missing = "level"))
  expect_equal(sum(worker_quality(level)$n_labels), length(crowd$labels$label))
  expect_equal(dim(confusion(level, "1")), c(level$k, 3L))
})

test_that("components that are no labels leave accuracy and bias unknown, with a message", {
  # With a class too few, two workers agree more than the classes explain.
  two <- suppressWarnings(stagewise_em(crowd$labels, k = 2), "mdpd_warning_copied_items")
  expect_message(quality <- worker_quality(two), class = "mdpd_message_unnamed_components")
  expect_true(all(is.na(quality[c("accuracy", "accuracy_lower", "bias", "over_used")])))
  expect_false(anyNA(quality[c("information", "score", "spammer")]))
  expect_equal(dim(confusion(two, "1")), 2:3)
  # Also of someone whose labels are called as components are.
  given <- function(worker) list(row = 1:2, label = c(1, 2))
  expect_true(all(is.na(accuracy_table(two, "1", given, 0.95))))
})

test_that("one component knows of no spammers", {
  one <- stagewise_em(crowd$labels, k = 1)
  quality <- suppressMessages(worker_quality(one))
  expect_true(all(is.na(quality$spammer)))
})

# Confusion --------------------------------------------------------------------------------------

test_that("confusion gives a matrix for one worker, a named list for several", {
  expect_equal(rowSums(confusion(fit, 3)), c("1" = 1, "2" = 1, "3" = 1))
  expect_named(confusion(fit, c("9", "2")), c("9", "2"))
  expect_named(confusion(fit), crowd$labels$workers)
  expect_equal(confusion(fit)[["4"]], confusion(fit, "4"))
  expect_equal(unlist(lapply(confusion(fit, type = "count"), sum))[quality$worker],
               stats::setNames(quality$n_labels, quality$worker), ignore_attr = FALSE)
})

test_that("a class the worker has not seen has no probabilities", {
  unseen <- fit
  unseen$posterior[, "2"] <- 0
  expect_true(all(is.na(confusion(unseen, "1")["2", ])))
})

# Errors -----------------------------------------------------------------------------------------

test_that("what is no crowd fit, or holds no data, is an error that says so", {
  table <- stagewise_em(as.data.frame(as.matrix(crowd$labels)), k = 3)
  for (f in list(worker_quality, confusion, item_quality)) {
    expect_error(f(table), class = "mdpd_error_not_a_crowd")
    expect_error(f(crowd$model), class = "mdpd_error_not_stored")
    expect_error(f(crowd$labels), class = "mdpd_error_argument")
    expect_error(f(stagewise_em(crowd$labels, k = 3, keep_data = FALSE)),
                 class = "mdpd_error_no_data")
  }
  expect_error(worker_quality(fit, level = 2), class = "mdpd_error_argument")
  expect_error(worker_quality(fit, alpha = NA), class = "mdpd_error_argument")
  expect_error(confusion(fit, character()), class = "mdpd_error_argument")
  expect_error(confusion(fit, type = "odds"), class = "mdpd_error_argument")
  expect_snapshot({
    show_conditions(worker_quality(table))
    show_conditions(confusion(fit, c("1", "x", "y")))
  })
})

test_that("workers may be named by numbers, however round", {
  triples <- data.frame(item = rep(1:30, each = 3), worker = c(1, 100000, 2e6),
                        label = rep(rep(c("a", "b"), each = 3), 15))
  fit <- suppressWarnings(stagewise_em(crowd_labels(triples), k = 2))
  expect_identical(confusion(fit, 100000), confusion(fit, "100000"))
  expect_named(confusion(fit, c(2e6, 1)), c("2000000", "1"))
  expect_identical(confusion(fit, factor("100000")), confusion(fit, "100000"))
  expect_error(confusion(fit, 300000), "no \"300000\"", class = "mdpd_error_argument")
  expect_error(confusion(fit, NA), class = "mdpd_error_argument")
  expect_error(confusion(fit, numeric()), class = "mdpd_error_argument")
  expect_error(confusion(fit, list("1")), class = "mdpd_error_argument")
})

test_that("nobody is a spammer where no worker shows any dependence", {
  one_label <- data.frame(gain = 0, df = 1, df_all = 1, to_gain = 0, n = 1, n_cells = 4)
  expect_identical(is_spammer(one_label, alpha = 0.05), NA)
})

test_that("of weights that sum to little, as to much, dependence must pay for its logarithm", {
  shown <- function(gain, n) {
    row <- data.frame(gain, df = 1, df_all = 1, to_gain = 1, n, n_cells = 4)
    !identical(is_spammer(row, alpha = 0.05), NA)
  }
  for (n in c(1.5, 20)) {
    expect_false(shown(0.99 * log(n) / 2, n))
    expect_true(shown(1.01 * log(n) / 2, n))
  }
  expect_false(shown(0, n = 0.5))
  expect_true(shown(0.01, n = 0.5))
})

test_that("nobody whose labels surely depend on the class is a spammer, of however many labels", {
  # The penalty of BIC for all cells of a worker, 122 nats, is more than such a worker gains.
  triples <- with_seed(2, {
    truth <- sample(8, 600, TRUE)
    right <- c(rep(0.9, 15), rep(0.5, 5))
    labels <- vapply(right, function(share) {
      ifelse(stats::runif(600) < share, truth, sample(8, 600, TRUE))
    }, numeric(600))
    labels[matrix(stats::runif(600 * 20) > 0.25, 600)] <- NA
    all <- data.frame(item = c(row(labels)), worker = c(col(labels)), label = c(labels))
    all[!is.na(all$label), ]
  })
  quality <- worker_quality(stagewise_em(crowd_labels(triples), k = 8))
  weak <- quality[as.integer(quality$worker) > 15, ]
  expect_gt(min(weak$evidence), log(20))
  expect_false(any(quality$spammer))
})
