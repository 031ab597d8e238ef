#' Standard errors, covariances and confidence intervals
#'
#' The uncertainty of the mixing weights and item-response probabilities of a fit, from the
#' curvature of its log-likelihood at the informative set of the fit: that the set itself was chosen
#' from the data is not counted, for that see [bootstrap()].
#'
#' With the posterior \eqn{g_{nk}}, case weights \eqn{c_n} and \eqn{s_n} the gradient of row n's
#' log-density, the observed information of a mixture is (Louis 1982)
#' \deqn{J = \sum_n c_n \Big[ s_n s_n^\top - \sum_k g_{nk} \big( u_{nk} u_{nk}^\top -
#'   D_{nk} \big) \Big],}{J = sum_n c_n [s_n s_n' - sum_k g[n,k] (u[n,k] u[n,k]' - D[n,k])],}
#' with \eqn{u_{nk}} the gradient of the log-density of row n jointly with component k and
#' \eqn{D_{nk}} the diagonal matrix of its squares. The covariance is the inverse of \eqn{J} on the
#' directions in which every distribution keeps its sum of 1, so it holds for all levels, the last
#' one too. `type = "score"` is the sum of \eqn{c_n s_n s_n^\top}{c_n s_n s_n'} alone, which
#' estimates the same thing and is what poLCA reports. An item that is not informative has one
#' distribution \eqn{p} for all components, estimated from the \eqn{N_i} rows that observe it and
#' independent of the rest: its covariance is \eqn{(\mathrm{diag}(p) - p p^\top) / N_i}{(diag(p) - p
#' p') / N_i}.
#'
#' The default interval of a probability \eqn{p} is made on the logit scale,
#' \eqn{\mathrm{logit}(p) \pm z \, \mathrm{se} / (p (1 - p))}{logit(p) +- z se / (p (1 - p))}, and
#' so stays inside (0, 1); `scale = "linear"` gives \eqn{p \pm z \, \mathrm{se}}{p +- z se}.
#'
#' @param object A fitted mixture, see [stagewise_em()]; for `standard_errors()` and `confint()`
#'   also the result of [bootstrap()].
#' @param type `"exact"`, the default, the negative second derivatives of the log-likelihood, or
#'   `"score"`, the outer product of its gradient by row.
#' @param x Data with the fit's items, needed where the fit keeps none. By default those of the fit.
#' @param weights Case weights of `x`, one non-negative number a row; by default all 1, or those of
#'   the fit when `x` is not given.
#' @param parm Which parameters: names of parameters (see Value), names of items, or
#'   `"mixing_weights"`, in any mixture; or positions. By default all.
#' @param level Confidence level, from 0 to 1. Default 0.95.
#' @param scale `"logit"`, the default, or `"linear"`.
#' @param ... Not used; must be empty.
#' @return
#' * `standard_errors()`: a list of the shape of `coef()`: `mixing_weights` (k) and `item_probs`
#'   (for each item a levels x k matrix; equal columns where the item is not informative).
#' * `vcov()`: a symmetric matrix with a row for every parameter, named `"weight|component"`,
#'   `"item:level|component"` for informative items and `"item:level"` for the others, in this
#'   order. All levels are there, so its rank is the number of free parameters, not its size. With
#'   many items it is large; the other two functions never build it.
#' * `confint()`: a matrix with a row for every parameter, named as in `vcov()`, and the columns of
#'   the lower and the upper end, such as `2.5 %` and `97.5 %`.
#'
#' @section Estimates without a standard error:
#' An estimate on the boundary, a probability of 0 or 1 (to which less than 0.01 of a row's weight
#' belongs, or all but that), has none: its entries are `NA`, with a warning of class
#' `mdpd_warning_boundary`, and the others are those of the model in which it is fixed there. (poLCA
#' gives it the value 0.) No warning is given for what is no parameter: the weight of a single
#' component, a level that occurs in no row, the level of a constant item. Parameters that the data
#' do not determine are `NA` with a warning of class `mdpd_warning_not_identified`. A warning of
#' class `mdpd_warning_not_at_maximum` says that the fit is not at a maximum of its likelihood, or
#' with smoothing and prior counts of its posterior density, such as a fit without refinement: the
#' standard errors are then those of the curvature where the fit is. Smoothing and prior counts
#' enter the information as the counts of a Dirichlet prior.
#' @section Errors:
#' `mdpd_error_not_stored` for a model that was not fitted to data, `mdpd_error_no_data` when the
#' fit keeps no data and `x` is not given, `mdpd_error_argument` for an argument out of range.
#' @references
#' Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm.
#' *Journal of the Royal Statistical Society B* 44, 226-233.
#'   \doi{10.1111/j.2517-6161.1982.tb01203.x}
#'
#' McLachlan, G. and Peel, D. (2000). *Finite Mixture Models*, sections 2.15 and 2.16.
#' \doi{10.1002/0471721182}
#'
#' Linzer, D. A. and Lewis, J. B. (2011). poLCA: an R package for polytomous variable latent class
#' analysis. *Journal of Statistical Software* 42 (10). \doi{10.18637/jss.v042.i10}
#' @family uncertainty
#' @examples
#' model <- simulate_crowd(n_workers = 8, n_labels = 2, accuracy = rep(0.8, 5), seed = 1)$model
#' fit <- stagewise_em(simulate(model, seed = 1, n_obs = 500)[[1]], k = 2)
#' standard_errors(fit)$mixing_weights
#' confint(fit, "mixing_weights")
#' confint(fit, fit$informative[1])
#' @export
standard_errors <- function(object, ...) {
  UseMethod("standard_errors")
}

#' @rdname standard_errors
#' @export
standard_errors.mdpd <- function(object, type = c("exact", "score"), x = NULL, weights = NULL,
                                 ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("exact", "score"))
  blocks <- covariance_blocks(object, type, x, weights)
  shape_as_coef(object, block_errors(blocks), parameter_table(object))
}

#' @rdname standard_errors
#' @importFrom stats vcov
#' @export
vcov.mdpd <- function(object, type = c("exact", "score"), x = NULL, weights = NULL, ...) {
  rlang::check_dots_empty()
  type <- check_choice(type, c("exact", "score"))
  blocks <- covariance_blocks(object, type, x, weights)
  names <- parameter_table(object)$name
  covariance <- matrix(0, length(names), length(names), dimnames = list(names, names))
  first <- 0
  for (block in blocks) {
    at <- first + seq_len(nrow(block))
    covariance[at, at] <- block
    first <- first + nrow(block)
  }
  on_boundary <- is.na(diag(covariance))
  covariance[on_boundary, ] <- NA
  covariance[, on_boundary] <- NA
  covariance
}

#' @rdname standard_errors
#' @importFrom stats confint
#' @export
confint.mdpd <- function(object, parm = NULL, level = 0.95, scale = c("logit", "linear"),
                         type = c("exact", "score"), x = NULL, weights = NULL, ...) {
  rlang::check_dots_empty()
  check_number(level, c(0, 1))
  scale <- check_choice(scale, c("logit", "linear"))
  type <- check_choice(type, c("exact", "score"))
  parameters <- parameter_table(object)
  rows <- find_parameters(parm, parameters)
  errors <- block_errors(covariance_blocks(object, type, x, weights))
  limits <- wald_limits(parameters$estimate[rows], errors[rows], level, scale)
  dimnames(limits) <- list(parameters$name[rows], limit_names(level))
  limits
}

# Parameters ---------------------------------------------------------------------------------------

# One row for each parameter: mixing weights, then informative items (component by component), then
# the distributions that the components share.
parameter_table <- function(object) {
  components <- names(object$mixing_weights)
  tables <- lapply(parameter_items(object), function(item) {
    probs <- object$item_probs[[item]]
    varies <- item %in% object$informative
    if (!varies) probs <- probs[, 1, drop = FALSE]
    component <- if (varies) components[col(probs)] else NA_character_
    level <- rownames(probs)[row(probs)]
    data.frame(
      name = paste0(item, ":", level, if (varies) paste0("|", component)), item = item,
      level = level, component = component, estimate = as.vector(probs)
    )
  })
  weights <- data.frame(
    name = paste0("weight|", components), item = NA_character_, level = NA_character_,
    component = components, estimate = unname(object$mixing_weights)
  )
  do.call(rbind, c(list(weights), tables))
}

# Informative items in the order they joined, then the others.
parameter_items <- function(object) {
  c(object$informative, setdiff(names(object$item_probs), object$informative))
}

# One value a parameter to a list like coef(); a distribution that is shared fills all columns.
shape_as_coef <- function(object, values, parameters) {
  of_weights <- is.na(parameters$item)
  by_item <- split(values[!of_weights], parameters$item[!of_weights])
  list(
    mixing_weights = stats::setNames(values[of_weights], names(object$mixing_weights)),
    item_probs = Map(function(probs, values) {
      probs[] <- values
      probs
    }, object$item_probs, by_item[names(object$item_probs)])
  )
}

find_parameters <- function(parm, parameters, call = rlang::caller_env()) {
  rows <- seq_len(nrow(parameters))
  if (is.null(parm)) {
    return(rows)
  }
  found <- if (is.character(parm)) {
    groups <- ifelse(is.na(parameters$item), "mixing_weights", parameters$item)
    lapply(parm, function(p) which(parameters$name == p | groups == p))
  } else {
    as.list(match(parm, rows))
  }
  unknown <- lengths(found) == 0 | is.na(found)
  if (length(parm) == 0 || any(unknown)) {
    given <- if (any(unknown)) parm[unknown][1] else parm
    abort_mdpd(
      c("{.arg parm} must name parameters, items or {.val mixing_weights}, or be positions from 1 to
         {nrow(parameters)}.", x = "There is no {describe(given)}."),
      class = "argument", call = call
    )
  }
  unlist(found)
}

# Intervals ----------------------------------------------------------------------------------------

wald_limits <- function(estimate, error, level, scale) {
  z <- stats::qnorm((1 + level) / 2)
  half <- outer(error, c(-z, z))
  if (scale == "linear") {
    return(estimate + half)
  }
  inside <- estimate > 0 & estimate < 1
  limits <- stats::plogis(stats::qlogis(estimate) + half / (estimate * (1 - estimate)))
  limits[!inside, ] <- NA
  limits
}

limit_names <- function(level) {
  ends <- 100 * c(1 - level, 1 + level) / 2
  paste(format(ends, trim = TRUE, digits = 3, scientific = FALSE), "%")
}

# Covariance ---------------------------------------------------------------------------------------

# The covariance matrix as its diagonal blocks, in the order of the parameter table: the mixing
# weights with the informative items, then every other item. NA on the diagonal: no standard error.
covariance_blocks <- function(object, type, x, weights, call = rlang::caller_env()) {
  check_fit(object, call)
  coded <- data_of(object, x, weights, call = call)
  # The fit's own posterior knows of rows whose class was given.
  posterior <- if (is.null(x)) object$posterior else posterior_of(object, coded)$posterior
  model <- mixture_parameters(object)
  sums <- likelihood_sums(model, coded, posterior, type)
  pseudo_counts <- prior_of_parameters(object, coded)
  sums$count <- sums$count + pseudo_counts
  diag(sums$information) <- diag(sums$information) + pseudo_counts
  model$free <- is_free(sums$count, model$simplex)
  mixture <- mixture_covariance(model, sums)
  warn_uncertainty(model, mixture, call)
  observed <- n_observed(coded$codes, coded$weights)
  shared <- lapply(setdiff(names(object$item_probs), object$informative), function(item) {
    shared_covariance(object$item_probs[[item]][, 1], observed[[item]])
  })
  c(list(mixture$covariance), shared)
}

block_errors <- function(blocks) sqrt(unlist(lapply(blocks, diag), use.names = FALSE))

# Levels that are not on the boundary of their distribution, `simplex`; a single one is bound to 1.
# EM creeps towards zero without reaching it, hence a hundredth of a row.
is_free <- function(count, simplex) {
  free <- count > 0.01
  free & stats::ave(free + 0, simplex, FUN = sum) > 1
}

# The distribution of an item that all components share; `n` is the weight of the rows that observe
# it.
shared_covariance <- function(probs, n) {
  probs <- unname(probs)
  covariance <- (diag(probs, length(probs)) - tcrossprod(probs)) / n
  diag(covariance)[!is_free(probs * n, rep(1, length(probs)))] <- NA
  covariance
}

# What the derivatives need to know of each parameter of the mixture, in the order of the parameter
# table: its component, its column of the one-hot data (0: the mixing weight), its item (0 again),
# the distribution it belongs to, and its square root, the unit in which it is moved.
mixture_parameters <- function(object) {
  k <- object$k
  probs <- unname(object$item_probs[object$informative])
  n_levels <- vapply(probs, nrow, 0L)
  before <- cumsum(c(0L, n_levels))
  columns <- lapply(seq_along(probs), function(i) rep(before[i] + seq_len(n_levels[i]), k))
  components <- lapply(n_levels, function(r) rep(seq_len(k), each = r))
  estimate <- c(unname(object$mixing_weights), unlist(lapply(probs, as.vector)))
  list(
    items = object$informative,
    component = c(seq_len(k), unlist(components)),
    column = c(rep(0L, k), unlist(columns)),
    item = rep(c(0L, seq_along(probs)), c(k, k * n_levels)),
    simplex = rep(seq_len(1 + k * length(probs)), c(k, rep(n_levels, each = k))),
    estimate = estimate, root = sqrt(estimate)
  )
}

# Pseudo-counts of every parameter's level, from smoothing and prior counts: the Dirichlet prior of
# which the estimate is the posterior mode. They add to the expected counts and, times the two
# parameters, to the observed information.
prior_of_parameters <- function(object, coded) {
  smoothing <- object$smoothing %||% 0
  given <- prior_counts(object$prior, coded, object$labels)
  item_of_row <- rep(names(coded$levels), lengths(coded$levels))
  shares <- level_shares(coded, object$informative)
  of_item <- function(item) {
    counts <- matrix(smoothing * shares[[item]], length(shares[[item]]), object$k)
    if (!is.null(given)) {
      counts <- counts +
        given[item_of_row == item, match(names(object$mixing_weights), object$labels, nomatch = 1)]
    }
    as.vector(counts)
  }
  c(numeric(object$k), unlist(lapply(object$informative, of_item)))
}

mixture_covariance <- function(model, sums) {
  # In units of the root the information is well conditioned however small a probability is.
  scale <- ifelse(model$free, 1 / model$root, 0)
  basis <- tangent_basis(model)
  inverse <- invert_information(
    crossprod(basis, (sums$information * outer(scale, scale)) %*% basis)
  )
  half <- basis %*% inverse$half
  covariance <- tcrossprod(model$root * half)
  step <- model$root * half %*% crossprod(half, sums$count * scale)
  loose <- rowSums((basis %*% inverse$null)^2) > 1e-6
  diag(covariance)[!model$free | loose] <- NA
  list(
    covariance = covariance, loose = loose,
    step = max(0, abs(step) / sqrt(diag(covariance)), na.rm = TRUE)
  )
}

# Expected count of every parameter's level (the gradient times the parameter) and the observed
# information times the two parameters, of the mixture's items. Sums over blocks of rows: the scores
# of one block, some `cells` numbers, are all that is ever held.
likelihood_sums <- function(model, coded, posterior, type, cells = 4e6) {
  n_parameters <- length(model$root)
  rows <- seq_len(nrow(posterior))
  count <- numeric(n_parameters)
  information <- matrix(0, n_parameters, n_parameters)
  for (block in split(rows, (rows - 1) %/% max(1, cells %/% n_parameters))) {
    shown <- cbind(rep(1, length(block)), one_hot(coded, model$items, block))
    g <- posterior[block, , drop = FALSE]
    weights <- coded$weights[block]
    scores <- g[, model$component, drop = FALSE] * shown[, model$column + 1, drop = FALSE]
    count <- count + colSums(scores * weights)
    information <- information + crossprod(scores * sqrt(weights))
    if (type == "exact") {
      information <- information - joint_moments(model, shown, g * weights)
    }
  }
  list(count = unname(count), information = unname(information))
}

# sum_n c g (u u' - D) of Louis's identity, times the parameters. It joins parameters of one
# component; within an item it vanishes, because a row shows one level and the density is linear in
# its probability.
joint_moments <- function(model, shown, weighted) {
  moments <- matrix(0, length(model$root), length(model$root))
  for (k in seq_len(ncol(weighted))) {
    at <- which(model$component == k)
    columns <- model$column[at] + 1
    joint <- crossprod(shown, weighted[, k] * shown)[columns, columns, drop = FALSE]
    joint[outer(model$item[at], model$item[at], `==`)] <- 0
    moments[at, at] <- joint
  }
  moments
}

# n_rows x (all levels of the items): 1 where the row shows the level.
one_hot <- function(coded, items, rows) {
  codes <- coded$codes[rows, items, drop = FALSE]
  shown <- lapply(items, function(item) {
    outer(as.integer(codes[, item]), seq_along(coded$levels[[item]]), `==`) + 0
  })
  do.call(cbind, shown)
}

# Orthonormal moves that keep every sum at one: in units of the roots those orthogonal to the roots
# of a distribution. Parameters on the boundary stay.
tangent_basis <- function(model) {
  movable <- split(which(model$free), model$simplex[model$free])
  blocks <- lapply(movable, function(at) orthogonal_complement(model$root[at]))
  basis <- matrix(0, length(model$root), sum(vapply(blocks, ncol, 0L)))
  last <- 0
  for (b in seq_along(blocks)) {
    at <- last + seq_len(ncol(blocks[[b]]))
    basis[movable[[b]], at] <- blocks[[b]]
    last <- last + length(at)
  }
  basis
}

# The reflection that swaps the direction of v with the first axis, without that axis (Householder).
orthogonal_complement <- function(v) {
  mirror <- v / sqrt(sum(v^2))
  mirror[1] <- mirror[1] + 1  # v > 0: no cancellation
  (diag(length(v)) - 2 * tcrossprod(mirror) / sum(mirror^2))[, -1, drop = FALSE]
}

# A root H of the inverse, H H', on the directions that the data determine; the others are the
# columns of `null`, of length one. The diagonal is scaled to one first, so that what counts as
# undetermined has no unit.
invert_information <- function(information) {
  n <- nrow(information)
  if (n == 0) {
    return(list(half = information, null = information))
  }
  scale <- ifelse(diag(information) > 0, 1 / sqrt(abs(diag(information))), 1)
  spectrum <- eigen(information * outer(scale, scale), symmetric = TRUE)
  known <- spectrum$values > 1e-9
  vectors <- spectrum$vectors * scale
  null <- vectors[, !known, drop = FALSE]
  vectors <- vectors[, known, drop = FALSE]
  list(
    half = sweep(vectors, 2, sqrt(spectrum$values[known]), "/"),
    null = sweep(null, 2, sqrt(colSums(null^2)), "/")
  )
}

# Warnings -----------------------------------------------------------------------------------------

warn_uncertainty <- function(model, mixture, call) {
  n_bounded <- count_bounded(model)
  if (n_bounded > 0) {
    warn_mdpd(
      "{n_bounded} estimate{?s} of 0 or 1 {?has/have} no standard error.",
      class = "boundary", call = call
    )
  }
  n_loose <- sum(mixture$loose)
  if (n_loose > 0) {
    warn_mdpd(
      c("{n_loose} estimate{?s} {?is/are} not determined by the data and {?has/have} no standard
         error.", i = "Fewer components may be enough."),
      class = "not_identified", call = call
    )
  }
  if (mixture$step > 0.5) {
    warn_mdpd(
      c("The fit is not at a maximum of its likelihood: an estimate is {signif(mixture$step, 2)}
         standard errors away.",
        i = "Refine it by {.fn refine}, or lower {.arg tol} in {.fn stagewise_control}."),
      class = "not_at_maximum", call = call
    )
  }
}

# Estimates on the boundary that are parameters: not a single component, nor a level that no row
# shows, nor the level of a constant item.
count_bounded <- function(model) {
  level <- ifelse(model$item == 0, -model$component, model$column)
  seen <- stats::ave(model$estimate, level, FUN = max) > 1e-8
  n_seen <- stats::ave(seen + 0, model$simplex, FUN = sum)
  sum(!model$free & seen & n_seen > 1)
}
