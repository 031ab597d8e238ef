#pragma once

// Shards for the tests.

#include "data/shard_file.h"
#include "random_data.h"

namespace mdpd {

inline const std::vector<Index> some_levels = {2, 3, 254, 1, 5};

inline Shard dense_shard(Random& random, Index n_obs, bool is_weighted) {
  const Table table = random_table(random, {n_obs, some_levels, 0.2, is_weighted});
  Shard shard;
  shard.n_obs = n_obs;
  shard.n_items = table.data.n_items;
  shard.codes = table.codes;
  shard.case_weights = table.data.case_weights;
  return shard;
}

/// Answers at random; a row answers an item up to three times if it may do so more than once.
inline Shard sparse_shard(Random& random, Index n_obs, bool is_weighted, bool may_repeat) {
  Shard shard;
  shard.n_obs = n_obs;
  shard.n_items = static_cast<Index>(some_levels.size());
  shard.is_dense = false;
  shard.row_start = {0};
  for (Index row = 0; row < n_obs; ++row) {
    for (Index item = 0; item < shard.n_items; ++item) {
      for (Index again = random.below(may_repeat ? 4 : 2); again > 0; --again) {
        shard.items.push_back(static_cast<std::uint32_t>(item));
        shard.answers.push_back(static_cast<Code>(random.below(some_levels[item]) + 1));
      }
    }
    shard.row_start.push_back(shard.items.size());
  }
  shard.case_weights = random_case_weights(random, {n_obs, some_levels, 0.0, is_weighted});
  return shard;
}

/// The lowest of the items' levels is 1, the only label that can be known; of row 0 it is.
inline Shard with_known(Random& random, Shard shard) {
  for (Index row = 0; row < shard.n_obs; ++row) {
    shard.known.push_back(static_cast<Code>(row == 0 ? 1 : random.below(2)));
  }
  return shard;
}

inline std::vector<Shard> all_kinds(Random& random, Index n_obs) {
  std::vector<Shard> out;
  for (const bool is_weighted : {false, true}) {
    out.push_back(dense_shard(random, n_obs, is_weighted));
    out.push_back(sparse_shard(random, n_obs, is_weighted, false));
    out.push_back(sparse_shard(random, n_obs, is_weighted, true));
    out.push_back(with_known(random, sparse_shard(random, n_obs, is_weighted, true)));
  }
  return out;
}

inline bool is_same(const Shard& a, const Shard& b) {
  return a.n_obs == b.n_obs && a.n_items == b.n_items && a.is_dense == b.is_dense &&
         a.codes == b.codes && a.row_start == b.row_start && a.items == b.items &&
         a.answers == b.answers && a.case_weights == b.case_weights && a.known == b.known;
}

}  // namespace mdpd
