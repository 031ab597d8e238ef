stages_only <- function(x = answers(), k = 2, ...) {
  stagewise_em(x, k = k, method = "paper", refine = "none", ...)
}
# Components are sorted between stages and refinement, so sums may run in another order.
rounding <- 1e-8
new_rows <- function(refined, fit) refined$trace[-seq_len(nrow(fit$trace)), ]
# A fall that is rounding: the log-likelihoods here are sums of some thousand terms of size one.
expect_never_falls <- function(x) expect_true(all(diff(x) > -1e-9))

test_that("refining after the stages is the same as fitting with `refine`", {
  x <- answers()
  for (type in c("sparse", "full")) {
    refined <- refine(stages_only(x), type = type)
    fit <- stagewise_em(x, k = 2, method = "paper", refine = type)
    skip <- c("call", "trace", "asked")
    for (name in setdiff(names(fit), skip)) {
      expect_equal(refined[[!!name]], fit[[!!name]], tolerance = rounding)
    }
    expect_equal(refined$trace, fit$trace, tolerance = rounding)
  }
})

test_that("full refinement never lowers the log-likelihood", {
  fit <- stages_only(k = 3)
  refined <- refine(fit, type = "full")
  expect_never_falls(c(fit$loglik, new_rows(refined, fit)$loglik))
  expect_equal(tail(refined$trace$loglik, 1), refined$loglik)
})

test_that("sparse refinement never lowers the penalised log-likelihood", {
  for (k in 2:4) {
    fit <- stages_only(k = k)
    refined <- refine(fit, type = "sparse")
    expect_never_falls(c(fit$penalised_loglik, new_rows(refined, fit)$penalised_loglik))
    expect_equal(tail(refined$trace$penalised_loglik, 1), refined$penalised_loglik)
  }
})

test_that("the default fit is at least as good as its stages alone", {
  x <- answers()
  for (k in 2:4) {
    expect_gte(stagewise_em(x, k = k)$penalised_loglik,
               stagewise_em(x, k = k, refine = "none")$penalised_loglik)
  }
})

test_that("the split-merge polish never lowers the penalised log-likelihood", {
  for (seed in 1:3) {
    x <- answers(seed = seed, k = 3)
    for (refine in c("sparse", "full")) {
      penalised <- vapply(c(FALSE, TRUE), function(polish) {
        control <- stagewise_control(polish = polish, smoothing_loss = 0)
        stagewise_em(x, k = 3, refine = refine, control = control)$penalised_loglik
      }, 0)
      expect_gte(penalised[2], penalised[1] - 1e-9)
    }
  }
})

test_that("refining a refined fit hardly changes it", {
  by_bic <- stagewise_control(criterion = "bic", smoothing_loss = 0)
  fit <- stagewise_em(answers(), k = 2, control = by_bic)
  again <- refine(fit)
  # The first run stopped when the relative change was below 1e-8 (`tol`); what was left to gain is
  # some such changes.
  expect_equal(again$penalised_loglik, fit$penalised_loglik, tolerance = 1e-6)
  expect_gte(again$penalised_loglik, fit$penalised_loglik - 1e-9)
  expect_identical(again$informative, fit$informative)
  expect_equal(unname(predict(again)), unname(predict(fit)))
})

test_that("an item is informative exactly when its gain exceeds its penalty", {
  x <- answers()
  fit <- stagewise_em(x, k = 3, control = stagewise_control(criterion = "bic", tol = 1e-12,
                                                            max_iter = 10000))
  gain <- vapply(names(x), function(item) {
    # Level by component counts at the final posterior.
    counts <- rowsum(fit$posterior, x[[item]])
    ratio <- sweep(counts, 2, colSums(counts), "/") / (rowSums(counts) / sum(counts))
    sum(ifelse(counts > 0, counts * log(ratio), 0))
  }, 0)
  penalty <- 0.5 * 2 * (vapply(x, nlevels, 0L) - 1) * log(300)
  expect_setequal(fit$informative, names(x)[gain > penalty])
  expect_equal(fit$penalised_loglik, fit$loglik - sum(penalty[fit$informative]) - log(300))
})

test_that("items that are not informative have the same column in every component", {
  fit <- refine(stages_only(k = 3))
  x <- answers()
  outside <- setdiff(names(x), fit$informative)
  expect_gt(length(outside), 0)
  for (item in outside) {
    expect_equal(unname(fit$item_probs[[item]]),
                 matrix(c(prop.table(table(x[[item]]))), nlevels(x[[item]]), 3))
  }
  expect_identical(unname(fit$item_information[outside]), numeric(length(outside)))
})

test_that("full refinement makes every item informative and is the M-step of its posterior", {
  x <- answers()
  fit <- refine(stages_only(), type = "full",
                control = stagewise_control(tol = 1e-13, max_iter = 10000))
  expect_setequal(fit$informative, names(x))
  # At a maximum the E-step and the M-step agree; with `tol` 1e-13 parameters are within the root
  # of the relative change, 3e-7, of it.
  expect_equal(unname(fit$mixing_weights), unname(colMeans(fit$posterior)), tolerance = 1e-5)
  for (item in names(x)) {
    m_step <- sweep(rowsum(fit$posterior, x[[item]]), 2, colSums(fit$posterior), "/")
    expect_equal(fit$item_probs[[item]], m_step, tolerance = 1e-5)
  }
})

test_that("informative items that stay keep the order in which they joined", {
  fit <- stages_only(k = 2)
  refined <- refine(fit)
  stayed <- intersect(fit$informative, refined$informative)
  expect_identical(head(refined$informative, length(stayed)), stayed)
})

test_that("the new iterations are at the end of the trace", {
  fit <- stages_only()
  refined <- refine(fit, type = "full")
  expect_identical(head(refined$trace, 30), fit$trace)
  expect_true(all(new_rows(refined, fit)$phase == "refine"))
  expect_identical(refined$trace$stage, seq_len(nrow(refined$trace)))
})

test_that("the refined fit says how it was made", {
  refined <- refine(stages_only(), type = "full", control = stagewise_control(tol = 1e-5))
  expect_s3_class(refined, c("stagewise_em", "mdpd"), exact = TRUE)
  expect_identical(refined$refine, "full")
  expect_identical(refined$method, "paper")
  expect_equal(refined$control$tol, 1e-5)
  expect_identical(refined$status, "converged")
  expect_true(refined$converged)
})

test_that("sparse is the default", {
  fit <- stages_only()
  expect_identical(refine(fit)$refine, "sparse")
  expect_identical(refine(fit)$posterior, refine(fit, type = "sparse")$posterior)
})

test_that("a fit of one component is refined to itself", {
  fit <- stagewise_em(answers(), k = 1)
  for (type in c("sparse", "full")) {
    refined <- refine(fit, type = type)
    expect_equal(coef(refined), coef(fit))
    expect_equal(refined$loglik, fit$loglik)
    expect_identical(refined$informative, character())
  }
})

# ---- data --------------------------------------------------------------------------------------

test_that("the fit's own data, given again, make the same fit", {
  x <- answers()
  fit <- stages_only(x)
  expect_equal(coef(refine(fit, x)), coef(refine(fit)), tolerance = rounding)
  expect_equal(refine(fit, x[8:1])$loglik, refine(fit)$loglik, tolerance = rounding)
  small <- stages_only(x, keep_data = FALSE)
  refined <- refine(small, x)
  expect_equal(coef(refined), coef(refine(fit)), tolerance = rounding)
  expect_null(refined$coded)
})

test_that("a true model can be refined on data", {
  crowd <- small_crowd()
  refined <- refine(crowd$model, crowd$labels)
  expect_s3_class(refined, "mdpd")
  expect_setequal(refined$informative, crowd$model$informative)
  # Components keep the meaning of their names.
  expect_equal(error_rate(refined, crowd$truth), error_rate(refined, crowd$truth, align = TRUE))
})

test_that("case weights are those of the fit, or those given with the data", {
  x <- answers()
  weights <- rep(c(1, 3), 150)
  fit <- stages_only(x, weights = weights)
  refined <- refine(fit)
  expect_equal(refined$nobs, 600)
  expect_equal(coef(refine(fit, x, weights = weights)), coef(refined), tolerance = rounding)
  expect_equal(refine(fit, x)$nobs, 600)
  expect_equal(refine(fit, x, weights = rep(1, 300))$nobs, 300)
})

test_that("case weights without data are used or are an error, never left out in silence", {
  fit <- stages_only()
  weights <- rep(c(1, 3), 150)
  result <- tryCatch(refine(fit, weights = weights)$nobs, mdpd_error = function(e) 600)
  expect_equal(result, 600)
  expect_error(refine(fit, weights = rep(-1, 300)), class = "mdpd_error_argument")
})

test_that("a crowd fit keeps its labels' names through refinement", {
  crowd <- small_crowd()
  fit <- stages_only(crowd$labels, k = 3)
  refined <- refine(fit, type = "full")
  expect_setequal(names(refined$mixing_weights), c("1", "2", "3"))
  expect_identical(refined$labels, c("1", "2", "3"))
  expect_equal(error_rate(refined, crowd$truth), error_rate(refined, crowd$truth, align = TRUE))
})

# ---- bad input ---------------------------------------------------------------------------------

test_that("a fit without data needs data", {
  small <- stages_only(keep_data = FALSE)
  expect_snapshot(show_conditions(refine(small)))
  expect_error(refine(small), class = "mdpd_error_no_data")
  expect_error(refine(simulate_crowd(20, 5, seed = 1)$model), class = "mdpd_error_no_data")
})

test_that("max_iter = 1 is a classed warning", {
  expect_warning(refined <- refine(stages_only(), control = stagewise_control(max_iter = 1)),
                 class = "mdpd_warning_not_converged")
  expect_identical(refined$status, "iteration_limit")
  expect_false(refined$converged)
})

test_that("bad arguments are errors", {
  fit <- stages_only()
  expect_snapshot({
    show_conditions(refine(fit, type = "none"))
    show_conditions(refine(fit, control = list()))
    show_conditions(refine(fit, answers()["item_1"]))
  })
  expect_error(refine(), "`object` must be given", class = "mdpd_error_argument")
  expect_error(refine(fit, type = "none"), class = "mdpd_error_argument")
  expect_error(refine(fit, verbose = 1), class = "mdpd_error_argument")
  expect_error(refine(fit, answers()[-1]), class = "mdpd_error_missing_item")
  expect_error(refine(fit, answers()[0, ]), class = "mdpd_error_data")
  expect_error(refine(fit, answers(), weights = 1:3), class = "mdpd_error_argument")
  expect_error(refine(fit, tol = 1e-3), "tol", class = "rlib_error_dots_nonempty")
})

test_that("refinement keeps the prior counts of the fit", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 10, accuracy = rep(0.7, 5), seed = 2)$labels
  prior <- matrix(c(40, 1, 2, 3, 30, 4, 5, 6, 20), 3)
  fit <- mdpd(crowd, k = 3, prior = prior)
  refined <- refine(fit, type = "full")
  expect_identical(refined$prior, fit$prior)
  # EM had converged with the prior: nothing moves, while without it much does.
  expect_equal(refined$item_probs[[1]][, crowd$labels], fit$item_probs[[1]][, crowd$labels],
               tolerance = 1e-3)
  fit$prior <- NULL
  expect_gt(max(abs(refine(fit, type = "full")$item_probs[[1]][, crowd$labels] -
                      refined$item_probs[[1]][, crowd$labels])), 0.02)
})

test_that("a fit with prior counts is not polished: they are those of its components", {
  crowd <- simulate_crowd(40, 6, seed = 1, missing = 0.2)$labels
  fit <- suppressWarnings(mdpd(crowd, k = 3, prior = 1))
  for (smoothing in c(0, 0.5)) {
    control <- stagewise_control(smoothing = smoothing)
    refined <- suppressWarnings(refine(fit, control = control))
    expect_false("polish" %in% refined$trace$phase)
    expect_identical(refined$k, 3L)
  }
})

test_that("where one component is left no known item is held", {
  # Nobody looks.
  crowd <- simulate_crowd(n_items = 300, n_workers = 6, accuracy = rep(1 / 3, 6), seed = 1)
  x <- crowd$labels
  x$labels <- c("ant", "bee", "cat")
  gold <- stats::setNames(x$labels[crowd$truth[1:50]], x$items[1:50])
  held <- mdpd(x, k = 3, known = gold, prior = 0)
  expect_warning(fit <- refine(held), class = "mdpd_warning_fewer_components")
  expect_identical(names(fit$mixing_weights), "1")
  expect_identical(unname(fit$posterior), matrix(1, 300))
  expect_equal(fit$loglik, stagewise_em(x, k = 1)$loglik, tolerance = 1e-12)
  expect_null(fit$coded$known)
  expect_equal(sum(predict(fit, type = "prob")), 300)
})

test_that("by evidence a fit that has converged stays, with what it learned of all items", {
  crowd <- simulate_crowd(n_items = 500, n_workers = 40, accuracy = rep(0.6, 5), seed = 1)
  control <- stagewise_control(polish = FALSE)
  for (fit in list(stagewise_em(crowd$labels, 3), stagewise_em(house_votes[-1], 2))) {
    again <- refine(fit, control = control)
    # From a prior begun anew the crowd ends 3 nats higher, as its columns are drawn elsewhere.
    expect_lt(abs(again$evidence - fit$evidence), 0.02)
    expect_lt(max(abs(again$item_prior - fit$item_prior)), 1e-3)
    expect_lt(max(abs(again$posterior - fit$posterior)), 1e-3)
  }
})

test_that("what data say is learned, whatever the fit had found next to impossible", {
  fit <- stagewise_em(house_votes[-1], 2, control = stagewise_control(polish = FALSE))
  certain <- fit
  certain$item_prior[] <- 0
  certain$item_prior[["1093.5"]] <- 1
  again <- refine(certain)
  expect_identical(again$k, 2L)
  expect_lt(abs(again$evidence - fit$evidence), 0.05)
})

test_that("components keep their labels on a crowd that has other labels than that of the fit", {
  crowd <- small_crowd()
  given <- as.data.frame(crowd$labels)
  more <- given
  more$label <- replace(as.character(more$label), 1, "0")
  fewer <- given[given$label != "1", ]
  others <- replace(crowd$truth, crowd$truth == "1", NA) # of which no label was left out
  for (fit in list(mdpd(crowd$labels, k = 3), mdpd(crowd$labels, k = 3, prior = 1))) {
    for (triples in list(more, fewer)) {
      refined <- hush(suppressWarnings(refine(fit, x = crowd_labels(triples))))
      expect_identical(refined$labels, fit$labels)
      stands_for <- sub("[.].*", "", names(refined$mixing_weights)) # "3.1" and "3.2" are of "3"
      expect_true(all(stands_for %in% fit$labels))
      expect_lt(error_rate(refined, others), 0.2) # by wrong labels most are
    }
  }
})
