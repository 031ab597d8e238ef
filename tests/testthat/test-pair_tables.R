# core_pair_table() against its twin and by its properties.

engine_table <- function(coded, posterior, item_1 = 1, item_2 = 2, missing_level = FALSE) {
  core_pair_table(coded, posterior, item_1, item_2, missing_level)
}

test_that("pair tables agree with their plain-R twin", {
  for (case in random_cases(seed = 31)) {
    for (missing_level in c(FALSE, TRUE)) {
      for (pair in list(c(1, 2), c(5, 3))) {
        engine <- engine_table(case$coded, case$posterior, pair[1], pair[2], missing_level)
        twin <- twin_pair_table(case$coded, case$posterior, pair[1], pair[2], missing_level)
        expect_identical(dim(engine), dim(twin))
        expect_close(engine, twin, label = case$label)
      }
    }
  }
})

test_that("with the missing level the tables of a component sum to its mixing weight", {
  for (case in random_cases(seed = 32)) {
    table <- engine_table(case$coded, case$posterior, missing_level = TRUE)
    expect_close(
      apply(table, 3, sum), twin_component_weights(case$coded, case$posterior), 1e-13, case$label
    )
  }
})

test_that("without it they sum to the share of weight in which both items are observed", {
  case <- random_cases(seed = 33)[[8]]
  table <- engine_table(case$coded, case$posterior)
  both <- rowSums(case$coded$codes[, 1:2] == as.raw(0)) == 0
  expect_lt(mean(both), 1)
  expect_close(apply(table, 3, sum), colSums(case$posterior[both, ]) / 60, 1e-13)
})

test_that("summed over components a table holds the observed frequencies", {
  case <- random_cases(seed = 34)[[4]]
  observed <- table(as.integer(case$coded$codes[, 1]), as.integer(case$coded$codes[, 2])) / 60
  expect_close(apply(engine_table(case$coded, case$posterior), 1:2, sum), observed, 1e-13)
})

test_that("exchanging the items transposes the table", {
  case <- random_cases(seed = 35)[[16]]
  there <- engine_table(case$coded, case$posterior, 2, 4, TRUE)
  back <- engine_table(case$coded, case$posterior, 4, 2, TRUE)
  expect_close(aperm(back, c(2, 1, 3)), there, 1e-14)
})

test_that("tables of blocks of rows add up to the table of all rows", {
  case <- random_cases(seed = 36)[[15]]
  block <- function(rows) {
    coded <- subset_rows(case$coded, rows)
    sum(coded$weights) * engine_table(coded, case$posterior[rows, ])
  }
  whole <- sum(case$coded$weights) * engine_table(case$coded, case$posterior)
  expect_close(block(1:17) + block(18:60), whole, 1e-13)
})

test_that("more components than the engine has special code for agree with the twin", {
  with_seed(37, {
    coded <- random_coded(40, random_model(2, c(3L, 4L)), 0.2, TRUE)
    for (k in 5:7) {
      posterior <- random_posterior(40, k)
      expect_close(
        engine_table(coded, posterior, missing_level = TRUE),
        twin_pair_table(coded, posterior, 1, 2, TRUE)
      )
    }
  })
})

test_that("an item may have 254 levels, as many as a byte can tell apart", {
  codes <- cbind(rep(1:254, 2), rep(1:2, 254))
  coded <- structure(
    list(codes = matrix(as.raw(codes), 508), levels = list(as.character(1:254), c("a", "b")),
         weights = rep(1, 508)),
    class = "mdpd_coded"
  )
  table <- engine_table(coded, matrix(1, 508, 1), missing_level = TRUE)
  expected <- matrix(0, 255, 3)
  # An even level is always at an even row: 254 is even.
  expected[cbind(1:254, rep(1:2, 127))] <- 2 / 508
  expect_close(table, expected, 1e-14)
})
