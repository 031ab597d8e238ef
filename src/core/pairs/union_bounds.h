#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "pairs/search_options.h"

namespace mdpd {

/// Bounds for the dependence of pairs of items within unions of two components, from that within
/// the components: I(X; Y) <= I(X; Y | Z) + I(X; Z), where Z tells which of the two a row belongs
/// to. That holds as one table counts all rows of the union, so where no cell is left out.
/// Dependence is in row weight times nats.
class UnionBounds {
 public:
  /// @param row_weights of the components.
  UnionBounds(const CodedData& data, const RowMatrix& row_weights,
              const std::vector<ComponentPair>& unions);

  /// The most that the exact dependence within each component can be.
  /// @param dependence, error as a pass gives them, see FixedWeights.
  void most_of_components(const double* dependence, const double* error, Vector& most) const;

  /// The most that the dependence of items i and j within a union can be.
  /// @param of_component what `most_of_components()` gives.
  double most(Index at_union, Index i, Index j, const Vector& of_component) const {
    const auto& [a, b] = unions_[at_union];
    const double with_component =
        std::min(with_component_(i, at_union), with_component_(j, at_union));
    return (of_component[a] + of_component[b] + with_component) * (1.0 + rounding) + rounding;
  }

  /// A bound for all unions, not as tight but quick to tell.
  double most_of_any(Index i, Index j, const double* dependence, const double* error) const {
    double first = 0.0;
    double second = 0.0;
    double off = 0.0;
    for (Index k = 0; k < n_components_; ++k) {
      second = std::max(second, std::min(first, dependence[k]));
      first = std::max(first, dependence[k]);
      off = std::max(off, error[k]);
    }
    // (sqrt(x) + e)^2 + (sqrt(y) + e)^2, where sqrt(x) + sqrt(y) is at most sqrt(2 (x + y)).
    const double sum = first + second + 2.0 * rounding;
    const double with_component = std::min(largest_[i], largest_[j]);
    return (sum + 2.0 * off * std::sqrt(2.0 * sum) + 2.0 * off * off + with_component) *
               (1.0 + rounding) +
           rounding;
  }

 private:
  /// Far above what sums of doubles lose, and the 2e-14 of FixedWeights.
  static constexpr double rounding = 1e-11;

  Index n_components_;
  std::vector<ComponentPair> unions_;
  RowMatrix with_component_;  ///< items x unions: dependence of the item and Z
  Vector largest_;            ///< of any union
};

}  // namespace mdpd
