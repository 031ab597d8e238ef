# Names that are longer than most rooms, in pictures of three sizes: how their lines break and where
# they are cut tells how much room there was. After a wanted change look at these pictures.

long_name <- function(what, n) {
  paste0(what, " ", seq_len(n), strrep(" and what else it is called", 9))
}

expect_texts <- function(title, make) {
  testthat::skip_on_cran()
  skip_other_ggplot2()
  for (size in list(c(5, 4), c(7, 5), c(10, 8.5))) {
    expect_snapshot_output({
      cat(title, "in", paste(size, collapse = " x "), "inches\n")
      writeLines(texts_of(make, size[1], size[2]))
    })
  }
}

long_fit <- function(n_items = 6, k = 3, n_levels = 2) {
  fit <- hand_made_fit(n_items, k, n_levels, n_informative = n_items,
                       items = long_name("item", n_items), components = long_name("class", k))
  fit$item_probs <- lapply(fit$item_probs, function(probs) {
    rownames(probs) <- long_name("answer", nrow(probs))
    probs
  })
  fit
}

test_that("profiles have as much of long names as there is room", {
  expect_texts("two levels", function() autoplot(long_fit()))
  expect_texts("shared levels", function() autoplot(long_fit(n_levels = 4)))
  expect_texts("own levels", function() autoplot(long_fit(5, n_levels = c(2, 5, 3))))
  expect_texts("twelve classes", function() autoplot(long_fit(20, k = 12)))
})

test_that("lines have as much of long names as there is room", {
  expect_texts("two levels", function() autoplot(long_fit(), type = "lines"))
  expect_texts("shared levels", function() autoplot(long_fit(n_levels = 5), type = "lines"))
  expect_texts("own levels", function() autoplot(long_fit(n_levels = c(2, 4)), type = "lines"))
})

test_that("what is drawn of rows, items and stages has as much of long names as there is room", {
  for (type in c("posterior", "history", "trace")) {
    expect_texts(type, function() autoplot(long_fit(), type = type))
  }
  fit <- long_fit(8)
  expect_texts("information", function() {
    draw_information(hand_made_information(fit), fit, NULL, 60)
  })
})

test_that("pictures of crowds have as much of long names as there is room", {
  fit <- hand_made_crowd_fit()
  workers <- long_name("worker", 12)
  labels <- long_name("label", 3)
  names(fit$item_probs) <- names(fit$coded$levels) <- colnames(fit$coded$codes) <- workers
  fit$informative <- workers[1:7]
  names(fit$item_information) <- names(fit$item_evidence) <- workers
  fit$item_probs <- lapply(fit$item_probs, `dimnames<-`, list(labels, labels))
  fit$coded$levels <- lapply(fit$coded$levels, function(levels) labels)
  names(fit$mixing_weights) <- colnames(fit$posterior) <- names(fit$born) <- fit$labels <- labels
  expect_texts("workers", function() autoplot(fit, type = "workers"))
  expect_texts("confusion", function() autoplot(fit, type = "confusion"))
})

test_that("pictures of pairs have as much of long names as there is room", {
  pairs <- hand_made_pairs()
  names <- long_name("item", 6)
  pairs[c("item_1", "item_2")] <- lapply(pairs[c("item_1", "item_2")], function(item) {
    names[match(item, sprintf("item_%02d", 1:6))]
  })
  expect_texts("map", function() autoplot(pairs))
  pairs <- structure(pairs, n = 200)
  expect_texts("bars", function() autoplot(pairs, type = "bars"))
})

test_that("pictures of later analyses have as much of long names as there is room", {
  rows <- regression_rows(200, accuracy = 0.95, seed = 1)
  fit <- name_components(regression_fit(rows), long_name("class", 3))
  names(rows$covariates)[2] <- long_name("covariate", 1)
  regression <- suppressWarnings(class_regression(fit, ~ ., rows$covariates))
  expect_texts("coefficients", function() autoplot(regression))
  expect_texts("shares", function() autoplot(regression, type = "shares"))
  answer <- long_name("answer", 2)[1 + (rows$answer == "b")]
  expect_texts("outcome", function() {
    autoplot(suppressWarnings(distal_outcome(fit, answer)))
  })
})
