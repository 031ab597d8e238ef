#include "base/matrices.h"

#include <testthat.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

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

/// Matrices on which a solver may lose digits, or not end: of all sizes and scales, of one rank, of
/// equal eigenvalues, in blocks, graded, and with numbers whose squares are 0.
std::vector<Matrix> symmetric_matrices() {
  std::vector<Matrix> out;
  Random random(3);
  for (const Index n : {1, 2, 3, 4, 10, 47, 60, 110}) {
    const Matrix half = random_matrix(random, n, n);
    for (const double scale : {1.0, 1e300, 1e-160, 1e-300}) {
      out.push_back(scale * (half + half.transpose()));
    }
    const Matrix x = random_matrix(random, n, 1);
    out.push_back(x * x.transpose());
    out.push_back(Matrix::Identity(n, n) - 2.0 / x.squaredNorm() * x * x.transpose());
    out.push_back(Matrix::Ones(n, n));
    Matrix graded(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) graded(i, j) = half(std::max(i, j), std::min(i, j));
      graded.row(i) *= std::pow(10.0, -5.0 * static_cast<double>(i));
    }
    graded = Matrix(graded.selfadjointView<Eigen::Upper>());
    out.push_back(graded);
    out.emplace_back(graded.reverse());
    // Wilkinson's: pairs of eigenvalues that all but agree.
    Matrix wilkinson = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      wilkinson(i, i) = 1.0 + 0.5 * std::abs(static_cast<double>(n - 1 - 2 * i));
    }
    for (Index i = 1; i < n; ++i) wilkinson(i, i - 1) = wilkinson(i - 1, i) = 1.0;
    out.push_back(wilkinson);
    Matrix blocks = Matrix::Zero(2 * n, 2 * n);
    blocks.topLeftCorner(n, n) = half + half.transpose();
    blocks.bottomRightCorner(n, n) = wilkinson;
    blocks(n, n - 1) = blocks(n - 1, n) = 1e-170;
    out.push_back(blocks);
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
    for (const Matrix& matrix : symmetric_matrices()) {
      const auto n = static_cast<double>(matrix.rows());
      const double size = matrix.cwiseAbs().maxCoeff();
      const Spectrum spectrum = spectrum_of(matrix);
      const Matrix& v = spectrum.vectors;
      // A few hundred roundings of numbers below n times the largest.
      const Vector relative = spectrum.values / size;
      expect_true(distance(v * relative.asDiagonal() * v.transpose(), matrix / size) < 1e-14 * n);
      expect_true(distance(v.transpose() * v, Matrix::Identity(v.rows(), v.cols())) < 1e-14 * n);
      for (Index i = 1; i < matrix.rows(); ++i) {
        expect_true(spectrum.values[i - 1] <= spectrum.values[i]);
      }
    }
  }

  test_that("eigenvalues are those that Eigen has, of the lower triangle") {
    Random random(4);
    for (Matrix matrix : symmetric_matrices()) {
      const double size = matrix.cwiseAbs().maxCoeff();
      const Vector twin = Eigen::SelfAdjointEigenSolver<Matrix>(matrix / size).eigenvalues();
      const Vector values = spectrum_of(matrix).values;
      const double tolerance = 1e-14 * static_cast<double>(matrix.rows());
      expect_true((values / size - twin).cwiseAbs().maxCoeff() < tolerance);
      matrix.triangularView<Eigen::StrictlyUpper>() =
          random_matrix(random, matrix.rows(), matrix.cols());
      expect_true(spectrum_of(matrix).values == values);
    }
  }

  test_that("a matrix of zeros has a spectrum of zeros, and a diagonal one its numbers in order") {
    expect_true(spectrum_of(Matrix::Zero(3, 3)).values == Vector::Zero(3));
    Matrix diagonal = Matrix::Zero(3, 3);
    diagonal.diagonal() << 3.0, -1.0, 2.0;
    const Spectrum spectrum = spectrum_of(diagonal);
    for (Index i = 0; i < 3; ++i) {
      const Index from = (i + 1) % 3;
      expect_true(spectrum.values[i] == diagonal(from, from));
      expect_true(spectrum.vectors.col(i) == Vector::Unit(3, from));
    }
  }

  test_that("a spectrum of what is no number ends") {
    expect_true(spectrum_of(Matrix::Constant(5, 5, std::nan(""))).values.hasNaN());
  }
}

}  // namespace mdpd
