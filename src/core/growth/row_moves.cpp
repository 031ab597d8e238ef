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

/// Rows whose weight leaves their components and joins one, and what that changes in sums of
/// x log x. All matrices are padded.
struct MoveJob {
  const Vector& case_weights;
  const RowMatrix& inside;  ///< of each row: its weight in each component
  RowMatrix& leaves;        ///< of each row: the changes when its weight in a component leaves
  RowMatrix& joins;         ///< and when its weight in the others joins
};

/// Counts that rows leave and join: row rows[at] the counts cells[at].
struct CountsJob {
  const RowMatrix& counts;  ///< cells x components
  const std::vector<Index>& rows;
  const std::vector<Index>& cells;
  double sign;  ///< of the changes: -1 for totals, by which counts are divided
};

/// Adds the changes of one item's counts, or of its totals. Rounding can leave a count a hair below
/// zero.
[[gnu::always_inline]] inline void add_changes(const MoveJob& job, const CountsJob& item) {
  const Lanes zero{};
  for (std::size_t at = 0; at < item.rows.size(); ++at) {
    const Index row = item.rows[at];
    for (Index v = 0; v < item.counts.cols(); v += n_lanes) {
      Lanes count;
      Lanes inside;
      Lanes leaves;
      Lanes joins;
      load(item.counts.data() + item.cells[at] * item.counts.cols() + v, count);
      load(job.inside.data() + row * job.inside.cols() + v, inside);
      load(job.leaves.data() + row * job.leaves.cols() + v, leaves);
      load(job.joins.data() + row * job.joins.cols() + v, joins);
      const Lanes less = count - inside;
      const Lanes more = count + (job.case_weights[row] - inside);
      Lanes before;
      Lanes after_leaving;
      Lanes after_joining;
      x_log_x(count, before);
      x_log_x(less > 0.0 ? less : zero, after_leaving);
      x_log_x(more > 0.0 ? more : zero, after_joining);
      leaves += item.sign * (after_leaving - before);
      joins += item.sign * (after_joining - before);
      store(leaves, job.leaves.data() + row * job.leaves.cols() + v);
      store(joins, job.joins.data() + row * job.joins.cols() + v);
    }
  }
}

}  // namespace

RowMatrix row_move_gains(const CodedData& data, const RowMatrix& posterior,
                         const ItemSet& informative) {
  const auto add = [&](const MoveJob& job, const CountsJob& item) {
    const auto work = [&]() __attribute__((always_inline)) { add_changes(job, item); };
    with_avx2(data.instructions, work);
  };
  const Index n_components = posterior.cols();
  const RowMatrix inside = padded(data.case_weights.asDiagonal() * posterior);
  const LevelSums sums = level_sums(data, posterior, make_ready(data, informative));
  const RowMatrix counts = padded(sums.levels);
  const RowMatrix sizes = padded(sums.components);
  RowMatrix leaves = RowMatrix::Zero(data.n_obs, inside.cols());
  RowMatrix joins = RowMatrix::Zero(data.n_obs, inside.cols());
  const MoveJob job{data.case_weights, inside, leaves, joins};
  std::vector<Index> rows;
  std::vector<Index> cells;
  double sign_of_sizes = 1.0;
  for (const Index item : informative) {
    rows.clear();
    cells.clear();
    for_each_answer(data, item, [&](Index row, Code code) {
      rows.push_back(row);
      cells.push_back(data.offset[item] + code - 1);
    });
    add(job, {counts, rows, cells, 1.0});
    // The totals of an item that all rows answer are the sizes of the components.
    if (!data.has_missing[item]) {
      sign_of_sizes -= 1.0;
      continue;
    }
    const RowMatrix totals =
        counts.middleRows(data.offset[item], data.n_levels[item]).colwise().sum();
    cells.assign(rows.size(), 0);
    add(job, {totals, rows, cells, -1.0});
  }
  rows.resize(data.n_obs);
  for (Index n = 0; n < data.n_obs; ++n) rows[n] = n;
  cells.assign(data.n_obs, 0);
  add(job, {sizes, rows, cells, sign_of_sizes});
  RowMatrix gains(data.n_obs, n_components);
  for (Index n = 0; n < data.n_obs; ++n) {
    double entropy = 0.0;
    for (Index k = 0; k < n_components; ++k) entropy -= x_log_x(posterior(n, k));
    const double all_leave = leaves.row(n).head(n_components).sum();
    gains.row(n) = (joins.row(n) - leaves.row(n)).head(n_components).array() +
                   (all_leave - data.case_weights[n] * entropy);
  }
  return gains;
}

}  // namespace mdpd
