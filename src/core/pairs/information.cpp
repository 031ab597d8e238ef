#include "pairs/information.h"

#include "pairs/dependence.h"
#include "pairs/pair_pass.h"

namespace mdpd {

Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor) {
  const Vector component_weight = component_weights(row_weights);
  Matrix out = Matrix::Zero(data.n_items, data.n_items);
  const Index first = component < 0 ? 0 : component;
  const Index last = component < 0 ? row_weights.cols() - 1 : component;
  const auto visit = [&](int, const PairBlock& block) {
    for (Index j = block.first_other; j < block.last_other; ++j) {
      double sum = 0.0;
      for (Index k = first; k <= last; ++k) {
        const double scale = component < 0 ? 1.0 : 1.0 / component_weight[k];
        const Index at = (j - block.first_other) * block.stride + k;
        if (component_weight[k] > 0.0) sum += scale * block.dependence[at];
      }
      out(block.item, j) = out(j, block.item) = sum;
    }
  };
  for_each_pair_block(data, row_weights, {missing, Precision::kFull}, monitor, visit);
  return out;
}

}  // namespace mdpd
