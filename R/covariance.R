# The information of a fit by Louis's identity and its inverse, see standard_errors().

# Levels that are not on the boundary of their distribution, `simplex`; a single one is bound to 1.
# EM creeps towards zero without reaching it, hence a hundredth of a row.
is_free <- function(count, simplex) {
  free <- count > 0.01
  free & stats::ave(free + 0, simplex, FUN = sum) > 1
}

# Of a distribution estimated from `n` answers.
column_covariance <- function(probs, n) (diag(probs, length(probs)) - tcrossprod(probs)) / n

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
  labels <- label_names(object)
  of_item <- function(item) {
    counts <- matrix(smoothing * shares[[item]], length(shares[[item]]), object$k)
    if (!is.null(given)) {
      counts <- counts +
        given[item_of_row == item, match(names(object$mixing_weights), labels, nomatch = 1)]
    }
    as.vector(counts)
  }
  c(numeric(object$k), unlist(lapply(object$informative, of_item)))
}

# By evidence: how far each column is drawn from its own counts to what all components have in
# common, or in a crowd to what the crowd answers, in pseudo-counts: as in the posterior means, over
# the kinds of columns that the item may have. The estimate does not show it where own counts happen
# to be near what they are drawn to.
# `of_item`, `of_crowd`: how much of the estimate is the item's own centre, in units of the error of
# a column of all rows, and how much the crowd's, uncertain as a column of all workers' answers. A
# column alike in all components is so known as well as if it were one.
# `shares`: of the items' levels among all answers.
drawn_to_common <- function(object, model, count, shares) {
  sum_of <- function(x) stats::ave(x, model$simplex, FUN = sum)
  n <- sum_of(count)
  answers <- list(cell = count, column = n, item = stats::ave(count, model$item, FUN = sum))
  item_shares <- object$item_shares[model$items, , drop = FALSE]
  rownames(item_shares) <- NULL
  means <- list(own = 0, common = 0, of_item = 0, of_crowd = 0, by_crowd = 0)
  for (kind in colnames(item_shares)) {
    share <- c(0, item_shares[, kind])[model$item + 1]
    drawn <- drawn_by_kind(kind, object, model, answers, shares)
    means <- Map(function(mean, drawn) mean + share * drawn, means, drawn[names(means)])
  }
  # Where all is one column a thousandth is left to own counts.
  total <- pmin(1 / means$own - n, 999 * pmax(n, 1))
  is_size <- model$item == 0
  list(
    # The sizes of the components have a uniform prior.
    pseudo_counts = ifelse(is_size, 1, total * means$common / sum_of(means$common)),
    of_item = means$of_item, of_crowd = means$of_crowd,
    crowd_counts = tapply(count * means$by_crowd, model$component, sum)
  )
}

# Of one of the kinds of name_item_prior(), in the order of the parameters: what each of a column's
# `own` answers counts for in its estimate, the part of this that is `common`, and as above how much
# is `of_item` and `of_crowd`. `answers`: to each level of a column, to the column, to the item.
drawn_by_kind <- function(kind, object, model, answers, shares) {
  family <- if (grepl("^[a-z]", kind)) sub(" .*", "", kind) else "own"
  concentration <- if (family == "same") Inf else as.numeric(sub(".* ", "", kind))
  # The answers of a worker of one accuracy count for all of its columns.
  own <- 1 / (concentration + if (family == "accuracy") answers$item else answers$column)
  prior <- if (family == "same") 1 else concentration * own
  centre <- switch(
    family,
    same = list(probs = c(numeric(object$k), unlist(shares, use.names = FALSE)[model$column])),
    own = centre_of_item(model, answers, concentration),
    crowd = list(probs = object$crowd_probs[cbind(levels_of_crowd(object, model),
                                                  model$component)]),
    accuracy = list(probs = model$estimate)
  )
  by_crowd <- family %in% c("crowd", "accuracy")
  error <- if (family == "own") sqrt(answers$item / centre$n) else 1
  list(
    own = own,
    common = ifelse(model$item == 0, 0, (1 - answers$column * own) * centre$probs),
    of_item = if (by_crowd) 0 else prior * error, of_crowd = if (by_crowd) prior else 0,
    by_crowd = by_crowd
  )
}

# What an item's columns have in common, as the engine takes it: nearly the mean of the components,
# as many answers of one are worth little more than some. And as from how many answers it is known.
centre_of_item <- function(model, answers, concentration) {
  over_components <- function(x) {
    stats::ave(x / (concentration + 1 + answers$column), model$column, FUN = sum)
  }
  n_components <- pmax(over_components(answers$column), 1e-300)
  list(probs = over_components(answers$cell) / n_components,
       n = (concentration + 1) * n_components)
}

# Of each parameter the crowd's level, NA of the sizes.
levels_of_crowd <- function(object, model) {
  levels <- unlist(lapply(object$item_probs[model$items], function(probs) {
    rep(rownames(probs), object$k)
  }), use.names = FALSE)
  c(rep(NA, object$k), match(levels, rownames(object$crowd_probs)))
}

# `undetermined`: directions in which nothing is known, see undetermined_directions(). Where EM has
# stopped short of the ridge, the information there is not zero but anything small, also below it.
mixture_covariance <- function(model, sums, undetermined = NULL) {
  # In units of the root the information is well conditioned however small a probability is.
  scale <- ifelse(model$free, 1 / model$root, 0)
  inverse <- invert_on_tangent(model, sums$information * outer(scale, scale), undetermined)
  covariance <- inverse$covariance * outer(model$root, model$root)
  step <- model$root * drop(inverse$covariance %*% (sums$count * scale))
  # What a score, times the parameters as likelihood_sums() has it, moves the estimates by.
  influence <- covariance * rep(scale^2, each = length(scale))
  loose <- moved_by(cbind(inverse$null, undetermined))
  diag(covariance)[!model$free | loose] <- NA
  list(
    covariance = covariance, influence = influence, loose = loose,
    step = max(0, abs(step) / sqrt(diag(covariance)), na.rm = TRUE)
  )
}

# Which parameters directions, of length one, move.
moved_by <- function(directions) rowSums(directions^2) > 1e-6

# The inverse of the information on the moves that keep every sum at one, less those undetermined;
# all in units of the roots.
invert_on_tangent <- function(model, information, undetermined = NULL) {
  mirrors <- new_mirrors(model)
  keep <- mirrors$keep
  inside <- function(x) reflect(x, mirrors)[, keep, drop = FALSE]
  reduced <- inside(t(inside(information)))
  basis <- if (!is.null(undetermined) && ncol(undetermined) > 0) {
    orthogonal_to(t(inside(t(undetermined))))
  }
  inverse <- invert_determined(
    if (is.null(basis)) reduced else crossprod(basis, reduced %*% basis)
  )
  if (!is.null(basis)) {
    inverse <- list(inverse = basis %*% tcrossprod(inverse$inverse, basis),
                    null = basis %*% inverse$null)
  }
  outside <- function(x) {
    all <- matrix(0, nrow(x), length(keep))
    all[, keep] <- x
    reflect(all, mirrors)
  }
  covariance <- outside(t(outside(inverse$inverse)))
  # Rounding must not make it differ from its transpose.
  list(covariance = (covariance + t(covariance)) / 2, null = t(outside(t(inverse$null))))
}

# The inverse, and directions without information as in invert_information(). That looks at all
# eigenvalues; by Cholesky's root it is several times faster, and none is near zero where the
# inverse is not large.
invert_determined <- function(information) {
  scale <- 1 / sqrt(pmax(diag(information), 1e-300))
  root <- value_or(chol(information * outer(scale, scale)), NULL)
  inverse <- if (!is.null(root) && length(root) > 0) chol2inv(root)
  if (!is.null(inverse) && max(rowSums(abs(inverse))) < 1e8) {
    return(list(inverse = inverse * outer(scale, scale), null = matrix(0, nrow(inverse), 0)))
  }
  by_eigen <- invert_information(information)
  list(inverse = tcrossprod(by_eigen$half), null = by_eigen$null)
}

# Expected count of every parameter's level (the gradient times the parameter) and the observed
# information times the two parameters, of the mixture's items. Sums over blocks of rows: the scores
# of one block, some `cells` numbers, are all that is ever held.
likelihood_sums <- function(model, coded, posterior, type, cells = 4e6) {
  n_parameters <- length(model$root)
  count <- numeric(n_parameters)
  information <- matrix(0, n_parameters, n_parameters)
  repeats <- has_repeats(coded$codes)
  by_counts <- type == "observed" & is_certain(posterior)
  for (rows in split(seq_len(nrow(posterior)), by_counts)) {
    for (block in row_blocks(rows, n_parameters, cells)) {
      weights <- coded$weights[block]
      g <- posterior[block, , drop = FALSE]
      shown <- cbind(rep(1, length(block)), one_hot(coded, model$items, block))
      scores <- row_scores(model, shown, g)
      counts <- colSums(scores * weights)
      count <- count + counts
      if (by_counts[block[1]]) {
        diag(information) <- diag(information) + counts
      } else {
        information <- information + crossprod(scores * sqrt(weights))
        if (type == "observed") {
          information <- information - joint_moments(model, shown, g * weights, repeats)
        }
      }
    }
  }
  list(count = unname(count), information = unname(information))
}

# Of a row whose class is certain, to less than rounding, as of most rows of a crowd of many
# workers, the observed information is that of the answers alone: their counts, on the diagonal.
is_certain <- function(posterior) rowSums(posterior) - posterior[row_maxima(posterior)] < 1e-14

# The gradient of the log-density of each row, times the parameters.
row_scores <- function(model, shown, posterior) {
  posterior[, model$component, drop = FALSE] * shown[, model$column + 1, drop = FALSE]
}

# sum_n c g (u u' - D) of Louis's identity, times the parameters. It joins parameters of one
# component; within an item it vanishes where a row shows one level and the density is linear in its
# probability. With several answers D has their numbers on its diagonal.
joint_moments <- function(model, shown, weighted, repeats) {
  moments <- matrix(0, length(model$root), length(model$root))
  for (k in seq_len(ncol(weighted))) {
    at <- which(model$component == k)
    columns <- model$column[at] + 1
    joint <- crossprod(shown, weighted[, k] * shown)[columns, columns, drop = FALSE]
    same <- outer(model$item[at], model$item[at], `==`)
    if (repeats) {
      same <- same & outer(model$item[at], model$item[at], `+`) == 0
      answered <- ifelse(model$item[at] > 0, colSums(weighted[, k] * shown)[columns], 0)
      diag(joint) <- diag(joint) - answered
    }
    joint[same] <- 0
    moments[at, at] <- joint
  }
  moments
}

# n_rows x (all levels of the items): how often the row shows the level.
one_hot <- function(coded, items, rows) {
  answers <- answers_by_item(select_rows(coded$codes, rows), items)
  shown <- lapply(items, function(item) {
    given <- answers(item)
    n_levels <- length(coded$levels[[item]])
    cells <- tabulate(cell_index(given$row, given$code, length(rows)), length(rows) * n_levels)
    matrix(as.double(cells), length(rows))
  })
  do.call(cbind, shown)
}

# Orthonormal moves that keep every sum at one: in units of the roots those orthogonal to the roots
# of a distribution. Parameters on the boundary stay.
tangent_basis <- function(model) {
  mirrors <- new_mirrors(model)
  reflect(diag(length(model$root)), mirrors)[, mirrors$keep, drop = FALSE]
}

# The reflections that swap the direction of each distribution's roots with its first free level
# (Householder); `keep`: the other free levels, whose images are the moves.
new_mirrors <- function(model) {
  at <- which(model$free)
  roots <- ifelse(model$free, model$root, 0)
  axis <- roots / sqrt(pmax(stats::ave(roots^2, model$simplex, FUN = sum), 1e-300))
  first <- at[!duplicated(model$simplex[at])]
  axis[first] <- axis[first] + 1 # roots are above 0: no cancellation
  length <- stats::ave(axis^2, model$simplex, FUN = sum)
  list(axis = axis, by = ifelse(length > 0, 2 * axis / length, 0),
       simplex = match(model$simplex, unique(model$simplex)),
       keep = model$free & !seq_along(axis) %in% first)
}

# x H, of the matrix H of all reflections: a sum over each distribution, no product of matrices.
reflect <- function(x, mirrors) {
  sums <- t(unname(rowsum(t(unname(x)) * mirrors$axis, mirrors$simplex, reorder = FALSE)))
  unname(x) - sums[, mirrors$simplex, drop = FALSE] * rep(mirrors$by, each = nrow(x))
}

# An orthonormal basis of what is orthogonal to the columns of x.
orthogonal_to <- function(x) {
  decomposition <- qr(x)
  qr.Q(decomposition, complete = TRUE)[, -seq_len(decomposition$rank), drop = FALSE]
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
  n_by_prior <- sum(mixture$by_prior)
  if (n_by_prior > 0) {
    warn_mdpd(
      c("{n_by_prior} estimate{?s} {?is/are} not determined by the data: {?its/their} standard
         error{?s} rest{?s/} on the prior.", i = "Fewer components may be enough."),
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

# `ask`: how to have errors that hold for weights of a survey.
warn_counted_weights <- function(weights, call, ask = "{.code type = \"robust\"}") {
  warn_no_counts(weights, c(
    "The case weights are not whole numbers, and the standard errors take them as counts of rows.",
    i = paste0("If they are weights of a sample survey, use ", ask, ", or fit with a survey design
                as {.arg weights}.")
  ), call)
}

# Estimates on the boundary that are parameters: not a single component, nor a level that no row
# shows, nor the level of a constant item.
count_bounded <- function(model) {
  level <- ifelse(model$item == 0, -model$component, model$column)
  seen <- stats::ave(model$estimate, level, FUN = max) > 1e-8
  n_seen <- stats::ave(seen + 0, model$simplex, FUN = sum)
  sum(!model$free & seen & n_seen > 1)
}
