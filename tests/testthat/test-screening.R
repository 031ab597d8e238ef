test_that("items set aside change neither trace nor fit", {
  crowd <- simulate_crowd(500, 80, 3, accuracy = rep(0.7, 8), missing = 0.3, seed = 2)
  coded <- encode(crowd$labels, NULL, "ignore", arg = "x")
  control <- complete_control(stagewise_control(), "robust")
  stages <- lapply(c("always", "never"), function(screening) {
    control$screening <- screening
    core_stagewise(coded, 3, "robust", FALSE, control, FALSE)
  })
  expect_gt(stages[[1]]$n_partial_passes, 0)
  expect_lt(stages[[1]]$n_full_passes, stages[[2]]$n_full_passes)
  expect_identical(stages[[1]]$fit, stages[[2]]$fit)
  differs <- names(stages[[1]]$trace) == "information"  # over the pairs searched
  expect_identical(stages[[1]]$trace[!differs], stages[[2]]$trace[!differs])
})

test_that("growth with items set aside is growth over all pairs", {
  x <- with_seed(4, {
    class <- sample.int(4, 400, TRUE)
    planted <- vapply(1:12, function(item) {
      probs <- stats::runif(4, 0.1, 0.9)
      as.integer(stats::runif(400) < probs[class])
    }, integer(400))
    cbind(planted, matrix(sample.int(2, 400 * 240, TRUE) - 1L, 400))
  })
  coded <- encode(x, NULL, "ignore", arg = "x")
  control <- complete_control(stagewise_control(), "robust")
  stages <- core_stagewise(coded, 4, "robust", FALSE, control, FALSE)
  expect_gt(length(stages$leading), 0)
  expect_lt(length(stages$leading), 120)
  fit <- core_stagewise(coded, 1, "robust", FALSE, control, FALSE)$fit
  for (size in 2:4) {
    plain <- core_grow(coded, fit, "sparse", control, integer(), FALSE)
    expect_identical(core_grow(coded, fit, "sparse", control, stages$leading, FALSE), plain)
    fit <- plain
  }
})
