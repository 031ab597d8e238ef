#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// A mixture of product distributions over the levels of `CodedData`.
/// Invariants: `mixing_weights` sums to 1; in `item_probs` the rows of an item, `offset[item]` to
/// `offset[item + 1]`, sum to 1 in every column.
struct MixtureParameters {
  Vector mixing_weights;  ///< n_components
  RowMatrix item_probs;   ///< all levels of all items x n_components

  Index n_components() const { return mixing_weights.size(); }
};

/// The one-component model: every item at its observed frequencies.
MixtureParameters independence_model(const CodedData& data);

/// Sets every item outside `informative` to its observed frequencies in all components.
void set_uninformative_to_marginal(const CodedData& data, const ItemSet& informative,
                                   MixtureParameters& params);

/// @throws DimensionError if `params` was not made for `data`.
void require_compatible(const CodedData& data, const MixtureParameters& params);

}  // namespace mdpd
