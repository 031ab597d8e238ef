#pragma once

#include "growth/search_budget.h"

namespace mdpd {

/// EM iterations before a trial is compared with others: enough to see which basin it is in.
inline constexpr Index brief_iterations = 10;

/// The best fit with one component more: every component is split at its worst explained pair and
/// refined briefly, the best to the end. Without components when nothing can be split.
/// @param leading only pairs that touch one of these items are searched, and all if none of them is
///   significant; empty: all. See `stagewise_em()`.
MixtureFit grow(const CodedData& data, const MixtureFit& fit, const ItemSet& leading,
                const FitOptions& options, SearchBudget& budget);

}  // namespace mdpd
