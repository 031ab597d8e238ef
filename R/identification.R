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
  object$k > 1 && length(object$informative) > 0 && !is_tied_to_labels(object, object$coded)
}

# When a fit is made, the counting rule only: it costs nothing.
warn_too_many_parameters <- function(fit, call = rlang::caller_env()) {
  count <- count_identified(fit)
  # What the stages leave is to be refined, or not meant as an estimate.
  is_told <- rests_on_one_pair(fit) || identical(fit$refine, "none")
  if (!may_be_unidentified(fit) || is_told || count$parameters <= count$cells) {
    return(invisible(fit))
  }
  warn_mdpd(
    c("The model is not identified: it has {count$parameters} parameters, and the table of its items
       has {count$cells + 1} cells.",
      x = "Other parameters explain the data equally well, also with more rows.",
      i = "Use fewer components, or more items."),
    class = "not_identified", call = call, parameters = count$parameters, cells = count$cells + 1
  )
}

# The number of directions in which the parameters can be moved without a change of the probability
# of any cell, to first order (Goodman 1974, doi:10.1093/biomet/61.2.215): the rank that the
# expected information at the estimates lacks. Parameters on the boundary stay there. NA where it
# takes too long: so many parameters are of so many items that they are identified but for a set of
# measure zero (Allman, Matias and Rhodes 2009, doi:10.1214/09-AOS689).
n_undetermined <- function(object, most_parameters = 200) {
  model <- mixture_parameters(object)
  if (!may_be_unidentified(object)) {
    return(0L)
  }
  if (length(model$root) > most_parameters) {
    return(NA_integer_)
  }
  row_weight <- c(object$mixing_weights, rep(1, object$k))[ifelse(
    model$item == 0, object$k + 1, model$component
  )]
  model$free <- is_free(model$estimate * row_weight * object$nobs, model$simplex)
  cells <- cells_of_model(object, 3 * length(model$root))
  posterior <- posterior_of(object, cells)
  cells$weights <- cells$weights * exp(posterior$row_loglik - max(posterior$row_loglik))
  sums <- likelihood_sums(model, cells, posterior$posterior, "score")
  scale <- ifelse(model$free, 1 / model$root, 0)
  basis <- tangent_basis(model)
  ncol(invert_information(
    crossprod(basis, (sums$information * outer(scale, scale)) %*% basis)
  )$null)
}

# All cells of the table of the items that differ; where they are more than `most`, some of them,
# spread evenly: the rank is that of any cells, if they are many.
cells_of_model <- function(object, most) {
  levels <- lapply(object$item_probs[object$informative], rownames)
  n_levels <- lengths(levels)
  codes <- if (prod(n_levels) <= max(most, 1024)) {
    as.matrix(expand.grid(lapply(n_levels, seq_len), KEEP.OUT.ATTRS = FALSE))
  } else {
    # The fractional parts of multiples of square roots of different primes never fall into step.
    steps <- sqrt(utils::head(primes(), length(levels)))
    u <- outer(seq_len(most), steps) %% 1
    sweep(u, 2, n_levels, "*") %/% 1 + 1
  }
  codes <- matrix(as.raw(codes), nrow(codes), dimnames = list(NULL, names(levels)))
  new_coded(codes, levels, rep(1, nrow(codes)), "ignore")
}

# Those below 1000: more than there are items in what is looked at.
primes <- function() Filter(function(n) n == 2 || all(n %% 2:ceiling(sqrt(n)) > 0), 2:1000)

warn_undetermined <- function(n, call = rlang::caller_env()) {
  if (!is.na(n) && n > 0) {
    warn_mdpd(
      c("The model is not identified: its parameters can be moved in {n} direction{?s} without any
         change of what it says of answers.",
        i = "Use fewer components, or more items."),
      class = "not_identified", call = call, directions = n
    )
  }
}
