#pragma once

#include "data/row_sums.h"
#include "model/parameters.h"
#include "pairs/pair_tables.h"
#include "random_data.h"

namespace mdpd {

/// Data with dependence everywhere, a random posterior, and the row weights it gives.
struct Case {
  Table table;
  RowMatrix posterior;
  RowMatrix weights;
};

inline Case random_case(std::uint64_t seed, Index n_components, double missing) {
  Random random(seed);
  const std::vector<Index> n_levels = {2, 3, 4, 2, 3};
  const MixtureParameters truth = random_parameters(random, n_levels, 3);
  Table table = draw_table(random, truth, {120, n_levels, missing, true});
  const RowMatrix posterior = random_posterior(random, 120, n_components);
  const RowMatrix weights = row_shares(table.data, posterior);
  return {std::move(table), posterior, weights};
}

/// I_k(i, j) by its definition, times the share of the component's weight in the table.
inline double information_twin(const Matrix& joint, double component_weight) {
  const double weight = joint.sum();
  double sum = 0.0;
  for (Index r = 0; r < joint.rows(); ++r) {
    for (Index s = 0; s < joint.cols(); ++s) {
      const double cell = joint(r, s);
      if (cell > 0.0) {
        sum += cell / weight * std::log(cell * weight / (joint.row(r).sum() * joint.col(s).sum()));
      }
    }
  }
  return component_weight > 0.0 ? sum * weight / component_weight : 0.0;
}

/// (levels - 1) x (levels - 1), counting the levels that carry weight in the table.
inline double degrees_of_freedom(const PairTable& table) {
  Matrix sums = Matrix::Zero(table.n_rows, table.n_cols);
  for (Index k = 0; k < table.n_components; ++k) sums += table.component(k);
  const double rows = static_cast<double>((sums.rowwise().sum().array() > 0.0).count());
  const double cols = static_cast<double>((sums.colwise().sum().array() > 0.0).count());
  return std::max(0.0, rows - 1.0) * std::max(0.0, cols - 1.0);
}

}  // namespace mdpd
