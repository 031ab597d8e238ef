# Fits of stores against those of the same rows in memory.

# Weights that are no counts are told of in memory.
with_fractions <- function(code) {
  suppressWarnings(code, classes = "mdpd_warning_sampling_weights")
}

test_that("a small store is fitted as the rows in memory are", {
  rows <- three_classes()$table
  in_memory <- stagewise_em(rows, 3)
  for (shard_rows in c(1024, 4096)) {
    store <- new_store(rows, shard_rows = shard_rows)
    fit <- stagewise_em(store, 3)
    expect_same_numbers(fit, in_memory)
    expect_null(fit$posterior)
    expect_null(fit$path)
    expect_identical(fit$store$reading, "whole")
  }
  weights <- seq_len(nrow(rows)) %% 7 / 3
  rows$w <- weights
  store <- new_store(rows, weights = "w", shard_rows = 1024)
  weighted <- with_fractions(stagewise_em(rows[1:12], 3, weights = weights))
  expect_same_numbers(stagewise_em(store, 3), weighted)
})

test_that("labels given again are no further cells, as in memory", {
  labels <- as.data.frame(simulate_crowd(1500, 9, 3, missing = 0.5, seed = 2)$labels)
  again <- rbind(labels, labels[1:500, ])
  crowd <- crowd_labels(again, duplicates = "count")
  store <- new_store(again, item = "item", worker = "worker", label = "label",
                     shard_rows = 1024, duplicates = "count")
  expect_same_numbers(stagewise_em(store, 3), stagewise_em(crowd, 3))
})

test_that("what a fit says of its rows is known without their posterior", {
  rows <- three_classes()$table
  store <- new_store(rows, shard_rows = 1024)
  in_memory <- suppressMessages(summary(stagewise_em(rows, 1:3)))
  for (search_rows in c(1000, 3000)) {
    fit <- suppressMessages(summary(stagewise_em(store, 1:3, search_rows = search_rows)))
    expect_equal(fit$expected_error, in_memory$expected_error, tolerance = 1e-4)
    expect_equal(fit$entropy, in_memory$entropy, tolerance = 1e-4)
    expect_equal(fit$overlap, in_memory$overlap, tolerance = 1e-4)
    expect_equal(fit$components, in_memory$components, tolerance = 1e-4)
    expect_equal(fit$path$ICL, in_memory$path$ICL, tolerance = 1e-4)
  }
})

test_that("two numbers of components are a path, too", {
  store <- new_store(three_classes(300)$table[c(1, 2, 4)])
  expect_equal(hush(stagewise_em(store, 1:2))$path$k, 1:2)
  # Of some more than there are rows the others are fitted.
  few <- new_store(data.frame(a = c(1, 2, 1, 2), b = c("x", "x", "y", "y")))
  expect_warning(fit <- hush(stagewise_em(few, c(1, 6))), class = "mdpd_warning_large_k")
  expect_equal(fit$k, 1)
})

test_that("a component that no row is assigned to has no overlap", {
  fit <- stagewise_em(new_store(three_classes(300)$table), 2)
  fit$classification[2, ] <- 0
  expect_identical(unname(component_overlap(fit)[2, ]), c(NA_real_, NA_real_))
  expect_false(is.nan(component_table(fit)$mean_posterior[2]))
})

test_that("of a sample's search the fit is of all rows, however they are cut", {
  data <- three_classes()
  in_memory <- stagewise_em(data$table, 3)
  fits <- lapply(c(1024, 2048, 4096), function(shard_rows) {
    store <- new_store(data$table, shard_rows = shard_rows)
    threads <- stagewise_control(threads = 1 + (shard_rows > 1024))
    stagewise_em(store, 3, search_rows = 1000, control = threads,
                 memory = if (shard_rows == 1024) 0 else 1e9)
  })
  expect_identical(fits[[1]]$store$reading, "sample")
  expect_gt(fits[[1]]$store$search_rows, 800)
  expect_lt(fits[[1]]$store$search_rows, 1200)
  expect_same_numbers(fits[[2]], fits[[1]])
  expect_same_numbers(fits[[3]], fits[[1]])
  # EM from elsewhere comes to the same optimum, within its tolerance.
  expect_equal(fits[[1]]$evidence, in_memory$evidence, tolerance = 1e-6)
  expect_equal(fits[[1]]$item_probs, in_memory$item_probs, tolerance = 1e-3)
  expect_identical(fits[[1]]$informative[1:8] %in% in_memory$informative, rep(TRUE, 8))
})

test_that("fewer rows of wide tables are searched, in stores and in memory", {
  rows_of <- function(n_items, is_crowd = FALSE) rows_to_search(n_items, is_crowd)
  expect_identical(rows_of(20), 131072)
  expect_identical(rows_of(2000), 131072)
  expect_identical(rows_of(4000), 131072 / 4)
  expect_identical(rows_of(1e5), 4096)
  expect_identical(rows_of(1e5, TRUE), 131072)
  in_memory <- function(n_items) rows_to_search_of(list(levels = vector("list", n_items)), NULL)
  expect_identical(in_memory(2000), Inf)
  expect_lt(in_memory(2001), 131072)
  expect_identical(in_memory(4000), 131072 / 4)
})

test_that("a crowd is not sampled because its workers are many", {
  skip_on_cran()
  labels <- data.frame(item = rep_len(1:4200, 12000), worker = 1:12000, label = c("x", "y"))
  store <- new_store(labels, item = "item", worker = "worker", label = "label")
  expect_identical(stagewise_em(store, 1)$store$reading, "whole")
})

test_that("rows in memory are searched by a sample as those of a store are", {
  rows <- three_classes()$table
  rows$w <- seq_len(nrow(rows)) %% 7 / 3
  store <- new_store(rows, weights = "w", shard_rows = 1024)
  of_store <- stagewise_em(store, 1:3, search_rows = 1000)
  fit <- with_fractions(
    stagewise_em(rows[1:12], 1:3, weights = rows$w, search_rows = 1000)
  )
  expect_same_numbers(fit, of_store)
  expect_identical(fit$search_rows, of_store$store$search_rows)
  expect_identical(fingerprint(fit), fingerprint(of_store))
  expect_equal(fit$posterior, predict(of_store, store, type = "prob"), ignore_attr = TRUE,
               tolerance = 1e-12)
  expect_null(fit$sums)
  # With all rows, or few kinds of rows, there is no sample.
  expect_null(stagewise_em(rows[1:12], 3, search_rows = 3000)$search_rows)
  few <- rows[c(1, 2, 4, 5)]
  expect_same_numbers(stagewise_em(few, 3, search_rows = 1000), stagewise_em(few, 3))
  expect_error(stagewise_em(few, 3, search_rows = 10), class = "mdpd_error_argument")
})

test_that("known items of a crowd in memory are held from a sample's search, as of a store", {
  crowd <- simulate_crowd(n_items = 2500, n_workers = 30, accuracy = rep(0.7, 8), seed = 4)
  known <- crowd$truth[1:40]
  store <- new_store(crowd$labels, shard_rows = 1024)
  fit <- stagewise_em(crowd$labels, 3, known = known, search_rows = 1000)
  expect_true(all(predict(fit)[names(known)] == known))
  # Rows of a store stand in another order, so its sample is another.
  of_store <- stagewise_em(add_known(store, known), 3, search_rows = 1000)
  expect_equal(fit$mixing_weights, of_store$mixing_weights, tolerance = 1e-2)
})

test_that("few kinds of rows are fitted as the rows in memory are", {
  rows <- three_classes(5000)$table[c(1, 2, 4, 5)]
  in_memory <- stagewise_em(rows, 1:4)
  fit <- stagewise_em(new_store(rows, shard_rows = 1024), 1:4, search_rows = 1000)
  expect_identical(fit$store$reading, "kinds")
  expect_same_numbers(fit, in_memory)
})

test_that("items that only rows of little or no weight answer are fitted as in memory", {
  rows <- three_classes(3000)$table
  rows$rare <- NA
  rows$rare[1:1000] <- rep(1:2, 500)
  rows$rare[2500:2501] <- 1:2
  rows$w <- rep(0:1, c(1000, 2000))
  without <- stagewise_em(new_store(rows, weights = "w"), 3, search_rows = 1000)
  in_memory <- stagewise_em(rows[names(rows) != "w"], 3, weights = rows$w, search_rows = 1000)
  expect_same_numbers(in_memory, without)
  few <- rows[c("V1", "V2", "V3")]
  few$rare <- replace(rep(NA, 3000), c(7, 9), 1:2)
  few$w <- replace(rep(1, 3000), c(7, 9), 1e-20)
  of_kinds <- stagewise_em(new_store(few, weights = "w"), 2, search_rows = 1000)
  expect_identical(of_kinds$store$reading, "kinds")
  expect_same_numbers(of_kinds, stagewise_em(few[names(few) != "w"], 2, weights = few$w))
})

test_that("crowds in a store are fitted as crowds are", {
  crowd <- simulate_crowd(n_items = 2500, n_workers = 30, accuracy = rep(0.7, 8), seed = 4)
  store <- new_store(crowd$labels, shard_rows = 1024)
  in_memory <- stagewise_em(crowd$labels, 3)
  expect_same_numbers(stagewise_em(store, 3), in_memory)
  fit <- stagewise_em(store, 3, search_rows = 1000)
  expect_setequal(names(fit$mixing_weights), crowd$labels$labels)
  expect_equal(fit$mixing_weights, in_memory$mixing_weights, tolerance = 1e-2)
  file <- withr::local_tempfile(fileext = ".csv")
  expect_identical(predict(fit, store, file = file), file)
  written <- utils::read.csv(file, colClasses = "character")
  expect_identical(names(written), c("row", "id", "class"))
  truth <- as.character(crowd$truth)[match(written$id, crowd$labels$items)]
  expect_lt(mean(written$class != truth), 0.15)
})

test_that("predictions of a store are those of its rows", {
  rows <- three_classes()$table
  is.na(rows[7, ]) <- TRUE
  store <- new_store(rows, shard_rows = 1024)
  fit <- stagewise_em(store, 3)
  in_memory <- stagewise_em(rows, 3)
  expect_message(class <- predict(in_memory), class = "mdpd_message_no_answer")
  expect_message(of_store <- predict(fit, store), class = "mdpd_message_no_answer")
  expect_identical(unname(of_store), unname(class))
  prob <- predict(fit, store, type = "prob")
  expect_equal(unname(prob), unname(predict(in_memory, type = "prob")), tolerance = 1e-12)
  density <- predict(fit, store, type = "density")
  expect_equal(sum(density), fit$loglik, tolerance = 1e-12)
  file <- withr::local_tempfile(fileext = ".csv")
  suppressMessages(predict(fit, store, file = file, type = "prob"))
  written <- utils::read.csv(file)
  expect_identical(written$row, seq_len(3000))
  expect_identical(written$class, as.integer(as.character(class)))
  expect_equal(as.matrix(written[3:5]), prob, ignore_attr = TRUE, tolerance = 1e-12)
  # Of a store with other levels, and in another order, what the fit never saw is missing.
  other <- rows[12:1]
  levels(other$V1) <- c("a", "new", "c")
  other_store <- new_store(other, shard_rows = 1024)
  expect_warning(
    expected <- suppressMessages(predict(in_memory, other)), class = "mdpd_warning_unseen_level"
  )
  warning <- expect_warning(
    of_other <- suppressMessages(predict(fit, other_store)), class = "mdpd_warning_unseen_level"
  )
  expect_identical(warning$levels, list(V1 = "new"))
  expect_identical(unname(of_other), unname(expected))
})

test_that("a fit of a store says what it lacks", {
  rows <- three_classes()$table
  store <- new_store(rows, shard_rows = 1024)
  fit <- stagewise_em(store, 2)
  expect_error(predict(fit), "give this, or rows in memory, as `newdata`",
               class = "mdpd_error_no_data")
  expect_error(predict(fit, new_store(rows[1:5])), class = "mdpd_error_missing_item")
  expect_error(predict(fit, rows, file = "x.csv"), class = "mdpd_error_argument")
  expect_error(stagewise_em(store, 2, missing = "fail"), class = "mdpd_error_missing_value")
  expect_error(stagewise_em(small_crowd_store(some_triples(300, 20), local_folder()), 2,
                            missing = "frozen"),
               "needs a table, not the labels of a crowd", class = "mdpd_error_argument")
  expect_error(stagewise_em(store), class = "mdpd_error_argument")
  expect_error(stagewise_em(store, 2, search_rows = 10), class = "mdpd_error_argument")
  expect_error(stagewise_em(store, 2, memory = -1), class = "mdpd_error_argument")
  control <- stagewise_control()
  control$max_iter <- "a"
  expect_error(stagewise_em(store, 2, control = control), "`control`.*changed since",
               class = "mdpd_error_argument")
  shard <- file.path(store$path, store$manifest$shards$file[2])
  bytes <- readBin(shard, "raw", file.size(shard))
  bytes[200] <- xor(bytes[200], as.raw(1))
  writeBin(bytes, shard)
  expect_error(stagewise_em(store, 2), class = "mdpd_error_damaged_shard")
})

test_that("arguments of fits of rows in memory are told where they belong", {
  store <- new_store(three_classes(1500)$table)
  expect_error(stagewise_em(store, 1, weights = rep(1, 1500)), "given to `row_store\\(\\)`",
               class = "mdpd_error_argument")
  expect_error(stagewise_em(store, 1, known = 1), "`add_known\\(\\)`",
               class = "mdpd_error_argument")
  fit <- stagewise_em(store, 1)
  expect_error(error_rate(fit, rep(1, 1500)), "give `predict\\(fit, store\\)`",
               class = "mdpd_error_argument")
  gaps <- three_classes(1500)$table
  gaps[1:1400, 1] <- NA
  expect_error(stagewise_em(new_store(gaps), 1, missing = "fail"), "cells of the store are",
               class = "mdpd_error_missing_value")
  # More than there are integers in R.
  expect_error(check_complete_store(5e9, NULL), "5,000,000,000 cells of the store are",
               class = "mdpd_error_missing_value")
  whole <- new_store(stats::na.omit(three_classes(1500)$table))
  expect_identical(stagewise_em(whole, 1, missing = "fail")$loglik, stagewise_em(whole, 1)$loglik)
})

test_that("what is missing in a store is what was not given, as in memory", {
  rows <- expand.grid(a = c("x", "y"), b = c("x", "y"), c = 1:3)[rep(1:12, 4), ]
  row.names(rows) <- NULL
  rows$a <- factor(replace(as.character(rows$a), 1:2, "rare"))
  weights <- rep(c(0, 1), c(2, 46))
  expect_same_error <- function(store, rows, weights) {
    for (fit in list(quote(stagewise_em(store, 1, missing = "fail")),
                     quote(stagewise_em(rows, 1, weights = weights, missing = "fail")))) {
      expect_error(eval(fit), class = "mdpd_error_missing_value")
    }
  }
  store <- new_store(rows, weights = weights)
  in_memory <- stagewise_em(rows, 1, weights = weights, missing = "fail")
  fit <- stagewise_em(store, 1, missing = "fail")
  expect_identical(fit[same_in_both], in_memory[same_in_both])
  expect_equal(fit$n_missing, in_memory$n_missing)
  # Levels of weight zero that are added are given, too.
  of_zero <- replace(rows[1:2, ], "c", list(8:9))
  store <- suppressMessages(add_rows(store, of_zero, weights = c(0, 0)))
  fit <- stagewise_em(store, 1, missing = "fail")
  expect_identical(fit$n_missing, 6)
  # A cell that was not given is missing, whatever its row weighs.
  rows$b[1] <- NA
  expect_same_error(new_store(rows, weights = weights), rows, weights)
  expect_error(stagewise_em(add_rows(store, rows[1, ], weights = 0), 1, missing = "fail"),
               "1 cell of the store is", class = "mdpd_error_missing_value")
})

test_that("what needs rows says where to take them from", {
  x <- sharp_rows(200)
  of_store <- stagewise_em(row_store(x, withr::local_tempfile()), k = 2)
  expect_snapshot({
    show_conditions(vcov(of_store))
    show_conditions(class_regression(of_store, ~z, data.frame(z = seq_len(200))))
    show_conditions(plot(of_store, "posterior"))
  })
  # The advice holds.
  expect_equal(vcov(of_store, x = x), vcov(stagewise_em(x, k = 2)), tolerance = 1e-6)
})
