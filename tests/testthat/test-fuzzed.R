# What tests/fuzz found, a test for each kind; damaged objects are in test-check_intact.R and text
# in test-encoding.R.

table <- data.frame(a = rep(1:2, each = 20), b = rep(c(1, 1, 2, 2, 1), 8), c = rep(1:2, c(24, 16)))
fit <- mdpd(table, 2)
path <- suppressMessages(suppressWarnings(stagewise_em(table, 1:2)))
expect_refused <- function(code, class = "argument") {
  expect_error(code, class = paste0("mdpd_error_", class))
}

test_that("counts and seeds beyond R's integers are refused", {
  for (n in list(2^31, 1e300, matrix(3), structure(3, class = "odd"), 3i, as.raw(3), table(3))) {
    expect_refused(simulate_crowd(n))
    expect_refused(mdpd(table, n))
    expect_refused(bootstrap(fit, n = n))
    expect_refused(stagewise_control(max_iter = n))
  }
  for (n in c(1e6 + 1, .Machine$integer.max)) {
    expect_refused(bootstrap(fit, n = n))
    expect_refused(pair_residuals(fit, n = n))
    expect_refused(goodness_of_fit(fit, n = n))
    expect_refused(test_k(path, n = n))
    expect_refused(mdpd(table, 2, n_starts = n))
    expect_refused(agreement(table, n = n))
  }
  expect_error(simulate_crowd(2^31), "at most 2,147,483,647|to 2,147,483,647")
  expect_refused(stagewise_em(table, c(1, 2^31)))
  expect_refused(mdpd(table, 2, seed = 2^31))
})

test_that("a function in the place of a number is refused, also where the argument has its name", {
  for (value in list(sum, function(...) stop("called"))) {
    expect_error(simulate_crowd(10, 5, missing = value), "`missing` must be a finite number",
                 class = "mdpd_error_argument")
    expect_refused(simulate_crowd(10, 1e300, missing = value))
  }
})

test_that("starts after the largest seed take the smallest", {
  last <- .Machine$integer.max
  expect_identical(seed_of(1:3, 5), c(5, 6, 7))
  expect_identical(seed_of(1:3, last), c(last, -last, -last + 1))
  expect_s3_class(mdpd(table, 2, seed = last, n_starts = 2), "mdpd")
})

test_that("weights are a number of rows", {
  for (weight in c(1e-300, 1 / 80, 1e300, 1e14)) {
    expect_refused(stagewise_em(table, 2, weights = rep(weight, 40)))
    expect_refused(refine(fit, weights = rep(weight, 40)))
    expect_refused(bootstrap(fit, n = 2, weights = rep(weight, 40)))
  }
  for (weights in list(rep(1 / 40, 40), c(1e-300, rep(1, 39)), c(1e12, rep(1, 39)))) {
    weighted <- suppressWarnings(suppressMessages(stagewise_em(table, 2, weights = weights)))
    expect_lte(weighted$penalised_loglik, weighted$loglik)
    expect_true(all(is.finite(weighted$posterior)))
  }
  # Of less than one row, those that observe an item, nothing is penalised, and nothing rewarded.
  every_second <- table
  every_second[c(TRUE, FALSE), ] <- NA
  for (refinement in c("sparse", "full")) {
    weighted <- suppressWarnings(suppressMessages(
      stagewise_em(every_second, 2, weights = rep(1 / 40, 40), refine = refinement)
    ))
    expect_lte(weighted$penalised_loglik, weighted$loglik)
  }
})

test_that("values that are no categories are refused", {
  for (values in list(rep(1i, 40), as.raw(rep(1:2, 20)), as.list(1:40), quote(x), sum)) {
    expect_refused(error_rate(fit, values))
    expect_refused(align_components(fit, values))
    expect_refused(compare_groups(fit, values))
    expect_refused(mdpd(table, 2, start = values))
    expect_refused(standard_errors(fit, type = "robust", cluster = values))
  }
})

test_that("lists, factors and functions in place of names and numbers are refused", {
  for (value in list(list(1, 2), factor(c("a", "b")), sum, quote(x), 1i, globalenv(), NA)) {
    expect_refused(choose_k(path, value))
    expect_refused(confint(fit, value))
    expect_refused(information(fit, component = value))
    expect_refused(pair_residuals(fit, items = value))
    expect_refused(reorder_components(fit, value))
    expect_refused(informative(path, fdr = value))
  }
  expect_refused(informative(path, fdr = matrix(0.1)))
  expect_refused(compare_groups(fit, rep(1:2, 20), free = quote(x)))
  expect_refused(bin_spikes(NULL, c(0, 1)))
  expect_refused(bin_spikes(list(list(0.5)), c(0, 1e10), bin_width = 1))
})

test_that("a formula that does not go with its data is refused", {
  expect_refused(stagewise_em(~., 2))
  expect_refused(stagewise_em(~ a + z, 2, data = table), "missing_item")
  expect_refused(stagewise_em(~ a + offset(b) + I(c), 2, data = table))
  expect_refused(mdpd(a ~ b, 2, data = table))
  expect_refused(mdpd(~ . - z, 2, data = table), "missing_item")
})

test_that("columns of another length and factors without their levels are refused", {
  short <- table
  short <- structure(c(unclass(short)[1:2], c = list(1:3)), class = "data.frame",
                     row.names = 1:40)
  expect_refused(mdpd(short, 2), "data")
  expect_refused(predict(fit, short), "data")
  expect_refused(crowd_labels(short), "data")
  expect_refused(combine_items(short, list(c("a", "b"))), "data")
  for (codes in list(rep(9L, 40), rep(-1L, 40))) {
    broken <- table
    broken$a <- structure(codes, levels = c("x", "y"), class = "factor")
    expect_refused(mdpd(broken, 2), "data")
    expect_refused(crowd_labels(broken, "a", "b", "c"), "data")
  }
})

test_that("the covariance on data that do not observe an item is refused", {
  unseen <- replace(table, "c", NA)
  expect_refused(vcov(fit, x = unseen), "data")
  expect_refused(confint(fit, x = unseen), "data")
})

test_that("a compressed file that was cut short is refused", {
  path <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(path, "wb")
  triples <- expand.grid(item = 1:400, worker = 1:5)
  utils::write.csv(cbind(triples, label = triples$item %% 3), con, row.names = FALSE)
  close(con)
  bytes <- readBin(path, "raw", file.size(path))
  for (n in c(20, length(bytes) %/% 2, length(bytes) - 20)) {
    writeBin(bytes[seq_len(n)], path)
    expect_refused(read_crowd(path), "file")
  }
})

test_that("samples are not drawn by weights beyond all that R counts", {
  heavy <- suppressWarnings(stagewise_em(table, 2, weights = rep(1e9, 40)))
  for (draw in list(bootstrap, function(fit, n) goodness_of_fit(fit, n = n), pair_residuals)) {
    cnd <- expect_refused(suppressWarnings(draw(heavy, n = 5)), "argument")
    expect_match(conditionMessage(cnd), "sum to at most 2,147,483,647")
  }
  expect_refused(suppressWarnings(test_k(heavy, n = 5)), "argument")
})

test_that("outcomes and covariates whose squares are beyond numbers are refused", {
  y <- replace(sin(1:40), 3, 1e160)
  expect_refused(distal_outcome(fit, y))
  expect_refused(suppressWarnings(class_regression(fit, ~y, data.frame(y))))
})

test_that("an environment in place of a log-likelihood stays what it is", {
  place <- new.env()
  regression <- suppressWarnings(class_regression(fit, ~z, data.frame(z = 1:40)))
  regression$loglik <- place
  expect_error(suppressWarnings(logLik(regression)), class = "mdpd_error_damaged")
  expect_null(attributes(place))
})

test_that("a worker whose labels weigh next to nothing has probabilities", {
  crowd <- crowd_labels(data.frame(item = c(1, 6, 2, 3, 5, 1, 4),
                                   worker = paste0("w", c(3, 2, 1, 2, 2, 2, 1)),
                                   label = c("dog", "cat", "cat", "dog", "owl", "dog", "cat")))
  for (weight in c(1e-15, 1e-300)) {
    fit <- suppressWarnings(mdpd(crowd, 3, weights = c(weight, 1, 1, 1, 1, 1),
                                 control = stagewise_control(max_iter = 1)))
    expect_equal(unname(colSums(fit$item_probs$w3)), c(1, 1, 1))
  }
})

test_that("text in no encoding does not come to a store's column of numbers", {
  store <- row_store(data.frame(a = rep(1:3, 20), b = rep(1:2, 30)), local_folder())
  nameless <- c("1", "caf\xe9")
  Encoding(nameless) <- "UTF-8"
  expect_refused(add_rows(store, data.frame(a = nameless, b = 1:2)), "encoding")
})

test_that("a manifest whose names are in no encoding is refused", {
  store <- row_store(table, local_folder())
  nameless <- "caf\xe9"
  Encoding(nameless) <- "bytes"
  names(store$manifest) <- rep(nameless, length(store$manifest))
  save_checked(store$manifest, manifest_path(store$path))
  expect_refused(open_row_store(store$path), "damaged_shard")
})

test_that("new covariates are of the types that the regression had", {
  z <- seq_len(40)
  regression <- suppressWarnings(class_regression(fit, ~z, data.frame(z)))
  expect_refused(predict(regression, data.frame(z = factor(letters[1:3]))))
  expect_refused(confint(regression, sum))
  for (z in list(1:80, numeric())) {
    short <- structure(list(z = z), class = "data.frame", row.names = 1:40)
    expect_refused(predict(regression, short), "data")
  }
})

test_that("a fingerprint that is no text is refused", {
  expect_output(print(fingerprint(fit)), "Fingerprint")
  for (text in list("caf\xe9", list("a", 2))) {
    expect_refused(print(structure(c(fit = text), class = "mdpd_fingerprint")))
  }
})

test_that("a crowd so small that its vote loses a label can be fitted", {
  crowd <- suppressMessages(crowd_labels(data.frame(
    item = c(1, 4, 3, 5, 2), worker = c("w2", "w2", "w1", "w1", "w1"),
    label = c("cat", "dog", "cat", "owl", "owl")
  )))
  for (weights in list(c(0, 1, 1, 1, 1), rep(1, 5))) {
    fit <- suppressWarnings(suppressMessages(stagewise_em(crowd, 3, weights = weights)))
    expect_equal(unname(rowSums(fit$posterior)), rep(1, 5))
    expect_lte(fit$k, 3)
    expect_s3_class(suppressWarnings(mdpd(crowd, 3, weights = weights)), "mdpd")
  }
})

test_that("a fit of a store, which keeps no posterior, is not augmented without new data", {
  of_store <- stagewise_em(row_store(table, local_folder()), 1)
  expect_refused(augment(of_store), "no_data")
  expect_refused(augment(of_store, table), "no_data")
  expect_identical(nrow(augment(of_store, newdata = table)), 40L)
})

test_that("names that are a function or not there are refused", {
  expect_refused(name_components(fit, function(x) stop("called")), "argument")
  groups <- stats::setNames(list(names(table)[1:2]), NA)
  expect_refused(combine_items(table, groups), "argument")
})

test_that("groups fewer than the labels of a crowd with known items can be compared", {
  crowd <- simulate_crowd(n_items = 60, n_workers = 8, accuracy = rep(0.8, 8), seed = 1)
  known <- mdpd(crowd$labels, 3, known = crowd$truth[1:5])
  groups <- suppressMessages(compare_groups(known, rep(1:2, 30)))
  expect_identical(dim(groups$sizes)[1], 6L)
})

test_that("what a function cannot do without is named", {
  without <- list(
    agreement, bin_spikes, bootstrap, combine_items, crowd_labels, explore, goodness_of_fit,
    information, informative, open_row_store, pair_residuals, read_crowd, refine, row_store,
    standard_errors
  )
  for (f in without) {
    first <- names(formals(f))[1]
    expect_error(f(), paste0("`", first, "` must be given"), class = "mdpd_error_argument")
  }
  expect_error(combine_items(table), "`groups` must be given", class = "mdpd_error_argument")
  expect_error(row_store(table), "`path` must be given", class = "mdpd_error_argument")
  for (f in list(mdpd, stagewise_em)) {
    expect_error(f(k = 2), "`x` must be given", class = "mdpd_error_argument")
  }
  expect_error(bin_spikes(list(1)), "`window` must be given", class = "mdpd_error_argument")
})

test_that("names that R cannot have are refused", {
  long <- strrep("a", 1e5)
  expect_refused(stagewise_em(stats::setNames(table, c("a", "b", long)), 2), "data")
  labels <- data.frame(item = rep(1:4, 2), worker = rep(c("a", long), each = 4), label = 1:2)
  expect_refused(crowd_labels(labels), "data")
  labels$worker <- rep(c("a", strrep("b", 1e4)), each = 4)
  expect_s3_class(suppressWarnings(mdpd(crowd_labels(labels), 2)), "mdpd")
})

test_that("paths that no system has are refused", {
  long <- strrep("long ", 3000)
  expect_refused(row_store(table, long))
  expect_refused(row_store(c(long, "b.csv"), local_folder()))
  expect_refused(open_row_store(long))
  expect_refused(read_crowd(long))
  bytes <- "caf\xe9"
  Encoding(bytes) <- "bytes"
  expect_refused(row_store(c(bytes, "b.csv"), local_folder()), "encoding")
})

test_that("numbers of components in a matrix are those in a vector", {
  fit_for <- function(k) suppressMessages(suppressWarnings(stagewise_em(table, k)))$path
  expect_identical(fit_for(matrix(c(3, 2, 2), 1)), fit_for(c(2, 3)))
})

test_that("names of columns that are calls are refused, not evaluated", {
  crowd <- crowd_labels(data.frame(item = rep(1:3, 2), worker = rep(1:2, each = 3), label = 1:2))
  for (label in list(quote(x + y), factor("label"), 1i)) {
    expect_refused(row_store(crowd, local_folder(), item = factor("item"), worker = "worker",
                             label = label))
  }
})

test_that("tables of which a column is cut short are refused", {
  cut_short <- structure(
    list(trial = 1:2, neuron = c("a", "a", "b"), time = c(0.1, 0.2, 0.3)), class = "data.frame",
    row.names = 1:3
  )
  expect_refused(bin_spikes(cut_short, c(0, 1)), "data")
  store <- row_store(table, local_folder())
  cut_short <- structure(list(a = 1:2, b = 1, c = 1:2), class = "data.frame", row.names = 1:2)
  expect_refused(add_rows(store, cut_short), "data")
  expect_refused(row_store(cut_short, local_folder()), "data")
})

test_that("trials without a neuron and trials that are tables are refused", {
  expect_refused(bin_spikes(list(), c(0, 1)), "data")
  expect_refused(bin_spikes(list(list(), list()), c(0, 1)), "data")
  expect_refused(bin_spikes(list(list(a = 0.1), data.frame(a = 0.1)), c(0, 1), neurons = TRUE))
})

test_that("a matrix without columns is refused", {
  expect_error(row_store(matrix(0, 3, 0), local_folder()), "must have columns",
               class = "mdpd_error_data")
  expect_error(stagewise_em(matrix(0, 3, 0), 2), "must have columns", class = "mdpd_error_data")
})

test_that("names of numbers of shards are nothing", {
  store <- row_store(table, local_folder())
  shards <- c(1, 1)
  names(shards) <- c("caf\xe9", "b")
  Encoding(names(shards)) <- "bytes"
  expect_identical(as.data.frame(store, shards = shards), as.data.frame(store, shards = c(1, 1)))
})

test_that("copies are looked for beside a component without weight", {
  twins <- data.frame(a = rep(0:1, each = 20), b = rep(c(0, 1, 1, 0, 1), 8))
  twins$c <- twins$a
  twins$d <- twins$b
  for (weight in c(0, 1e-320, 1e-300)) {
    weightless <- suppressWarnings(mdpd(twins, 2))
    weightless$mixing_weights[] <- c(1, weight)
    weightless$posterior[] <- rep(c(1, weight), each = 40)
    found <- copied_items(weightless)
    expect_false(anyNA(found$strength))
    expect_setequal(found$item, c("a", "b", "c", "d"))
  }
})
