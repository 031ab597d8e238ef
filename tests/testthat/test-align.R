# A fit of three rows and two items by hand.
posterior <- matrix(
  c(0.9, 0.2, 0.1, 0.1, 0.8, 0.9), 3, dimnames = list(c("r1", "r2", "r3"), c("1", "2"))
)
fit <- structure(
  list(
    k = 2, mixing_weights = c(`1` = 0.6, `2` = 0.4), posterior = posterior,
    item_probs = list(
      a = matrix(c(0.9, 0.1, 0.2, 0.8), 2, dimnames = list(c("u", "v"), c("1", "2"))),
      b = matrix(0.5, 2, 2, dimnames = list(c("x", "y"), c("1", "2")))
    ),
    informative = "a"
  ),
  class = c("stagewise_em", "mdpd")
)
swapped <- permute_components(fit, 2:1, c("1", "2"))

# Error rate ---------------------------------------------------------------------------------------

test_that("the error rate is the share of different classes", {
  expect_identical(error_rate(c("a", "b"), c("a", "b")), 0)
  expect_identical(error_rate(c("a", "b"), c("b", "a")), 1)
  expect_identical(error_rate(c("a", "b", "b", "b"), c("a", "b", "a", "b")), 0.25)
  expect_identical(error_rate("a", "a"), 0)
})

test_that("classes of different types are compared by what they say", {
  expect_identical(error_rate(c(1, 100000), c("1", "100000")), 0)
  expect_identical(error_rate(factor(c(TRUE, FALSE)), c(TRUE, FALSE)), 0)
  expect_identical(error_rate(1:2, factor(c("2", "1"), levels = c("2", "1"))), 1)
})

test_that("observations are matched by names if both have names, else by position", {
  truth <- c(y = "b", x = "a", z = "c")
  expect_identical(error_rate(c(x = "a", y = "b"), truth), 0)
  expect_identical(error_rate(c("b", "a", "c"), truth), 0)
  expect_identical(error_rate(truth[c(3, 1)], unname(truth[c(3, 1)])), 0)
})

test_that("an observation may be called by the empty string", {
  estimate <- stats::setNames(c("a", "b", "b"), c("x", "", "z"))
  expect_identical(error_rate(estimate, stats::setNames(c("a", "b"), c("", "z"))), 0.5)
  expect_identical(error_rate(estimate, stats::setNames(c("b", "a"), c("", "z"))), 0.5)
  named <- replace(fit, "posterior", list(`rownames<-`(posterior, c("r1", "", "r3"))))
  expect_identical(align_components(permute_components(named, 2:1, c("1", "2")), named), named)
})

test_that("an unknown truth is left out, an unknown estimate is wrong", {
  expect_identical(error_rate(c("a", "b", "b"), c("a", NA, "b")), 0)
  expect_identical(error_rate(c("a", NA), c("a", "b")), 0.5)
})

test_that("a fit is judged by its most probable components", {
  expect_identical(error_rate(fit, c("1", "2", "2")), 0)
  expect_identical(error_rate(fit, c(r3 = "2", r1 = "2")), 0.5)
})

test_that("posteriors that have a single row in common overlap in it", {
  x <- rbind(a = c(0.9, 0.1), b = c(0.2, 0.8))
  y <- rbind(b = c(0.7, 0.3), c = c(0.5, 0.5))
  expect_equal(posterior_overlap(x, y), outer(x["b", ], y["b", ]))
})

test_that("alignment finds the matching of fewest errors", {
  expect_identical(error_rate(c(1, 2, 2), c("b", "a", "a"), align = TRUE), 0)
  expect_identical(error_rate(c(1, 2, 2), c("b", "a", "a"), align = FALSE), 1)
  # by all permutations of three classes
  set.seed(1)
  permutations <- list(1:3, c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), 3:1)
  for (i in 1:20) {
    truth <- sample(3, 30, replace = TRUE)
    estimate <- ifelse(runif(30) < 0.5, truth, sample(3, 30, replace = TRUE))
    errors <- vapply(permutations, function(p) mean(p[estimate] != truth), numeric(1))
    expect_equal(error_rate(estimate, truth, align = TRUE), min(errors))
  }
})

test_that("alignment is one to one with more or fewer components than classes", {
  expect_identical(error_rate(c(1, 2, 3, 3), c("a", "a", "b", "b"), align = TRUE), 0.25)
  expect_identical(error_rate(c(1, 1, 1, 1), c("a", "a", "a", "b"), align = TRUE), 0.25)
})

test_that("bad classes are errors", {
  expect_error(error_rate(1:2, 1:3), "same length, not 2 and 3", class = "mdpd_error_argument")
  expect_error(
    error_rate(1:2, c(NA, NA)), "`truth` must have a value", class = "mdpd_error_argument"
  )
  expect_error(
    error_rate(c(a = 1), c(b = 1)), "values in common.*a.*b", class = "mdpd_error_argument"
  )
  expect_error(error_rate(c(a = 1, a = 2), c(a = 1)), '"a" comes twice',
               class = "mdpd_error_argument")
  expect_error(error_rate(c(a = 1), c(a = 1, a = 2)), '"a" comes twice',
               class = "mdpd_error_argument")
  expect_error(error_rate(list(1), 1), "`estimate` must be", class = "mdpd_error_argument")
  expect_error(error_rate(1, mtcars), "`truth` must be", class = "mdpd_error_argument")
  expect_error(error_rate(1, NULL), "`truth` must be", class = "mdpd_error_argument")
  expect_error(error_rate(1, 1, align = NA), "`align` must be", class = "mdpd_error_argument")
  truth <- simulate_crowd(10, 3, accuracy = 0.9, seed = 1)
  expect_error(
    error_rate(truth$model, truth$truth), "`estimate` must be a fit", class = "mdpd_error_argument"
  )
})

# Alignment ----------------------------------------------------------------------------------------

test_that("a model is aligned with another model, a posterior or classes", {
  classes <- factor(c("1", "2", "2"))
  for (reference in list(fit, posterior, classes, c(r3 = 2, r1 = 1, r2 = 2))) {
    expect_identical(align_components(swapped, reference), fit)
    expect_identical(align_components(fit, reference), fit)
  }
  expect_identical(align_components(swapped, unname(posterior)), fit)
})

test_that("every part of a fit is permuted", {
  expect_identical(swapped$mixing_weights, c(`1` = 0.4, `2` = 0.6))
  expect_identical(swapped$posterior[, "1"], fit$posterior[, "2"])
  expect_identical(swapped$item_probs$a[, "1"], fit$item_probs$a[, "2"])
  expect_identical(class(swapped), class(fit))
  expect_identical(swapped$informative, "a")
})

test_that("components take the names and the order of the classes", {
  aligned <- align_components(fit, c("yes", "no", "no"))
  expect_named(aligned$mixing_weights, c("no", "yes"))
  expect_identical(colnames(aligned$item_probs$a), c("no", "yes"))
  expect_identical(error_rate(aligned, c("yes", "no", "no")), 0)
  in_order <- align_components(fit, factor(c("yes", "no", NA), levels = c("yes", "no")))
  expect_named(in_order$mixing_weights, c("yes", "no"))
  for (unknown in list(c(NA, NA, NA), factor(c(NA, NA, NA), "yes"), matrix(NA_real_, 3, 2))) {
    expect_error(align_components(fit, unknown), "`reference` must have a class",
                 class = "mdpd_error_argument")
  }
  # Strings that are numbers have their order.
  expect_named(align_components(fit, c("10", "9", "9"))$mixing_weights, c("9", "10"))
})

test_that("classes are a posterior of zeros and ones", {
  ones <- matrix(c(1, 0, NA, 0, 1, NA), 3, dimnames = list(NULL, c("u", "v")))
  expect_identical(as_posterior(c("u", "v", NA)), ones)
})

test_that("the matching has the largest sum, also of numbers below zero", {
  expect_identical(best_match(cbind(c(-2, 0), c(-1, -5))), 2:1)
  expect_identical(best_match(cbind(c(-2, -9, -3), c(-1, -5, -1))), c(1L, NA, 2L))
})

test_that("aligning with the truth undoes any permutation of a true model", {
  model <- simulate_crowd(n_workers = 6, n_labels = 4, seed = 3)$model
  for (order in list(4:1, c(2, 4, 1, 3))) {
    moved <- permute_components(model, order, as.character(1:4))
    expect_identical(align_components(moved, model), model)
  }
})

test_that("components without a partner follow with the names they had", {
  aligned <- align_components(fit, c("yes", "yes", "yes"))
  expect_named(aligned$mixing_weights, c("yes", "1"))
  expect_named(align_components(fit, c("2", "2", "2"))$mixing_weights, c("2", "1"))
  more <- align_components(fit, factor(c("a", "c", "c"), levels = c("a", "b", "c")))
  expect_named(more$mixing_weights, c("a", "c"))
})

test_that("a single component can be aligned", {
  one <- permute_components(fit, 1, "1")
  one$k <- 1
  one$mixing_weights[] <- 1
  expect_identical(align_components(one, one), one)
})

test_that("models are compared on the items and levels they share", {
  part <- fit
  part[c("informative", "item_information")] <- NULL
  part$item_probs <- list(c = fit$item_probs$b, a = fit$item_probs$a[2:1, ])
  expect_identical(align_components(swapped, part), fit)
  # One level that both have is enough.
  rownames(part$item_probs$a) <- c("other", "u")
  expect_identical(align_components(swapped, part), fit)
  part$item_probs <- part$item_probs["c"]
  expect_error(align_components(fit, part), "items in common", class = "mdpd_error_argument")
})

test_that("bad models and references are errors", {
  expect_error(
    align_components(1, fit), "`object` must be of class <mdpd>", class = "mdpd_error_argument"
  )
  expect_error(align_components(fit, list()), "`reference` must be", class = "mdpd_error_argument")
  expect_error(
    align_components(fit, 1:2), "same length, not 3 and 2", class = "mdpd_error_argument"
  )
  truth <- simulate_crowd(10, 3, accuracy = 0.9, seed = 1)
  expect_error(
    align_components(truth$model, truth$truth), "`object` must be a fit",
    class = "mdpd_error_argument"
  )
})

# Names without a common one -----------------------------------------------------------------------

test_that("class names that do not match are matched one to one, with a warning", {
  unmatched <- "mdpd_warning_unmatched_classes"
  expect_warning(rate <- error_rate(fit, c("yes", "no", "no")), class = unmatched)
  expect_identical(rate, 0)
  expect_warning(rate <- error_rate(fit, factor(c("yes", "no", NA))), class = unmatched)
  expect_identical(rate, 0)
  estimate <- factor(c("1", "2", "2", "1"))
  expect_warning(rate <- error_rate(estimate, c("b", "a", "a", "a")), class = unmatched)
  expect_identical(rate, 0.25)
  # Said explicitly, nothing is matched.
  expect_silent(expect_identical(error_rate(fit, c("yes", "no", "no"), align = FALSE), 1))
  expect_silent(expect_identical(error_rate(fit, c("yes", "no", "no"), align = TRUE), 0))
  # Levels count that do not occur.
  expect_silent(expect_identical(error_rate(factor("1", 1:2), factor("2", 1:2)), 1))
  expect_silent(expect_identical(error_rate(c("a", "b"), c("b", "b")), 0.5))
  expect_snapshot(show_conditions(error_rate(fit, c("yes", "no", "no"))))
})

test_that("numbers of components that are names of true classes too are told from those", {
  numbered <- "mdpd_warning_numbered_components"
  expect_warning(rate <- error_rate(fit, c("2", "1", "1")), "100 % are wrong, matched 0 %",
                 class = numbered)
  expect_identical(rate, 1)
  expect_silent(error_rate(fit, c("2", "1", "1"), align = FALSE))
  expect_silent(error_rate(fit, c("2", "1", "1"), align = TRUE))
  # What cannot be matched better, and what its names mean, is silent.
  expect_silent(error_rate(fit, c("1", "1", "2")))
  named <- name_components(fit, c("2", "1"))
  expect_silent(expect_identical(error_rate(named, c("1", "2", "2")), 1))
  crowd <- simulate_crowd(n_items = 100, n_workers = 5, n_labels = 2, accuracy = rep(0.9, 5),
                          seed = 1)
  labelled <- mdpd(crowd$labels, k = 2)
  expect_silent(error_rate(labelled, ifelse(crowd$truth == "1", "2", "1")))
})

test_that("where some class names match, true classes without one are named in a warning", {
  unmatched <- "mdpd_warning_unmatched_classes"
  expect_warning(rate <- error_rate(fit, c("1", "no", "no")), '"no"', class = unmatched)
  expect_identical(rate, 2 / 3)
  # 0 and 1 in the place of 1 and 2.
  expect_warning(rate <- error_rate(fit, c(0, 1, 1)), '"0"', class = unmatched)
  expect_identical(rate, mean(predict(fit) != c(0, 1, 1)))
  expect_silent(error_rate(fit, c(0, 1, 1), align = FALSE))
  expect_silent(error_rate(fit, c(0, 1, 1), align = TRUE))
  # Of vectors it is not known which classes may be estimated.
  expect_warning(expect_identical(error_rate("a", "b"), 1), class = unmatched)
  expect_warning(error_rate(c(1, 2), c(0, 1)), class = unmatched)
  expect_silent(error_rate(c("a", "a"), c("a", "b")))
  expect_silent(error_rate(c("a", "b"), c("a", "a")))
  # A class that is not in the truth by chance, and rows without a truth, are nothing to tell.
  expect_silent(error_rate(fit, c("1", "1", NA)))
  expect_silent(error_rate(fit, factor(c("1", "2", "2"), 1:3)))
  expect_snapshot(show_conditions(error_rate(fit, c(0, 1, 1))))
  # Where each estimated class is true somewhere, the truth lacks none.
  told <- expect_warning(error_rate(fit, c("1", "2", "no")), class = unmatched)
  expect_no_match(conditionMessage(told), "It has", fixed = TRUE)
})

test_that("the truth may be in the labels or in the names of a named crowd's components", {
  crowd <- small_crowd()
  fit <- stagewise_em(crowd$labels, k = 3)
  named <- name_components(fit, c("1" = "Cat", "2" = "Dog", "3" = "Owl"))
  rate <- error_rate(fit, crowd$truth)
  expect_silent({
    expect_identical(error_rate(named, crowd$truth), rate)
    in_names <- stats::setNames(c("Cat", "Dog", "Owl")[crowd$truth], names(crowd$truth))
    expect_identical(error_rate(named, in_names), rate)
    some <- name_components(fit, c("1" = "Cat"))
    expect_identical(error_rate(some, crowd$truth), rate)
    # Names that are labels still, and a truth that is not known.
    in_some <- stats::setNames(c("Cat", "2", "3")[crowd$truth], names(crowd$truth))
    expect_identical(error_rate(some, in_some), rate)
    expect_identical(error_rate(named, replace(in_names, 1:2, NA)),
                     error_rate(fit, replace(crowd$truth, 1:2, NA)))
  })
})

test_that("a class may be called NaN", {
  expect_equal(error_rate(c("NaN", "b", "b"), c("x", "y", "y"), align = TRUE), 0)
  expect_equal(error_rate(c("u", "v", NA), c("NaN", "y", "y"), align = TRUE), 1 / 3)
})
