# Known labels in the store of a crowd, against the same labels by `known` for the crowd in memory.

weak_crowd <- function(n_items = 2500, seed = 1) {
  simulate_crowd(n_items, 12, accuracy = rep(0.65, 8), missing = 0.3, seed = seed)
}

some_gold <- function(crowd, n = 100) crowd$truth[seq(7, length(crowd$truth), length.out = n)]

# Of the items by name, as rows of a store are in another order.
class_of_items <- function(fit, store) {
  class <- predict(fit, store)
  stats::setNames(as.character(class), rows_of_store(store)$ids)
}

test_that("a store with known labels is fitted as the crowd in memory is, to the last bit", {
  crowd <- weak_crowd()
  gold <- some_gold(crowd)
  store <- add_known(small_store(crowd$labels, local_folder()), gold)
  for (criterion in c("evidence", "bic")) {
    control <- stagewise_control(criterion = criterion)
    fit <- stagewise_em(store, 3, control = control)
    in_memory <- stagewise_em(crowd$labels, 3, known = gold, control = control)
    expect_same_numbers(fit, in_memory)
    expect_identical(fit$born, in_memory$born)
    expect_identical(fingerprint(fit), fingerprint(in_memory))
    expect_true(fit$store$holds_known)
    expect_identical(class_of_items(fit, store)[crowd$labels$items],
                     vapply(predict(in_memory), as.character, ""))
    shares <- predict(fit, store, type = "prob")
    items <- match(crowd$labels$items, rows_of_store(store)$ids)
    # Of the workers in use, or of all whose columns differ at all.
    expect_equal(unname(shares[items, ]), unname(in_memory$posterior), tolerance = 1e-10)
  }
  known <- fit$store$known
  expect_setequal(known$item, names(gold))
  expect_identical(known$label, as.character(gold[known$item]))
})

test_that("so is one of sparse labels", {
  crowd <- simulate_crowd(1500, 60, accuracy = rep(0.7, 50), missing = 0.9, seed = 17)
  gold <- some_gold(crowd)
  gold <- gold[names(gold) %in% crowd$labels$items]
  store <- add_known(small_store(crowd$labels, local_folder()), gold)
  expect_true(is_sparse(rows_of_store(store)$codes))
  fit <- stagewise_em(store, 3)
  in_memory <- stagewise_em(crowd$labels, 3, known = gold)
  expect_same_numbers(fit, in_memory)
  expect_identical(fingerprint(fit), fingerprint(in_memory))
})

test_that("of a sample's search the fit holds all known rows, however they are cut", {
  crowd <- weak_crowd(3000, seed = 2)
  gold <- some_gold(crowd)
  fits <- lapply(list(c(1024, 1, 0), c(2048, 2, 1e9), c(4096, 2, 0)), function(how) {
    store <- add_known(row_store(crowd$labels, local_folder(), shard_rows = how[1]), gold)
    fit <- stagewise_em(store, 3, search_rows = 1000, memory = how[3],
                        control = stagewise_control(threads = how[2]))
    expect_identical(class_of_items(fit, store)[names(gold)], vapply(gold, as.character, ""))
    fit
  })
  expect_identical(fits[[1]]$store$reading, "sample")
  expect_setequal(fits[[1]]$born, 1:3)
  for (fit in fits[2:3]) expect_same_numbers(fit, fits[[1]])
  # EM from elsewhere comes to the same optimum, within its tolerance.
  in_memory <- stagewise_em(crowd$labels, 3, known = gold)
  expect_equal(fits[[1]]$evidence, in_memory$evidence, tolerance = 1e-5)
  expect_equal(fits[[1]]$mixing_weights, in_memory$mixing_weights[names(fits[[1]]$mixing_weights)],
               tolerance = 1e-2)
})

test_that("some known labels mend the names that the vote has swapped", {
  crowd <- simulate_crowd(3000, 12, accuracy = rep(0.7, 6), missing = 0.3, seed = 3)
  triples <- triples_of(crowd$labels)
  triples$label <- c("1" = "2", "2" = "1", "3" = "3")[triples$label]
  store <- small_crowd_store(triples, local_folder())
  free <- stagewise_em(store, 3, search_rows = 1000)
  expect_gt(error_rate(class_of_items(free, store), crowd$truth), 0.6)
  store <- add_known(store, some_gold(crowd, 40))
  held <- stagewise_em(store, 3, search_rows = 1000)
  expect_lt(error_rate(class_of_items(held, store), crowd$truth), 0.2)
})

test_that("known labels stay with their items when rows are added, before or after", {
  crowd <- weak_crowd(seed = 4)
  all <- triples_of(crowd$labels)
  # New items, late labels of old ones, a new worker and a new label.
  is_late <- all$item %in% crowd$labels$items[2001:2500] | seq_len(nrow(all)) %% 97 == 0 |
    all$worker %in% crowd$labels$workers[12]
  late <- transform(all[is_late, ], label = replace(as.character(label), 1:3, "other"))
  gold <- some_gold(crowd)
  gold <- gold[names(gold) %in% all$item[!is_late]]
  known_of <- function(store) {
    known <- known_of_store(store)
    stats::setNames(known$label, known$item)[names(gold)]
  }
  begun <- function() small_crowd_store(all[!is_late, ], local_folder(parent.frame()))
  first <- hush(add_rows(add_known(begun(), gold), late))
  last <- add_known(hush(add_rows(begun(), late)), gold)
  for (store in list(first, last)) {
    expect_identical(known_of(store), vapply(gold, as.character, ""))
    expect_identical(nrow(verify_store(store)), 0L)
    expect_identical(open_row_store(store$path), store)
    expect_equal(sum(store$manifest$shards$known), length(gold))
  }
  fits <- list(stagewise_em(first, 4), stagewise_em(last, 4))
  expect_same_numbers(fits[[1]], fits[[2]])
  expect_identical(fingerprint(fits[[1]]), fingerprint(fits[[2]]))
})

test_that("NA takes a known label back, and what changes nothing writes nothing", {
  crowd <- weak_crowd(seed = 5)
  store <- small_store(crowd$labels, local_folder())
  gold <- some_gold(crowd)
  fit <- stagewise_em(store, 3)
  with_gold <- add_known(store, gold)
  expect_equal(n_known(with_gold), 100)
  expect_identical(add_known(with_gold, gold[5:1]), with_gold)
  expect_identical(add_known(with_gold, character()), with_gold)
  held <- stagewise_em(with_gold, 3)
  fewer <- add_known(with_gold, replace(gold, 1:60, NA))
  expect_equal(n_known(fewer), 40)
  other <- add_known(fewer, stats::setNames("1", names(gold)[100]))
  known <- known_of_store(other)
  expect_identical(known$label[known$item == names(gold)[100]], "1")
  none <- add_known(other, stats::setNames(rep(NA, 100), names(gold)))
  expect_identical(none$manifest$shards$checksum, store$manifest$shards$checksum)
  expect_identical(fingerprint(stagewise_em(none, 3)), fingerprint(fit))
  expect_message(update(fit, none), class = "mdpd_message_nothing_new")
  free <- hush(update(held, none))
  expect_false(free$store$holds_known)
  expect_null(free$store$known)
  # The prior of the crowd was learned on another way; no data tell a tenth of a nat.
  expect_lt(abs(update(free, none, full = TRUE)$evidence - fit$evidence), 0.1)
  # An object that was made before is of files that the next writer removes.
  expect_identical(sort(dir(none$path, "^shard")), sort(unique(c(other$manifest$shards$file,
                                                                 none$manifest$shards$file))))
})

test_that("an update takes in what became known, and lists the decisions that changed", {
  crowd <- weak_crowd(3000, seed = 6)
  gold <- some_gold(crowd, 200)
  store <- small_store(crowd$labels, local_folder())
  fit <- stagewise_em(store, 3, search_rows = 1000)
  ids <- rows_of_store(store)$ids
  last_shard <- ids[2049:3000]
  in_last <- names(gold) %in% last_shard
  steps <- list(gold[!in_last], gold[in_last], replace(gold[in_last], 1:20, NA))
  for (step in seq_along(steps)) {
    store <- add_known(store, steps[[step]])
    updated <- hush(update(fit, store))
    expect_true(updated$store$holds_known)
    expect_identical(names(updated$mixing_weights), names(fit$mixing_weights))
    # The first gold is in two shards, the other in the last.
    rows <- if (step == 1) 1:2048 else 2049:3000
    expect_equal(updated$update[c("new_rows", "rows")], list(new_rows = 0, rows = length(rows)))
    expect_equal(updated$update$new_known, c(sum(!in_last), sum(in_last), 0)[step])
    before <- if (step == 1) predict(fit, store) else classes
    classes <- predict(updated, store)
    other <- intersect(which(before != classes), rows)
    expect_gt(length(other), 0)
    expect_equal(updated$changed$row, other)
    expect_identical(updated$changed$id, ids[other])
    expect_identical(updated$changed$to, as.character(classes[other]))
    expect_identical(updated$changed$from, as.character(before[other]))
    fit <- updated
  }
  known <- stats::na.omit(replace(gold, which(in_last)[1:20], NA))
  expect_identical(class_of_items(fit, store)[names(known)], vapply(known, as.character, ""))
  expect_message(same <- update(fit, store), class = "mdpd_message_nothing_new")
  expect_identical(same, fit)
  # A full round is where a fit anew ends, which begins elsewhere.
  full <- update(fit, store, full = TRUE)
  anew <- stagewise_em(store, 3, search_rows = 1000)
  expect_equal(full$evidence, anew$evidence, tolerance = 1e-6)
  expect_identical(fingerprint(full)[["data"]], fingerprint(anew)[["data"]])
  expect_gte(full$evidence, fit$evidence)
})

# By predictions with no row held: the log-likelihood of rows together with their known labels.
held_loglik <- function(fit, store) {
  fit$store$holds_known <- FALSE
  rows <- predict(fit, store, type = "density")
  shares <- predict(fit, store, type = "prob")
  known <- as.integer(rows_of_store(store)$known)
  held <- which(known > 0)
  column <- match(store$manifest$levels[known[held]], colnames(shares))
  sum(rows) + sum(log(shares[cbind(held, column)]))
}

test_that("the bound and what a round would gain are of rows with what is known of them", {
  crowd <- weak_crowd(4000, seed = 7)
  gold <- some_gold(crowd, 300)
  store <- small_store(crowd$labels, local_folder())
  in_last <- names(gold) %in% rows_of_store(store)$ids[3073:4000]
  store <- add_known(store, gold[!in_last])
  fit <- stagewise_em(store, 3, search_rows = 1000)
  expect_equal(fit$loglik, held_loglik(fit, store), tolerance = 1e-10)
  store <- add_known(store, gold[in_last])
  updated <- hush(update(fit, store))
  reached <- held_loglik(updated, store)
  expect_equal(updated$update$checked, 3072)
  expect_equal((reached - updated$loglik) / 4, updated$update$gain, tolerance = 1e-6)
  expect_gt(updated$update$gain, 0)
  sums <- updated$sums$standing
  expect_equal(sums$n_obs, 4000)
  expect_equal(rowSums(sums$levels), store$manifest$counts, tolerance = 1e-10)
})

# Ordinary EM in plain R.
held_twin <- function(fit, store, answers, n_steps) {
  fit$store$holds_known <- FALSE
  known <- as.integer(rows_of_store(store)$known)
  for (step in seq_len(n_steps)) {
    posterior <- predict(fit, store, type = "prob")
    own <- outer(store$manifest$levels[known[known > 0]], colnames(posterior), `==`)
    posterior[known > 0, ] <- own + 0
    fit$mixing_weights <- colMeans(posterior)
    fit$item_probs <- Map(function(probs, given) {
      counts <- crossprod(outer(given, rownames(probs), `==`) & !is.na(given), posterior)
      `dimnames<-`(sweep(counts, 2, colSums(counts), "/"), dimnames(probs))
    }, fit$item_probs, as.data.frame(answers))
  }
  fit
}

test_that("the steps are those of EM in plain R that holds the rows", {
  crowd <- weak_crowd(1500, seed = 16)
  store <- small_store(crowd$labels, local_folder())
  fit <- stagewise_em(store, 3, refine = "full", control = stagewise_control(criterion = "bic"))
  store <- add_known(store, some_gold(crowd, 300))
  answers <- as.matrix(crowd$labels)[rows_of_store(store)$ids, names(fit$item_probs)]
  # The third step may be a leap.
  for (n_steps in 1:2) {
    fit$control$max_iter <- n_steps
    updated <- suppressWarnings(update(fit, store, full = TRUE))
    twin <- held_twin(fit, store, answers, n_steps)
    expect_equal(updated$mixing_weights, twin$mixing_weights, tolerance = 1e-10)
    expect_equal(updated$item_probs, twin$item_probs, tolerance = 1e-10)
    expect_equal(updated$loglik, held_loglik(twin, store), tolerance = 1e-12)
  }
})

test_that("an update goes on under the names and in the order of the user", {
  crowd <- weak_crowd(3000, seed = 8)
  gold <- some_gold(crowd)
  store <- small_store(crowd$labels, local_folder())
  fit <- stagewise_em(store, 3)
  named <- name_components(reorder_components(fit, c(3, 1, 2)), c("x", "y", "z"))
  more <- add_known(store, gold[1:50])
  plain <- hush(update(fit, more))
  again <- hush(update(named, more))
  expect_identical(names(again$mixing_weights), c("x", "y", "z"))
  expect_equal(unname(again$mixing_weights), unname(plain$mixing_weights[c(3, 1, 2)]),
               tolerance = 1e-10)
  expect_equal(again$evidence, plain$evidence, tolerance = 1e-12)
  by_name <- stats::setNames(component_labels_of(again), names(again$mixing_weights))
  expect_identical(unname(by_name[as.character(predict(again, more))]),
                   as.character(predict(plain, more)))
  more <- add_known(more, gold)
  expect_equal(hush(update(again, more))$evidence, hush(update(plain, more))$evidence,
               tolerance = 1e-12)
})

test_that("days of new rows and new labels go on from each other", {
  crowd <- weak_crowd(4000, seed = 23) # of other seeds EM may go on to another end
  all <- triples_of(crowd$labels)
  day <- 1 + (match(all$item, crowd$labels$items) - 1) %/% 1000
  gold <- some_gold(crowd, 200)
  store <- small_crowd_store(all[day == 1, ], local_folder())
  fit <- stagewise_em(store, 3)
  for (today in 2:4) {
    store <- add_rows(store, all[day == today, ])
    # Of items of the days before.
    of_before <- as.integer(names(gold)) <= 1000 * (today - 1)
    store <- add_known(store, gold[of_before])
    fit <- hush(update(fit, store))
    expect_identical(class_of_items(fit, store)[names(gold)[of_before]],
                     vapply(gold[of_before], as.character, ""))
  }
  known <- known_of_store(store)
  expect_identical(fit$store$known[order(fit$store$known$item), c("item", "label")],
                   known[order(known$item), c("item", "label")], ignore_attr = "row.names")
  expect_equal(fit$sums$standing$n_obs, 4000)
  expect_equal(rowSums(fit$sums$standing$levels), store$manifest$counts, tolerance = 1e-10)
  anew <- stagewise_em(store, 3)
  full <- hush(update(fit, store, full = TRUE))
  expect_lt((anew$evidence - full$evidence) / 4, 0.01)
})

test_that("shards that stand are gone over where they begin to be held", {
  crowd <- weak_crowd(3000, seed = 10)
  gold <- some_gold(crowd)
  store <- add_known(small_store(crowd$labels, local_folder()), gold)
  path <- suppressWarnings(hush(stagewise_em(store, 2:3, search_rows = 1000)),
                           "mdpd_warning_known_not_held")
  fit <- choose_k(path, 3)
  expect_false(fit$store$holds_known)
  updated <- hush(update(fit, store))
  expect_true(updated$store$holds_known)
  expect_equal(updated$update$rows, 3000)
  expect_equal(updated$update$new_known, 100)
  anew <- stagewise_em(store, 3, search_rows = 1000)
  expect_equal(updated$evidence, anew$evidence, tolerance = 1e-6)
})

test_that("a cluster holds the same rows, to the last bit", {
  cluster <- local_cluster()
  crowd <- weak_crowd(3000, seed = 11)
  store <- add_known(small_store(crowd$labels, local_folder()), some_gold(crowd))
  here <- stagewise_em(store, 3, search_rows = 1000)
  expect_same_numbers(stagewise_em(store, 3, search_rows = 1000, cluster = cluster), here)
  store <- add_known(store, some_gold(crowd, 151))
  expect_same_numbers(update(here, store, full = TRUE, cluster = cluster),
                      update(here, store, full = TRUE))
})

test_that("where known rows cannot be held a warning says why, and the fit is that without", {
  crowd <- weak_crowd(1200, seed = 12)
  plain <- small_store(crowd$labels, local_folder())
  fit <- stagewise_em(plain, 3)
  two <- suppressWarnings(stagewise_em(plain, 2))
  store <- add_known(plain, some_gold(crowd, 10))
  class <- "mdpd_warning_known_not_held"
  expect_warning(free <- stagewise_em(store, 2), class = class)
  expect_same_numbers(free, two)
  expect_identical(fingerprint(free), fingerprint(two))
  expect_identical(predict(free, store), predict(two, plain))
  expect_snapshot({
    show_conditions(stagewise_em(store, 2:3))
    show_conditions(stagewise_em(store, 3, refine = "none", method = "paper"))
    show_conditions(updated <- update(two, store))
  })
  expect_false(updated$store$holds_known)
  # A new label has no component, and may be the one that is known.
  new <- data.frame(item = "new", worker = crowd$labels$workers[1:2], label = c("other", "1"))
  later <- hush(add_rows(store, new))
  held <- hush(update(fit, store))
  expect_warning(after <- hush(update(held, later)), class = class)
  expect_false(after$store$holds_known)
  expect_equal(after$update$rows, nrow(later))
})

test_that("a store that was made before has no known or repeated labels, and takes some", {
  crowd <- weak_crowd(1500, seed = 13)
  triples <- triples_of(crowd$labels)
  first <- triples$item %in% crowd$labels$items[1:1200]
  store <- small_crowd_store(triples[first, ], local_folder())
  store$manifest$shards[c("known", "known_hash", "repeats")] <- NULL
  write_manifest(store$manifest, store$path)
  expect_identical(n_repeated(open_row_store(store$path)), 0)
  expect_identical(n_known(open_row_store(store$path)), 0)
  expect_identical(fingerprint(stagewise_em(store, 3)),
                   fingerprint(stagewise_em(open_row_store(store$path), 3)))
  gold <- some_gold(crowd, 20)
  late <- add_rows(open_row_store(store$path), triples[!first, ])
  expect_equal(n_known(add_known(late, gold)), 20)
})

test_that("print says how many labels are known, and files that are damaged are told", {
  crowd <- weak_crowd(1200, seed = 14)
  store <- small_store(crowd$labels, local_folder())
  expect_length(capture.output(print(store)), 4)
  expect_output(print(add_known(store, some_gold(crowd, 1))), "The label of 1 item is known")
  store <- add_known(store, some_gold(crowd, 30))
  expect_output(print(store), "The labels of 30 items are known")
  file <- file.path(store$path, store$manifest$shards$file[1])
  bytes <- readBin(file, "raw", file.size(file))
  # Behind the known labels is the checksum.
  at <- length(bytes) - 8 - which(rev(rows_of_store(store)$known[1:1024] > as.raw(0)))[1] + 1
  bytes[at] <- xor(bytes[at], as.raw(1))
  writeBin(bytes, file)
  expect_warning(damaged <- verify_store(store), class = "mdpd_warning_damaged_shard")
  expect_identical(damaged$file, basename(file))
  expect_error(stagewise_em(store, 3), class = "mdpd_error_damaged_shard")
  expect_error(add_known(store, some_gold(crowd, 2)), class = "mdpd_error_damaged_shard")
})

test_that("bad labels are refused and leave the store as it was", {
  crowd <- weak_crowd(1100, seed = 15)
  store <- small_store(crowd$labels, local_folder())
  table <- small_store(mixed_table(20), local_folder())
  first <- rows_of_store(store)$ids[1]
  expect_snapshot(transform = function(x) gsub(paste0('"', first, '"'), '"<first>"', x), {
    show_conditions(add_known(1, c("1" = "1")))
    show_conditions(add_known(table, c("1" = "1")))
    show_conditions(add_known(store, c("1", "2")))
    show_conditions(add_known(store, c("1" = "1", "2")))
    show_conditions(add_known(store, c("7" = "1", "8" = "1", "7" = "2")))
    show_conditions(add_known(store, c("7" = "1", nobody = "1", noone = "1")))
    show_conditions(add_known(store, c("7" = "cat")))
    show_conditions(add_known(store, list("7" = "1")))
    show_conditions(add_known(store, NULL))
  })
  bad <- "a\xff"
  Encoding(bad) <- "bytes"
  expect_error(add_known(store, stats::setNames("1", bad)), class = "mdpd_error_encoding")
  expect_error(add_known(store, "1"), "`known` must be named by items",
               class = "mdpd_error_argument")
  expect_identical(open_row_store(store$path), store)
  expect_setequal(dir(store$path, "^shard"), store$manifest$shards$file)
})

test_that("a stray label in the store is a warning that names it", {
  crowd <- weak_crowd(1200, seed = 12)
  store <- hush(add_known(small_store(crowd$labels, local_folder()), some_gold(crowd, 10)))
  held <- stagewise_em(store, 3)
  labels <- crowd$labels
  stray <- data.frame(item = labels$items[1], worker = labels$workers[1], label = "oops")
  store <- hush(add_rows(store, stray))
  class <- "mdpd_warning_known_not_held"
  expect_warning(hush(stagewise_em(store, 3)), "\"oops\" was given once", class = class)
  expect_warning(hush(update(held, store)), "\"oops\" was given once", class = class)
  expect_no_match(conditionMessage(rlang::catch_cnd(hush(stagewise_em(store, 5)), class)), "oops")
  store <- hush(add_rows(store, replace(stray, "worker", labels$workers[2])))
  expect_warning(hush(stagewise_em(store, 3)), "\"oops\" was given 2 times", class = class)
})
