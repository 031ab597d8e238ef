binary_rows <- function(n_items, n_obs = 300, k = 2, seed = 1) {
  model <- hand_made_fit(n_items = n_items, k = k, n_informative = n_items)
  x <- simulate(model, seed = seed, n_obs = n_obs)[[1]]
  attr(x, "component") <- NULL
  x
}

# Columns of the Jacobian of all cell probabilities by differences, in plain R.
twin_rank <- function(fit) {
  cells <- expand.grid(lapply(fit$item_probs, function(p) seq_len(nrow(p))))
  k <- fit$k
  n_levels <- vapply(fit$item_probs, nrow, 0L)
  theta <- unname(c(fit$mixing_weights[-k], unlist(lapply(fit$item_probs, function(p) p[-1, ]))))
  probabilities <- function(theta) {
    weights <- c(theta[seq_len(k - 1)], 1 - sum(theta[seq_len(k - 1)]))
    theta <- theta[-seq_len(k - 1)]
    by_component <- matrix(weights, nrow(cells), k, byrow = TRUE)
    for (i in seq_along(n_levels)) {
      free <- matrix(theta[seq_len((n_levels[i] - 1) * k)], ncol = k)
      theta <- theta[-seq_len((n_levels[i] - 1) * k)]
      by_component <- by_component * rbind(1 - colSums(free), free)[cells[[i]], ]
    }
    rowSums(by_component)
  }
  jacobian <- vapply(seq_along(theta), function(j) {
    step <- replace(numeric(length(theta)), j, 1e-5)
    (probabilities(theta + step) - probabilities(theta - step)) / 2e-5
  }, numeric(nrow(cells)))
  values <- svd(jacobian)$d
  # Differences are good to 1e-10; singular values here are above 1e-4 or rounding.
  c(rank = sum(values > 1e-7 * values[1]), parameters = length(theta))
}

interior_model <- function(n_levels, k, seed) {
  items <- paste0("item_", seq_along(n_levels))
  with_seed(seed, model <- random_model(k, n_levels))
  names(model$mixing_weights) <- seq_len(k)
  model$item_probs <- stats::setNames(lapply(model$item_probs, function(p) {
    dimnames(p) <- list(seq_len(nrow(p)), seq_len(k))
    p
  }), items)
  structure(c(list(k = k, nobs = 1e6, informative = items), model), class = "mdpd")
}

test_that("directions that nothing determines are as many as the Jacobian lacks", {
  cases <- list(
    list(c(2, 2, 2), 2), list(c(2, 2), 2), list(c(2, 2, 2, 2), 3), list(c(2, 2, 2, 2), 4),
    list(c(3, 3), 2), list(c(3, 3, 2), 3), list(c(2, 2, 2, 2, 2), 3), list(c(4, 3, 2), 3)
  )
  lacking <- vapply(cases, function(case) {
    model <- interior_model(case[[1]], case[[2]], seed = 1)
    twin <- twin_rank(model)
    expect_equal(n_undetermined(model), unname(twin["parameters"] - twin["rank"]))
    n_undetermined(model)
  }, 0L)
  # Four binary items and three classes: 14 parameters, 15 free cells, and yet not identified
  # (Goodman 1974). Three items and two classes: 7 of 7, identified.
  expect_equal(lacking[c(1, 3)], c(0, 1))
})

test_that("more parameters than cells are told when the fit is made", {
  x <- binary_rows(4)
  for (fit_with in list(mdpd, stagewise_em)) {
    caught <- list()
    withCallingHandlers(
      fit_with(x, k = 4, verbose = FALSE),
      warning = function(cnd) {
        caught <<- c(caught, list(cnd))
        tryInvokeRestart("muffleWarning")
      }
    )
    classes <- vapply(caught, function(cnd) class(cnd)[1], "")
    told <- caught[classes == "mdpd_warning_not_identified"]
    if (length(told) > 0) {
      expect_equal(told[[1]]$parameters, 19)
      expect_equal(told[[1]]$cells, 16)
    } else {
      # The evidence may show fewer components, for which the cells are enough.
      expect_true("mdpd_warning_fewer_components" %in% classes)
    }
  }
  expect_snapshot(show_conditions(fit <- mdpd(x, k = 4, n_starts = 1)))
  expect_silent(mdpd(binary_rows(5), k = 2, n_starts = 1))
})

test_that("poLCA's values with four classes are told not to be identified", {
  skip_if_not_installed("poLCA")
  here <- environment()
  utils::data("values", package = "poLCA", envir = here)
  expect_warning(mdpd(here$values, k = 4), class = "mdpd_warning_not_identified")
  expect_warning(stagewise_em(here$values, k = 4), class = "mdpd_warning_not_identified")
  # 14 parameters in 16 cells: the count passes, the rank does not.
  expect_silent(fit <- mdpd(here$values, k = 3))
  expect_warning(found <- summary(fit), class = "mdpd_warning_not_identified")
  expect_equal(found$n_undetermined, 1)
  expect_output(print(found), "can be moved in 1 direction")
  expect_silent(identified <- summary(mdpd(here$values, k = 2)))
  expect_equal(identified$n_undetermined, 0)
})

test_that("known classes and prior counts identify what answers alone do not", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 2, n_labels = 3, accuracy = c(0.8, 0.7),
                          seed = 1)
  count <- function(code) {
    told <- FALSE
    withCallingHandlers(code, warning = function(cnd) {
      if (inherits(cnd, "mdpd_warning_not_identified")) told <<- TRUE
      tryInvokeRestart("muffleWarning")
    })
    told
  }
  expect_true(count(mdpd(crowd$labels, k = 3, prior = 0)))
  expect_false(count(mdpd(crowd$labels, k = 3, prior = 1)))
  expect_false(count(mdpd(crowd$labels, k = 3, prior = 0, known = crowd$truth)))
})

test_that("many parameters are not looked at, and one component is always identified", {
  expect_identical(n_undetermined(interior_model(rep(5, 30), 3, seed = 1)), NA_integer_)
  expect_identical(n_undetermined(suppressWarnings(mdpd(answers(50), k = 1))), 0L)
  # More cells than are listed: some of them do.
  expect_identical(n_undetermined(interior_model(rep(3, 10), 3, seed = 1)), 0L)
  cells <- cells_of_model(interior_model(rep(3, 10), 3, seed = 1), 300)
  expect_equal(nrow(unique(cells$codes)), 300)
})

test_that("summary() has the criteria and the entropy", {
  fit <- suppressWarnings(stagewise_em(answers(300), k = 2))
  found <- summary(fit)
  penalty <- function(per_parameter) -2 * fit$loglik + per_parameter * fit$df
  expect_equal(found$sabic, penalty(log(302 / 24)))
  expect_equal(found$caic, penalty(log(300) + 1))
  g <- fit$posterior
  expect_equal(found$entropy, 1 + sum(g[g > 0] * log(g[g > 0])) / (300 * log(2)))
  expect_equal(found$n_undetermined, 0)
  row <- glance(fit)
  expect_equal(c(row$SABIC, row$CAIC, row$entropy), c(found$sabic, found$caic, found$entropy))
  expect_output(print(found), "SABIC.*CAIC")
  expect_output(print(found), "entropy R2")
})
