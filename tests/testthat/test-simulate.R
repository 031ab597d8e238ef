# Crowds -------------------------------------------------------------------------------------------

test_that("a simulated crowd has the sizes asked for", {
  crowd <- simulate_crowd(n_items = 30, n_workers = 7, n_labels = 4, seed = 1)
  expect_named(crowd, c("labels", "truth", "model", "k"))
  expect_identical(dim(crowd$labels), c(30L, 7L))
  expect_identical(crowd$labels$labels, as.character(1:4))
  expect_identical(names(crowd$truth), crowd$labels$items)
  expect_identical(levels(crowd$truth), crowd$labels$labels)
  expect_length(crowd$labels$label, 210)
  expect_identical(crowd$k, 4)
})

test_that("by default five of a hundred workers are right in six of ten of a thousand items", {
  crowd <- simulate_crowd(seed = 1)
  expect_identical(dim(crowd$labels), c(1000L, 100L))
  expect_length(crowd$labels$label, 1e5)
  expect_identical(crowd$k, 3)
  expect_identical(crowd$model$informative, as.character(1:5))
  expect_equal(diag(crowd$model$item_probs$`5`), rep(0.6, 3), ignore_attr = TRUE)
})

test_that("without a seed as many of the session's numbers are drawn as a crowd needs", {
  set.seed(1)
  crowd <- simulate_crowd(4, 3, 2, accuracy = 0.8)
  next_number <- stats::runif(1)
  set.seed(1)
  shares <- prop.table(replicate(2, stats::rexp(2)), 2)[1, ]
  truth <- sample.int(2, 4, replace = TRUE)
  first <- cbind(c(0.8, 0.2)[truth], shares[1], shares[2])
  given <- 1 + (matrix(stats::runif(12), 4) > first)
  expect_identical(as.integer(crowd$truth), truth)
  expect_identical(matrix(as.integer(as.matrix(crowd$labels)), 4), matrix(as.integer(given), 4))
  expect_identical(stats::runif(1), next_number)
})

test_that("the smallest crowd can be simulated", {
  crowd <- simulate_crowd(n_items = 1, n_workers = 2, n_labels = 2, accuracy = 1, seed = 1)
  expect_identical(dim(crowd$labels), 1:2)
  expect_identical(as.matrix(crowd$labels)[, "1"], as.character(crowd$truth))
  # All may be experts.
  expect_identical(simulate_crowd(5, 2, accuracy = c(0.9, 0.8), seed = 1)$model$informative,
                   c("1", "2"))
})

test_that("the true model is a proper mixture", {
  model <- simulate_crowd(n_workers = 8, accuracy = c(0.9, 0.2), seed = 1)$model
  expect_s3_class(model, "mdpd")
  expect_identical(model$mixing_weights, c(`1` = 1, `2` = 1, `3` = 1) / 3)
  expect_named(model$item_probs, as.character(1:8))
  for (probs in model$item_probs) {
    expect_identical(dimnames(probs), list(as.character(1:3), as.character(1:3)))
    expect_equal(unname(colSums(probs)), rep(1, 3))
    expect_true(all(probs >= 0))
  }
  expect_equal(diag(model$item_probs$`1`), rep(0.9, 3), ignore_attr = TRUE)
  expect_equal(model$item_probs$`1`["2", "1"], 0.05)
})

test_that("exactly the experts who tell classes apart are informative", {
  model <- simulate_crowd(n_workers = 6, accuracy = c(0.6, 1 / 3, 0), seed = 1)$model
  expect_identical(model$informative, c("1", "3"))
  expect_identical(model$item_information[["2"]], 0)
  expect_identical(unname(model$item_information[4:6]), c(0, 0, 0))
  expect_equal(model$item_information[["1"]], log(3) + 0.6 * log(0.6) + 0.4 * log(0.2))
  perfect <- simulate_crowd(n_workers = 2, accuracy = 1, seed = 1)$model
  expect_equal(perfect$item_information[["1"]], log(3))
})

test_that("labels come from the true model", {
  n <- 20000
  crowd <- simulate_crowd(n, n_workers = 3, accuracy = c(0.7, 0.25), n_labels = 3, seed = 4)
  given <- as.matrix(crowd$labels)
  # Five standard errors of a share among the n / 3 items of a class.
  tolerance <- 5 * sqrt(0.25 / (n / 3))
  expect_lt(max(abs(table(crowd$truth) / n - 1 / 3)), tolerance)
  for (worker in colnames(given)) {
    shares <- prop.table(table(given[, worker], crowd$truth), 2)
    expect_lt(max(abs(shares - crowd$model$item_probs[[worker]])), tolerance)
  }
})

test_that("labels are missing at the rate asked for, never all of an item or a worker", {
  crowd <- simulate_crowd(1000, 20, missing = 0.8, seed = 1)$labels
  expect_equal(length(crowd$label) / 20000, 0.2, tolerance = 0.05)
  sparse <- simulate_crowd(30, 40, missing = 0.999, seed = 1)$labels
  expect_identical(dim(sparse), c(30L, 40L))
  expect_true(all(tabulate(sparse$item, 30) >= 1), all(tabulate(sparse$worker, 40) >= 1))
  # Many more of the one than of the other.
  expect_identical(dim(simulate_crowd(2, 50, missing = 0.99, seed = 1)$labels), c(2L, 50L))
  expect_identical(dim(simulate_crowd(50, 2, accuracy = 1, missing = 0.99, seed = 1)$labels),
                   c(50L, 2L))
})

test_that("bad arguments are errors that name them", {
  bad <- list(
    n_items = list(0, 1.5, NA, "a"), n_workers = list(1, NULL), n_labels = list(1, 255),
    accuracy = list(1.2, -0.1, NA, "a", numeric(), rep(0.5, 101)),
    missing = list(1, 1 - 5e-10, -0.1, NA),
    seed = list("a", 1.5, 1:2)
  )
  for (name in names(bad)) {
    for (value in bad[[name]]) {
      arguments <- stats::setNames(list(value), name)
      expect_error(
        do.call(simulate_crowd, arguments), paste0("`", name, "` must"),
        class = "mdpd_error_argument"
      )
    }
  }
})

# Random numbers -----------------------------------------------------------------------------------

test_that("a seed gives the same crowd whatever generator the session uses", {
  crowd <- simulate_crowd(20, 5, seed = 7)
  kind <- RNGkind()
  on.exit(suppressWarnings(RNGkind(kind[1], kind[2], kind[3])))
  suppressWarnings(RNGkind("Wichmann-Hill", "Box-Muller", "Rounding"))
  expect_identical(simulate_crowd(20, 5, seed = 7), crowd)
  expect_identical(RNGkind(), c("Wichmann-Hill", "Box-Muller", "Rounding"))
  expect_false(identical(simulate_crowd(20, 5, seed = 8), crowd))
})

test_that("with a seed the session's random numbers go on as if nothing was drawn", {
  set.seed(1)
  expected <- runif(3)
  set.seed(1)
  simulate_crowd(20, 5, seed = 7)
  expect_identical(runif(3), expected)
})

test_that("with a seed a session without random numbers stays so", {
  state <- globalenv()[[".Random.seed"]]
  on.exit(if (!is.null(state)) assign(".Random.seed", state, envir = globalenv()))
  set.seed(1)
  rm(".Random.seed", envir = globalenv())
  simulate_crowd(20, 5, seed = 7)
  expect_false(exists(".Random.seed", envir = globalenv(), inherits = FALSE))
  expect_type(generator_state(NULL), "integer")
})

test_that("an error leaves the session's random numbers as they were", {
  set.seed(1)
  state <- globalenv()[[".Random.seed"]]
  expect_error(with_seed(2, stop("in between")), "in between")
  expect_identical(globalenv()[[".Random.seed"]], state)
})

test_that("without a seed the session's random numbers are used", {
  set.seed(3)
  first <- simulate_crowd(20, 5)
  expect_false(identical(simulate_crowd(20, 5), first))
  set.seed(3)
  expect_identical(simulate_crowd(20, 5), first)
})

# From a model -------------------------------------------------------------------------------------

# Two items of different numbers of levels in two components.
model <- structure(
  list(
    k = 2, n_obs = 6, mixing_weights = c(big = 0.8, small = 0.2),
    item_probs = list(
      a = matrix(c(1, 0, 0, 1), 2, dimnames = list(c("u", "v"), c("big", "small"))),
      `b c` = matrix(c(0.2, 0.3, 0.5, 0.6, 0.4, 0), 3,
                     dimnames = list(c("x", "y", "z"), c("big", "small")))
    )
  ),
  class = "mdpd"
)

test_that("simulate gives data frames of factors with the model's items and levels", {
  data <- simulate(model, nsim = 3, seed = 1)
  expect_named(data, c("sim_1", "sim_2", "sim_3"))
  expect_s3_class(data[[1]], "data.frame")
  expect_identical(dim(data[[1]]), c(6L, 2L))
  expect_named(data[[1]], c("a", "b c"))
  expect_identical(lapply(data[[1]], levels), lapply(model$item_probs, rownames))
  expect_identical(levels(attr(data[[1]], "component")), c("big", "small"))
  expect_identical(dim(simulate(model, seed = 1, n_obs = 1)[[1]]), 1:2)
})

test_that("simulated data have the distribution of the model", {
  n <- 20000
  data <- simulate(model, seed = 2, n_obs = n)[[1]]
  component <- attr(data, "component")
  tolerance <- 5 * sqrt(0.25 / (0.2 * n))
  expect_lt(abs(mean(component == "small") - 0.2), tolerance)
  expect_identical(data$a == "v", component == "small")
  shares <- prop.table(table(data$`b c`, component), 2)
  expect_lt(max(abs(shares - model$item_probs$`b c`)), tolerance)
  expect_identical(shares[["z", "small"]], 0)
})

test_that("simulated data can be coded again, the drawn component left aside", {
  data <- simulate(model, seed = 1, n_obs = 50)[[1]]
  expect_identical(encode(data)$levels, lapply(model$item_probs, rownames))
})

test_that("the level for missing values is missing in simulated data", {
  with_missing <- model
  rownames(with_missing$item_probs$a) <- c("u", "(missing)")
  with_missing$missing <- "level"
  data <- simulate(with_missing, seed = 1, n_obs = 50)[[1]]
  expect_identical(is.na(data$a), attr(data, "component") == "small")
  expect_identical(levels(data$a), "u")
  # Levels that one row cannot show are there, as without missing values.
  one_row <- simulate(with_missing, seed = 1, n_obs = 1)[[1]]
  expect_identical(lapply(one_row[-1], levels), lapply(model$item_probs[-1], rownames))
})

test_that("simulate keeps to the protocol of seeds of the stats package", {
  data <- simulate(model, seed = 5)
  expect_named(data, "sim_1")
  expect_identical(simulate(model, seed = 5), data)
  expect_identical(
    attr(data, "seed"),
    structure(5, kind = list("Mersenne-Twister", "Inversion", "Rejection"))
  )
  set.seed(9)
  state <- globalenv()[[".Random.seed"]]
  data <- simulate(model)
  expect_identical(attr(data, "seed"), state)
  assign(".Random.seed", state, envir = globalenv())
  expect_identical(simulate(model), data)
})

test_that("bad arguments of simulate are errors that name them", {
  expect_error(simulate(model, nsim = 0), "`nsim` must", class = "mdpd_error_argument")
  expect_error(simulate(model, nsim = 1e6 + 1), "to 1,000,000", class = "mdpd_error_argument")
  expect_error(simulate(model, seed = "a"), "`seed` must", class = "mdpd_error_argument")
  expect_error(simulate(model, n_obs = -1), "`n_obs` must", class = "mdpd_error_argument")
  truth <- simulate_crowd(10, 3, accuracy = 0.9, seed = 1)$model
  expect_error(simulate(truth), "`n_obs` must.*not NULL", class = "mdpd_error_argument")
})
