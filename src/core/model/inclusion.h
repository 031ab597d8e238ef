#pragma once

#include "model/refine.h"

namespace mdpd {

/// By how much the rows' posterior rests on each item of a fit by evidence: its divergence from what
/// the other items say alone, sum_n w_n KL(g_n || g_n without the item), in nats. 0 for items that
/// gain nothing.
/// Cost O(answers to the others * n_components), a logarithm for each.
Vector reliance(const CodedData& data, const MixtureFit& fit);

/// Probability of each item that it differs between the components. Two things set it apart from the
/// shares of `evidence`. The posterior has learned from the item what it is then asked about it, so
/// that its Bayes factors are lowered by the reliance on it. And families that are hardly told from
/// the spike do not count, nor is the spike's weight let go to 0: the weights are learned once more,
/// without these families and with some more items of which it is known that they are the same.
/// Efron, Tibshirani, Storey and Tusher (2001), Empirical Bayes analysis of a microarray experiment.
/// @param weights of the prior by which `evidence` was weighed.
Vector inclusion(const CodedData& data, const Vector& reliance, const ItemEvidence& evidence,
                 const Vector& weights, Index n_components);

}  // namespace mdpd
