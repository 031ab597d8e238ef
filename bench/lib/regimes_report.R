# The tables of bench/regimes.R, from what judge() says of each point.

percent <- function(x, digits = 1) {
  ifelse(is.nan(x) | is.na(x), "-", paste(number(100 * x, digits), "%"))
}

# Bold where the verdict is against it.
marked <- function(text, ok) ifelse(!is.na(ok) & !ok, paste0("**", text, "**"), text)

# Verdicts ----------------------------------------------------------------------------------------

# What fails at a point, in words.
error_failure <- function(row) {
  paste0("error ", percent(row$evidence), ", bic ", percent(row$bic), ", full EM ",
         percent(row$full_em), "; ", number(100 * row$excess, 1), " \u00b1 ",
         number(100 * row$excess_se, 1), " percentage points above the best",
         ifelse(row$all_at_chance, "; all at chance", ""))
}

k_failure <- function(row) {
  paste0("the true k, ", row$true_k, ", in ", percent(row$k_right, 0), " of the draws; chosen: ",
         row$k_chosen)
}

noise_failure <- function(row) {
  paste0("one component in ", percent(row$k_right, 0), " of the draws, asked for 3 in ",
         percent(row$k_right_single, 0))
}

false_failure <- function(row) {
  paste0(number(100 * row$false, 1), " \u00b1 ", number(100 * row$false_se, 1),
         " % false of ", number(row$named, 1), " named (bic ", percent(row$false_bic), "); ",
         row$n_informative, " are informative")
}

# `ok` is the column of judge() that holds the verdict.
verdicts <- list(
  list(ok = "ok_error", failure = error_failure, asked =
    "error at most 1.03 times the best of bic, full EM and VarSelLCM, or within 1 point of it"
  ),
  list(ok = "ok_k", failure = k_failure, asked =
    "the true k in at least 90 % of the draws, where full EM errs below 25 %"
  ),
  list(ok = "ok_noise", failure = noise_failure, asked =
    "one component in at least 98 % of the draws of noise"
  ),
  list(ok = "ok_false", failure = false_failure, asked =
    "at most 5 % of the named items false, where at least 5 are informative"
  )
)

verdict_table <- function(judged) {
  rows <- lapply(verdicts, function(verdict) {
    ok <- judged[[verdict$ok]]
    data.frame(
      "asked of the evidence" = verdict$asked, points = sum(!is.na(ok)),
      holds = sum(ok, na.rm = TRUE), fails = sum(!ok, na.rm = TRUE), check.names = FALSE
    )
  })
  table_lines(do.call(rbind, rows), c("points", "holds", "fails"))
}

failure_table <- function(judged) {
  rows <- lapply(verdicts, function(verdict) {
    failed <- judged[judged[[verdict$ok]] %in% FALSE, ]
    if (nrow(failed) > 0) {
      data.frame(point = failed$point, draws = failed$draws,
                 "what fails" = verdict$failure(failed), check.names = FALSE)
    }
  })
  rows <- do.call(rbind, rows)
  if (is.null(rows)) "None." else table_lines(rows, "draws")
}

# How often the evidence errs at least a point less than another method, and how often more.
against <- function(judged, method) {
  excess <- judged$evidence - judged[[method]]
  paste(sum(excess <= -largest_excess, na.rm = TRUE), "points and at least 1 % more at",
        sum(excess >= largest_excess, na.rm = TRUE))
}

balance_lines <- function(judged) {
  failed <- judged[judged$ok_error %in% FALSE, ]
  prose(
    "The evidence errs at least 1 % (of the rows) less than bic at",
    paste0(against(judged, "bic"), ";"), "less than full EM at",
    paste0(against(judged, "full_em"), "."),
    "Of the", nrow(failed), "points where it errs more than asked, all methods are at chance at",
    paste0(sum(failed$all_at_chance), ":"),
    "one component, which gives all rows one class, errs a little more than any division of the",
    "rows matched to the truth."
  )
}

# Tables of points --------------------------------------------------------------------------------

# Columns that are empty in all rows of a group are left out.
point_table <- function(judged) {
  table <- data.frame(
    point = judged$point, draws = judged$draws, share = number(judged$share, 2),
    "true model" = percent(judged$true_model),
    evidence = marked(percent(judged$evidence), judged$ok_error), bic = percent(judged$bic),
    "full EM" = percent(judged$full_em), "majority vote" = percent(judged$vote),
    "Dawid-Skene" = percent(judged$dawid_skene), VarSelLCM = percent(judged$varsellcm),
    "k right" = marked(percent(judged$k_right, 0), judged$ok_k),
    informative = judged$n_informative, named = number(judged$named, 1),
    false = marked(percent(judged$false), judged$ok_false),
    "false by bic" = percent(judged$false_bic),
    seconds = paste(number(judged$seconds, 1), number(judged$seconds_bic, 1),
                    number(judged$seconds_em, 1), sep = " / "),
    check.names = FALSE
  )
  empty <- vapply(table, function(column) all(column == "-"), NA)
  table_lines(table[!empty], setdiff(names(table), "point"))
}

noise_table <- function(judged) {
  table_lines(data.frame(
    point = judged$point, draws = judged$draws,
    evidence = marked(percent(judged$k_right, 0), judged$ok_noise),
    "asked for 3" = percent(judged$k_right_single, 0), bic = percent(judged$k_right_bic, 0),
    check.names = FALSE
  ), c("draws", "evidence", "asked for 3", "bic"))
}

# Report ------------------------------------------------------------------------------------------

legend_lines <- c(
  bullet("*true model*, *evidence*, *bic*, *full EM*: share of rows in the wrong class, under the",
         "best matching of classes to the true ones, at the true k. The true model knows all",
         "probabilities. Evidence and bic are `stagewise_em()` with that `criterion`, full EM is",
         "`mdpd()` on all items, the best of 10 random starts; VarSelLCM, where it is installed",
         "and there are at most 500,000 answers, selects items by BIC. Bold: the verdict fails."),
  bullet("*k right*: share of the draws in which the evidence chooses the true k among 1 to two",
         "more than it; a dash where that was not run (more than 150,000 answers). With fewer than",
         "10 draws the verdict allows no miss."),
  bullet("*informative*: items that differ between the classes. *named*: how many",
         "`informative(fit, fdr = 0.05)` names of the fit at the true k. *false*: the share of",
         "them that do not differ, mean of the draws."),
  bullet("*share*: what sets the strength, the median of the draws: in an informative item a class",
         "has (1 - share) of a column that all classes have in common and share of its own."),
  bullet("*seconds*: processor time of evidence / bic / full EM, one thread.")
)

design_lines <- c(
  "## The data",
  "",
  prose(
    "Strength is the error of the true model: weak 15 %, medium 5 %, strong 0.5 %. The share of",
    "the classes' own columns is set for each draw so that it comes out; where a few items cannot",
    "reach it, the share is 1 and the true model errs more. The common column is uniform on the",
    "simplex, the own ones are Dirichlet(0.25), near its corners. At the same strength each of",
    "many informative items so tells less than each of few. The grid has 1000 rows, 3 levels and 3",
    "equal classes; *one by one* changes one of them at a sparse and a dense corner. Two",
    "informative items (1 % of 75, 10 % of 20) reach no strength and are drawn as strong only;",
    "they do not identify three classes, whatever the method."
  ),
  "",
  prose(
    "Named data: the survey's columns are 0.65 of a common one and 0.35 of their own, both",
    "uniform; binary items have the two probabilities named, noise items one between 0.2 and 0.8.",
    "Sparse crowds are those of `simulate_crowd()`: experts, right with probability 0.6, among",
    "random workers, who all give all labels. In weak crowds (4 classes) 20 % of the workers are",
    "right with 0.775, the others with 0.40 to 0.475. Noise has one class and uniform columns."
  ),
  "",
  "Draw d of point p, in the order of the tables, has seed 1000 p + d."
)

group_titles <- c(
  grid = "Grid: items, share of informative ones, strength", "one by one" = "One by one",
  named = "Named data", crowds = "Crowds"
)

group_lines <- function(group, judged) {
  rows <- judged[judged$group == group, ]
  if (nrow(rows) > 0) c("", paste("##", group_titles[[group]]), "", point_table(rows))
}

draws_line <- function(judged) {
  counts <- function(rows) {
    if (nrow(rows) == 0) "none" else paste(unique(range(rows$draws)), collapse = " to ")
  }
  is_noise <- judged$group == "noise"
  paste0("Draws of a point: ", counts(judged[!is_noise, ]), "; of noise ",
         counts(judged[is_noise, ]), ".")
}

report_lines <- function(points, draws) {
  judged <- judge(points, draws)
  c(
    "# From sparse to dense, from weak to strong",
    "",
    "Written by `Rscript bench/regimes.R`, in `make bench BENCH=regimes`; do not edit by hand.",
    "",
    prose(machine_line(), draws_line(judged)),
    "",
    verdict_table(judged),
    "",
    balance_lines(judged),
    "",
    "![Error on the grid](regimes.png)",
    "",
    "![Error on the other data](regimes-others.png)",
    "",
    "## Where a verdict fails",
    "",
    prose(
      "Mean of the draws, \u00b1 one standard error. *All at chance*: evidence, bic and full EM",
      "err at least 0.9 times what one class for all rows would."
    ),
    "",
    failure_table(judged),
    "",
    "Columns of the tables:",
    "",
    legend_lines,
    unlist(lapply(names(group_titles), group_lines, judged = judged)),
    "",
    "## Noise",
    "",
    "Share of the draws with one component, chosen among 1, 2 and 3, or where 3 are asked for.",
    "",
    noise_table(judged[judged$group == "noise", ]),
    "",
    design_lines
  )
}
