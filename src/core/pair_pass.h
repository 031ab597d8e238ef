#pragma once

#include <functional>

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
                                       ///< that carry weight
};

/// Receives a block; `worker` is the thread, 0 to data.n_threads - 1: calls of one worker never
/// overlap, calls of two may.
using PairVisitor = std::function<void(int worker, const PairBlock& block)>;

/// Visits every pair i < j once, in no particular order; of sparse data those that can show any
/// dependence. No table outlives its tile, so that memory
/// is a few hundred kilobytes a thread and 2 bytes for every row and packed item.
///
/// Items are packed on both sides: the rows are sorted by the code of one pack and added, column
/// vector by column vector, into tables that hold a tile of the other packs' levels; an addition
/// serves all pairs between two packs, and tables of packs are summed down to those of their items.
/// The order of every sum depends on the data alone: neither on the number of threads nor on other
/// columns. Cost O(n_obs * n_packs^2) additions of one row's weights.
///
/// @param row_weights n_obs x columns, non-negative, such as the weighted posterior.
void for_each_pair_block(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
                         Monitor& monitor, const PairVisitor& visit,
                         Instructions instructions = widest_instructions());

}  // namespace mdpd
