#pragma once

#include "base/lanes.h"
#include "base/types.h"

namespace mdpd {

/// Numbers that hold one row's weights in the kernels: the columns, padded to what these are
/// compiled for.
inline Index padded_columns(Index n_columns) {
  if (n_columns <= 2) return n_columns;
  return round_up_to_lanes(n_columns);
}

/// The vectors in which a kernel of a stride (0: any multiple of n_lanes) adds weights, or whole
/// numbers, see exact_sums.h; written out, as an attribute may not depend on a template.
template <int stride>
struct Cell {
  using Type = Lanes;
  using Whole = LaneBits;
};
template <>
struct Cell<1> {
  using Type = double;
  using Whole = std::uint64_t;
};
template <>
struct Cell<2> {
  using Type = double __attribute__((vector_size(16)));
  using Whole = std::uint64_t __attribute__((vector_size(16)));
};

template <class Weights, class Number>
[[gnu::always_inline]] inline void add_to_cell(const Weights& in, Number* cell) {
  Weights sum;
  std::memcpy(&sum, cell, sizeof sum);
  sum += in;
  std::memcpy(cell, &sum, sizeof sum);
}

}  // namespace mdpd
