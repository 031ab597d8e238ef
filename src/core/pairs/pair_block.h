#pragma once

#include <functional>

#include "base/types.h"

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

}  // namespace mdpd
