#include "model/criterion.h"

#include <cmath>

namespace mdpd {

double item_penalty(const CodedData& data, Index item, Index n_components) {
  const double free_per_component = static_cast<double>(data.n_levels_seen[item] - 1);
  return 0.5 * static_cast<double>(n_components - 1) * free_per_component *
         std::log(data.observed_weight[item]);
}

double marginal_loglik(const CodedData& data, const ItemSet& informative) {
  Vector outside = data.marginal_loglik;
  for (const Index item : informative) outside[item] = 0.0;
  return outside.sum();
}

double penalised_loglik(const CodedData& data, double loglik, const ItemSet& informative,
                        Index n_components) {
  double penalty = 0.5 * static_cast<double>(n_components - 1) * std::log(data.total_weight);
  for (const Index item : informative) penalty += item_penalty(data, item, n_components);
  return loglik - penalty;
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
