# The tables of bench/accuracy.R, from its results: a list with one element for each method and data
# set, which has a `row` of scores or the `reason` why there is none.

# These know the truth: they are the yardstick, not competitors.
oracles <- c("true model", "true model, then EM", "true model, then EM by BIC")
ours <- c("default call", "default call by BIC")
method_names <- vapply(all_methods, `[[`, "", "name")

scores_of <- function(results) {
  rows <- do.call(rbind, lapply(results, `[[`, "row"))
  rows$method <- factor(rows$method, method_names)
  rows$data <- factor(rows$data, unique(rows$data))
  rows
}

# `make_row` applied to the rows of each data set and method, in that order.
by_method <- function(rows, make_row) {
  groups <- split(rows, list(rows$method, rows$data), drop = TRUE)
  do.call(rbind, lapply(groups, make_row))
}

# Tables of scores --------------------------------------------------------------------------------

real_table <- function(rows) {
  table <- by_method(rows, function(row) {
    data.frame(
      data = row$data, size = paste(row$rows, "x", row$items), k = row$k, method = row$method,
      wrong = number(row$wrong, 0), error = number(100 * row$error, 2), rand = number(row$rand, 3),
      informative = number(row$size, 0), penalised = number(row$penalised, 2),
      seconds = number(row$seconds, 3)
    )
  })
  names(table) <- c("data", "rows x items", "k", "method", "wrong", "error (%)", "adjusted Rand",
                    "informative", "penalised log-lik.", "seconds")
  table_lines(table, right = names(table)[c(3, 5:10)])
}

simulated_table <- function(rows) {
  truth <- rows[rows$method == "true model", ]
  table <- by_method(rows, function(draws) {
    ratio <- mean(draws$error) / mean(truth$error[truth$data == draws$data[1]])
    chooses <- !anyNA(draws$size)
    data.frame(
      data = draws$data[1], method = draws$method[1], draws = nrow(draws),
      error = number(mean(draws$error), 4),
      range = paste(number(min(draws$error), 3), "to", number(max(draws$error), 3)),
      ratio = number(ratio, 3), rand = number(mean(draws$rand), 3),
      informative = number(mean(draws$size), 1), precision = number(mean(draws$precision), 3),
      recall = number(mean(draws$recall), 3),
      exact = if (chooses) paste(sum(draws$exact), "of", nrow(draws)) else "-",
      penalised = number(mean(draws$penalised), 2), seconds = number(mean(draws$seconds), 3)
    )
  })
  names(table) <- c(
    "crowd", "method", "draws", "mean error", "lowest to highest", "times the true model",
    "adjusted Rand", "informative", "precision", "recall", "exactly the experts",
    "penalised log-lik.", "seconds"
  )
  table_lines(table, right = setdiff(names(table), c("crowd", "method", "lowest to highest")))
}

# The default call among the others ---------------------------------------------------------------

# How far the penalised log-likelihood of the call by BIC, which searches for the highest, is below
# the best of any method, for each draw (nats; at most 0 where it is the best).
behind <- function(rows) {
  optima <- rows[!is.na(rows$penalised), ]
  by_bic <- optima[optima$method == "default call by BIC", ]
  others <- optima[optima$method != "default call by BIC", ]
  draw <- function(rows) paste(rows$data, rows$seed)
  best <- tapply(others$penalised, draw(others), max)
  data.frame(data = by_bic$data, nats = unname(best[draw(by_bic)]) - by_bic$penalised)
}

# Names of methods hold commas.
methods_text <- function(names) paste(names, collapse = "; ")

standing_row <- function(data, rows, gaps) {
  rows <- rows[rows$data == data, ]
  error <- tapply(rows$error, droplevels(rows$method), mean)
  others <- error[setdiff(names(error), c(ours, oracles))]
  nats <- gaps$nats[gaps$data == data]
  data.frame(
    data = data, default = error[["default call"]], by_bic = error[["default call by BIC"]],
    other = min(others),
    which = if (anyNA(others)) "-" else methods_text(names(others)[others == min(others)]),
    # No number where no true model is known.
    ratio = error[["default call"]] / unname(error[oracles[1]]),
    ratio_em = error[["default call"]] / unname(error[oracles[2]]),
    below = paste(sum(nats > 0.5), "of", length(nats)), gap = max(nats, 0)
  )
}

standing_of <- function(rows) {
  gaps <- behind(rows)
  data <- intersect(levels(rows$data), gaps$data)
  do.call(rbind, lapply(data, standing_row, rows, gaps))
}

standing_table <- function(standing) {
  digits <- c(default = 4, by_bic = 4, other = 4, ratio = 3, ratio_em = 3, gap = 2)
  standing[names(digits)] <- Map(number, standing[names(digits)], digits)
  names(standing) <- c(
    "data", "default call: error", "by BIC: error", "least error of the others", "by",
    "default: times the true model", "times EM from the true model",
    "by BIC: draws over 0.5 nats behind the best", "furthest behind (nats)"
  )
  table_lines(standing, right = names(standing)[-c(1, 5)])
}

# The informative items of the default call and of VarSelLCM on the draws that both did.
selection_lines <- function(rows) {
  rows <- rows[rows$kind == "simulated", ]
  draws <- function(name) {
    of_method <- rows[rows$method == name, ]
    rownames(of_method) <- paste(of_method$data, of_method$seed)
    of_method
  }
  default <- draws("default call")
  theirs <- draws("VarSelLCM")
  both <- intersect(rownames(default), rownames(theirs))
  if (length(both) == 0) {
    return(NULL)
  }
  default <- default[both, ]
  theirs <- theirs[both, ]
  worse <- sum(default$precision < theirs$precision | default$recall < theirs$recall)
  prose(
    sprintf("On the %d draws that both did, the default call selects with a mean precision of %.4f",
            length(both), mean(default$precision)),
    sprintf("and a mean recall of %.4f; VarSelLCM with %.4f and %.4f.", mean(default$recall),
            mean(theirs$precision), mean(theirs$recall)),
    sprintf("In %d of the draws the default call is lower in one of the two.", worse)
  )
}

# The report --------------------------------------------------------------------------------------

reason_lines <- function(results) {
  failed <- Filter(function(result) !is.null(result$reason), results)
  if (length(failed) == 0) {
    return("Every method ran on everything.")
  }
  table <- data.frame(
    method = vapply(failed, `[[`, "", "method"), reason = vapply(failed, `[[`, "", "reason"),
    data = vapply(failed, `[[`, "", "data")
  )
  table$method <- factor(table$method, method_names)
  groups <- split(table, list(table$reason, table$method), drop = TRUE)
  lines <- vapply(groups, function(group) {
    counts <- table(factor(group$data, unique(group$data)))
    data <- ifelse(counts > 1, paste0(names(counts), " (", counts, " draws)"), names(counts))
    sprintf("- *%s*, %s: %s", group$method[1], group$reason[1], toString(data))
  }, "")
  unname(lines)
}

legend_lines <- c(
  bullet(
    "*true model* classifies by the distribution that the data were drawn from; *then EM* is",
    "`refine()` from there, by evidence or BIC, without the polish: the optimum next to the truth."
  ),
  bullet(
    "*majority vote* is `majority_vote()`; *then EM* is `mdpd(start = \"majority\")`, Dawid and",
    "Skene."
  ),
  bullet(
    "*spectral, then EM* and *random EM* are `mdpd(start = )`, 10 groupings and 10 starts."
  ),
  bullet(
    "*poLCA* has `nrep = 10, maxiter = 5000, na.rm = FALSE`; *VarSelLCM* has",
    "`vbleSelec = TRUE, crit.varsel = \"BIC\"`, else its defaults."
  ),
  bullet(
    "*paper* is `stagewise_em(method = \"paper\", refine = \"none\")`; *then full EM* has",
    "`refine = \"full\"`; *missing frozen* has `missing = \"frozen\"`; others ignore what is",
    "missing."
  ),
  bullet(
    "*default call* is `stagewise_em(x, k)`, which fits by evidence; *by BIC* has `control =",
    "stagewise_control(criterion = \"bic\")`."
  ),
  bullet(
    "*error*: share of rows in the wrong class. mdpd names the classes of a crowd without the",
    "truth; classes of poLCA and VarSelLCM, and of all methods on tables, are matched by the",
    "truth, in their favour. *adjusted Rand* (Hubert and Arabie 1985) needs no names."
  ),
  bullet(
    "*informative*: items selected; a dash where the method uses all. *precision*, *recall*:",
    "against the experts."
  ),
  bullet(
    "*penalised log-lik.*: the criterion of the call by BIC (nats), for all methods by the same",
    "formula: log-likelihood minus the BIC penalty of each informative item and of the mixing",
    "weights. A method that does not select pays for all items; the default call, which does not",
    "search for it, for the items that it names. Where VarSelLCM has 0 informative items, its",
    "model has none although its classes do differ: both are as it returns them."
  ),
  bullet(
    "*seconds*: processor time of one fit, the median of five where it is less than a second.",
    "Other work of the machine lengthens it, for all methods of a data set about alike."
  )
)

standing_lines <- function(rows) {
  standing <- standing_of(rows)
  least <- standing$default <= standing$other
  c(
    "## The default call among the others",
    "",
    prose(
      "Mean error of the default call, by evidence and by BIC; the least of the other methods that",
      "do not know the truth; and whether any method, or EM from the true model, ends at a higher",
      "penalised log-likelihood than the call by BIC. Where none does, its search is not to blame",
      "for an error above the true model's, but the estimate from so many rows."
    ),
    "",
    standing_table(standing),
    "",
    sprintf("On %d of %d data sets with known classes none of the others has a smaller error.",
            sum(least, na.rm = TRUE), sum(!is.na(least))),
    "",
    "![Error on simulated crowds](accuracy-simulated.png)",
    "",
    "![Error on real data](accuracy-real.png)"
  )
}

real_lines <- function(rows) {
  c(
    "## Real crowds",
    "",
    prose(
      "Data: Zhang, Chen, Zhou and Jordan (2014), not part of the package; k is the number of",
      "labels."
    ),
    "",
    real_table(rows[rows$kind == "real crowd", ]),
    "",
    tie_lines()
  )
}

table_data_lines <- function(rows, results) {
  c(
    "## Other data",
    "",
    prose(
      "`mlbench::DNA`, `HouseVotes84` and `Soybean`, k the number of classes, and",
      "`poLCA::carcinoma`, k = 3, which has no true classes. Missing values are kept; no column is",
      "constant."
    ),
    "",
    real_table(rows[rows$kind == "table", ]),
    "",
    dna_lines(results)
  )
}

simulated_lines <- function(rows) {
  c(
    "## Simulated crowds",
    "",
    prose(
      "The paper's simulations: 1000 items, 100 workers, 3 labels, seeds 1 to 10 of",
      "`simulate_crowd()`. Experts are right with probability 0.6 (`accuracy = rep(0.6, experts)`,",
      "the paper's range is 5 to 20), or from 0.7 down to 0.45",
      "(`seq(0.7, 0.45, length.out = 30)`)."
    ),
    "",
    simulated_table(rows[rows$kind == "simulated", ]),
    "",
    selection_lines(rows)
  )
}

report_lines <- function(results) {
  rows <- scores_of(results)
  c(
    "# Accuracy of every method on every data set",
    "",
    "Written by `Rscript bench/accuracy.R`, in `make bench`; do not edit by hand.",
    "",
    prose(machine_line(), peers_line()),
    "",
    legend_lines,
    "",
    standing_lines(rows),
    "",
    real_lines(rows),
    "",
    table_data_lines(rows, results),
    "",
    simulated_lines(rows),
    "",
    "## What did not run",
    "",
    reason_lines(results)
  )
}

peers_line <- function() {
  peers <- Filter(function(name) requireNamespace(name, quietly = TRUE), c("poLCA", "VarSelLCM"))
  versions <- vapply(peers, function(name) as.character(utils::packageVersion(name)), "")
  if (length(peers) > 0) paste0(paste(peers, versions, collapse = ", "), ".")
}

# The mean error of a majority vote that draws among tied labels.
random_ties_error <- function(labels, truth) {
  votes <- majority_vote(labels, type = "prob")
  tied <- votes == apply(votes, 1, max)
  right <- tied[cbind(names(truth), as.character(truth))] / rowSums(tied)[names(truth)]
  1 - mean(right)
}

tie_lines <- function() {
  errors <- vapply(real_crowd_names(), function(name) {
    crowd <- read_real(name)
    sprintf("%s %.2f %%", name, 100 * random_ties_error(crowd$labels, crowd$truth))
  }, "")
  prose(
    "The majority vote breaks ties the same way every time, so one rule decides all of them. With",
    "ties broken at random its mean error would be", paste0(toString(errors), ".")
  )
}
