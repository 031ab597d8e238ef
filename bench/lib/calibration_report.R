# The report and the picture of bench/calibration.R, from `rows` and `items`: what a fit `said`, a
# probability, and whether it `happened`.

of_confidence <- c(0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1)
of_inclusion <- c(0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1)
# Bins with fewer are not shown.
enough <- 30

# Reliability -------------------------------------------------------------------------------------

# One row for each bin of `said` and each combination of the columns `by`.
reliability <- function(judged, breaks, by) {
  judged$bin <- cut(judged$said, breaks, include.lowest = TRUE)
  judged$n <- 1
  sums <- stats::aggregate(judged[c("n", "said", "happened")], judged[c("bin", by)], sum)
  sums$said <- sums$said / sums$n
  sums$happened <- sums$happened / sums$n
  sums[sums$n >= enough, ]
}

# How far what is said is from what happens, over the bins, weighted by their size: the expected
# calibration error.
calibration_error <- function(judged, breaks) {
  bins <- reliability(judged, breaks, character())
  sum(bins$n * abs(bins$said - bins$happened)) / sum(bins$n)
}

# Tables ------------------------------------------------------------------------------------------

percent <- function(x) paste(number(100 * x, 1), "%")

# Of one draw or all: the expected and the actual error, and the Brier score.
summarise_rows <- function(rows) {
  data.frame(expected = 1 - mean(rows$said), actual = 1 - mean(rows$happened),
             brier = mean(rows$brier))
}

# How much more the error is than expected, in percentage points, in each draw.
gaps_of <- function(rows) {
  100 * vapply(split(rows, rows$draw), function(draw) mean(draw$said) - mean(draw$happened), 0)
}

# Likewise more than the fit's summary expects, of the rows of the fit.
gaps_of_summary <- function(rows) {
  gaps_of(transform(rows, said = 1 - expected))
}

# The mean and its standard error.
gap_text <- function(gaps) {
  se <- if (length(gaps) > 1) paste(" \u00b1", number(stats::sd(gaps) / sqrt(length(gaps)), 1))
  paste0(sprintf("%+.1f", mean(gaps)), se)
}

# The rows that count: new ones, of real crowds those of the fit.
that_count <- function(rows) {
  rows[rows$rows == ifelse(rows$group == real_group, "of the fit", "new"), ]
}

case_row <- function(rows) {
  counting <- that_count(rows)
  means <- summarise_rows(counting)
  own <- rows[rows$rows == "of the fit", ]
  data.frame(
    case = rows$case[1], method = rows$method[1], error = percent(means$actual),
    "expected" = percent(means$expected), "too sure by" = gap_text(gaps_of(counting)),
    Brier = number(means$brier, 3),
    "rows of the fit, too sure by" = if (nrow(own) < nrow(rows)) gap_text(gaps_of(own)) else "",
    "their expected error" = if (nrow(own) < nrow(rows)) gap_text(gaps_of_summary(own)) else "",
    check.names = FALSE
  )
}

case_table <- function(rows) {
  keys <- unique(rows[c("case", "method")])
  table <- do.call(rbind, Map(function(case, method) {
    case_row(rows[rows$case == case & rows$method == method, ])
  }, keys$case, keys$method))
  table$case[duplicated(table$case)] <- ""
  if (all(table[[7]] == "")) table[7:8] <- NULL
  table_lines(table, setdiff(names(table), c("case", "method")))
}

bin_table <- function(judged, breaks, by) {
  bins <- reliability(judged, breaks, by)
  bins$cell <- sprintf("%.1f %% (%d)", 100 * bins$happened, bins$n)
  wide <- tapply(bins$cell, bins[c("bin", by)], identity)
  said <- reliability(judged, breaks, character())
  wide[is.na(wide)] <- ""
  table_lines(data.frame("said, mean" = percent(said$said), wide[as.character(said$bin), ],
                         check.names = FALSE, row.names = NULL), c("said, mean", colnames(wide)))
}

# In words ----------------------------------------------------------------------------------------

# The least and the largest mean gap of the cases, with the names of these cases.
gap_range <- function(rows, gaps_of_case = gaps_of) {
  gaps <- vapply(split(rows, rows$case), function(case) mean(gaps_of_case(case)), 0)
  ends <- c(which.min(gaps), which.max(gaps))
  paste(sprintf("%+.1f (%s)", gaps[ends], names(gaps)[ends]), collapse = " to ")
}

verdict_lines <- function(rows, items) {
  copied <- rows$group == "tables with copied items"
  is_real <- rows$group == real_group
  of <- function(method, which) gap_range(that_count(rows[rows$method == method & which, ]))
  sure <- items$said > 0.95
  own <- rows[rows$method == "default call" & !copied & !is_real & rows$rows == "of the fit", ]
  c(
    bullet("New rows of simulated data, nothing copied: the default call errs by",
           of("default call", !copied & !is_real), "percentage points more than it expects;",
           "of the rows that it was fitted to by", paste0(gap_range(own), "."),
           "Of these the expected error of `summary()`, by held-out posteriors, is too small by",
           paste0(gap_range(own, gaps_of_summary), ".")),
    bullet("Where informative items are copied: by", paste0(of("default call", copied), "."),
           "Within a class such items are not independent, which the model takes them to be."),
    bullet("Real crowds: by", paste0(of("default call", is_real), "; Dawid-Skene by"),
           paste0(of("Dawid-Skene", is_real), "."), "The labels of an item are then not",
           "independent given its class, as where workers share mistakes."),
    bullet(sprintf("Items of inclusion above 95 %%: %.1f %% of %d differ.",
                   100 * mean(items$happened[sure]), sum(sure)))
  )
}

# Report ------------------------------------------------------------------------------------------

group_table <- function(rows) {
  rows <- that_count(rows)
  groups <- unique(rows$group)
  cells <- function(method, text) {
    vapply(groups, function(group) {
      part <- rows[rows$group == group & rows$method %in% method, ]
      if (nrow(part) > 0) text(part) else "-"
    }, "")
  }
  said <- function(part) {
    means <- summarise_rows(part)
    paste(number(100 * means$actual, 1), number(100 * means$expected, 1),
          number(means$brier, 3), sep = " / ")
  }
  table <- data.frame(
    data = groups, "default call" = cells("default call", said), "by BIC" = cells("by BIC", said),
    "full EM, Dawid-Skene" = cells(c("full EM", "Dawid-Skene"), said),
    "calibration error of the default" = cells("default call", function(part) {
      percent(calibration_error(part, of_confidence))
    }),
    check.names = FALSE
  )
  table_lines(table, names(table)[-1])
}

report_lines <- function(rows, items) {
  default <- that_count(rows[rows$method == "default call", ])
  c(
    "# Do posterior probabilities mean what they say?",
    "",
    "Written by `Rscript bench/calibration.R`; do not edit by hand.",
    "",
    prose(machine_line(), paste0("Draws of a simulated case: ", max(rows$draw), ".")),
    "",
    prose(
      "Fits at the true k. Simulated: the fit sees half of the rows, and its posterior of the",
      "other half is judged, `predict(fit, new, type = \"prob\")`; in the last columns of the",
      "tables of cases, of its own rows: their posterior, and the expected error of `summary()`,",
      "of tables by evidence that of held-out rows. Real crowds: all labels, and the truth of the",
      "items.",
      "Each entry: actual error in percent / error expected from the fit, 1 - mean(largest",
      "probability) / Brier score, the mean squared distance of the probabilities from the truth",
      "(0 to 2). The",
      "*calibration error* is the mean distance of what is said from what happens over the bins."
    ),
    "",
    group_table(rows),
    "",
    verdict_lines(rows, items),
    "",
    "![What is said and what happens](calibration.png)",
    "",
    "## Rows: share in the class that the default call says",
    "",
    prose("Rows by the probability of their most probable class; in brackets how many rows. Bins",
          "of fewer than", enough, "rows are left out."),
    "",
    bin_table(default, of_confidence, "group"),
    "",
    "## Items: share that differs, by inclusion",
    "",
    prose("`fit$inclusion` of the default call; in brackets how many items."),
    "",
    bin_table(items, of_inclusion, "group"),
    unlist(lapply(unique(rows$group), function(group) {
      c("", paste("##", sub("^(.)", "\\U\\1", group, perl = TRUE), "case by case"), "",
        case_table(rows[rows$group == group, ]))
    })),
    "",
    prose(
      "*Too sure by*: actual less expected error in percentage points, \u00b1 one standard error",
      "over the draws. Data are those of `bench/regimes.R`, with twice the rows; *weak*, *medium*",
      "and *strong* are tables where the true model errs on 15, 5 and 0.5 %. Classes of tables get",
      "their names from the true classes of the rows that were fitted, crowds from their labels.",
      "A copied item is the same in all or 80 % of the rows. A fit that falls back to one",
      "component says 100 %, as BIC does on some dense tables."
    )
  )
}

# Picture -----------------------------------------------------------------------------------------

method_colours <- c("default call" = "#D55E00", "by BIC" = "#56B4E9", "full EM" = "#009E73",
                    "Dawid-Skene" = "#7A5195")

draw_calibration <- function(rows, items) {
  groups <- c(unique(rows$group), "items: differing, by inclusion")
  curves <- reliability(that_count(rows), of_confidence, c("group", "method"))
  of_items <- reliability(items, of_inclusion, character())
  of_items <- cbind(of_items["bin"], group = groups[length(groups)], method = "default call",
                    of_items[c("n", "said", "happened")])
  curves <- rbind(curves, of_items)
  curves$group <- factor(curves$group, groups)
  curves$method <- factor(curves$method, names(method_colours))
  picture <- ggplot(curves, aes(said, happened, colour = method)) +
    geom_abline(colour = "grey70") +
    geom_line(linewidth = 0.5) +
    geom_point(aes(size = n)) +
    facet_wrap(~group, nrow = 2) +
    scale_colour_manual(values = method_colours, name = NULL) +
    scale_size_area(max_size = 4, trans = "sqrt", name = "rows or items",
                    breaks = c(100, 1000, 10000)) +
    scale_x_continuous(labels = scales::percent, limits = c(0, 1), breaks = c(0, 0.5, 1)) +
    scale_y_continuous(labels = scales::percent, limits = c(0, 1)) +
    coord_fixed() +
    labs(
      title = "Below the diagonal a fit is too sure",
      subtitle = paste("Rows of simulated tables and crowds that the fit has not seen, items of",
                       "real crowds; last, items of all simulated data"),
      x = "probability that the fit gives", y = "share for which it is so"
    ) +
    bench_theme() +
    theme(legend.position = "right", panel.spacing.x = grid::unit(20, "pt"))
  save_picture("calibration", picture, 9, 6)
}
