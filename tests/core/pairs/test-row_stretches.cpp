#include "pairs/row_stretches.h"

#include <testthat.h>

#include "data/packed_items.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// How often each row, the last of which is that of no weight, is in each target.
Eigen::MatrixXi count_rows(const RowStretches& rows, Index n_obs, Index n_targets) {
  Eigen::MatrixXi counts = Eigen::MatrixXi::Zero(n_obs + 1, n_targets);
  for (Index at = 0; at < rows.size(); ++at) {
    const RowStretch& stretch = rows[at];
    Eigen::VectorXi so_far = Eigen::VectorXi::Zero(n_obs + 1);
    const std::int32_t* change = stretch.changes.data();
    Index quad = 0;
    for (const SumStep& step : stretch.steps) {
      for (const Index end = quad + step.n_quads; quad < end; ++quad) {
        for (Index r = 0; r < rows_of_quad; ++r) ++so_far[stretch.rows[quad * rows_of_quad + r]];
      }
      for (int c = 0; c < step.n_closed; ++c) counts.col(stretch.targets[*change++]) += so_far;
      for (int c = 0; c < step.n_opened; ++c) counts.col(stretch.targets[*change++]) -= so_far;
    }
    if (quad != stretch.n_quads || quad > quads_of_stretch) counts(0, 0) = -1;
  }
  return counts;
}

/// Whether every row is once in the target of each of its digits but 0, and in that of all rows.
bool has_each_row_once(const Table& table, const Pack& pack) {
  const Index n_obs = table.data.n_obs;
  RowStretches rows;
  rows.cut(table.data, pack);
  const Eigen::MatrixXi counts = count_rows(rows, n_obs, rows.n_targets());
  Eigen::MatrixXi expected = Eigen::MatrixXi::Zero(n_obs, rows.n_targets());
  expected.rightCols(1).setOnes();
  Index target = 0;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index lowest = table.data.has_missing[item] ? 0 : 1;
    for (Index digit = 0; digit < n_digits(table.data, item); ++digit, ++target) {
      if (digit == 0) continue;
      for (Index n = 0; n < n_obs; ++n) {
        expected(n, target) = table.code(n, item) == digit + lowest ? 1 : 0;
      }
    }
  }
  return target == rows.n_targets() - 1 && counts.topRows(n_obs) == expected;
}

}  // namespace

context("row_stretches") {
  test_that("every row is once among those of each of its levels") {
    Random random(1);
    const std::vector<Index> n_levels = {2, 3, 1, 5, 2, 254, 2, 2, 2, 2, 2, 2};
    for (const double share : {0.0, 0.1}) {
      for (const Index n_obs : {1, 7, 3000}) {
        const Table table = random_table(random, {n_obs, n_levels, share});
        for (const Index most_levels : {2, 40, 600}) {
          for (const Pack& pack : pack_items(table.data, all_items(table.data), most_levels)) {
            expect_true(has_each_row_once(table, pack));
          }
        }
      }
    }
  }

  test_that("no stretch has rows of two blocks") {
    Random random(2);
    const Table table = random_table(random, {rows_per_block + 100, {2, 3}, 0.0});
    const Pack pack = pack_items(table.data, all_items(table.data), 6)[0];
    expect_true(has_each_row_once(table, pack));
    RowStretches rows;
    rows.cut(table.data, pack);
    Index n_blocks = 0;
    bool all_right = true;
    for (Index at = 0; at < rows.size(); ++at) {
      const RowStretch& stretch = rows[at];
      for (Index i = 0; i < stretch.n_quads * rows_of_quad; ++i) {
        const Index row = stretch.rows[i];
        all_right = all_right && (row == table.data.n_obs || row / rows_per_block == n_blocks);
      }
      if (stretch.ends_block) ++n_blocks;
    }
    expect_true(all_right);
    expect_true(n_blocks == 2);
  }
}

}  // namespace mdpd
