#include "data/coded_data.h"

#include <algorithm>

namespace mdpd {

void require_missing_cells(const CodedData& data) {
  require(std::holds_alternative<DenseCodes>(data.codes), "sparse data have no missing level");
}

ItemSet all_items(const CodedData& data) { return numbers_below(data.n_items); }

ItemSet varying_items(const CodedData& data) {
  ItemSet items;
  for (Index item = 0; item < data.n_items; ++item) {
    if (data.n_levels_seen[item] > 1) items.push_back(item);
  }
  return items;
}

bool contains(const ItemSet& items, Index item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

}  // namespace mdpd
