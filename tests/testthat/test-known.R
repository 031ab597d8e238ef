two_labels <- function() {
  crowd_labels(data.frame(
    item = c("a", "a", "b", "c", "c"), worker = c(1, 2, 1, 1, 2),
    label = c("no", "yes", "no", "yes", "yes")
  ))
}

test_that("known labels are of the items they are named by, or one for each in their order", {
  crowd <- two_labels()
  expect_null(known_components(NULL, crowd, 2))
  expect_identical(known_components(c(c = "yes", a = "no"), crowd, 2), c(1L, NA, 2L))
  expect_identical(known_components(c(c = NA, b = "yes"), crowd, 2), c(NA, 2L, NA))
  expect_identical(known_components(c("yes", NA, "no"), crowd, 2), c(2L, NA, 1L))
  # Levels of a factor in another order are the same labels.
  by_factor <- factor(c("yes", NA, "no"), c("yes", "no"))
  expect_identical(known_components(by_factor, crowd, 2), c(2L, NA, 1L))
})

test_that("of no item a label is known where all are missing", {
  crowd <- two_labels()
  expect_null(known_components(rep(NA, length(crowd$items)), crowd, 2))
  expect_null(known_components(stats::setNames(NA, crowd$items[1]), crowd, 2))
  expect_null(known_components(stats::setNames(character(), character()), crowd, 2))
})

test_that("known labels of no item are as good as none", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 6, n_labels = 2, seed = 1)
  for (nothing in list(character(), factor(), NULL, crowd$truth[0])) {
    expect_null(known_components(nothing, crowd$labels, 3))  # any number of components
    expect_no_error(check_known(nothing, 2:3, "none"))
    expect_identical(mdpd(crowd$labels, 2, known = nothing)$posterior,
                     mdpd(crowd$labels, 2)$posterior)
  }
  expect_error(known_components(list(), crowd$labels, 2), "must be a vector of labels",
               class = "mdpd_error_argument")
  store <- new_store(crowd$labels)
  expect_identical(n_known(add_known(store, character())), 0)
})

test_that("known labels that are of no item or no label are errors", {
  crowd <- two_labels()
  bad <- list(
    "one value for each of the 3 items.*It has 2 values" = c("yes", "no"),
    "There is no item \"d\".*first item is \"a\"" = c(d = "yes", a = "no"),
    "There are no items \"d\" and \"e\"" = c(d = "yes", e = "no"),
    "\"a\" is named more than once" = c(b = "no", a = "no", a = "yes"),
    "1 of its 2 values has no name.*value 2" = c(a = "no", "yes"),
    "2 of its 3 values have no name.*value 1" = stats::setNames(rep("no", 3), c("", "a", NA)),
    "nobody gave \"maybe\"" = c(a = "no", b = "maybe"),
    "must be a vector of labels" = list(a = "no")
  )
  for (i in seq_along(bad)) {
    expect_error(known_components(bad[[i]], crowd, 2), names(bad)[i], class = "mdpd_error_argument")
  }
  expect_error(known_components(c(a = "no"), crowd, 3), "`known` needs.*one component a label",
               class = "mdpd_error_argument")
  expect_error(check_known(c(a = "no"), 2:3, "sparse"), "needs one `k`",
               class = "mdpd_error_argument")
  expect_error(check_known(c(a = "no"), 2, "none"), "needs a refinement",
               class = "mdpd_error_argument")
  expect_no_error(check_known(c(a = "no"), 2, "sparse"))
  expect_no_error(check_known(NULL, 2:3, "none"))
  unknown <- "a\xff"
  Encoding(unknown) <- "bytes"
  expect_error(known_components(stats::setNames("no", unknown), crowd, 2),
               "The names of `known` must be text in a known encoding",
               class = "mdpd_error_encoding")
})

test_that("the prior is the crowd's where EM begins at its vote and goes by evidence", {
  crowd <- two_labels()
  one <- crowd_labels(data.frame(item = 1:2, worker = 1, label = "a"))
  evidence <- list(criterion = "evidence")
  expect_identical(default_prior(crowd, 2, NULL, "ignore", evidence), "crowd")
  expect_identical(default_prior(crowd, 2, "majority", "ignore", evidence), "crowd")
  expect_identical(default_prior(crowd, 2, "random", "ignore", evidence), 0)
  expect_identical(default_prior(crowd, 3, NULL, "ignore", evidence), 0)
  expect_identical(default_prior(crowd, 2, NULL, "level", evidence), 0)
  expect_identical(default_prior(crowd, 2, NULL, "ignore", list(criterion = "bic")), 0)
  expect_identical(default_prior(one, 1, NULL, "ignore", evidence), 0)
  expect_identical(default_prior(as.data.frame(crowd), 2, NULL, "ignore", evidence), 0)
})

test_that("prior counts are one number for all cells, or a matrix of the labels", {
  crowd <- two_labels()
  expect_null(check_prior(0, crowd, 2))
  expect_null(check_prior(NULL, crowd, 2))
  expect_identical(check_prior(1.5, crowd, 2), matrix(1.5, 2, 2))
  counts <- matrix(c(4, 0, 1, 3), 2, dimnames = list(c("no", "yes"), c("no", "yes")))
  expect_identical(check_prior(counts, crowd, 2), unname(counts))
  # By the names that its rows and columns have.
  expect_identical(check_prior(counts[2:1, ], crowd, 2), unname(counts))
  expect_identical(check_prior(counts[, 2:1], crowd, 2), unname(counts))
  others <- `colnames<-`(counts, c("no", "maybe"))
  expect_error(check_prior(others, crowd, 2), "`prior` must.*names of its columns.*\"yes\"",
               class = "mdpd_error_argument")
  for (bad in list(-1, NA, "many", c(1, 2), matrix(1, 2, 3), matrix(1, 3, 3))) {
    expect_error(check_prior(bad, crowd, 2), "`prior` must", class = "mdpd_error_argument")
  }
  for (x in list(crowd, as.data.frame(crowd))) {
    expect_error(check_prior(1, x, 3), "`prior` needs", class = "mdpd_error_argument")
  }
})

test_that("the crowd's prior needs evidence, labels and answers that are alike", {
  crowd <- two_labels()
  evidence <- list(criterion = "evidence")
  expect_null(check_crowd_prior(crowd, 2, "ignore", evidence))
  expect_error(check_crowd_prior(crowd, 2, "ignore", list(criterion = "bic")), "by evidence",
               class = "mdpd_error_argument")
  expect_error(check_crowd_prior(crowd, 2, "level", evidence), "missing = \"level\"",
               class = "mdpd_error_argument")
  expect_error(check_crowd_prior(crowd, 3, "ignore", evidence), "`prior` needs",
               class = "mdpd_error_argument")
})

# Components in another order than the labels, and half of the items known.
known_by_size <- function() {
  crowd <- simulate_crowd(n_items = 400, n_workers = 5, n_labels = 2, accuracy = rep(0.8, 5),
                          seed = 1)
  fit <- mdpd(crowd$labels, k = 2, known = crowd$truth[1:200], prior = 0)
  expect_identical(names(fit$mixing_weights), c("2", "1"))
  list(fit = fit, truth = crowd$truth)
}

test_that("known rows count for the component of their label, wherever it stands", {
  case <- known_by_size()
  fit <- case$fit
  renamed <- name_components(fit, c("1" = "dog", "2" = "cat"))
  covariates <- data.frame(z = (case$truth == "1") + sin(seq_along(case$truth)))
  expect_close(class_regression(fit, ~ 1, covariates)$loglik, fit$loglik)
  for (method in c("two-step", "one-step", "ml", "bch")) {
    by_name <- lapply(list(fit, renamed), class_regression, ~ z, covariates, method = method)
    expect_close(unname(coef(by_name[[1]])), unname(coef(by_name[[2]])))
    expect_gt(abs(coef(by_name[[1]])[[2]]), 0.5)
  }
  expect_close(unname(named_posterior(fit$coded, renamed)), unname(fit$posterior))
})

test_that("known classes say nothing of how well the answers fit", {
  fit <- known_by_size()$fit
  unknown <- fit
  unknown$coded["known"] <- list(NULL)
  expect_identical(goodness_of_fit(fit, n = 0)$statistics,
                   goodness_of_fit(unknown, n = 0)$statistics)
})

test_that("prior counts that are all zero are none, of other data too", {
  crowd <- two_labels()
  for (none in list(NULL, 0, 0L, matrix(0, 2, 2), matrix(0L, 2, 2))) {
    expect_null(check_prior(none, crowd, 2))
  }
  for (none in list(0, 0L)) expect_null(check_prior(none, answers(20), 2))
  expect_identical(check_prior(diag(2), crowd, 2), diag(2))
  expect_error(check_prior(matrix(0, 3, 3), crowd, 2), "2 x 2 matrix",
               class = "mdpd_error_argument")
})

test_that("a fit that keeps no data still knows of its known labels", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 2, n_labels = 2, accuracy = 0.8, seed = 1)
  for (keep_data in c(TRUE, FALSE)) {
    expect_no_warning(
      fit <- mdpd(crowd$labels, k = 2, known = crowd$truth[1:20], prior = 0, keep_data = keep_data),
      class = "mdpd_warning_not_identified"
    )
    expect_equal(fit$n_known, 20)
    expect_match(method_end(fit), "20 items were given", all = FALSE)
  }
  # Of fits of earlier versions that keep data.
  fit <- mdpd(crowd$labels, k = 2, known = crowd$truth[1:20], prior = 0)
  fit$n_known <- NULL
  expect_equal(n_gold(fit), 20)
})

test_that("known labels and prior counts go with a start whose components are in another order", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 9, accuracy = rep(0.55, 9), seed = 1)
  fit <- mdpd(crowd$labels, k = 3, prior = 0)
  expect_false(identical(names(fit$mixing_weights), c("1", "2", "3")))
  from <- function(start, ...) {
    error_rate(mdpd(crowd$labels, k = 3, start = start, ...), crowd$truth)
  }
  gold <- crowd$truth[1:40]
  for (start in list(fit, predict(fit, type = "prob"), predict(fit))) {
    expect_equal(from(start, known = gold, prior = 0), from(NULL, known = gold, prior = 0),
                 tolerance = 0.02) # two ends of EM, six items of 300 apart
    expect_equal(from(start, prior = diag(3)), from(NULL, prior = diag(3)), tolerance = 0.02)
  }
})

# Workers of whom each item has two labels, seven of ten right.
few_labels <- function(seed) {
  with_seed(seed, {
    labels <- c("a", "b", "c")
    truth <- stats::setNames(sample(labels, 300, TRUE), 1:300)
    triples <- data.frame(item = rep(1:300, each = 2), worker = c(replicate(300, sample(10, 2))))
    wrong <- labels[(match(truth[triples$item], labels) + sample(2, 600, TRUE) - 1) %% 3 + 1]
    triples$label <- ifelse(stats::runif(600) < 0.7, truth[triples$item], wrong)
    list(labels = crowd_labels(triples), truth = truth)
  })
}

test_that("the more labels are known the surer it is that workers look", {
  for (seed in 1:2) {
    crowd <- few_labels(seed)
    for (n in c(60, 150, 300)) {
      expect_no_warning(fit <- stagewise_em(crowd$labels, k = 3, known = crowd$truth[1:n]))
      expect_gt(min(fit$inclusion), 0.9)
      expect_identical(fit$n_known, as.integer(n))
    }
  }
})

test_that("growth with known labels ends no lower than EM from the vote with them", {
  for (seed in 1:3) {
    triples <- with_seed(seed, {
      truth <- stats::setNames(sample(c("a", "b", "c"), 300, TRUE), 1:300)
      worker <- sample(10, 300, TRUE)
      looks <- stats::runif(300) < stats::runif(10, 0.55, 0.9)[worker]
      data.frame(item = 1:300, worker, label = ifelse(looks, truth, sample(truth)), truth)
    })
    crowd <- crowd_labels(triples[1:3])
    known <- stats::setNames(triples$truth, 1:300)[1:100]
    grown <- suppressWarnings(stagewise_em(crowd, k = 3, known = known))
    from_vote <- suppressWarnings(mdpd(crowd, k = 3, known = known))
    expect_gt(grown$evidence, from_vote$evidence - 0.01)
  }
})

test_that("the expected error is that of the items whose label is not known", {
  crowd <- simulate_crowd(200, 8, 3, accuracy = rep(0.7, 8), missing = 0.5, seed = 1)
  known <- crowd$truth[1:100]
  fit <- stagewise_em(crowd$labels, k = 3, known = known)
  open <- mean(1 - apply(fit$posterior[101:200, ], 1, max))
  expect_equal(expected_error(fit), open)
  expect_equal(summary(fit)$expected_error, open)
  kept_none <- stagewise_em(crowd$labels, 3, known = known, keep_data = FALSE)
  expect_equal(expected_error(kept_none), open)
  expect_output(print(fit), "of the items but the 100 whose label is\\s+known")
  store <- add_known(new_store(crowd$labels), known)
  expect_equal(expected_error(stagewise_em(store, 3)), open, tolerance = 1e-6)
  all <- suppressWarnings(stagewise_em(crowd$labels, k = 3, known = crowd$truth))
  expect_equal(expected_error(all), 0)
})
