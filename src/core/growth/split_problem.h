#pragma once

#include "pairs/pair_tables.h"

namespace mdpd {

/// A component about to be duplicated and moved apart along two items.
///
/// All functions that take it look at the objective sum_k W_k I_k(i, j): what the two items still
/// share once the mixture is known. Its free parameters are d = (d_i, d_j), each summing to zero:
/// the component's probabilities of items i and j become mu + d in one copy and mu - d in the
/// other.
struct SplitProblem {
  const CodedData& data;
  const RowMatrix&
      row_weights;  ///< row_shares() of the posterior on the informative items, i and j among them
  Index component;
  Index item_1;
  Index item_2;
  Vector probs_1;  ///< item 1's probabilities in the component, positive where it has weight
  Vector probs_2;
  MissingCells missing;  ///< under kFrozen the missing level keeps its probability: it never moves
};

}  // namespace mdpd
