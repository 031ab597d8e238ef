#include "fit/fit_result.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"
#include "model/criterion.h"
#include "model/inclusion.h"

namespace mdpd {

FitResult make_result(const CodedData& data, FitRun run, Index n_asked, const SumsOfFit& sums) {
  FitResult result{std::move(run)};
  const MixtureFit& fit = result.fit;
  const Index n_components = fit.params.n_components();
  if (n_components < n_asked) result.status = Status::kFewerComponents;
  result.loglik_of_one = data.marginal_loglik.sum();
  result.n_free_parameters = n_free_parameters(data, fit.informative, n_components);
  const bool is_by_evidence = !std::isnan(fit.evidence);
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
  const double more_than_one = 1.0 / (1.0 + exp_of(result.loglik_of_one - fit.evidence));
  result.reliance = sums.reliance(fit);
  result.inclusion = more_than_one * inclusion(data, result.reliance, fit.item_evidence,
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
