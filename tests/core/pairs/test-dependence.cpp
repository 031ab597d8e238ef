#include <testthat.h>

#include "base/numerics.h"
#include "monitors.h"
#include "pairs/dependence.h"
#include "pairs/random_case.h"

namespace mdpd {

namespace {

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
  test_that("the dependence of a table agrees with its definition") {
    const Case in = random_case(1, 3, 0.2);
    PairTable table;
    for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
      fill_pair_table(in.table.data, in.weights, 1, 2, missing, table);
      for (Index k = 0; k < 3; ++k) {
        const double weight = in.weights.col(k).sum();
        const double expected = weight * information_twin(table.component(k), weight);
        expect_true(relative_difference(dependence(table, k), expected) < 1e-12);
      }
    }
  }

  test_that("independent items share nothing, equal items their entropy") {
    Random random(2);
    for (int trial = 0; trial < 50; ++trial) {
      const Vector rows = random.probabilities(4);
      const Vector cols = random.probabilities(3);
      const double none = dependence(one_component(rows * cols.transpose()), 0);
      expect_true(none >= 0.0);
      expect_true(none < 1e-15);
      const double all = dependence(one_component(Matrix(rows.asDiagonal())), 0);
      const double entropy = -rows.unaryExpr([](double x) { return x_log_x(x); }).sum();
      expect_true(std::abs(all - entropy) < 1e-14);
    }
  }

  test_that("a component without weight has no dependence") {
    expect_true(dependence(one_component(Matrix::Zero(3, 3)), 0) == 0.0);
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

  test_that("the information matrix is symmetric, never negative, with a zero diagonal") {
    const Case in = random_case(3, 4, 0.2);
    Monitor monitor;
    for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
      for (Index component = -1; component < 4; ++component) {
        const Matrix information =
            information_matrix(in.table.data, in.weights, component, missing, monitor);
        expect_true(information == information.transpose());
        expect_true(information.minCoeff() >= 0.0);
        expect_true(information.diagonal() == Vector::Zero(5));
      }
    }
  }

  test_that("the sum over components weighs each by its mixing weight") {
    const Case in = random_case(4, 3, 0.1);
    Monitor monitor;
    Matrix expected = Matrix::Zero(5, 5);
    for (Index k = 0; k < 3; ++k) {
      expected += in.weights.col(k).sum() *
                  information_matrix(in.table.data, in.weights, k, MissingCells::kIgnore, monitor);
    }
    const Matrix sum =
        information_matrix(in.table.data, in.weights, -1, MissingCells::kIgnore, monitor);
    expect_true(distance(sum, expected) < 1e-14);
  }

  test_that("duplicating a component changes no information") {
    const Case in = random_case(5, 2, 0.2);
    RowMatrix split(in.weights.rows(), 3);
    split << in.weights.col(0), 0.3 * in.weights.col(1), 0.7 * in.weights.col(1);
    Monitor monitor;
    for (const MissingCells missing : {MissingCells::kIgnore, MissingCells::kFrozen}) {
      const auto at = [&](const RowMatrix& weights, Index k) {
        return information_matrix(in.table.data, weights, k, missing, monitor);
      };
      expect_true(distance(at(split, 1), at(in.weights, 1)) < 1e-13);
      expect_true(distance(at(split, 2), at(in.weights, 1)) < 1e-13);
      expect_true(distance(at(split, -1), at(in.weights, -1)) < 1e-14);
    }
  }

  test_that("permuted items give the permuted information") {
    const Case in = random_case(6, 2, 0.2);
    const std::vector<Index> items = {3, 0, 4, 1, 2};
    const Table permuted = pick_items(in.table, items);
    Monitor monitor;
    const Matrix before =
        information_matrix(in.table.data, in.weights, -1, MissingCells::kIgnore, monitor);
    const Matrix after =
        information_matrix(permuted.data, in.weights, -1, MissingCells::kIgnore, monitor);
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < 5; ++j) {
        expect_true(std::abs(after(i, j) - before(items[i], items[j])) < 1e-14);
      }
    }
  }
}

}  // namespace mdpd
