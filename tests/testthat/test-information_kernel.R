# core_information() against its twin and by its properties.

engine_information <- function(coded, posterior, component = 0, missing_level = FALSE) {
  coded$missing <- if (missing_level) "frozen" else "ignore"
  unname(core_information(coded, posterior, component, 1))
}

test_that("the information agrees with its plain-R twin, by component and summed", {
  for (case in random_cases(seed = 41)) {
    for (missing_level in c(FALSE, TRUE)) {
      twin <- twin_information(case$coded, case$posterior, missing_level)
      for (component in seq_len(case$k)) {
        expect_close(
          engine_information(case$coded, case$posterior, component, missing_level),
          twin[, , component], label = case$label
        )
      }
      weight <- twin_component_weights(case$coded, case$posterior)
      expect_close(
        engine_information(case$coded, case$posterior, 0, missing_level),
        apply(twin, 1:2, function(i) sum(i * weight)), label = case$label
      )
    }
  }
})

test_that("the twin by matrix products agrees with the twin by loops", {
  for (case in random_cases(seed = 42)[c(3, 8, 16)]) {
    for (missing_level in c(FALSE, TRUE)) {
      expect_close(
        twin_information_by_product(case$coded, case$posterior, missing_level),
        twin_information(case$coded, case$posterior, missing_level)
      )
    }
  }
})

test_that("the information is symmetric, not negative and zero on the diagonal", {
  for (case in random_cases(seed = 43)) {
    for (component in c(0, case$k)) {
      information <- engine_information(case$coded, case$posterior, component)
      expect_identical(information, t(information))
      expect_gte(min(information), 0)
      expect_identical(diag(information), rep(0, 5))
    }
  }
})

test_that("duplicating a component leaves the information unchanged", {
  for (case in random_cases(seed = 44)) {
    before <- twin_posterior(case$coded, case$model, 1:4)$posterior
    after <- twin_posterior(case$coded, twin_duplicate(case$model, case$k), 1:4)$posterior
    expect_identical(ncol(after), case$k + 1L)
    for (missing_level in c(FALSE, TRUE)) {
      expect_close(
        engine_information(case$coded, after, 0, missing_level),
        engine_information(case$coded, before, 0, missing_level), label = case$label
      )
    }
    expect_close(
      engine_information(case$coded, after, case$k + 1),
      engine_information(case$coded, before, case$k), label = case$label
    )
  }
})

test_that("items that are independent in the sample have no information", {
  codes <- as.matrix(expand.grid(1:2, 1:3, 1:4))
  information <- engine_information(coded_from_codes(codes, 2:4), matrix(1, 24, 1), 1)
  # the logarithm of ratios that are 1 up to rounding
  expect_lt(max(information), 1e-15)
})

test_that("an item shares its whole entropy with its copy and nothing with a constant", {
  item <- rep(1:3, c(5, 3, 2))
  coded <- coded_from_codes(cbind(item, 4L - item, 1L), c(3, 3, 1))
  information <- engine_information(coded, matrix(1, 10, 1), 1)
  entropy <- -sum(c(5, 3, 2) / 10 * log(c(5, 3, 2) / 10))
  expect_close(information[1, 2], entropy, 1e-14)
  expect_identical(information[3, ], c(0, 0, 0))
})

test_that("a pair seen on few rows is discounted by the share of rows that show both", {
  codes <- cbind(rep(1:2, 10), rep(1:2, 10))
  codes[5:20, 2] <- 0L
  coded <- coded_from_codes(codes, c(2, 2))
  posterior <- matrix(1, 20, 1)
  expect_close(engine_information(coded, posterior, 1)[1, 2], log(2) * 4 / 20, 1e-14)
  # As a level of its own the missing answers carry no information here: they alternate like item 1.
  expect_lt(engine_information(coded, posterior, 1, TRUE)[1, 2], log(2) * 4 / 20 + 1e-14)
})

test_that("permuting rows, items and levels permutes the information", {
  case <- random_cases(seed = 45)[[16]]
  before <- engine_information(case$coded, case$posterior, 2)
  rows <- engine_information(subset_rows(case$coded, 60:1), reverse_rows(case$posterior), 2)
  items <- engine_information(subset_items(case$coded, 5:1), case$posterior, 2)
  levels <- engine_information(reverse_levels(case$coded), case$posterior, 2)
  expect_close(rows, before, 1e-12)
  expect_close(items, before[5:1, 5:1], 1e-12)
  expect_close(levels, before, 1e-12)
})

test_that("a row of weight 2 counts like the row twice", {
  case <- random_cases(seed = 46)[[7]]
  weighted <- case$coded
  weighted$weights[1:30] <- 2
  rows <- c(1:60, 1:30)
  expect_close(
    engine_information(weighted, case$posterior),
    engine_information(subset_rows(case$coded, rows), case$posterior[rows, ]), 1e-12
  )
})
