# Of a fit made by hand with logarithms of R, whose numbers are not the same to the last bit
# everywhere.
hide <- function(lines) gsub("([0-9a-f]{4}-){3}[0-9a-f]{4}", "<hash>", lines)

test_that("print() fits a screen with few items", {
  expect_snapshot(hand_made_fit(n_items = 3, n_informative = 3))
})

test_that("print() fits a screen with 300 items and 12 components", {
  expect_snapshot(hand_made_fit(300, k = 12, n_levels = 3, n_informative = 37, n_obs = 600))
})

test_that("print() says what is missing, weighted and not converged", {
  fit <- hand_made_fit(n_items = 3)
  fit$n_missing <- 18L
  fit$nobs <- 1234
  fit$converged <- FALSE
  fit$status <- "iteration_limit"
  expect_snapshot(fit)
})

test_that("print() says when no item is informative", {
  expect_snapshot(hand_made_fit(k = 1, n_informative = 0))
})

test_that("print() says which number of components was chosen, and how far the next is behind", {
  fit <- hand_made_fit(k = 3, n_levels = 3)
  fit$path <- data.frame(
    k = 1:4, components = 1:4, penalised_loglik = c(-480, -420, -409.6, -415.2),
    BIC = c(960, 840, 819.2, 830.4), AIC = c(950, 800, 750, 745), ICL = c(960, 850, 825, 850),
    entropy = c(1, 0.95, 0.93, 0.8), n_informative = c(0, 4, 4, 3), status = "converged"
  )
  expect_snapshot(print(fit))
  two <- hand_made_fit(k = 2, n_levels = 3)
  two$path <- fit$path
  expect_output(print(two), "k = 2 of 1 to 4; k = 3 is 10.4 nats better")
  fit$path$status[4] <- "fewer_components"
  expect_output(print(summary(fit)), "k = 3 \\*.*fewer components")
  # As k = c(3, 3) leaves it.
  fit$path <- fit$path[3, ]
  expect_output(print(fit), "Chosen +k = 3\n")
})

test_that("two numbers of components, and two that are as good, are told apart", {
  fit <- hand_made_fit(k = 3, n_levels = 3)
  fit$path <- data.frame(
    k = 2:3, components = 2:3, penalised_loglik = c(-420, -409.6), BIC = c(840, 819.2),
    AIC = c(800, 750), ICL = c(850, 825), entropy = c(0.95, 0.93), n_informative = c(4, 4),
    status = "converged"
  )
  expect_identical(path_choice(fit), "k = 3 of 2 to 3; k = 2 is 10.4 nats behind")
  expect_identical(colnames(format_path(fit$path)),
                   c("behind", "BIC", "AIC", "ICL", "entropy", "informative"))
  expect_output(print(summary(fit)), "how far the penalised log-likelihood is behind (nats)\n",
                fixed = TRUE)
  fit$path$penalised_loglik <- c(-420, -420)
  expect_identical(path_choice(fit), "k = 3 of 2 to 3; k = 2 is 0.0 nats behind")
  fit$path$evidence <- c(-430, -425)
  expect_output(print(summary(fit)), "how far the evidence is behind (nats; it leans to few)\n",
                fixed = TRUE)
})

test_that("one informative item, and one row without any answer, are told like several", {
  fit <- hand_made_fit(n_informative = 1)
  fit$no_answer <- 7L
  fit$nobs <- 59
  text <- utils::capture.output(print(fit))
  expect_match(text, "60 rows (1 without any answer), 6 items", fixed = TRUE, all = FALSE)
  expect_match(text, "^Components, and the answers that set each apart$", all = FALSE)
  expect_match(text, "^Informative items, by evidence \\(nats\\)$", all = FALSE)
  expect_match(text, "^  item_1 \\(19.3\\)$", all = FALSE)
  expect_match(text, "^Next: summary\\(fit\\)", all = FALSE)
  sums <- suppressWarnings(summary(fit), "mdpd_warning_not_identified")
  sums$n_undetermined <- 1L
  text <- utils::capture.output(print(sums))
  expect_match(text, "likeliest level by component$", all = FALSE)
  expect_match(text, "^  item_1 +19.3 a: 90% b: 90%$", all = FALSE)
  expect_match(text, "can be moved in 1 direction$", all = FALSE)
})

test_that("an item that differs with a probability of 95 % is not doubtful", {
  fit <- hand_made_fit(n_informative = 3)
  fit$inclusion <- stats::setNames(c(0.95, 0.949, 1, 0, 0, 0), names(fit$item_probs))
  expect_identical(item_entries(fit),
                   c("item_1 (19.3)", "item_2 (17.3, 95 %)", "item_3 (15.5)"))
})

test_that("growth is told only where no stages came before it", {
  grown <- function(phases) growth_of(list(method = "robust", trace = data.frame(phase = phases)))
  expect_identical(grown(c("grow", "grow", "polish")), "growth by the best splits")
  expect_identical(grown(c("stage", "grow")), "robust stages")
  expect_identical(grown("refine"), "robust stages")
})

test_that("the answers that set a component apart are those furthest from the rest", {
  fit <- hand_made_fit(k = 2, n_levels = 3)
  expect_equal(answers_apart(fit, 1), c("item_1 = a (87 %)", "item_2 = a (85 %)",
                                        "item_3 = a (82 %)"))
  # An item that is the same everywhere, or weak beside the others, says nothing.
  fit$item_probs$item_2[] <- 1 / 3
  expect_equal(answers_apart(fit, 2), c("item_1 = b (87 %)", "item_3 = b (82 %)",
                                        "item_4 = b (81 %)"))
  fit$item_evidence[c("item_3", "item_4")] <- 0.01
  expect_equal(answers_apart(fit, 2), "item_1 = b (87 %)")
  expect_length(answers_apart(hand_made_fit(k = 1, n_informative = 0), 1), 0)
  fit$item_evidence[] <- -(1:6)
  expect_equal(answers_apart(fit, 1), "item_1 = a (87 %)")
})

test_that("answers set a component apart from a tenth of the first one's strength on", {
  fit <- hand_made_fit(k = 2, n_levels = 3)
  fit$item_evidence[] <- c(10, 5, 1, 0.99, 0, 0)
  expect_match(answers_apart(fit, 1, n = 6), "^item_[123] = a")
  expect_length(answers_apart(fit, 1, n = 6), 3)
  # Distances of 0.282, 0.258, 0.030 and 0.027.
  fit$item_evidence[] <- c(10, 10, 10, 10, 0, 0)
  differs <- function(strength) strength * diag(3)[, 1:2] + (1 - strength) / 3
  fit$item_probs$item_3[] <- differs(0.26)
  fit$item_probs$item_4[] <- differs(0.25)
  expect_equal(answers_apart(fit, 1, n = 6),
               c("item_1 = a (87 %)", "item_2 = a (85 %)", "item_3 = a (51 %)"))
  # Where a component answers as all rows do, all its distances are 0.
  alike <- hand_made_fit(k = 2, n_levels = 4)
  alike$mixing_weights[] <- c(0.75, 0.25)
  alike$item_probs <- lapply(alike$item_probs, function(probs) replace(probs, TRUE, 0.25))
  expect_length(answers_apart(alike, 1), 3)
})

test_that("the next step depends on the fit", {
  fit <- hand_made_fit()
  expect_output(print(fit), "Next: summary\\(fit\\), plot\\(fit\\), predict\\(fit, newdata\\)")
  crowd <- simulate_crowd(300, 6, 2, accuracy = rep(0.8, 6), seed = 1)$labels
  fit <- mdpd(crowd, 2)
  expect_output(print(fit), "worker_quality\\(fit\\), item_quality\\(fit\\)")
  expect_output(print(summary(fit)), "Next: plot\\(fit\\), worker_quality")
})

test_that("the next step of a fit without data is none that needs them", {
  crowd <- simulate_crowd(300, 6, 2, accuracy = rep(0.8, 6), seed = 1)$labels
  fits <- list(mdpd(crowd, 2, keep_data = FALSE), stagewise_em(new_store(crowd), 2))
  for (fit in fits) {
    expect_output(print(fit), "Next: summary\\(fit\\), plot\\(fit\\), predict\\(fit, newdata\\)$")
    expect_output(print(summary(fit)), "Next: plot\\(fit\\), predict\\(fit, newdata\\)$")
  }
  one <- suppressMessages(stagewise_em(new_store(crowd), 1))
  expect_output(print(one), "Next: plot\\(fit, type = \"information\", newdata = x\\)")
  expect_output(print(mdpd(crowd, 1)), "Next: plot\\(fit, type = \"information\"\\)")
})

test_that("print() shows a true model", {
  expect_snapshot(hand_made_truth())
})

test_that("lines have at most 80 characters", {
  fits <- list(
    hand_made_fit(), hand_made_fit(k = 1, n_informative = 0), hand_made_truth(),
    hand_made_fit(n_items = 300, k = 12, n_levels = 12, n_informative = 200, n_obs = 500,
                  items = paste("a question that is rather long, number", 1:300),
                  components = paste("a component with a long name", 1:12)),
    hand_made_fit(n_items = 300, k = 12, n_levels = 3, n_informative = 200,
                  items = paste0(strrep("\u6f22\u5b57", 8), 1:300),
                  components = paste0(strrep("\u304b\u306a", 6), 1:12),
                  level_names = paste0(strrep("\u6f22", 12), 1:3)),
    hand_made_fit(n_items = 3, k = 2, components = c("na\u00efve", "\u00fcber"))
  )
  for (fit in fits) {
    expect_true(all(nchar(capture.output(print(fit)), "width") <= 80))
    expect_true(all(nchar(capture.output(print(summary(fit))), "width") <= 80))
  }
})

test_that("long names are cut, less where there is room, and many components left out", {
  long <- function(names) paste0(names, strrep("-", 40))
  fit <- hand_made_fit(n_items = 3, n_levels = 3, items = long(c("bread", "milk", "salt")),
                       components = long(c("poor", "rich")),
                       level_names = long(c("no", "yes", "?")))
  expect_snapshot({
    fit
    summary(fit)
  }, transform = hide)
  lines <- utils::capture.output(print(hand_made_fit(k = 26, n_levels = 3)))
  expect_identical(lines[grep("^  24 ", lines) + 1], "  ... and 2 more")
  # Labels that are sentences on the narrowest console there is.
  fit$variable_labels <- stats::setNames(strrep("word ", 20:22), names(fit$item_probs))
  rlang::local_options(cli.width = 10)
  expect_output(print(fit), "word")
  # No answer has less than 16 columns for its item.
  fit$variable_labels[] <- paste0(c("a", "b", "c"), strrep("x", 30))
  expect_match(utils::capture.output(print(fit)), "^    ax{12}[.]{3} = no-", all = FALSE)
})

test_that("a level is cut so that it looks like no other of its item, and everywhere the same", {
  rlang::local_options(cli.width = 80)
  likert <- c("Disagree", "Strongly disagree", "Neither", "Strongly agree", "Agree")
  # Two components: none answers "Neither" or "Strongly agree" most, so neither is shown.
  fit <- hand_made_fit(k = 2, level_names = likert, n_levels = 5)
  printed <- utils::capture.output(print(fit), print(summary(fit)))
  cut <- unique(unlist(regmatches(printed, gregexpr("St[a-z]*[.]{3}[a-z.]*", printed))))
  expect_identical(cut, c("Str...dis...", "St...di..."))
  expect_identical(short_levels(likert[4], 12, likert), "Str...agree")
  # Of a summary by an older version only what it shows is known.
  older <- summary(fit)
  attr(older$informative, "levels") <- NULL
  expect_output(print(older), "Strongl...", fixed = TRUE)
})

test_that("a level that is an empty string is shown in quotes", {
  fit <- hand_made_fit(k = 2, level_names = c("", "y"))
  expect_output(print(fit), 'item_1 = "" (90 %)', fixed = TRUE)
  expect_output(print(summary(fit)), '"": 90%', fixed = TRUE)
})

test_that("answers have lines of their own as soon as one item is a sentence of a survey file", {
  rlang::local_options(cli.width = 80)
  fit <- hand_made_fit(n_items = 3, items = strrep(letters[1:3], 29))
  expect_output(print(fit), "\n  1  60.0 %  aaaaaaaaaaa... = a (90 %), bb", fixed = TRUE)
  fit$variable_labels <- stats::setNames(c(strrep("x", 29), "b", "c"), names(fit$item_probs))
  expect_output(print(fit), "\n  1  60.0 %\n    x{29} = a \\(90 %\\)\n    b = a \\(88 %\\)\n")
  # One component has no answers that set it apart.
  one <- hand_made_fit(n_items = 3, k = 1)
  one$variable_labels <- fit$variable_labels
  names(one$variable_labels) <- names(one$item_probs)
  expect_output(print(one), "\n  1  100.0 %\n\nNo item", fixed = TRUE)
})

test_that("a component has as many of its answers as its line holds", {
  fit <- hand_made_fit(k = 2, n_levels = 3)
  start <- "  1  60.0 %"
  line <- function(width) rlang::with_options(answers_behind(fit, 1, start), cli.width = width)
  whole <- line(200)
  ends <- as.vector(gregexpr(")", whole, fixed = TRUE)[[1]])
  expect_length(ends, 3)
  for (width in c(ends, ends - 1)) {
    expect_identical(line(width), substr(whole, 1, max(nchar(start), ends[ends <= width])))
  }
})

test_that("print() writes to the output, without messages, and returns its argument invisibly", {
  fit <- hand_made_fit()
  expect_message(capture.output(print(fit)), NA)
  capture.output(expect_invisible(print(fit)))
  capture.output(expect_identical(print(fit), fit))
  capture.output(expect_invisible(print(summary(fit))))
})

test_that("max_items limits the items printed", {
  fit <- hand_made_fit(n_items = 30, n_informative = 20)
  expect_match(capture.output(print(fit, max_items = 5)), "and 15 more", all = FALSE)
  expect_match(capture.output(print(summary(fit), max_items = 5)), "and 15 more", all = FALSE)
  expect_match(capture.output(print(summary(fit))), "and 10 more", all = FALSE)
  expect_error(print(fit, max_items = 0), class = "mdpd_error_argument")
})

test_that("print() and summary() take no other arguments", {
  fit <- hand_made_fit()
  expect_error(print(fit, digits = 3), class = "rlib_error_dots_nonempty")
  expect_error(summary(fit, digits = 3), class = "rlib_error_dots_nonempty")
})

# ---- summary ---------------------------------------------------------------------------

test_that("summary() prints in 80 columns", {
  expect_snapshot(summary(hand_made_fit(k = 3, n_levels = 3)), transform = hide)
  expect_snapshot(summary(hand_made_truth()))
})

test_that("summary() holds the numbers", {
  fit <- hand_made_fit(k = 3, n_levels = 3)
  result <- summary(fit)
  expect_s3_class(result, "summary_mdpd")
  expect_equal(result$n_items, 6)
  expect_equal(result[c("n_obs", "k", "method", "refine", "loglik", "df", "status")],
               unclass(fit)[c("n_obs", "k", "method", "refine", "loglik", "df", "status")])
  expect_equal(result$aic, stats::AIC(fit))
  expect_equal(result$bic, stats::BIC(fit))
  expect_equal(result$expected_error, mean(1 - apply(fit$posterior, 1, max)))
})

test_that("summary() describes how tight the components are and how they overlap", {
  fit <- hand_made_fit(k = 3, n_levels = 3)
  class <- max.col(fit$posterior)
  components <- summary(fit)$components
  expect_equal(components$mixing_weight, unname(fit$mixing_weights))
  expect_equal(components$size, tabulate(class, 3))
  expect_equal(components$mean_posterior,
               as.vector(tapply(apply(fit$posterior, 1, max), class, mean)))
  overlap <- summary(fit)$overlap
  expect_equal(rowSums(overlap), c("1" = 1, "2" = 1, "3" = 1))
  expect_equal(overlap[2, ], colMeans(fit$posterior[class == 2, ]))
  # What is written as less than 0.01 is a point.
  shares <- matrix(c(0.0049, 0.005, NA, 1), 2, dimnames = list(1:2, 1:2))
  expect_identical(as.vector(format_overlap(shares)), c(".", "0.01", "-", "1.00"))
})

test_that("a component without rows has size zero and no overlap", {
  fit <- hand_made_fit(k = 2)
  fit$posterior[] <- rep(c(0.7, 0.3), each = 60)
  result <- summary(fit)
  expect_equal(result$components$size, c(60, 0))
  expect_equal(result$components$mean_posterior, c(0.7, NA))
  expect_true(all(is.na(result$overlap[2, ])))
  expect_output(print(result), "-")
})

test_that("case weights count in sizes, overlap and expected error", {
  fit <- hand_made_fit(n_obs = 20)
  fit$nobs <- 40
  fit$weights <- rep(2, 20)
  plain <- hand_made_fit(n_obs = 20)
  expect_equal(summary(fit)$components$size, 2 * summary(plain)$components$size)
  expect_equal(summary(fit)$overlap, summary(plain)$overlap)
  expect_equal(summary(fit)$expected_error, summary(plain)$expected_error)
})

test_that("summary() lists the informative items with each component's most probable level", {
  fit <- hand_made_fit(k = 2, n_levels = 3)
  fit$informative <- rev(fit$informative)
  table <- summary(fit)$informative
  expect_equal(table$item, paste0("item_", 1:4))
  expect_equal(table$information, unname(fit$item_information[1:4]))
  probs <- fit$item_probs$item_2
  expect_identical(table$level_1[2], rownames(probs)[which.max(probs[, 1])])
  expect_equal(table$probability_2[2], max(probs[, 2]))
})

test_that("summary() condenses the trace to a row for each phase", {
  fit <- hand_made_fit(k = 3)
  phases <- suppressWarnings(summary(fit)$trace, "mdpd_warning_not_identified")
  expect_equal(phases$phase, c("stage", "refine"))
  expect_equal(phases$n_steps, c(3, 2))
  expect_equal(phases$loglik, fit$trace$loglik[c(3, 5)])
})

test_that("one component has no informative items, however it was fitted", {
  one <- mdpd(house_votes[2:6], 1)
  text <- utils::capture.output(print(one), print(summary(one)))
  expect_true(any(grepl("1 component, 0 of 5 items informative", text)))
  expect_true(any(grepl("No item is informative", text)))
  expect_false(any(grepl("set each apart|evidence 0.0|likeliest level|Overlap", text)))
  expect_false(any(grepl("water_project", text)))
  expect_identical(glance(one)$n_informative, 0L)
})

test_that("rows that were left out are counted by the reason", {
  none <- c("without a covariate" = 0, "without any answer" = 0)
  expect_null(left_out_title(none))
  one <- replace(none, 2, 1)
  expect_identical(left_out_title(one), "; 1 more without any answer does not count")
  expect_identical(
    left_out_title(replace(none, 1:2, c(1000, 1))),
    "; 1,000 more without a covariate and 1 without any answer do not count"
  )
})

test_that("a number that is rounded to nothing has no sign", {
  expect_identical(nats(c(a = -0.04, b = -0.06, c = 0, d = NA)),
                   c(a = "0.0", b = "-0.1", c = "0.0", d = "NA"))
})

test_that("sums of weights are rounded, counts are in the singular, and nothing has no heading", {
  weights <- rep(c(0.123456, 1.7654321, 2), length.out = nrow(house_votes))
  weighted <- summary(mdpd(house_votes[2:6], 2, weights = weights))
  rows <- grep("^  [12] ", utils::capture.output(print(weighted)), value = TRUE)[1:2]
  expect_match(rows, "% +[0-9]+([.][0-9])? +[01][.][0-9]{2}$")
  one <- mdpd(house_votes[2:6], 1)
  pairs <- suppressMessages(pair_residuals(one))
  expect_output(print(pairs), "that 1 component leaves dependent")
  none <- utils::capture.output(print(pairs[0, ]))
  expect_false(any(grepl("conspicuous", none)))
  text <- utils::capture.output(print(bootstrap(stagewise_em(house_votes[2:6], 1), n = 2)))
  expect_true(any(grepl("1 in 2 samples$", text)))
  expect_false(any(grepl("how often they are informative", text)))
  expect_identical(found_components(list(k = c(2, 3, 3))), "2 in 1 sample, 3 in 2 samples")
  expect_identical(cell_words(list(nobs = 32, n_cells = 32)), "32 (1 row a cell)")
  none <- summary(hand_made_fit(k = 1, n_informative = 0))
  expect_identical(nrow(format_informative(none, 5)), 0L)
})
