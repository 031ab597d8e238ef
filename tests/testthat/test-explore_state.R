# One item more or less, as a click in the list does it.
drop_item <- function(state, item, call = rlang::caller_env()) {
  set_dropped(state, c(state$dropped, item), call)
}

keep_item <- function(state, item, call = rlang::caller_env()) {
  set_dropped(state, setdiff(state$dropped, item), call)
}

# What a user has who ran the code of a state on their own data.
repeated <- function(state, ...) {
  data <- list2env(list(...), parent = asNamespace("mdpd"))
  suppressMessages(eval(parse(text = state_code(state)), data))
  data$fit
}

# The fit but for the words by which it was asked for.
content <- function(fit) {
  fit[setdiff(names(fit), c("call", "explored", "path_fits", "starts"))]
}

expect_repeats <- function(state, ...) {
  expect_identical(content(state_fit(state)), content(repeated(state, ...)))
}

table_state <- function(ks = 1:3) {
  table <- with_gaps(answers(150))
  explore_state(suppressMessages(stagewise_em(table, k = ks)))
}

test_that("the code of a state makes its fit, whatever was changed", {
  table <- with_gaps(answers(150))
  state <- table_state()
  expect_identical(state_fit(state)$posterior, state$fit$posterior)
  expect_repeats(state, table = table)
  item <- state_items(state)[1]
  changed <- list(
    choice = set_k(state, 3),
    dropped = drop_item(state, item),
    both = set_k(drop_item(state, item), 3),
    named = rename_class(drop_item(state, item), "1", "Careful ones"),
    compared = suppressMessages(compare_k(drop_item(state, item), 1:4)),
    beyond = set_k(state, 5)
  )
  for (one in changed) {
    suppressWarnings(expect_repeats(one, table = table), "mdpd_warning_not_identified")
  }
  expect_identical(changed$both$k, 3L)
  expect_false(item %in% names(state_fit(changed$dropped)$item_probs))
  expect_identical(names(state_fit(changed$named)$mixing_weights)[1], "Careful ones")
  expect_repeats(keep_item(changed$both, item), table = table)
})

test_that("code names the user's data as the call does", {
  cars <- mtcars
  # Most cars with three gears shift by themselves, which is said.
  expect_warning(
    fit <- stagewise_em(~ cyl + vs + am + gear, k = 2, data = cars, weights = carb),
    class = "mdpd_warning_copied_items"
  )
  state <- explore_state(fit)
  suppressWarnings(expect_repeats(state, cars = cars), "mdpd_warning_copied_items")
  expect_repeats(drop_item(state, "am"), cars = cars)
  expect_snapshot(writeLines(state_code(drop_item(state, "am"))))
  x <- as.matrix(cars[c("cyl", "vs", "am", "gear")])
  state <- explore_state(stagewise_em(x, k = 2))
  expect_snapshot(writeLines(state_code(drop_item(state, "vs"))))
  expect_repeats(drop_item(state, "vs"), x = x)
  x <- unname(x)
  state <- explore_state(stagewise_em(x, k = 2))
  expect_repeats(drop_item(state, "V2"), x = x)
})

test_that("a survey design stays in refits and in the code, given as data or as weights", {
  skip_if_not_installed("survey")
  table <- with_gaps(answers(150))
  school <- rep(1:30, 5)
  sampled <- survey::svydesign(~school, weights = ~ rep(c(1, 2, 4), 50),
                               data = data.frame(table, school))
  by_data <- suppressMessages(stagewise_em(~ item_1 + item_2 + item_3 + item_4, k = 1:3,
                                           data = sampled))
  by_weights <- suppressMessages(stagewise_em(table, k = 2, weights = sampled))
  for (fit in list(by_data, by_weights)) {
    state <- explore_state(fit)
    for (changed in list(state, set_k(state, 3), drop_item(state, "item_1"))) {
      expect_identical(state_fit(changed)$design, fit$design)
      expect_repeats(changed, table = table, sampled = sampled)
    }
  }
  path <- state_fit(suppressMessages(compare_k(explore_state(by_weights), 1:3)))
  expect_identical(choose_k(path, 2)$design, by_weights$design)
  expect_snapshot(writeLines(state_code(drop_item(explore_state(by_data), "item_1"))))
})

test_that("the code makes nothing but the fit and what it is fitted to", {
  votes <- house_votes[2:6]
  # A user's `x` and `weights` are something else.
  data <- list2env(list(votes = votes, twice = rep(1:2, c(400, 35)), x = 1, weights = 2),
                   parent = asNamespace("mdpd"))
  fit <- suppressMessages(eval(quote(stagewise_em(votes, k = 1:3, weights = twice)), data))
  state <- drop_item(explore_state(fit), names(votes)[1])
  suppressMessages(eval(parse(text = state_code(state)), data))
  expect_identical(data$x, 1)
  expect_identical(data$weights, 2)
  expect_setequal(names(data), c("votes", "twice", "x", "weights", "kept", "fit"))
  made <- state_fit(state)
  expect_identical(as.list(made$call)[c("x", "weights")], as.list(data$fit$call)[c("x", "weights")])
})

test_that("settings of the fit are kept in its code", {
  table <- with_gaps(answers(150))
  fits <- list(
    stagewise_em(table, k = 2, method = "paper", missing = "frozen"),
    stagewise_em(table, k = 2, refine = "full", missing = "level"),
    stagewise_em(table, k = 2, control = stagewise_control(criterion = "bic", max_iter = 500)),
    mdpd(table, k = 2, n_starts = 3, seed = -5)
  )
  for (fit in fits) {
    state <- explore_state(fit)
    expect_repeats(drop_item(state, state_items(state)[3]), table = table)
    expect_identical(state_fit(state)$posterior, fit$posterior)
    expect_repeats(state, table = table)
  }
})

test_that("a search that had some of the rows has them in refits too", {
  table <- answers(4000)
  state <- explore_state(stagewise_em(table, k = 2, search_rows = 1000))
  expect_identical(state$settings, list(search_rows = 1000))
  expect_repeats(state, table = table)
  expect_repeats(drop_item(state, state_items(state)[3]), table = table)
  n_rows <- 1000
  sampled <- stagewise_em(table, k = 2, search_rows = n_rows)
  expect_error(explore_state(sampled), "whose `search_rows`", class = "mdpd_error_argument")
  # It had all rows: there is nothing to say of it.
  n_rows <- 4000
  whole <- explore_state(stagewise_em(table, k = 2, search_rows = n_rows))
  expect_identical(whole$settings, stats::setNames(list(), character()))
})

test_that("workers of a crowd can be left out and labels be known", {
  crowd <- small_crowd(missing = 0.3)$labels
  state <- explore_state(stagewise_em(crowd, k = 3))
  without <- drop_item(state, "2")
  gold <- add_gold(add_gold(without, "5", "3"), "7", 1)
  for (one in list(state, without, gold)) expect_repeats(one, crowd = crowd)
  expect_identical(dim(state_data(without)), c(300L, 14L))
  expect_identical(as.character(predict(state_fit(gold))[c("5", "7")]), c("3", "1"))
  expect_identical(add_gold(gold, "7", NA)$known, c("5" = "3"))
  expect_snapshot(writeLines(state_code(gold)))
  em <- explore_state(mdpd(crowd, k = 3, known = c("5" = "3")))
  expect_identical(em$known, c("5" = "3"))
  for (one in list(em, drop_item(em, "1"), explore_state(mdpd(crowd, k = 3, prior = 0)))) {
    expect_repeats(one, crowd = crowd)
  }
})

test_that("a crowd in which workers repeat labels keeps all of them", {
  doctors <- crowd_labels(anaesthetists, "patient", "anaesthetist", "grade", duplicates = "count")
  state <- explore_state(mdpd(doctors, k = 4, prior = 0))
  expect_identical(length(state$x$label), nrow(anaesthetists))
  expect_repeats(drop_item(state, "5"), doctors = doctors)
})

test_that("names stay with the classes that keep their rows", {
  state <- rename_class(rename_class(table_state(), "2", "Two"), "1", "One")
  before <- state_fit(state)
  after <- state_fit(drop_item(state, utils::tail(state_items(state), 1)))
  expect_setequal(names(after$mixing_weights), c("One", "Two"))
  expect_gt(mean(predict(before) == predict(after)), 0.9)
  expect_identical(names(state_fit(rename_class(state, "One", "1"))$mixing_weights), c("1", "Two"))
  # With one class no name is of most of its rows; back at two, both are there again.
  one <- set_k(state, 1)
  expect_identical(names(state_fit(one)$mixing_weights), "1")
  expect_identical(names(state_fit(set_k(one, 2))$mixing_weights), c("One", "Two"))
  # A fit that came with names has them too.
  given <- name_components(stagewise_em(answers(150), k = 2), c("1" = "A", "2" = "B"))
  expect_identical(names(state_fit(explore_state(given))$mixing_weights), c("A", "B"))
})

test_that("a name stays where most of its rows are, if they are most of the class", {
  # Three classes of 40 rows, whose answers are those of the class but for one in eleven.
  class <- rep(1:3, each = 40)
  table <- as.data.frame(lapply(stats::setNames(1:5, letters[1:5]), function(j) {
    at <- seq(j, 120, by = 11)
    replace(class, at, class[at] %% 3 + 1)
  }))
  fit <- stagewise_em(table, k = 3)
  class <- as.integer(predict(fit))
  state <- explore_state(fit)
  names_with <- function(shares) {
    rows <- unlist(lapply(1:3, function(k) which(class == k)[seq_len(40 * shares[k])]))
    state$named <- cbind(Ours = seq_along(class) %in% rows, 0)
    carry_names(state)$names
  }
  expect_identical(names_with(c(1, 0, 0)), c("1" = "Ours"))
  expect_identical(names_with(c(0, 0.6, 0)), c("2" = "Ours"))
  expect_length(names_with(c(0, 0.4, 0)), 0)
  expect_length(names_with(c(1, 0.6, 0.6)), 0)
  # There may be more names than classes.
  state$named <- diag(3)[class, c(1:3, 1)]
  colnames(state$named) <- c("A", "B", "C", "D")
  expect_identical(carry_names(state)$names[-1], c("2" = "B", "3" = "C"))
})

test_that("what was fitted once is not fitted again, and no change is none", {
  state <- table_state()
  item <- state_items(state)[1]
  dropped <- drop_item(state, item)
  state_fit(dropped)
  n_fits <- length(ls(state$cache))
  state_fit(drop_item(keep_item(dropped, item), item))
  expect_identical(length(ls(state$cache)), n_fits)
  expect_identical(set_k(state, state$k), state)
  expect_identical(keep_item(state, item), state)
})

test_that("a change that cannot be is an error that says what must hold", {
  state <- table_state()
  crowd <- explore_state(stagewise_em(small_crowd()$labels, k = 3))
  gold <- add_gold(crowd, "5", "3")
  two <- explore_state(stagewise_em(~ cyl + vs, k = 1, data = mtcars))
  fit <- stagewise_em(answers(150), k = 2)
  expect_snapshot({
    show_conditions(set_k(state, 0))
    show_conditions(set_k(state, 1000))
    show_conditions(set_k(gold, 2))
    show_conditions(compare_k(gold, 1:3))
    show_conditions(compare_k(explore_state(mdpd(mtcars[c("vs", "am")], k = 1)), 1:2))
    show_conditions(drop_item(state, "nobody"))
    show_conditions(drop_item(crowd, "nobody"))
    show_conditions(drop_item(two, "vs"))
    show_conditions(add_gold(state, "1", "a"))
    show_conditions(add_gold(crowd, "nothing", "1"))
    show_conditions(add_gold(crowd, "5", "9"))
    show_conditions(rename_class(crowd, "1", "One"))
    show_conditions(rename_class(state, "9", "Nine"))
    show_conditions(rename_class(state, "1", "2"))
    show_conditions(rename_class(state, "1", " "))
    show_conditions(explore_state(refine(fit)))
    show_conditions(explore_state(hand_made_truth()))
    show_conditions(explore_state(stagewise_em(answers(150), k = 2, keep_data = FALSE)))
    show_conditions(explore_state(mdpd(answers(150), k = 2, start = fit)))
  })
})

test_that("no more classes are compared than there are rows, and two items are enough", {
  x <- data.frame(a = c(1, 1, 1, 2, 2, 2), b = c(1, 1, 1, 2, 2, 2), c = c(1, 1, 2, 2, 2, 1))
  state <- explore_state(stagewise_em(x, k = 1))
  expect_identical(hush(suppressWarnings(compare_k(state, 8:1)))$ks, 1:6)
  expect_identical(set_dropped(state, "a")$dropped, "a")
  expect_identical(names(state_fit(set_dropped(state, "a"))$item_probs), c("b", "c"))
})

test_that("the prior counts of a crowd are written as they are, all alike or not", {
  crowd <- small_crowd(missing = 0.3)$labels
  for (prior in list(2, diag(3) + 1)) {
    state <- explore_state(mdpd(crowd, k = 3, prior = prior))
    expect_equal(unname(state$settings$prior), prior)
    expect_repeats(state, crowd = crowd)
  }
  # Of a table nothing is written that was not asked for.
  expect_length(settings_of(mdpd(answers(150), k = 2)), 0)
})

test_that("what is written is one value, and lines of code end after 80 letters", {
  expect_true(is_written_out(-5))
  expect_true(is_written_out(quote(-5)))
  expect_false(is_written_out(1:2))
  expect_false(is_written_out(quote(seed)))
  call <- rlang::call2("c", !!!rlang::syms(c(strrep("a", 77), "b", "d")))
  expect_identical(written_call("fit", call),
                   c(paste0("fit <- c(", strrep("a", 77), ", "), "    b, d)"))
})

test_that("the fit that was given is taken until something is changed", {
  is_given <- function(state) identical(first_fit(state)$version, "given")
  given <- function(fit) explore_state(`$<-`(fit, "version", "given"))
  one <- given(stagewise_em(answers(150), k = 2))
  expect_identical(state_code(one), "fit <- stagewise_em(answers(150), k = 2)")
  expect_true(is_given(one))
  expect_false(is_given(set_k(one, 1)))
  expect_false(is_given(drop_item(one, "item_1")))
  path <- given(suppressMessages(stagewise_em(answers(150), k = 1:3)))
  expect_true(is_given(path))
  expect_false(is_given(suppressMessages(compare_k(path, 1:2))))
  crowd <- given(mdpd(small_crowd(missing = 0.3)$labels, k = 3, known = c("5" = "3")))
  expect_true(is_given(crowd))
  expect_false(is_given(add_gold(crowd, "7", "1")))
  expect_false(is_given(add_gold(crowd, "5", NA)))
})

test_that("an item and its label are one string each, and keep the label of a worker", {
  triples <- as.data.frame(small_crowd(missing = 0.3)$labels)
  crowd <- crowd_labels(triples[triples$item != "1" | triples$worker == "2", ])
  state <- explore_state(mdpd(crowd, k = 3))
  expect_error(add_gold(state, 5, "1"), "must be an item", class = "mdpd_error_argument")
  expect_error(add_gold(state, "5", c("1", "2")), "must be one of", class = "mdpd_error_argument")
  gold <- add_gold(state, "1", "1")
  expect_error(set_dropped(gold, "2"), "Item \"1\", whose label is known, would have no label",
               class = "mdpd_error_argument")
  expect_identical(set_dropped(state, "2")$dropped, "2")
  expect_identical(set_dropped(gold, "3")$known, c("1" = "1"))
  expect_error(explore_state(1), "must be of class <mdpd>", class = "mdpd_error_argument")
})

test_that("the classes of a crowd are as many as the labels left, unless they were not", {
  triples <- as.data.frame(small_crowd(missing = 0.3)$labels)
  # One worker alone has a label of its own.
  triples$label <- as.character(triples$label)
  triples$label[which(triples$worker == "2")[1:9]] <- "odd"
  crowd <- crowd_labels(triples)
  state <- explore_state(suppressWarnings(mdpd(crowd, k = 4)))
  expect_identical(set_dropped(state, "2")$k, 3L)
  expect_identical(set_dropped(state, "3")$k, 4L)
  other <- explore_state(suppressWarnings(mdpd(crowd, k = 2)))
  expect_identical(set_dropped(other, "2")$k, 2L)
})
