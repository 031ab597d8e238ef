# One pair, cell by cell; loglin() gives what is expected the margins of what is observed.
twin_pair <- function(x, fit, a, b, weights = rep(1, nrow(x))) {
  both <- !is.na(x[[a]]) & !is.na(x[[b]])
  observed <- tapply(weights[both], list(x[[a]][both], x[[b]][both]), sum, default = 0)
  expected <- 0 * observed
  sizes <- if (anyNA(x)) colSums(fit$posterior[both, ] * weights[both]) else fit$mixing_weights
  for (k in seq_len(fit$k)) {
    expected <- expected + sizes[[k]] *
      outer(fit$item_probs[[a]][, k], fit$item_probs[[b]][, k])
  }
  expected <- stats::loglin(observed, list(1, 2), expected, fit = TRUE, print = FALSE, eps = 1e-10,
                            iter = 200)$fit
  ratio <- ifelse(observed > 0, observed * log(observed / expected), 0)
  c(X2 = sum((observed - expected)^2 / expected), G2 = 2 * sum(ratio),
    effect = sum(abs(observed - expected)) / 2 / sum(observed))
}

fit_two <- function(x, ...) suppressWarnings(mdpd(x, k = 2, n_starts = 2, ...))

test_that("every pair has the distance of its two tables, with gaps and weights", {
  cases <- list(
    list(answers(150), NULL), list(with_gaps(answers(150)), NULL),
    list(with_gaps(answers(150)), rep(c(3, 2, 1), 50))
  )
  for (case in cases) {
    x <- case[[1]]
    weights <- case[[2]] %||% rep(1, 150)
    fit <- fit_two(x, weights = case[[2]])
    pairs <- pair_residuals(fit)
    expect_equal(nrow(pairs), choose(8, 2))
    twin <- mapply(function(a, b) twin_pair(x, fit, a, b, weights), pairs$item_1, pairs$item_2)
    # Both fit margins to 1e-9 and better.
    for (measure in c("X2", "G2", "effect")) {
      found <- pairs[[if (measure == "X2") "statistic" else measure]]
      expect_equal(found, unname(twin[measure, ]), tolerance = 1e-6)
    }
    n_levels <- vapply(x, nlevels, 0L)
    expect_equal(pairs$df, unname((n_levels[pairs$item_1] - 1) * (n_levels[pairs$item_2] - 1)))
    n_obs <- mapply(function(a, b) sum(weights[!is.na(x[[a]]) & !is.na(x[[b]])]),
                    pairs$item_1, pairs$item_2)
    expect_equal(pairs$n_obs, unname(n_obs))
    smaller <- pmin(pairs$statistic, pairs$G2)
    expect_equal(pairs$p_value, stats::pchisq(smaller, pairs$df, lower.tail = FALSE))
    expect_equal(pairs$p_adjusted, stats::p.adjust(pairs$p_value, "holm"))
    expect_false(is.unsorted(pairs$p_value))
  }
})

test_that("at maximum likelihood without gaps the fit's own tables have the margins", {
  x <- answers(150)
  fit <- suppressWarnings(mdpd(x, k = 2, prior = 0, n_starts = 2,
                               control = stagewise_control(tol = 1e-12)))
  pairs <- pair_residuals(fit)
  plain <- mapply(function(a, b) {
    expected <- 150 * tcrossprod(fit$item_probs[[a]] %*% diag(fit$mixing_weights),
                                 fit$item_probs[[b]])
    sum((table(x[[a]], x[[b]]) - expected)^2 / expected)
  }, pairs$item_1, pairs$item_2)
  # Margins are right as far as EM has converged.
  expect_equal(pairs$statistic, unname(plain), tolerance = 1e-4)
})

test_that("of one component it is the test of independence", {
  x <- answers(200)
  pairs <- pair_residuals(stagewise_em(x, k = 1))
  for (row in c(1, 10, 28)) {
    test <- suppressWarnings(stats::chisq.test(x[[pairs$item_1[row]]], x[[pairs$item_2[row]]],
                                               correct = FALSE))
    expect_equal(pairs$statistic[row], unname(test$statistic))
    expect_equal(pairs$df[row], unname(test$parameter))
    expect_equal(pairs$effect[row], sum(abs(test$observed - test$expected)) / 400)
  }
})

test_that("sparse codes, blocks of rows and the order of rows change nothing", {
  fit <- fit_two(with_gaps(answers(120)))
  pairs <- pair_residuals(fit)
  sparse <- fit
  sparse$coded$codes <- as_sparse_codes(fit$coded$codes)
  expect_equal(pair_residuals(sparse), pairs)
  items <- names(fit$item_probs)
  expect_equal(pair_counts(fit$coded, items, cells = 200), pair_counts(fit$coded, items))
  expect_equal(pair_residuals(fit, x = with_gaps(answers(120))[120:1, ]), pairs)
})

test_that("two items that depend on each other are found, with samples and without", {
  x <- answers(600)
  x$item_1[1:200] <- rep(c("a", "b"), 100)
  x$item_4 <- factor(ifelse(x$item_1 == "a", "yes", "no"))
  swap <- seq(3, 600, by = 5)
  x$item_4[swap] <- rev(x$item_4[swap])
  fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 1))
  for (n in c(0, 39)) {
    pairs <- pair_residuals(fit, n = n, verbose = FALSE)
    expect_identical(unlist(pairs[1, c("item_1", "item_2")], use.names = FALSE),
                     c("item_1", "item_4"))
    expect_lt(pairs$p_adjusted[1], 0.05)
  }
})

test_that("samples give the p-values of their ranks, and corrected ones that are no smaller", {
  fit <- fit_two(answers(150))
  pairs <- pair_residuals(fit, n = 9, verbose = FALSE)
  expect_true(all(pairs$p_value * 10 == round(pairs$p_value * 10)))
  expect_true(all(pairs$p_adjusted >= pairs$p_value))
  expect_identical(pair_residuals(fit, n = 9, seed = 1, verbose = FALSE), pairs)
  expect_identical(pair_residuals(fit, n = 9, threads = 2, verbose = FALSE), pairs)
  statistics <- data.frame(statistic = c(5, 1), G2 = 7, df = 1:2)
  samples <- rbind(c(6, 0), c(0, 2), c(1, 1))
  # The p-values of chi-square: 0.025 and 0.61 here; 0.014 and 1, 1 and 0.37, 0.32 and 0.61 there.
  expect_equal(p_of_samples(samples, statistics$statistic), c(2, 3) / 4)
  expect_equal(p_of_any(samples, statistics), c(2, 4) / 4)
})

test_that("items are chosen by name, or the informative ones of many", {
  fit <- suppressWarnings(stagewise_em(answers(300), k = 2))
  chosen <- pair_residuals(fit, items = c("item_7", "item_2", "item_3"))
  expect_equal(nrow(chosen), 3)
  expect_setequal(c(chosen$item_1, chosen$item_2), c("item_2", "item_3", "item_7"))
  expect_message(few <- pair_residuals(fit, max_items = 4),
                 class = "mdpd_message_items_left_out")
  expect_setequal(c(few$item_1, few$item_2), head(informative_order(fit), 4))
  expect_equal(nrow(suppressMessages(pair_residuals(fit, max_items = 2))), 1)
  expect_snapshot({
    show_conditions(pair_residuals(fit, items = "item_1"))
    show_conditions(pair_residuals(fit, items = c("item_1", "item_9")))
    show_conditions(pair_residuals(fit, max_items = 1))
  })
})

test_that("pairs without a row or a degree of freedom are left out", {
  x <- answers(100)
  x$item_1[1:50] <- NA
  x$item_2[51:100] <- NA
  x$item_3 <- factor("a")
  pairs <- pair_residuals(fit_two(x), n = 3, verbose = FALSE)
  expect_false(any(pairs$item_1 == "item_1" & pairs$item_2 == "item_2"))
  expect_false("item_3" %in% c(pairs$item_1, pairs$item_2))
  expect_equal(nrow(pairs), choose(7, 2) - 1)
  expect_false(anyNA(pairs))
})

test_that("samples of a fit that no pair is left of are no hindrance", {
  triples <- data.frame(item = 1:8, worker = rep(1:2, each = 4), label = rep(1:2, 4))
  fit <- suppressMessages(suppressWarnings(stagewise_em(crowd_labels(triples), 2)))
  expect_silent(pairs <- pair_residuals(fit, n = 2))
  expect_identical(nrow(pairs), 0L)
})

test_that("one row in a cell that hardly expects one is no discovery", {
  x <- data.frame(a = rep(c("u", "v"), c(199, 1)), b = rep(c("y", "z"), c(199, 1)))
  model <- structure(
    list(k = 1L, mixing_weights = c("1" = 1), item_probs = list(
      a = matrix(c(0.99, 0.01), 2, dimnames = list(c("u", "v"), "1")),
      b = matrix(c(0.99, 0.01), 2, dimnames = list(c("y", "z"), "1"))
    ), informative = character()),
    class = "mdpd"
  )
  coded <- suppressWarnings(encode(x))
  pair <- compare_pairs(coded, model, c("a", "b"))
  # The cell (v, z) expects 1 / 200 of a row.
  expect_equal(pair$statistic, 200)
  expect_equal(pair$G2, 2 * (199 * log(200 / 199) + log(200)))
  expect_equal(smaller_statistic(pair), pair$G2)
  # A level that no row shows takes no degree of freedom; nor is there an effect above 1.
  model$item_probs$a <- rbind(model$item_probs$a, w = 0.5) / 1.5
  coded$levels$a <- c("u", "v", "w")
  expect_equal(compare_pairs(coded, model, c("a", "b"))[c("df", "n_cells", "statistic")],
               pair[c("df", "n_cells", "statistic")])
})

test_that("true crowds show no pair, and pairs with few rows are tested by samples only", {
  crowd <- simulate_crowd(n_items = 150, n_workers = 12, missing = 0.7, seed = 1)
  fit <- suppressWarnings(mdpd(crowd$labels, k = 3))
  pairs <- pair_residuals(fit)
  # 150 * 0.3^2 rows a pair are 13, and up to nine cells ask for 45.
  expect_true(all(pairs$is_sparse == (pairs$n_obs < 5 * 9) | pairs$df < 4))
  expect_identical(is.na(pairs$p_value), pairs$is_sparse)
  expect_identical(is.na(pairs$p_adjusted), pairs$is_sparse)
  expect_false(is.unsorted(is.na(pairs$p_value)))
  expect_true(all(pairs$effect >= 0 & pairs$effect <= 1))
  expect_output(print(pairs), "fewer than five rows a cell.*n = 200")
  expect_error(autoplot(pairs[pairs$is_sparse, ]), class = "mdpd_error_not_stored")
  sampled <- pair_residuals(fit, n = 9, verbose = FALSE)
  expect_false(anyNA(sampled$p_value))
  expect_false(anyNA(sampled$p_adjusted))
  expect_output(print(sampled), "rows +effect")
})

test_that("hardly a true crowd shows a pair", {
  skip_below_level_2()
  # Before, chi-square of X2 named a pair in 87 % of such crowds.
  named <- vapply(1:40, function(seed) {
    crowd <- simulate_crowd(n_items = 400, n_workers = 20, missing = 0.6, seed = seed)
    found <- pair_residuals(suppressWarnings(mdpd(crowd$labels, k = 3)))
    any(found$p_adjusted < 0.05, na.rm = TRUE)
  }, NA)
  # At 5 % 7 of 40 or more have a probability of 0.3 %.
  expect_lt(sum(named), 7)
})

test_that("crowds and weighted tables have samples too", {
  crowd <- small_crowd(missing = 0.3)$labels
  pairs <- pair_residuals(suppressWarnings(mdpd(crowd, k = 3)), n = 3, verbose = FALSE)
  expect_equal(nrow(pairs), choose(15, 2))
  titanic <- as.data.frame(Titanic)
  fit <- suppressWarnings(stagewise_em(titanic[1:4], k = 2, weights = titanic$Freq))
  pairs <- pair_residuals(fit, n = 3, verbose = FALSE)
  expect_true(all(pairs$n_obs == 2201))
})

test_that("a sample that shows no pair is no more conspicuous than the data", {
  pairs <- data.frame(statistic = c(5, 1), G2 = c(5, 1), df = 1)
  samples <- rbind(c(NA, NA), c(6, 1), c(2, 2))
  expect_no_warning(p <- p_of_any(samples, pairs))
  expect_equal(p, c(2, 3) / 4)
  # Nor is it than the least conspicuous pair.
  pairs$statistic[2] <- pairs$G2[2] <- 0.1
  expect_equal(p_of_any(samples, pairs), c(2, 3) / 4)
})

test_that("a sample without an answer to an item is no hindrance to the p-values of its pairs", {
  expect_equal(p_of_samples(rbind(c(NA, 1), c(6, 1), c(NA, 2)), c(5, NA)), c(2 / 4, NA))
  x <- sharp_rows(60)
  x$rare <- NA
  x$rare[match(unique(x[[1]]), x[[1]])] <- c("y", "n")
  fit <- fit_two(x, weights = rep(1:2, c(59, 1)), prior = 0)
  pairs <- pair_residuals(fit, n = 40, verbose = FALSE)
  expect_true("rare" %in% c(pairs$item_1, pairs$item_2))
  expect_false(anyNA(pairs$p_value))
})

test_that("print shows the first pairs; tidy() is a plain table; a part of it prints plainly", {
  expect_snapshot(print(hand_made_pairs(), max_pairs = 3))
  expect_snapshot(print(hand_made_pairs(n = 200), max_pairs = 1))
  expect_named(tidy(hand_made_pairs()), c("item_1", "item_2", "n_obs", "statistic", "G2",
                                          "parameter", "effect", "p.value", "adj.p.value"))
  expect_output(print(hand_made_pairs()["item_1"]), "item_1")
  # Ten pairs unless others are asked for; all that is missing is the others' number.
  shown <- utils::capture.output(print(hand_made_pairs()))
  expect_length(grep("item_.* - item_", shown), 10)
  expect_match(shown, "and 5 more", all = FALSE)
  expect_no_match(utils::capture.output(print(hand_made_pairs(), max_pairs = 15)), "more$")
  # Half a table is no result: it prints as it is.
  part <- hand_made_pairs()
  part$effect <- NULL
  expect_output(print(part), "p_adjusted")
})

test_that("print counts the pairs with few rows, and those of one component", {
  printed <- function(pairs) paste(utils::capture.output(print(pairs)), collapse = " ")
  pairs <- hand_made_pairs()
  expect_no_match(printed(pairs), "five rows a cell")
  sparse <- function(which, n = 0) {
    pairs <- hand_made_pairs(n = n)
    pairs$is_sparse[which] <- TRUE
    if (n == 0) pairs[which, c("p_value", "p_adjusted")] <- NA
    pairs
  }
  expect_match(printed(sparse(2)), "  ?1 pair has fewer than five rows a cell and no p-value")
  expect_match(printed(sparse(2:4)), "3 pairs have fewer than five rows a cell and no p-value")
  expect_match(printed(sparse(2:15)), "1 component|of which 1 with a corrected")
  # Nothing is left to be shown.
  all <- printed(sparse(1:15))
  expect_match(all, "All pairs have fewer than five rows a cell and no p-value")
  expect_no_match(all, "The most conspicuous pairs")
  expect_match(printed(sparse(2:15)), "The most conspicuous pairs")
  sampled <- printed(sparse(2:4, n = 1))
  expect_match(sampled, "by 1 sample of the fitted model")
  expect_match(sampled, "3 pairs have fewer than five rows a cell[.]")
  attr(pairs, "k") <- 1L
  expect_match(printed(pairs), "that 1 component leaves dependent")
  # Rows are shown where pairs have different ones.
  expect_no_match(printed(pairs), "rows  *effect")
  pairs$n_obs[3] <- 99.04
  expect_match(printed(pairs), "rows  *effect .* 99 ")
  # Names have the room that the numbers leave.
  shows <- function(pairs, size, width) {
    rlang::local_options(cli.width = width)
    pairs$item_1 <- strrep("v", size)
    grepl(strrep("v", size), printed(pairs))
  }
  expect_identical(c(shows(pairs, 26, 102), shows(pairs, 27, 102)), c(TRUE, FALSE))
  pairs$n_obs <- 100
  expect_identical(c(shows(pairs, 29, 101), shows(pairs, 30, 101)), c(TRUE, FALSE))
  # At least fifteen columns.
  expect_identical(c(shows(pairs, 15, 60), shows(pairs, 16, 60)), c(TRUE, FALSE))
  pairs$p_adjusted <- c(0.05, 0.049, rep(1, 13))
  expect_match(printed(pairs), "of which 1 with a corrected")
  expect_error(print(pairs, max_pairs = 0), "`max_pairs`", class = "mdpd_error_argument")
})

test_that("five rows a cell are enough for chi-square, and up to 100 items are compared", {
  pairs <- function(n_obs) {
    x <- data.frame(a = rep_len(c("u", "v"), n_obs), b = rep_len(c("u", "u", "v", "v"), n_obs))
    pair_residuals(suppressWarnings(mdpd(x, k = 1)))
  }
  expect_false(pairs(20)$is_sparse)
  expect_true(pairs(19)$is_sparse)
  wide <- as.data.frame(matrix(c("u", "v"), 12, 101))
  wide[] <- Map(function(column, j) column[(seq_len(12) + j %% 5) %/% (1 + j %% 3) %% 2 + 1], wide,
                seq_along(wide))
  fit <- suppressWarnings(mdpd(wide, k = 1))
  expect_message(pairs <- pair_residuals(fit), "100 of 101 items",
                 class = "mdpd_message_items_left_out")
  expect_length(unique(c(pairs$item_1, pairs$item_2)), 100)
  expect_message(pair_residuals(suppressWarnings(mdpd(wide[-1], k = 1))), NA)
  expect_error(pair_residuals(fit, items = 1:3), "must be names of at least two items",
               class = "mdpd_error_argument")
  expect_equal(nrow(pair_residuals(fit, items = c("V3", "V1"))), 1)
})

test_that("a picture needs pairs, and has a dot for each that chance does not explain", {
  pairs <- hand_made_pairs()
  picture <- autoplot(pairs)
  expect_equal(nrow(picture$data), 2 * nrow(pairs))
  dots <- picture$layers[[2]]$data
  expect_equal(nrow(dots), 2 * sum(pairs$p_adjusted < 0.05))
  expect_gt(nrow(dots), 0)
  bars <- autoplot(pairs, type = "bars", max_pairs = 4)
  expect_equal(bars$data$effect, sort(pairs$effect, decreasing = TRUE)[1:4])
  expect_error(autoplot(pairs["item_1"]), class = "mdpd_error_not_stored")
  expect_error(autoplot(pairs, type = "pie"), class = "mdpd_error_argument")
  expect_length(levels(autoplot(pairs, max_shown = 2)$data$first), 2)
  expect_error(autoplot(pairs, max_shown = 1), "`max_shown`", class = "mdpd_error_argument")
  expect_error(plot(pairs, max_pairs = 4), "`max_pairs` must be left out",
               class = "mdpd_error_argument")
})

test_that("no pair is named where who answers depends on other answers", {
  probs <- cbind(c(0.85, 0.8, 0.8, 0.75, 0.8, 0.8), c(0.2, 0.25, 0.2, 0.25, 0.3, 0.2))
  for (seed in 1:3) {
    x <- with_seed(seed, {
      class <- 1 + stats::rbinom(6000, 1, 0.4)
      x <- as.data.frame(lapply(1:6, function(i) stats::rbinom(6000, 1, probs[i, class])),
                         col.names = paste0("q", 1:6))
      x[stats::runif(6000) < c(0.75, 0.3, 0.05)[x$q1 + x$q2 + 1], 4:6] <- NA
      x
    })
    expect_gt(min(pair_residuals(stagewise_em(x, k = 2))$p_adjusted), 0.05)
  }
})
