# Krippendorff's reliability data (2011): four observers, twelve units.
krippendorff_units <- t(rbind(
  a = c(1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA), b = c(1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3),
  c = c(NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA), d = c(1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA)
))

# Fleiss (1971), table 1: how many of six psychiatrists gave each of 30 patients each of five
# diagnoses.
fleiss_counts <- rbind(
  c(0, 0, 0, 6, 0), c(0, 3, 0, 0, 3), c(0, 1, 4, 0, 1), c(0, 0, 0, 0, 6), c(0, 3, 0, 3, 0),
  c(2, 0, 4, 0, 0), c(0, 0, 4, 0, 2), c(2, 0, 3, 1, 0), c(2, 0, 0, 4, 0), c(0, 0, 0, 0, 6),
  c(1, 0, 0, 5, 0), c(1, 1, 0, 4, 0), c(0, 3, 3, 0, 0), c(1, 0, 0, 5, 0), c(0, 2, 0, 3, 1),
  c(0, 0, 5, 0, 1), c(3, 0, 0, 1, 2), c(5, 1, 0, 0, 0), c(0, 2, 0, 4, 0), c(1, 0, 2, 0, 3),
  c(0, 0, 0, 0, 6), c(0, 1, 0, 5, 0), c(0, 2, 0, 1, 3), c(2, 0, 0, 4, 0), c(1, 0, 0, 4, 1),
  c(0, 5, 0, 1, 0), c(4, 0, 0, 0, 2), c(0, 2, 0, 4, 0), c(1, 0, 5, 0, 0), c(0, 0, 0, 0, 6)
)

patients <- t(apply(fleiss_counts, 1, function(counts) rep(letters[1:5], counts)))

measure <- function(x, name, ...) {
  measures <- agreement(x, n = 40, ...)$measures
  measures$estimate[measures$measure == name]
}

estimates <- function(x, ...) {
  measures <- agreement(x, n = 40, ...)$measures
  stats::setNames(measures$estimate, measures$measure)
}

# A crowd of unequal numbers of labels; with `repeats`, some of one worker for one item.
draw_labels <- function(seed, n_items = 30, repeats = FALSE) {
  crowd <- simulate_crowd(n_items, n_workers = 7, n_labels = 4, accuracy = rep(0.7, 4), seed = seed)
  triples <- as.data.frame(crowd$labels)
  with_seed(seed, {
    triples <- triples[stats::runif(nrow(triples)) < 0.5, ]
    if (repeats) {
      again <- triples[stats::runif(nrow(triples)) < 0.3, ]
      again$label <- sample(again$label)
      triples <- rbind(triples, again, again[1:3, ])
    }
  })
  crowd_labels(droplevels(triples), duplicates = "count")
}

# The definitions, pair by pair: every label of a worker counts by his share of it.
slow_agreement <- function(crowd, metric) {
  labels <- data.frame(unclass(crowd)[c("item", "worker", "label")])
  cell <- paste(labels$item, labels$worker)
  labels$share <- 1 / as.vector(table(cell)[cell])
  n_workers <- tapply(labels$worker, labels$item, function(w) length(unique(w)))
  labels$of <- as.vector(n_workers[as.character(labels$item)])
  pairs <- merge(labels, labels, by = "item")
  pairs <- pairs[pairs$worker.x != pairs$worker.y, ]
  pairs$weight <- pairs$share.x * pairs$share.y
  q <- length(crowd$labels)
  paired <- labels[labels$of > 1, ]
  n_r <- vapply(seq_len(q), function(r) sum(paired$share[paired$label == r]), 0)
  difference <- switch(
    metric,
    nominal = 1 - diag(q),
    interval = outer(as.double(crowd$labels), as.double(crowd$labels), "-")^2,
    ordinal = outer(seq_len(q), seq_len(q), Vectorize(function(c, r) {
      (sum(n_r[c:r]) - (n_r[c] + n_r[r]) / 2)^2
    }))
  )
  observed <- sum(pairs$weight * difference[cbind(pairs$label.x, pairs$label.y)] / (pairs$of.x - 1))
  expected <- sum(outer(n_r, n_r) * difference) / (sum(n_r) - 1)
  agree <- tapply(pairs$weight * (pairs$label.x == pairs$label.y), pairs$item, sum)
  possible <- n_workers[names(agree)] * (n_workers[names(agree)] - 1)
  raw <- mean(agree / possible)
  p <- vapply(seq_len(q), function(r) {
    sum((labels$share / labels$of)[labels$label == r]) / length(crowd$items)
  }, 0)
  chance <- c(sum(p^2), sum(p * (1 - p)) / (q - 1))
  c(1 - observed / expected, (raw - chance) / (1 - chance), raw)
}

# Published values ---------------------------------------------------------------------------------

test_that("Krippendorff's example has the published alphas", {
  # Three digits are printed.
  expect_equal(round(measure(krippendorff_units, "krippendorff_alpha"), 3), 0.743)
  expect_equal(round(measure(krippendorff_units, "krippendorff_alpha", metric = "ordinal"), 3),
               0.815)
  expect_equal(round(measure(krippendorff_units, "krippendorff_alpha", metric = "interval"), 3),
               0.849)
  # 40 labels can be paired; Krippendorff leaves out the twelfth unit, which has one.
  found <- agreement(krippendorff_units, n = 40)
  expect_equal(c(found$n_items, found$n_paired, found$n_workers, found$n_labels), c(12, 11, 4, 41))
})

test_that("Fleiss' example has the published kappa and agreement", {
  found <- estimates(patients)
  expect_equal(round(found[["fleiss_kappa"]], 3), 0.430)
  expect_equal(round(found[["raw_agreement"]], 3), 0.556)
})

test_that("kappa and alpha are those of the package irr", {
  skip_if_not_installed("irr")
  expect_equal(measure(patients, "fleiss_kappa"), irr::kappam.fleiss(patients)$value)
  units <- as.matrix(draw_labels(3))
  codes <- matrix(match(units, sort(unique(as.vector(units)))), nrow(units))
  for (metric in c("nominal", "ordinal", "interval")) {
    expect_equal(measure(units, "krippendorff_alpha", metric = metric),
                 irr::kripp.alpha(t(codes), metric)$value)
  }
})

test_that("one label that is given twice counts by its share", {
  triples <- as.data.frame(draw_labels(1))
  again <- transform(triples[1, ], label = setdiff(levels(triples$label), triples$label[1])[1])
  crowd <- crowd_labels(rbind(triples, again), duplicates = "count")
  expect_equal(unname(estimates(crowd))[1], slow_agreement(crowd, "nominal")[1])
  expect_gt(abs(estimates(crowd)[[1]] - estimates(crowd_labels(triples))[[1]]), 1e-4)
})

test_that("the measures are their definitions pair by pair, also with repeated labels", {
  for (repeats in c(FALSE, TRUE)) {
    for (seed in 1:3) {
      crowd <- draw_labels(seed, repeats = repeats)
      for (metric in c("nominal", "ordinal", "interval")) {
        expect_equal(unname(estimates(crowd, metric = metric)), slow_agreement(crowd, metric))
      }
    }
  }
})

# Properties ---------------------------------------------------------------------------------------

test_that("a table and its crowd, permuted or not, agree as much", {
  crowd <- draw_labels(4)
  table <- as.matrix(crowd)
  found <- estimates(crowd)
  expect_equal(estimates(table), found)
  expect_equal(estimates(as.data.frame(table)), found)
  expect_equal(estimates(table[rev(seq_len(nrow(table))), rev(seq_len(ncol(table)))]), found)
  factors <- as.data.frame(table)
  factors[] <- lapply(factors, factor, levels = rev(crowd$labels))
  for (metric in c("nominal", "ordinal")) {
    expect_equal(estimates(factors, metric = metric), estimates(crowd, metric = metric))
  }
  renamed <- matrix(c("1" = "d", "2" = "a", "3" = "c", "4" = "b")[table], nrow(table))
  expect_equal(estimates(renamed), found)
  expect_false(isTRUE(all.equal(estimates(renamed, metric = "ordinal"),
                                estimates(crowd, metric = "ordinal"))))
  labelled <- as.data.frame(table)
  labelled[] <- lapply(labelled, function(x) {
    structure(as.double(x), labels = c(d = 1, a = 2, c = 3, b = 4), class = "haven_labelled")
  })
  expect_equal(estimates(labelled, metric = "ordinal"), estimates(crowd, metric = "ordinal"))
  # Numbers are in the order of their values, as strings too.
  tens <- matrix(c("1" = "8", "2" = "9", "3" = "10", "4" = "11")[table], nrow(table))
  expect_equal(estimates(tens, metric = "ordinal"), estimates(crowd, metric = "ordinal"))
  # Labels that only a column of strings has count, beside one of a factor.
  mixed <- as.data.frame(table)
  mixed$"1" <- factor(replace(mixed$"1", mixed$"1" %in% "4", "3"), levels = 3:1)
  expect_equal(estimates(mixed), estimates(as.matrix(mixed)))
})

test_that("a label that was given once makes two labels in use", {
  # Krippendorff: of 6 labels, 5 of them alike, 2 of the 6 ordered pairs differ.
  once <- cbind(c("a", "a", "a"), c("a", "a", "b"))
  found <- estimates(once)
  expect_equal(found[["krippendorff_alpha"]], 1 - (6 - 1) * 2 / (6^2 - 5^2 - 1))
  # Gwet: two labels with the rates 5/6 and 1/6 agree by chance in 10 of 36.
  expect_equal(found[["gwet_ac1"]], (2 / 3 - 10 / 36) / (1 - 10 / 36))
})

test_that("a label that a worker gives twice to an item counts once", {
  triples <- as.data.frame(draw_labels(5))
  twice <- crowd_labels(rbind(triples, triples[1:20, ]), duplicates = "count")
  expect_equal(estimates(twice), estimates(crowd_labels(triples)))
})

test_that("all agree, all guess, and all say the same", {
  all_agree <- matrix(letters[1:5], 5, 3)
  expect_equal(unname(estimates(all_agree)), rep(1, 4))
  guesses <- with_seed(1, matrix(sample(1:3, 12000, replace = TRUE), 2000))
  found <- agreement(guesses, n = 100)$measures
  # Six standard errors: one seed in 500 million.
  expect_true(all(abs(found$estimate[1:3]) < 6 * found$std_error[1:3]))
  one_label <- agreement(matrix("a", 4, 3), n = 40)$measures
  expect_equal(one_label$estimate, c(NA, NA, NA, 1))
  # One of two pairs differs. Of the 12 ordered pairs of three "a" and a "b" half do, too; and two
  # labels with the rates 3/4 and 1/4 agree by chance in 10 of 16.
  two_labels <- cbind(c("a", "a"), c("a", "b"))
  expect_equal(unname(estimates(two_labels)), c(0, -1 / 3, (0.5 - 6 / 16) / (1 - 6 / 16), 0.5))
  expect_false(any(is.nan(unlist(one_label[-1]))))
})

test_that("rows without labels and unused factor levels change nothing but the counts", {
  empty <- rbind(patients, NA)
  expect_equal(estimates(empty), estimates(patients))
  expect_equal(agreement(empty, n = 40)$n_items, 31)
  levels <- as.data.frame(patients)
  levels[] <- lapply(levels, factor, levels = letters)
  expect_equal(estimates(levels), estimates(patients))
})

test_that("where one label is rare kappa falls and AC1 does not", {
  rare <- matrix("no", 200, 3)
  rare[1:6, 1] <- rare[4:9, 2] <- rare[7:12, 3] <- "yes"
  found <- estimates(rare)
  expect_gt(found[["raw_agreement"]], 0.9)
  expect_lt(found[["fleiss_kappa"]], 0.5)
  expect_gt(found[["gwet_ac1"]], 0.9)
})

# Intervals ----------------------------------------------------------------------------------------

test_that("a seed gives the same intervals and leaves the session's numbers alone", {
  crowd <- draw_labels(6)
  set.seed(3)
  before <- .Random.seed
  first <- agreement(crowd, n = 50)
  expect_identical(.Random.seed, before)
  expect_identical(agreement(crowd, n = 50), first)
  expect_identical(agreement(crowd, n = 50, seed = 1), first)
  expect_false(identical(agreement(crowd, n = 50, seed = 2)$measures, first$measures))
  own <- agreement(crowd, n = 50, seed = NULL)
  expect_false(identical(.Random.seed, before))
  expect_equal(own$measures$estimate, first$measures$estimate)
})

test_that("intervals hold the estimate, grow with the level and shrink with the items", {
  width <- function(x, ...) {
    measures <- agreement(x, n = 400, ...)$measures
    expect_true(all(measures$lower < measures$estimate & measures$estimate < measures$upper))
    measures$upper - measures$lower
  }
  crowd <- draw_labels(7, n_items = 60)
  expect_true(all(width(crowd, level = 0.8) < width(crowd)))
  ratio <- width(crowd) / width(draw_labels(8, n_items = 960))
  # By a factor of sqrt(16) = 4, up to chance.
  expect_true(all(ratio > 2.5 & ratio < 6))
})

test_that("intervals are quantiles over samples of the items, of which 1000 are the default", {
  found <- agreement(krippendorff_units[1:6, ], level = 0.8)
  expect_identical(found$n, 1000)
  # Of each unit the share of its pairs that agree.
  raw <- c(1, 1 / 2, 1, 1, 1, 0)
  draws <- with_seed(1, replicate(1000, drop(stats::rmultinom(1, 6, rep(1, 6)))))
  samples <- colSums(draws * raw) / 6
  of_raw <- found$measures[4, ]
  expect_equal(of_raw$std_error, stats::sd(samples))
  expect_equal(c(of_raw$lower, of_raw$upper), stats::quantile(samples, c(0.1, 0.9), names = FALSE))
})

test_that("two items are enough for an interval, also where some samples have a single label", {
  found <- agreement(cbind(c("a", "a"), c("a", "b")), n = 40)
  expect_false(anyNA(found$measures))
  expect_output(print(found), "95 %, from 40 samples")
  expect_no_match(capture.output(print(found)), "without a pair")
})

test_that("95 % intervals hold the agreement of very many items in 90 to 99 % of crowds", {
  skip_below_level_2()
  truth <- estimates(draw_labels(1, n_items = 40000))
  holds <- vapply(1:200, function(seed) {
    measures <- agreement(draw_labels(1000 + seed, n_items = 100), n = 300)$measures
    measures$lower <= truth & truth <= measures$upper
  }, logical(4))
  # 200 draws: four standard errors are six points; percentile intervals are a little short.
  expect_true(all(rowMeans(holds) > 0.89 & rowMeans(holds) < 0.995))
})

# Output and bad input -----------------------------------------------------------------------------

test_that("it prints what it measures, and tidy() has broom's names", {
  found <- agreement(krippendorff_units, metric = "ordinal", n = 40)
  found$measures[, -1] <- seq(0.1, 0.85, by = 0.05)
  expect_snapshot(found)
  tidied <- tidy(found)
  expect_named(tidied, c("measure", "estimate", "std.error", "conf.low", "conf.high"))
  expect_equal(as.list(tidied), as.list(found$measures), ignore_attr = TRUE)
})

test_that("bad input is an error that says what must hold", {
  expect_snapshot({
    show_conditions(agreement(1:3))
    show_conditions(agreement(patients, metric = "ratio"))
    show_conditions(agreement(patients, metric = "interval"))
    show_conditions(agreement(patients, n = 20))
    show_conditions(agreement(patients, level = 1))
    show_conditions(agreement(patients, seed = 1.5))
    show_conditions(agreement(cbind(a = c("x", NA), b = c(NA, "y"))))
    show_conditions(agreement(data.frame(item = 1, worker = 1, label = 1)))
    show_conditions(agreement(data.frame(a = c(0.5, 1), b = 1:2)))
  })
  expect_error(check_metric("interval", letters[1:6]), '"d", and "e"', fixed = TRUE,
               class = "mdpd_error_argument")
})

test_that("a table with a row for each label is told from one of items by workers", {
  expect_snapshot(show_conditions(agreement(anaesthetists, n = 40)))
  crowd <- draw_labels(9)
  long <- as.data.frame(crowd)
  words <- data.frame(lapply(long, function(column) paste0("is ", column)))
  words$worker <- paste("by", words$worker)
  words$label <- paste("says", words$label)
  names(words) <- c("photo", "who", "answer")
  expect_warning(agreement(words, n = 40), class = "mdpd_warning_long_table")
  # Few labels of a worker, also one that nobody else gives, are no sign of it.
  wide <- as.matrix(crowd)
  wide[, 1] <- NA
  wide[1, 1] <- "9"
  # Nor are a few numbers that only one of them gives.
  numbers <- cbind(a = c(1, 2, 1, 2), b = c(1, 2, 2, 2), c = c(1, 3, 4, 1))
  for (table in list(krippendorff_units, patients, wide, sub("9", "none", wide), numbers)) {
    expect_no_warning(agreement(table, n = 40))
  }
  # Of numbers a column that is told has three times as many as another, most of them its own, and
  # no table with gaps is.
  is_told <- function(...) {
    class <- "mdpd_warning_long_table"
    tryCatch(is.null(agreement(cbind(...), n = 40)), warning = function(cnd) inherits(cnd, class))
  }
  expect_false(is_told(1, c(1, 2, 1, 2), c(1, 2, 3, 4)))
  expect_true(is_told(1, c(1, 2, 1, 2), c(1, 3, 4, 1)))
  expect_false(is_told(1, c(1, 2, 1, NA), c(1, 3, 4, 1)))
  expect_false(is_told(c(1, 2, 1, 2), c(1, 2, 1, 1), c(1, 3, 4, 5)))
  # Of two columns each may be a worker.
  expect_false(is_told(c("x", "y", "x"), c("u", "v", "u")))
  expect_true(is_told(c("x", "y", "x"), c("u", "v", "u"), c("x", "x", "z")))
})

test_that("a single item with labels of two workers has no interval", {
  found <- agreement(cbind(a = c(1, 2, 3), b = c(2, NA, NA)), n = 40)
  expect_equal(found$n_paired, 1)
  expect_false(anyNA(found$measures$estimate))
  expect_true(all(is.na(found$measures[c("std_error", "lower", "upper")])))
  expect_output(print(found), "none: a single item")
})

test_that("the picture has every measure with its interval", {
  found <- agreement(krippendorff_units, metric = "ordinal", n = 40)
  local_pdf()
  expect_equal(ggplot2::layer_data(plot(found), 3)$x, found$measures$estimate)
  # None and all stand on the axis, whatever was measured.
  axis <- ggplot2::ggplot_build(autoplot(found))$layout$panel_params[[1]]$x.range
  expect_true(axis[1] <= 0 && axis[2] >= 1)
  single <- agreement(cbind(a = c(1, 2), b = c(2, NA)), n = 40)
  expect_no_warning(print(autoplot(single)))
  expect_error(autoplot(found, 1), class = "rlib_error_dots_nonempty")
  found$n_paired <- 1
  expect_match(autoplot(found)$labels$subtitle, "^1 item with labels of two workers: no intervals")
  found$n_paired <- 2
  expect_match(autoplot(found)$labels$subtitle, "^2 items; with 95 % intervals")
})

test_that("the title below the picture is broken by the width beside the names, at any height", {
  found <- agreement(krippendorff_units, metric = "ordinal", n = 40)
  for (height in c(2, 8)) {
    lines <- function(width) {
      local_picture_size(width, height)
      strsplit(autoplot(found)$labels$x, "\n")[[1]]
    }
    expect_length(lines(7), 1)
    expect_identical(lines(4), c("Agreement (1: all agree; 0:", "none, or as by chance)"))
  }
})

test_that("a table without any answer is an error and no warning", {
  expect_no_warning(
    expect_error(agreement(matrix(NA, 3, 2)), "labels of two workers", class = "mdpd_error_data")
  )
})
