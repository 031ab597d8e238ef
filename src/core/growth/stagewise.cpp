#include "growth/stagewise.h"

#include <algorithm>
#include <cmath>

#include "growth/split.h"
#include "model/criterion.h"

namespace mdpd {

namespace {

/// With fewer items a pass takes less than a millisecond.
constexpr Index least_items_to_set_aside = 100;

/// Where the loop stands between two stages.
struct StageState {
  MixtureParameters params;
  ItemSet informative;
};

/// Pairs whose uncorrected p-value, times the number of items, is below the level are strong: of
/// noise the number of items in one is small, and a pair that is to win has a p-value smaller by
/// another factor of half the number of items.
double log_p_of_strong(const CodedData& data, const StagewiseOptions& options) {
  return std::log(options.alpha) - std::log(static_cast<double>(std::max<Index>(1, data.n_items)));
}

PairSearch search(const CodedData& data, const StageState& state, const StagewiseOptions& options,
                  const LeadingItems* leading, Monitor& monitor) {
  const EStep step = e_step(data, state.params, state.informative);
  // The paper looks at all pairs, even when the winner is informative already. By evidence, once
  // all components are there only a pair that brings a new item can change the model.
  const bool is_complete = state.params.n_components() >= options.n_components;
  SearchOptions search_options;
  search_options.selection = options.selection;
  search_options.missing = options.missing;
  search_options.leading = leading;
  if (options.selection == Selection::kEvidence) {
    search_options.log_p_of_strong = log_p_of_strong(data, options);
    if (is_complete) search_options.candidates = Candidates::kTouchingOutside;
  }
  return search_pairs({data, step.posterior, state.informative}, search_options, monitor);
}

bool is_significant(const PairChoice& pair, const StagewiseOptions& options) {
  return pair.found && pair.log_p_value < std::log(options.alpha);
}

/// By evidence, growth ends when the best pair is not significant. That holds only once all
/// components are there: with few informative items and many pairs the test misses real components
/// that the next split would make visible.
bool is_explained(const PairChoice& pair, const StageState& state,
                  const StagewiseOptions& options) {
  if (options.selection == Selection::kInformation) return false;
  if (!pair.found) return true;
  return state.params.n_components() >= options.n_components && !is_significant(pair, options);
}

void em_on_informative(const CodedData& data, const StagewiseOptions& options, StageState& state) {
  for (Index step = 0; step < options.em_steps; ++step) {
    const EStep now = e_step(data, state.params, state.informative);
    state.params = m_step(data, now.posterior, options.m_step);
  }
}

TraceRow record(const CodedData& data, const StageState& state, const PairSearch& pairs,
                double split_length) {
  const bool has_split = split_length > 0.0;
  TraceRow row = trace_row(Phase::kStage, has_split ? Move::kSplit : Move::kNone,
                           finish_fit(data, state.params, state.informative));
  const PairChoice pair = worst_explained(pairs);
  if (pair.found) {
    row.item_1 = pair.item_1;
    row.item_2 = pair.item_2;
    row.component = pair.component;
    row.p_value = std::exp(pair.log_p_value);
  }
  row.information = pairs.largest_information;
  row.loglik_all = e_step(data, state.params, all_items(data)).loglik;
  if (has_split) row.split_length = split_length;
  return row;
}

/// What one stage did to the model before its EM steps.
struct StageMove {
  bool new_item = false;
  double split_length = 0.0;
};

/// Makes the pair informative and splits its component while there are too few.
StageMove use_pair(const CodedData& data, const PairChoice& pair, const StagewiseOptions& options,
                   StageState& state) {
  StageMove move;
  for (const Index item : {pair.item_1, pair.item_2}) {
    if (contains(state.informative, item)) continue;
    state.informative.push_back(item);
    move.new_item = true;
  }
  // The paper splits only at a pair that is new. Evidence against independence is a reason to split
  // wherever it is found.
  const bool may_split = move.new_item || options.selection == Selection::kEvidence;
  if (may_split && state.params.n_components() < options.n_components) {
    Split split = split_at_pair(data, std::move(state.params), state.informative, pair,
                                {options.split_step, options.missing});
    state.params = std::move(split.params);
    move.split_length = split.length;
  }
  return move;
}

/// A stage that neither added an item nor split anything would choose the same pair for ever.
bool is_stuck(const StageMove& move, const StagewiseOptions& options) {
  return options.selection == Selection::kEvidence && !move.new_item && !(move.split_length > 0.0);
}

/// Searches for the pair of each stage, with the items set aside that show nothing.
class StageSearch {
 public:
  StageSearch(const CodedData& data, const StagewiseOptions& options, StagewiseResult& result)
      : data_(data), options_(options), result_(result), kept_(data.n_items, false) {}

  /// Worst explained pairs in this state. Afterwards begins_again() may be true.
  PairSearch find(const StageState& state, Monitor& monitor) {
    begins_again_ = false;
    if (state.params.n_components() == 1) return find_first(state, monitor);
    if (leading_.n_leading > 0) {
      PairSearch partial = search(data_, state, options_, &leading_, monitor);
      ++result_.n_partial_passes;
      if (is_significant(worst_explained(partial), options_)) return partial;
    }
    PairSearch full = find_everywhere(state, monitor);
    const PairChoice best = worst_explained(full);
    // It may have been the best of an earlier stage too.
    begins_again_ = leading_.n_leading > 0 && is_significant(best, options_) &&
                    !kept_[best.item_1] && !kept_[best.item_2];
    if (begins_again_) keep_strong(full);
    return full;
  }

  /// Was a pair found that the earlier stages may have missed? It is searched from now on.
  bool begins_again() const { return begins_again_; }

 private:
  /// The first stage searches all pairs; when the stages begin again it is known what it found.
  PairSearch find_first(const StageState& state, Monitor& monitor) {
    if (!first_.by_component.empty()) return first_;
    PairSearch full = find_everywhere(state, monitor);
    if (state.informative.empty()) first_ = full;
    if (options_.selection == Selection::kEvidence && options_.screening != Screening::kNever) {
      keep_strong(full);
    }
    return full;
  }

  PairSearch find_everywhere(const StageState& state, Monitor& monitor) {
    ++result_.n_full_passes;
    return search(data_, state, options_, nullptr, monitor);
  }

  /// Keeps the items of strong pairs, and those of the best pair, which need not be strong.
  void keep_strong(const PairSearch& full) {
    for (Index item = 0; item < data_.n_items; ++item) {
      if (full.strong[item]) kept_[item] = true;
    }
    const PairChoice best = worst_explained(full);
    if (best.found) kept_[best.item_1] = kept_[best.item_2] = true;
    leading_ = LeadingItems();
    result_.leading.clear();
    const Index n_kept = std::count(kept_.begin(), kept_.end(), true);
    // Items first in order are a copy of the data; a pass by half of them saves a quarter.
    const bool pays = data_.n_items >= least_items_to_set_aside && 2 * n_kept < data_.n_items;
    if (n_kept > 0 && (pays || options_.screening == Screening::kAlways)) {
      leading_ = put_first(data_, kept_);
      const auto first = leading_.original.begin();
      result_.leading.assign(first, first + leading_.n_leading);
    }
  }

  const CodedData& data_;
  const StagewiseOptions& options_;
  StagewiseResult& result_;
  std::vector<bool> kept_;
  LeadingItems leading_;
  PairSearch first_;
  bool begins_again_ = false;
};

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
  StageSearch stage_search(data, options, result);
  // One component has no item to tell it from another: there is nothing to explain.
  const bool grows = options.n_components > 1;
  result.status = grows ? StageStatus::kStageLimit : StageStatus::kExplained;
  for (Index stage = 0; grows && stage < options.max_stages; ++stage) {
    monitor.on_stage(stage, state.params.n_components(),
                     static_cast<Index>(state.informative.size()));
    const PairSearch pairs = stage_search.find(state, monitor);
    if (stage_search.begins_again()) {
      state = {independence_model(data), {}};
      result.trace.clear();
      stage = -1;
      continue;
    }
    const PairChoice pair = worst_explained(pairs);
    if (is_explained(pair, state, options)) {
      result.status = StageStatus::kExplained;
      break;
    }
    StageMove move;
    if (pair.found) move = use_pair(data, pair, options, state);
    em_on_informative(data, options, state);
    result.trace.push_back(record(data, state, pairs, move.split_length));
    if (is_stuck(move, options)) break;
  }
  // Items joined for a split that was not to be had tell nothing.
  if (state.params.n_components() == 1) state.informative.clear();
  result.fit = finish_fit(data, std::move(state.params), std::move(state.informative));
  return result;
}

}  // namespace mdpd
