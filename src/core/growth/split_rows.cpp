#include "growth/split_rows.h"

#include <algorithm>

#include "base/exact_sums.h"
#include "base/kernels.h"
#include "pairs/dependence.h"

namespace mdpd {

namespace {

/// Calls use(row, code_1, code_2) for the rows that count.
template <class Use>
void for_each_counting_row(const SplitProblem& problem, Use use) {
  if (problem.missing == MissingCells::kIgnore) {
    for_each_shared_row(problem.data, problem.item_1, problem.item_2, use);
    return;
  }
  require_missing_cells(problem.data);
  for_each_row(problem.data, problem.item_1, problem.item_2, use);
}

/// Relative moves d / mu by code; the missing level never moves.
Vector relative_move(const Vector& d, const Vector& probs) {
  Vector out = Vector::Zero(probs.size() + 1);
  for (Index r = 0; r < probs.size(); ++r) {
    if (probs[r] > 0.0) out[r + 1] = d[r] / probs[r];
  }
  return out;
}

/// Rows of one cell, and where their weights after the split are added up.
struct CellJob {
  const double* quads;
  std::size_t n_quads;
  Index n_components;
  Index component;
  double product;  ///< of the relative moves of both items: the copies together gain this share
  double* sums;    ///< n_components x n_lanes
};

/// A row's weight goes to the components after the split as the posterior after it says; the two
/// copies are still one, as their shares are the same in all rows of a cell. Each term is rounded as a
/// share is, so that sums are exact.
template <int n_fixed>
[[gnu::always_inline]] inline void add_split_rows(const CellJob& job) {
  const Index n = n_fixed > 0 ? n_fixed : job.n_components;
  const Lanes zero{};
  const double* quad = job.quads;
  for (std::size_t at = 0; at < job.n_quads; ++at, quad += (n + 1) * n_lanes) {
    Lanes total;
    Lanes own;
    load(quad, total);
    load(quad + (job.component + 1) * n_lanes, own);
    const Lanes after = total + own * job.product;
    const Lanes scale = total > 0.0 ? total / after : zero;
    const Lanes scale_of_copies = scale * (1.0 + job.product);
    for (Index k = 0; k < n; ++k) {
      Lanes weight;
      Lanes share;
      Lanes sum;
      load(quad + (k + 1) * n_lanes, weight);
      load(job.sums + k * n_lanes, sum);
      round_share(weight * (k == job.component ? scale_of_copies : scale), share);
      sum += share;
      store(sum, job.sums + k * n_lanes);
    }
  }
}

void split_cell(const CellJob& job, Instructions instructions) {
  with_constant<1, 2, 3, 4>(job.n_components, [&](auto size) {
    constexpr int n_fixed = size;
    const auto work = [&]() __attribute__((always_inline)) { add_split_rows<n_fixed>(job); };
    with_avx2(instructions, work);
  });
}

double sum_of_lanes(const double* lanes) {
  double sum = 0.0;
  for (int lane = 0; lane < n_lanes; ++lane) sum += lanes[lane];
  return sum;
}

}  // namespace

SplitRows sort_rows(const SplitProblem& problem) {
  const Index n_components = problem.row_weights.cols();
  const Index n_doubles = (n_components + 1) * n_lanes;
  SplitRows out;
  out.n_rows = problem.probs_1.size() + 1;
  out.n_cols = problem.probs_2.size() + 1;
  std::vector<std::size_t> next(out.n_rows * out.n_cols, 0);
  for_each_counting_row(problem, [&](Index, Index r, Index s) { ++next[r * out.n_cols + s]; });
  out.first_quad.assign(next.size() + 1, 0);
  for (std::size_t cell = 0; cell < next.size(); ++cell) {
    out.first_quad[cell + 1] = out.first_quad[cell] + round_up_to_lanes(next[cell]) / n_lanes;
    next[cell] = out.first_quad[cell] * n_lanes;
  }
  out.quads.assign(out.first_quad.back() * n_doubles, 0.0);
  for_each_counting_row(problem, [&](Index n, Index r, Index s) {
    const std::size_t at = next[r * out.n_cols + s]++;
    double* to = out.quads.data() + at / n_lanes * n_doubles + at % n_lanes;
    const double* weights = problem.row_weights.data() + n * n_components;
    for (Index k = 0; k < n_components; ++k) {
      to[0] += weights[k];
      to[(k + 1) * n_lanes] = weights[k];
    }
  });
  return out;
}

double objective_of_rows(const SplitProblem& problem, const SplitRows& rows, const Vector& d) {
  const Index n_components = problem.row_weights.cols();
  const Index n_doubles = (n_components + 1) * n_lanes;
  const Vector ratio_1 = relative_move(d.head(problem.probs_1.size()), problem.probs_1);
  const Vector ratio_2 = relative_move(d.tail(problem.probs_2.size()), problem.probs_2);
  PairTable table;
  table.reset(rows.n_rows, rows.n_cols, n_components + 1);
  std::vector<double> sums(n_components * n_lanes);
  for (Index r = 0; r < rows.n_rows; ++r) {
    for (Index s = 0; s < rows.n_cols; ++s) {
      const Index cell = r * rows.n_cols + s;
      const std::size_t first = rows.first_quad[cell];
      std::fill(sums.begin(), sums.end(), 0.0);
      split_cell({rows.quads.data() + first * n_doubles, rows.first_quad[cell + 1] - first,
                  n_components, problem.component, ratio_1[r] * ratio_2[s], sums.data()},
                 problem.data.instructions);
      for (Index k = 0; k < n_components; ++k) {
        table.at(r, s, k) = sum_of_lanes(sums.data() + k * n_lanes);
      }
      // Of the copies' weight each has the share that its move gives it.
      const double both = table.at(r, s, problem.component);
      const double half = both > 0.0 ? 0.5 * both / (1.0 + ratio_1[r] * ratio_2[s]) : 0.0;
      table.at(r, s, problem.component) = half * (1.0 + ratio_1[r]) * (1.0 + ratio_2[s]);
      table.at(r, s, n_components) = half * (1.0 - ratio_1[r]) * (1.0 - ratio_2[s]);
    }
  }
  double sum = 0.0;
  for (Index k = 0; k <= n_components; ++k) sum += pair_information(table, k, 1.0, 1.0).information;
  return sum;
}

}  // namespace mdpd
