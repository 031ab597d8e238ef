test_that("a store of a data frame has the codes, levels and weights of memory", {
  table <- mixed_table()
  expect_store_of(small_store(table, local_folder()), table)
  weights <- rep(c(0, 0.25, 3, 1, 2), length.out = nrow(table))
  expect_store_of(small_store(table, local_folder(), weights = weights), table, weights)
})

test_that("without weights a store has as many as rows", {
  store <- small_store(mixed_table(1100), local_folder())
  expect_identical(store$manifest$weights, list(given = FALSE, smallest = 1, largest = 1,
                                                sum = 1100, unit = 1))
})

test_that("sizes of files have one decimal above a thousand bytes", {
  expect_identical(vapply(c(0, 999, 1000, 1260, 1e6, 2.34e9, 5e12, 1e15), format_bytes, ""),
                   c("0 B", "999 B", "1 kB", "1.3 kB", "1 MB", "2.3 GB", "5 TB",
                     paste(format_number(1000), "TB")))
})

test_that("a matrix, a tibble, one row and wide tables are stored as they are in memory", {
  skip_on_cran()
  codes <- matrix(sample(c(3:5, NA), 4500, TRUE), ncol = 3)
  expect_store_of(small_store(codes, local_folder()), codes)
  rownames(codes) <- paste0("r", seq_len(nrow(codes)))
  store <- small_store(codes, local_folder())
  expect_store_of(store, codes)
  expect_identical(rows_of_store(store)$ids, rownames(codes))
  one <- data.frame(a = "x", b = 2L)
  expect_store_of(small_store(one, local_folder()), one)
  # More columns than a chunk of 4,096 rows may have cells: rows come in several pieces.
  wide <- as.data.frame(matrix(sample(3, 4110 * 1100, TRUE), 4110))
  expect_lt(rows_at_once(4096, NULL)(1100), 4096)
  store <- row_store(wide, local_folder(), shard_rows = 4096)
  expect_identical(unname(rows_of_store(store)$codes), unname(encode(wide)$codes))
  skip_if_not_installed("tibble")
  table <- tibble::as_tibble(mixed_table(1500))
  expect_store_of(small_store(table, local_folder()), table)
})

test_that("labelled columns and variable labels are those of memory", {
  answer <- structure(
    c(9, 1, 2, -1, 2, 1), label = "Trust in courts", labels = c(yes = 2, no = 1, refused = -1),
    na_values = -1, class = c("haven_labelled_spss", "haven_labelled")
  )
  table <- data.frame(id = 1:3)[rep(1, 1800), , drop = FALSE]
  table <- data.frame(a = seq_len(1800) %% 2, answer = seq_len(1800))
  table$answer <- value_rows(answer, rep(1:6, 300))
  expect_store_of(small_store(table, local_folder()), table)
  parts <- chunks_of(list(table_rows(table, 1:2), table_rows(table, 3:1800)))
  expect_store_of(small_store(parts, local_folder()), table)
})

test_that("pieces that lack weights or known labels have those of rows without any", {
  one <- list(codes = matrix(as.raw(1:2), 2, 1), weights = c(2, 3), ids = c("p", "q"))
  other <- list(codes = matrix(as.raw(3:4), 1, 2), ids = "r", known = as.raw(1))
  expect_identical(bind_pieces(list(one, other)), list(
    codes = rbind(as.raw(1:0), as.raw(c(2, 0)), as.raw(3:4)), weights = c(2, 3, 1),
    ids = c("p", "q", "r"), hash = NULL, known = as.raw(c(0, 0, 1))
  ))
  expect_null(bind_optional(list(one, other), "hash", 1))
  expect_identical(piece_rows(one, 1, 1)[c("codes", "weights", "ids")],
                   list(codes = matrix(as.raw(2)), weights = 3, ids = "q"))
})

test_that("an item of a store has up to 254 levels", {
  full <- data.frame(a = 1:254, b = rep(1:2, 127))
  expect_length(levels(row_store(full, local_folder()))$a, 254)
  expect_error(row_store(rbind(full, c(255, 1)), local_folder()), "at most 254 levels",
               class = "mdpd_error_data")
  expect_identical(grow_column(new_column(), c(7, 5, 7), max_values = 2)$codes, c(1L, 2L, 1L))
  expect_null(grow_column(new_column(), c(7, 5, 7), max_values = 1)$codes)
})

test_that("values of a growing column are counted with the row they came with and their weight", {
  column <- grow_column(new_column(), c("x", "y", "x"))
  column <- grow_column(column, c("z", "x", NA), rows_before = 3)
  expect_identical(column[c("values", "n", "first_row", "codes")], list(
    values = c("x", "y", "z"), n = c(3, 1, 1), first_row = c(1, 2, 4), codes = c(3L, 1L, 0L)
  ))
  expect_identical(column$is_used, c(TRUE, TRUE, TRUE))
  column <- grow_column(new_column(), c("x", "y"), weights = c(1, 0))
  expect_identical(column$is_used, c(TRUE, FALSE))
  expect_identical(grow_column(column, c("y", "z"), weights = c(0.5, 0))$is_used,
                   c(TRUE, TRUE, FALSE))
})

test_that("what is called nearly as the labels of values is not them", {
  column <- keep_attributes(new_column(), structure(1, class = "haven_labelled",
                                                    labels_of = c(a = 1)))
  expect_null(column$labels)
  expect_true(column$is_labelled)
})

test_that("shards of any size have the same rows, and only the last is not full", {
  table <- mixed_table(4096)
  of_size <- function(n) as.data.frame(row_store(table, local_folder(), shard_rows = n))
  expect_identical(of_size(1024), of_size(65536))
  store <- small_store(table[1:2048, ], local_folder())
  expect_identical(store$manifest$shards$rows, c(1024, 1024))
  store <- small_store(table[1:2049, ], local_folder())
  expect_identical(store$manifest$shards$rows, c(1024, 1024, 1))
})

test_that("however a source is cut into chunks, the store is the same", {
  table <- mixed_table()
  whole <- small_store(table, local_folder())
  for (ends in list(c(1, 2, 1500), c(1024, 2048), 7)) {
    parts <- split(seq_len(nrow(table)), findInterval(seq_len(nrow(table)), ends + 1))
    chunks <- chunks_of(lapply(parts, function(rows) table[rows, ]))
    store <- small_store(chunks, local_folder())
    expect_identical(store$manifest, whole$manifest)
  }
})

test_that("weights sum in chunks to the last bit of what they do at once", {
  table <- mixed_table(300)
  table$w <- rep(c(0.1, 0, 1 / 3, 2.7, 1e6, 1e-3), 50)
  parts <- split(table, (seq_len(300) - 1) %/% 7)
  store <- suppressMessages(small_store(chunks_of(parts), local_folder(), weights = "w"))
  expect_false(Reduce(`+`, lapply(parts, function(part) sum(part$w))) == sum(table$w))
  expect_identical(store$manifest$weights$sum, sum(table$w))
})

test_that("chunks of other types, orders of columns and without rows are one table", {
  chunks <- list(
    data.frame(a = NA, b = 1:3, c = factor(c("x", "y", "x"))),
    data.frame(c = factor(c("z", "y"), c("z", "y")), b = c(2, NA), a = c(TRUE, NA)),
    data.frame(a = logical(), b = character(), c = factor()),
    data.frame(a = 1:2, b = c("1", "10"), c = factor(c("y", NA)))
  )
  store <- small_store(chunks_of(chunks), local_folder())
  expect_identical(levels(store), list(a = c("1", "2"), b = c("1", "10", "2", "3"),
                                       c = c("x", "y", "z")))
  expect_identical(as.character(as.data.frame(store)$a), c(NA, NA, NA, "1", NA, "1", "2"))
  store <- small_store(chunks_of(chunks[-4]), local_folder())
  expect_identical(levels(store)[1:2], list(a = "TRUE", b = c("1", "2", "3")))
  # A chunk without any value says nothing of the type.
  empty <- chunks_of(list(data.frame(a = NA_character_, b = 1), data.frame(a = c(10L, 2L), b = 1)))
  store <- small_store(empty, local_folder())
  expect_identical(levels(store)$a, c("2", "10"))
  expect_identical(store$manifest$types[["a"]], "integer")
  mixed <- chunks_of(list(data.frame(a = factor("z"), b = 1), data.frame(a = "c", b = 1)))
  expect_identical(levels(small_store(mixed, local_folder()))$a, c("c", "z"))
})

test_that("weights of a column sum to a number of rows, as in memory", {
  table <- data.frame(a = rep(1:2, 25), b = rep(c("x", "y"), c(20, 30)))
  for (w in c(0, 1e-4, 1e300, 1e308)) {
    expect_error(row_store(cbind(table, w = w), local_folder(), weights = "w"),
                 if (w == 0) "not all be zero" else "must sum to a number of rows, from 1 to 1e15",
                 class = "mdpd_error_argument")
  }
})

test_that("a column of weights may be of any class of numbers, as weights in memory", {
  x <- data.frame(a = c(1, 2, 1), b = c("x", "y", "y"))
  w <- c(0.5, 1, 2)
  plain <- small_store(x, local_folder(), weights = w)$manifest$weights
  labelled <- structure(w, label = "Weight", class = c("labelled", "numeric"))
  of_haven <- structure(w, labels = c(half = 0.5), class = c("haven_labelled", "vctrs_vctr",
                                                             "double"))
  for (column in list(I(w), labelled, of_haven)) {
    expect_identical(check_weights(column, 3), w)
    x$w <- column
    expect_identical(small_store(x, local_folder(), weights = "w")$manifest$weights, plain)
  }
  x$w <- as.Date("2020-01-01") + w
  expect_error(small_store(x, local_folder(), weights = "w"), "must be numeric",
               class = "mdpd_error_data")
})

test_that("ids and weights of columns are kept beside the items", {
  table <- data.frame(
    a = rep(c("x", "y"), 700), b = 1:2, key = sprintf("k%d", 1:1400),
    w = rep(c(0.5, 1, 0), c(2, 1390, 8))
  )
  table$b[1400] <- 3L  # seen in a row without weight only
  store <- small_store(table, local_folder(), id = "key", weights = "w")
  expect_store_of(store, table[1:2], table$w)
  expect_identical(rows_of_store(store)$ids, table$key)
  expect_identical(store$manifest$weights, list(given = TRUE, smallest = 0.5, largest = 1,
                                                sum = 1391, unit = 0.5))
  expect_identical(colnames(store), c("a", "b"))
  expect_identical(dim(store), c(1400, 2L))
  expect_identical(rownames(as.data.frame(store, shards = 2)), table$key[1025:1400])
})

test_that("na_values are missing in columns of any type", {
  table <- data.frame(
    a = c(1, -9, 2, 1), b = c("x", "-9", "", "y"), c = factor(c("-9", "u", "v", "u"))
  )
  store <- row_store(table, local_folder(), na_values = c("-9", ""))
  expect_identical(lapply(as.data.frame(store), as.character), list(
    a = c("1", NA, "2", "1"), b = c("x", NA, NA, "y"), c = c(NA, "u", "v", "u")
  ))
})

test_that("strings that stand for a missing value are none of the 254 levels", {
  table <- data.frame(a = c(-9, 1:254), b = factor(c("none", 1:254)))
  store <- row_store(table, local_folder(), na_values = c("-9", "none"))
  expect_identical(lengths(levels(store)), c(a = 254L, b = 254L))
  expect_identical(as.character(as.data.frame(store)$a), c(NA, as.character(1:254)))
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("a,b", "NA,1", sprintf("w%d,1", 1:254), ",1"), file)
  store <- row_store(file, local_folder())
  expect_identical(as.character(as.data.frame(store)$a), c(NA, sprintf("w%d", 1:254), NA))
  # Numbers are called otherwise than the logical values that came before them.
  chunks <- chunks_of(list(data.frame(a = c(TRUE, FALSE), b = 1), data.frame(a = 2:3, b = 1)))
  expect_identical(levels(row_store(chunks, local_folder(), na_values = c("TRUE", "3")))$a,
                   c("0", "1", "2"))
})

test_that("items that repeat others are named, as in memory", {
  table <- mixed_table()
  table$copy <- c("p", "q")[match(table$whole, 1:2)]
  table$almost <- replace(table$copy, nrow(table), setdiff(c("p", "q"), table$copy[nrow(table)])[1])
  table$constant <- 1
  expect_identical(
    tryCatch(small_store(table, local_folder()), warning = conditionMessage),
    tryCatch(encode(table), warning = conditionMessage)
  )
  rare <- as.data.frame(diag(20)[, c(1:20, 1:5)])  # as likely by chance as not
  expect_warning(small_store(rare, local_folder()), NA)
})

test_that("a store can be opened, checked, replaced and used from another folder", {
  path <- local_folder()
  store <- small_store(mixed_table(), path)
  expect_identical(open_row_store(path), store)
  expect_identical(nrow(verify_store(store)), 0L)
  moved <- local_folder()
  dir.create(moved)
  file.copy(dir(path, full.names = TRUE), moved)
  expect_identical(rows_of_store(open_row_store(moved)), rows_of_store(store))
  other <- small_store(data.frame(a = 1:2, b = c(1, 1)), path, replace = TRUE)
  expect_identical(dim(open_row_store(path)), c(2, 2L))
  expect_setequal(dir(path), c("manifest.rds", other$manifest$shards$file))
})

test_that("a store says what is in it", {
  path <- local_folder()
  table <- data.frame(a = c("x", "y", "x", NA), b = c(1, 2, 2, 3), w = c(1, 0.5, 2, 1))
  store <- row_store(table, path, weights = "w")
  show <- function(x) {
    text <- gsub(normalizePath(path, "/"), "<path>", capture.output(print(x)), fixed = TRUE)
    cat(text, sep = "\n")
  }
  expect_snapshot(show(store))
  expect_snapshot(show(summary(store)))
  store <- small_crowd_store(some_triples(), path, replace = TRUE)
  expect_snapshot(show(store))
  expect_identical(format(store), "<row_store: 1,472 items x 61 workers>")
  expect_identical(sum(summary(store)$items$weight), 6000)
  # Ten labels are named, and how many there are beyond.
  for (n in c(10, 12)) {
    triples <- data.frame(item = 1:24, worker = rep(1:2, each = 12),
                          label = rep_len(letters[seq_len(n)], 24))
    store <- small_crowd_store(triples, path, replace = TRUE)
    named <- paste(letters[1:10], collapse = ", ")
    if (n == 12) named <- paste0(named, ", and 2 more")
    expect_identical(sub(".*they are ", "", describe_cells(store)), named)
  }
})

test_that("weights of a store are told with four digits, their sum with seven", {
  weights <- list(given = TRUE, smallest = 1 / 3, largest = 200 / 3, sum = 12345678)
  expect_identical(describe_weights(list(manifest = list(weights = weights))),
                   "Case weights from 0.3333 to 66.67 where above 0, in all 12,345,680")
})

test_that("bad input is refused by name", {
  path <- local_folder()
  table <- data.frame(a = c(1, 2), b = c("x", "y"), w = c(1, -1), one = c(NA, 1))
  triples <- data.frame(item = 1, worker = 2, label = 3)
  bad_chunk <- chunks_of(list(table[1:2], data.frame(a = 1, d = 2)))
  expect_snapshot({
    show_conditions(row_store(1, path))
    show_conditions(row_store(table(1:2), path))
    show_conditions(row_store(table, path, shard_rows = 1000))
    show_conditions(row_store(table, path, shard_rows = 3000))
    show_conditions(row_store(table, path, items = c("a", "z")))
    show_conditions(row_store(table, path, items = "a"))
    show_conditions(row_store(table, path, id = "a", weights = "a"))
    show_conditions(row_store(table, path, weights = "w"))
    show_conditions(row_store(table, path, weights = "b"))
    show_conditions(row_store(table, path, weights = 1))
    show_conditions(row_store(table[0, ], path))
    show_conditions(row_store(table, path, na_values = 9))
    show_conditions(row_store(table, path, query = "a"))
    show_conditions(row_store(table, path, item = "a"))
    show_conditions(row_store(table, path, item = "a", worker = "a", label = "b"))
    show_conditions(row_store(triples, path))
    show_conditions(row_store(triples, path, item = "item", worker = "worker", label = "no"))
    show_conditions(row_store(triples, path, item = "item", worker = "worker", label = "label"))
    show_conditions(row_store(triples, path, item = "item", worker = "worker", label = "label",
                              id = "item"))
    show_conditions(row_store(bad_chunk, path))
    show_conditions(row_store(chunks_of(list(1)), path))
    show_conditions(row_store(chunks_of(list()), path))
    show_conditions(row_store(data.frame(a = 1:2, b = NA), path))
    show_conditions(row_store(data.frame(a = 1:2, b = c(0.5, 1)), path))
    show_conditions(row_store(data.frame(a = 1:300, b = 1), path))
    show_conditions(row_store(table, path, id = "one"))
  })
  # Nothing is left behind.
  expect_identical(dir(path), character())
})

test_that("arguments that are not given, and settings of text that cannot be, are refused", {
  expect_error(row_store(), "`source` must be given", class = "mdpd_error_argument")
  expect_error(row_store(data.frame(a = 1:2)), "`path` must be given",
               class = "mdpd_error_argument")
  expect_error(open_row_store(), "`path` must be given", class = "mdpd_error_argument")
  store <- function(path = local_folder(), ...) row_store(data.frame(a = 1:2, b = 1), path, ...)
  expect_error(store(3), "`path` must be", class = "mdpd_error_argument")
  expect_error(store(sep = "ab"), "`sep` must be", class = "mdpd_error_argument")
  expect_error(store(header = NA), "`header` must be", class = "mdpd_error_argument")
  expect_error(store(replace = NA), "`replace` must be", class = "mdpd_error_argument")
  expect_error(store(items = 1), "`items` must be", class = "mdpd_error_argument")
  expect_error(store(id = 1), "`id` must be", class = "mdpd_error_argument")
  expect_error(store(weights = TRUE), "`weights` must be", class = "mdpd_error_argument")
  expect_error(store(na_values = `Encoding<-`("\xe9", "UTF-8")), "`na_values` must be text",
               class = "mdpd_error_encoding")
})

test_that("an existing store and other files are safe", {
  path <- local_folder()
  table <- data.frame(a = c(1, 2), b = c("x", "x"))
  store <- row_store(table, path)
  expect_error(row_store(table, path), class = "mdpd_error_file")
  # Of which the folder of a file would be the root of the system.
  expect_error(row_store(table, ""), class = "mdpd_error_argument")
  # A source that fails while the store is replaced leaves the old one.
  broken <- chunks_of(list(table, list()))
  expect_error(row_store(broken, path, replace = TRUE), class = "mdpd_error_data")
  expect_identical(open_row_store(path), store)
  expect_identical(nrow(verify_store(store)), 0L)
  writeLines("mine", file.path(path, "notes.txt"))
  expect_error(row_store(table, path, replace = TRUE), class = "mdpd_error_file")
  expect_error(row_store(table, path, replace = TRUE), "other files, such as .*notes.txt")
  expect_identical(readLines(file.path(path, "notes.txt")), "mine")
  expect_error(row_store(table, file.path(path, "notes.txt")), "must be a folder, not a file",
               class = "mdpd_error_file")
  expect_error(row_store(character(), local_folder()), "must be a data frame",
               class = "mdpd_error_argument")
})

test_that("the first rows and all as a matrix are those of the data frame", {
  store <- small_store(mixed_table(), local_folder())
  rows <- as.data.frame(store)
  expect_identical(head(store), head(rows))
  expect_identical(head(store, 1025), rows[1:1025, ])
  expect_identical(head(store, 1e5), rows)
  expect_error(head(store, -1), class = "mdpd_error_argument")
  expect_identical(as.matrix(store), as.matrix(rows))
  triples <- some_triples(1000, 300, 20)
  crowd <- crowd_labels(triples)
  store <- row_store(crowd, local_folder())
  expect_identical(nrow(head(store, 3)), 3L)
  expect_identical(as.matrix(store)[crowd$items, ], as.matrix(crowd))
})

test_that("damage is an error that names the file", {
  path <- local_folder()
  store <- small_store(transform(mixed_table(), key = 1:2500), path, id = "key")
  file <- file.path(path, store$manifest$shards$file[2])
  bytes <- readBin(file, "raw", 1e6)
  writeBin(replace(bytes, 900, xor(bytes[900], as.raw(4))), file)
  expect_error(as.data.frame(store), basename(file), class = "mdpd_error_damaged_shard")
  expect_identical(nrow(as.data.frame(store, shards = c(1, 3))), 1476L)
  expect_warning(damaged <- verify_store(store), class = "mdpd_warning_damaged_shard")
  expect_identical(damaged, data.frame(file = basename(file), problem = "Its checksum is wrong."))
  writeBin(bytes[-1], file)
  cut <- expect_error(open_row_store(path), basename(file), class = "mdpd_error_damaged_shard")
  expect_match(conditionMessage(cut),
               sprintf("has %d bytes instead of %d", length(bytes) - 1L, length(bytes)))
  file.remove(file)
  expect_error(open_row_store(path), "is not there", class = "mdpd_error_damaged_shard")
  writeBin(bytes, file)
  ids <- file.path(path, store$manifest$shards$ids_file[3])
  writeBin(readBin(ids, "raw", 30), ids)
  expect_error(as.data.frame(store), basename(ids), class = "mdpd_error_damaged_shard")
  writeBin(readBin(file.path(path, "manifest.rds"), "raw", 100), file.path(path, "manifest.rds"))
  expect_error(open_row_store(path), "manifest.rds", class = "mdpd_error_damaged_shard")
  expect_warning(damaged <- verify_store(store), class = "mdpd_warning_damaged_shard")
  expect_identical(damaged$file, c("manifest.rds", basename(ids)))
  file.remove(file.path(path, "manifest.rds"))
  expect_warning(damaged <- verify_store(store), class = "mdpd_warning_damaged_shard")
  expect_identical(damaged$problem, c("It is not there.", "Its checksum is wrong."))
})

test_that("of several files that are not whole the first is named", {
  path <- local_folder()
  dir.create(path)
  writeBin(raw(3), file.path(path, "a"))
  check <- function(file, bytes) {
    check_files(path, list(shards = list(file = file, bytes = bytes)), rlang::current_env())
  }
  expect_no_error(check("a", 3))
  expect_error(check(c("a", "b", "c"), c(3, 1, 1)), "b", class = "mdpd_error_damaged_shard")
  expect_error(check(c("a", "b"), c(2, 1)), "It has 3 bytes instead of 2",
               class = "mdpd_error_damaged_shard")
  expect_error(check(c("a", "b"), c(3, 1)), "It is not there", class = "mdpd_error_damaged_shard")
})

test_that("a block of a source has as many rows as a shard, fewer of many columns", {
  expect_identical(rows_at_once(1024, NULL)(1024), 1024)
  expect_identical(rows_at_once(65536, NULL)(63), 65536)
  expect_identical(rows_at_once(65536, NULL)(1000), 4194)
  expect_identical(rows_at_once(65536, NULL)(1e6), 64)
  expect_identical(rows_at_once(1024, "item")(3), 16384)
  expect_identical(rows_at_once(2^22, "item")(0), 2^22)
})

test_that("shards have from 2^10 to 2^22 rows, and a folder may be within new ones", {
  for (rows in 2^c(10, 22)) expect_no_error(check_shard_rows(rows))
  for (rows in 2^c(9, 23)) expect_error(check_shard_rows(rows), class = "mdpd_error_argument")
  path <- file.path(local_folder(), "a", "b")
  expect_identical(dim(row_store(data.frame(a = 1:2, b = c(1, 1)), path)), c(2, 2L))
})

test_that("what cannot be written is an error, not a file cut short", {
  skip_if_not(file.exists("/dev/full"))
  expect_error(save_checked(mixed_table(), "/dev/full"), "disk full", class = "mdpd_error_file")
  codes <- suppressWarnings(encode(mixed_table()), "mdpd_warning_blank_level")$codes
  expect_error(with_shard_files(core_write_shard("/dev/full", codes, NULL)), "/dev/full",
               class = "mdpd_error_file")
})

test_that("a file without the checksum of its bytes is not read", {
  file <- withr::local_tempfile()
  save_checked(1:3, file)
  expect_identical(read_checked(file), 1:3)
  # R reads what is not compressed as well, and then looks at no checksum.
  saveRDS(1:3, file, compress = FALSE)
  expect_error(read_checked(file), "not what was written")
})

test_that("a bucket that is cut short is an error", {
  path <- local_folder()
  dir.create(file.path(path, "spool"), recursive = TRUE)
  columns <- list(worker = new_column(), label = new_column())
  triples <- some_triples()
  labels <- bucket_labels(table_reader(triples, function(n) 3000), names(triples), NULL, columns,
                          path, rlang::current_env())
  file <- dir(file.path(path, "spool"), full.names = TRUE)[1]
  writeBin(readBin(file, "raw", file.size(file) - 1), file)
  settings <- list(path = path, shard_rows = 1024, first_number = 1, duplicates = "count",
                   by_default = FALSE)
  expect_error(store_crowd(labels, settings, rlang::current_env()), class = "mdpd_error_file")
})

test_that("a folder without a store, or with one of another format, is refused", {
  path <- local_folder()
  expect_error(open_row_store(path), "no manifest", class = "mdpd_error_file")
  dir.create(file.path(path, "spool"), recursive = TRUE)
  expect_error(open_row_store(path), "not been completed", class = "mdpd_error_file")
  store <- row_store(data.frame(a = 1:2, b = c(1, 1)), path)
  manifest <- replace(store$manifest, "format", 99L)
  saveRDS(manifest, file.path(path, "manifest.rds"))
  expect_error(open_row_store(path), "format 99", class = "mdpd_error_file")
  for (manifest in list(1, replace(store$manifest, "format", NA_integer_),
                        replace(store$manifest, "format", "1"))) {
    saveRDS(manifest, file.path(path, "manifest.rds"))
    expect_error(open_row_store(path), class = "mdpd_error_damaged_shard")
    expect_error(add_rows(store, data.frame(a = 1, b = 1)), class = "mdpd_error_damaged_shard")
  }
  replaced <- row_store(data.frame(a = 1:2, b = c(1, 1)), path, replace = TRUE)
  expect_identical(replaced$manifest, store$manifest)
})

three_rows <- data.frame(a = c(1, 2, 1), b = c("x", "x", "y"))

test_that("a manifest that cannot be read never takes the place of one that can", {
  store <- row_store(three_rows, local_folder())
  manifest <- replace(store$manifest, "has_ids", NA)
  expect_error(write_manifest(manifest, store$path), "left as it was", class = "mdpd_error_damaged")
  expect_identical(open_row_store(store$path), store)
})

test_that("a manifest with an object of ours in a part of it is refused as damaged", {
  store <- row_store(data.frame(a = 1:2, b = c(1, 1)), local_folder())
  for (part in setdiff(names(store$manifest), "package")) {
    class <- c("crowd_labels", class(store$manifest[[part]]))
    manifest <- store$manifest
    manifest[[part]] <- structure(list(), class = class)
    saveRDS(manifest, file.path(store$path, "manifest.rds"))
    expect_error(open_row_store(store$path), "manifest.rds", class = "mdpd_error_damaged_shard")
  }
})

test_that("a manifest that was changed or cut short anywhere is refused", {
  path <- local_folder()
  store <- row_store(data.frame(a = rep(1:3, 20), b = rep(c("x", "y"), 30)), path)
  file <- file.path(path, "manifest.rds")
  bytes <- readBin(file, "raw", file.size(file))
  # Some bytes say nothing of the content, such as the time. All of the head, which has ten, and of
  # the checksum and the size at the end, four each; the others are of one compressed piece.
  for (at in unique(c(1:12, seq(13, length(bytes), by = 41), length(bytes) - 0:8))) {
    writeBin(replace(bytes, at, xor(bytes[at], as.raw(0x11))), file)
    opened <- tryCatch(open_row_store(path), mdpd_error_damaged_shard = function(cnd) NULL)
    expect_true(is.null(opened) || identical(opened, store))
  }
  for (n in c(0, 1, 3, 10, 100, length(bytes) - c(8, 4, 1))) {
    writeBin(bytes[seq_len(n)], file)
    expect_error(open_row_store(path), "manifest.rds", class = "mdpd_error_damaged_shard")
  }
})

test_that("a lock that names no process is no lock", {
  path <- local_folder()
  store <- row_store(three_rows, path)
  for (owner in list(1, list(), list(pid = "x", host = NA), NULL)) {
    lock <- file.path(path, "lock")
    dir.create(lock)
    if (!is.null(owner)) saveRDS(owner, file.path(lock, "owner.rds"))
    expect_silent(store <- add_rows(store, three_rows))
    expect_false(dir.exists(lock))
  }
  expect_identical(nrow(store), 15)
})

test_that("what an interrupted writer left is removed by the next", {
  store <- row_store(three_rows, local_folder())
  for (folder in c("lock-left", "spool")) dir.create(file.path(store$path, folder))
  writeLines("x", file.path(store$path, shard_name(99)))
  store <- add_rows(store, three_rows)
  expect_setequal(dir(store$path), c("manifest.rds", shard_name(1), store$manifest$shards$file))
})

test_that("a summary shows ten items and shards, and says how many more there are", {
  expect_output(print_first(data.frame(a = 1:11), "item"), "and 1 item more")
  expect_output(print_first(data.frame(a = 1:12), "shard"), "10 *\n.*and 2 shards more")
  expect_no_match(utils::capture.output(print_first(data.frame(a = 1:10), "item")), "more")
})

test_that("wildcards in the name of a folder stand for themselves", {
  above <- withr::local_tempdir()
  other <- file.path(above, "store1", "spool")
  dir.create(other, recursive = TRUE)
  for (name in c("store[1]", "store*")) {
    path <- file.path(above, name)
    store <- row_store(three_rows, path)
    store <- add_rows(store, three_rows)
    expect_identical(dir(path), c("manifest.rds", shard_name(1), store$manifest$shards$file))
    expect_true(dir.exists(other))
  }
})

test_that("row names are one for each row, all different", {
  store <- row_store(three_rows, local_folder())
  expect_identical(row.names(as.data.frame(store, row.names = letters[1:3])), letters[1:3])
  expect_identical(row.names(as.data.frame(store, row.names = 7:9)), c("7", "8", "9"))
  for (names in list("p", c("p", "q", NA), c("p", "q", "p"), list(1, 2, 3), sum, factor(1:3))) {
    expect_error(as.data.frame(store, row.names = names), "row.names",
                 class = "mdpd_error_argument")
  }
  unknown <- `Encoding<-`("\xff", "bytes")
  expect_error(as.data.frame(store, row.names = c("p", "q", unknown)), "^`row.names` must be text",
               class = "mdpd_error_encoding")
})

test_that("shards are asked for by at least one number", {
  store <- row_store(three_rows, local_folder())
  for (shards in list(integer(), 0, 2, 1.5, NA, "1", factor(1), list(1), sum)) {
    expect_error(as.data.frame(store, shards = shards), "shards", class = "mdpd_error_argument")
  }
  expect_error(as.data.frame(store, shards = 1:2), "from 1 to 1", class = "mdpd_error_argument")
  expect_identical(as.data.frame(store, shards = c(1, 1))$a, factor(c(1, 2, 1, 1, 2, 1)))
  crowd <- small_crowd_store(some_triples(100), local_folder())
  once <- as.data.frame(crowd)
  expect_identical(as.data.frame(crowd, shards = c(1, 1)), rbind(once, once))
})

test_that("a first line that ends within quotes or is no text is refused", {
  store <- row_store(three_rows, local_folder())
  file <- withr::local_tempfile(fileext = ".csv")
  for (line in c("\"a,b\n1,2\n", "a,\xe9\"\n1,2\n")) {
    writeBin(charToRaw(line), file)
    expect_silent({
      expect_error(row_store(file, local_folder()), class = "mdpd_error_file")
      expect_error(add_rows(store, file), class = "mdpd_error_file")
      gc()
    })
  }
})

test_that("an error of a function that returns chunks is told as its own", {
  fails <- function() stop("no {more} rows")
  store <- row_store(three_rows, local_folder())
  expect_error(row_store(fails, local_folder()), "source.*no \\{more\\} rows",
               class = "mdpd_error_data")
  expect_error(add_rows(store, fails), "new.*no \\{more\\} rows", class = "mdpd_error_data")
  expect_identical(open_row_store(store$path), store)
})

test_that("two processes do not write at once, and the lock of a dead one is no lock", {
  path <- local_folder()
  store <- row_store(data.frame(a = 1:2, b = c(1, 1)), path)
  set_owner <- function(pid, host) {
    dir.create(file.path(path, "lock"), showWarnings = FALSE)
    saveRDS(list(pid = pid, host = host), file.path(path, "lock", "owner.rds"))
  }
  new <- data.frame(a = 1, b = 1)
  set_owner(1L, "another.machine")
  expect_error(add_rows(store, new), "another.machine", class = "mdpd_error_locked_store")
  set_owner(Sys.getpid(), host_name())
  expect_error(row_store(new, path, replace = TRUE), class = "mdpd_error_locked_store")
  expect_identical(open_row_store(path), store)
  set_owner(2^22 + 1L, host_name())  # above the largest process number
  expect_identical(dim(add_rows(store, new)), c(3, 2L))
  expect_false(dir.exists(file.path(path, "lock")))
  # Who finds an old lock, and another has taken it since, leaves that.
  set_owner(1L, "another.machine")
  drop_lock(path, list(pid = 2^22 + 1L, host = host_name()))
  expect_identical(dir(path, "^lock"), "lock")
  other <- lock_owner(path)
  expect_identical(other, list(pid = 1L, host = "another.machine"))
  drop_lock(path, other)
  expect_identical(dir(path, "^lock"), character())
  # Nobody knows what runs on another machine.
  nobody <- 2^22 + 1L
  expect_true(is_running(list(pid = nobody, host = "another.machine")))
  expect_false(is_running(list(pid = nobody, host = host_name())))
  expect_true(is_running(list(pid = Sys.getpid(), host = host_name())))
  expect_error(lock_store(file.path(path, "nowhere")), "cannot be written to",
               class = "mdpd_error_file")
  # A lock whose owner is another at every look cannot be taken away.
  dir.create(file.path(path, "lock"))
  changing <- list(pid = 2^22 + 1L, host = host_name(), mark = new.env())
  saveRDS(changing, file.path(path, "lock", "owner.rds"))
  expect_error(lock_store(path), "two processes", class = "mdpd_error_locked_store")
  unlink(file.path(path, "lock"), recursive = TRUE)
  # Where another has taken it away there is nothing to do.
  expect_silent(drop_lock(path, other))
})

test_that("all workers of a store's crowd and its labels are those of memory", {
  triples <- some_triples()
  store <- small_crowd_store(triples, local_folder())
  expect_store_of_crowd(store, crowd_labels(triples))
  full <- simulate_crowd(n_items = 1300, n_workers = 5, seed = 1)$labels
  expect_store_of_crowd(small_store(full, local_folder()), full)
  numbers <- data.frame(
    unit = c(10, 9, 10, 9), who = factor(c("b", "a", "a", "c"), c("c", "b", "a")),
    says = c(2L, 11L, 2L, 11L)
  )
  store <- row_store(numbers, local_folder(), item = "unit", worker = "who", label = "says")
  expect_store_of_crowd(store, crowd_labels(numbers, "unit", "who", "says"))
})

test_that("a crowd with exactly a tenth of its labels is no sparse one, as in memory", {
  tenth <- data.frame(item = 1:10, worker = 1:10, label = c("x", "y"))
  store <- small_crowd_store(tenth, local_folder())
  expect_false(is_sparse(rows_of_store(store)$codes))
  expect_store_of_crowd(store, crowd_labels(tenth))
  less <- data.frame(item = 1:11, worker = 1:11, label = rep_len(c("x", "y"), 11))
  expect_store_of_crowd(small_crowd_store(less, local_folder()), crowd_labels(less))
  expect_error(small_crowd_store(chunks_of(list()), local_folder()), "at least one row",
               class = "mdpd_error_data")
})

test_that("the store of a crowd does not depend on the order of the labels, or on chunks", {
  triples <- some_triples()
  store <- small_crowd_store(triples, local_folder())
  set.seed(2)
  mixed <- triples[sample(nrow(triples)), ]
  chunks <- chunks_of(split(mixed, rep(1:7, length.out = nrow(mixed))))
  expect_identical(small_crowd_store(chunks, local_folder())$manifest, store$manifest)
})

blocks_of <- function(triples, path, max_labels) {
  rows <- list()
  dir.create(file.path(path, "spool"), recursive = TRUE)
  columns <- list(worker = new_column(), label = new_column())
  source <- table_reader(triples, function(n) 1000)
  bucket_labels(source, names(triples), NULL, columns, path, rlang::current_env())
  for_each_bucket(path, max_labels, function(block) rows <<- c(rows, list(block)))
  rows
}

test_that("few labels come together, so that ids of a store are read once for all of them", {
  triples <- some_triples()
  rows <- blocks_of(triples, local_folder(), 64 * 65536)
  expect_length(rows, 1)
  expect_setequal(rows[[1]]$ids, triples$item)
  expect_false(is.unsorted(rows[[1]]$hash, strictly = TRUE))
  several <- blocks_of(triples, local_folder(), 64 * 2000)
  expect_gt(length(several), 2)
  expect_identical(unlist(lapply(several, `[[`, "ids")), rows[[1]]$ids)
})

test_that("items with many labels, and buckets that must be split, are complete", {
  withr::local_seed(3)
  triples <- data.frame(item = c(rep("same", 3000), 1:3000), worker = c(1:3000, 1:3000),
                        label = sample(3, 6000, TRUE))
  path <- local_folder()
  rows <- blocks_of(triples, path, 20)
  # Only one of the 64 is so large that it is looked whether to split it.
  expect_gt(length(rows), 64)
  expect_lte(length(rows), 63 + 64)
  expect_identical(sum(lengths(lapply(rows, `[[`, "item"))), 6000L)
  hash <- unlist(lapply(rows, `[[`, "hash"))
  expect_false(is.unsorted(hash, strictly = TRUE))
  expect_identical(length(hash), 3001L)
  expect_identical(dir(file.path(path, "spool")), character())
})

test_that("labels given again are counted, kept once or refused, as in memory", {
  triples <- some_triples()
  again <- rbind(triples, replace(triples[1:40, ], "label", "fish"))
  small <- function(...) small_crowd_store(again, local_folder(parent.frame()), ...)
  expect_message(small(), "40 labels were given again", class = "mdpd_message_repeated_labels")
  expect_silent(store <- small(duplicates = "count"))
  expect_store_of_crowd(store, crowd_labels(again, duplicates = "count"))
  expect_identical(store$manifest$shards$most_repeats, c(2, 2))
  expect_identical(sum(store$manifest$shards$repeats), 40)
  expect_store_of_crowd(small(duplicates = "first"), crowd_labels(again, duplicates = "first"))
  expect_store_of_crowd(small(duplicates = "last"), crowd_labels(again, duplicates = "last"))
  of_a_class <- structure("first", class = c("glue", "character"))
  expect_identical(small(duplicates = of_a_class)$manifest$duplicates, "first")
  expect_error(small(duplicates = "error"), "again", class = "mdpd_error_duplicated_label")
})

test_that("a worker is one by the 15 digits of a number, also where labels are given again", {
  triples <- data.frame(
    item = c(1, 1, 2, 2, 3, 3, 1), worker = c(seq(0, 1, 0.1)[4], 0.5, 0.3, 0.5, 0.3, 0.5, 0.3),
    label = c("a", "b", "a", "b", "b", "a", "b")
  )
  expect_false(triples$worker[1] == triples$worker[7])
  for (duplicates in c("count", "first", "last")) {
    store <- small_crowd_store(triples, local_folder(), duplicates = duplicates)
    expect_store_of_crowd(store, crowd_labels(triples, duplicates = duplicates))
  }
  expect_error(small_crowd_store(triples, local_folder(), duplicates = "error"),
               'Worker "0.3" labels item "1" again', class = "mdpd_error_duplicated_label")
})

test_that("long whole ids of a store stay apart beside one that is a fraction", {
  ids <- c(1234567890123456 + 0:1, 0.5)
  triples <- data.frame(item = rep(ids, 3), worker = rep(ids, each = 3),
                        label = rep_len(c("a", "b"), 9))
  expect_store_of_crowd(small_crowd_store(triples, local_folder()), crowd_labels(triples))
})

test_that("labels of values that are fractions are found, as in memory", {
  triples <- data.frame(item = 1:4, label = c("a", "b"))
  triples$worker <- structure(c(1, 1, 2, 2) / 3, labels = c(one = 1 / 3, two = 2 / 3),
                              class = "haven_labelled")
  store <- small_crowd_store(triples, local_folder())
  expect_identical(store$manifest$items, c("one", "two"))
  expect_store_of_crowd(store, crowd_labels(triples))
})

test_that("workers and labels that are numbers in text are in the order of numbers", {
  triples <- data.frame(item = 1:4, worker = c("10", "9", "2", "10"),
                        label = c("8", "10", "9", "9"))
  store <- small_crowd_store(triples, local_folder())
  expect_identical(store$manifest$items, c("2", "9", "10"))
  expect_identical(store$manifest$levels, c("8", "9", "10"))
  expect_store_of_crowd(store, crowd_labels(triples))
})

test_that("what is known of weights grows with them", {
  first <- list(smallest = 0.5, largest = 2, sum = 2.5, unit = 0.5, rest = 0)
  expect_identical(add_weights(NULL, c(0, 2, 0.5)), first)
  expect_identical(add_weights(first, c(3, 0.75)),
                   list(smallest = 0.5, largest = 3, sum = 6.25, unit = 0.25, rest = 0))
  expect_identical(add_weights(first, NULL), first)
  expect_identical(add_weights(NULL, 0),
                   list(smallest = Inf, largest = 0, sum = 0, unit = Inf, rest = 0))
})

test_that("labels given again that count make a sparse store, one kept of each does not", {
  full <- data.frame(item = rep(1:6, 2), worker = rep(1:2, each = 6), label = c("x", "y"))
  again <- rbind(full, full[1, ])
  is_sparse_by <- function(triples, duplicates) {
    store <- small_crowd_store(triples, local_folder(), duplicates = duplicates)
    is_sparse(rows_of_store(store)$codes)
  }
  expect_identical(c(is_sparse_by(again, "count"), is_sparse_by(again, "first")), c(TRUE, FALSE))
  expect_false(is_sparse_by(full, "count"))
})

test_that("triples that are no crowd are refused", {
  triples <- some_triples(100)
  store <- function(name, value) small_crowd_store(replace(triples, name, value), local_folder())
  expect_error(store("worker", c(NA, 2:100)), "Row 1 has one", class = "mdpd_error_data")
  expect_error(store("worker", "one"), "two workers", class = "mdpd_error_data")
  ids <- chunks_of(list(triples, replace(triples, "item", c(1, NA, 3:100))))
  expect_error(small_crowd_store(ids, local_folder()), "Row 102", class = "mdpd_error_data")
  many <- rbind(triples, triples, triples)
  many$label <- 1:300
  expect_error(small_crowd_store(many, local_folder()), "254 labels", class = "mdpd_error_data")
})

test_that("a summary is written with points, whatever the session writes", {
  x <- data.frame(a = c(1, 2, 1), b = c("x", "x", "y"), w = c(0.5, 1.25, 1))
  store <- small_store(x, local_folder(), weights = "w")
  withr::local_options(OutDec = ",")
  shown <- capture.output(print(summary(store)))
  expect_true(any(grepl("2.75", shown, fixed = TRUE)))
  expect_false(any(grepl("2,75", shown, fixed = TRUE)))
  expect_identical(getOption("OutDec"), ",")
})
