#pragma once

#include <cstdint>
#include <cstring>

namespace mdpd {

/// Doubles side by side, which the compiler keeps in the registers of the instruction set it
/// compiles for: one of AVX, two of SSE2. Passed by reference only: by value, the calling
/// convention would depend on the instruction set.
using Lanes = double __attribute__((vector_size(32)));
using LaneBits = std::uint64_t __attribute__((vector_size(32)));

inline constexpr int n_lanes = 4;

/// A multiple of n_lanes that is at least n.
template <class Integer>
constexpr Integer round_up_to_lanes(Integer n) {
  return (n + n_lanes - 1) / n_lanes * n_lanes;
}

[[gnu::always_inline]] inline void load(const double* from, Lanes& to) {
  std::memcpy(&to, from, sizeof to);
}

[[gnu::always_inline]] inline void store(const Lanes& from, double* to) {
  std::memcpy(to, &from, sizeof from);
}

/// out = x log(x) for x >= 0, with its limit 0 at 0; relative error below 1e-15 where x log(x) is
/// not near its zero at 1, and absolute error below 1e-15 there. The exponent gives log(x) up to a
/// mantissa m in [1/sqrt(2), sqrt(2)), for which log(m) = 2 atanh((m - 1) / (m + 1)): Abramowitz and
/// Stegun (1964), 4.1.27.
[[gnu::always_inline]] inline void x_log_x(const Lanes& x, Lanes& out) {
  constexpr double smallest = 2.2250738585072014e-308;  // the bit tricks need a normal number
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCD;
  constexpr std::uint64_t shift = 1024;                     // keeps exponents positive
  constexpr double integer_to_double = 6755399441055744.0;  // 1.5 * 2^52: its low bits count ones
  constexpr std::uint64_t integer_to_double_bits = 0x4338000000000000;
  constexpr double log_2 = 0.6931471805599453;
  const Lanes positive = x > smallest ? x : x - x + smallest;
  LaneBits bits;
  std::memcpy(&bits, &positive, sizeof bits);
  const LaneBits shifted = (bits - sqrt_half + (shift << 52)) >> 52;
  const LaneBits exponent_bits = shifted + integer_to_double_bits;
  const LaneBits mantissa_bits = bits - ((shifted - shift) << 52);
  Lanes exponent;
  Lanes mantissa;
  std::memcpy(&exponent, &exponent_bits, sizeof exponent);
  std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
  exponent -= integer_to_double + static_cast<double>(shift);
  const Lanes s = (mantissa - 1.0) / (mantissa + 1.0);
  const Lanes z = s * s;
  // |s| < 0.1716: the first term left out is below 1e-17.
  Lanes series = z * (1.0 / 21.0) + 1.0 / 19.0;
  series = series * z + 1.0 / 17.0;
  series = series * z + 1.0 / 15.0;
  series = series * z + 1.0 / 13.0;
  series = series * z + 1.0 / 11.0;
  series = series * z + 1.0 / 9.0;
  series = series * z + 1.0 / 7.0;
  series = series * z + 1.0 / 5.0;
  series = series * z + 1.0 / 3.0;
  out = x * (exponent * log_2 + 2.0 * (s + s * z * series));
}

/// Instructions a kernel may use.
enum class Instructions {
  kPortable,  ///< those that every processor of the architecture has
  kAvx2       ///< x86-64 with AVX2 and FMA
};

/// The widest that this processor has and the kernels are compiled for.
inline Instructions widest_instructions() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Instructions::kAvx2;
#endif
  return Instructions::kPortable;
}

}  // namespace mdpd
