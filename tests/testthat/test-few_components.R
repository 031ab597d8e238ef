test_that("one component is the independence model", {
  x <- answers()
  frequencies <- lapply(x, function(column) prop.table(table(column)))
  counts <- lapply(x, table)
  loglik <- sum(mapply(function(n, p) sum(n * log(p)), counts, frequencies))
  for (method in c("robust", "paper")) {
    for (refine in c("sparse", "full", "none")) {
      fit <- stagewise_em(x, k = 1, method = method, refine = refine)
      expect_equal(fit$k, 1)
      expect_equal(fit$mixing_weights, c("1" = 1))
      expect_equal(lapply(fit$item_probs, drop), lapply(frequencies, c))
      expect_equal(fit$loglik, loglik)
      expect_equal(fit$penalised_loglik, loglik)
      expect_equal(fit$df, sum(lengths(counts) - 1))
      expect_true(all(fit$posterior == 1))
    }
  }
})

test_that("one component has no informative item", {
  for (method in c("robust", "paper")) {
    for (refine in c("sparse", "full", "none")) {
      fit <- stagewise_em(answers(), k = 1, method = method, refine = refine)
      expect_identical(fit$informative, character())
      expect_true(all(fit$item_information < 1e-12))  # differences of sums of size one
    }
  }
})

test_that("one component is what was asked for: converged", {
  expect_identical(stagewise_em(answers(), k = 1)$status, "converged")
  expect_identical(stagewise_em(answers(), k = 1, refine = "none")$status, "converged")
})

test_that("independent items have one component, whatever was asked for", {
  for (method in c("robust", "paper")) {
    expect_warning(
      fit <- stagewise_em(independent_items(), k = 3, method = method),
      class = "mdpd_warning_fewer_components"
    )
    expect_equal(fit$k, 1)
    expect_identical(fit$status, "fewer_components")
    expect_identical(dim(fit$posterior), c(240L, 1L))
    expect_identical(fit$informative, character())
  }
})

test_that("a fit never has more components than the data show, and says so once", {
  # The class decides `a` up to a coin; within a class all is independent.
  x <- expand.grid(class = c("x", "y"), coin = 1:2, b = 1:3, c = 1:2)[rep(1:24, 10), ]
  x$a <- ifelse(x$class == "x", "heads or tails", x$coin)
  x$coin <- NULL
  by_bic <- stagewise_control(criterion = "bic")
  expect_snapshot(show_conditions(fit <- stagewise_em(x, k = 3, control = by_bic)))
  of_three <- suppressWarnings(stagewise_em(x, k = 1:3), "mdpd_warning_one_pair")
  expect_equal(of_three$k, 2)
  expect_equal(fit$k, 2)
  expect_identical(fit$status, "fewer_components")
  expect_setequal(fit$informative, c("class", "a"))
  expect_equal(error_rate(fit, x$class, align = TRUE), 0)
  # Two items cannot tell two components, but that is another matter.
  told <- rlang::catch_cnd(stagewise_em(x, k = 2, control = by_bic), "warning")
  expect_s3_class(told, "mdpd_warning_not_identified")
})

test_that("constant data have one component", {
  x <- data.frame(a = rep(1, 10), b = "no")
  expect_warning(fit <- stagewise_em(x, k = 2), class = "mdpd_warning_fewer_components")
  expect_equal(fit$k, 1)
  expect_equal(fit$loglik, 0)
  expect_equal(fit$df, 0)
})

test_that("a single row can be fitted", {
  fit <- stagewise_em(answers()[1, ], k = 1)
  expect_identical(dim(fit$posterior), c(1L, 1L))
  expect_equal(fit$loglik, 0)
})

test_that("more items than rows can be fitted", {
  x <- as.data.frame(lapply(1:60, function(j) (1:20 * sqrt(j)) %% 1 > 0.5))
  names(x) <- paste0("item_", 1:60)
  suppressWarnings(  # some of the columns may repeat one another, which is not the point
    fit <- stagewise_em(x, k = 2)
  )
  expect_identical(dim(fit$posterior), c(20L, 2L))
  expect_false(anyNA(unlist(fit$item_probs)))
})

test_that("as many components as rows can be asked for", {
  x <- answers(n_obs = 6, seed = 3)
  suppressWarnings(fit <- stagewise_em(x, k = 6), classes = "mdpd_warning")
  expect_lte(fit$k, 6)
  expect_false(anyNA(fit$posterior))
})

test_that("copies of a component are no more evidence: k stays what it is", {
  chosen <- vapply(1:6, function(seed) {
    x <- with_seed(seed, {
      class <- 1 + stats::rbinom(50, 1, 0.5)
      as.data.frame(lapply(1:5, function(i) stats::rbinom(50, 1, c(0.85, 0.2)[class])),
                    col.names = paste0("V", 1:5))
    })
    fit <- suppressMessages(suppressWarnings(stagewise_em(x, k = c(1:3, 12))))
    # No marginal likelihood is above the highest likelihood.
    expect_lt(max(fit$path$evidence - fit$path$loglik), 1e-6)
    fit$k
  }, 0)
  expect_lte(max(chosen), 3)
})
