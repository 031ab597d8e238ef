#pragma once

#include <limits>

#include "base/lanes.h"
#include "base/monitor.h"
#include "pairs/fixed_point.h"
#include "pairs/pair_block.h"
#include "pairs/pair_tables.h"

namespace mdpd {

/// Visits every pair i < j once, in no particular order; of sparse data those that can show any
/// dependence. See `for_each_dense_pair_block()` and `for_each_sparse_pair()`.
///
/// @param row_weights n_obs x columns, non-negative, such as the weighted posterior.
/// @param n_leading visits at least the pairs with one of the first n_leading items, not many more,
///   and costs in proportion.
void for_each_pair_block(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
                         Precision precision, Monitor& monitor, const PairVisitor& visit,
                         Instructions instructions = widest_instructions(),
                         Index n_leading = std::numeric_limits<Index>::max());

}  // namespace mdpd
