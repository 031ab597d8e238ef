#include "starts/mistakes.h"

#include <algorithm>
#include <cmath>

#include "starts/vote.h"

namespace mdpd {

namespace {

/// Where rows stray from what is expected by no more than each of them does, as one row alone,
/// rounding is not to decide.
constexpr double least_variation = 1e-9;

/// Probability of each wrong label, of answers of which this share of pairs agree.
double probability_of_mistake(double agreement, Index n_labels) {
  const double others = static_cast<double>(n_labels - 1);
  const double root = std::sqrt(std::max(0.0, others * ((others + 1.0) * agreement - 1.0)));
  const double right = (1.0 + root) / (others + 1.0);
  return (1.0 - right) / others;
}

}  // namespace

bool has_like_mistakes(const CodedData& data, Index n_labels) {
  const RowMatrix answers = label_counts(data, n_labels);
  const Vector& weights = data.case_weights;
  const Vector n_answers = answers.rowwise().sum();
  // Pairs that differ, by row. All sums are of whole numbers where weights are: the order of the rows
  // does not matter.
  const Vector differing =
      (n_answers.array().square() - answers.array().square().rowwise().sum()) / 2.0;
  const double n_differing = weights.dot(differing);
  if (n_labels < 3 || n_differing <= 0.0) return false;
  const Vector pairs = n_answers.array() * (n_answers.array() - 1.0) / 2.0;
  const double agreement = 1.0 - n_differing / weights.dot(pairs);
  const double mistake = probability_of_mistake(agreement, n_labels);
  const Vector shares = (answers.transpose() * weights / weights.dot(n_answers)).cwiseMax(mistake);
  const double all =
      static_cast<double>(n_labels - 1) * (1.0 - mistake * static_cast<double>(n_labels) / 2.0);
  const double squares = weights.dot(differing.cwiseAbs2());
  double variation = 0.0;
  for (Index r = 0; r < n_labels; ++r) {
    for (Index s = r + 1; s < n_labels; ++s) {
      const double share = (shares[r] + shares[s] - mistake) / all;
      const Vector met = answers.col(r).cwiseProduct(answers.col(s));
      const double expected = share * n_differing;
      const double excess = weights.dot(met) - expected;
      const double by_rows = weights.dot(met.cwiseAbs2()) -
                             2.0 * share * weights.dot(met.cwiseProduct(differing)) +
                             share * share * squares;
      variation += (excess * excess - by_rows) / (expected * expected);
    }
  }
  return variation < -least_variation;
}

}  // namespace mdpd
