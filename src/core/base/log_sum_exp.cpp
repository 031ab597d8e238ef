#include "base/log_sum_exp.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/exponential.h"
#include "base/kernels.h"

namespace mdpd {

namespace {

/// Normalises n_lanes rows of n numbers side by side.
/// @param terms room for n x n_lanes.
[[gnu::always_inline]] inline void normalise_quad(double* rows, Index n, double* terms,
                                                  double* row_loglik) {
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
  const Lanes share = 1.0 / sum;
  for (Index k = 0; k < n; ++k) {
    Lanes term;
    load(terms + k * n_lanes, term);
    term *= share;
    double* at = rows + k;
    for (Index lane = 0; lane < n_lanes; ++lane) at[lane * n] = term[lane];
  }
  Lanes log_sum;
  log_of(sum, log_sum);
  store(largest + log_sum, row_loglik);
}

[[gnu::always_inline]] inline void normalise_all(double* rows, Index n, Index n_components,
                                                 double* row_loglik) {
  std::vector<double> terms(n_components * n_lanes);
  Index at = 0;
  for (; at + n_lanes <= n; at += n_lanes) {
    normalise_quad(rows + at * n_components, n_components, terms.data(), row_loglik + at);
  }
  if (at == n) return;
  // The rows that are left, and zeros.
  std::vector<double> quad(n_components * n_lanes, 0.0);
  double loglik_of_quad[n_lanes];
  double* rest = rows + at * n_components;
  const Index n_rest = n - at;
  std::copy_n(rest, n_rest * n_components, quad.begin());
  normalise_quad(quad.data(), n_components, terms.data(), loglik_of_quad);
  std::copy_n(quad.begin(), n_rest * n_components, rest);
  std::copy_n(loglik_of_quad, n_rest, row_loglik + at);
}

}  // namespace

void normalise_log_rows(double* rows, Index n, Index n_components, double* row_loglik,
                        Instructions instructions) {
  const auto work = [&]() __attribute__((always_inline)) {
    normalise_all(rows, n, n_components, row_loglik);
  };
  with_avx2(instructions, work);
}

}  // namespace mdpd
