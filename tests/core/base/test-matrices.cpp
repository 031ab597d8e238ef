#include "base/matrices.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

Matrix random_matrix(Random& random, Index n_rows, Index n_cols) {
  Matrix out(n_rows, n_cols);
  for (Index j = 0; j < n_cols; ++j) {
    for (Index i = 0; i < n_rows; ++i) out(i, j) = random.uniform() - 0.5;
  }
  return out;
}

}  // namespace

context("matrices") {
  test_that("a product adds up every number in order") {
    Random random(1);
    const Matrix a = random_matrix(random, 13, 37);
    const Matrix b = random_matrix(random, 37, 5);
    const Matrix out = product(a, b);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) {
        double sum = 0.0;
        for (Index k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
        expect_true(out(i, j) == sum);
      }
    }
    expect_true(product(Matrix(3, 0), Matrix(0, 2)) == Matrix::Zero(3, 2));
  }

  test_that("a product of vectors has all their numbers, however many") {
    Random random(2);
    for (Index n = 0; n < 20; ++n) {
      const Vector x = random_matrix(random, n, 1);
      const Vector y = random_matrix(random, n, 1);
      double sum = 0.0;
      for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
      expect_true(std::abs(dot_product(x, y) - sum) < 1e-15);  // of 20 numbers below 1/4
    }
  }

  test_that("a spectrum makes up the matrix, its vectors being of length 1 and at right angles") {
    Random random(3);
    for (const Index n : {1, 2, 3, 4, 10, 47, 60, 110}) {
      const Matrix half = random_matrix(random, n, n);
      const Matrix matrix = half + half.transpose();
      const Spectrum spectrum = spectrum_of(matrix);
      const Matrix& v = spectrum.vectors;
      // A few hundred roundings of numbers below n.
      const double tolerance = 1e-14 * static_cast<double>(n);
      expect_true(distance(v * spectrum.values.asDiagonal() * v.transpose(), matrix) < tolerance);
      expect_true(distance(v.transpose() * v, Matrix::Identity(n, n)) < tolerance);
      for (Index i = 1; i < n; ++i) expect_true(spectrum.values[i - 1] <= spectrum.values[i]);
    }
  }

  test_that("a matrix of zeros has a spectrum of zeros") {
    expect_true(spectrum_of(Matrix::Zero(3, 3)).values == Vector::Zero(3));
  }
}

}  // namespace mdpd
