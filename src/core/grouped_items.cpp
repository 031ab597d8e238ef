#include "grouped_items.h"

#include <algorithm>

#include "packed_items.h"

namespace mdpd {

namespace {

/// A group's table of log-probabilities is made anew in every E-step: it is to be small beside what
/// it saves. An item with more levels is alone.
constexpr Index most_levels_of_group = 32;

/// Rows whose codes stay in the first-level cache while the items of a group are read.
constexpr Index rows_per_batch = 4096;

void code_rows(const CodedData& data, const ItemSet& items, const ItemGroup& group, Index first_row,
               Index last_row, std::uint16_t* cells) {
  for (std::size_t at = group.first_item; at < group.last_item; ++at) {
    const Code* codes = data.item_codes(items[at]);
    const auto digits = static_cast<std::uint16_t>(n_digits(data, items[at]));
    const std::uint16_t lowest = data.has_missing[items[at]] ? 0 : 1;
#ifdef _OPENMP
#pragma omp simd  // a compiler may fear that the codes lie among the cells
#endif
    for (Index n = first_row; n < last_row; ++n) {
      cells[n] = static_cast<std::uint16_t>(cells[n] * digits + codes[n] - lowest);
    }
  }
}

}  // namespace

GroupedItems group_items(const CodedData& data, ItemSet items) {
  GroupedItems out;
  out.items = std::move(items);
  if (data.is_sparse()) return out;
  for (std::size_t at = 0; at < out.items.size(); ++at) {
    const Index digits = n_digits(data, out.items[at]);
    if (out.groups.empty() || out.groups.back().n_levels * digits > most_levels_of_group) {
      out.groups.push_back({at, at, 1});
    }
    out.groups.back().last_item = at + 1;
    out.groups.back().n_levels *= digits;
  }
  out.cells.assign(out.groups.size() * static_cast<std::size_t>(data.n_obs), 0);
  std::uint16_t* cells = out.cells.data();
  for (const ItemGroup& group : out.groups) {
    for (Index from = 0; from < data.n_obs; from += rows_per_batch) {
      code_rows(data, out.items, group, from, std::min(from + rows_per_batch, data.n_obs), cells);
    }
    cells += data.n_obs;
  }
  return out;
}

}  // namespace mdpd
