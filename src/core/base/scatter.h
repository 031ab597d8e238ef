#pragma once

#include "base/aligned_array.h"
#include "base/lanes.h"
#include "base/types.h"

namespace mdpd {

/// Doubles that hold one row's weights in the kernels: the columns, padded to what these are
/// compiled for.
inline Index padded_columns(Index n_columns) {
  if (n_columns <= 2) return n_columns;
  return round_up_to_lanes(n_columns);
}

/// The vector in which a kernel of a stride (0: any multiple of n_lanes) adds weights; written out,
/// as an attribute may not depend on a template.
template <int stride>
struct Cell {
  using Type = Lanes;
};
template <>
struct Cell<1> {
  using Type = double;
};
template <>
struct Cell<2> {
  using Type = double __attribute__((vector_size(16)));
};

template <class Weights>
[[gnu::always_inline]] inline void add_to_cell(const Weights& in, double* cell) {
  Weights sum;
  std::memcpy(&sum, cell, sizeof sum);
  sum += in;
  std::memcpy(cell, &sum, sizeof sum);
}

/// The hot loop: adds one row's weights to one cell in each pack's table. Four packs at a time, as
/// their additions meet different cells and do not wait for each other.
template <int stride>
[[gnu::always_inline]] inline void add_row(const double* weights, const std::uint16_t* cells,
                                           Index n_packs, double* table, Index n_doubles) {
  using Weights = typename Cell<stride>::Type;
  constexpr Index width = sizeof(Weights) / sizeof(double);
  const std::size_t step = stride > 0 ? stride : n_doubles;
  for (std::size_t v = 0; v < step; v += width) {
    Weights in;
    std::memcpy(&in, weights + v, sizeof in);
    double* at = table + v;
    Index p = 0;
    for (; p + 4 <= n_packs; p += 4) {
      add_to_cell(in, at + cells[p] * step);
      add_to_cell(in, at + cells[p + 1] * step);
      add_to_cell(in, at + cells[p + 2] * step);
      add_to_cell(in, at + cells[p + 3] * step);
    }
    for (; p < n_packs; ++p) add_to_cell(in, at + cells[p] * step);
  }
}

}  // namespace mdpd
