# Clusters of five rows that tend to be of one class, in three strata; `weights` differ.
clustered_rows <- function(n_clusters = 60, size = 5, k = 2) {
  model <- sharp_model(k)
  with_seed(1, {
    share <- stats::rbeta(n_clusters, 1.2, 0.8)
    class <- as.vector(vapply(share, function(p) 2 - (stats::runif(size) < p), numeric(size)))
    x <- as.data.frame(lapply(model$item_probs, function(probs) {
      vapply(class, function(y) sample(rownames(probs), 1, prob = probs[, y]), "")
    }))
    cluster <- rep(seq_len(n_clusters), each = size)
    list(x = x, cluster = cluster, strata = c("a", "b", "c")[cluster %% 3 + 1],
         weights = rep(stats::runif(n_clusters, 0.5, 3), each = size))
  })
}

sample_of <- function(x) with_seed(4, sample(as.character(x)))

# The sandwich in plain R, of the free parameters: a function of the clusters and their strata.
twin_sandwich <- function(fit) {
  scores <- twin_scores(fit) * fit$coded$weights
  covariance <- twin_covariance(fit)
  function(cluster, strata) {
    totals <- rowsum(scores, cluster)
    strata <- strata[match(rownames(totals), cluster)]
    middle <- Reduce(`+`, lapply(split(seq_along(strata), strata), function(at) {
      stats::cov(totals[at, , drop = FALSE]) * length(at)
    }))
    covariance %*% middle %*% covariance
  }
}

test_that("the sandwich is that of numerical derivatives, clusters centred in their strata", {
  skip_on_cran()
  rows <- clustered_rows()
  one <- rep(1, 300)
  fits <- list(full_fit(rows$x), full_fit(with_gaps(rows$x), weights = rows$weights))
  for (fit in fits) {
    names <- free_names(fit)
    sandwich <- function(...) vcov(fit, type = "robust", ...)[names, names]
    twin <- twin_sandwich(fit)
    # The differences are good to about 1e-5 of the largest entry.
    expect_close(sandwich(), twin(1:300, one), 1e-4)
    expect_close(sandwich(strata = rows$strata), twin(1:300, rows$strata), 1e-4)
    expect_close(sandwich(cluster = rows$cluster), twin(rows$cluster, one), 1e-4)
    expect_close(sandwich(cluster = rows$cluster, strata = rows$strata),
                 twin(rows$cluster, rows$strata), 1e-4)
  }
})

test_that("standard errors are the roots of the diagonal, of shared items too", {
  rows <- clustered_rows()
  noise <- with_seed(2, replicate(4, sample(c("a", "b", "c"), 300, TRUE)))
  x <- data.frame(rows$x, noise)
  for (criterion in c("bic", "evidence")) {
    fit <- stagewise_em(x, k = 2, control = stagewise_control(criterion = criterion))
    if (criterion == "bic") expect_length(fit$informative, 5)
    covariance <- vcov(fit, cluster = rows$cluster, strata = rows$strata)
    expect_identical(covariance, t(covariance))
    values <- eigen(covariance, symmetric = TRUE, only.values = TRUE)$values
    expect_gt(min(values), -1e-10)
    errors <- standard_errors(fit, cluster = rows$cluster, strata = rows$strata)
    parameters <- parameter_table(fit)
    expect_equal(shape_as_coef(fit, unname(sqrt(diag(covariance))), parameters), errors)
    table <- tidy(fit, "mixing_weights", cluster = rows$cluster, strata = rows$strata)
    expect_equal(table$std.error, unname(errors$mixing_weights))
    limits <- confint(fit, 1, scale = "linear", cluster = rows$cluster, strata = rows$strata)
    df <- length(unique(rows$cluster)) - length(unique(rows$strata))
    expect_equal(unname(diff(limits[1, ])), 2 * qt(0.975, df) * errors$mixing_weights[[1]])
  }
})

test_that("the unweighted sandwich agrees with the bootstrap where the model is wrong", {
  # Two classes are fitted where there are three, and three items are mostly copies of others.
  x <- simulate(answers_model(3), seed = 3, n_obs = 1500)[[1]]
  is_copy <- with_seed(3, matrix(stats::runif(3 * 1500), 1500) < 0.8)
  for (j in 1:3) x[[j + 5]] <- ifelse(is_copy[, j], as.character(x[[j]]), sample_of(x[[j]]))
  fit <- mdpd(x, k = 2, n_starts = 5, control = converged)
  samples <- bootstrap(fit, n = 200, verbose = FALSE)
  ratio <- function(type) {
    unlist(standard_errors(samples)) / unlist(standard_errors(fit, type = type))
  }
  # The standard deviation of 200 draws is off by 5 %; the largest of some 50 by 3 times that, with
  # a little room for terms of higher order.
  expect_true(all(ratio("robust") > 0.8 & ratio("robust") < 1.22))
  expect_lt(abs(mean(ratio("robust")) - 1), 0.03)
  # That of the model is wrong by more.
  expect_gt(max(ratio("observed")), 1.3)
  expect_gt(mean(ratio("observed")), 1.04)
})

test_that("where the model holds the sandwich is about the inverse of the information", {
  fit <- full_fit(sharp_rows(3000))
  ratio <- unlist(standard_errors(fit, type = "robust")) / unlist(standard_errors(fit))
  # Of 3000 rows both are good to some 3 %.
  expect_true(all(ratio > 0.9 & ratio < 1.1))
  by_evidence <- stagewise_em(answers(2000), k = 2)
  ratio <- unlist(standard_errors(by_evidence, type = "robust")) /
    unlist(standard_errors(by_evidence))
  expect_true(all(ratio > 0.85 & ratio < 1.15))
})

test_that("ten times the weights change nothing of robust standard errors", {
  rows <- clustered_rows()
  errors <- lapply(c(1, 10), function(times) {
    fit <- full_fit(rows$x, weights = times * rows$weights)
    standard_errors(fit, cluster = rows$cluster, strata = rows$strata)
  })
  # Two fits, each at its maximum up to rounding.
  expect_close(errors[[2]], errors[[1]], 1e-6)
  counts <- lapply(c(1, 10), function(times) {
    fit <- full_fit(rows$x, weights = times * rows$weights)
    expect_warning(errors <- standard_errors(fit), class = "mdpd_warning_sampling_weights")
    unlist(errors)
  })
  expect_close(counts[[2]], counts[[1]] / sqrt(10), 1e-6)
})

test_that("the order of rows and the names of clusters do not matter", {
  rows <- clustered_rows()
  fit <- full_fit(rows$x, weights = rows$weights)
  errors <- standard_errors(fit, cluster = rows$cluster, strata = rows$strata)
  other <- with_seed(3, sample(300))
  moved <- standard_errors(
    fit, x = rows$x[other, ], weights = rows$weights[other],
    cluster = paste("village", rows$cluster)[other], strata = factor(rows$strata[other])
  )
  expect_close(moved, errors, 1e-8)
})

test_that("sums over blocks of whole clusters add up", {
  design <- new_design(c(3, 1, 1, 2, 3, 3, 4), c("x", "y", "y", "x", "x", "x", "y"), 7)
  terms <- with_seed(1, matrix(stats::rnorm(21), 7))
  whole <- linearised_covariance(function(rows) terms[rows, , drop = FALSE], 3, design)
  for (cells in c(1, 6, 9)) {
    parts <- linearised_covariance(function(rows) terms[rows, , drop = FALSE], 3, design,
                                   cells = cells)
    expect_close(parts, whole)
  }
  totals <- rowsum(terms, c(3, 1, 1, 2, 3, 3, 4))
  by_hand <- 2 * stats::cov(totals[c(1, 4), ]) + 2 * stats::cov(totals[2:3, ])
  expect_close(whole, by_hand)
})

test_that("of a sum the squared distances of replicates count as the design says", {
  terms <- with_seed(1, matrix(stats::rnorm(10), 5))
  weights <- c(1, 2, 0.5, 0, 1.5)
  values <- function(rows) weights[rows] * terms[rows, , drop = FALSE]
  replicates <- list(weights = cbind(c(2, 2, 0, 0, 1), c(0, 4, 1, 0, 3), c(1, 0, 1, 0, 3)),
                     scale = 0.7, rscales = c(1, 2, 0.5))
  # Samples of the same total weight as all rows.
  totals <- t(vapply(1:3, function(r) {
    w <- replicates$weights[, r]
    colSums(w * terms) * 5 / sum(w)
  }, numeric(2)))
  for (mse in c(TRUE, FALSE)) {
    replicates$mse <- mse
    centre <- if (mse) colSums(values(1:5)) else colMeans(totals)
    by_hand <- 0
    for (r in 1:3) {
      by_hand <- by_hand + 0.7 * replicates$rscales[r] * tcrossprod(totals[r, ] - centre)
    }
    expect_close(design_covariance(values, 2, list(replicates = replicates), weights), by_hand)
  }
  # The jackknife of a sum is its variance.
  jackknife <- list(weights = 1 - diag(5), scale = 4 / 5, rscales = 1, mse = TRUE)
  expect_close(
    design_covariance(function(rows) terms[rows, ], 2, list(replicates = jackknife), rep(1, 5)),
    5 * stats::cov(terms)
  )
})

test_that("a sparse crowd has the robust standard errors of a dense one", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 20, n_labels = 2, accuracy = rep(0.8, 20),
                          missing = 0.7, seed = 1)$labels
  fit <- mdpd(crowd, k = 2, prior = 0)
  clusters <- rep(1:50, 8)
  dense <- suppressWarnings(standard_errors(fit, cluster = clusters))
  fit$coded$codes <- as_sparse_codes(fit$coded$codes)
  expect_equal(suppressWarnings(standard_errors(fit, cluster = clusters)), dense)
})

test_that("workers drawn to the crowd are known about as well as samples say", {
  skip_on_cran()
  crowd <- simulate_crowd(n_items = 300, n_workers = 20, n_labels = 3, missing = 0.7, seed = 3,
                          accuracy = c(rep(0.8, 5), rep(0.6, 15)))
  fit <- stagewise_em(crowd$labels, k = 3)
  expect_gt(sum(fit$item_shares[, grep("crowd|accuracy", colnames(fit$item_shares))]), 19)
  samples <- unlist(standard_errors(bootstrap(fit, n = 20, type = "parametric", verbose = FALSE)))
  for (type in c("observed", "robust")) {
    # Twenty samples are good to 16 %, of what all workers share too: 0.96 to 1.03 by five seeds.
    # With the workers' own shares for a centre this was 3.2.
    ratio <- mean(unlist(standard_errors(fit, type = type))) / mean(samples)
    expect_gt(ratio, 0.75)
    expect_lt(ratio, 1.3)
  }
  swapped <- align_components(fit, rev(fit$labels)[match(predict(fit), fit$labels)])
  expect_equal(unname(swapped$crowd_probs[, fit$labels]),
               unname(fit$crowd_probs[, rev(fit$labels)]))
  expect_close(sort(unlist(standard_errors(swapped))), sort(unlist(standard_errors(fit))), 1e-8)
})

test_that("clusters and strata that cannot be are told", {
  fit <- full_fit(sharp_rows(20))
  half <- rep(c("a", "b"), 10)
  expect_snapshot({
    show_conditions(vcov(fit, cluster = 1:3))
    show_conditions(vcov(fit, cluster = c(NA, 2:20)))
    show_conditions(vcov(fit, cluster = rep(1, 20)))
    show_conditions(vcov(fit, strata = c("north", rep("south", 19))))
    show_conditions(vcov(fit, cluster = rep(1:10, 2), strata = rep(c("a", "b"), each = 10)))
    show_conditions(vcov(fit, type = "score", strata = half))
    show_conditions(vcov(fit, type = "sandwich"))
  })
  expect_error(vcov(fit, strata = list(1)), class = "mdpd_error_argument")
  expect_error(tidy(fit, cluster = 1:3), class = "mdpd_error_argument")
})
