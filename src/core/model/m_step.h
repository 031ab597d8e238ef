#pragma once

#include "data/row_sums.h"
#include "model/parameters.h"

namespace mdpd {

struct MStepOptions {
  /// Pseudo-count added to every item in every component, spread over its levels as they are
  /// observed (0: maximum likelihood).
  double smoothing = 0.0;
  /// Smallest item-response probability of a level that was seen; smaller ones are lifted to it and
  /// the others scaled down (0: none).
  double floor = 0.0;
  /// Pseudo-counts added to the counts (all levels x n_components); empty: none.
  RowMatrix prior_counts = {};
};

/// Posterior-weighted counts of every level of every item in every component (all levels x
/// n_components); see `level_sums()`.
RowMatrix level_counts(const CodedData& data, const RowMatrix& posterior);

/// Parameters that maximise the expected complete-data log-likelihood (the M-step).
/// A component without weight on an item takes the item's observed frequencies.
MixtureParameters m_step(const CodedData& data, const RowMatrix& posterior,
                         const MStepOptions& options);

/// The same from the sums over rows.
MixtureParameters m_step_from_sums(const CodedData& data, const LevelSums& sums,
                                   const MStepOptions& options);

/// Log-density of the parameters of `items` under the Dirichlet prior that smoothing and prior
/// counts amount to, up to a constant (nats); 0 without them. Log-likelihood plus this is what EM
/// climbs.
double log_prior(const CodedData& data, const MixtureParameters& params,
                 const MStepOptions& options, const ItemSet& items);

/// Lifts the probabilities of seen levels to at least `floor` and rescales the rest of the item.
void apply_floor(const CodedData& data, double floor, RowMatrix& item_probs);

}  // namespace mdpd
