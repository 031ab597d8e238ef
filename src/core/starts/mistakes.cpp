#include "starts/mistakes.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"
#include "data/row_sums.h"
#include "model/posterior.h"
#include "starts/vote.h"

namespace mdpd {

namespace {

/// Where rows stray from what is expected by no more than each of them does, as one row alone,
/// rounding is not to decide.
constexpr double least_variation = 1e-9;

/// Of answers that agree above chance, in standard deviations: of those that do not one crowd in twenty
/// has more.
constexpr double least_excess = 1.645;

/// What a label has beyond the mistakes for others, at least.
constexpr double least_size = 0.001;

/// Probability of each wrong label, of answers of which this share of pairs agree.
double probability_of_mistake(double agreement, Index n_labels) {
  const double others = static_cast<double>(n_labels - 1);
  const double root = std::sqrt(std::max(0.0, others * ((others + 1.0) * agreement - 1.0)));
  const double right = (1.0 + root) / (others + 1.0);
  return (1.0 - right) / others;
}

/// Pairs of answers that differ, by row. All sums are of whole numbers where weights are: the order of
/// the rows does not matter.
Vector differing_pairs(const RowMatrix& answers) {
  const Vector n_answers = answers.rowwise().sum();
  return (n_answers.array().square() - answers.array().square().rowwise().sum()) / 2.0;
}

/// Share of the pairs of answers to a row that are the same.
/// @param differing see `differing_pairs()`.
double agreement_of_pairs(const CodedData& data, const RowMatrix& answers,
                          const Vector& differing) {
  const Vector n_answers = answers.rowwise().sum();
  const Vector pairs = n_answers.array() * (n_answers.array() - 1.0) / 2.0;
  return 1.0 - data.case_weights.dot(differing) / data.case_weights.dot(pairs);
}

}  // namespace

bool has_like_mistakes(const CodedData& data, Index n_labels) {
  const RowMatrix answers = label_counts(data, n_labels);
  const Vector& weights = data.case_weights;
  const Vector n_answers = answers.rowwise().sum();
  const Vector differing = differing_pairs(answers);
  const double n_differing = weights.dot(differing);
  if (n_labels < 3 || n_differing <= 0.0) return false;
  const double agreement = agreement_of_pairs(data, answers, differing);
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

bool agrees_above_chance(const CodedData& data) {
  const Index n_levels = *std::max_element(data.n_levels.begin(), data.n_levels.end());
  const auto most_pairs = static_cast<double>(data.n_items * data.n_items);
  Vector excess(data.n_obs);  // of each row, relative to what it can have
  for (Index row = 0; row < data.n_obs; ++row) {
    Vector seen = Vector::Zero(n_levels);
    Vector by_chance = Vector::Zero(n_levels);
    double alone = 0.0;  // pairs of an answer with itself, seen less by chance
    Index last = -1;
    for_each_item_of_row(data, row, [&](Index item, Code code) {
      if (item == last) return;
      last = item;
      seen[code - 1] += 1.0;
      alone += 1.0;
      for (Index r = 0; r < data.n_levels[item]; ++r) {
        by_chance[r] += data.marginal(item, r);
        alone -= data.marginal(item, r) * data.marginal(item, r);
      }
    });
    excess[row] = (seen.squaredNorm() - by_chance.squaredNorm() - alone) / most_pairs;
  }
  const double variance = loglik_sum(data, excess.cwiseAbs2()).value();
  return loglik_sum(data, excess).value() > least_excess * std::sqrt(variance);
}

RowMatrix posterior_of_alike(const CodedData& data, Index n_labels) {
  const RowMatrix answers = label_counts(data, n_labels);
  const double agreement = agreement_of_pairs(data, answers, differing_pairs(answers));
  const double mistake = std::max(tiny_probability, probability_of_mistake(agreement, n_labels));
  const Vector given = answers.transpose() * data.case_weights;
  MixtureParameters params;
  params.mixing_weights = (given.array() / given.sum() - mistake).max(least_size);
  params.mixing_weights /= params.mixing_weights.sum();
  params.item_probs = RowMatrix::Constant(data.n_total_levels(), n_labels, mistake);
  for (Index item = 0; item < data.n_items; ++item) {
    params.item_probs.middleRows(data.offset[item], n_labels)
        .diagonal()
        .setConstant(1.0 - static_cast<double>(n_labels - 1) * mistake);
  }
  return e_step(data, params, all_items(data)).posterior;
}

}  // namespace mdpd
