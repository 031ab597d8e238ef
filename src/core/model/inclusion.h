#pragma once

#include "model/refine.h"

namespace mdpd {

/// The items of a fit by evidence that gain something.
ItemSet gaining_items(const MixtureFit& fit);

/// By how much the rows' posterior rests on each of some items: its divergence from what the others
/// say alone, sum_n w_n KL(g_n || g_n without the item), in nats. Sums of blocks of rows add up.
/// Cost O(answers to the items * n_components), a logarithm for each.
std::vector<ExactSum> reliance_on(const CodedData& data, const RowMatrix& item_probs,
                                  const RowMatrix& posterior, const ItemSet& items);

/// By item, 0 for the others.
Vector reliance(const CodedData& data, const ItemSet& items, const std::vector<ExactSum>& sums);

/// Probability of each item that it differs between the components. Two things set it apart from the
/// shares of `evidence`. The posterior has learned from the item what it is then asked about it, so
/// that its Bayes factors are lowered by the reliance on it. And families that are hardly told from
/// the spike do not count, nor is the spike's weight let go to 0: the weights are learned once more,
/// without these families and with some more items of which it is known that they are the same. Of a
/// crowd there is a third: workers who all answer alike, whatever the class, are not told from those
/// around the crowd's columns but by `gain_of_alike()`.
/// Efron, Tibshirani, Storey and Tusher (2001), Empirical Bayes analysis of a microarray experiment.
/// @param lowered_by by how much each item's log Bayes factors are.
/// @param weights of the prior by which `evidence` was weighed.
Vector inclusion(const CodedData& data, const Vector& lowered_by, const ItemEvidence& evidence,
                 const Vector& weights, Index n_components);

}  // namespace mdpd
