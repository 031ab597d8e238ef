#include "m_step.h"

#include <algorithm>

#include "numerics.h"

namespace mdpd {

namespace {

/// Adds case-weighted posteriors into one item's counts; row 0 collects the missing codes.
void count_item(const CodedData& data, const RowMatrix& weighted, Index item, RowMatrix& scratch) {
  const Index n_components = weighted.cols();
  scratch.setZero(data.n_levels[item] + 1, n_components);
  const Code* codes = data.item_codes(item);
  const double* in = weighted.data();
  for (Index n = 0; n < data.n_obs; ++n, in += n_components) {
    double* out = scratch.data() + codes[n] * n_components;
    for (Index k = 0; k < n_components; ++k) out[k] += in[k];
  }
}

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
  const RowMatrix weighted = data.case_weights.asDiagonal() * posterior;
  RowMatrix counts(data.n_total_levels(), posterior.cols());
  RowMatrix scratch;
  for (Index item = 0; item < data.n_items; ++item) {
    count_item(data, weighted, item, scratch);
    counts.middleRows(data.offset[item], data.n_levels[item]) =
        scratch.bottomRows(data.n_levels[item]);
  }
  return counts;
}

MixtureParameters m_step(const CodedData& data, const RowMatrix& posterior,
                         const MStepOptions& options) {
  return m_step_from_counts(data, posterior, level_counts(data, posterior), options);
}

MixtureParameters m_step_from_counts(const CodedData& data, const RowMatrix& posterior,
                                     const RowMatrix& counts, const MStepOptions& options) {
  MixtureParameters params;
  params.mixing_weights = posterior.transpose() * data.case_weights / data.total_weight;
  params.item_probs = counts;
  if (options.prior_counts.size() > 0) params.item_probs += options.prior_counts;
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
