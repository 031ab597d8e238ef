# The marginal likelihood of a mixture by annealed importance sampling (Neal 2001,
# doi:10.1023/A:1008923215028), and what the evidence says of the same model: items of as many
# levels, all of one concentration; each has a centre with a uniform prior and the components'
# columns Dirichlet(concentration * centre) around it; the weights of the components are uniform.
#
# Parameters are logits, the last level of each item and the last component being 0: of the centres,
# of the columns of each component, of the weights. Many chains are columns of one matrix.

# Rows x cells, 1 where the row has the level; `x` is a matrix of codes from 1.
ones_of <- function(x, n_levels) {
  of_item <- function(item) outer(x[, item], seq_len(n_levels), "==") + 0
  do.call(cbind, lapply(seq_len(ncol(x)), of_item))
}

# The log marginal likelihood of one column an item, with a uniform prior.
log_marginal_of_one <- function(ones, n_levels) {
  counts <- matrix(colSums(ones), n_levels)
  sum(lgamma(n_levels) - lgamma(n_levels + nrow(ones)) + colSums(lgamma(1 + counts)))
}

# Evidence ----------------------------------------------------------------------------------------

# Against one component, of a posterior `g`, see vignette("method"); the posterior means too.
evidence_of <- function(ones, g, concentration, n_levels) {
  n <- nrow(ones)
  k <- ncol(g)
  n_items <- ncol(ones) / n_levels
  item <- rep(seq_len(n_items), each = n_levels)
  counts <- crossprod(ones, g)
  sizes <- colSums(g)
  centre <- rowSums(sweep(counts, 2, sizes + concentration + 1, "/"))
  centre <- centre / rowsum(centre, item)[item]
  log_det <- function(m) as.numeric(determinant(m)$modulus)
  overlap <- log_det(diag(concentration + sizes)) -
    log_det(concentration * diag(k) + crossprod(g))
  rows <- sum(sizes * (concentration + 1) / (sizes + concentration + 1))
  columns <- n_items * sum(lgamma(concentration) - lgamma(concentration + sizes)) +
    sum(lgamma(concentration * centre + counts) - lgamma(concentration * centre))
  gain <- columns - sum(colSums(ones) * log(colSums(ones) / n)) +
    n_items * (n_levels - 1) / 2 * (log(n / rows) + overlap)
  of_sizes <- lgamma(k) - lgamma(k + n) + sum(lgamma(1 + sizes)) + lfactorial(k)
  list(evidence = gain + of_sizes - sum(ifelse(g > 0, g * log(g), 0)), centre = centre,
       counts = counts, sizes = sizes)
}

# The posterior at which variational Bayes ends that begins at `g`, and its evidence.
end_by_evidence <- function(ones, g, concentration, n_levels) {
  for (step in 1:500) {
    now <- evidence_of(ones, g, concentration, n_levels)
    log_columns <- digamma(concentration * now$centre + now$counts) -
      rep(digamma(concentration + now$sizes), each = nrow(now$counts))
    log_joint <- ones %*% log_columns + rep(digamma(1 + now$sizes), each = nrow(ones))
    next_g <- exp(log_joint - apply(log_joint, 1, max))
    next_g <- next_g / rowSums(next_g)
    moved <- max(abs(next_g - g))
    g <- next_g
    if (moved < 1e-7) break
  }
  c(evidence_of(ones, g, concentration, n_levels), list(posterior = g))
}

# Density -----------------------------------------------------------------------------------------

# A function of logits, parameters x chains: their log density with the data, and its gradient.
log_density_of <- function(ones, k, concentration, n_levels) {
  n <- nrow(ones)
  n_cells <- ncol(ones)
  n_items <- n_cells / n_levels
  item <- rep(seq_len(n_items), each = n_levels)
  free <- setdiff(seq_len(n_cells), n_levels * seq_len(n_items))
  block <- function(at) at * length(free) + seq_along(free)
  last <- (k + 1) * length(free) + seq_len(k - 1)
  log_probs <- function(logits) {
    cells <- matrix(0, n_cells, ncol(logits))
    cells[free, ] <- logits
    cells - log(rowsum(exp(cells), item, reorder = FALSE))[item, , drop = FALSE]
  }
  to_logits <- function(gradient, log_p) {
    sums <- rowsum(gradient, item, reorder = FALSE)[item, , drop = FALSE]
    (gradient - exp(log_p) * sums)[free, , drop = FALSE]
  }
  function(at) {
    at <- as.matrix(at)
    n_chains <- ncol(at)
    log_centre <- log_probs(at[block(0), , drop = FALSE])
    mean <- concentration * exp(log_centre)
    logits <- rbind(at[last, , drop = FALSE], 0)
    log_w <- sweep(logits, 2, log(colSums(exp(logits))))
    columns <- lapply(seq_len(k), function(of) log_probs(at[block(of), , drop = FALSE]))
    joint <- array(ones %*% do.call(cbind, columns), c(n, n_chains, k))
    joint <- joint + rep(t(log_w), each = n)
    most <- do.call(pmax, lapply(seq_len(k), function(of) joint[, , of]))
    joint <- exp(joint - as.vector(most))
    total <- rowSums(joint, dims = 2)
    g <- joint / as.vector(total)
    counts <- crossprod(ones, matrix(g, n))
    value <- colSums(matrix(most, n) + log(total)) + n_items * lgamma(n_levels) +
      colSums(log_centre) + lgamma(k) + colSums(log_w)
    of_centre <- matrix(1, n_cells, n_chains)
    of_columns <- list()
    for (of in seq_len(k)) {
      value <- value + n_items * lgamma(concentration) - colSums(lgamma(mean)) +
        colSums(mean * columns[[of]])
      of_centre <- of_centre + mean * (columns[[of]] - digamma(mean))
      answers <- counts[, (of - 1) * n_chains + seq_len(n_chains), drop = FALSE]
      of_columns[[of]] <- to_logits(answers + mean, columns[[of]])
    }
    rows <- 1 + t(matrix(colSums(g), n_chains))
    of_weights <- rows - sweep(exp(log_w), 2, colSums(rows), "*")
    list(value = value, gradient = rbind(to_logits(of_centre, log_centre),
                                         do.call(rbind, of_columns),
                                         of_weights[seq_len(k - 1), , drop = FALSE]))
  }
}

# Sampling ----------------------------------------------------------------------------------------

logits_of_end <- function(end, concentration, n_levels) {
  last <- n_levels * seq_len(length(end$centre) / n_levels)
  to_logits <- function(p) log(p[-last]) - log(rep(p[last], each = n_levels - 1))
  means <- sweep(concentration * end$centre + end$counts, 2, concentration + end$sizes, "/")
  k <- length(end$sizes)
  c(to_logits(end$centre), apply(means, 2, to_logits), log(end$sizes[-k] / end$sizes[k]))
}

# By differences of the gradient.
minus_hessian <- function(density, at, step = 1e-4) {
  columns <- vapply(seq_along(at), function(j) {
    e <- replace(numeric(length(at)), j, step)
    two <- density(cbind(at + e, at - e))$gradient
    (two[, 2] - two[, 1]) / (2 * step)
  }, at)
  (columns + t(columns)) / 2
}

# From the normal distribution of Laplace's method to the posterior, in `n_temperatures` steps of
# Hamiltonian Monte Carlo. Its mean over the chains, and the chains' own spread. The K! orders of
# the components are counted once each, as chains stay in theirs: where they do not, it is too much
# by at most log K!.
log_marginal_likelihood <- function(ones, end, concentration, n_levels, n_chains = 12,
                                    n_temperatures = 120, n_leaps = 6, leap = 0.2) {
  k <- length(end$sizes)
  density <- log_density_of(ones, k, concentration, n_levels)
  mode <- stats::optim(logits_of_end(end, concentration, n_levels),
                       function(at) -density(at)$value, function(at) -density(at)$gradient,
                       method = "L-BFGS-B", control = list(maxit = 3000, factr = 1e4, lmm = 20))$par
  curvature <- eigen(minus_hessian(density, mode), symmetric = TRUE)
  scale <- pmax(curvature$values, 1e-3)
  to_logits <- curvature$vectors %*% diag(1 / sqrt(scale))
  constant <- length(mode) / 2 * log(2 * pi) - sum(log(scale)) / 2
  target <- function(z) {
    out <- density(mode + to_logits %*% z)
    list(value = out$value + constant, gradient = crossprod(to_logits, out$gradient))
  }
  normal <- function() matrix(stats::rnorm(length(mode) * n_chains), length(mode))
  z <- normal()
  at_z <- target(z)
  log_weights <- numeric(n_chains)
  for (step in seq_len(n_temperatures)) {
    t <- step / n_temperatures
    log_weights <- log_weights + (at_z$value + colSums(z^2) / 2) / n_temperatures
    energy <- function(z, at_z, p) {
      (1 - t) * colSums(z^2) / 2 - t * at_z$value + colSums(p^2) / 2
    }
    push <- function(z, at_z) t * at_z$gradient - (1 - t) * z
    length <- leap * stats::runif(1, 0.7, 1.1)
    first_p <- p <- normal()
    y <- z
    at_y <- at_z
    for (move in seq_len(n_leaps)) {
      p <- p + length / 2 * push(y, at_y)
      y <- y + length * p
      at_y <- target(y)
      p <- p + length / 2 * push(y, at_y)
    }
    log_odds <- energy(z, at_z, first_p) - energy(y, at_y, p)
    goes <- log(stats::runif(n_chains)) < replace(log_odds, is.na(log_odds), -Inf)
    z[, goes] <- y[, goes]
    at_z$value[goes] <- at_y$value[goes]
    at_z$gradient[, goes] <- at_y$gradient[, goes]
  }
  most <- max(log_weights)
  c(estimate = most + log(mean(exp(log_weights - most))) + lfactorial(k),
    spread = stats::sd(log_weights))
}

# Check -------------------------------------------------------------------------------------------

# The same of two levels and two components, by the sum over all ways to divide the rows; the
# centres by the midpoint rule.
log_marginal_by_sum <- function(ones, concentration) {
  n <- nrow(ones)
  ways <- as.matrix(expand.grid(rep(list(0:1), n)))
  middle <- (seq_len(2000) - 0.5) / 2000
  sizes <- cbind(rowSums(ways), n - rowSums(ways))
  sum <- lgamma(2) - lgamma(2 + n) + rowSums(lgamma(1 + sizes))
  of_column <- function(first, size) {
    means <- concentration * cbind(middle, 1 - middle)
    lgamma(concentration) - lgamma(concentration + size) + lgamma(means[, 1] + first) -
      lgamma(means[, 1]) + lgamma(means[, 2] + size - first) - lgamma(means[, 2])
  }
  log_mean <- function(x) max(x) + log(mean(exp(x - max(x))))
  for (item in seq_len(ncol(ones) / 2)) {
    first <- ways %*% ones[, 2 * item - 1]
    key <- interaction(sizes[, 1], first, drop = TRUE)
    all_first <- sum(ones[, 2 * item - 1])
    of_key <- vapply(match(levels(key), key), function(at) {
      log_mean(of_column(first[at], sizes[at, 1]) +
                 of_column(all_first - first[at], sizes[at, 2]))
    }, 0)
    sum <- sum + of_key[as.integer(key)]
  }
  max(sum) + log(sum(exp(sum - max(sum))))
}
