test_that("a worker with a single label has the posterior of its item in that label's column", {
  fit <- hand_made_crowd_fit()
  fit$coded$weights <- rep(c(2, 1), c(1, 119))
  fit$coded$codes[-1, "w12"] <- as.raw(0)
  given <- fit$labels[as.integer(fit$coded$codes[1, "w12"])]
  counts <- confusion(fit, "w12", type = "count")
  expect_identical(dimnames(counts), list(class = fit$labels, label = fit$labels))
  expect_equal(counts[, given], 2 * fit$posterior[1, ])
  expect_true(all(counts[, fit$labels != given] == 0))
  expect_equal(confusion(fit, "w12")[, given], c(cat = 1, dog = 1, owl = 1))
  expect_identical(confusion(fit, c("w12", "w1"), "count")[["w12"]], counts)
})

test_that("without the worker's own say the posterior is that of the other answers", {
  fit <- hand_made_crowd_fit()
  others <- label_counts(fit, "w1", others_only = TRUE)$w1
  code <- as.integer(fit$coded$codes[, "w1"])
  left <- fit$posterior / fit$item_probs$w1[code, ]
  left <- left / rowSums(left)
  expect_equal(unname(others), unname(sapply(1:3, function(r) colSums(left[code == r, ]))))
  expect_gt(max(abs(others - label_counts(fit, "w1")$w1)), 0.1)
  # Two answers to the first of two rows.
  probs <- rbind(c(0.8, 0.3), c(0.2, 0.7))
  posterior <- rbind(c(0.5, 0.5), c(0.5, 0.5), c(0.9, 0.1))
  left <- posterior_of_others(posterior, probs, list(row = c(7, 7, 2), code = c(1, 1, 2)))
  expect_equal(unname(left[, 1]), c(rep(0.3^2 / (0.3^2 + 0.8^2), 2), 4.5 / (4.5 + 1 / 7)))
  expect_equal(posterior_of_others(rbind(c(0.5, 0.5)), probs, list(row = 1, code = 2)),
               rbind(c(7, 2) / 9))
})
