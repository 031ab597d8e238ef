# Ties of the posterior, which are broken by one rule.

# A model of two equal labels in which workers are right with these probabilities.
tied_model <- function(right = c(0.7, 0.7, 0.7, 0.7), labels = c("a", "b")) {
  crowd <- simulate_crowd(n_items = 10, n_workers = length(right), n_labels = 2,
                          accuracy = 0.7, seed = 1)
  model <- crowd$model
  model$labels <- labels
  model$mixing_weights <- stats::setNames(c(0.5, 0.5), rev(labels))
  model$item_probs <- lapply(stats::setNames(right, paste0("w", seq_along(right))), function(p) {
    matrix(c(1 - p, p, p, 1 - p), 2, dimnames = list(labels, rev(labels)))
  })
  model$informative <- names(model$item_probs)
  model
}

votes_of <- function(...) {
  votes <- rbind(...)
  at <- which(!is.na(votes), arr.ind = TRUE)
  at <- at[order(at[, 1], at[, 2]), , drop = FALSE]
  crowd_labels(data.frame(item = at[, 1], worker = paste0("w", at[, 2]), label = votes[at]))
}

test_that("a tie goes to the label that the row was given most, then to the first", {
  # w1 is worth as much as the two others together.
  odds <- c(9, 3, 3)
  model <- tied_model(odds / (1 + odds))
  x <- votes_of(c("b", "a", "a"), c("a", "b", "b"), c("b", "a", "b"), c(NA, "a", "b"))
  posterior <- predict(model, x, type = "prob")
  expect_equal(unname(posterior[c(1, 2, 4), ]), matrix(0.5, 3, 2), tolerance = 1e-12)
  expect_equal(as.character(predict(model, x)), c("a", "b", "b", "a"))
  expect_equal(unname(augment(model, newdata = x)$.class), unname(predict(model, x)))
  # Also if it is the only row.
  expect_equal(as.character(predict(model, votes_of(c("a", "b", "b")))), "b")
})

test_that("workers who do not enter the posterior have no vote", {
  model <- tied_model(c(0.7, 0.7, 0.5, 0.5))
  x <- votes_of(c("b", "a", "b", "b"), c("a", "b", NA, "b"))
  expect_equal(as.character(predict(model, x)), c("a", "a"))
})

test_that("rounding decides nothing, and what is more than rounding does", {
  model <- tied_model()
  x <- votes_of(c("a", "b", "a", "b"), c("b", "a", "b", "a"))
  for (shift in c(-1, 1)) {
    # The posterior moves by this.
    model$mixing_weights[] <- 0.5 + shift * c(1, -1) * 1e-11
    expect_equal(as.character(predict(model, x)), c("a", "a"))
    model$mixing_weights[] <- 0.5 + shift * c(1, -1) * 1e-7
    expect_equal(as.character(predict(model, x)), rep(if (shift > 0) "b" else "a", 2))
  }
})

test_that("every result takes the class from one rule", {
  crowd <- votes_of(c("a", "b", "b"), c("b", "a", "a"), c("a", "a", "a"), c("b", "b", "b"))
  fit <- suppressWarnings(mdpd(crowd, k = 2, prior = 0, control = stagewise_control(max_iter = 1)))
  fit$posterior[] <- 0.5
  expect_equal(as.character(predict(fit)), c("b", "a", "a", "b"))
  expect_equal(item_quality(fit)$label, unname(predict(fit)))
  expect_equal(error_rate(fit, predict(fit)), 0)
  expect_equal(augment(fit)$.class, unname(predict(fit)))
  expect_equal(summary(fit)$components$size, c(2, 2))
  # Without the data the first label is taken.
  fit$coded <- NULL
  expect_equal(as.character(predict(fit)), rep("a", 4))
})

test_that("components that stand for no labels are taken in their order", {
  fit <- suppressWarnings(stagewise_em(answers(50), k = 2))
  fit$posterior[] <- 0.5
  expect_equal(as.character(predict(fit)), rep("1", 50))
})
