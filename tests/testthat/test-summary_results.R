# summary() and glance() of results that are not fits.

fit <- mdpd(house_votes[c(4, 6, 9, 13)], 2)
groups <- compare_groups(fit, house_votes$party, free = "contras_aid")
path <- stagewise_em(house_votes[c(4, 6, 9, 13)], 1:2)
results <- list(
  groups = groups,
  means = suppressMessages(distal_outcome(fit, rowSums(is.na(house_votes)))),
  shares = suppressMessages(distal_outcome(fit, party, house_votes)),
  goodness_of_fit = suppressMessages(goodness_of_fit(fit)),
  samples = suppressMessages(goodness_of_fit(fit, n = 20)),
  bootstrap = bootstrap(fit, n = 40, refit = FALSE),
  pairs = pair_residuals(fit),
  test_k = test_k(path, n = 19),
  agreement = agreement(simulate_crowd(40, 5, seed = 1)$labels, n = 40)
)

test_that("every result has a summary that prints the result and its tables", {
  for (result in results) {
    shown <- summary(result)
    expect_s3_class(shown, "mdpd_result_summary")
    expect_identical(shown$result, result)
    text <- utils::capture.output(expect_identical(print(shown), shown))
    own <- utils::capture.output(print(result))
    own <- own[!grepl("^Next:", own)]
    if (!inherits(result, "mdpd_groups")) expect_true(all(own %in% text))
    for (item in result[["items"]]$item) expect_true(any(grepl(item, text, fixed = TRUE)))
    for (title in names(shown$tables)) expect_true(any(grepl(title, text, fixed = TRUE)))
    expect_false(any(grepl("^Next:", text)))
  }
  # The hint is only left out within.
  expect_output(print(fit), "Next:")
})

test_that("the tables are those of tidy(), or computed from the result", {
  tables <- lapply(results, function(result) summary(result)$tables)
  expect_identical(tables$shares[[1]]$conf.high, tidy(results$shares, conf.int = TRUE)$conf.high)
  expect_identical(tables$groups[[1]]$estimate, groups$sizes$size)
  for (table in c(tables$groups, tables$means, tables$shares, tables$bootstrap)) {
    expect_true(all(c("conf.low", "conf.high") %in% names(table)))
  }
  expect_identical(names(tables$groups), c("Component sizes by group, with 95 % intervals",
                                           "Freed items by group"))
  expect_equal(tables$samples[[1]]$mean, unname(colMeans(results$samples$samples)))
  expect_length(tables$goodness_of_fit, 0)
  one <- suppressMessages(goodness_of_fit(fit, n = 1))
  expect_equal(summary(one)$tables[[1]]$median, unname(one$samples[1, ]))
  some_fail <- results$samples
  some_fail$samples[1, 1] <- NA
  of_others <- summary(some_fail)$tables[[1]][1, ]
  expect_equal(of_others$mean, mean(some_fail$samples[-1, 1]))
  expect_equal(unlist(of_others[c("5 %", "median", "95 %")], use.names = FALSE),
               stats::quantile(some_fail$samples[-1, 1], c(0.05, 0.5, 0.95), names = FALSE))
  expect_s3_class(summary(results$test_k["p_value"]), "table")
  expect_s3_class(summary(results$pairs[1:2]), "table")
  expect_equal(nrow(tables$bootstrap[[1]]), 2 * sum(lengths(lapply(fit$item_probs, rownames))))
  by_item <- tables$pairs[[1]]
  pairs <- results$pairs
  for (i in seq_len(nrow(by_item))) {
    own <- pairs$item_1 == by_item$item[i] | pairs$item_2 == by_item$item[i]
    expect_equal(by_item$pairs[i], sum(own))
    expect_equal(by_item$dependent[i], sum(pairs$p_adjusted[own] < 0.05))
    expect_equal(by_item$largest_effect[i], max(pairs$effect[own]))
  }
})

test_that("a component is as far from all rows as the Kullback-Leibler distance says", {
  model <- list(
    mixing_weights = c(0.6, 0.4),
    item_probs = list(item = rbind(a = c(0.9, 0.5), b = c(0.1, 0.25), c = c(0, 0.25)))
  )
  terms <- c(0.9 * log(0.9 / 0.74), 0.1 * log(0.1 / 0.16))
  expect_equal(answer_distances(model, 1, "item"),
               data.frame(distance = sum(terms), level = "a", share = 0.9, row.names = "item"))
  terms <- c(0.5 * log(0.5 / 0.74), 0.25 * log(0.25 / 0.16), 0.25 * log(0.25 / 0.1))
  expect_equal(answer_distances(model, 2, "item"),
               data.frame(distance = sum(terms), level = "c", share = 0.25, row.names = "item"))
})

test_that("no pair and whole numbers are summed up too", {
  shown <- new_result_summary(1, list(one = data.frame(a = 1), none = data.frame(a = numeric())))
  expect_named(shown$tables, "one")
  x <- data.frame(a = rep(1:2, 20), b = 1)
  pairs <- pair_residuals(suppressWarnings(stagewise_em(x, k = 1)))
  expect_output(print(summary(pairs)), "0, of which 0 with", fixed = TRUE)
  text <- format_result(data.frame(a = c("x", "y"), b = c(3256.4, 12.5)), 2)
  expect_identical(text[, "b"], c(x = "3256", y = "12.5"))
})

test_that("max_rows cuts the tables, and says by how much", {
  expect_output(print(summary(results$bootstrap), max_rows = 3), "and 13 more")
  expect_error(print(summary(results$bootstrap), max_rows = 0), class = "mdpd_error_argument")
  # By default to 30 rows, and no text to more than 24 letters.
  long <- function(n) {
    shown <- summary(results$agreement)
    shown$tables <- list(Rows = data.frame(row = sprintf("r%d", seq_len(n)), text = letters[1]))
    shown
  }
  expect_output(print(long(31)), "and 1 more")
  expect_false(any(grepl("more", utils::capture.output(print(long(30))))))
  text <- format_result(data.frame(row = 1:2, text = strrep("x", 24:25)), 2)
  expect_identical(nchar(text[, "text"]), c("1" = 24L, "2" = 24L))
  expect_identical(text[[1, "text"]], strrep("x", 24))
  expect_error(summary(results$pairs, 1), class = "rlib_error_dots_nonempty")
})

test_that("glance() has a row of each result", {
  expect_identical(nrow(glance(results$bootstrap)), 1L)
  pairs <- glance(results$pairs)
  expect_identical(pairs$n_pairs, 6L)
  expect_identical(pairs$largest_effect, max(results$pairs$effect))
  expect_identical(pairs$smallest_p.value, min(results$pairs$p_adjusted))
  pairs_of_some <- results$pairs
  pairs_of_some$effect[2] <- NA
  expect_identical(glance(pairs_of_some)$largest_effect, max(results$pairs$effect[-2]))
  of_k <- glance(results$test_k)
  expect_identical(of_k$chosen, attr(results$test_k, "chosen"))
  agreed <- glance(results$agreement)
  expect_identical(agreed$raw_agreement, results$agreement$measures$estimate[4])
  expect_error(glance(results$pairs[1:2]), class = "mdpd_error_argument")
  part <- results$test_k
  attr(part, "chosen") <- NULL
  expect_error(glance(part), "must be the whole result", class = "mdpd_error_argument")
  expect_identical(pairs$n_dependent, sum(results$pairs$p_adjusted < 0.05))
  at_bound <- results$pairs
  at_bound$p_adjusted <- c(0.05, 0.04, NA, 0.06, 1, 1)
  expect_identical(glance(at_bound)$n_dependent, 1L)
  at_bound$p_adjusted <- NA_real_
  expect_identical(glance(at_bound)$smallest_p.value, NA_real_)
})

test_that("anova() of a fit says what to do instead", {
  expect_error(anova(fit), class = "mdpd_error_no_chi_square")
  expect_snapshot(show_conditions(anova(fit, fit)))
})

test_that("a summary looks as it should", {
  # Numbers differ in the last digits between machines.
  mask <- function(lines) gsub("[0-9.]+", "#", lines)
  expect_snapshot(print(summary(results$shares)), transform = mask)
  expect_snapshot(print(summary(results$pairs)), transform = mask)
})
