#pragma once

// Eigen, of which one thing is mended: up to 3.4 a matrix that is resized lets go of its memory,
// asks for other memory and, where that is refused, still points to what it let go of, which it
// frees once more. tests/faults shows it.

#include "base/arithmetic.h"

#include <Eigen/Core>

#if !EIGEN_VERSION_AT_LEAST(3, 4, 90)

namespace mdpd {

/// Numbers that replace `data`, which is none while they are asked for. Fewer than 1: none.
inline void replace_numbers(double*& data, Eigen::Index n_before, Eigen::Index n) {
  Eigen::internal::conditional_aligned_delete_auto<double, true>(data, n_before);
  data = nullptr;
  if (n > 0) data = Eigen::internal::conditional_aligned_new_auto<double, true>(n);
}

}  // namespace mdpd

namespace Eigen {

template <>
inline void DenseStorage<double, Dynamic, Dynamic, Dynamic, ColMajor>::resize(Index size,
                                                                              Index rows,
                                                                              Index cols) {
  if (size != m_rows * m_cols) mdpd::replace_numbers(m_data, m_rows * m_cols, size);
  m_rows = rows;
  m_cols = cols;
}

template <>
inline void DenseStorage<double, Dynamic, Dynamic, Dynamic, RowMajor>::resize(Index size,
                                                                              Index rows,
                                                                              Index cols) {
  if (size != m_rows * m_cols) mdpd::replace_numbers(m_data, m_rows * m_cols, size);
  m_rows = rows;
  m_cols = cols;
}

template <>
inline void DenseStorage<double, Dynamic, Dynamic, 1, ColMajor>::resize(Index size, Index rows,
                                                                        Index) {
  if (size != m_rows) mdpd::replace_numbers(m_data, m_rows, size);
  m_rows = rows;
}

template <>
inline void DenseStorage<double, Dynamic, 1, Dynamic, RowMajor>::resize(Index size, Index,
                                                                        Index cols) {
  if (size != m_cols) mdpd::replace_numbers(m_data, m_cols, size);
  m_cols = cols;
}

}  // namespace Eigen

#endif
