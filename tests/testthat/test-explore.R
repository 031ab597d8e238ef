# The server of the page, without a browser.
served <- function(state, code) {
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  shiny::testServer(
    function(input, output, session) explore_server(state, input, output, session),
    {{ code }}
  )
}

test_that("inputs change the fit and the code that is shown", {
  skip_on_cran()
  table <- with_gaps(answers(150))
  state <- explore_state(suppressMessages(stagewise_em(table, k = 1:3)))
  served(state, {
    session$setInputs(k = state$k, dropped = character())
    expect_match(output$code, "library(mdpd)\nfit <- stagewise_em(table, k = 1:3)",
                 fixed = TRUE)
    expect_match(output$summary$html, "<dd>2</dd>", fixed = TRUE)
    session$setInputs(k = 3)
    expect_match(output$code, "choose_k(fit, 3)", fixed = TRUE)
    session$setInputs(dropped = names(table)[1])
    expect_match(output$code, "stagewise_em(kept, k = 3)", fixed = TRUE)
    expect_match(output$summary$html, " of 7</dd>", fixed = TRUE)
    session$setInputs(class = "1", name = "Careful", rename = 1)
    expect_match(output$code, "name_components(fit, c(`1` = \"Careful\"))", fixed = TRUE)
    expect_error(output$path, "No path")
    session$setInputs(compare = 1)
    expect_match(output$code, "stagewise_em(kept, k = 1:6)", fixed = TRUE)
    session$setInputs(dropped = NULL)
    expect_match(output$summary$html, " of 8</dd>", fixed = TRUE)
  })
})

test_that("a change that cannot be leaves the fit as it was", {
  state <- explore_state(stagewise_em(answers(150), k = 2))
  served(state, {
    session$setInputs(k = 2, dropped = character())
    before <- output$code
    session$setInputs(class = "1", name = "2", rename = 1)
    expect_identical(output$code, before)
    session$setInputs(dropped = state_items(state)[1:7])
    expect_identical(output$code, before)
  })
})

test_that("known labels of a crowd are added and taken back", {
  skip_on_cran()
  crowd <- small_crowd(missing = 0.3)$labels
  state <- explore_state(stagewise_em(crowd, k = 3))
  served(state, {
    session$setInputs(k = 3, dropped = character(), gold = NULL)
    before <- output$code
    session$setInputs(gold_item = "5", gold_label = "3", gold_add = 1)
    expect_match(output$code, "known = c(`5` = \"3\")", fixed = TRUE)
    session$setInputs(gold = "5")
    session$setInputs(gold = NULL)
    expect_identical(output$code, before)
    session$setInputs(dropped = "2")
    expect_match(output$code, "!worker %in% \"2\"", fixed = TRUE)
  })
})

test_that("the page has every control with its label, and a tab for each view", {
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  table <- as.character(explore_page(explore_state(stagewise_em(answers(150), k = 2))))
  crowd <- as.character(explore_page(explore_state(mdpd(small_crowd()$labels, k = 3))))
  for (page in c(table, crowd)) {
    for (id in c("k", "dropped", "done", "profiles", "items", "posterior", "code")) {
      expect_match(page, paste0("id=\"", id, "\""), fixed = TRUE)
    }
  }
  expect_match(table, "id=\"rename\"", fixed = TRUE)
  expect_match(table, "id=\"path\"", fixed = TRUE)
  expect_match(crowd, "id=\"gold_add\"", fixed = TRUE)
  # mdpd() has no path.
  expect_no_match(crowd, "id=\"path\"|id=\"compare\"")
})

test_that("data are fitted and named as they were given", {
  table <- answers(150)
  fit <- suppressMessages(fit_to_explore(table, 1:2, quote(my$table)))
  expect_identical(fit$path$k, 1:2)
  expect_identical(state_code(explore_state(fit))[1], "fit <- stagewise_em(my$table, k = 1:2)")
  expect_identical(fit_to_explore(fit, 1:6, quote(fit)), fit)
  expect_snapshot({
    show_conditions(explore(table, k = 0))
    show_conditions(explore(table, 2))
    show_conditions(explore(fit, open = "yes"))
    show_conditions(explore(fit, port = 80))
    show_conditions(explore(refine(fit)))
  })
})

test_that("pictures of the page speak of classes, as the page does", {
  fit <- suppressMessages(stagewise_em(answers(150), k = 1:3))
  for (type in c("profiles", "path", "posterior")) {
    titles <- unlist(in_classes(autoplot(fit, type))$labels[c("title", "subtitle", "x", "y")])
    expect_false(any(grepl("omponent", titles)), info = type)
  }
  expect_identical(in_classes(autoplot(fit))$labels$x, "Class (share of the rows)")
  expect_identical(in_classes(autoplot(fit, "path"))$labels$title, "How many classes")
})
