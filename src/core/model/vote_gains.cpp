#include "model/vote_gains.h"

#include <algorithm>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/numerics.h"

namespace mdpd {

namespace {

/// Rows that are worked on at once: four side by side in Lanes, in the first-level cache.
constexpr Index rows_per_block = 256;
constexpr Index rows_per_job = 4096;
/// Nats that are rounding.
constexpr double least_gain = 1e-12;

/// What one worker's label tells, components side by side: first sum_r q log q, then q level by
/// level.
struct WorkerTable {
  Index n_labels = 0;
  std::vector<double> values;
};

WorkerTable table_of(const Matrix& label_probs) {
  WorkerTable table;
  table.n_labels = label_probs.rows();
  for (Index k = 0; k < label_probs.cols(); ++k) {
    double sum = 0.0;
    for (Index r = 0; r < label_probs.rows(); ++r) sum += x_log_x(label_probs(r, k));
    table.values.push_back(sum);
  }
  for (Index r = 0; r < label_probs.rows(); ++r) {
    for (Index k = 0; k < label_probs.cols(); ++k) table.values.push_back(label_probs(r, k));
  }
  return table;
}

/// Some rows, in groups of four side by side.
struct Block {
  Index n_components = 0;
  std::vector<double> posterior;  ///< groups x components x 4
  std::vector<char> is_open;      ///< per group: is any of its rows in doubt?
  std::vector<double> gain;       ///< per row, of one worker

  Index n_groups() const { return static_cast<Index>(is_open.size()); }
};

/// Rows beyond the last have a certain component, so that their group is no reason to look.
void load_block(const RowMatrix& posterior, Index first, Index n, Block& block) {
  block.n_components = posterior.cols();
  const Index n_groups = (n + n_lanes - 1) / n_lanes;
  block.posterior.assign(n_groups * block.n_components * n_lanes, 0.0);
  block.is_open.assign(n_groups, 0);
  block.gain.assign(n_groups * n_lanes, 0.0);
  for (Index row = 0; row < n; ++row) {
    double* to = block.posterior.data() + row / n_lanes * block.n_components * n_lanes;
    double entropy = 0.0;
    for (Index k = 0; k < block.n_components; ++k) {
      const double p = posterior(first + row, k);
      to[k * n_lanes + row % n_lanes] = p;
      entropy -= x_log_x(p);
    }
    if (entropy > least_gain) block.is_open[row / n_lanes] = 1;
  }
}

/// Gains of one worker on the rows of a block; 0 where rounding.
[[gnu::always_inline]] inline void fill_gains(const WorkerTable& table, Block& block) {
  const Index n_components = block.n_components;
  for (Index group = 0; group < block.n_groups(); ++group) {
    if (block.is_open[group] == 0) continue;
    const double* p = block.posterior.data() + group * n_components * n_lanes;
    const double* q = table.values.data();
    Lanes gain{};
    for (Index r = -1; r < table.n_labels; ++r, q += n_components) {
      Lanes sum{};
      for (Index k = 0; k < n_components; ++k) {
        Lanes in;
        load(p + k * n_lanes, in);
        sum += in * q[k];
      }
      if (r < 0) {
        gain = sum;
        continue;
      }
      Lanes term;
      x_log_x(sum, term);
      gain -= term;
    }
    const Lanes zero{};
    gain = gain > zero + least_gain ? gain : zero;
    store(gain, block.gain.data() + group * n_lanes);
  }
}

/// Adds one worker to the results of rows first, ..., first + n - 1. `next` is the worker's first
/// labelled row that is not before them, and is moved behind them.
void note_worker(const Block& block, Index worker, Index first, Index n,
                 const std::vector<std::uint32_t>& labelled, std::size_t& next, VoteGains& out) {
  for (Index row = 0; row < n; ++row) {
    const bool has_labelled =
        next < labelled.size() && static_cast<Index>(labelled[next]) == first + row;
    if (has_labelled) ++next;
    const double gain = block.gain[row];
    out.mean[first + row] += gain;
    // Of workers who gain the same the first is best, whatever the rounding.
    if (has_labelled || !(gain > out.best[first + row] + least_gain)) continue;
    out.best[first + row] = gain;
    out.best_worker[first + row] = worker;
  }
}

/// Where each worker's labelled rows from `row` on begin.
std::vector<std::size_t> labelled_from(const Voters& voters, Index row) {
  std::vector<std::size_t> out;
  for (const std::vector<std::uint32_t>& rows : voters.labelled) {
    const auto at = std::lower_bound(rows.begin(), rows.end(), static_cast<std::uint32_t>(row));
    out.push_back(static_cast<std::size_t>(at - rows.begin()));
  }
  return out;
}

}  // namespace

VoteGains vote_gains(const RowMatrix& posterior, const Voters& voters, int n_threads) {
  const Index n_obs = posterior.rows();
  const auto n_workers = static_cast<Index>(voters.label_probs.size());
  VoteGains out{Vector::Zero(n_obs), Vector::Zero(n_obs), std::vector<Index>(n_obs, no_worker)};
  std::vector<WorkerTable> tables;
  for (const Matrix& probs : voters.label_probs) tables.push_back(table_of(probs));
  std::vector<Block> blocks(n_threads);
  const Index n_jobs = (n_obs + rows_per_job - 1) / rows_per_job;
  for_each_job(n_jobs, n_threads, [&](Index job, int thread) {
    Block& block = blocks[thread];
    std::vector<std::size_t> next = labelled_from(voters, job * rows_per_job);
    const Index end = std::min(n_obs, (job + 1) * rows_per_job);
    for (Index first = job * rows_per_job; first < end; first += rows_per_block) {
      const Index n = std::min(rows_per_block, end - first);
      load_block(posterior, first, n, block);
      for (Index worker = 0; worker < n_workers; ++worker) {
        const auto work = [&]() __attribute__((always_inline)) {
          fill_gains(tables[worker], block);
        };
        with_avx2_fma(widest_instructions(), work);
        note_worker(block, worker, first, n, voters.labelled[worker], next[worker], out);
      }
    }
  });
  if (n_workers > 0) out.mean /= static_cast<double>(n_workers);
  return out;
}

}  // namespace mdpd
