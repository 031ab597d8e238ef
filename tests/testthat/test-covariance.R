test_that("directions move the parameters of which they have more than a thousandth", {
  expect_identical(moved_by(cbind(c(1.1e-3, 0.9e-3, 0, 0.8e-3), c(0, 0, 0, 0.8e-3))),
                   c(TRUE, FALSE, FALSE, TRUE))
})

test_that("the covariance of shares is that of a multinomial sample", {
  expect_equal(column_covariance(c(0.2, 0.8), 4), matrix(c(0.16, -0.16, -0.16, 0.16) / 4, 2))
  expect_identical(column_covariance(1, 5), matrix(0))
})

test_that("estimates on the boundary count where their level is seen, and another one", {
  model <- list(item = c(0, 0, 1, 1, 1, 1), component = c(1, 2, 1, 1, 2, 2),
                column = c(0, 0, 1, 2, 1, 2), simplex = c(1, 1, 2, 2, 3, 3), free = FALSE)
  bounded <- function(estimate, free = FALSE) {
    model[c("estimate", "free")] <- list(estimate, rep_len(free, 6))
    count_bounded(model)
  }
  expect_identical(bounded(c(1, 0, 1, 0, 1 - 5e-9, 5e-9)), 0L)
  expect_identical(bounded(c(1, 0, 1, 0, 1 - 5e-8, 5e-8)), 4L)
  expect_identical(bounded(c(0.6, 0.4, 1, 0, 0.5, 0.5), c(TRUE, TRUE, FALSE, FALSE, TRUE, TRUE)),
                   2L)
  expect_identical(bounded(c(0.6, 0.4, 1, 0, 0.5, 0.5), TRUE), 0L)
})

test_that("what counts as undetermined has no unit, and is below 1e-9", {
  two <- function(r, unit = 1) matrix(c(1, r, r, 1), 2) * outer(c(1, unit), c(1, unit))
  for (unit in c(1, 1e-6)) {
    expect_identical(ncol(invert_information(two(1 - 2e-9, unit))$null), 0L)
    expect_identical(ncol(invert_information(two(1 - 5e-10, unit))$null), 1L)
  }
  inverse <- invert_information(diag(c(1e-12, 1)))
  expect_equal(tcrossprod(inverse$half), diag(c(1e12, 1)))
  # A parameter of which nothing is known at all.
  inverse <- invert_information(diag(c(0, 4)))
  expect_equal(abs(inverse$half), cbind(c(0, 0.5)))
  expect_equal(abs(inverse$null), cbind(c(1, 0)))
  expect_equal(invert_information(matrix(4))[c("half", "null")],
               list(half = matrix(0.5), null = matrix(0, 1, 0)), ignore_attr = TRUE)
  expect_identical(dim(invert_information(matrix(0, 0, 0))$half), c(0L, 0L))
})

test_that("a direction without information is found beside others that have some", {
  information <- diag(3)
  information[1, 2] <- information[2, 1] <- 1 - 1e-12
  found <- invert_determined(information)
  expect_equal(abs(found$null), cbind(c(1, 1, 0) / sqrt(2)))
  expect_equal(found$inverse[3, 3], 1)
  # Whatever the units: a million rows for each one tell no more of that direction.
  larger <- invert_determined(1e6 * information)
  expect_equal(abs(larger$null), abs(found$null))
  expect_equal(larger$inverse, found$inverse / 1e6)
  expect_silent(none <- invert_determined(matrix(0, 0, 0)))
  expect_identical(dim(none$inverse), c(0L, 0L))
})

test_that("columns are drawn to the shares of their item, or to what the crowd answers", {
  plain <- centre_of_columns(list(k = 2), list(a = c(0.3, 0.7), b = c(0.5, 0.2, 0.3)))
  expect_equal(plain$probs, c(0.5, 0.5, 0.3, 0.7, 0.3, 0.7, 0.5, 0.2, 0.3, 0.5, 0.2, 0.3))
  expect_equal(plain$of_item, rep(1, 12))
  crowd_probs <- matrix(c(0.1, 0.9, 0.6, 0.4), 2, dimnames = list(c("no", "yes"), NULL))
  object <- list(
    k = 2, crowd_probs = crowd_probs, item_probs = list(w = `rownames<-`(diag(2), c("yes", "no"))),
    item_shares = rbind(v = 0, w = c(own = 0.4, crowd = 0.25, accuracy = 0.35))
  )
  crowd <- centre_of_columns(object, list(w = c(0.3, 0.7)))
  expect_equal(crowd$of_item, c(1, 1, rep(0.4, 4)))
  expect_equal(crowd$probs, c(0.5, 0.5, 0.4 * c(0.3, 0.7) + 0.6 * crowd_probs[2:1, ]))
})

test_that("how far a column is drawn shows in its estimate", {
  crowd_probs <- matrix(0.5, 2, 2, dimnames = list(c("no", "yes"), NULL))
  object <- list(k = 2, crowd_probs = crowd_probs, item_probs = list(
    v = `rownames<-`(diag(2), c("no", "yes")), w = `rownames<-`(diag(2), c("no", "yes"))
  ), item_shares = rbind(v = c(own = 1, crowd = 0), w = c(0.4, 0.6)))
  model <- list(item = c(0, 0, rep(1:2, each = 4)), component = c(1, 2, rep(c(1, 1, 2, 2), 2)),
                simplex = rep(1:5, each = 2))
  # A quarter of the way to one half; of few answers; not at all; and as what it is drawn to.
  own <- c(0.9, 0.1)
  near <- 0.75 * own + 0.25 * 0.5
  count <- c(10, 5, 30 * own, 2 * own, 30 * own, 2, 2)
  model$estimate <- c(0.6, 0.4, near, near, own, 0.5, 0.5)
  drawn <- drawn_to_common(object, model, count, list(v = c(0.5, 0.5), w = c(0.5, 0.5)))
  expect_equal(drawn$pseudo_counts, c(1, 1, 5, 5, 0.5, 0.5, 0.5, 0.5, 1998, 1998))
  weight <- rep(c(0.25, 0.25, 0, 0.999), each = 2)
  expect_equal(drawn$of_item, c(0, 0, weight * rep(c(1, 0.4), each = 4)))
  expect_equal(drawn$of_crowd, c(0, 0, weight * rep(c(0, 0.6), each = 4)))
  expect_equal(as.vector(drawn$crowd_counts), 0.6 * c(30, 4))
})

test_that("without smoothing and prior counts an estimate has no pseudo-counts", {
  fit <- full_fit(sharp_rows(60))
  fit["smoothing"] <- list(NULL)
  expect_identical(unique(prior_of_parameters(fit, fit$coded)), 0)
})
