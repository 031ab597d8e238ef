#include "fit/fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/errors.h"
#include "data/row_sums.h"
#include "fit/fit_data.h"
#include "fit/known_rows.h"
#include "fit/refinement.h"
#include "growth/grow.h"
#include "model/criterion.h"
#include "starts/vote.h"

namespace mdpd {

namespace {

/// Components from which on growth without stages is another start of a fit that has no path beside
/// it: with fewer the polish makes up for what the stages miss.
constexpr Index fewest_to_grow_again = 4;

bool is_by_evidence(const FitOptions& options) {
  return options.stages.selection == Selection::kEvidence;
}

RefinementPlan plan_of(const Problem& problem, const FitOptions& options) {
  RefinementPlan plan;
  plan.trials.refinement = options.refinement.value_or(Refinement::kSparse);
  plan.trials.refine = options.refine;
  plan.trials.refine.m_step.prior_counts = problem.prior_counts;
  plan.trials.missing = options.stages.missing;
  plan.polish = options.polish;
  plan.smoothing_loss = options.smoothing_loss;
  return plan;
}

/// The component of `before` that most of the last component's rows come from.
Index split_component_of(const CodedData& data, const MixtureFit& before, const MixtureFit& grown) {
  const Matrix shared = shared_weight(data, before.e_step.posterior, grown.e_step.posterior);
  Index component = 0;
  shared.col(shared.cols() - 1).maxCoeff(&component);
  return component;
}

/// Does some work and adds the time it takes.
template <class Work>
auto timed(double& seconds, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto out = work();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

/// A fit with one component more, and the row of the trace that says so.
struct GrownFit {
  MixtureFit fit;
  TraceRow row;
};

/// One run of the method on one problem.
class FitRun {
 public:
  FitRun(Problem problem, const FitOptions& options, Monitor& monitor)
      : problem_(std::move(problem)),
        options_(options),
        plan_(plan_of(problem_, options)),
        monitor_(monitor),
        n_obs_(problem_.cells.n_obs),
        rows_(std::move(problem_.cells), problem_) {
    outcome_.work.n_builds = 1;
  }

  FitOutcome run() {
    switch (options_.task) {
      case Task::kGrow: fit_path(); break;
      case Task::kContinue: outcome_.fits.push_back(continue_from(problem_.starts.front())); break;
      case Task::kEm: outcome_.fits.push_back(best_of_starts()); break;
    }
    for (FitResult& result : outcome_.fits) complete(result);
    return std::move(outcome_);
  }

 private:
  const CodedData& data() const { return rows_.data(); }

  Refined refine_start(const RowMatrix& posterior, const ItemSet& informative) {
    return timed(outcome_.work.refinement_seconds,
                 [&] { return refine_from(data(), posterior, informative, plan_, monitor_); });
  }

  Refined refine_start(const MixtureFit& fit) {
    return refine_start(fit.e_step.posterior, fit.informative);
  }

  void polish_start(Refined& refined) {
    timed(outcome_.work.polish_seconds, [&] {
      polish_further(data(), plan_, monitor_, refined);
      return true;
    });
  }

  // Growth ----------------------------------------------------------------------------------------

  /// Of several numbers of components every one up to the largest is fitted from one component and,
  /// where that is possible, by splitting the fit before it; the better of the two stays.
  void fit_path() {
    const std::vector<Index>& ks = options_.n_components;
    if (ks.size() == 1) {
      outcome_.fits.push_back(fit_alone(ks.front()));
      return;
    }
    FitResult result;
    for (Index k = 1; k <= ks.back(); ++k) {
      std::optional<FitResult> grown;
      if (k > 1) grown = grow_from(result, k);
      result = fit_stages(k, nullptr).result;
      if (grown && is_better(*grown, result)) result = std::move(*grown);
      if (std::binary_search(ks.begin(), ks.end(), k)) outcome_.fits.push_back(result);
    }
  }

  FitResult fit_alone(Index k) {
    ItemSet leading;
    Refined fitted = fit_stages(k, &leading);
    if (std::optional<FitResult> grown = grow_from_one(k, leading, fitted.optimum)) {
      if (is_better(*grown, fitted.result)) fitted.result = std::move(*grown);
    }
    FitResult& result = fitted.result;
    if (!problem_.known.empty() && result.fit.params.n_components() == k) {
      hold_known_rows(rows_, problem_.n_labels, plan_, monitor_, result);
      if (result.fit.params.n_components() < k) result.status = FitStatus::kFewerComponents;
    }
    return std::move(result);
  }

  /// Stages, refinement and polish.
  /// @param leading receives the items that the stages did not set aside; or null.
  Refined fit_stages(Index k, ItemSet* leading) {
    StagewiseOptions stage_options = options_.stages;
    stage_options.n_components = k;
    StagewiseResult stages = timed(outcome_.work.stage_seconds,
                                   [&] { return stagewise_em(data(), stage_options, monitor_); });
    outcome_.work.n_full_passes += stages.n_full_passes;
    outcome_.work.n_partial_passes += stages.n_partial_passes;
    if (leading != nullptr) *leading = stages.leading;
    Refined out;
    if (options_.refinement) {
      out = refine_best(stages, k);
    } else {
      out.result.status =
          stages.status == StageStatus::kExplained ? FitStatus::kConverged : FitStatus::kStageLimit;
      out.result.smoothing = options_.refine.m_step.smoothing;
      out.result.fit = std::move(stages.fit);
    }
    Trace trace = std::move(stages.trace);
    append(out.result.trace, trace);
    out.result.trace = std::move(trace);
    if (out.result.fit.params.n_components() < k) out.result.status = FitStatus::kFewerComponents;
    return out;
  }

  /// Refinement from the stages or from the vote, and polish of the better one.
  Refined refine_best(const StagewiseResult& stages, Index k) {
    Refined out = refine_start(stages.fit);
    if (split_by_chance(stages, k)) {
      const MixtureFit vote = vote_start(data(), problem_.n_labels, plan_.trials.refine, monitor_);
      Refined voted = refine_start(vote);
      voted.result.trace.front().move = Move::kVote;
      if (is_better(voted.result, out.result)) out = std::move(voted);
    }
    polish_start(out);
    return out;
  }

  /// Where workers share few items no pair of them is evidence, and the stages split at what chance
  /// shows. Of a crowd the majority vote is then another start.
  bool split_by_chance(const StagewiseResult& stages, Index k) const {
    const bool may_vote = is_by_evidence(options_) && options_.refinement == Refinement::kSparse &&
                          k > 1 && k == problem_.n_labels;
    if (!may_vote || stages.trace.empty()) return may_vote;
    // A p-value that is not known is no evidence.
    const auto is_chance = [&](const TraceRow& stage) {
      return !(stage.p_value < options_.stages.alpha);
    };
    return is_chance(stages.trace.front()) ||
           std::any_of(stages.trace.begin(), stages.trace.end(), [&](const TraceRow& stage) {
             return stage.move == Move::kSplit && is_chance(stage);
           });
  }

  /// The fit with one component more; none where nothing can be split.
  std::optional<GrownFit> grow_once(const MixtureFit& before, const ItemSet& leading) {
    GrownFit out;
    out.fit = timed(outcome_.work.growth_seconds, [&] {
      return grow(data(), before, plan_.trials, {leading, options_.stages.alpha}, monitor_);
    });
    if (out.fit.params.n_components() != before.params.n_components() + 1) return {};
    out.row = trace_row(Phase::kGrow, Move::kSplit, out.fit);
    out.row.component = split_component_of(data(), before, out.fit);
    return out;
  }

  /// The fit of k components that goes on from the one before in a path.
  std::optional<FitResult> grow_from(const FitResult& before, Index k) {
    const bool may_grow = is_by_evidence(options_) && options_.refinement.has_value() &&
                          before.fit.params.n_components() == k - 1;
    if (!may_grow) return {};
    const std::optional<GrownFit> grown = grow_once(before.fit, {});
    if (!grown) return {};
    Refined refined = refine_start(grown->fit);
    polish_start(refined);
    Trace trace = before.trace;
    trace.push_back(grown->row);
    append(refined.result.trace, trace);
    refined.result.trace = std::move(trace);
    return std::move(refined.result);
  }

  /// Growth from one component to k by the best of all splits, each refined to the end. The stages
  /// split at the pair that is explained worst, whatever comes of it; where many components compete,
  /// either can end higher.
  /// @param done an optimum at which a polish has ended already: another that EM takes there is none.
  std::optional<FitResult> grow_from_one(Index k, const ItemSet& leading,
                                         const std::optional<MixtureFit>& done) {
    const bool is_worth_it = is_by_evidence(options_) && options_.refinement.has_value() &&
                             options_.polish && k >= fewest_to_grow_again &&
                             data().n_obs <= most_rows_of_small_data;
    if (!is_worth_it) return {};
    MixtureFit fit = finish_fit(data(), independence_model(data()), {});
    Trace trace;
    while (fit.params.n_components() < k) {
      std::optional<GrownFit> grown = grow_once(fit, leading);
      if (!grown) return {};
      trace.push_back(grown->row);
      fit = std::move(grown->fit);
    }
    Refined refined = refine_start(fit);
    if (done && is_same_optimum(data(), refined.result.fit, *done, options_.refine.tol)) return {};
    polish_start(refined);
    append(refined.result.trace, trace);
    refined.result.trace = std::move(trace);
    if (refined.result.fit.params.n_components() < k)
      refined.result.status = FitStatus::kFewerComponents;
    return std::move(refined.result);
  }

  // Starts ----------------------------------------------------------------------------------------

  RowMatrix posterior_of(const FitStart& start) const {
    if (start.posterior.size() == 0) {
      return e_step(data(), start.params, all_items(data())).posterior;
    }
    if (start.posterior.rows() != n_obs_) throw DimensionError("a row for each row");
    return rows_.of_kinds(start.posterior, problem_.case_weights);
  }

  FitResult continue_from(const FitStart& start) {
    rows_.hold_known();
    const RowMatrix posterior = posterior_of(start);
    Refined refined = refine_start(posterior, start.informative);
    polish_start(refined);
    FitResult& result = refined.result;
    const bool has_all = result.fit.params.n_components() == posterior.cols();
    if (!has_all) result.status = FitStatus::kFewerComponents;
    result.holds_known = has_all && !problem_.known.empty();
    return std::move(result);
  }

  FitResult best_of_starts() {
    rows_.hold_known();
    FitResult best;
    for (const FitStart& start : problem_.starts) {
      const RowMatrix posterior = posterior_of(start);
      RefineResult run = refine_full(data(), posterior, plan_.trials.refine, monitor_);
      const bool is_best = outcome_.starts.empty() || run.fit.loglik > best.fit.loglik;
      const FitStatus status = status_of(run.status, posterior.cols());
      outcome_.starts.push_back({run.fit.loglik, static_cast<Index>(run.trace.size()), status});
      if (!is_best) continue;
      best.fit = std::move(run.fit);
      best.trace = std::move(run.trace);
      best.status = status;
      best.holds_known =
          !problem_.known.empty() && best.fit.params.n_components() == posterior.cols();
    }
    best.smoothing = plan_.trials.refine.m_step.smoothing;
    return best;
  }

  // The end ---------------------------------------------------------------------------------------

  void complete(FitResult& result) const {
    result.loglik_of_one = data().marginal_loglik.sum();
    result.n_free_parameters =
        n_free_parameters(data(), result.fit.informative, result.fit.params.n_components());
    result.item_evidence = item_evidence(data(), result.fit.params, result.fit.e_step.posterior,
                                         result.fit.informative);
    rows_.expand(result.fit);
  }

  Problem problem_;  ///< but its cells: rows_ has them
  const FitOptions& options_;
  const RefinementPlan plan_;
  Monitor& monitor_;
  const Index n_obs_;
  FitData rows_;
  FitOutcome outcome_;
};

Index n_components_of(const FitStart& start) {
  return start.posterior.size() > 0 ? start.posterior.cols() : start.params.n_components();
}

/// Is every known component one of so many?
bool are_components(const std::vector<Index>& known, Index n_components) {
  return std::all_of(known.begin(), known.end(), [&](Index component) {
    return component == no_component || (component >= 0 && component < n_components);
  });
}

/// Known rows grow with one component a label, and are of components that a start has.
void require_known(const Problem& problem, const FitOptions& options) {
  const std::vector<Index>& known = problem.known;
  if (known.empty()) return;
  if (known.size() != static_cast<std::size_t>(problem.cells.n_obs))
    throw DimensionError("one known component per observation");
  if (options.task == Task::kGrow) {
    if (options.n_components != std::vector<Index>{problem.n_labels} ||
        !are_components(known, problem.n_labels))
      throw DimensionError("known rows grow with one component a label");
    return;
  }
  for (const FitStart& start : problem.starts) {
    if (!are_components(known, n_components_of(start)))
      throw DimensionError("known components are those of the start");
  }
}

void require_whole(const Problem& problem, const FitOptions& options) {
  const auto n_obs = static_cast<std::size_t>(problem.cells.n_obs);
  if (static_cast<std::size_t>(problem.case_weights.size()) != n_obs)
    throw DimensionError("one case weight per observation");
  const std::vector<Index>& ks = options.n_components;
  if (ks.empty() || ks.front() < 1 || !std::is_sorted(ks.begin(), ks.end()))
    throw DimensionError("numbers of components, ascending");
  if (options.task != Task::kGrow && problem.starts.empty())
    throw DimensionError("EM begins somewhere");
  require_known(problem, options);
}

}  // namespace

FitOutcome fit_mixture(Problem problem, const FitOptions& options, Monitor& monitor) {
  require_whole(problem, options);
  return FitRun(std::move(problem), options, monitor).run();
}

}  // namespace mdpd
