#pragma once

#include <cstdint>

#include "base/aligned_array.h"
#include "base/types.h"

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

/// A run of items, with a column of zeros and ones for each of their digits but the first: what that
/// holds is what the others leave of all rows.
struct IndicatorTile {
  Index first_item = 0;
  Index last_item = 0;
  std::vector<Index> first_column;  ///< of each of its items
  Index n_columns = 0;
  Index n_bytes = 0;      ///< of the bits of one row
  std::size_t start = 0;  ///< where the tile's bits begin, row by row
};

/// One bit for each row and column, tile by tile.
struct Indicators {
  std::vector<IndicatorTile> tiles;
  AlignedArray<std::uint8_t> bits;  ///< of all rows, and room for one more
};

/// The answers of data in which most cells are missing, by row and by item, both in ascending order.
/// Counts are 32-bit wherever there is one for each answer.
struct SparseCodes {
  std::vector<std::size_t> row_start;   ///< n_obs + 1: where the row's answers begin
  std::vector<std::uint32_t> row_item;  ///< item of each answer, row by row
  std::vector<Code> row_code;           ///< its code, 1..n_levels
  std::vector<std::size_t> item_start;  ///< n_items + 1
  std::vector<std::uint32_t> item_row;  ///< row of each answer, item by item
  std::vector<Code> item_code;
};

/// Categorical data, one byte a cell, with the sums that never change during a fit.
/// Dense codes belong to the caller and must outlive this view. Build it with `make_coded_data()` or
/// `make_sparse_data()`; what reads cells one by one goes through `for_each_answer()` and its kin,
/// so that it costs as much as there are answers.
struct CodedData {
  Index n_obs = 0;
  Index n_items = 0;
  const Code* codes = nullptr;  ///< n_obs x n_items, column-major; 0 = missing, 1..n_levels;
                                ///< null where the data are sparse
  SparseCodes sparse;           ///< empty where they are dense
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
  PackedCodes packed;                ///< the codes once more, as counts of levels read them,
  Indicators indicators;             ///< and as pair tables do

  bool is_sparse() const { return !sparse.row_start.empty(); }
  /// Of dense data only.
  const Code* item_codes(Index item) const { return codes + item * n_obs; }
  Index n_total_levels() const { return offset.back(); }
  /// Share of the item's observed answers that fall in a level (0-based); the item must be observed
  /// somewhere, as it is wherever something is estimated.
  double marginal(Index item, Index level) const {
    return level_weight[offset[item] + level] / observed_weight[item];
  }
};

/// Calls use(row, code) for every observed cell of an item, in the order of the rows.
template <class Use>
void for_each_answer(const CodedData& data, Index item, Use use) {
  if (data.is_sparse()) {
    const SparseCodes& sparse = data.sparse;
    for (std::size_t at = sparse.item_start[item]; at < sparse.item_start[item + 1]; ++at) {
      use(static_cast<Index>(sparse.item_row[at]), sparse.item_code[at]);
    }
    return;
  }
  const Code* codes = data.item_codes(item);
  for (Index n = 0; n < data.n_obs; ++n) {
    if (codes[n] != 0) use(n, codes[n]);
  }
}

/// Calls use(row, code_1, code_2) for the rows that observe both items, in their order.
template <class Use>
void for_each_shared_row(const CodedData& data, Index item_1, Index item_2, Use use) {
  if (data.is_sparse()) {
    const SparseCodes& sparse = data.sparse;
    std::size_t at = sparse.item_start[item_2];
    const std::size_t end = sparse.item_start[item_2 + 1];
    for_each_answer(data, item_1, [&](Index row, Code code) {
      while (at < end && static_cast<Index>(sparse.item_row[at]) < row) ++at;
      if (at < end && static_cast<Index>(sparse.item_row[at]) == row) {
        use(row, code, sparse.item_code[at]);
      }
    });
    return;
  }
  const Code* codes = data.item_codes(item_2);
  for_each_answer(data, item_1, [&](Index row, Code code) {
    if (codes[row] != 0) use(row, code, codes[row]);
  });
}

/// Calls use(item, code) for every observed cell of a row, in the order of the items.
template <class Use>
void for_each_item_of_row(const CodedData& data, Index row, Use use) {
  if (data.is_sparse()) {
    const SparseCodes& sparse = data.sparse;
    for (std::size_t at = sparse.row_start[row]; at < sparse.row_start[row + 1]; ++at) {
      use(static_cast<Index>(sparse.row_item[at]), sparse.row_code[at]);
    }
    return;
  }
  for (Index item = 0; item < data.n_items; ++item) {
    const Code code = data.item_codes(item)[row];
    if (code != 0) use(item, code);
  }
}

/// Every item, in order.
ItemSet all_items(const CodedData& data);

/// Items with at least two levels seen: the others cannot tell components apart.
ItemSet varying_items(const CodedData& data);

bool contains(const ItemSet& items, Index item);

}  // namespace mdpd
