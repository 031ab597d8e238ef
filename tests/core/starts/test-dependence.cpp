#include "starts/dependence.h"

#include <testthat.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "random_data.h"

namespace mdpd {

namespace {

/// Of binary items that are all alike: a table of rows by levels, a dense solver, and the law with
/// equal variances in closed form.
double twin(const Table& table) {
  const CodedData& data = table.data;
  const auto n = static_cast<double>(data.n_obs);
  Matrix cells = Matrix::Zero(data.n_obs, data.n_total_levels());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index row = 0; row < data.n_obs; ++row) {
      for (Index r = 0; r < data.n_levels[item]; ++r) {
        const double is_answer = table.code(row, item) == r + 1 ? 1.0 : 0.0;
        cells(row, data.offset[item] + r) =
            (is_answer - data.marginal(item, r)) /
            std::sqrt(data.level_weight[data.offset[item] + r] + 2.0);
      }
    }
  }
  Matrix shared = cells * cells.transpose();
  const double of_row = shared.trace() / n;
  shared.diagonal().setZero();
  const double largest =
      Eigen::SelfAdjointEigenSolver<Matrix>(shared).eigenvalues()[data.n_obs - 1];
  const double p = static_cast<double>(data.n_total_levels() - data.n_items);
  const double each = of_row / p;
  const double side = std::sqrt(n) + std::sqrt(p);
  return (largest + of_row - each * side * side) /
         (each * side * std::cbrt(1.0 / std::sqrt(n) + 1.0 / std::sqrt(p)));
}

/// One row in three has the first level, in an order of its own for each item.
Table binary_noise(std::uint64_t seed, Index n_obs, Index n_items) {
  Random random(seed);
  std::vector<std::vector<int>> columns(n_items, std::vector<int>(n_obs));
  for (std::vector<int>& column : columns) {
    for (Index row = 0; row < n_obs; ++row) column[row] = row % 3 == 0 ? 1 : 2;
    for (Index row = n_obs - 1; row > 0; --row)
      std::swap(column[row], column[random.below(row + 1)]);
  }
  return table_of(columns, std::vector<Index>(n_items, 2));
}

/// Two classes that each of many items tells a little of.
Table weak_classes(std::uint64_t seed, double missing = 0.0, bool has_weights = false) {
  Random random(seed);
  const std::vector<Index> n_levels(60, 3);
  const MixtureParameters truth = planted_mixture(random, n_levels, 60, 0.48);
  return draw_table(random, truth, {200, n_levels, missing, has_weights});
}

}  // namespace

context("dependence") {
  test_that("the largest root is that of a dense solver, its law that of Johnstone (2001)") {
    for (const Index n_items : {20, 200}) {
      const Table noise = binary_noise(7, 120, n_items);
      const double expected = twin(noise);
      expect_true(std::abs(excess_of_largest_root(noise.data) - expected) < 1e-3);
      expect_true(std::abs(excess_of_largest_root(sparse_copy(noise.data)) - expected) < 1e-3);
    }
  }

  test_that("independent items seldom hang together, weak classes do") {
    int n_noise = 0;
    int n_classes = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      Random random(seed);
      const std::vector<Index> n_levels(40, 3);
      MixtureParameters truth = random_parameters(random, n_levels, 1);
      n_noise += is_above_law(draw_table(random, truth, {150, n_levels, 0.03, false}).data);
      n_classes += is_above_law(weak_classes(seed).data);
    }
    expect_true(n_noise <= 1);
    expect_true(n_classes >= 45);
  }

  test_that(
      "of independent items one table in 67 is above those shuffled, classes are more often") {
    int n_noise = 0;
    int n_classes = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const std::vector<Index> n_levels(20, 3);
      const MixtureParameters one = random_parameters(random, n_levels, 1);
      n_noise += is_above_shuffled(draw_table(random, one, {80, n_levels, 0.2, false}).data, 2);
      const MixtureParameters two = planted_mixture(random, n_levels, 20, 0.48);
      n_classes += is_above_shuffled(draw_table(random, two, {80, n_levels, 0.0, false}).data, 1);
    }
    expect_true(n_noise <= 3);  // more in one of 250 such runs
    expect_true(n_classes >= 15);
  }

  test_that("shuffles tell the same of rows in any order, of weights and of rows written out") {
    const Table table = weak_classes(3, 0.2, true);
    expect_true(is_above_shuffled(table.data, 1));
    expect_true(is_above_shuffled(write_out_weights(table).data, 1));
    CodedData sampled = weak_classes(3).data;
    sampled.case_weights *= 0.75;
    expect_true(!is_above_shuffled(sampled, 1));
    expect_true(!is_above_shuffled(table.data, 0));
  }

  test_that("a row of weight 2 is two rows") {
    const Table table = weak_classes(3, 0.02, true);
    const double of_weights = excess_of_largest_root(table.data);
    const Table rows = write_out_weights(table);
    expect_true(std::abs(excess_of_largest_root(rows.data) - of_weights) < 1e-3);
  }

  test_that("nothing is said of rows with unequal parts in the roots") {
    const double none = -std::numeric_limits<double>::infinity();
    expect_true(excess_of_largest_root(weak_classes(1, 0.2).data) == none);
    CodedData sampled = weak_classes(1).data;
    sampled.case_weights *= 0.75;
    expect_true(excess_of_largest_root(sampled) == none);
    expect_true(excess_of_largest_root(table_of({{1, 1, 1}, {2, 2, 2}}, {2, 2}).data) == none);
  }
}

}  // namespace mdpd
