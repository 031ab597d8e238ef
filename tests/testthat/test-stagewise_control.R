test_that("every setting is left to the engine by default", {
  control <- stagewise_control()
  expect_s3_class(control, "stagewise_control")
  expect_named(control, names(formals(stagewise_control)))
  expect_true(all(vapply(control, is.null, NA)))
})

test_that("the engine's defaults are those of the help page", {
  robust <- complete_control(stagewise_control(), "robust")
  paper <- complete_control(stagewise_control(), "paper")
  expect_equal(
    unclass(robust)[c("max_stages", "em_steps", "alpha", "split_step", "floor")],
    list(max_stages = 100, em_steps = 5, alpha = 0.01, split_step = 0, floor = 0)
  )
  expect_equal(
    unclass(paper)[c("max_stages", "em_steps", "split_step", "floor")],
    list(max_stages = 30, em_steps = 1, split_step = 0.05, floor = 0.002)
  )
  shared <- list(smoothing = 0, tol = 1e-8, max_iter = 1000, threads = 2L)
  expect_equal(unclass(robust)[names(shared)], shared)
  expect_equal(unclass(paper)[names(shared)], shared)
  expect_equal(c(robust$smoothing_loss, paper$smoothing_loss), c(0.3, 0))
  expect_setequal(names(robust), names(formals(stagewise_control)))
})

test_that("a setting that is given replaces the engine's default, the others stay", {
  control <- complete_control(stagewise_control(tol = 1e-4, max_stages = 7), "paper")
  default <- complete_control(stagewise_control(), "paper")
  expect_equal(control$tol, 1e-4)
  expect_equal(control$max_stages, 7)
  others <- setdiff(names(default), c("tol", "max_stages"))
  expect_identical(unclass(control)[others], unclass(default)[others])
})

test_that("settings at the ends of their ranges are taken", {
  ends <- list(max_stages = 1, em_steps = 1, alpha = 1, split_step = 0, split_step = 1, floor = 0,
               floor = 0.1, smoothing = 0, smoothing = 1e6, smoothing_loss = 0,
               smoothing_loss = 1e6, tol = 1e-300, tol = 1, max_iter = 1L, polish = FALSE,
               polish = TRUE, threads = 1, threads = 64)
  for (i in seq_along(ends)) {
    expect_equal(do.call(stagewise_control, ends[i])[[names(ends)[i]]], ends[[i]])
  }
})

test_that("settings out of range are errors that name the setting", {
  bad <- list(
    max_stages = list(0, 1.5, NA, "3", 1:2, Inf), em_steps = list(0, -1, 2.5, NA),
    alpha = list(0, 1.1, -1, NA, "0.05"), split_step = list(-0.1, 1.1, NA),
    floor = list(-0.001, 0.2, NA), smoothing = list(-1, Inf, NA, "a"),
    smoothing_loss = list(-0.1, Inf, NA, "a"),
    tol = list(0, -1, 2, NA), max_iter = list(0, 1.5, NA, "many"),
    polish = list(NA, 1, "yes"), threads = list(0, -1, 1.5, NA, "all")
  )
  for (name in names(bad)) {
    for (value in bad[[name]]) {
      expect_error(do.call(stagewise_control, stats::setNames(list(value), name)),
                   paste0("`", name, "` must be"), class = "mdpd_error_argument")
    }
  }
})

test_that("messages about settings say the range", {
  expect_snapshot({
    show_conditions(stagewise_control(max_stages = 0))
    show_conditions(stagewise_control(floor = 0.5))
  })
  # Ranges that are open are told as such, not by the smallest double.
  for (control in list(quote(stagewise_control(alpha = 0)), quote(stagewise_control(tol = -1)))) {
    error <- expect_error(eval(control), class = "mdpd_error_argument")
    expect_false(grepl("e-308", conditionMessage(error)))
  }
})

test_that("one setting alone leaves the others to the method", {
  expect_output(print(stagewise_control(tol = 1e-4)), "  others: the defaults", fixed = TRUE)
  expect_output(print(stagewise_control()), "  all: the defaults", fixed = TRUE)
  control <- stagewise_control(tol = 1e-4)
  utils::capture.output(shown <- withVisible(print(control)))
  expect_identical(shown, list(value = control, visible = FALSE))
})

test_that("an unknown setting is an error", {
  expect_error(stagewise_control(iterations = 3), "unused argument")
})

test_that("a control prints what is set", {
  expect_snapshot({
    stagewise_control()
    stagewise_control(alpha = 0.001, max_iter = 50)
    complete_control(stagewise_control(tol = 1e-4), "paper")
  })
})
