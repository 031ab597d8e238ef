#pragma once

#include <cstdint>

#include "types.h"

namespace mdpd {

using Code = std::uint8_t;

/// Stands for "unknown" where a component is expected.
inline constexpr Index no_component = -1;

/// Neighbouring items read as one item with many levels: their codes are the digits of one number,
/// the last item's running fastest. One addition to the packed item's table then serves all of them.
struct Pack {
  Index first_item = 0;
  Index n_items = 0;
  Index n_levels = 1;  ///< product of the items' digits
};

/// A run of packs whose tables the kernels keep in the first-level cache.
struct Tile {
  Index first_pack = 0;
  Index last_pack = 0;
  Index first_item = 0;
  Index last_item = 0;
  Index n_cells = 0;  ///< levels of its packs
};

/// All items in packs, a row's codes side by side.
struct PackedCodes {
  std::vector<Pack> packs;
  std::vector<Tile> tiles;
  std::vector<std::uint16_t> cells;  ///< n_obs x packs, row-major: the row's cell in the tile
};

/// Categorical data, one byte a cell, with the sums that never change during a fit.
/// The codes belong to the caller and must outlive this view. Build it with `make_coded_data()`.
struct CodedData {
  Index n_obs = 0;
  Index n_items = 0;
  const Code* codes = nullptr;  ///< n_obs x n_items, column-major; 0 = missing, 1..n_levels
  std::vector<Index> n_levels;  ///< per item
  std::vector<Index> offset;    ///< n_items + 1: first row of each item in a table of all levels
  Vector case_weights;          ///< n_obs, >= 0; a weight of 2 counts a row twice
  std::vector<Index> known;     ///< empty, or n_obs: the component a row is known to belong to,
                                ///< no_component where that is not known
  int n_threads = 1;  ///< threads that may work on the data; no result depends on their number
  double total_weight = 0.0;         ///< their sum: the N of every formula
  Vector level_weight;               ///< offset.back(): weighted count of every level
  Vector observed_weight;            ///< n_items: weighted count of rows where the item is observed
  std::vector<bool> has_missing;     ///< per item: is a cell of it missing?
  std::vector<Index> n_levels_seen;  ///< per item: levels with a positive weighted count
  Vector marginal_loglik;            ///< n_items: log-likelihood of each item on its own (nats)
  PackedCodes packed;                ///< the codes once more, as the hot loops read them

  const Code* item_codes(Index item) const { return codes + item * n_obs; }
  Index n_total_levels() const { return offset.back(); }
  /// Share of the item's observed answers that fall in a level (0-based); the item must be observed
  /// somewhere, as it is wherever something is estimated.
  double marginal(Index item, Index level) const {
    return level_weight[offset[item] + level] / observed_weight[item];
  }
};

/// @throws DimensionError if sizes disagree or a code exceeds its item's levels.
CodedData make_coded_data(const Code* codes, Index n_obs, std::vector<Index> n_levels,
                          Vector case_weights);

/// Every item, in order.
ItemSet all_items(const CodedData& data);

/// Items with at least two levels seen: the others cannot tell components apart.
ItemSet varying_items(const CodedData& data);

bool contains(const ItemSet& items, Index item);

}  // namespace mdpd
