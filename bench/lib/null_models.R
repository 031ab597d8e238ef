# Models of ordinary latent class analysis, whose data show how often a test of fit rejects what is
# true. In all, each component has a favourite level in each item, chosen with the probability
# `strength` and otherwise as all components do.
clear_model <- function(k, n_items, n_levels, strength, seed) {
  set.seed(seed)
  levels <- as.character(seq_len(n_levels))
  item_probs <- lapply(seq_len(n_items), function(i) {
    common <- stats::rexp(n_levels) + 0.5
    vapply(seq_len(k), function(component) {
      favourite <- (i * component + i %/% 3) %% n_levels + 1
      (1 - strength) * common / sum(common) + strength * (seq_len(n_levels) == favourite)
    }, numeric(n_levels))
  })
  item_probs <- lapply(item_probs, `dimnames<-`, list(levels, as.character(seq_len(k))))
  names(item_probs) <- paste0("item_", seq_len(n_items))
  weights <- stats::setNames((k:1 + 1) / sum(k:1 + 1), seq_len(k))
  structure(
    list(k = k, mixing_weights = weights, item_probs = item_probs, informative = names(item_probs)),
    class = "mdpd"
  )
}

null_cases <- function() {
  list(
    list(name = "one component, 6 items of 3 levels", n_obs = 200,
         model = clear_model(1L, 6, 3, 0.6, seed = 3)),
    list(name = "two components, 8 items of 2 levels", n_obs = 300,
         model = clear_model(2L, 8, 2, 0.6, seed = 1)),
    list(name = "three components, 10 items of 3 levels", n_obs = 500,
         model = clear_model(3L, 10, 3, 0.6, seed = 2))
  )
}

# A share with its Monte-Carlo standard error, in percent.
share_cell <- function(shares) {
  sprintf("%.1f (%.1f)", 100 * mean(shares), 100 * stats::sd(shares) / sqrt(length(shares)))
}
