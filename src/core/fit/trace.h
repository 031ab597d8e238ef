#pragma once

#include <limits>
#include <string>

#include "fit/options.h"
#include "growth/polish.h"

namespace mdpd {

enum class Phase {
  kStage,   ///< of the stage loop
  kGrow,    ///< a component was added to a fit with one less
  kRefine,  ///< an iteration of EM
  kPolish   ///< an accepted move
};

enum class TraceMove {
  kNone,
  kSplit,
  kSplitMerge,
  kMergeSplit,
  kItems,
  kRow,
  kSmoothing,  ///< see `smooth()`
  kVote        ///< the majority vote was the better start
};

/// One step of a fit. What a phase has nothing to say about is `not_said`, or not a number.
struct TraceRow {
  static constexpr Index not_said = -1;
  static constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

  Phase phase = Phase::kRefine;
  TraceMove move = TraceMove::kNone;
  Index n_components = 0;
  Index item_1 = not_said;
  Index item_2 = not_said;
  Index component = not_said;
  Index merged_1 = not_said;
  Index merged_2 = not_said;
  double information = not_known;  ///< see StageRecord::largest_information
  double p_value = not_known;
  Index n_informative = 0;
  double loglik = 0.0;
  double loglik_all = not_known;
  double penalised_loglik = 0.0;
  double split_length = not_known;
};

using Trace = std::vector<TraceRow>;

/// The rows of one phase.
Trace trace_of(const std::vector<StageRecord>& stages);
Trace trace_of(const std::vector<IterationRecord>& iterations, Index n_components);
Trace trace_of(const std::vector<PolishRecord>& moves, Index n_components);

/// The row of a move that ended in `fit`.
TraceRow trace_row(Phase phase, TraceMove move, const MixtureFit& fit);

void append(const Trace& more, Trace& trace);

}  // namespace mdpd
