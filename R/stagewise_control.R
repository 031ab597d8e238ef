#' Settings of the stagewise EM algorithm
#'
#' Every argument may be left at `NULL`: the engine then uses its own default, which depends on the
#' `method` of [stagewise_em()] where two values are given.
#'
#' @param criterion What the refinement raises and fits are compared by, where `refine` is
#'   `"sparse"`. `"evidence"`, the default of `"robust"`: the log marginal likelihood of the data,
#'   up to approximation, under a prior of how many items differ and by how much that is learned
#'   from all items (empirical Bayes); each item differs as far as that makes likely. `"bic"`, the
#'   default of `"paper"`: the penalised log-likelihood; an item differs between the components or
#'   does not, by its BIC penalty. It is as good where few items differ much, and faster; where many
#'   differ a little it takes them for noise. Fits with prior counts, as of [mdpd()], go by `"bic"`,
#'   and [mdpd()] itself is ordinary EM but for its `prior = "crowd"`, which goes by evidence.
#' @param max_stages Largest number of stages, a count of at least 1. Default 100 (`"robust"`, which
#'   stops by itself when nothing significant is left) or 30 (`"paper"`, which always does all).
#' @param em_steps EM steps on the informative items in every stage, a count of at least 1. Default
#'   5 (`"robust"`) or 1 (`"paper"`).
#' @param alpha Level of the test that stops `method = "robust"`, a number above 0 and at most 1: a
#'   pair is used when its p-value, corrected for the number of pairs and components, is below it.
#'   Default 0.01.
#' @param split_step Euclidean length by which a split moves the probabilities of each of its two
#'   items, from 0 to 1. The value 0, the default of `"robust"`, searches the length with the
#'   smallest remaining information; `"paper"` uses 0.05.
#' @param floor Smallest item-response probability during the stages, from 0 to 0.1. Default 0
#'   (`"robust"`) or 0.002 (`"paper"`). Refinement uses none.
#' @param smoothing Pseudo-count added to each item in each component, spread over its levels by
#'   their overall frequency, a number of at least 0. Default 0, maximum likelihood. A refinement by
#'   evidence adds none: its probabilities are posterior means under the learned prior.
#' @param smoothing_loss Penalised log-likelihood that the last estimate may give up for smoothing
#'   (nats, at least 0). Where the likelihood is flat, its maximum has probabilities near 0 and 1
#'   that the data hardly ask for, and classifies rows worse. Last of all the polish by BIC
#'   therefore moves to the posterior mode under the strongest smoothing, of 1/4, 1/2, 1,
#'   2 or 4, that costs at most this. Default 0.3 (`"robust"`), a likelihood ratio of 1.35, or 0
#'   (`"paper"`): the maximum as it is. Where `smoothing` is not 0 nothing is added to it. By
#'   evidence it is not used.
#' @param tol Refinement stops when the relative change of its objective is at most this, a number
#'   above 0 and at most 1. Default 1e-8. With `refine = "full"`, up to 20,000 rows, the best end
#'   goes on to a hundredth of it.
#' @param max_iter Largest number of EM iterations of a refinement, a count of at least 1. Default
#'   1000.
#' @param polish After the refinement, search for a better optimum by splitting and merging
#'   components, moving rows and, by BIC, moving items into and out of the informative set? `TRUE`
#'   or `FALSE`. Default `TRUE` (`"robust"`) or `FALSE` (`"paper"`). Without refinement nothing is
#'   polished. With many components it takes most of the time: `FALSE` trades the better optimum for
#'   speed. For each `k` the polish, with the growth from fewer components, may make 500 `k` passes
#'   over the data (EM iterations), or as many as the answers times `k` go into 1e10, each level of
#'   an item counting as 100 answers, whichever is more. The search of usual data ends long before;
#'   where it does not, the fit has the `status` `"search_limit"`.
#' @param threads Threads the engine may use, a count of at least 1. Default 2, or as many as the
#'   machine or the environment variable `OMP_THREAD_LIMIT` allows, where that is fewer. No result
#'   depends on it.
#' @return A list of class `"stagewise_control"`.
#' @section Errors:
#' An argument outside its range is an error of class `mdpd_error_argument`.
#' @references
#' Stephens, M. (2017). False discovery rates: a new deal. *Biostatistics* 18, 275-294.
#' \doi{10.1093/biostatistics/kxw041}
#'
#' Galindo-Garre, F. and Vermunt, J. K. (2006). Avoiding boundary estimates in latent class analysis
#' by Bayesian posterior mode estimation. *Behaviormetrika* 33, 43-59. \doi{10.2333/bhmk.33.43}
#' @family fitting
#' @examples
#' control <- stagewise_control(criterion = "bic", alpha = 0.001)
#' crowd <- simulate_crowd(n_items = 200, n_workers = 20, accuracy = rep(0.7, 5), seed = 1)
#' stagewise_em(crowd$labels, k = 3, control = control)
#' @export
stagewise_control <- function(criterion = NULL, max_stages = NULL, em_steps = NULL, alpha = NULL,
                              split_step = NULL, floor = NULL, smoothing = NULL,
                              smoothing_loss = NULL, tol = NULL, max_iter = NULL, polish = NULL,
                              threads = NULL) {
  positive <- .Machine$double.xmin
  if (!is.null(criterion)) criterion <- check_choice(criterion, c("bic", "evidence"))
  if (!is.null(max_stages)) check_count(max_stages)
  if (!is.null(em_steps)) check_count(em_steps)
  if (!is.null(alpha)) check_number(alpha, c(positive, 1))
  if (!is.null(split_step)) check_number(split_step, c(0, 1))
  if (!is.null(floor)) check_number(floor, c(0, 0.1))
  if (!is.null(smoothing)) check_number(smoothing, c(0, Inf))
  if (!is.null(smoothing_loss)) check_number(smoothing_loss, c(0, Inf))
  if (!is.null(tol)) check_number(tol, c(positive, 1))
  if (!is.null(max_iter)) check_count(max_iter)
  if (!is.null(polish)) check_flag(polish)
  if (!is.null(threads)) check_count(threads)
  structure(
    list(
      criterion = criterion, max_stages = max_stages, em_steps = em_steps, alpha = alpha,
      split_step = split_step,
      floor = floor, smoothing = smoothing, smoothing_loss = smoothing_loss, tol = tol,
      max_iter = max_iter, polish = polish, threads = threads
    ),
    class = "stagewise_control"
  )
}

# A control as stagewise_control() makes it, also where it was changed by hand since.
check_control <- function(control, arg = rlang::caller_arg(control), call = rlang::caller_env()) {
  check_class(control, "stagewise_control", arg = arg, call = call)
  if (!is_control(control)) {
    abort_mdpd(
      c("{.arg {arg}} must be as {.fn stagewise_control} makes it.", x = "It was changed since."),
      class = "argument", call = call
    )
  }
  invisible(control)
}

# Does stagewise_control() take its settings?
is_control <- function(control) {
  is_named <- is.list(control) && rlang::is_dictionaryish(unclass(control)) &&
    all(names(control) %in% names(formals(stagewise_control)))
  is_named &&
    !is.null(value_or(do.call(stagewise_control, lapply(unclass(control), as_plain)), NULL))
}

# A symbol or a call in a list of arguments would be evaluated.
as_plain <- function(x) if (is.language(x)) list() else x

# What a fit was made with. Version 0.1.0 had fewer settings and no criterion but BIC; a model that
# is no fit has none.
control_of <- function(object) {
  control <- as.list(unclass(object$control))
  if (length(control) > 0 && is.null(object$evidence)) {
    control$criterion <- control$criterion %||% "bic"
  }
  complete_control(control, object$method %||% "robust")
}

# The control with the engine's defaults for `method` in place of every NULL. The defaults live in
# C++, so that the core is complete without R.
complete_control <- function(control, method) {
  given <- Filter(Negate(is.null), unclass(control))
  structure(utils::modifyList(core_defaults(method), given), class = "stagewise_control")
}

#' @export
print.stagewise_control <- function(x, ...) {
  given <- Filter(Negate(is.null), unclass(x))
  cat("<stagewise_control>\n")
  if (length(given) > 0) {
    cat(paste0("  ", format(names(given)), "  ", vapply(given, format_number, "")), sep = "\n")
  }
  if (length(given) < length(formals(stagewise_control))) {
    others <- if (length(given) > 0) "others" else "all"
    cat("  ", others, ": the defaults of the method, see ?stagewise_control\n", sep = "")
  }
  invisible(x)
}
