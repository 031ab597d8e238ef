#include "packed_items.h"

#include <algorithm>
#include <cstring>

namespace mdpd {

namespace {

/// Larger tables serve more pairs with an addition, but more of them leave the cache and more cells
/// are to be summed down: measured best from 1,000 to 100,000 rows (bench/speed).
constexpr Index most_levels_of_pack = 32;
/// 24 kB of four components.
constexpr Index most_cells_of_tile = 768;
constexpr Index rows_at_once = 8;

using Codes = Code __attribute__((vector_size(rows_at_once * sizeof(Code))));
using PackCodes = std::uint16_t __attribute__((vector_size(rows_at_once * sizeof(std::uint16_t))));

}  // namespace

std::vector<Pack> pack_items(const CodedData& data, Index most_levels) {
  std::vector<Pack> packs;
  for (Index item = 0; item < data.n_items; ++item) {
    const Index digits = n_digits(data, item);
    if (packs.empty() || packs.back().n_levels * digits > most_levels)
      packs.push_back({item, 0, 1});
    packs.back().n_items += 1;
    packs.back().n_levels *= digits;
  }
  return packs;
}

Index digit_of(const CodedData& data, const Pack& pack, Index item, Index code) {
  for (Index at = pack.first_item + pack.n_items - 1; at > item; --at) code /= n_digits(data, at);
  return code % n_digits(data, item);
}

void append_digit(const CodedData& data, Index item, Index first_row, Index last_row,
                  std::uint16_t* codes) {
  const Code* column = data.item_codes(item);
  const auto digits = static_cast<std::uint16_t>(n_digits(data, item));
  const std::uint16_t lowest = data.has_missing[item] ? 0 : 1;
  Index n = first_row;
  // In vectors, which compilers do not make of the loop below: codes may lie among the columns.
  for (; n + rows_at_once <= last_row; n += rows_at_once) {
    Codes in;
    PackCodes packed;
    std::memcpy(&in, column + n, sizeof in);
    std::memcpy(&packed, codes + n, sizeof packed);
    packed = packed * digits + __builtin_convertvector(in, PackCodes) - lowest;
    std::memcpy(codes + n, &packed, sizeof packed);
  }
  for (; n < last_row; ++n) {
    codes[n] = static_cast<std::uint16_t>(codes[n] * digits + column[n] - lowest);
  }
}

void pack_rows(const CodedData& data, const Pack& pack, std::uint16_t* codes) {
  std::fill_n(codes, data.n_obs, std::uint16_t{0});
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    append_digit(data, item, 0, data.n_obs, codes);
  }
}

PackedCodes pack_codes(const CodedData& data) {
  PackedCodes out;
  out.packs = pack_items(data, most_levels_of_pack);
  const Index n_packs = static_cast<Index>(out.packs.size());
  out.cells.resize(data.n_obs * n_packs);
  std::vector<std::uint16_t> codes(data.n_obs);
  for (Index p = 0; p < n_packs; ++p) {
    const Pack& pack = out.packs[p];
    if (out.tiles.empty() || out.tiles.back().n_cells + pack.n_levels > most_cells_of_tile) {
      out.tiles.push_back({p, p, pack.first_item, pack.first_item, 0});
    }
    Tile& tile = out.tiles.back();
    pack_rows(data, pack, codes.data());
    const auto base = static_cast<std::uint16_t>(tile.n_cells);
    for (Index n = 0; n < data.n_obs; ++n) {
      out.cells[n * n_packs + p] = static_cast<std::uint16_t>(base + codes[n]);
    }
    tile.last_pack = p + 1;
    tile.last_item = pack.first_item + pack.n_items;
    tile.n_cells += pack.n_levels;
  }
  return out;
}

}  // namespace mdpd
