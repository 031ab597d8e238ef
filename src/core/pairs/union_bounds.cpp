#include "pairs/union_bounds.h"

#include "base/jobs.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

/// Dependence of the rows of a table with two of its columns.
double dependence(const RowMatrix& table, Index a, Index b) {
  double cells = 0.0;
  double rows = 0.0;
  double sum_a = 0.0;
  double sum_b = 0.0;
  for (Index r = 0; r < table.rows(); ++r) {
    cells += x_log_x(table(r, a)) + x_log_x(table(r, b));
    rows += x_log_x(table(r, a) + table(r, b));
    sum_a += table(r, a);
    sum_b += table(r, b);
  }
  return std::max(0.0, cells - rows - x_log_x(sum_a) - x_log_x(sum_b) + x_log_x(sum_a + sum_b));
}

}  // namespace

UnionBounds::UnionBounds(const CodedData& data, const RowMatrix& row_weights,
                         const std::vector<ComponentPair>& unions)
    : unions_(unions), with_component_(data.n_items, static_cast<Index>(unions.size())) {
  const Index n_components = row_weights.cols();
  const double n_operations = static_cast<double>(data.n_obs * data.n_items * n_components);
  for_each_job(data.n_items, useful_threads(data.n_threads, n_operations), [&](Index item, int) {
    RowMatrix table = RowMatrix::Zero(data.n_levels[item] + 1, n_components);
    for_each_row(data, item, item, [&](Index n, Code code, Code) {
      const double* from = row_weights.data() + n * n_components;
      double* to = table.data() + code * n_components;
      for (Index k = 0; k < n_components; ++k) to[k] += from[k];
    });
    for (std::size_t at = 0; at < unions_.size(); ++at) {
      const auto& [a, b] = unions_[at];
      with_component_(item, static_cast<Index>(at)) = dependence(table, a, b);
    }
  });
}

}  // namespace mdpd
