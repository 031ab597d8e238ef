#pragma once

#include <algorithm>
#include <vector>

#include "model/item_marginal.h"

namespace mdpd {

// How the columns of a crowd's workers lie around those of the crowd.

/// What the crowd's columns have in common for all items: of each of their cells the means
/// concentration * probability, and a function of these.
class CrowdTables {
 public:
  /// @param function of lanes, into lanes.
  template <class Function>
  CrowdTables(const RowMatrix& crowd, const Function& function)
      : n_components_(crowd.cols()),
        means_(n_concentrations * crowd.size()),
        values_(n_concentrations * crowd.size()) {
    const Grid& grid = concentrations();
    for (Index cell = 0; cell < crowd.size(); ++cell) {
      for (Index v = 0; v < n_grid_lanes; ++v) {
        const Lanes mean = grid[v] * crowd.data()[cell];
        Lanes value;
        function(mean, value);
        store(mean, means_.data() + cell * n_concentrations + v * n_lanes);
        store(value, values_.data() + cell * n_concentrations + v * n_lanes);
      }
    }
  }

  [[gnu::always_inline]] void mean(Index level, Index k, Index v, Lanes& out) const {
    load(means_.data() + first(level, k) + v * n_lanes, out);
  }
  [[gnu::always_inline]] void value(Index level, Index k, Index v, Lanes& out) const {
    load(values_.data() + first(level, k) + v * n_lanes, out);
  }

 private:
  Index first(Index level, Index k) const { return (level * n_components_ + k) * n_concentrations; }

  Index n_components_;
  std::vector<double> means_;
  std::vector<double> values_;
};

/// Around the crowd's columns.
[[gnu::always_inline]] inline void log_marginal_of_crowd(const ItemCounts& counts,
                                                         const CrowdTables& crowd, Grid& out) {
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes of_means{};
    for (Index r = 0; r < counts.n_levels; ++r) {
      for (Index k = 0; k < counts.n_components(); ++k) {
        if (!(counts(r, k) > least_count)) continue;
        Lanes value;
        crowd.value(r, k, v, value);
        of_means += value;
      }
    }
    const auto mean_of = [&](Index r, Index k, Lanes & mean) __attribute__((always_inline)) {
      crowd.mean(r, k, v, mean);
    };
    log_marginal(counts, mean_of, of_means, out[v]);
  }
}

/// Workers who are right with one probability, whatever the label, around that of the crowd; each
/// other label is as likely where they are wrong.
class OneAccuracy {
 public:
  /// @param sizes of the components.
  OneAccuracy(const ItemPrior& prior, const Vector& sizes);

  Index label(Index k) const { return labels_[k]; }
  double of_crowd() const { return of_crowd_; }
  double n_wrong_labels() const { return n_wrong_labels_; }
  /// Sums of log Gamma without answers.
  const Grid& of_means() const { return of_means_; }

  double n_right(const ItemCounts& counts) const {
    double sum = 0.0;
    for (Index k = 0; k < counts.n_components(); ++k) sum += counts(labels_[k], k);
    return sum;
  }

 private:
  std::vector<Index> labels_;
  double n_wrong_labels_;
  double of_crowd_ = 0.0;
  Grid of_means_;
};

/// Of a worker of one accuracy.
[[gnu::always_inline]] inline void log_marginal_of_accuracy(const ItemCounts& counts,
                                                            const OneAccuracy& one, Grid& out) {
  const double right = one.n_right(counts);
  const double wrong = std::max(0.0, counts.totals.sum() - right);
  const double of_mistakes = -wrong * log_of(one.n_wrong_labels());
  for (Index v = 0; v < n_grid_lanes; ++v) {
    const Lanes& c = concentrations()[v];
    Lanes of_right;
    Lanes of_wrong;
    Lanes of_both;
    log_gamma_of(c * one.of_crowd() + right, of_right);
    log_gamma_of(c * (1.0 - one.of_crowd()) + wrong, of_wrong);
    log_gamma_of(c + (right + wrong), of_both);
    out[v] = of_right + of_wrong - of_both - one.of_means()[v] + of_mistakes;
  }
}

/// Of all items' answers by component.
Vector component_sizes(const RowMatrix& counts);

/// Adds the posterior means of the columns of a worker of one accuracy.
/// @param shares of these columns at each concentration.
void add_means_of_accuracy(const ItemCounts& counts, const double* shares, const OneAccuracy& one,
                           Eigen::Ref<RowMatrix> probs);

/// What the items of a crowd answer by component: levels x n_components, columns sum to 1.
/// @param weights of the items' answers.
RowMatrix crowd_columns(const CodedData& data, const RowMatrix& counts, const Vector& weights);

/// Moves the crowd's columns one step of Minka's fixed point for a Dirichlet's mean: Minka (2000),
/// Estimating a Dirichlet distribution.
/// @param shares of the items, see ItemEvidence.
/// @return what the evidence loses as the columns are not known but estimated (nats).
double update_crowd(const CodedData& data, const RowMatrix& counts, const RowMatrix& shares,
                    ItemPrior& prior);

}  // namespace mdpd
