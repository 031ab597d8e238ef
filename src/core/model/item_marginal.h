#pragma once

#include <array>

#include "base/lanes.h"
#include "base/log_gamma.h"
#include "base/numerics.h"
#include "data/coded_data.h"
#include "model/item_prior.h"

namespace mdpd {

// Log marginal likelihoods of an item's counts at all concentrations at once. All functions are to be
// compiled for the instructions of their caller, see `with_avx2()`.

inline constexpr Index n_grid_lanes = n_concentrations / n_lanes;
static_assert(n_concentrations % n_lanes == 0);

/// A number for each concentration.
using Grid = std::array<Lanes, n_grid_lanes>;

inline const Grid& concentrations() {
  static const Grid grid = [] {
    Grid out;
    for (Index at = 0; at < n_concentrations; ++at) {
      out[at / n_lanes][at % n_lanes] = concentration(at);
    }
    return out;
  }();
  return grid;
}

inline Grid log_gammas(const Grid& grid) {
  Grid out;
  for (Index v = 0; v < n_grid_lanes; ++v) log_gamma_of(grid[v], out[v]);
  return out;
}

/// Fewer answers, which a posterior leaves of rows it is sure of, are none.
inline constexpr double least_count = 1e-12;

/// An item's counts by level and component, and their sums.
struct ItemCounts {
  const double* cells;  ///< levels x n_components
  Index n_levels;
  const Vector& totals;

  Index n_components() const { return totals.size(); }
  double operator()(Index level, Index k) const { return cells[level * n_components() + k]; }
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

inline double half_df(const CodedData& data, Index item) {
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

}  // namespace mdpd
