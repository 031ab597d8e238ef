#include "posterior.h"

#include <cmath>
#include <limits>

#include "jobs.h"
#include "numerics.h"

namespace mdpd {

namespace {

/// Rows whose log-joint probabilities stay in the first-level cache while the items are added.
constexpr Index rows_per_batch = 512;

/// Log-probabilities of one item with a row of zeros for the missing code in front, so that the
/// loop over observations needs no branch.
RowMatrix log_table(const CodedData& data, const MixtureParameters& params, Index item) {
  RowMatrix table(data.n_levels[item] + 1, params.n_components());
  table.row(0).setZero();
  table.bottomRows(data.n_levels[item]) =
      params.item_probs.middleRows(data.offset[item], data.n_levels[item]).unaryExpr(&safe_log);
  return table;
}

/// Adds one item's log-probabilities to `n` rows. The number of components is a constant where it
/// is small, so that the compiler needs no inner loop.
template <int n_fixed>
void add_log_probs(const double* table, const Code* codes, Index n, Index n_components,
                   double* log_joint) {
  if (n_fixed > 0) n_components = n_fixed;
  for (Index at = 0; at < n; ++at, log_joint += n_components) {
    const double* in = table + codes[at] * n_components;
    for (Index k = 0; k < n_components; ++k) log_joint[k] += in[k];
  }
}

using AddLogProbs = void (*)(const double*, const Code*, Index, Index, double*);

AddLogProbs choose_add_log_probs(Index n_components) {
  switch (n_components) {
    case 1: return add_log_probs<1>;
    case 2: return add_log_probs<2>;
    case 3: return add_log_probs<3>;
    case 4: return add_log_probs<4>;
    case 5: return add_log_probs<5>;
    case 6: return add_log_probs<6>;
    default: return add_log_probs<0>;
  }
}

/// Log-probabilities of the items in use, all levels of all items, and where each item's begin.
struct LogTables {
  std::vector<double> values;
  std::vector<std::ptrdiff_t> first;  ///< per item; negative where the item is not in use
};

LogTables log_tables(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  LogTables tables;
  tables.first.assign(data.n_items, -1);
  for (const Index item : items) {
    const auto probs = params.item_probs.middleRows(data.offset[item], data.n_levels[item]);
    tables.first[item] = static_cast<std::ptrdiff_t>(tables.values.size());
    for (Index r = 0; r < probs.rows(); ++r) {
      for (Index k = 0; k < probs.cols(); ++k) tables.values.push_back(safe_log(probs(r, k)));
    }
  }
  return tables;
}

/// Adds the log-probabilities of the answers of `n` rows of sparse data.
template <int n_fixed>
void add_sparse_rows(const CodedData& data, const LogTables& tables, Index first_row, Index n,
                     Index n_components, double* log_joint) {
  if (n_fixed > 0) n_components = n_fixed;
  for (Index row = first_row; row < first_row + n; ++row, log_joint += n_components) {
    for_each_item_of_row(data, row, [&](Index item, Code code) {
      if (tables.first[item] < 0) return;
      const double* in = tables.values.data() + tables.first[item] + (code - 1) * n_components;
      for (Index k = 0; k < n_components; ++k) log_joint[k] += in[k];
    });
  }
}

using AddSparseRows = void (*)(const CodedData&, const LogTables&, Index, Index, Index, double*);

AddSparseRows choose_add_sparse_rows(Index n_components) {
  switch (n_components) {
    case 2: return add_sparse_rows<2>;
    case 3: return add_sparse_rows<3>;
    case 4: return add_sparse_rows<4>;
    case 5: return add_sparse_rows<5>;
    case 6: return add_sparse_rows<6>;
    default: return add_sparse_rows<0>;
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
  double* row = step.posterior.data() + first_row * n_components;
  for (Index at = first_row; at < first_row + n; ++at, row += n_components) {
    double largest = row[0];
    for (Index k = 1; k < n_components; ++k) largest = std::max(largest, row[k]);
    double sum = 0.0;
    for (Index k = 0; k < n_components; ++k) sum += row[k] = std::exp(row[k] - largest);
    for (Index k = 0; k < n_components; ++k) row[k] /= sum;
    step.row_loglik[at] = largest + std::log(sum);
  }
}

}  // namespace

EStep e_step(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  require_compatible(data, params);
  const Index n_components = params.n_components();
  const AddLogProbs add = choose_add_log_probs(n_components);
  const AddSparseRows add_sparse = choose_add_sparse_rows(n_components);
  const Vector log_weights = params.mixing_weights.unaryExpr(&safe_log);
  std::vector<RowMatrix> tables;
  LogTables sparse_tables;
  if (data.is_sparse()) {
    sparse_tables = log_tables(data, params, items);
  } else {
    for (const Index item : items) tables.push_back(log_table(data, params, item));
  }
  EStep step;
  step.posterior.resize(data.n_obs, n_components);
  step.row_loglik.resize(data.n_obs);
  const Index n_batches = (data.n_obs + rows_per_batch - 1) / rows_per_batch;
  const double n_operations =
      static_cast<double>(data.n_obs * n_components) * (10.0 + static_cast<double>(items.size()));
  const int n_threads = useful_threads(data.n_threads, n_operations);
  for_each_job(n_batches, n_threads, [&](Index batch, int) {
    const Index from = batch * rows_per_batch;
    const Index n = std::min(rows_per_batch, data.n_obs - from);
    step.posterior.middleRows(from, n).rowwise() = log_weights.transpose();
    double* log_joint = step.posterior.data() + from * n_components;
    if (data.is_sparse()) add_sparse(data, sparse_tables, from, n, n_components, log_joint);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      add(tables[i].data(), data.item_codes(items[i]) + from, n, n_components, log_joint);
    }
    for (Index at = 0; at < n && !data.known.empty(); ++at) {
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

RowMatrix weighted_posterior(const CodedData& data, const RowMatrix& posterior) {
  return (data.case_weights / data.total_weight).asDiagonal() * posterior;
}

}  // namespace mdpd
