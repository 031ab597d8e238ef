#include "data/indicators.h"

#include <algorithm>

#include "data/layouts.h"
#include "data/packed_items.h"

namespace mdpd {

namespace {

/// The sums of a tile's columns over the levels of a row pack should stay in the second-level
/// cache.
constexpr Index most_columns_of_tile = 512;

std::vector<IndicatorTile> list_tiles(const CodedData& data) {
  std::vector<IndicatorTile> tiles;
  for (Index item = 0; item < data.n_items; ++item) {
    const Index n_columns = n_digits(data, item) - 1;
    if (tiles.empty() || tiles.back().n_columns + n_columns > most_columns_of_tile) {
      tiles.emplace_back();
      tiles.back().first_item = item;
    }
    IndicatorTile& tile = tiles.back();
    tile.last_item = item + 1;
    tile.first_column.push_back(tile.n_columns);
    tile.n_columns += n_columns;
  }
  std::size_t start = 0;
  for (IndicatorTile& tile : tiles) {
    tile.n_bytes = (tile.n_columns + columns_of_row - 1) / columns_of_row * bytes_of_row;
    tile.start = start;
    start += static_cast<std::size_t>(data.n_obs * tile.n_bytes);
  }
  return tiles;
}

/// @param bits of the row's columns.
void set_bit(std::uint8_t* bits, Index column) {
  const Index within = column % columns_of_row;
  std::uint8_t& byte = bits[column / columns_of_row * bytes_of_row + within % bytes_of_row];
  byte = static_cast<std::uint8_t>(byte | 1 << within / bytes_of_row);
}

void set_bits(const CodedData& data, const DenseCodes& dense, const IndicatorTile& tile,
              std::uint8_t* bits) {
  // Rows whose bits stay in the first-level cache while they are set, item by item.
  constexpr Index rows_per_batch = 256;
  for (Index from = 0; from < data.n_obs; from += rows_per_batch) {
    const Index to = std::min(data.n_obs, from + rows_per_batch);
    for (Index item = tile.first_item; item < tile.last_item; ++item) {
      const Index first_column = tile.first_column[item - tile.first_item];
      const Code* codes = dense.column(item);
      const Index lowest = data.has_missing[item] ? 0 : 1;
      for (Index n = from; n < to; ++n) {
        const Index digit = codes[n] - lowest;
        if (digit > 0) set_bit(bits + n * tile.n_bytes, first_column + digit - 1);
      }
    }
  }
}

Indicators list_indicators(const CodedData& data, const DenseCodes& dense) {
  Indicators out;
  out.tiles = list_tiles(data);
  if (out.tiles.empty()) return out;
  const IndicatorTile& last = out.tiles.back();
  out.bits.grow_to(static_cast<Index>(last.start) + (data.n_obs + 1) * last.n_bytes);
  for (const IndicatorTile& tile : out.tiles) {
    set_bits(data, dense, tile, out.bits.data() + tile.start);
  }
  return out;
}

}  // namespace

const Indicators& indicators_of(const CodedData& data) {
  const auto& dense = std::get<DenseCodes>(data.codes);
  return *dense.layouts->indicators.get([&] { return list_indicators(data, dense); });
}

}  // namespace mdpd
