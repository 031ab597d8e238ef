# A file of these bytes; the lines end in `eol`.
crowd_file <- function(..., eol = "\n", bom = FALSE, open = file, fileext = ".csv") {
  path <- tempfile(fileext = fileext)
  con <- open(path, "wb")
  on.exit(close(con))
  if (bom) writeBin(as.raw(c(0xef, 0xbb, 0xbf)), con)
  writeBin(charToRaw(enc2utf8(paste0(c(...), eol, collapse = ""))), con)
  path
}

expect_reads <- function(file, item, worker, label, ...) {
  triples <- data.frame(item, worker, label)
  expect_identical(read_crowd(file, ...), crowd_labels(triples))
}

# Formats ------------------------------------------------------------------------------------------

test_that("the separator is found", {
  for (sep in c(",", "\t", ";", " ", "   ", ", ")) {
    lines <- vapply(list(c("a", "u", "x"), c("b", "u", "y")), paste, "", collapse = sep)
    expect_reads(crowd_file(lines), c("a", "b"), c("u", "u"), c("x", "y"))
  }
})

test_that("a separator in other fields does not mislead", {
  expect_reads(crowd_file("a b\tw 1\tyes, no", "c\tw 2\tno"), c("a b", "c"), c("w 1", "w 2"),
               c("yes, no", "no"))
  expect_reads(crowd_file("\"a,b,c\" u x"), "a,b,c", "u", "x")
})

test_that("the separator can be given", {
  expect_reads(crowd_file("a|u|x"), "a", "u", "x", sep = "|")
  expect_reads(crowd_file("a,1 u x"), "a,1", "u", "x", sep = "")
})

test_that("a header is known by its names", {
  for (header in c("item,worker,label", "Task,ANNOTATOR,Answer", "task_id,WorkerID,\"response\"",
                   "question,rater,verdict", "Items,users,classes")) {
    expect_reads(crowd_file(header, "a,u,x"), "a", "u", "x")
  }
})

test_that("a header is known by the numbers below it", {
  expect_reads(crowd_file("foo bar baz", "1 2 x", "2 2 y"), 1:2, c(2, 2), c("x", "y"))
  expect_reads(crowd_file("foo,bar,baz", "1,2,-1.5"), 1, 2, -1.5)
  expect_reads(crowd_file("foo, bar, baz", "x, 2, y"), "x", 2, "y")
  expect_reads(crowd_file("a, 1, x", "b, 2, y"), c("a", "b"), 1:2, c("x", "y"))
})

test_that("the first fifty lines that are not blank tell whether there is a header", {
  numbers <- paste0("x", 1:49, ",", 1:49, ",y")
  file <- crowd_file(rep("", 50), "foo,bar,baz", numbers, "x50,no number,y")
  expect_identical(length(read_crowd(file)$label), 50L)
  file <- crowd_file("foo,bar,baz", numbers[-1], "x50,no number,y")
  expect_identical(length(read_crowd(file)$label), 50L)
  file <- crowd_file(numbers[1:2], "foo,bar,baz")
  expect_identical(length(read_crowd(file)$label), 3L)
})

test_that("reading says nothing", {
  expect_silent(read_crowd(crowd_file("item,worker,label", "a,u,x", "b,u,y")))
})

test_that("a file without a header loses no line", {
  expect_reads(crowd_file("1,2,3", "2,2,3"), 1:2, c(2, 2), c(3, 3))
  expect_reads(crowd_file("a,u,x", "b,u,y"), c("a", "b"), c("u", "u"), c("x", "y"))
  expect_reads(crowd_file("a,1,x", "b,2,y"), c("a", "b"), 1:2, c("x", "y"))
  expect_reads(crowd_file("question,u,x"), "question", "u", "x")
  # Ids that are words of a header, with numbers or without.
  expect_reads(crowd_file("item1,worker1,yes", "item2,worker1,no"), c("item1", "item2"),
               c("worker1", "worker1"), c("yes", "no"))
  expect_reads(crowd_file("task_001\tworker_17\tspam"), "task_001", "worker_17", "spam")
  expect_reads(crowd_file("patient a;rater;x", "patient b;rater;y"), c("patient a", "patient b"),
               c("rater", "rater"), c("x", "y"))
  expect_reads(crowd_file("item,rater,x", "image,rater,y"), c("item", "image"),
               c("rater", "rater"), c("x", "y"))
})

test_that("the header can be given", {
  expect_reads(crowd_file("a,u,x", "b,u,y"), "b", "u", "y", header = TRUE)
  expect_reads(crowd_file("item,worker,label"), "item", "worker", "label", header = FALSE)
})

test_that("named columns are found in any order among others", {
  file <- crowd_file("time,label,worker_id,note,task", "09:00,x,u,,a", "09:01,y,u,\"b,c\",b")
  expect_reads(file, c("a", "b"), c("u", "u"), c("x", "y"))
  expect_reads(crowd_file("worker,item,label", "u,a,x"), "a", "u", "x")
})

test_that("of three columns two that are named say what the third is", {
  expect_reads(crowd_file("worker,item,choice", "u,a,x"), "a", "u", "x")
  expect_reads(crowd_file("rater;diagnosis;subject", "u;x;a"), "a", "u", "x", header = TRUE)
  expect_reads(crowd_file("thing,label,worker", "a,x,u"), "a", "u", "x", header = TRUE)
  expect_reads(crowd_file("thing,by,label", "a,u,x"), "a", "u", "x", header = TRUE)
  expect_error(read_crowd(crowd_file("worker,thing,choice", "u,a,x"), header = TRUE),
               "header that names one item", class = "mdpd_error_file")
  expect_error(read_crowd(crowd_file("item,task,choice", "a,u,x"), header = TRUE),
               "header that names one item", class = "mdpd_error_file")
})

test_that("ids stay as they are written", {
  crowd <- read_crowd(crowd_file("007,1.0,TRUE", "7,1e5,T"))
  expect_identical(crowd$items, c("007", "7"))
  expect_identical(crowd$workers, c("1.0", "1e5"))
  expect_identical(crowd$labels, c("T", "TRUE"))
})

test_that("quotes, quotes in quotes, apostrophes and number signs are read", {
  expect_reads(
    crowd_file('"a ""b""",it\'s,x', "c#1,u,\"two\nlines\""), c('a "b"', "c#1"), c("it's", "u"),
    c("x", "two\nlines")
  )
})

test_that("blank lines, CRLF and a byte order mark do not matter", {
  lines <- c("item,worker,label", "", "a,u,x", "", "b,u,y", "")
  for (eol in c("\n", "\r\n")) {
    for (bom in c(TRUE, FALSE)) {
      expect_reads(crowd_file(lines, eol = eol, bom = bom), c("a", "b"), c("u", "u"), c("x", "y"))
    }
  }
  expect_reads(crowd_file('"a","u","x"', bom = TRUE), "a", "u", "x")
})

test_that("lines of blanks do not matter, and count as lines", {
  for (sep in c(",", ";", "\t", " ")) {
    in_columns <- function(lines) gsub(",", sep, lines, fixed = TRUE)
    lines <- in_columns(c("item,worker,label", "  ", "a,u,x", " ", "b,u,y", "   "))
    expect_reads(crowd_file(lines), c("a", "b"), c("u", "u"), c("x", "y"))
    expect_reads(crowd_file("  ", lines, eol = "\r\n"), c("a", "b"), c("u", "u"), c("x", "y"))
    expect_error(read_crowd(crowd_file(lines, in_columns("b,u"))), "Line 7 has 2",
                 class = "mdpd_error_file")
  }
  expect_reads(crowd_file("a,u,x", " \t ", "b,u,y"), c("a", "b"), c("u", "u"), c("x", "y"))
  # Within quotes a blank line is text.
  expect_reads(crowd_file("a,u,\"x", "  ", "x\"", "  ", "b,u,y"), c("a", "b"), c("u", "u"),
               c("x\n  \nx", "y"))
})

test_that("the last line may lack its end", {
  file <- tempfile()
  cat("a,u,x\nb,u,y", file = file)
  expect_reads(file, c("a", "b"), c("u", "u"), c("x", "y"))
})

test_that("letters beyond ASCII are read as UTF-8", {
  crowd <- read_crowd(crowd_file("\u00e9,\u00fc,\u4f60"))
  expect_identical(c(crowd$items, crowd$workers, crowd$labels), c("\u00e9", "\u00fc", "\u4f60"))
})

test_that("compressed files are read", {
  for (open in c(gzfile, bzfile, xzfile)) {
    expect_reads(crowd_file("a,u,x", open = open, fileext = ".z"), "a", "u", "x")
  }
})

test_that("a file reads as the data frame it was written from", {
  crowd <- simulate_crowd(40, 6, missing = 0.4, seed = 1)$labels
  file <- tempfile(fileext = ".csv")
  utils::write.csv(as.data.frame(crowd), file, row.names = FALSE)
  expect_identical(read_crowd(file), crowd)
  utils::write.table(as.data.frame(crowd), file, row.names = FALSE, col.names = FALSE)
  expect_identical(read_crowd(file), crowd)
})

# Errors -------------------------------------------------------------------------------------------

expect_bad_file <- function(file, regexp, ...) {
  error <- expect_error(read_crowd(file, ...), regexp, class = "mdpd_error_file")
  expect_identical(rlang::call_name(error$call), "read_crowd")
}

test_that("a file that does not exist or holds nothing is an error", {
  expect_bad_file(tempfile(), "does not exist")
  expect_bad_file(tempdir(), "is a folder")
  expect_bad_file(crowd_file(character()), "is empty")
  expect_bad_file(crowd_file("", "  ", ""), "is empty")
  expect_bad_file(crowd_file("item,worker,label"), "labels below its header")
  expect_error(read_crowd(1), "`file` must be one string", class = "mdpd_error_argument")
})

test_that("fewer than three columns are an error", {
  expect_bad_file(crowd_file("item,label", "1,2"), "at least three columns.*has 2")
  expect_bad_file(crowd_file("a", "b"), "at least three columns.*has 1")
  # A quote left open takes in all that follows.
  for (end in c("  ", "", "a,u,x")) {
    expect_bad_file(crowd_file("\"", "a,u,x", end), "at least three columns.*has 1")
  }
})

test_that("columns that cannot be told apart are an error", {
  expect_bad_file(crowd_file("1,2,3,4"), "It has 4 columns, .*no header; .*line is 1, 2, 3, and 4")
  expect_bad_file(
    crowd_file("item,worker,label,answer", "1,2,3,4"), "4 columns; .*worker, label, and answer"
  )
})

test_that("lines of different length are an error that gives the line", {
  expect_bad_file(crowd_file("a,u,x", "", "b,u"), "3 fields.*Line 3 has 2")
  expect_bad_file(crowd_file("a,u,x", "b,u,y,c,u,y"), "Line 2 has 6")
})

test_that("an empty field is an error that gives the line", {
  expect_bad_file(
    crowd_file("item,worker,label", "", "a,u,x", "b,,x", "c,,x"), "Line 4 has no worker; 2"
  )
  expect_bad_file(crowd_file("a,u,x", "b,u,"), "Line 2 has no label; 1")
  expect_bad_file(crowd_file("NA,u,x", "b,u,x"), "Line 1 has no item")
})

test_that("a quote that is not closed is an error", {
  expect_bad_file(crowd_file("a,u,x", "b,u,\"y", "c,u,z"), "quoted string")
})

test_that("text that is not UTF-8 is an error", {
  file <- tempfile()
  writeBin(c(charToRaw("a,u,"), as.raw(c(0xe9, 0x0a))), file)
  expect_bad_file(file, "encoded in UTF-8.*\"a,u,\u00e9\" is not")
  # What is shown has sixty letters at most.
  writeBin(c(charToRaw(paste0("a,u,", strrep("x", 60))), as.raw(c(0xe9, 0x0a))), file)
  expect_bad_file(file, "\"a,u,x{47}[.]{3}x{5}\u00e9\" is not|\"a,u,x{53}[.]{3}\" is not")
})

test_that("a file with a NUL byte is no text, and the line is told", {
  file <- tempfile()
  with_nul <- function(...) {
    text <- charToRaw(paste0(c(...), "\n", collapse = ""))
    writeBin(replace(text, text == charToRaw("@"), as.raw(0)), file)
    file
  }
  for (bad in c("b@,u,y", "b,@u,y", "b,u,y@", "@", "b,u@c,y")) {
    expect_bad_file(with_nul("item,worker,label", "a,u,x", "", bad, "c,u,z", bad),
                    paste0(basename(file), ".*Line 4 has a NUL byte"))
  }
  expect_bad_file(with_nul(rep("a,u,x", 2e5), "@"), "Line 200001 has a NUL byte")
})

test_that("duplicates are treated as crowd_labels() treats them", {
  file <- crowd_file("a,u,x", "a,u,y")
  expect_message(crowd <- read_crowd(file), class = "mdpd_message_repeated_labels")
  expect_identical(as.matrix(crowd)[1, 1], "x, y")
  expect_error(read_crowd(file, duplicates = "error"), "\"u\" labels item \"a\"",
               class = "mdpd_error_duplicated_label")
  expect_identical(read_crowd(file, duplicates = "last")$labels, "y")
})

test_that("bad arguments are errors that name them", {
  expect_error(read_crowd(), "`file` must be given", class = "mdpd_error_argument")
  file <- crowd_file("a,u,x")
  expect_error(
    read_crowd(file, sep = "ab"), "`sep` must be one character", class = "mdpd_error_argument"
  )
  expect_error(read_crowd(file, sep = 1), "`sep`", class = "mdpd_error_argument")
  expect_error(read_crowd(file, header = NA), "`header`", class = "mdpd_error_argument")
  expect_error(read_crowd(file, duplicates = "no"), "`duplicates`", class = "mdpd_error_argument")
  expect_error(read_crowd(file, ","), class = "rlib_error_dots_nonempty")
})

# Real files ---------------------------------------------------------------------------------------

test_that("the real crowds have the sizes their source gives", {
  sizes <- list(bluebird = c(108, 39, 4212), dog = c(807, 109, 8070), rte = c(800, 164, 8000))
  for (name in names(sizes)) {
    crowd <- shared_crowd(name)
    expect_equal(c(dim(crowd), length(crowd$label)), sizes[[name]])
    expect_setequal(names(shared_truth(name)), crowd$items)
  }
})

test_that("a file that does not exist, is empty or has two columns gives no crowd to fit", {
  file <- tempfile(fileext = ".csv")
  expect_error(read_crowd(file), "does not exist", class = "mdpd_error_file")
  file.create(file)
  expect_error(read_crowd(file), "is empty", class = "mdpd_error_file")
  writeLines(c("item,label", "1,2", "2,1"), file)
  expect_error(read_crowd(file), "three columns", class = "mdpd_error_file")
  unlink(file)
})

test_that("a gzip file that is cut short is an error also where a line ends", {
  file <- withr::local_tempfile(fileext = ".csv.gz")
  rows <- data.frame(item = 1:400, worker = 1:2, label = c("x", "y", "y", "x"))
  con <- gzfile(file, "wb", compression = 0)  # so that the lines stand in it as they are
  writeLines(sprintf("%d,%d,%s", rows$item, rows$worker, rows$label), con)
  close(con)
  bytes <- readBin(file, "raw", file.size(file))
  expect_identical(length(read_crowd(file)$label), 400L)
  # Several in one are whole, too.
  writeBin(c(bytes, bytes), file)
  expect_identical(length(read_crowd(file, duplicates = "count")$label), 800L)
  for (n in c(which(bytes == charToRaw("\n"))[c(50, 400)], length(bytes) - 1)) {
    writeBin(bytes[seq_len(n)], file)
    expect_error(read_crowd(file), "breaks off|incomplete", class = "mdpd_error_file")
    expect_error(row_store(file, local_folder(), header = FALSE), "breaks off|incomplete",
                 class = "mdpd_error_file")
  }
})

test_that("a compressed file that breaks off in its first bytes is an error of ours", {
  file <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(file, "w")
  writeLines(c("item,worker,label", "1,a,x"), con)
  close(con)
  first <- readBin(file, "raw", 12)
  n_open <- length(getAllConnections())
  # Behind the header, and in the first bytes of the text.
  for (n_kept in c(10, 12)) {
    writeBin(c(first[seq_len(n_kept)], as.raw(rep(255, 10))), file)
    expect_error(read_crowd(file), class = "mdpd_error_file")
  }
  # Nothing is left open.
  expect_lte(length(getAllConnections()), n_open)
})

test_that("a gzip file within another is found also where it ends in the next block", {
  file <- withr::local_tempfile()
  writeBin(c(raw(2^20 - 1), gzip_magic), file)
  expect_true(has_gzip_within(file))
  writeBin(c(gzip_magic, raw(2^20)), file)
  expect_false(has_gzip_within(file))
})

test_that("the length at the end of a gzip file may be any number of 32 bits", {
  file <- withr::local_tempfile()
  for (bytes in list(c(0, 0, 0, 0x80), c(0xff, 0xff, 0xff, 0xff), c(1, 2, 3, 4))) {
    writeBin(as.raw(c(9, bytes)), file)
    expect_identical(gzip_length(file), sum(bytes * c(1, 2^8, 2^16, 2^24)))
  }
})
