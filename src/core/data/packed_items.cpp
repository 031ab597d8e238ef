#include "data/packed_items.h"

#include <algorithm>

#include "data/layouts.h"

namespace mdpd {

namespace {

/// Larger tables serve more items with an addition, but more of them leave the cache and more cells
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

/// Writes rows' codes in some items, of which the last one's digit runs fastest.
void code_rows(const std::vector<Digit>& digits, Index first_row, Index n_rows,
               std::uint16_t* codes) {
  Index n = 0;
  for (; n + rows_at_once <= n_rows; n += rows_at_once) {
    // Of their own: compilers fear that `codes` may lie among the columns.
    std::uint16_t packed[rows_at_once] = {};
    for (const Digit& digit : digits) {
      const Code* column = digit.column + first_row + n;
      const std::uint16_t n_levels = digit.n;
      const std::uint16_t lowest = digit.lowest;
      for (Index i = 0; i < rows_at_once; ++i) {
        packed[i] = static_cast<std::uint16_t>(packed[i] * n_levels + column[i] - lowest);
      }
    }
    std::copy_n(packed, rows_at_once, codes + n);
  }
  for (; n < n_rows; ++n) {
    Index packed = 0;
    for (const Digit& digit : digits) {
      packed = packed * digit.n + digit.column[first_row + n] - digit.lowest;
    }
    codes[n] = static_cast<std::uint16_t>(packed);
  }
}

std::vector<Digit> digits_of(const CodedData& data, const DenseCodes& codes, const ItemSet& items,
                             const Pack& pack) {
  std::vector<Digit> digits;
  for (Index at = pack.first_item; at < pack.first_item + pack.n_items; ++at) {
    const Index item = items[at];
    digits.push_back({codes.column(item), static_cast<std::uint16_t>(n_digits(data, item)),
                      static_cast<std::uint16_t>(lowest_code(data, item))});
  }
  return digits;
}

/// Writes the cells of all rows, pack by pack of some of them.
void list_cells(const CodedData& data, const DenseCodes& codes, PackedItems& out) {
  out.cells.resize(data.n_obs * out.n_packs());
  std::vector<std::vector<Digit>> digits;
  for (const Pack& pack : out.packs) digits.push_back(digits_of(data, codes, out.items, pack));
  // Rows whose codes in all packs stay in the cache.
  constexpr Index rows_per_batch = 512;
  std::uint16_t of_batch[rows_per_batch];
  for (Index from = 0; from < data.n_obs; from += rows_per_batch) {
    const Index n_rows = std::min(rows_per_batch, data.n_obs - from);
    for (const Tile& tile : out.tiles) {
      const Index n_packs = tile.last_pack - tile.first_pack;
      std::uint16_t* to = out.cells.data() + data.n_obs * tile.first_pack + from * n_packs;
      Index base = 0;
      for (Index p = tile.first_pack; p < tile.last_pack; ++p, ++to) {
        code_rows(digits[p], from, n_rows, of_batch);
        for (Index n = 0; n < n_rows; ++n) {
          to[n * n_packs] = static_cast<std::uint16_t>(base + of_batch[n]);
        }
        base += out.packs[p].n_levels;
      }
    }
  }
}

PackedItems pack(const CodedData& data, const DenseCodes& codes, ItemSet items) {
  PackedItems out;
  out.packs = pack_items(data, items, most_levels_of_pack);
  out.items = std::move(items);
  for (Index p = 0; p < out.n_packs(); ++p) {
    const Index n_levels = out.packs[p].n_levels;
    if (out.tiles.empty() || out.tiles.back().n_cells + n_levels > most_cells_of_tile) {
      out.tiles.push_back({p, p, 0});
    }
    out.tiles.back().last_pack = p + 1;
    out.tiles.back().n_cells += n_levels;
    out.n_cells += n_levels;
  }
  if (out.tiles.empty()) out.tiles.emplace_back();
  list_cells(data, codes, out);
  return out;
}

/// Reading all items is no more than a little slower than reading these: then the packs of all serve.
bool are_nearly_all(const CodedData& data, const ItemSet& items) {
  return 8 * static_cast<Index>(items.size()) >= 7 * data.n_items;
}

std::shared_ptr<const PackedItems> packs_of(const CodedData& data, const DenseCodes& codes,
                                            const ItemSet& items) {
  if (!are_nearly_all(data, items)) {
    return std::make_shared<const PackedItems>(pack(data, codes, items));
  }
  return codes.layouts->packed.get([&] { return pack(data, codes, all_items(data)); });
}

std::shared_ptr<const PackedItems> packs_of(const CodedData& data, const SparseCodes&,
                                            const ItemSet& items) {
  PackedItems out;
  out.items = items;
  for (const Index item : items) {
    out.packs.push_back({out.n_packs(), 1, n_digits(data, item)});
    out.n_cells += n_digits(data, item);
  }
  out.first.assign(data.n_items, static_cast<std::uint32_t>(out.n_cells));
  std::uint32_t cell = 0;
  for (std::size_t at = 0; at < items.size(); ++at) {
    out.first[items[at]] = cell;
    cell += static_cast<std::uint32_t>(out.packs[at].n_levels);
  }
  const auto most_levels = std::max_element(data.n_levels.begin(), data.n_levels.end());
  if (most_levels != data.n_levels.end()) out.n_cells += *most_levels;
  out.tiles.push_back({0, out.n_packs(), out.n_cells});
  return std::make_shared<const PackedItems>(std::move(out));
}

}  // namespace

std::vector<Pack> pack_items(const CodedData& data, const ItemSet& items, Index most_levels) {
  std::vector<Pack> packs;
  for (std::size_t at = 0; at < items.size(); ++at) {
    const Index digits = n_digits(data, items[at]);
    if (packs.empty() || packs.back().n_levels * digits > most_levels)
      packs.push_back({static_cast<Index>(at), 0, 1});
    packs.back().n_items += 1;
    packs.back().n_levels *= digits;
  }
  return packs;
}

void pack_rows(const CodedData& data, const Pack& pack, std::uint16_t* codes) {
  const auto& dense = std::get<DenseCodes>(data.codes);
  code_rows(digits_of(data, dense, all_items(data), pack), 0, data.n_obs, codes);
}

ReadyItems make_ready(const CodedData& data, ItemSet items) {
  ReadyItems out{std::move(items), nullptr};
  out.packed =
      std::visit([&](const auto& codes) { return packs_of(data, codes, out.items); }, data.codes);
  return out;
}

}  // namespace mdpd
