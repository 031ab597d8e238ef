#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/checksum.h"
#include "base/errors.h"

namespace mdpd {

using Bytes = std::vector<unsigned char>;

// Messages between processes: eight letters that say what it is, a version of four bytes, numbers
// with the little end first and doubles bit for bit, and a checksum of all that, see checksum.h.

inline constexpr std::size_t n_letters = 8;
inline constexpr std::uint32_t version_of_messages = 1;

class ByteWriter {
 public:
  explicit ByteWriter(const char (&kind)[n_letters + 1]) {
    add(kind, n_letters);
    write(version_of_messages);
  }
  template <class Whole>
  void write(Whole x) {
    static_assert(std::is_integral<Whole>::value, "doubles go by write_real()");
    x = little_endian(x);
    add(&x, sizeof x);
  }
  void write_real(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    write(bits);
  }
  void write_reals(const double* x, std::size_t n) {
    if (!is_big_endian) return add(x, n * sizeof(double));
    for (std::size_t at = 0; at < n; ++at) write_real(x[at]);
  }
  /// The message; the writer is empty afterwards.
  Bytes finish() {
    write(checksum_of(bytes_.data(), bytes_.size()));
    return std::move(bytes_);
  }

 private:
  void add(const void* data, std::size_t n_bytes) {
    const auto* from = static_cast<const unsigned char*>(data);
    bytes_.insert(bytes_.end(), from, from + n_bytes);
  }
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
    if (bytes.size() < n_letters + sizeof(std::uint32_t) + n_seal) fail("it is too short");
    end_ = bytes.size() - n_seal;
    std::uint64_t seal;
    std::memcpy(&seal, bytes.data() + end_, sizeof seal);
    if (little_endian(seal) != checksum_of(bytes.data(), end_)) fail("its checksum is wrong");
    if (std::memcmp(bytes.data(), kind, n_letters) != 0) fail("it is of another kind");
    at_ = n_letters;
    if (read<std::uint32_t>() != version_of_messages) fail("it is of another version");
  }

  [[noreturn]] static void fail(const char* problem) { throw DamagedMessage(problem); }

  template <class Whole>
  Whole read() {
    Whole x;
    take(&x, sizeof x);
    return little_endian(x);
  }
  double read_real() {
    const auto bits = read<std::uint64_t>();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
  void read_reals(double* to, std::size_t n) {
    if (!is_big_endian) return take(to, n * sizeof(double));
    for (std::size_t at = 0; at < n; ++at) to[at] = read_real();
  }
  /// A number of things that take so many bytes each, and follow.
  std::size_t read_count(std::size_t n_bytes_each) {
    const auto n = read<std::uint64_t>();
    if (n > (end_ - at_) / n_bytes_each) fail("it has a count that cannot be");
    return static_cast<std::size_t>(n);
  }
  /// Before memory is asked for.
  void require_left(std::size_t n_bytes) const {
    if (n_bytes > end_ - at_) fail("it ends too early");
  }
  void finish() const {
    if (at_ != end_) fail("it is too long");
  }

 private:
  void take(void* to, std::size_t n_bytes) {
    require_left(n_bytes);
    if (n_bytes == 0) return;
    std::memcpy(to, bytes_.data() + at_, n_bytes);
    at_ += n_bytes;
  }

  const Bytes& bytes_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace mdpd
