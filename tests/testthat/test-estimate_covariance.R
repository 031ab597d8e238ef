test_that("items that do not tell classes apart vary by themselves", {
  x <- answers(300)
  fit <- stagewise_em(x, k = 2, control = stagewise_control(criterion = "bic", smoothing = 0))
  noise <- setdiff(names(x), informative(fit))[1]
  covariance <- vcov(fit)
  of_noise <- grep(noise, rownames(covariance))
  expect_true(all(covariance[of_noise, -of_noise] == 0))
  share <- as.vector(prop.table(table(x[[noise]])))
  expect_equal(unname(covariance[of_noise, of_noise]), (diag(share) - outer(share, share)) / 300)
  expect_equal(unname(diag(covariance))[1:2],
               unname(standard_errors(fit)$mixing_weights^2))
  # The name of version 0.1.0.
  expect_identical(standard_errors(fit, type = "exact"), standard_errors(fit, type = "observed"))
})

test_that("weights given later must leave an answer to each item", {
  x <- sharp_rows(100)
  x$item_1[-(1:10)] <- NA
  fit <- full_fit(x)
  expect_error(standard_errors(fit, weights = rep(c(0, 1), c(10, 90))), "item_1",
               class = "mdpd_error_data")
})

test_that("the time that errors take is told in minutes, from one and a half on", {
  # The third power: 20 seconds for 4000 parameters.
  expect_identical(slow_time(6603), "a minute or less")
  expect_identical(slow_time(6604), "some 2 minutes")
  expect_identical(slow_time(8000), "some 3 minutes")
})

test_that("what the crowd answers is known as from at least one answer", {
  crowd_probs <- matrix(c(0.1, 0.9, 0.6, 0.4), 2, dimnames = list(c("no", "yes"), NULL))
  object <- list(k = 2, crowd_probs = crowd_probs,
                 item_probs = list(w = `rownames<-`(diag(2), c("yes", "no"))))
  parts <- list(
    model = list(items = "w", component = c(1, 2, 1, 1, 2, 2), item = c(0, 0, 1, 1, 1, 1)),
    drawn = list(crowd_counts = c(0.5, 1.5), of_crowd = 1:6 / 10)
  )
  expect_equal(crowd_blocks(object, parts), list(
    list(at = 3:4, drawn = c(0.3, 0.4), level = 2:1,
         covariance = column_covariance(crowd_probs[, 1], 1)),
    list(at = 5:6, drawn = c(0.5, 0.6), level = 2:1,
         covariance = column_covariance(crowd_probs[, 2], 1.5))
  ))
})
