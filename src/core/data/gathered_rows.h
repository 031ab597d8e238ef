#pragma once

#include "data/blocked_rows.h"
#include "data/make_data.h"

namespace mdpd {

/// Rows taken out of blocks into memory.
struct GatheredRows {
  ItemSet items = {};                ///< those that somebody answered; of kinds all
  std::vector<Index> n_levels = {};  ///< of these
  bool is_dense = true;
  std::vector<Code> codes = {};              ///< dense: rows x items, column-major
  std::vector<std::size_t> row_start = {0};  ///< sparse: see `make_sparse_data()`
  std::vector<std::uint32_t> row_item = {};
  std::vector<Code> row_code = {};
  Vector case_weights = {};
  std::vector<Index> known = {};  ///< see `known_labels()`

  Index n_obs() const { return case_weights.size(); }
  /// Dense codes stay here.
  Cells cells() const {
    return {n_obs(), n_levels, is_dense ? codes.data() : nullptr, row_start, row_item, row_code};
  }
};

GatheredRows gather_all(const BlockedRows& rows);

/// About `n` rows with a positive weight. Whether one is among them depends on its number and on how
/// many there are only.
GatheredRows gather_sample(const BlockedRows& rows, Index n);

/// One row of each kind, with the weight of all; no row where there are more than `most` kinds, or the
/// blocks are sparse.
GatheredRows gather_kinds(const BlockedRows& rows, Index most);

}  // namespace mdpd
