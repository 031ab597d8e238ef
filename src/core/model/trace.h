#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "base/types.h"

namespace mdpd {

enum class Phase {
  kStage,   ///< of the stage loop
  kGrow,    ///< a component was added to a fit with one less
  kRefine,  ///< an iteration of EM
  kPolish   ///< an accepted move
};

enum class Move {
  kNone,
  kSplit,           ///< a component was split
  kSplitMerge,      ///< a component was split, then two components were merged
  kMergeSplit,      ///< two components were merged, then their union was split
  kItems,           ///< items moved into or out of the informative set
  kRow,             ///< one row moved to another component
  kSmoothing,       ///< see `smooth()`
  kVote,            ///< the majority vote was the better start
  kMajorities,      ///< rows were held at the labels of their majorities, see `majorities_of()`
  kPenalised,       ///< where the search by BIC ends was
  kCorrespondence,  ///< clusters by correspondence analysis were
  kScattered        ///< probabilities at random were
};

/// One step of a fit. What a step has nothing to say about is `not_said`, or not a number.
/// Components are numbered as before a move; the copy made by a split comes last.
struct TraceRow {
  static constexpr Index not_said = -1;
  static constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

  Phase phase = Phase::kRefine;
  Move move = Move::kNone;
  Index n_components = 0;
  Index item_1 = not_said;  ///< the pair that a component was split along
  Index item_2 = not_said;
  Index component = not_said;  ///< that was split (kMergeSplit: the first of the union)
  Index merged_1 = not_said;
  Index merged_2 = not_said;
  double information = not_known;  ///< over the pairs searched before a stage and all components,
                                   ///< the largest (nats)
  double p_value = not_known;      ///< of the pair, corrected
  Index n_informative = 0;
  double loglik = 0.0;  ///< informative items by component, the others at their frequencies
  double loglik_all = not_known;  ///< all items by component: the paper's
  double penalised_loglik = 0.0;
  double evidence = not_known;
  double split_length = not_known;  ///< Euclidean length of the move d

  /// What fits are compared by.
  double objective() const { return std::isnan(evidence) ? penalised_loglik : evidence; }
};

using Trace = std::vector<TraceRow>;

}  // namespace mdpd
