#' Name and reorder the components of a mixture
#'
#' `name_components()` gives the components names that say what they are; `reorder_components()`
#' puts them in another order. Everything that knows of components goes along: prints, summaries,
#' pictures, tables, predictions, standard errors and samples have the new names, in the new order.
#'
#' The names and the order stay with the fit: [refine()] and [bootstrap()] keep them, and a fit of
#' several `k` has them wherever it is taken from its path by [choose_k()].
#'
#' Where each component stands for one label of a crowd, a component with another name still stands
#' for its label: [worker_quality()] and [confusion()] compare it with that label, and
#' [error_rate()] takes a truth in either words. If the new names are the labels themselves, each
#' component stands for the label that it is named by. Where several components stand for one label
#' the names are those of the components, and rows are still given labels. [predict()] and
#' [confusion()] keep the order of the labels.
#'
#' @param object A fitted mixture, see [stagewise_em()], or a true model from [simulate_crowd()].
#' @param names The new names, strings, all different: named by the components, such as
#'   `c("1" = "Careful", "2" = "Hasty")`, where components that are left out keep the names they
#'   have; or, without names of its own, one for each of the k components in their order.
#' @param order Each component once, in the order wanted: strings are names and numbers are
#'   positions. Or `"size"`: the largest mixing weight first, as fits come.
#' @return `object` with the new names or in the new order. Columns of its trace and the numbers of
#'   components in it stay as they were; `born` says which number is which component.
#' @section Errors:
#' `mdpd_error_argument` for names that are not strings, missing, empty or the same for two
#' components, for a component that does not exist, for one named by the label of another, and for
#' an order that does not have each component once.
#' @family results
#' @seealso [align_components()] for the names and the order of another fit.
#' @examples
#' fit <- stagewise_em(house_votes[-1], k = 2)
#' table(predict(fit), house_votes$party)
#' fit <- name_components(fit, c("1" = "Liberal", "2" = "Conservative"))
#' fit <- reorder_components(fit, c("Conservative", "Liberal"))
#' fit
#' @export
name_components <- function(object, names) {
  check_class(object, "mdpd")
  permute_components(object, seq_len(object$k), new_names(names, object))
}

#' @rdname name_components
#' @export
reorder_components <- function(object, order) {
  check_class(object, "mdpd")
  order <- component_order(order, object)
  permute_components(object, order, names(object$mixing_weights)[order])
}

# The names of all components, those that stay too.
new_names <- function(names, object, call = rlang::caller_env()) {
  # First: a function would be called where names() is meant.
  if (!is.character(names)) {
    abort_mdpd("{.arg names} must be strings, not {describe(names)}.",
               class = "argument", call = call)
  }
  now <- names(object$mixing_weights)
  check_encoding(c(names, names(names)), "{.arg names}", call)
  if (is.null(names(names)) && length(names) != object$k) {
    abort_mdpd(
      c("{.arg names} must have one name for each of the {object$k} component{?s}, or be named by
         components.", x = "It has {length(names)} name{?s}."),
      class = "argument", call = call
    )
  }
  renamed <- if (is.null(names(names))) seq_along(now) else find_components(names(names), now, call)
  new <- replace(now, renamed, enc2utf8(unname(names)))
  check_new_names(new, object, call)
  new
}

# Positions of the components that the new names are for.
find_components <- function(named, now, call) {
  unknown <- setdiff(named, now)
  problem <- if (length(unknown) > 0) {
    "There is no {.val {unknown[1]}} among {.val {now}}."
  } else if (anyDuplicated(named)) {
    "Component {.val {named[anyDuplicated(named)]}} is named more than once."
  }
  if (!is.null(problem)) {
    abort_mdpd(
      c("{.arg names} must be named by components of {.arg object}, each once.", x = problem),
      class = "argument", call = call
    )
  }
  match(named, now)
}

check_new_names <- function(new, object, call) {
  empty <- which(is.na(new) | trimws(new) == "")
  of_other <- label_of_other(new, object)
  problem <- if (length(empty) > 0) {
    "The name of component {empty[1]} is {.val {new[empty[1]]}}."
  } else if (anyDuplicated(new)) {
    "{.val {new[anyDuplicated(new)]}} would be the name of {sum(new == new[anyDuplicated(new)])}
     components."
  } else if (length(of_other) > 0) {
    "{.val {new[of_other[1]]}} is the label that another component stands for."
  }
  if (!is.null(problem)) {
    abort_mdpd(
      c("{.arg names} must give each component a name of its own.", x = problem),
      class = "argument", call = call
    )
  }
}

# Which components would have the label of another; where all have labels, these say what they
# stand for.
label_of_other <- function(new, object) {
  if (!named_by_labels(object) || !has_kinds(object) && setequal(new, object$labels)) {
    return(NULL)
  }
  which(new %in% object$labels & new != component_labels_of(object))
}

component_order <- function(order, object, call = rlang::caller_env()) {
  if (identical(order, "size")) {
    return(order(-object$mixing_weights))
  }
  names <- names(object$mixing_weights)
  are_names <- is.character(order) || is_sound_factor(order)
  at <- if (are_names) match(as.character(order), names) else order
  is_order <- rlang::is_bare_numeric(at) && length(at) == object$k &&
    setequal(at, seq_len(object$k))
  if (!is_order) {
    abort_mdpd(
      c("{.arg order} must have each component once, by name or by number, or be {.val size}, not
         {describe(order)}.", i = "The components are {.val {names}}."),
      class = "argument", call = call
    )
  }
  as.integer(at)
}

# Have the components other names or another order than a fit comes with?
is_arranged <- function(object) {
  is.unsorted(-object$mixing_weights) ||
    !identical(names(object$mixing_weights), usual_names(object))
}

usual_names <- function(object) {
  names <- names(object$mixing_weights)
  if (has_kinds(object)) {
    number_kinds(unname(object$stands_for))
  } else if (named_by_labels(object)) {
    names[names %in% object$labels]
  } else {
    as.character(seq_along(names))
  }
}

# The names and the order of `object` for a fit that went on from there: by the labels where each
# component stands for one, else by the rows, `posterior`, or, on other data, by the parameters.
keep_arrangement <- function(fit, object, posterior = NULL) {
  if (!is_arranged(object)) {
    return(fit)
  }
  by_label <- function(x) named_by_labels(x) && !has_kinds(x)
  if (by_label(fit) && by_label(object)) {
    order <- match(component_labels_of(object), component_labels_of(fit))
    return(permute_components(fit, order, names(object$mixing_weights)))
  }
  overlap <- if (is.null(posterior)) {
    parameter_overlap(fit, object)
  } else {
    crossprod(`rownames<-`(fit$posterior, NULL), `rownames<-`(posterior, NULL))
  }
  align_by_overlap(fit, overlap)
}
