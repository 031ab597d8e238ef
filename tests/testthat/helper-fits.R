# Fits made by hand, so that print and plot are tested without the engine and without chance:
# the rows are spread over the model by an additive (quasi-random) sequence.

# `n_levels` is recycled over the items; the first `n_informative` items differ between components,
# each a little less than the one before.
hand_made_fit <- function(n_items = 6, k = 2, n_levels = 2, n_informative = min(4, n_items),
                          n_obs = 60, items = paste0("item_", seq_len(n_items)),
                          components = as.character(seq_len(k)), level_names = NULL) {
  n_levels <- rep_len(n_levels, n_items)
  weights <- stats::setNames(rev(seq_len(k) + 1) / sum(seq_len(k) + 1), components)
  item_probs <- lapply(seq_len(n_items), function(i) {
    labels <- if (is.null(level_names)) letters[seq_len(n_levels[i])] else level_names
    hand_made_probs(i, k, labels, components, informative = i <= n_informative)
  })
  names(item_probs) <- items
  codes <- hand_made_codes(item_probs, weights, n_obs)
  informative <- items[seq_len(n_informative)]
  information <- vapply(item_probs, information_about_class, 0, weights)
  penalty <- (k - 1) * (n_levels - 1) / 2 * log(n_obs)
  structure(
    c(
      list(k = k, mixing_weights = weights, item_probs = item_probs, informative = informative,
           item_information = information,
           item_evidence = (items %in% informative) * (n_obs * information - penalty)),
      hand_made_likelihood(codes, item_probs, weights),
      list(nobs = n_obs, n_obs = n_obs, n_missing = 0L, trace = hand_made_trace(k, items),
           born = stats::setNames(seq_len(k), components),
           status = "converged", converged = TRUE, method = "robust", refine = "sparse",
           missing = "ignore", control = list(), call = quote(stagewise_em(x = votes, k = 2)),
           version = "0.1.0", coded = NULL, labels = NULL)
    ),
    class = c("stagewise_em", "mdpd")
  )
}

hand_made_probs <- function(i, k, levels, components, informative) {
  n_levels <- length(levels)
  strength <- if (informative) 0.8 * 0.96^(i - 1) else 0
  favourite <- (seq_len(k) - 1 + i * (k > n_levels)) %% n_levels + 1
  probs <- strength * diag(n_levels)[, favourite, drop = FALSE] + (1 - strength) / n_levels
  dimnames(probs) <- list(levels, components)
  probs
}

hand_made_codes <- function(item_probs, weights, n_obs) {
  class <- findInterval((seq_len(n_obs) - 0.5) / n_obs, cumsum(weights)) + 1
  vapply(seq_along(item_probs), function(i) {
    u <- (seq_len(n_obs) * sqrt(i + 1.5) + i * 0.618) %% 1
    upper <- apply(item_probs[[i]], 2, cumsum)[, class, drop = FALSE]
    1L + as.integer(colSums(upper < rep(u, each = nrow(upper)) - 1e-12))
  }, integer(n_obs))
}

hand_made_likelihood <- function(codes, item_probs, weights) {
  log_joint <- matrix(log(weights), nrow(codes), length(weights), byrow = TRUE)
  for (i in seq_along(item_probs)) {
    log_joint <- log_joint + log(item_probs[[i]][codes[, i], , drop = FALSE])
  }
  largest <- as.vector(do.call(pmax, asplit(log_joint, 2)))
  joint <- exp(log_joint - largest)
  dimnames(joint) <- list(NULL, names(weights))
  loglik <- sum(largest + log(rowSums(joint)))
  df <- length(weights) - 1L + sum(vapply(item_probs, function(p) length(p) - ncol(p), 0L))
  list(posterior = joint / rowSums(joint), loglik = loglik,
       penalised_loglik = loglik - df / 2 * log(nrow(codes)), df = df)
}

# I(X; Y) in nats of one item.
information_about_class <- function(probs, weights) {
  marginal <- drop(probs %*% weights)
  max(0, sum(rep(weights, each = nrow(probs)) * probs * log(probs / marginal)))
}

# k - 1 splits, one stage without a split, then two steps of refinement.
hand_made_trace <- function(k, items) {
  n_stages <- k
  n_rows <- n_stages + 2
  stage <- seq_len(n_rows)
  data.frame(
    stage = stage,
    phase = rep(c("stage", "refine"), c(n_stages, 2)),
    move = rep(c("split", NA), c(k - 1, 3)),
    k = pmin(stage + 1, k),
    item_1 = c(rep(items[1], n_stages), NA, NA),
    item_2 = c(rep(items[2], n_stages), NA, NA),
    component = c(rep(1L, n_stages), NA, NA),
    information = c(0.3 / seq_len(n_stages), 0.02, 0.01),
    p_value = c(rep(1e-8, n_stages), NA, NA),
    n_informative = pmin(2L * stage, 4L),
    loglik = -300 + 20 * (1 - 1 / stage),
    loglik_all = -310 + 20 * (1 - 1 / stage),
    penalised_loglik = -330 + 20 * (1 - 1 / stage),
    split_length = c(rep(0.1, k - 1), NA, NA, NA), merged_1 = NA_integer_, merged_2 = NA_integer_
  )
}

# What `simulate_crowd()` returns as the true model: no posterior, no trace.
hand_made_truth <- function(...) {
  fit <- hand_made_fit(...)
  structure(unclass(fit)[c("k", "mixing_weights", "item_probs", "informative",
                           "item_information")], class = "mdpd")
}

# A symmetric matrix like that of `information()`, a different value for each pair.
hand_made_information <- function(fit) {
  items <- names(fit$item_probs)
  strength <- rev(seq_along(items)) / length(items)
  information <- outer(strength, strength) / 10
  diag(information) <- 0
  dimnames(information) <- list(items, items)
  information
}

# A crowd of 12 workers, the first seven of whom look, with its labels. `sparse`: the first gives
# all labels, each of the others a half of what the one before gives.
hand_made_crowd_fit <- function(sparse = FALSE) {
  n_obs <- 120
  labels <- c("cat", "dog", "owl")
  fit <- hand_made_fit(12, k = 3, n_levels = 3, n_informative = 7, n_obs = n_obs,
                       items = paste0("w", 1:12), components = labels, level_names = labels)
  codes <- hand_made_codes(fit$item_probs, fit$mixing_weights, n_obs)
  if (sparse) {
    n_given <- pmax(2, n_obs / 2^(0:11))
    codes[(row(codes) * 37) %% n_obs >= n_given[col(codes)]] <- 0L
  }
  fit$coded <- structure(
    list(
      codes = matrix(as.raw(codes), n_obs, dimnames = list(NULL, names(fit$item_probs))),
      levels = lapply(fit$item_probs, rownames), weights = rep(1, n_obs), missing = "ignore"
    ),
    class = "mdpd_coded"
  )
  fit$labels <- labels
  fit
}

# What `pair_residuals()` returns, a different effect for each pair.
hand_made_pairs <- function(n_items = 6, n = 0) {
  items <- sprintf("item_%02d", seq_len(n_items))
  at <- utils::combn(n_items, 2)
  effect <- 0.3 / (1 + (at[1, ] * 3 + at[2, ] * 7) %% 11) + 0.001 * at[1, ] / n_items
  p <- exp(-50 * effect)
  pairs <- data.frame(
    item_1 = items[at[1, ]], item_2 = items[at[2, ]], n_obs = 100, statistic = 100 * effect^2,
    G2 = 90 * effect^2, df = 1, effect = effect, p_value = p, p_adjusted = pmin(1, 15 * p),
    is_sparse = FALSE
  )[order(p), ]
  structure(pairs, class = c("mdpd_pair_residuals", "data.frame"), k = 2L, n = n, seed = 1)
}
