#include "pair_pass.h"

#include <testthat.h>

#include "information.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// What a pass told of every pair and column; no pair told twice.
struct Told {
  Matrix dependence;  ///< n_items^2 x columns
  Matrix weight;
  Matrix df;               ///< n_items x n_items
  Eigen::MatrixXi visits;  ///< n_items x n_items
};

Told tell(const CodedData& data, const RowMatrix& weights, MissingCells missing,
          Instructions instructions = widest_instructions()) {
  const Index n = data.n_items;
  Told told{Matrix::Zero(n * n, weights.cols()), Matrix::Zero(n * n, weights.cols()),
            Matrix::Zero(n, n), Eigen::MatrixXi::Zero(n, n)};
  Monitor monitor;
  for_each_pair_block(
      data, weights, missing, monitor,
      [&](int, const PairBlock& block) {
        for (Index j = block.first_other; j < block.last_other; ++j) {
          const Index pair = j - block.first_other;
          ++told.visits(block.item, j);
          told.df(block.item, j) = block.df[pair];
          for (Index k = 0; k < weights.cols(); ++k) {
            told.dependence(block.item * n + j, k) = block.dependence[pair * block.stride + k];
            told.weight(block.item * n + j, k) = block.weight[pair * block.stride + k];
          }
        }
      },
      instructions);
  return told;
}

/// The largest difference between a pass and the plain table of every pair.
double distance_to_plain(const CodedData& data, const RowMatrix& weights, MissingCells missing,
                         const Told& told) {
  double largest = 0.0;
  PairTable table;
  for (Index i = 0; i < data.n_items; ++i) {
    for (Index j = 0; j < data.n_items; ++j) {
      if (told.visits(i, j) != (i < j ? 1 : 0)) return 1e300;
      if (i >= j) continue;
      fill_pair_table(data, weights, i, j, missing, table);
      if (told.df(i, j) != degrees_of_freedom(table)) return 1e300;
      for (Index k = 0; k < weights.cols(); ++k) {
        const PairInformation plain = pair_information(table, k, 1.0, 1.0);
        const Index at = i * data.n_items + j;
        largest = std::max(largest, std::abs(plain.information - told.dependence(at, k)));
        largest = std::max(largest, std::abs(table.component(k).sum() - told.weight(at, k)));
      }
    }
  }
  return largest;
}

RowMatrix random_weights(Random& random, const CodedData& data, Index n_columns) {
  return random_posterior(random, data.n_obs, n_columns) / static_cast<double>(data.n_obs);
}

/// Levels of every kind in one table: constant items, binary ones, many levels.
std::vector<Index> mixed_levels(Random& random, Index n_items) {
  std::vector<Index> n_levels(n_items);
  for (Index& n : n_levels) n = 1 + random.below(6);
  n_levels[n_items / 2] = 40;
  return n_levels;
}

}  // namespace

context("pair_pass") {
  test_that("every pair is visited once, and agrees with its plain table") {
    Random random(1);
    for (const double missing : {0.0, 0.2}) {
      const Table table = random_table(random, {300, mixed_levels(random, 23), missing, true});
      for (const Index n_columns : {1, 2, 3, 4, 5, 8, 9, 20}) {
        const RowMatrix weights = random_weights(random, table.data, n_columns);
        for (const MissingCells cells : {MissingCells::kIgnore, MissingCells::kLevel}) {
          const Told told = tell(table.data, weights, cells);
          // Sums of weights that add up to 1, in another order, and their x log x.
          expect_true(distance_to_plain(table.data, weights, cells, told) < 1e-13);
        }
      }
    }
  }

  test_that("more rows than a block, items of 254 levels and more tiles than one agree too") {
    Random random(2);
    std::vector<Index> n_levels(60, 3);
    n_levels[7] = n_levels[8] = 254;
    const Table table = random_table(random, {17000, n_levels, 0.05});
    const RowMatrix weights = random_weights(random, table.data, 3);
    const Told told = tell(table.data, weights, MissingCells::kIgnore);
    expect_true(distance_to_plain(table.data, weights, MissingCells::kIgnore, told) < 1e-12);
  }

  test_that("wide instructions and those every processor has tell the same up to rounding") {
    Random random(3);
    const Table table = random_table(random, {500, mixed_levels(random, 30), 0.1});
    for (const Index n_columns : {1, 2, 4, 7, 12}) {
      const RowMatrix weights = random_weights(random, table.data, n_columns);
      const Told wide = tell(table.data, weights, MissingCells::kIgnore);
      const Told portable =
          tell(table.data, weights, MissingCells::kIgnore, Instructions::kPortable);
      expect_true(distance(wide.dependence, portable.dependence) < 1e-14);
      expect_true(wide.weight == portable.weight);
      expect_true(wide.df == portable.df);
    }
  }

  test_that("the number of threads changes no bit") {
    Random random(4);
    Table table = random_table(random, {20000, mixed_levels(random, 40), 0.1});
    const RowMatrix weights = random_weights(random, table.data, 3);
    const Told one = tell(table.data, weights, MissingCells::kIgnore);
    for (const int n_threads : {2, 3, 8}) {
      table.data.n_threads = n_threads;
      const Told several = tell(table.data, weights, MissingCells::kIgnore);
      expect_true(one.dependence == several.dependence);
      expect_true(one.weight == several.weight);
      expect_true(one.df == several.df);
      expect_true(one.visits == several.visits);
    }
  }

  test_that("a column tells the same whatever other columns there are") {
    Random random(5);
    const Table table = random_table(random, {200, {3, 2, 4, 3, 2}, 0.1});
    const RowMatrix weights = random_weights(random, table.data, 2);
    RowMatrix more(200, 3);
    more << weights, random_weights(random, table.data, 1);
    const Told few = tell(table.data, weights, MissingCells::kIgnore);
    const Told many = tell(table.data, more, MissingCells::kIgnore);
    expect_true(distance(few.dependence, many.dependence.leftCols(2)) < 1e-14);
  }

  test_that("a single item has no pairs, and two have one") {
    Random random(6);
    const Table one = random_table(random, {10, {2}});
    expect_true(tell(one.data, RowMatrix::Ones(10, 1), MissingCells::kIgnore).visits.sum() == 0);
    const Table two = random_table(random, {10, {2, 3}});
    expect_true(tell(two.data, RowMatrix::Ones(10, 1), MissingCells::kIgnore).visits.sum() == 1);
  }

  test_that("a pass looks at its caller, who may stop it, with any number of threads") {
    Random random(7);
    Table table = random_table(random, {30000, std::vector<Index>(64, 2)});
    const RowMatrix weights = RowMatrix::Ones(30000, 1);
    const auto ignore = [](int, const PairBlock&) {};
    for (const int n_threads : {1, 2}) {
      table.data.n_threads = n_threads;
      CountingMonitor counting;
      for_each_pair_block(table.data, weights, MissingCells::kIgnore, counting, ignore);
      expect_true(counting.looks > 0);
      InterruptingMonitor interrupting(0);
      expect_error_as(
          for_each_pair_block(table.data, weights, MissingCells::kIgnore, interrupting, ignore),
          Interrupt);
      Monitor monitor;
      expect_error_as(for_each_pair_block(table.data, weights, MissingCells::kIgnore, monitor,
                                          [](int, const PairBlock&) { throw Interrupt(); }),
                      Interrupt);
    }
  }
}

}  // namespace mdpd
