# Crowds whose components stand for labels: several of them for one, where its items are of several
# kinds. Rows are then given labels, not components.

# The names of the components: of those that stand for labels the labels', numbered where several
# stand for one. Known rows have tied each to a label, and prior counts that differ i to label i.
component_names <- function(result, problem, order) {
  labels <- problem$labels
  if (result$holds_known) {
    return(labels[result$labels[order]])
  }
  if (!all(problem$prior == problem$prior[1])) {
    return(labels[order])
  }
  if (length(result$labels) == 0) {
    return(as.character(seq_along(order)))
  }
  number_kinds(labels[result$labels[order]])
}

# "no", "yes.1", "yes.2"
number_kinds <- function(labels) {
  kind <- stats::ave(seq_along(labels), labels, FUN = seq_along)
  is_one <- !labels %in% labels[kind > 1]
  make.unique(ifelse(is_one, labels, paste0(labels, ".", kind)), "_")
}

# The label of each component, by its name, where several stand for one; else NULL.
labels_of_kinds <- function(result, problem, order, names) {
  if (anyDuplicated(result$labels) > 0 && !result$holds_known) {
    stats::setNames(problem$labels[result$labels[order]], names)
  }
}

# Do the components stand for labels? Without any informative worker they were named by numbers,
# which may look like labels.
named_by_labels <- function(object) {
  !is.null(object$stands_for) ||
    object$k == length(object$labels) && length(object$informative) > 0 &&
      setequal(names(object$mixing_weights), object$labels)
}

is_numbered <- function(object) {
  identical(names(object$mixing_weights), as.character(seq_len(object$k)))
}

# Do several components stand for one label?
has_kinds <- function(object) anyDuplicated(object$stands_for) > 0

# The label that each component stands for, of components that do.
component_labels_of <- function(object) object$stands_for %||% names(object$mixing_weights)

# What the classes that stand for the labels are called, in the order of the labels: the labels
# themselves, unless the user has given the one component of each another name.
label_names <- function(object) {
  if (is.null(object$stands_for) || has_kinds(object)) {
    return(object$labels)
  }
  names(object$stands_for)[match(object$labels, object$stands_for)]
}

# The label of each component under new names, for `stands_for`; NULL where the names say it.
labels_under_names <- function(object, order, names) {
  named_anew <- !has_kinds(object) && setequal(names, object$labels)
  if (named_anew || !named_by_labels(object)) {
    return(NULL)
  }
  stats::setNames(component_labels_of(object)[order], names)
}

# Of a posterior of the components that of the classes which rows are given: labels, where several
# components stand for one.
class_posterior <- function(posterior, object) {
  if (!has_kinds(object)) {
    return(posterior)
  }
  of_label <- outer(unname(object$stands_for), object$labels, `==`) + 0
  colnames(of_label) <- object$labels
  posterior %*% of_label
}

# The number of classes that a row can be given.
n_classes <- function(object) {
  if (has_kinds(object)) length(unique(object$stands_for)) else object$k
}

# Where kinds share too many rows of other labels, they say how items differ but not their labels.
least_agreement <- 0.8

# The rows of a path whose components are sure of their labels, if they have any.
has_sure_labels <- function(path) {
  agreement <- path$label_agreement %||% rep(NA, nrow(path))
  is.na(agreement) | agreement >= least_agreement
}
