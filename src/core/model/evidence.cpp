#include "model/evidence.h"

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/log_gamma.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

constexpr Index n_grid_lanes = n_concentrations / n_lanes;
static_assert(n_concentrations % n_lanes == 0);

/// A number for each concentration.
using Grid = std::array<Lanes, n_grid_lanes>;
using GridRow = Eigen::Matrix<double, 1, n_concentrations>;

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

/// Log marginal likelihood of an item's counts, whose columns have Dirichlet priors around `centre`
/// at the concentrations of vector v.
/// @param mean_of concentrations times the centre, of a level and a component.
/// @param of_means the sum of log Gamma of these over all cells with answers.
template <class MeanOf>
[[gnu::always_inline]] inline void log_marginal(const ItemCounts& counts, Index v,
                                                const MeanOf& mean_of, const Lanes& of_means,
                                                Lanes& out) {
  const Grid& grid = concentrations();
  static const Grid log_gamma_of_grid = log_gammas(grid);
  LogGammaSum above;
  LogGammaSum below;
  Lanes sum = -of_means;
  for (Index k = 0; k < counts.n_components(); ++k) {
    const double total = counts.totals[k];
    if (!(total > least_count)) continue;
    sum += log_gamma_of_grid[v];
    below.add(grid[v] + total, grid[v][0] + total);
    for (Index r = 0; r < counts.n_levels; ++r) {
      const double count = counts(r, k);
      if (!(count > least_count)) continue;
      Lanes mean;
      mean_of(r, k, mean);
      above.add(mean + count, mean[0] + count);
    }
  }
  Lanes of_counts;
  Lanes of_totals;
  above.total(of_counts);
  below.total(of_totals);
  out = sum + of_counts - of_totals;
}

GridRow row_of(const Grid& grid) {
  GridRow out;
  for (Index v = 0; v < n_grid_lanes; ++v) store(grid[v], out.data() + v * n_lanes);
  return out;
}

/// Around the item's own frequencies.
[[gnu::always_inline]] inline void log_marginal_of_own(const ItemCounts& counts,
                                                       const Vector& centre, Grid& out) {
  const Grid& grid = concentrations();
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes of_means{};
    for (Index r = 0; r < counts.n_levels; ++r) {
      double n_used = 0.0;
      for (Index k = 0; k < counts.n_components(); ++k) n_used += counts(r, k) > least_count;
      if (!(n_used > 0.0)) continue;
      Lanes value;
      log_gamma_of(grid[v] * centre[r], value);
      of_means += n_used * value;
    }
    const auto mean_of = [&](Index r, Index, Lanes & mean) __attribute__((always_inline)) {
      mean = grid[v] * centre[r];
    };
    log_marginal(counts, v, mean_of, of_means, out[v]);
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
    log_marginal(counts, v, mean_of, of_means, out[v]);
  }
}

/// The gain of not knowing the centre, which is integrated over under the spike as well (Laplace):
/// it is worth as many rows as the columns' spread leaves of them.
[[gnu::always_inline]] inline void add_gain_of_centre(const CodedData& data, Index item,
                                                      const Vector& weights, Grid& sums) {
  const Grid& grid = concentrations();
  const double half_df = 0.5 * static_cast<double>(data.n_levels_seen[item] - 1);
  for (Index v = 0; v < n_grid_lanes; ++v) {
    const Lanes most = grid[v] + 1.0;
    Lanes rows{};
    for (Index k = 0; k < weights.size(); ++k) rows += weights[k] * most / (weights[k] + most);
    Lanes log;
    log_of(data.observed_weight[item] / rows, log);
    sums[v] += half_df * log;
  }
}

/// Log marginal likelihood of an item's answers with one column, of which nothing is known.
double log_marginal_of_spike(const Vector& counts) {
  double sum = std::lgamma(static_cast<double>(counts.size())) -
               std::lgamma(static_cast<double>(counts.size()) + counts.sum());
  for (Index r = 0; r < counts.size(); ++r) sum += std::lgamma(1.0 + counts[r]);
  return sum;
}

/// Log Bayes factors of an item against the spike.
/// @param crowd of log Gamma, or null.
template <class Out>
void weigh_item(const CodedData& data, const RowMatrix& counts, Index item,
                const CrowdTables* crowd, Out out) {
  const Index first = data.offset[item];
  const Index n = data.n_levels[item];
  const Vector level_weight = data.level_weight.segment(first, n);
  const Vector weights = counts.middleRows(first, n).colwise().sum();
  const ItemCounts table{counts.data() + first * counts.cols(), n, weights};
  Grid sums;
  if (data.n_levels_seen[item] > 1) {
    const Vector centre = level_weight / data.observed_weight[item];
    const auto own = [&]() __attribute__((always_inline)) {
      log_marginal_of_own(table, centre, sums);
      add_gain_of_centre(data, item, weights, sums);
    };
    with_avx2(data.instructions, own);
    out.segment(1, n_concentrations) = row_of(sums) - GridRow::Constant(data.marginal_loglik[item]);
  }
  if (crowd == nullptr) return;
  const auto of_crowd = [&]() __attribute__((always_inline)) {
    log_marginal_of_crowd(table, *crowd, sums);
  };
  with_avx2(data.instructions, of_crowd);
  out.tail(n_concentrations) =
      row_of(sums) - GridRow::Constant(log_marginal_of_spike(level_weight));
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
    counted[v] = s[0] + s[1] + s[2] + s[3] > negligible_share;
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
      sums(r, k) += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
}

/// May the item differ between components at all?
bool may_differ(const CodedData& data, Index item, const ItemPrior& prior) {
  return data.n_levels_seen[item] > 1 ||
         (prior.crowd.size() > 0 && data.observed_weight[item] > 0.0);
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
    const double log_volume = std::lgamma(n) + 0.5 * (n - 1.0) * std::log(two_pi / total) +
                              0.5 * prior.crowd.col(k).array().log().sum();
    cost -= std::min(0.0, log_volume);
  }
  return cost;
}

}  // namespace

double concentration(Index at) { return std::ldexp(0.5, static_cast<int>(at)); }

ItemPrior flat_prior() { return flat(1); }

RowMatrix crowd_columns(const CodedData& data, const RowMatrix& counts) {
  constexpr double least = 0.1;  // answers of each level, so that none is impossible
  RowMatrix sum = RowMatrix::Constant(data.n_levels.front(), counts.cols(), least);
  for (Index item = 0; item < data.n_items; ++item) {
    sum += counts.middleRows(data.offset[item], sum.rows());
  }
  return sum.array().rowwise() / sum.colwise().sum().array();
}

ItemPrior flat_prior_of_crowd(const CodedData& data, const RowMatrix& counts) {
  constexpr double pull = 100.0;  // answers that the columns are drawn back by
  ItemPrior prior = flat(2);
  prior.crowd = crowd_columns(data, counts);
  prior.pseudo_counts = pull * prior.crowd;
  return prior;
}

ItemEvidence weigh_items(const CodedData& data, const RowMatrix& counts, int n_steps,
                         ItemPrior& prior) {
  const Index n_weights = prior.weights.size();
  ItemEvidence out{RowMatrix::Zero(data.n_items, n_weights), Vector::Zero(data.n_items)};
  RowMatrix& factors = out.shares;
  const double n_operations =
      5.0 * static_cast<double>(data.n_total_levels() * counts.cols() * n_weights);
  std::optional<CrowdTables> crowd;
  if (prior.crowd.size() > 0) {
    crowd.emplace(prior.crowd, [](const Lanes& x, Lanes& value) { log_gamma_of(x, value); });
  }
  const Index n_jobs = (data.n_items + items_of_job - 1) / items_of_job;
  for_each_job(n_jobs, useful_threads(data.n_threads, n_operations), [&](Index job, int) {
    const Index last = std::min(data.n_items, (job + 1) * items_of_job);
    for (Index item = job * items_of_job; item < last; ++item) {
      if (!may_differ(data, item, prior)) continue;
      const bool has_own = data.n_levels_seen[item] > 1;
      weigh_item(data, counts, item, crowd ? &*crowd : nullptr, factors.row(item));
      const double most = factors.row(item).maxCoeff();
      factors.row(item) = (factors.row(item).array() - most).exp();
      if (!has_own) factors.row(item).segment(1, n_concentrations).setZero();
      out.gain[item] = most;
    }
  });
  for (int step = 0; step < n_steps; ++step) {
    // The mean of what the items say of the prior.
    Vector sums = Vector::Zero(n_weights);
    Vector shares(n_weights);
    double n_items = 0.0;
    for (Index item = 0; item < data.n_items; ++item) {
      if (!may_differ(data, item, prior)) continue;
      shares = factors.row(item).transpose().cwiseProduct(prior.weights);
      sums += shares * (1.0 / shares.sum());
      n_items += 1.0;
    }
    if (n_items > 0.0) prior.weights = sums / n_items;
  }
  for (Index item = 0; item < data.n_items; ++item) {
    if (!may_differ(data, item, prior)) {
      out.shares(item, 0) = 1.0;
      continue;
    }
    out.shares.row(item).array() *= prior.weights.transpose().array();
    const double sum = out.shares.row(item).sum();
    out.shares.row(item) /= sum;
    out.gain[item] += std::log(sum);
  }
  return out;
}

double update_crowd(const CodedData& data, const RowMatrix& counts, const ItemEvidence& evidence,
                    ItemPrior& prior) {
  if (prior.crowd.size() == 0) return 0.0;
  constexpr double least = 1e-4;
  const CrowdTables crowd(prior.crowd, [](const Lanes& x, Lanes& value) { digamma_of(x, value); });
  RowMatrix sums = prior.pseudo_counts;
  const auto work = [&]() __attribute__((always_inline)) {
    for (Index item = 0; item < data.n_items; ++item) {
      add_to_crowd(counts.data() + data.offset[item] * counts.cols(),
                   evidence.shares.row(item).tail(n_concentrations).data(), crowd, sums);
    }
  };
  with_avx2(data.instructions, work);
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
  const bool has_crowd = prior.crowd.size() > 0;
  double concentrations_of[n_concentrations];
  for (Index at = 0; at < n_concentrations; ++at) concentrations_of[at] = concentration(at);
  MixtureParameters params;
  params.mixing_weights = (sums.components.row(0).transpose().array() + 1.0) /
                          (data.total_weight + static_cast<double>(n_components));
  params.item_probs.resize(sums.levels.rows(), n_components);
  for (Index item = 0; item < data.n_items; ++item) {
    const Index first = data.offset[item];
    const Index n = data.n_levels[item];
    const auto shares = evidence.shares.row(item);
    for (Index k = 0; k < n_components; ++k) {
      const auto counts = sums.levels.col(k).segment(first, n);
      const double total = counts.sum();
      double of_own = shares[0];
      double of_crowd = 0.0;
      double of_counts = 0.0;
      for (Index at = 0; at < n_concentrations; ++at) {
        const double c = concentrations_of[at];
        const double per_row = 1.0 / (c + total);
        of_own += shares[1 + at] * c * per_row;
        of_counts += shares[1 + at] * per_row;
        if (!has_crowd) continue;
        of_crowd += shares[1 + n_concentrations + at] * c * per_row;
        of_counts += shares[1 + n_concentrations + at] * per_row;
      }
      auto probs = params.item_probs.col(k).segment(first, n);
      probs = of_counts * counts;
      for (Index r = 0; r < n; ++r) probs[r] += of_own * data.marginal(item, r);
      if (of_crowd > 0.0) probs += of_crowd * prior.crowd.col(k);
    }
  }
  return params;
}

double component_evidence(const RowMatrix& component_counts) {
  const auto n = static_cast<double>(component_counts.cols());
  double sum = std::lgamma(n) - std::lgamma(n + component_counts.sum()) + std::lgamma(n + 1.0);
  for (Index k = 0; k < component_counts.cols(); ++k) {
    sum += std::lgamma(1.0 + component_counts(0, k));
  }
  return sum;
}

}  // namespace mdpd
