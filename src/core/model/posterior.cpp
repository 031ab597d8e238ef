#include "model/posterior.h"

#include <algorithm>
#include <limits>

#include "base/jobs.h"
#include "base/log_sum_exp.h"

namespace mdpd {

namespace {

/// Rows whose log-joint probabilities stay in the first-level cache while the items are added.
constexpr Index rows_per_batch = 512;

/// Leaves a row whose component is known no other one.
void exclude_other_components(Index own, Index n_components, double* log_joint) {
  for (Index k = 0; k < n_components; ++k) {
    if (k != own) log_joint[k] = -std::numeric_limits<double>::infinity();
  }
}

}  // namespace

EStep e_step(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  return e_step_of_ready(data, params, make_ready(data, items));
}

EStep e_step_of_ready(const CodedData& data, const MixtureParameters& params,
                      const ReadyItems& items) {
  require_compatible(data, params);
  const Index n_components = params.n_components();
  const LogTables tables = log_tables(data, items, params.mixing_weights, params.item_probs);
  EStep step;
  step.posterior.resize(data.n_obs, n_components);
  step.row_loglik.resize(data.n_obs);
  const Index n_batches = (data.n_obs + rows_per_batch - 1) / rows_per_batch;
  const double n_operations = static_cast<double>(data.n_obs * n_components) *
                              (10.0 + static_cast<double>(items.items.size()));
  const int n_threads = useful_threads(data.n_threads, n_operations);
  for_each_job(n_batches, n_threads, [&](Index batch, int) {
    const Index from = batch * rows_per_batch;
    const Index n = std::min(rows_per_batch, data.n_obs - from);
    double* log_joint = step.posterior.data() + from * n_components;
    sum_log_tables(data, items, tables, from, n, log_joint);
    for (Index at = 0; at < n && n_components > 1 && !data.known.empty(); ++at) {
      const Index own = data.known[from + at];
      if (own == no_component) continue;
      exclude_other_components(own, n_components, log_joint + at * n_components);
    }
    normalise_log_rows(log_joint, n, n_components, step.row_loglik.data() + from,
                       data.instructions);
  });
  step.loglik = loglik_sum(data, step.row_loglik).value();
  return step;
}

}  // namespace mdpd
