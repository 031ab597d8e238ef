test_that("components stand in order of decreasing weight, everywhere", {
  for (seed in 1:4) {
    for (k in 2:4) {
      fit <- stagewise_em(answers(seed = seed, k = 3), k = k)
      expect_false(is.unsorted(-fit$mixing_weights))
      names <- as.character(seq_len(fit$k))
      expect_named(fit$mixing_weights, names)
      expect_identical(colnames(fit$posterior), names)
      for (probs in fit$item_probs) expect_identical(colnames(probs), names)
    }
  }
  crowd <- small_crowd(seed = 3)
  expect_false(is.unsorted(-stagewise_em(crowd$labels, k = 3)$mixing_weights))
})

test_that("weights and posterior belong together: a column's mean is near its weight", {
  fit <- stagewise_em(answers(), k = 3)
  # Exact at convergence; EM stops when the log-likelihood changes by 1e-8 of itself, when weights
  # still move by up to some thousandths.
  expect_equal(colMeans(fit$posterior), fit$mixing_weights, tolerance = 0.01)
})

test_that("item_information is the mutual information of item and component", {
  fit <- stagewise_em(answers(), k = 3)
  for (item in names(fit$item_probs)) {
    joint <- sweep(fit$item_probs[[item]], 2, fit$mixing_weights, "*")
    independent <- outer(rowSums(joint), colSums(joint))
    expect_equal(fit$item_information[[item]],
                 sum(ifelse(joint > 0, joint * log(joint / independent), 0)),
                 tolerance = 1e-10)  # differences of sums of size one
  }
  expect_true(all(fit$item_information >= 0 & fit$item_information <= log(3)))
})

test_that("item_evidence is the gain that the refinement compares with the penalty, minus that", {
  for (x in list(answers(k = 3), with_gaps(answers(k = 3)))) {
    x$item_8[-(1:60)] <- NA  # most rows do not observe it
    tight <- stagewise_control(tol = 1e-14, polish = FALSE)
    fit <- stagewise_em(x, k = 3, control = tight, refine = "full", weights = rep(1:2, 150))
    net <- twin_gain(fit$coded, fit$posterior) - twin_penalty(fit$coded, 3)
    # At a fixed point of EM; it stops when the log-likelihood moves by 1e-14 of itself.
    expect_close(fit$item_evidence, net, tolerance = 1e-5)
  }
  sparse <- stagewise_em(answers(), k = 2, control = stagewise_control(criterion = "bic"))
  outside <- setdiff(names(sparse$item_probs), sparse$informative)
  expect_true(all(sparse$item_evidence[sparse$informative] > 0))
  expect_identical(unname(sparse$item_evidence[outside]), numeric(length(outside)))
})

test_that("the fields are those of the help page, in every fit", {
  fields <- c("k", "mixing_weights", "item_probs", "informative", "item_information",
              "item_evidence", "posterior", "loglik", "penalised_loglik", "df", "nobs", "n_obs",
              "n_missing", "trace", "born", "status", "converged", "method", "refine", "missing",
              "control", "call", "version", "coded", "labels", "prior")
  fit <- stagewise_em(answers(), k = 2)
  expect_length(setdiff(fields, names(fit)), 0)
  expect_named(stagewise_em(answers(), k = 1, keep_data = FALSE), names(fit))
  expect_named(stagewise_em(answers(), k = 2, weights = rep(2, 300)), names(fit))
  expect_named(refine(fit), names(fit))
})

test_that("items and levels keep their names", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  expect_named(fit$item_probs, names(x))
  expect_named(fit$item_information, names(x))
  for (item in names(x)) expect_identical(rownames(fit$item_probs[[item]]), levels(x[[item]]))
})

test_that("names of any kind survive", {
  x <- answers()
  names(x)[1:3] <- c("Wie alt?", "{k}", "a b")
  levels(x[[1]])[1] <- "\u00fcber 40 {years}"
  fit <- stagewise_em(x, k = 2)
  expect_identical(names(fit$item_probs)[1:3], names(x)[1:3])
  expect_identical(rownames(fit$item_probs[["Wie alt?"]])[1], "\u00fcber 40 {years}")
  expect_identical(predict(fit, x), predict(fit))
})

test_that("a fit is data only: no environments, functions or pointers", {
  types <- function(x) {
    if (is.list(x)) unlist(lapply(x, types)) else typeof(x)
  }
  x <- answers()
  fits <- list(stagewise_em(x, k = 2), stagewise_em(~., k = 2, data = x))
  fits[[3]] <- refine(fits[[1]])
  for (fit in fits) {
    found <- unique(types(unclass(fit)[setdiff(names(fit), "call")]))
    expect_length(setdiff(found, c("double", "integer", "character", "logical", "raw", "NULL")), 0)
  }
})

test_that("the data in a fit take a byte a cell", {
  crowd <- simulate_crowd(n_items = 2000, n_workers = 50, seed = 1)$labels
  fit <- stagewise_em(crowd, k = 3)
  expect_lt(as.numeric(object.size(fit$coded$codes)), 2000 * 50 + 2e5)  # 2e5 for the row names
  expect_identical(typeof(fit$coded$codes), "raw")
})

test_that("rows given again have the weights of the fit", {
  set.seed(1)
  x <- answers()
  w <- rep(1:3, length.out = nrow(x))
  fit <- stagewise_em(x, k = 2, weights = w)
  bare <- stagewise_em(x, k = 2, weights = w, keep_data = FALSE)
  expect_equal(information(bare, x), information(fit))
  expect_equal(information(bare, x, weights = w), information(fit))
  expect_equal(goodness_of_fit(bare, x = x)$statistics, goodness_of_fit(fit)$statistics)
  expect_equal(pair_residuals(bare, x = x), pair_residuals(fit))
  expect_equal(vcov(bare, x = x), vcov(fit))
  expect_equal(copied_items(bare, x), copied_items(fit))
  group <- rep(c("a", "b"), length.out = nrow(x))
  expect_equal(compare_groups(bare, group, x = x, free = character())$sizes,
               compare_groups(fit, group, free = character())$sizes)
  expect_equal(bootstrap(bare, n = 2, refit = FALSE, x = x)$estimates,
               bootstrap(fit, n = 2, refit = FALSE)$estimates)
  # Also where the data are there.
  expect_equal(information(fit, x), information(fit))
  expect_false(isTRUE(all.equal(information(fit, x, weights = rep(1, nrow(x))), information(fit))))
})

test_that("a table without rows is refused by what looks at the rows of a fit", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  none <- x[0, ]
  of_rows <- list(
    function(...) bootstrap(fit, n = 2, type = "nonparametric", ..., verbose = FALSE),
    function(...) bootstrap(fit, n = 2, type = "parametric", ..., verbose = FALSE),
    function(...) pair_residuals(fit, n = 2, ..., verbose = FALSE),
    function(...) pair_residuals(fit, ...),
    function(...) goodness_of_fit(fit, rows = "all", ...),
    function(...) standard_errors(fit, ...),
    function(...) refine(fit, ...)
  )
  for (ask in of_rows) {
    expect_error(ask(x = none), "^`x` must have at least one row[.]$", class = "mdpd_error_data")
  }
  expect_length(predict(fit, none), 0)
})

test_that("other rows without weights count once, with a warning where the fit has some", {
  x <- answers()
  w <- rep(1:3, length.out = nrow(x))
  fit <- stagewise_em(x, k = 2, weights = w)
  part <- x[1:40, ]
  expect_warning(found <- information(fit, part), class = "mdpd_warning_no_weights")
  expect_equal(found, expect_silent(information(fit, part, weights = rep(1, 40))))
  expect_warning(pair_residuals(fit, x = part), class = "mdpd_warning_no_weights")
  expect_warning(autoplot(fit, type = "information", newdata = part),
                 class = "mdpd_warning_no_weights")
  expect_snapshot(show_conditions(invisible(goodness_of_fit(fit, x = part))))
  expect_silent(information(stagewise_em(x, k = 2), part))
})

test_that("the warning about weights says only what is so", {
  weighted <- list(weights = rep(2, 6), n_obs = 6, nobs = 12)
  of_store <- list(n_obs = 6, nobs = 12)
  told <- function(object, n_rows, arg) {
    cnd <- expect_warning(expect_null(weights_for(object, n_rows, arg, NULL)),
                          class = "mdpd_warning_no_weights")
    conditionMessage(cnd)
  }
  expect_identical(weights_for(weighted, 6, "x", NULL), rep(2, 6))
  expect_match(told(weighted, 5, "x"), "It has 5 rows, the fit\\s+6[.]\\s+.*Give `weights`")
  expect_match(told(weighted, 1, "newdata"), "It has 1 row, the fit")
  expect_no_match(told(weighted, 5, "newdata"), "Give")
  expect_no_match(told(of_store, 6, "x"), "It has")
  expect_silent(expect_null(weights_for(list(n_obs = 6, nobs = 6), 5, "x", NULL)))
  # Rows of another number have no design either.
  designed <- list(n_obs = 6, nobs = 6, design = "a design")
  expect_match(told(designed, 5, "x"), "rows of the fit have weights")
  expect_silent(expect_null(weights_for(designed, 6, "x", NULL)))
  expect_identical(design_for(designed, NULL, NULL, 5), "a design")
  expect_identical(design_for(designed, 1, NULL, 6), "a design")
  expect_null(design_for(designed, 1, NULL, 5))
  expect_null(design_for(designed, NULL, rep(1, 6), 6))
})

test_that("weights of the prior are named by what columns are around", {
  expect_named(name_item_prior(c(0.2, 0.8), 10), c("same", "10"))
  expect_named(name_item_prior(1:7 / 28, c(2, 10)),
               c("same", "2", "10", "crowd 2", "crowd 10", "accuracy 2", "accuracy 10"))
})

test_that("items that are the same everywhere are not asked for, unless all are", {
  same <- matrix(0.5, 2, 2)
  apart <- cbind(c(0.2, 0.8), c(0.5, 0.5))
  expect_identical(differing_items(list(item_probs = list(a = same, b = apart))), "b")
  expect_identical(differing_items(list(item_probs = list(a = same, b = same))), c("a", "b"))
  expect_identical(differing_items(list(item_probs = list(a = same[, 1, drop = FALSE]))), "a")
})

test_that("a fit of a weighted store has no weights for rows in memory", {
  x <- answers()
  x$w <- rep(1:3, length.out = nrow(x))
  fit <- stagewise_em(small_store(x, local_folder(), weights = "w"), k = 2)
  expect_warning(information(fit, x), class = "mdpd_warning_no_weights")
  expect_warning(copied_items(fit, x), class = "mdpd_warning_no_weights")
  expect_silent(information(fit, x, weights = x$w))
  even <- stagewise_em(small_store(x[names(x) != "w"], local_folder()), k = 2)
  expect_silent(information(even, x))
})

test_that("rows given again have the survey design of the fit", {
  skip_if_not_installed("survey")
  x <- answers()
  place <- data.frame(x, psu = rep(1:20, length.out = nrow(x)), w = 1 + seq_len(nrow(x)) %% 4 / 4)
  design <- survey::svydesign(~psu, weights = ~w, data = place)
  fit <- stagewise_em(x, k = 2, weights = design)
  bare <- stagewise_em(x, k = 2, weights = design, keep_data = FALSE)
  expect_equal(vcov(bare, x = x), vcov(fit))
  expect_equal(bootstrap(bare, n = 2, x = x)$design, bootstrap(fit, n = 2)$design)
  expect_warning(pair_residuals(bare, x = x), class = "mdpd_warning_design_ignored")
})

test_that("known classes count where the items of the fit are given again", {
  crowd <- simulate_crowd(150, 12, accuracy = c(.9, .8, .8, .7, .7), missing = 0.3, seed = 1)
  fit <- mdpd(crowd$labels, k = 3, known = crowd$truth[1:30])
  backwards <- as.data.frame(crowd$labels)
  backwards <- crowd_labels(backwards[rev(seq_len(nrow(backwards))), ])
  for (x in list(crowd$labels, backwards)) {
    again <- refine(fit, x, verbose = FALSE)
    expect_equal(again$n_known, 30)
    expect_identical(predict(again)[names(crowd$truth)[1:30]], predict(fit)[1:30])
    expect_equal(vcov(fit, x = x), vcov(fit), tolerance = 1e-8)
  }
  # Of other items nothing is known, and a fit without data cannot tell of the same.
  others <- crowd_labels(as.data.frame(crowd$labels)[as.integer(crowd$labels$item) > 40, ])
  expect_silent(expect_equal(refine(fit, others, verbose = FALSE)$n_known, 0))
  without <- mdpd(crowd$labels, k = 3, known = crowd$truth[1:30], keep_data = FALSE)
  expect_warning(refine(without, crowd$labels, verbose = FALSE), "The 30 known labels",
                 class = "mdpd_warning_no_known")
})

test_that("what goes on from a model keeps the data, and a fit without any keeps none", {
  crowd <- simulate_crowd(100, 6, accuracy = rep(0.8, 5), seed = 1)
  expect_equal(nrow(worker_quality(refine(crowd$model, crowd$labels, verbose = FALSE))), 6)
  fit <- mdpd(crowd$labels, k = 3, keep_data = FALSE)
  expect_null(refine(fit, crowd$labels, verbose = FALSE)$coded)
})

test_that("a picture of dependence names the argument that gives the rows", {
  x <- answers(60)
  fit <- suppressWarnings(mdpd(x, k = 2, keep_data = FALSE))
  refused <- expect_error(autoplot(fit, type = "information"), "Give `newdata`",
                          class = "mdpd_error_no_data")
  expect_identical(rlang::call_name(conditionCall(refused)), "autoplot")
  kept <- suppressWarnings(mdpd(x, k = 2))
  expect_error(autoplot(kept, type = "information", newdata = 1), "`newdata` must be",
               class = "mdpd_error_argument")
  at <- autoplot(kept, type = "information", component = 2)$data
  values <- information(kept, component = 2)
  expect_equal(at$information,
               values[cbind(as.character(at$item_1), as.character(at$item_2))])
})
