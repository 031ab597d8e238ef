#include "growth/split_objective.h"

#include <algorithm>

#include "base/exact_sums.h"
#include "base/kernels.h"
#include "pairs/dependence.h"

namespace mdpd {

namespace {

/// Rows of a cell that are looked at together: what is computed of them stays in the cache.
constexpr Index rows_at_once = 512;

/// Relative moves d / mu by code; the missing level never moves.
Vector relative_move(const Vector& d, const Vector& probs) {
  Vector out = Vector::Zero(probs.size() + 1);
  for (Index r = 0; r < probs.size(); ++r) {
    if (probs[r] > 0.0) out[r + 1] = d[r] / probs[r];
  }
  return out;
}

/// By what the weights of rows are scaled: total / (total + weight * product).
[[gnu::always_inline]] inline void scale_rows(const double* total, const double* weight, Index n,
                                              double product, double* scale) {
  Index at = 0;
  for (; at + n_lanes <= n; at += n_lanes) {
    Lanes t;
    Lanes w;
    load(total + at, t);
    load(weight + at, w);
    store(t / (t + w * product), scale + at);
  }
  for (; at < n; ++at) scale[at] = total[at] / (total[at] + weight[at] * product);
}

/// Sum of the scaled weights, each rounded as a share is.
[[gnu::always_inline]] inline double sum_scaled(const double* weight, const double* scale, Index n,
                                                double gain) {
  Lanes sums{};
  Index at = 0;
  for (; at + n_lanes <= n; at += n_lanes) {
    Lanes w;
    Lanes s;
    Lanes share;
    load(weight + at, w);
    load(scale + at, s);
    round_share(Lanes(w * (s * gain)), share);
    sums += share;
  }
  double sum = sum_of(sums);
  for (; at < n; ++at) {
    double share;
    round_share(weight[at] * (scale[at] * gain), share);
    sum += share;
  }
  return sum;
}

/// A row's weight goes to the components after the split as the posterior after it says; the two
/// copies are still one, as their shares are the same in all rows of a cell. Each term is rounded as
/// a share is, so that sums are exact.
/// @param product of the relative moves of both items: the copies together gain this share.
Vector split_cell(const Matrix& cell, Index component, double product) {
  Vector sums = Vector::Zero(cell.cols() - 1);
  double scale[rows_at_once];
  const auto work = [&]() __attribute__((always_inline)) {
    for (Index first = 0; first < cell.rows(); first += rows_at_once) {
      const Index n = std::min(rows_at_once, cell.rows() - first);
      const auto column = [&](Index k) { return cell.data() + k * cell.rows() + first; };
      scale_rows(column(sums.size()), column(component), n, product, scale);
      for (Index k = 0; k < sums.size(); ++k) {
        sums[k] += sum_scaled(column(k), scale, n, k == component ? 1.0 + product : 1.0);
      }
    }
  };
  with_avx2(widest_instructions(), work);
  return sums;
}

}  // namespace

SplitObjective::SplitObjective(const SplitProblem& problem)
    : problem_(problem), cells_((problem.probs_1.size() + 1) * (problem.probs_2.size() + 1)) {
  const Vector totals = problem.row_weights.rowwise().sum();
  struct Pair {
    Index row;
    Index n_pairs;
  };
  std::vector<std::vector<Pair>> rows(cells_.size());
  const bool ignores = problem.missing == MissingCells::kIgnore;
  if (!ignores) require_missing_cells(problem.data);
  const auto add_row = [&](Index n, Index r, Index s, Index n_pairs) {
    if ((ignores && (r == 0 || s == 0)) || !(totals[n] > 0.0)) return;
    rows[r * (problem.probs_2.size() + 1) + s].push_back({n, n_pairs});
  };
  for_each_row(problem.data, problem.item_1, problem.item_2, add_row);
  const Index n_components = problem.row_weights.cols();
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    cells_[cell].resize(static_cast<Index>(rows[cell].size()), n_components + 1);
    for (std::size_t at = 0; at < rows[cell].size(); ++at) {
      const auto [n, n_pairs] = rows[cell][at];
      cells_[cell].row(at) << problem.row_weights.row(n), totals[n];
      cells_[cell].row(at) /= static_cast<double>(n_pairs);
    }
  }
}

double SplitObjective::operator()(const Vector& d) const {
  const Index component = problem_.component;
  const Index n_components = problem_.row_weights.cols();
  const Vector ratio_1 = relative_move(d.head(problem_.probs_1.size()), problem_.probs_1);
  const Vector ratio_2 = relative_move(d.tail(problem_.probs_2.size()), problem_.probs_2);
  PairTable table;
  table.reset(ratio_1.size(), ratio_2.size(), n_components + 1);
  for (Index r = 0; r < table.n_rows; ++r) {
    for (Index s = 0; s < table.n_cols; ++s) {
      const double product = ratio_1[r] * ratio_2[s];
      const Vector sums = split_cell(cells_[r * table.n_cols + s], component, product);
      for (Index k = 0; k < n_components; ++k) table.at(r, s, k) = sums[k];
      // Of the copies' weight each has the share that its move gives it.
      const double half = sums[component] > 0.0 ? 0.5 * sums[component] / (1.0 + product) : 0.0;
      table.at(r, s, component) = half * (1.0 + ratio_1[r]) * (1.0 + ratio_2[s]);
      table.at(r, s, n_components) = half * (1.0 - ratio_1[r]) * (1.0 - ratio_2[s]);
    }
  }
  double sum = 0.0;
  for (Index k = 0; k <= n_components; ++k) sum += dependence(table, k);
  return sum;
}

}  // namespace mdpd
