three_rows <- function() {
  coded_from_codes(cbind(c(1, 2, 2), c(1, 3, 0)), c(2, 3))
}

two_labels <- function() {
  crowd_labels(data.frame(item = c(1, 1, 2, 3), worker = c(1, 2, 1, 1),
                          label = c("no", "yes", "no", "yes")))
}

starts_of <- function(start, x = data.frame(), coded = three_rows(), k = 2, n_starts = 2, seed = 1,
                      by_crowd = FALSE) {
  em_starts(start, x, coded, k, list(n = n_starts, seed = seed), by_crowd)
}

test_that("EM of a crowd begins at the vote, of other data at random parameters", {
  votes <- rbind(c(0.5, 0.5), c(1, 0), c(0, 1))
  expect_identical(starts_of(NULL, two_labels()), list(list(posterior = votes)))
  expect_identical(starts_of("majority", two_labels(), by_crowd = TRUE),
                   list(list(posterior = votes), list(vote = TRUE)))
  # With other components than labels a crowd has no vote on them.
  for (x in list(two_labels(), data.frame())) {
    found <- starts_of(NULL, x, k = 3)
    expect_length(found, 2)
    for (start in found) expect_named(start, c("mixing_weights", "item_probs"))
    expect_error(starts_of("majority", x, k = 3), "one component a label",
                 class = "mdpd_error_argument")
  }
})

test_that("random starts are distributions, each by a seed of its own", {
  found <- starts_of("random", k = 3, n_starts = 3, seed = 5)
  for (start in found) {
    expect_equal(start$mixing_weights, rep(1 / 3, 3))
    expect_identical(lapply(start$item_probs, dim), list(2:3, c(3L, 3L)))
    for (probs in start$item_probs) {
      expect_equal(colSums(probs), rep(1, 3))
      expect_gt(min(probs), 0)
    }
  }
  expect_false(identical(found[[1]], found[[2]]))
  expect_identical(starts_of("random", k = 3, n_starts = 1, seed = 7), found[3])
})

test_that("classes are a posterior of zeros and ones, in the order of their levels", {
  expect_identical(starts_of(c("b", "a", "b"))[[1]]$posterior, rbind(c(0, 1), c(1, 0), c(0, 1)))
  expect_identical(starts_of(factor(c("b", "a", "b"), c("b", "a")))[[1]]$posterior,
                   rbind(c(1, 0), c(0, 1), c(1, 0)))
  # A single row may be in a class that is called like a start.
  one <- subset_rows(three_rows(), 1)
  expect_identical(starts_of("random", coded = one, k = 1), list(list(posterior = matrix(1))))
  bad <- list("one class for each of the 3 rows" = 1:2, "one class for each" = list(1, 2, 1),
              "2 different classes" = c(1, 1, 1), "2 different" = 1:3, "missing" = c(1, NA, 2))
  for (i in seq_along(bad)) {
    expect_error(starts_of(bad[[i]]), names(bad)[i], class = "mdpd_error_argument")
  }
})

test_that("a posterior has a row for each row of the data, of probabilities that sum to one", {
  posterior <- cbind(yes = c(0.25, 1, 0), no = c(0.75, 0, 1))
  expect_identical(starts_of(posterior), list(list(posterior = unname(posterior))))
  expect_identical(starts_of(matrix(1, 3, 1), k = 1), list(list(posterior = matrix(1, 3, 1))))
  # Sums may be off by rounding.
  expect_no_error(starts_of(posterior + 4e-7))
  bad <- list(c(0.5, 0.6), c(1.5, -0.5), c(NA, 1), c(Inf, 0), c(0.5, 0.5 + 3e-6))
  for (row in bad) {
    expect_error(starts_of(rbind(c(1, 0), row, row)), "row 2 is not", class = "mdpd_error_argument")
  }
  for (bad in list(posterior[-1, ], cbind(posterior, 0), posterior == 1)) {
    expect_error(starts_of(bad), "numeric matrix of 3 rows and 2 columns",
                 class = "mdpd_error_argument")
  }
})

test_that("of a model the items and levels of the data are taken, new levels with no weight", {
  model <- structure(
    list(
      k = 2, mixing_weights = c(big = 0.7, small = 0.3),
      item_probs = list(
        item_2 = rbind(c = c(0.2, 0.5), a = c(0.8, 0.5)), other = rbind(u = c(1, 1)),
        item_1 = rbind(a = c(0.9, 0.4), b = c(0.1, 0.6))
      )
    ),
    class = "mdpd"
  )
  found <- starts_of(model)[[1]]
  expect_identical(found$mixing_weights, c(0.7, 0.3))
  expect_identical(lapply(found$item_probs, unname), list(
    rbind(c(0.9, 0.4), c(0.1, 0.6)), rbind(c(0.8, 0.5), c(0, 0), c(0.2, 0.5))
  ))
  expect_error(starts_of(model, k = 3), "`start` must have 3 components, not 2",
               class = "mdpd_error_argument")
  model$item_probs$item_2 <- NULL
  expect_error(starts_of(model), "item_2", class = "mdpd_error_missing_item")
  one <- list(k = 1, mixing_weights = c("1" = 1),
              item_probs = list(item_1 = rbind(a = 0.9, b = 0.1), item_2 = rbind(a = 0.4, b = 0.6)))
  found <- starts_of(structure(one, class = "mdpd"), k = 1)[[1]]
  expect_identical(lapply(found$item_probs, unname), list(cbind(c(0.9, 0.1)),
                                                          cbind(c(0.4, 0.6, 0))))
})

test_that("in a crowd what is called as the labels begins as these, in whatever order it comes", {
  votes <- cbind(no = c(0.5, 1, 0), yes = c(0.5, 0, 1))
  model <- structure(
    list(k = 2, mixing_weights = c(no = 0.3, yes = 0.7),
         item_probs = list(item_1 = cbind(no = c(a = 0.9, b = 0.1), yes = c(0.4, 0.6)),
                           item_2 = cbind(no = c(a = 1, b = 0, c = 0), yes = c(0.5, 0.25, 0.25)))),
    class = "mdpd"
  )
  swapped <- permute_components(model, 2:1, c("yes", "no"))
  named_anew <- name_components(
    structure(c(swapped, list(labels = c("no", "yes"), informative = "item_1")), class = "mdpd"),
    c(no = "Clean", yes = "Dirty")
  )
  classes <- c("yes", "no", "yes")
  pairs <- list(list(votes, votes[, 2:1]), list(model, swapped), list(model, named_anew),
                list(classes, factor(classes, c("yes", "no"))))
  numbers <- function(...) rapply(starts_of(...), unname, how = "replace")
  for (pair in pairs) {
    expect_identical(numbers(pair[[2]], two_labels()), numbers(pair[[1]], two_labels()))
    # Rows of a table have no labels that components could mean.
    expect_false(identical(numbers(pair[[2]]), numbers(pair[[1]])))
  }
  # Labels that are numbers are in the order of numbers.
  ten <- two_labels()
  ten$labels <- c("9", "10")
  expect_identical(starts_of(c("10", "9", "10"), ten)[[1]]$posterior,
                   rbind(c(0, 1), c(1, 0), c(0, 1)))
  # Names that are no labels say nothing of their order.
  expect_identical(starts_of(`colnames<-`(votes, c("b", "a")), two_labels()),
                   list(list(posterior = unname(votes))))
})

test_that("what was asked for is known by a few words and numbers", {
  expect_identical(start_asked(NULL, two_labels(), 2, 5, 1), list("majority"))
  expect_identical(start_asked(NULL, two_labels(), 3, 5, 1), list("random", 5, 1))
  expect_identical(start_asked("spectral", two_labels(), 2, 4, 2), list("spectral", 4, 2))
  expect_identical(start_asked(matrix(1, 3, 1), two_labels(), 1, 5, 1), "given")
})

test_that("labels of a crowd are averaged with up to as many components, other answers stacked", {
  labels <- small_crowd()$labels
  coded <- encode(labels)
  for (k in 2:4) {
    model <- spectral_start(coded, k, 7, averaged = k <= 3)
    expect_identical(model$status, "found")
    expect_identical(starts_of("spectral", labels, coded, k, n_starts = 1, seed = 7),
                     list(model[c("mixing_weights", "item_probs")]))
  }
  expect_identical(starts_of("spectral", as.matrix(labels), coded, 2, n_starts = 1)[[1]]$item_probs,
                   spectral_start(coded, 2, 1, averaged = FALSE)$item_probs)
})

test_that("a spectral start that is not found says what it lacks", {
  expect_error(starts_of("spectral"), "three groups of items",
               class = "mdpd_error_no_spectral_start")
  constant <- coded_from_codes(matrix(1L, 20, 6), rep(2L, 6))
  expect_error(starts_of("spectral", coded = constant), "do not tell 2 components apart",
               class = "mdpd_error_no_spectral_start")
})
