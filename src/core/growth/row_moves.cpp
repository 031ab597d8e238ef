#include "growth/row_moves.h"

#include "base/kernels.h"
#include "base/numerics.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// Rows x components, padded to whole lanes.
RowMatrix padded(const RowMatrix& values) {
  RowMatrix out = RowMatrix::Zero(values.rows(), round_up_to_lanes(values.cols()));
  out.leftCols(values.cols()) = values;
  return out;
}

/// What moves of rows change in sums of x log x. All matrices are padded.
struct RowMoves {
  const CodedData& data;
  const RowMatrix inside;        ///< of each row: its weight in each component
  RowMatrix leaves;              ///< of each row: the changes when its weight in a component leaves
  RowMatrix joins;               ///< and when its weight in the others joins
  std::vector<Index> rows = {};  ///< that are counted: rows[at] in cells[at] of the counts
  std::vector<Index> cells = {};

  /// Adds the changes of counts (cells x components), or of totals, by which counts are divided, with
  /// sign -1. Rounding can leave a count a hair below zero.
  [[gnu::always_inline]] void add_changes(const RowMatrix& counts, double sign) {
    const Lanes zero{};
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const Index row = rows[at];
      for (Index v = 0; v < counts.cols(); v += n_lanes) {
        Lanes count;
        Lanes weight;
        Lanes leaving;
        Lanes joining;
        load(counts.data() + cells[at] * counts.cols() + v, count);
        load(inside.data() + row * inside.cols() + v, weight);
        load(leaves.data() + row * leaves.cols() + v, leaving);
        load(joins.data() + row * joins.cols() + v, joining);
        const Lanes less = count - weight;
        const Lanes more = count + (data.case_weights[row] - weight);
        Lanes before;
        Lanes after_leaving;
        Lanes after_joining;
        x_log_x(count, before);
        x_log_x(less > 0.0 ? less : zero, after_leaving);
        x_log_x(more > 0.0 ? more : zero, after_joining);
        leaving += sign * (after_leaving - before);
        joining += sign * (after_joining - before);
        store(leaving, leaves.data() + row * leaves.cols() + v);
        store(joining, joins.data() + row * joins.cols() + v);
      }
    }
  }

  void add(const RowMatrix& counts, double sign) {
    const auto work = [&]() __attribute__((always_inline)) { add_changes(counts, sign); };
    with_avx2(data.instructions, work);
  }
};

}  // namespace

RowMatrix row_move_gains(const CodedData& data, const RowMatrix& posterior,
                         const ItemSet& informative) {
  const Index n_components = posterior.cols();
  const LevelSums sums = level_sums(data, posterior, make_ready(data, informative));
  const RowMatrix none = padded(RowMatrix::Zero(data.n_obs, n_components));
  RowMoves moves{data, padded(data.case_weights.asDiagonal() * posterior), none, none};
  double sign_of_sizes = 1.0;
  for (const Index item : informative) {
    moves.rows.clear();
    moves.cells.clear();
    for_each_answer(data, item, [&](Index row, Code code) {
      moves.rows.push_back(row);
      moves.cells.push_back(code - 1);
    });
    const auto counts = data.levels_of(item, sums.levels);
    moves.add(padded(counts), 1.0);
    // The totals of an item that all rows answer are the sizes of the components.
    if (!data.has_missing[item]) {
      sign_of_sizes -= 1.0;
      continue;
    }
    moves.cells.assign(moves.rows.size(), 0);
    moves.add(padded(counts.colwise().sum()), -1.0);
  }
  moves.rows = numbers_below(data.n_obs);
  moves.cells.assign(data.n_obs, 0);
  moves.add(padded(sums.components), sign_of_sizes);
  RowMatrix gains(data.n_obs, n_components);
  for (Index n = 0; n < data.n_obs; ++n) {
    const double entropy = -sum_x_log_x(posterior.row(n));
    const double all_leave = moves.leaves.row(n).head(n_components).sum();
    gains.row(n) = (moves.joins.row(n) - moves.leaves.row(n)).head(n_components).array() +
                   (all_leave - data.case_weights[n] * entropy);
  }
  return gains;
}

}  // namespace mdpd
