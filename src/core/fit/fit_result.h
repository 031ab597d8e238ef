#pragma once

#include <functional>

#include "fit/fit.h"

namespace mdpd {

/// What a fit's results need of the rows, each once at most.
struct SumsOfFit {
  std::function<RowMatrix(const MixtureFit&)> counts;  ///< of all levels by component
  std::function<Vector(const MixtureFit&)> reliance;   ///< see inclusion.h
};

/// What is known of a fit but by going over the rows.
/// @param n_asked components.
FitResult make_result(const CodedData& data, FitRun run, Index n_asked, const SumsOfFit& sums);

/// The refinement of a problem.
RefineOptions refinement_of(const RefineOptions& options, const std::vector<Index>& n_levels,
                            Index n_labels, const RowMatrix& prior_counts);

}  // namespace mdpd
