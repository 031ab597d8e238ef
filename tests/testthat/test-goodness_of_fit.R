polca_table <- function(name) {
  Filter(function(column) length(unique(column)) < 10, polca_data(name))
}

# Every cell of the complete table, one by one.
twin_statistics <- function(x, fit, lambda, weights = rep(1, nrow(x))) {
  cells <- expand.grid(lapply(fit$item_probs, rownames), stringsAsFactors = FALSE)
  by_component <- vapply(seq_len(fit$k), function(k) {
    fit$mixing_weights[[k]] * Reduce(`*`, Map(function(item, probs) probs[cells[[item]], k],
                                              names(cells), fit$item_probs))
  }, numeric(nrow(cells)))
  expected <- sum(weights) * rowSums(by_component)
  key <- function(x) do.call(paste, c(lapply(x, as.character), sep = "|"))
  observed <- as.vector(tapply(weights, factor(key(x), key(cells)), sum, default = 0))
  ratio <- ifelse(observed > 0, observed / expected, 1)
  c(2 * sum(observed * log(ratio)), sum((observed - expected)^2 / expected),
    2 / (lambda * (lambda + 1)) * sum((observed * (observed / expected)^lambda)[observed > 0]) -
      2 / (lambda * (lambda + 1)) * sum(observed))
}

test_that("the statistics are those of a sum over every cell of the table", {
  x <- answers(150)[1:5]
  for (weights in list(NULL, rep(c(1, 2, 3), 50))) {
    fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 2, weights = weights))
    for (lambda in c(-0.5, 2 / 3, 3)) {
      found <- goodness_of_fit(fit, lambda = lambda)
      # 72 cells: rounding of sums of that many terms.
      expect_equal(found$statistics$value,
                   twin_statistics(x, fit, lambda, weights %||% rep(1, 150)), tolerance = 1e-9)
    }
    expect_equal(found$n_cells, prod(vapply(x, nlevels, 0L)))
    expect_equal(found$df, found$n_cells - 1 - fit$df)
    expect_equal(found$n_patterns, nrow(unique(x)))
    expect_equal(found$share_empty, 1 - nrow(unique(x)) / found$n_cells)
  }
  # Power 0 is the likelihood ratio, power 1 Pearson's.
  values <- function(lambda) goodness_of_fit(fit, lambda = lambda)$statistics$value
  expect_equal(values(0)[3], values(0)[1])
  expect_equal(values(1)[3], values(1)[2])
})

test_that("G2, X2 and the degrees of freedom are those of poLCA", {
  for (case in list(list("carcinoma", 3), list("values", 2), list("gss82", 3))) {
    x <- polca_table(case[[1]])
    k <- case[[2]]
    formula <- stats::as.formula(paste0("cbind(", toString(names(x)), ") ~ 1"))
    peer <- with_seed(1, poLCA::poLCA(formula, x, nclass = k, nrep = 3, tol = 1e-13,
                                      maxiter = 1e4, calc.se = FALSE, verbose = FALSE))
    control <- stagewise_control(tol = 1e-14, max_iter = 5000)
    found <- goodness_of_fit(mdpd(x, k = k, start = peer$posterior, control = control))
    # Both are converged to 1e-9 nats; a statistic moves by the root of what an estimate moves.
    expect_equal(found$statistics$value[1:2], c(peer$Gsq, peer$Chisq), tolerance = 1e-4)
    # poLCA puts the rows in the place of the cells where they are fewer.
    expect_equal(found$df - max(0, found$n_cells - 1 - nrow(x)), peer$resid.df)
  }
})

test_that("a fit by evidence is tested at the maximum of the likelihood, as poLCA has it", {
  for (case in list(list("carcinoma", 2), list("values", 2), list("values", 3),
                    list("cheating", 2))) {
    x <- polca_table(case[[1]])[1:4]
    formula <- stats::as.formula(paste0("cbind(", toString(names(x)), ") ~ 1"))
    peer <- with_seed(1, poLCA::poLCA(formula, x, nclass = case[[2]], nrep = 5, tol = 1e-12,
                                      maxiter = 1e4, calc.se = FALSE, verbose = FALSE))
    fit <- suppressWarnings(stagewise_em(x, k = case[[2]]))
    found <- suppressWarnings(goodness_of_fit(fit))
    expect_true(found$by_likelihood)
    # EM stops at 1e-10 of the log-likelihood; X2 moves by the root of what that leaves.
    expect_equal(found$statistics$value[1], peer$Gsq, tolerance = 1e-4)
    expect_equal(found$statistics$value[2], peer$Chisq, tolerance = 1e-3)
    # Its own probabilities are farther away.
    own <- power_divergences(count_patterns(fit$coded, "all"), fit, 1)[["G2"]]
    expect_gt(own, peer$Gsq + 0.1)
  }
  expect_output(print(found), "maximum of the likelihood")
  plain <- goodness_of_fit(mdpd(x, k = 2))
  expect_false(plain$by_likelihood)
  # Prior counts draw away from the maximum too.
  crowd <- small_crowd()$labels
  prior <- goodness_of_fit(mdpd(crowd, k = 3, prior = 2))
  expect_true(prior$by_likelihood)
  classic <- goodness_of_fit(mdpd(crowd, k = 3, prior = 0))
  expect_equal(prior$statistics$value[1], classic$statistics$value[1], tolerance = 1e-4)
})

test_that("the maximum keeps names, shared items and the informative set", {
  x <- answers(300)
  fit <- suppressWarnings(stagewise_em(x, k = 2))
  fit$informative <- setdiff(fit$informative, "item_8")
  end <- at_maximum(fit, fit$coded)
  expect_identical(lapply(end$item_probs, dimnames), lapply(fit$item_probs, dimnames))
  expect_equal(unname(end$item_probs$item_8[, 1]), as.vector(table(x$item_8)) / 300)
  expect_identical(end$item_probs$item_8[, 1], end$item_probs$item_8[, 2])
  # A further step of EM moves nothing: 1e-10 of the log-likelihood is 1e-5 of an estimate or so.
  again <- at_maximum(end, fit$coded)
  expect_equal(again$item_probs, end$item_probs, tolerance = 1e-3)
})

test_that("a model that is not identified is told", {
  x <- polca_table("values")
  # 14 parameters in 16 cells, of which one is not determined, see test-identification.R.
  fit <- suppressWarnings(mdpd(x, k = 3))
  expect_warning(found <- goodness_of_fit(fit), class = "mdpd_warning_not_identified")
  expect_equal(found$n_undetermined, 1)
})

test_that("a table of cells that nobody could list takes no time", {
  x <- as.data.frame(matrix(rep_len(1:5, 40 * 75), 40))
  x[] <- Map(function(column, j) (column * j + seq_len(40)^2 %/% j) %% 5, x, seq_along(x))
  fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 1))
  found <- goodness_of_fit(fit)
  expect_equal(log(found$n_cells), sum(log(vapply(x, function(j) length(unique(j)), 0L))))
  expect_true(all(is.finite(found$statistics$value)))
  expect_true(found$is_sparse)
  # Every row is a pattern of its own, so G2 is -2 (log-likelihood + N log N).
  expect_equal(found$statistics$value[1], -2 * (fit$loglik + 40 * log(40)))
  # 800 items: more cells than a number can say.
  wide <- as.data.frame(matrix(rep_len(1:3, 6 * 800), 6))
  found <- goodness_of_fit(suppressWarnings(mdpd(wide, k = 1)))
  expect_identical(found$df, Inf)
  expect_output(print(found), "more than 10\\^308")
})

test_that("rows that miss the same items are a table of their own", {
  x <- answers(200)[1:4]
  x$item_1[1:60] <- NA
  fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 2))
  expect_message(found <- goodness_of_fit(fit), class = "mdpd_message_missing_cells")
  part <- function(rows, items) {
    of_items <- fit
    of_items$item_probs <- fit$item_probs[items]
    twin_statistics(x[rows, items], of_items, 2 / 3)
  }
  expect_equal(found$statistics$value, part(1:60, 2:4) + part(61:200, 1:4), tolerance = 1e-9)
  n_levels <- vapply(x, nlevels, 0L)
  expect_equal(found$n_cells, prod(n_levels[-1]) + prod(n_levels))
  expect_equal(found$df, found$n_cells - 2 - fit$df)
  expect_message(complete <- goodness_of_fit(fit, rows = "complete"),
                 class = "mdpd_message_missing_cells")
  expect_equal(complete$statistics$value, part(61:200, 1:4), tolerance = 1e-9)
  expect_equal(complete$nobs, 140)
  expect_snapshot(show_conditions(goodness_of_fit(fit)))
  x$item_2[61:200] <- NA
  none <- suppressMessages(suppressWarnings(mdpd(x, k = 1)))
  expect_snapshot(show_conditions(goodness_of_fit(none, rows = "complete")))
})

test_that("the order of rows, items and levels does not matter, nor how rows are stored", {
  x <- with_gaps(answers(120))
  fit <- suppressWarnings(mdpd(x, k = 2, start = answers_model()))
  found <- suppressMessages(goodness_of_fit(fit))
  again <- suppressMessages(goodness_of_fit(fit, x = x[120:1, 8:1]))
  expect_equal(again$statistics, found$statistics)
  sparse <- fit
  sparse$coded$codes <- as_sparse_codes(fit$coded$codes)
  expect_equal(suppressMessages(goodness_of_fit(sparse))[-1], found[-1])
  expect_equal(suppressMessages(goodness_of_fit(sparse))$statistics, found$statistics)
  # Rows of weight zero, some of which nobody else is like, are as if left out.
  more <- rbind(x, answers(120, seed = 2))
  counted <- suppressMessages(
    goodness_of_fit(fit, x = more, weights = rep(c(1, 0), each = 120))
  )
  expect_equal(counted$statistics, found$statistics)
})

test_that("many columns of many levels are told apart", {
  # 30 columns of 250 levels overflow a double ten times.
  codes <- matrix(as.raw(with_seed(1, sample(250, 20 * 30, TRUE))), 20)
  twice <- codes[c(1:20, 20:1), ]
  expect_identical(row_patterns(twice), c(1:20, 20:1))
  expect_identical(row_patterns(as_sparse_codes(twice)), c(1:20, 20:1))
  expect_identical(gap_patterns(twice), rep(1L, 40))
  # Rows that differ in one column alone, whichever that is.
  codes <- matrix(as.raw(249), 31, 30)
  codes[cbind(1:30, 1:30)] <- as.raw(250)
  expect_identical(row_patterns(codes), 1:31)
  # And so many that their numbers need digits besides.
  codes <- matrix(as.raw(with_seed(2, sample(249, 2000 * 30, TRUE))), 2000)
  near <- codes
  at <- cbind(1:2000, rep_len(1:30, 2000))
  near[at] <- as.raw(as.integer(near[at]) + 1)
  expect_identical(row_patterns(rbind(codes, near)), 1:4000)
})

test_that("the samples depend on the seed alone, and leave the session's random numbers", {
  fit <- suppressWarnings(stagewise_em(answers(150), k = 2))
  set.seed(5)
  before <- .Random.seed
  first <- goodness_of_fit(fit, n = 5, verbose = FALSE)
  expect_identical(.Random.seed, before)
  expect_identical(goodness_of_fit(fit, n = 5, verbose = FALSE), first)
  expect_identical(goodness_of_fit(fit, n = 5, threads = 2, verbose = FALSE), first)
  expect_identical(goodness_of_fit(fit, n = 5, seed = 1, verbose = FALSE)$samples, first$samples)
  expect_false(identical(goodness_of_fit(fit, n = 5, seed = 2, verbose = FALSE)$samples,
                         first$samples))
  reached <- colSums(sweep(first$samples, 2, first$statistics$value, `>=`))
  expect_equal(first$statistics$p_bootstrap, unname(reached + 1) / 6)
})

test_that("fits of every kind can be sampled", {
  x <- with_gaps(answers(200))
  crowd <- small_crowd(missing = 0.3)$labels
  fits <- suppressWarnings(list(
    stagewise_em(x, k = 2), stagewise_em(x, k = 2, control = stagewise_control(criterion = "bic")),
    stagewise_em(x, k = 2, refine = "full"), stagewise_em(x, k = 2, missing = "level"),
    stagewise_em(x, k = 2, missing = "frozen"), stagewise_em(x, k = 2, method = "paper"),
    mdpd(x, k = 2, n_starts = 1), mdpd(crowd, k = 3), mdpd(crowd, k = 3, prior = 1),
    stagewise_em(crowd, k = 3), stagewise_em(x, k = 1)
  ))
  for (fit in fits) {
    found <- suppressMessages(goodness_of_fit(fit, n = 3, verbose = FALSE))
    expect_true(all(is.finite(found$samples)))
    expect_equal(dim(found$samples), c(3L, 3L))
  }
})

test_that("a model that does not hold is told from one that does", {
  x <- answers(500)
  fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 2))
  poor <- goodness_of_fit(suppressWarnings(mdpd(x, k = 1)), n = 39, verbose = FALSE)
  # No sample of 39 comes near: the smallest p-value there is.
  expect_equal(poor$statistics$p_bootstrap, rep(1 / 40, 3))
  expect_true(all(goodness_of_fit(fit, n = 39, verbose = FALSE)$statistics$p_bootstrap > 1 / 40))
})

test_that("p-values of a true model are uniform", {
  skip_below_level_2()
  p <- vapply(1:200, function(seed) {
    x <- answers(200, seed = seed)
    fit <- mdpd(x, k = 2, start = answers_model())
    goodness_of_fit(fit, n = 19, verbose = FALSE)$statistics$p_bootstrap[1:2]
  }, numeric(2))
  # 5 % of 200 with a standard error of 1.5 %: four of them.
  expect_lt(max(abs(rowMeans(p <= 0.05) - 0.05)), 0.06)
})

test_that("print says what can be relied on; tidy() and glance() give tables", {
  fit <- suppressWarnings(mdpd(answers(150)[1:4], k = 2, n_starts = 1))
  found <- goodness_of_fit(fit)
  # No estimates in a snapshot.
  found$statistics$value <- c(12.34, 1.5e50, 13)
  found$statistics$p_value <- c(0.2, 0, NA)
  found[c("n_patterns", "share_empty", "is_sparse", "n_cells", "df")] <- list(40, 0.5, TRUE, 80, 9)
  expect_snapshot(print(found))
  found$n <- 200
  found$statistics$p_bootstrap <- c(0.005, 0.5, 1)
  found[c("n_cells", "df")] <- list(5^75, -3)
  expect_snapshot(print(found))
  expect_named(tidy(found), c("method", "statistic", "parameter", "p.value", "p.bootstrap"))
  expect_equal(glance(found)$p_bootstrap_G2, 0.005)
  p_values <- unlist(glance(found)[c("p_G2", "p_X2", "p_power_divergence")])
  expect_identical(unname(p_values), found$statistics$p_value)
  expect_equal(nrow(glance(found)), 1)
  statistics <- unlist(glance(found)[c("G2", "X2", "power_divergence")], use.names = FALSE)
  expect_identical(statistics, found$statistics$value)
  p_values <- unlist(glance(found)[paste0("p_bootstrap_", c("G2", "X2", "power_divergence"))])
  expect_identical(unname(p_values), found$statistics$p_bootstrap)
  found$nobs <- 60.66
  expect_output(print(found), "60.7 rows, 4 items, 40 patterns", fixed = TRUE)
})

test_that("p-values need a degree of freedom, and are those of chi-square with one", {
  x <- answers(20)[c("item_1", "item_4")]
  # Independence in a table of two by two; five rows a cell.
  found <- goodness_of_fit(suppressWarnings(mdpd(x, k = 1)))
  pearson <- suppressWarnings(stats::chisq.test(table(x), correct = FALSE))
  expect_equal(found$df, 1)
  expect_equal(found$statistics$value[2], unname(pearson$statistic))
  expect_equal(found$statistics$p_value[2], pearson$p.value)
  expect_false(found$is_sparse)
  expect_true(goodness_of_fit(suppressWarnings(mdpd(x[-1, ], k = 1)))$is_sparse)
  # Two classes of three items of two levels: 7 parameters in 7 free cells.
  full <- goodness_of_fit(suppressWarnings(mdpd(answers(40)[c(1, 4, 7)], k = 2, n_starts = 1)))
  expect_equal(full$df, 0)
  expect_identical(full$statistics$p_value, rep(NA_real_, 3))
})

test_that("notes say what is left to rely on", {
  notes <- function(df, is_sparse, n) {
    paste(fit_notes(list(df = df, is_sparse = is_sparse, n = n)), collapse = " ")
  }
  expect_match(notes(0, TRUE, 0), "^No degrees of freedom are left.* or more[.]$")
  expect_match(notes(1, TRUE, 0), "^Fewer than five rows a cell: .* Ask for samples: .*[.]$")
  expect_match(notes(1, TRUE, 1),
               "^Fewer than five .* p-values[.] p [(]samples[)]: of 1 sample of the fitted model")
  expect_identical(notes(1, FALSE, 0), "")
})

test_that("numbers are printed as exactly as they are read", {
  cells <- function(nobs) cell_words(list(nobs = nobs, n_cells = 100))
  expect_identical(cells(9), "100 (far fewer rows than cells)")
  expect_identical(cells(10), "100 (0.1 rows a cell)")
  expect_identical(cells(123), "100 (1.2 rows a cell)")
  expect_identical(big_number(999999999), "999,999,999")
  expect_identical(big_number(-1e9), "about 10^9")
  statistics <- data.frame(value = c(999999.5, 1e6, 123456789012), p_value = 0.5,
                           p_bootstrap = 0.25)
  shown <- format_statistics(list(statistics = statistics, lambda = 2 / 3, n = 1))
  expect_identical(unname(shown[, "value"]), c("999999.50", "1e+06", "1.23e+11"))
  expect_identical(unname(shown[, "p (samples)"]), rep("0.250", 3))
})

test_that("a sample is as far as the data also where rounding says otherwise", {
  expect_equal(p_of_samples(cbind(5 - 1e-12, 4.9, 5.1), rep(5, 3)), c(1, 1 / 2, 1))
  # Rounding grows with the statistic.
  expect_equal(p_of_samples(cbind(1e6 - 1e-3, 1e6 - 1), rep(1e6, 2)), c(1, 1 / 2))
  expect_equal(p_of_samples(cbind(5 - 4e-8, 5 - 6.5e-8), c(5, 5)), c(1, 1 / 2))
  expect_identical(p_of_samples(NULL, 5), NA_real_)
  # Of very many cells a statistic is larger than any number.
  expect_equal(p_of_samples(cbind(c(Inf, Inf, 7)), Inf), 3 / 4)
})

test_that("fits of one component and unrefined ones are tested as they are", {
  x <- answers(100)[1:4]
  one <- goodness_of_fit(stagewise_em(x, k = 1))
  expect_false(one$by_likelihood)
  # The power is that of Cressie and Read, and there are no samples but if asked for.
  expect_identical(one, goodness_of_fit(stagewise_em(x, k = 1), n = 0, lambda = 2 / 3))
  # Whatever says that the probabilities are no maximum; fits of before have no smoothing.
  plain <- list(k = 2L, refine = "full")
  is_plain <- function(...) is_at_maximum(c(plain, list(...)))
  expect_identical(c(is_plain(), is_plain(smoothing = 0), is_plain(smoothing = 0.5),
                     is_plain(evidence = -9), is_plain(prior = diag(2))),
                   c(TRUE, TRUE, FALSE, FALSE, FALSE))
  rough <- suppressWarnings(stagewise_em(x, k = 2, refine = "none"))
  expect_false(suppressWarnings(goodness_of_fit(rough))$by_likelihood)
  expect_error(goodness_of_fit(rough, n = 1), class = "mdpd_error_argument")
})

test_that("rows left out are counted, also a single one", {
  x <- answers(60)[1:4]
  x$item_1[7] <- NA
  fit <- suppressWarnings(mdpd(x, k = 1))
  expect_message(goodness_of_fit(fit, rows = "complete"),
                 "1 of 60 rows has a missing answer and is left out", fixed = TRUE)
  counts <- suppressWarnings(mdpd(x, k = 1, weights = rep(c(1, 3), 30)))
  expect_message(goodness_of_fit(counts), "1 of 120 rows has", fixed = TRUE)
  counts <- suppressWarnings(mdpd(x, k = 1, weights = rep(c(3, 1), 30)))
  expect_message(goodness_of_fit(counts), "3 of 120 rows have", fixed = TRUE)
  coded <- fit$coded
  coded$weights <- rep(1.011, 60)
  expect_message(inform_missing_cells(coded, "all"), "^1 of 60.7 rows has")
  coded$weights <- rep(1.5, 60)
  expect_message(inform_missing_cells(coded, "all"), "^1.5 of 90 rows have")
  coded$weights <- rep(3e9, 60)
  expect_message(inform_missing_cells(coded, "complete"),
                 "^3,000,000,000 of 180,000,000,000 rows have a missing answer and are")
  expect_message(goodness_of_fit(fit), "rows with the same items missing make a table of their own")
  expect_message(goodness_of_fit(fit, x = answers(60)[1:4]), NA)
})

test_that("more rows than R can draw are tested without samples only", {
  x <- answers(40)[1:4]
  fit <- suppressWarnings(mdpd(x, k = 1))
  weights <- rep(1e8, 40)
  expect_equal(goodness_of_fit(fit, x = x, weights = weights)$nobs, 4e9)
  expect_error(goodness_of_fit(fit, n = 1, x = x, weights = weights), "sum to 4e[+]09",
               class = "mdpd_error_argument")
})

test_that("bad input is told", {
  x <- answers(60)
  fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 1))
  none <- suppressWarnings(stagewise_em(x, k = 2, refine = "none"))
  crowd <- simulate_crowd(n_items = 30, n_workers = 3, accuracy = rep(0.8, 3), seed = 1)$labels
  triples <- as.data.frame(crowd)
  twice <- crowd_labels(rbind(triples, triples[1:5, ]), duplicates = "count")
  repeated <- suppressWarnings(mdpd(twice, k = 3, prior = 0))
  expect_snapshot({
    show_conditions(goodness_of_fit(fit, n = -1))
    show_conditions(goodness_of_fit(fit, lambda = -1))
    show_conditions(goodness_of_fit(fit, rows = "some"))
    show_conditions(goodness_of_fit(none, n = 10))
    show_conditions(goodness_of_fit(repeated))
  })
  expect_error(goodness_of_fit(fit, lambda = 5.5), class = "mdpd_error_argument")
  expect_error(goodness_of_fit(), "`object` must be given", class = "mdpd_error_argument")
  expect_error(pair_residuals(), "`object` must be given", class = "mdpd_error_argument")
  expect_error(goodness_of_fit(fit, seed = "a"), "`seed`", class = "mdpd_error_argument")
  expect_error(goodness_of_fit(fit, threads = 0), "`threads`", class = "mdpd_error_argument")
  expect_error(goodness_of_fit(fit, verbose = 2), "`verbose`", class = "mdpd_error_argument")
  expect_error(goodness_of_fit(hand_made_truth()), class = "mdpd_error_not_stored")
  fit$coded <- NULL
  expect_error(goodness_of_fit(fit), class = "mdpd_error_no_data")
  expect_equal(goodness_of_fit(fit, x = x)$nobs, 60)
})

test_that("tests of fit say that they do not count a survey design", {
  fit <- suppressMessages(stagewise_em(sharp_rows(200), k = 1:2))
  designed <- fit
  designed$design <- new_design(rep(1:20, each = 10), NULL, 200)
  tests <- list(goodness_of_fit, pair_residuals, function(fit) test_k(fit, n = 19))
  for (test in tests) {
    expect_warning(test(designed), class = "mdpd_warning_design_ignored")
    expect_no_warning(test(fit))
  }
})

test_that("tests of fit say that weights of a survey are no counts of rows", {
  x <- sharp_rows(200)
  weights <- rep(c(1, 3), 100)
  tests <- list(goodness_of_fit, pair_residuals, function(fit) test_k(fit, n = 19))
  whole <- suppressMessages(stagewise_em(x, k = 1:2, weights = weights))
  expect_warning(sampled <- suppressMessages(stagewise_em(x, k = 1:2, weights = weights * 1.1)),
                 class = "mdpd_warning_sampling_weights")
  for (test in tests) {
    expect_warning(test(sampled), class = "mdpd_warning_sampling_weights")
    expect_no_warning(test(whole))
  }
  expect_snapshot(show_conditions(pair_residuals(sampled)))
  # Rounding of a file is no fraction.
  near <- whole
  near$coded$weights <- whole$coded$weights + 1e-9
  expect_no_warning(pair_residuals(near))
})

test_that("the picture has the samples and the statistics of the data", {
  x <- answers(100)[1:4]
  found <- goodness_of_fit(suppressWarnings(mdpd(x, k = 2, n_starts = 2)), n = 20)
  local_pdf()
  picture <- plot(found)
  counts <- ggplot2::layer_data(picture, 1)
  expect_equal(as.vector(tapply(counts$ymax, counts$PANEL, sum)), rep(20, 3))
  expect_setequal(ggplot2::layer_data(picture, 2)$xintercept, found$statistics$value)
  # However far the data are, the samples have bars of their own.
  found$statistics$value <- 1e6
  far <- ggplot2::layer_data(autoplot(found), 1)
  expect_identical(far[c("xmin", "xmax", "ymax")], counts[c("xmin", "xmax", "ymax")])
  expect_gt(nrow(far), 9)
  expect_equal(nrow(sample_bars(c(NA, Inf))), 0)
  expect_equal(sample_bars(c(3, 3, 3))$n, 3)
  none <- goodness_of_fit(suppressWarnings(mdpd(x, k = 2, n_starts = 2)))
  expect_snapshot(show_conditions(plot(none)))
})

test_that("without a degree of freedom that is a number there is no p-value", {
  model <- list(df = 3, k = 1L, item_probs = list(1, 2))
  p_of <- function(n_cells) {
    table <- list(n_cells = n_cells, n_tables = 1, count = c(4, 6), total = c(10, 10))
    expect_no_warning(found <- new_goodness_of_fit(model, table, c(1, 2, 3), NULL, list()))
    found$statistics$p_value
  }
  expect_identical(p_of(Inf), rep(NA_real_, 3))
  expect_identical(p_of(2), rep(NA_real_, 3))
  expect_identical(p_of(4), rep(NA_real_, 3))
  expect_equal(p_of(5), stats::pchisq(1:3, 1, lower.tail = FALSE))
})

test_that("bars of samples are some fifteen, and their axis has a tick for each half inch", {
  expect_identical(sample_bars(3)$n, 1L)
  # Sixteen would have other ends.
  expect_false(identical(pretty(c(0, 22), 15), pretty(c(0, 22), 16)))
  expect_equal(sample_bars(c(0, 22))$to, pretty(c(0, 22), 15)[c(2, length(pretty(c(0, 22), 15)))])
  local_picture_size(7, 5)
  expect_identical(sample_breaks(3)(c(0, 3)), pretty(c(0, 3), 4))
  expect_identical(sample_breaks(1)(c(0, 4)), pretty(c(0, 4), 5))
  expect_identical(sample_breaks(50)(c(0, 20)), pretty(c(0, 20), 1))
  expect_identical(short_numbers(c(999999, 1e6, NA, -1234567)),
                   c("999,999", "1e+06", "NA", "-1234567"))
})

test_that("heads of panels of samples are as large as there is room, and stand where they must", {
  local_picture_size(7, 5)
  head <- function(n_letters) {
    samples <- stats::setNames(rep(list(1:9), 3), c(strrep("n", n_letters), "b", "c"))
    draw_samples(samples, c(5, 5, 5), rep(0.01, 3))$theme$strip.text
  }
  # Bold letters beside each other in a third of the width.
  expect_identical(head(24)$size, 9)
  expect_identical(head(25)$size, 8.5)
  expect_null(head(36)$angle)
  upright <- head(37)
  expect_identical(c(upright$angle, upright$hjust), c(90, 0))
})
