test_that("rows added in any parts make the store of all rows", {
  table <- mixed_table(4000)
  all <- small_store(table, local_folder())
  for (ends in list(c(20, 1024, 3000), c(1023, 1025, 2048), 3999)) {
    parts <- split(table, findInterval(seq_len(nrow(table)), ends + 1))
    store <- suppressMessages(small_store(parts[[1]], local_folder()))
    for (part in parts[-1]) store <- suppressMessages(add_rows(store, part))
    expect_identical(lapply(as.data.frame(store), as.character),
                     lapply(as.data.frame(all), as.character))
    expect_identical(store$manifest$shards$rows, all$manifest$shards$rows)
    expect_identical(nrow(verify_store(store)), 0L)
    expect_identical(open_row_store(store$path), store)
  }
})

test_that("where all levels are known, the store is the same to the byte", {
  table <- mixed_table(3000)
  weights <- rep(c(1, 0.5, 2), 1000)
  all <- small_store(table, local_folder(), weights = weights)
  store <- small_store(table[1:1500, ], local_folder(), weights = weights[1:1500])
  store <- add_rows(store, table[3000:1501, ][1500:1, ], weights = weights[1501:3000])
  parts <- c("levels", "counts", "weights", "items")
  expect_equal(store$manifest[parts], all$manifest[parts])
  expect_identical(store$manifest$shards$checksum, all$manifest$shards$checksum)
})

test_that("weights may be 64-bit integers", {
  skip_if_not_installed("bit64")
  weights <- rep(c(1, 3, 2), 100)
  # As they are without the methods of bit64: tiny numbers.
  long <- structure(weights * 2^-1074, class = "integer64")
  table <- mixed_table(300)
  expected <- row_store(rbind(table, table), local_folder(), weights = c(weights, weights))
  store <- suppressMessages(row_store(table, local_folder(), weights = long))
  store <- suppressMessages(add_rows(store, table, weights = long))
  expect_identical(store$manifest[c("counts", "weights")],
                   expected$manifest[c("counts", "weights")])
  expect_identical(open_row_store(store$path), store)
  table$weight <- long
  by_column <- row_store(table, local_folder(), weights = "weight")
  expect_identical(by_column$manifest$weights$sum, sum(weights))
})

test_that("new levels stand behind those that are there, and keep their codes", {
  before <- data.frame(a = c(5, 7), b = c("m", "k"), key = 1:2)
  store <- suppressWarnings(row_store(before, local_folder(), id = "key"))
  new <- data.frame(b = c("z{1}", "a", NA), a = c(10, 6, 5), key = 3:5, extra = 1)
  expect_snapshot(show_conditions(store <- add_rows(store, new)))
  expect_identical(levels(store), list(a = c("5", "7", "6", "10"), b = c("k", "m", "a", "z{1}")))
  expect_identical(as.integer(as.data.frame(store)$a), c(1L, 2L, 4L, 3L, 1L))
  expect_identical(rownames(as.data.frame(store)), as.character(1:5))
  expect_identical(store$manifest$counts, c(2, 1, 1, 1, 1, 1, 1, 1))
})

test_that("the message of a long new level is short", {
  store <- row_store(data.frame(a = c("x", "y", "x"), b = 1:3), local_folder())
  told <- expect_message(add_rows(store, data.frame(a = strrep("free text ", 1e4), b = 1)),
                         class = "mdpd_message_new_levels")
  expect_lt(nchar(conditionMessage(told)), 300)
})

test_that("of new levels those of five items are named, and of each 60 letters", {
  new <- stats::setNames(rep(list("x"), 6), letters[1:6])
  told <- expect_message(inform_new_levels(new), "^6 items have levels",
                         class = "mdpd_message_new_levels")
  expect_length(gregexpr("Item [a-f]: ", conditionMessage(told))[[1]], 5)
  short <- paste0("\"", strrep("y", 57), "...\"")
  expect_message(inform_new_levels(list(a = strrep("y", 70))), short, fixed = TRUE)
  expect_message(inform_new_labels(strrep("y", 70)), short, fixed = TRUE)
  expect_message(inform_new_levels(list(a = character())), NA)
  expect_message(inform_new_labels(character()), NA)
  expect_identical(spread_counts(c(1, 2, 3), 1:2, c(2, 3, 1)), c(1, 0, 2, 3, 0, 0))
})

test_that("text is read as the columns of the store are", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("n,w,f", "1,1,TRUE", "2,01,FALSE", "3,x,NA"), file)
  store <- suppressWarnings(row_store(file, local_folder()))
  writeLines(c("n,w,f", "03,01,T", "2,1,FALSE", "NA,,F"), file)
  expect_silent(store <- add_rows(store, file))
  rows <- as.data.frame(store)
  expect_identical(as.character(rows$n), c("1", "2", "3", "3", "2", NA))
  expect_identical(as.character(rows$w), c("1", "01", "x", "01", "1", NA))
  expect_identical(as.character(rows$f), c("TRUE", "FALSE", NA, "TRUE", "FALSE", "FALSE"))
  writeLines(c("n,w,f", "1,x,T", "2,x,maybe", " ,x, "), file)
  expect_message(store <- add_rows(store, file, na_values = "-"), "Item f: \"maybe\".",
                 class = "mdpd_message_new_levels")
  rows <- utils::tail(as.data.frame(store), 3)
  expect_identical(as.character(rows$n), c("1", "2", NA))
  expect_identical(as.character(rows$f), c("TRUE", "maybe", NA))
  writeLines(c("n,w,f", "2,1,T", "1.5,1,T"), file)
  expect_error(add_rows(store, file), "Row 2 is 1.5", class = "mdpd_error_data")
})

test_that("what stands for a missing value in new rows does as in a new store", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("a,b", "1,x", "2,y"), file)
  store <- row_store(file, local_folder())
  writeLines(c("a,b", "099,x", "99,y", "Inf,x"), file)
  expect_message(added <- add_rows(store, file, na_values = c("099", "Inf")), "Item a: \"99\"")
  expect_identical(as.character(as.data.frame(added)$a), c("1", "2", NA, "99", NA))
  labels <- c(no = 1, yes = 2, refused = 9)
  table <- data.frame(a = 1:3, answer = 1:3)
  table$answer <- structure(c(1, 2, 9), labels = labels, class = "haven_labelled")
  store <- row_store(table, local_folder(), na_values = "9")
  expect_silent(added <- add_rows(store, table, na_values = "9"))
  expect_identical(as.character(as.data.frame(added)$answer), rep(c("no", "yes", NA), 2))
})

test_that("a number in text is one however it is written, as in a new store", {
  file <- withr::local_tempfile(fileext = ".csv")
  lines <- c("n,w", "26,x", "2,y", "0x1A,y", " 2.0 ,x", "+26,x", "2e0,y")
  writeLines(lines[1:3], file)
  store <- row_store(file, local_folder())
  writeLines(lines[-(2:3)], file)
  expect_silent(store <- add_rows(store, file))
  writeLines(lines, file)
  expect_identical(as.data.frame(store), as.data.frame(row_store(file, local_folder())))
  for (bad in c("Inf", "NaN")) {
    writeLines(c("n,w", "2,x", paste0(bad, ",y")), file)
    expect_error(add_rows(store, file), paste("Row 2 is", bad), class = "mdpd_error_data")
  }
  # What is no number is a new level.
  writeLines(c("n,w", "2L,x", "1d1,y"), file)
  expect_message(store <- add_rows(store, file), class = "mdpd_message_new_levels")
  expect_identical(levels(store)$n, c("2", "26", "1d1", "2L"))
})

test_that("a level that only rows without weight have is none", {
  store <- row_store(data.frame(a = 1:2, b = c(1, 1), w = 1), local_folder(), weights = "w")
  new <- data.frame(a = 3:4, b = 1, w = c(0, 1))
  expect_message(store <- add_rows(store, new), "Item a: \"4\"", class = "mdpd_message_new_levels")
  expect_identical(levels(store)$a, c("1", "2", "4"))
  expect_identical(as.integer(as.data.frame(store)$a), c(1L, 2L, NA, 3L))
  expect_identical(store$manifest$weights$smallest, 1)
})

test_that("labels added in any parts make the store of the whole crowd", {
  triples <- some_triples(8000, n_items = 2500)
  all <- small_crowd_store(triples, local_folder())
  parts <- split(triples, rep(1:4, c(3000, 10, 4000, 990)))
  store <- small_crowd_store(parts[[1]], local_folder())
  for (part in parts[-1]) {
    expect_silent(store <- add_rows(store, part))
    expect_identical(nrow(verify_store(store)), 0L)
  }
  expect_identical(dim(store), dim(all))
  as_text <- function(store) {
    rows <- lapply(as.data.frame(store), as.character)
    sort(do.call(paste, rows))
  }
  expect_identical(as_text(store), as_text(all))
  by_worker <- function(store) {
    matrix(store$manifest$counts, 3, dimnames = list(NULL, store$manifest$items))
  }
  expect_identical(by_worker(store)[, colnames(by_worker(all))], by_worker(all))
  expect_identical(utils::head(store$manifest$shards$rows, -1), c(1024, 1024))
})

test_that("a full last shard stays as it is", {
  triples <- data.frame(item = sprintf("i%04d", 1:2048), worker = c("a", "b"), label = c("x", "y"))
  store <- small_crowd_store(triples, local_folder())
  files <- store$manifest$shards$file
  expect_identical(store$manifest$shards$rows, c(1024, 1024))
  store <- add_rows(store, data.frame(item = "new", worker = "a", label = "x"))
  expect_identical(store$manifest$shards$rows, c(1024, 1024, 1))
  expect_identical(store$manifest$shards$file[1:2], files)
})

test_that("new workers and labels come last, and labels given again follow the store's rule", {
  triples <- data.frame(item = c("i", "j"), worker = c("b", "a"), label = c("no", "yes"))
  make <- function(duplicates) {
    small_crowd_store(triples, local_folder(parent.frame()), duplicates = duplicates)
  }
  new <- data.frame(item = c("i", "k"), worker = c("b", "A"), label = c("yes", "maybe"))
  store <- suppressMessages(add_rows(make("count"), new))
  expect_identical(store$manifest$items, c("a", "b", "A"))
  expect_identical(store$manifest$levels, c("no", "yes", "maybe"))
  expect_identical(store$manifest$shards$answers, 4)
  expect_message(
    expect_message(add_rows(make("count"), new), class = "mdpd_message_repeated_labels"),
    "1 new label: \"maybe\"", class = "mdpd_message_new_levels"
  )
  label_of_i <- function(duplicates) {
    rows <- as.data.frame(suppressMessages(add_rows(make(duplicates), new)))
    as.character(rows$label[rows$item == "i"])
  }
  expect_identical(label_of_i("first"), "no")
  expect_identical(label_of_i("last"), "yes")
  expect_identical(label_of_i("count"), c("no", "yes"))
  expect_error(label_of_i("error"), class = "mdpd_error_duplicated_label")
  crowd <- suppressMessages(add_rows(make("count"), crowd_labels(new)))
  expect_identical(as.data.frame(crowd), as.data.frame(store))
  # A label that the rule leaves out is no level.
  left_out <- transform(new, label = c("other", "yes"))
  first <- suppressMessages(add_rows(make("first"), left_out))
  expect_identical(first$manifest$levels, c("no", "yes"))
  expect_true(first$manifest$shards$is_dense)
  # Either item alone is found, wherever its hash is among those of the shard.
  for (at in 1:2) {
    one <- data.frame(item = c("i", "j")[at], worker = c("a", "b")[at], label = "no")
    expect_silent(store <- add_rows(make("count"), one))
    expect_identical(nrow(store), 2)
    expect_true(store$manifest$shards$is_dense)
  }
})

test_that("a store that was opened before still gives the old rows", {
  before <- small_store(mixed_table(1500), local_folder())
  rows <- as.data.frame(before)
  after <- add_rows(before, mixed_table(1000, seed = 2))
  expect_identical(as.data.frame(before), rows)
  # And what is added to it joins all rows that are there.
  expect_identical(nrow(add_rows(before, mixed_table(10))), 2510)
})

test_that("nothing to add leaves the store as it is", {
  store <- small_store(mixed_table(1500), local_folder())
  expect_identical(add_rows(store, chunks_of(list())), store)
  crowd <- small_crowd_store(some_triples(), local_folder())
  expect_identical(add_rows(crowd, chunks_of(list())), crowd)
})

test_that("the weights of the store sum to a number of rows, whatever those added do", {
  table <- data.frame(a = c(1, 2, 1), b = c("x", "x", "y"))
  store <- row_store(table, local_folder())
  store <- add_rows(store, table[1, ], weights = 0.5)
  store <- add_rows(store, table[2, ], weights = 0)
  expect_identical(store$manifest$weights, list(given = TRUE, smallest = 0.5, largest = 1,
                                                sum = 3.5, unit = 0.5))
  of_column <- row_store(cbind(table, w = 1), local_folder(), weights = "w")
  for (w in c(1e15, 1e308)) {
    expect_error(add_rows(store, table[1, ], weights = w), "must sum to a number of rows",
                 class = "mdpd_error_argument")
    expect_error(add_rows(of_column, cbind(table, w = w)), "sum to the 6 rows there are",
                 class = "mdpd_error_argument")
  }
  expect_error(add_rows(store, table[1, ], weights = -1), class = "mdpd_error_argument")
  expect_error(add_rows(store, chunks_of(list(table)), weights = c(1, 1, 1)),
               "no data frame or matrix", class = "mdpd_error_argument")
  expect_identical(open_row_store(store$path), store)
})

test_that("bad rows are refused and leave the store as it was", {
  store <- row_store(data.frame(a = 1:2, b = c("x", "x"), w = 1), local_folder(), weights = "w")
  crowd <- small_crowd_store(some_triples(100), local_folder())
  expect_snapshot({
    show_conditions(add_rows(1, 2))
    show_conditions(add_rows(store, 2))
    show_conditions(add_rows(store, data.frame(a = 1, w = 1)))
    show_conditions(add_rows(store, data.frame(a = 1, b = "x")))
    show_conditions(add_rows(store, data.frame(a = 1.5, b = "x", w = 1)))
    show_conditions(add_rows(store, data.frame(a = 1:300, b = "x", w = 1)))
    show_conditions(add_rows(store, data.frame(a = 1, b = "x", w = 1), weights = 1))
    show_conditions(add_rows(crowd, data.frame(item = 1, worker = 2)))
    show_conditions(add_rows(crowd, data.frame(item = 1, worker = 2, label = NA)))
  })
  expect_identical(open_row_store(store$path), store)
  expect_identical(open_row_store(crowd$path), crowd)
  expect_identical(nrow(verify_store(crowd)), 0L)
})

test_that("an object that is older than its folder says so where its files are gone", {
  crowd <- small_crowd(missing = 0.2)$labels
  triples <- triples_of(crowd)
  new <- data.frame(item = c("new", "newer"), worker = crowd$workers[1], label = crowd$labels[1])
  old <- small_crowd_store(triples, local_folder())
  now <- add_rows(old, new[1, ])
  expect_equal(nrow(as.data.frame(old)), length(crowd$item))
  now <- add_rows(now, new[2, ])
  class <- "mdpd_error_outdated_store"
  outdated <- expect_error(as.data.frame(old), "written to since", class = class)
  expect_match(conditionMessage(outdated), "`open_row_store()`", fixed = TRUE)
  expect_false(inherits(outdated, "mdpd_error_damaged_shard"))
  expect_identical(rlang::call_name(outdated$call), "as.data.frame")
  expect_error(verify_store(old), class = class)
  expect_error(stagewise_em(old, 3), class = class)
  model <- simulate_crowd(10, 15, seed = 1)$model
  outdated <- expect_error(predict(model, old), class = class)
  expect_identical(rlang::call_name(outdated$call), "predict")
  expect_silent(verify_store(open_row_store(old$path)))
  # What the folder itself should have is damaged.
  file.remove(file.path(now$path, now$manifest$shards$ids_file[1]))
  expect_error(as.data.frame(now), class = "mdpd_error_damaged_shard")
})

test_that("of a label that is given again nothing is advised that add_rows() does not take", {
  triples <- data.frame(
    item = c("a", "b", "a"), worker = c("u", "u", "v"), label = c("x", "y", "x")
  )
  add <- function(duplicates) {
    add_rows(small_crowd_store(triples, local_folder(parent.frame()), duplicates = duplicates),
             triples[1, ])
  }
  expect_snapshot({
    show_conditions(add("error"))
    show_conditions(add("count"))
  })
})
