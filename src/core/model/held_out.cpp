#include "model/held_out.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/jobs.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

/// Of a probability, what taking a row out leaves at least: a row may weigh less than a case.
constexpr double least_kept = 1e-6;

/// Of a row in a component: without so small a one it is as small.
constexpr double negligible_posterior = 1e-12;

/// Items whose ratios are multiplied before a logarithm is taken.
constexpr int n_at_once = 8;

/// Rows of which one job takes out what they add.
constexpr Index rows_of_job = 1024;

double kept_of(double share) { return std::max(least_kept, 1.0 - share); }

/// What a case of a row moves of the probabilities of its answers' levels, relative to these:
/// n_total_levels x n_components.
RowMatrix moves_of_levels(const CodedData& data, const MixtureParameters& params,
                          const ItemSet& items, const RowMatrix& pull) {
  RowMatrix moves = RowMatrix::Zero(data.n_total_levels(), params.n_components());
  for (const Index item : items) {
    for (Index at = data.offset[item]; at < data.offset[item + 1]; ++at) {
      moves.row(at) = pull.row(item).cwiseQuotient(params.item_probs.row(at));
    }
  }
  return moves;
}

/// Log-ratios of the probability of rows' answers in each component without and with the row, where
/// it has a share of the row that counts; elsewhere 0.
class LogRatios {
 public:
  /// @param shares of the rows in the components.
  /// @param n_cases of each component.
  LogRatios(const RowMatrix& shares, const Vector& n_cases)
      : start_of_row_(1, 0), sums_(RowMatrix::Zero(shares.rows(), shares.cols())) {
    for (Index row = 0; row < shares.rows(); ++row) {
      for (Index k = 0; k < shares.cols(); ++k) {
        if (!(shares(row, k) > negligible_posterior)) continue;
        parts_.push_back({k, shares(row, k), 1.0, 1.0});
        sums_(row, k) = log_of(kept_of(shares(row, k) / n_cases[k]));
      }
      start_of_row_.push_back(parts_.size());
    }
  }

  /// @param of_level, of_total what a case moves of the level's probability and of all of the item's,
  ///   by component.
  void add_answer(Index row, const double* of_level, const double* of_total) {
    for (std::size_t at = start_of_row_[row]; at < start_of_row_[row + 1]; ++at) {
      Part& part = parts_[at];
      part.of_levels *= kept_of(part.share * of_level[part.component]);
      part.of_totals *= kept_of(part.share * of_total[part.component]);
    }
  }

  void take_logs() {
    for (Index row = 0; row < sums_.rows(); ++row) {
      for (std::size_t at = start_of_row_[row]; at < start_of_row_[row + 1]; ++at) {
        Part& part = parts_[at];
        sums_(row, part.component) += log_of(part.of_levels / part.of_totals);
        part.of_levels = part.of_totals = 1.0;
      }
    }
  }

  const RowMatrix& sums() const { return sums_; }

 private:
  struct Part {
    Index component;
    double share;
    double of_levels;  ///< product of what is kept of the levels' probabilities
    double of_totals;
  };

  std::vector<std::size_t> start_of_row_;
  std::vector<Part> parts_;
  RowMatrix sums_;
};

}  // namespace

RowMatrix held_out_posterior(const CodedData& data, const MixtureParameters& params,
                             const ItemSet& items, const RowMatrix& posterior,
                             const RowMatrix& pull) {
  const RowMatrix moves = moves_of_levels(data, params, items, pull);
  const Vector n_cases =
      params.mixing_weights * (data.total_weight + static_cast<double>(params.n_components()));
  RowMatrix out(posterior.rows(), posterior.cols());
  const double n_operations =
      static_cast<double>(data.n_obs * posterior.cols()) * static_cast<double>(items.size());
  const Index n_jobs = (data.n_obs + rows_of_job - 1) / rows_of_job;
  for_each_job(n_jobs, useful_threads(data.n_threads, n_operations), [&](Index job, int) {
    const Index first = job * rows_of_job;
    const Index n = std::min(rows_of_job, data.n_obs - first);
    RowMatrix shares = posterior.middleRows(first, n);
    for (Index row = 0; row < n; ++row) {
      if (!(data.case_weights[first + row] > 0.0)) shares.row(row).setZero();
    }
    LogRatios ratios(shares, n_cases);
    int n_items = 0;
    for (const Index item : items) {
      for_each_answer_of_rows(data, item, first, first + n, [&](Index row, Code code) {
        ratios.add_answer(row - first, moves.row(data.offset[item] + code - 1).data(),
                          pull.row(item).data());
      });
      if (++n_items % n_at_once == 0) ratios.take_logs();
    }
    ratios.take_logs();
    out.middleRows(first, n) = ratios.sums();
  });
  for (Index row = 0; row < out.rows(); ++row) {
    double largest = -std::numeric_limits<double>::infinity();
    for (Index k = 0; k < out.cols(); ++k) {
      if (!(posterior(row, k) > 0.0)) continue;
      out(row, k) += log_of(posterior(row, k));
      largest = std::max(largest, out(row, k));
    }
    for (Index k = 0; k < out.cols(); ++k) {
      out(row, k) = posterior(row, k) > 0.0 ? exp_of(out(row, k) - largest) : 0.0;
    }
    out.row(row) /= out.row(row).sum();
  }
  return out;
}

}  // namespace mdpd
