# fingerprint(): what people compare.

parts <- c("fit", "data", "settings", "result")
prints_of <- function(x, k = 2, ...) {
  fingerprint(suppressMessages(suppressWarnings(stagewise_em(x, k, ...))))
}
# The parts in which two fingerprints differ.
differing <- function(one, other) names(one)[one != other]

votes <- house_votes[-1]
fit <- stagewise_em(votes, k = 2)

# The definition once more, in plain R ------------------------------------------------------------

# Whole numbers modulo 2^64 as four parts of 16 bits, the lowest first.
whole <- function(hex) strtoi(substring(hex, c(13, 9, 5, 1), c(16, 12, 8, 4)), 16)
carry <- function(x) {
  for (at in 1:3) {
    x[at + 1] <- x[at + 1] + x[at] %/% 65536
    x[at] <- x[at] %% 65536
  }
  x[4] <- x[4] %% 65536
  x
}
times <- function(x, y) {
  out <- numeric(4)
  for (i in 1:4) for (j in seq_len(5 - i)) out[i + j - 1] <- out[i + j - 1] + x[i] * y[j]
  carry(out)
}
both_xor <- function(x, y) as.numeric(bitwXor(x, y))
bits_of <- function(x) as.vector(vapply(x, function(part) as.integer(intToBits(part))[1:16], 1:16))
shift_down <- function(x, by) {
  bits <- matrix(c(bits_of(x)[-seq_len(by)], integer(by)), 16)
  colSums(bits * 2^(0:15))
}
mix_twin <- function(x) {
  x <- times(both_xor(x, shift_down(x, 30)), whole("BF58476D1CE4E5B9"))
  x <- times(both_xor(x, shift_down(x, 27)), whole("94D049BB133111EB"))
  both_xor(x, shift_down(x, 31))
}
words_of <- function(bytes) {
  halves <- readBin(bytes, "integer", length(bytes) / 2, 2, signed = FALSE, endian = "little")
  asplit(matrix(halves, ncol = 4, byrow = TRUE), 1)
}
hash_twin <- function(bytes) {
  padded <- c(bytes, raw(-length(bytes) %% 8))
  length <- c(length(bytes) %% 65536, length(bytes) %/% 65536, 0, 0)
  state <- whole("CBF29CE484222325")
  for (word in c(if (length(padded) > 0) words_of(padded), list(length))) {
    state <- times(both_xor(state, word), whole("00000100000001B3"))
    state <- both_xor(state, shift_down(state, 32))
  }
  paste(sprintf("%04x", as.integer(rev(mix_twin(state)))), collapse = "")
}

test_that("hashes of bytes are those of a program in plain R", {
  for (n in c(0, 1, 7, 8, 9, 100)) {
    bytes <- as.raw((37 * seq_len(n)) %% 256)
    expect_identical(core_hash_bytes(bytes), hash_twin(bytes))
  }
})

test_that("bytes of values are what they are defined to be", {
  of_numbers <- function(...) writeBin(c(...), raw(), endian = "little")
  expect_identical(value_bytes(c(1.5, NA, -0)), c(as.raw(3), of_numbers(3, 1, 2, 1.5, 0, 0)))
  expect_identical(value_bytes(c("a", NA, "\u00e9")),
                   c(as.raw(2), of_numbers(3, 0, 1, -1, 2), charToRaw("aNA\u00e9")))
  expect_identical(value_bytes(list("", NULL)),
                   c(as.raw(1), of_numbers(1, 0, 2), as.raw(2), of_numbers(1, 0, 0), as.raw(3),
                     of_numbers(0, 0)))
})

test_that("a list has those of its parts, also where a class has others", {
  time <- as.POSIXlt("2020-01-01", tz = "UTC")
  expect_identical(value_bytes(time), value_bytes(unclass(time)))
  expect_identical(value_bytes(data.frame(a = 1:2)), value_bytes(list(1:2)))
})

test_that("a value has one hash, however R holds it, and different ones have different hashes", {
  expect_identical(hash_value(1:3), hash_value(c(1, 2, 3)))
  expect_identical(hash_value(c(0, NaN)), hash_value(c(-0, NA)))
  expect_identical(hash_value("\u00e9"), hash_value(iconv("\u00e9", "UTF-8", "latin1")))
  expect_identical(hash_value(c(a = "x")), hash_value("x"))
  different <- list(NULL, 0, c(0, 0), "", c("", ""), "0", c("a", "b"), "ab", c("ab", ""), NA, "NA",
                    NA_character_, list(), list(0), list(list(0)), list(0, 0), list("a", "b"))
  expect_identical(anyDuplicated(vapply(different, hash_value, "")), 0L)
})

# The same -----------------------------------------------------------------------------------------

test_that("a fingerprint has four texts, and a fit made again has the same one", {
  prints <- fingerprint(fit)
  expect_s3_class(prints, "mdpd_fingerprint")
  expect_named(prints, parts)
  expect_match(unclass(prints), "^([0-9a-f]{4}-){3}[0-9a-f]{4}$")
  expect_silent(fingerprint(fit))
  expect_identical(capture.output(print(prints))[-1],
                   sprintf("%-10s %s", c("Data", "Settings", "Result"), unclass(prints)[-1]))
  expect_identical(anyDuplicated(unclass(prints)), 0L)
  expect_identical(prints_of(votes), prints)
  expect_identical(prints == prints_of(votes), c(fit = TRUE, data = TRUE, settings = TRUE,
                                                 result = TRUE))
})

test_that("the fingerprint of data never changes: those that are published depend on it", {
  expect_identical(fingerprint(fit)[["data"]], "e134-f812-9634-1f79")
})

test_that("order and names of rows, threads and what is kept do not count", {
  prints <- fingerprint(fit)
  expect_identical(prints_of(votes[rev(seq_len(nrow(votes))), ]), prints)
  expect_identical(prints_of(`rownames<-`(votes, paste0("row", seq_len(nrow(votes))))), prints)
  for (threads in 1:2) {
    expect_identical(prints_of(votes, control = stagewise_control(threads = threads)), prints)
  }
  expect_identical(prints_of(votes, keep_data = FALSE), prints)
  expect_identical(prints_of(~., data = votes), prints)
  expect_identical(prints_of(votes, weights = rep(1, nrow(votes))), prints)
})

test_that("a path has the fingerprint of its data with and without them", {
  prints <- prints_of(votes, 1:3)
  expect_identical(prints_of(votes, 1:3, keep_data = FALSE), prints)
  expect_identical(differing(prints, fingerprint(fit)), c("fit", "settings", "result"))
  path <- suppressMessages(stagewise_em(votes, 1:3, keep_data = FALSE))
  expect_identical(differing(fingerprint(choose_k(path, 2)), prints), c("fit", "result"))
})

test_that("names and order of the components do not count", {
  named <- name_components(fit, c("1" = "Liberal"))
  expect_identical(fingerprint(reorder_components(named, 2:1)), fingerprint(fit))
  # Also of components of one size.
  equal <- fit
  equal$mixing_weights[] <- 0.5
  expect_identical(fingerprint(reorder_components(equal, 2:1)), fingerprint(equal))
})

test_that("text in latin1 and in UTF-8 has the same fingerprint, in any locale", {
  words <- data.frame(caf = rep(c("\u00e9t\u00e9", "na\u00efve", "Zebra", "apple"), 25),
                      b = rep(c("x", "y"), 50), d = rep(c("x", "x", "y"), length.out = 100))
  names(words)[1] <- "caf\u00e9"
  latin <- words
  latin[[1]] <- iconv(latin[[1]], "UTF-8", "latin1")
  names(latin)[1] <- iconv(names(latin)[1], "UTF-8", "latin1")
  prints <- prints_of(words)
  expect_identical(prints_of(latin), prints)
  expect_identical(withr::with_collate("C", prints_of(latin)), prints)
})

test_that("a store has the fingerprint of the same rows in memory, however it is cut", {
  table <- mixed_table()[1:5]
  prints <- prints_of(table)
  store <- small_store(table, local_folder())
  expect_identical(prints_of(store), prints)
  expect_identical(prints_of(row_store(table, local_folder(), shard_rows = 2048)), prints)
  begun <- small_store(table[1:1500, ], local_folder())
  expect_identical(prints_of(add_rows(begun, table[-(1:1500), ])), prints)
})

test_that("so has one with weights, some of them zero", {
  table <- mixed_table()[1:5]
  weights <- rep(c(0, 0.3, 2, 1, 1), 500)
  store <- small_store(table, local_folder(), weights = weights)
  expect_identical(prints_of(store), prints_of(table, weights = weights))
})

test_that("so has a crowd, of which a store has the rows in an order of its own", {
  triples <- some_triples()
  crowd <- crowd_labels(triples)
  store <- small_crowd_store(triples, local_folder())
  expect_identical(prints_of(store), prints_of(crowd))
  expect_true(is_sparse(encode(crowd)$codes))
})

test_that("dense and sparse codes of one crowd have one fingerprint", {
  crowd <- simulate_crowd(n_items = 200, n_workers = 10, accuracy = rep(0.8, 5), seed = 1)$labels
  fit <- stagewise_em(crowd, k = 3)
  sparse <- fit
  sparse$coded$codes <- as_sparse_codes(fit$coded$codes)
  expect_identical(fingerprint(sparse), fingerprint(fit))
})

# What differs -------------------------------------------------------------------------------------

test_that("a change of the data shows in the data", {
  data <- fingerprint(fit)[["data"]]
  changed <- list(cell = votes, missing = votes, level = votes, item = votes, row = votes[-1, ],
                  again = votes[c(1, seq_len(nrow(votes))), ], items = rev(votes))
  cell <- which(!is.na(votes[[1]]))[1]
  changed$cell[cell, 1] <- setdiff(levels(factor(votes[[1]])), as.character(votes[cell, 1]))[1]
  changed$missing[cell, 1] <- NA
  changed$level[[1]] <- factor(votes[[1]], labels = c("a", "b"))
  names(changed$item)[1] <- "another"
  hashes <- vapply(changed, function(x) prints_of(x)[["data"]], "")
  weighted <- prints_of(votes, weights = c(2, rep(1, nrow(votes) - 1)))
  expect_identical(anyDuplicated(c(data, hashes, weighted[["data"]])), 0L)
  expect_identical(differing(fingerprint(fit), weighted), c("fit", "data", "result"))
  # What the names are is no part of the result.
  expect_identical(prints_of(changed$item)[["result"]], fingerprint(fit)[["result"]])
})

test_that("a change of a setting shows in the settings", {
  prints <- fingerprint(fit)
  changed <- list(
    prints_of(votes, control = stagewise_control(tol = 1e-9)), prints_of(votes, 3),
    prints_of(votes, refine = "full"), prints_of(votes, method = "paper"),
    prints_of(votes, missing = "level"), prints_of(votes, missing = "frozen"),
    prints_of(votes, 1:2), fingerprint(mdpd(votes, 2, seed = 1)),
    fingerprint(mdpd(votes, 2, seed = 2)), fingerprint(mdpd(votes, 2, n_starts = 2)),
    fingerprint(mdpd(votes, 2, start = "spectral")),
    fingerprint(mdpd(votes, 2, start = rep_len(1:2, nrow(votes)))),
    fingerprint(refine(fit, type = "full"))
  )
  settings <- vapply(changed, `[[`, "", "settings")
  expect_identical(anyDuplicated(c(prints[["settings"]], settings)), 0L)
  data <- vapply(changed, `[[`, "", "data")
  expect_identical(unique(data), prints[["data"]])
})

test_that("the numbers of components found and asked for are told apart", {
  noise <- data.frame(a = rep(1:2, 50), b = rep(1:2, each = 50), d = rep(1:2, 50)[100:1])
  noise$d <- rep(c(1, 1, 2, 2), 25)
  expect_identical(differing(prints_of(noise, 2), prints_of(noise, 3)), c("fit", "settings"))
})

test_that("known labels are data, prior counts settings, and whom a class stands for result", {
  crowd <- simulate_crowd(n_items = 100, n_workers = 10, accuracy = rep(0.8, 5), seed = 1)
  made <- function(...) suppressWarnings(mdpd(crowd$labels, k = 3, ...))
  prints <- fingerprint(made())
  known <- fingerprint(made(known = crowd$truth[1:5]))
  expect_true("data" %in% differing(prints, known))
  expect_false("settings" %in% differing(prints, known))
  expect_true("settings" %in% differing(prints, fingerprint(made(prior = 1))))
  swapped <- made()
  names <- names(swapped$mixing_weights)
  swapped <- name_components(swapped, stats::setNames(names[c(2, 1, 3)], names))
  expect_identical(differing(prints, fingerprint(swapped)), c("fit", "result"))
})

test_that("every number of the result shows to its last bit", {
  prints <- fingerprint(fit)
  for (part in c("loglik", "penalised_loglik", "evidence", "df", "status", "inclusion",
                 "mixing_weights", "item_evidence")) {
    changed <- fit
    value <- changed[[part]]
    value[1] <- if (is.character(value)) "iteration_limit" else value[1] * (1 + 2^-52)
    changed[[part]] <- value
    expect_identical(differing(prints, fingerprint(changed)), c("fit", "result"))
  }
  changed <- fit
  changed$item_probs[[2]][2, 1] <- changed$item_probs[[2]][2, 1] * (1 + 2^-52)
  expect_identical(differing(prints, fingerprint(changed)), c("fit", "result"))
  changed <- fit
  changed$informative <- changed$informative[-1]
  expect_identical(differing(prints, fingerprint(changed)), c("fit", "result"))
})

# What is not known --------------------------------------------------------------------------------

test_that("a fit of version 0.1.0 has a part of it and says what to do", {
  old <- readRDS(test_path("fits-0.1.0", "table.rds"))
  expect_message(prints <- fingerprint(old), class = "mdpd_message_no_fingerprint")
  expect_identical(names(prints)[is.na(prints)], c("fit", "settings"))
  without <- readRDS(test_path("fits-0.1.0", "without_data.rds"))
  prints <- suppressMessages(fingerprint(without))
  expect_identical(names(prints)[is.na(prints)], c("fit", "data", "settings"))
  expect_snapshot(show_conditions(print(names(fingerprint(without)))))
})

test_that("the data of a store that was made before have none", {
  store <- small_store(mixed_table()[1:5], local_folder())
  store$manifest$shards$rows_hash <- NULL
  of_store <- suppressMessages(suppressWarnings(stagewise_em(store, 2)))
  expect_message(prints <- fingerprint(of_store), "does not hold all of its data, so",
                 class = "mdpd_message_no_fingerprint")
  expect_identical(names(prints)[is.na(prints)], c("fit", "data"))
})

test_that("the fingerprint is in the summary and the report", {
  prints <- fingerprint(fit)
  expect_identical(summary(fit)$fingerprint, prints)
  expect_output(print(summary(fit)), paste("Fingerprint", prints["fit"]), fixed = TRUE)
  old <- readRDS(test_path("fits-0.1.0", "without_data.rds"))
  expect_output(print(summary(old)), "(of the result alone)", fixed = TRUE)
  truth <- simulate_crowd(n_items = 20, n_workers = 5, seed = 1)$model
  expect_null(summary(truth)$fingerprint)
  skip_if_not_installed("htmltools")
  expect_match(as.character(fingerprint_table(fit)), prints[["settings"]], fixed = TRUE)
  expect_match(as.character(fingerprint_table(old)), "not known", fixed = TRUE)
})

test_that("fingerprint() says what it is of", {
  expect_snapshot({
    show_conditions(fingerprint(1))
    show_conditions(fingerprint(simulate_crowd(n_items = 20, n_workers = 5, seed = 1)$model))
  })
  expect_snapshot({
    structure(c(fit = NA, data = "3f06-a1c9-07be-5d12", settings = NA,
                result = "01b2-7788-a0f3-44c5"), class = "mdpd_fingerprint")
  })
})

test_that("an item that is called like an argument of rbind() is an item", {
  x <- answers()
  fit <- stagewise_em(x, k = 2)
  names(x)[1] <- "deparse.level"
  renamed <- stagewise_em(x, k = 2)
  expect_identical(hash_of_result(renamed), hash_of_result(fit))
  expect_identical(pair_residuals(renamed)$statistic, pair_residuals(fit)$statistic)
})
