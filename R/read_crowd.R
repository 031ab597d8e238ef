#' Read the labels of a crowd from a file
#'
#' Reads item-worker-label triples from a text file, one label in a line: comma, tab or semicolon
#' separated values or columns set apart by white space, with or without a header, plain or
#' compressed (gzip, bzip2, xz). Ids are read as they stand: `007` and `1.0` stay what they are.
#'
#' The first line is a header if at least two of its fields are usual names of such columns, such as
#' `item`, `task`, `question`, `worker`, `annotator`, `label` or `answer` (also `task_id`,
#' `WorkerID`, ..., but not `item1`, and not where the next line says the same), or if it has no
#' number and a column below it has nothing but numbers. If the header names one item, one worker
#' and one label column, these are read, in whatever order and among others; of three columns two
#' that are named will do. Else the file must have three columns: items, workers, labels. Fields may
#' be quoted by `"`. Empty lines are skipped. Empty fields and `NA` are missing values and an error.
#'
#' @param file Path to the file.
#' @param ... Must be empty; the arguments after it are matched by full name.
#' @param sep Separator: one character, or `""` for white space. By default (`NULL`) the first of
#'   tab, comma and semicolon that cuts the first line in three or more, else white space.
#' @param header `TRUE` or `FALSE`: is the first line a header? By default (`NULL`) found as above.
#' @inheritParams crowd_labels
#' @return A [crowd_labels()] object.
#' @section Errors:
#'   `mdpd_error_file` for a file that does not exist, is empty or no text, has fewer than three
#'   columns, more columns than can be told apart, a header that calls one of three columns what
#'   another is, lines of different length, a missing id or label or no label at all;
#'   `mdpd_error_argument` for a bad argument; `mdpd_error_duplicated_label` for a worker who labels
#'   an item twice with `duplicates = "error"`.
#' @family crowds
#' @seealso [crowd_labels()] for triples in a data frame, of any names.
#' @examples
#' file <- tempfile(fileext = ".csv")
#' writeLines(c("task,annotator,answer", "007,ann,yes", "007,bob,no", "008,ann,no"), file)
#' as.matrix(read_crowd(file))
#' @export
read_crowd <- function(file, ..., sep = NULL, header = NULL,
                       duplicates = c("count", "error", "first", "last")) {
  check_given(file)
  rlang::check_dots_empty()
  check_file(file)
  check_separator(sep)
  if (!is.null(header)) check_flag(header)
  by_default <- missing(duplicates)
  duplicates <- check_choice(duplicates, c("count", "error", "first", "last"))

  first_lines <- read_first_lines(file)
  check_no_nul(file)
  sep <- if (is.null(sep)) guess_separator(first_lines[1]) else sep
  header <- if (is.null(header)) guess_header(first_lines, sep) else header
  lines <- check_lines(file, sep, header)
  columns <- triple_columns(split_line(first_lines[1], sep), header, lines$n_fields)
  triples <- read_columns(file, sep, header, lines$n_fields, columns)
  check_no_blank(triples, lines$numbers)
  new_crowd_labels(triples, duplicates, by_default)
}

# Finding the format -------------------------------------------------------------------------------

# A connection for text, decompressed, behind the byte order mark if there is one.
open_text <- function(file, call = rlang::caller_env()) {
  con <- gzfile(file, "rb")
  is_open <- FALSE
  on.exit(if (!is_open) close(con))
  if (!identical(while_reading(readBin(con, "raw", 3), call), as.raw(c(0xef, 0xbb, 0xbf)))) {
    close(con)
    con <- gzfile(file, "rb")
  }
  is_open <- TRUE
  con
}

# R says nothing of a gzip file that was cut short where a line happens to end. `con`: its
# connection, read to the end. A whole file ends in its length. Of several that were put into one
# that is the length of the last, and no more can be said.
check_read_whole <- function(con, file, call) {
  if (!identical(readBin(file, "raw", 3), gzip_magic) || seek(con) %% 2^32 == gzip_length(file) ||
        has_gzip_within(file)) {
    return(invisible())
  }
  abort_mdpd(
    c("File {.file {file}} must be whole.", x = "Its compressed content breaks off."),
    class = "file", call = call
  )
}

gzip_magic <- as.raw(c(0x1f, 0x8b, 0x08))

# The last four bytes; as an integer of R 2^31 would be a missing one.
gzip_length <- function(file) {
  con <- file(file, "rb")
  on.exit(close(con))
  seek(con, file.size(file) - 4)
  sum(as.integer(readBin(con, "raw", 4)) * 256^(0:3))
}

# Does another one begin behind the first byte? It need not fit in memory.
has_gzip_within <- function(file) {
  con <- file(file, "rb")
  on.exit(close(con))
  bytes <- readBin(con, "raw", 1)[0]
  while (length(more <- readBin(con, "raw", 2^20)) > 0) {
    bytes <- c(utils::tail(bytes, 2), more)
    if (length(grepRaw(gzip_magic, bytes, fixed = TRUE)) > 0) {
      return(TRUE)
    }
  }
  FALSE
}

# Up to `n` lines that are not blank.
read_first_lines <- function(file, n = 50, call = rlang::caller_env()) {
  con <- open_text(file, call)
  on.exit(close(con))
  lines <- character()
  repeat {
    more <- while_reading(readLines(con, n, warn = FALSE, encoding = "UTF-8", skipNul = TRUE), call)
    lines <- c(lines, more[grepl("[^ \t]", more, useBytes = TRUE)])
    if (length(more) < n || length(lines) >= n) break
  }
  if (length(lines) == 0) {
    abort_mdpd("File {.file {file}} is empty.", class = "file", call = call)
  }
  check_utf8(lines, call)
}

# A table may have but two columns, and blanks in their names.
guess_separator <- function(line, is_table = FALSE) {
  separators <- c("\t", ",", ";", "")
  n_fields <- vapply(separators, function(sep) length(split_line(line, sep)), integer(1))
  if (is_table && any(n_fields[separators != ""] > 1)) n_fields[separators == ""] <- 1L
  if (any(n_fields >= 3)) separators[n_fields >= 3][1] else separators[which.max(n_fields)]
}

guess_header <- function(lines, sep) {
  fields <- lapply(lines, split_line, sep = sep)
  first <- fields[[1]]
  below <- fields[-1]
  # Ids may be such words with numbers, or the same words in line after line.
  roles <- replace(column_role(first), grepl("[0-9]", first), NA)
  if (sum(!is.na(roles)) >= 2 && !identical(roles, column_role(unlist(below[1])))) {
    return(TRUE)
  }
  below <- below[lengths(below) == length(first)]
  if (length(below) == 0 || any(is_number(first))) {
    return(FALSE)
  }
  any(colSums(!is_number(do.call(rbind, below))) == 0)
}

# What a column is by its name: "item", "worker", "label" or NA.
column_role <- function(names) {
  words <- list(
    item = c("item", "task", "question", "example", "object", "instance", "document", "doc",
             "image", "sentence", "text", "unit", "subject", "patient", "case", "query", "sample"),
    worker = c("worker", "annotator", "rater", "user", "coder", "judge", "labeler", "labeller",
               "assessor", "observer", "expert", "participant", "respondent", "performer"),
    label = c("label", "answer", "response", "class", "rating", "judgment", "judgement", "grade",
              "annotation", "category", "vote", "value", "score")
  )
  role <- rep(names(words), lengths(words))
  name <- gsub("[^a-z]", "", tolower(names))
  name <- sub("(id|ids|no|name|index|s)$", "", name)
  role[match(name, sub("s$", "", unlist(words)))]
}

is_number <- function(x) {
  number <- "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
  array(grepl(number, x), if (is.null(dim(x))) length(x) else dim(x))
}

# Quiet about a quote left open: a quoted field may go on in the next line.
split_line <- function(line, sep) {
  suppressWarnings(scan(
    text = line, what = "", sep = sep, quote = "\"", strip.white = TRUE, quiet = TRUE,
    na.strings = character(), encoding = "UTF-8"
  ))
}

# Positions of the item, worker and label columns. `first`: fields of the first line.
triple_columns <- function(first, header, n_fields, call = rlang::caller_env()) {
  role <- column_role(if (header) first)
  columns <- c(item = 1L, worker = 2L, label = 3L)
  is_named <- !is.na(role)
  if (n_fields == 3 && sum(is_named) == 2) role[!is_named] <- setdiff(names(columns), role)[1]
  if (all(table(factor(role, names(columns))) == 1)) {
    return(stats::setNames(match(names(columns), role), names(columns)))
  }
  is_elsewhere <- any(role[is_named] != names(columns)[is_named])
  if (n_fields == 3 && !is_elsewhere) {
    return(columns)
  }
  columns_are <- if (header) "columns" else "columns, taken to have no header"
  abort_mdpd(
    c("The file must have three columns or a header that names one item, one worker and one label
       column.",
      x = "It has {n_fields} {columns_are}; the first line is {.field {first}}.",
      i = "Say which are the three by {.fn crowd_labels}, for example of
           {.code utils::read.csv(file, colClasses = \"character\")}."),
    class = "file", call = call
  )
}

# Reading ------------------------------------------------------------------------------------------

read_columns <- function(file, sep, header, n_fields, columns, call = rlang::caller_env()) {
  con <- open_text(file, call)
  on.exit(close(con))
  what <- replace(rep(list(NULL), n_fields), columns, list(""))
  fields <- while_reading(
    scan(
      con, what = what, sep = sep, quote = "\"", strip.white = TRUE, blank.lines.skip = TRUE,
      na.strings = c("", "NA"), multi.line = FALSE, quiet = TRUE, encoding = "UTF-8"
    ),
    call
  )
  fields <- lapply(stats::setNames(fields[columns], names(columns)), check_utf8, call = call)
  if (header) lapply(fields, `[`, -1) else fields
}

# What R says of a file that is damaged, cut short or no text.
while_reading <- function(code, call) {
  abort <- function(cnd) {
    abort_mdpd(
      c("The file must be readable as text in columns.", x = "{conditionMessage(cnd)}."),
      class = "file", call = call
    )
  }
  tryCatch(code, error = abort, warning = abort)
}

# Checks -------------------------------------------------------------------------------------------

check_utf8 <- function(x, call) {
  bad <- which(!validUTF8(x))
  if (length(bad) > 0) {
    abort_mdpd(
      c("The file must be encoded in UTF-8.",
        x = "{.val {shorten(iconv(x[bad[1]], 'latin1', 'UTF-8'), 60)}} is not.",
        i = "Read it by {.fn utils::read.csv} with its {.arg fileEncoding}, or convert it."),
      class = "file", call = call
    )
  }
  enc2utf8(x)
}

# At a NUL byte R ends the text or the line, and what it says then is of other lines.
check_no_nul <- function(file, call = rlang::caller_env()) {
  con <- open_text(file, call)
  on.exit(close(con))
  line <- 1
  while (length(bytes <- while_reading(readBin(con, "raw", 2^20), call)) > 0) {
    nul <- grepRaw(as.raw(0), bytes, fixed = TRUE)
    if (length(nul) > 0) {
      abort_mdpd(
        c("File {.file {file}} must be text.",
          x = "Line {line + sum(bytes[seq_len(nul)] == charToRaw('\n'))} has a NUL byte.",
          i = "Is it in UTF-16, or was it damaged?"),
        class = "file", call = call
      )
    }
    line <- line + sum(bytes == charToRaw("\n"))
  }
}

check_separator <- function(sep, arg = rlang::caller_arg(sep), call = rlang::caller_env()) {
  if (!is.null(sep) && !(rlang::is_string(sep) && nchar(sep, "bytes") <= 1)) {
    abort_mdpd(
      "{.arg {arg}} must be one character, or {.code \"\"} for white space, not {describe(sep)}.",
      class = "argument", call = call
    )
  }
}

# Counts the fields of every line: they must agree, be at least three, and go on below the header.
# `numbers` are the lines the triples are in.
check_lines <- function(file, sep, header, call = rlang::caller_env()) {
  con <- open_text(file, call)
  on.exit(close(con))
  n_fields <- while_reading(
    utils::count.fields(con, sep = sep, quote = "\"", blank.lines.skip = FALSE, comment.char = ""),
    call
  )
  check_read_whole(con, file, call)
  n_fields[find_blank_lines(file, n_fields, call)] <- 0
  numbers <- which(n_fields > 0)
  # Where a quote is left open the whole file is one.
  n_fields <- if (length(numbers) > 0) n_fields[numbers] else 1L
  if (n_fields[1] < 3) {
    abort_mdpd(
      c("The file must have at least three columns: items, workers and labels.",
        x = "Its first line has {n_fields[1]}."),
      class = "file", call = call
    )
  }
  ragged <- which(n_fields != n_fields[1])
  if (length(ragged) > 0) {
    abort_mdpd(
      c("Every line must have {n_fields[1]} fields, as the first has.",
        x = "Line {numbers[ragged[1]]} has {n_fields[ragged[1]]}."),
      class = "file", call = call
    )
  }
  if (length(n_fields) == header) {
    abort_mdpd("The file must have labels below its header.", class = "file", call = call)
  }
  list(n_fields = n_fields[1], numbers = if (header) numbers[-1] else numbers)
}

# Lines of nothing but blanks: count.fields() takes them for a field, and scan() skips them.
find_blank_lines <- function(file, n_fields, call) {
  single <- which(n_fields == 1)
  if (length(single) == 0 || length(single) == length(n_fields)) {
    return(integer())
  }
  con <- open_text(file, call)
  on.exit(close(con))
  lines <- while_reading(readLines(con, warn = FALSE), call)
  single[!grepl("[^ \t\r]", lines[single], useBytes = TRUE)]
}

check_no_blank <- function(triples, numbers, call = rlang::caller_env()) {
  for (name in names(triples)) {
    blank <- which(is.na(triples[[name]]))
    if (length(blank) > 0) {
      abort_mdpd(
        c("Every line must have an item, a worker and a label.",
          x = "Line {numbers[blank[1]]} has no {name}; {length(blank)} in all."),
        class = "file", call = call
      )
    }
  }
}
