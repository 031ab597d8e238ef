# A bad optimum on purpose: EM from classes that have nothing to do with the data.
bad_start <- function(seed, x, k) {
  classes <- with_seed(seed, sample(rep_len(seq_len(k), nrow(as.matrix(x)))))
  fit <- suppressWarnings(mdpd(x, k = k, start = classes))
  refine(fit, control = stagewise_control(polish = FALSE))
}

test_that("the polish never lowers the penalised log-likelihood and records every gain", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 40, accuracy = rep(0.65, 6), seed = 4)
  for (seed in c(1, 3, 4)) {
    start <- bad_start(seed, crowd$labels, 3)
    polished <- suppressWarnings(refine(start, control = stagewise_control(polish = TRUE)))
    expect_gte(polished$penalised_loglik, start$penalised_loglik - 1e-6 * abs(start$loglik))
    moves <- polished$trace[polished$trace$phase == "polish", ]
    expect_gt(nrow(moves), 0)
    expect_non_decreasing(c(start$penalised_loglik, moves$penalised_loglik))
    expect_true(all(moves$move %in% c("split-merge", "merge-split", "items", "row")))
  }
})

test_that("the polish brings bad starts to where the default call ends", {
  crowd <- simulate_crowd(n_items = 400, n_workers = 30, accuracy = rep(0.65, 5), seed = 4)
  default <- stagewise_em(crowd$labels, k = 3)
  starts <- lapply(1:6, bad_start, x = crowd$labels, k = 3)
  ends <- lapply(starts, refine, control = stagewise_control(polish = TRUE))
  behind <- function(fits) default$penalised_loglik - vapply(fits, `[[`, 0, "penalised_loglik")
  expect_gt(max(behind(starts)), 10)
  expect_true(all(abs(behind(ends)) < 0.5))
})

test_that("the polish finds the item that EM cannot see on bluebird", {
  crowd <- shared_crowd("bluebird")
  without <- stagewise_em(crowd, k = 2, control = stagewise_control(polish = FALSE))
  with <- stagewise_em(crowd, k = 2)
  expect_gt(with$penalised_loglik, without$penalised_loglik + 0.5)
})

test_that("the default call reaches the errors that part 2 asks for", {
  most <- c(bluebird = 10 / 108, dog = 0.159, rte = 0.075)
  for (name in names(most)) {
    crowd <- shared_crowd(name)
    fit <- stagewise_em(crowd, k = length(crowd$labels))
    # Rates are counts over the items: rounding of the quotient only.
    expect_lte(error_rate(fit, shared_truth(name)), most[[name]] + 1e-12)
  }
})
