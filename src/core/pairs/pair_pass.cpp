#include "pairs/pair_pass.h"

#include "pairs/dense_pass.h"
#include "pairs/sparse_pass.h"

namespace mdpd {

void for_each_pair_block(const CodedData& data, const RowMatrix& row_weights,
                         const PassOptions& options, Monitor& monitor, const PairVisitor& visit) {
  if (data.n_items < 2 || data.n_obs == 0) return;
  if (std::holds_alternative<DenseCodes>(data.codes)) {
    for_each_dense_pair_block(data, row_weights, options, monitor, visit);
    return;
  }
  if (options.missing == MissingCells::kFrozen) require_missing_cells(data);
  for_each_sparse_pair(data, row_weights, options.n_leading, monitor, visit);
}

}  // namespace mdpd
