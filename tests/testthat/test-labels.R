# How names fit into the room of a picture. What is written, and where, is read from a PDF.

sizes <- list(c(7, 5), c(4, 3))

# Sentences that begin differently, as the names of a survey's items and answers.
questions <- paste(
  c("Do", "Would", "How", "Have", "When", "All", "In"),
  "you think that the government should spend more on what is described in this sentence?"
)
answers_in_words <- c("Strongly disagree, under all circumstances", "Disagree somewhat",
                      "Neither agree nor disagree", "Agree somewhat",
                      "Certainly, without any reservation")
classes <- c("Satisfied and trusting citizens", "Critical but engaged people", "Withdrawn")

wordy_fit <- function(...) {
  hand_made_fit(7, k = 3, n_levels = 5, n_informative = 7, items = questions, components = classes,
                level_names = answers_in_words, ...)
}

# A survey of questions with two answers, and one with more.
odd_fit <- function() {
  topics <- c("budget", "physician", "synfuels", "education")
  items <- c(paste0(rep_len(topics, 14), "_resolution_", 1:14), "faith")
  fit <- hand_made_fit(15, k = 2, n_levels = c(rep(2, 14), 5), n_informative = 15, items = items)
  rownames(fit$item_probs$faith) <- c("Catholic", "Muslim", "None", "Other", "Protestant")
  fit
}

test_that("lines break between words, then after a mark, and within a word only without one", {
  expect_equal(break_lines("physician_fee_freeze", 16), c("physician_fee_", "freeze"))
  expect_equal(break_lines("duty.free.exports = y", 12), c("duty.free.", "exports = y"))
  expect_equal(break_lines("well-known people", 6), c("well-", "known", "people"))
  expect_equal(break_lines("abcdefghij", 4), c("abcd", "efgh", "ij"))
  expect_equal(break_lines(strrep("\u6f22", 2), 1), rep("\u6f22", 2))
})

test_that("a name is cut at its end, unless another begins alike", {
  questions <- c("Would you say so, at all?", "How often do you read?", "How often do you talk?")
  short <- shorten(questions, 14)
  expect_equal(short, c("Would you s...", "How of...read?", "How of...talk?"))
  alike <- shorten(paste("Do you trust institution number", 1:3, "a lot, or not at all?"), 20)
  expect_equal(alike, paste0("Do yo...", 1:3, " a lot, ..."))
  # A label that has room stays whole where others are cut.
  expect_equal(wrap_labels(c("one two three", strrep("word ", 20)), 7, 2)[1], "one two\nthree")
})

test_that("every item is named in every picture of it, however small, and nothing is cut off", {
  skip_on_cran()
  for (size in sizes) {
    for (type in c("profiles", "lines")) {
      drawn <- drawn_text(autoplot(wordy_fit(), type = type), size[1], size[2])
      for (first in sub(" .*", "", questions)) expect_true(any(startsWith(drawn$text, first)))
      inner <- drawn$x >= 0 & drawn$y >= 0 & drawn$x_end <= 72 * size[1] &
        drawn$y_end <= 72 * size[2]
      expect_equal(drawn$text[!inner], character())
    }
  }
})

test_that("names that have a line to themselves stand in it whole", {
  skip_on_cran()
  whole <- c("Satisfied and trusting citizens (38 %)", "Critical but engaged people (33 %)")
  fit <- wordy_fit()
  fit$mixing_weights[] <- c(0.38, 0.33, 0.29)
  for (type in c("lines", "posterior")) {
    for (size in sizes) {
      expect_true(all(whole %in% drawn_text(autoplot(fit, type), size[1], size[2])$text))
    }
  }
  # Heads of the classes have lines, too.
  heads <- drawn_text(autoplot(fit, "posterior"), 4, 3)$text
  expect_false(any(grepl("...", heads, fixed = TRUE)))
})

test_that("items of two levels share a panel beside an odd one", {
  skip_on_cran()
  picture <- autoplot(odd_fit())
  expect_equal(levels(picture$data$panel), c("14 items: b", "faith"))
  expect_equal(nrow(picture$data), 2 * (14 + 5))
  for (size in sizes) {
    drawn <- drawn_text(autoplot(odd_fit()), size[1], size[2])$text
    expect_true(all(names(odd_fit()$item_probs) %in% drawn))
  }
  # So many that rows of equal height would be too low: side by side.
  many <- hand_made_fit(12, k = 2, n_levels = c(2, 2, 2, rep(9, 9)), n_informative = 12)
  expect_equal(nlevels(autoplot(many)$data$panel), 10)
  expect_s3_class(autoplot(many)$facet, "FacetWrap")
})

test_that("lines say where levels stand in alphabetical order, which may be none", {
  subtitle <- function(fit) autoplot(fit, "lines")$labels$subtitle
  expect_match(subtitle(odd_fit()), "alphabetical order, perhaps no scale: faith")
  expect_no_match(subtitle(wordy_fit()), "alphabetical")
  expect_no_match(subtitle(hand_made_fit(n_levels = c(4, 3))), "alphabetical")
  words <- c("Catholic", "Muslim", "None")
  item <- function(levels) list(a = matrix(0.5, length(levels), 2, dimnames = list(levels, NULL)))
  expect_match(order_note(item(words)), "scale: a$")
  expect_null(order_note(item(words[1:2])))
})

test_that("the words beside the bars of items in groups begin with the p-value", {
  items <- data.frame(level = "always and everywhere", component = classes,
                      p_adjusted = c(0.0001, 0.02, 1))
  text <- effect_text(items)
  expect_match(text, "^p (<|=) [0-9.]+, always")
  expect_lte(max(nchar(unlist(strsplit(text, "\n")))), text_columns(0.27 * 7, 7.4))
})

test_that("terms of a regression stand under the labels of their covariates", {
  regression <- list(
    variable_labels = c(age = "Age in years", sex = "Sex of respondent"),
    covariates = data.frame(age = 1:2, sex = factor(c("m", "f")), edu = c("low", "high"))
  )
  terms <- c("(Intercept)", "age", "sexm", "edulow", "age:sexm", "age:edulow", "edulow:x")
  expect_equal(term_titles(regression, terms), c(
    "(Intercept)", "Age in years", "Sex of respondent: m", "edulow",
    "Age in years x Sex of respondent: m", "Age in years x edulow", "edulow:x"
  ))
  regression$variable_labels <- NULL
  expect_equal(term_titles(regression, terms), terms)
})
