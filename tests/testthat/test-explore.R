# The server of the page, without a browser.
served <- function(state, code) {
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  shiny::testServer(
    function(input, output, session) explore_server(state, input, output, session),
    {{ code }}
  )
}

# Until the end of a test pictures are empty, or not there: they take most of a second each, at
# every change, and empty ones some tenths.
local_empty_pictures <- function(env = parent.frame()) {
  local_in_package(list(autoplot.mdpd = function(...) ggplot2::ggplot()), env)
}
local_no_pictures <- function(env = parent.frame()) {
  local_in_package(list(autoplot.mdpd = function(...) shiny::req(FALSE)), env)
}

test_that("inputs change the fit and the code that is shown", {
  skip_on_cran()
  local_no_pictures()
  table <- with_gaps(answers(150))
  state <- explore_state(suppressMessages(stagewise_em(table, k = 1:3)))
  served(state, {
    session$setInputs(k = state$k, dropped = character())
    expect_match(output$summary$html, "last change</dt>\n +<dd>0.00</dd>")
    expect_match(output$code, "library(mdpd)\nfit <- stagewise_em(table, k = 1:3)",
                 fixed = TRUE)
    expect_match(output$summary$html, "<dd>2</dd>", fixed = TRUE)
    began <- proc.time()[["elapsed"]]
    session$setInputs(k = 3)
    expect_match(output$code, "choose_k(fit, 3)", fixed = TRUE)
    seconds <- sub("^.*last change</dt>\\s*<dd>([0-9.]+)</dd>.*$", "\\1", output$summary$html)
    expect_lte(as.numeric(seconds), proc.time()[["elapsed"]] - began + 0.01)
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

# Of what is written in base 64; `n` is a multiple of 3.
first_bytes <- function(text, n) {
  digits <- strsplit(substr(text, 1, n / 3 * 4), "")[[1]]
  values <- match(digits, c(LETTERS, letters, 0:9, "+", "/")) - 1
  bits <- vapply(values, function(value) rev(as.integer(intToBits(value))[1:6]), 1:6)
  as.raw(colSums(matrix(bits, 8) * 2^(7:0)))
}

test_that("pictures have a text and the resolution their height is reckoned in", {
  served(explore_state(suppressMessages(stagewise_em(answers(150), k = 1:2))), {
    session$setInputs(k = 2, dropped = character())
    expect_identical(output$posterior$alt, "How sure the class of each row is.")
    expect_equal(output$posterior$height, 420)
    expect_identical(output$path$alt, "How far each k is behind the best.")
    # A file of PNG has it in pixels a metre.
    png <- first_bytes(sub("^.*,", "", output$posterior$src), 90)
    at <- grepRaw("pHYs", png, fixed = TRUE) + 4:7
    expect_equal(readBin(png[at], "integer", endian = "big"), 84 / 0.0254, tolerance = 1e-3)
  })
})

test_that("a change that cannot be leaves the fit as it was", {
  local_no_pictures()
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

test_that("the items of a crowd, and of nothing else, are offered to be known", {
  local_no_pictures()
  skip_if_not_installed("shiny")
  asked <- function(state) {
    told <- list()
    shiny::testServer(function(input, output, session) {
      unlockBinding("sendInputMessage", session)
      session$sendInputMessage <- function(id, message) told[[id]] <<- message
      explore_server(state, input, output, session)
    }, session$flushReact())
    told
  }
  crowd <- asked(explore_state(stagewise_em(small_crowd(missing = 0.3)$labels, k = 3)))
  expect_true("gold_item" %in% names(crowd))
  # Found by what is typed, and not all sent: a crowd may have many items.
  expect_null(crowd$gold_item$options)
  table <- asked(explore_state(stagewise_em(answers(150), k = 2)))
  expect_false("gold_item" %in% names(table))
  # What the state has is in the lists from the beginning.
  expect_match(table$class$options, "value=\"1\".*value=\"2\"")
  known <- mdpd(small_crowd(missing = 0.3)$labels, k = 3, known = c("5" = "3"))
  expect_match(asked(explore_state(known))$gold$options, "5: 3", fixed = TRUE)
})

test_that("what the engine says while a fit is made is told as a note", {
  skip_if_not_installed("shiny")
  state <- explore_state(stagewise_em(answers(150), k = 2))
  local_in_package(list(state_fit = function(state) {
    warning("a doubt")
    message("a word")
  }))
  told <- list()
  session <- list(sendNotification = function(type, message) told <<- c(told, list(message)))
  expect_silent(expect_identical(telling_notes(state, session), state))
  expect_match(vapply(told, function(note) as.character(note$html), ""), "a doubt|a word")
  expect_length(told, 2)
})

test_that("known labels of a crowd are added and taken back", {
  skip_on_cran()
  local_no_pictures()
  crowd <- small_crowd(missing = 0.3)$labels
  state <- explore_state(stagewise_em(crowd, k = 3))
  served(state, {
    session$setInputs(k = 3, dropped = character(), gold = NULL)
    before <- output$code
    session$setInputs(gold_item = "5", gold_label = "3", gold_add = 1)
    expect_match(output$code, "known = c(`5` = \"3\")", fixed = TRUE)
    told <- output$summary
    session$setInputs(gold = "5")
    expect_identical(output$summary, told)
    session$setInputs(gold = NULL)
    expect_identical(output$code, before)
    session$setInputs(dropped = "2")
    expect_match(output$code, "!worker %in% \"2\"", fixed = TRUE)
  })
})

test_that("the page has every control with its label beside a tab for each view", {
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
  # The slider has its numbers, without small lines between them.
  expect_match(table, "id=\"k\"[^>]*data-grid=\"false\"")
  expect_match(crowd, "id=\"gold_add\"", fixed = TRUE)
  # mdpd() has no path.
  expect_no_match(crowd, "id=\"path\"|id=\"compare\"")
  found <- function(pattern, page) regmatches(page, gregexpr(pattern, page))[[1]]
  expect_identical(found("col-sm-[0-9]+", table), c("col-sm-3", "col-sm-9"))
  expect_identical(found("data-(min|max|step)=\"[0-9]+\"", table),
                   paste0("data-", c("min", "max", "step"), "=\"", c(1, 8, 1), "\""))
  # Which of them are lists to search in, and take several.
  expect_identical(found("data-for=\"[a-z_]+\"", table), "data-for=\"dropped\"")
  expect_identical(found("data-for=\"[a-z_]+\"", crowd),
                   paste0("data-for=\"", c("dropped", "gold_item", "gold"), "\""))
  take_several <- function(page) {
    lists <- grep(" multiple=", found("<select[^>]*>", page), value = TRUE)
    sub(".* id=\"([a-z_]+)\".*", "\\1", lists)
  }
  expect_identical(take_several(table), "dropped")
  expect_identical(take_several(crowd), c("dropped", "gold"))
})

test_that("labels that the fit knows stay, until they are taken back", {
  local_no_pictures()
  state <- explore_state(mdpd(small_crowd(missing = 0.3)$labels, k = 3, known = c("5" = "3")))
  served(state, {
    session$setInputs(k = 3)
    expect_match(output$code, "known = c(`5` = \"3\")", fixed = TRUE)
    session$setInputs(gold = "5")
    session$setInputs(gold = "7")
    expect_no_match(output$code, "known", fixed = TRUE)
    # The list still shows one that is not known.
    session$setInputs(dropped = "2")
    expect_match(output$code, "mdpd(kept, k = 3", fixed = TRUE)
  })
})

test_that("the slider of classes ends at eight, the most that was compared, or the rows", {
  most <- function(n_rows, ks, k) most_classes(list(x = matrix(1, n_rows, 2), ks = ks, k = k))
  expect_identical(c(most(100, NULL, 3), most(100, 1:12, 3), most(100, NULL, 20), most(5, 1:6, 2)),
                   c(8, 12, 20, 5))
})

test_that("the app shows the items and the main numbers of the fit", {
  local_empty_pictures()
  skip_if_not_installed("shiny")
  skip_if_not_installed("bslib")
  fit <- stagewise_em(answers(150), k = 2)
  shiny::testServer(explore_app(explore_state(fit)), {
    session$setInputs(k = 2, dropped = character())
    expect_match(output$code, "stagewise_em(answers(150), k = 2)", fixed = TRUE)
    numbers <- regmatches(output$items, gregexpr(">\\s*-?[0-9]+[.][0-9]+\\s*<", output$items))[[1]]
    expect_length(numbers, 2 * 8)
    expect_match(numbers, "[.][0-9]{2}\\s*<$")
    expect_equal(output$profiles$height, tall_height(fit))
    expect_equal(output$posterior$height, 420)
  })
  facts <- function(fit) as.character(explore_summary(fit, 1.234))
  expect_match(facts(fit), "Expected error</dt>\\s*<dd>[0-9]+[.][0-9] %</dd>")
  expect_match(facts(fit), "last change</dt>\\s*<dd>1.23</dd>")
  expect_no_match(facts(stagewise_em(answers(150), k = 1)), "Expected error")
})

test_that("two hundred items are shown, and one to six classes compared unless asked otherwise", {
  items <- item_view(hand_made_fit(n_items = 201))
  expect_identical(nrow(items), 200L)
  expect_named(items, c("item", "informative", "evidence", "information"))
  expect_identical(eval(formals(explore)$k), 1:6)
  expect_error(explore(), "`object` must be given", class = "mdpd_error_argument")
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

test_that("the picture of profiles grows with the items, up to twenty", {
  heights <- vapply(c(1:3, 10, 11, 20, 25), function(n) {
    tall_height(hand_made_fit(n_items = 30, n_informative = n))
  }, 0)
  # A few have the height of the report's picture, 3.2 inches of 84 pixels.
  expect_equal(heights[1:3], rep(84 * 3.2, 3))
  expect_equal(heights[5] - heights[4], 24)
  expect_equal(heights[6:7], rep(heights[4] + 240, 2))
  expect_equal(heights[6], 650)
  # Many levels need more.
  many <- hand_made_fit(20, k = 3, n_levels = c(2, 5), n_informative = 20)
  expect_gt(tall_height(many), 900)
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
