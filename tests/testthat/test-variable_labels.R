# Variable labels in what is made of a fit.

# Items that are sentences, as a survey file has them.
labelled_rows <- function() {
  x <- sharp_rows(300)
  names <- names(x)
  for (name in names) {
    attr(x[[name]], "label") <- paste("How content are you with what is described in", name)
  }
  x
}

test_that("what a column is about is its attribute `label`, a string, without blanks too many", {
  x <- data.frame(a = structure(1:2, label = " Two\n words "), b = structure(1:2, labels = "no"),
                  c = structure(1:2, label = c("p", "q")), d = structure(1:2, label = " "))
  expect_identical(variable_labels(x), c(a = "Two words"))
  expect_null(variable_labels(x[2:4]))
  expect_null(variable_labels(as.matrix(x)))
})

test_that("titles are labels, told apart by names where two items have the same", {
  labels <- c(a = "Age", b = "Pay", c = "Pay")
  expect_identical(item_titles(c("a", "b", "c", "d"), labels),
                   c(a = "Age", b = "b: Pay", c = "c: Pay", d = "d"))
  # An item that is called as another is labelled keeps its name.
  expect_identical(item_titles(c("a", "Age"), c(a = "Age")), c(a = "a: Age", Age = "Age"))
  expect_identical(item_titles(c("a", "b"), NULL), c(a = "a", b = "b"))
  x <- cbind(b = 1, z = 2)
  model <- list(item_probs = list(a = 1, b = 1), variable_labels = c(b = "Pay"))
  expect_identical(show_column_labels(x, model), cbind(Pay = 1, z = 2))
  expect_identical(show_column_labels(x, model["item_probs"]), x)
})

test_that("terms of a regression have the labels of their covariates and the levels of factors", {
  regression <- list(
    xlevels = list(sex = c("f", "m"), place = c("in", "out")),
    variable_labels = c(age = "Age in years", sex = "Sex"),
    covariates = list(age = 1:2, sex = factor(c("f", "m")), place = c("in", "out"))
  )
  expect_identical(
    term_titles(regression, c("(Intercept)", "age", "sexm", "placeout", "age:sexm", "x:y")),
    c("(Intercept)", "Age in years", "Sex: m", "place: out", "Age in years x Sex: m", "x:y")
  )
})

test_that("items that are sentences have lines of their own in a print", {
  rlang::local_options(cli.width = 80)
  fit <- stagewise_em(labelled_rows(), k = 2)
  lines <- utils::capture.output(print(fit))
  begins <- grep("^  [12] ", lines)
  expect_match(lines[begins[1] + 1], "^    How content are you .* = .* %\\)$")
  expect_lte(max(nchar(lines)), 80)
  # Short ones go on in the line of the component.
  short <- stagewise_em(sharp_rows(300), k = 2)
  expect_match(utils::capture.output(print(short)), "^  1 .* = ", all = FALSE)
})

test_that("a sentence and its answer fill a line, two of each component and of many one", {
  rlang::local_options(cli.width = 80)
  lines_of <- function(n_letters, k = 2, levels = NULL) {
    fit <- hand_made_fit(k = k, n_levels = 3, level_names = levels)
    titles <- paste0(letters[1:6], strrep("x", n_letters - 1))
    fit$variable_labels <- stats::setNames(titles, names(fit$item_probs))
    lines <- utils::capture.output(print(fit))
    lines[seq(grep("^Components", lines) + 1, grep("^Informative", lines) - 2)]
  }
  expect_match(lines_of(28), "^  [12] .* = ")
  expect_match(lines_of(29), "^  [12] +[0-9.]+ %$|^    [a-d]x{28} = [abc] \\([0-9]+ %\\)$")
  expect_length(lines_of(29, k = 8), 8 * 3)
  expect_length(lines_of(29, k = 9), 9 * 2)
  full <- grep(" = ", lines_of(60, levels = paste("level", 1:3, strrep("y", 30))), value = TRUE)
  expect_identical(nchar(full), rep(80L, 4))
  expect_match(full, "^    [a-d]x{38}[.]{3} = level [12] y{13}[.]{3} ")
})

test_that("covariates and outcomes are drawn under their labels", {
  x <- sharp_rows(300)
  fit <- stagewise_em(x, k = 2)
  data <- data.frame(age = seq(20, 80, length.out = 300), pay = rep(1:3, 100))
  attr(data$age, "label") <- "Age in years"
  attr(data$pay, "label") <- "Monthly pay"
  regression <- class_regression(fit, ~ age + pay, data)
  expect_identical(regression$variable_labels, c(age = "Age in years", pay = "Monthly pay"))
  expect_identical(rownames(coef(regression)), c("(Intercept)", "age", "pay"))
  picture <- autoplot(regression, type = "shares")
  expect_identical(picture$labels$x, "Age in years")
  outcome <- distal_outcome(fit, pay, data = data)
  expect_identical(outcome$outcome, "pay")
  expect_identical(autoplot(outcome)$labels$x, "Mean of Monthly pay")
  expect_output(print(outcome), "mean of pay (Monthly pay)", fixed = TRUE)
  expect_null(distal_outcome(fit, rep(1:3, 100))$label)
})

test_that("a page to explore names items and says what they are about", {
  state <- explore_state(stagewise_em(labelled_rows(), k = 2))
  items <- state_items(state)
  expect_identical(unname(item_choices(state)), items)
  expect_match(names(item_choices(state)), "^item_[0-9]+: How content")
  # Also of a fit that the page makes.
  for (changed in list(state, set_dropped(state, "item_3"), set_k(state, 3))) {
    expect_match(item_view(state_fit(changed))$label, "How content")
  }
  plain <- explore_state(stagewise_em(sharp_rows(300), k = 2))
  expect_null(names(item_choices(plain)))
  expect_null(item_view(state_fit(plain))$label)
})

test_that("pairs and groups are shown under the labels of items, and keep their names", {
  x <- sharp_rows(300)
  attr(x$item_2, "label") <- "Content?"
  fit <- stagewise_em(x, k = 2)
  pairs <- pair_residuals(fit)
  expect_output(print(pairs), "Content?", fixed = TRUE)
  expect_true("item_2" %in% c(tidy(pairs)$item_1, tidy(pairs)$item_2))
  expect_true("Content?" %in% levels(autoplot(pairs)$data$first))
  expect_s3_class(ggplot2::ggplotGrob(autoplot(pairs, type = "bars")), "gtable")

  groups <- compare_groups(fit, rep(c("a", "b", "c"), 100), free = "item_2")
  expect_output(print(groups), "Content? (free)", fixed = TRUE)
  expect_true("item_2" %in% tidy(groups, "items")$variable)
  expect_true("Content?" %in% levels(autoplot(groups, type = "items")$data$item))
  expect_identical(levels(autoplot(groups, type = "item_probs")$data$variable), "Content?")
})

test_that("items that are sentences stand in the print of groups by name, and below it by label", {
  rlang::local_options(cli.width = 80)
  groups <- compare_groups(stagewise_em(labelled_rows(), k = 2), rep(c("a", "b"), 150),
                           free = "item_2")
  lines <- utils::capture.output(print(groups))
  sentence <- "How content are you with what is described in item_2"
  expect_match(lines, paste0("^Free items ", sentence, "$"), all = FALSE)
  expect_match(lines, "^  item_2 \\(free\\) ", all = FALSE)
  expect_match(lines, paste0("^  item_2 +", sentence, "$"), all = FALSE)
  expect_lte(max(nchar(lines)), 80)
  expect_equal(sum(grepl("p (Holm)", lines, fixed = TRUE)), 1)  # one block
})
