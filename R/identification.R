# Whether the parameters of a mixture can be told from answers at all, however many rows there are.

# The parameters of the components, and the cells of the table of the items that differ between
# them: the others are known from their frequencies. The cells sum to one.
count_identified <- function(object) {
  n_levels <- vapply(object$item_probs[object$informative], nrow, 0L)
  list(
    parameters = object$k - 1 + object$k * sum(n_levels - 1), cells = prod(n_levels) - 1
  )
}

# Known classes and prior counts tell what answers alone do not.
may_be_unidentified <- function(object) {
  object$k > 1 && length(object$informative) > 0 && n_gold(object) == 0 && is.null(object$prior)
}

# When a fit is made: by the counting rule, else by the rank, which takes up to 0.02 s, less than
# the fit, where it is computed.
warn_not_identified <- function(fit, call = rlang::caller_env()) {
  # What the stages leave is to be refined, or not meant as an estimate.
  if (!may_be_unidentified(fit) || identical(fit$refine, "none")) {
    return(invisible(fit))
  }
  count <- count_identified(fit)
  if (count$parameters <= count$cells) {
    is_told <- rests_on_one_pair(fit) || any(repeats_component(fit)) || n_informative(fit) == 0
    if (!is_told) warn_undetermined(n_undetermined(fit), column_words(fit), call)
    return(invisible(fit))
  }
  what <- column_words(fit)
  warn_mdpd(
    c("The model is not identified: it has {count$parameters} parameters, and the table of its
       {what} has {count$cells + 1} cells.",
      x = "Other parameters explain the data equally well, also with more rows.",
      i = "Use fewer components, or more {what}."),
    class = "not_identified", call = call, parameters = count$parameters, cells = count$cells + 1
  )
}

# Where no row answers items of two parts, as where two forms of a questionnaire share none, each
# part has its classes, and nothing tells which of one are which of the other.
warn_unlinked_items <- function(fit, coded, call = rlang::caller_env()) {
  items <- informative_items(fit)
  if (fit$k == 1 || !is.null(fit$labels) || fit$n_missing == 0 || length(items) < 2) {
    return(invisible(fit))
  }
  parts <- linked_items(coded$codes, items)
  if (length(parts) > 1) {
    named <- vapply(parts[1:2], name_some, "")
    warn_mdpd(
      c("No row answers items both of {named[1]} and of {named[2]}, nor do other items link
         them.",
        i = "Classes of these parts are put together by chance: only rows or items in common can
             tell which of one are which of the other."),
      class = "unlinked_items", call = call, parts = parts
    )
  }
  invisible(fit)
}

# The items in parts such that no row answers items of two.
linked_items <- function(codes, items) {
  codes <- select_items(codes, items)
  if (any(n_answers_of_rows(codes) == length(items))) {
    return(list(items))
  }
  answers <- answers_by_item(codes)
  parts <- list()
  while (length(items) > 0) {
    part <- items[1]
    is_reached <- logical(nrow(codes))
    new <- part
    while (length(new) > 0 && length(part) < length(items)) {
      for (item in new) is_reached[answers(item)$row] <- TRUE
      new <- Filter(function(item) any(is_reached[answers(item)$row]), setdiff(items, part))
      part <- c(part, new)
    }
    parts <- c(parts, list(part))
    items <- setdiff(items, part)
  }
  parts
}

# Directions, in units of the parameters' roots, in which the parameters can be moved without a
# change of the probability of any cell, to first order (Goodman 1974, doi:10.1093/biomet/61.2.215):
# a column each, orthonormal. They are what the gradients of the log-probabilities of all cells
# leave, wherever EM has stopped: scaled, the roots of what is left were below 1e-13 and all others
# above 1e-3 in every model tried. Cells count alike: by their probabilities those of sharp models
# would vanish beside each other. Parameters on the boundary stay there. NULL where it takes too
# long: so many parameters are of so many items that they are identified but for a set of measure
# zero (Allman, Matias and Rhodes 2009, doi:10.1214/09-AOS689).
# `free`: which parameters are not on the boundary, by default those of the fit's own counts.
undetermined_directions <- function(object, free = NULL, most_parameters = 200) {
  model <- mixture_parameters(object)
  n_parameters <- length(model$root)
  if (!may_be_unidentified(object)) {
    return(matrix(0, n_parameters, 0))
  }
  if (n_parameters > most_parameters) {
    return(NULL)
  }
  model$free <- free %||% free_by_size(object, model)
  cells <- cells_of_model(object, 3 * n_parameters)
  posterior <- posterior_of(object, cells)
  # Probabilities that are zero, or all but that, have no gradient.
  cells$weights <- (posterior$row_loglik > -600) + 0
  sums <- likelihood_sums(model, cells, posterior$posterior, "score")
  scale <- ifelse(model$free, 1 / model$root, 0)
  basis <- tangent_basis(model)
  basis %*% invert_information(
    crossprod(basis, (sums$information * outer(scale, scale)) %*% basis)
  )$null
}

free_by_size <- function(object, model) {
  row_weight <- c(object$mixing_weights, rep(1, object$k))[ifelse(
    model$item == 0, object$k + 1, model$component
  )]
  is_free(model$estimate * row_weight * object$nobs, model$simplex)
}

# How many they are; NA where that is not computed.
n_undetermined <- function(object) ncol(undetermined_directions(object)) %||% NA_integer_

# All cells of the table of the items that differ; where they are more than `most`, some of them,
# spread around each component: the rank is that of any cells, if they are many.
cells_of_model <- function(object, most) {
  levels <- lapply(object$item_probs[object$informative], rownames)
  n_levels <- lengths(levels)
  codes <- if (prod(n_levels) <= max(most, 1024)) {
    as.matrix(expand.grid(lapply(n_levels, seq_len), KEEP.OUT.ATTRS = FALSE))
  } else {
    do.call(rbind, lapply(seq_len(object$k), cells_around, object, ceiling(most / object$k)))
  }
  codes <- matrix(as.raw(codes), nrow(codes), dimnames = list(NULL, names(levels)))
  new_coded(codes, levels, rep(1, nrow(codes)), "ignore")
}

# Each level by half of its probability in the component and half of what it had if all that occur
# there were alike: other levels would leave the component without a cell that it is likely in.
cells_around <- function(component, object, n_cells) {
  rows <- (component - 1) * n_cells + seq_len(n_cells)
  # The fractional parts of multiples of square roots of different primes never fall into step.
  u <- outer(rows, sqrt(utils::head(primes, length(object$informative)))) %% 1
  size <- object$mixing_weights[[component]] * object$nobs
  vapply(seq_along(object$informative), function(i) {
    probs <- object$item_probs[[object$informative[i]]][, component]
    occurs <- probs * size > 0.01 | probs == max(probs)
    findInterval(u[, i], cumsum(ifelse(occurs, probs + 1 / sum(occurs), 0)) /
                   (sum(probs[occurs]) + 1), rightmost.closed = TRUE) + 1
  }, numeric(n_cells))
}

# Those below 1000: more than there are items in what is looked at.
primes <- Filter(function(n) n == 2 || all(n %% 2:ceiling(sqrt(n)) > 0), 2:1000)

warn_undetermined <- function(n, what = "items", call = rlang::caller_env()) {
  if (!is.na(n) && n > 0) {
    warn_mdpd(
      c("The model is not identified: its parameters can be moved in {n} direction{?s} without any
         change of what it says of answers.",
        i = "Use fewer components, or more {what}."),
      class = "not_identified", call = call, directions = n
    )
  }
}
