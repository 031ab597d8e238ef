#include "base/assignment.h"

#include <testthat.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "random_data.h"

namespace mdpd {

namespace {

Matrix random_profit(Random& random, Index n) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) out(i, j) = 10.0 * random.uniform() - 5.0;
  }
  return out;
}

double sum_of(const Matrix& profit, const std::vector<Index>& column) {
  double sum = 0.0;
  for (Index i = 0; i < profit.rows(); ++i) sum += profit(i, column[i]);
  return sum;
}

/// By trying them all.
double largest_sum(const Matrix& profit) {
  std::vector<Index> column = range(0, profit.rows());
  double largest = sum_of(profit, column);
  while (std::next_permutation(column.begin(), column.end())) {
    largest = std::max(largest, sum_of(profit, column));
  }
  return largest;
}

bool is_permutation(std::vector<Index> column) {
  std::sort(column.begin(), column.end());
  return column == range(0, static_cast<Index>(column.size()));
}

}  // namespace

context("assignment") {
  test_that("no permutation has a larger sum") {
    Random random(1);
    for (Index n = 1; n <= 6; ++n) {
      for (int trial = 0; trial < 50; ++trial) {
        const Matrix profit = random_profit(random, n);
        const std::vector<Index> column = best_assignment(profit);
        CATCH_CAPTURE(n);
        expect_true(is_permutation(column));
        // Rounding of a sum of six numbers below 5.
        expect_true(largest_sum(profit) - sum_of(profit, column) < 1e-13);
      }
    }
  }

  test_that("ties, and rows and columns without profit, are assigned one to one as well") {
    Random random(2);
    for (int trial = 0; trial < 50; ++trial) {
      Matrix profit = random_profit(random, 5).array().round();
      profit.row(trial % 5).setZero();
      profit.col(trial % 3).setZero();
      const std::vector<Index> column = best_assignment(profit);
      expect_true(is_permutation(column));
      expect_true(sum_of(profit, column) == largest_sum(profit));
    }
    expect_true(is_permutation(best_assignment(Matrix::Zero(6, 6))));
  }

  test_that("profit in every row moved by a constant changes no assignment") {
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
      const Matrix profit = random_profit(random, 30);
      Matrix moved = profit;
      for (Index i = 0; i < 30; ++i) moved.row(i).array() += static_cast<double>(i * i) - 100.0;
      expect_true(best_assignment(moved) == best_assignment(profit));
    }
  }

  test_that("permuted rows are assigned the same columns") {
    Random random(4);
    const Matrix profit = random_profit(random, 12);
    const std::vector<Index> column = best_assignment(profit);
    const std::vector<Index> order = random.order(12);
    const std::vector<Index> permuted = best_assignment(pick(profit, order));
    for (Index i = 0; i < 12; ++i) expect_true(permuted[i] == column[order[i]]);
  }

  test_that("nothing is assigned to nothing, and as many rows as columns are needed") {
    expect_true(best_assignment(Matrix(0, 0)).empty());
    expect_error_as(best_assignment(Matrix::Zero(2, 3)), DimensionError);
  }
}

}  // namespace mdpd
