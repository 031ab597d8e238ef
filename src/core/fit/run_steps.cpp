#include "fit/run_steps.h"

#include <algorithm>
#include <utility>

#include "data/row_sums.h"
#include "fit/fit_result.h"
#include "fit/require_whole.h"
#include "growth/grow.h"
#include "growth/polish.h"
#include "growth/same_optimum.h"

namespace mdpd {

namespace {

/// Of the tolerance of EM, by which it ends where the likelihood is all that counts, and the
/// smallest gain then (nats).
constexpr double tol_of_end = 1e-4;
constexpr double smallest_gain_of_end = 1e-3;

}  // namespace

RunSteps::RunSteps(Problem problem, const FitOptions& options, Monitor& monitor)
    : problem_(std::move(problem)),
      options_(options),
      monitor_(monitor),
      budget_(monitor),
      rows_(std::move(problem_.cells), problem_) {
  require_answers(data());
  if (options_.refine.type != Refinement::kEvidence) options_.most_items_to_pair = data().n_items;
  options_.refine =
      refinement_of(options_.refine, data().n_levels, problem_.n_labels, problem_.prior_counts);
}

bool RunSteps::seeks_likelihood() const {
  return options_.refine.type == Refinement::kFull && options_.is_by_significance() &&
         !is_large(data(), options_);
}

bool RunSteps::is_better(const FitRun& second, const FitRun& first) const {
  const double least = seeks_likelihood() ? smallest_gain_of_end : smallest_gain;
  return second.fit.objective() - first.fit.objective() > least;
}

StageRun RunSteps::stages(Index k) {
  const Timer timer(work_.stage_seconds);
  StageRun run = stagewise_em(data(), k, options_, monitor_);
  work_.n_full_passes += run.n_full_passes;
  work_.n_partial_passes += run.n_partial_passes;
  return run;
}

bool RunSteps::grow_once(const ItemSet& leading, FitRun& run) {
  if (budget_.is_spent()) return false;
  const Timer timer(work_.growth_seconds);
  MixtureFit grown = grow(data(), run.fit, leading, options_, budget_);
  if (grown.params.n_components() != run.fit.params.n_components() + 1) return false;
  // It is split off the component that most of its rows come from.
  TraceRow row{Phase::kGrow, Move::kSplit};
  const RowMatrix last = grown.e_step.posterior.rightCols(1);
  shared_weight(data(), run.fit.e_step.posterior, last).col(0).maxCoeff(&row.component);
  run.trace.push_back(trace_row(row, grown));
  run.fit = std::move(grown);
  return true;
}

void RunSteps::refine_further(FitRun& run, ItemPrior item_prior) {
  RefineOptions options = options_.refine;
  options.item_prior = std::move(item_prior);
  options.uses_all_items = options_.task == Task::kEm;
  options.discounts_unsure = options_.task != Task::kGrow;
  refine_by(std::move(options), run);
}

void RunSteps::refine_by(RefineOptions options, FitRun& run) {
  const Timer timer(work_.refinement_seconds);
  const bool is_of_one = run.fit.e_step.posterior.cols() == 1 && options.type == Refinement::kFull;
  if (is_of_one && options_.task != Task::kEm) options.type = Refinement::kSparse;
  FitRun next = refine(data(), run.fit.e_step.posterior, run.fit.informative, options, monitor_);
  next.trace.insert(next.trace.begin(), run.trace.begin(), run.trace.end());
  run = std::move(next);
}

void RunSteps::polish_further(FitRun& run) {
  const bool has_kinds = !problem_.starts.empty() && !problem_.starts.front().labels.empty();
  const bool may_polish = options_.polish && !has_kinds && options_.task != Task::kEm &&
                          data().known.empty() && problem_.prior_counts.size() == 0 &&
                          run.status == Status::kConverged && run.fit.params.n_components() > 1;
  if (!may_polish) return;
  polish_by(options_, run);
  if (run.status == Status::kConverged) optimum_ = run.fit;
  const bool may_smooth = options_.refine.type == Refinement::kSparse &&
                          options_.smoothing_loss > 0.0 && run.fit.params.n_components() > 1;
  if (!may_smooth) return;
  const Timer timer(work_.polish_seconds);
  smooth(data(), options_.smoothing_loss, options_.refine, monitor_, run);
}

void RunSteps::polish_by(const FitOptions& options, FitRun& run) {
  const Timer timer(work_.polish_seconds);
  polish(data(), options, budget_, run);
}

void RunSteps::improve(FitRun& run) {
  polish_further(run);
  if (!seeks_likelihood() || run.status != Status::kConverged || run.fit.params.n_components() == 1)
    return;
  RefineOptions options = options_.refine;
  options.tol *= tol_of_end;
  refine_by(std::move(options), run);
  run.status = Status::kConverged;  // by the tolerance that was asked for
}

bool RunSteps::is_last_optimum(const MixtureFit& fit) const {
  return optimum_ && is_same_optimum(data(), fit, *optimum_, options_);
}

void end_by(Move move, FitRun end, FitRun& run) {
  end.trace.front().move = move;
  const auto stages_end = std::find_if(run.trace.begin(), run.trace.end(), [](const TraceRow& row) {
    return row.phase != Phase::kStage;
  });
  end.trace.insert(end.trace.begin(), run.trace.begin(), stages_end);
  run = std::move(end);
}

}  // namespace mdpd
