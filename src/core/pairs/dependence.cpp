#include "pairs/dependence.h"

#include "base/numerics.h"
#include "pairs/pair_pass.h"

namespace mdpd {

double dependence(const PairTable& table, Index component) {
  const auto joint = table.component(component);
  const Vector rows = joint.rowwise().sum();
  const Vector columns = joint.colwise().sum();
  const double weight = columns.sum();
  const double sum =
      sum_x_log_x(joint) - sum_x_log_x(rows) - sum_x_log_x(columns) + x_log_x(weight);
  return sum > rounding_of_dependence * weight ? sum : 0.0;
}

Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor) {
  const Vector component_weight = row_weights.colwise().sum();
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
