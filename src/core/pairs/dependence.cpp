#include "pairs/dependence.h"

#include <algorithm>

#include "base/numerics.h"

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

PairInformation pair_information(const PairTable& table, Index component, double component_weight,
                                 double total_weight) {
  PairInformation out;
  const double in_table = dependence(table, component);
  out.information = component_weight > 0.0 ? in_table / component_weight : 0.0;
  out.g2 = 2.0 * total_weight * in_table;
  return out;
}

double degrees_of_freedom(const PairTable& table) {
  Vector rows = Vector::Zero(table.n_rows);
  Vector cols = Vector::Zero(table.n_cols);
  for (Index r = 0; r < table.n_rows; ++r) {
    for (Index s = 0; s < table.n_cols; ++s) {
      for (Index k = 0; k < table.n_components; ++k) {
        rows[r] += table.at(r, s, k);
        cols[s] += table.at(r, s, k);
      }
    }
  }
  const double row_levels = static_cast<double>((rows.array() > 0.0).count());
  const double col_levels = static_cast<double>((cols.array() > 0.0).count());
  return std::max(0.0, row_levels - 1.0) * std::max(0.0, col_levels - 1.0);
}

Vector component_weights(const RowMatrix& row_weights) {
  Vector sums = Vector::Zero(row_weights.cols());
  for (Index n = 0; n < row_weights.rows(); ++n) sums += row_weights.row(n);
  return sums;
}

}  // namespace mdpd
