#include "base/matrices.h"

#include <Eigen/Eigenvalues>

#include "base/lanes.h"

namespace mdpd {

namespace {

/// Takes eigenvectors of the tridiagonal matrix back to those of the one it was made of, by one
/// reflection after another: Eigen's matrixQ() takes many at once.
void reflect(const Eigen::Tridiagonalization<Matrix>& tridiagonal, Matrix& vectors) {
  const Matrix packed = tridiagonal.packedMatrix();
  const Vector coefficients = tridiagonal.householderCoefficients();
  for (Index i = vectors.rows() - 2; i >= 0; --i) {
    Vector axis = packed.col(i).tail(vectors.rows() - i - 1);
    axis[0] = 1.0;
    for (Index k = 0; k < vectors.cols(); ++k) {
      auto reflected = vectors.col(k).tail(axis.size());
      reflected -= (coefficients[i] * dot_product(axis, reflected)) * axis;
    }
  }
}

}  // namespace

double dot_product(const Vector& x, const Eigen::Ref<const Vector>& y) {
  Lanes sums{};
  Index at = 0;
  for (; at + n_lanes <= x.size(); at += n_lanes) {
    Lanes a;
    Lanes b;
    load(x.data() + at, a);
    load(y.data() + at, b);
    sums += a * b;
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; at < x.size(); ++at) sum += x[at] * y[at];
  return sum;
}

Matrix product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b) {
  Matrix out = Matrix::Zero(a.rows(), b.cols());
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index k = 0; k < a.cols(); ++k) out.col(j) += b(k, j) * a.col(k);
  }
  return out;
}

Spectrum spectrum_of(const Matrix& symmetric) {
  const Eigen::Tridiagonalization<Matrix> tridiagonal(symmetric);
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(tridiagonal.diagonal(), tridiagonal.subDiagonal());
  Spectrum out{solver.eigenvalues(), solver.eigenvectors()};
  reflect(tridiagonal, out.vectors);
  return out;
}

}  // namespace mdpd
