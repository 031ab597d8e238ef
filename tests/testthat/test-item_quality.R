crowd <- simulate_crowd(200, 12, 3, accuracy = c(0.9, 0.8, 0.8, 0.7, 0.7, 0.6), missing = 0.4,
                        seed = 3)
fit <- stagewise_em(crowd$labels, k = 3)
items <- item_quality(fit)

entropy <- function(p) -sum(p[p > 0] * log(p[p > 0]))

# The expected entropy after the vote, label by label, by Bayes' rule.
enumerated_gain <- function(posterior, probs) {
  after <- 0
  for (r in seq_len(nrow(probs))) {
    p_label <- sum(posterior * probs[r, ])
    if (p_label > 0) {
      after <- after + p_label * entropy(posterior * probs[r, ] / p_label)
    }
  }
  entropy(posterior) - after
}

# Of one worker on rows that nobody labelled.
expected_gain <- function(posterior, probs) {
  core_vote_gains(posterior, integer(), list(probs), list(integer()), 1)$mean
}

# One worker at a time over all items: entropy before the label less the expected one after it.
vote_gains_twin <- function(object, given) {
  n_items <- nrow(object$posterior)
  total <- best <- numeric(n_items)
  next_worker <- rep(NA_character_, n_items)
  for (worker in informative(object)) {
    gain <- -rowSums(xlogx(object$posterior))
    for (q in asplit(label_probs(object, worker), 1)) {
      joint <- object$posterior * rep(q, each = n_items)
      gain <- gain + rowSums(xlogx(joint)) - xlogx(rowSums(joint))
    }
    gain <- ifelse(gain > 1e-12, gain, 0)
    total <- total + gain
    better <- replace(gain > best + 1e-12, given(worker)$row, FALSE)
    best[better] <- gain[better]
    next_worker[better] <- worker
  }
  data.frame(
    gain = total / max(1, length(informative(object))), next_worker, best_gain = best,
    row.names = NULL
  )
}

test_that("the gains are those of the plain form, of dense and sparse crowds", {
  # More workers, fewer labels each: below a tenth of the cells, so that the codes are sparse.
  sparse <- simulate_crowd(400, 80, 3, accuracy = rep(0.8, 40), missing = 0.93, seed = 5)$labels
  fits <- list(fit, mdpd(sparse, 3), suppressWarnings(stagewise_em(sparse, 3)))
  expect_true(is_sparse(fits[[2]]$coded$codes))
  for (object in fits) {
    given <- labels_given(object)
    expect_equal(vote_gains(object, given), vote_gains_twin(object, given), tolerance = 1e-10)
  }
})

test_that("there is a row for each item, with its label and how sure that is", {
  expect_named(items, c("item", "label", "probability", "entropy", "n_labels", "gain",
                        "next_worker", "best_gain", "another_vote"))
  expect_equal(items$item, crowd$labels$items)
  expect_equal(items$label, unname(predict(fit)))
  expect_equal(items$probability, unname(apply(fit$posterior, 1, max)))
  expect_equal(items$entropy, unname(apply(fit$posterior, 1, entropy)))
  expect_equal(items$n_labels, tabulate(crowd$labels$item, 200))
})

test_that("the gain is the enumerated fall of the entropy", {
  votes <- as.matrix(crowd$labels)
  for (i in c(1, 17, which.max(items$entropy))) {
    gains <- vapply(informative(fit), function(worker) {
      enumerated_gain(fit$posterior[i, ], fit$item_probs[[worker]])
    }, 0)
    expect_equal(items$gain[i], mean(gains), tolerance = 1e-8)
    left <- gains[is.na(votes[i, informative(fit)])]
    expect_equal(items$best_gain[i], max(0, left), tolerance = 1e-8)
    if (length(left) > 0) {
      expect_equal(items$next_worker[i], names(which.max(left)))
    }
  }
})

test_that("workers who do not look are no voters", {
  # By evidence their columns differ a little as well, in 16 of 16 workers here.
  guessed <- simulate_crowd(200, 16, 3, accuracy = rep(0.85, 5), missing = 0.6, seed = 1)
  few <- stagewise_em(guessed$labels, k = 3)
  expect_length(few$informative, 16)
  expect_setequal(informative(few), 1:5)
  gains <- vapply(informative(few), function(worker) {
    expected_gain(few$posterior, few$item_probs[[worker]])
  }, numeric(200))
  quality <- item_quality(few)
  expect_equal(quality$gain, rowMeans(gains), tolerance = 1e-8)
  expect_true(all(quality$next_worker %in% c(1:5, NA)))
})

test_that("the gain is never negative and never more than there is to know", {
  posteriors <- with_seed(1, random_posterior(200, 4))
  posteriors[1:4, ] <- diag(4)
  for (seed in 1:10) {
    probs <- with_seed(seed, random_model(4, 5))$item_probs[[1]]
    gain <- expected_gain(posteriors, probs)
    expect_true(all(gain >= 0))
    expect_true(all(gain <= apply(posteriors, 1, entropy) + 1e-12))
    expect_equal(gain[1:4], rep(0, 4))
  }
})

test_that("a perfect worker gains all the entropy, one who does not look nothing", {
  posterior <- with_seed(2, random_posterior(50, 3))
  expect_equal(expected_gain(posterior, diag(3)), apply(posterior, 1, entropy))
  expect_equal(expected_gain(posterior, matrix(c(0.5, 0.3, 0.2), 3, 3)), rep(0, 50))
})

test_that("the gains that the help quotes are right", {
  probs <- matrix(c(0.8, 0.2, 0.2, 0.8), 2)
  gain <- expected_gain(rbind(c(0.5, 0.5), c(0.9, 0.1), c(0.97, 0.03)), probs)
  expect_equal(round(gain, 2), c(0.19, 0.07, 0.02))
})

test_that("an item whose class is certain needs no vote", {
  certain <- fit
  certain$posterior[1, ] <- c(0, 1, 0)
  row <- item_quality(certain, min_gain = 0)[1, ]
  expect_identical(unlist(row[c("entropy", "gain", "best_gain")], use.names = FALSE), c(0, 0, 0))
  expect_false(row$another_vote)
  expect_identical(row$next_worker, NA_character_)
})

test_that("the next worker has not labelled the item, and nobody is left in a full table", {
  votes <- as.matrix(crowd$labels)
  asked <- !is.na(items$next_worker)
  expect_true(all(is.na(votes[cbind(items$item, items$next_worker)[asked, ]])))
  full <- simulate_crowd(100, 8, 3, accuracy = rep(0.7, 5), seed = 1)
  full <- item_quality(stagewise_em(full$labels, k = 3))
  expect_true(all(is.na(full$next_worker)) && all(full$best_gain == 0))
  expect_gt(max(full$gain), 0)
})

test_that("the threshold decides which votes pay", {
  expect_equal(items$another_vote, items$gain > 0.02)
  expect_equal(item_quality(fit, min_gain = 0.1)$another_vote, items$gain > 0.1)
  expect_false(any(item_quality(fit, min_gain = 2)$another_vote))
})

test_that("permuted items and workers permute the table", {
  triples <- as.data.frame(crowd$labels)
  triples$item <- factor(triples$item, rev(levels(triples$item)))
  triples$worker <- factor(triples$worker, rev(levels(triples$worker)))
  permuted <- item_quality(stagewise_em(crowd_labels(triples), k = 3))
  # Other orders of summation end EM at another iteration.
  expect_equal(permuted[200:1, ], items, tolerance = 1e-3, ignore_attr = TRUE)
})

test_that("a vote is a label: the level for missing labels does not enter", {
  level <- suppressWarnings(stagewise_em(crowd$labels, k = 3, missing = "level"))
  probs <- label_probs(level, informative(level)[1])
  expect_equal(rownames(probs), level$labels)
  expect_equal(unname(colSums(probs)), rep(1, level$k))
  expect_equal(item_quality(level)$n_labels, items$n_labels)
  # Also where one label is all that there is.
  one <- list(labels = "a", item_probs = list(w = rbind(a = c(0.2, 0.6), none = c(0.8, 0.4))))
  expect_identical(label_probs(one, "w"), rbind(a = c(1, 1)))
})

test_that("without informative workers no vote gains anything", {
  one <- item_quality(stagewise_em(crowd$labels, k = 1))
  expect_true(all(one$gain == 0) && all(one$entropy == 0) && !any(one$another_vote))
})

test_that("a threshold below zero is an error", {
  expect_error(item_quality(fit, min_gain = -1), class = "mdpd_error_argument")
})
