by_evidence <- function(x, k, ...) {
  suppressMessages(stagewise_em(x, k, control = stagewise_control(...)))
}

# The evidence of a fit's posterior under its prior, in plain R, from vignette("method"): of the
# posterior that discounts what is not known of the columns, which EM ends at but for its last step.
evidence_twin <- function(fit) {
  g <- fit$posterior
  for (step in 1:30) {
    g <- fit$posterior %*% diag(exp(-doubt_twin(fit, g)))
    g <- g / rowSums(g)
  }
  gains <- vapply(colnames(fit$coded$codes), function(item) {
    log(sum(fit$item_prior * exp(c(0, factors_twin(fit, g, item)))))
  }, 0)
  sizes <- colSums(g)
  k <- length(sizes)
  of_sizes <- lgamma(k) - lgamma(k + sum(sizes)) + sum(lgamma(1 + sizes)) + lfactorial(k)
  entropy <- -sum(ifelse(g > 0, g * log(g), 0))
  list(
    gains = gains,
    evidence = stagewise_em(fit$coded_table, 1)$loglik + sum(gains) + of_sizes + entropy
  )
}

concentrations_twin <- function(fit) as.numeric(names(fit$item_prior)[-1])

counts_twin <- function(fit, g, item) {
  codes <- as.integer(fit$coded$codes[, item])
  seen <- codes > 0
  rowsum(g[seen, , drop = FALSE], codes[seen])
}

# Log Bayes factors of an item's concentrations.
factors_twin <- function(fit, g, item) {
  shared <- crossprod(g) / nrow(g)
  log_det <- function(m) as.numeric(determinant(m)$modulus)
  n <- counts_twin(fit, g, item)
  if (nrow(n) < 2) return(-Inf)
  total <- sum(n)
  share <- rowSums(n) / total
  vapply(concentrations_twin(fit), function(c) {
    centre <- prop.table(rowSums(n %*% diag(1 / (colSums(n) + c + 1))))
    columns <- lgamma(c) - lgamma(c + colSums(n)) +
      colSums(lgamma(c * centre + n) - lgamma(c * centre))
    rows <- sum(colSums(n) * (c + 1) / (colSums(n) + c + 1))
    overlap <- log_det(diag(c + total * rowSums(shared))) -
      log_det(c * diag(ncol(g)) + total * shared)
    sum(columns) - sum(rowSums(n) * log(share)) +
      (nrow(n) - 1) / 2 * (log(total / rows) + overlap)
  }, 0)
}

doubt_twin <- function(fit, g) {
  rowSums(vapply(colnames(fit$coded$codes), function(item) {
    n <- counts_twin(fit, g, item)
    weights <- fit$item_prior * exp(c(0, factors_twin(fit, g, item)))
    per_answer <- outer(concentrations_twin(fit), colSums(n), function(c, n) 1 / (c + n))
    (nrow(n) - 1) / 2 * colSums(prop.table(weights)[-1] * per_answer)
  }, numeric(ncol(g))))
}

# Every item differs a little: each class's distribution is a mixture of a common one and its own.
weak_survey <- function(seed, n_obs = 600, n_items = 50, k = 3) {
  with_seed(seed, {
    class <- sample(k, n_obs, TRUE)
    draw <- function() stats::rexp(4)
    columns <- lapply(seq_len(n_items), function(item) {
      common <- draw()
      own <- replicate(k, 0.6 * common / sum(common) + 0.4 * prop.table(draw()))
      vapply(class, function(y) sample.int(4, 1, prob = own[, y]), 0L)
    })
    list(x = as.data.frame(setNames(columns, paste0("V", seq_len(n_items)))), class = class)
  })
}

test_that("a fit's evidence is that of its posterior, as plain R has it", {
  survey <- weak_survey(1, n_items = 30)
  fit <- by_evidence(survey$x, 3)
  fit$coded_table <- survey$x
  twin <- evidence_twin(fit)
  # The fit's is that of the posterior before its last iteration.
  expect_equal(fit$evidence, twin$evidence, tolerance = 1e-7)
  expect_equal(fit$item_evidence, twin$gains, tolerance = 1e-3)
  expect_equal(sum(fit$item_prior), 1)
})

test_that("items too weak for the evidence show components all the same, with a warning", {
  survey <- weak_survey(1, n_obs = 100)
  expect_warning(fit <- by_evidence(survey$x, 3), class = "mdpd_warning_independent")
  expect_equal(fit$k, 3)
  expect_lt(error_rate(fit, survey$class, align = TRUE), 0.45)
  expect_lt(fit$evidence, by_evidence(survey$x, 1)$evidence)
  expect_length(informative(fit), 0)
  expect_output(print(fit), "surely more: no item")
  # Of several k the best is one component, and each is as by itself.
  expect_message(path <- suppressWarnings(stagewise_em(survey$x, 1:4)),
                 class = "mdpd_message_weak_classes")
  expect_equal(path$k, 1)
  expect_equal(path$path$evidence[3], fit$evidence)
  # The same rows in any order hang together as much, and shuffled columns do not.
  shuffled <- with_seed(3, as.data.frame(lapply(survey$x, sample)))
  expect_equal(suppressWarnings(by_evidence(shuffled, 3))$k, 1)
  expect_warning(by_evidence(survey$x[100:1, ], 3), class = "mdpd_warning_independent")
})

test_that("many weak items are found that each are not worth their penalty", {
  survey <- weak_survey(2)
  fit <- by_evidence(survey$x, 1:5)
  expect_equal(fit$k, 3)
  expect_lt(error_rate(fit, survey$class, align = TRUE), 0.1)
  expect_gt(length(informative(fit)), 40)
  bic <- suppressWarnings(stagewise_em(survey$x, 3, control = stagewise_control(criterion = "bic")))
  expect_gt(error_rate(bic, survey$class, align = TRUE), 0.2)
  expect_equal(sum(fit$path$probability), 1)
  expect_gt(fit$path$probability[3], 0.99)
  expect_equal(choose_k(fit)$k, 3)
  expect_equal(choose_k(fit, criterion = "penalised")$k, which.max(fit$path$penalised_loglik))
})

test_that("noise is one component, and its evidence that of independence", {
  for (seed in 1:5) {
    x <- with_seed(seed, as.data.frame(matrix(sample(2, 200 * 60, TRUE), 200)))
    expect_warning(fit <- by_evidence(x, 2), class = "mdpd_warning_fewer_components")
    expect_equal(fit$k, 1)
    expect_equal(fit$evidence, fit$loglik)
    expect_equal(informative(fit), character())
    expect_equal(unname(fit$inclusion), rep(0, 60))
  }
})

test_that("few strong items are named at the false discovery rate asked for", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 60, accuracy = rep(0.75, 6), seed = 2)
  fit <- by_evidence(as.data.frame(as.matrix(crowd$labels)), 3)
  expect_setequal(informative(fit, fdr = 0.01), informative(crowd$model))
  named <- lapply(c(0, 0.05, 0.3, 1), function(fdr) informative(fit, fdr = fdr))
  for (at in 2:4) expect_true(all(named[[at - 1]] %in% named[[at]]))
  expect_setequal(named[[4]], names(which(fit$inclusion > 0.5)))
  expect_true(all(fit$inclusion >= 0 & fit$inclusion <= 1))
  expect_error(informative(fit, fdr = 2), class = "mdpd_error_argument")
  # Of other fits all items that differ are named.
  bic <- stagewise_em(crowd$labels, 3, control = stagewise_control(criterion = "bic"))
  expect_equal(informative(bic, fdr = 0), bic$informative)
})

test_that("the evidence does not depend on threads, the order of the rows or names", {
  survey <- weak_survey(3)
  fit <- by_evidence(survey$x, 3)
  one <- by_evidence(survey$x, 3, threads = 1)
  expect_equal(one$posterior, fit$posterior, tolerance = 0)
  shuffled <- by_evidence(survey$x[rev(seq_len(600)), ], 3)
  expect_equal(shuffled$evidence, fit$evidence, tolerance = 1e-7)
  renamed <- by_evidence(as.data.frame(lapply(survey$x, function(v) letters[5 - v])), 3)
  expect_equal(renamed$evidence, fit$evidence, tolerance = 1e-7)
})

test_that("a crowd of weak workers is labelled better than by the vote", {
  labels <- with_seed(5, {
    truth <- sample(4, 800, TRUE)
    accuracy <- ifelse(seq_len(40) <= 8, 0.75, stats::runif(40, 0.4, 0.475))
    triples <- expand.grid(item = 1:800, vote = 1:5)
    triples$worker <- as.vector(t(replicate(800, sample(40, 5))))
    right <- stats::runif(nrow(triples)) < accuracy[triples$worker]
    wrong <- (truth[triples$item] + sample(3, nrow(triples), TRUE) - 1) %% 4 + 1
    triples$label <- ifelse(right, truth[triples$item], wrong)
    list(crowd = crowd_labels(triples[c("item", "worker", "label")]), truth = truth)
  })
  fit <- by_evidence(labels$crowd, 4)
  truth <- stats::setNames(labels$truth, 1:800)
  vote <- majority_vote(labels$crowd)
  expect_setequal(names(fit$mixing_weights), as.character(1:4))
  wrong <- function(class) mean(as.character(class)[match(1:800, names(class))] != labels$truth)
  expect_lt(wrong(predict(fit)), wrong(vote))
})

test_that("a crowd half of which mostly answers one wrong label is told from the other half", {
  n <- 400
  labels <- with_seed(2, {
    truth <- sample(3, n, TRUE, c(0.6, 0.2, 0.2))
    triples <- data.frame(item = rep(seq_len(n), each = 6))
    triples$worker <- as.vector(replicate(n, sample(200, 6)))
    right <- stats::runif(6 * n) < ifelse(triples$worker <= 100, 0.75, 0.1)
    wrong <- ifelse(truth[triples$item] == 2, sample(c(1, 3), 6 * n, TRUE), 2)
    triples$label <- ifelse(right, truth[triples$item], wrong)
    list(crowd = crowd_labels(triples), truth = truth)
  })
  fit <- by_evidence(labels$crowd, 3)
  expect_true(fit$converged)
  classes <- predict(fit)[as.character(seq_len(n))]
  expect_lt(mean(as.character(classes) != labels$truth), 0.1)
})

test_that("prints show how sure it is of an item that may be the same", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 40, accuracy = rep(0.75, 6), seed = 2)
  fit <- by_evidence(crowd$labels, 3)
  expect_equal(summary(fit)$informative$inclusion, unname(fit$inclusion[informative(fit)]))
  expect_output(print(summary(fit)), "inclusion")
  fit$inclusion[informative(fit)[6]] <- 0.92
  expect_output(print(fit), paste0(informative(fit)[6], " \\([0-9.]+, 92 %\\)"))
  expect_equal(sum(grepl("[0-9.]+, [0-9]+ %\\)", item_entries(fit))), 1)
})

test_that("classes that rest on one dependent pair are said to", {
  x <- with_seed(4, {
    codes <- matrix(sample(3L, 500 * 20, TRUE), 500)
    codes[, 2] <- ifelse(stats::runif(500) < 0.5, codes[, 1], codes[, 2])
    as.data.frame(codes)
  })
  expect_warning(fit <- by_evidence(x, 2), "\"V1\" and \"V2\"", class = "mdpd_warning_one_pair")
  expect_setequal(informative(fit), c("V1", "V2"))
  expect_no_warning(by_evidence(x[-1], 1))
})

test_that("classes that no pair of items shows are found, and the trace says how", {
  x <- with_seed(13, {
    class <- sample(2, 400, TRUE)
    list(class = class, table = as.data.frame(vapply(1:150, function(item) {
      (stats::runif(400) < ifelse(class == 1, 0.44, 0.56)) + 0
    }, numeric(400))))
  })
  fit <- by_evidence(x$table, 2)
  expect_lt(error_rate(fit, x$class, align = TRUE), 0.15)
  at <- which(fit$trace$move == "correspondence")
  expect_identical(fit$trace$phase[at], "refine")
  # All components begin anew there.
  lanes <- autoplot(fit, type = "history")$data
  expect_setequal(stats::na.omit(lanes$component), names(fit$mixing_weights))
})

test_that("every estimate of a fit by evidence has a standard error, about that of samples", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 20, accuracy = rep(0.7, 5), seed = 3)
  fit <- by_evidence(as.data.frame(as.matrix(crowd$labels)), 3)
  expect_no_warning(errors <- standard_errors(fit))
  expect_false(anyNA(unlist(errors)))
  samples <- bootstrap(fit, n = 20, type = "parametric", verbose = FALSE)
  ratio <- unlist(errors) / unlist(standard_errors(samples))
  expect_gt(stats::median(ratio), 0.8)
  expect_lt(stats::median(ratio), 1.3)
  # A worker who is the same in all components is known as well as from all labels.
  other <- setdiff(names(fit$item_probs), informative(fit))[1]
  p <- rowMeans(fit$item_probs[[other]])
  expect_equal(unname(rowMeans(errors$item_probs[[other]])), unname(sqrt(p * (1 - p) / 300)),
               tolerance = 0.3)
  votes <- suppressMessages(stagewise_em(house_votes[-1], k = 6))
  expect_false(anyNA(unlist(suppressWarnings(standard_errors(votes)))))
})

test_that("what is asked of a fit by evidence is answered as of any other", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 15, accuracy = rep(0.75, 5), seed = 1)
  fit <- by_evidence(crowd$labels, 3)
  expect_equal(predict(fit, crowd$labels, type = "prob"), fit$posterior, tolerance = 1e-12)
  expect_warning(errors <- standard_errors(fit), NA)
  expect_true(all(is.finite(errors$mixing_weights)))
  full <- refine(fit, type = "full")
  expect_null(full$evidence)
  expect_equal(full$trace$evidence[nrow(full$trace)], NA_real_)
  again <- refine(fit)
  expect_equal(again$evidence, fit$evidence, tolerance = 1e-4)
  samples <- bootstrap(fit, n = 4, type = "parametric", verbose = FALSE)
  expect_equal(unname(samples$selection[1:5]), rep(1, 5))
  expect_lt(mean(samples$selection[6:15]), 0.3)
  expect_setequal(head(worker_quality(fit)$worker, 5), as.character(1:5))
})

# Rows' posterior with one item left out, from all of it.
twin_reliance <- function(fit, x, item) {
  probs <- fit$item_probs[[item]][as.character(x[[item]]), ]
  without <- fit$posterior / probs
  without <- without / rowSums(without)
  sum(fit$posterior * log(fit$posterior / without))
}

# The share of the items like an item that differ, nine more of them being the same; families of
# columns that half as many answers would not tell from one column do not count.
twin_inclusion <- function(fit, x) {
  reliance <- vapply(names(x), function(item) {
    if (fit$item_evidence[[item]] > 0) twin_reliance(fit, x, item) else 0
  }, 0)
  concentrations <- 0.5 * 3^(0:7)
  told <- which(nrow(x) / fit$k >= concentrations / 2) + 1
  factors <- exp(fit$item_evidence - reliance) *
    sweep(fit$item_shares[, told], 2, fit$item_prior[told], "/")
  weights <- rep(1, length(told) + 1)
  for (step in 0:200) {
    shares <- proportions(sweep(cbind(1, factors), 2, weights, "*"), 1)
    weights <- proportions(colSums(shares) + c(9, rep(0, length(told))))
  }
  unname(1 - shares[, 1])
}

test_that("the inclusion is the probability under weights learned with nine more items alike", {
  draw <- weak_survey(4)
  noise <- with_seed(104, as.data.frame(matrix(sample(3, 600 * 30, TRUE), 600)))
  names(noise) <- paste0("noise", 1:30)
  x <- cbind(draw$x, noise)
  fit <- by_evidence(x, 3)
  expect_equal(unname(fit$inclusion), twin_inclusion(fit, x), tolerance = 1e-6)
  expect_gt(min(fit$inclusion), 0)
  expect_gt(mean(fit$inclusion[names(draw$x)]), 0.7)
  expect_lt(mean(fit$inclusion[names(noise)]), 0.3)
})

test_that("no item is named that is the same with more than twice the rate", {
  draw <- weak_survey(5)
  fit <- by_evidence(draw$x, 3)
  for (fdr in c(0.01, 0.05, 0.2)) {
    same <- 1 - fit$inclusion[informative(fit, fdr = fdr)]
    expect_lte(max(same), 2 * fdr)
    expect_lte(mean(same), fdr)
  }
  # The next one would break one of the two.
  named <- informative(fit)
  next_one <- max(fit$inclusion[setdiff(names(fit$inclusion), named)])
  expect_true(1 - next_one > 0.1 ||
                mean(c(1 - fit$inclusion[named], 1 - next_one)) > 0.05)
})

test_that("components that are the same have no more evidence than one", {
  for (seed in 1:4) {
    x <- with_seed(seed, as.data.frame(matrix(stats::rbinom(600, 1, 0.4), 20)))
    expect_equal(hush(stagewise_em(x, k = 1:4))$k, 1)
  }
  # Of all rows alike in four components: as of one, whatever their order.
  x <- with_seed(70000 + 26 + 20000 + 30, {
    as.data.frame(vapply(1:30, function(item) stats::rbinom(20, 1, stats::runif(1, 0.1, 0.9)) + 0,
                         numeric(20)))
  })
  expect_equal(suppressWarnings(stagewise_em(x, k = 4))$k, 1)
})

test_that("a wide table has the evidence that the search by BIC leads to, or more", {
  wide <- with_seed(5, {
    truth <- sample(3, 150, TRUE)
    as.data.frame(vapply(1:500, function(item) {
      rare <- stats::qlogis(stats::rbeta(1, 0.5, 2) * 0.98 + 0.01)
      shift <- if (item <= 40) stats::rnorm(3, 0, 1.6) else numeric(3)
      as.numeric(stats::runif(150) < stats::plogis(rare + shift)[truth])
    }, numeric(150)))
  })
  fit <- suppressWarnings(stagewise_em(wide, k = 3))
  control <- stagewise_control(criterion = "bic")
  by_bic <- suppressWarnings(stagewise_em(wide, k = 3, control = control))
  refined <- suppressWarnings(refine(by_bic, control = stagewise_control(criterion = "evidence")))
  expect_gt(fit$evidence, refined$evidence - 0.1)
  expect_true("penalised" %in% fit$trace$move)
})
