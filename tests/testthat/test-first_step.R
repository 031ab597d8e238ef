# What a later step knows of the classes, of three rows in two of them.
classes_of <- function(errors, assigned = c(1, 2, 1), weights = c(1, 1, 1)) {
  indicator <- outer(assigned, 1:2, `==`) & !is.na(assigned)
  list(errors = errors, assigned = assigned, indicator = indicator + 0, weights = weights,
       sizes = c(2, 1))
}
two_classes <- list(mixing_weights = c("1" = 0.5, "2" = 0.5))

test_that("log-densities are of the answers given the component, and of known rows in one alone", {
  rows <- sharp_rows(60)
  fit <- full_fit(rows)
  by_hand <- Reduce(`+`, lapply(names(fit$item_probs), function(item) {
    log(fit$item_probs[[item]][as.character(rows[[item]]), ])
  }))
  expect_equal(row_log_densities(fit, fit$coded), unname(by_hand))
  crowd <- small_crowd()
  fit <- suppressWarnings(mdpd(crowd$labels, k = 3, known = crowd$truth[1:2]))
  densities <- row_log_densities(fit, fit$coded)
  known <- match(crowd$truth[1:2], names(fit$mixing_weights))
  expect_identical(rowSums(densities == -Inf), rep(c(2, 0), c(2, 298)))
  expect_true(all(is.finite(densities[cbind(1:2, known)])))
})

test_that("a class must have rows that are assigned to it, which tell it apart", {
  check <- function(classes, rows = 1:3) {
    check_classification(classes, two_classes, rows, quote(later_step()))
  }
  sure <- classes_of(diag(2))
  expect_silent(check(sure))
  # A little weight is enough.
  light <- classes_of(diag(2), weights = c(0.1, 0.2, 0.1))
  light$sizes <- c(0.2, 0.2)
  expect_silent(check(light))
  for (size in c(0, NaN, -1)) {
    empty <- replace(sure, "sizes", list(c(2, size)))
    expect_error(check(empty), "assigned to it; \"2\" has none", class = "mdpd_error_empty_class")
  }
  for (share in c(0, 9e-13)) {
    never <- classes_of(rbind(c(1, 0), c(1 - share, share)))
    expect_error(check(never), "assigned to it; \"2\" has none", class = "mdpd_error_empty_class")
  }
  # The reciprocal condition of these errors is 2 e.
  alike <- function(e) classes_of(matrix(0.5 + c(e, -e, -e, e), 2))
  expect_error(check(alike(4.9e-7)), "must be told apart", class = "mdpd_error_empty_class")
  expect_error(check(alike(5.1e-7)), "rows that count here", class = "mdpd_error_empty_class")
  expect_error(check(sure, c(1, 3)), "\"2\" has none", class = "mdpd_error_empty_class")
})

test_that("rows count in the classes with the errors undone, where any is assigned to one", {
  errors <- rbind(c(0.8, 0.2), c(0.1, 0.9))
  classes <- classes_of(errors, weights = c(0.5, 0.25, 0.125))
  undone <- colSums(c(0.5, 0.25, 0.125) * solve(errors)[c(1, 2, 1), ])
  expect_equal(counted_in_classes(classes, 1:3), undone)
  expect_identical(counted_in_classes(classes, 1)[2], 0)
  # With three classes weight is left over for one without rows.
  three <- list(errors = rbind(c(0.8, 0.2, 0), c(0.2, 0.6, 0.2), c(0, 0.2, 0.8)),
                assigned = c(1, 1), indicator = cbind(c(1, 1), 0, 0), weights = c(1, 1))
  expect_gt(solve(three$errors)[1, 3], 0)
  expect_identical(counted_in_classes(three, 1:2)[2:3], c(0, 0))
})

test_that("a row in no class says nothing, and one row stays a row", {
  classes <- classes_of(diag(2), assigned = c(2, NA, 1))
  table <- rbind(c(0.7, 0.3), c(0.4, 0.6))
  expect_identical(of_assigned(table, classes, 1:3), rbind(c(0.4, 0.6), 0, c(0.7, 0.3)))
  expect_identical(of_assigned(table, classes, 3), rbind(c(0.7, 0.3)))
  expect_message(tell_no_class(7), "1 row without any answer", class = "mdpd_message_no_answer")
  expect_silent(tell_no_class(integer()))
})

test_that("estimates on the boundary do not move", {
  expect_equal(inverse_estimates(list(estimate = c(0, 5e-9, 2e-8, 0.25))), c(0, 0, 5e7, 4))
})

test_that("an error that never is has no part in how scores move", {
  classes <- classes_of(rbind(c(1, 0), c(0.2, 0.8)), assigned = c(1, 2))
  slopes <- array(0, c(2, 2, 1))
  slopes[2, , 1] <- c(0.3, -0.3)
  moved <- function(class) cbind(c(10, 1) * (class == 2))
  expect_equal(cross_by_density(moved, classes, 1:2, slopes),
               cbind(10 * 0.3 / 0.2 - 1 * 0.3 / 0.8))
})

test_that("moves of the first step are those of later estimates, but for rounding", {
  first <- list(undetermined = cbind(c(9e-7, 0), c(0, 2e-6), c(0.3, 0.4)))
  expect_equal(later_moves(first, diag(2), diag(2)), cbind(c(0, 1), c(0.6, 0.8)))
  expect_identical(dim(later_moves(first, diag(2), 0 * diag(2))), c(2L, 0L))
})

test_that("rows that a later step leaves out add nothing to it", {
  expect_identical(in_all_rows(cbind(5, 6), 2, list(weights = 1:3)), rbind(0, c(5, 6), 0))
})

test_that("how errors move is a sum over blocks of rows, of which one may be a single row", {
  object <- full_fit(sharp_rows(60))
  first <- list(object = object, coded = object$coded, model = mixture_parameters(object),
                weights = rep(1, 60))
  classes <- classification(first)
  expect_length(row_blocks(first, 4), 1)
  whole <- error_slopes(first, classes)
  expect_gt(max(abs(whole)), 0)
  local_in_package(list(row_blocks = function(first, n_more) list(1, 2:60)))
  expect_equal(error_slopes(first, classes), whole)
})
