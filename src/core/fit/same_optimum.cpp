#include "fit/same_optimum.h"

#include <algorithm>
#include <cmath>

#include "base/assignment.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// Share of the rows' weight that may have moved between two ends at the same optimum.
constexpr double most_moved = 0.001;

bool are_same_items(const ItemSet& first, const ItemSet& second) {
  return std::is_permutation(first.begin(), first.end(), second.begin(), second.end());
}

}  // namespace

bool is_same_optimum(const CodedData& data, const MixtureFit& first, const MixtureFit& second,
                     const FitOptions& options) {
  const double gap = std::abs(first.penalised_loglik - second.penalised_loglik);
  if (first.params.n_components() != second.params.n_components() ||
      !are_same_items(first.informative, second.informative) ||
      gap > least_gain(data, first, options)) {
    return false;
  }
  const RowMatrix& before = first.e_step.posterior;
  const RowMatrix& after = second.e_step.posterior;
  const std::vector<Index> match = best_assignment(shared_weight(data, before, after));
  RowMatrix moved = RowMatrix::Zero(data.n_obs, 1);
  for (Index k = 0; k < before.cols(); ++k) {
    moved += 0.5 * (before.col(k) - after.col(match[k])).cwiseAbs();
  }
  return row_shares(data, moved).sum() < most_moved;
}

}  // namespace mdpd
