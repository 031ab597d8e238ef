#' Classify new rows
#'
#' @param object A fitted mixture, see [stagewise_em()], or a true model from [simulate_crowd()].
#' @param newdata Matrix, data frame, [crowd_labels()] or [row_store()] with the fit's items: in any
#'   order, extra ones are left out. By default the rows of the fit. A level the fit never saw
#'   counts as missing, with a warning.
#' @param type `"class"` (default), `"prob"`, `"component"` or `"density"`.
#' @param ... Not used; must be empty.
#' @param file Of a [row_store()] as `newdata`: a path to which the predictions are written, shard
#'   by shard, so that those of all rows need not fit in memory; or `NULL` (default). A file of
#'   comma-separated values with the columns `row` (the number), `id` where the store has ids,
#'   `class` (empty for a row without an answer), and by `type` the `density`, or the probability of
#'   each class; compressed by gzip where the path ends in `.gz`. Its path is returned invisibly.
#' @return n_rows of `newdata`, row names kept:
#'   * `"class"`: a factor, `NA` for a row without any answer, which says nothing of its class; else
#'     the component with the largest posterior probability; where several components of a crowd
#'     stand for one label the label with the largest, each label's being the sum over its
#'     components. Among those whose probabilities differ by at most 1e-9, which is above
#'     rounding and below what data can tell, it is the label that the row was given most (by
#'     workers whose answers differ between components), where components stand for labels and the
#'     fit keeps its data, then the first: in the order of the labels, else by mixing weight;
#'   * `"prob"`: n_rows x k posterior probabilities, rows sum to 1, those of a row without any
#'     answer being the mixing weights; where several components stand for one label, n_rows x
#'     n_labels;
#'   * `"component"`: a factor, the component with the largest posterior probability, or `NA` as
#'     above;
#'   * `"density"`: the log-density of each row's observed items (nats). Of the fit's own rows whose
#'     class is known, without `newdata`, it is that of items and class together,
#'     \eqn{\log \pi_k + \sum_i \log \mu_{ik}(x_{ni})}{log pi[k] + sum_i log mu[i,k](x[n,i])}, as
#'     in the log-likelihood.
#' @details Items that are the same in every component are needed for `"density"` only: `newdata`
#'   for the other types may lack them. Of a fit by evidence it may lack all items that
#'   [informative()] does not name, if it names any: they are left out as missing answers are, with
#'   a message of class `mdpd_message_left_out`. An item that is needed and that nobody answered, as
#'   one that a later wave of a survey did not ask, may be a column of `NA`.
#'
#'   Items of a crowd whose label is `known` keep it without `newdata`, and in a [row_store()] that
#'   has known labels itself, see [add_known()], if the fit holds these. [crowd_labels()] as
#'   `newdata` do not say what is known: they are classified by their labels alone, also where they
#'   are the crowd of the fit, since other items may have the same ids.
#' @section Errors and warnings:
#' `mdpd_error_missing_item` names the items that `newdata` lacks; `mdpd_warning_unseen_level` names
#' levels the fit did not see; a message of class `mdpd_message_no_answer` says how many rows have
#' no class; `mdpd_error_no_data` when `newdata` is needed and not given; `mdpd_error_file` for a
#' `file` that cannot be written.
#' @references
#' McLachlan, G. and Peel, D. (2000). *Finite Mixture Models*, section 1.15.
#' \doi{10.1002/0471721182}
#' @family results
#' @examples
#' crowd <- simulate_crowd(n_items = 300, n_workers = 30, accuracy = rep(0.7, 5), seed = 1)
#' fit <- stagewise_em(crowd$labels, k = 3)
#' new <- simulate_crowd(n_items = 5, n_workers = 30, accuracy = rep(0.7, 5), seed = 2)
#' predict(fit, new$labels)
#' predict(fit, new$labels, type = "prob")
#' @export
predict.mdpd <- function(object, newdata = NULL,
                         type = c("class", "prob", "component", "density"), ..., file = NULL) {
  rlang::check_dots_empty()
  type <- check_predict_type(type, c("class", "prob", "component", "density"))
  if (inherits(newdata, "row_store")) {
    return(predict_store(object, newdata, type, file))
  }
  if (!is.null(file)) {
    abort_mdpd(
      "{.arg file} is for a {.fn row_store} as {.arg newdata}.", class = "argument"
    )
  }
  predict_rows(object, newdata, type, rlang::current_env())
}

predict_rows <- function(object, newdata, type, call) {
  if (is.null(newdata) && type != "density" && !is.null(object$posterior)) {
    posterior <- object$posterior
    coded <- object$coded
    no_answer <- object$no_answer
  } else {
    coded <- if (is.null(newdata)) {
      check_has_data(object, "newdata", call, or_store = TRUE)$coded
    } else if (type == "density") {
      read_new(newdata, object, call = call)
    } else {
      read_to_classify(newdata, object, call)
    }
    if (type == "density") {
      return(stats::setNames(posterior_of(object, coded)$row_loglik, rownames(coded$codes)))
    }
    posterior <- named_posterior(coded, object)
    no_answer <- new_rows_without_answer(newdata, coded, object)
  }
  if (type != "component") posterior <- class_posterior(posterior, object)
  if (type == "prob") {
    return(posterior)
  }
  inform_no_answer(no_answer)
  posterior_class(object, posterior, coded, no_answer)
}

# New rows as far as their class is to be told from them.
read_to_classify <- function(newdata, object, call) {
  rows <- rows_by_group(newdata, object, "newdata", call)
  items <- differing_items(object)
  if (is_table_of_items(rows)) {
    items <- items_to_classify(object, items_of_new(rows, object))
  }
  read_new(rows, object, items, arg = "newdata", call = call)
}

# Rows of new data without an answer to any item of the fit. A level that the fit never saw is none.
new_rows_without_answer <- function(newdata, coded, object) {
  rows_of_no_answer(coded, object, function(items) {
    newdata <- rows_by_group(newdata, object, "newdata", rlang::caller_env())
    items <- intersect(items, items_of_new(newdata, object))
    new <- suppressWarnings(read_new(newdata, object, items), "mdpd_warning_unseen_level")
    new$codes
  })
}

items_of_new <- function(newdata, object) {
  if (inherits(newdata, "crowd_labels")) {
    return(newdata$workers)
  }
  by_position <- is.matrix(newdata) && is.null(colnames(newdata))
  if (by_position) names(object$item_probs) else item_names(newdata)
}
