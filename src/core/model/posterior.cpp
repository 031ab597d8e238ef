#include "model/posterior.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/jobs.h"
#include "base/kernels.h"
#include "base/log_sum_exp.h"
#include "base/numerics.h"
#include "base/scatter.h"
#include "data/packed_items.h"

namespace mdpd {

namespace {

/// Rows whose log-joint probabilities stay in the first-level cache while the items are added.
constexpr Index rows_per_batch = 512;

/// Adds an item to the table of a group: the cells are those of the items before it, each times the
/// item's digits. A missing answer has the log-probability 0.
void add_item(const CodedData& data, const MixtureParameters& params, Index item, Index n_cells,
              double* table) {
  const Index n_components = params.n_components();
  const Index step = padded_columns(n_components);
  const Index n_missing = data.has_missing[item] ? 1 : 0;
  const Index digits = n_digits(data, item);
  std::vector<double> logs(digits * step, 0.0);
  for (Index level = 0; level < data.n_levels[item]; ++level) {
    for (Index k = 0; k < n_components; ++k) {
      logs[(level + n_missing) * step + k] =
          safe_log(params.item_probs(data.offset[item] + level, k));
    }
  }
  // From behind, as the new cells take the place of the old ones.
  for (Index cell = n_cells - 1; cell >= 0; --cell) {
    for (Index digit = digits - 1; digit >= 0; --digit) {
      double* to = table + (cell * digits + digit) * step;
      for (Index v = 0; v < step; ++v) to[v] = table[cell * step + v] + logs[digit * step + v];
    }
  }
}

/// Log-probabilities of all groups, one table after the other.
AlignedDoubles group_tables(const CodedData& data, const MixtureParameters& params,
                            const GroupedItems& grouped) {
  const Index step = padded_columns(params.n_components());
  Index n_cells = 0;
  for (const ItemGroup& group : grouped.groups) n_cells += group.n_levels;
  AlignedDoubles tables;
  tables.grow_to(n_cells * step);
  double* table = tables.data();
  for (const ItemGroup& group : grouped.groups) {
    Index n_levels = 1;
    for (std::size_t at = group.first_item; at < group.last_item; ++at) {
      add_item(data, params, grouped.items[at], n_levels, table);
      n_levels *= n_digits(data, grouped.items[at]);
    }
    table += n_levels * step;
  }
  return tables;
}

/// Sums up log-joint probabilities of some rows.
struct JointJob {
  const GroupedItems& grouped;
  const double* log_weights;  ///< padded
  const double* tables;
  Index n_obs;
  Index first_row;
  Index n_rows;
  Index n_components;
  double* log_joint;  ///< n_rows x n_components
};

/// Sums up n_side rows side by side, as their additions do not wait for each other. The number of
/// components is a constant where it is small.
template <int n_fixed, int n_side>
[[gnu::always_inline]] inline void join_rows(const JointJob& job, Index at) {
  using Sum = typename Cell<n_fixed == 1 || n_fixed == 2 ? n_fixed : 0>::Type;
  constexpr Index width = sizeof(Sum) / sizeof(double);
  const Index n_components = n_fixed > 0 ? n_fixed : job.n_components;
  const Index step = (n_components + width - 1) / width * width;
  for (Index v = 0; v < step; v += width) {
    Sum start;
    std::memcpy(&start, job.log_weights + v, sizeof start);
    Sum sums[n_side];
    for (int side = 0; side < n_side; ++side) sums[side] = start;
    const double* table = job.tables + v;
    const std::uint16_t* cells = job.grouped.cells.data() + job.first_row + at;
    for (const ItemGroup& group : job.grouped.groups) {
      for (int side = 0; side < n_side; ++side) {
        Sum in;
        std::memcpy(&in, table + cells[side] * step, sizeof in);
        sums[side] += in;
      }
      table += group.n_levels * step;
      cells += job.n_obs;
    }
    const auto n_used = static_cast<std::size_t>(std::min(width, n_components - v));
    for (int side = 0; side < n_side; ++side) {
      std::memcpy(job.log_joint + (at + side) * n_components + v, &sums[side],
                  n_used * sizeof(double));
    }
  }
}

template <int n_fixed>
[[gnu::always_inline]] inline void join_all(const JointJob& job) {
  Index at = 0;
  for (; at + 4 <= job.n_rows; at += 4) join_rows<n_fixed, 4>(job, at);
  for (; at < job.n_rows; ++at) join_rows<n_fixed, 1>(job, at);
}

void join(const JointJob& job) {
  with_constant<1, 2, 3, 4, 5, 6>(job.n_components, [&](auto size) {
    constexpr int n_fixed = size;
    const auto work = [&]() __attribute__((always_inline)) { join_all<n_fixed>(job); };
    with_avx2(widest_instructions(), work);
  });
}

/// Log-probabilities of the items in use, all levels of all items, behind zeros for the others, so
/// that the loop over answers needs no branch.
struct LogTables {
  std::vector<double> values;
  std::vector<std::uint32_t> first;  ///< per item: where its levels begin, in rows of components
};

LogTables log_tables(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  const Index n_components = params.n_components();
  const Index most_levels =
      data.n_items > 0 ? *std::max_element(data.n_levels.begin(), data.n_levels.end()) : 0;
  LogTables tables;
  tables.values.assign(most_levels * n_components, 0.0);
  tables.first.assign(data.n_items, 0);
  for (const Index item : items) {
    const auto probs = params.item_probs.middleRows(data.offset[item], data.n_levels[item]);
    tables.first[item] = static_cast<std::uint32_t>(tables.values.size() / n_components);
    for (Index r = 0; r < probs.rows(); ++r) {
      for (Index k = 0; k < n_components; ++k) tables.values.push_back(safe_log(probs(r, k)));
    }
  }
  return tables;
}

/// Adds the log-probabilities of the answers of `n` rows of sparse data. The sums of a row stay in
/// registers where the number of components is a constant.
template <int n_fixed>
void add_sparse_rows(const CodedData& data, const LogTables& tables, Index first_row, Index n,
                     Index n_components, double* log_joint) {
  if (n_fixed > 0) n_components = n_fixed;
  const SparseCodes& sparse = data.sparse;
  const std::uint32_t* items = sparse.row_item.data();
  const Code* codes = sparse.row_code.data();
  double fixed[n_fixed > 0 ? n_fixed : 1];
  for (Index row = first_row; row < first_row + n; ++row, log_joint += n_components) {
    double* sums = n_fixed > 0 ? fixed : log_joint;
    if (n_fixed > 0) std::copy_n(log_joint, n_fixed, fixed);
    for (std::size_t at = sparse.row_start[row]; at < sparse.row_start[row + 1]; ++at) {
      const std::size_t level = tables.first[items[at]] + codes[at] - 1U;
      const double* in = tables.values.data() + level * n_components;
      for (Index k = 0; k < n_components; ++k) sums[k] += in[k];
    }
    if (n_fixed > 0) std::copy_n(fixed, n_fixed, log_joint);
  }
}

/// Leaves a row whose component is known no other one.
void exclude_other_components(Index own, Index n_components, double* log_joint) {
  for (Index k = 0; k < n_components; ++k) {
    if (k != own) log_joint[k] = -std::numeric_limits<double>::infinity();
  }
}

/// Turns log-joint probabilities of rows into posteriors in place, by log-sum-exp.
void normalise(Index first_row, Index n, EStep& step) {
  const Index n_components = step.posterior.cols();
  normalise_log_rows(step.posterior.data() + first_row * n_components, n, n_components,
                     step.row_loglik.data() + first_row);
}

}  // namespace

EStep e_step(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  return e_step_of_groups(data, params, group_items(data, items));
}

EStep e_step_of_groups(const CodedData& data, const MixtureParameters& params,
                       const GroupedItems& grouped) {
  require_compatible(data, params);
  const Index n_components = params.n_components();
  Vector log_weights = Vector::Zero(padded_columns(n_components));
  log_weights.head(n_components) = params.mixing_weights.unaryExpr(&safe_log);
  AlignedDoubles tables;
  LogTables sparse_tables;
  if (data.is_sparse()) {
    sparse_tables = log_tables(data, params, grouped.items);
  } else {
    tables = group_tables(data, params, grouped);
  }
  const double* first_table = tables.data();
  EStep step;
  step.posterior.resize(data.n_obs, n_components);
  step.row_loglik.resize(data.n_obs);
  const Index n_batches = (data.n_obs + rows_per_batch - 1) / rows_per_batch;
  const double n_operations = static_cast<double>(data.n_obs * n_components) *
                              (10.0 + static_cast<double>(grouped.items.size()));
  const int n_threads = useful_threads(data.n_threads, n_operations);
  for_each_job(n_batches, n_threads, [&](Index batch, int) {
    const Index from = batch * rows_per_batch;
    const Index n = std::min(rows_per_batch, data.n_obs - from);
    double* log_joint = step.posterior.data() + from * n_components;
    if (data.is_sparse()) {
      step.posterior.middleRows(from, n).rowwise() = log_weights.head(n_components).transpose();
      with_constant<2, 3, 4, 5, 6>(n_components, [&](auto size) {
        add_sparse_rows<size>(data, sparse_tables, from, n, n_components, log_joint);
      });
    } else {
      join(
          {grouped, log_weights.data(), first_table, data.n_obs, from, n, n_components, log_joint});
    }
    for (Index at = 0; at < n && n_components > 1 && !data.known.empty(); ++at) {
      const Index own = data.known[from + at];
      if (own == no_component) continue;
      exclude_other_components(own, n_components, log_joint + at * n_components);
    }
    normalise(from, n, step);
  });
  step.loglik = data.case_weights.dot(step.row_loglik);
  return step;
}

EStep normalise_rows(RowMatrix log_joint, const Vector& case_weights) {
  EStep step;
  step.row_loglik.resize(log_joint.rows());
  step.posterior = std::move(log_joint);
  normalise(0, step.posterior.rows(), step);
  step.loglik = case_weights.dot(step.row_loglik);
  return step;
}

}  // namespace mdpd
