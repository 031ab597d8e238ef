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
      const Index to = std::min(from + rows_per_batch, data.n_obs);
      for (std::size_t at = group.first_item; at < group.last_item; ++at) {
        append_digit(data, out.items[at], from, to, cells);
      }
    }
    cells += data.n_obs;
  }
  return out;
}

}  // namespace mdpd
