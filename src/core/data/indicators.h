#pragma once

#include "base/aligned_array.h"
#include "data/coded_data.h"

namespace mdpd {

/// Columns of a tile that share a vector of the kernels: 32 bytes of the bits of a row hold 256
/// columns, byte by byte, the first 32 of them in the lowest bits.
inline constexpr Index columns_of_block = 32;
inline constexpr Index bytes_of_row = 32;
inline constexpr Index columns_of_row = 8 * bytes_of_row;

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

/// The columns of all items of dense data, which are listed when they are first asked for. Cost
/// O(n_obs * n_items).
const Indicators& indicators_of(const CodedData& data);

}  // namespace mdpd
