#pragma once

#include "base/monitor.h"
#include "pairs/pair_tables.h"

namespace mdpd {

/// Sum of J log(J W / (J_r J_s)) over the cells of one component: row weight times nats. A table that
/// is exactly independent shows nothing but rounding, on either side of zero: that is 0.
double dependence(const PairTable& table, Index component);

/// Symmetric n_items x n_items matrix of I_k(i, j), the dependence of two items within a component
/// in nats, times the share of the component's weight where both items count, so that a pair seen on
/// few rows cannot win on noise; the diagonal is zero.
/// @param component a component, or -1 for the sum over components weighted by their mixing weight.
Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor);

}  // namespace mdpd
