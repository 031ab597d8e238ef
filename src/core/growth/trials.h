#pragma once

#include "model/refine.h"
#include "pairs/search.h"

namespace mdpd {

/// Data of more rows are large: among so many no single row can hold EM back, optima lie far from
/// each other, and what takes as long as the fit itself once more is not tried.
inline constexpr Index most_rows_of_small_data = 20000;

/// A smaller gain is EM that had not quite converged, not another optimum: in nats, and in units of
/// the change at which EM stops. Large data have their optima far from each other, and EM creeps
/// longer.
inline constexpr double smallest_gain = 0.05;
inline constexpr double smallest_gain_in_tol = 5.0;
inline constexpr double smallest_gain_in_tol_of_large = 100.0;

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
