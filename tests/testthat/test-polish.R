# A bad optimum on purpose: EM from classes that have nothing to do with the data.
bad_start <- function(seed, x, k) {
  classes <- with_seed(seed, sample(rep_len(seq_len(k), nrow(as.matrix(x)))))
  fit <- suppressWarnings(mdpd(x, k = k, start = classes))
  refine(fit, control = stagewise_control(criterion = "bic", polish = FALSE))
}

test_that("the polish never lowers the penalised log-likelihood and records every gain", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 40, accuracy = rep(0.65, 6), seed = 4)
  for (seed in c(1, 3, 4)) {
    start <- bad_start(seed, crowd$labels, 3)
    control <- stagewise_control(criterion = "bic", polish = TRUE, smoothing_loss = 0)
    polished <- suppressWarnings(refine(start, control = control))
    expect_gte(polished$penalised_loglik, start$penalised_loglik - 1e-6 * abs(start$loglik))
    moves <- polished$trace[polished$trace$phase == "polish", ]
    expect_gt(nrow(moves), 0)
    expect_non_decreasing(c(start$penalised_loglik, moves$penalised_loglik))
    expect_true(all(moves$move %in% c("split-merge", "merge-split", "items", "row")))
  }
})

test_that("the polish brings bad starts to where the call without a start ends", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 30, accuracy = rep(0.65, 5), seed = 4)
  by_bic <- stagewise_control(criterion = "bic", polish = TRUE)
  default <- stagewise_em(crowd$labels, k = 3, control = by_bic)
  starts <- lapply(1:6, bad_start, x = crowd$labels, k = 3)
  ends <- lapply(starts, refine, control = by_bic)
  behind <- function(fits) default$penalised_loglik - vapply(fits, `[[`, 0, "penalised_loglik")
  expect_gt(max(behind(starts)), 10)
  expect_true(all(abs(behind(ends)) < 0.5))
})

test_that("the polish finds the item that EM cannot see on bluebird", {
  crowd <- shared_crowd("bluebird")
  without <- stagewise_em(crowd, k = 2,
                          control = stagewise_control(criterion = "bic", polish = FALSE))
  with <- stagewise_em(crowd, k = 2, control = stagewise_control(criterion = "bic"))
  expect_gt(with$penalised_loglik, without$penalised_loglik + 0.5)
})

test_that("the default call errs as rarely as ever on real crowds", {
  most <- c(bluebird = 11 / 108, dog = 131 / 807, rte = 0.073)
  for (name in names(most)) {
    crowd <- shared_crowd(name)
    fit <- stagewise_em(crowd, k = length(crowd$labels))
    # Rates are counts over the items: rounding of the quotient only.
    expect_lte(error_rate(fit, shared_truth(name)), most[[name]] + 1e-12)
  }
})

test_that("smoothing is the strongest that costs no more than it may, and no fit of its own", {
  crowd <- simulate_crowd(n_items = 1000, n_workers = 30, accuracy = rep(0.6, 3), seed = 2)
  fit_with <- function(...) {
    stagewise_em(crowd$labels, k = 3, control = stagewise_control(criterion = "bic", ...))
  }
  maximum <- fit_with(smoothing_loss = 0)
  loss <- function(fit) maximum$penalised_loglik - fit$penalised_loglik
  # Each mode is found from the one before.
  strengths <- c(0.25, 0.5, 1, 2, 4)
  modes <- Reduce(function(fit, smoothing) {
    refine(fit, control = stagewise_control(criterion = "bic", smoothing = smoothing,
                                            polish = FALSE))
  }, strengths, maximum, accumulate = TRUE)[-1]
  losses <- vapply(modes, loss, 0)
  # Between the losses of two smoothings the weaker one is taken, above all of them the strongest.
  for (at in c(2, 4, 5)) {
    may_cost <- if (at < 5) mean(losses[at + 0:1]) else losses[5] + 1
    smoothed <- fit_with(smoothing_loss = may_cost)
    expect_equal(loss(smoothed), losses[at], tolerance = 1e-6)
    expect_equal(smoothed$item_probs, modes[[at]]$item_probs, tolerance = 1e-6)
    expect_setequal(informative(smoothed), informative(maximum))
    last <- utils::tail(smoothed$trace, 1)
    expect_identical(c(last$phase, last$move), c("polish", "smoothing"))
    expect_identical(last$penalised_loglik, smoothed$penalised_loglik)
    expect_equal(sum(predict(smoothed, crowd$labels, type = "density")), smoothed$loglik)
  }
})

test_that("no smoothing is added where one is given, nor without polish or with full refinement", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 20, accuracy = rep(0.7, 4), seed = 1)$labels
  fit_with <- function(loss, refine = "sparse", ...) {
    stagewise_em(crowd, k = 3, refine = refine,
                 control = stagewise_control(criterion = "bic", smoothing_loss = loss, ...))
  }
  expect_identical(fit_with(50, smoothing = 2)$item_probs, fit_with(0, smoothing = 2)$item_probs)
  expect_identical(fit_with(50, polish = FALSE)$item_probs, fit_with(0, polish = FALSE)$item_probs)
  expect_identical(fit_with(50, "full")$item_probs, fit_with(0, "full")$item_probs)
  expect_false(identical(fit_with(50)$item_probs, fit_with(0)$item_probs))
})

test_that("where workers gave few labels the maximum stays as it is", {
  crowd <- shared_crowd("rte")
  fit <- stagewise_em(crowd, k = 2)
  expect_identical(
    fit$penalised_loglik,
    stagewise_em(crowd, k = 2, control = stagewise_control(smoothing_loss = 0))$penalised_loglik
  )
})

test_that("full refinement ends as high as the best of many random starts", {
  skip_on_cran()
  # What at most 7 of 20 random starts of poLCA came to (nats), see bench/tables.R.
  best <- list(
    list(table = UCBAdmissions, k = 3, loglik = -13092.0682),
    list(table = HairEyeColor, k = 4, loglik = -1815.8470),
    list(table = HairEyeColor, k = 5, loglik = -1814.3586)
  )
  for (case in best) {
    x <- as.data.frame(case$table)
    # Five components have more parameters than the table has cells, with a warning.
    fit <- function(x) {
      suppressWarnings(stagewise_em(x[1:3], case$k, refine = "full", weights = x$Freq),
                       classes = "mdpd_warning")
    }
    # As near as EM of theirs came to it: their last step gained less than 1e-10, of slow EM.
    expect_gt(fit(x)$loglik, case$loglik - 0.002)
    # The numbers at random know no order: what moves are sums over items and levels.
    turned <- x[rev(seq_len(nrow(x))), c(3:1, 4)]
    turned[1:3] <- lapply(turned[1:3], function(item) factor(item, rev(levels(item))))
    expect_equal(fit(turned)$loglik, fit(x)$loglik, tolerance = 1e-9)
  }
})
