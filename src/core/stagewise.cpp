#include "stagewise.h"

#include <cmath>

#include "criterion.h"
#include "split.h"

namespace mdpd {

namespace {

/// Where the loop stands between two stages.
struct StageState {
  MixtureParameters params;
  ItemSet informative;
};

PairSearch search(const CodedData& data, const StageState& state, const StagewiseOptions& options,
                  Monitor& monitor) {
  const EStep step = e_step(data, state.params, state.informative);
  // The paper looks at all pairs, even when the winner is informative already. By evidence, once
  // all components are there only a pair that brings a new item can change the model.
  const bool grown = state.params.n_components() >= options.n_components;
  SearchOptions search_options;
  search_options.selection = options.selection;
  search_options.missing = options.missing;
  if (options.selection == Selection::kEvidence && grown) {
    search_options.candidates = Candidates::kTouchingOutside;
  }
  return search_pairs(data, weighted_posterior(data, step.posterior), state.informative,
                      search_options, monitor);
}

/// By evidence, growth ends when the best pair is not significant. That holds only once all
/// components are there: with few informative items and many pairs the test misses real components
/// that the next split would make visible.
bool is_explained(const PairChoice& pair, const StageState& state,
                  const StagewiseOptions& options) {
  if (options.selection == Selection::kInformation) return false;
  if (!pair.found) return true;
  return state.params.n_components() >= options.n_components &&
         !(pair.log_p_value < std::log(options.alpha));
}

void em_on_informative(const CodedData& data, const StagewiseOptions& options, StageState& state) {
  for (Index step = 0; step < options.em_steps; ++step) {
    const EStep now = e_step(data, state.params, state.informative);
    state.params = m_step(data, now.posterior, options.m_step);
  }
}

StageRecord record(const CodedData& data, const StageState& state, const PairSearch& pairs,
                   double split_length) {
  const MixtureFit fit = finish_fit(data, state.params, state.informative);
  StageRecord out;
  out.n_components = state.params.n_components();
  out.pair = worst_explained(pairs);
  out.largest_information = pairs.largest_information;
  out.n_informative = static_cast<Index>(state.informative.size());
  out.loglik = fit.loglik;
  out.loglik_all = e_step(data, state.params, all_items(data)).loglik;
  out.penalised_loglik = fit.penalised_loglik;
  out.split_length = split_length;
  return out;
}

/// What one stage did to the model before its EM steps.
struct Growth {
  bool new_item = false;
  double split_length = 0.0;
};

/// Makes the pair informative and splits its component while there are too few.
Growth grow(const CodedData& data, const PairChoice& pair, const StagewiseOptions& options,
            StageState& state) {
  Growth growth;
  for (const Index item : {pair.item_1, pair.item_2}) {
    if (contains(state.informative, item)) continue;
    state.informative.push_back(item);
    growth.new_item = true;
  }
  // The paper splits only at a pair that is new. Evidence against independence is a reason to split
  // wherever it is found.
  const bool may_split = growth.new_item || options.selection == Selection::kEvidence;
  if (may_split && state.params.n_components() < options.n_components) {
    Split split = split_at_pair(data, std::move(state.params), state.informative, pair.component,
                                pair.item_1, pair.item_2, {options.split_step, options.missing});
    state.params = std::move(split.params);
    growth.split_length = split.length;
  }
  return growth;
}

/// A stage that neither added an item nor split anything would choose the same pair for ever.
bool is_stuck(const Growth& growth, const StagewiseOptions& options) {
  return options.selection == Selection::kEvidence && !growth.new_item &&
         !(growth.split_length > 0.0);
}

}  // namespace

StagewiseOptions robust_options() { return {}; }

StagewiseOptions paper_options() {
  StagewiseOptions options;
  options.selection = Selection::kInformation;
  options.max_stages = 30;
  options.em_steps = 1;
  options.split_step = 0.05;
  options.m_step.floor = 0.002;
  return options;
}

StagewiseResult stagewise_em(const CodedData& data, const StagewiseOptions& options,
                             Monitor& monitor) {
  StageState state{independence_model(data), {}};
  StagewiseResult result;
  // One component has no item to tell it from another: there is nothing to explain.
  const bool grows = options.n_components > 1;
  result.status = grows ? StageStatus::kStageLimit : StageStatus::kExplained;
  for (Index stage = 0; grows && stage < options.max_stages; ++stage) {
    monitor.on_stage(stage, state.params.n_components(),
                     static_cast<Index>(state.informative.size()));
    const PairSearch pairs = search(data, state, options, monitor);
    const PairChoice pair = worst_explained(pairs);
    if (is_explained(pair, state, options)) {
      result.status = StageStatus::kExplained;
      break;
    }
    Growth growth;
    if (pair.found) growth = grow(data, pair, options, state);
    em_on_informative(data, options, state);
    result.trace.push_back(record(data, state, pairs, growth.split_length));
    if (is_stuck(growth, options)) break;
  }
  // Items joined for a split that was not to be had tell nothing.
  if (state.params.n_components() == 1) state.informative.clear();
  result.fit = finish_fit(data, std::move(state.params), std::move(state.informative));
  return result;
}

}  // namespace mdpd
