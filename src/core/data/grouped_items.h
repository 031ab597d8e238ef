#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Items next to each other in an item set, read as one item with many levels: their codes are the
/// digits of one number, the last item's running fastest.
struct ItemGroup {
  std::size_t first_item = 0;  ///< position in the set
  std::size_t last_item = 0;
  Index n_levels = 1;
};

/// An item set as the E-step reads it: one addition serves all items of a group.
struct GroupedItems {
  ItemSet items;
  std::vector<ItemGroup> groups;     ///< of dense data only
  std::vector<std::uint16_t> cells;  ///< n_obs x groups, column-major: the row's code in the group
};

/// Cost O(n_obs * items). The data must be those that the E-step then reads.
GroupedItems group_items(const CodedData& data, ItemSet items);

}  // namespace mdpd
