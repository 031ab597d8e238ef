# How far two items depend on each other beyond what the other items say of the classes: the measure
# behind copied_items(), in whose help are the formulas. A `view` is a list:
#   rows       which of the data are looked at
#   codes      integer matrix, rows x candidates, 0 is missing
#   weights    of these rows
#   levels     of these items
#   log_joint  rows x components, log posterior up to a number a row
#   log_probs  per item rows x components, the log probability of the row's answer
# both with parameters in which the row itself does not count: else the other items, whose columns
# were estimated with the answers in question, would seem to know them.

# `answered`: the share of the rows that answer each item.
add_posterior <- function(view, object, posterior, answered) {
  # A component may have hardly any weight, or none.
  size <- pmax(rep(object$mixing_weights * object$nobs, each = nrow(posterior)), 1e-290)
  plain <- lapply(names(view$levels), function(item) {
    log_of_answers(view, item, object$item_probs[[item]])
  })
  view$log_probs <- Map(function(item, plain) {
    log_of_others(plain, size * answered[[item]], posterior, view$codes[, item] > 0)
  }, names(view$levels), plain)
  view$log_joint <- log(pmax(posterior, 1e-300)) + log(pmax(1 - posterior / size, 1e-3)) +
    Reduce(`+`, view$log_probs) - Reduce(`+`, plain)
  view
}

# rows x components; 0 where the row gives no answer.
log_of_answers <- function(view, item, probs) {
  shown <- view$codes[, item] > 0
  log_probs <- matrix(0, length(shown), ncol(probs))
  log_probs[shown, ] <- log(pmax(probs, 1e-300))[view$codes[shown, item], , drop = FALSE]
  log_probs
}

# The same without the row's own part, `posterior`, of the `size` rows that the column was estimated
# from; a thousandth of the probability is left at least.
log_of_others <- function(log_probs, size, posterior, shown) {
  own <- pmin(posterior / size, 0.999)
  others <- log(pmax(1 - own / exp(log_probs), 1e-3) / (1 - own))
  others[!shown, ] <- 0
  log_probs + others
}

# The posterior without the answers to some items.
posterior_without <- function(view, items) {
  log_joint <- log_without(view, items)
  joint <- exp(log_joint - log_joint[cbind(seq_len(nrow(log_joint)), max.col(log_joint, "first"))])
  joint / rowSums(joint)
}

log_without <- function(view, items) view$log_joint - Reduce(`+`, view$log_probs[items])

# n_rows x levels, 1 where the row answers so.
level_indicators <- function(view, item) {
  outer(view$codes[, item], seq_along(view$levels[[item]]), `==`) + 0
}

# The columns (levels x components) by which h predicts an item best: EM from its means.
best_columns <- function(item, h, view, n_steps) {
  core_best_columns(view$codes[, item], length(view$levels[[item]]), h, view$weights, n_steps)
}

columns_of <- function(items, h, view, n_steps = 30) {
  lapply(stats::setNames(items, items), best_columns, h = h, view = view, n_steps = n_steps)
}

pairwise <- function(items, h, view, columns, alpha) {
  strength <- matrix(0, length(items), length(items), dimnames = list(items, items))
  for (j in seq_along(items)[-1]) {
    for (i in seq_len(j - 1)) {
      strength[i, j] <- strength[j, i] <- pair_strength(items[c(i, j)], h, view, columns, alpha)
    }
  }
  strength
}

# Between the items of two branches.
cross_strength <- function(node, h, view, columns, alpha) {
  pairs <- expand.grid(node[[1]], node[[2]], stringsAsFactors = FALSE)
  apply(as.matrix(pairs), 1, pair_strength, h = h, view = view, columns = columns, alpha = alpha)
}

# How far the two depend beyond what h explains, relative to what h leaves open of the surer one; 0
# where chance may have done it.
pair_strength <- function(pair, h, view, columns, alpha) {
  core_pair_strength(view$codes[, pair], h, view$weights, columns[pair], alpha)
}
