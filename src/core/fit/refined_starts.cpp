#include "fit/refined_starts.h"

#include <algorithm>
#include <utility>

#include "growth/same_optimum.h"
#include "starts/correspondence.h"
#include "starts/scattered.h"
#include "starts/vote.h"

namespace mdpd {

namespace {

/// Starts at random where the likelihood is looked for, iterations of each before they are compared,
/// and ends that EM goes on from. Of data with more cells none: there the starts that look at the
/// data do better.
constexpr Index n_scattered = 50;
constexpr Index brief_scattered = 20;
constexpr std::size_t scattered_finalists = 10;
constexpr Index most_cells_to_scatter = 50000;

/// Iterations of EM from another start after which it is told whether it may end higher than the first.
constexpr Index iterations_to_tell = 12;

/// At least as many items as rows, in memory at a reasonable cost.
bool is_wide(const RunSteps& steps) {
  const CodedData& data = steps.data();
  return data.n_items >= data.n_weighted() && !is_large(data, steps.options());
}

/// Where workers share few items no pair of them is evidence, and the stages split at what chance
/// shows. Of a crowd the majority vote is then another start.
bool split_by_chance(const RunSteps& steps, const Trace& stages, Index k) {
  const FitOptions& options = steps.options();
  const bool may_vote = options.is_by_significance() &&
                        options.refine.type == Refinement::kSparse && k > 1 &&
                        k == steps.problem().n_labels;
  if (!may_vote || stages.empty()) return may_vote;
  // A p-value that is not known is no evidence.
  const auto is_chance = [&](const TraceRow& stage) { return !(stage.p_value < options.alpha); };
  return is_chance(stages.front()) ||
         std::any_of(stages.begin(), stages.end(), [&](const TraceRow& stage) {
           return stage.move == Move::kSplit && is_chance(stage);
         });
}

/// The posterior where the search by BIC ends. Of many items each of those that tell nothing has by
/// evidence some say all the same, and together they can hold EM to where it begins; BIC leaves them
/// out.
MixtureFit penalised_end(RunSteps& steps, FitRun run) {
  FitOptions options = steps.options();
  options.refine.type = Refinement::kSparse;
  steps.refine_by(options.refine, run);
  const bool may_polish = options.polish && run.status == Status::kConverged;
  if (may_polish && run.fit.params.n_components() > 1) steps.polish_by(options, run);
  return start_at(std::move(run.fit.e_step.posterior), {});
}

/// Where EM from many starts at random leads in a few iterations; the best of them. After
/// Biernacki, Celeux and Govaert (2003), doi:10.1016/S0167-9473(02)00163-9.
std::vector<MixtureFit> scattered_ends(const RunSteps& steps, Index k) {
  const CodedData& data = steps.data();
  std::vector<MixtureFit> best;
  if (!steps.seeks_likelihood() || data.n_weighted() * data.n_items > most_cells_to_scatter)
    return best;
  const ScatteredStarts starts(data);
  const RefineOptions brief = steps.options().refine.at_most(brief_scattered);
  for (Index number = 0; number < n_scattered; ++number) {
    const MixtureParameters start = starts.start(k, number);
    const RowMatrix posterior = e_step(data, start, all_items(data)).posterior;
    best.push_back(refine(data, posterior, {}, brief, steps.monitor()).fit);
  }
  std::stable_sort(best.begin(), best.end(), [](const MixtureFit& a, const MixtureFit& b) {
    return a.objective() > b.objective();
  });
  best.resize(std::min(best.size(), scattered_finalists));
  return best;
}

/// Best first, each optimum once.
std::vector<FitRun> different_ends(const RunSteps& steps, std::vector<FitRun> ends) {
  std::stable_sort(ends.begin(), ends.end(), [](const FitRun& a, const FitRun& b) {
    return a.fit.objective() > b.fit.objective();
  });
  std::vector<FitRun> out;
  for (FitRun& end : ends) {
    const bool is_known = std::any_of(out.begin(), out.end(), [&](const FitRun& before) {
      return is_same_optimum(steps.data(), before.fit, end.fit, steps.options());
    });
    if (!is_known) out.push_back(std::move(end));
  }
  return out;
}

/// EM to the end, or false where it is soon seen to end below a goal: from stages that found no more
/// than some of a crowd's labels it would creep there for long.
bool refine_up_to(double goal, RunSteps& steps, const NamedCrowd& crowd, FitRun& run) {
  const RefineOptions& all = steps.options().refine;
  RefineOptions options = all.at_most(iterations_to_tell);
  options.item_prior = crowd.prior_of_alike(run.fit.e_step.posterior);
  steps.refine_by(options, run);
  const Index n_left = all.max_iter - options.max_iter;
  if (run.status != Status::kIterationLimit || n_left <= 0) return true;
  if (falls_short(run, goal)) return false;
  options.max_iter = n_left;
  options.item_prior = run.fit.item_prior;
  steps.refine_by(options, run);
  return true;
}

}  // namespace

std::vector<FitRun> refined_starts(RunSteps& steps, NamedCrowd& crowd, FitRun stages, Index k) {
  std::vector<FitRun> ends;
  const Trace before = stages.trace;
  const auto refine_from = [&](MixtureFit start, Move move, ItemPrior prior = {}) {
    ends.push_back({std::move(start), before});
    steps.refine_further(ends.back(), std::move(prior));
    if (move != Move::kNone) ends.back().trace[before.size()].move = move;
  };
  if (crowd.has_named(k)) {
    crowd.take_vote();
    const RowMatrix& vote = crowd.vote();
    refine_from(start_at(vote, {}), Move::kVote, crowd.prior_of_alike(vote));
    FitRun run{std::move(stages.fit), before};
    const double goal = ends.front().fit.objective();
    if (refine_up_to(goal, steps, crowd, run)) ends.push_back(std::move(run));
    return different_ends(steps, std::move(ends));
  }
  const CodedData& data = steps.data();
  const RefineOptions& options = steps.options().refine;
  const bool may_vote = split_by_chance(steps, before, k);
  const bool by_evidence = options.type == Refinement::kEvidence;
  FitRun of_stages;
  if (by_evidence && is_wide(steps)) of_stages.fit = stages.fit;
  refine_from(std::move(stages.fit), Move::kNone);
  if (may_vote) refine_from(vote_start(data, k, options, steps.monitor()), Move::kVote);
  if (k > 1 && by_evidence && is_wide(steps)) {
    refine_from(penalised_end(steps, std::move(of_stages)), Move::kPenalised);
  }
  const bool looks_further =
      steps.seeks_likelihood() || (by_evidence && !is_large(data, steps.options()));
  if (k > 1 && looks_further) {
    RowMatrix start = correspondence_start(data, k);
    if (start.size() > 0) refine_from(start_at(std::move(start), {}), Move::kCorrespondence);
    for (MixtureFit& end : scattered_ends(steps, k)) {
      refine_from(std::move(end), Move::kScattered);
    }
  }
  return different_ends(steps, std::move(ends));
}

}  // namespace mdpd
