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
  fit <- suppressMessages(stagewise_em(named_answers(), k = 1:2))
  page <- written(fit, title = "A <title>")
  for (id in c("classes", "profiles", "items", "certainty", "fit", "tests", "method", "code")) {
    expect_match(page, paste0("<section id=\"", id, "\""), fixed = TRUE)
  }
  expect_no_match(page, "src=\"|<link rel=\"stylesheet|@import|url\\(http|href=\"http")
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
  expect_equal(lengths(regmatches(page, gregexpr("</title></", page))), length(tips))
})

test_that("a report says whether the model holds, with the notes of the tests", {
  skip_without_report()
  x <- answers(200)
  x[[2]] <- x[[1]] # within a class they are the same
  x[1:5, 3] <- NA
  fit <- suppressWarnings(stagewise_em(x, k = 2))
  page <- written(fit, samples = 9)
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
})

test_that("rows stand in a report only if they are asked for", {
  skip_without_report()
  # Of one class, as pictures take a second each.
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
})

test_that("a report of a crowd has its labels, its workers and what they say", {
  skip_on_cran()
  skip_without_report()
  crowd <- small_crowd(missing = 0.3)$labels
  page <- written(stagewise_em(crowd, k = 3))
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
})

test_that("pictures of a report are narrow, and legends have what is there", {
  skip_without_report()
  fit <- hand_made_fit(k = 3)
  fit$posterior[] <- rep(c(0.97, 0.02, 0.01), each = nrow(fit$posterior))
  picture <- as.character(certainty_picture(fit))
  expect_match(picture, "viewBox=\"0 0 374.4 ", fixed = TRUE)
  expect_match(picture, "95 % or more", fixed = TRUE)
  expect_no_match(picture, "below 50 %", fixed = TRUE)
})

test_that("classes stand in one order, by size, whatever they are called", {
  fit <- hand_made_fit(k = 3, components = c("c", "a", "b"))
  expect_equal(levels(certainty_counts(fit)$class), c("c", "a", "b"))
  crowd <- small_crowd(missing = 0.3)$labels
  fit <- stagewise_em(crowd, k = 3)
  expect_equal(levels(certainty_counts(fit)$class), names(fit$mixing_weights))
})

test_that("answers sort in the order of the levels, and the caption says what there is", {
  skip_without_report()
  fit <- hand_made_fit(k = 2, n_levels = 3, level_names = c("None", "Some", "A lot"))
  table <- as.character(profile_table(fit, fit$informative))
  for (i in 1:3) {
    cell <- paste0("<td data-order=\"", i, "\">", c("None", "Some", "A lot")[i])
    expect_match(table, cell, fixed = TRUE)
  }
  pairs <- hand_made_pairs(8)
  pairs$p_adjusted <- 1
  expect_match(as.character(pairs_picture(pairs)), "chance explains all of them", fixed = TRUE)
  pairs$p_adjusted[1] <- 0.001
  expect_match(as.character(pairs_picture(pairs)), "the classes leave dependent", fixed = TRUE)
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
  x <- answers(150)
  of_store <- stagewise_em(row_store(x, withr::local_tempfile()), k = 2)
  page <- written(of_store)
  expect_match(page, "expected to be in the wrong class.", fixed = TRUE)
  expect_false(grepl("at least 95 % probable", page, fixed = TRUE))
  file <- withr::local_tempfile(fileext = ".html")
  expect_error(report(of_store, file, data = TRUE), class = "mdpd_error_no_data")
})
