#include "data/packed_items.h"

#include <algorithm>
#include <numeric>

namespace mdpd {

namespace {

/// Larger tables serve more pairs with an addition, but more of them leave the cache and more cells
/// are to be summed down: measured best from 1,000 to 100,000 rows (bench/speed).
constexpr Index most_levels_of_pack = 32;
/// 24 kB of four components.
constexpr Index most_cells_of_tile = 768;
/// Rows whose codes stay in registers while the items are read.
constexpr Index rows_at_once = 32;

/// How an item enters the codes.
struct Digit {
  const Code* column = nullptr;
  std::uint16_t n = 0;
  std::uint16_t lowest = 0;  ///< code that counts as 0
};

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

void code_rows(const CodedData& data, const Index* items, Index n_items, std::uint16_t* codes) {
  std::vector<Digit> digits;
  for (Index at = 0; at < n_items; ++at) {
    digits.push_back({data.item_codes(items[at]),
                      static_cast<std::uint16_t>(n_digits(data, items[at])),
                      static_cast<std::uint16_t>(data.has_missing[items[at]] ? 0 : 1)});
  }
  Index n = 0;
  for (; n + rows_at_once <= data.n_obs; n += rows_at_once) {
    // Of their own: compilers fear that `codes` may lie among the columns.
    std::uint16_t packed[rows_at_once] = {};
    for (const Digit& digit : digits) {
      const Code* column = digit.column + n;
      const std::uint16_t n_levels = digit.n;
      const std::uint16_t lowest = digit.lowest;
      for (Index i = 0; i < rows_at_once; ++i) {
        packed[i] = static_cast<std::uint16_t>(packed[i] * n_levels + column[i] - lowest);
      }
    }
    std::copy_n(packed, rows_at_once, codes + n);
  }
  for (; n < data.n_obs; ++n) {
    Index packed = 0;
    for (const Digit& digit : digits) packed = packed * digit.n + digit.column[n] - digit.lowest;
    codes[n] = static_cast<std::uint16_t>(packed);
  }
}

void pack_rows(const CodedData& data, const Pack& pack, std::uint16_t* codes) {
  std::vector<Index> items(pack.n_items);
  std::iota(items.begin(), items.end(), pack.first_item);
  code_rows(data, items.data(), pack.n_items, codes);
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
