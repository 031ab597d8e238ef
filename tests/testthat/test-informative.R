# Conditional mutual information of two items in one component times the share of the component's
# weight on which both are observed (plain R).
plain_information <- function(x, y, weight) {
  seen <- !is.na(x) & !is.na(y)
  table <- tapply(weight[seen], list(x[seen], y[seen]), sum, default = 0)
  total <- sum(table)
  expected <- outer(rowSums(table), colSums(table)) / total
  sum(ifelse(table > 0, table / total * log(table / expected), 0)) * total / sum(weight)
}
plain_matrix <- function(x, weight) {
  out <- matrix(0, length(x), length(x), dimnames = list(names(x), names(x)))
  for (i in seq_along(x)) {
    for (j in setdiff(seq_along(x), i)) out[i, j] <- plain_information(x[[i]], x[[j]], weight)
  }
  out
}
# Information is a difference of sums of size one.
rounding <- 1e-10

# ---- informative() -----------------------------------------------------------------------------

test_that("informative() names the items in the order they joined", {
  fit <- stagewise_em(answers(), k = 2, method = "paper", refine = "none")
  expect_identical(informative(fit), fit$informative)
  expect_identical(informative(fit)[1:2], c(fit$trace$item_1[1], fit$trace$item_2[1]))
  expect_true(all(fit$item_information[informative(fit)] > 0))
})

test_that("informative() works on a true model", {
  expect_identical(informative(simulate_crowd(seed = 1)$model), as.character(1:5))
})

test_that("with one component no item is informative, whatever it was fitted to", {
  fit <- mdpd(answers(100), k = 1)
  expect_length(fit$informative, ncol(answers(100)))
  expect_identical(informative(fit), character())
  expect_false(any(generics::tidy(fit)$informative))
  expect_identical(generics::glance(fit)$n_informative, 0L)
  expect_identical(nrow(summary(fit)$informative), 0L)
})

test_that("informative() takes nothing else", {
  fit <- stagewise_em(answers(), k = 2)
  expect_error(informative(fit, 2), class = "rlib_error_dots_nonempty")
  expect_error(informative(fit, fdr = 1.5), class = "mdpd_error_argument")
  expect_error(informative(1), class = "mdpd_error_argument")
  expect_error(informative(), "`object` must be given", class = "mdpd_error_argument")
  expect_error(information(), "`object` must be given", class = "mdpd_error_argument")
  expect_error(information(fit, component = 0), "must be one of", class = "mdpd_error_argument")
})

test_that("as many items are named as keep the expected share of wrong ones", {
  inclusion <- c(b = 0.98, d = 0.6, a = 1, c = 0.9)
  # Of the first one, two, three, four: none, 1 %, 4 %, 13 % are expected to be the same.
  expect_identical(named_at_rate(inclusion), c("a", "b", "c"))
  expect_identical(named_at_rate(inclusion, 0.03), c("a", "b"))
  expect_identical(named_at_rate(inclusion, 0), "a")
  # None that is surer to be the same than to differ, and at twice the rate at most.
  expect_identical(named_at_rate(c(a = 1, b = 1, c = 0.5, d = 0.49), 0.4), c("a", "b", "c"))
  expect_identical(named_at_rate(c(a = 1, b = 1, c = 1, d = 0.87), 0.05), c("a", "b", "c"))
  # At both bounds.
  expect_identical(named_at_rate(c(a = 1, b = 0.5), 0.25), c("a", "b"))
})

test_that("the items with most evidence come first", {
  evidence <- c(c = 5, a = 3, b = 9, d = 99)
  fit <- list(k = 2L, informative = c("a", "b", "c"), item_evidence = evidence)
  expect_identical(informative_order(fit), c("b", "c", "a"))
  fit$item_evidence <- NULL
  fit$item_information <- c(a = 0.1, b = 0.2, c = 0.3)
  expect_identical(informative_order(fit), c("c", "b", "a"))
})

# ---- information() -----------------------------------------------------------------------------

test_that("information() is a symmetric matrix of non-negative numbers, zero on the diagonal", {
  fits <- list(stagewise_em(answers(), k = 2), stagewise_em(with_gaps(answers()), k = 3),
               stagewise_em(answers(), k = 1))
  for (fit in fits) {
    information <- information(fit)
    expect_identical(dimnames(information), list(names(answers()), names(answers())))
    expect_true(isSymmetric(information))
    expect_true(all(information >= 0))
    expect_identical(unname(diag(information)), numeric(8))
  }
})

test_that("information() is what plain R computes, in a component and over all", {
  for (x in list(answers(), with_gaps(answers()))) {
    weights <- rep(c(2, 4, 1), 100)
    fit <- stagewise_em(x, k = 2, weights = weights)
    for (k in 1:2) {
      expect_equal(information(fit, component = k), plain_matrix(x, weights * fit$posterior[, k]),
                   tolerance = rounding)
    }
    share <- colSums(weights * fit$posterior) / sum(weights)
    expect_equal(
      information(fit),
      share[[1]] * information(fit, component = 1) + share[[2]] * information(fit, component = 2),
      tolerance = rounding
    )
  }
})

test_that("information() with the missing level counts who answered what", {
  x <- with_gaps(answers())
  fit <- stagewise_em(x, k = 2, missing = "frozen")
  levelled <- as.data.frame(lapply(x, function(column) {
    ifelse(is.na(column), "(missing)", as.character(column))
  }))
  expect_equal(information(fit, component = 1), plain_matrix(levelled, fit$posterior[, 1]),
               tolerance = rounding)
})

test_that("a component is chosen by number or by name", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 10, accuracy = rep(0.8, 4), seed = 1)
  fit <- stagewise_em(crowd$labels, k = 3)
  names <- names(fit$mixing_weights)
  for (k in 1:3) {
    expect_identical(information(fit, component = names[k]), information(fit, component = k))
  }
})

test_that("the mixture explains the dependence", {
  x <- answers(n_obs = 2000)
  before <- max(information(stagewise_em(x, k = 1)))
  after <- max(information(stagewise_em(x, k = 2)))
  expect_gt(before, 0.1)
  # What is left is noise: 2 N I is chi-square with at most 9 degrees of freedom, and the largest
  # of 28 pairs and 2 components is below 35 but for one sample in 300.
  expect_lt(after, 35 / (2 * 2000))
})

test_that("information() of independent items is zero", {
  x <- expand.grid(a = 1:2, b = 1:3, c = 1:4)[rep(1:24, 5), ]
  expect_lt(max(information(stagewise_em(x, k = 1))), 1e-12)  # a difference of sums of size one
})

test_that("data given again give the same information, also without the fit's own", {
  x <- with_gaps(answers())
  fit <- stagewise_em(x, k = 2)
  small <- stagewise_em(x, k = 2, keep_data = FALSE)
  expect_equal(information(fit, x), information(fit), tolerance = rounding)
  expect_equal(information(small, x), information(fit), tolerance = rounding)
  expect_equal(information(fit, x[8:1]), information(fit), tolerance = rounding)
})

test_that("duplicating a component leaves the information unchanged", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 10, accuracy = rep(0.6, 5), seed = 1)
  model <- crowd$model
  double <- model
  double$k <- 4L
  names <- c("1", "2", "3", "copy")
  double$mixing_weights <- model$mixing_weights[c(1, 2, 3, 3)] / c(1, 1, 2, 2)
  names(double$mixing_weights) <- names
  double$item_probs <- lapply(model$item_probs, function(probs) {
    probs <- probs[, c(1, 2, 3, 3)]
    colnames(probs) <- names
    probs
  })
  expect_equal(information(double, crowd$labels), information(model, crowd$labels),
               tolerance = rounding)
  expect_equal(information(double, crowd$labels, component = "copy"),
               information(model, crowd$labels, component = "3"), tolerance = rounding)
})

test_that("a fit without data needs data", {
  small <- stagewise_em(answers(), k = 2, keep_data = FALSE)
  expect_snapshot(show_conditions(information(small)))
  expect_error(information(small), class = "mdpd_error_no_data")
  expect_error(information(simulate_crowd(20, 5, seed = 1)$model), class = "mdpd_error_no_data")
})

test_that("bad arguments are errors", {
  fit <- stagewise_em(answers(), k = 2)
  expect_snapshot({
    show_conditions(information(fit, component = 3))
    show_conditions(information(fit, component = "spam"))
    show_conditions(information(fit, answers()[-1]))
  })
  for (component in list(0, 3, 1.5, NA, "spam", 1:2, TRUE, list(1))) {
    expect_error(information(fit, component = component), "`component` must be one of",
                 class = "mdpd_error_argument")
  }
  expect_error(information(fit, answers()[-1]), class = "mdpd_error_missing_item")
  expect_error(information(fit, answers()[0, ]), class = "mdpd_error_data")
  expect_error(information(fit, components = 1), "components", class = "rlib_error_dots_nonempty")
})

test_that("no worker of a crowd that answers at random is informative, whatever is known", {
  n_informative <- vapply(1:4, function(seed) {
    crowd <- with_seed(seed, crowd_labels(data.frame(
      item = rep(1:300, each = 2), worker = c(replicate(300, sample(10, 2))),
      label = sample(c("a", "b", "c"), 600, TRUE)
    )))
    known <- with_seed(seed, stats::setNames(sample(c("a", "b", "c"), 100, TRUE), 1:100))
    fits <- suppressWarnings(list(stagewise_em(crowd, k = 3),
                                  stagewise_em(crowd, k = 3, known = known)))
    lengths(lapply(fits, informative))
  }, integer(2))
  # Of 80 workers; by one column of each worker alone the other was a third.
  expect_lte(sum(n_informative), 2)
})

test_that("fit$informative of mdpd() of a crowd has all workers, informative() the sure ones", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 20, accuracy = rep(1 / 3, 5), seed = 2)
  fit <- suppressWarnings(mdpd(crowd$labels, k = 3))
  expect_setequal(fit$informative, crowd$labels$workers)
  expect_identical(informative(fit), character())
  expect_output(print(fit), "0 of 20 items informative")
})
