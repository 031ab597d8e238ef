#include "model/copy_strength.h"

#include <algorithm>

#include "base/numerics.h"

namespace mdpd {

namespace {

/// Keeps a level that a component never shows.
constexpr double count_of_unseen = 1e-6;

RowMatrix columns_of_counts(const RowMatrix& counts) {
  RowMatrix shares = counts.array() + count_of_unseen;
  const Eigen::RowVectorXd totals = shares.colwise().sum();
  return shares.array().rowwise() / totals.array();
}

/// The tables of two items, of all components.
struct CopyTables {
  Index n_shown = 0;   ///< rows that answer both
  RowMatrix observed;  ///< pairs of levels, those of the second item fastest, x components
  Matrix shared;       ///< components x components: of their posteriors the summed product
};

CopyTables tables_of(const KnownRows& rows, const std::array<RowCodes, 2>& items) {
  const Index n_components = rows.posterior.cols();
  CopyTables out;
  out.observed = RowMatrix::Zero(items[0].n_levels * items[1].n_levels, n_components);
  out.shared = Matrix::Zero(n_components, n_components);
  for (Index n = 0; n < rows.posterior.rows(); ++n) {
    const int code_1 = items[0].codes[n];
    const int code_2 = items[1].codes[n];
    if (code_1 == 0 || code_2 == 0) continue;
    ++out.n_shown;
    const double* posterior = rows.posterior.data() + n * n_components;
    const Index cell = (code_1 - 1) * items[1].n_levels + code_2 - 1;
    double* observed = out.observed.data() + cell * n_components;
    for (Index k = 0; k < n_components; ++k) {
      const double weight = rows.weights[n] * posterior[k];
      observed[k] += weight;
      for (Index l = 0; l < n_components; ++l) out.shared(l, k) += weight * posterior[l];
    }
  }
  return out;
}

/// Of the tables of all components; one of few rows has no more than these.
double degrees_of_freedom(const std::array<RowMatrix, 2>& margins) {
  const auto n_free = [](const RowMatrix& margin) {
    return static_cast<double>((margin.rowwise().sum().array() > 0.0).count() - 1);
  };
  const double most = n_free(margins[0]) * n_free(margins[1]);
  double df = 0.0;
  for (Index k = 0; k < margins[0].cols(); ++k) df += std::min(most, margins[0].col(k).sum());
  return df;
}

}  // namespace

RowMatrix best_columns(const KnownRows& rows, const RowCodes& item, Index n_steps) {
  const Index n_components = rows.posterior.cols();
  RowMatrix counts = RowMatrix::Zero(item.n_levels, n_components);
  const auto add_row = [&](Index n, double weight) {
    const double* posterior = rows.posterior.data() + n * n_components;
    double* to = counts.data() + (item.codes[n] - 1) * n_components;
    for (Index k = 0; k < n_components; ++k) to[k] += weight * posterior[k];
  };
  const Index n_rows = rows.posterior.rows();
  for (Index n = 0; n < n_rows; ++n) {
    if (item.codes[n] > 0) add_row(n, rows.weights[n]);
  }
  RowMatrix columns = columns_of_counts(counts);
  for (Index step = 0; step < n_steps; ++step) {
    counts.setZero();
    for (Index n = 0; n < n_rows; ++n) {
      if (item.codes[n] == 0) continue;
      const double probability = rows.posterior.row(n).dot(columns.row(item.codes[n] - 1));
      add_row(n, rows.weights[n] / probability);
    }
    columns = columns_of_counts(counts.cwiseProduct(columns));
  }
  return columns;
}

double pair_strength(const KnownRows& rows, const std::array<RowCodes, 2>& items,
                     const std::array<RowMatrix, 2>& columns, double alpha) {
  const CopyTables tables = tables_of(rows, items);
  if (tables.n_shown < 2) return 0.0;
  const Index n_components = rows.posterior.cols();
  std::array<RowMatrix, 2> margins;
  for (int at = 0; at < 2; ++at) margins[at] = RowMatrix::Zero(items[at].n_levels, n_components);
  double divergence = 0.0;
  for (Index level_1 = 0; level_1 < items[0].n_levels; ++level_1) {
    for (Index level_2 = 0; level_2 < items[1].n_levels; ++level_2) {
      const auto observed = tables.observed.row(level_1 * items[1].n_levels + level_2);
      margins[0].row(level_1) += observed;
      margins[1].row(level_2) += observed;
      const Eigen::RowVectorXd expected =
          columns[0].row(level_1).cwiseProduct(columns[1].row(level_2)) * tables.shared;
      for (Index k = 0; k < n_components; ++k) {
        if (observed[k] > 0.0) divergence += observed[k] * safe_log(observed[k] / expected[k]);
      }
    }
  }
  // What the classes leave open of each item.
  const double open = std::min(entropy_in_columns(margins[0]), entropy_in_columns(margins[1]));
  if (open <= 0.0) return 0.0;
  const double df = degrees_of_freedom(margins);
  if (log_chi_square_upper(2.0 * divergence, df) > log_of(alpha)) return 0.0;
  return std::max(0.0, divergence - df / 2.0) / open;
}

}  // namespace mdpd
