# The fits of version 0.1.0 that test-older_version.R reads: run once, from the root of a clone at
# commit 5c4fb4a (the last of that version) with its package in .lib, and the path of this folder:
#
#   R_LIBS=.lib Rscript .../fits-0.1.0/make.R .../fits-0.1.0

library(mdpd)
folder <- commandArgs(trailingOnly = TRUE)
table <- data.frame(
  a = factor(rep(c("x", "y"), each = 20)), b = rep(c(TRUE, FALSE), each = 20),
  c = rep(c(1, 2, 3, 2), 10), d = c(NA, rep(c("u", "u", "v"), 13))
)
crowd <- simulate_crowd(30, 5, 3, accuracy = c(0.9, 0.8, 0.8), missing = 0.2, seed = 1)$labels
known <- c("1" = crowd$labels[1])
fits <- list(
  table = stagewise_em(table, 2), missing_level = stagewise_em(table, 2, missing = "level"),
  em = mdpd(table, 2, weights = rep(1:2, 20)), path = stagewise_em(table, 1:2),
  crowd = mdpd(crowd, 3), stagewise_crowd = stagewise_em(crowd, 3),
  known = mdpd(crowd, 3, known = known), without_data = mdpd(table, 2, keep_data = FALSE)
)
for (name in names(fits)) {
  saveRDS(fits[[name]], file.path(folder, paste0(name, ".rds")), version = 2)
}
