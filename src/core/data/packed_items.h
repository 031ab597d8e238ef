#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Items next to each other in an item set, read as one item with many levels: their codes are the
/// digits of one number, the last item's running fastest. One addition to, or from, the packed
/// item's table then serves all of them.
struct Pack {
  Index first_item = 0;  ///< position in the set
  Index n_items = 0;
  Index n_levels = 1;  ///< product of the items' digits
};

/// A run of packs whose tables the kernels keep in the first-level cache.
struct Tile {
  Index first_pack = 0;
  Index last_pack = 0;
  Index n_cells = 0;  ///< levels of its packs
};

/// An item set as sums over rows read it: where in the table of each tile a row has its cells. Of
/// sparse data each item is a pack, all in one tile, and behind them are cells that answers to other
/// items have.
struct PackedItems {
  ItemSet items;
  std::vector<Pack> packs;
  std::vector<Tile> tiles;           ///< one at least
  std::vector<std::uint16_t> cells;  ///< of dense data, tile by tile: n_obs x its packs, row-major
  std::vector<std::uint32_t> first;  ///< of sparse data: per item the cell of its first level
  Index n_cells = 0;

  Index n_packs() const { return static_cast<Index>(packs.size()); }
};

/// The code of an item's digit 0: of dense data, where a cell of it is missing, that is a digit, too.
inline Index lowest_code(const CodedData& data, Index item) {
  return data.has_missing[item] && std::holds_alternative<DenseCodes>(data.codes) ? 0 : 1;
}

inline Index n_digits(const CodedData& data, Index item) {
  return data.n_levels[item] + 1 - lowest_code(data, item);
}

/// Packs items in order, each as many as fit under `most_levels` (an item with more is alone).
std::vector<Pack> pack_items(const CodedData& data, const ItemSet& items, Index most_levels);

/// Code of every row in a pack of all items, at codes[0], ..., codes[n_obs - 1].
void pack_rows(const CodedData& data, const Pack& pack, std::uint16_t* codes);

/// Items as an E-step is asked for them, and as it reads them.
struct ReadyItems {
  ItemSet items;
  std::shared_ptr<const PackedItems> packed;  ///< these items, maybe with others
};

/// Cost O(n_obs * items), but for all items of dense data, whose packs are made once and kept.
ReadyItems make_ready(const CodedData& data, ItemSet items);

}  // namespace mdpd
