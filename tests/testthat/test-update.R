# Fits that go on when their store gets new rows, against fits of all rows.

old_and_new <- function(n_old = 8000, n_new = 400) {
  rows <- three_classes(n_old + n_new)$table
  list(all = rows, old = rows[seq_len(n_old), ], new = rows[n_old + seq_len(n_new), ])
}

# What the rows say of a fit's parameters, whose `loglik` is a bound.
loglik_of <- function(fit, rows) sum(predict(fit, rows, type = "density"))

test_that("an update ends where a fit of all rows does, and says by how much it may fail", {
  rows <- old_and_new()
  for (criterion in c("evidence", "bic")) {
    control <- stagewise_control(criterion = criterion)
    store <- new_store(rows$old, shard_rows = 1024)
    fit <- stagewise_em(store, 3, search_rows = 1000, control = control)
    store <- add_rows(store, rows$new)
    updated <- hush(update(fit, store))
    refitted <- stagewise_em(store, 3, search_rows = 1000, control = control)
    thousands <- nrow(rows$all) / 1000
    reached <- loglik_of(updated, rows$all)
    expect_lt((refitted$loglik - reached) / thousands, 0.01)
    # A bound, by as much as the check says; it has seen seven eighths of the old rows.
    expect_lt(updated$loglik, reached)
    expect_equal((reached - updated$loglik) / thousands, updated$update$gain, tolerance = 0.2)
    expect_identical(updated$informative, refitted$informative)
    expect_equal(updated$update[c("new_rows", "rows", "full", "checked")],
                 list(new_rows = 400, rows = 400, full = FALSE, checked = 7 * 1024))
    full <- update(updated, store, full = TRUE)
    objective <- if (criterion == "evidence") "evidence" else "penalised_loglik"
    expect_equal(full[[objective]], refitted[[objective]], tolerance = 1e-8)
    expect_equal(full$loglik, loglik_of(full, rows$all), tolerance = 1e-12)
    expect_identical(full$update$gain, 0)
    expect_identical(full$update$checked, 0)
    expect_gt(full[[objective]], updated[[objective]])
  }
})

test_that("after many updates the gain is that of all rows, not that of the oldest", {
  rows <- three_classes(8600)$table
  store <- new_store(rows[1:600, ])
  fit <- stagewise_em(store, 3)
  for (day in 1:16) {
    store <- add_rows(store, rows[600 + (day - 1) * 500 + 1:500, ])
    fit <- hush(update(fit, store))
  }
  true <- (loglik_of(fit, rows) - fit$loglik) / 8.6
  # Half as much again is what the rows of one fit are off; the oldest gain several times as much.
  expect_lt(abs(log(fit$update$gain / true)), log(1.5))
  expect_identical(gain_of_later(600, 600, 700), 1)
  expect_equal(gain_of_later(10, 1e6, 1e6 + 1) * 1e6,
               10 + sum(1 / (11:1e6) - 1e-6) / (1 / 10 - 1e-6), tolerance = 0.02)
})

test_that("the gain of a round is that of the rows looked at, for all that stand", {
  standing <- list(sums = list(standing = list(n_obs = 90, weight = 180)))
  check <- list(n_fitted = 100, gain = 0.5, sums = list(weight = 50))
  fit <- list(n_obs = 120, nobs = 240)
  expect_equal(gain_of_round(check, standing, fit), 1000 * 0.5 / 50 * 180 / 240)
  expect_equal(gain_of_round(replace(check, "n_fitted", list(NULL)), standing, fit), 7.5)
  # Half of the rows came later.
  check$n_fitted <- 45
  expect_equal(gain_of_round(check, standing, fit), 7.5 * gain_of_later(45, 90, 120))
  expect_equal(gain_of_later(45, 90, 120),
               (45 + (log(2) - 45 / 120) / (1 / 45 - 1 / 120)) / 90)
  expect_identical(gain_of_round(NULL, standing, fit), 0)
})

test_that("pieces are the rows from one number to another, shard by shard", {
  store <- list(manifest = list(shards = data.frame(rows = c(4, 4, 2))))
  expect_equal(pieces_between(store, 3, 9),
               data.frame(shard = 1:3, first = c(3, 0, 0), n = c(1, 4, 1)))
  expect_equal(pieces_between(store, 4, 8), data.frame(shard = 2L, first = 0, n = 4))
  expect_equal(pieces_between(store, 5, 7), data.frame(shard = 2L, first = 1, n = 2))
  expect_equal(whole_shards(store, c(3, 1)), data.frame(shard = c(3, 1), first = 0, n = c(2, 4)))
})

test_that("sums of rows are taken off, spread over new levels and put in another order", {
  sums <- list(
    n_obs = 5, weight = 6, largest_weight = 2, most_repeats = 1, level_weight = c(2, 4),
    levels = rbind(1:2, c(3, 1)) + 0, components = c(4, 2), overlap = diag(2),
    modal = diag(c(3, 1)), entropy = 0.5, reliance = 0.25
  )
  part <- utils::modifyList(sums, list(n_obs = 2, level_weight = c(1, 4 + 1e-12), entropy = 0.25))
  rest <- subtract_sums(sums, part)
  expect_identical(rest[c("n_obs", "level_weight", "entropy", "weight", "largest_weight")],
                   list(n_obs = 3, level_weight = c(1, 0), entropy = 0.25, weight = 0,
                        largest_weight = 2))
  expect_null(subtract_sums(sums, sums))
  spread <- spread_sums(sums, 2, c(3, 2))
  expect_identical(spread[c("level_weight", "levels", "reliance")], list(
    level_weight = c(2, 4, 0, 0, 0), levels = rbind(1:2, c(3, 1), 0, 0, 0), reliance = c(0.25, 0)
  ))
  kept <- list(pseudo_counts = matrix(1:6, 3), standing = sums, last = sums,
               check = list(sums = sums))
  turned <- order_kept_sums(kept, 2:1)
  expect_identical(turned$pseudo_counts, matrix(c(4:6, 1:3), 3))
  for (part in list(turned$standing, turned$last, turned$check$sums)) {
    expect_identical(part[c("levels", "components", "modal")], list(
      levels = rbind(2:1, c(1, 3)) + 0, components = c(2, 4), modal = diag(c(1, 3))
    ))
  }
  # One component stays a column.
  one <- list(levels = matrix(1, 2), components = 6, overlap = diag(1), modal = diag(1))
  expect_identical(order_sums(one, 1), one)
})

test_that("of a crowd the last shard's sums are apart where it is not full", {
  labels <- data.frame(item = rep(1:1025, each = 2), worker = 1:2,
                       label = rep_len(c("x", "y", "y"), 2050))
  for (n_items in 1024:1025) {
    store <- small_crowd_store(labels[seq_len(2 * n_items), ], local_folder())
    last <- hush(suppressWarnings(stagewise_em(store, 1)))$sums$last
    if (n_items == 1024) expect_null(last) else expect_equal(last$n_obs, 1)
  }
})

test_that("up to eight stretches of 1,024 rows are looked at", {
  store <- list(manifest = list(kind = "table", shards = NULL))
  stretches <- choose_stretches(list(n_obs = 20000), store)
  expect_length(stretches$first, 8)
  expect_false(is.unsorted(stretches$first, strictly = TRUE))
  expect_identical(stretches$first %% 1024, numeric(8))
  expect_lte(max(stretches$last), 20000)
  expect_identical(stretches$last - stretches$first, rep(1024, 8))
  expect_identical(stretches$n_fitted, 20000)
  # The rest of less than a stretch is not looked at, but for a table that has no more.
  expect_identical(choose_stretches(list(n_obs = 2500), store)[1:2],
                   list(first = c(0, 1024), last = c(1024, 2048)))
  expect_identical(choose_stretches(list(n_obs = 500), store)[1:2], list(first = 0, last = 500))
})

test_that("new levels have a thousandth of each component, new workers no difference", {
  store <- small_crowd_store(
    data.frame(item = c("i", "j", "i"), worker = c("a", "b", "b"), label = c("no", "yes", "yes")),
    local_folder()
  )
  known <- list(
    k = 2, mixing_weights = c("1" = 0.6, "2" = 0.4), item_probs = list(a = rbind(no = c(1, 1))),
    crowd_probs = rbind(c(0.5, 0.25), c(0.5, 0.75))[1, , drop = FALSE]
  )
  fit <- spread_fit(known, store)
  names <- list(c("no", "yes"), c("1", "2"))
  expect_equal(fit$item_probs, list(
    a = matrix(c(0.999, 0.001), 2, 2, dimnames = names), b = matrix(0.5, 2, 2, dimnames = names)
  ))
  expect_equal(fit$crowd_probs, rbind(c(0.5, 0.25), 0.001 * c(0.5, 0.25)))
  counts <- rbind(c(2, 3), c(4, 5))
  expect_identical(spread_crowd(counts, 2), counts)
  expect_equal(spread_crowd(counts, 4), rbind(counts, c(0.006, 0.008), c(0.006, 0.008)))
})

test_that("a full round is asked for where it gains more than a hundredth of a nat", {
  inform <- function(gain) inform_update(list(update = list(gain = gain)), list())
  expect_message(inform(0.01234), "about 0.012 nats", class = "mdpd_message_full_round")
  for (gain in c(0.01, NA)) expect_message(inform(gain), NA)
  expect_identical(format_gain(0.9e-4), "less than 0.0001")
  expect_identical(format_gain(1e-4), format_number(1e-4))
  expect_identical(format_gain(0.1234), "0.12")
})

# Ordinary EM in plain R, in which the old rows keep their posterior.
incremental_twin <- function(fit, rows, n_steps) {
  kept <- predict(fit, rows$old, type = "prob")
  for (step in seq_len(n_steps)) {
    posterior <- rbind(kept, predict(fit, rows$new, type = "prob"))
    fit$mixing_weights <- colMeans(posterior)
    fit$item_probs <- Map(function(probs, answers) {
      counts <- crossprod(outer(answers, rownames(probs), `==`) & !is.na(answers), posterior)
      `dimnames<-`(sweep(counts, 2, colSums(counts), "/"), dimnames(probs))
    }, fit$item_probs, rows$all)
  }
  log_joint <- Reduce(`+`, Map(function(probs, answers) {
    terms <- log(probs)[match(answers, rownames(probs)), , drop = FALSE]
    replace(terms, is.na(terms), 0)
  }, fit$item_probs, rows$old)) + rep(log(fit$mixing_weights), each = nrow(rows$old))
  fit$loglik <- sum(kept * (log_joint - log(kept))) + loglik_of(fit, rows$new)
  fit
}

test_that("the steps are those of incremental EM in plain R", {
  rows <- old_and_new(3000, 500)
  store <- new_store(rows$old, shard_rows = 1024)
  fit <- stagewise_em(store, 3, refine = "full", control = stagewise_control(criterion = "bic"))
  store <- add_rows(store, rows$new)
  # The third step may be a leap.
  for (n_steps in 1:2) {
    fit$control$max_iter <- n_steps
    updated <- hush(suppressWarnings(update(fit, store)))
    twin <- incremental_twin(fit, rows, n_steps)
    expect_equal(updated$mixing_weights, twin$mixing_weights, tolerance = 1e-10)
    expect_equal(updated$item_probs, twin$item_probs, tolerance = 1e-10)
    expect_equal(updated$loglik, twin$loglik, tolerance = 1e-12)
  }
})

test_that("an update has the same bits for any shards, threads and memory", {
  rows <- old_and_new(3000, 1500)
  weights <- seq_len(4500) %% 7 / 3
  fits <- lapply(list(c(1024, 1), c(2048, 2), c(4096, 2)), function(how) {
    table <- cbind(rows$all, w = weights)
    store <- new_store(table[1:3000, ], weights = "w", shard_rows = how[1])
    control <- stagewise_control(threads = how[2])
    fit <- stagewise_em(store, 3, search_rows = 1000, control = control)
    store <- add_rows(store, table[3001:4000, ])
    fit <- hush(update(fit, store, memory = if (how[2] == 1) 0 else 1e9))
    hush(update(fit, add_rows(store, table[4001:4500, ])))
  })
  for (fit in fits[2:3]) {
    expect_same_numbers(fit, fits[[1]])
    expect_identical(fit$update, fits[[1]]$update)
    expect_identical(fit$changed, fits[[1]]$changed)
    expect_identical(fit$sums[c("entropy", "standing")], fits[[1]]$sums[c("entropy", "standing")])
    expect_identical(fit$classification, fits[[1]]$classification)
  }
  expect_equal(fits[[1]]$sums$standing$weight, sum(weights), tolerance = 1e-12)
  expect_equal(sum(fits[[1]]$classification), 1, tolerance = 1e-12)
})

test_that("decisions that changed are listed, with their ids", {
  rows <- old_and_new(2000, 1000)
  ids <- paste0("p", 1:3000)
  store <- new_store(`row.names<-`(rows$old, ids[1:2000]), shard_rows = 1024)
  fit <- stagewise_em(store, 3)
  # People of another kind, so that the classes move.
  drifted <- as.data.frame(lapply(rows$new, function(x) replace(x, x == "c", "b")))
  store <- add_rows(store, `row.names<-`(drifted, ids[2001:3000]))
  updated <- hush(update(fit, store))
  before <- predict(fit, drifted)
  after <- predict(updated, drifted)
  other <- which(before != after)
  expect_gt(length(other), 20)
  expect_identical(updated$changed, data.frame(
    row = 2000 + other, id = ids[2000 + other], from = as.character(unname(before[other])),
    to = as.character(unname(after[other]))
  ))
  expect_identical(updated$update$n_changed, as.numeric(length(other)))
  full <- hush(update(fit, store, full = TRUE))
  all <- rbind(rows$old, drifted)
  other <- which(predict(fit, all) != predict(full, all))
  expect_identical(full$changed$row, as.numeric(other))
  expect_identical(full$changed$id, ids[other])
  # Far from where the old rows stand, a full round is asked for.
  expect_message(update(fit, store), class = "mdpd_message_full_round")
})

test_that("rows of new workers had no class before", {
  crowd <- simulate_crowd(n_items = 1500, n_workers = 8, accuracy = c(0.8, 0.7, 0.7), seed = 7)
  path <- local_folder()
  fit <- stagewise_em(small_crowd_store(as.data.frame(crowd$labels), path), 3)
  ids <- paste0("n", 1:6)
  new <- data.frame(item = ids, worker = rep(c("x", "y"), 3), label = rep(c("1", "2", "3"), 2))
  store <- add_rows(open_row_store(path), new)
  updated <- hush(update(fit, store))
  expect_true(all(is.na(predict(fit, store)[ids])))
  changed <- updated$changed
  expect_setequal(changed$id, ids)
  expect_identical(changed$from, rep(NA_character_, 6))
  expect_identical(changed$to, as.character(unname(predict(updated, store)[changed$id])))
})

test_that("decisions that changed have the names that predict() gives them", {
  crowd <- simulate_crowd(n_items = 1500, n_workers = 10, accuracy = rep(0.6, 8), seed = 3)
  answers <- as.data.frame(crowd$labels)
  is_old <- answers$item %in% crowd$labels$items[1:1200]
  path <- local_folder()
  fit <- name_components(stagewise_em(small_crowd_store(answers[is_old, ], path), 3),
                         c(`1` = "cat", `2` = "dog", `3` = "bird"))
  store <- add_rows(open_row_store(path), answers[!is_old, ])
  updated <- hush(update(fit, store, full = TRUE))
  expect_gt(nrow(updated$changed), 0)
  expect_identical(updated$changed$id, rows_of_store(store)$ids[updated$changed$row])
  class_by <- function(fit) as.character(unname(predict(fit, store)))[updated$changed$row]
  expect_identical(updated$changed$from, class_by(fit))
  expect_identical(updated$changed$to, class_by(updated))
})

test_that("new levels and a row without an answer are taken in", {
  rows <- old_and_new(3000, 300)
  new <- as.data.frame(lapply(rows$new, as.character))
  new$V1[1:150] <- "new"
  is.na(new[300, ]) <- TRUE
  store <- new_store(rows$old, shard_rows = 1024)
  fit <- stagewise_em(store, 3)
  store <- hush(add_rows(store, new))
  updated <- hush(update(fit, store))
  expect_identical(rownames(updated$item_probs$V1), c("a", "b", "c", "new"))
  expect_true(all(updated$item_probs$V1 > 0))
  expect_equal(unname(drop(updated$item_probs$V1["new", ] %*% updated$mixing_weights)), 150 / 3300,
               tolerance = 0.2)
  refitted <- stagewise_em(store, 3)
  expect_lt((refitted$evidence - updated$evidence) / 3.3, 0.2)
})

test_that("crowds go on with new items, new workers and new labels of old items", {
  crowd <- simulate_crowd(3000, 30, accuracy = rep(0.75, 8), missing = 0.5, seed = 4)
  all <- triples_of(crowd$labels)
  is_late <- all$item %in% crowd$labels$items[2701:3000]
  late <- list(
    items = is_late,
    workers = is_late | all$worker %in% crowd$labels$workers[30],
    labels = seq_len(nrow(all)) %% 53 == 0
  )
  for (case in names(late)) {
    now <- late[[case]]
    store <- small_crowd_store(all[!now, ], local_folder())
    fit <- stagewise_em(store, 3, search_rows = 1000)
    store <- add_rows(store, all[now, ])
    updated <- hush(update(fit, store))
    refitted <- stagewise_em(store, 3, search_rows = 1000)
    n <- nrow(store) / 1000
    reached <- sum(predict(updated, store, type = "density"))
    expect_lt((refitted$loglik - reached) / n, 0.01)
    expect_identical(names(updated$item_probs), store$manifest$items)
    # Workers are alike, so that many items are all but tied.
    full <- update(updated, store, full = TRUE)
    expect_gt(mean(predict(updated, store) == predict(full, store)), 0.99)
    expect_identical(names(updated$mixing_weights), names(fit$mixing_weights))
    if (case == "items") {
      expect_equal(updated$update$rows, 3000 - 2 * 1024)
      expect_equal(updated$update$checked, 2 * 1024)
      expect_equal((reached - updated$loglik) / n, updated$update$gain, tolerance = 1e-3)
    }
  }
})

test_that("updates go on from updates, and rows that were gone over stand", {
  crowd <- simulate_crowd(4000, 20, accuracy = rep(0.75, 8), missing = 0.4, seed = 5)
  all <- triples_of(crowd$labels)
  day <- 1 + (match(all$item, crowd$labels$items) - 1) %/% 1000
  store <- small_crowd_store(all[day == 1, ], local_folder())
  fit <- stagewise_em(store, 3)
  for (today in 2:4) {
    store <- add_rows(store, all[day == today, ])
    fit <- hush(update(fit, store))
  }
  refitted <- stagewise_em(store, 3)
  reached <- sum(predict(fit, store, type = "density"))
  expect_lt((refitted$loglik - reached) / 4, 0.2)
  expect_equal(fit$sums$standing$n_obs, 4000)
  expect_equal(fit$sums$standing$level_weight, store$manifest$counts)
  expect_equal(rowSums(fit$sums$standing$levels), store$manifest$counts, tolerance = 1e-10)
  expect_message(same <- update(fit, store), class = "mdpd_message_nothing_new")
  expect_identical(same, fit)
})

# The store and the fit of a crowd's first items, and the labels of those that come late.
crowd_with_late_items <- function(crowd, n_late, folder) {
  all <- triples_of(crowd$labels)
  is_late <- all$item %in% utils::tail(crowd$labels$items, n_late)
  store <- small_crowd_store(all[!is_late, ], folder)
  list(store = store, fit = stagewise_em(store, 3), late = all[is_late, ])
}

test_that("of a crowd nothing that stands is read again for its sums", {
  crowd <- simulate_crowd(2500, 8, accuracy = rep(0.75, 8), seed = 4)
  before <- crowd_with_late_items(crowd, 300, local_folder())
  fit <- before$fit
  now <- add_rows(before$store, before$late)
  unlink(file.path(now$path, now$manifest$shards$file))
  standing <- standing_sums(fit, fit, now, FALSE, NULL)$standing
  expect_equal(standing$n_obs, 2 * 1024)
})

test_that("a new label has no component", {
  crowd <- simulate_crowd(1500, 20, accuracy = rep(0.75, 8), seed = 6)
  before <- crowd_with_late_items(crowd, 100, local_folder())
  fit <- before$fit
  late <- transform(before$late, label = replace(as.character(label), 1:50, "other"))
  store <- hush(add_rows(before$store, late))
  expect_message(updated <- update(fit, store), class = "mdpd_message_new_levels")
  expect_identical(names(updated$mixing_weights), names(fit$mixing_weights))
  expect_setequal(updated$labels, c(fit$labels, "other"))
  expect_true(all(vapply(updated$item_probs, nrow, 0L) == 4))
})

test_that("components keep their names and their order", {
  rows <- old_and_new(3000, 300)
  store <- new_store(rows$old, shard_rows = 1024)
  fit <- stagewise_em(store, 3)
  store <- add_rows(store, rows$new)
  updated <- hush(update(fit, store))
  expect_false(identical(unname(fit$born), 1:3))
  expect_identical(updated$born, fit$born)
  named <- name_components(reorder_components(fit, c(3, 1, 2)), c("x", "y", "z"))
  again <- hush(update(named, store))
  expect_identical(names(again$mixing_weights), c("x", "y", "z"))
  expect_equal(unname(again$mixing_weights), unname(updated$mixing_weights[c(3, 1, 2)]),
               tolerance = 1e-10)
  expect_equal(again$sums$standing, order_sums(updated$sums$standing, c(3, 1, 2)),
               tolerance = 1e-8)
  expect_identical(dimnames(again$classification), list(c("x", "y", "z"), c("x", "y", "z")))
})

test_that("fits of a path, of kinds and of one component go on", {
  rows <- old_and_new(5000, 500)
  narrow <- lapply(rows, `[`, c(1, 2, 4, 5))
  store <- new_store(narrow$old, shard_rows = 1024)
  fit <- stagewise_em(store, 1:3, search_rows = 1000)
  expect_identical(fit$store$reading, "kinds")
  one <- choose_k(fit, 1)
  store <- add_rows(store, narrow$new)
  for (before in list(fit, one)) {
    updated <- hush(update(before, store))
    expect_null(updated$path)
    refitted <- hush(suppressWarnings(stagewise_em(store, before$k)))
    expect_equal(updated$evidence, refitted$evidence, tolerance = 1e-4)
  }
  expect_equal(updated$loglik, refitted$loglik, tolerance = 1e-12)
  expect_identical(updated$update$n_changed, 0)
})

test_that("a cluster can make the full round", {
  cluster <- local_cluster(1)
  rows <- old_and_new(3000, 300)
  store <- new_store(rows$old, shard_rows = 1024)
  fit <- stagewise_em(store, 3)
  store <- add_rows(store, rows$new)
  by_cluster <- update(fit, store, full = TRUE, cluster = cluster)
  here <- update(fit, store, full = TRUE)
  expect_same_numbers(by_cluster, here)
  expect_identical(by_cluster$changed, here$changed)
  expect_error(update(fit, store, cluster = cluster), "full = TRUE", class = "mdpd_error_argument")
})

test_that("print and summary say what the update did", {
  rows <- old_and_new(3000, 300)
  store <- new_store(rows$old, shard_rows = 1024)
  fit <- stagewise_em(store, 3)
  updated <- hush(update(fit, add_rows(store, rows$new)))
  expect_output(print(updated), "Update +300 new rows")
  expect_identical(updated$call, quote(update(object = fit, store = add_rows(store, rows$new))))
  expect_output(print(summary(updated)), "Update +300 new rows")
  say <- function(...) describe_update(utils::modifyList(updated$update, list(...)))
  expect_match(say(new_known = 1), "^300 new rows, 1 known label, ")
  expect_no_match(say(new_known = 0), "known")
  expect_snapshot({
    writeLines(say(gain = 0.0123, n_changed = 1))
    writeLines(say(gain = 1e-6, n_changed = 1234))
    writeLines(say(gain = NA_real_, n_changed = 0))
    writeLines(say(full = TRUE, new_rows = 1, n_changed = 0))
  })
})

test_that("without a store all arguments are those of the call that is made again", {
  rows <- transform(three_classes(300)$table, w = 1 + seq_len(300) %% 3)
  fit <- stagewise_em(~ V1 + V2 + V4, k = 2, data = rows)
  expect_identical(update(fit, verbose = TRUE, evaluate = FALSE)$verbose, TRUE)
  evaluates <- FALSE
  expect_identical(update(fit, evaluate = evaluates), fit$call)
  again <- update(fit, weights = w)
  expect_identical(again$item_probs,
                   stagewise_em(~ V1 + V2 + V4, k = 2, data = rows, weights = w)$item_probs)
  # Names given by hand stay, where items are the same and where some are.
  named <- name_components(fit, c("Zoo", "Ark"))
  expect_named(update(named, weights = w)$mixing_weights, c("Zoo", "Ark"))
  expect_named(update(named, x = ~ V1 + V2 + V5)$mixing_weights, c("Zoo", "Ark"))
  expect_named(update(named, x = ~ V5 + V6 + V7)$mixing_weights, c("1", "2"))
  n_calls <- 0
  count <- function(x) {
    n_calls <<- n_calls + 1
    x
  }
  hand_on <- function(...) update(fit, ...)
  expect_equal(hand_on(k = count(1))$k, 1)
  expect_identical(n_calls, 1)
})

test_that("a store of other rows is refused, though it has as many and more of every level", {
  rows <- three_classes(2500)$table
  old <- rows[1:1400, ]
  fit <- stagewise_em(small_store(old, local_folder()), 2)
  refused <- function(table, ...) {
    store <- row_store(table, local_folder(), ...)
    expect_error(update(fit, store), "other rows", class = "mdpd_error_other_store")
  }
  refused(rows[c(1:1399, 1401:2500), ])
  refused(rows[c(1401:1410, 1:1400), ])
  refused(rows[c(1:1399, 1:1399), ], shard_rows = 1024)
  refused(rows, weights = rep(2:1, c(1, 2499)))
  # The same rows in shards of another size are the same.
  for (size in c(1024, 2048)) {
    for (table in list(rows, rows[1:1400, ])) {
      store <- new_store(table, shard_rows = size)
      expect_equal(hush(update(fit, store))$n_obs, nrow(table))
    }
  }
})

test_that("a store that lacks anything of the fit is an old one", {
  refused <- function(fit, store, class) {
    expect_error(update(fit, store), class = paste0("mdpd_error_", class))
  }
  # Rows without weight, which no count tells.
  rows <- transform(three_classes(60)$table, w = rep(1:0, c(50, 10)))
  store <- row_store(rows[1:50, ], local_folder(), weights = "w")
  fit <- hush(suppressWarnings(stagewise_em(add_rows(store, rows[51:60, ]), 1)))
  refused(fit, store, "old_store")
  # A level, or a worker, though there are more rows.
  table <- data.frame(a = c("x", "y"), b = rep(c("x", "y", "z"), each = 20))
  fit <- hush(suppressWarnings(stagewise_em(row_store(table, local_folder()), 1)))
  fewer <- table[rep(1:40, 2), ]
  refused(fit, suppressWarnings(row_store(fewer, local_folder())), "old_store")
  others <- rbind(transform(table, a = c("p", "q")), table[c(1, 1), ])
  refused(fit, row_store(others, local_folder()), "other_store")
  labels <- data.frame(item = rep(1:20, each = 3), worker = 1:3, label = c("x", "y", "y", "x"))
  fit <- hush(suppressWarnings(stagewise_em(small_crowd_store(labels, local_folder()), 1)))
  more <- rbind(labels, transform(labels, item = item + 20))
  refused(fit, small_crowd_store(subset(more, worker < 3), local_folder()), "old_store")
  # Of a crowd with more labels, less of one.
  more$label[more$worker == 2] <- "x"
  refused(fit, small_crowd_store(more, local_folder()), "other_store")
})

test_that("the limit of a worker's silence is that of a fit, ten minutes", {
  expect_identical(formals(update.mdpd)$deadline, 600)
  expect_identical(formals(stagewise_em.row_store)$deadline, 600)
})

test_that("what cannot be updated is refused", {
  rows <- three_classes(1500)$table
  path <- local_folder()
  store <- small_store(rows[1:1400, ], path)
  fit <- stagewise_em(store, 2)
  later <- add_rows(store, rows[1401:1500, ])
  newer <- hush(update(fit, later))
  in_memory <- stagewise_em(rows, 2)
  other_rows <- small_store(rows[1500:1, ], local_folder())
  other_items <- small_store(rows[1:5], local_folder())
  damaged <- fit
  damaged$sums$standing <- NULL
  expect_snapshot({
    show_conditions(update(fit))
    show_conditions(update(fit, ~ . - V1))
    show_conditions(update(fit, rows))
    show_conditions(update(in_memory, store))
    show_conditions(update(newer, store))
    show_conditions(update(fit, other_rows))
    show_conditions(update(fit, other_items))
    show_conditions(update(damaged, later))
    show_conditions(update(fit, later, full = NA))
  })
  expect_error(update(fit, later, k = 3), class = "rlib_error_dots_nonempty")
  # Fewer levels would be taken for those of other items.
  damaged$sums$standing <- utils::modifyList(fit$sums$standing,
                                             list(levels = fit$sums$standing$levels[1:3, ]))
  expect_error(update(damaged, later), class = "mdpd_error_not_stored")
  damaged$sums$standing <- utils::modifyList(fit$sums$standing, list(entropy = NaN))
  expect_error(update(damaged, later), class = "mdpd_error_damaged")
  expect_true(has_sums(fit))
  lacking <- list(
    list(standing = utils::modifyList(fit$sums$standing, list(level_weight = 1:3))),
    list(standing = utils::modifyList(fit$sums$standing, list(reliance = 0))), list(standing = 1)
  )
  for (sums in lacking) expect_false(has_sums(replace(fit, "sums", list(sums))))
  expect_false(has_sums(replace(fit, "store", list(list(files = NULL)))))
  # So would fewer weights of the items' prior.
  expect_error(update(replace(fit, "item_prior", list(fit$item_prior[-1])), later),
               class = "mdpd_error_damaged")
  expect_identical(update(fit, k = 1)$k, 1L)
  expect_error(update(fit, later, deadline = 0.9), "from 1 to", class = "mdpd_error_argument")
  expect_identical(hush(update(fit, later, deadline = 1))$loglik, newer$loglik)
})

test_that("the fingerprint of an update has the data of all rows", {
  rows <- old_and_new(3000, 100)
  store <- new_store(rows$old)
  fit <- stagewise_em(store, 2)
  store <- add_rows(store, rows$new)
  updated <- hush(update(fit, store))
  data_of_fit <- function(fit) fingerprint(fit)[["data"]]
  expect_identical(data_of_fit(updated), data_of_fit(stagewise_em(rows$all, 2)))
  expect_false(data_of_fit(updated) == data_of_fit(fit))
})
