#include "pairs/row_stretches.h"

#include <testthat.h>

#include "data/packed_items.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// How often each row, the last of which is that of no weight, is in each target.
Eigen::MatrixXi count_rows(const RowStretches& rows, Index n_obs, Index n_targets) {
  Eigen::MatrixXi counts = Eigen::MatrixXi::Zero(n_obs + 1, n_targets);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const RowStretch stretch = rows[at];
    Eigen::VectorXi so_far = Eigen::VectorXi::Zero(n_obs + 1);
    const std::int32_t* change = stretch.changes;
    Index quad = 0;
    for (Index s = 0; s < stretch.n_steps; ++s) {
      const SumStep& step = stretch.steps[s];
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

/// Whether every row is once in the target of each of its levels, and in that of all rows.
bool has_each_row_once(const Table& table, const Pack& pack, MissingCells missing) {
  const Index n_obs = table.data.n_obs;
  const PackTargets targets(table.data, pack, missing);
  RowStretches rows;
  rows.cut(table.data, pack, targets);
  const Eigen::MatrixXi counts = count_rows(rows, n_obs, targets.n_targets());
  Eigen::MatrixXi expected = Eigen::MatrixXi::Zero(n_obs, targets.n_targets());
  expected.rightCols(1).setOnes();
  Index target = 0;
  for (Index item = pack.first_item; item < pack.first_item + pack.n_items; ++item) {
    const Index first = first_digit(table.data, item, missing);
    const Index lowest = table.data.has_missing[item] ? 0 : 1;
    for (Index digit = first; digit < n_digits(table.data, item); ++digit, ++target) {
      if (digit == 0) continue;
      for (Index n = 0; n < n_obs; ++n) {
        expected(n, target) = table.code(n, item) == digit + lowest ? 1 : 0;
      }
    }
  }
  return target == targets.n_targets() - 1 && counts.topRows(n_obs) == expected;
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
          for (const Pack& pack : pack_items(table.data, most_levels)) {
            expect_true(has_each_row_once(table, pack, MissingCells::kIgnore));
            expect_true(has_each_row_once(table, pack, MissingCells::kFrozen));
          }
        }
      }
    }
  }

  test_that("no stretch has rows of two blocks") {
    Random random(2);
    const Table table = random_table(random, {rows_per_block + 100, {2, 3}, 0.0});
    const Pack pack = pack_items(table.data, 6)[0];
    expect_true(has_each_row_once(table, pack, MissingCells::kIgnore));
    const PackTargets targets(table.data, pack, MissingCells::kIgnore);
    RowStretches rows;
    rows.cut(table.data, pack, targets);
    Index n_blocks = 0;
    bool all_right = true;
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const RowStretch stretch = rows[at];
      for (Index i = 0; i < stretch.n_quads * rows_of_quad; ++i) {
        const Index row = stretch.rows[i];
        all_right = all_right && (row == table.data.n_obs || row / rows_per_block == n_blocks);
      }
      if (rows.ends_block(at)) ++n_blocks;
    }
    expect_true(all_right);
    expect_true(n_blocks == 2);
  }

  test_that("the first level is what the others leave") {
    Random random(3);
    const Table table = random_table(random, {50, {3, 1, 2}, 0.0});
    const Pack pack = pack_items(table.data, 6)[0];
    const PackTargets targets(table.data, pack, MissingCells::kIgnore);
    expect_true(targets.n_targets() == 7);
    // Per target, eight numbers; those of first levels are yet to be made.
    std::vector<std::int32_t> sums(7 * 8, -1);
    const std::vector<std::int32_t> of_target = {0, 20, 30, 0, 0, 40, 100};
    const std::vector<std::int32_t> expected = {50, 20, 30, 100, 60, 40, 100};
    std::vector<std::int64_t> wide(7 * 8, -1);
    for (Index target = 0; target < 7; ++target) {
      std::fill_n(sums.begin() + target * 8, 8, of_target[target]);
      std::fill_n(wide.begin() + target * 8, 8, of_target[target]);
    }
    targets.add_first_levels(sums.data(), 8);
    targets.add_first_levels(wide.data(), 8);
    bool all_right = true;
    for (Index at = 0; at < 7 * 8; ++at) {
      all_right = all_right && sums[at] == expected[at / 8] && wide[at] == expected[at / 8];
    }
    expect_true(all_right);
  }
}

}  // namespace mdpd
