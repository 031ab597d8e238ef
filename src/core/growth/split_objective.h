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

/// The exact objective after the two copies have moved by +d and -d, for a search that asks for it
/// again and again.
class SplitObjective {
 public:
  /// Cost O(n_obs * n_components), and as much memory.
  /// @param problem must outlive this.
  explicit SplitObjective(const SplitProblem& problem);

  /// Cost O(n_obs * n_components).
  double operator()(const Vector& d) const;

 private:
  const SplitProblem& problem_;
  /// The rows that count, by their cell in the two-way table of the pair, which has the missing
  /// level in front: of each its weight in every component, and in all.
  std::vector<Matrix> cells_;
};

}  // namespace mdpd
