# Writing to the console: rules, headings, fields, columns, tables.

cat_line <- function(...) cat(..., "\n", sep = "")

cat_rule <- function(title) cat_line(cli::rule(left = cli::style_bold(title)))

cat_heading <- function(title) cat_line("\n", cli::style_bold(title))

cat_fields <- function(fields) {
  names <- format(names(fields), width = 10)
  width <- nchar(names[1], "width")
  for (i in seq_along(fields)) {
    lines <- strwrap(fields[i], width = cli::console_width() - width)
    indent <- c(paste0(cli::col_grey(names[i]), " "),
                rep(strrep(" ", width + 1), length(lines) - 1))
    cat(paste0(indent, lines), sep = "\n")
  }
}

# Entries side by side in columns, row by row, as many as fit into the line.
cat_columns <- function(entries, most) {
  if (length(entries) == 0) {
    return(invisible())
  }
  shown <- format(utils::head(entries, most))
  per_line <- max(1, (cli::console_width() - 2) %/% (nchar(shown[1], "width") + 3))
  lines <- split(shown, (seq_along(shown) - 1) %/% per_line)
  cat(paste0("  ", trimws(vapply(lines, paste, "", collapse = "   "), "right")), sep = "\n")
  cat_left_out(length(entries) - length(shown))
}

# Wide tables go on below, as the columns of a printed matrix do.
cat_table <- function(table) {
  if (nrow(table) == 0) {
    return(invisible())
  }
  left_out <- attr(table, "left_out")
  attr(table, "left_out") <- NULL
  rownames(table) <- paste0("  ", format(rownames(table)))
  print(table, quote = FALSE, right = TRUE)
  cat_left_out(left_out)
}

cat_left_out <- function(n) {
  if (!is.null(n) && n > 0) {
    cat_line("  ", ellipsis, " and ", comma(n), " more")
  }
}

# Sentences of their own below a table.
cat_notes <- function(notes) {
  for (note in notes) {
    cat_line("\n", paste(strwrap(note, cli::console_width()), collapse = "\n"))
  }
}

cat_hint <- function(hint) {
  if (hints$are_shown) cat_line("\n", cli::col_grey(paste("Next:", hint)))
}

hints <- rlang::env(are_shown = TRUE)

# A print in the middle of another.
without_hint <- function(code) {
  were_shown <- hints$are_shown
  hints$are_shown <- FALSE
  on.exit(hints$are_shown <- were_shown)
  code
}
