test_that("k must be a whole number from one to the number of rows", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x, k = 0))
    show_conditions(stagewise_em(x, k = 1.5))
    show_conditions(stagewise_em(x, k = NA))
    show_conditions(stagewise_em(x, k = 21))
  })
  for (k in list(-1, Inf, NaN, "2", 0:2, NULL, TRUE, 1e10)) {
    expect_error(stagewise_em(x, k = k), "`k` must be", class = "mdpd_error_argument")
  }
  crowd <- small_crowd()$labels
  for (k in list(0, 1.5, NA, 301)) {
    expect_error(stagewise_em(~., k = k, data = x), "`k` must be", class = "mdpd_error_argument")
    expect_error(stagewise_em(crowd, k = k), "`k` must be", class = "mdpd_error_argument")
  }
})

test_that("k and data must be given", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x))
    show_conditions(stagewise_em(~ item_1 + item_2, k = 2))
    show_conditions(mdpd(~ item_1 + item_2, data = x))
  })
  expect_error(stagewise_em(x), class = "mdpd_error_argument")
  expect_error(stagewise_em(~., data = x), "`k` must be given", class = "mdpd_error_argument")
  expect_error(stagewise_em(~ item_1, k = 2), "`data` must be", class = "mdpd_error_argument")
})

test_that("what needs another form is an error that says how to make it", {
  triples <- data.frame(worker = 1:4, Item = c(1, 1, 2, 2), label = c("a", "b", "a", "a"))
  expect_snapshot({
    show_conditions(stagewise_em(Titanic, k = 2))
    show_conditions(stagewise_em(list(a = 1:2, b = 1:2), k = 2))
    show_conditions(stagewise_em(triples, k = 2))
  })
  # A two-way table of counts is a matrix too.
  for (table in list(HairEyeColor[, , 1], xtabs(~ cyl + am, mtcars), ftable(Titanic))) {
    expect_error(stagewise_em(table, k = 2), "Freq", class = "mdpd_error_argument")
    expect_error(mdpd(table, k = 2), "Freq", class = "mdpd_error_argument")
  }
})

test_that("a table must have rows and two columns", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(x[0, ], k = 1))
    show_conditions(stagewise_em(x[, 0], k = 1))
    show_conditions(stagewise_em(x["item_1"], k = 1))
    show_conditions(stagewise_em(matrix(1:4), k = 1))
    show_conditions(stagewise_em(matrix(1, 0, 3), k = 1))
  })
  for (bad in list(x[0, ], x[, 0], x["item_1"], matrix(1:4), data.frame(), matrix(1, 0, 3))) {
    expect_error(stagewise_em(bad, k = 1), class = "mdpd_error_data")
  }
})

test_that("data must be a table", {
  expect_snapshot(show_conditions(stagewise_em(c(1, 2, 1), k = 2)))
  for (bad in list(1:3, "a.csv", NULL, list(a = 1:2, b = 1:2), array(1, c(2, 2, 2)), mean)) {
    expect_error(stagewise_em(bad, k = 1), class = "mdpd_error_argument")
  }
})

test_that("columns that are no categories are errors that name the column", {
  x <- answers(n_obs = 300)
  columns <- list(
    nothing = NA, a_list = as.list(1:300), a_date = as.Date("2024-01-01") + 1:300 %% 3,
    a_time = as.POSIXct("2024-01-01", tz = "UTC") + 1:300 %% 3, a_fraction = 1:300 / 2,
    not_a_number = c(NaN, rep(1, 299)), infinite = c(1, -Inf, rep(1, 298)), an_id = 1:300,
    complex = 1i, raw = as.raw(1)
  )
  for (name in names(columns)) {
    bad <- x
    bad[[name]] <- columns[[name]]
    expect_error(stagewise_em(bad, k = 2), name, class = "mdpd_error_data")
    expect_error(stagewise_em(~., k = 2, data = bad), name, class = "mdpd_error_data")
  }
  bad <- x
  bad$a_table <- matrix(1, 300, 2)
  expect_error(stagewise_em(bad, k = 2), "a_table", class = "mdpd_error_data")
})

test_that("messages about columns say what is wrong and where", {
  column <- function(x) {
    data <- data.frame(one = c(1, 1, 2, 2), two = c(1, 2, 1, 2))
    data$answer <- x
    data
  }
  expect_snapshot({
    show_conditions(stagewise_em(column(NA), k = 2))
    show_conditions(stagewise_em(column(list(1, 2, 3, 4)), k = 2))
    show_conditions(stagewise_em(column(as.Date("2024-01-01") + 0:3), k = 2))
    show_conditions(stagewise_em(column(c(1, 2, 2.5, 1)), k = 2))
    show_conditions(stagewise_em(column(c(1, NaN, 2, 1)), k = 2))
    show_conditions(stagewise_em(column(c(1, 2, Inf, 1)), k = 2))
  })
})

test_that("columns must have names, and different ones", {
  x <- answers(n_obs = 20)
  expect_error(stagewise_em(stats::setNames(x, rep("a", 8)), k = 2), "\\ba\\b",
               class = "mdpd_error_data")
  expect_error(stagewise_em(stats::setNames(x, c("", letters[2:8])), k = 2), "Column 1",
               class = "mdpd_error_data")
  expect_identical(names(stagewise_em(unname(as.matrix(answers())), k = 2)$item_probs),
                   paste0("V", 1:8))
})

test_that("case weights must be non-negative numbers, one a row", {
  x <- answers(n_obs = 4)
  expect_snapshot({
    show_conditions(stagewise_em(x, k = 2, weights = c(1, -1, 1, 1)))
    show_conditions(stagewise_em(x, k = 2, weights = c(1, 1, NA, 1)))
    show_conditions(stagewise_em(x, k = 2, weights = 1:3))
    show_conditions(stagewise_em(x, k = 2, weights = rep(0, 4)))
  })
  for (weights in list(c(1, -1, 1, 1), c(1, 1, NA, 1), c(1, 1, 1, Inf), 1:3, "1", rep(0, 4),
                       as.list(1:4), factor(1:4))) {
    expect_error(stagewise_em(x, k = 2, weights = weights), "`weights`",
                 class = "mdpd_error_argument")
  }
})

test_that("a formula must be one-sided and name columns of a data frame", {
  x <- answers(n_obs = 20)
  expect_snapshot({
    show_conditions(stagewise_em(item_1 ~ item_2, k = 2, data = x))
    show_conditions(stagewise_em(~ item_1 + question, k = 2, data = x))
    show_conditions(stagewise_em(~ item_1 + log(item_2), k = 2, data = x))
    show_conditions(stagewise_em(~., k = 2, data = as.matrix(x)))
  })
  expect_error(stagewise_em(~ item_1 + question, k = 2, data = x),
               class = "mdpd_error_missing_item")
  # What R cannot make terms of.
  expect_error(stagewise_em(~ item_1^item_2, k = 2, data = x),
               "must name columns of `data`.*invalid power", class = "mdpd_error_argument")
})
