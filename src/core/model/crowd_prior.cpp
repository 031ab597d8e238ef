#include "model/crowd_prior.h"

#include <algorithm>

#include "base/assignment.h"
#include "base/kernels.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

/// Of each component the label that the crowd answers in it; one to one where they are as many.
/// @param crowd what its columns are drawn to: they may come to answer another label as often, and
///   the label would go to and fro between the two.
std::vector<Index> labels_of(const RowMatrix& crowd) {
  if (crowd.rows() == crowd.cols()) return best_assignment(crowd.transpose());
  std::vector<Index> labels(crowd.cols());
  for (Index k = 0; k < crowd.cols(); ++k) crowd.col(k).maxCoeff(&labels[k]);
  return labels;
}

/// Of shares that the crowd's columns are moved by.
constexpr double negligible_share = 1e-6;

/// Adds what an item's answers are worth to the crowd's columns.
/// @param crowd of digamma.
[[gnu::always_inline]] inline void add_to_crowd(const double* counts, const double* shares,
                                                const CrowdTables& crowd, RowMatrix& sums) {
  Grid of_item;
  bool counted[n_grid_lanes];
  for (Index v = 0; v < n_grid_lanes; ++v) {
    load(shares + v * n_lanes, of_item[v]);
    const Lanes& s = of_item[v];
    counted[v] = sum_of(s) > negligible_share;
  }
  for (Index r = 0; r < sums.rows(); ++r) {
    for (Index k = 0; k < sums.cols(); ++k) {
      const double count = counts[r * sums.cols() + k];
      if (!(count > least_count)) continue;
      Lanes sum{};
      for (Index v = 0; v < n_grid_lanes; ++v) {
        if (!counted[v]) continue;
        Lanes mean;
        Lanes before;
        Lanes after;
        crowd.mean(r, k, v, mean);
        crowd.value(r, k, v, before);
        digamma_of(mean + count, after);
        sum += of_item[v] * mean * (after - before);
      }
      sums(r, k) += sum_of(sum);
    }
  }
}

/// Adds what the answers of a worker of one accuracy are worth to how often the crowd is right: as of
/// `add_to_crowd()`, of right and wrong ones. Which labels the crowd's mistakes are they do not say.
void add_accuracy_to_crowd(const ItemCounts& counts, const double* shares, const OneAccuracy& one,
                           const RowMatrix& crowd, RowMatrix& sums) {
  const double n_right = one.n_right(counts);
  const double n_wrong = counts.totals.sum() - n_right;
  double worth[] = {0.0, 0.0};  // of a right answer and of a wrong one
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes share;
    load(shares + v * n_lanes, share);
    if (!(sum_of(share) > negligible_share)) continue;
    const double means[] = {one.of_crowd(), 1.0 - one.of_crowd()};
    const double answers[] = {n_right, n_wrong};
    for (int at = 0; at < 2; ++at) {
      if (!(answers[at] > least_count)) continue;
      const Lanes mean = concentrations()[v] * means[at];
      Lanes before;
      Lanes after;
      digamma_of(mean, before);
      digamma_of(mean + answers[at], after);
      worth[at] += sum_of(share * mean * (after - before)) / answers[at];
    }
  }
  for (Index k = 0; k < crowd.cols(); ++k) {
    const Index label = one.label(k);
    const double wrong = worth[1] * (counts.totals[k] - counts(label, k));
    const double right = sums(label, k) + worth[0] * counts(label, k);
    sums.col(k) += wrong / (1.0 - crowd(label, k)) * crowd.col(k);
    sums(label, k) = right;
  }
}

/// Laplace: of columns under a uniform prior, known as well as from so many answers.
double cost_of_crowd(const ItemPrior& prior, const RowMatrix& answers) {
  constexpr double two_pi = 6.283185307179586;
  const auto n = static_cast<double>(answers.rows());
  double cost = 0.0;
  for (Index k = 0; k < answers.cols(); ++k) {
    const double total = std::max(answers.col(k).sum(), two_pi);
    const double log_volume =
        log_gamma_of(n) + 0.5 * (n - 1.0) * log_of(two_pi / total) +
        0.5 * prior.crowd.col(k).unaryExpr([](double p) { return log_of(p); }).sum();
    cost -= std::min(0.0, log_volume);
  }
  return cost;
}

}  // namespace

OneAccuracy::OneAccuracy(const ItemPrior& prior, const Vector& sizes)
    : labels_(labels_of(prior.pseudo_counts)),
      n_wrong_labels_(std::max<double>(1.0, prior.crowd.rows() - 1)) {
  const RowMatrix& crowd = prior.crowd;
  double n_right = 0.0;
  for (Index k = 0; k < crowd.cols(); ++k) n_right += sizes[k] * crowd(labels_[k], k);
  of_crowd_ = n_right / sizes.sum();
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes of_right;
    Lanes of_wrong;
    Lanes of_both;
    log_gamma_of(concentrations()[v] * of_crowd_, of_right);
    log_gamma_of(concentrations()[v] * (1.0 - of_crowd_), of_wrong);
    log_gamma_of(concentrations()[v], of_both);
    of_means_[v] = of_right + of_wrong - of_both;
  }
}

Vector component_sizes(const RowMatrix& counts) { return counts.colwise().sum(); }

void add_means_of_accuracy(const ItemCounts& counts, const double* shares, const OneAccuracy& one,
                           Eigen::Ref<RowMatrix> probs) {
  const double n_right = one.n_right(counts);
  const double n_answers = counts.totals.sum();
  double right = 0.0;
  double wrong = 0.0;
  for (Index at = 0; at < n_concentrations; ++at) {
    const double c = concentration(at);
    right += shares[at] * (c * one.of_crowd() + n_right) / (c + n_answers);
    wrong += shares[at] * (c * (1.0 - one.of_crowd()) + n_answers - n_right) / (c + n_answers);
  }
  wrong /= one.n_wrong_labels();
  probs.array() += wrong;
  for (Index k = 0; k < probs.cols(); ++k) probs(one.label(k), k) += right - wrong;
}

RowMatrix crowd_columns(const CodedData& data, const RowMatrix& counts, const Vector& weights) {
  constexpr double least = 0.1;  // answers of each level, so that none is impossible
  RowMatrix sum = RowMatrix::Constant(data.n_levels.front(), counts.cols(), least);
  for (Index item = 0; item < data.n_items; ++item) {
    sum += weights[item] * counts.middleRows(data.offset[item], sum.rows());
  }
  return sum.array().rowwise() / sum.colwise().sum().array();
}

double update_crowd(const CodedData& data, const RowMatrix& counts, const RowMatrix& shares,
                    ItemPrior& prior) {
  if (prior.crowd.size() == 0) return 0.0;
  constexpr double least = 1e-4;
  const CrowdTables crowd(prior.crowd, [](const Lanes& x, Lanes& value) { digamma_of(x, value); });
  const OneAccuracy one(prior, component_sizes(counts));
  RowMatrix sums = prior.pseudo_counts;
  const auto work = [&]() __attribute__((always_inline)) {
    for (Index item = 0; item < data.n_items; ++item) {
      add_to_crowd(counts.data() + data.offset[item] * counts.cols(),
                   shares.row(item).data() + first_of_crowd, crowd, sums);
    }
  };
  with_avx2(data.instructions, work);
  for (Index item = 0; item < data.n_items; ++item) {
    const auto of_item = counts.middleRows(data.offset[item], sums.rows());
    const Vector totals = of_item.colwise().sum();
    add_accuracy_to_crowd({of_item.data(), sums.rows(), totals},
                          shares.row(item).data() + first_of_accuracy, one, prior.crowd, sums);
  }
  const double cost = cost_of_crowd(prior, sums - prior.pseudo_counts);
  for (Index k = 0; k < sums.cols(); ++k) {
    const Vector column = (sums.col(k) / sums.col(k).sum()).cwiseMax(least);
    prior.crowd.col(k) = column / column.sum();
  }
  return cost;
}

}  // namespace mdpd
