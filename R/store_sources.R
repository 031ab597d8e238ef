# Where the rows of a store come from. Whatever it is, it is read once, in chunks: a reader is a
#   list next_chunk  a function that returns the next rows, a data frame or a matrix, or NULL at the
#   end from_text   are all its values strings, of which the types are found out at the end?
#   close       a function, called when all is done or has failed

#' Read a source in chunks
#'
#' @param source,query,text See [row_store()]; `text` are the settings for text files.
#' @param chunk_rows A function of the number of columns: how many rows to read at once.
#' @noRd
open_source <- function(source, query, text, chunk_rows, call, arg = "source") {
  if (inherits(source, "crowd_labels")) source <- as.data.frame(source)
  is_database <- inherits(source, c("DBIConnection", "DBIResult"))
  check_query(query, source, arg, call)
  if (is_table_of_items(source)) {
    check_column_lengths(source, arg, call)
    table_reader(source, chunk_rows)
  } else if (is.function(source)) {
    function_reader(source, arg, call)
  } else if (is_database) {
    database_reader(source, query, chunk_rows, arg, call)
  } else if (is.character(source) && length(source) > 0 && !anyNA(source)) {
    file_reader(source, text, chunk_rows, call)
  } else {
    abort_mdpd(
      c("{.arg {arg}} must be a data frame, a matrix, {.cls crowd_labels}, paths of files, a
         connection to a database, or a function that returns chunks, not {describe(source)}.",
        i = if (is_count_table(source)) "Give a data frame of the counts, and these as weights:
            {.code row_store(as.data.frame(x), path, weights = \"Freq\")}."),
      class = "argument", call = call
    )
  }
}

new_reader <- function(next_chunk, from_text = FALSE, close = function() NULL) {
  list(next_chunk = next_chunk, from_text = from_text, close = close)
}

# One reader after the other; `open` makes that of a part.
chain_readers <- function(parts, open, from_text = FALSE) {
  at <- 0
  reader <- NULL
  close <- function() if (!is.null(reader)) reader$close()
  next_chunk <- function() {
    repeat {
      chunk <- if (!is.null(reader)) reader$next_chunk()
      if (!is.null(chunk) || at == length(parts)) {
        return(chunk)
      }
      close()
      reader <<- NULL  # closed once, also where the next cannot be opened
      at <<- at + 1
      reader <<- open(parts[[at]])
    }
  }
  new_reader(next_chunk, from_text, close)
}

# Tables and functions -----------------------------------------------------------------------------

table_reader <- function(source, chunk_rows) {
  n_rows <- chunk_rows(ncol(source))
  done <- 0
  new_reader(function() {
    n <- min(n_rows, nrow(source) - done)
    if (n == 0) {
      return(NULL)
    }
    rows <- seq.int(done + 1, length.out = n)
    done <<- done + n
    table_rows(source, rows)
  })
}

# As a list of columns, whatever class the table and its columns have.
table_rows <- function(x, rows) {
  if (length(rows) == nrow(x)) {
    return(x)
  }
  if (is.matrix(x)) {
    return(unclass(x)[rows, , drop = FALSE])
  }
  columns <- lapply(seq_along(x), function(j) value_rows(table_column(x, j), rows))
  names <- row_names(x)[rows]
  structure(columns, names = names(x), class = "data.frame",
            row.names = names %||% .set_row_names(length(rows)))
}

# No method of `[`: that of a labelled column may not be there.
value_rows <- function(x, rows) {
  if (length(dim(x)) > 1) {
    return(x[rows, , drop = FALSE])
  }
  kept <- attributes(x)[setdiff(names(attributes(x)), c("names", "dim", "dimnames"))]
  out <- unname(unclass(x)[rows])
  attributes(out) <- kept
  out
}

function_reader <- function(source, arg, call) {
  new_reader(function() {
    chunk <- tryCatch(source(), error = function(cnd) {
      abort_mdpd(
        c("The function {.arg {arg}} must return the next rows, and it ended in an error.",
          x = "{conditionMessage(cnd)}"),
        class = "data", call = call, parent = cnd
      )
    })
    if (!is.null(chunk) && !is_table_of_items(chunk)) {
      abort_mdpd(
        "The function {.arg {arg}} must return a data frame or a matrix, or {.code NULL} at the
         end, not {describe(chunk)}.",
        class = "data", call = call
      )
    }
    drop_row_names(chunk)
  })
}

# Those of a chunk are mostly numbers of rows.
drop_row_names <- function(chunk) {
  if (is.matrix(chunk)) {
    rownames(chunk) <- NULL
  } else if (!is.null(chunk)) {
    chunk <- structure(chunk, row.names = .set_row_names(nrow(chunk)))
  }
  chunk
}

# Databases ----------------------------------------------------------------------------------------

# A result that the user has sent is the user's to clear.
database_reader <- function(source, query, chunk_rows, arg, call) {
  rlang::check_installed("DBI", "to read from a database.")
  if (!DBI::dbIsValid(source)) {
    abort_mdpd(
      "{.arg {arg}} must be open: it was disconnected or cleared.", class = "argument", call = call
    )
  }
  is_sent <- inherits(source, "DBIResult")
  result <- if (is_sent) source else send_query(source, query, call)
  n_rows <- chunk_rows(length(DBI::dbColumnInfo(result)$name))
  new_reader(
    function() if (!DBI::dbHasCompleted(result)) fetch_rows(result, n_rows, call),
    close = function() if (!is_sent) DBI::dbClearResult(result)
  )
}

fetch_rows <- function(result, n_rows, call) {
  tryCatch(DBI::dbFetch(result, n_rows), error = function(cnd) {
    abort_mdpd(
      c("The database must return the next rows, and it ended in an error.",
        x = "{conditionMessage(cnd)}"),
      class = "data", call = call, parent = cnd
    )
  })
}

check_query <- function(query, source, arg, call) {
  if (inherits(source, "DBIConnection") == is.null(query)) {
    abort_mdpd(
      "{.arg query} must be SQL or the name of a table where {.arg {arg}} is a connection to a
       database, and {.code NULL} elsewhere.",
      class = "argument", call = call
    )
  }
}

send_query <- function(con, query, call) {
  check_string(query, call = call)
  if (DBI::dbExistsTable(con, query)) {
    query <- paste("SELECT * FROM", DBI::dbQuoteIdentifier(con, query))
  }
  tryCatch(
    DBI::dbSendQuery(con, query),
    error = function(cnd) {
      abort_mdpd(
        c("{.arg query} must be SQL that the database can answer, or the name of a table.",
          x = "{conditionMessage(cnd)}"),
        class = "argument", call = call
      )
    }
  )
}

# Files --------------------------------------------------------------------------------------------

file_reader <- function(source, text, chunk_rows, call) {
  files <- expand_files(source, call)
  is_parquet <- grepl("[.]parquet$", files, ignore.case = TRUE)
  if (any(is_parquet) && !all(is_parquet)) {
    abort_mdpd(
      "The files of {.arg source} must all be Parquet, or all be text.",
      class = "argument", call = call
    )
  }
  if (is_parquet[1]) {
    if (!rlang::is_installed("arrow")) {
      rlang::check_installed("nanoparquet", "to read Parquet files.")
    }
    chain_readers(files, function(file) parquet_reader(file, call))
  } else {
    chain_readers(files, function(file) text_reader(file, text, chunk_rows, call), TRUE)
  }
}

# Patterns as the shell has them, in the C locale's order.
expand_files <- function(source, call) {
  for (pattern in source) check_file_name(pattern, "source", call)
  files <- unlist(lapply(source, function(pattern) {
    if (file.exists(pattern)) {
      return(pattern)
    }
    found <- Sys.glob(pattern)
    # As texts: R does not sort what is in the encoding of the session.
    if (length(found) > 0) found[order(enc2utf8(found), method = "radix")] else pattern
  }))
  for (file in files) check_file(file, "source", call)
  files
}

# By row group, of nanoparquet; of arrow where only that is there.
parquet_reader <- function(file, call = rlang::caller_env()) {
  reading <- function(code) {
    tryCatch(code, error = function(cnd) {
      abort_mdpd(
        c("File {.file {file}} must be readable as Parquet.", x = "{conditionMessage(cnd)}"),
        class = "file", call = call, parent = cnd
      )
    })
  }
  read <- if (rlang::is_installed("nanoparquet")) groups_of_nanoparquet else groups_of_arrow
  groups <- reading(read(file))
  chain_readers(seq_len(groups$n), function(at) {
    one_chunk(function() reading(as.data.frame(groups$read(at))))
  })
}

# A list of how many row groups a file has, `n`, and a function that reads one by its number. That
# of nanoparquet is not exported in 0.5.2; without it a file is one group.
groups_of_nanoparquet <- function(file) {
  read_group <- get0("read_parquet_row_group", asNamespace("nanoparquet"), mode = "function")
  if (is.null(read_group)) {
    return(list(n = 1, read = function(at) nanoparquet::read_parquet(file)))
  }
  list(
    n = nrow(nanoparquet::read_parquet_metadata(file)$row_groups),
    read = function(at) read_group(file, at - 1L)
  )
}

groups_of_arrow <- function(file, open = arrow::ParquetFileReader$create) {
  reader <- open(file)
  list(n = reader$num_row_groups, read = function(at) reader$ReadRowGroup(at - 1L))
}

one_chunk <- function(read) {
  is_read <- FALSE
  new_reader(function() {
    if (is_read) {
      return(NULL)
    }
    is_read <<- TRUE
    read()
  })
}

# Text, as read.csv() reads it, but that all fields are strings: the types are found when all have
# been seen.
text_reader <- function(file, text, chunk_rows, call) {
  lines <- read_first_lines(file, 1, call)
  text$sep <- text$sep %||% guess_separator(lines[1], is_table = !text$strip)
  con <- open_below_blank(file, call)
  first <- split_header(con, file, text, call)
  names <- if (text$header) first else paste0("V", seq_along(first))
  if (!text$header) {
    close(con)
    con <- open_below_blank(file, call)
  }
  n_rows <- chunk_rows(length(names))
  done <- 0
  new_reader(
    function() {
      columns <- scan_rows(con, file, length(names), text, n_rows, done, call)
      chunk <- as_chunk(columns, names)
      done <<- done + NROW(chunk)
      if (is.null(chunk)) check_read_whole(con, file, call)
      chunk
    },
    close = function() close(con)
  )
}

# At the first line that is not blank, of which there is one.
open_below_blank <- function(file, call) {
  n_blank <- count_blank_lines(file, call)
  con <- open_text(file, call)
  readLines(con, n_blank)
  con
}

count_blank_lines <- function(file, call) {
  con <- open_text(file, call)
  on.exit(close(con))
  n <- 0
  read_line <- function() while_reading(readLines(con, 1, warn = FALSE, skipNul = TRUE), call)
  while (!grepl("[^ \t]", read_line(), useBytes = TRUE)) n <- n + 1
  n
}

split_header <- function(con, file, text, call) {
  is_read <- FALSE
  on.exit(if (!is_read) close(con))
  abort <- function(cnd) abort_unreadable(file, conditionMessage(cnd), 0, call)
  fields <- tryCatch(
    scan(
      con, "", sep = text$sep, quote = "\"", nlines = 1, quiet = TRUE, strip.white = text$strip,
      na.strings = character(), encoding = "UTF-8", blank.lines.skip = TRUE
    ),
    error = abort, warning = abort  # an error of a handler goes to those behind it
  )
  check_utf8(fields, call)
  is_read <- TRUE
  fields
}

# Columns of the next rows.
scan_rows <- function(con, file, n_columns, text, n_rows, rows_before, call) {
  what <- rep(list(""), n_columns)
  abort <- function(cnd) abort_unreadable(file, conditionMessage(cnd), rows_before, call)
  columns <- tryCatch(
    scan(
      con, what, nmax = n_rows, sep = text$sep, quote = "\"", strip.white = text$strip,
      blank.lines.skip = TRUE, na.strings = character(), multi.line = FALSE, quiet = TRUE,
      encoding = "UTF-8"
    ),
    error = abort, warning = abort  # an error of a handler goes to those behind it
  )
  for (column in columns) check_utf8(column, call)
  columns
}

# NULL of no rows.
as_chunk <- function(columns, names) {
  n <- length(columns[[1]])
  if (n > 0) structure(columns, names = names, class = "data.frame", row.names = .set_row_names(n))
}

# scan() counts the lines of a chunk.
abort_unreadable <- function(file, problem, rows_before, call) {
  abort_mdpd(
    c("File {.file {file}} must be readable as text in columns.", x = "{problem}.",
      i = if (rows_before > 0) "Lines are counted from row {rows_before + 1}."),
    class = "file", call = call
  )
}
