# A picture must be measured on some device; a file nobody keeps.
local_pdf <- function(envir = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".pdf", .local_envir = envir)
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off(), envir = envir)
}

# A picture as it was when it was looked at. Other versions of ggplot2 draw other details: pictures
# are compared under the one they were made with, Debian 12's.
expect_picture <- function(title, picture) {
  testthat::skip_if_not_installed("vdiffr", "1.0.0")
  version <- utils::packageVersion("ggplot2")
  testthat::skip_if(version < "3.4" || version >= "3.5", "the pictures are of ggplot2 3.4")
  vdiffr::expect_doppelganger(title, picture)
}
