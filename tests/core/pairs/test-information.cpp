#include <testthat.h>

#include "monitors.h"
#include "pairs/information.h"
#include "pairs/random_case.h"

namespace mdpd {

context("information") {
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
