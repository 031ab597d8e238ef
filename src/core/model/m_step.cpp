#include "model/m_step.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

void normalise_counts(const CodedData& data, Index item, double smoothing, RowMatrix& probs) {
  for (Index k = 0; k < probs.cols(); ++k) {
    const Index first = data.offset[item];
    double total = smoothing;
    for (Index r = 0; r < data.n_levels[item]; ++r) total += probs(first + r, k);
    for (Index r = 0; r < data.n_levels[item]; ++r) {
      const double marginal = data.marginal(item, r);
      double& cell = probs(first + r, k);
      cell = total > 0.0 ? (cell + smoothing * marginal) / total : marginal;
    }
  }
}

/// Lifts one column of one item. Lifting takes from the levels above the floor, which can push
/// another below it: repeat until none is, at most once per level.
void lift_column(const Vector& level_weight, double floor, Eigen::Ref<Vector> probs) {
  const Index n_seen = (level_weight.array() > 0.0).count();
  const double low = std::min(floor, 1.0 / static_cast<double>(n_seen));
  std::vector<bool> lifted(probs.size(), false);
  for (Index pass = 0; pass < probs.size(); ++pass) {
    double free = 1.0;
    double above = 0.0;
    bool changed = false;
    for (Index r = 0; r < probs.size(); ++r) {
      if (level_weight[r] > 0.0 && !lifted[r] && probs[r] < low) changed = lifted[r] = true;
      if (lifted[r])
        free -= low;
      else
        above += probs[r];
    }
    if (!changed) return;
    for (Index r = 0; r < probs.size(); ++r) {
      if (lifted[r])
        probs[r] = low;
      else if (probs[r] > 0.0)  // an unseen level stays at zero, also where nothing else is left
        probs[r] *= free / above;
    }
  }
}

}  // namespace

RowMatrix level_counts(const CodedData& data, const RowMatrix& posterior) {
  return level_sums(data, posterior, make_ready(data, all_items(data))).levels;
}

MixtureParameters m_step(const CodedData& data, const RowMatrix& posterior,
                         const MStepOptions& options) {
  const ReadyItems all = make_ready(data, all_items(data));
  return m_step_from_sums(data, level_sums_with_rare(data, posterior, all), options);
}

MixtureParameters m_step_from_sums(const CodedData& data, const LevelSums& sums,
                                   const MStepOptions& options) {
  MixtureParameters params;
  params.mixing_weights = sums.components.row(0).transpose() / data.total_weight;
  params.item_probs = sums.levels;
  const RowMatrix& prior = options.prior_counts;
  if (prior.size() > 0) {
    require(prior.rows() == params.item_probs.rows() && prior.cols() == params.item_probs.cols(),
            "prior counts of the items' levels and components");
    params.item_probs += prior;
  }
  for (Index item = 0; item < data.n_items; ++item) {
    normalise_counts(data, item, options.smoothing, params.item_probs);
  }
  apply_floor(data, options.floor, params.item_probs);
  return params;
}

double log_prior(const CodedData& data, const MixtureParameters& params,
                 const MStepOptions& options, const ItemSet& items) {
  double sum = 0.0;
  if (!(options.smoothing > 0.0) && options.prior_counts.size() == 0) return sum;
  for (const Index item : items) {
    for (Index r = 0; r < data.n_levels[item]; ++r) {
      const Index row = data.offset[item] + r;
      for (Index k = 0; k < params.n_components(); ++k) {
        double count = options.smoothing * data.marginal(item, r);
        if (options.prior_counts.size() > 0) count += options.prior_counts(row, k);
        if (count > 0.0) sum += count * safe_log(params.item_probs(row, k));
      }
    }
  }
  return sum;
}

void apply_floor(const CodedData& data, double floor, RowMatrix& item_probs) {
  if (!(floor > 0.0)) return;
  for (Index item = 0; item < data.n_items; ++item) {
    const Index first = data.offset[item];
    const Index n_levels = data.n_levels[item];
    const Vector weight = data.level_weight.segment(first, n_levels);
    for (Index k = 0; k < item_probs.cols(); ++k) {
      Vector column = item_probs.col(k).segment(first, n_levels);
      lift_column(weight, floor, column);
      item_probs.col(k).segment(first, n_levels) = column;
    }
  }
}

}  // namespace mdpd
