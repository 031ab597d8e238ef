#pragma once

#include "base/eigen.h"

#include <numeric>
#include <vector>

namespace mdpd {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Row-major: a row is an observation or a level, with all components side by side, so that every
/// kernel reads and adds one short contiguous vector per observation.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Items that enter the posterior: 0-based, unique.
using ItemSet = std::vector<Index>;

/// 0, ..., n - 1.
inline std::vector<Index> numbers_below(Index n) {
  std::vector<Index> out(n);
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace mdpd
