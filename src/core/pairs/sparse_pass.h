#pragma once

#include <limits>

#include "base/monitor.h"
#include "data/coded_data.h"
#include "pairs/pair_block.h"

namespace mdpd {

/// `for_each_pair_block()` for sparse data: visits the pairs that share at least two rows, as fewer
/// show no dependence. Goes through the rows that answer an item, and through the other answers of
/// those rows. Cost O(shared rows * columns), summed over pairs; memory is one table for each item
/// that shares rows with the one at hand.
void for_each_sparse_pair(const CodedData& data, const RowMatrix& row_weights, Monitor& monitor,
                          const PairVisitor& visit,
                          Index n_leading = std::numeric_limits<Index>::max());

}  // namespace mdpd
