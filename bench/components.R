# How often `k = 1:6` finds the true number of components: 40 simulated data sets, K = 1 to 5, R = 2
# to 4 levels, sparse and dense, balanced and 4:1 mixing weights.
#
#   Rscript bench/components.R       writes bench/results/components.md

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "lib", "common.R"))

# Informative items lean towards a level that depends on the component; the others do not.
draw_model <- function(k, n_levels, n_informative, n_items, unbalanced) {
  weights <- if (unbalanced) seq(4, 1, length.out = k) else rep(1, k)
  probs <- lapply(seq_len(n_items), function(i) {
    common <- stats::rexp(n_levels) + 0.3
    out <- matrix(common, n_levels, k)
    if (i <= n_informative) out <- out + 4 * vapply(seq_len(k), function(component) {
      replace(numeric(n_levels), sample.int(n_levels, 1), 1)
    }, numeric(n_levels))
    out <- sweep(out, 2, colSums(out), "/")
    dimnames(out) <- list(seq_len(n_levels), seq_len(k))
    out
  })
  names(probs) <- paste0("item_", seq_len(n_items))
  structure(
    list(k = k, mixing_weights = stats::setNames(weights / sum(weights), seq_len(k)),
         item_probs = probs, informative = names(probs)[seq_len(n_informative)]),
    class = "mdpd"
  )
}

cases <- expand.grid(k = 1:5, sparse = c(TRUE, FALSE), unbalanced = c(FALSE, TRUE), draw = 1:2)
cases$n_levels <- 2 + (seq_len(nrow(cases)) + cases$k) %% 3
cases$found <- vapply(seq_len(nrow(cases)), function(row) {
  case <- cases[row, ]
  set.seed(row)
  model <- draw_model(case$k, case$n_levels, n_informative = 15,
                      n_items = if (case$sparse) 60 else 15, unbalanced = case$unbalanced)
  x <- simulate(model, seed = row, n_obs = 1000)[[1]]
  suppressWarnings(stagewise_em(x, k = 1:6, verbose = FALSE))$k
}, 0L)

right <- cases$found == cases$k
table <- do.call(rbind, lapply(1:5, function(k) {
  found <- cases$found[cases$k == k]
  data.frame(true_k = k, sets = length(found), found = paste(sort(found), collapse = " "))
}))
names(table) <- c("true K", "data sets", "found")
write_report("components", c(
  "# The number of components",
  "",
  prose(
    "Made by `Rscript bench/components.R`: 1000 rows, 15 informative items of 15 (dense) or of 60",
    "(sparse)."
  ),
  "",
  sprintf("`k = 1:6` finds the true number in %d of %d data sets.", sum(right), nrow(cases)),
  "",
  table_lines(table, right = names(table)[1:2])
))
print(cases[!right, ])
