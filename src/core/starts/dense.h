#pragma once

#include "model/refine.h"

namespace mdpd {

/// EM iterations of a start by all items, and pseudo-counts of an item in a component that steady it:
/// enough to leave what few items say, too few to settle.
inline constexpr Index iterations_of_start = 30;
inline constexpr double pseudo_counts_of_start = 4.0;

/// EM on all items from a posterior, for data where many differ a little and none by itself is seen to.
MixtureFit dense_start(const CodedData& data, const RowMatrix& posterior,
                       const RefineOptions& options, Monitor& monitor);

}  // namespace mdpd
