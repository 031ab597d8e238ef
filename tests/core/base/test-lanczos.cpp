#include "base/lanczos.h"

#include <testthat.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "random_data.h"

namespace mdpd {

namespace {

/// A symmetric matrix with these eigenvalues, and vectors at random.
Matrix matrix_of(Random& random, const Vector& values) {
  const Index n = values.size();
  Matrix noise(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) noise(i, j) = random.uniform() - 0.5;
  }
  const Matrix q = Eigen::HouseholderQR<Matrix>(noise).householderQ();
  return q * values.asDiagonal() * q.transpose();
}

}  // namespace

context("Lanczos' method") {
  test_that("the largest eigenvalues are those of a dense solver, negative ones among the others") {
    Random random(1);
    Vector values(200);
    for (Index i = 0; i < 200; ++i) values[i] = 2.0 * random.uniform() - 1.2;
    values.head(3) << 3.0, 2.0, 1.5;
    const Matrix matrix = matrix_of(random, values);
    Index n_products = 0;
    const auto apply = [&](const Vector& x) {
      ++n_products;
      return Vector(matrix * x);
    };
    const Eigenpairs pairs = largest_eigenpairs(apply, Vector::Ones(200), 3, 100);
    expect_true(n_products < 60);
    const Eigen::SelfAdjointEigenSolver<Matrix> twin(matrix);
    for (Index i = 0; i < 3; ++i) {
      expect_true(std::abs(pairs.values[i] - values[i]) < 1e-6);
      const double cosine = twin.eigenvectors().col(199 - i).dot(pairs.vectors.col(i));
      expect_true(std::abs(std::abs(cosine) - 1.0) < 1e-6);
      const Vector residual =
          matrix * pairs.vectors.col(i) - pairs.values[i] * pairs.vectors.col(i);
      expect_true(residual.norm() < 1e-3);
    }
  }

  test_that("of an invariant subspace it finds what there is") {
    const Vector values = (Vector(6) << 4.0, 3.0, 2.0, 1.0, 0.0, 0.0).finished();
    const auto apply = [&](const Vector& x) { return Vector(values.cwiseProduct(x)); };
    Vector start = Vector::Zero(6);
    start.head(2).setOnes();
    const Eigenpairs two = largest_eigenpairs(apply, start, 4, 6);
    expect_true(two.values.size() == 2);
    expect_true((two.values - values.head(2)).norm() < 1e-12);
    expect_true(std::abs(std::abs(two.vectors(1, 1)) - 1.0) < 1e-12);
    const Eigenpairs all = largest_eigenpairs(apply, Vector::Ones(6), 9, 20);
    expect_true(all.values.size() == 5);
  }

  test_that("without time to converge it gives its best") {
    const Vector values = Vector::LinSpaced(50, 1.0, 2.0);
    const auto apply = [&](const Vector& x) { return Vector(values.cwiseProduct(x)); };
    const Eigenpairs pairs = largest_eigenpairs(apply, Vector::Ones(50), 1, 4);
    expect_true(pairs.values[0] > 1.9);
    expect_true(pairs.values[0] < 2.0);
  }
}

}  // namespace mdpd
