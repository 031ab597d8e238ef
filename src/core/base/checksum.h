#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mdpd {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
inline constexpr bool is_big_endian = true;
#else
inline constexpr bool is_big_endian = false;
#endif

/// The same number with its bytes in the order that files have, little end first; and back.
template <class Whole>
Whole little_endian(Whole x) {
  if (!is_big_endian) return x;
  unsigned char bytes[sizeof(Whole)];
  std::memcpy(bytes, &x, sizeof x);
  Whole out = 0;
  for (std::size_t i = sizeof x; i-- > 0;) out = static_cast<Whole>(out << 8 | bytes[i]);
  return out;
}

/// Checksum of 64 bits: FNV-1a (Fowler, Noll and Vo 1991) by words of eight bytes, little end
/// first, with the upper half folded into the lower after each of them, and the length as the last
/// word. Every step is one to one, so a change of bytes within one word always shows; without the
/// fold, two changes of the highest bits of two words would cancel.
inline std::uint64_t checksum_of(const void* data, std::size_t n_bytes) {
  constexpr std::uint64_t prime = 0x100000001B3;
  std::uint64_t sum = 0xCBF29CE484222325;
  const auto add_word = [&](std::uint64_t word) {
    sum = (sum ^ word) * prime;
    sum ^= sum >> 32;
  };
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t word;
  std::size_t n_left = n_bytes;
  for (; n_left >= sizeof word; n_left -= sizeof word, bytes += sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    add_word(little_endian(word));
  }
  if (n_left > 0) {
    word = 0;
    std::memcpy(&word, bytes, n_left);
    add_word(little_endian(word));
  }
  add_word(n_bytes);
  return sum;
}

/// The checksum of gzip files (Deutsch 1996, RFC 1952, section 8), bit by bit: what is checked by it
/// is small.
inline std::uint32_t crc32(const unsigned char* bytes, std::size_t n_bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t i = 0; i < n_bytes; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

/// A one-to-one map of 64 bits in which each bit depends on all: the last step of SplitMix64, Steele,
/// Lea and Flood (2014), Fast splittable pseudorandom number generators,
/// doi:10.1145/2660193.2660195.
inline std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Of bytes, with all bits alike: what rows are spread by, and what people compare.
inline std::uint64_t hash_text(const char* text, std::size_t n_bytes) {
  return mix_bits(checksum_of(text, n_bytes));
}

}  // namespace mdpd
