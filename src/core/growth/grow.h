#pragma once

#include "growth/trials.h"

namespace mdpd {

/// Which pairs a growing fit searches: those that touch a leading item, and all if none of these is
/// significant; without leading items all. See `stagewise_em()`.
struct GrowthScreen {
  ItemSet leading = {};
  double alpha = 0.01;  ///< level of the corrected test
};

/// The best fit with one component more: every component is split at its worst explained pair and
/// refined briefly, the best to the end. Without components when nothing can be split.
MixtureFit grow(const CodedData& data, const MixtureFit& fit, const TrialOptions& options,
                const GrowthScreen& screen, Monitor& monitor);

}  // namespace mdpd
