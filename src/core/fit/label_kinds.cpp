#include "fit/label_kinds.h"

#include <utility>

#include "starts/kinds.h"
#include "starts/vote.h"

namespace mdpd {

bool LabelKinds::has_kinds(Index k) const {
  const Index n_labels = steps_.problem().n_labels;
  return steps_.options().refines && crowd_.has_named(n_labels) && k > n_labels;
}

void LabelKinds::begin(const FitRun& run) {
  labels_.clear();
  run_ = run;
  if (run.fit.params.n_components() != steps_.problem().n_labels) return;
  labels_ = crowd_.labels_of(run.fit);
  of_labels_ = run.fit.e_step.posterior;
}

FitRun LabelKinds::fit(Index k) {
  while (!labels_.empty() && run_.fit.params.n_components() < k) {
    if (!add_kind()) break;
  }
  return run_;
}

/// False where no split keeps its components.
bool LabelKinds::add_kind() {
  const RowMatrix shares = label_shares(steps_.data(), steps_.problem().n_labels);
  const auto n_components = static_cast<Index>(labels_.size());
  FitRun best;
  Index split = no_component;
  for (Index at = 0; at < n_components; ++at) {
    // Any split is better than none.
    if (steps_.budget().is_spent() && split != no_component) break;
    FitRun next{start_at(split_kind(run_.fit.e_step.posterior, shares, at, labels_[at]), {})};
    steps_.refine_further(next);
    steps_.budget().add(static_cast<Index>(next.trace.size()));
    if (next.fit.params.n_components() <= n_components) continue;
    if (split != no_component && !steps_.is_better(next, best)) continue;
    best = std::move(next);
    split = at;
  }
  if (split == no_component) return false;
  TraceRow row{Phase::kGrow, Move::kSplit};
  row.component = split;
  best.trace.insert(best.trace.begin(), trace_row(row, best.fit));
  best.trace.insert(best.trace.begin(), run_.trace.begin(), run_.trace.end());
  run_ = std::move(best);
  labels_.push_back(labels_[split]);
  return true;
}

void LabelKinds::add_labels(FitResult& result) const {
  if (labels_.size() != static_cast<std::size_t>(result.fit.params.n_components())) return;
  result.labels = crowd_.corrected(result.fit, labels_);
  result.label_agreement =
      least_agreement(steps_.data(), result.fit.e_step.posterior, labels_, of_labels_);
}

}  // namespace mdpd
