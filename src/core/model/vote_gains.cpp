#include "model/vote_gains.h"

#include <algorithm>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/matrices.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

/// Rows that are worked on at once, in the first-level cache.
constexpr Index rows_per_block = 256;
/// Nats that are rounding.
constexpr double least_gain = 1e-12;

/// The components of each class.
std::vector<std::vector<Index>> members_of_classes(const std::vector<Index>& class_of) {
  std::vector<std::vector<Index>> members;
  for (std::size_t k = 0; k < class_of.size(); ++k) {
    members.resize(std::max(members.size(), static_cast<std::size_t>(class_of[k]) + 1));
    members[class_of[k]].push_back(static_cast<Index>(k));
  }
  return members;
}

/// What the components of a row that are of one class tell of its label: of their joint probabilities
/// sum_r J_r log J_r - p log p.
double of_mixed_class(const Matrix& rows, Index row, const Matrix& probs,
                      const std::vector<Index>& members) {
  double p = 0.0;
  Vector joint = Vector::Zero(probs.rows());
  for (const Index k : members) {
    p += rows(row, k);
    joint += rows(row, k) * probs.col(k);
  }
  return sum_x_log_x(joint) - x_log_x(p);
}

/// Adds what one worker's vote is worth on some rows.
class BlockGains {
 public:
  /// @param first the first row.
  BlockGains(const RowMatrix& posterior, Index first,
             const std::vector<std::vector<Index>>& classes, VoteGains& out)
      : first_(first), classes_(classes), out_(out) {
    const Index n = std::min(rows_per_block, posterior.rows() - first);
    for (Index row = first; row < first + n; ++row) {
      // Of a row that is certain no vote tells anything.
      if (entropy_of(posterior.row(row)) > least_gain) open_.push_back(row);
    }
    rows_ = Matrix::Zero(round_up_to_lanes(static_cast<Index>(open_.size())), posterior.cols());
    for (std::size_t at = 0; at < open_.size(); ++at) rows_.row(at) = posterior.row(open_[at]);
  }

  /// @param probs labels x components.
  /// @param labelled rows that the worker has labelled, ascending.
  void add(Index worker, const Matrix& probs, const std::vector<std::uint32_t>& labelled) {
    if (open_.empty()) return;
    const Vector of_component =
        probs.unaryExpr([](double p) { return x_log_x(p); }).colwise().sum();
    labels_ = product(rows_, probs.transpose());
    x_log_x_of_all(labels_.data(), labels_.size());
    auto next = std::lower_bound(labelled.begin(), labelled.end(), first_);
    for (std::size_t at = 0; at < open_.size(); ++at) {
      const Index row = open_[at];
      while (next != labelled.end() && static_cast<Index>(*next) < row) ++next;
      const double gain = of_classes(static_cast<Index>(at), of_component, probs) -
                          labels_.row(static_cast<Index>(at)).sum();
      if (!(gain > least_gain)) continue;
      out_.mean[row] += gain;
      // Of workers who gain the same the first is best, whatever the rounding.
      const bool has_labelled = next != labelled.end() && static_cast<Index>(*next) == row;
      if (has_labelled || !(gain > out_.best[row] + least_gain)) continue;
      out_.best[row] = gain;
      out_.best_worker[row] = worker;
    }
  }

 private:
  template <class Row>
  double entropy_of(const Row& row) const {
    if (classes_.empty()) return -sum_x_log_x(row);
    double sum = 0.0;
    for (const std::vector<Index>& members : classes_) {
      double p = 0.0;
      for (const Index k : members) p += row[k];
      sum -= x_log_x(p);
    }
    return sum;
  }

  /// -H(X | Y) of an open row.
  double of_classes(Index at, const Vector& of_component, const Matrix& probs) const {
    if (classes_.empty()) return rows_.row(at).dot(of_component);
    double sum = 0.0;
    for (const std::vector<Index>& members : classes_) {
      sum += of_mixed_class(rows_, at, probs, members);
    }
    return sum;
  }

  Index first_;
  const std::vector<std::vector<Index>>& classes_;  ///< their components; none: each is one
  VoteGains& out_;
  std::vector<Index> open_;  ///< the rows that are not certain
  Matrix rows_;              ///< their posteriors
  Matrix labels_;            ///< rows x labels: P_r log P_r
};

}  // namespace

VoteGains vote_gains(const RowMatrix& posterior, const Voters& voters, int n_threads) {
  const Index n_obs = posterior.rows();
  const auto n_workers = static_cast<Index>(voters.label_probs.size());
  VoteGains out{Vector::Zero(n_obs), Vector::Zero(n_obs), std::vector<Index>(n_obs, no_worker)};
  const Index n_blocks = (n_obs + rows_per_block - 1) / rows_per_block;
  const std::vector<std::vector<Index>> classes = members_of_classes(voters.class_of);
  for_each_job(n_blocks, n_threads, [&](Index block, int) {
    BlockGains gains(posterior, block * rows_per_block, classes, out);
    for (Index worker = 0; worker < n_workers; ++worker) {
      gains.add(worker, voters.label_probs[worker], voters.labelled[worker]);
    }
  });
  if (n_workers > 0) out.mean /= static_cast<double>(n_workers);
  return out;
}

}  // namespace mdpd
