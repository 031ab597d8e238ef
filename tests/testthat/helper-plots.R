# A picture must be measured on some device; a file nobody keeps.
local_pdf <- function(envir = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".pdf", .local_envir = envir)
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off(), envir = envir)
}
