# Two components that two informative items in ten would not tell apart, but five do.
small_fit <- function(n_obs = 300, ...) stagewise_em(answers(n_obs), k = 2, ...)

test_that("the samples do not depend on the number of processes", {
  skip_on_os("windows")
  fit <- small_fit()
  serial <- bootstrap(fit, n = 12, verbose = FALSE)
  expect_identical(bootstrap(fit, n = 12, threads = 2, verbose = FALSE), serial)
})

test_that("without a seed the samples are those of seed 1", {
  fit <- small_fit()
  of_seed_1 <- bootstrap(fit, n = 3, refit = FALSE, seed = 1, verbose = FALSE)
  expect_identical(bootstrap(fit, n = 3, refit = FALSE, verbose = FALSE), of_seed_1)
  # The progress changes nothing.
  expect_identical(suppressMessages(bootstrap(fit, n = 3, refit = FALSE, verbose = TRUE)),
                   of_seed_1)
  expect_equal(as.list(formals(bootstrap.mdpd))[c("n", "threads")], list(n = 200, threads = 1))
})

test_that("the first samples are the same however many there are", {
  fit <- small_fit()
  for (type in c("nonparametric", "parametric")) {
    few <- bootstrap(fit, n = 3, type = type, refit = FALSE, verbose = FALSE)
    many <- bootstrap(fit, n = 5, type = type, refit = FALSE, verbose = FALSE)
    expect_identical(many$estimates[1:3, ], few$estimates)
  }
})

test_that("a seed leaves the session's random numbers alone, and none draws from them", {
  fit <- small_fit()
  with_seed(7, {
    before <- .Random.seed
    bootstrap(fit, n = 3, refit = FALSE, verbose = FALSE)
    expect_identical(.Random.seed, before)
    first <- bootstrap(fit, n = 3, refit = FALSE, seed = NULL, verbose = FALSE)
    expect_false(identical(.Random.seed, before))
    second <- bootstrap(fit, n = 3, refit = FALSE, seed = NULL, verbose = FALSE)
    expect_false(identical(first$estimates, second$estimates))
  })
})

test_that("bootstrap standard errors agree with those of the information", {
  # With the informative set held there is no prior: by evidence see test-evidence.R.
  fit <- small_fit(2000, control = stagewise_control(criterion = "bic"))
  analytic <- sqrt(diag(vcov(fit)))
  for (type in c("nonparametric", "parametric")) {
    samples <- bootstrap(fit, n = 200, type = type, refit = FALSE, verbose = FALSE)
    ratio <- apply(samples$estimates, 2, sd) / analytic
    # The standard deviation of 200 draws is off by 5 %; the largest of some 40 by 3 times that,
    # with a little room for terms of higher order.
    expect_true(all(ratio > 0.8 & ratio < 1.22))
    expect_lt(abs(mean(ratio) - 1), 0.05)
    expect_equal(unname(standard_errors(samples)$mixing_weights),
                 unname(ratio * analytic)[1:2])
  }
})

test_that("the estimates of every sample are distributions", {
  x <- with_gaps(answers(200))
  for (refit in c(TRUE, FALSE)) {
    samples <- bootstrap(stagewise_em(x, k = 2), n = 5, refit = refit, verbose = FALSE)
    values <- samples$estimates
    expect_true(all(values >= 0 & values <= 1))
    key <- with(samples$parameters, paste(item, component))
    key[is.na(samples$parameters$item)] <- "weight"
    expect_equal(as.vector(rowsum(t(values), key)), rep(1, 5 * length(unique(key))))
  }
})

test_that("components of the samples are those of the fit", {
  # At this size and separation no sample can be mistaken for the other labelling.
  samples <- bootstrap(small_fit(1000), n = 10, verbose = FALSE)
  expect_true(all(samples$k == 2))
  gap <- abs(sweep(samples$estimates, 2, samples$parameters$estimate))
  expect_lt(max(gap), 0.2)
})

test_that("refitting selects the informative items anew; holding them does not", {
  fit <- small_fit(1000)
  samples <- bootstrap(fit, n = 10, type = "parametric", verbose = FALSE)
  expect_named(samples$selection, names(fit$item_probs))
  expect_true(all(samples$selection[informative(fit)] == 1))
  expect_true(all(samples$selection[setdiff(names(fit$item_probs), informative(fit))] < 0.5))
  expect_null(bootstrap(fit, n = 2, refit = FALSE, verbose = FALSE)$selection)
})

test_that("a fit of ordinary EM goes on from its posterior", {
  fit <- mdpd(answers(400), k = 2, n_starts = 2)
  samples <- bootstrap(fit, n = 5, verbose = FALSE)
  expect_false(samples$refit)
  expect_false(anyNA(samples$estimates))
  expect_error(bootstrap(fit, n = 5, refit = TRUE), class = "mdpd_error_argument")
})

test_that("rows of a known class stay known", {
  crowd <- simulate_crowd(n_items = 200, n_workers = 6, accuracy = rep(0.5, 6), seed = 1)
  fit <- mdpd(crowd$labels, k = 3, known = crowd$truth, prior = 0)
  for (type in c("nonparametric", "parametric")) {
    samples <- bootstrap(fit, n = 60, type = type, verbose = FALSE)
    # With every class known the weights are shares; 60 draws are good to 9 %.
    expect_close(standard_errors(samples)$mixing_weights, standard_errors(fit)$mixing_weights,
                 tolerance = 0.3)
    expect_close(colMeans(samples$estimates[, 1:3]), fit$mixing_weights, tolerance = 0.05)
  }
})

test_that("prior counts are added in every sample", {
  crowd <- simulate_crowd(n_items = 100, n_workers = 4, accuracy = rep(0.7, 4), missing = 0.2,
                          seed = 1)
  certain <- diag(3) * 1e6 + 1
  for (missing in c("ignore", "level")) {
    fit <- mdpd(crowd$labels, k = 3, prior = certain, missing = missing)
    expect_identical(fit$prior, certain)
    samples <- bootstrap(fit, n = 3, verbose = FALSE)
    # Against a million labels a hundred move nothing; a level for missing labels has no prior.
    gap <- abs(sweep(samples$estimates, 2, samples$parameters$estimate))
    labels <- which(samples$parameters$level %in% fit$labels)
    expect_lt(max(gap[, labels]), 1e-3)
  }
  # Without labels of its own a prior of one number moves nothing but the counts.
  flat <- mdpd(crowd$labels, k = 3, prior = 2)
  samples <- bootstrap(flat, n = 40, verbose = FALSE)
  expect_gt(min(samples$estimates[, -(1:3)]), 0.02)
})

test_that("an interval of few samples comes with a warning and is not printed", {
  samples <- bootstrap(small_fit(100), n = 20, refit = FALSE, verbose = FALSE)
  expect_snapshot(show_conditions(limits <- confint(samples, "mixing_weights")))
  expect_warning(confint(samples, level = 0.95), class = "mdpd_warning_few_samples")
  expect_silent(confint(samples, level = 0.9))
  expect_equal(samples_needed(c(0.9, 0.95, 0.99)), c(20, 40, 200))
  # Up to a millionth more is rounding.
  expect_equal(samples_needed(1 - 2 / (20 + c(5e-7, 2e-6))), c(20, 21))
  expect_false(any(grepl("97.5", utils::capture.output(print(samples)))))
  enough <- bootstrap(small_fit(100), n = 40, refit = FALSE, verbose = FALSE)
  expect_true(any(grepl("97.5", utils::capture.output(print(enough)))))
})

test_that("case weights count rows", {
  x <- answers(300)
  fit <- small_fit(weights = rep(2, 300), control = stagewise_control(criterion = "bic"))
  for (type in c("nonparametric", "parametric")) {
    samples <- bootstrap(fit, n = 100, type = type, refit = FALSE, verbose = FALSE)
    # 600 rows, not 300; 100 draws are good to 7 %.
    expect_close(mean(apply(samples$estimates, 2, sd) / sqrt(diag(vcov(fit)))), 1, tolerance = 0.1)
  }
  coded <- list(weights = c(0.5, 1.25, 0))
  draws <- with_seed(1, replicate(200, resampled_weights(coded$weights)))
  expect_equal(colSums(draws), rep(1.75, 200))
  expect_true(all(draws[3, ] == 0))
  # Of less than one row it is one, which counts as much as all did.
  part <- suppressWarnings(encode(x[1:4, ]))
  part$weights <- c(0.1, 0.2, 0, 0.1)
  sample <- with_seed(1, draw_parametric(answers_model(), part))
  expect_equal(sample$weights, 0.4)
  expect_identical(dim(sample$codes), c(1L, 8L))
  # Without weights every row is drawn once, and lacks what it lacked.
  gaps <- suppressWarnings(encode(with_gaps(x[1:40, ])))
  sample <- with_seed(1, draw_parametric(answers_model(), gaps))
  expect_identical(sample$codes == as.raw(0), gaps$codes == as.raw(0))
  # Of other weights some of them are one.
  part$weights <- c(1, 2, 1, 1)
  sample <- with_seed(1, draw_parametric(answers_model(), part))
  expect_equal(sample$weights, rep(1, 5))
  expect_identical(dim(sample$codes), c(5L, 8L))
  part$weights <- c(0.1, 0.2, 0, 0.1)
  times <- with_seed(1, replicate(20, resampled_weights(part$weights)))
  expect_equal(apply(times, 2, sort), matrix(c(0, 0, 0, 0.4), 4, 20))
  # R counts the rows that it draws by an integer.
  expect_silent(check_rows_drawn(.Machine$integer.max))
  expect_error(check_rows_drawn(c(.Machine$integer.max, 1)), "at most 2,147,483,647",
               class = "mdpd_error_argument")
})

test_that("an item that a sample does not observe is NA in it", {
  x <- answers(200)
  x$item_8[-(1:2)] <- NA
  samples <- bootstrap(stagewise_em(x, k = 2), n = 30, verbose = FALSE)
  rare <- samples$estimates[, grep("^item_8:", colnames(samples$estimates))]
  # Both rows are left out of one sample in seven.
  expect_true(anyNA(rare))
  expect_false(all(is.na(rare)))
  expect_false(anyNA(samples$estimates[, 1:2]))
})

test_that("fewer components than in the fit leave NA", {
  fit <- small_fit()
  one <- structure(list(
    k = 1L, mixing_weights = c("2" = 1),
    item_probs = lapply(fit$item_probs, function(p) p[, "2", drop = FALSE]),
    informative = character()
  ), class = "mdpd")
  values <- stats::setNames(replicate_values(one, fit), parameter_table(fit)$name)
  expect_identical(unname(is.na(values[1:2])), c(TRUE, FALSE))
  item <- fit$informative[1]
  expect_true(all(is.na(values[grep(paste0("^", item, ":.*[|]1$"), names(values))])))
})

test_that("a sample of one row leaves NA where the items are held, too", {
  table <- data.frame(a = rep(1:2, each = 30), b = rep(1:2, each = 30), c = rep(1:3, 20))
  fit <- suppressWarnings(stagewise_em(table, 2, refine = "none"))
  expect_identical(fit$informative, c("a", "b"))
  boot <- suppressWarnings(bootstrap(fit, n = 2, refit = FALSE, weights = rep(1 / 60, 60)))
  expect_identical(boot$k, c(1L, 1L))
  expect_identical(rowSums(is.na(boot$estimates[, boot$parameters$item %in% "a"])), c(2, 2))
  expect_false(anyNA(boot$estimates[, boot$parameters$item %in% "c"]))
})

test_that("one component is bootstrapped too", {
  fit <- stagewise_em(answers(100), k = 1)
  for (refit in c(TRUE, FALSE)) {
    samples <- bootstrap(fit, n = 3, refit = refit, verbose = FALSE)
    expect_true(all(samples$estimates[, 1] == 1))
  }
})

test_that("intervals are percentiles", {
  samples <- bootstrap(small_fit(), n = 25, refit = FALSE, verbose = FALSE)
  expect_equal(confint(samples, "mixing_weights", level = 0.8)[1, ],
               quantile(samples$estimates[, 1], c(0.1, 0.9)), ignore_attr = TRUE)
  expect_identical(confint(samples, 2, level = 0.9),
                   confint(samples, "mixing_weights", level = 0.9)[2, , drop = FALSE])
  expect_identical(dimnames(confint(samples, level = 0.9)),
                   list(samples$parameters$name, c("5 %", "95 %")))
  expect_equal(sqrt(diag(vcov(samples)))[1:2],
               standard_errors(samples)$mixing_weights, ignore_attr = TRUE)
  # Where a sample has no value, the others have.
  gone <- samples
  gone$estimates[1:5, 1] <- NA
  expect_equal(standard_errors(gone)$mixing_weights[[1]], stats::sd(samples$estimates[6:25, 1]))
  expect_silent(limits <- confint(gone, "mixing_weights", level = 0.9))
  expect_equal(limits[1, ], quantile(samples$estimates[6:25, 1], c(0.05, 0.95)),
               ignore_attr = TRUE)
  gone$estimates[6, 1] <- NA
  expect_warning(confint(gone, "mixing_weights", level = 0.9), "at least 20 samples, not 19",
                 class = "mdpd_warning_few_samples")
})

test_that("the picture shows the selection", {
  samples <- bootstrap(small_fit(), n = 5, verbose = FALSE)
  picture <- autoplot(samples, max_items = 6)
  expect_s3_class(picture, "ggplot")
  expect_equal(nrow(picture$data), 6)
  expect_equal(picture$data$frequency, unname(sort(samples$selection, decreasing = TRUE)[1:6]))
  expect_silent(ggplot2::ggplot_build(picture))
  held <- bootstrap(small_fit(), n = 2, refit = FALSE, verbose = FALSE)
  expect_error(autoplot(held), class = "mdpd_error_not_stored")
})

test_that("print says what was done", {
  fit <- small_fit()
  samples <- bootstrap(fit, n = 4, refit = FALSE, verbose = FALSE)
  # No estimates in a snapshot.
  samples$estimates[] <- rep(samples$parameters$estimate, each = 4)
  samples$fit$mixing_weights[] <- c(0.6, 0.4)
  samples$estimates[, 1:2] <- rep(c(0.6, 0.4), each = 4)
  expect_snapshot(print(samples))
  samples$estimates <- samples$estimates[rep(1, 200), ]
  samples[c("n", "k")] <- list(200, rep(2L, 200))
  samples$refit <- TRUE
  samples$selection <- stats::setNames(c(1, 0.75, 0), paste0("item_", 1:3))
  expect_snapshot(print(samples))
})

test_that("print shows twelve of many items, unless more are asked for", {
  names <- c(strrep("v", 20), strrep("w", 21), paste0("q", 1:12))
  fit <- hand_made_fit(14, items = names, components = c(strrep("a", 20), strrep("b", 21)))
  parameters <- parameter_table(fit)
  samples <- structure(list(
    estimates = matrix(parameters$estimate, 2, nrow(parameters), byrow = TRUE), n = 2,
    parameters = parameters, selection = stats::setNames(rep(0.5, 14), names), k = c(2L, 2L),
    fit = fit, type = "parametric", refit = TRUE
  ), class = "mdpd_bootstrap")
  printed <- function(...) utils::capture.output(print(samples, ...))
  expect_match(printed(), "and 2 more$", all = FALSE)
  expect_match(printed(max_items = 13), "and 1 more$", all = FALSE)
  expect_match(printed(), paste0(names[1], " (50 %)"), fixed = TRUE, all = FALSE)
  expect_match(printed(), "^ *a{20} +0", all = FALSE)
  expect_match(printed(), "^ *b+[.]{3}b* +0", all = FALSE)
  # A name of more than 20 is cut.
  expect_match(printed(), "w[.]{3}w* [(]50 %[)]", all = FALSE)
  samples$selection[-5] <- 0
  expect_match(printed(), "how often they are informative", all = FALSE)
  samples$selection[] <- 0
  expect_no_match(printed(), "informative$|%[)]")
})

test_that("processes take a handful of seeds each, and tell what went wrong in one", {
  skip_on_os("windows")
  run <- function(seed) if (seed == 7) stop("no fit") else Sys.getpid()
  made_by <- unlist(run_replicates(c(1:6, 8:21), run, threads = 2, verbose = FALSE))
  expect_length(made_by, 20)
  # Two at a time, for ten seeds.
  expect_length(unique(made_by), 4)
  expect_identical(unique(unlist(run_replicates(1:6, run, threads = 1, verbose = FALSE))),
                   Sys.getpid())
  expect_error(run_replicates(1:8, run, threads = 2, verbose = FALSE), "no fit",
               class = "mdpd_error_replicate")
  # One that was killed leaves no word.
  killed <- function(seed) if (seed == 2) tools::pskill(Sys.getpid(), tools::SIGKILL) else seed
  expect_error(run_replicates(1:2, killed, threads = 2, verbose = FALSE), "process .* has ended",
               class = "mdpd_error_replicate")
})

test_that("the print says what was drawn", {
  fit <- small_fit()
  draw <- function(...) bootstrap(fit, n = 2, refit = FALSE, verbose = FALSE, ...)
  groups <- rep(1:30, 10)
  expect_output(print(draw(cluster = groups)),
                "2 nonparametric samples of 30 clusters in 1 stratum,", fixed = TRUE)
  expect_output(print(draw(strata = groups > 10)), "samples of rows in 2 strata,", fixed = TRUE)
  expect_output(print(draw(cluster = groups, strata = groups > 10)),
                "samples of 30 clusters in 2 strata,", fixed = TRUE)
  expect_output(print(draw()), "2 nonparametric samples, informative", fixed = TRUE)
})

test_that("whole clusters are drawn within their strata", {
  cluster <- rep(1:6, c(2, 3, 1, 2, 2, 2))
  strata <- c("a", "b")[c(1, 1, 1, 1, 2, 2)][cluster]
  design <- new_design(cluster, strata, 12)
  drawn <- with_seed(1, resampled_clusters(rep(1, 12), design))[match(1:6, cluster)]
  of_strata <- with_seed(1, c(stats::rmultinom(1, 3, rep(1, 4)) * 4 / 3,
                              stats::rmultinom(1, 1, rep(1, 2)) * 2))
  expect_equal(drawn, of_strata)
  draws <- with_seed(1, replicate(400, resampled_clusters(rep(c(1, 2), 6), design)))
  times <- draws / rep(c(1, 2), 6)
  expect_true(all(apply(times, 2, function(t) tapply(t, cluster, function(x) all(x == x[1])))))
  # Three of four clusters are drawn and count 4/3 each time, one of two counts twice.
  of_clusters <- times[match(1:6, cluster), ]
  expect_equal(colSums(of_clusters[1:4, ]), rep(4, 400))
  expect_equal(colSums(of_clusters[5:6, ]), rep(2, 400))
  # Unbiased, and for a total with the variance of the linearisation: 400 draws are good to 7 %.
  totals <- c(5, 9, 2, 7, 4, 8)
  expected <- 4 / 3 * sum((totals[1:4] - mean(totals[1:4]))^2) + 2 * sum((totals[5:6] - 6)^2)
  expect_equal(stats::var(drop(totals %*% of_clusters)), expected, tolerance = 0.2)
})

test_that("a single cluster is always drawn, and clusters without rows may be", {
  design <- list(cluster = 1:4, stratum = c(1, 1, 1, 2), n_clusters = c(6, 1))
  times <- with_seed(1, replicate(2000, resampled_clusters(rep(1, 4), design)))
  expect_equal(times[4, ], rep(1, 2000))
  # Three of the six; the mean of 2000 draws is good to 0.03.
  expect_equal(rowMeans(times[1:3, ]), rep(1, 3), tolerance = 0.1)
  # The variance of the total of the stratum, in which half of six clusters have 1 and half 0.
  expect_equal(stats::var(colSums(times[1:3, ])), 6 / 5 * 1.5, tolerance = 0.1)
})

test_that("weights of a survey are told how to be drawn", {
  fit <- suppressWarnings(mdpd(answers(40), k = 1, weights = rep(1.25, 40)))
  draw <- function(type) bootstrap(fit, n = 2, type = type, verbose = FALSE)
  expect_warning(draw("nonparametric"), "use `cluster =", class = "mdpd_warning_sampling_weights")
  expect_warning(draw("parametric"), "use `type = \"nonparametric\"` and `cluster =",
                 class = "mdpd_warning_sampling_weights")
})

test_that("a fit of a design is drawn by its clusters, other rows are not", {
  x <- answers(100)
  fit <- suppressWarnings(mdpd(x, k = 2, n_starts = 1))
  fit$design <- new_design(rep(1:20, each = 5), NULL, 100)
  draw <- function(...) bootstrap(fit, n = 2, verbose = FALSE, ...)$design
  expect_match(draw(), "20 clusters")
  expect_match(draw(x = x), "20 clusters")
  expect_warning(other <- draw(x = x[1:50, ]), class = "mdpd_warning_no_weights")
  expect_null(other)
  expect_null(draw(weights = rep(1, 100)))
  expect_null(draw(type = "parametric"))
  expect_match(draw(cluster = rep(1:10, 10)), "10 clusters")
  fit$design$replicates <- list()
  expect_error(draw(), "replicate weights", class = "mdpd_error_argument")
  expect_error(draw(type = "parametric", strata = rep(1:2, 50)), "nonparametric",
               class = "mdpd_error_argument")
})

test_that("clusters are drawn where they are given, and agree with the sandwich", {
  x <- answers(400)
  cluster <- rep(1:100, each = 4)
  x <- x[c(rep(seq(1, 400, 4), each = 4)), ]  # four rows alike in each
  fit <- mdpd(x, k = 2, n_starts = 2)
  samples <- bootstrap(fit, n = 150, cluster = cluster, verbose = FALSE)
  errors <- unlist(standard_errors(samples))
  # The standard deviation of 150 draws is off by 6 %; terms of higher order of 100 clusters.
  expect_equal(stats::median(errors / unlist(standard_errors(fit, cluster = cluster))), 1,
               tolerance = 0.12)
  alone <- unlist(standard_errors(bootstrap(fit, n = 50, verbose = FALSE)))
  # Four equal rows are one.
  expect_equal(stats::median(errors / alone), 2, tolerance = 0.2)
  expect_error(bootstrap(fit, n = 2, cluster = 1:3), class = "mdpd_error_argument")
  expect_error(bootstrap(fit, n = 2, strata = c(1, rep(2, 399))),
               class = "mdpd_error_single_cluster")
  expect_error(bootstrap(fit, n = 2, type = "parametric", cluster = cluster),
               class = "mdpd_error_argument")
})

test_that("bad arguments are told", {
  fit <- small_fit(100)
  expect_error(bootstrap(fit, n = 1), class = "mdpd_error_argument")
  expect_error(bootstrap(fit, type = "block"), class = "mdpd_error_argument")
  expect_error(bootstrap(fit, refit = NA), class = "mdpd_error_argument")
  expect_error(bootstrap(fit, threads = 0), class = "mdpd_error_argument")
  samples <- bootstrap(fit, n = 2, refit = FALSE, verbose = FALSE)
  expect_error(confint(samples, level = 1.5), class = "mdpd_error_argument")
  expect_error(print(samples, max_items = 0), class = "mdpd_error_argument")
  expect_error(bootstrap(answers_model()[c("k", "item_probs")]))
  fit$coded <- NULL
  expect_error(bootstrap(fit, n = 2), class = "mdpd_error_no_data")
})

test_that("of a sample EM goes on from one informative item, and not from none", {
  fit <- stagewise_em(answers(200), k = 2)
  fit$informative <- fit$informative[1]
  held <- fit_held(fit, fit$coded)
  expect_identical(held$informative, match(fit$informative, names(fit$item_probs)))
  # One item does not hold two components apart.
  expect_identical(held$mixing_weights, 1)
  fit$informative <- character()
  none <- fit_held(fit, fit$coded)
  expect_identical(none$mixing_weights, c(0.5, 0.5))
  shares <- level_shares(fit$coded)
  expect_equal(none$item_probs, lapply(unname(shares), function(x) matrix(x, length(x), 2)))
})

test_that("an item that no row of a sample observes has no values in it", {
  fit <- stagewise_em(answers(200), k = 2, control = stagewise_control(criterion = "bic"))
  parameters <- parameter_table(fit)
  values <- replicate_values(fit, fit)
  expect_length(values, nrow(parameters))
  lacking <- c(fit$informative[1], setdiff(names(fit$item_probs), fit$informative)[1])
  expect_false(anyNA(lacking))
  sample <- fit
  sample$item_probs[lacking] <- NULL
  expect_identical(replicate_values(sample, fit),
                   replace(values, which(parameters$item %in% lacking), NA))
})
