#pragma once

#include <functional>

#include "base/aligned_array.h"
#include "base/exact_sums.h"
#include "data/packed_items.h"

namespace mdpd {

// All that the method needs of the data: sums over rows. Every sum is exact, so that the sums of
// blocks of rows, such as shards, add up to those of all rows to the last bit: however the rows are
// cut, in whatever order, on any number of threads, with any instructions, and whichever kind of
// codes they are kept in. Blocks need the weight_unit, the total_weight and the most_repeats of the
// whole.

inline std::int64_t units_of_row(const CodedData& data, Index row) {
  return static_cast<std::int64_t>(data.case_weights[row] * (1.0 / data.weight_unit));
}

inline double weight_of(const CodedData& data, std::int64_t units) {
  return static_cast<double>(units) * data.weight_unit;
}

/// What the M-step needs: posterior-weighted counts. Of each row its weight times posterior is
/// rounded to 2^-52 of all rows' weight, the unit of depth 0; what that leaves, to a unit 2^-22 of
/// it at depth 1, and so on.
struct LevelSums {
  RowMatrix levels;      ///< all levels of all items x n_components
  RowMatrix components;  ///< 1 x n_components

  LevelSums& operator+=(const LevelSums& other);
};

/// The last depth: its units are 1e-29 of all rows' weight.
inline constexpr int most_depth = 2;

/// Counts every level of these items; what is counted of others is right or 0.
/// @param posterior n_obs x n_components, in [0, 1].
/// Cost O(n_obs * items * n_components).
LevelSums level_sums(const CodedData& data, const RowMatrix& posterior, const ReadyItems& items,
                     int depth = 0);

/// Adds further depths where they have the first digits: to counts that are rare, and to no others.
/// @param at_depth the sums of some items at a depth.
void add_rare(const CodedData& data, ItemSet items,
              const std::function<LevelSums(int, const ItemSet&)>& at_depth, LevelSums& sums);

/// Counts with all depths that are needed: for EM without a prior, which tells rows that no component
/// explains apart by probabilities of 1e-20.
LevelSums level_sums_with_rare(const CodedData& data, const RowMatrix& posterior,
                               const ReadyItems& items);

/// Log-probabilities as whole numbers, of which sums over the items of a row are exact too: a row's
/// are the same however its items are packed, and in whatever codes they are kept.
struct LogTables {
  Index n_components = 0;
  double unit = 1.0;                 ///< as fine as the largest sum allows
  std::vector<std::int64_t> start;   ///< log mixing weights, padded
  AlignedArray<std::int64_t> cells;  ///< of the packs x padded columns
};

/// @param item_probs all levels of all items x n_components.
LogTables log_tables(const CodedData& data, const ReadyItems& items, const Vector& mixing_weights,
                     const RowMatrix& item_probs);

/// Log-joint probabilities of rows first, ..., first + n - 1 (n x n_components), each rounded once.
/// A missing answer adds nothing.
void sum_log_tables(const CodedData& data, const ReadyItems& items, const LogTables& tables,
                    Index first, Index n, double* log_joint);

/// Nothing yet; for sums of case weight times log-probability of a row, or of some of its items.
ExactSum empty_loglik(const CodedData& data);

/// Case-weighted sum over all rows.
ExactSum loglik_sum(const CodedData& data, const Vector& row_loglik);

/// Posterior times case weight over total weight: the row weights of the pair tables. Whole multiples
/// of 2^-52 (see round_share()), so that sums of them in doubles are exact.
RowMatrix row_shares(const CodedData& data, const RowMatrix& posterior);

/// Of two posteriors, how much of the rows' weight each two components share: the sum over rows of
/// the product, as a share of the total weight, each row's rounded as in `row_shares()`.
Matrix shared_weight(const CodedData& data, const RowMatrix& posterior_1,
                     const RowMatrix& posterior_2);

}  // namespace mdpd
