write_table <- function(table, file, ...) {
  con <- if (grepl("gz$", file)) gzfile(file, "w") else file(file, "w")
  on.exit(close(con))
  utils::write.csv(table, con, row.names = FALSE, ...)
}

tricky_table <- function(n = 2500) {
  withr::local_seed(4)
  draw <- function(values) sample(c(values, NA), n, TRUE)
  data.frame(
    number = draw(c("1", "01", "2")), word = draw(c("01", "1", "one")),
    flag = draw(c("T", "FALSE")), empty = draw(c("", "x")),
    quoted = draw(c("a,b", "say \"so\"", "two\nlines", " space", "\u00e9"))
  )
}

test_that("text files have the levels that read.csv() gives them, plain or compressed", {
  table <- tricky_table()
  for (ending in c(".csv", ".csv.gz")) {
    file <- withr::local_tempfile(fileext = ending)
    write_table(table, file)
    twin <- utils::read.csv(file, na.strings = c("", "NA"), encoding = "UTF-8")
    expect_store_of(small_store(file, local_folder()), twin)
  }
  write_table(table, file, eol = "\r\n")
  expect_store_of(small_store(file, local_folder()), twin)
})

test_that("fields are read whole wherever a chunk ends", {
  table <- tricky_table(300)
  file <- withr::local_tempfile(fileext = ".csv")
  write_table(table, file)
  text <- list(sep = ",", header = TRUE, strip = FALSE)
  whole <- utils::read.csv(file, colClasses = "character", na.strings = character(),
                           encoding = "UTF-8")
  for (n in c(1, 7, 100)) {
    reader <- file_reader(file, text, function(n_columns) n, NULL)
    chunks <- list()
    while (!is.null(chunk <- reader$next_chunk())) chunks <- c(chunks, list(chunk))
    reader$close()
    expect_identical(do.call(rbind, chunks), whole)
  }
})

test_that("names of the rows of a chunk are no ids", {
  chunk <- matrix(c("x", "y"), 4, 2, dimnames = list(letters[1:4], c("a", "b")))
  for (rows in list(chunk, as.data.frame(chunk))) {
    store <- small_store(chunks_of(list(rows, rows[2:3, ])), local_folder())
    expect_identical(rownames(as.data.frame(store)), as.character(1:6))
    expect_null(rownames(drop_row_names(as.matrix(rows))))
    expect_identical(dim(drop_row_names(rows)), dim(rows))
  }
})

test_that("columns that are matrices keep their shape in a part of the rows", {
  expect_identical(value_rows(diag(3), 2), diag(3)[2, , drop = FALSE])
  expect_identical(value_rows(diag(3), 3:2), diag(3)[3:2, ])
})

test_that("what is read at once is one chunk", {
  reader <- one_chunk(function() "rows")
  expect_identical(reader$next_chunk(), "rows")
  expect_null(reader$next_chunk())
})

test_that("many files are one table, whatever the order of their columns", {
  folder <- withr::local_tempdir()
  table <- mixed_table()[c("number", "whole", "text")]
  write_table(table[1:1000, ], file.path(folder, "part-1.csv"))
  write_table(table[1001:2500, c(3, 1, 2)], file.path(folder, "part-2.csv.gz"))
  store <- small_store(file.path(folder, "part-*"), local_folder())
  expect_store_of(store, table)
  files <- file.path(folder, c("part-1.csv", "part-2.csv.gz"))
  expect_identical(small_store(files, local_folder())$manifest, store$manifest)
})

test_that("of many files one is open at a time", {
  happened <- character()
  tell <- function(what) happened <<- c(happened, what)
  open <- function(part) {
    tell(paste("open", part))
    left <- 1
    next_chunk <- function() {
      left <<- left - 1
      if (left == 0) part
    }
    new_reader(next_chunk, close = function() tell(paste("close", part)))
  }
  reader <- chain_readers(c("a", "b"), open)
  chunks <- list(reader$next_chunk(), reader$next_chunk(), reader$next_chunk())
  expect_identical(chunks, list("a", "b", NULL))
  expect_identical(happened, c("open a", "close a", "open b"))
  reader$close()
  expect_identical(happened[-(1:3)], "close b")
})

test_that("separators, files without a header and crowds in text are read", {
  file <- withr::local_tempfile()
  writeLines(c("a;b", "1;x", "", "2;y", "2;x"), file)
  expect_identical(levels(row_store(file, local_folder()))$b, c("x", "y"))
  writeLines(c("1|x", "2|y", "1|y"), file)
  store <- row_store(file, local_folder(), sep = "|", header = FALSE)
  expect_identical(levels(store), list(V1 = c("1", "2"), V2 = c("x", "y")))
  triples <- some_triples()
  triples$worker <- sprintf("%03d", as.integer(triples$worker))
  utils::write.table(triples, file, sep = "\t", row.names = FALSE)
  expect_store_of_crowd(small_crowd_store(file, local_folder()), read_crowd(file))
})

test_that("weights in text are numbers", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("a,b,w", "1,x, 0.5", "2,y,2"), file)
  store <- row_store(file, local_folder(), weights = "w")
  expect_identical(store$manifest$weights, list(given = TRUE, smallest = 0.5, largest = 2,
                                                sum = 2.5, unit = 0.5))
  writeLines(c("a,b,w", "1,x,0.5", "2,y,two"), file)
  expect_error(row_store(file, local_folder(), weights = "w"), "must be numeric",
               class = "mdpd_error_data")
})

test_that("a weight that text lacks is told by its row", {
  file <- withr::local_tempfile(fileext = ".csv")
  for (blank in c("", " ", "NA")) {
    writeLines(c("a,b,w", "1,x,0.5", paste0("2,y,", blank)), file)
    expect_error(row_store(file, local_folder(), weights = "w"), "Row 2 is NA",
                 class = "mdpd_error_data")
  }
})

# R closes a connection that is forgotten, and says so past all handlers of conditions.
test_that("text without a header or a byte order mark leaves no connection open", {
  skip_on_cran()
  skip_if_not_installed("callr")
  folder <- local_folder()
  rows <- withr::local_tempfile(lines = c("1|x", "2|y"))
  crowd <- withr::local_tempfile(lines = c("item,worker,label", "1,a,x", "2,a,y"))
  log <- withr::local_tempfile()
  n_rows <- callr::r(function(rows, crowd, folder, library) {
    .libPaths(library)
    options(warn = 1)
    store <- mdpd::row_store(rows, folder, sep = "|", header = FALSE)
    labels <- mdpd::read_crowd(crowd)
    gc()
    c(nrow(store), nrow(as.data.frame(labels)))
  }, list(rows, crowd, folder, .libPaths()), stderr = log)
  expect_identical(n_rows, c(2, 2))
  expect_false(any(grepl("unused connection", readLines(log))))
})

test_that("whole numbers that R does not hold stay different strings", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("a,b,c", paste0("123456789012345678", c(1, 2, 2), ",0", 1:3, ",x")), file)
  store <- suppressWarnings(row_store(file, local_folder()))
  expect_identical(levels(store)[1:2], list(a = paste0("123456789012345678", 1:2),
                                            b = c("1", "2", "3")))
  crowd <- row_store(file, local_folder(), item = "b", worker = "a", label = "c")
  near <- c("9007199254740992", "9007199254740993", "-9007199254740993")
  expect_identical(vapply(near, has_long_number, NA, USE.NAMES = FALSE), c(TRUE, TRUE, TRUE))
  expect_false(has_long_number(c("9007199254740991", "-9007199254740991", "01")))
  expect_identical(crowd$manifest$items, levels(store)$a)
})

test_that("files of other encodings and with names of rows say what to do", {
  file <- withr::local_tempfile(fileext = ".csv")
  write_bytes <- function(text, to) {
    con <- file(file, "wb")
    writeBin(iconv(text, "UTF-8", to, toRaw = TRUE)[[1]], con)
    close(con)
  }
  expect_refused <- function(pattern, class) {
    refused <- expect_error(row_store(file, local_folder()), class = class)
    expect_match(conditionMessage(refused), pattern)
    expect_no_match(conditionMessage(refused), "must be.*must be")
  }
  write_bytes("a,b\nx,\u00e9\ny,z\n", "latin1")
  expect_refused("\"\u00e9\" is not.*fileEncoding", "mdpd_error_file")
  write_bytes("a,b\nx,y\n", "UTF-16LE")
  expect_refused("embedded nul", "mdpd_error_file")
  utils::write.csv(data.frame(a = 1:2, b = 1), file)
  expect_refused("Column 1 has none.*row.names = FALSE", "mdpd_error_data")
})

test_that("a pattern finds files whose paths have letters beyond ASCII, in the order of names", {
  skip_if_not(l10n_info()[["UTF-8"]])
  folder <- file.path(withr::local_tempdir(), "d\u00eda")
  skip_if_not(dir.create(folder, showWarnings = FALSE))
  for (name in c("z", "\u00e4", "b")) {
    utils::write.csv(data.frame(a = name, b = 1), file.path(folder, paste0(name, ".csv")),
                     row.names = FALSE)
  }
  store <- suppressWarnings(row_store(file.path(folder, "*.csv"), local_folder()))
  expect_identical(as.character(as.data.frame(store)$a), c("b", "z", "\u00e4"))
})

test_that("text that cannot be read is an error that says where", {
  file <- withr::local_tempfile(fileext = ".csv")
  path <- local_folder()
  expect_file_error <- function(pattern) {
    expect_error(row_store(file, path), pattern, class = "mdpd_error_file")
  }
  expect_file_error("does not exist")
  writeLines(c("a,b", "1,2"), file)
  writeLines(c("a,\xe9", "1,2"), second <- withr::local_tempfile(), useBytes = TRUE)
  expect_error(row_store(c(file, second), path), "UTF-8", class = "mdpd_error_file")
  writeLines(c("a,b", "1,2", "3"), file)
  expect_file_error("line 2 did not have 2 elements")
  # Where lines are not counted from the first row it is said from which.
  told <- rlang::catch_cnd(row_store(file, path), "mdpd_error_file")
  expect_no_match(conditionMessage(told), "counted from")
  writeLines(c("a,b", rep("1,2", 1025), "3"), file)
  expect_error(small_store(file, path), "line 2 did .*counted from row 1025",
               class = "mdpd_error_file")
  writeLines(c("a,b", "1,2", "3,\"x"), file)
  expect_file_error("quoted string")
  writeLines(c("a,b", "1,2"), other <- withr::local_tempfile(fileext = ".parquet"))
  expect_error(row_store(c(file, other), path), "all be text", class = "mdpd_error_argument")
  writeLines(c("a,b", "1,0.5", "2,1"), file)
  expect_error(row_store(file, path), "Row 1 is 0.5", class = "mdpd_error_data")
  writeLines(c("a,b", sprintf("1,%s", seq(0, 3, 0.01))), file)
  expect_error(row_store(file, path), "Row 2 is 0.01", class = "mdpd_error_data")
  writeLines(c("a,b", sprintf("1,%d", 1:300)), file)
  expect_error(row_store(file, path), "at most 254 levels", class = "mdpd_error_data")
})

test_that("blanks in the names of two columns do not separate them", {
  file <- withr::local_tempfile(fileext = ".csv")
  for (sep in c("\t", ",", ";")) {
    words <- c("first word", "two words", "two more")
    writeLines(paste(words, c("b c", "1 x", "2 y"), sep = sep), file)
    store <- row_store(file, local_folder())
    expect_identical(store$manifest$items, c("first word", "b c"))
    expect_identical(dim(add_rows(store, file)), c(4, 2L))
  }
  writeLines(c("a b", "1 2", "2 2"), file)
  expect_identical(row_store(file, local_folder())$manifest$items, c("a", "b"))
})

test_that("blank lines above those of a text file are nothing", {
  file <- withr::local_tempfile(fileext = ".csv")
  for (end in c("\n", "\r\n", "\r")) {
    lines <- c("\ufeff", " \t", "a,b", "", "1,x", "2,y", "")
    writeBin(charToRaw(paste(lines, collapse = end)), file)
    of_header <- row_store(file, local_folder())
    expect_identical(levels(of_header), list(a = c("1", "2"), b = c("x", "y")))
    of_rows <- row_store(file, local_folder(), header = FALSE)
    expect_identical(levels(of_rows), list(V1 = c("1", "2", "a"), V2 = c("b", "x", "y")))
  }
})

test_that("numbers of a text file are levels, in however many spellings", {
  file <- withr::local_tempfile(fileext = ".csv")
  of_file <- function(fields) {
    writeLines(c("a,b", paste0(fields, ",", seq_along(fields) %% 2)), file)
    small_store(file, local_folder(parent.frame()))
  }
  numbers <- c(sprintf("%03d", 0:99), sprintf("%d.0", 0:99), sprintf(" %d", 0:99), "-0", "1e20")
  # The spellings become too many in the first chunk, in a later one, and with shards written.
  for (n_plain in c(0, 1500, 3000)) {
    fields <- c(rep(c("1", "01", "NA", "", " "), n_plain / 5), numbers, "+7", "  ", rev(numbers))
    store <- of_file(fields)
    expect_store_of(store, utils::read.csv(file, na.strings = c("", "NA")))
    expect_length(levels(store)$a, 101)
  }
  fields <- rep(fields, 2)
  for (other in c("word", "9007199254740993", "1.5")) {
    expect_error(of_file(c(fields, other)), class = "mdpd_error_data")
    expect_error(of_file(c(other, fields)), class = "mdpd_error_data")
  }
  expect_error(of_file(c(fields, "word")), "at most 254 levels")
  expect_error(of_file(c(fields, 1000:1200)), "at most 254 levels")
  expect_error(of_file(c(fields, "1.5")), sprintf("Row %d is 1.5", length(fields) + 1))
})

test_that("a database gives the table that it has", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  table <- mixed_table()
  table$flag <- as.integer(table$flag)  # SQLite has no logical values
  DBI::dbWriteTable(con, "two words", table)
  table$kind <- as.character(table$kind)
  expect_store_of(small_store(con, local_folder(), query = "two words"), table)
  sql <- "SELECT number, text FROM \"two words\" WHERE whole = 1"
  expected <- table[which(table$whole == 1), c("number", "text")]
  rownames(expected) <- NULL
  expect_store_of(small_store(con, local_folder(), query = sql), expected)
  result <- DBI::dbSendQuery(con, sql)
  expect_store_of(small_store(result, local_folder()), expected)
  DBI::dbClearResult(result)
  expect_error(row_store(result, local_folder()), "`source` must be open",
               class = "mdpd_error_argument")
  # The error comes with the second row, when the first has been given.
  fails <- "SELECT 1 AS a, abs(CASE WHEN rowid > 1 THEN -9223372036854775807 - 1 END) AS b
            FROM \"two words\""
  expect_error(row_store(con, local_folder(), query = fails), "database must return the next rows",
               class = "mdpd_error_data")
  expect_error(row_store(con, local_folder()), "query", class = "mdpd_error_argument")
  expect_error(row_store(con, local_folder(), query = "no"), class = "mdpd_error_argument")
  expect_error(row_store(con, local_folder(), query = 1), class = "mdpd_error_argument")
  expect_identical(DBI::dbListTables(con), "two words")  # no result is left open
})

test_that("Parquet files are read by row group", {
  skip_if_not_installed("nanoparquet")
  file <- withr::local_tempfile(fileext = ".parquet")
  table <- mixed_table()
  nanoparquet::write_parquet(table, file, row_groups = c(1L, 500L, 1900L))
  expect_store_of(small_store(file, local_folder()), table)
  reader <- parquet_reader(file)
  sizes <- integer()
  while (!is.null(chunk <- reader$next_chunk())) sizes <- c(sizes, nrow(chunk))
  expect_identical(sizes, c(499L, 1400L, 601L))
  writeLines("a,b", file)
  expect_error(row_store(file, local_folder()), "be readable as Parquet", class = "mdpd_error_file")
})

test_that("values in Parquet files have their types, which text has not", {
  table <- data.frame(code = c("10", "9", "01"))
  groups <- function(file) list(n = 2, read = function(at) table)
  local_in_package(list(groups_of_nanoparquet = groups, groups_of_arrow = groups))
  reader <- parquet_reader("answers.parquet")
  expect_false(reader$from_text)
  expect_identical(reader$next_chunk(), table)
})

test_that("a Parquet file that cannot be read is named", {
  file <- withr::local_tempfile(fileext = ".parquet")
  writeLines("a,b", file)
  expect_unreadable <- function(groups) {
    local_in_package(list(groups_of_nanoparquet = groups, groups_of_arrow = groups))
    expect_error(parquet_reader(file)$next_chunk(), "be readable as Parquet.*No magic",
                 class = "mdpd_error_file")
  }
  expect_unreadable(function(file) stop("No magic"))
  expect_unreadable(function(file) list(n = 1, read = function(at) stop("No magic")))
})

test_that("Parquet files are read by row group by arrow as well", {
  # What arrow::ParquetFileReader$create() gives, of a table in three groups.
  table <- mixed_table()
  first <- c(0, 499, 1899, 2500)
  open <- function(file) {
    list(num_row_groups = 3L, ReadRowGroup = function(i) {
      stopifnot(i %in% 0:2)
      table[(first[i + 1] + 1):first[i + 2], ]
    })
  }
  groups <- groups_of_arrow("answers.parquet", open)
  chunks <- lapply(seq_len(groups$n), groups$read)
  expect_store_of(small_store(chunks_of(chunks), local_folder()), table)
})

test_that("arrow gives the row groups of a file", {
  skip_if_not_installed("arrow")
  table <- mixed_table()
  file <- withr::local_tempfile(fileext = ".parquet")
  arrow::write_parquet(table, file, chunk_size = 1000)
  groups <- groups_of_arrow(file)
  chunks <- lapply(seq_len(groups$n), function(at) as.data.frame(groups$read(at)))
  expect_identical(vapply(chunks, nrow, 0L), c(1000L, 1000L, 500L))
  expect_store_of(small_store(chunks_of(chunks), local_folder()), table)
})
