#include "model/held_out.h"

#include <algorithm>
#include <limits>

#include "base/jobs.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

/// Of a probability, what taking a row out leaves at least: a row may weigh less than a case.
constexpr double least_kept = 1e-6;

/// Items whose ratios are multiplied before a logarithm is taken.
constexpr int n_at_once = 8;

double kept_of(double share) { return std::max(least_kept, 1.0 - share); }

/// Log-ratios of the probability of each row's answers in a component without and with the row.
Vector log_ratios(const CodedData& data, const MixtureParameters& params, const ItemSet& items,
                  const RowMatrix& posterior, const RowMatrix& pull, Index k) {
  const double n_cases =
      params.mixing_weights[k] * (data.total_weight + static_cast<double>(params.n_components()));
  Vector product = posterior.col(k).unaryExpr([&](double g) { return kept_of(g / n_cases); });
  Vector sum = Vector::Zero(data.n_obs);
  const auto take_logs = [&] {
    sum += product.unaryExpr([](double x) { return log_of(x); });
    product.setOnes();
  };
  int n_items = 0;
  for (const Index item : items) {
    const double move = pull(item, k);
    const auto probs = params.item_probs.col(k).segment(data.offset[item], data.n_levels[item]);
    for_each_answer(data, item, [&](Index row, Code code) {
      if (!(data.case_weights[row] > 0.0)) return;
      const double moved = posterior(row, k) * move;
      product[row] *= kept_of(moved / probs[code - 1]) / kept_of(moved);
    });
    if (++n_items % n_at_once == 0) take_logs();
  }
  take_logs();
  return sum;
}

}  // namespace

RowMatrix held_out_posterior(const CodedData& data, const MixtureParameters& params,
                             const ItemSet& items, const RowMatrix& posterior,
                             const RowMatrix& pull) {
  RowMatrix out(posterior.rows(), posterior.cols());
  const double n_operations =
      static_cast<double>(data.n_obs * posterior.cols()) * static_cast<double>(items.size());
  for_each_job(posterior.cols(), useful_threads(data.n_threads, n_operations), [&](Index k, int) {
    out.col(k) = log_ratios(data, params, items, posterior, pull, k);
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
