# What items are about, where the columns of the data say so: the attribute `label`, as haven and
# others set it. Names stay what they are called by; labels stand in prints and pictures.

# Named by item, those that have one; NULL where none has.
variable_labels <- function(x) {
  if (!is.data.frame(x)) {
    return(NULL)
  }
  labels <- lapply(seq_along(x), function(j) attr(table_column(x, j), "label", exact = TRUE))
  labels <- stats::setNames(labels, names(x))
  labels <- labels[vapply(labels, rlang::is_string, NA)]
  check_encoding(unlist(labels), "The variable labels", rlang::caller_env(2))
  labels <- trimws(gsub("[[:space:]]+", " ", vapply(labels, enc2utf8, "")))
  if (any(labels != "")) labels[labels != ""]
}

# What stands for each of the items; items with the same label are told apart by their names.
item_titles <- function(items, labels) {
  if (is.null(labels)) {
    return(stats::setNames(items, items))
  }
  own <- unname(labels[items])
  titles <- ifelse(is.na(own), items, own)
  twice <- titles %in% titles[duplicated(titles)] & !is.na(own)
  titles[twice] <- paste0(items[twice], ": ", titles[twice])
  stats::setNames(make.unique(titles), items)
}

# The model with the labels in place of the names of its items, to be printed or drawn.
show_variable_labels <- function(object) {
  if (is.null(object$variable_labels)) {
    return(object)
  }
  titles <- item_titles(names(object$item_probs), object$variable_labels)
  retitle <- function(items) unname(titles[items])
  for (part in c("item_probs", "item_information", "item_evidence", "inclusion")) {
    if (!is.null(object[[part]])) names(object[[part]]) <- retitle(names(object[[part]]))
  }
  object$informative <- retitle(object$informative)
  if (!is.null(object$trace)) {
    object$trace[c("item_1", "item_2")] <- lapply(object$trace[c("item_1", "item_2")], retitle)
  }
  if (!is.null(object$coded)) {
    names(object$coded$levels) <- retitle(names(object$coded$levels))
    colnames(object$coded$codes) <- names(object$coded$levels)
  }
  object
}

# Data for such a model.
show_column_labels <- function(x, object) {
  titles <- item_titles(names(object$item_probs), object$variable_labels)
  if (is.null(x) || is.null(object$variable_labels) || is.null(colnames(x))) {
    return(x)
  }
  known <- colnames(x) %in% names(titles)
  colnames(x)[known] <- titles[colnames(x)[known]]
  x
}

# The terms of a regression with the labels of covariates in place of their names: that of a factor,
# or its name, stands before the level, as in "Sex: female".
term_titles <- function(object, terms) {
  factors <- names(object$xlevels)
  labels <- c(object$variable_labels, stats::setNames(factors, factors))
  labels <- labels[!duplicated(names(labels))]
  parts <- lapply(names(labels), function(name) {
    values <- object$covariates[[name]]
    levels <- if (is.factor(values)) levels(values) else unique(as.character(values))
    titles <- c(labels[[name]], paste0(labels[[name]], ": ", levels))
    stats::setNames(titles, c(name, paste0(name, levels)))
  })
  parts <- unlist(parts)
  vapply(strsplit(terms, ":", fixed = TRUE), function(term) {
    known <- term %in% names(parts)
    term[known] <- parts[term[known]]
    paste(term, collapse = if (any(known)) " x " else ":")
  }, "")
}
