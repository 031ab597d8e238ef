#include "model/inclusion.h"

#include <limits>
#include <vector>

#include "base/jobs.h"
#include "base/numerics.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// Answers of a component beside the concentration from which on a family is told from the spike.
constexpr double least_answers = 0.5;

/// Items added that are the same, so that none is sure to differ as all others do.
constexpr double n_same = 9.0;

constexpr int n_steps = 200;

ExactSum reliance_on_item(const CodedData& data, const RowMatrix& item_probs,
                          const RowMatrix& posterior, Index item) {
  const auto probs = data.levels_of(item, item_probs);
  const RowMatrix logs = probs.unaryExpr([](double p) { return log_of(p); });
  const RowMatrix inverse = probs.cwiseInverse();
  ExactSum sum = empty_loglik(data);
  for_each_answer(data, item, [&](Index row, Code code) {
    // A level that only such rows have may be impossible in all components.
    if (!(data.case_weights[row] > 0.0)) return;
    const auto of_row = posterior.row(row);
    const double with_item = of_row.dot(logs.row(code - 1));
    const double without = log_of(of_row.dot(inverse.row(code - 1)));
    sum.add(data.case_weights[row] * (with_item + without));
  });
  return sum;
}

/// Is a family of the evidence's weights told from the spike? The crowd's always is: its columns
/// differ.
bool is_told(Index family, double n_answers) {
  return family > n_concentrations || n_answers >= least_answers * concentration(family - 1);
}

/// Bayes factors against the spike, each row divided by its largest.
RowMatrix lowered_factors(const Vector& lowered_by, const ItemEvidence& evidence,
                          const Vector& weights, double n_answers) {
  RowMatrix logs = RowMatrix::Constant(evidence.shares.rows(), weights.size(),
                                       -std::numeric_limits<double>::infinity());
  logs.col(0).setZero();
  for (Index family = 1; family < weights.size(); ++family) {
    if (!(weights[family] > 0.0) || !is_told(family, n_answers)) continue;
    const auto log_factor = [&](double share) { return log_of(share / weights[family]); };
    logs.col(family) =
        evidence.gain - lowered_by + evidence.shares.col(family).unaryExpr(log_factor);
  }
  const Vector largest = logs.rowwise().maxCoeff();
  return (logs.colwise() - largest).unaryExpr([](double x) { return exp_of(x); });
}

}  // namespace

ItemSet gaining_items(const MixtureFit& fit) {
  ItemSet items;
  for (const Index item : fit.informative) {
    if (fit.item_evidence.gain[item] > 0.0) items.push_back(item);
  }
  return items;
}

std::vector<ExactSum> reliance_on(const CodedData& data, const RowMatrix& item_probs,
                                  const RowMatrix& posterior, const ItemSet& items) {
  std::vector<ExactSum> out(items.size(), empty_loglik(data));
  const auto n_jobs = static_cast<Index>(items.size());
  const double n_operations = static_cast<double>(data.n_obs * n_jobs * posterior.cols());
  for_each_job(n_jobs, useful_threads(data.n_threads, n_operations), [&](Index job, int) {
    out[job] = reliance_on_item(data, item_probs, posterior, items[job]);
  });
  return out;
}

Vector reliance(const CodedData& data, const ItemSet& items, const std::vector<ExactSum>& sums) {
  Vector out = Vector::Zero(data.n_items);
  for (std::size_t at = 0; at < items.size(); ++at) {
    out[items[at]] = std::max(0.0, sums[at].value());
  }
  return out;
}

Vector inclusion(const CodedData& data, const Vector& lowered_by, const ItemEvidence& evidence,
                 const Vector& weights, Index n_components) {
  if (n_components < 2) return Vector::Zero(data.n_items);
  const double n_answers = data.observed_weight.mean() / static_cast<double>(n_components);
  const RowMatrix factors = lowered_factors(lowered_by, evidence, weights, n_answers);
  Vector learned = Vector::Constant(weights.size(), 1.0 / static_cast<double>(weights.size()));
  RowMatrix shares;
  for (int step = 0; step <= n_steps; ++step) {
    shares = factors * learned.asDiagonal();
    shares = shares.array().colwise() / shares.rowwise().sum().array();
    learned = shares.colwise().sum().transpose();
    learned[0] += n_same;
    learned /= learned.sum();
  }
  return 1.0 - shares.col(0).array();
}

}  // namespace mdpd
