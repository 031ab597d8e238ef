#pragma once

#include "data/blocked_rows.h"

namespace mdpd {

/// A table that is in memory, in blocks, for what goes over rows block by block.
class RowsInMemory : public RowSource {
 public:
  /// @param cells,case_weights the caller's.
  /// @param known_labels see the function of that name, of all rows; or none.
  /// @param rows_of_block as many as a shard has by default.
  /// @throws DimensionError as `require_cells()` and `require_weights()`, or if labels are not as many.
  RowsInMemory(const Cells& cells, const Vector& case_weights, std::vector<Index> known_labels,
               Index rows_of_block = 65536);
  Index n_blocks() const override;
  Shard read(Index block) const override;

 private:
  const Cells& cells_;
  const Vector& case_weights_;
  const std::vector<Index> known_;
  const Index rows_of_block_;
};

}  // namespace mdpd
