#' Write a report of a fit for colleagues
#'
#' Makes one HTML file that any browser opens, without a server, without internet and without R:
#' the classes with their sizes and what sets each apart, their profiles, the items and how much
#' each tells, how sure the classes of the rows are, how `k` was chosen, whether the model fits the
#' tables of answers and which pairs of items it leaves dependent ([goodness_of_fit()],
#' [pair_residuals()]), a paragraph on the method with its sources, the R code that repeats the
#' analysis and the versions of the programs. For crowds also the labels, the workers and their
#' confusion matrices.
#'
#' Tables are sorted by a click on the head of a column, by DataTables; marks of pictures say what
#' they stand for under the mouse or the finger. Without JavaScript all texts, tables and pictures
#' are still there. Pictures are those of [plot.mdpd()], turned into SVG by gridSVG (Murrell and
#' Potter 2014).
#'
#' By default no row of the data stands in the file, and no class of a row: only numbers over rows.
#' Numbers of a class may still be of few rows; levels of items and ids of workers stand in it as
#' they are; and the R code is the call as it was written, or that of [explore()], in which known
#' labels name their items. Look through the file before it leaves the house.
#'
#' A fit of a [row_store()] keeps no row: its report has sums over all of them, and no tests of fit.
#'
#' The package needs htmltools, DT and gridSVG for it.
#'
#' @param object A fit, see [stagewise_em()] and [mdpd()].
#' @param file Path of the file to write, a string that ends in `.html` or `.htm`; `.html` is added
#'   where there is no ending. Its folder must exist.
#' @param title Title of the page, a string; by default, `NULL`, the number of classes and of items.
#' @param data Put the rows into the file, with their answers, their class and how sure it is?
#'   Default `FALSE`. The fit must keep its data.
#' @param samples Number of samples of the fitted model from which the tests of fit have their
#'   p-values, a count of at most 1,000,000; 0, the default, draws none, and the p-values are those
#'   of chi-square. Not for crowds, whose reports have no tests of fit. As long as `samples` fits
#'   from good starts.
#' @param overwrite Replace a file that is there? Default `FALSE`: an error.
#' @param open Show the file in the browser? Default: in interactive sessions.
#' @param ... Not used; must be empty.
#' @return The path of the file, invisibly.
#' @section Errors:
#' `mdpd_error_file` for a file that exists and for a folder that does not;
#' `mdpd_error_not_stored` for a model that was not fitted; `mdpd_error_no_data` for `data = TRUE`
#' where the fit keeps none; `mdpd_error_argument` for an argument out of range. A package that is
#' missing is asked for, see [rlang::check_installed()].
#' @references
#' Murrell, P. and Potter, S. (2014). The gridSVG package. *The R Journal* 6 (1), 133-143.
#' \doi{10.32614/RJ-2014-013}
#' @family results
#' @seealso [explore()] for a page in which the fit can be changed.
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 2)
#' if (rlang::is_installed(c("htmltools", "DT", "gridSVG")) && interactive()) {
#'   report(fit, tempfile(fileext = ".html"), title = "Votes of 1984")
#' }
#' @export
report <- function(object, file, ..., title = NULL, data = FALSE, samples = 0, overwrite = FALSE,
                   open = rlang::is_interactive()) {
  rlang::check_dots_empty()
  check_class(object, "mdpd")
  check_fit(object)
  check_flag(data)
  check_n_samples(samples, min = 0)
  check_flag(overwrite)
  check_flag(open)
  if (!is.null(title)) check_string(title)
  file <- check_output(file, overwrite)
  if (data) data_of(object, arg = "object")
  rlang::check_installed(c("htmltools", "DT", "gridSVG"), reason = "to write a report.")
  title <- title %||% report_title(object)
  # Pictures and tables hold numbers that a browser reads.
  rlang::local_options(OutDec = ".", scipen = 0)
  page <- report_page(title, report_sections(object, title, data, samples))
  while_writing(writeLines(enc2utf8(page), file, useBytes = TRUE), file, rlang::current_env())
  if (open) utils::browseURL(file)
  invisible(file)
}

# The path with its ending; nothing is there, unless it may be replaced.
check_output <- function(file, overwrite, call = rlang::caller_env()) {
  check_file_name(file, call = call)
  ending <- sub(".*(\\.[^./\\\\]*)$", "\\1", basename(file))
  if (!grepl(".", basename(file), fixed = TRUE)) {
    file <- paste0(file, ".html")
  } else if (!tolower(ending) %in% c(".html", ".htm")) {
    abort_mdpd("{.arg file} must end in {.val .html}, not in {.val {ending}}.",
               class = "file", call = call)
  }
  check_new_file(file, call = call)
  if (file.exists(file) && !overwrite) {
    abort_mdpd(
      c("File {.file {file}} exists.", i = "Replace it by {.code overwrite = TRUE}."),
      class = "file", call = call
    )
  }
  file
}

report_title <- function(object) {
  classes <- paste(comma(object$k), if (object$k == 1) "class" else "classes")
  paste(classes, "from", plural(length(object$item_probs), item_noun(object)))
}

# Each part of the page, in its order; those that the fit has nothing for are left out.
report_sections <- function(object, title, data, samples = 0) {
  has_workers <- !is.null(object$labels) && !is.null(object$coded)
  titled <- show_variable_labels(object)
  parts <- list(
    classes = section_classes(titled),
    profiles = if (!has_workers) section_profiles(titled),
    items = if (!has_workers) section_items(titled),
    workers = if (has_workers) section_workers(object),
    certainty = if (object$k > 1) section_certainty(object),
    fit = section_fit(object),
    tests = if (may_be_tested(object)) section_tests(object, samples),
    rows = if (data) section_rows(object),
    method = section_method(object),
    code = section_code(object)
  )
  parts <- Filter(Negate(is.null), parts)
  c(list(report_head(object, title, parts, data)), unname(parts))
}
