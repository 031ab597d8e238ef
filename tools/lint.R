# Lints all R code with the settings in .lintr.
files <- dir(c("R", "tests", "tools", "data-raw", "bench"), "[.]R$",
  full.names = TRUE, recursive = TRUE
)
lints <- unlist(lapply(setdiff(files, "R/RcppExports.R"), lintr::lint), recursive = FALSE)
for (lint in lints) {
  print(lint)
}
quit(status = length(lints) > 0)
