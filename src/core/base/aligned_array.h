#pragma once

#include <vector>

#include "base/types.h"

namespace mdpd {

/// Numbers that start at a cache line: a register's worth of them never lies across two.
template <class Number>
class AlignedArray {
 public:
  Number* data() { return reinterpret_cast<Number*>(lines_.data()); }
  const Number* data() const { return reinterpret_cast<const Number*>(lines_.data()); }

  /// If it grows, what was in it is lost and all is 0.
  void grow_to(Index n) {
    const Index n_lines = (n + numbers_of_line - 1) / numbers_of_line;
    if (static_cast<Index>(lines_.size()) < n_lines) lines_.assign(n_lines, Line{});
  }

 private:
  static constexpr Index bytes_of_line = 64;
  static constexpr Index numbers_of_line = bytes_of_line / sizeof(Number);
  struct alignas(bytes_of_line) Line {
    Number numbers[numbers_of_line];
  };

  std::vector<Line> lines_ = std::vector<Line>(1);
};

using AlignedDoubles = AlignedArray<double>;

}  // namespace mdpd
