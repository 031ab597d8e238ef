#include "base/numerics.h"

#include <cmath>
#include <limits>

namespace mdpd {

namespace {

/// log of the lower regularised incomplete gamma function by its series; used for x < a + 1.
double log_gamma_p_series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (double n = a + 1.0; term > sum * std::numeric_limits<double>::epsilon(); n += 1.0) {
    term *= x / n;
    sum += term;
  }
  return a * std::log(x) - x - std::lgamma(a) + std::log(sum);
}

/// log of the upper one by its continued fraction (Lentz's recurrence); used for x >= a + 1.
double log_gamma_q_fraction(double a, double x) {
  const double smallest = std::numeric_limits<double>::min();
  double b = x + 1.0 - a;
  double c = 1.0 / smallest;
  double d = 1.0 / b;
  double fraction = d;
  // Converges in about sqrt(a) terms; the bound only guards against a value that is not a number.
  for (int i = 1; i < 100000; ++i) {
    const double an = -i * (i - a);
    b += 2.0;
    d = an * d + b;
    if (std::abs(d) < smallest) d = smallest;
    c = b + an / c;
    if (std::abs(c) < smallest) c = smallest;
    d = 1.0 / d;
    const double change = d * c;
    fraction *= change;
    if (std::abs(change - 1.0) < 4 * std::numeric_limits<double>::epsilon()) break;
  }
  return a * std::log(x) - x - std::lgamma(a) + std::log(fraction);
}

}  // namespace

double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

double safe_log(double p) { return std::log(p > tiny_probability ? p : tiny_probability); }

double log_chi_square_upper(double x, double df) {
  if (!(x > 0.0)) return 0.0;
  const double a = df / 2.0;
  const double half = x / 2.0;
  if (half < a + 1.0) return std::log1p(-std::exp(log_gamma_p_series(a, half)));
  return log_gamma_q_fraction(a, half);
}

Matrix zero_sum_basis(Index n) {
  Matrix basis = Matrix::Zero(n, n - 1);
  for (Index column = 0; column < n - 1; ++column) {
    const double size = static_cast<double>(column + 1);
    const double scale = 1.0 / std::sqrt(size * (size + 1.0));
    basis.col(column).head(column + 1).setConstant(scale);
    basis(column + 1, column) = -size * scale;
  }
  return basis;
}

}  // namespace mdpd
