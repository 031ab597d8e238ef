#pragma once

#include "data/blocked_rows.h"
#include "data/make_data.h"

namespace mdpd {

/// Rows taken out of blocks into memory.
struct GatheredRows {
  ItemSet items = {};                ///< those that somebody answered; of kinds all
  std::vector<Index> n_levels = {};  ///< of these
  Shard rows = {};                   ///< with these items only

  /// Dense codes stay here.
  Cells cells() const {
    return {rows, rows.n_obs, n_levels, rows.is_dense ? rows.codes.data() : nullptr};
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
