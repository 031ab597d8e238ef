#pragma once

#include "base/lanes.h"

namespace mdpd {

/// out = log Gamma(x) for 0 < x < 1e30, with an error below 7e-12 and rounding. Stirling's series at
/// y = x + 8 (Abramowitz and Stegun (1964), 6.1.40), whose error is less than the first term left
/// out, 1 / (1188 y^9), and back by Gamma(y) = x (x + 1) ... (x + 7) Gamma(x).
[[gnu::always_inline]] inline void log_gamma_of(const Lanes& x, Lanes& out) {
  constexpr double half_log_2_pi = 0.91893853320467274;
  const Lanes y = x + 8.0;
  const Lanes t = x * (x + 7.0);
  Lanes log_y;
  Lanes log_product;
  log_of(y, log_y);
  log_of(t * (t + 6.0) * ((t + 10.0) * (t + 12.0)), log_product);
  const Lanes z = 1.0 / y;
  const Lanes z_2 = z * z;
  const Lanes series = z * (1.0 / 12 - z_2 * (1.0 / 360 - z_2 * (1.0 / 1260 - z_2 * (1.0 / 1680))));
  out = (y - 0.5) * log_y - y + half_log_2_pi + series - log_product;
}

/// out = digamma(x), the derivative of the above, with an error below 7e-12 and rounding: ibid.,
/// 6.3.18, of which the first term left out is 1 / (132 y^10).
[[gnu::always_inline]] inline void digamma_of(const Lanes& x, Lanes& out) {
  const Lanes y = x + 8.0;
  const Lanes t = x * (x + 7.0);
  Lanes log_y;
  log_of(y, log_y);
  const Lanes z = 1.0 / y;
  const Lanes z_2 = z * z;
  const Lanes series = z_2 * (1.0 / 12 - z_2 * (1.0 / 120 - z_2 * (1.0 / 252 - z_2 * (1.0 / 240))));
  const Lanes steps = 1.0 / t + 1.0 / (t + 6.0) + 1.0 / (t + 10.0) + 1.0 / (t + 12.0);
  out = log_y - 0.5 * z - series - (x + x + 7.0) * steps;
}

}  // namespace mdpd
