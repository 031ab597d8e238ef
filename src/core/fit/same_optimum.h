#pragma once

#include "growth/polish.h"

namespace mdpd {

/// Did EM come to the same optimum twice? Of one it stops within a few times its tolerance of the
/// penalised log-likelihood, at the same items and, but for the order of the components, at the
/// same rows in each.
bool is_same_optimum(const CodedData& data, const MixtureFit& first, const MixtureFit& second,
                     const FitOptions& options);

}  // namespace mdpd
