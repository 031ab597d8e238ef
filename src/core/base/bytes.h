#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/checksum.h"
#include "base/errors.h"
#include "base/types.h"

namespace mdpd {

using Bytes = std::vector<unsigned char>;

// Messages between processes, and files of rows: eight letters that say what it is, a version of four
// bytes, numbers with the little end first and doubles bit for bit, and a checksum of all that, see
// checksum.h.

inline constexpr std::size_t n_letters = 8;
inline constexpr std::uint32_t version_of_messages = 1;

/// Of all bytes.
inline std::uint64_t checksum_of(const Bytes& bytes) {
  return checksum_of(bytes.data(), bytes.size());
}

/// The checksum at the end of a message.
inline std::uint64_t seal_of(const Bytes& message) {
  std::uint64_t seal;
  std::memcpy(&seal, message.data() + message.size() - sizeof seal, sizeof seal);
  return little_endian(seal);
}

/// Numbers side by side from the order of bytes that this processor has to that of messages, or back.
template <class Number>
void swap_bytes(unsigned char* bytes, std::size_t n) {
  if (!is_big_endian) return;
  for (std::size_t at = 0; at < n; ++at, bytes += sizeof(Number)) {
    std::reverse(bytes, bytes + sizeof(Number));
  }
}

class ByteWriter {
 public:
  explicit ByteWriter(const char (&kind)[n_letters + 1]) {
    write_all(kind, n_letters);
    write(version_of_messages);
  }
  template <class Number>
  void write(Number x) {
    write_all(&x, 1);
  }
  template <class Number>
  void write_all(const Number* x, std::size_t n) {
    static_assert(std::is_arithmetic<Number>::value, "numbers");
    const auto* from = reinterpret_cast<const unsigned char*>(x);
    bytes_.insert(bytes_.end(), from, from + n * sizeof(Number));
    swap_bytes<Number>(bytes_.data() + bytes_.size() - n * sizeof(Number), n);
  }
  /// Numbers from 0 to 2^32 - 1, by four bytes each.
  void write_counts(const std::vector<Index>& x) {
    for (const Index count : x) write(static_cast<std::uint32_t>(count));
  }
  /// The message; the writer is empty afterwards.
  Bytes finish() {
    write(checksum_of(bytes_));
    return std::move(bytes_);
  }

 private:
  Bytes bytes_;
};

/// Reads what a ByteWriter wrote. Nothing is read before the checksum is right, and no count is
/// believed that is more than the bytes that are left.
class ByteReader {
 public:
  /// Keeps a reference to `bytes`.
  /// @throws DamagedMessage if they are not a whole message of this kind and version.
  ByteReader(const Bytes& bytes, const char (&kind)[n_letters + 1]) : bytes_(bytes) {
    constexpr std::size_t n_seal = sizeof(std::uint64_t);
    if (bytes.size() < n_letters + sizeof version_of_messages + n_seal) fail("it is too short");
    end_ = bytes.size() - n_seal;
    if (seal_of(bytes) != checksum_of(bytes.data(), end_)) fail("its checksum is wrong");
    if (std::memcmp(bytes.data(), kind, n_letters) != 0) fail("it is of another kind");
    at_ = n_letters;
    if (read<std::uint32_t>() != version_of_messages) fail("it is of another version");
  }

  [[noreturn]] static void fail(const char* problem) { throw DamagedMessage(problem); }

  template <class Number>
  Number read() {
    Number x;
    read_all(&x, 1);
    return x;
  }
  template <class Number>
  void read_all(Number* to, std::size_t n) {
    require_left<Number>(n);
    if (n == 0) return;
    std::memcpy(to, bytes_.data() + at_, n * sizeof(Number));
    swap_bytes<Number>(reinterpret_cast<unsigned char*>(to), n);
    at_ += n * sizeof(Number);
  }
  /// Memory is asked for when so many are known to be there.
  template <class Number>
  std::vector<Number> read_vector(std::size_t n) {
    require_left<Number>(n);
    std::vector<Number> out(n);
    read_all(out.data(), n);
    return out;
  }
  std::vector<Index> read_counts(std::size_t n) {
    std::vector<Index> out(n);
    for (Index& count : out) count = read<std::uint32_t>();
    return out;
  }
  /// Leaves bytes out; gives the place of the first.
  std::size_t skip(std::size_t n) {
    require_left<unsigned char>(n);
    at_ += n;
    return at_ - n;
  }
  /// A number of things that take so many bytes each, and follow.
  std::size_t read_count(std::size_t n_bytes_each) {
    const auto n = read<std::uint64_t>();
    if (n > (end_ - at_) / n_bytes_each) fail("it has a count that cannot be");
    return static_cast<std::size_t>(n);
  }
  void finish() const {
    if (at_ != end_) fail("it is too long");
  }

 private:
  template <class Number>
  void require_left(std::size_t n) const {
    if (n > (end_ - at_) / sizeof(Number)) fail("it ends too early");
  }

  const Bytes& bytes_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace mdpd
