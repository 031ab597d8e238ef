#include "base/matrices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/lanes.h"

namespace mdpd {

namespace {

/// Of a matrix of numbers up to 1, less than this is 0: the square of this is not.
constexpr double least_off_diagonal = 1e-150;

/// A symmetric matrix is Q T Q' with a tridiagonal T and a Q of right angles.
struct Tridiagonal {
  Vector diagonal;
  Vector off_diagonal;
  Matrix vectors;  ///< Q
};

/// x - scale * (axis . x) * axis is the vector mirrored: all of it in its first number.
struct Reflection {
  Vector axis;
  double scale;
  double first;

  explicit Reflection(const Vector& x) : axis(x), scale(0.0), first(x[0]) {
    if ((x.tail(x.size() - 1).array().abs() < least_off_diagonal).all()) return;
    first = std::copysign(std::sqrt(dot_product(x, x)), -x[0]);
    axis[0] -= first;
    scale = 2.0 / dot_product(axis, axis);
  }
};

/// Golub and Van Loan, Matrix Computations (2013), section 8.3.1.
Tridiagonal tridiagonal_of(Matrix symmetric) {
  const Index n = symmetric.rows();
  std::vector<Reflection> reflections;
  Tridiagonal out{Vector(n), Vector(n - 1), Matrix::Identity(n, n)};
  for (Index i = 0; i + 1 < n; ++i) {
    const Index n_left = n - i - 1;
    reflections.emplace_back(symmetric.col(i).tail(n_left));
    const auto& [axis, scale, first] = reflections.back();
    auto left = symmetric.bottomRightCorner(n_left, n_left);
    Vector move = scale * product(left, axis);
    move -= (0.5 * scale * dot_product(move, axis)) * axis;
    for (Index j = 0; j < n_left; ++j) left.col(j) -= move[j] * axis + axis[j] * move;
    out.off_diagonal[i] = first;
  }
  out.diagonal = symmetric.diagonal();
  for (Index i = n - 2; i >= 0; --i) {
    const auto& [axis, scale, first] = reflections[static_cast<std::size_t>(i)];
    for (Index j = i + 1; j < n; ++j) {
      auto column = out.vectors.col(j).tail(axis.size());
      column -= (scale * dot_product(axis, column)) * axis;
    }
  }
  return out;
}

/// The eigenvalue of the last two rows and columns that is nearer to the last number.
double wilkinson_shift(const Tridiagonal& t, Index last) {
  const double off = t.off_diagonal[last - 1];
  const double half = 0.5 * (t.diagonal[last - 1] - t.diagonal[last]);
  return t.diagonal[last] -
         off * off / (half + std::copysign(std::sqrt(half * half + off * off), half));
}

/// Step of the QR algorithm on the rows from the first to the last: Golub and Van Loan, 8.3.2.
void take_qr_step(Tridiagonal& t, Index first, Index last) {
  double x = t.diagonal[first] - wilkinson_shift(t, last);
  double bulge = t.off_diagonal[first];
  Vector turned(t.diagonal.size());
  for (Index k = first; k < last; ++k) {
    const double length = std::sqrt(x * x + bulge * bulge);
    const double c = length > 0.0 ? x / length : 1.0;
    const double s = length > 0.0 ? bulge / length : 0.0;
    const double upper = t.diagonal[k];
    const double lower = t.diagonal[k + 1];
    const double off = t.off_diagonal[k];
    if (k > first) t.off_diagonal[k - 1] = length;
    t.diagonal[k] = c * c * upper + 2.0 * c * s * off + s * s * lower;
    t.diagonal[k + 1] = s * s * upper - 2.0 * c * s * off + c * c * lower;
    t.off_diagonal[k] = (c * c - s * s) * off + c * s * (lower - upper);
    x = t.off_diagonal[k];
    if (k + 1 < last) {
      bulge = s * t.off_diagonal[k + 1];
      t.off_diagonal[k + 1] *= c;
    }
    turned = c * t.vectors.col(k) + s * t.vectors.col(k + 1);
    t.vectors.col(k + 1) = c * t.vectors.col(k + 1) - s * t.vectors.col(k);
    t.vectors.col(k) = turned;
  }
}

void diagonalise(Tridiagonal& t) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto is_zero = [&](Index i) {
    const double off = std::abs(t.off_diagonal[i]);
    return off <= epsilon * (std::abs(t.diagonal[i]) + std::abs(t.diagonal[i + 1])) ||
           off < least_off_diagonal;
  };
  Index last = t.diagonal.size() - 1;
  // Two steps or three an eigenvalue are usual: the bound is for numbers that are not finite.
  for (Index n_steps = 30 * (last + 1); last > 0 && n_steps > 0;) {
    if (is_zero(last - 1)) {
      --last;
      continue;
    }
    Index first = last - 1;
    while (first > 0 && !is_zero(first - 1)) --first;
    take_qr_step(t, first, last);
    --n_steps;
  }
}

}  // namespace

double dot_product(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& y) {
  Lanes sums{};
  Index at = 0;
  for (; at + n_lanes <= x.size(); at += n_lanes) {
    Lanes a;
    Lanes b;
    load(x.data() + at, a);
    load(y.data() + at, b);
    sums += a * b;
  }
  double sum = sum_of(sums);
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
  const Matrix whole = symmetric.selfadjointView<Eigen::Lower>();
  const double largest = whole.cwiseAbs().maxCoeff();
  const double scale = largest > 0.0 ? largest : 1.0;
  Tridiagonal t = tridiagonal_of(whole / scale);
  diagonalise(t);
  std::vector<Index> order = numbers_below(t.diagonal.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return t.diagonal[i] < t.diagonal[j]; });
  Spectrum out{Vector(whole.rows()), Matrix(whole.rows(), whole.rows())};
  for (Index i = 0; i < whole.rows(); ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    out.values[i] = scale * t.diagonal[from];
    out.vectors.col(i) = t.vectors.col(from);
  }
  return out;
}

}  // namespace mdpd
