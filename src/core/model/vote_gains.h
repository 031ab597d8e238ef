#pragma once

#include <cstdint>

#include "base/types.h"

namespace mdpd {

/// Stands for "no worker" where the best one is asked for.
inline constexpr Index no_worker = -1;

/// What workers can tell that a vote is to be bought from.
struct Voters {
  std::vector<Matrix> label_probs;  ///< per worker: labels x components, columns sum to 1
  std::vector<std::vector<std::uint32_t>> labelled;  ///< per worker: rows labelled, ascending
  /// Of each component the class it stands for, where several stand for one; empty: its own.
  std::vector<Index> class_of = {};
};

/// What one more vote is worth on each row.
struct VoteGains {
  Vector mean;                     ///< expected gain, on average over the workers (nats)
  Vector best;                     ///< the largest of those who have not labelled the row; or 0
  std::vector<Index> best_worker;  ///< the first of them; no_worker if none gains
};

/// Mutual information of a row's class and the label that a worker is to give it, for each row of the
/// posterior. Where each component is a class: I(Y; X) = H(X) - H(X | Y) =
/// sum_k p_k sum_r q_rk log q_rk - sum_r P_r log P_r, P_r = sum_k p_k q_rk. Where several are, q_rk
/// is their mean in the row. Below 1e-12 it counts as 0, as rounding. One logarithm for each row, worker
/// and label; rows whose entropy is below 1e-12 need none. Memory is a few hundred kilobytes a
/// thread beside the results.
VoteGains vote_gains(const RowMatrix& posterior, const Voters& voters, int n_threads);

}  // namespace mdpd
