#include <testthat.h>

#include "base/numerics.h"
#include "monitors.h"
#include "pairs/dependence.h"
#include "pairs/information.h"
#include "pairs/random_case.h"

namespace mdpd {

namespace {

/// I_k(i, j) by its definition, times the share of the component's weight in the table.
double information_twin(const Matrix& joint, double component_weight) {
  const double weight = joint.sum();
  double sum = 0.0;
  for (Index r = 0; r < joint.rows(); ++r) {
    for (Index s = 0; s < joint.cols(); ++s) {
      const double cell = joint(r, s);
      if (cell > 0.0) {
        sum += cell / weight * std::log(cell * weight / (joint.row(r).sum() * joint.col(s).sum()));
      }
    }
  }
  return component_weight > 0.0 ? sum * weight / component_weight : 0.0;
}

PairTable one_component(const Matrix& joint) {
  PairTable table;
  table.reset(joint.rows(), joint.cols(), 1);
  for (Index r = 0; r < joint.rows(); ++r) {
    for (Index s = 0; s < joint.cols(); ++s) table.at(r, s, 0) = joint(r, s);
  }
  return table;
}

}  // namespace

context("dependence") {
  test_that("information and G2 of a table agree with their definitions") {
    const Case in = random_case(1, 3, 0.2);
    PairTable table;
    for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
      fill_pair_table(in.table.data, in.weights, 1, 2, missing, table);
      for (Index k = 0; k < 3; ++k) {
        const double weight = in.weights.col(k).sum();
        const PairInformation pair = pair_information(table, k, weight, in.table.data.total_weight);
        const double expected = information_twin(table.component(k), weight);
        expect_true(std::abs(pair.information - expected) < 1e-13);
        const double g2 = 2.0 * in.table.data.total_weight * weight * expected;
        expect_true(relative_difference(pair.g2, g2) < 1e-12);
      }
    }
  }

  test_that("independent items share nothing, equal items their entropy") {
    Random random(2);
    for (int trial = 0; trial < 50; ++trial) {
      const Vector rows = random.probabilities(4);
      const Vector cols = random.probabilities(3);
      const PairInformation none =
          pair_information(one_component(rows * cols.transpose()), 0, 1.0, 100.0);
      expect_true(none.information >= 0.0);
      expect_true(none.information < 1e-15);
      const PairInformation all =
          pair_information(one_component(Matrix(rows.asDiagonal())), 0, 1.0, 100.0);
      const double entropy = -rows.unaryExpr([](double x) { return x_log_x(x); }).sum();
      expect_true(std::abs(all.information - entropy) < 1e-14);
      expect_true(std::abs(all.g2 - 200.0 * entropy) < 1e-11);
    }
  }

  test_that("a component without weight has no information") {
    const PairInformation none = pair_information(one_component(Matrix::Zero(3, 3)), 0, 0.0, 10.0);
    expect_true(none.information == 0.0);
    expect_true(none.g2 == 0.0);
  }

  test_that("a pair seen on few rows counts by the share of those rows") {
    // Equal answers in four rows of forty, missing in the others.
    std::vector<int> codes(40, 0);
    codes[0] = codes[1] = 1;
    codes[2] = codes[3] = 2;
    const Table table = table_of({codes, codes}, {2, 2});
    Monitor monitor;
    const RowMatrix weights = row_shares(table.data, RowMatrix::Ones(40, 1));
    const Matrix information =
        information_matrix(table.data, weights, 0, MissingCells::kIgnore, monitor);
    expect_true(std::abs(information(0, 1) - 0.1 * std::log(2.0)) < 1e-15);
  }

  test_that("row weights of pair tables sum to one whatever the case weights") {
    Random random(8);
    const Table table = random_table(random, {30, {2}, 0.0, true});
    const RowMatrix posterior = random_posterior(random, 30, 4);
    const RowMatrix weights = row_shares(table.data, posterior);
    expect_true(std::abs(weights.sum() - 1.0) < 1e-14);
    const double expected = posterior(3, 1) * table.data.case_weights[3] / table.data.total_weight;
    // It is a whole multiple of 2^-52.
    expect_true(std::abs(weights(3, 1) - expected) <= 0x1p-53);
    expect_true(std::fmod(weights(3, 1), 0x1p-52) == 0.0);
  }

  test_that("degrees of freedom count the levels that carry weight") {
    const Table table = table_of({{1, 1, 2, 0}, {1, 2, 4, 3}}, {3, 5});
    PairTable pairs;
    const RowMatrix weights = RowMatrix::Constant(4, 2, 0.125);
    fill_pair_table(table.data, weights, 0, 1, MissingCells::kIgnore, pairs);
    expect_true(degrees_of_freedom(pairs) == 2.0);  // 2 levels and 3
    fill_pair_table(table.data, weights, 0, 1, MissingCells::kFrozen, pairs);
    expect_true(degrees_of_freedom(pairs) == 6.0);  // 3 levels, counting missing, and 4
    expect_true(degrees_of_freedom(one_component(Matrix::Zero(3, 3))) == 0.0);
    expect_true(degrees_of_freedom(one_component(Matrix::Ones(1, 3))) == 0.0);
  }
}

}  // namespace mdpd
