#pragma once

#include "base/lanes.h"

namespace mdpd {

/// out = exp(x) for x <= 0, with a relative error below 4e-16; exactly 1 at 0, and 0 where exp(x) is
/// below the smallest normal number. exp(x) = 2^n exp(r) with |r| <= log(2) / 2, and exp(r) by its
/// series: Abramowitz and Stegun (1964), 4.2.1.
[[gnu::always_inline]] inline void exp_of(const Lanes& x, Lanes& out) {
  constexpr double lowest = -708.0;
  constexpr double log2_e = 1.4426950408889634;
  // log(2) in two parts: n times the first has no rounding.
  constexpr double log_2_high = 6.93147180369123816490e-01;
  constexpr double log_2_low = 1.90821492927058770002e-10;
  constexpr double integer_to_double = 6755399441055744.0;  // 1.5 * 2^52: its low bits count ones
  const Lanes zero{};
  const Lanes bounded = x > lowest ? x : zero + lowest;  // not x - x: x may be infinite
  const Lanes shifted = bounded * log2_e + integer_to_double;
  const Lanes n = shifted - integer_to_double;
  const Lanes r = (bounded - n * log_2_high) - n * log_2_low;
  // The first term left out is below 1e-17.
  Lanes series = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  LaneBits power;
  LaneBits bits;
  std::memcpy(&power, &shifted, sizeof power);
  std::memcpy(&bits, &series, sizeof bits);
  bits += power << 52;
  Lanes scaled;
  std::memcpy(&scaled, &bits, sizeof scaled);
  out = x > lowest ? scaled : zero;
}

}  // namespace mdpd
