#pragma once

#include "base/types.h"

namespace mdpd {

/// Smallest probability whose logarithm is taken: log(0) would turn a row that no component
/// explains into NaN, log(DBL_MIN) keeps it finite and still excludes the component whenever
/// another fits.
inline constexpr double tiny_probability = 2.2250738585072014e-308;

// Logarithms and the like of our own, as those of the system's library differ in their last bits.

/// log(x), with a relative error below 1e-15; -infinity at 0, not a number below.
double log_of(double x);

/// exp(x), with a relative error below 4e-16; 0 below -708 and infinite above 708.
double exp_of(double x);

/// log Gamma(x) for x > 0, with an error below 3e-14 and rounding.
double log_gamma_of(double x);

/// x log(x), with its limit 0 at x = 0.
double x_log_x(double x);

/// Sum of it over the numbers of a matrix.
template <class Numbers>
double sum_x_log_x(const Numbers& numbers) {
  return numbers.unaryExpr([](double x) { return x_log_x(x); }).sum();
}

/// Entropy of each column of a table of counts, times its count, in all (nats).
double entropy_in_columns(const Eigen::Ref<const RowMatrix>& counts);

/// log(max(p, tiny_probability)).
double safe_log(double p);

/// Logarithm of the upper tail of the chi-square distribution with `df` degrees of freedom:
/// log P(X > x). Finite where the tail itself underflows; 0 for x <= 0.
/// Abramowitz and Stegun (1964), 6.5.29 (series) and 6.5.31 (continued fraction).
double log_chi_square_upper(double x, double df);

/// Orthonormal basis (n x (n - 1)) of the vectors of length n that sum to zero (Helmert contrasts).
Matrix zero_sum_basis(Index n);

}  // namespace mdpd
