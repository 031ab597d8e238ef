#pragma once

#include <vector>

#include "fit/fit_result.h"
#include "fit/named_crowd.h"

namespace mdpd {

/// Fits of a crowd, by evidence, with more components than labels: each stands for a kind of the
/// items of one label. They are split off the fit with one component a label.
class LabelKinds {
 public:
  LabelKinds(RunSteps& steps, const NamedCrowd& crowd) : steps_(steps), crowd_(crowd) {}

  /// Are so many components kinds?
  bool has_kinds(Index k) const;

  /// From a fit with one component a label; none can be added to one that has lost some.
  void begin(const FitRun& run);
  bool has_begun() const { return run_.fit.params.n_components() > 0; }

  /// Each time by the best split of one component in two kinds of items of its label. No polish: its
  /// moves would mix up the labels.
  FitRun fit(Index k);

  /// Labels of a result with as many components as the last fit had, and how well it agrees with the
  /// fit with one component a label.
  void add_labels(FitResult& result) const;

 private:
  bool add_kind();

  RunSteps& steps_;
  const NamedCrowd& crowd_;
  FitRun run_;                 ///< of the most components so far
  std::vector<Index> labels_;  ///< of its components, before the votes correct them
  RowMatrix of_labels_;        ///< posterior of the fit with one component a label: they come first
};

}  // namespace mdpd
