#include "pairs/pair_tables.h"

#include <algorithm>

#include "base/kernels.h"

namespace mdpd {

namespace {

/// The hot loop: the number of components is a constant where it is small, so that the compiler
/// keeps one observation's vector in registers.
template <int n_fixed>
void add_rows(const CodedData& data, const RowMatrix& row_weights, Index i, Index j,
              PairTable& table) {
  const Index n_components = n_fixed > 0 ? n_fixed : row_weights.cols();
  const Index n_cols = table.n_cols;
  const double* weights = row_weights.data();
  double* cells = table.cells.data();
  for_each_row(data, i, j, [=](Index row, Index r, Index s, Index n_pairs) {
    const double* in = weights + row * n_components;
    double* out = cells + (r * n_cols + s) * n_components;
    for (Index k = 0; k < n_components; ++k) {
      out[k] += n_pairs == 1 ? in[k] : share_of_pair(in[k], n_pairs);
    }
  });
}

void clear_missing(PairTable& table) {
  for (Index k = 0; k < table.n_components; ++k) {
    for (Index r = 0; r < table.n_rows; ++r) table.at(r, 0, k) = 0.0;
    for (Index s = 0; s < table.n_cols; ++s) table.at(0, s, k) = 0.0;
  }
}

}  // namespace

bool is_complete(const CodedData& data, MissingCells missing) {
  return missing == MissingCells::kFrozen ||
         std::none_of(data.has_missing.begin(), data.has_missing.end(),
                      [](bool any) { return any; });
}

void PairTable::reset(Index rows, Index cols, Index components) {
  n_rows = rows;
  n_cols = cols;
  n_components = components;
  cells.assign(rows * cols * components, 0.0);
}

Matrix PairTable::component(Index k) const {
  Matrix out(n_rows, n_cols);
  for (Index r = 0; r < n_rows; ++r) {
    for (Index s = 0; s < n_cols; ++s) out(r, s) = at(r, s, k);
  }
  return out;
}

void fill_pair_table(const CodedData& data, const RowMatrix& row_weights, Index i, Index j,
                     MissingCells missing, PairTable& table) {
  table.reset(data.n_levels[i] + 1, data.n_levels[j] + 1, row_weights.cols());
  if (missing == MissingCells::kFrozen) require_missing_cells(data);
  with_constant<1, 2, 3, 4>(row_weights.cols(),
                            [&](auto size) { add_rows<size>(data, row_weights, i, j, table); });
  if (missing == MissingCells::kIgnore) clear_missing(table);
}

}  // namespace mdpd
