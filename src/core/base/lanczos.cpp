#include "base/lanczos.h"

#include <algorithm>

#include "base/matrices.h"

namespace mdpd {

namespace {

/// Residual of an eigenpair, relative to the largest eigenvalue, that counts as none.
constexpr double tolerance = 1e-4;
/// Products from one look at the eigenpairs to the next.
constexpr Index steps_between_looks = 5;

/// Are the `n` largest eigenpairs those of the operator?
/// @param beta length of what the last product has outside the basis.
bool has_converged(const Spectrum& spectrum, Index n, double beta) {
  const Index steps = spectrum.values.size();
  const Vector residual = beta * spectrum.vectors.row(steps - 1).tail(n).cwiseAbs();
  return residual.maxCoeff() <= tolerance * spectrum.values.cwiseAbs().maxCoeff();
}

/// Takes away what a vector has of the columns of a basis, and gives it.
Vector project_out(const Eigen::Ref<const Matrix>& basis, Vector& x) {
  Vector along(basis.cols());
  for (Index k = 0; k < basis.cols(); ++k) along[k] = dot_product(x, basis.col(k));
  x -= product(basis, along);
  return along;
}

}  // namespace

Eigenpairs largest_eigenpairs(const std::function<Vector(const Vector&)>& apply, Vector start,
                              Index n, Index most_steps) {
  most_steps = std::min(most_steps, static_cast<Index>(start.size()));
  n = std::min(n, most_steps);
  Matrix basis(start.size(), most_steps);
  Matrix projected = Matrix::Zero(most_steps, most_steps);
  Spectrum spectrum;
  Index steps = 0;
  Vector next = start / start.norm();
  while (steps < most_steps) {
    basis.col(steps) = next;
    next = apply(next);
    const double length = next.norm();
    const auto known = basis.leftCols(++steps);
    Vector along = project_out(known, next);
    along += project_out(known, next);  // once more, for what rounding left
    projected.row(steps - 1).head(steps) = along.transpose();
    projected.col(steps - 1).head(steps) = along;
    const double beta = next.norm();
    const bool is_invariant = !(beta > 1e-12 * length);
    const bool looks = steps >= n && (steps % steps_between_looks == 0 || steps == most_steps);
    if (looks || is_invariant) {
      spectrum = spectrum_of(projected.topLeftCorner(steps, steps));
      if (is_invariant || has_converged(spectrum, n, beta)) break;
    }
    next /= beta;
  }
  n = std::min(n, steps);
  return {spectrum.values.tail(n).reverse(),
          product(basis.leftCols(steps), spectrum.vectors.rightCols(n).rowwise().reverse())};
}

}  // namespace mdpd
