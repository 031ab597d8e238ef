# What R prints that runs `lines` in a process of its own, within the limits of the shell's ulimit.
output_within <- function(limits, lines, ...) {
  script <- withr::local_tempfile(lines = lines)
  rscript <- file.path(R.home("bin"), "Rscript")
  command <- paste0(limits, "exec ", shQuote(rscript), " ", shQuote(script))
  system2("sh", c("-c", shQuote(command)), stdout = TRUE,
          env = paste0("R_LIBS=", paste(.libPaths(), collapse = ":")), ...)
}
