#pragma once

#include "growth/options.h"

namespace mdpd {

/// A smaller gain is EM that had not quite converged, not another optimum (nats).
inline constexpr double smallest_gain = 0.05;

bool is_large(const CodedData& data, const FitOptions& options);

/// The smallest gain over this fit, where EM stops within a few times its tolerance of the penalised
/// log-likelihood.
double least_gain(const CodedData& data, const MixtureFit& fit, const FitOptions& options);

/// Of each component before what share of all rows' weight is another after, if that has the
/// components in another order.
Vector moved_shares(const CodedData& data, const RowMatrix& before, const RowMatrix& after);

/// Did EM come to the same optimum twice? That is, to the same height, items and, but for the order
/// of the components, the same rows in each.
bool is_same_optimum(const CodedData& data, const MixtureFit& first, const MixtureFit& second,
                     const FitOptions& options);

}  // namespace mdpd
