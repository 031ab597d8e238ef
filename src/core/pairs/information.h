#pragma once

#include "base/monitor.h"
#include "pairs/pair_tables.h"

namespace mdpd {

/// Symmetric n_items x n_items matrix of I_k(i, j); the diagonal is zero.
/// @param component a component, or -1 for the sum over components weighted by their mixing weight.
Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor);

}  // namespace mdpd
