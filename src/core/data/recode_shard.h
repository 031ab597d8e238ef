#pragma once

#include "data/shard_file.h"

namespace mdpd {

/// How rows that were coded while levels and items still came become those of the store.
struct Recoding {
  std::vector<Index> n_levels;  ///< per item of the store
  std::vector<Index> item_of;   ///< of each item as it came, its place in the store
  /// Of each item as it came, or once for all of them, the new code of every old one; of 0 it is 0.
  /// An answer whose new code is 0 is missing.
  std::vector<std::vector<Code>> code_of;
  bool is_dense = true;  ///< is the store dense? Rows that are cannot become sparse.

  const std::vector<Code>& codes_of(Index item) const {
    return code_of.size() == 1 ? code_of.front() : code_of[item];
  }
};

/// The answers of a row become sorted by item and code, so that their order does not matter.
/// Known labels are recoded as all items are.
/// @throws DimensionError if sizes disagree, a code has no new one, rows that answer an item more
///   than once are to become dense, or labels are known and items are recoded each in its own way.
Shard recode_shard(Shard shard, const Recoding& recoding);

/// Weighted count of every level of every item, item by item.
Vector level_weights(const Shard& shard, const std::vector<Index>& n_levels);

}  // namespace mdpd
