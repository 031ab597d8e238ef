# Fits at their maximum, and the derivatives of their log-likelihood by differences.

# A fit at the maximum of the likelihood: first-order errors of the optimum do not reach the tests.
converged <- stagewise_control(tol = 1e-14, max_iter = 5000)

# Twelve hundred rows of five items, the components well apart and no probability near zero.
sharp_model <- function(k = 2) {
  items <- lapply(c(2, 3, 2, 4, 3), function(n_levels) {
    probs <- vapply(seq_len(k), function(component) {
      p <- rep(0.5 / n_levels, n_levels)
      favourite <- (component - 1) %% n_levels + 1
      replace(p, favourite, p[favourite] + 0.5)
    }, numeric(n_levels))
    dimnames(probs) <- list(letters[seq_len(n_levels)], seq_len(k))
    probs
  })
  names(items) <- paste0("item_", 1:5)
  weights <- stats::setNames(rev(seq_len(k) + 2) / sum(seq_len(k) + 2), seq_len(k))
  structure(list(k = k, mixing_weights = weights, item_probs = items, informative = names(items)),
            class = "mdpd")
}

sharp_rows <- function(n_obs = 1200, k = 2) simulate(sharp_model(k), seed = 1, n_obs = n_obs)[[1]]

full_fit <- function(x, k = 2, weights = NULL, missing = "ignore") {
  mdpd(x, k = k, start = sharp_model(k), weights = weights, missing = missing, control = converged)
}

# Free parameters of a fit in plain R: all levels of each distribution but its last.
free_parameters <- function(fit) {
  c(head(fit$mixing_weights, -1), unlist(lapply(fit$item_probs, function(p) p[-nrow(p), ])))
}
twin_model_of <- function(theta, fit) {
  k <- fit$k
  take <- function(n) {
    values <- theta[seq_len(n)]
    theta <<- theta[-seq_len(n)]
    values
  }
  weights <- take(k - 1)
  probs <- lapply(fit$item_probs, function(p) {
    free <- matrix(take(length(p) - k), nrow(p) - 1)
    rbind(free, 1 - colSums(free))
  })
  list(mixing_weights = c(weights, 1 - sum(weights)), item_probs = probs)
}
twin_covariance <- function(fit) {
  theta <- unname(free_parameters(fit))
  minus_loglik <- function(move) {
    -twin_posterior(fit$coded, twin_model_of(theta + move, fit), seq_along(fit$item_probs))$loglik
  }
  # Central differences: errors of order step^2 and rounding / step^2.
  solve(twin_numerical_hessian(minus_loglik, length(theta), 1e-4))
}
free_names <- function(fit) {
  k <- names(fit$mixing_weights)
  c(paste0("weight|", head(k, -1)), unlist(lapply(names(fit$item_probs), function(item) {
    levels <- head(rownames(fit$item_probs[[item]]), -1)
    paste0(item, ":", levels, "|", rep(k, each = length(levels)))
  })))
}

# The gradients of the log-densities of the rows, n_obs x free parameters.
twin_scores <- function(fit, step = 1e-6) {
  theta <- unname(free_parameters(fit))
  row_loglik <- function(move) {
    model <- twin_model_of(theta + move, fit)
    twin_posterior(fit$coded, model, seq_along(fit$item_probs))$row_loglik
  }
  vapply(seq_along(theta), function(i) {
    move <- replace(0 * theta, i, step)
    (row_loglik(move) - row_loglik(-move)) / (2 * step)
  }, numeric(nrow(fit$posterior)))
}

# Four hundred rows of ten items with two levels, of three classes that differ in some.
close_classes <- function(seed) {
  with_seed(seed, {
    probs <- replicate(10, prop.table(matrix(stats::rexp(6), 2)^1.5, 2), simplify = FALSE)
    class <- sample(3, 400, TRUE)
    items <- lapply(probs, function(p) c("a", "b")[1 + (stats::runif(400) > p[1, class])])
    as.data.frame(`names<-`(items, paste0("i", 1:10)))
  })
}
