#include "pairs/dependence.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"

namespace mdpd {

namespace {

/// Nats per unit of weight below which a sum of x log x is rounding.
constexpr double rounding_tolerance = 1e-14;

}  // namespace

TableSums sum_table(const PairTable& table, Index component) {
  TableSums sums;
  double column_terms = 0.0;
  for (Index s = 0; s < table.n_cols; ++s) {
    double column = 0.0;
    for (Index r = 0; r < table.n_rows; ++r) column += table.at(r, s, component);
    column_terms += x_log_x(column);
    sums.weight += column;
  }
  double row_terms = 0.0;
  double cell_terms = 0.0;
  for (Index r = 0; r < table.n_rows; ++r) {
    double row = 0.0;
    for (Index s = 0; s < table.n_cols; ++s) {
      const double weight = table.at(r, s, component);
      row += weight;
      cell_terms += x_log_x(weight);
    }
    row_terms += x_log_x(row);
  }
  sums.dependence = cell_terms - row_terms - column_terms + x_log_x(sums.weight);
  return sums;
}

bool may_depend(const TableSums& sums, double error) {
  const double rounding = 0.5 * rounding_tolerance * sums.weight;
  if (sums.dependence > rounding) return true;
  const double root = std::sqrt(std::max(0.0, sums.dependence)) + error;
  return root * root > rounding;
}

PairInformation pair_information(const TableSums& sums, double component_weight,
                                 double total_weight) {
  PairInformation out;
  // A table that is exactly independent shows nothing but rounding, on either side of zero.
  const double dependence =
      sums.dependence > rounding_tolerance * sums.weight ? sums.dependence : 0.0;
  out.information = component_weight > 0.0 ? dependence / component_weight : 0.0;
  out.g2 = 2.0 * total_weight * dependence;
  return out;
}

PairInformation pair_information(const PairTable& table, Index component, double component_weight,
                                 double total_weight) {
  return pair_information(sum_table(table, component), component_weight, total_weight);
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
