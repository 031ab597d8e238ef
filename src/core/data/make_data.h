#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// A table of codes as it comes: dense, or of each row its answers.
struct Cells : RowAnswers {
  Index n_obs = 0;
  std::vector<Index> n_levels = {};  ///< per item
  const Code* codes = nullptr;  ///< n_obs x n_items, column-major, the caller's; null where sparse

  Index n_items() const { return static_cast<Index>(n_levels.size()); }
};

/// @throws DimensionError if there are no rows, an item has not 1 to 255 levels, as a code is a byte,
///   or answers do not lie row by row.
void require_cells(const Cells& cells);
/// @throws DimensionError if they are not as many, finite and not negative, or all are 0.
void require_weights(const Vector& case_weights, Index n_obs);

/// Answers of one row to one item, at most; of no answers 1.
Index most_repeats(const RowAnswers& rows);

/// @throws DimensionError as the two below.
CodedData make_data(Cells cells, Vector case_weights);

/// @throws DimensionError if sizes disagree or a code exceeds its item's levels.
CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights);

/// Data of which only the answers are given. A row may answer an item more than once: each answer
/// counts.
/// @throws DimensionError if sizes disagree, items do not ascend, or a code is 0 or exceeds its
///   item's levels.
CodedData make_sparse_data(RowAnswers rows, std::vector<Index> n_levels, Vector case_weights);

// Of rows that come in blocks -----------------------------------------------------------------------

/// What is known of rows that are not gone through again.
struct RowTotals {
  Index n_obs = 0;
  double largest_weight = 0.0;
  double total_weight = 0.0;
  Index most_repeats = 1;
  Vector level_weight = {};  ///< weighted count of every level of every item
};

/// What the unit of case weights depends on, as all of them are whole multiples of it: the finest in
/// which each can be rounded and their sum added up, see exact_sums.h. First all are added, then once
/// more to the rough sum.
struct WeightRange {
  Index n_obs = 0;
  double largest = 0.0;
  std::int64_t rough_sum = 0;

  void add(const Vector& weights);
  void add_rough_sum(const Vector& weights);
  void add(const RowTotals& rows);
  void add_rough_sum(const RowTotals& rows);
  double unit(Index most_repeats) const;

 private:
  int rough_exponent() const;
};

/// Data without a row, whose totals are still to be set.
CodedData make_frame(std::vector<Index> n_levels, double weight_unit, Index most_repeats);

/// Some rows, with what sums over them need of all rows: not the counts of levels. Codes that are
/// dense belong to the caller.
/// @throws DimensionError as `make_sparse_data()`.
CodedData make_block(const CodedData& frame, Cells cells, Vector case_weights);

/// Counts of all rows, block by block.
class Totals {
 public:
  explicit Totals(const CodedData& frame);
  /// @throws DimensionError if a code exceeds its item's levels.
  void add(const CodedData& rows);
  /// Sets what CodedData has of all rows.
  /// @param before of rows that were not added, and count as well.
  void finish(CodedData& data, const RowTotals& before = {}) const;

 private:
  std::vector<std::int64_t> levels_;  ///< of all items, in units of weight
  std::vector<Index> n_answers_;      ///< per item
  std::vector<Index> n_rows_;         ///< per item: rows with an answer
  std::int64_t total_ = 0;
  Index n_obs_ = 0;
};

}  // namespace mdpd
