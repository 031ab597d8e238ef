# Pages in headless Chromium, by chromote. Tests of them are of level 2: they take some seconds each
# and need what a plain machine lacks.

skip_without_browser <- function() {
  skip_below_level_2()
  for (package in c("chromote", "callr")) testthat::skip_if_not_installed(package)
  if (!nzchar(Sys.getenv("CHROMOTE_CHROME")) && nzchar(Sys.which("chromium"))) {
    Sys.setenv(CHROMOTE_CHROME = Sys.which("chromium"))
  }
  testthat::skip_if(is.null(chromote::find_chrome()), "no Chromium")
}

# A page of that width, with what its console complained of in `problems()`.
open_page <- function(url, width = 1200, height = 900, env = parent.frame()) {
  # Root has no sandbox.
  chromote::set_chrome_args(c("--headless", "--disable-gpu", "--no-sandbox"))
  page <- chromote::ChromoteSession$new(width = width, height = height)
  withr::defer(page$close(), envir = env)
  problems <- character()
  page$Runtime$enable()
  page$Log$enable()
  page$Runtime$exceptionThrown(callback_ = function(event) {
    problems <<- c(problems, event$exceptionDetails$exception$description)
  })
  page$Log$entryAdded(callback_ = function(event) {
    problems <<- c(problems, paste(event$entry$text, event$entry$url))
  })
  page$Emulation$setDeviceMetricsOverride(
    width = width, height = height, deviceScaleFactor = 1, mobile = width < 500
  )
  loaded <- page$Page$loadEventFired(wait_ = FALSE)
  page$Page$navigate(url, wait_ = FALSE)
  page$wait_for(loaded)
  list(page = page, problems = function() problems)
}

script <- function(browser, code) browser$page$Runtime$evaluate(code)$result$value

# A click with the mouse at the middle of an element, or at a share of its width.
click <- function(browser, selector, share = 0.5) {
  at <- script(browser, sprintf(
    "(function() {
      var e = document.querySelector('%s');
      e.scrollIntoView({block: 'center', behavior: 'instant'});
      var r = e.getBoundingClientRect();
      return [r.left + %f * r.width, r.top + r.height / 2].join();
    })()", selector, share
  ))
  at <- as.numeric(strsplit(at, ",")[[1]])
  mouse <- function(type, button = "left") {
    browser$page$Input$dispatchMouseEvent(type = type, x = at[1], y = at[2], button = button,
                                          clickCount = 1)
  }
  mouse("mouseMoved", "none")
  mouse("mousePressed")
  mouse("mouseReleased")
}

# Until a script is true, or an error after some seconds: the machine may be busy.
wait_until <- function(browser, code, seconds = 20) {
  end <- Sys.time() + seconds
  while (!isTRUE(script(browser, code))) {
    if (Sys.time() > end) stop("Not true after ", seconds, " seconds: ", code, call. = FALSE)
    Sys.sleep(0.1)
  }
  TRUE
}
