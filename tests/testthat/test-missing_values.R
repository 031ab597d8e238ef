test_that("without missing values all treatments of them agree", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  for (missing in c("frozen", "level", "fail")) {
    other <- stagewise_em(x, k = 2, missing = missing)
    expect_identical(without(other, "call", "missing", "coded"),
                     without(fit, "call", "missing", "coded"))
  }
})

test_that("missing = \"fail\" is an error that names the first item and counts", {
  x <- with_gaps(answers())
  expect_snapshot(show_conditions(stagewise_em(x, k = 2, missing = "fail")))
  expect_error(stagewise_em(x, k = 2, missing = "fail"), class = "mdpd_error_missing_value")
  expect_error(stagewise_em(small_crowd(missing = 0.1)$labels, k = 3, missing = "fail"),
               class = "mdpd_error_missing_value")
})

test_that("missing = \"level\" is one more answer", {
  x <- with_gaps(answers())
  answered <- as.data.frame(lapply(x, function(column) {
    levels(column) <- c(levels(column), "(missing)")
    replace(column, is.na(column), "(missing)")
  }))
  fit <- stagewise_em(x, k = 2, missing = "level")
  expect_identical(without(fit, "call", "missing", "coded"),
                   without(stagewise_em(answered, k = 2), "call", "missing", "coded"))
  expect_true("(missing)" %in% rownames(fit$item_probs$item_1))
})

test_that("no row is dropped: with values missing every row has its posterior", {
  x <- with_gaps(answers())
  expect_lt(sum(complete.cases(x)), 300)
  for (missing in c("ignore", "frozen", "level")) {
    fit <- stagewise_em(x, k = 2, missing = missing)
    expect_identical(dim(fit$posterior), c(300L, 2L))
    expect_false(anyNA(fit$posterior))
  }
  expect_identical(stagewise_em(x, k = 2)$n_missing, sum(is.na(x)))
})

test_that("a row without any answer is kept and has the mixing weights for posterior", {
  x <- answers()
  x[c(7, 100), ] <- NA
  for (missing in c("ignore", "frozen")) {
    for (refine in c("sparse", "full", "none")) {
      for (method in c("robust", "paper")) {
        fit <- stagewise_em(x, k = 2, missing = missing, refine = refine, method = method)
        expect_equal(fit$posterior[7, ], fit$mixing_weights, tolerance = 1e-12)  # one division
        expect_equal(fit$posterior[100, ], fit$mixing_weights, tolerance = 1e-12)
      }
    }
  }
})

test_that("values missing at random hardly move the estimates", {
  x <- answers(n_obs = 2000)
  complete <- stagewise_em(x, k = 2)
  for (missing in c("ignore", "frozen")) {
    fit <- stagewise_em(with_gaps(x), k = 2, missing = missing)
    expect_setequal(fit$informative, complete$informative)
    # A tenth of the 800 rows of the smaller component is lost: the estimate moves by a fraction of
    # its standard error, 0.018; five such errors would be a bias.
    difference <- unlist(fit$item_probs) - unlist(complete$item_probs)
    expect_lt(max(abs(difference)), 5 * 0.018)
  }
})

test_that("the pattern of missing values enters the selection when frozen, not when ignored", {
  # Two pairs of items asked together: answers are independent, who was asked is not.
  x <- independent_items()[c("a", "b", "d")]
  x <- x[rep(seq_len(240), 2), ]
  asked <- rep(c(TRUE, FALSE), each = 240)
  x$a[asked & seq_len(480) %% 8 > 0] <- NA
  x$d[asked & seq_len(480) %% 8 > 0] <- NA
  stage <- function(missing) {
    suppressWarnings(
      stagewise_em(x, k = 2, method = "paper", refine = "none", missing = missing,
                   control = stagewise_control(max_stages = 1)),
      classes = "mdpd_warning_fewer_components"
    )$trace
  }
  expect_setequal(unlist(stage("frozen")[c("item_1", "item_2")]), c("a", "d"))
  expect_gt(stage("frozen")$information, 0.1)
  expect_lt(stage("ignore")$information, 0.05)
})

with_empty_rows <- function(table) {
  out <- table[c(1:200, rep(NA, 150), 201:nrow(table)), ]
  rownames(out) <- NULL
  out
}

test_that("rows without any answer change nothing but that they have no class", {
  drawn <- three_classes(300)$table
  more <- with_empty_rows(drawn)
  rows <- c(1:200, 351:450)
  for (criterion in c("evidence", "bic")) {
    control <- stagewise_control(criterion = criterion)
    with <- suppressWarnings(stagewise_em(more, k = 1:4, control = control))
    without <- suppressWarnings(stagewise_em(drawn, k = 1:4, control = control))
    expect_equal(with$path, without$path)
    expect_equal(nobs(with), 300)
    expect_identical(with$n_obs, 450L)
    expect_equal(with$posterior[rows, ], without$posterior, ignore_attr = TRUE)
    expect_equal(with$item_probs, without$item_probs)
    expect_equal(glance(with)[c("BIC", "entropy")], glance(without)[c("BIC", "entropy")])
    expect_equal(summary(with)[c("expected_error", "components", "overlap")],
                 summary(without)[c("expected_error", "components", "overlap")])
    expect_equal(information(with), information(without))
    expect_output(print(with), "450 rows (150 without any answer)", fixed = TRUE)
    expect_no_match(capture.output(print(with)), "weight")
  }
})

test_that("groups count no row without any answer", {
  drawn <- three_classes(300)$table
  group <- rep(c("u", "v"), 150)
  without <- compare_groups(suppressWarnings(stagewise_em(drawn, k = 3)), group)
  more <- suppressWarnings(stagewise_em(with_empty_rows(drawn), k = 3))
  with <- compare_groups(more, c(group[1:200], rep("u", 150), group[201:300]))
  expect_identical(with$n, without$n)
  expect_equal(tidy(with), tidy(without), tolerance = 1e-4)
  expect_equal(BIC(with), BIC(without))
})

test_that("rows of a store without any answer do not count either", {
  drawn <- three_classes(2000)$table
  store <- row_store(with_empty_rows(drawn), withr::local_tempfile(), shard_rows = 1024)
  fit <- suppressWarnings(stagewise_em(store, k = 3))
  expect_equal(fit$evidence, suppressWarnings(stagewise_em(drawn, k = 3))$evidence)
  expect_equal(nobs(fit), 2000)
  expect_no_match(capture.output(print(fit)), "weight")
  expect_no_match(grep("^Data", capture.output(print(summary(fit))), value = TRUE), "weight")
})
