#pragma once

#include "data/row_sums.h"
#include "model/item_prior.h"
#include "model/parameters.h"

namespace mdpd {

// The evidence for a posterior: the log marginal likelihood of the data, up to approximation, in
// which the items are alike. Given the components, an item has with some probability one and the same
// column (the spike); else each column has a Dirichlet prior around a centre, with one of a few
// concentrations. How probable each of these is, is learned from all items (empirical Bayes), so
// that the same criterion serves few strong items among noise and many weak ones. After Stephens
// (2017), False discovery rates: a new deal; formulas in vignette("method").

/// `flat_prior()` of a crowd, all of whose items have the same levels.
/// @param counts of all levels by component: the crowd's columns begin at what the items answer that
///   differ, and are drawn to it.
ItemPrior flat_prior_of_crowd(const CodedData& data, const RowMatrix& counts);

/// Whether an item differs between the components, and how.
struct ItemEvidence {
  RowMatrix shares = {};  ///< n_items x weights: posterior probability of each
  Vector gain = {};       ///< n_items: log Bayes factor against the spike alone (nats)

  /// Probability that it differs, if all items may well be the same.
  Vector least_inclusion() const;
};

/// How sure a posterior is of the rows' components.
struct Overlap {
  Vector shares = {};       ///< of all rows that each component has
  Vector eigenvalues = {};  ///< of the shares of rows that two components have in common
  Matrix apart = {};        ///< of two components, the rows' mean squared difference of probability

  /// @param shared n_components x n_components, see `shared_weight()`.
  explicit Overlap(const Matrix& shared);
};

/// A few steps of EM for the prior, then the items' evidence under it. An item of which fewer than two
/// levels are seen differs only from a crowd.
/// @param counts posterior-weighted counts of all levels, see `level_sums()`.
/// @param overlap of the posterior.
/// Cost O(levels * n_components * n_concentrations) logarithms.
ItemEvidence weigh_items(const CodedData& data, const RowMatrix& counts, const Overlap& overlap,
                         int n_steps, ItemPrior& prior);

/// Posterior means of all parameters.
MixtureParameters posterior_means(const CodedData& data, const LevelSums& sums,
                                  const ItemEvidence& evidence, const ItemPrior& prior);

/// By how much an answer more in a component moves an item's column there: the mean of one over
/// concentration and answers, nothing as far as the item is the same in all (n_items x n_components).
/// Around a centre of the items' own.
RowMatrix pull_of_answers(const CodedData& data, const RowMatrix& counts,
                          const ItemEvidence& evidence);

/// Of each worker of a crowd the log Bayes factor of one column that is drawn to what all answer, with
/// any of the concentrations, or of which nothing is known, against the latter alone; not below 0.
Vector gain_of_alike(const CodedData& data);

/// How much lower a component's expected log probability of a row's answers is than the logarithm of
/// their expected probability, as far as its columns are not known: to first order, for a row that is
/// like the others (nats, n_components). Likewise.
Vector doubt_of_columns(const CodedData& data, const RowMatrix& counts,
                        const ItemEvidence& evidence);

/// Log marginal likelihood of how many rows are in each component, whose weights have a uniform
/// prior, times the number of orders that the components may have (nats). Of m components that are
/// the same all m! orders are one: two are the less the same, the more it tells of the rows which of
/// them is which, by Pinsker's inequality at least half of what they are apart. And all orders tell
/// as much as the posterior is apart from one in which all components have a row alike, at most.
/// @param entropy,overlap of the posterior of all rows.
double component_evidence(const RowMatrix& component_counts, double entropy,
                          const Overlap& overlap);

}  // namespace mdpd
