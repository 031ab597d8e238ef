#pragma once

#include "growth/options.h"

namespace mdpd {

/// A row of the trace for each stage; no pair where it did EM only. It converged if no pair of items
/// shows significant dependence any more; at the limit, max_stages were done, or a stage changed
/// nothing.
struct StageRun : FitRun {
  Index n_full_passes = 0;     ///< over all pairs of items
  Index n_partial_passes = 0;  ///< over the pairs that touch an item not set aside
  ItemSet leading = {};        ///< the items not set aside; empty if none was
};

/// Stagewise EM (Zhao and Zucker): grows the mixture from one component. Each stage finds the pair
/// of items and the component whose dependence is explained worst, makes both items informative,
/// splits the component along them while there are fewer than `k`, and does EM on the
/// informative items.
///
/// By significance, later passes leave out pairs of two items that were set aside in the first one, as
/// glmnet does by its strong rules; when nothing significant is left in the others, all pairs are
/// searched. Where then a pair of two such items is significant, both come back and the stages begin
/// again, so that the trace is that of one run.
/// @param k the number of components to grow to.
StageRun stagewise_em(const CodedData& data, Index k, const FitOptions& options, Monitor& monitor);

}  // namespace mdpd
