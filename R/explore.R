#' Change a fit and see what happens
#'
#' Opens a page in the browser in which a fit can be changed by hand: move the number of components,
#' leave out an item or a worker, say what the true label of an item of a crowd is, give classes
#' names. Each change is fitted anew at once, and profiles, informative items, certainty and the
#' path of `k` are drawn again. The page always shows the R code that makes the fit from your data;
#' the button *Done* closes the page and returns the fit.
#'
#' A number of components that was compared with others comes from their path and needs no new fit.
#' After another change the path is of other data: the button *Compare* makes it anew. Names stay
#' with a class as long as most of its rows stay together.
#'
#' Everything runs in this R session; no data leave it. The page needs the packages shiny and bslib.
#'
#' @param object A fit by [stagewise_em()] or [mdpd()] that keeps its data; or the data, see
#'   [stagewise_em()], of which the numbers `k` are then fitted.
#' @param k Where `object` is data: numbers of components, whole numbers of at least 1. Default
#'   `1:6`.
#' @param open Show the page in the browser? Default: in interactive sessions. Otherwise its address
#'   is told in a message.
#' @param port The port the page listens at, a whole number from 1024 to 65535; by default, `NULL`,
#'   a free one.
#' @param ... Not used; must be empty.
#' @return The fit as it was when the page was closed, invisibly. Its part `explored` is the code
#'   that makes it, a string for each line, which [report()] shows.
#' @section Errors:
#' `mdpd_error_argument` for a fit made by another function, such as [refine()], or whose `start` is
#' no string, or `search_rows`, where the search had a sample, no number in its call, as code could
#' not repeat it, and for an argument out of range; `mdpd_error_not_stored` for a model that was not
#' fitted; `mdpd_error_no_data` for a fit that keeps no data; those of [stagewise_em()] for data.
#' Within the page a change that cannot be is told there.
#' @references
#' Chang, W. and others (2022). shiny: Web Application Framework for R.
#' \doi{10.32614/CRAN.package.shiny}
#' @family fitting
#' @seealso [report()] for a file that can be sent.
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 1:4)
#' if (interactive()) {
#'   fit <- explore(fit)
#'   writeLines(fit$explored)
#' }
#' @export
explore <- function(object, ..., k = 1:6, open = rlang::is_interactive(), port = NULL) {
  check_given(object)
  rlang::check_dots_empty()
  check_flag(open)
  if (!is.null(port)) check_count(port, min = 1024, max = 65535)
  state <- explore_state(fit_to_explore(object, k, substitute(object)))
  rlang::check_installed(c("shiny", "bslib"), reason = "to explore a fit.")
  # What fails in there is not the object's fault.
  fit <- as_users(
    shiny::runApp(explore_app(state), port = port, launch.browser = open, quiet = open)
  )
  invisible(fit)
}

# Of data the fit, whose call names them as `named` does.
fit_to_explore <- function(object, k, named, call = rlang::caller_env()) {
  if (inherits(object, "mdpd")) {
    return(object)
  }
  check_counts(k, call = call)
  fit <- stagewise_em(object, k = k)
  fit$call <- rlang::call2("stagewise_em", x = named, k = k)
  fit
}

explore_app <- function(state) {
  shiny::shinyApp(explore_page(state), function(input, output, session) {
    explore_server(state, input, output, session)
  })
}
