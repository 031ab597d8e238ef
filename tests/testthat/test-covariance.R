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

# What the covariance takes for pseudo-counts, by item a matrix levels x components.
parts_by_evidence <- function(fit) {
  counted_parts(fit, fit, mixture_parameters(fit), likelihood_sums(
    mixture_parameters(fit), fit$coded, fit$posterior, "score"
  )$count)
}
by_item <- function(x, parts, k) {
  lapply(split(x, parts$model$item)[-1], matrix, ncol = k)
}

# Of an item with these counts, by the formulas of the engine: what is added to the counts and what
# the errors of the centre count for, in units of those of a column of all answers.
drawn_twin <- function(counts, shares) {
  n <- colSums(counts)
  marginal <- rowSums(counts) / sum(n)
  probs <- shares[[1]] * matrix(marginal, length(marginal), length(n))
  of_item <- rep(shares[[1]], length(n))
  for (at in seq_len(8)) {
    c <- 0.5 * 3^(at - 1)
    centre <- prop.table(colSums(t(counts) / (n + c + 1)))
    rows <- (c + 1) * sum(n / (n + c + 1))
    probs <- probs + shares[[at + 1]] * sweep(c * centre + counts, 2, c + n, "/")
    of_item <- of_item + shares[[at + 1]] * c / (c + n) * sqrt(sum(n) / rows)
  }
  # Each answer counts for less by all that is not its own.
  total <- 1 / colSums(shares[-1] / outer(0.5 * 3^(0:7), n, `+`))
  list(pseudo_counts = sweep(probs, 2, total, "*") - counts,
       of_item = matrix(of_item, nrow(counts), length(n), byrow = TRUE))
}

test_that("columns are drawn as far as the engine draws them, and to what", {
  x <- simulate(sharp_model(3), seed = 3, n_obs = 150)[[1]]
  x$noise <- rep(c("a", "b"), 75)
  fit <- stagewise_em(x, k = 3, control = stagewise_control(tol = 1e-12))
  fit$informative <- names(x)
  # As at the end of EM, but for items that hardly differ.
  fit$item_shares["item_2", ] <- c(0.2, 0.1, 0, 0.3, 0.1, 0, 0.2, 0, 0.1)
  parts <- parts_by_evidence(fit)
  pseudo_counts <- by_item(parts$pseudo_counts, parts, 3)
  of_item <- by_item(parts$drawn$of_item, parts, 3)
  for (at in seq_along(x)) {
    counts <- twin_counts(fit$coded, fit$posterior, at)
    twin <- drawn_twin(counts, fit$item_shares[at, ])
    expect_equal(pseudo_counts[[at]], unname(twin$pseudo_counts))
    expect_equal(of_item[[at]], unname(twin$of_item))
    # EM ends with E-steps that discount, the posterior is of one that does not.
    drawn <- prop.table(counts + pseudo_counts[[at]], 2)
    if (at != 2) expect_equal(unname(drawn), unname(fit$item_probs[[at]]), tolerance = 0.003)
  }
  expect_identical(parts$pseudo_counts[1:3], c(1, 1, 1))
  expect_identical(parts$drawn$of_item[1:3], c(0, 0, 0))
  expect_identical(parts$drawn$of_crowd, numeric(length(parts$pseudo_counts)))
})

test_that("a column is drawn no further where its answers are like those of all rows", {
  # As the estimates show it, it was up to 80 times as far, and their errors were half as large.
  component_of_i8 <- c("3" = 1, "40" = 2)
  for (seed in names(component_of_i8)) {
    x <- close_classes(as.numeric(seed))
    fit <- stagewise_em(x, k = 3)
    parts <- parts_by_evidence(fit)
    for (item in by_item(parts$pseudo_counts, parts, 3)) {
      total <- colSums(item)
      expect_lt(max(total) / min(total), 1.1)
    }
    # Without a prior, which draws this column by a few answers of a hundred.
    plain <- stagewise_em(x, k = 3, control = stagewise_control(criterion = "bic"))
    errors <- vapply(list(fit, plain), function(fit) {
      suppressWarnings(standard_errors(fit), "mdpd_warning_boundary")$item_probs$i8[1, ]
    }, numeric(3))[component_of_i8[[seed]], ]
    expect_equal(errors[1], errors[2], tolerance = 0.1)
  }
})

test_that("what is one column is drawn to it, but for a thousandth, and without answers too", {
  object <- list(k = 2, item_shares = rbind(v = c(same = 1, "0.5" = 0, "1.5" = 0),
                                            w = c(0, 0.5, 0.5)))
  model <- list(items = c("v", "w"), item = c(0, 0, rep(1:2, each = 4)),
                component = c(1, 2, rep(c(1, 1, 2, 2), 2)),
                column = c(0, 0, 1, 2, 1, 2, 3, 4, 3, 4), simplex = rep(1:5, each = 2))
  count <- c(5, 5, 8, 2, 0, 0, 6, 4, 0, 0)
  drawn <- drawn_to_common(object, model, count, list(c(0.8, 0.2), c(0.6, 0.4)))
  expect_equal(drawn$pseudo_counts[3:6], c(7992, 1998, 799.2, 199.8))
  expect_equal(drawn$of_item[3:6], rep(1, 4))
  # The harmonic mean of the concentrations.
  expect_equal(drawn$pseudo_counts[9:10], 0.75 * c(0.6, 0.4))
  # The centre is known as from fewer answers than there are.
  rows <- c(1.5, 2.5) * 10 / (10 + c(1.5, 2.5))
  expect_equal(drawn$of_item[9:10], rep(mean(sqrt(10 / rows)), 2))
})

test_that("a crowd's columns are drawn to the crowd's, or are of one accuracy", {
  crowd_probs <- matrix(c(0.1, 0.9, 0.6, 0.4), 2, dimnames = list(c("no", "yes"), NULL))
  object <- list(
    k = 2, crowd_probs = crowd_probs,
    item_probs = list(v = `rownames<-`(diag(2), c("yes", "no")),
                      w = `rownames<-`(diag(2), c("yes", "no"))),
    item_shares = rbind(v = c("1.5" = 0, "crowd 1.5" = 1, "accuracy 4.5" = 0), w = c(0, 0, 1))
  )
  model <- list(items = c("v", "w"), item = c(0, 0, rep(1:2, each = 4)),
                component = c(1, 2, rep(c(1, 1, 2, 2), 2)),
                column = c(0, 0, 1, 2, 1, 2, 3, 4, 3, 4), simplex = rep(1:5, each = 2),
                estimate = c(0.6, 0.4, 0.9, 0.1, 0.2, 0.8, 0.9, 0.1, 0.1, 0.9))
  count <- c(10, 5, 20, 10, 4, 2, 30, 3, 1, 6)
  drawn <- drawn_to_common(object, model, count, list(c(0.7, 0.3), c(0.8, 0.2)))
  expect_equal(drawn$pseudo_counts[3:6], 1.5 * as.vector(crowd_probs[2:1, ]))
  expect_equal(drawn$of_crowd[3:6], 1.5 / (1.5 + rep(c(30, 6), each = 2)))
  # Its answers in the other columns are pseudo-counts, and the crowd's are 4.5.
  expect_equal(drawn$pseudo_counts[7:10], c((4.5 + 7) * c(0.9, 0.1), (4.5 + 33) * c(0.1, 0.9)))
  expect_equal(drawn$of_crowd[7:10], rep(4.5 / 44.5, 4))
  expect_equal(drawn$of_item, numeric(10))
  expect_equal(as.vector(drawn$crowd_counts), c(63, 13))
})

test_that("without smoothing and prior counts an estimate has no pseudo-counts", {
  fit <- full_fit(sharp_rows(60))
  fit["smoothing"] <- list(NULL)
  expect_identical(unique(prior_of_parameters(fit, fit$coded)), 0)
})
