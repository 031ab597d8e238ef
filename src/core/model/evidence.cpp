#include "model/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/assignment.h"
#include "base/errors.h"
#include "base/exponential.h"
#include "base/jobs.h"
#include "base/kernels.h"
#include "base/log_gamma.h"
#include "base/matrices.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

constexpr Index n_grid_lanes = n_concentrations / n_lanes;
static_assert(n_concentrations % n_lanes == 0);

/// A number for each concentration.
using Grid = std::array<Lanes, n_grid_lanes>;

/// Kinds of columns that the items of a crowd may have beside the spike's: around a centre of their
/// own, as all items, around the crowd's, and those of one accuracy.
constexpr Index n_families_of_crowd = 3;

/// Where the weights of a crowd begin.
constexpr Index first_of_crowd = 1 + n_concentrations;
constexpr Index first_of_accuracy = first_of_crowd + n_concentrations;

/// Items of which one job weighs the evidence.
constexpr Index items_of_job = 64;

const Grid& concentrations() {
  static const Grid grid = [] {
    Grid out;
    for (Index at = 0; at < n_concentrations; ++at) {
      out[at / n_lanes][at % n_lanes] = concentration(at);
    }
    return out;
  }();
  return grid;
}

Grid log_gammas(const Grid& grid) {
  Grid out;
  for (Index v = 0; v < n_grid_lanes; ++v) log_gamma_of(grid[v], out[v]);
  return out;
}

[[gnu::always_inline]] inline double sum_of(const Lanes& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// Fewer answers, which a posterior leaves of rows it is sure of, are none.
constexpr double least_count = 1e-12;

/// An item's counts by level and component, and their sums.
struct ItemCounts {
  const double* cells;  ///< levels x n_components
  Index n_levels;
  const Vector& totals;

  Index n_components() const { return totals.size(); }
  double operator()(Index level, Index k) const { return cells[level * n_components() + k]; }
};

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

/// Of the log marginal likelihood of an item's counts the part of its columns' totals, which is the
/// same around any centre.
[[gnu::always_inline]] inline void log_marginal_of_totals(const ItemCounts& counts, Grid& out) {
  const Grid& grid = concentrations();
  static const Grid log_gamma_of_grid = log_gammas(grid);
  for (Index v = 0; v < n_grid_lanes; ++v) {
    LogGammaSum below;
    double n_used = 0.0;
    for (Index k = 0; k < counts.n_components(); ++k) {
      const double total = counts.totals[k];
      if (!(total > least_count)) continue;
      n_used += 1.0;
      below.add(grid[v] + total, grid[v][0] + total);
    }
    Lanes of_totals;
    below.total(of_totals);
    out[v] = n_used * log_gamma_of_grid[v] - of_totals;
  }
}

/// Log marginal likelihood of an item's counts, whose columns have Dirichlet priors around `centre`
/// at the concentrations of vector v, but the part of the totals.
/// @param mean_of concentrations times the centre, of a level and a component.
/// @param of_means the sum of log Gamma of these over all cells with answers.
template <class MeanOf>
[[gnu::always_inline]] inline void log_marginal(const ItemCounts& counts, const MeanOf& mean_of,
                                                const Lanes& of_means, Lanes& out) {
  LogGammaSum above;
  for (Index k = 0; k < counts.n_components(); ++k) {
    if (!(counts.totals[k] > least_count)) continue;
    for (Index r = 0; r < counts.n_levels; ++r) {
      const double count = counts(r, k);
      if (!(count > least_count)) continue;
      Lanes mean;
      mean_of(r, k, mean);
      above.add(mean + count, mean[0] + count);
    }
  }
  Lanes of_counts;
  above.total(of_counts);
  out = of_counts - of_means;
}

double half_df(const CodedData& data, Index item) {
  return 0.5 * static_cast<double>(data.n_levels_seen[item] - 1);
}

/// The centre of an item's columns at the concentrations of vector v: the mean of what the components
/// answer, in which many answers of one component are worth little more than some, as they share one
/// column.
class Centre {
 public:
  [[gnu::always_inline]] Centre(const ItemCounts& counts, Index v) : counts_(counts) {
    rows_ = concentrations()[v] + 1.0;
    n_answers_ = Lanes{} + least_answers;
    for (Index k = 0; k < counts.n_components(); ++k) {
      n_answers_ += counts.totals[k] / (rows_ + counts.totals[k]);
    }
  }

  [[gnu::always_inline]] void probability(Index level, Lanes& out) const {
    Lanes sum{};
    for (Index k = 0; k < counts_.n_components(); ++k) {
      sum += counts_(level, k) / (rows_ + counts_.totals[k]);
    }
    out = sum / n_answers_;
  }

  /// As many answers of one column would say as much of it.
  [[gnu::always_inline]] void n_answers(Lanes& out) const { out = n_answers_ * rows_; }

 private:
  /// Added to any number of answers it is nothing; without an answer no level is divided by 0.
  static constexpr double least_answers = 1e-290;

  const ItemCounts& counts_;
  Lanes rows_;
  Lanes n_answers_;
};

/// Around a centre of the item's own, which is not known: it is integrated over under the spike as
/// well (Laplace), where it is known better.
/// @param means room for a vector a level.
[[gnu::always_inline]] inline void log_marginal_of_own(const CodedData& data, Index item,
                                                       const ItemCounts& counts, double* means,
                                                       Grid& out) {
  const Grid& grid = concentrations();
  for (Index v = 0; v < n_grid_lanes; ++v) {
    const Centre centre(counts, v);
    Lanes of_means{};
    for (Index r = 0; r < counts.n_levels; ++r) {
      double n_used = 0.0;
      for (Index k = 0; k < counts.n_components(); ++k) n_used += counts(r, k) > least_count;
      if (!(n_used > 0.0)) continue;
      Lanes mean;
      centre.probability(r, mean);
      mean *= grid[v];
      store(mean, means + r * n_lanes);
      Lanes value;
      log_gamma_of(mean, value);
      of_means += n_used * value;
    }
    const auto mean_of = [&](Index r, Index, Lanes & mean) __attribute__((always_inline)) {
      load(means + r * n_lanes, mean);
    };
    log_marginal(counts, mean_of, of_means, out[v]);
    Lanes n_answers;
    centre.n_answers(n_answers);
    Lanes log;
    log_of(data.observed_weight[item] / n_answers, log);
    out[v] += half_df(data, item) * log;
  }
}

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

/// Of each component the label that the crowd answers in it; one to one where they are as many.
std::vector<Index> labels_of(const RowMatrix& crowd) {
  if (crowd.rows() == crowd.cols()) return best_assignment(crowd.transpose());
  std::vector<Index> labels(crowd.cols());
  for (Index k = 0; k < crowd.cols(); ++k) crowd.col(k).maxCoeff(&labels[k]);
  return labels;
}

/// Workers who are right with one probability, whatever the label, around that of the crowd; each
/// other label is as likely where they are wrong.
class OneAccuracy {
 public:
  /// @param sizes of the components.
  OneAccuracy(const RowMatrix& crowd, const Vector& sizes)
      : labels_(labels_of(crowd)), n_wrong_labels_(std::max<double>(1.0, crowd.rows() - 1)) {
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

/// Of all items' answers by component.
Vector component_sizes(const RowMatrix& counts) { return counts.colwise().sum(); }

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

/// The gain of rows of which it is not sure in what component they are: they say less of the columns
/// than as many that are sure, so that more columns agree with them (Laplace). Of crowds, whose rows
/// have few answers, the columns are too much entangled for it: there it is left out.
[[gnu::always_inline]] inline void add_gain_of_overlap(const CodedData& data, Index item,
                                                       const Overlap& overlap, Grid& sums) {
  const Grid& grid = concentrations();
  const double weight = data.observed_weight[item];
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes ratio = Lanes{} + 1.0;
    for (Index k = 0; k < overlap.shares.size(); ++k) {
      ratio *= (grid[v] + weight * overlap.shares[k]) / (grid[v] + weight * overlap.eigenvalues[k]);
    }
    Lanes log;
    log_of(ratio, log);
    sums[v] += half_df(data, item) * log;
  }
}

/// Of how many sure rows a row can at least count: where components hardly differ at all Laplace's
/// method fails, as what is left of their difference is known better than by its curvature.
constexpr double least_certainty = 0.25;

/// EM steps of the prior by which a crowd's columns are begun.
constexpr int steps_of_crowd = 10;

/// Log marginal likelihood of an item's answers with one column, of which nothing is known.
[[gnu::always_inline]] inline double log_marginal_of_spike(const double* counts, Index n_levels) {
  double sum = 0.0;
  double n_answers = 0.0;
  for (Index r = 0; r < n_levels; r += n_lanes) {
    const Index n = std::min<Index>(n_lanes, n_levels - r);
    Lanes some{};
    for (Index at = 0; at < n; ++at) some[at] = counts[r + at];
    n_answers += sum_of(some);
    Lanes value;
    log_gamma_of(some + 1.0, value);
    for (Index at = 0; at < n; ++at) sum += value[at];
  }
  const auto n = static_cast<double>(n_levels);
  return sum + log_gamma_of(n) - log_gamma_of(n + n_answers);
}

/// What the items of a crowd are weighed by.
struct CrowdFamilies {
  CrowdTables tables;  ///< of log Gamma
  OneAccuracy one;
};

/// Bayes factors of an item against the spike, divided by the largest; returns the logarithm of that.
/// @param crowd or null.
/// @param means room for a vector of each of its levels.
/// @param out n_weights
[[gnu::always_inline]] inline double weigh_item(const CodedData& data, const RowMatrix& counts,
                                                const Overlap& overlap, Index item,
                                                const CrowdFamilies* crowd, double* means,
                                                double* out) {
  const Index first = data.offset[item];
  const Index n = data.n_levels[item];
  const Vector totals = counts.middleRows(first, n).colwise().sum();
  const ItemCounts table{counts.data() + first * counts.cols(), n, totals};
  const bool has_own = data.n_levels_seen[item] > 1;
  const Index n_families = crowd == nullptr ? 1 : n_families_of_crowd;
  Grid of_totals;
  Grid factors[n_families_of_crowd];
  log_marginal_of_totals(table, of_totals);
  if (has_own) {
    log_marginal_of_own(data, item, table, means, factors[0]);
    add_gain_of_overlap(data, item, overlap, factors[0]);
    for (Index v = 0; v < n_grid_lanes; ++v) {
      factors[0][v] += of_totals[v] - data.marginal_loglik[item];
    }
  }
  if (crowd != nullptr) {
    const double spike = log_marginal_of_spike(data.level_weight.data() + first, n);
    log_marginal_of_crowd(table, crowd->tables, factors[1]);
    log_marginal_of_accuracy(table, crowd->one, factors[2]);
    for (Index v = 0; v < n_grid_lanes; ++v) {
      factors[1][v] += of_totals[v] - spike;
      factors[2][v] -= spike;
    }
  }
  Lanes larger{};
  for (Index family = has_own ? 0 : 1; family < n_families; ++family) {
    for (const Lanes& x : factors[family]) larger = x > larger ? x : larger;
  }
  const double most = std::max(std::max(larger[0], larger[1]), std::max(larger[2], larger[3]));
  out[0] = exp_of(-most);
  for (Index family = has_own ? 0 : 1; family < n_families; ++family) {
    for (Index v = 0; v < n_grid_lanes; ++v) {
      Lanes factor;
      exp_of(factors[family][v] - most, factor);
      store(factor, out + 1 + family * n_concentrations + v * n_lanes);
    }
  }
  return most;
}

/// An EM step of the prior's weights: the mean of what the items say of them.
/// @param factors of each item n_weights, as of `weigh_item()`
[[gnu::always_inline]] inline void step_of_prior(const std::vector<const double*>& factors,
                                                 Vector& weights) {
  const Index n_vectors = (weights.size() - 1) / n_lanes;
  const double* slabs = weights.data() + 1;
  double of_spike = 0.0;
  Lanes sums[n_families_of_crowd * n_grid_lanes] = {};
  for (const double* of_item : factors) {
    Lanes dot{};
    for (Index v = 0; v < n_vectors; ++v) {
      Lanes factor;
      Lanes weight;
      load(of_item + 1 + v * n_lanes, factor);
      load(slabs + v * n_lanes, weight);
      dot += factor * weight;
    }
    const double scale = 1.0 / (of_item[0] * weights[0] + sum_of(dot));
    of_spike += scale * of_item[0];
    for (Index v = 0; v < n_vectors; ++v) {
      Lanes factor;
      load(of_item + 1 + v * n_lanes, factor);
      sums[v] += scale * factor;
    }
  }
  const auto n_items = static_cast<double>(factors.size());
  weights[0] *= of_spike / n_items;
  for (Index at = 1; at < weights.size(); ++at) {
    weights[at] *= sums[(at - 1) / n_lanes][(at - 1) % n_lanes] / n_items;
  }
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

/// Adds the posterior means of the columns of a worker of one accuracy.
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

/// Adds the posterior means of an item's columns, but what the spike has of them.
/// @param shares of columns around a centre of its own and, of a crowd, around the crowd's.
/// @param means room for a vector a level.
[[gnu::always_inline]] inline void add_posterior_means(const ItemCounts& counts,
                                                       const double* shares, const ItemPrior& prior,
                                                       double* means, double* probs) {
  const bool has_crowd = prior.crowd.size() > 0;
  const Index n_components = counts.n_components();
  for (Index v = 0; v < n_grid_lanes; ++v) {
    const Lanes& c = concentrations()[v];
    Lanes own;
    Lanes of_crowd{};
    load(shares + v * n_lanes, own);
    if (has_crowd) load(shares + n_concentrations + v * n_lanes, of_crowd);
    const Centre centre(counts, v);
    for (Index r = 0; r < counts.n_levels; ++r) {
      Lanes mean;
      centre.probability(r, mean);
      store(mean * own * c, means + r * n_lanes);
    }
    for (Index k = 0; k < n_components; ++k) {
      const Lanes weight = 1.0 / (c + counts.totals[k]);
      const double of_answers = sum_of((own + of_crowd) * weight);
      const double of_columns = sum_of(of_crowd * c * weight);
      for (Index r = 0; r < counts.n_levels; ++r) {
        Lanes mean;
        load(means + r * n_lanes, mean);
        double& prob = probs[r * n_components + k];
        prob += sum_of(mean * weight) + of_answers * counts(r, k);
        if (has_crowd) prob += of_columns * prior.crowd(r, k);
      }
    }
  }
}

/// Share of all weight that an item's answers must have to tell anything: of less the counts by
/// component may all be rounded to nothing.
constexpr double least_weight_to_tell = 1e-12;

/// May the item differ between components at all?
bool may_differ(const CodedData& data, Index item, const ItemPrior& prior) {
  return data.observed_weight[item] > least_weight_to_tell * data.total_weight &&
         (data.n_levels_seen[item] > 1 || prior.crowd.size() > 0);
}

ItemPrior flat(Index n_families) {
  ItemPrior prior;
  const Index n = n_families * n_concentrations;
  prior.weights = Vector::Constant(n + 1, 0.5 / static_cast<double>(n));
  prior.weights[0] = 0.5;
  return prior;
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

Overlap::Overlap(const Matrix& shared) : shares(shared.rowwise().sum()) {
  const Vector root = shares.cwiseMax(tiny_probability).cwiseSqrt();
  const Vector inverse = root.cwiseInverse();
  const Matrix relative = inverse.asDiagonal() * shared * inverse.asDiagonal();
  const Spectrum spectrum = spectrum_of(relative);
  const Vector floored = spectrum.values.cwiseMax(least_certainty);
  const Matrix certain =
      product(spectrum.vectors * floored.asDiagonal(), spectrum.vectors.transpose());
  eigenvalues = spectrum_of(root.asDiagonal() * certain * root.asDiagonal()).values;
}

Vector ItemEvidence::least_inclusion() const {
  return gain.unaryExpr([](double x) { return 1.0 - std::min(1.0, exp_of(-x)); });
}

double concentration(Index at) {
  double out = 0.5;
  for (Index step = 0; step < at; ++step) out *= 3.0;
  return out;
}

ItemPrior flat_prior() { return flat(1); }

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
  if (prior.weights.size() != flat(has_crowd ? n_families_of_crowd : 1).weights.size() ||
      (has_crowd && !is_of_crowd) || (pull.size() > 0 && !has_shape))
    throw DimensionError("a prior of the items' levels and components");
}

RowMatrix crowd_columns(const CodedData& data, const RowMatrix& counts, const Vector& weights) {
  constexpr double least = 0.1;  // answers of each level, so that none is impossible
  RowMatrix sum = RowMatrix::Constant(data.n_levels.front(), counts.cols(), least);
  for (Index item = 0; item < data.n_items; ++item) {
    sum += weights[item] * counts.middleRows(data.offset[item], sum.rows());
  }
  return sum.array().rowwise() / sum.colwise().sum().array();
}

ItemPrior flat_prior_of_crowd(const CodedData& data, const RowMatrix& counts) {
  constexpr double pull = 100.0;  // answers that the columns are drawn back by
  const Index n_components = counts.cols();
  ItemPrior prior = flat(n_families_of_crowd);
  prior.crowd = crowd_columns(data, counts, Vector::Ones(data.n_items));
  // Workers who do not look at what they label say nothing of those who do. One accuracy does not
  // tell them: that of chance is theirs too.
  ItemPrior of_all = prior;
  of_all.weights.tail(n_concentrations).setZero();
  const Overlap none(Matrix::Identity(n_components, n_components) /
                     static_cast<double>(n_components));
  prior.crowd = crowd_columns(
      data, counts, weigh_items(data, counts, none, steps_of_crowd, of_all).least_inclusion());
  prior.pseudo_counts = pull * prior.crowd;
  return prior;
}

ItemEvidence weigh_items(const CodedData& data, const RowMatrix& counts, const Overlap& overlap,
                         int n_steps, ItemPrior& prior) {
  const Index n_weights = prior.weights.size();
  ItemEvidence out{RowMatrix::Zero(data.n_items, n_weights), Vector::Zero(data.n_items)};
  RowMatrix& factors = out.shares;
  const double n_operations =
      5.0 * static_cast<double>(data.n_total_levels() * counts.cols() * n_weights);
  std::optional<CrowdFamilies> crowd;
  if (prior.crowd.size() > 0) {
    const auto function = [](const Lanes& x, Lanes& value) { log_gamma_of(x, value); };
    crowd = {CrowdTables(prior.crowd, function), OneAccuracy(prior.crowd, component_sizes(counts))};
  }
  const Index n_jobs = (data.n_items + items_of_job - 1) / items_of_job;
  for_each_job(n_jobs, useful_threads(data.n_threads, n_operations), [&](Index job, int) {
    const Index last = std::min(data.n_items, (job + 1) * items_of_job);
    std::vector<double> means;
    const auto weigh = [&]() __attribute__((always_inline)) {
      for (Index item = job * items_of_job; item < last; ++item) {
        if (!may_differ(data, item, prior)) continue;
        means.resize(n_lanes * data.n_levels[item]);
        out.gain[item] = weigh_item(data, counts, overlap, item, crowd ? &*crowd : nullptr,
                                    means.data(), factors.row(item).data());
      }
    };
    with_avx2(data.instructions, weigh);
  });
  std::vector<const double*> of_items;
  for (Index item = 0; item < data.n_items; ++item) {
    if (may_differ(data, item, prior)) of_items.push_back(factors.row(item).data());
  }
  const auto step = [&]() __attribute__((always_inline)) {
    step_of_prior(of_items, prior.weights);
  };
  for (int at = 0; at < n_steps && !of_items.empty(); ++at) with_avx2(data.instructions, step);
  for (Index item = 0; item < data.n_items; ++item) {
    if (!may_differ(data, item, prior)) {
      out.shares(item, 0) = 1.0;
      continue;
    }
    out.shares.row(item).array() *= prior.weights.transpose().array();
    const double sum = out.shares.row(item).sum();
    out.shares.row(item) /= sum;
    out.gain[item] += log_of(sum);
  }
  return out;
}

double update_crowd(const CodedData& data, const RowMatrix& counts, const ItemEvidence& evidence,
                    ItemPrior& prior) {
  if (prior.crowd.size() == 0) return 0.0;
  constexpr double least = 1e-4;
  const CrowdTables crowd(prior.crowd, [](const Lanes& x, Lanes& value) { digamma_of(x, value); });
  const OneAccuracy one(prior.crowd, component_sizes(counts));
  RowMatrix sums = prior.pseudo_counts;
  const auto work = [&]() __attribute__((always_inline)) {
    for (Index item = 0; item < data.n_items; ++item) {
      add_to_crowd(counts.data() + data.offset[item] * counts.cols(),
                   evidence.shares.row(item).data() + first_of_crowd, crowd, sums);
    }
  };
  with_avx2(data.instructions, work);
  for (Index item = 0; item < data.n_items; ++item) {
    const auto of_item = counts.middleRows(data.offset[item], sums.rows());
    const Vector totals = of_item.colwise().sum();
    add_accuracy_to_crowd({of_item.data(), sums.rows(), totals},
                          evidence.shares.row(item).data() + first_of_accuracy, one, prior.crowd,
                          sums);
  }
  const double cost = cost_of_crowd(prior, sums - prior.pseudo_counts);
  for (Index k = 0; k < sums.cols(); ++k) {
    const Vector column = (sums.col(k) / sums.col(k).sum()).cwiseMax(least);
    prior.crowd.col(k) = column / column.sum();
  }
  return cost;
}

MixtureParameters posterior_means(const CodedData& data, const LevelSums& sums,
                                  const ItemEvidence& evidence, const ItemPrior& prior) {
  const Index n_components = sums.components.cols();
  MixtureParameters params;
  params.mixing_weights = (sums.components.row(0).transpose().array() + 1.0) /
                          (data.total_weight + static_cast<double>(n_components));
  params.item_probs.resize(sums.levels.rows(), n_components);
  std::vector<double> means;
  std::optional<OneAccuracy> one;
  if (prior.crowd.size() > 0) one.emplace(prior.crowd, component_sizes(sums.levels));
  for (Index item = 0; item < data.n_items; ++item) {
    const Index first = data.offset[item];
    const Index n = data.n_levels[item];
    const auto shares = evidence.shares.row(item);
    auto probs = params.item_probs.middleRows(first, n);
    for (Index r = 0; r < n; ++r) probs.row(r).setConstant(shares[0] * data.marginal(item, r));
    const Vector totals = sums.levels.middleRows(first, n).colwise().sum();
    const ItemCounts counts{sums.levels.row(first).data(), n, totals};
    means.resize(n_lanes * n);
    const auto work = [&]() __attribute__((always_inline)) {
      add_posterior_means(counts, shares.data() + 1, prior, means.data(), probs.data());
    };
    with_avx2(data.instructions, work);
    if (one) add_means_of_accuracy(counts, shares.data() + first_of_accuracy, *one, probs);
  }
  return params;
}

Vector doubt_of_columns(const CodedData& data, const RowMatrix& counts,
                        const ItemEvidence& evidence) {
  Vector doubt = Vector::Zero(counts.cols());
  for (Index item = 0; item < data.n_items; ++item) {
    const auto own = counts.middleRows(data.offset[item], data.n_levels[item]);
    for (Index k = 0; k < doubt.size(); ++k) {
      const double total = own.col(k).sum();
      double sum = 0.0;
      for (Index at = 0; at < n_concentrations; ++at) {
        sum += evidence.shares(item, at + 1) / (concentration(at) + total);
      }
      doubt[k] += half_df(data, item) * sum;
    }
  }
  return doubt;
}

double component_evidence(const RowMatrix& component_counts, double entropy) {
  const auto n = static_cast<double>(component_counts.cols());
  const double total = component_counts.sum();
  const double of_orders =
      std::min(log_gamma_of(n + 1.0), std::max(0.0, total * log_of(n) - entropy));
  double sum = log_gamma_of(n) - log_gamma_of(n + total) + of_orders;
  for (Index k = 0; k < component_counts.cols(); ++k) {
    sum += log_gamma_of(1.0 + component_counts(0, k));
  }
  return sum;
}

}  // namespace mdpd
