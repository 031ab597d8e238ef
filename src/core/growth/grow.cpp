#include "growth/grow.h"

#include <cmath>

namespace mdpd {

namespace {

/// Worst explained pairs of the components, all or among those that touch a leading item.
PairSearch search_to_grow(const CodedData& data, const MixtureFit& fit, const TrialOptions& options,
                          const GrowthScreen& screen, Monitor& monitor) {
  SearchOptions search_options;
  search_options.missing = options.missing;
  const SearchState state{data, fit.e_step.posterior, fit.informative};
  if (!screen.leading.empty()) {
    std::vector<bool> leads(data.n_items, false);
    for (const Index item : screen.leading) leads[item] = true;
    const LeadingItems leading = put_first(data, leads);
    search_options.leading = &leading;
    PairSearch partial = search_pairs(state, search_options, monitor);
    const PairChoice best = worst_explained(partial);
    if (best.found && best.log_p_value < std::log(screen.alpha)) return partial;
    search_options.leading = nullptr;
  }
  return search_pairs(state, search_options, monitor);
}

}  // namespace

MixtureFit grow(const CodedData& data, const MixtureFit& fit, const TrialOptions& options,
                const GrowthScreen& screen, Monitor& monitor) {
  const PairSearch search = search_to_grow(data, fit, options, screen, monitor);
  MixtureFit best;
  for (const PairChoice& pair : search.by_component) {
    if (!pair.found) continue;
    const Start start = split_start(data, fit.params, fit.informative, pair, options.missing);
    if (start.posterior.size() == 0) continue;
    MixtureFit trial = refine_briefly(data, start, 3 * brief_iterations, options, monitor);
    const bool is_first = best.params.n_components() == 0;
    if (is_first || trial.penalised_loglik > best.penalised_loglik) best = std::move(trial);
  }
  if (best.params.n_components() == 0) return best;
  const Start start{std::move(best.e_step.posterior), std::move(best.informative)};
  return refine_briefly(data, start, options.refine.max_iter, options, monitor);
}

}  // namespace mdpd
