#pragma once

#include <functional>
#include <limits>

#include "fixed_point.h"
#include "lanes.h"
#include "monitor.h"
#include "pair_tables.h"

namespace mdpd {

/// What the two-way tables of one item with a run of later items tell: for every pair and column of
/// row weights the dependence left in the table. Lives during the call that hands it over.
struct PairBlock {
  Index item = 0;         ///< i
  Index first_other = 0;  ///< j = first_other, ..., last_other - 1, all above i
  Index last_other = 0;
  Index stride = 0;  ///< columns of row weights, rounded up to what the kernel works with
  const double* dependence = nullptr;  ///< pairs x stride: sum of J log(J W / (J_r. J_.s)), row
                                       ///< weight times nats; rounding may make it negative
  const double* weight = nullptr;      ///< pairs x stride: W, the row weight in the table
  const double* df = nullptr;          ///< pairs: (levels - 1) x (levels - 1), counting the levels
                                       ///< that carry weight; always exact
  const double* error = nullptr;       ///< stride: bound for the dependence, see FixedWeights
};

/// Receives a block; `worker` is the thread, 0 to data.n_threads - 1: calls of one worker never
/// overlap, calls of two may.
using PairVisitor = std::function<void(int worker, const PairBlock& block)>;

/// Visits every pair i < j once, in no particular order; of sparse data those that can show any
/// dependence. No table outlives its tile, so that memory is a few hundred kilobytes a thread and
/// two bytes for every row weight.
///
/// The rows are sorted by the code of a pack of items. All rows of one code are then added up, for
/// each level of the later items, into a sum that serves all items of the pack; see `add_run()`.
/// Sums are of whole numbers, see FixedWeights: they depend neither on the number of threads nor on
/// the order of the rows.
/// Cost O(n_obs * n_packs * levels * columns), with a small constant.
///
/// @param row_weights n_obs x columns, non-negative, such as the weighted posterior.
/// @param n_leading visits at least the pairs with one of the first n_leading items, not many more,
///   and costs in proportion.
void for_each_pair_block(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
                         Precision precision, Monitor& monitor, const PairVisitor& visit,
                         Instructions instructions = widest_instructions(),
                         Index n_leading = std::numeric_limits<Index>::max());

}  // namespace mdpd
