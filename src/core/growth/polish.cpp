#include "growth/polish.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numerics.h"
#include "data/leading_items.h"
#include "growth/grow.h"
#include "growth/row_moves.h"
#include "growth/same_optimum.h"
#include "growth/split.h"
#include "model/criterion.h"
#include "model/inclusion.h"
#include "model/m_step.h"

namespace mdpd {

namespace {

/// Accepted moves.
constexpr Index most_rounds = 50;
/// Pairs of components that are merged in a trial: all of them up to five components, of more the
/// most overlapping ones.
constexpr std::size_t n_merges = 10;
/// Merges of each split that are refined briefly, and trials of a round refined to the end.
constexpr std::size_t merges_per_split = 3;
constexpr std::size_t finalists = 3;
/// Single items, and single rows, whose move is refined.
constexpr std::size_t n_toggles = 5;
constexpr std::size_t n_flips = 10;
/// By evidence, whose iterations take longer: the others gained next to nothing there.
constexpr std::size_t n_flips_by_evidence = 3;
/// EM iterations of a heat, after which a trial of large data is looked at.
constexpr Index heat_iterations = 4;
/// Nats that a merge may cost to be tried, in all or a row: from components that are farther apart EM
/// leads back to where they are two again.
constexpr double most_lost_by_merge = 500.0;
constexpr double most_lost_per_row = 0.5;
/// A component that differs by less than this share of its rows' weight is the one it was.
constexpr double same_component = 0.05;
/// Evidence that an item differs, from which on it tells components apart (nats): of noise a tenth of
/// the items has more than 0, hardly any more than that.
constexpr double least_evidence_to_tell = 0.1;
/// Penalties under which the informative set is let grow and shrink.
constexpr double penalty_scales[] = {0.25, 0.6, 1.7};

struct Trial {
  TraceRow move;
  MixtureFit fit;
  bool given_up = false;  ///< it cannot become better than the fit it set out from
};

/// What candidates are compared by.
double gain_of(const Trial& trial) { return trial.fit.objective(); }

template <class SingleMove>
double gain_of(const SingleMove& move) {
  return move.gain;
}

TraceRow record_move(Move kind, const PairChoice& pair, const ComponentPair& merged) {
  TraceRow move{Phase::kPolish, kind};
  move.component = pair.component;
  move.item_1 = pair.item_1;
  move.item_2 = pair.item_2;
  move.merged_1 = merged.first;
  move.merged_2 = merged.second;
  return move;
}

/// Adds a candidate to the best `n`, best first; of equal ones the earlier. A fit of large data is
/// large itself: the others do not stay.
template <class Candidate>
void keep_if_good(std::vector<Candidate>& best, Candidate candidate, std::size_t n) {
  const auto is_better = [](const Candidate& a, const Candidate& b) {
    return gain_of(a) > gain_of(b);
  };
  best.insert(std::upper_bound(best.begin(), best.end(), candidate, is_better),
              std::move(candidate));
  if (best.size() > n) best.pop_back();
}

/// The pairs a < b of components that share most of their rows, relative to the smaller one; in the
/// order (0,1), (0,2), (1,2), ... where all are taken.
std::vector<ComponentPair> overlapping_pairs(const CodedData& data, const RowMatrix& posterior) {
  const Matrix shared = shared_weight(data, posterior, posterior);
  const Vector sizes = shared.rowwise().sum();
  const auto overlap = [&](const ComponentPair& pair) {
    const double smaller = std::min(sizes[pair.first], sizes[pair.second]);
    return smaller > 0.0 ? shared(pair.first, pair.second) / smaller : 1.0;
  };
  std::vector<ComponentPair> pairs;
  for (Index b = 1; b < posterior.cols(); ++b) {
    for (Index a = 0; a < b; ++a) pairs.emplace_back(a, b);
  }
  if (pairs.size() <= n_merges) return pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const auto& x, const auto& y) { return overlap(x) > overlap(y); });
  pairs.resize(n_merges);
  return pairs;
}

/// Of the sum of x log x of all counts, where those of two columns are added.
double merge_loss(const Eigen::Ref<const RowMatrix>& counts, const ComponentPair& merged) {
  const auto a = counts.col(merged.first);
  const auto b = counts.col(merged.second);
  return sum_x_log_x(a) + sum_x_log_x(b) - sum_x_log_x(a + b);
}

/// Posterior with component b added to component a and taken out.
RowMatrix merge_posterior(const RowMatrix& posterior, const ComponentPair& merged) {
  const auto& [a, b] = merged;
  RowMatrix out(posterior.rows(), posterior.cols() - 1);
  Index to = 0;
  for (Index from = 0; from < posterior.cols(); ++from) {
    if (from != b) out.col(to++) = posterior.col(from);
  }
  out.col(a) += posterior.col(b);
  return out;
}

/// Are the components those of `fit` again, in whatever order?
bool has_come_back(const CodedData& data, const RowMatrix& posterior, const MixtureFit& fit) {
  const RowMatrix& before = fit.e_step.posterior;
  if (posterior.cols() != before.cols()) return false;
  const Vector sizes = row_shares(data, before).colwise().sum();
  return (moved_shares(data, before, posterior).array() < same_component * sizes.array()).all();
}

/// One item's move into or out of the informative set.
struct Toggle {
  Index item = 0;
  bool joins = false;
  /// Of a row's posterior, by level and component: what the item's answers say about the components,
  /// or what taking it back says.
  RowMatrix factors = {};
  double gain = 0.0;  ///< of the penalised log-likelihood at once, all else as it is (nats). Exact,
                      ///< where the gain that the M-step compares with the penalty is a lower
                      ///< bound: an item can be worth its penalty although EM does not see it.
};

/// Cost O(answers of the item * n_components).
/// @param by_component all items' probabilities if they differ between components.
Toggle toggle_item(const CodedData& data, const MixtureFit& fit, const RowMatrix& by_component,
                   Index item) {
  Toggle toggle{item, !contains(fit.informative, item)};
  const RowMatrix& probs = toggle.joins ? by_component : fit.params.item_probs;
  toggle.factors = data.levels_of(item, probs).cwiseMax(tiny_probability);
  if (!toggle.joins) toggle.factors = toggle.factors.cwiseInverse().eval();
  ExactSum gain = empty_loglik(data);
  Index last = -1;
  Eigen::RowVectorXd after;
  for_each_answer(data, item, [&](Index row, Code code) {
    const auto factors = toggle.factors.row(code - 1);
    // Of several answers of a row each meets the posterior that those before it left.
    const double sum =
        row == last ? after.dot(factors) : fit.e_step.posterior.row(row).dot(factors);
    gain.add(data.case_weights[row] * safe_log(sum));
    if (data.most_repeats == 1) return;
    after = (row == last ? after : Eigen::RowVectorXd(fit.e_step.posterior.row(row)))
                .cwiseProduct(factors) /
            sum;
    last = row;
  });
  const double cost =
      data.marginal_loglik[item] + item_penalty(data, item, fit.params.n_components());
  toggle.gain = gain.value() + (toggle.joins ? -cost : cost);
  return toggle;
}

/// Posterior and informative items after the move.
MixtureFit toggled(const CodedData& data, const MixtureFit& fit, const Toggle& toggle) {
  MixtureFit start = start_at(fit.e_step.posterior, fit.informative);
  for_each_answer(data, toggle.item, [&](Index row, Code code) {
    auto posterior = start.e_step.posterior.row(row);
    posterior = posterior.cwiseProduct(toggle.factors.row(code - 1)).eval();
    posterior /= posterior.sum();
  });
  ItemSet& items = start.informative;
  if (toggle.joins)
    items.push_back(toggle.item);
  else
    items.erase(std::find(items.begin(), items.end(), toggle.item));
  return start;
}

/// One row's move into one component.
struct Flip {
  Index row = 0;
  Index component = 0;
  double gain = 0.0;  ///< of the bound that EM climbs, all parameters refitted (nats)
};

/// The moves of single rows that promise most, best first.
std::vector<Flip> best_flips(const CodedData& data, const MixtureFit& fit) {
  const RowMatrix gains = row_move_gains(data, fit.e_step.posterior, fit.informative);
  std::vector<Flip> flips;
  for (Index n = 0; n < data.n_obs; ++n) {
    for (Index k = 0; k < gains.cols(); ++k) {
      if (fit.e_step.posterior(n, k) > 0.5 || !(data.case_weights[n] > 0.0)) continue;
      keep_if_good(flips, Flip{n, k, gains(n, k)}, n_flips);
    }
  }
  return flips;
}

/// The moves from one fit.
class PolishRound {
 public:
  PolishRound(const CodedData& data, const MixtureFit& fit, const FitOptions& options,
              SearchBudget& budget)
      : data_(data),
        fit_(fit),
        options_(options),
        budget_(budget),
        by_evidence_(!std::isnan(fit.evidence)),
        is_large_(is_large(data, options)),
        in_heats_(is_large_ || options.refine.type == Refinement::kEvidence),
        brief_run_(is_large_ ? heat_iterations : brief_iterations) {}

  /// The most promising moves, each refined to the end: the best of them, or none.
  std::vector<Trial> best() {
    add_component_trials();
    if (options_.refine.type == Refinement::kSparse) {
      for (const double scale : penalty_scales) add_item_trial(scale);
      add_toggle_trials();
    }
    if (!is_large_) add_flip_trials();
    std::vector<Trial> best;
    for (Trial& trial : trials_) {
      race(options_.refine, trial);
      if (!trial.given_up) keep_if_good(best, std::move(trial), 1);
    }
    return best;
  }

 private:
  /// Goes on from a fit, by evidence with what it has learned from all items.
  FitRun em(const MixtureFit& from, RefineOptions options) const {
    if (from.item_prior.weights.size() > 0) options.item_prior = from.item_prior;
    return refine(data_, from.e_step.posterior, from.informative, options, budget_);
  }

  void keep(Trial trial) {
    if (!trial.given_up) keep_if_good(trials_, std::move(trial), finalists);
  }

  // EM of a trial ---------------------------------------------------------------------------------

  /// Has a trial that is below the goal no hope to reach it? A move of components that ends where it
  /// began has failed; the items have moves of their own.
  bool is_hopeless(double goal, const FitRun& run, Move kind) const {
    if (run.fit.objective() >= goal) return false;
    if (falls_short(run, goal)) return true;
    const bool of_components = kind == Move::kSplitMerge || kind == Move::kMergeSplit;
    return of_components && has_come_back(data_, run.fit.e_step.posterior, fit_);
  }

  /// Goes on with a trial; on large data, and by evidence, in heats, until it cannot beat the fit any more.
  void race(const RefineOptions& options, Trial& trial) const {
    trial.given_up |= budget_.is_spent();
    if (trial.given_up) return;
    if (!in_heats_) {
      trial.fit = em(trial.fit, options).fit;
      return;
    }
    const double goal = fit_.objective() + least_gain(data_, fit_, options_);
    for (Index left = options.max_iter; left > 0 && !trial.given_up; left -= heat_iterations) {
      FitRun run = em(trial.fit, options.at_most(std::min(heat_iterations, left)));
      trial.given_up = is_hopeless(goal, run, trial.move.move);
      trial.fit = std::move(run.fit);
      if (run.status != Status::kIterationLimit) break;
      trial.given_up |= budget_.is_spent();
    }
  }

  void race_briefly(Index n_runs, Trial& trial) const {
    race(options_.refine.at_most(n_runs * brief_run_), trial);
  }

  // Components ------------------------------------------------------------------------------------

  /// Of many items those that tell the components apart, first in order; none where all pairs are
  /// searched.
  std::optional<LeadingItems> telling_items() const {
    if (data_.n_items <= options_.most_items_to_pair) return {};
    std::vector<bool> tells(data_.n_items, false);
    for (const Index item : fit_.informative) {
      tells[item] = !by_evidence_ || fit_.item_evidence.gain[item] > least_evidence_to_tell;
    }
    const auto n_telling = std::count(tells.begin(), tells.end(), true);
    if (n_telling == 0 || 2 * n_telling >= data_.n_items) return {};
    return put_first(data_, tells);
  }

  void add_component_trials() {
    SearchOptions search_options;
    search_options.missing = options_.missing;
    search_options.unions = overlapping_pairs(data_, fit_.e_step.posterior);
    // By evidence nearly all items are in use, and bounds only tell of items that are not inside.
    const ItemSet inside = by_evidence_ ? gaining_items(fit_) : fit_.informative;
    const std::optional<LeadingItems> telling = telling_items();
    if (telling) search_options.leading = &*telling;
    const PairSearch search =
        search_pairs({data_, fit_.e_step.posterior, inside}, search_options, budget_);
    for (const PairChoice& pair : search.by_component) {
      if (!pair.found || budget_.is_spent()) continue;
      for (Trial& trial : split_merge_trials(pair)) keep(std::move(trial));
    }
    for (std::size_t at = 0; at < search_options.unions.size(); ++at) {
      const PairChoice& pair = search.by_union[at];
      if (pair.found) add_merge_split_trial(search_options.unions[at], pair);
    }
  }

  /// Splits one component, then tries every merge but the one that would undo the split, one EM
  /// iteration each, and refines the best briefly.
  std::vector<Trial> split_merge_trials(const PairChoice& pair) const {
    std::vector<Trial> trials;
    MixtureFit split = split_start(data_, fit_.params, fit_.informative, pair, options_.missing);
    if (split.e_step.posterior.size() == 0) return trials;
    split = em(split, options_.refine.at_most(brief_run_)).fit;
    const ComponentPair copies{pair.component, split.params.n_components() - 1};
    const std::vector<ComponentPair> merges = overlapping_pairs(data_, split.e_step.posterior);
    const std::vector<double> losses = losses_by_merge(split.e_step.posterior, merges);
    const double most_lost = std::max(most_lost_by_merge, most_lost_per_row * data_.total_weight);
    for (std::size_t at = 0; at < merges.size(); ++at) {
      const ComponentPair& merged = merges[at];
      if (merged == copies || losses[at] > most_lost) continue;
      const MixtureFit start =
          start_at(merge_posterior(split.e_step.posterior, merged), split.informative);
      keep_if_good(
          trials,
          {record_move(Move::kSplitMerge, pair, merged), em(start, options_.refine.at_most(1)).fit},
          merges_per_split);
    }
    for (Trial& trial : trials) race_briefly(1, trial);
    return trials;
  }

  /// By evidence, what the rows' expected log probability loses by each merge at once (nats).
  std::vector<double> losses_by_merge(const RowMatrix& posterior,
                                      const std::vector<ComponentPair>& merges) const {
    std::vector<double> losses(merges.size(), 0.0);
    if (!by_evidence_) return losses;
    const RowMatrix counts = level_counts(data_, posterior);
    const Eigen::RowVectorXd sizes =
        data_.total_weight * row_shares(data_, posterior).colwise().sum();
    for (std::size_t at = 0; at < merges.size(); ++at) {
      losses[at] = merge_loss(sizes, merges[at]);
      for (Index item = 0; item < data_.n_items; ++item) {
        const auto table = data_.levels_of(item, counts);
        losses[at] += merge_loss(table, merges[at]) - merge_loss(table.colwise().sum(), merges[at]);
      }
    }
    return losses;
  }

  /// Merges two components and splits their union at `pair`.
  void add_merge_split_trial(const ComponentPair& merged, const PairChoice& pair) {
    const RowMatrix posterior = merge_posterior(fit_.e_step.posterior, merged);
    const MixtureParameters params = m_step(data_, posterior, options_.refine.m_step);
    Trial trial{record_move(Move::kMergeSplit, pair, merged),
                split_start(data_, params, fit_.informative, pair, options_.missing)};
    if (trial.fit.e_step.posterior.size() == 0) return;
    race_briefly(2, trial);
    keep(std::move(trial));
  }

  // Items and rows --------------------------------------------------------------------------------

  /// Lets the informative set grow or shrink under another penalty, then puts the penalty back.
  void add_item_trial(double penalty_scale) {
    RefineOptions scaled = options_.refine.at_most(brief_run_);
    scaled.penalty_scale = penalty_scale;
    Trial trial{{Phase::kPolish, Move::kItems}, em(fit_, scaled).fit};
    race_briefly(1, trial);
    keep(std::move(trial));
  }

  /// Moves single items. EM with the item held where it was put: it pays only once the other
  /// parameters have followed, which can take more than a brief run.
  void add_toggle_trials() {
    const RowMatrix by_component =
        m_step(data_, fit_.e_step.posterior, options_.refine.m_step).item_probs;
    std::vector<Toggle> toggles;
    for (const Index item : varying_items(data_)) {
      keep_if_good(toggles, toggle_item(data_, fit_, by_component, item), n_toggles);
    }
    for (const Toggle& toggle : toggles) {
      Trial trial{{Phase::kPolish, Move::kItems}, toggled(data_, fit_, toggle)};
      if (trial.fit.informative.empty()) continue;
      race(options_.refine.of_type(Refinement::kFixed), trial);
      keep(std::move(trial));
    }
  }

  /// Moves single rows; by evidence all of these together too: where many items differ, rows are so
  /// sure of their component that EM leaves them there.
  void add_flip_trials() {
    std::vector<Flip> flips = best_flips(data_, fit_);
    if (options_.refine.type == Refinement::kEvidence) {
      add_flip_trial(flips);
      flips.resize(std::min(flips.size(), n_flips_by_evidence));
    }
    for (const Flip& flip : flips) add_flip_trial({flip});
  }

  void add_flip_trial(const std::vector<Flip>& flips) {
    Trial trial{{Phase::kPolish, Move::kRow}, start_at(fit_.e_step.posterior, fit_.informative)};
    for (const Flip& flip : flips) {
      trial.fit.e_step.posterior.row(flip.row).setZero();
      trial.fit.e_step.posterior(flip.row, flip.component) = 1.0;
    }
    trial.fit.item_prior = fit_.item_prior;
    race_briefly(1, trial);
    keep(std::move(trial));
  }

  const CodedData& data_;
  const MixtureFit& fit_;
  const FitOptions& options_;
  SearchBudget& budget_;
  const bool by_evidence_;
  const bool is_large_;
  const bool in_heats_;        ///< are trials looked at on the way?
  const Index brief_run_;      ///< its EM iterations: on large data one heat tells where it leads
  std::vector<Trial> trials_;  ///< the finalists so far
};

}  // namespace

void polish(const CodedData& data, const FitOptions& options, SearchBudget& budget, FitRun& run) {
  const Index n_components = run.fit.params.n_components();
  // With one component there is nothing to merge.
  if (n_components < 2) return;
  for (Index round = 0; round < most_rounds; ++round) {
    std::vector<Trial> trials = PolishRound(data, run.fit, options, budget).best();
    if (trials.empty()) return;
    Trial& best = trials.front();
    const double gain = best.fit.objective() - run.fit.objective();
    if (!(gain > least_gain(data, run.fit, options))) return;
    run.fit = std::move(best.fit);
    run.trace.push_back(trace_row(best.move, run.fit));
    // Where a move gives components up, the row is still about those it found.
    run.trace.back().n_components = n_components;
  }
  budget.end();
}

}  // namespace mdpd
