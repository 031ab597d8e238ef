#pragma once

#include "model/refine.h"
#include "pairs/search.h"

namespace mdpd {

/// How what is tried is refined.
struct TrialOptions {
  Refinement refinement = Refinement::kSparse;
  RefineOptions refine = {};
  MissingCells missing = MissingCells::kIgnore;
};

/// EM iterations before a trial is compared with others: enough to see which basin it is in.
inline constexpr Index brief_iterations = 10;

/// A posterior to start from and the items that are informative in it.
struct Start {
  RowMatrix posterior;  ///< empty when nothing can be split
  ItemSet informative;
};

/// Splits the pair's component of a model whose informative items are `informative`.
Start split_start(const CodedData& data, const MixtureParameters& params,
                  const ItemSet& informative, const PairChoice& pair, MissingCells missing);

/// The options with at most so many iterations of EM.
RefineOptions brief(const RefineOptions& options, Index iterations);

MixtureFit refine_briefly(const CodedData& data, const Start& start, Index iterations,
                          const TrialOptions& options, Monitor& monitor);

}  // namespace mdpd
