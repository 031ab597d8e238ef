#include "model/evidence.h"

#include <array>
#include <cmath>

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

Grid concentrations() {
  Grid grid;
  for (Index at = 0; at < n_concentrations; ++at)
    grid[at / n_lanes][at % n_lanes] = concentration(at);
  return grid;
}

[[gnu::always_inline]] inline void add_log_gamma(double sign, const Lanes& x, Lanes& sum) {
  Lanes value;
  log_gamma_of(x, value);
  sum += sign * value;
}

/// Log marginal likelihood of an item's counts, whose columns have Dirichlet priors around `centre`
/// (levels x 1, or x n_components).
template <class Counts, class Centre>
[[gnu::always_inline]] inline void log_marginal(const Counts& counts, const Centre& centre,
                                                const Grid& grid, Grid& out) {
  for (Index v = 0; v < n_grid_lanes; ++v) {
    Lanes sum{};
    for (Index k = 0; k < counts.cols(); ++k) {
      double total = 0.0;
      for (Index r = 0; r < counts.rows(); ++r) total += counts(r, k);
      if (!(total > 0.0)) continue;
      add_log_gamma(1.0, grid[v], sum);
      add_log_gamma(-1.0, grid[v] + total, sum);
      for (Index r = 0; r < counts.rows(); ++r) {
        if (!(counts(r, k) > 0.0)) continue;
        const double mean = centre(r, centre.cols() > 1 ? k : 0);
        add_log_gamma(1.0, grid[v] * mean + counts(r, k), sum);
        add_log_gamma(-1.0, grid[v] * mean, sum);
      }
    }
    out[v] = sum;
  }
}

GridRow row_of(const Grid& grid) {
  GridRow out;
  for (Index v = 0; v < n_grid_lanes; ++v) store(grid[v], out.data() + v * n_lanes);
  return out;
}

/// The gain of not knowing the centre, which is integrated over under the spike as well (Laplace):
/// it is worth as many rows as the columns' spread leaves of them.
GridRow gain_of_centre(const CodedData& data, Index item, const Vector& weights) {
  GridRow out;
  const double half_df = 0.5 * static_cast<double>(data.n_levels_seen[item] - 1);
  for (Index at = 0; at < n_concentrations; ++at) {
    const double c = concentration(at);
    const double rows = (weights.array() * (c + 1.0) / (weights.array() + (c + 1.0))).sum();
    out[at] = half_df * std::log(data.observed_weight[item] / rows);
  }
  return out;
}

/// Log marginal likelihood of an item's answers with one column, of which nothing is known.
double log_marginal_of_spike(const Vector& counts) {
  double sum = std::lgamma(static_cast<double>(counts.size())) -
               std::lgamma(static_cast<double>(counts.size()) + counts.sum());
  for (Index r = 0; r < counts.size(); ++r) sum += std::lgamma(1.0 + counts[r]);
  return sum;
}

/// Log Bayes factors of an item against the spike.
template <class Out>
void weigh_item(const CodedData& data, const RowMatrix& counts, Index item, const ItemPrior& prior,
                Out out) {
  static const Grid grid = concentrations();
  const Index first = data.offset[item];
  const Index n = data.n_levels[item];
  const auto table = counts.middleRows(first, n);
  const Vector level_weight = data.level_weight.segment(first, n);
  const Vector weights = table.colwise().sum();
  Grid sums;
  const bool has_crowd = prior.crowd.size() > 0;
  if (data.n_levels_seen[item] > 1) {
    const Vector centre = level_weight / data.observed_weight[item];
    const auto own = [&]() __attribute__((always_inline)) {
      log_marginal(table, centre, grid, sums);
    };
    with_avx2(data.instructions, own);
    out.segment(1, n_concentrations) = row_of(sums) + gain_of_centre(data, item, weights) -
                                       GridRow::Constant(data.marginal_loglik[item]);
  }
  if (!has_crowd) return;
  const auto crowd = [&]() __attribute__((always_inline)) {
    log_marginal(table, prior.crowd, grid, sums);
  };
  with_avx2(data.instructions, crowd);
  out.tail(n_concentrations) =
      row_of(sums) - GridRow::Constant(log_marginal_of_spike(level_weight));
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
      40.0 * static_cast<double>(data.n_total_levels() * counts.cols() * n_weights);
  const Index n_jobs = (data.n_items + items_of_job - 1) / items_of_job;
  for_each_job(n_jobs, useful_threads(data.n_threads, n_operations), [&](Index job, int) {
    const Index last = std::min(data.n_items, (job + 1) * items_of_job);
    for (Index item = job * items_of_job; item < last; ++item) {
      if (!may_differ(data, item, prior)) continue;
      const bool has_own = data.n_levels_seen[item] > 1;
      weigh_item(data, counts, item, prior, factors.row(item));
      const double most = factors.row(item).maxCoeff();
      factors.row(item) = (factors.row(item).array() - most).exp();
      if (!has_own) factors.row(item).segment(1, n_concentrations).setZero();
      out.gain[item] = most;
    }
  });
  for (int step = 0; step < n_steps; ++step) {
    // The mean of what the items say of the prior.
    Vector sums = Vector::Zero(n_weights);
    double n_items = 0.0;
    for (Index item = 0; item < data.n_items; ++item) {
      if (!may_differ(data, item, prior)) continue;
      const Vector shares = factors.row(item).transpose().cwiseProduct(prior.weights);
      sums += shares / shares.sum();
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

void update_crowd(const CodedData& data, const RowMatrix& counts, const ItemEvidence& evidence,
                  ItemPrior& prior) {
  if (prior.crowd.size() == 0) return;
  constexpr double negligible = 1e-6;
  constexpr double least = 1e-4;
  RowMatrix sums = prior.pseudo_counts;
  for (Index item = 0; item < data.n_items; ++item) {
    const auto shares = evidence.shares.row(item).tail(n_concentrations);
    if (shares.sum() < negligible) continue;
    const auto table = counts.middleRows(data.offset[item], data.n_levels[item]);
    for (Index r = 0; r < sums.rows(); ++r) {
      for (Index k = 0; k < sums.cols(); ++k) {
        if (!(table(r, k) > 0.0)) continue;
        for (Index at = 0; at < n_concentrations; at += n_lanes) {
          Lanes mean;
          for (Index lane = 0; lane < n_lanes; ++lane) {
            mean[lane] = concentration(at + lane) * prior.crowd(r, k);
          }
          Lanes before;
          Lanes after;
          digamma_of(mean, before);
          digamma_of(mean + table(r, k), after);
          const Lanes drawn = mean * (after - before);
          for (Index lane = 0; lane < n_lanes; ++lane)
            sums(r, k) += shares[at + lane] * drawn[lane];
        }
      }
    }
  }
  for (Index k = 0; k < sums.cols(); ++k) {
    const Vector column = (sums.col(k) / sums.col(k).sum()).cwiseMax(least);
    prior.crowd.col(k) = column / column.sum();
  }
}

MixtureParameters posterior_means(const CodedData& data, const LevelSums& sums,
                                  const ItemEvidence& evidence, const ItemPrior& prior) {
  const Index n_components = sums.components.cols();
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
        const double c = concentration(at);
        of_own += shares[1 + at] * c / (c + total);
        double share = shares[1 + at];
        if (prior.crowd.size() > 0) {
          of_crowd += shares[1 + n_concentrations + at] * c / (c + total);
          share += shares[1 + n_concentrations + at];
        }
        of_counts += share / (c + total);
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
