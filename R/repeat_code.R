# R code that makes a fit again: the call as the user wrote it, and the number of classes taken from
# its path; or what explore() did.
repeat_code <- function(object) {
  of_polca <- is_of_polca(object)
  made <- object$explored %||% c(
    assignment("fit", if (of_polca) rlang::call2("as_mdpd", object$call) else object$call),
    if (is_not_best(object)) paste0("fit <- choose_k(fit, ", asked_k(object), ")"),
    arrangement_code(object)
  )
  c("library(mdpd)", if (of_polca) "library(poLCA)", made)
}

# Order and names of the components, where the user gave them: fits come with the largest first, but
# for those of poLCA, which keep its numbers.
arrangement_code <- function(object) {
  if (is_of_polca(object)) {
    return(if (!is_numbered(object)) naming_code(names(object$mixing_weights)))
  }
  # What refine() goes on from has its names already.
  is_fresh <- rlang::is_call(object$call, c("stagewise_em", "mdpd"))
  if (!is_fresh || !is_arranged(object)) {
    return(NULL)
  }
  sizes <- object$mixing_weights
  names <- names(sizes)
  position <- rank(-sizes, ties.method = "first")
  is_named <- !identical(names, usual_names(object)) &&
    !identical(names, as.character(position)) # numbered, in another order
  c(
    if (is.unsorted(-sizes)) paste0("fit <- reorder_components(fit, c(", toString(position), "))"),
    if (is_named) naming_code(names)
  )
}

naming_code <- function(names) {
  paste0("fit <- name_components(fit, c(", toString(vapply(names, deparse, "")), "))")
}

# "name <- call", in lines. Arguments that stand in the call as values, such as a whole table where
# a function made the call, would fill pages and show rows: they go by their names.
assignment <- function(name, call) {
  if (is.null(call)) {
    return("# The fit holds no call.")
  }
  is_written <- vapply(as.list(call), may_be_written, NA)
  call[!is_written] <- lapply(sub("^x?$", "data", rlang::names2(call)[!is_written]), as.name)
  written_call(name, call)
}

may_be_written <- function(part) {
  is.language(part) || length(part) == 1 ||
    is.atomic(part) && !is.object(part) && is.null(dim(part)) && length(part) <= 20
}

is_not_best <- function(object) {
  path <- object$path
  !is.null(path) && asked_k(object) != path$k[best_row(path, main_criterion(path))]
}

# The number asked for by which the fit stands in its path.
asked_k <- function(object) object$path$k[match(object$k, object$path$components)]
