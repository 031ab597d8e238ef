#pragma once

#include "base/monitor.h"
#include "pairs/pair_block.h"

namespace mdpd {

/// `for_each_pair_block()` for sparse data: visits the pairs that share at least two rows, as fewer
/// show no dependence. Goes through the rows that answer an item, and through the other answers of
/// those rows. Cost O(shared rows * columns), summed over pairs; memory is one table for each item
/// that shares rows with the one at hand.
/// @param n_leading only pairs with one of the first n_leading items are visited.
void for_each_sparse_pair(const CodedData& data, const RowMatrix& row_weights, Index n_leading,
                          Monitor& monitor, const PairVisitor& visit);

}  // namespace mdpd
