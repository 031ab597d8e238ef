test_that("two are the same where each code of the one is one of the other", {
  expect_true(is_same_partition(c(1, 2, 2, 1), c(2, 1, 1, 2)))
  expect_false(is_same_partition(c(1, 1, 1, 1), c(2, 1, 1, 2)))
  expect_false(is_same_partition(c(2, 1, 1, 2), c(1, 1, 1, 1)))
  expect_false(is_same_partition(c(1, 2, 3, 3), c(1, 1, 2, 2)))
  expect_false(is_same_partition(c(1, 1, 2, 2), c(1, 2, 3, 3)))
  # Of one code alone it does not say.
  expect_false(is_same_partition(c(1, 1, 1, 1), c(2, 2, 2, 2)))
})

test_that("an item is the same where more than half of the rows say so", {
  answers <- list(few = list(row = 1:2, code = 1:2), more = list(row = 1:3, code = c(2, 1, 1)))
  same <- function(codes) same_item(codes, names(answers), function(item) answers[[item]])
  expect_identical(same(c(1, 2, 2, 0)), "few")
  expect_identical(same(c(1, 2, 2, 1)), "more")
  expect_null(same(c(1, 2, 1, 1)))
  expect_null(same(c(1, 2, 2, 1, 1, 1)))
  expect_null(same(c(0, 0, 0, 1)))
})

test_that("an outcome or a covariate that is an item of the fit is told", {
  rows <- regression_rows(300)
  fit <- regression_fit(rows)
  data <- cbind(rows$items, rows$covariates, gap = replace(rows$items$item_2, 1:9, NA))
  for (values in list(rows$items$item_2, rows$items$item_2 == "yes",
                      ifelse(rows$items$item_2 == "yes", 1.5, 2), data$gap)) {
    cnd <- expect_warning(hush(distal_outcome(fit, values)), "The outcome has the answers to item",
                          class = "mdpd_warning_outcome_is_item")
    expect_identical(cnd$item, "item_2")
  }
  for (formula in list(~ item_2, ~ z + factor(item_2), ~ gap)) {
    cnd <- expect_warning(
      suppressWarnings(hush(class_regression(fit, formula, data)), "mdpd_warning_separation"),
      "Covariate .* has the answers to item item_2", class = "mdpd_warning_covariate_is_item"
    )
    expect_identical(cnd$item, "item_2")
  }
  expect_no_warning(class_regression(fit, ~ z + g, data))
  # The classes do not rest on it.
  fit$informative <- setdiff(fit$informative, "item_2")
  expect_no_warning(distal_outcome(fit, rows$items$item_2))
})

test_that("an outcome of as many values as an item may have levels can be one", {
  values <- rep(1:254, 2)
  fit <- hand_made_fit()
  fit$informative <- "item_1"
  first <- list(weights = rep(1, 508), object = fit, coded = coded_from_codes(cbind(values)))
  warns <- function(x) warn_if_item(x, 1:508, first, "outcome", "The outcome", NULL)
  expect_warning(warns(values + 0.5), class = "mdpd_warning_outcome_is_item")
  expect_no_warning(warns(replace(values, 1, 0)))
})
