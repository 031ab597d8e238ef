# Predictions of stores against those of the same rows in memory.

# Five items of two classes, three of which the second class often leaves without an answer.
rows_with_gaps <- function(n = 300, seed = 1) {
  set.seed(seed)
  class <- sample(2, n, TRUE)
  table <- as.data.frame(lapply(1:5, function(item) {
    ifelse(stats::runif(n) < 0.7, c("a", "b")[class], sample(c("a", "b"), n, TRUE))
  }), col.names = paste0("V", 1:5))
  for (item in 1:3) is.na(table[[item]]) <- stats::runif(n) < c(0.05, 0.5)[class]
  table
}

store_of_labels <- function(crowd, ..., env = parent.frame()) {
  new_store(as.data.frame(crowd), item = "item", worker = "worker", label = "label", ..., env = env)
}

test_that("a missing answer is a level of a store's rows where it is one of the fit", {
  rows <- rows_with_gaps()
  fit <- stagewise_em(rows, 2, missing = "level")
  expect_equal(predict(fit, new_store(rows), type = "prob"), predict(fit, rows, "prob"),
               ignore_attr = TRUE, tolerance = 1e-12)
  # Also where the store has the levels of the fit, as some of the answers say that they are none.
  rows <- rows[1:3]
  fit <- stagewise_em(rows, 2, missing = "level")
  written <- rows
  for (item in names(rows)) written[[item]][which(is.na(rows[[item]]))[1:5]] <- "(missing)"
  expect_equal(predict(fit, new_store(written), type = "prob"), predict(fit, rows, "prob"),
               ignore_attr = TRUE, tolerance = 1e-12)
})

test_that("a label that was not given is a level of a sparse store, too", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 20, missing = 0.95, seed = 1)$labels
  # Of workers with 15 labels each none is sure to look.
  expect_warning(fit <- stagewise_em(crowd, 2, missing = "level"), "None of the workers is sure",
                 class = "mdpd_warning_independent")
  store <- store_of_labels(crowd)
  prob <- predict(fit, store, type = "prob")
  expect_equal(prob[crowd$items, ], predict(fit, crowd, "prob"), tolerance = 1e-12)
  again <- rbind(as.data.frame(crowd), as.data.frame(crowd)[1, ])
  twice <- store_of_labels(crowd_labels(again, duplicates = "count"), duplicates = "count")
  expect_error(predict(fit, twice), "labels an item more than once", class = "mdpd_error_argument")
})

test_that("items that a store lacks are asked for where they are needed, and all by name", {
  rows <- rows_with_gaps()
  rows$same <- rep(c("x", "y"), 150)
  fit <- stagewise_em(rows, 2, control = stagewise_control(criterion = "bic"))
  expect_false("same" %in% differing_items(fit))
  store <- new_store(rows[1:5])
  expect_length(predict(fit, store), 300)
  expect_error(predict(fit, store, type = "density"), "same", class = "mdpd_error_missing_item")
})

test_that("workers whom a store's crowd does not have are missing there", {
  crowd <- simulate_crowd(n_items = 300, n_workers = 24, accuracy = rep(0.7, 8), seed = 2)$labels
  few <- crowd_labels(subset(as.data.frame(crowd), !worker %in% crowd$workers[c(1, 5)]))
  # One label an item, from each of 22 workers about ten.
  sparse <- crowd_labels(as.data.frame(few)[seq(1, 6600, by = 31), ])
  expect_true(is_sparse(rows_of_store(store_of_labels(sparse))$codes))
  for (missing in c("ignore", "level")) {
    fit <- stagewise_em(crowd, 3, missing = missing)
    for (new in list(few, sparse)) {
      of_store <- predict(fit, store_of_labels(new), type = "prob")
      expect_equal(of_store[new$items, ], predict(fit, new, "prob"), tolerance = 1e-12)
    }
  }
  others <- transform(as.data.frame(few), worker = paste("another", worker))
  expect_error(predict(fit, store_of_labels(crowd_labels(others))), "at least one worker",
               class = "mdpd_error_missing_item")
})

test_that("densities of a store are named by its ids", {
  rows <- `row.names<-`(rows_with_gaps(), paste0("r", 1:300))
  fit <- stagewise_em(rows, 2)
  expect_equal(predict(fit, new_store(rows), type = "density"), predict(fit, rows, "density"),
               tolerance = 1e-12)
  file <- withr::local_tempfile(fileext = ".csv")
  predict(fit, new_store(rows), type = "density", file = file)
  written <- utils::read.csv(file)
  expect_identical(written$id, rownames(rows))
  expect_equal(written$density, unname(predict(fit, rows, "density")), tolerance = 1e-12)
})

test_that("the rows of a store that have no answer are those that have none in memory", {
  rows <- rows_with_gaps()
  rows$same <- rep(c("x", "y"), 150)
  fit <- stagewise_em(rows, 2, control = stagewise_control(criterion = "bic"))
  expect_false("same" %in% differing_items(fit))
  new <- rows[1:6, ]
  new$extra <- "z"
  new[2:6, 1:6] <- NA
  new$V1[4] <- "unheard"
  new$same[5:6] <- c("unheard", "x")
  of_memory <- suppressWarnings(hush(predict(fit, new)))
  expect_identical(unname(is.na(of_memory)), c(FALSE, TRUE, TRUE, TRUE, TRUE, FALSE))
  expect_warning(
    expect_message(of_store <- predict(fit, new_store(new)), "4 rows without any answer"),
    "V1 \\(\"unheard\"\\)$", class = "mdpd_warning_unseen_level"
  )
  expect_identical(unname(of_store), unname(of_memory))
})

test_that("a file is appended whole, and no connection is left open", {
  from <- withr::local_tempfile()
  to <- withr::local_tempfile()
  # Read in parts of 2^20 bytes, the last of which has one.
  bytes <- as.raw(rep_len(0:250, 2^20 + 1))
  writeBin(bytes, from)
  writeBin(as.raw(1), to)
  # showConnections() would first close what nobody holds any more.
  open <- getAllConnections()
  append_file(from, to)
  expect_identical(getAllConnections(), open)
  expect_identical(readBin(to, "raw", 2^21), c(as.raw(1), bytes))
})

test_that("rows are numbered in full in a file", {
  file <- withr::local_tempfile()
  rows <- list(n = 2, ids = c("x", "y"), class = factor(c("1", NA)))
  append_rows(file, prediction_table(rows, 99998), TRUE)
  append_rows(file, prediction_table(rows, 1e15), FALSE)
  expect_identical(readLines(file), c(
    "\"row\",\"id\",\"class\"", "99999,\"x\",\"1\"", "100000,\"y\",",
    "1000000000000001,\"x\",\"1\"", "1000000000000002,\"y\","
  ))
})

test_that("a file whose name ends in .gz is compressed, and has the same lines", {
  rows <- rows_with_gaps()
  fit <- stagewise_em(rows, 2)
  store <- small_store(rows[rep(1:300, 10), ], local_folder())  # of three shards
  folder <- withr::local_tempdir()
  path <- function(name) file.path(folder, name)
  for (name in c("x.csv", "x.csv.gz", "X.GZ", "gz")) {
    hush(predict(fit, store, type = "prob", file = path(name)))
  }
  magic <- function(name) identical(readBin(path(name), "raw", 2), as.raw(c(0x1f, 0x8b)))
  expect_identical(vapply(dir(folder), magic, NA),
                   c(gz = FALSE, x.csv = FALSE, x.csv.gz = TRUE, X.GZ = TRUE)[dir(folder)])
  for (name in c("x.csv.gz", "X.GZ")) {
    expect_identical(readLines(path(name)), readLines(path("x.csv")))
  }
  expect_length(readLines(path("x.csv")), 3001)
})

test_that("a compressed file whose end is not there is not taken for whole", {
  path <- withr::local_tempfile()
  to <- open_predictions(path, gzip = TRUE)
  writeLines(value_text(with_seed(1, stats::runif(1e4))), to)
  expect_no_error(close_predictions(to, path, gzip = TRUE))
  n_bytes <- sum(nchar(readLines(path)) + 1)
  whole <- readBin(path, "raw", 1e6)
  expect_true(is_whole_gzip(path, n_bytes))
  for (n_lost in c(1, 9, 1000, length(whole) - 2, length(whole))) {
    writeBin(utils::head(whole, -n_lost), path)
    expect_false(is_whole_gzip(path, n_bytes))
  }
  skip_if_not(file.exists("/dev/full"))
  full <- file("/dev/full", "w", raw = TRUE)
  writeLines("x", full)
  expect_error(close_predictions(full, "/dev/full", gzip = FALSE), "cannot be written")
})

test_that("where a shard cannot be read no file and no open connection is left", {
  rows <- rows_with_gaps()
  fit <- stagewise_em(rows, 2)
  store <- small_store(rows[rep(1:300, 10), ], local_folder())
  unlink(file.path(store$path, store$manifest$shards$file[2]))
  folder <- withr::local_tempdir()
  open <- getAllConnections()
  for (name in c("x.csv", "x.csv.gz")) {
    expect_error(predict(fit, store, file = file.path(folder, name)),
                 class = "mdpd_error_damaged_shard")
  }
  expect_identical(getAllConnections(), open)
  expect_identical(dir(folder), character())
})

test_that("a class is called by the empty string where a label is", {
  values <- matrix(c(0.25, 0.75), 1, dimnames = list("x", c("", "b")))
  rows <- list(n = 1, ids = "x", class = factor("b"), values = values)
  expect_named(prediction_table(rows, 0), c("row", "id", "class", "", "b"))
  file <- withr::local_tempfile()
  append_rows(file, prediction_table(rows, 0), TRUE)
  expect_identical(readLines(file),
                   c("\"row\",\"id\",\"class\",\"\",\"b\"", "1,\"x\",\"b\",0.25,0.75"))
})

test_that("a file of predictions is in UTF-8 whatever the locale", {
  rows <- `row.names<-`(rows_with_gaps(), paste0("\u00e9", 1:300))
  fit <- name_components(stagewise_em(rows, 2), c("\u00fcber", "unter"))
  file <- withr::local_tempfile()
  store <- new_store(rows)
  withr::with_locale(c(LC_CTYPE = "C"), predict(fit, store, type = "prob", file = file))
  lines <- readLines(file, encoding = "UTF-8")
  expect_match(lines[1], "\"\u00fcber\"", fixed = TRUE)
  expect_match(lines[2], "^1,\"\u00e91\",\"(\u00fcber|unter)\",0")
})

test_that("a file that cannot be written is named", {
  fit <- stagewise_em(rows_with_gaps(), 2)
  store <- new_store(rows_with_gaps())
  folder <- withr::local_tempdir()
  expect_refused <- function(file, what) {
    expect_no_warning(
      expect_error(predict(fit, store, file = file), what, class = "mdpd_error_file")
    )
  }
  expect_refused(file.path(folder, "nowhere", "x.csv"), "nowhere' does not exist")
  expect_refused(folder, "is a folder")
  expect_refused(file.path(folder, strrep("x", 300)), "cannot be written")
  expect_identical(dir(folder), character())
})

test_that("a rename replaces files that hold something, or that are not there", {
  skip_on_os("windows")
  withr::local_dir(withr::local_tempdir())
  writeLines("x", "full")
  file.create("empty")
  file.symlink("nowhere", "dangling")
  file.symlink("full", "link")
  expect_identical(file_to_replace("link"), normalizePath("full"))
  expect_identical(file_to_replace("~/no such file of mine"), path.expand("~/no such file of mine"))
  for (file in c("empty", "dangling")) expect_null(file_to_replace(file))
})

test_that("predictions go behind links and through pipes, and files keep their mode", {
  skip_on_os("windows")
  rows <- rows_with_gaps()
  store <- new_store(rows)
  fit <- stagewise_em(rows, 2)
  withr::local_dir(withr::local_tempdir())
  dir.create("published")
  hush(predict(fit, store, file = "plain.csv"))
  expected <- readLines("plain.csv")
  # One link to a file that is not there, and one to what was written by it.
  file.symlink("published/classes.csv", "classes.csv")
  for (trial in 1:2) {
    hush(predict(fit, store, file = "classes.csv"))
    expect_identical(Sys.readlink("classes.csv"), "published/classes.csv")
    expect_identical(readLines("published/classes.csv"), expected)
  }
  Sys.chmod("plain.csv", "600")
  hush(predict(fit, store, file = "plain.csv"))
  expect_identical(file.mode("plain.csv"), as.octmode("600"))
  expect_identical(dir(), c("classes.csv", "plain.csv", "published"))
  skip_if(Sys.which("mkfifo") == "" || Sys.which("timeout") == "")
  system("mkfifo pipe; (timeout 30 cat pipe > part; mv part got) &")
  hush(predict(fit, store, file = "pipe"))
  for (trial in 1:100) if (!file.exists("got")) Sys.sleep(0.1)
  expect_identical(readLines("got"), expected)
})
