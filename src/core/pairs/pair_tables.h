#pragma once

#include "base/exact_sums.h"
#include "data/coded_data.h"

namespace mdpd {

/// What a pair table does with rows where one of the two items is missing.
enum class MissingCells {
  kIgnore,  ///< leaves them out: only rows where both items are observed count
  kFrozen   ///< counts them in row 0 and column 0: missing is one more level, whose probability is
            ///< estimated per item and equal in all components
};

/// Weighted two-way tables of one pair of items, all components side by side. Row and column 0 hold
/// the missing level (all zero under MissingCells::kIgnore).
struct PairTable {
  Index n_rows = 0;  ///< levels of the first item + 1
  Index n_cols = 0;  ///< levels of the second item + 1
  Index n_components = 0;
  std::vector<double> cells;  ///< n_rows x n_cols x n_components, components contiguous

  void reset(Index rows, Index cols, Index components);
  double& at(Index r, Index s, Index k) { return cells[(r * n_cols + s) * n_components + k]; }
  double at(Index r, Index s, Index k) const { return cells[(r * n_cols + s) * n_components + k]; }
  /// One component's table (n_rows x n_cols).
  auto component(Index k) const {
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    return Eigen::Map<const RowMatrix, Eigen::Unaligned, Stride>(
        cells.data() + k, n_rows, n_cols, Stride(n_cols * n_components, n_components));
  }
};

/// What one of its pairs of answers has of a row's weight, which is spread evenly over them: a row
/// counts once in the table of a pair of items, however often it answers them.
inline double share_of_pair(double weight, Index n_pairs) {
  double share = 0.0;
  round_share(weight / static_cast<double>(n_pairs), share);
  return share;
}

/// Fills `table` for items i and j: cell (r, s, k) is the sum of `row_weights(n, k)` over the rows
/// n with codes (r, s), see `share_of_pair()` for rows with several. Tables of blocks of rows add
/// up: of `row_shares()` to the last bit. Cost O(n_obs * n_components).
void fill_pair_table(const CodedData& data, const RowMatrix& row_weights, Index i, Index j,
                     MissingCells missing, PairTable& table);

}  // namespace mdpd
