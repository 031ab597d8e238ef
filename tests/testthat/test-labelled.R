# A column as haven has it, made without haven.
spss <- function(values, labels = NULL, ..., label = NULL) {
  structure(
    values, labels = labels, ..., label = label,
    class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", typeof(values))
  )
}

agree <- c(No = 1, Yes = 2, "Don't know" = 9)

# Value labels -------------------------------------------------------------------------------------

test_that("value labels are levels, in the order of the values", {
  coded <- code_values(spss(c(2, 1, 3, 2, NA), c(Yes = 2, No = 1, Never = 4)))
  expect_identical(coded$levels, c("No", "Yes", "3"))
  expect_identical(coded$codes, c(2L, 1L, 3L, 2L, 0L))
  strings <- code_values(spss(c("f", "m", "x"), c(Women = "f", Men = "m")))
  expect_identical(strings$levels, c("Women", "Men", "x"))
  expect_identical(code_values(spss(c(10, 2)))$levels, c("2", "10"))
  expect_identical(code_values(spss(c(3L, 1L), c(" " = 7L, one = 1L)))$levels, c("one", "3"))
})

test_that("values with the same label or one that looks like another value stay apart", {
  expect_identical(
    code_values(spss(c(1, 2, 3, 4), c(Other = 1, Other = 2, "4" = 3)))$levels,
    c("Other [1]", "Other [2]", "4 [3]", "4 [4]")
  )
  expect_identical(code_values(spss(1:2, stats::setNames(1:2, c("a", ""))))$levels, c("a", "2"))
})

test_that("a level has one name, whichever others the rows have", {
  labels <- c(Low = 1, Other = 2, Other = 3, Other = 9)
  expect_identical(code_values(spss(c(3, 1), labels, na_values = 9))$levels, c("Low", "Other [3]"))
  expect_identical(code_values(spss(c(1, 9), labels[-2], na_values = 3))$levels, c("Low", "Other"))
  answers <- data.frame(a = c(1, 2, 3, 1, 2, 3), b = c(1, 1, 2, 2, 3, 3), c = c(3, 1, 2, 3, 1, 2))
  answers[] <- lapply(answers, spss, labels = labels[1:3])
  fit <- suppressWarnings(stagewise_em(answers, 1))
  expect_silent(alone <- predict(fit, answers[3, ], type = "density"))
  expect_identical(unname(alone), predict(fit, type = "density")[3])
  store <- row_store(answers, withr::local_tempfile())
  expect_silent(more <- add_rows(store, answers[c(3, 5), ]))
  expect_identical(levels(more), levels(store))
})

test_that("factors and times to which another package gave a label stay what they are", {
  labelled <- function(x, label) structure(x, label = label, class = c("labelled", class(x)))
  table <- data.frame(a = factor(c("no", "yes", "no", "yes"), c("yes", "no")), b = c(1, 2, 2, 1))
  other <- table
  other$a <- labelled(table$a, "Answer")
  expect_identical(encode(other)$levels, encode(table)$levels)
  expect_identical(encode(other)$codes, encode(table)$codes)
  expect_identical(encode(other)$variable_labels, c(a = "Answer"))
  expect_identical(levels(row_store(other, withr::local_tempfile())), encode(table)$levels)
  expect_identical(plain_variables(other)$a, other$a)
  day <- labelled(as.Date("2024-01-01") + c(0, 0, 1), "Day")
  crowd <- crowd_labels(data.frame(item = day, worker = c(1, 2, 1), label = other$a[1:3]))
  expect_identical(crowd$labels, c("yes", "no"))
  expect_identical(crowd$items, c("2024-01-01", "2024-01-02"))
})

test_that("attributes of names that begin alike are no labels", {
  expect_identical(code_values(spss(1:2, labels_de = c(Nein = 1, Ja = 2)))$levels, c("1", "2"))
  # One value label is no variable label.
  x <- data.frame(b = 1:3, a = I(spss(c("f", "m", "f"), c(Women = "f"))))
  expect_identical(encode(x)$levels$a, c("Women", "m"))
  expect_null(encode(x)$variable_labels)
})

test_that("what the user has declared missing is missing", {
  values <- c(1, 2, 9, 1, 9, 98, 99)
  by_value <- code_values(spss(values, agree, na_values = c(9, 98, 99)))
  expect_identical(by_value, list(codes = c(1L, 2L, 0L, 1L, 0L, 0L, 0L), levels = c("No", "Yes")))
  expect_identical(code_values(spss(values, agree, na_range = c(9, Inf))), by_value)
  expect_identical(code_values(spss(values, agree, na_values = 9, na_range = c(90, 99))), by_value)
  expect_identical(code_values(spss(c("a", "", "b"), na_values = ""))$codes, c(1L, 0L, 2L))
  expect_identical(plain_values(spss(c(8, 9, 20, 21), na_range = c(9, 20))), c(8, NA, NA, 21))
  # Attributes of names that begin alike are others.
  expect_identical(plain_values(spss(c(1, 2), na_values_old = 1, na_range_old = 1:2)), c(1, 2))
  # Fractions that are no answers are no error.
  table <- data.frame(b = 1:3)
  table$a <- spss(c(1, 2, 9.5), na_values = 9.5)
  expect_identical(encode(table)$levels$a, c("1", "2"))
  table$a <- spss(c(1, 2.5, 9), na_values = 9)
  expect_error(encode(table), "Row 2 is 2.5", class = "mdpd_error_data")
})

test_that("a fit of labelled columns is that of factors", {
  x <- with_gaps(answers())
  labelled <- as.data.frame(lapply(x, function(column) {
    codes <- as.double(column)
    codes[is.na(codes)] <- 9
    labels <- stats::setNames(seq_len(nlevels(column)), paste("level", levels(column)))
    spss(codes, labels, na_values = 9)
  }))
  factors <- as.data.frame(lapply(x, function(column) {
    factor(column, labels = paste("level", levels(column)))
  }))
  fit <- stagewise_em(labelled, k = 2)
  expect_identical(without(fit, "call"), without(stagewise_em(factors, k = 2), "call"))
  expect_identical(predict(fit, labelled[1:9, ]), predict(fit, factors[1:9, ]))
  expect_identical(without(stagewise_em(~., k = 2, data = labelled), "call"), without(fit, "call"))
  expect_identical(augment(fit, data = labelled)$item_1, labelled$item_1)
})

test_that("crowds, truths and known classes may be labelled", {
  triples <- data.frame(item = rep(1:3, each = 2), worker = rep(c("ann", "bob"), 3))
  triples$label <- spss(c(1, 1, 2, 2, 1, 2), agree)
  expect_identical(crowd_labels(triples)$labels, c("No", "Yes"))
  expect_identical(error_rate(c("No", "Yes", "No"), spss(c(1, 2, 9), agree, na_values = 9)), 0)
  triples$label <- spss(c(1, 1, 2, 2, 1, 9), agree, na_values = 9)
  expect_error(crowd_labels(triples), "Row 6 has one; 1 in all", class = "mdpd_error_data")
})

test_that("files of haven come back as they were written", {
  skip_if_not_installed("haven")
  x <- data.frame(b = rep(c(1, 2, 1), 20))
  x$a <- haven::labelled_spss(rep(c(1, 2, 9, 1, 2), 12), agree, na_values = 9,
                              label = "Do you agree?")
  file <- withr::local_tempfile(fileext = ".sav")
  haven::write_sav(x, file)
  read <- haven::read_sav(file, user_na = TRUE)
  coded <- encode(read)
  expect_identical(coded$levels$a, c("No", "Yes"))
  expect_equal(sum(coded$codes[, "a"] == as.raw(0)), 12)
  expect_identical(coded$variable_labels, c(a = "Do you agree?"))
  # Without user_na haven makes them missing itself.
  expect_identical(encode(haven::read_sav(file))$codes, coded$codes)
  tagged <- data.frame(b = 1:4)
  tagged$a <- haven::labelled(c(1, 2, haven::tagged_na("a"), haven::tagged_na("z")),
                              c(No = 1, Yes = 2, Refused = haven::tagged_na("a")))
  coded <- encode(tagged)
  expect_identical(coded$levels$a, c("No", "Yes"))
  expect_identical(as.integer(coded$codes[, "a"]), c(1L, 2L, 0L, 0L))
})

# Variable labels ----------------------------------------------------------------------------------

questions <- function(x = answers(), items = c("item_1", "item_3")) {
  texts <- c("Do you\n agree?", "How often do you go there?")
  for (j in seq_along(items)) attr(x[[items[j]]], "label") <- texts[(j - 1) %% 2 + 1]
  x
}

test_that("variable labels are kept with the fit, whatever the column", {
  x <- questions()
  x$item_2 <- structure(as.character(x$item_2), label = "")
  x$item_4 <- structure(as.integer(x$item_4), label = 1:2)
  labels <- c(item_1 = "Do you agree?", item_3 = "How often do you go there?")
  fit <- stagewise_em(x, k = 2)
  expect_identical(fit$variable_labels, labels)
  light <- stagewise_em(~., k = 2, data = x, keep_data = FALSE)
  expect_identical(light$variable_labels, labels)
  expect_identical(refine(fit)$variable_labels, labels)
  expect_identical(refine(light, x)$variable_labels, labels)
  expect_identical(choose_k(stagewise_em(x, k = 1:2), 1)$variable_labels, labels)
  expect_null(stagewise_em(answers(), k = 2)$variable_labels)
  expect_null(stagewise_em(as.matrix(x), k = 2)$variable_labels)
  # Nothing else depends on them.
  expect_identical(fit$posterior, stagewise_em(answers(), k = 2)$posterior)
  expect_identical(names(fit$item_probs), names(answers()))
  expect_true("item_1" %in% informative(fit))
  expect_true("item_1" %in% names(augment(fit)))
})

test_that("labels that are the same are told apart by the names", {
  titles <- item_titles(c("a", "b", "c"), c(a = "Same", c = "Same"))
  expect_identical(titles, c(a = "a: Same", b = "b", c = "c: Same"))
  expect_identical(unname(item_titles(c("a", "b"), c(a = "b"))), c("a: b", "b"))
  expect_identical(item_titles(c("a", "b"), NULL), c(a = "a", b = "b"))
})

test_that("prints show the labels, and return what they were given", {
  fit <- stagewise_em(questions(), k = 2)
  for (shown in list(fit, summary(fit))) {
    text <- capture.output(expect_identical(print(shown), shown))
    expect_match(text, "Do you agree?", fixed = TRUE, all = FALSE)
    expect_no_match(text, "item_1")
    expect_match(text, "item_2", all = FALSE)
  }
  samples <- bootstrap(fit, n = 2, refit = TRUE)
  expect_match(capture.output(print(samples)), "Do you agree", all = FALSE)
})

test_that("every picture shows the labels", {
  fit <- stagewise_em(questions(), k = 1:2)
  shows_label <- function(picture) {
    strings <- lapply(picture$data, function(column) unique(as.character(column)))
    any(grepl("Do you agree?", unlist(strings), fixed = TRUE))
  }
  expect_true(shows_label(autoplot(fit)))
  expect_true(shows_label(autoplot(fit, "information")))
  expect_true(shows_label(autoplot(fit, "information", newdata = questions(answers(50)))))
  stages <- stagewise_em(questions(), k = 2, method = "paper", refine = "none")
  expect_true(shows_label(autoplot(stages, "information", stage = 0:1)))
  for (type in c("posterior", "trace", "history", "path")) {
    expect_s3_class(autoplot(fit, type), "ggplot")
  }
  expect_s3_class(autoplot(bootstrap(fit, n = 2, refit = TRUE)), "ggplot")
})

# Covariates and outcomes --------------------------------------------------------------------------

test_that("a variable is of categories where every value has a label, else of numbers", {
  sex <- spss(c(2, 1, 9, NA, 2), c(Male = 1, Female = 2, "No answer" = 9), na_values = 9)
  expect_identical(plain_variable(sex), factor(c("Female", "Male", NA, NA, "Female"),
                                               c("Male", "Female")))
  ends <- c(Low = 0, High = 10, Refused = 99)
  expect_identical(plain_variable(spss(c(0, 4, 99), ends, na_values = 99)), c(0, 4, NA))
  expect_identical(plain_variable(spss(c(20, 30))), c(20, 30))
  # New data with the ends alone are numbers where they were.
  expect_identical(plain_variable(spss(c(0, 10), ends), like = 1:3), c(0, 10))
  expect_identical(plain_variable(spss(1, c(Male = 1)), like = factor("a")), factor("Male"))
  dates <- Sys.Date() + 0:1
  expect_identical(plain_variable(dates), dates)
})

test_that("labelled covariates and outcomes give what factors and numbers give", {
  fit <- mdpd(house_votes[-1], k = 2)
  party <- factor(house_votes$party, labels = c("D", "R"))
  age <- 20 + seq_len(435) %% 50
  labelled <- data.frame(id = 1:435)
  labelled$party <- spss(as.double(party), c(D = 1, R = 2))
  labelled$age <- spss(replace(age, 1:9, 999), c("No answer" = 999), na_values = 999)
  plain <- data.frame(party, age = replace(age, 1:9, NA))
  by_labels <- suppressMessages(class_regression(fit, ~ party + age, labelled))
  by_factor <- suppressMessages(class_regression(fit, ~ party + age, plain))
  expect_identical(coef(by_labels), coef(by_factor))
  expect_identical(predict(by_labels, labelled[5:20, ]), predict(by_factor, plain[5:20, ]))
  expect_identical(suppressMessages(distal_outcome(fit, age, labelled))$estimates,
                   suppressMessages(distal_outcome(fit, age, plain))$estimates)
  expect_identical(distal_outcome(fit, party, labelled)$estimates,
                   distal_outcome(fit, party, plain)$estimates)
})
