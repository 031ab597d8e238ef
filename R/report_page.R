# The page: elements of HTML by htmltools, and one file without any link to another.

# A heading and what stands below it. `id` is where the table of contents leads.
report_section <- function(id, heading, ...) {
  section <- htmltools::tags$section(
    id = id, `aria-labelledby` = paste0(id, "-heading"),
    htmltools::h2(heading, id = paste0(id, "-heading")), ...
  )
  structure(section, heading = heading, id = id)
}

paragraph <- function(..., class = NULL) htmltools::p(paste0(...), class = class)

# Lines of code, without the indents of the page.
as_written <- function(lines) {
  text <- htmltools::htmlEscape(paste(lines, collapse = "\n"))
  htmltools::HTML(paste0("<pre><code>", text, "</code></pre>"))
}

# A table; one of class "sortable" sorts. Columns are named by their heads: a character vector or
# tags as they are, or a number_column(). The first column names the row.
report_table <- function(columns, caption, class = "sortable") {
  columns <- Filter(Negate(is.null), columns)
  is_number <- vapply(columns, is_number_column, NA)
  n_rows <- length(if (is_number[1]) columns[[1]]$text else columns[[1]])
  head <- Map(function(name, kind) htmltools::tags$th(name, scope = "col", class = kind),
              names(columns), ifelse(is_number, "number", "text"))
  rows <- lapply(seq_len(n_rows), function(i) {
    htmltools::tags$tr(unname(Map(table_cell, columns, seq_along(columns) == 1, i)))
  })
  htmltools::div(
    class = "scroll", tabindex = 0, role = "region", `aria-label` = caption,
    # Not a caption: that would be as wide as the table, which may be wider than the screen.
    htmltools::p(caption, class = "caption"),
    htmltools::tags$table(
      class = class, `aria-label` = caption,
      htmltools::tags$thead(htmltools::tags$tr(unname(head))), htmltools::tags$tbody(rows)
    )
  )
}

# Numbers as they are written, sorted by their values; `shade`, from 0 to 1, is the strength of the
# colour behind each.
number_column <- function(value, write = format_number, shade = NULL) {
  text <- ifelse(is.na(value), "-", write(value))
  list(text = text, value = value, shade = shade)
}

# Text that does not sort by its letters: `order` has a number for each.
sorted_column <- function(text, order) list(text = text, order = order)

is_number_column <- function(column) !is.null(names(column)) && "value" %in% names(column)

table_cell <- function(column, is_first, i) {
  if (is_number_column(column)) {
    shade <- column$shade[i]
    style <- if (!is.null(shade) && !is.na(shade)) {
      paste0("background-color:", blend("#0072B2", "white", 1 - 0.6 * shade))
    }
    return(htmltools::tags$td(column$text[i], class = "number",
                              `data-order` = sort_key(column$value[i]), style = style))
  }
  if (!is.null(names(column)) && "order" %in% names(column)) {
    return(htmltools::tags$td(column$text[i], `data-order` = column$order[i]))
  }
  content <- if (is.list(column)) column[[i]] else as.character(column[i])
  if (is_first) htmltools::tags$th(content, scope = "row") else htmltools::tags$td(content)
}

# A number for DataTables, which sorts nothing before all numbers, and a column that holds a word,
# such as "Inf", by letters.
sort_key <- function(value) {
  if (is.na(value)) "" else sprintf("%.10g", max(-1e308, min(value, 1e308)))
}

# One file: styles and scripts are written into it.
report_page <- function(title, body) {
  head <- htmltools::tagList(
    htmltools::tags$meta(charset = "utf-8"),
    htmltools::tags$meta(name = "viewport", content = "width=device-width, initial-scale=1"),
    htmltools::tags$meta(name = "generator", content = paste("mdpd", mdpd_version())),
    htmltools::tags$link(rel = "icon", href = "data:,"),
    htmltools::tags$title(title),
    htmltools::tags$style(htmltools::HTML(read_part("report.css")))
  )
  scripts <- lapply(c(table_scripts(), package_part("report.js")), inline_script)
  # By hand, as htmltools takes the head of a page away.
  paste0(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n", as.character(head), "\n</head>\n",
    as.character(htmltools::tags$body(body, scripts)), "\n</html>"
  )
}

package_part <- function(name) system.file("report", name, package = "mdpd", mustWork = TRUE)

read_part <- function(name) {
  paste(readLines(package_part(name), encoding = "UTF-8"), collapse = "\n")
}

# jQuery and DataTables, as DT has them.
table_scripts <- function() {
  found <- htmltools::findDependencies(DT::datatable(data.frame(a = 1)))
  names <- vapply(found, `[[`, "", "name")
  vapply(found[match(c("jquery", "dt-core"), names)], function(dependency) {
    folder <- dependency$src$file
    if (!is.null(dependency$package)) folder <- system.file(folder, package = dependency$package)
    file.path(folder, unlist(dependency$script)[1])
  }, "")
}

# What would end the script early is written another way, which means the same in a string.
inline_script <- function(file) {
  code <- paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  code <- gsub("</script", "<\\/script", code, fixed = TRUE)
  code <- gsub("<!--", "<\\!--", code, fixed = TRUE)
  htmltools::tags$script(htmltools::HTML(code))
}
