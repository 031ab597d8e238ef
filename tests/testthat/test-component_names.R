test_that("components of a crowd carry the names of the labels they stand for", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 15, accuracy = rep(0.75, 5), seed = 4)
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_setequal(names(fit$mixing_weights), c("1", "2", "3"))
  expect_identical(colnames(fit$posterior), names(fit$mixing_weights))
  for (worker in fit$informative) {
    expect_identical(rownames(fit$item_probs[[worker]]), c("1", "2", "3"))
    expect_identical(colnames(fit$item_probs[[worker]]), names(fit$mixing_weights))
  }
  # Without knowing the truth the names are right: aligning by it gains nothing.
  expect_lt(error_rate(fit, crowd$truth), 0.2)
  expect_equal(error_rate(fit, crowd$truth), error_rate(fit, crowd$truth, align = TRUE))
})

test_that("components are numbered when there are fewer than labels, or by BIC not as many", {
  fit <- stagewise_em(small_crowd()$labels, k = 2)
  expect_named(fit$mixing_weights, c("1", "2"))
  letters_crowd <- small_crowd()$labels
  letters_crowd$labels <- c("a", "b", "c")
  by_bic <- stagewise_control(criterion = "bic")
  fit <- stagewise_em(letters_crowd, k = 4, control = by_bic)
  expect_named(fit$mixing_weights, c("1", "2", "3", "4"))
})
