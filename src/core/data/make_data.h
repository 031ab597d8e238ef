#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// A table of codes as it comes: dense, or of each row its answers.
struct Cells {
  Index n_obs = 0;
  std::vector<Index> n_levels;  ///< per item
  const Code* codes = nullptr;  ///< n_obs x n_items, column-major, the caller's; null where sparse
  std::vector<std::size_t> row_start;  ///< see `make_sparse_data()`
  std::vector<std::uint32_t> items;
  std::vector<Code> answers;

  Index n_items() const { return static_cast<Index>(n_levels.size()); }
};

/// @throws DimensionError as the two below.
CodedData make_data(Cells cells, Vector case_weights);

/// @throws DimensionError if sizes disagree or a code exceeds its item's levels.
CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights);

/// Data of which only the answers are given, row by row. A row may answer an item more than once:
/// each answer counts.
/// @param row_start n_obs + 1 positions in `items` and `codes`, from 0; `items` ascend in a row.
/// @throws DimensionError if sizes disagree, items do not ascend, or a code is 0 or exceeds its
///   item's levels.
CodedData make_sparse_data(std::vector<std::size_t> row_start, std::vector<std::uint32_t> items,
                           std::vector<Code> codes, std::vector<Index> n_levels,
                           Vector case_weights);

}  // namespace mdpd
