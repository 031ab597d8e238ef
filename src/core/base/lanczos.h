#pragma once

#include <functional>

#include "base/types.h"

namespace mdpd {

struct Eigenpairs {
  Vector values;   ///< descending
  Matrix vectors;  ///< of length 1, one a column
};

/// The largest eigenvalues of a symmetric operator, by Lanczos' method with full
/// reorthogonalisation: Lanczos (1950), An iteration method for the solution of the eigenvalue
/// problem.
/// @param apply the operator times a vector.
/// @param start not 0; what is orthogonal to it is not found.
/// @param n asked for; fewer are found where `start` lies in a smaller invariant subspace.
/// @param most_steps products at most, at least `n`.
Eigenpairs largest_eigenpairs(const std::function<Vector(const Vector&)>& apply, Vector start,
                              Index n, Index most_steps);

}  // namespace mdpd
