#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Digits of an item: its levels, and one more for missing where a cell of it is missing.
inline Index n_digits(const CodedData& data, Index item) {
  return data.n_levels[item] + (data.has_missing[item] ? 1 : 0);
}

/// Packs items in order, each as many as fit under `most_levels` (an item with more is alone).
std::vector<Pack> pack_items(const CodedData& data, Index most_levels);

/// The digit of an item of the pack in a code of the pack: its level (0-based), or, where cells of
/// the item are missing, 0 for those and else its level plus 1.
Index digit_of(const CodedData& data, const Pack& pack, Index item, Index code);

/// Code of every row in some items, of which the last one's digit runs fastest, at codes[0], ...,
/// codes[n_obs - 1].
void code_rows(const CodedData& data, const Index* items, Index n_items, std::uint16_t* codes);

/// The same of the items of a pack.
void pack_rows(const CodedData& data, const Pack& pack, std::uint16_t* codes);

/// Packs all items for the kernels. Cost O(n_obs * n_items).
PackedCodes pack_codes(const CodedData& data);

}  // namespace mdpd
