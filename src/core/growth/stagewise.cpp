#include "growth/stagewise.h"

#include <algorithm>

#include "base/numerics.h"
#include "growth/split.h"

namespace mdpd {

namespace {

/// One run of the stages.
class Stages {
 public:
  Stages(const CodedData& data, Index k, const FitOptions& options, Monitor& monitor)
      : data_(data),
        k_(k),
        options_(options),
        monitor_(monitor),
        params_(independence_model(data)),
        kept_(data.n_items, false) {}

  StageRun run() {
    // One component has no item to tell it from another: there is nothing to explain.
    const bool grows = k_ > 1;
    result_.status = grows ? Status::kStageLimit : Status::kConverged;
    for (Index stage = 0; grows && stage < options_.max_stages; ++stage) {
      const std::size_t n_informative = informative_.size();
      monitor_.on_stage(stage, params_.n_components(), static_cast<Index>(n_informative));
      const PairSearch pairs = find_pairs();
      if (begins_again_) {
        params_ = independence_model(data_);
        informative_.clear();
        result_.trace.clear();
        stage = -1;
        continue;
      }
      const PairChoice pair = worst_explained(pairs);
      if (is_explained(pair)) {
        result_.status = Status::kConverged;
        break;
      }
      const double split_length = pair.found ? use_pair(pair) : 0.0;
      em_on_informative();
      result_.trace.push_back(record(pairs, split_length));
      // It would choose the same pair for ever.
      const bool changed = informative_.size() > n_informative || split_length > 0.0;
      if (options_.is_by_significance() && !changed) break;
    }
    // Items joined for a split that was not to be had tell nothing.
    if (params_.n_components() == 1) informative_.clear();
    result_.fit = finish_fit(data_, std::move(params_), std::move(informative_));
    return std::move(result_);
  }

 private:
  bool is_complete() const { return params_.n_components() >= k_; }

  /// By evidence, growth ends when the best pair is not significant. That holds only once all
  /// components are there: with few informative items and many pairs the test misses real components
  /// that the next split would make visible. Who else of a crowd looks is then left to EM by
  /// evidence: of a thousand workers who do, each stage would find one or two by half a million pairs.
  bool is_explained(const PairChoice& pair) const {
    if (!options_.is_by_significance()) return false;
    return !pair.found ||
           (is_complete() && (leaves_items_to_em() || !options_.is_significant(pair)));
  }

  bool leaves_items_to_em() const {
    return options_.refines && options_.refine.type == Refinement::kEvidence &&
           options_.refine.is_crowd;
  }

  /// Makes the pair informative and splits its component while there are too few. Gives the length
  /// of the split, 0 where there was none.
  double use_pair(const PairChoice& pair) {
    const std::size_t n_before = informative_.size();
    informative_ = with_pair(std::move(informative_), pair);
    // The paper splits only at a pair that is new. Evidence against independence is a reason to
    // split wherever it is found.
    const bool may_split = informative_.size() > n_before || options_.is_by_significance();
    if (!may_split || is_complete()) return 0.0;
    Split split = split_at_pair(data_, std::move(params_), informative_, pair, options_.split_step,
                                options_.missing);
    params_ = std::move(split.params);
    return split.length;
  }

  void em_on_informative() {
    const MStepOptions m_step_options{options_.refine.m_step.smoothing, options_.floor};
    for (Index step = 0; step < options_.em_steps; ++step) {
      MixtureParameters next =
          m_step(data_, e_step(data_, params_, informative_).posterior, m_step_options);
      monitor_.on_work();
      // Every step from here on would be the same.
      const bool is_same =
          next.item_probs == params_.item_probs && next.mixing_weights == params_.mixing_weights;
      if (is_same) return;
      params_ = std::move(next);
    }
  }

  TraceRow record(const PairSearch& pairs, double split_length) const {
    const bool has_split = split_length > 0.0;
    TraceRow row{Phase::kStage, has_split ? Move::kSplit : Move::kNone};
    const PairChoice pair = worst_explained(pairs);
    if (pair.found) {
      row.item_1 = pair.item_1;
      row.item_2 = pair.item_2;
      row.component = pair.component;
      row.p_value = exp_of(pair.log_p_value);
    }
    row.information = pairs.largest_information;
    row.loglik_all = e_step(data_, params_, all_items(data_)).loglik;
    if (has_split) row.split_length = split_length;
    return trace_row(row, finish_fit(data_, params_, informative_));
  }

  // Searches --------------------------------------------------------------------------------------

  /// Worst explained pairs. Afterwards begins_again_ says whether one of them may have been the best
  /// of an earlier stage too, which did not see it.
  PairSearch find_pairs() {
    begins_again_ = false;
    if (params_.n_components() == 1) {
      // It is known what they found when the stages begin again.
      if (first_.by_component.empty()) {
        first_ = search(nullptr);
        if (options_.is_by_significance()) set_aside_but(first_);
      }
      return first_;
    }
    const bool has_all = leading_.n_leading == 0;
    if (!has_all) {
      PairSearch partial = search(&leading_);
      if (options_.is_significant(worst_explained(partial))) return partial;
    }
    PairSearch full = search(nullptr);
    const PairChoice best = worst_explained(full);
    begins_again_ =
        !has_all && options_.is_significant(best) && !kept_[best.item_1] && !kept_[best.item_2];
    if (begins_again_) set_aside_but(full);
    return full;
  }

  /// @param leading null: all pairs.
  PairSearch search(const LeadingItems* leading) {
    ++(leading == nullptr ? result_.n_full_passes : result_.n_partial_passes);
    SearchOptions search_options;
    search_options.selection = options_.selection;
    search_options.missing = options_.missing;
    search_options.leading = leading;
    if (options_.is_by_significance()) {
      // Pairs whose uncorrected p-value, times the number of items, is below the level are strong:
      // of noise the number of items in one is small, and a pair that is to win has a p-value
      // smaller by another factor of half the number of items.
      search_options.log_p_of_strong =
          log_of(options_.alpha) - log_of(static_cast<double>(std::max<Index>(1, data_.n_items)));
      // The paper looks at all pairs, even when the winner is informative already. By evidence, once
      // all components are there only a pair that brings a new item can change the model.
      if (is_complete()) search_options.candidates = Candidates::kTouchingOutside;
    }
    const EStep step = e_step(data_, params_, informative_);
    return search_pairs({data_, step.posterior, informative_}, search_options, monitor_);
  }

  /// Keeps the items of strong pairs, and those of the best pair, which need not be strong.
  void set_aside_but(const PairSearch& full) {
    for (Index item = 0; item < data_.n_items; ++item) {
      if (full.strong[item]) kept_[item] = true;
    }
    const PairChoice best = worst_explained(full);
    if (best.found) kept_[best.item_1] = kept_[best.item_2] = true;
    leading_ = LeadingItems();
    result_.leading.clear();
    const Index n_kept = std::count(kept_.begin(), kept_.end(), true);
    // Items first in order are a copy of the data; a pass by half of them saves a quarter.
    if (data_.n_items < options_.least_items_to_set_aside || 2 * n_kept >= data_.n_items) return;
    if (n_kept == 0) return;
    leading_ = put_first(data_, kept_);
    const auto first = leading_.original.begin();
    result_.leading.assign(first, first + leading_.n_leading);
  }

  const CodedData& data_;
  const Index k_;
  const FitOptions& options_;
  Monitor& monitor_;
  MixtureParameters params_;
  ItemSet informative_;
  StageRun result_;
  std::vector<bool> kept_;  ///< per item: is it not set aside?
  LeadingItems leading_;    ///< empty where none is
  PairSearch first_;        ///< of the first stage
  bool begins_again_ = false;
};

}  // namespace

StageRun stagewise_em(const CodedData& data, Index k, const FitOptions& options, Monitor& monitor) {
  return Stages(data, k, options, monitor).run();
}

}  // namespace mdpd
