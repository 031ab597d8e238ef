#include "model/item_prior.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numerics.h"

namespace mdpd {

double concentration(Index at) {
  double out = 0.5;
  for (Index step = 0; step < at; ++step) out *= 3.0;
  return out;
}

ItemPrior flat_prior(Index n_families) {
  ItemPrior prior;
  const Index n = n_families * n_concentrations;
  prior.weights = Vector::Constant(n + 1, 0.5 / static_cast<double>(n));
  prior.weights[0] = 0.5;
  return prior;
}

ItemPrior prior_to_go_on_with(ItemPrior prior) {
  prior.weights = prior.weights.cwiseMax(tiny_probability).eval();
  return prior;
}

void require_prior(const ItemPrior& prior, const std::vector<Index>& n_levels, Index n_components) {
  const RowMatrix& crowd = prior.crowd;
  const RowMatrix& pull = prior.pseudo_counts;
  const bool has_crowd = crowd.size() > 0;
  if (prior.weights.size() == 0 && !has_crowd && pull.size() == 0) return;
  const bool is_of_crowd =
      crowd.cols() == n_components &&
      std::all_of(n_levels.begin(), n_levels.end(), [&](Index n) { return n == crowd.rows(); });
  const bool has_shape = pull.rows() == crowd.rows() && pull.cols() == crowd.cols();
  require(prior.weights.size() == flat_prior(has_crowd ? n_families_of_crowd : 1).weights.size() &&
              (!has_crowd || is_of_crowd) && (pull.size() == 0 || has_shape),
          "a prior of the items' levels and components");
}

}  // namespace mdpd
