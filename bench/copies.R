# Near-copies of an item: what they do to the classes and to their number, whether copied_items()
# finds them, what combine_items() mends, and how often it finds copies where there are none.
#
#   Rscript bench/copies.R      writes bench/results/copies.md (minutes)
#
# Real tables of packages that are not installed are left out.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("common", "methods", "regimes_data", "tables_data")) {
  source(file.path(dirname(script), "lib", paste0(part, ".R")))
}

quietly <- function(expr) suppressMessages(suppressWarnings(expr))

# Copies -------------------------------------------------------------------------------------------

# Items that say the class with the probability `accuracy`, else another level, each as likely.
draw_items <- function(n_rows, n_items, accuracy, k) {
  class <- sample.int(k, n_rows, replace = TRUE)
  x <- vapply(seq_len(n_items), function(item) change(class, 1 - accuracy, k), class)
  colnames(x) <- paste0("item_", seq_len(n_items))
  list(x = x, class = class)
}

# The codes with a share of them changed to another level.
change <- function(code, share, n_levels) {
  moved <- (code + sample.int(n_levels - 1, length(code), replace = TRUE) - 1) %% n_levels + 1
  as.integer(ifelse(stats::runif(length(code)) < share, moved, code))
}

# Copies of the first item; without it where none is exact.
add_copies <- function(x, n_copies, share, n_levels, keep = TRUE) {
  copies <- vapply(seq_len(n_copies), function(copy) change(x[, 1], share, n_levels), x[, 1])
  colnames(copies) <- paste0("copy_", seq_len(n_copies))
  cbind(if (keep) x else x[, -1], copies)
}

kinds <- list(
  "three exact copies" = function(x, k) add_copies(x, 3, 0, k),
  "three copies, 10 % changed" = function(x, k) add_copies(x, 3, 0.1, k),
  "one copy, 10 % changed" = function(x, k) add_copies(x, 1, 0.1, k),
  "four noisy versions, none exact" = function(x, k) add_copies(x, 4, 0.1, k, keep = FALSE)
)
designs <- expand.grid(draw = 1:2, design = 1:3)
settings <- data.frame(n_items = c(10, 8, 10), accuracy = c(0.7, 0.8, 0.75), k = c(2, 2, 3))

# The items that the copies are, as copied_items() should name them.
true_group <- function(x) {
  copies <- grep("^copy_", colnames(x), value = TRUE)
  if ("item_1" %in% colnames(x)) c("item_1", copies) else copies
}

# With one answer a row for the group: of the first item, the mode, or none where it is not unique.
errors_after <- function(x, group, class, k) {
  combined <- list(
    first = x[, setdiff(colnames(x), group[-1])], mode = combine_items(x, group),
    unique = cbind(x[, setdiff(colnames(x), group)], unique = unique_mode(x[, group]))
  )
  vapply(combined, function(x) {
    error_rate(quietly(stagewise_em(x, k, verbose = FALSE)), class, align = TRUE)
  }, 0)
}

unique_mode <- function(codes) {
  apply(codes, 1, function(row) {
    counts <- tabulate(row)
    if (sum(counts == max(counts)) == 1) which.max(counts) else NA
  })
}

one_table <- function(kind, design, draw) {
  set.seed(100 * design + draw)
  setting <- settings[design, ]
  d <- draw_items(600, setting$n_items, setting$accuracy, setting$k)
  x <- kinds[[kind]](d$x, setting$k)
  without <- quietly(stagewise_em(d$x, 1:6, verbose = FALSE))
  with <- quietly(stagewise_em(x, 1:6, verbose = FALSE))
  copied <- copied_items(with)
  after <- quietly(stagewise_em(combine_items(x, copied), 1:6, verbose = FALSE))
  data.frame(
    kind, k = setting$k, k_without = without$k, k_with = with$k, k_after = after$k,
    without = error_rate(without, d$class, align = TRUE),
    with = error_rate(with, d$class, align = TRUE),
    after = error_rate(after, d$class, align = TRUE),
    t(errors_after(x, true_group(x), d$class, setting$k)),
    found = setequal(copied$item, true_group(x)), others = any(!copied$item %in% true_group(x))
  )
}

copied <- do.call(rbind, lapply(names(kinds), function(kind) {
  do.call(rbind, Map(one_table, kind, designs$design, designs$draw))
}))

# A dependent pair among items without any class.
dependent_pair <- function(draw) {
  set.seed(draw)
  x <- matrix(sample.int(3, 500 * 12, replace = TRUE), 500)
  colnames(x) <- paste0("item_", 1:12)
  x[, 2] <- ifelse(stats::runif(500) < 0.5, x[, 1], x[, 2])
  told <- character()
  fit <- suppressMessages(withCallingHandlers(
    stagewise_em(x, 1:6, verbose = FALSE),
    warning = function(cnd) {
      told <<- c(told, class(cnd)[1])
      tryInvokeRestart("muffleWarning")
    }
  ))
  combined <- stagewise_em(combine_items(x, c("item_1", "item_2")), 1:6, verbose = FALSE)
  data.frame(k = fit$k, told = any(grepl("one_pair|copied_items", told)), k_after = combined$k)
}
pairs <- do.call(rbind, lapply(1:10, dependent_pair))

# No copies ----------------------------------------------------------------------------------------

items_and <- function(n_rows, accuracy, k, n_noise = 0) {
  class <- sample.int(k, n_rows, replace = TRUE)
  x <- vapply(accuracy, function(accuracy) change(class, 1 - accuracy, k), class)
  noise <- matrix(sample.int(k, n_rows * n_noise, replace = TRUE), n_rows)
  list(x = `colnames<-`(cbind(x, noise), paste0("i", seq_len(length(accuracy) + n_noise))), k = k)
}

crowd <- function(...) {
  drawn <- simulate_crowd(...)
  list(x = drawn$labels, k = drawn$k)
}

# Each class is told from the others by items of its own.
blocks <- function(n_rows, n_blocks, size, accuracy) {
  class <- sample.int(n_blocks, n_rows, replace = TRUE)
  x <- vapply(seq_len(n_blocks * size), function(item) {
    change(1 + (class == 1 + (item - 1) %/% size), 1 - accuracy, 2)
  }, class)
  list(x = `colnames<-`(x, paste0("i", seq_len(ncol(x)))), k = n_blocks)
}

clean <- list(
  "strong: 10 items, 90 % right" = function() items_and(500, rep(0.9, 10), 2),
  "strong: 6 items, 95 % right" = function() items_and(500, rep(0.95, 6), 2),
  "nearly decided: 8 items, 98 % right" = function() items_and(300, rep(0.98, 8), 3),
  "weak: 20 items, 60 % right" = function() items_and(1000, rep(0.6, 20), 2),
  "uneven: 3 of 95 %, 15 of 60 %" = function() {
    items_and(1000, rep(c(0.95, 0.6), c(3, 15)), 2)
  },
  "few rows: 100 x 10, 85 % right" = function() items_and(100, rep(0.85, 10), 3),
  "sparse: 6 of 85 % among 40 of noise" = function() items_and(500, rep(0.85, 6), 3, 40),
  "Dirichlet: 12 items of 5 levels" = function() draw_mixed(500, 12, 5, 4, 1),
  "blocks: 3 items a class, 90 %" = function() blocks(600, 3, 3, 0.9),
  "dense survey: 75 items, 5 levels" = function() draw_mixed(500, 75, 5, 5, 0.35),
  "crowd, strong workers" = function() {
    crowd(500, 40, accuracy = rep(0.8, 12), missing = 0.6)
  },
  "crowd, weak workers" = function() {
    crowd(800, 40, 4, accuracy = rep(0.5, 15), missing = 0.5)
  },
  "crowd, 3 of 90 % and 10 of 50 %" = function() {
    crowd(800, 40, accuracy = rep(c(0.9, 0.5), c(3, 10)), missing = 0.3)
  }
)

# Large tables are fitted at their true k only, others also at the best of 1:6.
alarms_of <- function(name, n_draws = 6) {
  message(name)
  rows <- lapply(seq_len(n_draws), function(draw) {
    set.seed(draw)
    d <- clean[[name]]()
    ks <- if (prod(dim(d$x)) < 12000) list(d$k, 1:6) else list(d$k)
    do.call(rbind, lapply(ks, function(k) {
      seconds <- system.time(fit <- quietly(stagewise_em(d$x, k, verbose = FALSE)))[[1]]
      after <- system.time(found <- copied_items(fit))[[1]]
      data.frame(name, alarm = nrow(found) > 0, seconds = seconds - after, after)
    }))
  })
  do.call(rbind, rows)
}
alarms <- do.call(rbind, lapply(names(clean), alarms_of))

# Real tables --------------------------------------------------------------------------------------

real_alarms <- function(name, x) {
  message(name)
  of_k <- function(k) {
    fit <- quietly(stagewise_em(x, k, verbose = FALSE))
    found <- copied_items(fit)
    groups <- vapply(split(found, found$group), function(group) {
      sprintf("%s (%.2f)", toString(group$item), mean(group$strength))
    }, "")
    data.frame(name, k, groups = if (nrow(found) > 0) paste(groups, collapse = "; ") else "")
  }
  do.call(rbind, lapply(2:6, of_k))
}
# What is behind the groups found, as the data have it.
reasons <- list(
  cheating = "the two questions on lying depend on each other beyond three components.",
  election = paste(
    "*knowledgeable* and *intelligent* of the same candidate get the same answer of 70 % of the",
    "voters: a halo, no copy, but one answer counts twice."
  ),
  BreastCancer = paste(
    "cell size and cell shape have the same of ten grades in 66 % of the rows, and at most one",
    "apart in 82 %. With more components the classes explain it."
  ),
  HouseVotes84 = paste(
    "with two components three votes on foreign policy go together; a",
    "class is missing."
  ),
  Aids2 = "the way of transmission decides the sex: of 2465 in its largest category 2464 are men.",
  Soybean = paste(
    "two pairs repeat each other: sclerotia are there exactly where int.discolor is 2, in all 645",
    "rows that have both; seeds shrivel where they are small, but for 11 of 577."
  ),
  Zoo = paste(
    "with two or three components, fewer than there are kinds: feathers is",
    "two legs without mammals;",
    "what has fins is aquatic, and most that is aquatic does not breathe.",
    "With four or more nothing."
  ),
  Cars93 = "no small or sporty car is without a manual gearbox, no large one has it.",
  quine = "no pupil of the last form, F3, is a slow learner.",
  shuttle = "a table of rules: without visibility the autopilot is used in all 128 rows."
)

tables <- real_tables()
real <- do.call(rbind, Map(real_alarms, names(tables), tables))

# The report ---------------------------------------------------------------------------------------

percent <- function(x) sprintf("%.1f", 100 * mean(x))

by_kind <- do.call(rbind, lapply(split(copied, factor(copied$kind, names(kinds))), function(of) {
  data.frame(
    of$kind[1], nrow(of), percent(of$without), percent(of$with), percent(of$after),
    sum(of$k_without == of$k), sum(of$k_with == of$k), sum(of$k_after == of$k), max(of$k_with),
    sum(of$found), sum(of$others)
  )
}))
names(by_kind) <- c(
  "copies", "tables", "error without, %", "with", "combined", "k right without", "with", "combined",
  "largest k with", "group found", "with other items"
)

by_answer <- do.call(rbind, lapply(split(copied, factor(copied$kind, names(kinds))), function(of) {
  data.frame(of$kind[1], percent(of$first), percent(of$mode), percent(of$unique))
}))
names(by_answer) <- c("copies", "first", "mode", "mode if unique")

by_design <- do.call(rbind, lapply(split(alarms, factor(alarms$name, names(clean))), function(of) {
  data.frame(of$name[1], nrow(of), sum(of$alarm), sprintf("%.3f", mean(of$seconds)),
             sprintf("%.3f", mean(of$after)))
}))
names(by_design) <- c("data", "fits", "alarms", "seconds of the fit", "of the search")

alarmed <- real[real$groups != "", ]
names(alarmed) <- c("table", "k", "groups (strength)")

write_report("copies", c(
  "# Near-copies of items",
  "",
  "Written by `Rscript bench/copies.R`; do not edit by hand.",
  "",
  prose(machine_line()),
  "",
  prose(
    "Tables of 600 rows with 8 or 10 items, 70 to 80 % right, of two or",
    "three classes, and copies of",
    "the first item; `stagewise_em(x, 1:6)` without them, with them, and after",
    "`combine_items(x, copied_items(fit))`. *Group found*: in how many",
    "tables exactly the copies and",
    "the original were named."
  ),
  "",
  table_lines(by_kind, right = names(by_kind)[-1]),
  "",
  "## Which answer the new item has",
  "",
  prose(
    "The error, %, at the true k where the group is known and is made one item that has the first",
    "item's answer, the mode (ties to the first item; what",
    "`combine_items()` does), or the mode only",
    "where it is unique, else none."
  ),
  "",
  table_lines(by_answer, right = names(by_answer)[-1]),
  "",
  "## A dependent pair and no class",
  "",
  prose(sprintf(
    "Twelve items of 3 levels, 500 rows, one repeats another in half of them: of %d draws `1:6`",
    nrow(pairs)
  ), sprintf(
    "makes classes in %d, with a warning of the pair (`mdpd_warning_one_pair`, or where it calls",
    sum(pairs$k > 1)
  ), sprintf("a third item informative `mdpd_warning_copied_items`) in %d; where", sum(pairs$told)
  ), sprintf("the two are one item in %d.", sum(pairs$k_after > 1))),
  "",
  "## No copies: false alarms",
  "",
  prose(
    sprintf("%d alarms in %d fits, at the true number of classes, and for small tables also at",
            sum(alarms$alarm), nrow(alarms)),
    "the best of 1:6. *Seconds*: processor time of the fit and of the search for copies",
    "that it ends with, mean."
  ),
  "",
  table_lines(by_design, right = names(by_design)[-1]),
  "",
  "## Real tables",
  "",
  prose(
    sprintf("%d tables, k from 2 to 6: %d fits, %d of them with groups. None in",
            length(tables), nrow(real), nrow(alarmed)),
    paste0(toString(setdiff(names(tables), alarmed$table)), ".")
  ),
  "",
  table_lines(alarmed, right = "k"),
  "",
  unlist(lapply(intersect(names(reasons), alarmed$table), function(name) {
    bullet(paste0(name, ":"), reasons[[name]])
  }))
))
