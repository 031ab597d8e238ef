# What fits check first, and what they warn of last.

# Of three components, with some of its parts in another state.
fit_with <- function(...) {
  fit <- mdpd(answers(200, k = 3), 3, n_starts = 1)
  parts <- list(...)
  fit[names(parts)] <- parts
  fit
}

test_that("the number of components must be given", {
  expect_error(mdpd(answers(20)), "`k` must be given", class = "mdpd_error_argument")
})

test_that("there are at most as many components as rows", {
  rows <- data.frame(a = c("x", "y", "x"), b = c("p", "p", "q"), c = 1:3)
  expect_identical(open_fit(rows, 3, NULL, "ignore")$levels, encode(rows)$levels)
  expect_error(open_fit(rows, 4, NULL, "ignore"), "at most the number of rows, 3, not 4",
               class = "mdpd_error_argument")
  # Of several numbers the smallest must be possible.
  expect_no_error(open_fit(rows, c(5, 2), NULL, "ignore", several = TRUE))
  expect_error(open_fit(rows, c(5, 4), NULL, "ignore", several = TRUE), "not 4")
  expect_error(open_fit(rows, 2:3, NULL, "ignore"), class = "mdpd_error_argument")
  coded <- encode(rows)
  expect_warning(k_within_rows(c(1, 4), coded), "Left out: 4\\.", class = "mdpd_warning_large_k")
  expect_warning(
    ks <- k_within_rows(matrix(c(5, 3, 1, 3, 4, 1), 2), coded), "Left out: 4 and 5",
    class = "mdpd_warning_large_k"
  )
  expect_identical(ks, c(1, 3))
  expect_silent(expect_identical(k_within_rows(3:1, coded), 1:3))
})

test_that("a fit that has fewer components, or did not converge, says what to do", {
  expect_silent(warn_status(fit_with(status = "converged"), 3))
  expect_silent(warn_status(fit_with(status = "stages_done"), 3))
  fewer <- function(...) {
    fit <- fit_with(status = "fewer_components", ...)
    conditionMessage(rlang::catch_cnd(warn_status(fit, 4), "mdpd_warning_fewer_components"))
  }
  expect_match(fewer(), "show 3 components, not 4")
  expect_no_match(fewer(labels = letters[1:3]), "mdpd\\(x")
  expect_match(fewer(labels = letters[1:4]), "mdpd\\(x, 4\\)")
  fit <- fit_with(status = "iteration_limit")
  expect_warning(warn_status(fit, 3), sprintf("converge in %d iter", fit$control$max_iter),
                 class = "mdpd_warning_not_converged")
  expect_message(warn_status(fit_with(status = "search_limit"), 3), "has converged",
                 class = "mdpd_message_search_limit")
})

test_that("components that one would explain better are a warning", {
  fit <- fit_with(refine = "sparse", penalised_loglik = -1500)
  expect_warning(warn_independent(fit, -1497.4568),
                 "explains them better than 3.*penalised log-likelihood is 2.54\\snats",
                 class = "mdpd_warning_independent")
  expect_silent(warn_independent(fit, -1500))
  expect_silent(warn_independent(replace(fit, "k", 1L), -1497.5))
  expect_silent(warn_independent(fit_with(refine = "full", penalised_loglik = -1500), -1497.5))
  # By evidence it is compared, and the penalised log-likelihood is not.
  by_evidence <- fit_with(refine = "sparse", penalised_loglik = -1500, evidence = -1510)
  expect_silent(warn_independent(by_evidence, -1510))
  expect_warning(warn_independent(by_evidence, -1507.5), "has 2.5 nats more evidence than these 3",
                 class = "mdpd_warning_independent")
})

test_that("components that rest on two items of many are a warning that names them", {
  pair <- c("item_1", "item_2")
  fit <- fit_with(evidence = -1500, informative = pair)
  expect_warning(warn_one_pair(fit), "\"item_1\" and \"item_2\" alone",
                 class = "mdpd_warning_one_pair")
  for (n_items in 2:3) {
    few <- replace(fit, "item_probs", list(fit$item_probs[seq_len(n_items)]))
    expect_identical(rests_on_one_pair(few), n_items == 3)
  }
  expect_true(rests_on_one_pair(replace(fit, "k", 2L)))
  for (other in list(list(k = 1L), list(evidence = NULL), list(informative = "item_1"),
                     list(informative = c(pair, "item_3")))) {
    expect_silent(warn_one_pair(do.call(fit_with, utils::modifyList(
      list(evidence = -1500, informative = pair), other
    ))))
  }
})

test_that("items are weak where none is sure to differ, and no labels say what to find", {
  weak <- list(inclusion = c(item_1 = 0.94, item_2 = 0.2))
  is_weak <- function(...) is_of_weak_items(do.call(fit_with, utils::modifyList(weak, list(...))))
  expect_true(is_weak())
  expect_true(is_weak(k = 2L))
  expect_false(is_weak(k = 1L))
  expect_false(is_weak(inclusion = c(item_1 = 0.96, item_2 = 0.2)))
  expect_false(is_weak(inclusion = NULL))
  expect_false(is_weak(labels = as.character(1:3)))
})

test_that("components of weak items are a warning also where they have more evidence than one", {
  fit <- fit_with(refine = "sparse", evidence = -1500, inclusion = c(item_1 = 0.9, item_2 = 0.2))
  expect_warning(warn_independent(fit, -1500.27),
                 "None of the items is sure.*3 components.*0.27 nats more",
                 class = "mdpd_warning_independent")
  expect_warning(warn_independent(fit, -1499), "One component has 1 nats more",
                 class = "mdpd_warning_independent")
  expect_silent(warn_independent(replace(fit, "labels", list(as.character(1:3))), -1501))
  fit$inclusion[["item_1"]] <- 0.97
  expect_silent(warn_independent(fit, -1501))
})

test_that("components with less than one row, or like another, are named in a warning", {
  fit <- fit_with()
  expect_silent(warn_equal_components(fit))
  with_rows <- function(n) replace(fit, "mixing_weights", list(c("1" = 200 - n, "2" = n) / 200))
  # One row is enough.
  expect_silent(warn_equal_components(with_rows(1)))
  expect_warning(warn_equal_components(with_rows(0.9)), "Component \"2\" has less than one row",
                 class = "mdpd_warning_equal_components")
  twice <- fit_with(item_probs = lapply(fit$item_probs, function(probs) probs[, c(1, 2, 1)]))
  told <- expect_warning(warn_equal_components(twice), "Component \"3\" repeats another",
                         class = "mdpd_warning_equal_components")
  expect_no_match(conditionMessage(told), "less than one row")
  # The same to six digits.
  apart <- function(by) {
    list(item_probs = lapply(fit$item_probs, function(probs) {
      probs[] <- 0.5
      probs[1, 2] <- 0.5 + by
      probs[, 1:2]
    }))
  }
  expect_identical(as.vector(repeats_component(apart(4e-7))), c(FALSE, TRUE))
  expect_identical(as.vector(repeats_component(apart(2e-6))), c(FALSE, FALSE))
})

test_that("what are items of a table are workers of a crowd", {
  told <- function(code, class) {
    message <- function(...) {
      fit <- fit_with(...)
      conditionMessage(rlang::catch_cnd(code(fit), class))
    }
    list(table = message(), crowd = message(labels = as.character(1:3)))
  }
  pair <- c("item_1", "item_2")
  groups <- function(fit) warn_groups(list(pair), column_words(fit), NULL)
  cases <- list(
    told(function(fit) warn_status(replace(fit, "status", "fewer_components"), 4),
         "mdpd_warning_fewer_components"),
    told(function(fit) {
      fit[c("refine", "penalised_loglik")] <- list("sparse", -1500)
      warn_independent(fit, -1400)
    }, "mdpd_warning_independent"),
    told(function(fit) {
      fit[c("evidence", "informative")] <- list(-1500, pair)
      warn_one_pair(fit)
    }, "mdpd_warning_one_pair"),
    told(function(fit) warn_not_identified(replace(fit, "informative", list(pair))),
         "mdpd_warning_not_identified"),
    told(groups, "mdpd_warning_copied_items"),
    told(function(fit) pair_items(NULL, fit, 2), "mdpd_message_items_left_out")
  )
  for (case in cases) {
    expect_match(case$table, "items")
    expect_no_match(case$table, "worker")
    expect_match(case$crowd, "workers")
    expect_no_match(gsub("[a-z]+_items|`items`", "", case$crowd), "items")
  }
})

test_that("a group that goes with a worker of a crowd says so", {
  expect_warning(
    warn_same_as_item("7", "group", "The groups are", "Fit without the {column}.", TRUE, NULL),
    "labels of worker .*7.*without\\s+the\\s+worker", class = "mdpd_warning_group_is_item"
  )
  expect_warning(
    warn_same_as_item("7", "group", "The groups are", "Fit without the {column}.", FALSE, NULL),
    "answers to item .*7.*without\\s+the\\s+item", class = "mdpd_warning_group_is_item"
  )
})
