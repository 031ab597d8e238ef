#include "posterior.h"

#include <cmath>
#include <limits>

#include "numerics.h"

namespace mdpd {

namespace {

/// Log-probabilities of one item with a row of zeros for the missing code in front, so that the
/// loop over observations needs no branch.
RowMatrix log_table(const CodedData& data, const MixtureParameters& params, Index item) {
  RowMatrix table(data.n_levels[item] + 1, params.n_components());
  table.row(0).setZero();
  table.bottomRows(data.n_levels[item]) =
      params.item_probs.middleRows(data.offset[item], data.n_levels[item]).unaryExpr(&safe_log);
  return table;
}

void add_item_log_probs(const CodedData& data, const MixtureParameters& params, Index item,
                        RowMatrix& log_joint) {
  const RowMatrix table = log_table(data, params, item);
  const Code* codes = data.item_codes(item);
  const Index n_components = params.n_components();
  double* out = log_joint.data();
  for (Index n = 0; n < data.n_obs; ++n, out += n_components) {
    const double* in = table.data() + codes[n] * n_components;
    for (Index k = 0; k < n_components; ++k) out[k] += in[k];
  }
}

/// Leaves rows whose component is known no other one.
void exclude_other_components(const CodedData& data, RowMatrix& log_joint) {
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  for (Index n = 0; n < static_cast<Index>(data.known.size()); ++n) {
    const Index own = data.known[n];
    if (own == no_component) continue;
    const double kept = log_joint(n, own);
    log_joint.row(n).setConstant(minus_infinity);
    log_joint(n, own) = kept;
  }
}

}  // namespace

EStep e_step(const CodedData& data, const MixtureParameters& params, const ItemSet& items) {
  require_compatible(data, params);
  RowMatrix log_joint(data.n_obs, params.n_components());
  log_joint.rowwise() = params.mixing_weights.unaryExpr(&safe_log).transpose();
  for (const Index item : items) {
    add_item_log_probs(data, params, item, log_joint);
  }
  exclude_other_components(data, log_joint);
  return normalise_rows(std::move(log_joint), data.case_weights);
}

EStep normalise_rows(RowMatrix log_joint, const Vector& case_weights) {
  EStep step;
  const Index n_components = log_joint.cols();
  step.row_loglik.resize(log_joint.rows());
  double* row = log_joint.data();
  for (Index n = 0; n < log_joint.rows(); ++n, row += n_components) {
    double largest = row[0];
    for (Index k = 1; k < n_components; ++k) largest = std::max(largest, row[k]);
    double sum = 0.0;
    for (Index k = 0; k < n_components; ++k) sum += row[k] = std::exp(row[k] - largest);
    for (Index k = 0; k < n_components; ++k) row[k] /= sum;
    step.row_loglik[n] = largest + std::log(sum);
  }
  step.loglik = case_weights.dot(step.row_loglik);
  step.posterior = std::move(log_joint);
  return step;
}

RowMatrix weighted_posterior(const CodedData& data, const RowMatrix& posterior) {
  return (data.case_weights / data.total_weight).asDiagonal() * posterior;
}

}  // namespace mdpd
