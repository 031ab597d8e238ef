#include "base/log_sum_exp.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/exponential.h"
#include "base/kernels.h"

namespace mdpd {

namespace {

/// Normalises n_lanes rows side by side. The number of components is a constant where it is small.
/// @param terms room for n_components x n_lanes.
template <int n_fixed>
[[gnu::always_inline]] inline void normalise_quad(double* rows, Index n_components, double* terms,
                                                  double* row_loglik) {
  const Index n = n_fixed > 0 ? n_fixed : n_components;
  Lanes largest = Lanes{} - std::numeric_limits<double>::infinity();
  for (Index k = 0; k < n; ++k) {
    const double* at = rows + k;
    const Lanes x = {at[0], at[n], at[2 * n], at[3 * n]};
    store(x, terms + k * n_lanes);
    largest = x > largest ? x : largest;
  }
  Lanes sum{};
  for (Index k = 0; k < n; ++k) {
    Lanes x;
    load(terms + k * n_lanes, x);
    Lanes term;
    exp_of(x - largest, term);
    store(term, terms + k * n_lanes);
    sum += term;
  }
  for (Index k = 0; k < n; ++k) {
    Lanes term;
    load(terms + k * n_lanes, term);
    term /= sum;
    double* at = rows + k;
    for (Index lane = 0; lane < n_lanes; ++lane) at[lane * n] = term[lane];
  }
  Lanes log_sum;
  x_log_x(sum, log_sum);
  store(largest + log_sum / sum, row_loglik);
}

struct Rows {
  double* values;
  Index n;
  Index n_components;
  double* row_loglik;
};

template <int n_fixed>
[[gnu::always_inline]] inline void normalise_all(const Rows& rows) {
  const Index n_components = rows.n_components;
  double fixed[n_fixed > 0 ? n_fixed * n_lanes : 1];
  std::vector<double> other(n_fixed > 0 ? 0 : n_components * n_lanes);
  double* terms = n_fixed > 0 ? fixed : other.data();
  Index at = 0;
  for (; at + n_lanes <= rows.n; at += n_lanes) {
    normalise_quad<n_fixed>(rows.values + at * n_components, n_components, terms,
                            rows.row_loglik + at);
  }
  if (at == rows.n) return;
  // The rows that are left, and zeros.
  std::vector<double> quad(n_components * n_lanes, 0.0);
  double row_loglik[n_lanes];
  double* rest = rows.values + at * n_components;
  const Index n_rest = rows.n - at;
  std::copy_n(rest, n_rest * n_components, quad.begin());
  normalise_quad<n_fixed>(quad.data(), n_components, terms, row_loglik);
  std::copy_n(quad.begin(), n_rest * n_components, rest);
  std::copy_n(row_loglik, n_rest, rows.row_loglik + at);
}

}  // namespace

void normalise_log_rows(double* rows, Index n, Index n_components, double* row_loglik,
                        Instructions instructions) {
  const Rows all{rows, n, n_components, row_loglik};
  with_constant<1, 2, 3, 4, 5, 6>(n_components, [&](auto size) {
    constexpr int n_fixed = size;
    const auto work = [&]() __attribute__((always_inline)) { normalise_all<n_fixed>(all); };
    with_avx2_fma(instructions, work);
  });
}

}  // namespace mdpd
