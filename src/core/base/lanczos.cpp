#include "base/lanczos.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace mdpd {

namespace {

/// Residual of an eigenpair, relative to the largest eigenvalue, that counts as none.
constexpr double tolerance = 1e-4;
/// Products from one look at the eigenpairs to the next.
constexpr Index steps_between_looks = 5;

using Solver = Eigen::SelfAdjointEigenSolver<Matrix>;

/// Are the `n` largest eigenpairs those of the operator?
/// @param beta length of what the last product has outside the basis.
bool has_converged(const Solver& solver, Index n, double beta) {
  const Index steps = solver.eigenvalues().size();
  const Vector residual = beta * solver.eigenvectors().row(steps - 1).tail(n).cwiseAbs();
  return residual.maxCoeff() <= tolerance * solver.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

Eigenpairs largest_eigenpairs(const std::function<Vector(const Vector&)>& apply, Vector start,
                              Index n, Index most_steps) {
  most_steps = std::min(most_steps, static_cast<Index>(start.size()));
  n = std::min(n, most_steps);
  Matrix basis(start.size(), most_steps);
  Matrix projected = Matrix::Zero(most_steps, most_steps);
  Solver solver;
  Index steps = 0;
  Vector next = start / start.norm();
  while (steps < most_steps) {
    basis.col(steps) = next;
    next = apply(next);
    const double length = next.norm();
    const auto known = basis.leftCols(++steps);
    Vector along = known.transpose() * next;
    next -= known * along;
    // Once more, for what rounding left.
    const Vector rest = known.transpose() * next;
    next -= known * rest;
    along += rest;
    projected.row(steps - 1).head(steps) = along.transpose();
    projected.col(steps - 1).head(steps) = along;
    const double beta = next.norm();
    const bool is_invariant = !(beta > 1e-12 * length);
    const bool looks = steps >= n && (steps % steps_between_looks == 0 || steps == most_steps);
    if (looks || is_invariant) {
      solver.compute(projected.topLeftCorner(steps, steps));
      if (is_invariant || has_converged(solver, n, beta)) break;
    }
    next /= beta;
  }
  n = std::min(n, steps);
  return {solver.eigenvalues().tail(n).reverse(),
          basis.leftCols(steps) * solver.eigenvectors().rightCols(n).rowwise().reverse()};
}

}  // namespace mdpd
