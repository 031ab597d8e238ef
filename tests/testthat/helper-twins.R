# Plain-R twins of the engine's kernels, written from the formulas and not from the engine: slow,
# short, independent. `coded` is the coded data of R/encode.R, a model is a list of mixing_weights
# (K) and item_probs (per item R_i x K); items and components count from 1.

xlogx <- function(x) ifelse(x > 0, x * log(x), 0)

twin_codes <- function(coded, item) as.integer(coded$codes[, item])

twin_n_levels <- function(coded) unname(lengths(coded$levels))

twin_n_items <- function(coded) ncol(coded$codes)

# Rows without any answer, which do not count.
twin_is_empty <- function(coded) rowSums(coded$codes != as.raw(0)) == 0

# Posterior ----------------------------------------------------------------------------------------

twin_posterior <- function(coded, model, items) {
  log_joint <- matrix(
    log(model$mixing_weights), nrow(coded$codes), length(model$mixing_weights), byrow = TRUE
  )
  for (item in items) {
    log_probs <- rbind(0, log(model$item_probs[[item]])) # row 1: a missing cell says nothing
    log_joint <- log_joint + log_probs[twin_codes(coded, item) + 1L, , drop = FALSE]
  }
  largest <- as.vector(do.call(pmax, asplit(log_joint, 2)))
  row_loglik <- largest + log(rowSums(exp(log_joint - largest)))
  list(
    posterior = exp(log_joint - row_loglik),
    loglik = sum(coded$weights * row_loglik),
    row_loglik = row_loglik
  )
}

# M-step -------------------------------------------------------------------------------------------

# levels x components: the weight of component k among the rows that show level r
twin_counts <- function(coded, posterior, item) {
  code <- twin_codes(coded, item)
  counts <- lapply(seq_len(twin_n_levels(coded)[item]), function(r) {
    colSums(coded$weights * posterior * (code == r))
  })
  do.call(rbind, counts)
}

twin_m_step <- function(coded, posterior, floor = 0, smoothing = 0) {
  item_probs <- lapply(seq_len(twin_n_items(coded)), function(item) {
    counts <- twin_counts(coded, posterior, item)
    marginal <- rowSums(counts) / sum(counts)
    counts <- counts + smoothing * marginal
    probs <- sweep(counts, 2, colSums(counts), "/")
    probs[, colSums(counts) == 0] <- marginal # nothing seen of this item in the component
    probs
  })
  model <- list(
    mixing_weights = colSums(coded$weights * posterior) / sum(coded$weights),
    item_probs = item_probs
  )
  twin_floor_model(coded, model, floor)
}

# Entries under the floor are lifted to it and the others scaled to fill the rest; scaling may push
# another one under the floor, hence the loop. A level that no row shows has probability 0 and is no
# parameter: `seen` says which are.
twin_floor <- function(probs, floor, seen = rep(TRUE, length(probs))) {
  low <- rep(FALSE, length(probs))
  repeat {
    lifted <- ifelse(low, floor, probs * (1 - sum(low) * floor) / sum(probs[!low]))
    if (!any(lifted[!low & seen] < floor)) {
      return(lifted)
    }
    low <- low | (seen & lifted < floor)
  }
}

twin_seen <- function(coded, item) {
  seq_len(twin_n_levels(coded)[item]) %in% twin_codes(coded, item)
}

twin_floor_model <- function(coded, model, floor) {
  if (floor > 0) {
    model$item_probs <- lapply(seq_along(model$item_probs), function(item) {
      probs <- model$item_probs[[item]]
      array(apply(probs, 2, twin_floor, floor, twin_seen(coded, item)), dim(probs))
    })
  }
  model
}

# Pair tables and information ----------------------------------------------------------------------

# n_obs x levels, 1 where the row shows the level; with `missing_level` a last column for code 0.
twin_one_hot <- function(coded, item, missing_level) {
  levels <- c(seq_len(twin_n_levels(coded)[item]), if (missing_level) 0L)
  1 * outer(twin_codes(coded, item), levels, "==")
}

# R_i x R_j x K: (1/N) sum_n w_n g[n,k] 1[x_ni = r, x_nj = s]
twin_pair_table <- function(coded, posterior, item_1, item_2, missing_level = FALSE) {
  rows <- twin_one_hot(coded, item_1, missing_level)
  cols <- twin_one_hot(coded, item_2, missing_level)
  table <- array(0, c(ncol(rows), ncol(cols), ncol(posterior)))
  for (k in seq_len(ncol(posterior))) {
    table[, , k] <- t(rows) %*% (coded$weights * posterior[, k] * cols) / sum(coded$weights)
  }
  table
}

# sum_rs J log(J W / (J_r. J_.s)): the information of one table, times its weight W
twin_table_information <- function(table) {
  log_ratio <- log(table * sum(table) / outer(rowSums(table), colSums(table)))
  sum(ifelse(table > 0, table * log_ratio, 0))
}

twin_component_weights <- function(coded, posterior) {
  colSums(coded$weights * posterior) / sum(coded$weights)
}

# M x M x K: I_k(i,j) times the share of component k's weight where both items are observed
twin_information <- function(coded, posterior, missing_level = FALSE) {
  n_items <- twin_n_items(coded)
  information <- array(0, c(n_items, n_items, ncol(posterior)))
  for (i in seq_len(n_items)) {
    for (j in setdiff(seq_len(n_items), i)) {
      table <- twin_pair_table(coded, posterior, i, j, missing_level)
      information[i, j, ] <- apply(table, 3, twin_table_information) /
        twin_component_weights(coded, posterior)
    }
  }
  information
}

# The same by one matrix product a component, for the stage loop, where the loops above take
# minutes: J of all pairs of levels at once, then sums over the levels of each item.
twin_information_by_product <- function(coded, posterior, missing_level = FALSE) {
  items <- seq_len(twin_n_items(coded))
  columns <- lapply(items, function(item) twin_one_hot(coded, item, missing_level))
  one_hot <- do.call(cbind, columns)
  item <- rep(items, vapply(columns, ncol, 0L))
  weights <- coded$weights * posterior / sum(coded$weights)
  out <- vapply(seq_len(ncol(posterior)), function(k) {
    twin_product_information(crossprod(one_hot * weights[, k], one_hot), item) / sum(weights[, k])
  }, matrix(0, max(items), max(items)))
  array(out, c(max(items), max(items), ncol(posterior)))
}

twin_product_information <- function(table, item) {
  by_item <- function(x) unname(rowsum(x, item))
  margin <- t(by_item(table)) # level r of item i, summed over the levels of item j
  row_term <- by_item(xlogx(margin))
  information <- by_item(t(by_item(xlogx(table)))) - row_term - t(row_term) +
    xlogx(by_item(margin))
  diag(information) <- 0
  information
}

# log p-value of G2 = 2 N W_k I_k(i,j), one for each component: chi-square, degrees of freedom
# (levels of i - 1) (levels of j - 1), counting the levels that carry weight in the table
twin_log_p_value <- function(coded, posterior, item_1, item_2, missing_level = FALSE) {
  table <- twin_pair_table(coded, posterior, item_1, item_2, missing_level)
  apply(table, 3, function(j) {
    df <- (sum(rowSums(j) > 0) - 1) * (sum(colSums(j) > 0) - 1)
    g2 <- 2 * sum(coded$weights) * twin_table_information(j)
    if (df < 1) 0 else stats::pchisq(max(g2, 0), df, lower.tail = FALSE, log.p = TRUE)
  })
}

# The split ----------------------------------------------------------------------------------------

# Component k twice, each with half the weight; the copy is the last component.
twin_duplicate <- function(model, component) {
  weights <- model$mixing_weights
  weights[component] <- weights[component] / 2
  list(
    mixing_weights = c(weights, weights[component]),
    item_probs = lapply(model$item_probs, function(p) cbind(p, p[, component], deparse.level = 0))
  )
}

# `split`: list(component, item_1, item_2). On the two items the component moves by d, its copy
# by -d.
twin_split_model <- function(model, split, d) {
  model <- twin_duplicate(model, split$component)
  copy <- length(model$mixing_weights)
  n_1 <- nrow(model$item_probs[[split$item_1]])
  moves <- list(d[seq_len(n_1)], d[-seq_len(n_1)])
  for (half in 1:2) {
    item <- c(split$item_1, split$item_2)[half]
    probs <- model$item_probs[[item]]
    probs[, split$component] <- probs[, split$component] + moves[[half]]
    probs[, copy] <- probs[, copy] - moves[[half]]
    model$item_probs[[item]] <- probs
  }
  model
}

# Orthonormal basis of {d : both blocks sum to zero}; the levels not in `seen` do not move.
twin_tangent_basis <- function(n_1, n_2, seen = rep(TRUE, n_1 + n_2)) {
  block <- function(seen) {
    basis <- matrix(0, length(seen), max(sum(seen) - 1, 0))
    if (ncol(basis) > 0) {
      contrasts <- stats::contr.helmert(sum(seen))
      basis[seen, ] <- sweep(contrasts, 2, sqrt(colSums(contrasts^2)), "/")
    }
    basis
  }
  first <- block(seen[seq_len(n_1)])
  second <- block(seen[-seq_len(n_1)])
  rbind(
    cbind(first, matrix(0, n_1, ncol(second))),
    cbind(matrix(0, n_2, ncol(first)), second)
  )
}

# Second derivatives of f at 0 by central differences.
twin_numerical_hessian <- function(f, n, step) {
  unit <- diag(n) * step
  hessian <- matrix(0, n, n)
  for (a in seq_len(n)) {
    for (b in seq_len(a)) {
      both <- f(unit[a, ] + unit[b, ]) + f(-unit[a, ] - unit[b, ])
      one_each <- f(unit[a, ] - unit[b, ]) + f(unit[b, ] - unit[a, ])
      hessian[a, b] <- hessian[b, a] <- (both - one_each) / (4 * step^2)
    }
  }
  hessian
}

# F2 of the closed form, term by term, for a = d_i / mu_i and b = d_j / mu_j. `posterior` is that of
# the model before it is duplicated; a missing level takes part with a = b = 0.
twin_f2 <- function(coded, posterior, split, a, b, missing_level = FALSE) {
  if (missing_level) {
    a <- c(a, 0)
    b <- c(b, 0)
  }
  k <- split$component
  tables <- twin_pair_table(coded, posterior, split$item_1, split$item_2, missing_level)
  overlaps <- twin_pair_table(
    coded, posterior * posterior[, k], split$item_1, split$item_2, missing_level
  )
  table_of <- function(array, l) matrix(array[, , l], length(a), length(b))
  log_ratio <- function(j) {
    ifelse(j > 0, log(j * sum(j) / outer(rowSums(j), colSums(j))), 0)
  }
  ratio <- function(x, y) sum(ifelse(y > 0, x / y, 0))
  j <- table_of(tables, k)
  moved <- j * outer(a, b, "+")
  curvature <- sum(moved * outer(a, b, "+")) - ratio(rowSums(moved)^2, rowSums(j)) -
    ratio(colSums(moved)^2, colSums(j)) + ratio(sum(moved)^2, sum(j))
  weight <- log_ratio(j) * j
  for (l in seq_len(dim(tables)[3])) {
    weight <- weight - log_ratio(table_of(tables, l)) * table_of(overlaps, l)
  }
  curvature / 2 + sum(outer(a, b) * weight)
}

# The Hessian in d = (d_i, d_j), (R_i + R_j)^2, by polarisation of the quadratic form F2.
twin_split_hessian <- function(coded, posterior, split, probs_1, probs_2, missing_level = FALSE) {
  n_1 <- length(probs_1)
  scale <- ifelse(c(probs_1, probs_2) > 0, 1 / c(probs_1, probs_2), 0) # an unseen level never moves
  form <- function(d) {
    scaled <- d * scale
    twin_f2(coded, posterior, split, scaled[seq_len(n_1)], scaled[-seq_len(n_1)], missing_level)
  }
  unit <- diag(length(scale))
  hessian <- 0 * unit
  for (r in seq_along(scale)) {
    for (s in seq_len(r)) {
      polarised <- (form(unit[r, ] + unit[s, ]) - form(unit[r, ] - unit[s, ])) / 2
      hessian[r, s] <- hessian[s, r] <- polarised
    }
  }
  hessian
}

# Refinement ---------------------------------------------------------------------------------------

# Log-likelihood of every item at its observed frequencies; what an uninformative item contributes.
twin_marginal_loglik <- function(coded) {
  vapply(seq_len(twin_n_items(coded)), function(item) {
    counts <- twin_counts(coded, matrix(1, nrow(coded$codes)), item)
    sum(xlogx(counts)) - xlogx(sum(counts))
  }, 0)
}

twin_penalty <- function(coded, n_components) {
  vapply(seq_len(twin_n_items(coded)), function(item) {
    counts <- twin_counts(coded, matrix(1, nrow(coded$codes)), item)
    (n_components - 1) * (sum(counts > 0) - 1) * log(sum(counts)) / 2
  }, 0)
}

# What an item gains by differing between components: sum_n,k g log(mu[k,i,x_ni] / mubar[i,x_ni])
# at the M-step's mu. Written with x log x, because a count too small to be divided is not -Inf.
twin_gain <- function(coded, posterior) {
  vapply(seq_len(twin_n_items(coded)), function(item) {
    counts <- twin_counts(coded, posterior, item)
    sum(xlogx(counts)) - sum(xlogx(colSums(counts))) - sum(xlogx(rowSums(counts))) +
      xlogx(sum(counts))
  }, 0)
}

# Log-likelihood with the items outside `items` at their observed frequencies, and the same
# penalised.
twin_criterion <- function(coded, e_step, items, n_components) {
  outside <- setdiff(seq_len(twin_n_items(coded)), items)
  loglik <- e_step$loglik + sum(twin_marginal_loglik(coded)[outside])
  penalty <- sum(twin_penalty(coded, n_components)[items]) +
    (n_components - 1) / 2 * log(sum(coded$weights))
  list(loglik = loglik, penalised_loglik = loglik - penalty)
}

# `n_iter` times: M-step, set of informative items (all of them when `sparse` is FALSE), E-step.
# With all items every third step is a leap, where it does not lower the log-likelihood.
twin_refine <- function(coded, posterior, n_iter, sparse) {
  coded$weights[twin_is_empty(coded)] <- 0
  n_components <- ncol(posterior)
  penalty <- twin_penalty(coded, n_components)
  trace <- NULL
  before <- list()
  for (iteration in seq_len(n_iter)) {
    model <- twin_m_step(coded, posterior)
    items <- seq_len(twin_n_items(coded))
    if (sparse) {
      items <- which(twin_gain(coded, posterior) > penalty)
    }
    e_step <- twin_posterior(coded, model, items)
    before <- c(before, list(model))
    if (!sparse && length(before) == 3 && iteration < n_iter) {
      leap <- twin_leap(coded, before)
      before <- if (is.null(leap)) before[3] else list()
      to <- if (!is.null(leap)) twin_posterior(coded, leap, items)
      if (!is.null(leap) && to$loglik >= utils::tail(trace$loglik, 1)) {
        model <- leap
        e_step <- to
      }
    }
    posterior <- e_step$posterior
    criterion <- twin_criterion(coded, e_step, items, n_components)
    trace <- rbind(trace, data.frame(criterion, n_informative = length(items)))
  }
  list(model = model, items = items, posterior = posterior, trace = trace)
}

# Where three models in a row lead to by squared extrapolation (Varadhan and Roland 2008, scheme
# S3), in square roots of probabilities; NULL where EM does not slow down.
twin_leap <- function(coded, models) {
  answered <- vapply(seq_len(twin_n_items(coded)), function(item) {
    sum(coded$weights[coded$codes[, item] > 0]) / sum(coded$weights)
  }, 0)
  roots <- lapply(models, function(model) {
    c(list(sqrt(model$mixing_weights)), Map(function(p, s) sqrt(s * p), model$item_probs, answered))
  })
  flat <- lapply(roots, unlist)
  step <- flat[[2]] - flat[[1]]
  change <- flat[[3]] - flat[[2]] - step
  length <- sqrt(sum(step^2) / sum(change^2))
  if (length <= 1) {
    return(NULL)
  }
  to <- utils::relist(flat[[1]] + 2 * length * step + length^2 * change, roots[[1]])
  # At least a tenth of each probability is left.
  move <- function(p, root, s) {
    p <- as.matrix(p)
    to_sum_1 <- function(p) sweep(p, 2, colSums(p), "/")
    to_sum_1(pmax(to_sum_1(as.matrix(pmax(root / sqrt(s), 0)^2)), p / 10))
  }
  model <- models[[3]]
  model$mixing_weights[] <- move(model$mixing_weights, to[[1]], 1)
  model$item_probs[] <- Map(move, model$item_probs, to[-1], answered)
  model
}

# The whole method of the paper --------------------------------------------------------------------

# The largest entry I_k(i,j), i < j; equal up to rounding counts as a tie: lowest i, then j, then k.
twin_largest_entry <- function(information) {
  entries <- which(information >= max(information) * (1 - 1e-9), arr.ind = TRUE)
  entries <- entries[entries[, 1] < entries[, 2], , drop = FALSE]
  first <- entries[order(entries[, 1], entries[, 2], entries[, 3])[1], ]
  list(item_1 = first[[1]], item_2 = first[[2]], component = first[[3]])
}

# The eigenvector of the smallest eigenvalue on the tangent space, length `step` on each of the two
# items; NULL where the information cannot fall.
twin_split_direction <- function(coded, model, items, split, step, missing_level) {
  probs_1 <- model$item_probs[[split$item_1]][, split$component]
  probs_2 <- model$item_probs[[split$item_2]][, split$component]
  posterior <- twin_posterior(coded, model, items)$posterior
  hessian <- twin_split_hessian(coded, posterior, split, probs_1, probs_2, missing_level)
  seen <- c(twin_seen(coded, split$item_1), twin_seen(coded, split$item_2))
  basis <- twin_tangent_basis(length(probs_1), length(probs_2), seen)
  spectrum <- eigen(crossprod(basis, hessian %*% basis), symmetric = TRUE)
  lowest <- which.min(spectrum$values)
  if (spectrum$values[lowest] >= 0) {
    return(NULL)
  }
  d <- drop(basis %*% spectrum$vectors[, lowest])
  first <- seq_along(d) <= length(probs_1)
  step * ifelse(first, d / sqrt(sum(d[first]^2)), d / sqrt(sum(d[!first]^2)))
}

twin_stagewise_paper <- function(coded, k, n_stages = 30, floor = 0.002, step = 0.05,
                                 missing_level = FALSE) {
  model <- twin_m_step(coded, matrix(1, nrow(coded$codes), 1))
  items <- integer()
  trace <- NULL
  for (stage in seq_len(n_stages)) {
    posterior <- twin_posterior(coded, model, items)$posterior
    information <- twin_information_by_product(coded, posterior, missing_level)
    pair <- twin_largest_entry(information)
    is_new <- !all(c(pair$item_1, pair$item_2) %in% items)
    items <- union(items, c(pair$item_1, pair$item_2))
    if (is_new && ncol(posterior) < k) {
      model <- twin_floor_model(coded, model, floor)
      d <- twin_split_direction(coded, model, items, pair, step, missing_level)
      if (!is.null(d)) {
        model <- twin_floor_model(coded, twin_split_model(model, pair, d), floor)
      }
    }
    model <- twin_m_step(coded, twin_posterior(coded, model, items)$posterior, floor)
    trace <- rbind(trace, data.frame(
      pair, information = max(information), k = length(model$mixing_weights),
      n_informative = length(items)
    ))
  }
  list(
    model = model, items = items, trace = trace,
    posterior = twin_posterior(coded, model, items)$posterior
  )
}
