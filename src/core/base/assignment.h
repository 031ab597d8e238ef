#pragma once

#include "base/types.h"

namespace mdpd {

/// The one-to-one assignment of rows to columns with the largest sum of profits: of each row its
/// column. Cost O(n^3), by shortest augmenting paths: Jonker and Volgenant (1987), A shortest
/// augmenting path algorithm for dense and sparse linear assignment problems.
/// @param profit square and finite.
std::vector<Index> best_assignment(const Matrix& profit);

}  // namespace mdpd
