#include "model/criterion.h"

#include <algorithm>

#include "base/numerics.h"

namespace mdpd {

namespace {

/// Nats below which columns are equal but for rounding.
constexpr double least_information = 1e-12;

/// A fraction of a row does not lower what is penalised.
double log_of_rows(double weight) { return log_of(std::max(weight, 1.0)); }

}  // namespace

double item_penalty(const CodedData& data, Index item, Index n_components) {
  const double free_per_component = static_cast<double>(data.n_levels_seen[item] - 1);
  return 0.5 * static_cast<double>(n_components - 1) * free_per_component *
         log_of_rows(data.observed_weight[item]);
}

double marginal_loglik(const CodedData& data, const ItemSet& informative) {
  Vector outside = data.marginal_loglik;
  for (const Index item : informative) outside[item] = 0.0;
  return outside.sum();
}

double penalised_loglik(const CodedData& data, double loglik, const ItemSet& informative,
                        Index n_components) {
  double penalty = 0.5 * static_cast<double>(n_components - 1) * log_of_rows(data.total_weight);
  for (const Index item : informative) penalty += item_penalty(data, item, n_components);
  return loglik - penalty;
}

double item_information(const CodedData& data, const MixtureParameters& params, Index item,
                        const Vector& weights) {
  const auto probs = data.levels_of(item, params.item_probs);
  double sum = 0.0;
  for (Index r = 0; r < probs.rows(); ++r) {
    double mean = 0.0;
    for (Index k = 0; k < probs.cols(); ++k) {
      mean += weights[k] * probs(r, k);
      sum += weights[k] * x_log_x(probs(r, k));
    }
    sum -= x_log_x(mean);
  }
  return sum > least_information ? sum : 0.0;
}

Vector item_evidence(const CodedData& data, const MixtureParameters& params,
                     const RowMatrix& counts, const ItemSet& informative) {
  Vector out = Vector::Zero(data.n_items);
  for (const Index item : informative) {
    const Vector weights = data.levels_of(item, counts).colwise().sum();
    const double observed = data.observed_weight[item];
    out[item] = observed * item_information(data, params, item, weights / observed) -
                item_penalty(data, item, params.n_components());
  }
  return out;
}

double n_free_parameters(const CodedData& data, const ItemSet& informative, Index n_components) {
  Index free = n_components - 1;
  for (Index item = 0; item < data.n_items; ++item) free += data.n_levels_seen[item] - 1;
  for (const Index item : informative) {
    free += (n_components - 1) * (data.n_levels_seen[item] - 1);
  }
  return static_cast<double>(free);
}

}  // namespace mdpd
