#include "pairs/dependence.h"

#include "base/numerics.h"
#include "pairs/pair_pass.h"

namespace mdpd {

double dependence(const PairTable& table, Index component) {
  double weight = 0.0;
  double column_terms = 0.0;
  for (Index s = 0; s < table.n_cols; ++s) {
    double column = 0.0;
    for (Index r = 0; r < table.n_rows; ++r) column += table.at(r, s, component);
    column_terms += x_log_x(column);
    weight += column;
  }
  double row_terms = 0.0;
  double cell_terms = 0.0;
  for (Index r = 0; r < table.n_rows; ++r) {
    double row = 0.0;
    for (Index s = 0; s < table.n_cols; ++s) {
      const double cell = table.at(r, s, component);
      row += cell;
      cell_terms += x_log_x(cell);
    }
    row_terms += x_log_x(row);
  }
  const double sum = cell_terms - row_terms - column_terms + x_log_x(weight);
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
