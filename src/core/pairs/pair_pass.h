#pragma once

#include "base/monitor.h"
#include "pairs/pair_block.h"

namespace mdpd {

/// Visits every pair i < j once, in no particular order; of sparse data those that can show any
/// dependence. See `for_each_dense_pair_block()` and `for_each_sparse_pair()`.
///
/// @param row_weights n_obs x columns, non-negative, such as the weighted posterior.
void for_each_pair_block(const CodedData& data, const RowMatrix& row_weights,
                         const PassOptions& options, Monitor& monitor, const PairVisitor& visit);

}  // namespace mdpd
