#include "starts/dependence.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/matrices.h"
#include "base/numerics.h"
#include "starts/row_products.h"
#include "starts/shuffles.h"

namespace mdpd {

namespace {

constexpr double least_share_answered = 0.95;
constexpr double chance_excess = 0.98;
constexpr int n_bisections = 60;

/// Shuffled tables, none of which may have as large roots, and cells up to which these are made.
constexpr std::uint64_t n_shuffled = 66;
constexpr double most_cells_to_shuffle = 50000.0;

bool are_counts(const Vector& weights) {
  return (weights.array() == weights.array().round()).all();
}

bool has_known_law(const CodedData& data) {
  const ItemSet items = varying_items(data);
  double answered = 0.0;
  for (const Index item : items) answered += data.observed_weight[item];
  const double all = data.total_weight * static_cast<double>(items.size());
  return !items.empty() && answered >= least_share_answered * all && are_counts(data.case_weights);
}

/// Variances of a row's scaled answers along the axes of each item.
std::vector<double> variances_of_independent(const CodedData& data) {
  std::vector<double> out;
  for (const Index item : varying_items(data)) {
    const Index n = data.n_levels[item];
    Matrix covariance(n, n);
    for (Index r = 0; r < n; ++r) {
      for (Index s = 0; s < n; ++s) {
        const double both = r == s ? data.marginal(item, r) : 0.0;
        const Index first = data.offset[item];
        const double scale = (data.level_weight[first + r] + answers_added_to_see) *
                             (data.level_weight[first + s] + answers_added_to_see);
        covariance(r, s) =
            (both - data.marginal(item, r) * data.marginal(item, s)) / std::sqrt(scale);
      }
    }
    const double answered = data.observed_weight[item] / data.total_weight;
    // The lowest is 0: an answer is one of the levels.
    const Vector values = spectrum_of(covariance).values;
    for (Index j = 1; j < n; ++j) out.push_back(answered * values[j]);
  }
  return out;
}

struct Law {
  double centre;
  double scale;
};

/// Of the largest root of n rows with these variances, as El Karoui has it.
Law law_of_largest_root(const std::vector<double>& variances, double n) {
  double largest = 0.0;
  for (const double variance : variances) largest = std::max(largest, variance);
  const auto mean_power = [&](double c, int power) {
    double sum = 0.0;
    for (const double variance : variances) {
      const double ratio = variance * c / (1.0 - variance * c);
      sum += power == 1 ? ratio : power == 2 ? ratio * ratio : ratio * ratio * ratio;
    }
    return sum / n;
  };
  double low = 0.0;
  double high = 1.0 / largest;
  for (int i = 0; i < n_bisections; ++i) {
    const double middle = 0.5 * (low + high);
    (mean_power(middle, 2) < 1.0 ? low : high) = middle;
  }
  const double c = low;
  return {n / c * (1.0 + mean_power(c, 1)), exp_of(log_of(n * (1.0 + mean_power(c, 3))) / 3.0) / c};
}

}  // namespace

double excess_of_largest_root(const CodedData& data) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  if (!has_known_law(data)) return none;
  const Eigenpairs pairs = RowProducts(data, answers_added_to_see).largest(1);
  if (pairs.values.size() == 0) return none;
  const std::vector<double> variances = variances_of_independent(data);
  // What the rows have in common with themselves only is not in the products.
  double of_row = 0.0;
  for (const double variance : variances) of_row += variance;
  const Law law = law_of_largest_root(variances, data.total_weight);
  return (pairs.values[0] + of_row - law.centre) / law.scale;
}

bool is_above_law(const CodedData& data) { return excess_of_largest_root(data) > chance_excess; }

bool is_above_shuffled(const CodedData& data, Index n_roots) {
  const double n_cells = data.total_weight * static_cast<double>(data.n_items);
  const bool may_shuffle = n_cells > 0.0 && n_cells <= most_cells_to_shuffle &&
                           data.most_repeats == 1 && are_counts(data.case_weights) && n_roots > 0;
  if (!may_shuffle) return false;
  Shuffles shuffles(data);
  const auto sum_of_roots = [&](std::uint64_t number) {
    return RowProducts(shuffles.table(number), answers_added_to_see).largest(n_roots).values.sum();
  };
  const double sum = sum_of_roots(0);
  for (std::uint64_t number = 1; number <= n_shuffled; ++number) {
    if (sum_of_roots(number) >= sum) return false;
  }
  return true;
}

}  // namespace mdpd
