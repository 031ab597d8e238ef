#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Columns of a tile that share a vector of the kernels: 32 bytes of the bits of a row hold 256
/// columns, byte by byte, the first 32 of them in the lowest bits.
inline constexpr Index columns_of_block = 32;
inline constexpr Index bytes_of_row = 32;
inline constexpr Index columns_of_row = 8 * bytes_of_row;

/// Lists the columns of all items. Cost O(n_obs * n_items).
Indicators list_indicators(const CodedData& data);

}  // namespace mdpd
