#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// @throws DimensionError if sizes disagree or a code exceeds its item's levels.
CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights);

/// Data of which only the answers are given, row by row.
/// @param row_start n_obs + 1 positions in `items` and `codes`, from 0; `items` ascend in a row.
/// @throws DimensionError if sizes disagree, items do not ascend, or a code is 0 or exceeds its
///   item's levels.
CodedData make_sparse_data(std::vector<std::size_t> row_start, std::vector<std::uint32_t> items,
                           std::vector<Code> codes, std::vector<Index> n_levels,
                           Vector case_weights);

}  // namespace mdpd
