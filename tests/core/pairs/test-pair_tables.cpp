#include <testthat.h>

#include "data/row_sums.h"
#include "pairs/pair_tables.h"
#include "random_data.h"

namespace mdpd {

namespace {

PairTable pair_table(const CodedData& data, const RowMatrix& row_weights, Index i, Index j,
                     MissingCells missing) {
  PairTable table;
  fill_pair_table(data, row_weights, i, j, missing, table);
  return table;
}

/// The same by its definition.
PairTable pair_table_twin(const Table& in, const RowMatrix& row_weights, Index i, Index j,
                          MissingCells missing) {
  PairTable out;
  out.reset(in.data.n_levels[i] + 1, in.data.n_levels[j] + 1, row_weights.cols());
  for (Index n = 0; n < in.data.n_obs; ++n) {
    const Code r = in.code(n, i);
    const Code s = in.code(n, j);
    if (missing == MissingCells::kIgnore && (r == 0 || s == 0)) continue;
    for (Index k = 0; k < row_weights.cols(); ++k) out.at(r, s, k) += row_weights(n, k);
  }
  return out;
}

double distance(const PairTable& a, const PairTable& b) {
  if (a.n_rows != b.n_rows || a.n_cols != b.n_cols || a.n_components != b.n_components) {
    return HUGE_VAL;
  }
  return mdpd::distance(Eigen::Map<const Vector>(a.cells.data(), a.cells.size()),
                        Eigen::Map<const Vector>(b.cells.data(), b.cells.size()));
}

}  // namespace

context("pair_tables") {
  test_that("tables agree with a plain loop for any number of components") {
    Random random(1);
    const Table table = random_table(random, {60, {2, 5, 3}, 0.25});
    for (const Index n_components : {1, 2, 3, 4, 5, 8, 13}) {
      const RowMatrix weights = random_posterior(random, 60, n_components);
      for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
        const PairTable filled = pair_table(table.data, weights, 1, 2, missing);
        // The same additions in the same order.
        expect_true(distance(filled, pair_table_twin(table, weights, 1, 2, missing)) == 0.0);
      }
    }
  }

  test_that("tables of blocks of rows add up") {
    Random random(2);
    const Table table = random_table(random, {50, {3, 4}});
    const RowMatrix weights = row_shares(table.data, random_posterior(random, 50, 3));
    const Table first = pick_rows(table, range(0, 20));
    const Table rest = pick_rows(table, range(20, 50));
    const PairTable whole = pair_table(table.data, weights, 0, 1, MissingCells::kFrozen);
    PairTable sum = pair_table(first.data, weights.topRows(20), 0, 1, MissingCells::kFrozen);
    const PairTable other =
        pair_table(rest.data, weights.bottomRows(30), 0, 1, MissingCells::kFrozen);
    for (std::size_t cell = 0; cell < sum.cells.size(); ++cell)
      sum.cells[cell] += other.cells[cell];
    expect_true(sum.cells == whole.cells);
  }

  test_that("exchanging the items transposes the tables") {
    Random random(3);
    const Table table = random_table(random, {50, {3, 4}, 0.2});
    const RowMatrix weights = random_posterior(random, 50, 5);
    const PairTable there = pair_table(table.data, weights, 0, 1, MissingCells::kFrozen);
    const PairTable back = pair_table(table.data, weights, 1, 0, MissingCells::kFrozen);
    for (Index k = 0; k < 5; ++k) {
      expect_true(there.component(k) == back.component(k).transpose());
    }
  }

  test_that("with the missing level a table holds every row's weight, without it only seen pairs") {
    Random random(4);
    const Table table = random_table(random, {50, {3, 4}, 0.3});
    const RowMatrix weights = random_posterior(random, 50, 2);
    const PairTable all = pair_table(table.data, weights, 0, 1, MissingCells::kFrozen);
    const PairTable seen = pair_table(table.data, weights, 0, 1, MissingCells::kIgnore);
    for (Index k = 0; k < 2; ++k) {
      expect_true(std::abs(all.component(k).sum() - weights.col(k).sum()) < 1e-13);
      expect_true(seen.component(k).row(0).sum() == 0.0);
      expect_true(seen.component(k).col(0).sum() == 0.0);
      expect_true(seen.component(k).bottomRightCorner(3, 4) ==
                  all.component(k).bottomRightCorner(3, 4));
    }
  }

  test_that("a table that is used again forgets what it held") {
    Random random(5);
    const Table table = random_table(random, {30, {2, 6, 3}, 0.2});
    const RowMatrix weights = random_posterior(random, 30, 2);
    PairTable used = pair_table(table.data, weights, 1, 2, MissingCells::kFrozen);
    fill_pair_table(table.data, weights, 0, 2, MissingCells::kIgnore, used);
    expect_true(distance(used, pair_table(table.data, weights, 0, 2, MissingCells::kIgnore)) ==
                0.0);
  }

  test_that("two items of 254 levels have a table") {
    Random random(6);
    const Table table = random_table(random, {400, {254, 254}, 0.1});
    const RowMatrix weights = random_posterior(random, 400, 6);
    const PairTable filled = pair_table(table.data, weights, 0, 1, MissingCells::kFrozen);
    expect_true(distance(filled, pair_table_twin(table, weights, 0, 1, MissingCells::kFrozen)) ==
                0.0);
  }

  test_that("one row and one level make a table of one cell") {
    const Table table = table_of({{1}, {1}}, {1, 1});
    const PairTable filled =
        pair_table(table.data, RowMatrix::Ones(1, 1), 0, 1, MissingCells::kIgnore);
    expect_true(filled.at(1, 1, 0) == 1.0);
    expect_true(filled.component(0).sum() == 1.0);
  }
}

}  // namespace mdpd
