#include "data/rows_in_memory.h"

#include <algorithm>

namespace mdpd {

RowsInMemory::RowsInMemory(const Cells& cells, const Vector& case_weights,
                           std::vector<Index> known_labels, Index rows_of_block)
    : cells_(cells),
      case_weights_(case_weights),
      known_(std::move(known_labels)),
      rows_of_block_(rows_of_block) {
  require_cells(cells_);
  require_weights(case_weights_, cells_.n_obs);
  require(known_.empty() || static_cast<Index>(known_.size()) == cells_.n_obs,
          "known labels of the rows");
}

Index RowsInMemory::n_blocks() const {
  return (cells_.n_obs + rows_of_block_ - 1) / rows_of_block_;
}

Shard RowsInMemory::read(Index block) const {
  const Index first = block * rows_of_block_;
  Shard out;
  out.n_obs = std::min(rows_of_block_, cells_.n_obs - first);
  out.n_items = cells_.n_items();
  out.is_dense = cells_.codes != nullptr;
  out.case_weights = case_weights_.segment(first, out.n_obs);
  for (Index row = first; row < first + out.n_obs && !known_.empty(); ++row) {
    out.known.push_back(static_cast<Code>(known_[row] + 1));  // 0 is that of no_component
  }
  cut_cells(cells_, cells_.codes, first, out);
  return out;
}

}  // namespace mdpd
