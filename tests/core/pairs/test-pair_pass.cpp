#include "pairs/pair_pass.h"

#include <testthat.h>

#include "monitors.h"
#include "pairs/dependence.h"
#include "pairs/random_case.h"

namespace mdpd {

namespace {

/// What a pass told of every pair and column; no pair told twice.
struct Told {
  Matrix dependence;  ///< n_items^2 x columns
  Matrix least;
  Matrix most;
  Matrix error;
  Matrix df;                ///< n_items x n_items
  Eigen::MatrixXi visits;   ///< n_items x n_items
  bool all_ordered = true;  ///< least, most and roughly most
};

Told tell(const CodedData& data, const RowMatrix& weights, MissingCells missing,
          Precision precision = Precision::kFull) {
  const Index n = data.n_items;
  const Matrix none = Matrix::Zero(n * n, weights.cols());
  Told told{none, none, none, none, Matrix::Zero(n, n), Eigen::MatrixXi::Zero(n, n), true};
  Monitor monitor;
  PassOptions options;
  options.missing = missing;
  options.precision = precision;
  for_each_pair_block(data, weights, options, monitor, [&](int, const PairBlock& block) {
    for (Index j = block.first_other; j < block.last_other; ++j) {
      const Index i = block.item;
      const Index pair = j - block.first_other;
      ++told.visits(i, j);
      told.df(i, j) = block.df[pair];
      for (Index k = 0; k < weights.cols(); ++k) {
        told.dependence(i * n + j, k) = block.dependence[pair * block.stride + k];
        const Bounds bounds = block.bounds(pair, k);
        told.least(i * n + j, k) = bounds.least;
        told.most(i * n + j, k) = bounds.most;
        told.all_ordered = told.all_ordered &&
                           bounds.most <= block.roughly_most(pair, k) + 1.2e-13 &&
                           bounds.least <= bounds.most;
        told.error(i * n + j, k) = block.error[k];
      }
    }
  });
  return told;
}

bool same_bits(const Told& one, const Told& other) {
  return one.dependence == other.dependence && one.most == other.most && one.error == other.error &&
         one.df == other.df && one.visits == other.visits;
}

/// How far a pass is from the plain table of every pair.
struct Distance {
  double sums = 0.0;        ///< largest difference of a dependence
  double root_error = 0.0;  ///< largest difference of the roots of the dependence, less its bound
  double outside = 0.0;     ///< how far the dependence is outside its bounds
};

Distance distance_to_plain(const CodedData& data, const RowMatrix& weights, MissingCells missing,
                           const Told& told) {
  constexpr double never = 1e300;
  if (!told.all_ordered) return {never, never, never};
  Distance largest{0.0, -never, -never};
  PairTable table;
  for (Index i = 0; i < data.n_items; ++i) {
    for (Index j = 0; j < data.n_items; ++j) {
      if (told.visits(i, j) != (i < j ? 1 : 0)) return {never, never, never};
      if (i >= j) continue;
      fill_pair_table(data, weights, i, j, missing, table);
      if (told.df(i, j) != degrees_of_freedom(table)) return {never, never, never};
      for (Index k = 0; k < weights.cols(); ++k) {
        const double plain = dependence(table, k);
        const Index at = i * data.n_items + j;
        // Doubles round as well: by less than 1e-13 of the weight.
        const double slack = 1e-13 * weights.col(k).sum();
        const double roots =
            std::sqrt(plain + slack) - std::sqrt(std::max(0.0, told.dependence(at, k)) + slack);
        largest.sums = std::max(largest.sums, std::abs(plain - told.dependence(at, k)));
        // The bounds add 1e-13 and take it off again, which rounds tiny weights.
        const double off = slack + 1e-28;
        largest.outside = std::max(
            {largest.outside, told.least(at, k) - plain - off, plain - off - told.most(at, k)});
        const double allowed = told.error(at, k) + 1e-7 * std::sqrt(weights.col(k).sum());
        largest.root_error = std::max(largest.root_error, std::abs(roots) - allowed);
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
        for (const MissingCells cells : {MissingCells::kIgnore, MissingCells::kFrozen}) {
          const Told told = tell(table.data, weights, cells);
          // Sums of weights that add up to 1, in another order, and their x log x.
          expect_true(distance_to_plain(table.data, weights, cells, told).sums < 1e-13);
          const Told search = tell(table.data, weights, cells, Precision::kSearch);
          const Distance far = distance_to_plain(table.data, weights, cells, search);
          expect_true(far.root_error <= 0.0);
          expect_true(far.outside <= 0.0);
        }
      }
    }
  }

  test_that("items of one level are visited as well, even where there are no others") {
    Random random(12);
    for (const std::vector<Index>& n_levels : {std::vector<Index>{1, 1, 1}, {2, 3, 1, 1}, {1, 2}}) {
      const Table table = random_table(random, {40, n_levels, 0.0});
      const RowMatrix weights = random_weights(random, table.data, 2);
      const Told told = tell(table.data, weights, MissingCells::kIgnore);
      const Distance distance = distance_to_plain(table.data, weights, MissingCells::kIgnore, told);
      expect_true(distance.sums < 1e-13);
    }
  }

  test_that("items of 254 levels agree, among each other and with all others") {
    Random random(2);
    std::vector<Index> n_levels(60, 3);
    n_levels[7] = n_levels[8] = n_levels[30] = 254;
    n_levels[20] = 64;
    const Table table = random_table(random, {5000, n_levels, 0.05});
    const RowMatrix weights = random_weights(random, table.data, 3);
    for (const MissingCells cells : {MissingCells::kIgnore, MissingCells::kFrozen}) {
      const Told told = tell(table.data, weights, cells);
      expect_true(distance_to_plain(table.data, weights, cells, told).sums < 1e-12);
      const Told search = tell(table.data, weights, cells, Precision::kSearch);
      const Distance far = distance_to_plain(table.data, weights, cells, search);
      expect_true(far.root_error <= 0.0);
      expect_true(far.outside <= 0.0);
    }
  }

  test_that("more rows than are sorted at once agree, and many with the same answers") {
    Random random(11);
    // The largest sum that fits into 32 bits: all weights equal, all rows at the same levels.
    for (const double likely : {0.5, 1.0}) {
      std::vector<Code> codes(70000 * 3);
      for (Code& code : codes) code = random.uniform() < likely ? 2 : 1;
      const Table table(codes, Vector::Ones(70000), {2, 2, 3});
      const RowMatrix weights = RowMatrix::Constant(70000, 2, 0.5 / 70000.0);
      const Told told = tell(table.data, weights, MissingCells::kIgnore);
      expect_true(distance_to_plain(table.data, weights, MissingCells::kIgnore, told).sums < 1e-12);
    }
  }

  test_that("weights of any scale keep their bound, and their degrees of freedom") {
    Random random(12);
    for (const double missing : {0.0, 0.3}) {
      const Table table = random_table(random, {150, mixed_levels(random, 12), missing});
      // Case weights over 0, 2, ..., 40 decades, some of them none; empty and tiny columns.
      for (int decades = 0; decades <= 40; decades += 2) {
        RowMatrix weights = random_weights(random, table.data, 5);
        for (Index n = 0; n < 150; ++n) {
          weights.row(n) *= std::pow(10.0, -decades * random.uniform());
          if (random.uniform() < 0.2) weights.row(n).setZero();
        }
        weights.col(1).setZero();
        weights.col(2) *= 1e-12;
        weights /= weights.sum();
        const Told told = tell(table.data, weights, MissingCells::kIgnore);
        expect_true(distance_to_plain(table.data, weights, MissingCells::kIgnore, told).sums <
                    1e-13);
        const Told search = tell(table.data, weights, MissingCells::kIgnore, Precision::kSearch);
        const Distance far = distance_to_plain(table.data, weights, MissingCells::kIgnore, search);
        expect_true(far.root_error <= 0.0);
        expect_true(far.outside <= 0.0);
      }
    }
  }

  test_that("items without an answer and constant ones depend on nothing") {
    std::vector<int> none(30, 0);
    std::vector<int> constant(30, 2);
    std::vector<int> halves(30, 1);
    for (int n = 0; n < 15; ++n) halves[2 * n] = 2;
    const Table table = table_of({none, halves, constant, halves, none}, {3, 2, 2, 2, 70});
    const RowMatrix weights = RowMatrix::Constant(30, 2, 1.0 / 60.0);
    for (const Precision precision : {Precision::kSearch, Precision::kFull}) {
      const Told told = tell(table.data, weights, MissingCells::kIgnore, precision);
      expect_true(distance_to_plain(table.data, weights, MissingCells::kIgnore, told).sums < 1e-15);
      expect_true(told.df.sum() == 1.0);
    }
  }

  test_that("wide instructions and those every processor has tell the same to the last bit") {
    Random random(3);
    const Table table = random_table(random, {1500, mixed_levels(random, 30), 0.1});
    CodedData anywhere = table.data;
    anywhere.instructions = Instructions::kPortable;
    for (const Precision precision : {Precision::kSearch, Precision::kFull}) {
      for (const Index n_columns : {1, 2, 3, 4, 7, 12}) {
        const RowMatrix weights = random_weights(random, table.data, n_columns);
        const Told wide = tell(table.data, weights, MissingCells::kIgnore, precision);
        const Told portable = tell(anywhere, weights, MissingCells::kIgnore, precision);
        expect_true(wide.dependence == portable.dependence);
        expect_true(wide.df == portable.df);
      }
    }
  }

  test_that("neither the number of threads nor the order of the rows changes a bit") {
    Random random(4);
    for (const Precision precision : {Precision::kSearch, Precision::kFull}) {
      Table table = random_table(random, {20000, mixed_levels(random, 40), 0.1});
      const RowMatrix weights = random_weights(random, table.data, 3);
      const Told one = tell(table.data, weights, MissingCells::kIgnore, precision);
      for (const int n_threads : {2, 3, 8}) {
        table.data.n_threads = n_threads;
        expect_true(same_bits(one, tell(table.data, weights, MissingCells::kIgnore, precision)));
      }
      const std::vector<Index> order = random.order(20000);
      const Table shuffled = pick_rows(table, order);
      RowMatrix moved(20000, 3);
      for (Index n = 0; n < 20000; ++n) moved.row(n) = weights.row(order[n]);
      const Told other = tell(shuffled.data, moved, MissingCells::kIgnore, precision);
      expect_true(one.dependence == other.dependence);
      expect_true(one.df == other.df);
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
      for_each_pair_block(table.data, weights, {}, counting, ignore);
      expect_true(counting.looks > 0);
      InterruptingMonitor interrupting(0);
      expect_error_as(for_each_pair_block(table.data, weights, {}, interrupting, ignore),
                      Interrupt);
      Monitor monitor;
      expect_error_as(for_each_pair_block(table.data, weights, {}, monitor,
                                          [](int, const PairBlock&) { throw Interrupt(); }),
                      Interrupt);
    }
  }
}

}  // namespace mdpd
