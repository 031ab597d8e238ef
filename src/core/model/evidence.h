#pragma once

#include "data/row_sums.h"
#include "model/parameters.h"

namespace mdpd {

// The evidence for a posterior: the log marginal likelihood of the data, up to approximation, in
// which the items are alike. Given the components, an item has with some probability one and the same
// column (the spike); else each column has a Dirichlet prior around a centre, with one of a few
// concentrations. How probable each of these is, is learned from all items (empirical Bayes), so
// that the same criterion serves few strong items among noise and many weak ones. After Stephens
// (2017), False discovery rates: a new deal; formulas in vignette("method").

/// Concentrations of the Dirichlet priors: 1/2, 3/2, 9/2, ..., 1093.5.
inline constexpr Index n_concentrations = 8;
double concentration(Index at);

/// What is learned from all items. Its weights sum to 1: that of the spike, those of columns around
/// a centre of the item's own at each concentration and, of a crowd, those of columns around what
/// the crowd answers in each component, and of columns of one accuracy: a worker is right with one
/// probability, drawn to the crowd's, whatever the label, and each other label is as likely.
struct ItemPrior {
  Vector weights = {};
  RowMatrix crowd = {};  ///< levels x n_components, columns sum to 1, all positive; or empty
  RowMatrix pseudo_counts = {};  ///< of the crowd's columns, likewise
};

/// Half the weight on the spike, the rest spread evenly.
ItemPrior flat_prior();
/// The same of a crowd, all of whose items have the same levels.
/// @param counts of all levels by component: the crowd's columns begin at what the items answer that
///   differ, and are drawn to it.
ItemPrior flat_prior_of_crowd(const CodedData& data, const RowMatrix& counts);

/// What a fit has learned, for other data: a weight of 0 would stay 0, whatever these say.
ItemPrior prior_to_go_on_with(ItemPrior prior);

/// @throws DimensionError if a prior to go on with has not the weights of the two above, or columns of
///   the crowd that are not of the items' levels and the components. It may be empty.
void require_prior(const ItemPrior& prior, const std::vector<Index>& n_levels, Index n_components);

/// What the items of a crowd answer by component: levels x n_components, columns sum to 1.
/// @param weights of the items' answers.
RowMatrix crowd_columns(const CodedData& data, const RowMatrix& counts, const Vector& weights);

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

/// Moves the crowd's columns one step of Minka's fixed point for a Dirichlet's mean: Minka (2000),
/// Estimating a Dirichlet distribution.
/// @return what the evidence loses as the columns are not known but estimated (nats).
double update_crowd(const CodedData& data, const RowMatrix& counts, const ItemEvidence& evidence,
                    ItemPrior& prior);

/// Posterior means of all parameters.
MixtureParameters posterior_means(const CodedData& data, const LevelSums& sums,
                                  const ItemEvidence& evidence, const ItemPrior& prior);

/// How much lower a component's expected log probability of a row's answers is than the logarithm of
/// their expected probability, as far as its columns are not known: to first order, for a row that is
/// like the others (nats, n_components). Around a centre of the items' own.
Vector doubt_of_columns(const CodedData& data, const RowMatrix& counts,
                        const ItemEvidence& evidence);

/// Log marginal likelihood of how many rows are in each component, whose weights have a uniform
/// prior, times the number of orders that the components may have (nats). Orders tell as much as the
/// posterior is apart from one in which all components have a row alike, at most: of components that
/// are the same all orders are one.
/// @param entropy of the posterior of all rows.
double component_evidence(const RowMatrix& component_counts, double entropy);

}  // namespace mdpd
