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
  values <- polca_data("values")
  expect_warning(mdpd(values, k = 4), class = "mdpd_warning_not_identified")
  expect_warning(stagewise_em(values, k = 4), class = "mdpd_warning_not_identified")
  # 14 parameters in 16 cells: the count passes, the rank does not.
  for (fit_with in list(mdpd, stagewise_em)) {
    expect_warning(fit_with(values, k = 3), "can be moved in 1 direction",
                   class = "mdpd_warning_not_identified")
  }
  fit <- suppressWarnings(mdpd(values, k = 3))
  expect_warning(found <- summary(fit), class = "mdpd_warning_not_identified")
  expect_equal(found$n_undetermined, 1)
  expect_output(print(found), "can be moved in 1 direction")
  expect_silent(identified <- summary(mdpd(values, k = 2)))
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

test_that("another k from a path and fits of poLCA are told not to be identified", {
  x <- binary_rows(4)
  path <- suppressWarnings(stagewise_em(x, k = 2:4, refine = "full"))
  expect_warning(choose_k(path, k = 4), "19 parameters", class = "mdpd_warning_not_identified")
  expect_silent(choose_k(path, k = 2))
  values <- polca_data("values")
  expect_silent(path <- stagewise_em(values, k = 1:3))
  expect_warning(choose_k(path, k = 3), "1 direction", class = "mdpd_warning_not_identified")
  fit_polca <- function(k) {
    with_seed(1, poLCA::poLCA(cbind(item_1, item_2, item_3, item_4) ~ 1, x, nclass = k,
                              verbose = FALSE))
  }
  expect_warning(as_mdpd(fit_polca(4)), class = "mdpd_warning_not_identified")
  expect_silent(as_mdpd(fit_polca(2)))
})

# Three classes of four binary items, well inside: one direction is not determined (Goodman 1974).
loose_fit <- function() {
  probs <- rbind(c(0.8, 0.4, 0.2), c(0.7, 0.2, 0.5), c(0.9, 0.3, 0.4), c(0.2, 0.6, 0.8))
  model <- interior_model(c(2, 2, 2, 2), 3, seed = 1)
  model$mixing_weights[] <- c(0.4, 0.35, 0.25)
  for (i in 1:4) model$item_probs[[i]][] <- rbind(probs[i, ], 1 - probs[i, ])
  x <- simulate(model, seed = 1, n_obs = 2000)[[1]]
  attr(x, "component") <- NULL
  suppressWarnings(mdpd(x, k = 3, start = model, prior = 0))
}

test_that("what the data do not determine has no standard error, at default convergence too", {
  fit <- loose_fit()
  expect_equal(n_undetermined(fit), 1)
  expect_warning(errors <- standard_errors(fit), class = "mdpd_warning_not_identified")
  # The direction moves all sizes, and hardly two of the twelve probabilities.
  expect_true(all(is.na(errors$mixing_weights)))
  expect_equal(sum(is.na(unlist(errors$item_probs))), 20)
  expect_true(all(is.na(suppressWarnings(confint(fit, "mixing_weights")))))
  expect_warning(found <- tidy(fit), class = "mdpd_warning_not_identified")
  expect_equal(sum(is.na(found$std.error)), 20)
  d <- data.frame(z = with_seed(1, stats::rnorm(2000)))
  for (method in c("two-step", "ml", "bch")) {
    regression <- suppressWarnings(class_regression(fit, ~ z, d, method = method))
    expect_true(all(is.na(vcov(regression))), label = method)
  }
  for (method in c("ml", "bch")) {
    outcome <- suppressWarnings(distal_outcome(fit, z, d, method = method))
    expect_true(all(is.na(outcome$estimates$std.error)), label = method)
    expect_true(is.na(outcome$test$p.value), label = method)
  }
})

test_that("identified parts keep their standard errors, and weak models all of theirs", {
  # A fifth item that is alike in all classes is known from its shares.
  fit <- loose_fit()
  fixed <- undetermined_directions(fit, free = seq_along(mixture_parameters(fit)$root) > 3)
  expect_equal(ncol(fixed), 0) # with sizes known there are 12 parameters
  # Classes hardly apart: 0.4 and 0.6 in four items.
  x <- with_seed(3, {
    class <- sample(2, 1000, replace = TRUE)
    as.data.frame(lapply(1:4, function(i) factor(stats::runif(1000) < c(0.4, 0.6)[class])))
  })
  names(x) <- paste0("item_", 1:4)
  expect_no_warning(weak <- mdpd(x, k = 2, prior = 0), class = "mdpd_warning_not_identified")
  expect_false(anyNA(unlist(standard_errors(weak))))
})

test_that("the errors of a fit by evidence are said to rest on the prior", {
  values <- polca_data("values")
  fit <- suppressWarnings(stagewise_em(values, k = 3))
  expect_warning(errors <- standard_errors(fit), "rest on the prior",
                 class = "mdpd_warning_not_identified")
  expect_false(anyNA(unlist(errors)))
})

# What is orthogonal to the columns.
null_space <- function(columns) {
  of_columns <- qr(columns)
  qr.Q(of_columns, complete = TRUE)[, -seq_len(of_columns$rank), drop = FALSE]
}

test_that("the inverse on the tangent is that of plain matrices, without some directions too", {
  fit <- suppressWarnings(mdpd(answers(150)[1:4], k = 2, n_starts = 1))
  model <- mixture_parameters(fit)
  model$free <- model$estimate > 0 & !(seq_along(model$root) %in% 4)
  n <- length(model$root)
  information <- crossprod(with_seed(1, matrix(stats::rnorm(2 * n^2), 2 * n)))
  # Moves that keep sums: the null space of the roots of each distribution, fixed levels apart.
  sums <- sapply(unique(model$simplex), function(s) (model$simplex == s) * model$root)
  fixed <- diag(n)[, !model$free, drop = FALSE]
  basis <- null_space(cbind(sums * model$free, fixed))
  twin <- function(basis) {
    basis %*% solve(crossprod(basis, information %*% basis)) %*% t(basis)
  }
  expect_equal(invert_on_tangent(model, information)$covariance, twin(basis))
  expect_equal(crossprod(tangent_basis(model)), diag(ncol(basis)))
  expect_equal(tcrossprod(tangent_basis(model)), tcrossprod(basis))
  directions <- qr.Q(qr(basis[, 1:2] + basis[, 3:4]))
  for (undetermined in list(directions, directions[, 1, drop = FALSE])) {
    less <- null_space(cbind(sums * model$free, fixed, undetermined))
    expect_equal(invert_on_tangent(model, information, undetermined)$covariance, twin(less))
  }
})

test_that("Cholesky's root and eigenvalues give one inverse, and null directions are found", {
  information <- crossprod(with_seed(1, matrix(stats::rnorm(60), 10)))
  expect_equal(invert_determined(information)$inverse, solve(information))
  singular <- information
  singular[6, ] <- singular[, 6] <- information[, 1] + information[, 2]
  singular[6, 6] <- information[1, 1] + 2 * information[1, 2] + information[2, 2]
  singular[1:5, 6] <- singular[6, 1:5] <- (information[, 1] + information[, 2])[1:5]
  found <- invert_determined(singular)
  expect_equal(abs(found$null[, 1]), c(1, 1, 0, 0, 0, 1) / sqrt(3))
  expect_equal(singular %*% found$inverse %*% singular, singular)
})

test_that("sharp models with many items are not taken for unidentified", {
  # By their probabilities cells of these would vanish beside each other.
  model <- interior_model(rep(3, 16), 3, seed = 1)
  for (i in 1:16) {
    favourite <- (i * 1:3 + i %/% 3) %% 3 + 1
    model$item_probs[[i]][] <- 0.995 * outer(1:3, favourite, `==`) + 0.005 / 3
  }
  expect_identical(n_undetermined(model), 0L)
  # Nor with estimates of 0 and 1, which exclude a component from most cells drawn at random.
  rows <- regression_rows(500, accuracy = 0.99, seed = 2, n_items = 16)
  expect_no_warning(regression_fit(rows), class = "mdpd_warning_not_identified")
})

test_that("many parameters are not looked at, and one component is always identified", {
  expect_identical(n_undetermined(interior_model(rep(5, 30), 3, seed = 1)), NA_integer_)
  # 3 + 22 * 3 * 3 are more than 200.
  expect_identical(n_undetermined(interior_model(rep(3, 22), 3, seed = 1)), NA_integer_)
  small <- interior_model(c(2, 2), 2, seed = 1)
  expect_null(undetermined_directions(small, most_parameters = 9))
  expect_identical(dim(undetermined_directions(small, most_parameters = 10)), c(10L, 2L))
  expect_identical(n_undetermined(suppressWarnings(mdpd(answers(50), k = 1))), 0L)
  # More cells than are listed: some of them do.
  expect_identical(n_undetermined(interior_model(rep(3, 10), 3, seed = 1)), 0L)
  cells <- cells_of_model(interior_model(rep(3, 10), 3, seed = 1), 300)
  # 100 around each component, hardly one of them twice.
  expect_equal(nrow(cells$codes), 300)
  expect_gt(nrow(unique(cells$codes)), 290)
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

test_that("parameters and cells are counted", {
  # Two sizes and three times 1 + 2 + 3 probabilities; 24 cells, which sum to one.
  expect_equal(count_identified(interior_model(c(2, 3, 4), 3, seed = 1)),
               list(parameters = 20, cells = 23))
  # As many cells as parameters are enough.
  expect_silent(warn_not_identified(interior_model(c(2, 2, 2), 2, seed = 1)))
  # Four binary items of three classes: the count is enough, the rank is not.
  loose <- interior_model(c(2, 2, 2, 2), 3, seed = 1)
  expect_warning(warn_not_identified(loose), "in 1 direction ",
                 class = "mdpd_warning_not_identified")
  # Of a fit that is sure of no item something else is told.
  loose$inclusion <- stats::setNames(rep(0.1, 4), loose$informative)
  expect_silent(warn_not_identified(loose))
  # One item tells no classes apart; where none does, none is to be told.
  alone <- interior_model(2, 2, seed = 1)
  expect_warning(warn_not_identified(alone), "3 parameters.*2 cells",
                 class = "mdpd_warning_not_identified")
  expect_identical(n_undetermined(alone), 2L)
  alone$informative <- character()
  expect_identical(n_undetermined(alone), 0L)
  expect_silent(warn_undetermined(0))
  expect_silent(warn_undetermined(NA))
  expect_warning(warn_undetermined(2), "in 2 directions", class = "mdpd_warning_not_identified")
})

test_that("all cells are looked at where they are few, else some, spread as the rows are", {
  all_of <- function(n_items, most) {
    codes <- cells_of_model(interior_model(rep(2, n_items), 2, seed = 1), most)$codes
    expect_false(anyDuplicated(matrix(as.integer(codes), nrow(codes))) > 0)
    nrow(codes)
  }
  expect_equal(c(all_of(10, 60), all_of(11, 60), all_of(11, 2048)), c(1024, 60, 2048))
  # Half by the probabilities and half alike, but for a level that hardly a row has.
  model <- interior_model(3, 2, seed = 1)
  model$item_probs[[1]][] <- c(0.8, 1e-9, 0.2 - 1e-9, 0.1, 0.3, 0.6)
  share <- function(component) {
    as.vector(table(factor(cells_around(component, model, 2000), 1:3))) / 2000
  }
  # The sequence is even to a few of 2000.
  expect_lt(max(abs(share(1) - c(0.65, 0, 0.35))), 0.003)
  expect_lt(max(abs(share(2) - c(0.1, 0.3, 0.6) / 2 - 1 / 6)), 0.003)
  expect_identical(primes[1:8], c(2L, 3L, 5L, 7L, 11L, 13L, 17L, 19L))
  # There are 168 below a thousand.
  expect_length(primes, 168)
})

test_that("up to 200 parameters are looked at", {
  # Two sizes and twice 33 times three probabilities; three sizes and three times 33 times two.
  expect_identical(n_undetermined(interior_model(rep(3, 33), 2, seed = 1)), 0L)
  expect_identical(n_undetermined(interior_model(rep(2, 33), 3, seed = 1)), NA_integer_)
})

test_that("items that no row links are told of, by parts", {
  parts <- function(...) {
    codes <- rbind(...)
    codes <- matrix(as.raw(codes), nrow(codes), dimnames = list(NULL, letters[1:5]))
    lapply(linked_items(codes, letters[1:5]), sort)
  }
  rows <- rbind(c(1, 2, 0, 0, 0), c(0, 0, 1, 1, 0), c(0, 0, 0, 2, 1))
  expect_identical(parts(rows), list(c("a", "b"), c("c", "d", "e")))
  expect_identical(parts(rows, c(0, 1, 1, 0, 0)), list(letters[1:5]))
  expect_identical(parts(rows, c(1, 1, 1, 1, 1)), list(letters[1:5]))
  expect_identical(parts(rows[c(1, 1), ]), list(c("a", "b"), "c", "d", "e"))
  x <- with_seed(11, {
    class <- sample(2, 800, TRUE)
    as.data.frame(lapply(1:8, function(i) stats::rbinom(800, 1, c(0.8, 0.2)[class])),
                  col.names = paste0("V", 1:8))
  })
  x[1:400, 1:4] <- NA
  x[401:799, 5:8] <- NA
  expect_no_warning(stagewise_em(x, k = 2))
  x[800, 5:8] <- NA
  condition <- expect_warning(stagewise_em(x, k = 2), "by chance",
                              class = "mdpd_warning_unlinked_items")
  expect_setequal(lapply(condition$parts, sort), list(paste0("V", 1:4), paste0("V", 5:8)))
})
