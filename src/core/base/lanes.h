#pragma once

#include "base/arithmetic.h"

#include <cstdint>
#include <cstring>

namespace mdpd {

/// Doubles side by side, which the compiler keeps in the registers of the instruction set it
/// compiles for: one of AVX, two of SSE2. Passed by reference only: by value, the calling
/// convention would depend on the instruction set.
using Lanes = double __attribute__((vector_size(32)));
using LaneBits = std::uint64_t __attribute__((vector_size(32)));

inline constexpr int n_lanes = 4;

/// Added to a smaller number, it leaves ones in the low bits: 1.5 * 2^52.
inline constexpr double integer_to_double = 6755399441055744.0;
inline constexpr std::uint64_t integer_to_double_bits = 0x4338000000000000;

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

[[gnu::always_inline]] inline double sum_of(const Lanes& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// out = log(x) for x >= 0, of anything below the smallest normal number the logarithm of that;
/// relative error below 1e-15 where log(x) is not near its zero at 1, and absolute error below 1e-15
/// there. The exponent gives log(x) up to a mantissa m in [1/sqrt(2), sqrt(2)), for which
/// log(m) = 2 atanh(s) with s = (m - 1) / (m + 1): Abramowitz and Stegun (1964), 4.1.27.
/// (2 atanh(s) - 2 s) / s^3 is a polynomial in s^2 that interpolates it at the seven Chebyshev
/// points of the range, to 5e-18 of log(m). The same of a double and of each lane.
template <class Bits, class Doubles>
[[gnu::always_inline]] inline void log_by_bits(const Doubles& x, Doubles& out) {
  constexpr double smallest = 2.2250738585072014e-308;  // the bit tricks need a normal number
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCD;
  constexpr std::uint64_t shift = 1024;  // keeps exponents positive
  constexpr double log_2 = 0.6931471805599453;
  const Doubles smallest_of_all = Doubles{} + smallest;
  const Doubles positive = x > smallest_of_all ? x : smallest_of_all;
  Bits bits;
  std::memcpy(&bits, &positive, sizeof bits);
  const Bits shifted = (bits - sqrt_half + (shift << 52)) >> 52;
  const Bits exponent_bits = shifted + integer_to_double_bits;
  const Bits mantissa_bits = bits - ((shifted - shift) << 52);
  Doubles exponent;
  Doubles mantissa;
  std::memcpy(&exponent, &exponent_bits, sizeof exponent);
  std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
  exponent -= integer_to_double + static_cast<double>(shift);
  const Doubles s = (mantissa - 1.0) / (mantissa + 1.0);
  // In pairs of pairs (Estrin): few operations wait for each other.
  const Doubles z = s * s;
  const Doubles z_2 = z * z;
  const Doubles terms_0 = z * 0.39999999999899505 + 0.66666666666666696;
  const Doubles terms_2 = z * 0.22222211134795081 + 0.28571428625975487;
  const Doubles terms_4 = z * 0.15331721600556042 + 0.18182889125261723;
  const Doubles high = z_2 * 0.14616449685043406 + terms_4;
  const Doubles series = (z_2 * z_2) * high + (z_2 * terms_2 + terms_0);
  out = exponent * log_2 + s * (z * series + 2.0);
}

[[gnu::always_inline]] inline void log_of(const Lanes& x, Lanes& out) {
  log_by_bits<LaneBits>(x, out);
}

/// out = x log(x) for x >= 0, with its limit 0 at 0; errors as of `log_of()`, times x.
[[gnu::always_inline]] inline void x_log_x(const Lanes& x, Lanes& out) {
  Lanes log;
  log_of(x, log);
  out = x * log;
}

// Kernels for AVX2 are there unless MDPD_WITHOUT_AVX2 is defined, as it is to test the others.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(MDPD_WITHOUT_AVX2)
#define MDPD_HAS_AVX2
#endif

/// Instructions a kernel may use.
enum class Instructions {
  kPortable,  ///< those that every processor of the architecture has
  kAvx2       ///< x86-64 with AVX2
};

/// The widest that this processor has and the kernels are compiled for.
inline Instructions widest_instructions() {
#ifdef MDPD_HAS_AVX2
  if (__builtin_cpu_supports("avx2")) return Instructions::kAvx2;
#endif
  return Instructions::kPortable;
}

}  // namespace mdpd
