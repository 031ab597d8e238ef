# EM of the engine against its twins: the iterations one by one, and what never falls.

# Two clear classes on items 1 to 6 of 9, the rest noise.
separated_case <- function(seed, k = 2, missing = 0.1, weighted = TRUE, n_obs = 300) {
  with_seed(seed, {
    n_levels <- rep(c(2L, 3L, 4L), 3)
    model <- random_model(k, n_levels)
    model$mixing_weights <- rep(1 / k, k)
    for (item in 1:9) {
      probs <- model$item_probs[[item]]
      if (item <= 6) {
        favourite <- (seq_len(k) + item) %% n_levels[item] + 1
        probs <- 0.7 * diag(n_levels[item])[, favourite] + 0.3 / n_levels[item]
      } else {
        probs[] <- probs[, 1]
      }
      model$item_probs[[item]] <- probs
    }
    coded <- random_coded(n_obs, model, missing, weighted)
    noise <- random_posterior(n_obs, k)
    start <- 0.6 * twin_posterior(coded, model, 1:6)$posterior + 0.4 * noise
    list(coded = coded, model = model, start = start, k = k)
  })
}

test_that("full refinement does the twin's iterations", {
  for (case in Filter(function(case) case$k > 1, random_cases(seed = 61))) {
    # EM from a random start multiplies a rounding error of 1e-16 in every step: ten steps only.
    engine <- engine_refine(case$coded, case$posterior, "full", tol = 1e-300, max_iter = 10)
    twin <- twin_refine(case$coded, case$posterior, 10, sparse = FALSE)
    expect_close(engine$trace$loglik, twin$trace$loglik, label = case$label)
    expect_close(engine$trace$penalised_loglik, twin$trace$penalised_loglik, label = case$label)
    expect_close(engine$item_probs, twin$model$item_probs, 1e-8, case$label)
  }
})

test_that("sparse refinement does the twin's iterations", {
  for (k in 2:4) {
    case <- separated_case(k, k)
    engine <- engine_refine(case$coded, case$start, "sparse", tol = 1e-300, max_iter = 10)
    twin <- twin_refine(case$coded, case$start, 10, sparse = TRUE)
    expect_equal(engine$trace$n_informative, twin$trace$n_informative)
    expect_close(engine$trace$loglik, twin$trace$loglik)
    expect_close(engine$trace$penalised_loglik, twin$trace$penalised_loglik)
    expect_setequal(engine$informative, twin$items)
    expect_close(engine$posterior, twin$posterior, 1e-8)
  }
})

test_that("the first step, with smoothing or without, is the twin's M-step", {
  for (case in random_cases(seed = 64)) {
    for (smoothing in c(0, 0.7, 10)) {
      engine <- engine_refine(
        case$coded, case$posterior, "full", max_iter = 1, smoothing = smoothing
      )
      twin <- twin_m_step(case$coded, case$posterior, smoothing = smoothing)
      label <- paste(case$label, "smoothing", smoothing)
      expect_close(engine$mixing_weights, twin$mixing_weights, label = label)
      expect_close(engine$item_probs, twin$item_probs, label = label)
    }
  }
})

test_that("an item is informative exactly when its gain exceeds its penalty", {
  # 100 items from no difference to a clear one between two known classes: for some of them gain and
  # penalty are within 5 %, on both sides.
  coded <- with_seed(62, {
    probs <- lapply(1:100, function(item) {
      n_levels <- 2L + item %% 3L
      strength <- item / 250
      favourite <- diag(n_levels)[, 1:2]
      strength * favourite + (1 - strength) * matrix(random_simplex(n_levels), n_levels, 2)
    })
    random_coded(300, list(mixing_weights = c(0.5, 0.5), item_probs = probs), 0.2, TRUE)
  })
  start <- with_seed(63, random_posterior(300, 2))
  start <- twin_refine(coded, start, 25, sparse = FALSE)$posterior
  ratio <- twin_gain(coded, start) / twin_penalty(coded, 2)
  expect_lt(min(ratio[ratio > 1]), 1.05)
  expect_gt(max(ratio[ratio < 1]), 0.95)
  fit <- engine_refine(coded, start, "sparse", max_iter = 1)
  expect_setequal(fit$informative, which(ratio > 1))
})

test_that("ordinary EM never decreases the log-likelihood", {
  for (seed in 1:5) {
    case <- separated_case(seed, 3)
    expect_non_decreasing(engine_refine(case$coded, case$start, "full")$trace$loglik)
  }
})

test_that("sparse EM never decreases the penalised log-likelihood", {
  for (seed in 1:5) {
    case <- separated_case(seed, 3, missing = 0.4, n_obs = 150)
    expect_non_decreasing(engine_refine(case$coded, case$start, "sparse")$trace$penalised_loglik)
  }
})

test_that("neither falls where probabilities reach zero", {
  case <- separated_case(7, 3, n_obs = 25, missing = 0.5)
  full <- engine_refine(case$coded, case$start, "full", tol = 1e-15, max_iter = 300)
  expect_identical(min(unlist(full$item_probs)) < 1e-100, TRUE)
  expect_non_decreasing(full$trace$loglik)
  # Enough rows for items to be worth their penalty.
  case <- separated_case(8, 3, n_obs = 60, missing = 0.5)
  sparse <- engine_refine(case$coded, case$start, "sparse", tol = 1e-15, max_iter = 300)
  expect_identical(min(unlist(sparse$item_probs)) < 1e-100, TRUE)
  expect_non_decreasing(sparse$trace$penalised_loglik)
})

test_that("sparse refinement keeps the items that differ and leaves the noise out", {
  # At 1000 rows the penalty of a noise item with two levels is 3.45: exceeded once in 100 draws.
  case <- separated_case(8, n_obs = 1000)
  fit <- engine_refine(case$coded, case$start, "sparse")
  expect_setequal(fit$informative, 1:6)
})

test_that("a refined fit holds together: posterior, likelihoods and parameters agree", {
  case <- separated_case(9, 3)
  for (type in c("full", "sparse")) {
    fit <- engine_refine(case$coded, case$start, type)
    e_step <- twin_posterior(case$coded, fit, fit$informative)
    criterion <- twin_criterion(case$coded, e_step, fit$informative, case$k)
    expect_close(fit$posterior, e_step$posterior)
    expect_close(fit$loglik, criterion$loglik)
    expect_close(fit$penalised_loglik, criterion$penalised_loglik)
    # Uninformative items carry their marginal in every component, so all items may enter.
    all_items <- twin_posterior(case$coded, fit, 1:9)
    expect_close(all_items$loglik, fit$loglik)
  }
})

test_that("with nothing missing the penalised log-likelihood is -BIC/2 up to the marginals", {
  case <- separated_case(10, missing = 0, weighted = FALSE)
  fit <- engine_refine(case$coded, case$start, "sparse")
  n_levels <- twin_n_levels(case$coded)
  inside <- seq_along(n_levels) %in% fit$informative
  expect_equal(fit$df, 1 + 2 * sum(n_levels[inside] - 1) + sum(n_levels[!inside] - 1))
  minus_half_bic <- fit$loglik - fit$df / 2 * log(300)
  expect_close(minus_half_bic + sum(n_levels - 1) / 2 * log(300), fit$penalised_loglik, 1e-13)
})

test_that("a converged fit stays where it is", {
  case <- separated_case(11)
  for (type in c("full", "sparse")) {
    first <- engine_refine(case$coded, case$start, type, tol = 1e-14)
    expect_identical(first$status, "converged")
    again <- engine_refine(
      case$coded, first$posterior, type, max_iter = 5, informative = first$informative
    )
    # Relative changes of 1e-14 in the objective are its square in the posterior: 1e-7 to 1e-6.
    expect_close(again$posterior, first$posterior, 1e-5)
  }
})

test_that("permuting rows, items and levels permutes the fit and changes nothing else", {
  case <- separated_case(12)
  for (type in c("full", "sparse")) {
    before <- engine_refine(case$coded, case$start, type)
    rows <- engine_refine(subset_rows(case$coded, 300:1), reverse_rows(case$start), type)
    items <- engine_refine(subset_items(case$coded, 9:1), case$start, type)
    levels <- engine_refine(reverse_levels(case$coded), case$start, type)
    # Some dozens of EM steps on differences of rounding, 1e-14 each, that EM contracts.
    expect_close(rows$loglik, before$loglik, 1e-12)
    expect_close(reverse_rows(rows$posterior), before$posterior, 1e-9)
    expect_setequal(10L - items$informative, before$informative)
    expect_close(items$posterior, before$posterior, 1e-9)
    expect_close(levels$posterior, before$posterior, 1e-9)
    expect_close(lapply(levels$item_probs, reverse_rows), before$item_probs, 1e-9)
  }
})

test_that("a row of weight 2 counts like the row twice", {
  case <- separated_case(13, weighted = FALSE)
  weighted <- case$coded
  weighted$weights[1:150] <- 2
  rows <- c(1:300, 1:150)
  for (type in c("full", "sparse")) {
    one <- engine_refine(weighted, case$start, type)
    other <- engine_refine(subset_rows(case$coded, rows), case$start[rows, ], type)
    expect_close(one$penalised_loglik, other$penalised_loglik, 1e-11)
    expect_close(one$posterior, other$posterior[1:300, ], 1e-8)
  }
})

test_that("when no item is worth its penalty that is said and one component is left", {
  coded <- with_seed(14, random_coded(200, random_model(1, rep(3L, 6))))
  result <- engine_refine(coded, with_seed(14, random_posterior(200, 2)), "sparse")
  expect_identical(result$status, "fewer_components")
  expect_length(result$informative, 0)
  expect_length(result$mixing_weights, 1)
})
