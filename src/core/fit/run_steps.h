#pragma once

#include <optional>

#include "fit/fit_data.h"
#include "fit/work_done.h"
#include "growth/search_budget.h"
#include "growth/stagewise.h"

namespace mdpd {

/// A problem, and the steps that its runs are made of.
class RunSteps {
 public:
  RunSteps(Problem problem, const FitOptions& options, Monitor& monitor);
  RunSteps(const RunSteps&) = delete;
  RunSteps& operator=(const RunSteps&) = delete;

  const Problem& problem() const { return problem_; }  ///< but its cells: rows() has them
  const FitOptions& options() const { return options_; }
  const CodedData& data() const { return rows_.data(); }
  FitData& rows() { return rows_; }
  Monitor& monitor() const { return monitor_; }
  WorkDone& work() { return work_; }

  /// Of growth and polish of the number of components at hand, see `begin_search()`.
  SearchBudget& budget() { return budget_; }
  void begin_search(Index k) { budget_.begin(most_passes(data(), k, options_)); }

  /// Is the highest likelihood looked for, and the data so small that more can be done for it?
  bool seeks_likelihood() const;

  /// Is the second so much more than the first that it is not the same optimum?
  bool is_better(const FitRun& second, const FitRun& first) const;

  StageRun stages(Index k);

  /// Adds a component; false where nothing can be split.
  bool grow_once(const ItemSet& leading, FitRun& run);

  /// EM from where the run is. Of one component no item is informative, but in plain EM.
  /// @param item_prior to go on with, see RefineOptions.
  void refine_further(FitRun& run, ItemPrior item_prior = {});
  void refine_by(RefineOptions options, FitRun& run);

  /// Polish and smoothing of what was refined, if there is anything to polish: it converged with two
  /// components or more, no row is held, and there are no prior counts, which are those of so many
  /// components.
  void polish_further(FitRun& run);
  /// The moves alone.
  void polish_by(const FitOptions& options, FitRun& run);

  /// Polish, and EM where it creeps: the objective of all rows is large beside what a step still gains.
  void improve(FitRun& run);

  /// Is it the optimum at which the last polish ended, before it was smoothed?
  bool is_last_optimum(const MixtureFit& fit) const;

 private:
  Problem problem_;
  FitOptions options_;
  Monitor& monitor_;
  SearchBudget budget_;
  FitData rows_;
  WorkDone work_;
  std::optional<MixtureFit> optimum_;
};

/// Replaces a run from its stages on.
void end_by(Move move, FitRun end, FitRun& run);

}  // namespace mdpd
