# Variable labels in what is made of a fit.

test_that("pairs and groups are shown under the labels of items, and keep their names", {
  x <- sharp_rows(300)
  attr(x$item_2, "label") <- "Content?"
  fit <- stagewise_em(x, k = 2)
  pairs <- pair_residuals(fit)
  expect_output(print(pairs), "Content?", fixed = TRUE)
  expect_true("item_2" %in% c(tidy(pairs)$item_1, tidy(pairs)$item_2))
  expect_true("Content?" %in% levels(autoplot(pairs)$data$first))
  expect_s3_class(ggplot2::ggplotGrob(autoplot(pairs, type = "bars")), "gtable")

  groups <- compare_groups(fit, rep(c("a", "b", "c"), 100), free = "item_2")
  expect_output(print(groups), "Content? (free)", fixed = TRUE)
  expect_true("item_2" %in% tidy(groups, "items")$item)
  expect_true("Content?" %in% levels(autoplot(groups, type = "items")$data$item))
  expect_identical(levels(autoplot(groups, type = "item_probs")$data$item), "Content?")
})
