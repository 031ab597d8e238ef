#pragma once

// What the fuzzer's bytes mean to the targets beside this file.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/bytes.h"
#include "base/types.h"

namespace mdpd {

/// Numbers made of bytes, from the first to the last; then all are 0.
class Input {
 public:
  Input(const std::uint8_t* bytes, std::size_t n) : at_(bytes), end_(bytes + n) {}

  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  /// One of 0, ..., n - 1, with n at most 256.
  Index below(Index n) { return byte() % n; }
  bool flag() { return byte() % 2 == 1; }
  /// Seldom true: most of what is made should be as it must be.
  bool rarely() { return byte() % 32 == 31; }
  /// Any double there is.
  double bits() {
    std::uint64_t whole = 0;
    for (int n = 0; n < 8; ++n) whole = whole << 8 | byte();
    double x;
    std::memcpy(&x, &whole, sizeof x);
    return x;
  }
  /// Seldom a nasty number, else one of 0, 1/16, 2/16, ..., below 16.
  double amount() {
    if (!rarely()) return static_cast<double>(byte()) / 16.0;
    switch (below(6)) {
      case 0: return std::numeric_limits<double>::quiet_NaN();
      case 1: return std::numeric_limits<double>::infinity();
      case 2: return -1.0;
      case 3: return 1e300;
      case 4: return 1e-300;
      default: return bits();
    }
  }
  /// All that is left.
  Bytes rest() {
    Bytes out(at_, end_);
    at_ = end_;
    return out;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

/// With a beginning, and behind all that the checksum by which a reader believes it.
inline Bytes sealed(const std::string& beginning, Bytes bytes) {
  bytes.insert(bytes.begin(), beginning.begin(), beginning.end());
  const std::uint64_t seal = checksum_of(bytes);
  for (int byte = 0; byte < 8; ++byte) {
    bytes.push_back(static_cast<unsigned char>(seal >> (8 * byte)));
  }
  return bytes;
}

/// What must hold, or the fuzzer has a find.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "It does not hold that %s\n", what);
  std::abort();
}

}  // namespace mdpd
