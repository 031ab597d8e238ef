#include "model/standing_sums.h"

#include <algorithm>
#include <numeric>

#include "model/refine.h"

namespace mdpd {

StandingSums standing_sums(const CodedData& frame, const RowTotals& rows, const RowPoint& at,
                           const RowPass& pass, double loglik) {
  StandingSums sums;
  sums.rows = rows;
  sums.counts = pass.counts;
  sums.overlap = frame.total_weight * pass.overlap;
  sums.modal = frame.total_weight * pass.modal;
  sums.entropy =
      std::max(0.0, loglik - expected_log_joint(frame, at.params, at.items, pass.counts));
  sums.reliance = Vector::Zero(frame.n_items);
  return sums;
}

StandingSums standing_sums_of_one(const CodedData& frame, const RowTotals& rows) {
  StandingSums sums;
  sums.rows = rows;
  sums.counts.levels = frame.level_weight;
  sums.counts.components = RowMatrix::Constant(1, 1, frame.total_weight);
  sums.overlap = sums.counts.components;
  sums.modal = sums.overlap;
  sums.reliance = Vector::Zero(frame.n_items);
  return sums;
}

double loglik_bound(const CodedData& frame, const StandingSums& sums, const RowPoint& at) {
  return expected_log_joint(frame, at.params, at.items, sums.counts) + sums.entropy;
}

void require_compatible(const std::vector<Index>& n_levels, const StandingSums& sums,
                        Index n_components) {
  const Index n_total = std::accumulate(n_levels.begin(), n_levels.end(), Index{0});
  const auto is_square = [&](const Matrix& x) {
    return x.rows() == n_components && x.cols() == n_components;
  };
  require(sums.rows.n_obs > 0 && sums.rows.level_weight.size() == n_total &&
              sums.counts.levels.rows() == n_total && sums.counts.levels.cols() == n_components &&
              sums.counts.components.rows() == 1 && sums.counts.components.cols() == n_components &&
              is_square(sums.overlap) && is_square(sums.modal) &&
              sums.reliance.size() == static_cast<Index>(n_levels.size()),
          "sums of these items, levels and components");
}

}  // namespace mdpd
