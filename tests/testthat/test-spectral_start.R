spectral <- function(coded, k, groups = NULL, seed = 1, averaged = TRUE) {
  spectral_start(coded, k, seed, averaged, groups)
}

parameters <- c("mixing_weights", "item_probs")

# Three solves and a whitening, each losing the condition number, some 1e3 here, on 1e-16.
exact <- 1e-8

# Three views of k columns, the means of component h in column h.
random_views <- function(k, on_diagonal) {
  means <- lapply(1:3, function(g) {
    noise <- random_model(k, k)$item_probs[[1]]
    on_diagonal * diag(nrow = k) + (1 - on_diagonal) * noise
  })
  mixing_weights <- random_simplex(k) + 0.2
  list(mixing_weights = mixing_weights / sum(mixing_weights), means = means)
}

# Rows that are the components, in their shares, have the moments of the population: the views are
# constant given the component.
decompose_exactly <- function(model, by_label) {
  decompose_views(lapply(model$means, t), model$mixing_weights, by_label)
}

random_orthogonal <- function(k) qr.Q(qr(matrix(stats::rnorm(k^2), k)))

power_of <- function(u) outer(outer(u, u), u)

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
  engine_refine(coded, start[parameters], "full")
}

share_wrong <- function(fit, truth) mean(max.col(fit$posterior, "first") != truth)

test_that("the tensor power method recovers an orthogonal decomposition exactly", {
  with_seed(1, for (k in 1:7) {
    vectors <- random_orthogonal(k)
    tensor <- Reduce(`+`, lapply(1:k, function(h) (1 + h / 2) * power_of(vectors[, h])))
    pairs <- tensor_power_method(array(tensor, c(k, k, k)))
    rest <- Reduce(`-`, lapply(1:k, function(h) pairs$values[h] * power_of(pairs$vectors[, h])),
                   tensor)
    # A few hundred operations on numbers near 1.
    expect_lt(max(abs(rest)), 1e-12)
    expect_false(is.unsorted(-pairs$values))
    # Every vector is found, with its sign.
    expect_close(apply(crossprod(vectors, pairs$vectors), 1, max), rep(1, k), 1e-12)
  })
})

test_that("a tensor in which nothing is left has eigenvalues zero", {
  pairs <- tensor_power_method(array(0, c(3, 3, 3)))
  expect_equal(pairs$values, numeric(3))
  expect_true(all(is.finite(pairs$vectors)))
})

test_that("whitening makes the identity of a moment, and is undone", {
  with_seed(2, for (k in 1:6) {
    root <- matrix(stats::rnorm(k^2), k)
    whitening <- whiten(tcrossprod(root))
    expect_close(t(whitening$there) %*% tcrossprod(root) %*% whitening$there, diag(k), exact)
    expect_close(whitening$back %*% t(whitening$there), diag(k), exact)
  })
})

test_that("exact moments give the exact model, labels in order", {
  with_seed(3, for (case in 1:30) {
    truth <- random_views(k = (case - 1) %/% 5 + 1, on_diagonal = 0.6)
    found <- decompose_exactly(truth, by_label = TRUE)
    expect_close(found$means, truth$means, exact)
    expect_close(found$mixing_weights, truth$mixing_weights, exact)
  })
})

test_that("exact moments give the exact model when coordinates are no labels", {
  with_seed(4, for (case in 1:30) {
    k <- (case - 1) %/% 5 + 1
    truth <- random_views(k, on_diagonal = 0.4)
    truth$means <- lapply(truth$means, function(means) random_orthogonal(k) %*% means)
    found <- decompose_exactly(truth, by_label = FALSE)
    # No two weights are the same.
    order <- order(found$mixing_weights)[rank(truth$mixing_weights)]
    expect_close(lapply(found$means, function(means) means[, order]), truth$means, exact)
    expect_close(found$mixing_weights[order], truth$mixing_weights, exact)
  })
})

test_that("moments of too low a rank are told, not inverted", {
  model <- with_seed(5, random_views(3, on_diagonal = 0.5))
  for (g in 1:3) {
    low <- model
    low$means[[g]][, 3] <- low$means[[g]][, 1]
    expect_null(decompose_exactly(low, by_label = TRUE))
    expect_null(decompose_exactly(low, by_label = FALSE))
  }
})

test_that("a moment is of too low a rank from a reciprocal condition of 1e-10 on", {
  # The moments of the first two views are half of diag(1, x), that of the third with itself is half
  # of diag(1, y).
  found <- function(x, y) {
    !is.null(decompose_view(list(diag(2), diag(c(1, x)), diag(c(1, sqrt(y)))), c(0.5, 0.5), 3))
  }
  expect_true(found(1, 1))
  expect_identical(c(found(5e-11, 1), found(2e-10, 1)), c(FALSE, TRUE))
  expect_identical(c(found(1, 5e-11), found(1, 2e-10)), c(FALSE, TRUE))
})

test_that("what is estimated as impossible has a probability of a millionth", {
  expect_equal(as_distributions(cbind(c(-1, 0.5, 0.5), c(NA, 2, 1))),
               cbind(c(1e-6, 0.5, 0.5) / (1 + 1e-6), c(1e-6, 2, 1) / (3 + 1e-6)),
               tolerance = 1e-12)
  expect_equal(as_distributions(cbind(c(5e-7, 1)))[1], 1e-6 / (1 + 1e-6), tolerance = 1e-12)
  # Above that it stays.
  expect_equal(as_distributions(cbind(c(2e-6, 1)))[1], 2e-6 / (1 + 2e-6), tolerance = 1e-12)
})

test_that("an item that nobody answered has means of zero", {
  coded <- coded_from_codes(cbind(c(1, 2, 1), 0), c(3, 2))
  expect_equal(means_by_level(names(coded$levels), coded, c(0.5, 0.25, 0.25), cbind(1, 1:3)), list(
    item_1 = rbind(c(3, 5) / 4, c(1, 2) / 4, 0), item_2 = matrix(0, 2, 2)
  ))
})

test_that("a row that answers an item several times shows the mean of its answers", {
  codes <- new_sparse_codes(c(1, 1, 1, 2), c(1, 1, 1, 1), c(1, 1, 2, 2), c(2, 1),
                            list(NULL, "a"))
  coded <- new_coded(codes, list(a = c("x", "y")), c(1, 1), "ignore")
  view <- rbind(c(2, 1) / 3, c(0, 1))
  expect_close(view_of("a", coded, c(1, 1), averaged = FALSE), view, 1e-14)
  expect_close(view_of("a", coded, c(1, 1), averaged = TRUE), view, 1e-14)
})

test_that("a view shows answers one-hot and the item's frequencies where there is none", {
  coded <- coded_from_codes(cbind(c(1, 2, 2, 0), c(1, 0, 2, 2)), c(2, 2), c(1, 2, 1, 5) / 9)
  first <- rbind(c(1, 0), c(0, 1), c(0, 1), c(1, 3) / 4)
  second <- rbind(c(1, 0), c(1, 6) / 7, c(0, 1), c(0, 1))
  view <- function(averaged) view_of(names(coded$levels), coded, coded$weights, averaged)
  expect_close(view(averaged = FALSE), cbind(first, second), 1e-14)
  expect_close(view(averaged = TRUE), (first + second) / 2, 1e-14)
})

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

test_that("stacked views find a crowd too", {
  truth <- dense_crowd(10)$model
  truth$mixing_weights[] <- c(0.5, 0.3, 0.2)
  start <- spectral(encode(simulate(truth, seed = 7, n_obs = 50000)[[1]]), 3, averaged = FALSE)
  expect_equal(start$status, "found")
  # Without labels in the views, their order is chance.
  order <- order(start$mixing_weights, decreasing = TRUE)
  start$item_probs <- lapply(start$item_probs, function(probs) probs[, order])
  expect_lt(largest_difference(start, truth), 0.05)
  expect_lt(max(abs(start$mixing_weights[order] - truth$mixing_weights)), 0.02)
})

test_that("with fewer components than labels the answers are averaged and then narrowed", {
  two <- dense_crowd(20000)
  kept <- two$truth != levels(two$truth)[3]
  coded <- subset_rows(encode(two$labels), which(kept))
  start <- spectral(coded, 2)
  expect_equal(start$status, "found")
  fit <- em_from(start, coded)
  expect_lt(n_wrong(fit$posterior, as.integer(two$truth[kept])) / sum(kept), 0.01)
})

test_that("workers may differ in whether missing labels are a level", {
  crowd <- dense_crowd(500)
  triples <- as.data.frame(crowd$labels)
  gone <- triples$worker == "1" & as.integer(triples$item) %% 5 == 0
  some_missing <- crowd_labels(triples[!gone, ])
  fit <- mdpd(some_missing, k = 3, start = "spectral", missing = "level")
  complete <- mdpd(crowd$labels, k = 3, start = "spectral")
  # A hundred labels of the worst of twenty workers.
  expect_lt(error_rate(fit, crowd$truth), error_rate(complete, crowd$truth) + 0.01)
})

test_that("a case weight of w is w rows", {
  coded <- encode(dense_crowd(300, missing = 0.2)$labels)
  coded$weights <- rep_len(c(1, 3, 2, 0), 300)
  repeated <- subset_rows(coded, rep(1:300, coded$weights))
  repeated$weights[] <- 1
  for (averaged in c(TRUE, FALSE)) {
    weighted <- spectral(coded, 3, averaged = averaged)
    expect_equal(weighted$status, "found")
    written_out <- spectral(repeated, 3, averaged = averaged)
    expect_close(weighted[parameters], written_out[parameters], exact)
  }
})

test_that("sparse codes give the start of the same codes stored dense", {
  sparse <- encode(dense_crowd(5000, missing = 0.5)$labels)
  dense <- sparse
  sparse$codes <- as_sparse_codes(dense$codes)
  for (averaged in c(TRUE, FALSE)) {
    start <- spectral(sparse, 3, averaged = averaged)
    expect_equal(start$status, "found")
    expect_close(start[parameters], spectral(dense, 3, averaged = averaged)[parameters], exact)
  }
})

test_that("permuting workers together with their groups permutes the start", {
  coded <- encode(dense_crowd(2000)$labels)
  groups <- rep_len(1:3, 20)
  order <- c(20:11, 1:10)
  plain <- spectral(coded, 3, groups)
  permuted <- spectral(subset_items(coded, order), 3, groups[order])
  # The same sums in another order, through three inversions.
  expect_close(permuted$item_probs, plain$item_probs[order], 1e-8)
  expect_close(permuted$mixing_weights, plain$mixing_weights, 1e-8)
})

test_that("the order of rows and the names of the groups do not matter", {
  coded <- encode(dense_crowd(2000, missing = 0.3)$labels)
  groups <- rep_len(1:3, 20)
  plain <- spectral(coded, 3, groups)
  rows <- spectral(subset_rows(coded, 2000:1), 3, groups)
  expect_close(rows$item_probs, plain$item_probs, 1e-8)
  renamed <- spectral(coded, 3, c(3, 1, 2)[groups])
  expect_close(renamed$item_probs, plain$item_probs, 1e-8)
})

test_that("renaming the labels renames the start", {
  coded <- encode(dense_crowd(5000)$labels)
  groups <- rep_len(1:3, 20)
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
  fit <- em_from(start, coded)
  # EM ends where it ends from the true model: the start lies in its basin.
  from_truth <- em_from(truth[c("mixing_weights", "item_probs")], coded)
  expect_close(fit$loglik, from_truth$loglik, 1e-6)
})

test_that("every start is a set of distributions in which nothing is impossible", {
  for (case in random_cases(n_items = 9)) {
    start <- spectral(case$coded, case$k, averaged = FALSE)
    expect_equal(start$status, "found", label = case$label)
    expect_close(sum(start$mixing_weights), 1)
    expect_close(lapply(start$item_probs, colSums), rep(1, 9 * case$k), label = case$label)
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

test_that("three items are enough where each has as many levels as there are components", {
  crowd <- simulate_crowd(3000, 4, n_labels = 2, accuracy = rep(0.8, 4), seed = 1)
  coded <- encode(crowd$labels)
  for (averaged in c(TRUE, FALSE)) {
    start <- spectral(subset_items(coded, 1:3), 2, averaged = averaged)
    expect_equal(start$status, "found")
    # Standard errors of a frequency are 0.01, those of three items without others some times that.
    expect_lt(abs(max(start$item_probs[[1]]) - 0.8), 0.1)
  }
  # One of three views has the columns for three components, which the others do not have.
  wide <- coded_from_codes(cbind(rep(1:3, 40), rep(1:2, 60), rep(1:2, each = 60)))
  expect_equal(spectral(wide, 3, averaged = FALSE)$status, "rank_too_low")
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
