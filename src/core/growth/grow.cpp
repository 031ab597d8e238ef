#include "growth/grow.h"

#include "growth/split.h"

namespace mdpd {

namespace {

/// Worst explained pairs of the components, all or among those that touch a leading item.
PairSearch search_to_grow(const CodedData& data, const MixtureFit& fit, const ItemSet& leading,
                          const FitOptions& options, Monitor& monitor) {
  SearchOptions search_options;
  search_options.missing = options.missing;
  const SearchState state{data, fit.e_step.posterior, fit.informative};
  if (!leading.empty()) {
    std::vector<bool> leads(data.n_items, false);
    for (const Index item : leading) leads[item] = true;
    const LeadingItems first = put_first(data, leads);
    search_options.leading = &first;
    PairSearch partial = search_pairs(state, search_options, monitor);
    if (options.is_significant(worst_explained(partial))) return partial;
    search_options.leading = nullptr;
  }
  return search_pairs(state, search_options, monitor);
}

}  // namespace

MixtureFit grow(const CodedData& data, const MixtureFit& fit, const ItemSet& leading,
                const FitOptions& options, SearchBudget& budget) {
  const RefineOptions brief = options.refine.at_most(3 * brief_iterations);
  const PairSearch search = search_to_grow(data, fit, leading, options, budget);
  MixtureFit best;
  for (const PairChoice& pair : search.by_component) {
    if (!pair.found || budget.is_spent()) continue;
    MixtureFit trial = split_start(data, fit.params, fit.informative, pair, options.missing);
    if (trial.e_step.posterior.size() == 0) continue;
    trial = refine(data, trial.e_step.posterior, trial.informative, brief, budget).fit;
    const bool is_first = best.params.n_components() == 0;
    if (is_first || trial.objective() > best.objective()) best = std::move(trial);
  }
  if (best.params.n_components() == 0) return best;
  return refine(data, best.e_step.posterior, best.informative, options.refine, budget).fit;
}

}  // namespace mdpd
