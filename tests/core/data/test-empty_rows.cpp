#include "data/empty_rows.h"

#include <testthat.h>

#include "data/shards.h"

namespace mdpd {

namespace {

/// Does the row say anything, code by code?
bool is_told(const Shard& shard, Index row) {
  if (!shard.known.empty() && shard.known[row] != 0) return true;
  if (!shard.is_dense) return shard.row_start[row] < shard.row_start[row + 1];
  for (Index item = 0; item < shard.n_items; ++item) {
    if (shard.codes[item * shard.n_obs + row] != 0) return true;
  }
  return false;
}

Cells cells_of_codes(const Shard& shard) {
  Cells cells;
  cells.n_obs = shard.n_obs;
  cells.n_levels.assign(shard.n_items, 3);
  if (shard.is_dense) cells.codes = shard.codes.data();
  cells.row_start = shard.row_start;
  return cells;
}

}  // namespace

context("empty_rows") {
  test_that("rows without an answer or a known component weigh nothing, and all others as before") {
    Random random(1);
    for (Shard shard : all_kinds(random, 20000)) {
      for (std::size_t cell = 0; cell < shard.codes.size(); ++cell) {
        if (cell % 20000 % 7 == 0) shard.codes[cell] = 0;
      }
      Shard after = shard;
      weigh_no_empty_rows(after);
      Vector of_cells = shard.case_weights;
      weigh_no_empty_rows(cells_of_codes(shard), known_labels(shard), of_cells);
      Vector expected(shard.n_obs);
      Index n_empty = 0;
      for (Index row = 0; row < shard.n_obs; ++row) {
        const bool told = is_told(shard, row);
        n_empty += told ? 0 : 1;
        expected[row] = told ? shard.case_weights[row] : 0.0;
      }
      expect_true(after.case_weights == expected);
      expect_true(n_empty > 0);
      expect_true(of_cells == after.case_weights);
    }
  }
}

}  // namespace mdpd
