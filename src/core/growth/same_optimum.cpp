#include "growth/same_optimum.h"

#include <algorithm>
#include <cmath>

#include "base/assignment.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// In units of the change at which EM stops. Large data have their optima far from each other, and
/// EM creeps longer.
constexpr double smallest_gain_in_tol = 5.0;
constexpr double smallest_gain_in_tol_of_large = 100.0;

/// Share of the rows' weight that may have moved between two ends at the same optimum; a row that
/// moves leaves one component and joins another.
constexpr double most_moved = 0.001;

}  // namespace

bool is_large(const CodedData& data, const FitOptions& options) {
  return data.n_weighted() > options.most_small_rows;
}

double least_gain(const CodedData& data, const MixtureFit& fit, const FitOptions& options) {
  const double change_at_stop = options.refine.tol * std::abs(fit.objective());
  const double in_tol =
      is_large(data, options) ? smallest_gain_in_tol_of_large : smallest_gain_in_tol;
  return std::max(smallest_gain, in_tol * change_at_stop);
}

Vector moved_shares(const CodedData& data, const RowMatrix& before, const RowMatrix& after) {
  const std::vector<Index> match = best_assignment(shared_weight(data, before, after));
  RowMatrix moved(before.rows(), before.cols());
  for (Index k = 0; k < before.cols(); ++k) {
    moved.col(k) = (before.col(k) - after.col(match[k])).cwiseAbs();
  }
  return row_shares(data, moved).colwise().sum();
}

bool is_same_optimum(const CodedData& data, const MixtureFit& first, const MixtureFit& second,
                     const FitOptions& options) {
  const ItemSet& items = first.informative;
  const ItemSet& others = second.informative;
  // By evidence an item that hardly differs may be just in use or just not.
  const bool is_by_evidence = !std::isnan(first.evidence);
  const double gap = std::abs(first.objective() - second.objective());
  return first.params.n_components() == second.params.n_components() &&
         (is_by_evidence ||
          std::is_permutation(items.begin(), items.end(), others.begin(), others.end())) &&
         gap <= least_gain(data, first, options) &&
         moved_shares(data, first.e_step.posterior, second.e_step.posterior).sum() <
             2.0 * most_moved;
}

}  // namespace mdpd
