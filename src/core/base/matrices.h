#pragma once

#include "base/types.h"

namespace mdpd {

// Of Eigen's own the order of the sums goes by the registers and caches of the processor, and the
// last digits of eigenvalues by the version of Eigen.

/// Sum of the products of two vectors, four sums side by side.
double dot_product(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& y);

/// Every number is added up in order.
Matrix product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b);

/// A symmetric matrix is vectors * values.asDiagonal() * vectors.transpose().
struct Spectrum {
  Vector values;   ///< ascending
  Matrix vectors;  ///< of length 1, one a column
};

/// @param symmetric of one row at least; of it the lower triangle is read.
Spectrum spectrum_of(const Matrix& symmetric);

}  // namespace mdpd
