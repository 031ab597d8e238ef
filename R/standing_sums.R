# What a fit of a store keeps of the rows that it has gone over, so that EM can go on without them:
# their sums at the posterior they had. Sums of different rows add up, also where their posteriors
# are those of different parameters.
#
# A list:
#   n_obs, weight   rows, and the sum of their case weights
#   largest_weight, most_repeats
#                   the largest case weight, and the most answers of a row to one item
#   level_weight    the weighted count of every level, item by item
#   levels          of these counts what each component has, levels x k
#   components, overlap, modal
#                   weight of each component; k x k, shared by two components, and of the rows whose
#                   most probable component is the row's, as of `classification` of a fit
#   entropy         of the posteriors (nats)
#   reliance        per item, what the posteriors rest on it (nats)

# With the components in another order.
order_sums <- function(sums, order) {
  sums$levels <- sums$levels[, order, drop = FALSE]
  sums$components <- sums$components[order]
  sums$overlap <- sums$overlap[order, order, drop = FALSE]
  sums$modal <- sums$modal[order, order, drop = FALSE]
  sums
}

# All that a fit keeps of its store's rows, in another order of the components.
order_kept_sums <- function(kept, order) {
  if (!is.null(kept$pseudo_counts)) kept$pseudo_counts <- kept$pseudo_counts[, order, drop = FALSE]
  for (part in intersect(c("standing", "last"), names(kept))) {
    kept[[part]] <- order_sums(kept[[part]], order)
  }
  if (!is.null(kept$check)) kept$check$sums <- order_sums(kept$check$sums, order)
  kept
}
