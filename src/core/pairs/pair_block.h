#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "pairs/fixed_point.h"
#include "pairs/pair_tables.h"

namespace mdpd {

/// Nats per unit of weight below which a sum of x log x is rounding.
inline constexpr double rounding_of_dependence = 1e-14;

/// How a pass over all pairs is made.
struct PassOptions {
  MissingCells missing = MissingCells::kIgnore;
  Precision precision = Precision::kSearch;
  /// At least the pairs with one of the first n_leading items are visited, not many more, at a cost
  /// in proportion.
  Index n_leading = std::numeric_limits<Index>::max();
};

/// What the exact dependence of a pair of items can be.
struct Bounds {
  double least = 0.0;
  double most = 0.0;
};

/// What the two-way tables of one item with a run of later items tell: for every pair and column of
/// row weights the dependence left in the table. Lives during the call that hands it over.
struct PairBlock {
  Index item = 0;         ///< i
  Index first_other = 0;  ///< j = first_other, ..., last_other - 1, all above i
  Index last_other = 0;
  Index stride = 0;  ///< columns of row weights, rounded up to what the kernel works with
  const double* dependence = nullptr;  ///< pairs x stride: sum of J log(J W / (J_r. J_.s)), row
                                       ///< weight times nats; 0 where it is but rounding
  const double* df = nullptr;          ///< pairs: (levels - 1) x (levels - 1), counting the levels
                                       ///< that carry weight; always exact
  const double* error = nullptr;       ///< columns: of the dependence, see FixedWeights

  /// Of a column of the pair in place `pair`.
  Bounds bounds(Index pair, Index column) const {
    constexpr double rounding = 1e-13;  // more than the 2e-14 of FixedWeights
    const double root = std::sqrt(dependence[pair * stride + column] + rounding);
    const double low = std::max(0.0, root - error[column]);
    const double high = root + error[column];
    return {low * low - rounding, high * high - rounding};
  }
  /// At least what `bounds()` says, up to 1e-13, and quick to tell: (a + b)^2 is at most
  /// 9/8 a^2 + 9 b^2.
  double roughly_most(Index pair, Index column) const {
    return 1.125 * dependence[pair * stride + column] + 9.0 * error[column] * error[column];
  }
};

/// Receives a block; `worker` is the thread, 0 to data.n_threads - 1: calls of one worker never
/// overlap, calls of two may.
using PairVisitor = std::function<void(int worker, const PairBlock& block)>;

}  // namespace mdpd
