# core_information() and core_best_pair() against their twins and by their properties.

engine_information <- function(coded, posterior, component = 0, missing_level = FALSE) {
  unname(core_information(coded, posterior, component, missing_level))
}

best_pair <- function(coded, posterior, by, informative = integer(), outside_only = FALSE,
                      missing_level = FALSE) {
  core_best_pair(coded, posterior, informative, by, outside_only, missing_level)
}

pair_of <- function(best) c(best$item_1, best$item_2, best$component)

# log p-values of all pairs and components, corrected for their number; Inf below the diagonal
twin_corrected <- function(case, missing_level = FALSE) {
  corrected <- array(Inf, c(5, 5, case$k))
  for (i in 1:4) {
    for (j in (i + 1):5) {
      log_p <- twin_log_p_value(case$coded, case$posterior, i, j, missing_level)
      corrected[i, j, ] <- pmin(0, log_p + log(10 * case$k))
    }
  }
  corrected
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

test_that("the best pair by information is the largest entry of the twin", {
  for (case in random_cases(seed = 47)) {
    for (missing_level in c(FALSE, TRUE)) {
      best <- best_pair(case$coded, case$posterior, "information", missing_level = missing_level)
      twin <- twin_information(case$coded, case$posterior, missing_level)
      expect_equal(pair_of(best), unlist(twin_largest_entry(twin), use.names = FALSE))
      expect_close(best$information, max(twin), label = case$label)
    }
  }
})

test_that("the best pair by p-value has the twin's smallest corrected p-value", {
  for (case in random_cases(n_obs = 200, seed = 48)) {
    corrected <- twin_corrected(case)
    # With every pair at 1 after correction there is nothing to tell them apart by.
    if (min(corrected) == 0) next
    best <- best_pair(case$coded, case$posterior, "p_value")
    expect_equal(pair_of(best), unname(which(corrected == min(corrected), arr.ind = TRUE)[1, ]))
    expect_close(best$log_p_value, min(corrected), label = case$label)
  }
})

test_that("the p-value of a single pair is right from certain to impossible independence", {
  for (seed in 1:60) {
    n_levels <- 2L + seed %% 4L
    coded <- with_seed(seed, {
      first <- sample.int(n_levels, 100, TRUE)
      second <- sample.int(n_levels + 1L, 100, TRUE)
      same <- stats::runif(100) < seed / 60
      coded_from_codes(cbind(first, ifelse(same, first, second)), c(n_levels, n_levels + 1L))
    })
    posterior <- matrix(1, 100, 1)
    log_p <- best_pair(coded, posterior, "p_value")$log_p_value
    expected <- twin_log_p_value(coded, posterior, 1, 2)
    # Near p = 1 the logarithm has no relative accuracy; a p-value to 1e-10 is what counts there.
    expect_lt(abs(log_p - expected), 1e-10 * max(1, -expected))
  }
})

test_that("p-values too small for a number still order the pairs", {
  item <- rep(1:2, 50)
  twisted <- item
  twisted[1:4] <- 3L - twisted[1:4]
  coded <- coded_from_codes(cbind(twisted, item, item), c(2, 2, 2), rep(200, 100))
  best <- best_pair(coded, matrix(1, 100, 1), "p_value")
  g2 <- 2 * 100 * 200 * log(2)
  expect_identical(stats::pchisq(g2, 1, lower.tail = FALSE), 0)
  expect_equal(pair_of(best), c(2, 3, 1))
  expected <- stats::pchisq(g2, 1, lower.tail = FALSE, log.p = TRUE) + log(3)
  expect_close(best$log_p_value, expected)
})

test_that("ties go to the lowest items", {
  item <- rep(1:2, 20)
  coded <- coded_from_codes(cbind(rep(1:2, each = 20), item, item, item))
  for (by in c("information", "p_value")) {
    expect_equal(pair_of(best_pair(coded, matrix(0.5, 40, 2), by)), c(2, 3, 1))
  }
})

test_that("pairs inside the informative set can be left out", {
  case <- random_cases(seed = 49)[[6]]
  first <- best_pair(case$coded, case$posterior, "information")
  inside <- c(first$item_1, first$item_2)
  second <- best_pair(case$coded, case$posterior, "information", inside, outside_only = TRUE)
  twin <- twin_information(case$coded, case$posterior)
  twin[inside, inside, ] <- 0
  expect_equal(pair_of(second), unlist(twin_largest_entry(twin), use.names = FALSE))
})

test_that("constant items are never the best pair", {
  coded <- coded_from_codes(cbind(1L, rep(1:2, 10), 1L), c(1, 2, 1))
  expect_false(best_pair(coded, matrix(1, 20, 1), "p_value")$found)
  expect_false(best_pair(coded, matrix(1, 20, 1), "information")$found)
})

test_that("under independence the p-values are uniform", {
  skip_below_level_2()
  log_p <- vapply(seq_len(2000), function(seed) {
    codes <- with_seed(seed, cbind(sample(3, 400, TRUE), sample(3, 400, TRUE)))
    best_pair(coded_from_codes(codes, c(3, 3)), matrix(1, 400, 1), "p_value")$log_p_value
  }, 0)
  # One pair, one component: nothing to correct for. 2000 draws: the Kolmogorov-Smirnov test at 1e-3
  # notices a distribution that is off by 0.044 anywhere.
  expect_gt(stats::ks.test(exp(log_p), "punif")$p.value, 1e-3)
})
