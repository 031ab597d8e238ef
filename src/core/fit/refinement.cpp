#include "fit/refinement.h"

#include <algorithm>
#include <cmath>

#include "base/assignment.h"
#include "data/row_sums.h"

namespace mdpd {

namespace {

/// Share of the rows' weight that may have moved between two ends at the same optimum.
constexpr double most_moved = 0.001;

/// The last move of the polish, see `smooth()`; no row of the trace where the fit stays as it is.
void smooth_further(const CodedData& data, const RefinementPlan& plan, Monitor& monitor,
                    FitResult& result) {
  const TrialOptions& trials = plan.trials;
  if (trials.refinement != Refinement::kSparse || !(plan.smoothing_loss > 0.0)) return;
  if (result.fit.params.n_components() == 1) return;
  SmoothedFit smoothed = smooth(data, result.fit, plan.smoothing_loss, trials.refine, monitor);
  result.fit = std::move(smoothed.fit);
  result.smoothing = smoothed.smoothing;
  if (smoothed.smoothing > trials.refine.m_step.smoothing) {
    result.trace.push_back(trace_row(Phase::kPolish, Move::kSmoothing, result.fit));
  }
}

bool are_same_items(ItemSet first, ItemSet second) {
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  return first == second;
}

}  // namespace

FitStatus status_of(Status status, Index n_asked) {
  switch (status) {
    case Status::kConverged: return FitStatus::kConverged;
    case Status::kIterationLimit: return FitStatus::kIterationLimit;
    case Status::kNothingInformative:
      return n_asked > 1 ? FitStatus::kFewerComponents : FitStatus::kConverged;
  }
  return FitStatus::kConverged;
}

void append(const Trace& more, Trace& trace) {
  trace.insert(trace.end(), more.begin(), more.end());
}

Refined refine_from(const CodedData& data, const RowMatrix& posterior, const ItemSet& informative,
                    const RefinementPlan& plan, Monitor& monitor) {
  const TrialOptions& trials = plan.trials;
  const bool is_one = posterior.cols() == 1;
  RefineResult run =
      refine(data, posterior, informative, is_one ? Refinement::kSparse : trials.refinement,
             trials.refine, monitor);
  Refined out;
  out.result.fit = std::move(run.fit);
  out.result.trace = std::move(run.trace);
  // Of a fit that lost its components the iterations count as those of what it became.
  for (TraceRow& row : out.result.trace) row.n_components = out.result.fit.params.n_components();
  out.result.status = status_of(run.status, posterior.cols());
  out.result.smoothing = trials.refine.m_step.smoothing;
  return out;
}

void polish_further(const CodedData& data, const RefinementPlan& plan, Monitor& monitor,
                    Refined& refined) {
  FitResult& result = refined.result;
  const bool may_polish = plan.polish && data.known.empty() &&
                          result.status == FitStatus::kConverged &&
                          result.fit.params.n_components() > 1;
  if (!may_polish) return;
  const Index n_components = result.fit.params.n_components();
  PolishOptions options;
  static_cast<TrialOptions&>(options) = plan.trials;
  PolishResult polished = polish(data, std::move(result.fit), options, monitor);
  result.fit = std::move(polished.fit);
  result.status = status_of(polished.status, n_components);
  append(polished.trace, result.trace);
  if (polished.status == Status::kConverged) refined.optimum = result.fit;
  smooth_further(data, plan, monitor, result);
}

bool is_better(const FitResult& second, const FitResult& first) {
  return second.fit.penalised_loglik - first.fit.penalised_loglik > smallest_gain;
}

bool is_same_optimum(const CodedData& data, const MixtureFit& first, const MixtureFit& second,
                     double tol) {
  const double change_at_stop = tol * std::abs(first.penalised_loglik);
  const double most_gap = std::max(smallest_gain, smallest_gain_in_tol * change_at_stop);
  if (first.params.n_components() != second.params.n_components() ||
      !are_same_items(first.informative, second.informative) ||
      std::abs(first.penalised_loglik - second.penalised_loglik) > most_gap) {
    return false;
  }
  const RowMatrix& before = first.e_step.posterior;
  const RowMatrix& after = second.e_step.posterior;
  const std::vector<Index> match = best_assignment(shared_weight(data, before, after));
  RowMatrix moved(data.n_obs, 1);
  for (Index n = 0; n < data.n_obs; ++n) {
    double share = 0.0;
    for (Index k = 0; k < before.cols(); ++k) share += std::abs(before(n, k) - after(n, match[k]));
    moved(n, 0) = 0.5 * share;
  }
  return row_shares(data, moved).sum() < most_moved;
}

}  // namespace mdpd
