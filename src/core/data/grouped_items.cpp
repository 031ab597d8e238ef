#include "data/grouped_items.h"

#include "data/packed_items.h"

namespace mdpd {

namespace {

/// A group's table of log-probabilities is made anew in every E-step: it is to be small beside what
/// it saves. An item with more levels is alone.
constexpr Index most_levels_of_group = 32;

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
  out.cells.resize(out.groups.size() * static_cast<std::size_t>(data.n_obs));
  std::uint16_t* cells = out.cells.data();
  for (const ItemGroup& group : out.groups) {
    code_rows(data, out.items.data() + group.first_item,
              static_cast<Index>(group.last_item - group.first_item), cells);
    cells += data.n_obs;
  }
  return out;
}

}  // namespace mdpd
