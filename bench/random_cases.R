# The default call where nothing was chosen: crowds and tables of which everything is drawn at
# random, beside the vote, the model of Dawid and Skene, ordinary EM and BIC.
#
#   Rscript bench/random_cases.R [N]     N of each, by default 200, in some ten minutes
#
# Writes random_cases.md in bench/results. In lib/ are the simulators (random_cases.R).
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common", "random_cases")) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

n_cases <- as.integer(c(commandArgs(trailingOnly = TRUE), 200)[1])

# Items, or rows, that the true model itself gets wrong more often than this tell too little.
most_wrong <- 0.35

quietly <- function(expr) suppressMessages(suppressWarnings(expr))

crowd_row <- function(seed) {
  case <- random_crowd(seed)
  rate <- function(class) error_rate(class[names(case$truth)], factor(case$truth), align = FALSE)
  seconds <- system.time(fit <- quietly(stagewise_em(case$x, case$k)))[["user.self"]]
  em <- quietly(mdpd(case$x, case$k, prior = 0))
  alike <- quietly(mdpd(case$x, case$k))
  data.frame(
    seed, k = case$k, kind = case$kind, n_answers = case$n_answers, n_components = fit$k,
    stagewise_em = rate(predict(fit, case$x)), mdpd = rate(predict(alike, case$x)),
    dawid_skene = rate(predict(em, case$x)), vote = rate(majority_vote(case$x)), seconds
  )
}

table_row <- function(seed) {
  case <- random_table(seed)
  rate <- function(class) error_rate(factor(class), factor(case$truth), align = TRUE)
  true_model <- mean(case$by_true_model != case$truth)
  if (true_model > most_wrong) return(NULL)
  seconds <- system.time(fit <- quietly(stagewise_em(case$x, case$k)))[["user.self"]]
  by_bic <- quietly(
    stagewise_em(case$x, case$k, control = stagewise_control(criterion = "bic"))
  )
  em <- quietly(mdpd(case$x, case$k))
  path <- quietly(stagewise_em(case$x, seq_len(case$k + 2)))
  data.frame(
    seed, k = case$k, strength = case$strength, share = case$share, true_model,
    stagewise_em = rate(max.col(fit$posterior)), bic = rate(max.col(by_bic$posterior)),
    em = rate(max.col(em$posterior)), chosen = path$k, seconds
  )
}

# Report ------------------------------------------------------------------------------------------

percent <- function(x) sprintf("%.1f", 100 * x)

means_of <- function(rows, methods) percent(colMeans(rows[methods]))

# A row for all cases and for each of some groups.
means_table <- function(rows, groups, methods) {
  parts <- c(list(all = rows), split(rows, groups, drop = TRUE))
  cells <- t(vapply(parts, means_of, character(length(methods)), methods = methods))
  data.frame(cases = names(parts), number = vapply(parts, nrow, 0L), cells, check.names = FALSE) |>
    stats::setNames(c("cases", "number", gsub("_", " ", methods)))
}

crowd_lines <- function(crowds) {
  best <- pmin(crowds$dawid_skene, crowds$vote)
  over <- crowds$stagewise_em - best
  methods <- c("stagewise_em", "mdpd", "dawid_skene", "vote")
  sizes <- cut(crowds$n_answers, c(0, 300, 1000, 3000, 10000, Inf),
               c("up to 300 answers", "to 1,000", "to 3,000", "to 10,000", "more"))
  c(
    "## Crowds", "",
    prose("Errors (percent of the items), each label right or wrong as it is named. 60 to 3,000",
          "items, 5 to 200 workers, 2 to 12 labels an item, 2 to 8 labels, even to uneven."),
    "",
    bullet(sprintf("`stagewise_em()` has a component a label in %d of %d crowds.",
                   sum(crowds$n_components == crowds$k), nrow(crowds))),
    bullet(sprintf(
      "The better of Dawid and Skene and of the vote, by the truth, errs on %s %%. %s %d, %s",
      percent(mean(best)),
      "`stagewise_em()` is more than 0.5 points above it in", sum(over > 0.005),
      sprintf("more than 10 points in %d, more than 0.5 points below it in %d.", sum(over > 0.1),
              sum(over < -0.005))
    )),
    "",
    table_lines(means_table(crowds, sizes, methods), c("number", gsub("_", " ", methods))), "",
    table_lines(means_table(crowds, crowds$kind, methods), c("number", gsub("_", " ", methods)))
  )
}

table_lines_of <- function(tables) {
  methods <- c("true_model", "stagewise_em", "bic", "em")
  can_tell <- tables$em < 0.25
  above <- tables$stagewise_em - pmin(tables$bic, tables$em)
  c(
    "## Tables", "",
    prose("Errors (percent of the rows) under the best matching of classes, at the true k. 100 to",
          "3,000 rows, 4 to 150 items of 2 to 6 levels, 2 to 5 classes, where the true model errs",
          "on at most", percent(most_wrong), "%. *em*: `mdpd()`, the best of 10 random starts.",
          "*strength*: share of its own that a class has in the columns of an informative item."),
    "",
    bullet(sprintf(
      "k is chosen right among 1 to k + 2 in %d of the %d tables where EM errs on less than 25 %%.",
      sum((tables$chosen == tables$k)[can_tell]), sum(can_tell)
    )),
    bullet(sprintf("More than 1 point above the better of BIC and EM: %d of %d; below: %d.",
                   sum(above > 0.01), nrow(tables), sum(above < -0.01))),
    "",
    table_lines(means_table(tables, paste("strength", tables$strength), methods),
                c("number", gsub("_", " ", methods)))
  )
}

all_rows <- function(row) {
  do.call(rbind, lapply(seq_len(n_cases), function(seed) {
    message(seed)
    row(seed)
  }))
}
crowds <- all_rows(crowd_row)
tables <- all_rows(table_row)
write_report("random_cases", c(
  "# Cases of which nothing was chosen",
  "",
  paste0("Written by `Rscript bench/random_cases.R ", n_cases, "`; do not edit by hand."),
  "",
  prose(machine_line()),
  "",
  crowd_lines(crowds),
  "",
  table_lines_of(tables)
))
