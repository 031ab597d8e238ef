test_that("a report opens without a complaint, narrow and wide, and answers to the mouse", {
  skip_without_browser()
  for (package in c("htmltools", "DT", "gridSVG")) skip_if_not_installed(package)
  file <- withr::local_tempfile(fileext = ".html")
  fit <- suppressMessages(stagewise_em(with_gaps(answers(150)), k = 1:3))
  report(fit, file)
  expect_lt(file.size(file), 1e6)
  for (width in c(400, 1400)) {
    browser <- open_page(paste0("file://", file), width)
    # Nothing is wider than the screen but what scrolls in itself.
    expect_true(script(browser, "document.documentElement.scrollWidth <= window.innerWidth"))
    expect_identical(browser$problems(), character())
  }
  # A click on a head sorts, another one the other way round.
  first <- "document.querySelector('#items tbody td.number').textContent"
  before <- script(browser, first)
  click(browser, "#items th.number")
  smallest <- script(browser, first)
  click(browser, "#items th.number")
  expect_identical(script(browser, first), before)
  expect_lt(as.numeric(smallest), as.numeric(before))
  # A mark says what it is.
  click(browser, "#profiles svg rect[data-tip]")
  expect_match(script(browser, "document.querySelector('.tip').textContent"), "Class 1: ")
  expect_false(script(browser, "document.querySelector('.tip').hidden"))
})

# The page of explore() in a session of its own; `fit()` is what it returned.
open_explorer <- function(fit, width = 1200, env = parent.frame()) {
  port <- 7000 + Sys.getpid() %% 900
  session <- callr::r_bg(
    function(fit, port) mdpd::explore(fit, open = FALSE, port = port), list(fit, port)
  )
  withr::defer(session$kill(), envir = env)
  url <- paste0("http://127.0.0.1:", port)
  for (i in 1:200) {
    there <- tryCatch({
      suppressWarnings(close(url(url, open = "rb")))
      TRUE
    }, error = function(cnd) FALSE)
    if (there) break
    Sys.sleep(0.1)
  }
  browser <- open_page(url, width, env = env)
  wait_until(browser, "/Classes/.test(document.getElementById('summary').innerText)")
  c(browser, list(fit = function() {
    session$wait(20000)
    session$get_result()
  }))
}

# Debian's shiny lacks a script for sliders of dates.
own_problems <- function(app) grep("strftime", app$problems(), invert = TRUE, value = TRUE)

# A figure of the page's head.
figure_is <- function(name, value) {
  sprintf("/%s\\n%s(\\n|$)/.test(document.getElementById('summary').innerText)", name, value)
}

test_that("a table is explored by clicks, and the code returned makes the fit", {
  skip_without_browser()
  for (package in c("shiny", "bslib")) skip_if_not_installed(package)
  table <- with_gaps(answers(150))
  app <- open_explorer(suppressMessages(stagewise_em(table, k = 1:3)))
  expect_true(wait_until(app, figure_is("Classes", 2)))
  # The slider goes from 1 to 8: at 2/7 of its line is 3.
  click(app, ".irs-line", 2 / 7)
  expect_true(wait_until(app, figure_is("Classes", 3)))
  click(app, ".selectize-input")
  wait_until(app, "document.querySelectorAll('.selectize-dropdown-content .option').length > 0")
  click(app, ".selectize-dropdown-content .option")
  expect_true(wait_until(app, figure_is("Informative", "\\d of 7")))
  click(app, "h1")  # the list of items would cover what is below it
  click(app, "#name")
  app$page$Input$insertText(text = "Careful")
  wait_until(app, "Shiny.shinyapp.$inputValues.name == 'Careful'")
  click(app, "#rename")
  expect_true(wait_until(app, "/Careful/.test(document.getElementById('class').innerText)"))
  for (tab in c("Items", "Certainty", "Number of classes", "R code")) {
    click(app, sprintf("a[data-value=\"%s\"]", tab))
  }
  expect_true(wait_until(app, "/name_components/.test(document.getElementById('code').innerText)"))
  code <- script(app, "document.getElementById('code').innerText")
  expect_identical(own_problems(app), character())
  click(app, "#done")
  fit <- app$fit()
  expect_identical(trimws(code), paste(c("library(mdpd)", fit$explored), collapse = "\n"))
  data <- list2env(list(table = table), parent = asNamespace("mdpd"))
  eval(parse(text = fit$explored), data)
  expect_identical(data$fit$posterior, fit$posterior)
  expect_identical(fit$k, 3L)
  expect_true("Careful" %in% names(fit$mixing_weights))
})

test_that("a crowd is explored by clicks on a narrow screen", {
  skip_without_browser()
  for (package in c("shiny", "bslib")) skip_if_not_installed(package)
  crowd <- small_crowd(missing = 0.3)$labels
  app <- open_explorer(stagewise_em(crowd, k = 3), width = 400)
  expect_true(script(app, "document.documentElement.scrollWidth <= window.innerWidth"))
  wait_until(app, "document.getElementById('gold_item').value == '1'")
  script(app, "$('#gold_label').val('2').trigger('change')")
  wait_until(app, "Shiny.shinyapp.$inputValues.gold_label == '2'")
  click(app, "#gold_add")
  expect_true(wait_until(app, "/1: 2/.test($('#gold').closest('.form-group').text())"))
  expect_identical(own_problems(app), character())
  click(app, "#done")
  fit <- app$fit()
  expect_identical(as.character(predict(fit)["1"]), "2")
  expect_match(paste(fit$explored, collapse = ""), "known = c(`1` = \"2\")", fixed = TRUE)
})
