#pragma once

#include "base/lanes.h"

namespace mdpd {

/// From here on Stirling's series serves as it is; below, at x + 8.
inline constexpr double least_of_stirling = 8.0;

/// out = log Gamma(y) for 8 <= y < 1e30, with an error below 7e-12 and rounding: Abramowitz and Stegun
/// (1964), 6.1.40. The error is less than the first term left out, 1 / (1188 y^9).
[[gnu::always_inline]] inline void stirling(const Lanes& y, Lanes& out) {
  constexpr double half_log_2_pi = 0.91893853320467274;
  Lanes log_y;
  log_of(y, log_y);
  const Lanes z = 1.0 / y;
  const Lanes z_2 = z * z;
  const Lanes series = z * (1.0 / 12 - z_2 * (1.0 / 360 - z_2 * (1.0 / 1260 - z_2 * (1.0 / 1680))));
  out = (y - 0.5) * log_y - y + half_log_2_pi + series;
}

/// out = x (x + 1) ... (x + 7).
[[gnu::always_inline]] inline void steps_to_stirling(const Lanes& x, Lanes& out) {
  const Lanes t = x * (x + 7.0);
  out = t * (t + 6.0) * ((t + 10.0) * (t + 12.0));
}

/// A sum of values of log Gamma(x): Stirling's series at x + 8, and back by
/// Gamma(x + 8) = x (x + 1) ... (x + 7) Gamma(x), of which one logarithm serves a few values.
class LogGammaSum {
 public:
  /// @param x between 1e-20 and 1e30, and below 1000 where `least` is below 8.
  /// @param least no larger than any of x: from 8 on the series serves as it is.
  [[gnu::always_inline]] void add(const Lanes& x, double least) {
    Lanes value;
    if (least >= least_of_stirling) {
      stirling(x, value);
      sum_ += value;
      return;
    }
    Lanes steps;
    steps_to_stirling(x, steps);
    stirling(x + least_of_stirling, value);
    sum_ += value;
    steps_ *= steps;
    if (++n_steps_ == most_steps) take_log();
  }

  [[gnu::always_inline]] void total(Lanes& out) {
    take_log();
    out = sum_;
  }

 private:
  /// Products of this many are doubles.
  static constexpr int most_steps = 12;

  [[gnu::always_inline]] void take_log() {
    if (n_steps_ == 0) return;
    Lanes log_steps;
    log_of(steps_, log_steps);
    sum_ -= log_steps;
    steps_ = Lanes{1.0, 1.0, 1.0, 1.0};
    n_steps_ = 0;
  }

  Lanes sum_{};
  Lanes steps_{1.0, 1.0, 1.0, 1.0};
  int n_steps_ = 0;
};

/// out = log Gamma(x) for 0 < x < 1e30, with an error below 7e-12 and rounding.
[[gnu::always_inline]] inline void log_gamma_of(const Lanes& x, Lanes& out) {
  Lanes steps;
  Lanes log_steps;
  steps_to_stirling(x, steps);
  log_of(steps, log_steps);
  stirling(x + least_of_stirling, out);
  out -= log_steps;
}

/// out = digamma(x), the derivative of the above, with an error below 7e-12 and rounding: ibid.,
/// 6.3.18, of which the first term left out is 1 / (132 y^10).
[[gnu::always_inline]] inline void digamma_of(const Lanes& x, Lanes& out) {
  const Lanes y = x + least_of_stirling;
  const Lanes t = x * (x + 7.0);
  Lanes log_y;
  log_of(y, log_y);
  const Lanes z = 1.0 / y;
  const Lanes z_2 = z * z;
  const Lanes series = z_2 * (1.0 / 12 - z_2 * (1.0 / 120 - z_2 * (1.0 / 252 - z_2 * (1.0 / 240))));
  // 1 / t + 1 / (t + 6) + 1 / (t + 10) + 1 / (t + 12) as one quotient.
  const Lanes first = t * (t + 6.0);
  const Lanes second = (t + 10.0) * (t + 12.0);
  const Lanes steps = ((t + t + 6.0) * second + (t + t + 22.0) * first) / (first * second);
  out = log_y - 0.5 * z - series - (x + x + 7.0) * steps;
}

}  // namespace mdpd
