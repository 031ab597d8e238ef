skip_without_report <- function() {
  for (package in c("htmltools", "DT", "gridSVG")) skip_if_not_installed(package)
}

# The page of a report as one string.
written <- function(fit, ...) {
  file <- withr::local_tempfile(fileext = ".html")
  expect_silent(path <- report(fit, file, ..., open = FALSE))
  expect_identical(path, file)
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

# Until the end of a test all pictures are empty but for some: they take seconds each, of which the
# rest of the page needs a tenth.
local_no_pictures <- function(but = "", env = parent.frame()) {
  draw <- picture_svg
  picture <- function(plot, id, ...) {
    if (id %in% but) draw(plot, id, ...) else "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"
  }
  local_in_package(list(picture_svg = picture), env)
}

# Nothing of a page is elsewhere, and every mark of a picture says what it is. Not by
# expect_no_match(), which takes ten seconds to quote a page.
expect_whole <- function(page) {
  expect_false(grepl("src=\"|<link rel=\"stylesheet|@import|url\\(http|href=\"http", page))
  count <- function(pattern) lengths(regmatches(page, gregexpr(pattern, page)))
  expect_equal(count("</title></"), count("data-tip=\"[^\"]*\""))
}

# The cells of the tables of a part of the page: a row of text for each of theirs.
shown_cells <- function(part) {
  part <- as.character(part)
  rows <- regmatches(part, gregexpr("(?s)<tr>.*?</tr>", part, perl = TRUE))[[1]]
  cells <- regmatches(rows, gregexpr("(?s)<t[hd][^>]*>.*?</t[hd]>", rows, perl = TRUE))
  do.call(rbind, lapply(cells, function(cell) trimws(gsub("<[^>]*>", "", cell))))
}

# Cells hold what no other text of the page has, so that a row of the data could be found in it.
named_answers <- function() {
  x <- answers(120)
  names(x) <- paste("item", letters[1:8])
  names(x)[5] <- "\u8cea\u554f \u00e9"
  x[["item a"]] <- factor(c("<no & never>", "yes")[as.integer(x[["item a"]])])
  x[["item h"]] <- factor(rep(c("often", "rarely"), 60))
  rownames(x) <- paste0("person-", seq_len(nrow(x)))
  x[1:7, "item b"] <- NA
  x
}

test_that("a report has every section, in one file without links to others", {
  skip_on_cran()
  skip_without_report()
  # Those of certainty and of pairs are looked at below.
  local_no_pictures(but = c("profiles", "path"))
  # Four items: each more is a panel of the profiles.
  fit <- suppressMessages(stagewise_em(named_answers()[c(1, 2, 5, 8)], k = 1:2))
  page <- written(fit, title = "A <title>")
  for (id in c("classes", "profiles", "items", "certainty", "fit", "tests", "method", "code")) {
    expect_match(page, paste0("<section id=\"", id, "\""), fixed = TRUE)
  }
  expect_whole(page)
  expect_match(page, "<title>A &lt;title&gt;</title>", fixed = TRUE)
  expect_match(page, "&lt;no &amp; never&gt;", fixed = TRUE)
  expect_no_match(page, "<no &", fixed = TRUE)
  expect_match(page, "The file contains no rows of the data.", fixed = TRUE)
  expect_no_match(page, "person-", fixed = TRUE)
  # XML may write letters by their numbers.
  expect_true(grepl("data-tip=\"(\u8cea\u554f \u00e9|&#x8CEA;&#x554F; &#xE9;) = ", page))
  # Every mark of the profiles and of the path says what it is.
  n_tiles <- sum(vapply(fit$item_probs[informative(fit)], length, 0L))
  tips <- regmatches(page, gregexpr("data-tip=\"[^\"]*\"", page))[[1]]
  expect_equal(sum(grepl("behind the best", tips)), 2 * 3)
  expect_equal(sum(grepl(" = .*Class ", tips)), n_tiles)
})

test_that("the tests of a report have its samples and do not show how they go on", {
  asked <- list()
  note <- function(object, ...) {
    asked[[length(asked) + 1]] <<- list(...)
    rlang::abort("noted", class = "noted")
  }
  local_in_package(list(goodness_of_fit = note))
  expect_error(section_tests(list(), samples = 9), class = "noted")
  local_in_package(list(goodness_of_fit = function(...) "whole", pair_residuals = note))
  expect_error(section_tests(list(), samples = 9), class = "noted")
  expect_identical(asked, rep(list(list(n = 9, verbose = FALSE)), 2))
})

test_that("a report says whether the model holds, with the notes of the tests", {
  skip_without_report()
  local_no_pictures(but = "pairs")
  x <- answers(200)
  x[[2]] <- x[[1]] # within a class they are the same
  x[1:5, 3] <- NA
  fit <- suppressWarnings(stagewise_em(x, k = 2))
  page <- written(fit, samples = 9)
  expect_whole(page)
  tests <- suppressMessages(goodness_of_fit(fit, n = 9))
  pairs <- suppressMessages(pair_residuals(fit, n = 9))
  for (value in c(format_statistics(tests), format_p(pairs$p_adjusted[1]), pairs$item_2[1])) {
    expect_match(page, paste0(">", htmltools::htmlEscape(value), "<"), fixed = TRUE)
  }
  # The whole sentence, which is wider than a console, without the advice that follows it.
  notes <- grep("have a missing answer", strsplit(page, "</?li>")[[1]], value = TRUE)
  expect_match(notes, "^5 of 200 rows have a missing answer: rows with the same items .*\\.$")
  expect_match(page, "of 9 samples of the fitted model", fixed = TRUE)
  tips <- regmatches(page, gregexpr("data-tip=\"[^\"]*Effect [^\"]*\"", page))[[1]]
  expect_length(tips, 12)
  expect_match(tips, paste(pairs$item_1[1], "and", pairs$item_2[1]), fixed = TRUE, all = FALSE)
  expect_snapshot(show_conditions(report(fit, "not/here.html", samples = -1)))
})

test_that("a crowd has no tests of fit in its report, nor has a fit that keeps no rows", {
  skip_without_report()
  crowd <- simulate_crowd(n_items = 60, n_workers = 5, accuracy = rep(0.8, 3), seed = 1)
  expect_false(may_be_tested(stagewise_em(crowd$labels, 3)))
  expect_false(may_be_tested(stagewise_em(answers(60), 2, keep_data = FALSE)))
  expect_true(may_be_tested(stagewise_em(answers(60), 2)))
  # There must be two items of several levels.
  of_levels <- function(...) may_be_tested(list(coded = list(levels = list(...)), refine = "full"))
  expect_true(of_levels(c("a", "b"), c("a", "b"), "a"))
  expect_false(of_levels(c("a", "b"), "a", "a"))
})

test_that("rows stand in a report only if they are asked for", {
  skip_without_report()
  local_no_pictures()
  fit <- stagewise_em(named_answers(), k = 1)
  page <- written(fit)
  expect_match(page, "With one class there is nothing to tell apart", fixed = TRUE)
  expect_no_match(page, "answer alike", fixed = TRUE)
  expect_no_match(page, "person-", fixed = TRUE)
  expect_no_match(page, "<section id=\"rows\"", fixed = TRUE)
  rows <- written(fit, data = TRUE)
  expect_match(rows, "The file contains the rows of the data.", fixed = TRUE)
  for (person in paste0(">person-", c(1, 60, 120), "<")) expect_match(rows, person, fixed = TRUE)
})

test_that("a table that a function put into the call is not written", {
  x <- named_answers()
  fit <- do.call(stagewise_em, list(x, k = 2))
  expect_identical(repeat_code(fit)[2], "fit <- stagewise_em(x = data, k = 2)")
  fit <- suppressMessages(do.call(stagewise_em, list(x, k = 1:3, weights = rep(1:2, 60))))
  expect_identical(repeat_code(fit)[2],
                   "fit <- stagewise_em(x = data, k = 1:3, weights = weights)")
})

test_that("vectors of up to twenty values are written in a call, which is broken at 80 columns", {
  for (part in list(1:20, "a", quote(x), quote(f(x)), 1)) expect_true(may_be_written(part))
  for (part in list(1:21, factor(1:2), matrix(1:4, 2), list(1, 2))) {
    expect_false(may_be_written(part))
  }
  name <- as.name(strrep("a", 66))
  expect_identical(assignment("fit", call("f", x = name, b = 1, c = 2)),
                   c(paste0("fit <- f(x = ", name, ", b = 1, "), "    c = 2)"))
  expect_identical(assignment("fit", NULL), "# The fit holds no call.")
})

test_that("a report of a crowd has its labels, its workers and what they say", {
  skip_on_cran()
  skip_without_report()
  local_no_pictures(but = "accuracy")
  crowd <- small_crowd(missing = 0.3)$labels
  page <- written(stagewise_em(crowd, k = 3))
  expect_whole(page)
  expect_match(page, "<section id=\"workers\"", fixed = TRUE)
  expect_match(page, "Items with this label", fixed = TRUE)
  # 15 points of workers, and a table of confusion for each of the five experts.
  expect_equal(lengths(regmatches(page, gregexpr("data-tip=\"Worker ", page))), 15)
  expect_equal(lengths(regmatches(page, gregexpr("<p class=\"caption\">Worker [0-9]+, ", page))), 5)
})

test_that("fits of weights and without data have a report", {
  skip_without_report()
  fit <- stagewise_em(~., k = 2, data = as.data.frame(Titanic), weights = Freq, keep_data = FALSE)
  expect_match(as.character(section_fit(fit)), "2,201", fixed = TRUE)
  expect_match(as.character(section_classes(fit)), "Rows assigned", fixed = TRUE)
  expect_snapshot(show_conditions(report(fit, tempfile(), data = TRUE)))
})

test_that("a file is not replaced unasked, and its name gets the ending", {
  local_no_pictures()
  folder <- withr::local_tempdir()
  file <- file.path(folder, "old.html")
  writeLines("mine", file)
  expect_identical(check_output(file, overwrite = TRUE), file)
  expect_identical(check_output(file.path(folder, "new"), FALSE), file.path(folder, "new.html"))
  expect_identical(check_output(file.path(folder, "v1.2.HTM"), FALSE),
                   file.path(folder, "v1.2.HTM"))
  withr::local_dir(folder)
  fit <- hand_made_fit()
  expect_snapshot({
    show_conditions(report(fit, "old.html"))
    show_conditions(report(fit, "fit.pdf"))
    show_conditions(report(fit, "nowhere/fit.html"))
    show_conditions(report(fit, 3))
    show_conditions(report(fit, "fit.html", title = 1:2))
    show_conditions(report(fit, "fit.html", data = "yes"))
    show_conditions(report(fit, "fit.html", overwrite = NA))
    show_conditions(report(hand_made_truth(), "fit.html"))
    show_conditions(report(mtcars, "fit.html"))
  })
  expect_identical(readLines("old.html"), "mine")
  expect_no_warning(
    expect_error(report(fit, strrep("x", 300)), "cannot be written", class = "mdpd_error_file")
  )
})

test_that("the method is told from the settings of the fit", {
  x <- answers(150)
  crowd <- small_crowd(missing = 0.2)$labels
  gold <- stats::setNames(c("1", "2"), crowd$items[1:2])
  fits <- list(
    by_evidence = suppressMessages(stagewise_em(with_gaps(x), k = 1:3)),
    by_hand = choose_k(suppressMessages(stagewise_em(x, k = 1:3)), 3),
    by_bic = stagewise_em(x, k = 2, control = stagewise_control(criterion = "bic")),
    paper = stagewise_em(with_gaps(x), k = 2, method = "paper", missing = "frozen",
                         refine = "none"),
    random = mdpd(x, k = 2, n_starts = 3),
    crowd = mdpd(crowd, k = 3, known = gold)
  )
  expect_snapshot({
    for (name in names(fits)) {
      cat("#", name, "\n")
      text <- sub(mdpd_version(), "x.y.z", method_text(fits[[name]]), fixed = TRUE)
      writeLines(strwrap(text, 90))
    }
  })
  n_sources <- vapply(fits, function(fit) length(method_sources(fit)), 0L)
  expect_identical(unname(n_sources), c(2L, 2L, 1L, 1L, 2L, 3L))
  bic <- stagewise_control(criterion = "bic")
  of_path <- choose_k(suppressMessages(stagewise_em(x, k = 1:2, control = bic)), 2)
  expect_match(method_sources(of_path), "Schwarz", all = FALSE)
  expect_no_match(method_sources(fits$by_hand), "Schwarz")
})

test_that("the method counts starts, known labels and weights, and says how the search ended", {
  fit <- hand_made_fit()
  said <- function(...) {
    fit[...names()] <- list(...)
    method_text(fit)
  }
  starts <- data.frame(loglik = c(-300, -301))
  expect_match(said(method = "em", starts = starts), "; the best of 2 starts was kept.",
               fixed = TRUE)
  expect_no_match(said(method = "em", starts = starts[1, , drop = FALSE]), "the best of")
  expect_match(said(nobs = 1234.5432), "Rows were weighted, to a total of 1,234.5.", fixed = TRUE)
  expect_no_match(method_text(fit), "weight|gold|ended|true labels")
  expect_match(said(coded = list(known = c(NA, 2L))), "labels of 1 item were given (gold",
               fixed = TRUE)
  expect_match(said(store = list(known = data.frame(row = 1:2))), "labels of 2 items were given")
  expect_match(said(status = "iteration_limit"), "The search ended before it had converged.$")
  expect_match(said(status = "search_limit"), "ended after as many passes")
  expect_match(said(n_missing = 36L, missing = "level"),
               "10.0 % of the answers are missing; they count as one more answer. No row",
               fixed = TRUE)
  expect_match(said(refine = "full"), "All items were then refined by ordinary EM.", fixed = TRUE)
  expect_match(said(path = data.frame(k = 2)), "The number of classes, 2, was given.", fixed = TRUE)
  polca <- said(call = quote(poLCA(cbind(a, b) ~ 1, data)), version = "0.0.1")
  expect_match(polca, "the R package poLCA (Linzer and Lewis 2011), and is described with",
               fixed = TRUE)
  expect_match(said(version = "0.0.1"), "with the R package mdpd 0.0.1.", fixed = TRUE)
})

test_that("the code of a report makes the same fit again", {
  x <- answers(150)
  fit <- choose_k(suppressMessages(stagewise_em(x, k = 1:3)), 3)
  again <- list2env(list(x = x))
  suppressMessages(eval(parse(text = repeat_code(fit)), again))
  expect_identical(again$fit[names(again$fit) != "call"], fit[names(fit) != "call"])
})

test_that("the code of a report orders and names the classes again", {
  x <- answers(150)
  fit <- stagewise_em(x, k = 3)
  ordered <- reorder_components(fit, c(3, 1, 2))
  expect_identical(repeat_code(ordered)[-(1:2)], "fit <- reorder_components(fit, c(3, 1, 2))")
  named <- list(ordered, name_components(ordered, c("O'Neil & \"co\"", "B\\&C", "<i>")),
                name_components(fit, c("2" = "x")))
  for (fit in named) {
    again <- list2env(list(x = x))
    eval(parse(text = repeat_code(fit)), again)
    expect_identical(again$fit[names(again$fit) != "call"], fit[names(fit) != "call"])
  }
  # What refine() goes on from has its order already.
  refined <- refine(ordered, x)
  expect_true(is.unsorted(-refined$mixing_weights))
  expect_identical(repeat_code(refined)[-1], "fit <- refine(object = ordered, x = x)")
})

test_that("the method names the survey design", {
  fit <- stagewise_em(answers(100), k = 2)
  fit$design <- new_design(rep(1:20, each = 5), NULL, 100)
  expect_match(method_text(fit), "survey design (20 clusters in 1 stratum)", fixed = TRUE)
})

test_that("rows of each class are counted by how sure they are", {
  fit <- hand_made_fit(k = 3)
  counts <- certainty_counts(fit)
  largest <- apply(fit$posterior, 1, max)
  expect_equal(sum(counts$rows), 60)
  expect_equal(sum(counts$rows[counts$sure == "95 % or more"]), sum(largest >= 0.95))
  expect_equal(sum(counts$rows[counts$sure == "below 50 %"]), sum(largest < 0.5))
  expect_equal(as.vector(tapply(counts$rows, counts$class, sum)), assigned_weight(fit))
})

test_that("items stand under their variable labels", {
  skip_on_cran()
  skip_without_report()
  local_no_pictures()
  x <- answers(120)
  attr(x[[1]], "label") <- "How content are you?"
  page <- written(suppressMessages(stagewise_em(x, k = 2)))
  expect_match(page, "How content are you?", fixed = TRUE)
})

test_that("rows of a picture are as high as the lines of their names", {
  short <- hand_made_fit(7, k = 3, n_levels = 5)
  long <- hand_made_fit(7, k = 3, n_levels = 5, items = paste(
    c("Do", "Would", "How", "Have", "When", "All", "In"),
    "you agree that a question may be as long as this one is?"
  ))
  cells <- function(fit) plot_profiles(fit, names(fit$item_probs), NULL)$data
  expect_gt(profile_height(cells(long)), profile_height(cells(short)) + 7 * 0.2)
  # Each name has a row of its own height, whole or up to five lines.
  height <- profile_height(cells(long), 5.2)
  local_picture_size(5.2, height)
  labels <- plot_profiles(long, names(long$item_probs), NULL)$scales$get_scales("y")$labels
  shown <- labels(names(long$item_probs))
  expect_equal(gsub("\n", " ", shown), names(long$item_probs))
  expect_lte(max(lengths(strsplit(shown, "\n"))) * 9 * 1.1 / 72, (height - 2.4) / 7)
})

test_that("items of two levels have a row each, other items one for each level", {
  x <- answers(120)[c(1, 2, 4, 7)]
  expect_identical(lengths(lapply(x, levels), use.names = FALSE), c(2L, 3L, 2L, 2L))
  fit <- suppressMessages(stagewise_em(x, k = 2))
  cells <- plot_profiles(fit, names(fit$item_probs), NULL)$data
  expect_identical(profile_rows(cells)$n, 6L)
  # Panels of their own, two by two, each as high as the item of most levels.
  mixed <- hand_made_fit(4, k = 3, n_levels = c(3, 4, 5, 3))
  rows <- profile_rows(plot_profiles(mixed, names(mixed$item_probs), NULL)$data)
  expect_equal(rows, list(n = 10, names = letters[1:5], share = 0.18, rest = 2.6))
})

test_that("pictures of a report are narrow, and legends have what is there", {
  skip_without_report()
  fit <- hand_made_fit(k = 3)
  fit$posterior[] <- rep(c(0.97, 0.02, 0.01), each = nrow(fit$posterior))
  picture <- as.character(certainty_picture(fit))
  expect_whole(picture)
  expect_match(picture, "viewBox=\"0 0 374.4 ", fixed = TRUE)
  expect_match(picture, "min-width:322.4px;max-width:36.4rem", fixed = TRUE)
  expect_match(picture, "data-tip=\"Class 1, 95 % or more&#10;60 rows\"", fixed = TRUE)
  # The longest bar goes from the axis nearly to the other side.
  bar <- regmatches(picture, regexpr("<rect [^>]*data-tip=\"Class 1, 95", picture))
  expect_gt(as.double(sub(".* width=\"([0-9.]+)\".*", "\\1", bar)), 0.85 * 374.4)
  expect_match(picture, "95 % or more", fixed = TRUE)
  expect_no_match(picture, "below 50 %", fixed = TRUE)
})

test_that("who is as sure as a bound says is counted above it", {
  fit <- hand_made_fit(k = 2, n_obs = 4)
  fit$posterior[] <- c(0.95, 0.8, 0.5, 0.94, 0.05, 0.2, 0.5, 0.06)
  counts <- certainty_counts(fit)
  expect_identical(levels(counts$sure),
                   c("95 % or more", "80 to 95 %", "50 to 80 %", "below 50 %"))
  expect_equal(as.vector(tapply(counts$rows, counts$sure, sum)), c(1, 2, 1, 0))
})

test_that("the certainty of a report has the expected error and the share of sure rows", {
  skip_without_report()
  local_no_pictures()
  fit <- hand_made_fit(k = 2, n_obs = 4)
  fit$posterior[] <- c(0.98, 0.8, 0.6, 0.94, 0.02, 0.2, 0.4, 0.06)
  text <- gsub("\\s+", " ", as.character(section_certainty(fit)))
  expect_match(text, "holds, 17.0 % of the rows are expected to be in the wrong", fixed = TRUE)
  expect_match(text, "; 25 % of all rows have a class that is at least 95 % prob", fixed = TRUE)
})

test_that("classes stand in one order, by size, whatever they are called", {
  fit <- hand_made_fit(k = 3, components = c("c", "a", "b"))
  expect_equal(levels(certainty_counts(fit)$class), c("c", "a", "b"))
  crowd <- small_crowd(missing = 0.3)$labels
  fit <- stagewise_em(crowd, k = 3)
  expect_equal(levels(certainty_counts(fit)$class), names(fit$mixing_weights))
})

test_that("sums of weights are called so, and rounded", {
  expect_identical(row_words(c(0.123456, 157.03955), TRUE), paste("weight", c("0.1", "157.0")))
  expect_identical(row_words(c(1, 1200), FALSE), c("1 row", "1,200 rows"))
})

test_that("answers sort in the order of the levels, and the caption says what there is", {
  skip_without_report()
  local_no_pictures()
  fit <- hand_made_fit(k = 2, n_levels = 3, level_names = c("None", "Some", "A lot"))
  table <- as.character(profile_table(fit, fit$informative))
  for (i in 1:3) {
    cell <- paste0("<td data-order=\"", i, "\">", c("None", "Some", "A lot")[i])
    expect_match(table, cell, fixed = TRUE)
  }
  pairs <- hand_made_pairs(8)
  pairs$is_sparse[28] <- TRUE
  pairs$p_adjusted <- c(0.05, rep(1, 27))
  part <- as.character(pairs_part(pairs))
  expect_match(part, "chance explains all of them", fixed = TRUE)
  expect_match(part, "Of 27 pairs of items none are more dependent", fixed = TRUE)
  pairs$p_adjusted[1] <- 0.001
  part <- as.character(pairs_part(pairs))
  expect_match(part, "the classes leave dependent", fixed = TRUE)
  expect_match(part, "of items 1 is more dependent than chance", fixed = TRUE)
  expect_match(part, "the most conspicuous first (10 of 27):", fixed = TRUE)
  cells <- shown_cells(part)
  expect_identical(nrow(cells), 11L)
  expect_identical(cells[11, ], c(pairs$item_1[10], pairs$item_2[10],
                                  sprintf(c("%.2f", "%.3f"), pairs[10, c("effect", "p_value")]),
                                  "1.000"))
  pairs$is_sparse <- TRUE
  expect_null(pairs_part(pairs))
})

test_that("ten pairs stand in a report, or those that there are", {
  skip_without_report()
  local_no_pictures()
  pairs <- hand_made_pairs(8)
  expect_match(as.character(pairs_part(pairs[1:10, ])), "the most conspicuous first: the effect",
               fixed = TRUE)
  expect_identical(nrow(shown_cells(pairs_part(pairs[1, ]))), 2L)
})

test_that("the rows of a report say once that some have no class", {
  skip_without_report()
  x <- answers(100)
  x[1:3, ] <- NA
  fit <- suppressMessages(stagewise_em(x, k = 2))
  expect_silent(section_rows(fit))
})

test_that("a fit of a store has a report of what it keeps", {
  skip_without_report()
  local_no_pictures()
  x <- answers(150)
  of_store <- stagewise_em(row_store(x, withr::local_tempfile()), k = 2)
  page <- written(of_store)
  expect_match(page, "expected to be in the wrong class.", fixed = TRUE)
  expect_false(grepl("at least 95 % probable", page, fixed = TRUE))
  file <- withr::local_tempfile(fileext = ".html")
  expect_error(report(of_store, file, data = TRUE), class = "mdpd_error_no_data")
})

test_that("the classes of a report have their size, their rows and what sets them apart", {
  skip_without_report()
  fit <- hand_made_fit(n_levels = c(2, 3))
  fit$posterior[] <- c(rep(c(0.9, 0.2), c(45, 15)), rep(c(0.1, 0.8), c(45, 15)))
  page <- section_classes(fit)
  cells <- shown_cells(page)
  expect_identical(cells[, 1:4], rbind(
    c("Class", "Share", "Rows assigned", "Mean probability"),
    c("1", "60.0 %", "45", "0.90"), c("2", "40.0 %", "15", "0.80")
  ))
  expect_match(cells[2, 5], "item_1 = a (90 %); ", fixed = TRUE)
  expect_match(as.character(page), "rows that answer alike. The table names the answers",
               fixed = TRUE)
  expect_match(as.character(page), "style=\"width:60%;background:#0072B2\"", fixed = TRUE)
  one <- section_classes(hand_made_fit(k = 1, n_informative = 0))
  expect_identical(shown_cells(one)[2, ], c("1", "100.0 %", "60", "1.00"))
  expect_match(as.character(one), "All rows are in one class.</p>", fixed = TRUE)
  expect_match(as.character(section_classes(hand_made_crowd_fit())), "Each class is a true label")
  # Levels of up to 60 letters and items of up to 40 are whole.
  for (more in 0:1) {
    level <- strrep("l", 60 + more)
    item <- strrep("i", 40 + more)
    long <- hand_made_fit(1, items = item, level_names = c("no", level))
    shown <- paste(shown_cells(section_classes(long)), collapse = " ")
    expect_identical(grepl(level, shown), more == 0)
    expect_identical(grepl(item, shown), more == 0)
  }
  expect_match(as.character(share_bar(1 / 3, "red")), "style=\"width:33.3%;background:red\"",
               fixed = TRUE)
  # A name of up to 24 letters stays beside its colour.
  is_whole <- function(n) grepl("nowrap", class_cell(strrep("n", n), "red"), fixed = TRUE)
  expect_identical(c(is_whole(24), is_whole(25)), c(TRUE, FALSE))
})

test_that("a report of one class has no part that tells classes apart", {
  skip_without_report()
  fit <- stagewise_em(answers(60)[1:4], k = 1)
  fit$coded <- NULL # no tests: pictures take a second each
  parts <- report_sections(fit, "A title", data = FALSE)
  ids <- unlist(lapply(parts[-1], attr, "id"))
  expect_identical(ids, c("classes", "profiles", "items", "fit", "method", "code"))
  head <- as.character(parts[[1]])
  links <- regmatches(head, gregexpr("href=\"#[a-z]+\"", head))[[1]]
  expect_identical(links, paste0("href=\"#", ids, "\""))
  expect_named(report_figures(fit), c("Classes", "Informative items", "Rows"))
  expect_match(no_profiles(fit), "not what the data say.", fixed = TRUE)
  expect_identical(report_title(fit), "1 class from 4 items")
})

test_that("the main numbers of a report are those of the fit", {
  fit <- hand_made_fit(k = 2, n_items = 4, n_informative = 3)
  fit$posterior[] <- rep(c(0.85, 0.15), each = 60)
  fit$df <- 2401L
  numbers <- report_statistics(fit)
  expect_false("Sum of the case weights" %in% names(numbers))
  expect_identical(numbers[["Free parameters"]], "2,401")
  fit$nobs <- 75.0123
  fit$n_missing <- 24L
  fit$evidence <- -123.45
  numbers <- report_statistics(fit)
  expect_identical(numbers[["Sum of the case weights"]], "75")
  fit$nobs <- 60 + 1e-13  # as weights of a design sum
  expect_false("Sum of the case weights" %in% names(report_statistics(fit)))
  expect_no_match(method_text(fit), "weighted", fixed = TRUE)
  expect_identical(numbers[["Missing cells"]], "24 (10.0 %)")
  expect_match(numbers[["Evidence, the log marginal likelihood (nats)"]], "^-123\\.[45]$")
  expect_false("Penalised log-likelihood (nats)" %in% names(numbers))
  fit$item_probs <- rep(fit$item_probs, 300)
  expect_identical(report_figures(fit), list(
    Classes = 2, "Informative items" = "3 of 1,200", Rows = "60", "Expected error" = "15.0 %"
  ))
  expect_identical(report_title(fit), "2 classes from 1,200 items")
  crowd <- hand_made_crowd_fit()
  expect_identical(names(report_figures(crowd))[2:3], c("Informative workers", "Items labelled"))
  expect_identical(report_title(crowd), "3 classes from 12 workers")
})

test_that("the profiles of a report are the probabilities, the darker the larger", {
  skip_without_report()
  fit <- hand_made_fit(k = 2, n_levels = c(2, 3))
  fit$item_probs$item_1[] <- c(1, 0, 0.1234, 0.8766)
  table <- profile_table(fit, c("item_1", "item_2"))
  expect_identical(shown_cells(table)[1:4, ], rbind(
    c("Item", "Answer", "1", "2"), c("item_1", "a", "100.0 %", "12.3 %"),
    c("item_1", "b", "0.0 %", "87.7 %"), c("item_2", "a", "84.5 %", "7.7 %")
  ))
  html <- as.character(table)
  shades <- regmatches(html, gregexpr("#[0-9A-F]{6}", html))[[1]]
  darkness <- -colSums(grDevices::col2rgb(shades))
  probs <- c(1, 0.1234, 0, 0.8766)
  expect_identical(order(darkness[1:4]), order(probs))
  expect_identical(shades[3], "#FFFFFF")
  expect_identical(shades[1], "#66AAD0")  # never so dark that black on it could not be read
  expect_identical(section_profiles(hand_made_fit(n_informative = 0))$children[[2]],
                   paragraph("No item tells the classes apart by more than chance explains."))
})

test_that("the table of profiles has one to sixty items, and says how many are left out", {
  skip_without_report()
  local_in_package(list(
    profile_picture = function(object) NULL,
    profile_table = function(object, items) paragraph(length(items), " to ", items[length(items)])
  ))
  profiles <- function(n) as.character(section_profiles(hand_made_fit(n, n_informative = n)))
  expect_match(profiles(1), "1 to item_1", fixed = TRUE)
  expect_no_match(profiles(60), "The table has", fixed = TRUE)
  more <- profiles(61)
  expect_match(more, "60 to item_60", fixed = TRUE)
  expect_match(more, "The table has 60 of 61 informative items, those that tell", fixed = TRUE)
})

test_that("the items of a report are the informative ones, then the others by information", {
  skip_without_report()
  fit <- hand_made_fit(n_items = 6, n_informative = 1)
  fit$item_information[] <- c(0.3, 0.1, 0.04, 0.2, 0, 0.0004)
  fit$item_evidence[] <- c(20.04, 1, -1, 2, -3, -4)
  page <- as.character(section_items(fit))
  cells <- shown_cells(page)
  expect_identical(cells[, 1], c("Item", paste0("item_", c(1, 4, 2, 3, 6, 5))))
  expect_identical(cells[1:3, -1], rbind(c("Informative", "Evidence", "Information"),
                                         c("yes", "20.0", "0.300"), c("no", "2.0", "0.200")))
  expect_match(page, "<p>1 item of 6 tells the classes apart.", fixed = TRUE)
  expect_match(page, "above 3 nats is strong.", fixed = TRUE)
  fit$inclusion <- stats::setNames(c(1, 0.1234, 0, 0, 0, 0), names(fit$item_probs))
  expect_identical(shown_cells(section_items(fit))[c(1, 4), 4],
                   c("Probability that it differs", "12.3 %"))
  fit$item_evidence <- NULL
  expect_no_match(as.character(section_items(fit)), "vidence", fixed = TRUE)
  expect_no_match(page, "The table has the first")
  many <- stats::setNames(1:201 / 1000, paste0("v", 1:201))
  fit$inclusion <- NULL
  fit[c("item_information", "informative")] <- list(many, character())
  page <- as.character(section_items(fit))
  expect_identical(shown_cells(page)[c(2, 201), 1], c("v201", "v2"))
  expect_match(page, "0 items of 201 tell the classes apart.", fixed = TRUE)
  expect_match(page, "The table has the first 200 of 201 items.", fixed = TRUE)
  fit$item_information <- many[1:200]
  expect_no_match(as.character(section_items(fit)), "The table has", fixed = TRUE)
})

test_that("the numbers of classes stand in a report with how far each is behind the best", {
  skip_without_report()
  fit <- hand_made_fit()
  fit$path <- data.frame(
    k = 1:3, components = 1:3, penalised_loglik = c(-510, -500.26, -500),
    loglik = c(-505, -490, -485), BIC = c(1020, 1000.52, 1000), AIC = c(1012, 990, 981),
    ICL = c(1020, 1004, 1010), entropy = c(1, 0.876, 0.5), n_informative = c(0, 1200, 5),
    status = c("converged", "iteration_limit", "converged")
  )
  cells <- shown_cells(path_table(fit))
  expect_identical(cells[1, 2:3], c("Behind the best", "Log-likelihood"))
  expect_identical(cells[3, ], c("2", "0.3", "-490.0", "1000.5", "990.0", "1004.0", "0.88", "1,200",
                                 "iteration limit"))
  expect_identical(cells[c(2, 4), 2], c("10.0", "0.0"))
  fit$path$probability <- c(0, 0.4356, 0.5644)
  expect_identical(shown_cells(path_table(fit))[c(1, 3), 3], c("Probability", "43.6 %"))
})

test_that("the workers of a report have what is known of them, and the labels their numbers", {
  skip_without_report()
  fit <- hand_made_crowd_fit()
  labels <- shown_cells(label_table(fit))
  codes <- as.integer(fit$coded$codes)
  given <- tabulate(codes, 3)
  expect_identical(labels[-1, ], cbind(
    c("cat", "dog", "owl"), as.character(given), sprintf("%.1f %%", 100 * given / length(codes)),
    as.character(tabulate(max.col(fit$posterior, "first"), 3))
  ))
  renamed <- name_components(fit, c(cat = "tom", dog = "rex", owl = "uhu"))
  expect_identical(shown_cells(label_table(renamed)), labels)
  fit$informative <- character()
  expect_identical(ncol(shown_cells(label_table(fit))), 3L)
  quality <- worker_quality(hand_made_crowd_fit())[c(1, 8, 8), ]
  quality$spammer[3] <- NA
  quality$accuracy[3] <- NA
  cells <- shown_cells(worker_table(quality))
  expect_identical(cells[-1, 3], c("informative", "spammer", "undecided"))
  expect_identical(cells[2, 4:8], c("87 %", "80 %", "93 %", "61.2", "0.65"))
  expect_identical(cells[4, 4], "-")
})

test_that("the table of workers has five hundred of them, and a picture if an accuracy is known", {
  skip_without_report()
  local_in_package(list(
    label_table = function(object) NULL, confusion_tables = function(object) NULL,
    worker_picture = function(object) paragraph("A picture."),
    worker_table = function(quality) paragraph("A table of ", nrow(quality), ".")
  ))
  fit <- hand_made_crowd_fit()
  quality <- worker_quality(fit)[rep(1:12, length.out = 501), ]
  shown <- function(n) {
    local_in_package(list(worker_quality = function(object) quality[seq_len(n), ]))
    as.character(section_workers(fit))
  }
  page <- shown(501)
  expect_match(page, "The labels of 501 workers for 120 items: 294 tell about the true label, 207",
               fixed = TRUE)
  expect_match(page, "A picture.*A table of 500[.].*The table has 500 of 501 workers")
  expect_no_match(shown(500), "The table has", fixed = TRUE)
  quality$accuracy[2] <- NA
  expect_match(shown(12), "A picture", fixed = TRUE)
  quality$accuracy <- NA_real_
  expect_no_match(shown(12), "A picture", fixed = TRUE)
})

test_that("the strongest workers of a report have a table each of what they say", {
  skip_without_report()
  fit <- hand_made_crowd_fit()
  page <- confusion_tables(fit, most = 2)
  cells <- shown_cells(page)
  expect_identical(dim(cells), c(8L, 4L))
  expect_identical(cells[1:4, 1], c("Class", "cat", "dog", "owl"))
  expect_identical(cells[2, -1], paste(round(100 * confusion(fit, "w1")["cat", ]), "%"))
  expect_match(as.character(page), "Worker w2, 120 labels", fixed = TRUE)
  expect_match(as.character(page), "Shown are 2 of 7 informative workers", fixed = TRUE)
  all <- confusion_tables(fit, most = 7)
  expect_identical(nrow(shown_cells(all)), 28L)
  expect_no_match(as.character(all), "Shown are", fixed = TRUE)
  # A dozen, if nothing else is asked for.
  crowd <- simulate_crowd(150, 13, accuracy = rep(0.8, 13), seed = 1)
  many <- stagewise_em(crowd$labels, k = 3)
  expect_match(as.character(confusion_tables(many)), "Shown are 12 of 13 informative", fixed = TRUE)
})

test_that("numbers of a report sort by their values, answers by their order, missing ones last", {
  skip_without_report()
  column <- number_column(c(12.34, NA, 1e6), comma, shade = c(1, NA, 0))
  expect_identical(column$text, c("12.34", "-", "1,000,000.00"))
  cells <- vapply(1:3, function(i) as.character(table_cell(column, FALSE, i)), "")
  order <- as.double(sub(".*data-order=\" *([^\"]*)\".*", "\\1", cells))
  expect_identical(order, c(12.34, NA, 1e6))
  expect_match(cells[2], "data-order=\"\"", fixed = TRUE)
  # DataTables takes "Inf" for a word.
  expect_identical(vapply(c(-Inf, Inf), sort_key, ""), c("-1e+308", "1e+308"))
  expect_identical(grepl("style=", cells), c(TRUE, FALSE, TRUE))
  expect_identical(as.character(table_cell(sorted_column(c("low", "high"), 1:2), FALSE, 2)),
                   "<td data-order=\"2\">high</td>")
  # A column of text may have names of any kind.
  expect_identical(as.character(table_cell(c(a = "x & y"), TRUE, 1)),
                   "<th scope=\"row\">x &amp; y</th>")
  table <- report_table(list(n = number_column(1:2), none = NULL, Text = c("u", "v")), "Caption")
  expect_identical(shown_cells(table), rbind(c("n", "Text"), c("1", "u"), c("2", "v")))
})

test_that("the tests of a report have p-values of samples if any were drawn", {
  skip_without_report()
  tests <- suppressMessages(goodness_of_fit(stagewise_em(answers(60)[1:4], 2), n = 1))
  heads <- function(tests) shown_cells(statistics_table(tests))[1, ]
  expect_identical(heads(tests)[4:5], c("p (chi-square)", "p (samples)"))
  tests$n <- 0
  expect_identical(heads(tests)[-1], c("Value", "Degrees of freedom", "p (chi-square)"))
})

test_that("a table may be scrolled by the keys", {
  skip_without_report()
  expect_match(as.character(report_table(list(a = "x"), "Caption")), "tabindex=\"0\"", fixed = TRUE)
})

test_that("numbers are written alike whatever the decimal mark of the session", {
  skip_without_report()
  fit <- suppressMessages(stagewise_em(named_answers(), k = 1:2))
  shown <- function() {
    c(utils::capture.output(print(fit), print(summary(fit)), print(summary(pair_residuals(fit)))),
      colnames(confint(fit, level = 0.95)))
  }
  local_no_pictures()  # which number their parts
  expected <- shown()
  written(fit)  # loads what then stands in the page
  expected_page <- written(fit)
  withr::local_options(OutDec = ",")
  expect_identical(shown(), expected)
  withr::local_options(scipen = -5)
  expect_identical(written(fit), expected_page)
})

test_that("a script may hold what would end it", {
  skip_without_report()
  file <- withr::local_tempfile(lines = c("var a = '<!-- x';", "var b = '</script>';"))
  expect_identical(as.character(inline_script(file)),
                   "<script>var a = '<\\!-- x';\nvar b = '<\\/script>';</script>")
})

test_that("pictures of a report are as high as their rows need, from 3.2 to 12 inches", {
  cells <- function(items) data.frame(item = factor(items, items), level = "b")
  expect_identical(profile_height(cells(letters[1:2])), 3.2)
  expect_equal(profile_height(cells(letters[1:20])), 1.6 + 20 * 0.22)
  expect_identical(profile_height(cells(paste0("v", 1:200))), 12)
  # Names of three lines.
  long <- paste(strrep("a", 33), strrep("b", 33), letters[1:10])
  expect_equal(profile_height(cells(long)), 1.6 + 10 * (3 * 0.16 + 0.05))
  expect_equal(names_lines("short", 2), 1)
  expect_equal(names_lines(c("short", strrep("a ", 200)), 1), 5)
})

test_that("pictures of a report are as wide as their columns and as high as their bars need", {
  local_in_package(list(report_picture = function(...) picture_size()))
  width <- function(k, n_levels) profile_picture(hand_made_fit(4, k, n_levels))[1]
  expect_identical(c(width(5, 4), width(7, 3), width(3, c(2, 7))), c(5.2, 7, 7))
  pairs <- hand_made_pairs(6)
  expect_equal(pairs_picture(pairs), c(5.2, 1.4 + 0.3 * 12))
  expect_equal(pairs_picture(pairs[1:3, ]), c(5.2, 1.4 + 0.3 * 3))
  # Names of two lines each, below each other.
  pairs$item_1 <- paste(strrep("a", 20), strrep("b", 20), pairs$item_1)
  expect_equal(pairs_picture(pairs[1:3, ])[2], 1.4 + (0.16 * 4 + 0.1) * 3)
  pairs$item_2 <- paste(pairs$item_1, pairs$item_1, pairs$item_2)
  expect_identical(pairs_picture(pairs)[2], 12)
  certainty <- function(...) certainty_picture(hand_made_fit(k = 3, ...))
  expect_equal(certainty(), c(5.2, 1.4 + 0.35 * 3))
  expect_identical(certainty_picture(hand_made_fit(k = 40))[2], 12)
  expect_equal(worker_picture(hand_made_crowd_fit()), c(5.2, 4.2))
  fit <- hand_made_fit()
  fit$path <- data.frame(k = 1:2, components = 1:2, penalised_loglik = c(-510, -500),
                         AIC = c(1012, 990), ICL = c(1020, 1004), status = "converged")
  expect_equal(path_picture(fit), c(5.2, 3.8))
  long <- paste(strrep("a", 20), strrep("b", 20), strrep("c", 20), 1:3)
  expect_equal(certainty(components = long)[2], 1.4 + (0.16 * 3 + 0.06) * 3)
})

test_that("a picture leaves the devices and the files of the session as they were", {
  skip_without_report()
  draw <- function() picture_svg(ggplot2::ggplot(), "empty", NULL, "", 2, 2)
  grDevices::graphics.off()
  withr::defer(grDevices::graphics.off())
  files <- dir(tempdir(), "svg$")
  # Blanks that are not seen would make up much of a page.
  expect_no_match(draw(), "\n +<")
  expect_match(draw(), "^<svg ")
  expect_null(grDevices::dev.list())
  # The second of three is closed: the new one takes its place, and then the third would be next.
  for (i in 1:3) grDevices::pdf(NULL)
  grDevices::dev.off(3)
  grDevices::dev.set(2)
  draw()
  expect_identical(grDevices::dev.cur()[[1]], 2L)
  expect_identical(unname(grDevices::dev.list()), c(2L, 4L))
  expect_identical(dir(tempdir(), "svg$"), files)
})
