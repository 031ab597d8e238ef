#include "pairs/pair_tables.h"

namespace mdpd {

namespace {

void clear_missing(PairTable& table) {
  for (Index k = 0; k < table.n_components; ++k) {
    for (Index r = 0; r < table.n_rows; ++r) table.at(r, 0, k) = 0.0;
    for (Index s = 0; s < table.n_cols; ++s) table.at(0, s, k) = 0.0;
  }
}

}  // namespace

void PairTable::reset(Index rows, Index cols, Index components) {
  n_rows = rows;
  n_cols = cols;
  n_components = components;
  cells.assign(rows * cols * components, 0.0);
}

void fill_pair_table(const CodedData& data, const RowMatrix& row_weights, Index i, Index j,
                     MissingCells missing, PairTable& table) {
  table.reset(data.n_levels[i] + 1, data.n_levels[j] + 1, row_weights.cols());
  if (missing == MissingCells::kFrozen) require_missing_cells(data);
  const Index n = row_weights.cols();
  for_each_row(data, i, j, [&](Index row, Index r, Index s, Index n_pairs) {
    const double* in = row_weights.data() + row * n;
    double* out = &table.at(r, s, 0);
    for (Index k = 0; k < n; ++k) out[k] += n_pairs == 1 ? in[k] : share_of_pair(in[k], n_pairs);
  });
  if (missing == MissingCells::kIgnore) clear_missing(table);
}

}  // namespace mdpd
