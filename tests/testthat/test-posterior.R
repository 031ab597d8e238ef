# core_posterior() against its twin and by its properties.

# Without the other items.
engine_posterior <- function(coded, model, items = seq_along(coded$levels)) {
  step <- core_posterior(
    subset_items(coded, items), model$mixing_weights, model$item_probs[items], 1
  )
  c(step, loglik = sum(coded$weights * step$row_loglik))
}

test_that("the posterior agrees with its plain-R twin", {
  for (case in random_cases(seed = 11)) {
    for (items in list(3L, c(1L, 4L), 1:5)) {
      engine <- engine_posterior(case$coded, case$model, items)
      twin <- twin_posterior(case$coded, case$model, items)
      expect_close(engine$posterior, twin$posterior, label = case$label)
      expect_close(engine$loglik, twin$loglik, label = case$label)
      expect_close(engine$row_loglik, twin$row_loglik, label = case$label)
    }
  }
})

test_that("what differs by less than 1e-9 is tied, and the first of them is taken", {
  expect_equal(is_largest(rbind(c(0.3, 0.35 - 9e-10, 0.35), c(0.3, 0.35 - 2e-9, 0.35))),
               rbind(c(FALSE, TRUE, TRUE), c(FALSE, FALSE, TRUE)))
  expect_equal(first_largest(rbind(c(0.5 - 5e-10, 0.5), c(0.5 - 2e-9, 0.5))), 1:2)
})

test_that("rows sum to one even when every joint probability underflows", {
  n_items <- 3000
  codes <- matrix(1L, 3, n_items)
  coded <- coded_from_codes(codes, rep(2, n_items))
  model <- list(
    mixing_weights = c(0.5, 0.5),
    item_probs = rep(list(rbind(c(0.3, 0.301), c(0.7, 0.699))), n_items)
  )
  engine <- engine_posterior(coded, model)
  # 3000 log(0.3) = -3612, far below log(.Machine$double.xmin) = -708
  expect_lt(max(engine$row_loglik), -3000)
  expect_close(rowSums(engine$posterior), rep(1, 3), 1e-14)
  # 3000 logarithms are added up, so the exponent carries 3000 roundings
  expect_close(engine$posterior[, 1], rep(stats::plogis(-3000 * log(0.301 / 0.3)), 3), 1e-9)
})

test_that("a component that cannot show a level gets posterior 0 there and is not NaN", {
  coded <- coded_from_codes(cbind(c(1L, 2L)), 2)
  model <- list(mixing_weights = c(0.4, 0.6), item_probs = list(rbind(c(1, 0.5), c(0, 0.5))))
  engine <- engine_posterior(coded, model)
  expect_close(engine$posterior, rbind(c(4, 3) / 7, c(0, 1)), 1e-15)
  expect_close(engine$row_loglik, log(c(0.7, 0.3)), 1e-15)
})

test_that("without informative items the posterior is the mixing weights", {
  case <- random_cases(seed = 12)[[7]]
  engine <- engine_posterior(case$coded, case$model, integer())
  expect_close(engine$posterior, rep(case$model$mixing_weights, each = 60), 1e-15)
  # The weights sum to 1 up to rounding only.
  expect_lt(max(abs(engine$row_loglik)), 1e-14)
})

test_that("a row with every cell missing keeps the mixing weights", {
  case <- random_cases(seed = 13)[[4]]
  case$coded$codes[5, ] <- as.raw(0)
  engine <- engine_posterior(case$coded, case$model)
  expect_close(engine$posterior[5, ], case$model$mixing_weights, 1e-14)
})

test_that("an item that is the same in every component leaves the posterior unchanged", {
  for (case in random_cases(seed = 14)) {
    model <- case$model
    model$item_probs[[2]][] <- model$item_probs[[2]][, 1]
    model$item_probs[[5]][] <- model$item_probs[[5]][, 1]
    expect_close(
      engine_posterior(case$coded, model, 1:5)$posterior,
      engine_posterior(case$coded, model, c(1, 3, 4))$posterior
    )
  }
  # The property is not empty: an item that differs does change the posterior.
  with_both <- engine_posterior(case$coded, case$model, 1:5)$posterior
  without <- engine_posterior(case$coded, case$model, c(1, 3, 4))$posterior
  expect_gt(max(abs(with_both - without)), 0.01)
})

test_that("permuting rows, items, levels and components permutes the posterior", {
  case <- random_cases(seed = 15)[[15]]
  model <- case$model
  before <- engine_posterior(case$coded, model)

  rows <- engine_posterior(subset_rows(case$coded, 60:1), model)
  expect_close(rows$posterior, reverse_rows(before$posterior), 1e-14)
  expect_close(rows$loglik, before$loglik, 1e-14)

  items <- engine_posterior(
    subset_items(case$coded, 5:1), list(mixing_weights = model$mixing_weights,
                                        item_probs = rev(model$item_probs))
  )
  expect_close(items$posterior, before$posterior, 1e-12)

  levels <- engine_posterior(
    reverse_levels(case$coded), list(mixing_weights = model$mixing_weights,
                                     item_probs = lapply(model$item_probs, reverse_rows))
  )
  expect_identical(levels$posterior, before$posterior)

  order <- c(3, 1, 2)
  components <- engine_posterior(
    case$coded, list(mixing_weights = model$mixing_weights[order],
                     item_probs = lapply(model$item_probs, function(p) p[, order]))
  )
  expect_close(components$posterior, before$posterior[, order], 1e-14)
})

test_that("a row of weight 2 counts in the log-likelihood like the row twice", {
  case <- random_cases(seed = 16)[[6]]
  weighted <- case$coded
  weighted$weights[1:10] <- 2
  twice <- subset_rows(case$coded, c(1:60, 1:10))
  expect_close(
    engine_posterior(weighted, case$model)$loglik, engine_posterior(twice, case$model)$loglik, 1e-14
  )
})

test_that("one row and one component are enough", {
  coded <- coded_from_codes(matrix(c(2L, 1L), 1), c(2, 3))
  model <- list(mixing_weights = 1, item_probs = list(cbind(c(0.1, 0.9)), cbind(c(0.2, 0.3, 0.5))))
  engine <- engine_posterior(coded, model)
  expect_identical(engine$posterior, matrix(1))
  expect_close(engine$loglik, log(0.9 * 0.2), 1e-15)
})

test_that("errors to be expected and shares of sure rows are those of the weighted rows", {
  posterior <- rbind(c(1, 0), c(0.25, 0.75), c(0.5, 0.5), c(0.9, 0.1))
  colnames(posterior) <- c("1", "2")
  fit <- structure(list(k = 2L, posterior = posterior, nobs = 4,
                        mixing_weights = c("1" = 0.6, "2" = 0.4)), class = "mdpd")
  expect_equal(expected_error(fit), (0 + 0.25 + 0.5 + 0.1) / 4)
  # As sure as that is sure.
  expect_equal(share_sure(fit, 0.75), 3 / 4)
  entropy <- -(0.25 * log(0.25) + 0.75 * log(0.75) + log(0.5) + 0.9 * log(0.9) + 0.1 * log(0.1))
  expect_equal(class_entropy(fit), entropy)
  expect_equal(relative_entropy(fit), 1 - entropy / (4 * log(2)))
  weighted <- fit
  weighted$weights <- c(1, 2, 3, 4)
  expect_equal(expected_error(weighted), (0 + 0.5 + 1.5 + 0.4) / 10)
  expect_equal(share_sure(weighted, 0.9), 0.5)
  # Without the posterior by what is kept of it: 5 % and 3 % of all rows are of the other class.
  kept <- fit
  kept["posterior"] <- list(NULL)
  kept$classification <- rbind(c(0.52, 0.05), c(0.03, 0.4))
  kept$sums <- list(entropy = 2)
  expect_equal(expected_error(kept), 0.08)
  expect_equal(relative_entropy(kept), 1 - 2 / (4 * log(2)))
  one <- fit
  one$k <- 1L
  expect_equal(relative_entropy(one), 1)
})

test_that("weights are those that differ from one in some row", {
  has <- function(...) has_weights(list(weights = c(...)))
  expect_identical(c(has(1, 1), has(1, 2), has(2, 2), has(0.5, 3)), c(FALSE, TRUE, TRUE, TRUE))
  expect_false(has_weights(list(posterior = diag(2))))
})
