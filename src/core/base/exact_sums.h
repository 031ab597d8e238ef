#pragma once

#include <cmath>

#include "base/lanes.h"

namespace mdpd {

// Sums of whole numbers do not depend on the order of their terms, nor on how these are cut into
// parts. A term is rounded once, and to the same number wherever it is computed.

/// Numbers x units of 2^51 in size at most, which is all that the conversion of doubles by one
/// addition can do; a sum of 2^62.
inline constexpr int bits_of_term = 51;
inline constexpr int bits_of_sum = 62;

/// Of the smallest power of two above a number.
inline int exponent_above(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

/// Rounds a number, or a vector of them, below 2^bits_of_term. Whole numbers are unsigned in the
/// registers, which is the same for sums, and has a shift that brings no sign.
template <class Doubles, class Whole>
[[gnu::always_inline]] inline void round_to_whole(const Doubles& x, Whole& out) {
  const Doubles shifted = x + integer_to_double;
  std::memcpy(&out, &shifted, sizeof out);
  out -= integer_to_double_bits;
}

/// The nearest doubles. The upper and the lower 32 bits each become the low bits of a double's
/// mantissa, of which the exponent is then taken away; one rounding, in the last addition.
template <class Whole, class Doubles>
[[gnu::always_inline]] inline void to_doubles(const Whole& x, Doubles& out) {
  constexpr std::uint64_t low_bits = 0xFFFFFFFF;
  constexpr std::uint64_t low_to_double = 0x4330000000000000;   // 2^52
  constexpr std::uint64_t high_to_double = 0x4530000080000000;  // 2^84 + 2^63: flips the sign
  constexpr double both = 0x1p84 + 0x1p63 + 0x1p52;
  const Whole low = (x & low_bits) | low_to_double;
  const Whole high = (x >> 32) ^ high_to_double;
  Doubles low_double;
  Doubles high_double;
  std::memcpy(&low_double, &low, sizeof low);
  std::memcpy(&high_double, &high, sizeof high);
  out = (high_double - both) + low_double;
}

/// Sum of numbers below 2^bits_of_term units that amount to less than 2^(bits_of_sum - 1) of them,
/// up to 2^31 of them; exact to 2^-31 units.
struct ExactSum {
  double unit = 1.0;  ///< a power of two
  std::int64_t high = 0;
  std::int64_t low = 0;  ///< of what rounding to units leaves

  /// The terms that a number, or each of a vector, adds.
  template <class Doubles, class Whole>
  [[gnu::always_inline]] void split(const Doubles& x, Whole& high_out, Whole& low_out) const {
    const Doubles in_units = x * (1.0 / unit);
    round_to_whole(in_units, high_out);
    const Doubles whole = (in_units + integer_to_double) - integer_to_double;
    const Doubles rest = (in_units - whole) * 0x1p31;
    round_to_whole(rest, low_out);
  }
  void add(double x) {
    std::uint64_t high_of_x;
    std::uint64_t low_of_x;
    split(x, high_of_x, low_of_x);
    high += static_cast<std::int64_t>(high_of_x);
    low += static_cast<std::int64_t>(low_of_x);
  }
  ExactSum& operator+=(const ExactSum& other) {
    high += other.high;
    low += other.low;
    return *this;
  }
  double value() const {
    return (static_cast<double>(high) + static_cast<double>(low) * 0x1p-31) * unit;
  }
};

/// Rounds a number from 0 to 1 to a whole multiple of 2^-52: sums of doubles are exact as long as
/// they are below 2.
template <class Doubles>
[[gnu::always_inline]] inline void round_share(const Doubles& x, Doubles& out) {
  out = (1.0 + x) - 1.0;
}

}  // namespace mdpd
