#include "base/numerics.h"

#include <cmath>
#include <limits>

#include "base/exponential.h"

namespace mdpd {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log(1 - p) for 0 <= p < 1: what rounding 1 - p does to its logarithm, it does to the quotient.
double log_of_rest(double p) {
  const double rest = 1.0 - p;
  return rest == 1.0 ? -p : log_of(rest) * (p / (1.0 - rest));
}

/// log of the lower regularised incomplete gamma function by its series; used for x < a + 1.
double log_gamma_p_series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (double n = a + 1.0; term > sum * std::numeric_limits<double>::epsilon(); n += 1.0) {
    term *= x / n;
    sum += term;
  }
  return a * log_of(x) - x - log_gamma_of(a) + log_of(sum);
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
  return a * log_of(x) - x - log_gamma_of(a) + log_of(fraction);
}

}  // namespace

double log_of(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;
  constexpr double log_2 = 0.6931471805599453;
  constexpr double lift = 54.0;
  const bool is_normal = x >= std::numeric_limits<double>::min();
  double out;
  log_by_bits<std::uint64_t>(is_normal ? x : x * 0x1p54, out);
  return is_normal ? out : out - lift * log_2;
}

double exp_of(double x) {
  if (!(x <= 708.0)) return x > 708.0 ? infinity : x;
  double out;
  exp_by_bits<std::uint64_t>(x, out);
  return out;
}

double log_gamma_of(double x) {
  if (x == 1.0 || x == 2.0) return 0.0;
  constexpr double half_log_2_pi = 0.91893853320467274;
  // Stirling's series, Abramowitz and Stegun (1964), 6.1.40, from where its next term is rounding,
  // and back by Gamma(x + 1) = x Gamma(x).
  constexpr double least_of_series = 16.0;
  double steps = 1.0;
  for (; x < least_of_series; x += 1.0) steps *= x;
  const double z = 1.0 / x;
  const double z_2 = z * z;
  const double far = z_2 * (1.0 / 1260 - z_2 * (1.0 / 1680 - z_2 * (1.0 / 1188)));
  const double series = z * (1.0 / 12 - z_2 * (1.0 / 360 - far));
  return (x - 0.5) * log_of(x) - x + half_log_2_pi + series - log_of(steps);
}

double x_log_x(double x) { return x > 0.0 ? x * log_of(x) : 0.0; }

double entropy_in_columns(const Eigen::Ref<const RowMatrix>& counts) {
  double sum = 0.0;
  for (Index k = 0; k < counts.cols(); ++k) {
    sum += x_log_x(counts.col(k).sum()) - sum_x_log_x(counts.col(k));
  }
  return sum;
}

double safe_log(double p) { return log_of(p > tiny_probability ? p : tiny_probability); }

double log_chi_square_upper(double x, double df) {
  if (!(x > 0.0)) return 0.0;
  const double a = df / 2.0;
  const double half = x / 2.0;
  if (half < a + 1.0) return log_of_rest(exp_of(log_gamma_p_series(a, half)));
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
