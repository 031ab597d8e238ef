# A random table of codes, mostly missing, with a row and an item without answers; `observed` gives
# every item one.
random_codes <- function(seed, n_obs = 40, n_items = 9, share = 0.08, observed = FALSE) {
  with_seed(seed, {
    codes <- stats::rbinom(n_obs * n_items, 1, share) * sample.int(3, n_obs * n_items, TRUE)
    weights <- sample(c(0, 0.5, 1, 3), n_obs, replace = TRUE)
  })
  codes <- matrix(codes, n_obs)
  codes[2, ] <- 0
  codes[, 3] <- 0
  if (observed) {
    codes[1, ] <- 1
    weights[1] <- 1
  }
  items <- paste0("w", seq_len(n_items))
  dense <- matrix(as.raw(codes), n_obs, dimnames = list(paste0("i", seq_len(n_obs)), items))
  list(dense = dense, sparse = as_sparse_codes(dense), weights = weights)
}

# A crowd with less than a tenth of its labels, and its codes in either form.
sparse_crowd <- function(seed) {
  crowd <- simulate_crowd(3000, 30, n_labels = 3, accuracy = rep(0.95, 20), missing = 0.91,
                          seed = seed)
  sparse <- encode(crowd$labels)
  dense <- sparse
  dense$codes <- as.matrix(sparse$codes)
  list(labels = crowd$labels, sparse = sparse, dense = dense)
}

# The same fit, with the data in the other form.
as_dense_fit <- function(fit) {
  fit$coded$codes <- as.matrix(fit$coded$codes)
  fit
}

test_that("what sparse codes are asked is what the matrix answers", {
  for (seed in 1:10) {
    codes <- random_codes(seed)
    expect_identical(as.matrix(codes$sparse), codes$dense)
    expect_identical(dim(codes$sparse), dim(codes$dense))
    expect_identical(dimnames(codes$sparse), dimnames(codes$dense))
    expect_identical(n_missing(codes$sparse), n_missing(codes$dense))
    expect_identical(n_missing(codes$dense), sum(codes$dense == as.raw(0)))
    expect_identical(n_rows_observed(codes$dense), n_observed(codes$dense))
    empty <- unname(which(rowSums(codes$dense != as.raw(0)) == 0))
    expect_true(2 %in% empty)
    expect_identical(unname(rows_without_answer(codes$sparse)), empty)
    expect_identical(rows_without_answer(codes$dense), empty)
    expect_identical(n_observed(codes$sparse), n_observed(codes$dense))
    expect_identical(n_observed(codes$dense), colSums(codes$dense != as.raw(0)))
    expect_identical(n_observed(codes$sparse, codes$weights > 0),
                     n_observed(codes$dense, codes$weights > 0))
    expect_equal(n_observed(codes$sparse, codes$weights), n_observed(codes$dense, codes$weights),
                 tolerance = 1e-14)
    expect_identical(n_observed(codes$dense, codes$weights),
                     colSums(codes$weights * (codes$dense != as.raw(0))))
  }
})

test_that("answers that a row gives again are no further cells", {
  codes <- new_sparse_codes(c(1, 1, 1, 2, 2), c(1, 1, 2, 2, 2), c(1, 2, 1, 1, 1), c(3, 2),
                            list(NULL, c("v", "w")))
  expect_identical(is_repeated(codes), c(FALSE, TRUE, FALSE, FALSE, TRUE))
  expect_true(has_repeats(codes))
  expect_identical(n_observed(codes), c(v = 2, w = 3))
  expect_identical(n_rows_observed(codes), c(v = 1, w = 2))
  expect_identical(n_missing(codes), 3L)
  expect_identical(rows_without_answer(codes), 3L)
  expect_error(as.matrix(codes), "several answers", class = "mdpd_error_argument")
  expect_identical(is_repeated(select_rows(codes, 3)), logical())
  expect_identical(is_repeated(new_sparse_codes(1, 1, 1, c(1, 1), list(NULL, NULL))), FALSE)
  # Rows one after the other that answer the same item do not repeat it.
  expect_false(has_repeats(new_sparse_codes(1:2, c(1, 1), c(1, 1), c(2, 1), list(NULL, NULL))))
})

test_that("a number of cells is an integer as long as there is one", {
  n_empty <- function(n_items) {
    n_missing(new_sparse_codes(1, 1, 1, c(2^16, n_items), list(NULL, NULL)))
  }
  expect_identical(n_empty(2^15), .Machine$integer.max)
  expect_identical(n_empty(2^15 + 1), 2^31 + 2^16 - 1)
})

test_that("weights that are all the same count, too", {
  codes <- random_codes(1)
  expect_identical(n_observed(codes$dense, rep(2, 40)), 2 * n_observed(codes$dense))
  expect_identical(n_observed(codes$sparse, rep(2, 40)), 2 * n_observed(codes$sparse))
})

test_that("a part of sparse codes is the part of the matrix, by any index", {
  codes <- random_codes(1)
  drawn <- with_seed(1, sample.int(40, 60, replace = TRUE))
  rows <- list(drawn, 5, -(1:30), rep(c(TRUE, FALSE), 20), c("i7", "i3"), integer(), 2)
  items <- list(c(7, 2, 3), 4, -1, rep(c(TRUE, FALSE, TRUE), 3), c("w9", "w1"), integer(), 3)
  for (i in rows) {
    expect_identical(codes$sparse[i, ], codes$dense[i, ])
    expect_identical(as.matrix(select_rows(codes$sparse, i)), codes$dense[i, , drop = FALSE])
    for (j in items) {
      expect_identical(codes$sparse[i, j], codes$dense[i, j])
      expect_identical(codes$sparse[i, j, drop = FALSE], codes$dense[i, j, drop = FALSE])
    }
  }
  for (j in items) {
    expect_identical(codes$sparse[, j], codes$dense[, j])
    part <- select_items(codes$sparse, j)
    expect_identical(as.matrix(part), select_items(codes$dense, j))
    expect_false(is.unsorted(answer_rows(part) * 100 + part$item))
  }
  expect_identical(select_rows(codes$dense, 5), codes$dense[5, , drop = FALSE])
  expect_identical(select_items(codes$dense, "w4"), codes$dense[, "w4", drop = FALSE])
  expect_identical(codes$sparse[, ], codes$dense)
  expect_error(codes$sparse[41, ], "out of bounds")
  refused <- expect_error(codes$sparse[41, ], "out of bounds", class = "mdpd_error_argument")
  expect_identical(as.character(refused$call[[1]]), "[")
  expect_error(codes$sparse[, "w10"], "out of bounds")
  expect_error(codes$sparse[3], "by rows and items")
})

test_that("levels are counted by the weights of their rows, in either form", {
  for (seed in 1:3) {
    codes <- random_codes(seed)
    expected <- unlist(lapply(1:9, function(j) {
      vapply(1:3, function(level) sum(codes$weights[codes$dense[, j] == as.raw(level)]), 0)
    }))
    expect_equal(count_levels(codes$dense, codes$weights, rep(3, 9)), expected)
    expect_equal(count_levels(codes$sparse, codes$weights, rep(3, 9)), expected)
  }
  coded <- coded_from_codes(cbind(c(1, 2, 2, 0), c(3, 0, 1, 1)), 2:3, c(1, 2, 1, 4))
  expect_identical(count_levels(coded$codes, coded$weights, 2:3), c(1, 3, 5, 0, 1))
  expect_identical(level_shares(coded), list(item_1 = c(0.25, 0.75), item_2 = c(5, 0, 1) / 6))
})

test_that("the answers to an item are those of its column", {
  codes <- random_codes(2)
  sparse <- answers_by_item(codes$sparse, c("w4", "w3", "w1"))
  dense <- answers_by_item(codes$dense, c("w4", "w3", "w1"))
  for (item in c("w1", "w3", "w4")) {
    expect_identical(sparse(item), dense(item))
    column <- as.integer(codes$dense[, item])
    expect_identical(dense(item), list(row = which(column > 0), code = column[column > 0]))
  }
})

test_that("new answers go where the old ones were", {
  codes <- random_codes(3)
  recode <- function(item, rows) rows %% 3 + match(item, colnames(codes$dense))
  expected <- (row(codes$dense) %% 3 + col(codes$dense)) * (codes$dense != as.raw(0))
  for (form in c("dense", "sparse")) {
    new <- replace_answers(codes[[form]], recode)
    expect_identical(as.integer(as.matrix(new)), as.integer(expected))
    expect_identical(is_sparse(new), form == "sparse")
  }
})

test_that("a crowd is sparse exactly where less than a tenth of its labels is given", {
  few <- simulate_crowd(200, 30, missing = 0.93, seed = 1)$labels
  many <- simulate_crowd(200, 30, missing = 0.8, seed = 1)$labels
  expect_true(is_sparse(encode(few)$codes))
  expect_false(is_sparse(encode(many)$codes))
  for (missing in c("frozen", "level")) {
    expect_false(is_sparse(encode(few, missing = missing)$codes))
  }
  expect_error(encode(few, missing = "fail"), class = "mdpd_error_missing_value")
  expect_identical(as.matrix(encode(few)$codes), encode(few, missing = "frozen")$codes)
})

test_that("triples in any order make the same sparse codes", {
  few <- simulate_crowd(200, 30, missing = 0.93, seed = 1)$labels
  shuffled <- few
  order <- with_seed(2, sample(length(few$item)))
  shuffled[c("item", "worker", "label")] <- lapply(unclass(few)[1:3], `[`, order)
  expect_identical(encode(shuffled), encode(few))
})

test_that("a crowd with few labels never becomes a table", {
  n <- 30000
  worker <- (rep(seq_len(n), each = 3) * 7919 + c(0, 500, 1700)) %% 5000
  crowd <- crowd_labels(data.frame(item = rep(seq_len(n), each = 3), worker = worker,
                                   label = worker %% 2))
  coded <- encode(crowd)
  expect_lt(as.numeric(object.size(coded$codes)), 4e6)  # the table has 1.5e8 cells
  expect_identical(n_missing(coded$codes), 149910000L)
})

test_that("a worker whose labels all have weight zero is an error in either form", {
  crowd <- sparse_crowd(1)
  weights <- as.double(crowd$dense$codes[, "7"] == as.raw(0))
  expect_error(encode(crowd$labels, weights), "7.*must have an observed value",
               class = "mdpd_error_data")
  expect_error(encode(crowd$labels, weights, missing = "frozen"), "7.*must have an observed value",
               class = "mdpd_error_data")
})

test_that("new crowds are read by the levels of a fit as a table of strings is", {
  crowd <- simulate_crowd(50, 12, n_labels = 4, missing = 0.5, seed = 3)$labels
  levels <- list("3" = c("1", "3", "4"), "99" = c("1", "2"), "5" = c("4", "2"), "1" = "9")
  for (missing in c("ignore", "level")) {
    if (missing == "level") levels <- lapply(levels, c, missing_level)
    read <- function(x) {
      unseen <- NULL
      coded <- withCallingHandlers(
        encode_new(x, levels, missing = missing),
        mdpd_warning_unseen_level = function(w) {
          unseen <<- w$levels
          invokeRestart("muffleWarning")
        }
      )
      list(coded = coded, unseen = unseen)
    }
    table <- cbind(as.matrix(crowd), "99" = NA)
    from_crowd <- read(crowd)
    expect_identical(from_crowd, read(table))
    expect_named(from_crowd$unseen, c("3", "5", "1"))
  }
})

test_that("a fit of sparse codes is the fit of the table", {
  for (seed in 1:2) {
    crowd <- sparse_crowd(seed)
    sparse <- engine_fit(crowd$sparse, 3, labels = crowd$labels$labels)
    dense <- engine_fit(crowd$dense, 3, labels = crowd$labels$labels)
    expect_gt(length(dense$informative), 5)
    expect_identical(sort(sparse$informative), sort(dense$informative))
    expect_equal(sparse$loglik, dense$loglik, tolerance = 1e-9)
    expect_equal(sparse$posterior, dense$posterior, tolerance = 1e-6)
  }
})

test_that("whatever is asked of a fit of a sparse crowd is what its table answers", {
  crowd <- sparse_crowd(3)
  sparse <- stagewise_em(crowd$labels, k = 3)
  dense <- as_dense_fit(sparse)
  expect_true(is_sparse(sparse$coded$codes))
  same <- function(ask) expect_equal(ask(sparse), ask(dense), tolerance = 1e-9)
  same(worker_quality)
  same(item_quality)
  same(confusion)
  same(function(fit) confusion(fit, c("9", "2"), type = "count"))
  same(information)
  same(function(fit) predict(fit, type = "density"))
  same(function(fit) suppressWarnings(standard_errors(fit)))
  same(function(fit) refine(fit, type = "full", control = stagewise_control(polish = FALSE))$loglik)
  same(function(fit) refine(fit, control = stagewise_control(polish = FALSE))$item_evidence)
  for (type in c("nonparametric", "parametric")) {
    same(function(fit) bootstrap(fit, n = 2, type = type, refit = FALSE)$estimates)
  }
  expect_equal(predict(sparse, crowd$labels, type = "prob"), sparse$posterior, tolerance = 1e-6)
  expect_equal(predict(sparse, as.matrix(crowd$labels), type = "density"),
               predict(sparse, crowd$labels, type = "density"), tolerance = 1e-9)
  expect_output(print(sparse), "9[0-9.]+ % of cells missing")
})

test_that("rows of weight two are rows given twice, in a sparse crowd too", {
  codes <- random_codes(4, observed = TRUE)
  coded <- new_coded(codes$sparse, rep(list(c("a", "b", "c")), 9), codes$weights %/% 1, "ignore")
  names(coded$levels) <- colnames(codes$sparse)
  rows <- rep(seq_along(coded$weights), coded$weights)
  repeated <- new_coded(select_rows(codes$sparse, rows), coded$levels, rep(1, length(rows)),
                        "ignore")
  one <- function(coded) engine_fit(coded, 1)$item_probs
  expect_equal(one(coded), one(repeated), tolerance = 1e-12)
})
