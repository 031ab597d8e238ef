test_that("arguments of other packages are answered with what to write here", {
  x <- answers(40)
  expect_snapshot({
    show_conditions(stagewise_em(x, G = 3))
    show_conditions(stagewise_em(x, nclass = 2 + 1))
    show_conditions(stagewise_em(~., data = x, K = n_classes))
    show_conditions(mdpd(x, nclust = 2))
    show_conditions(stagewise_em(x, 2, nrep = 10))
    show_conditions(mdpd(x, 2, na.rm = FALSE))
    show_conditions(mdpd(x, 2, maxiter = 500))
    show_conditions(stagewise_em(x, 2, seed = 1))
    show_conditions(mdpd(x, 2, weight = w))
    show_conditions(stagewise_em(x, ~ item_1 + item_2, k = 2))
  })
  for (name in names_of_k) {
    arguments <- stats::setNames(list(x, 2), c("x", name))
    expect_error(do.call(stagewise_em, arguments), "k = 2", class = "mdpd_error_argument")
  }
  for (name in names(foreign_arguments)) {
    arguments <- stats::setNames(list(x, 2, 1), c("x", "k", name))
    expect_error(do.call(stagewise_em, arguments), name, class = "mdpd_error_argument")
  }
  expect_error(stagewise_em(x, 2, colour = 1), class = "rlib_error_dots_nonempty")
})

test_that("a formula of poLCA is answered with ours", {
  x <- answers(40)
  expect_snapshot({
    show_conditions(stagewise_em(cbind(item_1, item_2) ~ 1, x, nclass = 2))
    show_conditions(mdpd(cbind(item_1, `a b`) ~ age * sex, k = 2, data = x))
    show_conditions(stagewise_em(y ~ ., k = 2, data = x))
  })
  long <- stats::as.formula(paste0("cbind(", toString(letters), ") ~ 1"))
  expect_error(stagewise_em(long, 2, x), "~ a + b + c + d + e + f + g + ...", fixed = TRUE)
  expect_identical(polca_items(quote(cbind(a, b, c, d, e, f, g, h))),
                   "a + b + c + d + e + f + g + h")
})

test_that("types of prediction of other packages are answered with ours", {
  fit <- stagewise_em(answers(), k = 2)
  expect_snapshot({
    show_conditions(predict(fit, type = "posterior"))
    show_conditions(predict(fit, type = "cluster"))
    show_conditions(predict(fit, type = "colour"))
  })
})
