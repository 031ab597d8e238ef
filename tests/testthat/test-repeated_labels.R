# Crowds in which a worker labels an item more than once: every label counts.

doctors <- crowd_labels(anaesthetists, "patient", "anaesthetist", "grade", duplicates = "count")

# Dawid and Skene's EM in plain R, from triples: the slow twin.
dawid_skene_twin <- function(crowd, n_iter) {
  posterior <- unname(majority_vote(crowd, type = "prob"))
  k <- ncol(posterior)
  triples <- data.frame(item = crowd$item, worker = crowd$worker, label = crowd$label)
  cells <- split(triples, list(triples$worker, triples$label), drop = TRUE)
  cells <- lapply(cells, function(cell) {
    list(item = cell$item, worker = cell$worker[1], label = cell$label[1])
  })
  items <- lapply(cells, `[[`, "item")
  for (iteration in seq_len(n_iter)) {
    weights <- colMeans(posterior)
    counts <- array(0, c(k, k, ncol(crowd)))  # true label, label given, worker
    for (cell in cells) {
      counts[, cell$label, cell$worker] <- colSums(posterior[cell$item, , drop = FALSE])
    }
    probs <- sweep(counts, c(1, 3), apply(counts, c(1, 3), sum), "/")
    joint <- matrix(log(weights), nrow(crowd), k, byrow = TRUE)
    gains <- vapply(cells, function(cell) {
      log(pmax(probs[, cell$label, cell$worker], 1e-300))
    }, weights)
    sums <- rowsum(t(gains)[rep(seq_along(cells), lengths(items)), ], unlist(items))
    with_labels <- as.integer(rownames(sums))
    joint[with_labels, ] <- joint[with_labels, ] + sums
    row_loglik <- apply(joint, 1, function(x) max(x) + log(sum(exp(x - max(x)))))
    posterior <- exp(joint - row_loglik)
  }
  list(weights = weights, probs = probs, posterior = posterior, loglik = sum(row_loglik))
}

# A crowd of workers who label items up to three times.
repeated_crowd <- function(seed = 1, n_items = 300) {
  crowd <- simulate_crowd(n_items = n_items, n_workers = 8, accuracy = rep(0.7, 8), missing = 0.5,
                          seed = seed)
  triples <- with_seed(seed, {
    triples <- as.data.frame(crowd$labels)
    again <- triples[sample(nrow(triples), nrow(triples) / 2), ]
    right <- stats::runif(nrow(again)) < 0.7
    again$label <- factor(
      ifelse(right, crowd$truth[as.character(again$item)], sample(3, nrow(again), TRUE)), 1:3
    )
    rbind(triples, again, again[1:50, ])
  })
  list(labels = crowd_labels(triples, duplicates = "count"), truth = crowd$truth)
}

test_that("the anaesthetist who graded three times is one worker, with the published error rates", {
  fit <- mdpd(doctors, k = 4, prior = 0)
  # As published, to the two digits printed: shares of the classes, and what doctor 1 says to
  # patients of the first three.
  expect_lt(max(abs(fit$mixing_weights[doctors$labels] - c(0.40, 0.42, 0.11, 0.07))), 0.0051)
  of_doctor_1 <- rbind(c(0.89, 0.11, 0, 0), c(0.07, 0.88, 0.05, 0), c(0, 0.34, 0.66, 0))
  expect_lt(max(abs(unname(confusion(fit, "1"))[1:3, ] - of_doctor_1)), 0.0051)
  # Three grades a patient of 45.
  expect_equal(sum(confusion(fit, "1", type = "count")), 135)
})

test_that("EM of workers with several labels an item agrees with its plain-R twin", {
  skip_on_cran()
  for (crowd in list(doctors, repeated_crowd()$labels)) {
    fit <- mdpd(crowd, k = length(crowd$labels), prior = 0,
                control = stagewise_control(tol = 1e-14))
    # So many steps that neither moves any more than the square root of rounding.
    twin <- dawid_skene_twin(crowd, 300)
    expect_equal(fit$loglik, twin$loglik, tolerance = 1e-11)
    expect_equal(unname(fit$posterior[, crowd$labels]), twin$posterior, tolerance = 1e-6)
    for (worker in seq_along(crowd$workers)) {
      expect_equal(unname(t(fit$item_probs[[worker]][, crowd$labels])), twin$probs[, , worker],
                   tolerance = 1e-6)
    }
  }
})

test_that("labels given again are told where nobody said what to do with them", {
  triples <- data.frame(item = c(1, 1, 2), worker = c("u", "u", "u"), label = c("a", "b", "a"))
  expect_message(crowd <- crowd_labels(triples), class = "mdpd_message_repeated_labels")
  expect_silent(crowd_labels(triples, duplicates = "count"))
  expect_silent(crowd_labels(triples[2:3, ]))
  expect_equal(length(crowd$label), 3)
  expect_equal(as.matrix(crowd)[, "u"], c("1" = "a, b", "2" = "a"))
  expect_equal(nrow(as.data.frame(crowd)), 3)
  expect_equal(as.matrix(doctors)["10", "1"], "2, 2, 3")
  expect_output(print(doctors), "315 labels given, 100.0 % of the table, 90 again by the same")
  expect_equal(unname(majority_vote(doctors, type = "prob")["10", ]), c(0, 5, 2, 0) / 7)
})

test_that("the order of the triples does not matter, nor the number of threads", {
  crowd <- repeated_crowd()$labels
  triples <- as.data.frame(crowd)
  for (fit_of in list(mdpd, stagewise_em)) {
    fit <- fit_of(crowd, k = 3)
    reversed <- crowd_labels(triples[rev(seq_len(nrow(triples))), ], duplicates = "count")
    expect_identical(fit_of(reversed, k = 3)$posterior, fit$posterior)
    one <- fit_of(crowd, k = 3, control = stagewise_control(threads = 1))
    expect_identical(one$posterior, fit$posterior)
  }
})

test_that("every result counts every label", {
  simulated <- repeated_crowd()
  crowd <- simulated$labels
  by_bic <- stagewise_control(criterion = "bic")
  fits <- list(
    mdpd(crowd, k = 3), mdpd(crowd, k = 3, prior = 0), mdpd(crowd, k = 3, start = "spectral"),
    stagewise_em(crowd, k = 3), stagewise_em(crowd, k = 3, control = by_bic),
    suppressMessages(stagewise_em(crowd, k = 1:3, method = "paper"))
  )
  for (fit in fits) {
    expect_lt(error_rate(fit, simulated$truth), 0.2)
    expect_equal(fit$n_missing, 300 * 8 - nrow(unique(as.data.frame(crowd)[c("item", "worker")])))
    quality <- worker_quality(fit)
    expect_equal(quality$n_labels[order(quality$worker)], tabulate(crowd$worker))
    expect_equal(item_quality(fit)$n_labels, tabulate(crowd$item))
    expect_equal(sum(vapply(confusion(fit, type = "count"), sum, 0)), length(crowd$label))
    expect_equal(predict(fit, crowd, type = "prob"), fit$posterior, tolerance = 1e-6)
    expect_equal(sum(predict(fit, type = "density")), fit$loglik, tolerance = 1e-6)
    # No pair of a worker with himself.
    expect_equal(unname(diag(information(fit))), rep(0, 8))
    expect_equal(as.character(augment(fit)[["1"]]), unname(as.matrix(crowd)[, "1"]))
    expect_s3_class(refine(fit), "mdpd")
  }
})

test_that("what is not defined for a cell of several answers says so", {
  crowd <- repeated_crowd()$labels
  for (missing in c("level", "frozen")) {
    expect_error(mdpd(crowd, k = 3, missing = missing), "missing", class = "mdpd_error_argument")
  }
  expect_error(mdpd(crowd, k = 3, missing = "fail"), class = "mdpd_error_missing_value")
  expect_equal(mdpd(doctors, k = 4, missing = "fail")$n_missing, 0)
  expect_error(
    crowd_labels(anaesthetists, "patient", "anaesthetist", "grade", duplicates = "error"),
    class = "mdpd_error_duplicated_label"
  )
})

test_that("the information of several answers is that of the log-likelihood's curvature", {
  crowd <- repeated_crowd(n_items = 200)$labels
  fit <- mdpd(crowd, k = 3, prior = 0, control = stagewise_control(tol = 1e-13))
  # Along the direction that moves worker 1's answers in class 1 from one label to another.
  loglik_after <- function(step) {
    model <- fit
    model$item_probs[["1"]][c("1", "2"), "1"] <- model$item_probs[["1"]][c("1", "2"), "1"] +
      c(step, -step)
    sum(predict(model, crowd, type = "density"))
  }
  h <- 1e-3
  curvature <- -(loglik_after(h) - 2 * loglik_after(0) + loglik_after(-h)) / h^2
  sums <- likelihood_sums(mixture_parameters(fit), fit$coded, fit$posterior, "observed")
  parameters <- mixture_parameters(fit)
  names <- parameter_table(fit)$name[seq_along(parameters$root)]
  index <- match(c("1:1|1", "1:2|1"), names)
  direction <- c(1, -1) / parameters$estimate[index]
  expect_equal(drop(direction %*% sums$information[index, index] %*% direction), curvature,
               tolerance = 1e-3)
})

test_that("samples of a fit have as many answers", {
  crowd <- repeated_crowd(n_items = 100)$labels
  fit <- mdpd(crowd, k = 3, prior = 0)
  for (type in c("nonparametric", "parametric")) {
    samples <- bootstrap(fit, n = 20, type = type, verbose = FALSE)
    expected <- suppressWarnings(standard_errors(fit)$mixing_weights)  # some rates are 0
    ratio <- standard_errors(samples)$mixing_weights / expected
    # Twenty samples say it to a sixth or so.
    expect_true(all(ratio > 0.5 & ratio < 2))
  }
})
