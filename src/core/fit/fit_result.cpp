#include "fit/fit_result.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"
#include "model/criterion.h"
#include "model/inclusion.h"

namespace mdpd {

namespace {

/// By the sizes at their highest likelihood.
double loglik_of_known(const Vector& weight) {
  const double total = weight.sum();
  double sum = 0.0;
  for (Index k = 0; k < weight.size(); ++k) {
    if (weight[k] > 0.0) sum += weight[k] * log_of(weight[k] / total);
  }
  return sum;
}

/// By the prior of the sizes, see `component_evidence()`. Of K! orders as many are left as those have
/// in which no row is known.
double evidence_of_known(const Vector& weight) {
  const auto n_components = static_cast<double>(weight.size());
  double sum = 2.0 * log_gamma_of(n_components) + log_of(n_components) -
               log_gamma_of(n_components + weight.sum());
  double n_free = n_components;
  for (Index k = 0; k < weight.size(); ++k) {
    if (weight[k] > 0.0) n_free -= 1.0;
    sum += log_gamma_of(1.0 + weight[k]);
  }
  return sum - log_gamma_of(1.0 + n_free);
}

}  // namespace

FitResult make_result(const CodedData& data, FitRun run, Index n_asked, const Vector& known_weight,
                      const SumsOfFit& sums) {
  FitResult result{std::move(run)};
  const MixtureFit& fit = result.fit;
  const Index n_components = fit.params.n_components();
  if (n_components < n_asked) result.status = Status::kFewerComponents;
  result.holds_known = known_weight.size() > 0 && result.status != Status::kFewerComponents;
  result.total_weight = data.total_weight;
  result.loglik_of_one = data.marginal_loglik.sum();
  result.n_free_parameters = n_free_parameters(data, fit.informative, n_components);
  const bool is_by_evidence = !std::isnan(fit.evidence);
  if (result.holds_known) {
    result.log_prob_of_known =
        is_by_evidence ? evidence_of_known(known_weight) : loglik_of_known(known_weight);
  }
  if (n_components > 1) {
    const bool holds_out = is_by_evidence && fit.item_prior.crowd.size() == 0;
    result.modal = sums.modal(
        fit, holds_out ? pull_of_answers(data, sums.counts(fit), fit.item_evidence) : RowMatrix());
  }
  if (!is_by_evidence) {
    result.item_evidence = fit.informative.empty()
                               ? Vector::Zero(data.n_items)
                               : item_evidence(data, fit.params, sums.counts(fit), fit.informative);
    return result;
  }
  result.item_evidence = fit.item_evidence.gain;
  // No item differs where there is but one component.
  const double of_one = result.loglik_of_one + result.log_prob_of_known;
  const double more_than_one = 1.0 / (1.0 + exp_of(of_one - fit.evidence));
  result.reliance = sums.reliance(fit);
  Vector lowered_by = result.reliance;
  if (fit.item_prior.crowd.size() > 0) lowered_by += gain_of_alike(data);
  result.inclusion = more_than_one * inclusion(data, lowered_by, fit.item_evidence,
                                               fit.item_prior.weights, n_components);
  return result;
}

RefineOptions refinement_of(const RefineOptions& options, const std::vector<Index>& n_levels,
                            Index n_labels, const RowMatrix& prior_counts) {
  RefineOptions out = options;
  out.m_step.prior_counts = prior_counts;
  out.is_crowd = n_labels > 0 && !n_levels.empty() &&
                 std::equal(n_levels.begin() + 1, n_levels.end(), n_levels.begin());
  // Such a prior is the user's own.
  if (prior_counts.size() > 0 && out.type == Refinement::kEvidence) out.type = Refinement::kSparse;
  return out;
}

}  // namespace mdpd
