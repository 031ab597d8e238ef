# A column that is not there, in the place of an argument that may be NULL.

x <- data.frame(a = rep(c("x", "y"), each = 20), b = rep(c(TRUE, TRUE, FALSE, FALSE, TRUE), 8),
                c = rep(c(1, 2, 1, 2, 2), each = 8))
rows <- data.frame(z = rep(c(-1, 1, 2, 3), 10), id = rep(1:10, 4))
fit <- mdpd(x, 2)

test_that("a column that is not there is an error, not an argument left out", {
  refused <- function(code, arg) {
    cnd <- expect_error(code, "no such column", class = "mdpd_error_argument")
    expect_match(conditionMessage(cnd), paste0("`", arg, "` must be"), fixed = TRUE)
  }
  refused(class_regression(fit, ~z, rows, cluster = rows$idd), "cluster")
  refused(class_regression(fit, ~z, rows, strata = rows[["idd"]]), "strata")
  refused(distal_outcome(fit, z, rows, cluster = rows$idd), "cluster")
  refused(vcov(fit, type = "robust", cluster = rows$idd), "cluster")
  refused(standard_errors(fit, type = "robust", cluster = rows$idd), "cluster")
  refused(bootstrap(fit, cluster = rows$idd), "cluster")
  refused(stagewise_em(x, 2, weights = rows$wt), "weights")
  refused(mdpd(x, 2, weights = rows$wt), "weights")
  refused(mdpd(x, 2, known = rows$truth), "known")
  refused(stagewise_em(~ a + b, 2, data = x, weights = rows$wt), "weights")
  nested <- list(rows = rows)
  refused(mdpd(x, 2, weights = nested$rows$wt), "weights")
  within <- function(table) stagewise_em(x, 2, weights = table$wt)
  refused(within(rows), "weights")
  skip_if_not_installed("tibble")
  as_tibble <- tibble::as_tibble(rows)
  refused(mdpd(x, 2, weights = as_tibble$wt), "weights")
})

test_that("NULL that is meant is an argument left out", {
  settings <- list(weights = NULL)
  none <- NULL
  count <- 0
  table <- function() {
    count <<- count + 1
    rows
  }
  for (given in rlang::exprs(NULL, none, settings$weights, settings[["cluster"]])) {
    # Some of its estimates are on the boundary.
    suppressWarnings(expect_identical(
      eval(rlang::expr(vcov(fit, type = "score", cluster = !!given))), vcov(fit, type = "score")
    ))
  }
  expect_identical(mdpd(x, 2, weights = settings$weights)$loglik, fit$loglik)
  # A part of its name is enough for `$`, and a function is called once.
  expect_equal(nobs(mdpd(x, 2, weights = rows$i)), sum(rows$id))
  mdpd(x, 2, weights = table()$id)
  expect_identical(count, 1)
})

test_that("the error says which column of which table", {
  expect_snapshot({
    show_conditions(class_regression(fit, ~z, rows, cluster = rows$idd))
    show_conditions(stagewise_em(x, 2, weights = rows[["wt"]]))
  })
})
