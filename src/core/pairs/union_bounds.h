#pragma once

#include <algorithm>
#include <utility>

#include "pairs/pair_tables.h"

namespace mdpd {

/// Two components, the lower one first.
using ComponentPair = std::pair<Index, Index>;

/// Bounds for the dependence of pairs of items within unions of two components, from that within
/// the components: I(X; Y) <= I(X; Y | Z) + I(X; Z), where Z tells which of the two a row belongs
/// to. That holds as one table counts all rows of the union, so where `is_complete()`.
/// Dependence is in row weight times nats.
class UnionBounds {
 public:
  /// @param row_weights of the components; they sum to 1 or less.
  UnionBounds(const CodedData& data, const RowMatrix& row_weights, MissingCells missing,
              const std::vector<ComponentPair>& unions);

  /// The most that the dependence of items i and j within a union can be.
  /// @param of_component the most that it can be within each component.
  double most(Index at_union, Index i, Index j, const Vector& of_component) const {
    constexpr double rounding = 1e-11;  // far above what sums of doubles lose
    const auto& [a, b] = unions_[at_union];
    const double with_component =
        std::min(with_component_(i, at_union), with_component_(j, at_union));
    return (of_component[a] + of_component[b] + with_component) * (1.0 + rounding) + rounding;
  }

 private:
  std::vector<ComponentPair> unions_;
  RowMatrix with_component_;  ///< items x unions: dependence of the item and Z
};

}  // namespace mdpd
