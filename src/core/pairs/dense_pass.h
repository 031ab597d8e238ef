#pragma once

#include "base/monitor.h"
#include "pairs/pair_block.h"

namespace mdpd {

/// `for_each_pair_block()` for dense data of two items or more. No table outlives its tile, so that
/// memory is a few hundred kilobytes and some six bytes a row for each thread, and two bytes for
/// every row weight, of which a row has a multiple of eight.
///
/// The rows are sorted by the code of a pack of items. All rows of one code are then added up, for
/// each level of the later items, into a sum that serves all items of the pack; see
/// `add_stretch()`. Sums are of whole numbers, see FixedWeights: they depend neither on the number
/// of threads nor on the order of the rows.
/// Cost O(n_obs * n_packs * levels * columns), with a small constant.
void for_each_dense_pair_block(const CodedData& data, const RowMatrix& row_weights,
                               const PassOptions& options, Monitor& monitor,
                               const PairVisitor& visit);

}  // namespace mdpd
