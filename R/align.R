#' Align the components of a mixture with a reference
#'
#' Components have no order of their own. This permutes those of a model so that they match a
#' reference one to one, as well as is possible, by solving the assignment problem.
#'
#' The match is by observations if the reference is a posterior matrix or a class vector: the
#' matched components share the largest sum of posterior probability,
#' \eqn{\max_\sigma \sum_k \sum_n g_{n \sigma(k)} r_{nk}}. It is by parameters if the reference is
#' another model, which may have been fitted to other rows: the smallest sum of squared Hellinger
#' distances between the item-response probabilities of the items and levels in both.
#'
#' @param object A model of class `mdpd`; it must hold a posterior if `reference` is not a model.
#' @param reference A model of class `mdpd`; or a posterior matrix, one row an observation, columns
#'   named by class; or a vector or factor of classes, one value an observation, `NA` if unknown.
#'   Observations are matched by names if both have names, else by position.
#' @return `object` with its components in the order of the reference's and named as they are there.
#'   Components without a partner follow, with the names they had. Every part that has components is
#'   permuted; `trace` keeps the numbering of its stages.
#' @section Errors: `mdpd_error_argument` for inputs of the wrong class or that have no item or no
#'   observation in common, and for a reference of which every class is missing.
#' @references Kuhn (1955), The Hungarian method for the assignment problem, *Naval Research
#'   Logistics Quarterly* 2, 83-97. \doi{10.1002/nav.3800020109}. Stephens (2000), Dealing with
#'   label switching in mixture models, *JRSS B* 62, 795-809. \doi{10.1111/1467-9868.00265}
#' @family evaluation
#' @seealso [clue::solve_LSAP()]
#' @examples
#' model <- simulate_crowd(seed = 1)$model
#' swapped <- model
#' swapped$item_probs <- lapply(model$item_probs, function(probs) probs[, c(2, 3, 1)])
#' aligned <- align_components(swapped, model)
#' all.equal(aligned$item_probs, model$item_probs)
#' @export
align_components <- function(object, reference) {
  check_class(object, "mdpd")
  overlap <- if (inherits(reference, "mdpd")) {
    parameter_overlap(object, reference)
  } else {
    posterior_overlap(as_posterior(object), as_posterior(reference))
  }
  align_by_overlap(object, overlap)
}

#' Share of wrong classes
#'
#' The share of observations whose estimated class is not the true one, in \eqn{[0, 1]}. Classes are
#' compared as strings, so factors, numbers and strings go together.
#'
#' @param estimate A fit (each row gets its most probable component) or a vector or factor of
#'   classes, one value an observation. An `NA` counts as wrong, also that of a row without any
#'   answer.
#' @param truth A vector or factor of true classes; observations where it is `NA` are left out.
#'   Matched to the estimate by names if both have names, else by position.
#' @param align `TRUE` to first find the one-to-one matching of estimated to true classes that has
#'   the fewest errors, for components that have no meaning of their own. `FALSE` by default; but
#'   where it is left out and no class of a fit or a factor is named as one of the truth, such as
#'   `"1"`, `"2"` and `"yes"`, `"no"`, it is `TRUE`, with a warning.
#' @return One number from 0 to 1.
#' @section Errors and warnings: `mdpd_error_argument` for different lengths, no common or doubled
#'   names, a truth that is all `NA`. Where `align` is left out, `mdpd_warning_unmatched_classes`
#'   says that no class of the one is named as one of the other, or names true classes that the
#'   estimate does not know, such as the 0 of a truth of 0 and 1 beside components `"1"` and `"2"`:
#'   their observations count as wrong. (Of an estimate that is neither a fit
#'   nor a factor it says so only where also an estimated class is never true.)
#'   `mdpd_warning_numbered_components` where components of a fit that stand for no class have the
#'   numbers of true ones, and would match them better in another order.
#' @inherit align_components references
#' @family evaluation
#' @examples
#' error_rate(c("a", "b", "b"), c("a", "b", "a"))
#' error_rate(c(2, 1, 1), c("a", "b", "b"), align = TRUE)
#' @export
error_rate <- function(estimate, truth, align = FALSE) {
  check_flag(align)
  by_default <- missing(align)
  object <- estimate
  pair <- match_observations(as_classes(estimate), as_classes(truth))
  pair$x <- in_words_of(pair$x, pair$y, object)
  known <- !is.na(pair$y)
  if (!any(known)) {
    abort_mdpd("{.arg truth} must have a value that is not missing.", class = "argument")
  }
  names <- list(class_names(object, pair$x), class_names(truth, pair$y))
  estimate <- pair$x[known]
  truth <- pair$y[known]
  if (by_default) align <- has_no_common_class(object, names, truth)
  if (align) {
    return(share_wrong(matched_to(estimate, truth), truth))
  }
  rate <- share_wrong(estimate, truth)
  if (by_default && stands_for_none(object) && all(truth %in% names[[1]])) {
    warn_numbered(rate, share_wrong(matched_to(estimate, truth), truth))
  }
  rate
}

# Are the names of the classes no guide to which is which? A warning says so, or which are none.
has_no_common_class <- function(estimate, names, truth, call = rlang::caller_env()) {
  has_levels <- inherits(estimate, "mdpd") || is.factor(estimate)
  if (has_levels && length(intersect(names[[1]], names[[2]])) == 0) {
    warn_unmatched_classes(names, call)
    return(TRUE)
  }
  warn_unmatched_truth(setdiff(truth, names[[1]]), setdiff(names[[1]], names[[2]]), has_levels,
                       call)
  FALSE
}

# Components that have nothing but numbers.
stands_for_none <- function(estimate) {
  inherits(estimate, "mdpd") && is_numbered(estimate) && !named_by_labels(estimate)
}

share_wrong <- function(estimate, truth) mean(is.na(estimate) | estimate != truth)

# Estimated classes by the names of the true ones that they match best.
matched_to <- function(estimate, truth) {
  counts <- table(factor(estimate), factor(truth))  # of strings it would leave out "NaN"
  colnames(counts)[best_match(counts)][match(estimate, rownames(counts))]
}

# That a number is the name of a class as well says nothing.
warn_numbered <- function(rate, least, call = rlang::caller_env()) {
  if (least < rate) {
    warn_mdpd(
      c("The components of {.arg estimate} are numbered and stand for no class of {.arg truth}.",
        x = "As they are named {round(100 * rate, 1)} % are wrong, matched {round(100 * least, 1)}
             %.",
        i = "{.code align = TRUE} matches them; {.code align = FALSE} takes the names as they
             are."),
      class = "numbered_components", call = call
    )
  }
}

# The classes that may occur, and not only those that do.
class_names <- function(x, classes) {
  levels <- if (inherits(x, "mdpd")) class_levels(x) else levels(x)
  setdiff(c(levels, classes), NA)
}

# The labels in place of the names that the user has given to the components which stand for them,
# where the truth is in labels.
in_words_of <- function(classes, truth, fit) {
  if (!inherits(fit, "mdpd") || is.null(fit$stands_for) || has_kinds(fit)) {
    return(classes)
  }
  # Some of the names may still be labels.
  in_labels <- !any(truth %in% label_names(fit)) || all(truth %in% c(fit$labels, NA))
  if (in_labels) classes[] <- fit$stands_for[classes]
  classes
}

warn_unmatched_classes <- function(names, call = rlang::caller_env()) {
  warn_mdpd(
    c("{.arg estimate} and {.arg truth} have no class name in common.",
      x = "The first are {.val {names[[1]][1]}} and {.val {names[[2]][1]}}.",
      i = "The rate is that of the one-to-one matching with the fewest errors, {.code align = TRUE};
           {.code align = FALSE} counts every row as wrong."),
    class = "unmatched_classes", call = call
  )
}

# True classes that none of the estimated is named as. Where it is not known which classes may be
# estimated, one that never is tells only beside one that is never true.
warn_unmatched_truth <- function(unknown, never_true, has_levels, call = rlang::caller_env()) {
  if (length(unknown) > 0 && (has_levels || length(never_true) > 0)) {
    warn_mdpd(
      c("{.arg estimate} must have the class{cli::qty(unknown)}{?/es} {.val {unknown}} of
         {.arg truth}: {cli::qty(unknown)}{?its/their} observations count as wrong.",
        x = if (length(never_true) > 0) "It has {.val {never_true}}, which {.arg truth} has not.",
        i = "{.code align = TRUE} matches the classes one to one; {.code align = FALSE} counts as
             now, without this warning."),
      class = "unmatched_classes", call = call
    )
  }
}

# `overlap`: components in rows, those of the reference in columns.
align_by_overlap <- function(object, overlap) {
  match <- best_match(overlap)
  order <- order(match, na.last = TRUE)
  names <- names(object$mixing_weights)[order]
  matched <- !is.na(match[order])
  names[matched] <- colnames(overlap)[match[order][matched]]
  permute_components(object, order, make.unique(names))
}

# Components in another order and under other names: every part that has components, also of the
# same fit in the path.
permute_components <- function(object, order, names) {
  permute_columns <- function(x) {
    x <- x[, order, drop = FALSE]
    colnames(x) <- names
    x
  }
  permuted <- object
  permuted$mixing_weights <- stats::setNames(object$mixing_weights[order], names)
  permuted$item_probs <- lapply(object$item_probs, permute_columns)
  if (!is.null(object$born)) {
    permuted$born <- stats::setNames(object$born[order], names)
  }
  for (part in c("posterior", "crowd_probs")) {
    if (!is.null(object[[part]])) permuted[[part]] <- permute_columns(object[[part]])
  }
  if (!is.null(object$classification)) {
    permuted$classification <- permute_columns(object$classification[order, , drop = FALSE])
    rownames(permuted$classification) <- names
  }
  if (!is.null(object$sums)) permuted$sums <- order_kept_sums(object$sums, order)
  labels <- labels_under_names(object, order, names)
  if (!identical(labels, object$stands_for)) permuted["stands_for"] <- list(labels)
  if (!is.null(object$path_fits)) {
    permuted$path_fits <- lapply(object$path_fits, function(fit) {
      is_this <- identical(fit$mixing_weights, object$mixing_weights)
      if (is_this) permute_components(fit, order, names) else fit
    })
  }
  permuted
}

# For each row of `overlap` the column assigned to it, NA for rows that are left over.
best_match <- function(overlap) {
  size <- max(dim(overlap))
  padded <- matrix(0, size, size)
  padded[seq_len(nrow(overlap)), seq_len(ncol(overlap))] <- overlap - min(overlap, 0)
  match <- as.integer(clue::solve_LSAP(padded, maximum = TRUE))[seq_len(nrow(overlap))]
  replace(match, match > ncol(overlap), NA)
}

posterior_overlap <- function(x, y, call = rlang::caller_env()) {
  pair <- match_observations(x, y)
  known <- ncol(pair$y) > 0 & rowSums(is.na(pair$y)) == 0
  if (!any(known)) {
    abort_mdpd("{.arg reference} must have a class that is not missing.",
               class = "argument", call = call)
  }
  crossprod(pair$x[known, , drop = FALSE], pair$y[known, , drop = FALSE])
}

# Sum over items of the Bhattacharyya coefficient, one minus the squared Hellinger distance.
parameter_overlap <- function(object, reference, call = rlang::caller_env()) {
  items <- intersect(names(object$item_probs), names(reference$item_probs))
  if (length(items) == 0) {
    abort_mdpd("{.arg object} and {.arg reference} must have items in common.",
               class = "argument", call = call)
  }
  overlaps <- lapply(items, function(item) {
    x <- object$item_probs[[item]]
    y <- reference$item_probs[[item]]
    # By position: no name is found that is the empty string.
    in_y <- match(rownames(x), rownames(y))
    in_x <- which(!is.na(in_y))
    crossprod(sqrt(x[in_x, , drop = FALSE]), sqrt(y[in_y[in_x], , drop = FALSE]))
  })
  Reduce(`+`, overlaps)
}

# Classes and posteriors ---------------------------------------------------------------------------

# A posterior matrix from a fit, a posterior or classes (rows of zeros and ones, NA if unknown).
as_posterior <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (inherits(x, "mdpd")) {
    if (is.null(x$posterior)) {
      abort_mdpd(
        c("{.arg {arg}} must be a fit: a model that holds a posterior.",
          i = if (!is.null(x$store)) {
            "A fit of a store holds none: give {.code predict(fit, store)}."
          }),
        class = "argument", call = call
      )
    }
    return(x$posterior)
  }
  if (is.matrix(x) && is.numeric(x)) {
    check_encoding(colnames(x), "The names of the columns of {.arg {arg}}", call)
    colnames(x) <- enc2utf8(colnames(x) %||% as.character(seq_len(ncol(x))))
    return(x)
  }
  classes <- as_classes(x, arg, call)
  levels <- if (is.factor(x)) levels(x) else code_values(x, numbers_first = TRUE)$levels
  posterior <- outer(unname(classes), levels, `==`) + 0
  dimnames(posterior) <- list(names(classes), levels)
  posterior
}

# Classes as strings, named if the observations have names.
as_classes <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (inherits(x, "mdpd")) {
    posterior <- class_posterior(as_posterior(x, arg, call), x)
    winner <- assigned_column(x, posterior)
    return(stats::setNames(colnames(posterior)[winner], rownames(posterior)))
  }
  if (!holds_values(x) || length(x) == 0) {
    abort_mdpd(
      "{.arg {arg}} must be a model of class {.cls mdpd} or a vector of classes, not
       {describe(x)}.",
      class = "argument", call = call
    )
  }
  coded <- code_values(x, call = call)
  stats::setNames(coded$levels[replace(coded$codes, coded$codes == 0L, NA)], names(x))
}

# The observations of two vectors or matrices that belong together: by names or by position.
match_observations <- function(x, y, call = rlang::caller_env()) {
  ids <- lapply(list(x, y), function(z) if (is.matrix(z)) rownames(z) else names(z))
  if (is.null(ids[[1]]) || is.null(ids[[2]])) {
    if (NROW(x) != NROW(y)) {
      abort_mdpd(
        "Unless both have names, the two must have the same length, not {NROW(x)} and {NROW(y)}.",
        class = "argument", call = call
      )
    }
    return(list(x = x, y = y))
  }
  check_unique_names(c(ids[[1]][duplicated(ids[[1]])], ids[[2]][duplicated(ids[[2]])]), call)
  common <- intersect(ids[[1]], ids[[2]])
  if (length(common) == 0) {
    abort_mdpd(
      c("The names of the two must have values in common.",
        x = "The first names are {.val {ids[[1]][1]}} and {.val {ids[[2]][1]}}."),
      class = "argument", call = call
    )
  }
  # By position: no name is found that is the empty string.
  rows <- lapply(ids, match, x = common)
  pick <- function(z, rows) if (is.matrix(z)) z[rows, , drop = FALSE] else z[rows]
  list(x = pick(x, rows[[1]]), y = pick(y, rows[[2]]))
}

check_unique_names <- function(doubled, call) {
  if (length(doubled) > 0) {
    abort_mdpd(
      c("Observations must have different names.", x = "{.val {doubled[1]}} comes twice."),
      class = "argument", call = call
    )
  }
}
