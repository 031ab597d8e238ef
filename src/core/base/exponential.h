#pragma once

#include "base/lanes.h"

namespace mdpd {

/// out = exp(x) for x <= 708, with a relative error below 4e-16; exactly 1 at 0, and 0 where exp(x)
/// is below the smallest normal number. exp(x) = 2^n exp(r) with |r| <= log(2) / 2, where
/// (exp(r) - 1 - r) / r^2 is a polynomial that interpolates it at ten Chebyshev points, to 2e-17 of
/// exp(r). The same of a double and of each lane.
template <class Bits, class Doubles>
[[gnu::always_inline]] inline void exp_by_bits(const Doubles& x, Doubles& out) {
  constexpr double lowest = -708.0;
  constexpr double log2_e = 1.4426950408889634;
  // log(2) in two parts: n times the first has no rounding.
  constexpr double log_2_high = 6.93147180369123816490e-01;
  constexpr double log_2_low = 1.90821492927058770002e-10;
  const Doubles zero{};
  const Doubles bounded = x > lowest ? x : zero + lowest;  // not x - x: x may be infinite
  const Doubles shifted = bounded * log2_e + integer_to_double;
  const Doubles n = shifted - integer_to_double;
  const Doubles r = (bounded - n * log_2_high) - n * log_2_low;
  // In pairs of pairs (Estrin): few operations wait for each other.
  const Doubles r_2 = r * r;
  const Doubles r_4 = r_2 * r_2;
  const Doubles terms_0 = r * 0.16666666666666669 + 0.5000000000000001;
  const Doubles terms_2 = r * 0.008333333333330065 + 0.041666666666624164;
  const Doubles terms_4 = r * 0.00019841269863040545 + 0.0013888888917196719;
  const Doubles terms_6 = r * 2.7557268480310024e-06 + 2.4801521322368692e-05;
  const Doubles terms_8 = r * 2.5100375832561234e-08 + 2.7620075879983367e-07;
  const Doubles high = r_4 * terms_8 + (r_2 * terms_6 + terms_4);
  const Doubles low = r_2 * terms_2 + terms_0;
  const Doubles series = 1.0 + (r + r_2 * (r_4 * high + low));
  Bits power;
  Bits bits;
  std::memcpy(&power, &shifted, sizeof power);
  std::memcpy(&bits, &series, sizeof bits);
  bits += power << 52;
  Doubles scaled;
  std::memcpy(&scaled, &bits, sizeof scaled);
  out = x > lowest ? scaled : zero;
}

[[gnu::always_inline]] inline void exp_of(const Lanes& x, Lanes& out) {
  exp_by_bits<LaneBits>(x, out);
}

}  // namespace mdpd
