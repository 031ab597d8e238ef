#include "growth/polish.h"

#include <algorithm>
#include <cmath>

#include "base/numerics.h"
#include "growth/row_moves.h"
#include "model/criterion.h"

namespace mdpd {

namespace {

/// Pairs of components that are merged in a trial: all of them up to five components, of more the
/// most overlapping ones.
constexpr std::size_t n_merges = 10;
/// Merges of each split that are refined briefly, and trials of a round refined to the end.
constexpr std::size_t merges_per_split = 3;
constexpr std::size_t finalists = 3;
/// Single items whose move is refined.
constexpr std::size_t n_toggles = 5;
/// Single rows whose move is refined.
constexpr std::size_t n_flips = 10;
/// EM iterations of a heat, after which a trial of large data is looked at.
constexpr Index heat_iterations = 4;
/// A trial goes on while this many times what it would still gain at its present pace would do: EM
/// slows down less than its last steps say, when it passes from one direction to another.
constexpr double pace_margin = 3.0;
/// A component that differs by less than this share of its rows' weight is the one it was.
constexpr double same_component = 0.05;
/// Penalties under which the informative set is let grow and shrink.
constexpr double penalty_scales[] = {0.25, 0.6, 1.7};

struct Trial {
  TraceRow move;
  MixtureFit fit;
  bool given_up = false;  ///< it cannot become better than the fit it set out from
};

/// A trial at the posterior it starts from, without parameters yet.
Trial trial_at(Start start, const TraceRow& move) {
  Trial trial;
  trial.move = move;
  trial.fit.e_step.posterior = std::move(start.posterior);
  trial.fit.informative = std::move(start.informative);
  return trial;
}

TraceRow move_of(Move kind) {
  TraceRow move;
  move.move = kind;
  return move;
}

TraceRow record_move(Move kind, const PairChoice& pair, Index merged_1, Index merged_2) {
  TraceRow move = move_of(kind);
  move.component = pair.component;
  move.item_1 = pair.item_1;
  move.item_2 = pair.item_2;
  move.merged_1 = merged_1;
  move.merged_2 = merged_2;
  return move;
}

/// Adds a trial to the best `n`. A fit of large data is large itself: the others do not stay.
void keep_if_good(std::vector<Trial>& trials, Trial trial, std::size_t n) {
  if (trial.given_up) return;
  trials.push_back(std::move(trial));
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
    return a.fit.penalised_loglik > b.fit.penalised_loglik;
  });
  if (trials.size() > n) trials.resize(n);
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

/// Posterior with component b added to component a and taken out.
RowMatrix merge_posterior(const RowMatrix& posterior, Index a, Index b) {
  RowMatrix out(posterior.rows(), posterior.cols() - 1);
  Index to = 0;
  for (Index from = 0; from < posterior.cols(); ++from) {
    if (from != b) out.col(to++) = posterior.col(from);
  }
  out.col(a) += posterior.col(b);
  return out;
}

/// Is a run of EM, by its last steps, not going to reach `goal`? Its gains shrink by a factor from
/// step to step; while they grow nothing can be told.
bool falls_short(const RefineResult& run, double goal) {
  const double end = run.fit.penalised_loglik;
  const std::size_t n = run.trace.size();
  if (end >= goal) return false;
  if (run.status != Status::kIterationLimit) return true;
  if (n < 3) return false;
  const double before = run.trace[n - 2].penalised_loglik - run.trace[n - 3].penalised_loglik;
  const double last = run.trace[n - 1].penalised_loglik - run.trace[n - 2].penalised_loglik;
  if (last <= 0.0) return true;
  return last < before && end + pace_margin * last * last / (before - last) < goal;
}

/// Are the components those of `fit` again, in whatever order?
bool has_come_back(const CodedData& data, const RowMatrix& posterior, const MixtureFit& fit) {
  const RowMatrix& before = fit.e_step.posterior;
  if (posterior.cols() != before.cols()) return false;
  const Matrix shared = shared_weight(data, before, posterior);
  std::vector<bool> is_taken(before.cols(), false);
  for (Index k = 0; k < before.cols(); ++k) {
    Index match = 0;
    shared.row(k).maxCoeff(&match);
    if (is_taken[match]) return false;
    is_taken[match] = true;
    double difference = 0.0;
    for (Index n = 0; n < data.n_obs; ++n) {
      const double weight = data.case_weights[n] / data.total_weight;
      double share;
      round_share(weight * std::abs(before(n, k) - posterior(n, match)), share);
      difference += share;
    }
    if (!(difference < same_component * shared.row(k).sum())) return false;
  }
  return true;
}

/// One item's move into or out of the informative set.
struct Toggle {
  Index item = 0;
  bool joins = false;
  double gain = 0.0;  ///< of the penalised log-likelihood at once, all else as it is (nats). Exact,
                      ///< where the gain that the M-step compares with the penalty is a lower
                      ///< bound: an item can be worth its penalty although EM does not see it.
};

/// What the item's answers say about the components, or what taking it back says: the factor of a
/// row's posterior, by level (rows) and component.
RowMatrix toggle_factors(const CodedData& data, const RowMatrix& item_probs, Index item,
                         bool joins) {
  const RowMatrix probs =
      item_probs.middleRows(data.offset[item], data.n_levels[item]).cwiseMax(tiny_probability);
  return joins ? probs : RowMatrix(probs.cwiseInverse());
}

/// Cost O(answers of the item * n_components).
Toggle toggle_item(const CodedData& data, const MixtureFit& fit, const RowMatrix& item_probs,
                   Index item, bool joins) {
  Toggle toggle{item, joins, 0.0};
  ExactSum gain = empty_loglik(data);
  const RowMatrix factors = toggle_factors(data, item_probs, item, joins);
  for_each_answer(data, item, [&](Index row, Code code) {
    const double sum = fit.e_step.posterior.row(row).dot(factors.row(code - 1));
    gain.add(data.case_weights[row] * safe_log(sum));
  });
  const double cost =
      data.marginal_loglik[item] + item_penalty(data, item, fit.params.n_components());
  toggle.gain = gain.value() + (joins ? -cost : cost);
  return toggle;
}

/// The posterior after the move.
RowMatrix toggled_posterior(const CodedData& data, const MixtureFit& fit,
                            const RowMatrix& item_probs, const Toggle& toggle) {
  RowMatrix posterior = fit.e_step.posterior;
  const RowMatrix factors = toggle_factors(data, item_probs, toggle.item, toggle.joins);
  for_each_answer(data, toggle.item, [&](Index row, Code code) {
    posterior.row(row) = posterior.row(row).cwiseProduct(factors.row(code - 1)).eval();
    posterior.row(row) /= posterior.row(row).sum();
  });
  return posterior;
}

/// The moves of single items that promise most, best first.
std::vector<Toggle> best_toggles(const CodedData& data, const MixtureFit& fit,
                                 const RowMatrix& by_component) {
  std::vector<Toggle> toggles;
  for (Index item = 0; item < data.n_items; ++item) {
    if (data.n_levels_seen[item] < 2) continue;
    const bool inside = contains(fit.informative, item);
    const RowMatrix& probs = inside ? fit.params.item_probs : by_component;
    toggles.push_back(toggle_item(data, fit, probs, item, !inside));
    std::stable_sort(toggles.begin(), toggles.end(),
                     [](const Toggle& a, const Toggle& b) { return a.gain > b.gain; });
    if (toggles.size() > n_toggles) toggles.pop_back();
  }
  return toggles;
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
      flips.push_back({n, k, gains(n, k)});
    }
  }
  const std::size_t n_kept = std::min(n_flips, flips.size());
  const auto more = [](const Flip& a, const Flip& b) { return a.gain > b.gain; };
  std::stable_sort(flips.begin(), flips.end(), more);
  flips.resize(n_kept);
  return flips;
}

/// The moves from one fit.
class PolishRound {
 public:
  PolishRound(const CodedData& data, const MixtureFit& fit, const PolishOptions& options,
              Monitor& monitor)
      : data_(data), fit_(fit), options_(options), monitor_(monitor) {}

  /// The most promising moves, each refined to the end: the best of them, or none.
  std::vector<Trial> best() {
    add_component_trials();
    if (options_.refinement == Refinement::kSparse) {
      for (const double scale : penalty_scales) add_item_trial(scale);
      add_toggle_trials();
    }
    if (!is_large()) add_flip_trials();
    std::vector<Trial> best;
    for (Trial& trial : trials_) {
      continue_em(options_.refine.max_iter, trial);
      keep_if_good(best, std::move(trial), 1);
    }
    return best;
  }

  /// The least gain of penalised log-likelihood that counts (nats).
  double least_gain() const {
    const double change_at_stop = options_.refine.tol * std::abs(fit_.penalised_loglik);
    const double in_tol = is_large() ? smallest_gain_in_tol_of_large : smallest_gain_in_tol;
    return std::max(smallest_gain, in_tol * change_at_stop);
  }

 private:
  bool is_large() const { return data_.n_obs > options_.most_small_rows; }

  /// EM iterations of a brief run: on large data one heat tells where it leads.
  Index brief_run() const { return is_large() ? heat_iterations : brief_iterations; }

  MixtureFit refined(const Start& start, Index iterations) const {
    return refine_briefly(data_, start, iterations, options_, monitor_);
  }

  // EM of a trial ---------------------------------------------------------------------------------

  /// Has a trial that is below the goal no hope to reach it? A move of components that ends where it
  /// began has failed; the items have moves of their own.
  bool is_hopeless(double goal, const RefineResult& run, Move kind) const {
    if (run.fit.penalised_loglik >= goal) return false;
    if (falls_short(run, goal)) return true;
    const bool of_components = kind == Move::kSplitMerge || kind == Move::kMergeSplit;
    return of_components && has_come_back(data_, run.fit.e_step.posterior, fit_);
  }

  /// Goes on with a trial by em(posterior, informative, iterations); on large data in heats, until it
  /// cannot beat the fit any more.
  template <class Em>
  void race(Index iterations, Em em, Trial& trial) const {
    if (!is_large()) {
      trial.fit = em(trial.fit.e_step.posterior, trial.fit.informative, iterations).fit;
      return;
    }
    const double goal = fit_.penalised_loglik + least_gain();
    iterations = std::min(iterations, options_.refine.max_iter);
    for (Index done = 0; done < iterations && !trial.given_up; done += heat_iterations) {
      RefineResult run = em(trial.fit.e_step.posterior, trial.fit.informative,
                            std::min(heat_iterations, iterations - done));
      trial.given_up = is_hopeless(goal, run, trial.move.move);
      trial.fit = std::move(run.fit);
      if (run.status != Status::kIterationLimit) break;
    }
  }

  void continue_em(Index iterations, Trial& trial) const {
    const auto em = [&](const RowMatrix& posterior, const ItemSet& items, Index n) {
      return refine(data_, posterior, items, options_.refinement, brief(options_.refine, n),
                    monitor_);
    };
    race(iterations, em, trial);
  }

  // Components ------------------------------------------------------------------------------------

  void add_component_trials() {
    SearchOptions search_options;
    search_options.missing = options_.missing;
    search_options.unions = overlapping_pairs(data_, fit_.e_step.posterior);
    const PairSearch search =
        search_pairs({data_, fit_.e_step.posterior, fit_.informative}, search_options, monitor_);
    for (const PairChoice& pair : search.by_component) {
      if (!pair.found) continue;
      for (Trial& trial : split_merge_trials(pair)) {
        keep_if_good(trials_, std::move(trial), finalists);
      }
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
    const Start start = split_start(data_, fit_.params, fit_.informative, pair, options_.missing);
    if (start.posterior.size() == 0) return trials;
    const MixtureFit split = refined(start, brief_run());
    const Index copy = split.params.n_components() - 1;
    for (const auto& [a, b] : overlapping_pairs(data_, split.e_step.posterior)) {
      if (a == pair.component && b == copy) continue;
      const Start merged{merge_posterior(split.e_step.posterior, a, b), split.informative};
      keep_if_good(trials, {record_move(Move::kSplitMerge, pair, a, b), refined(merged, 1)},
                   merges_per_split);
    }
    for (Trial& trial : trials) continue_em(brief_run(), trial);
    return trials;
  }

  /// Merges two components and splits their union at `pair`.
  void add_merge_split_trial(const ComponentPair& merged, const PairChoice& pair) {
    const auto& [a, b] = merged;
    const RowMatrix posterior = merge_posterior(fit_.e_step.posterior, a, b);
    const MixtureParameters params = m_step(data_, posterior, options_.refine.m_step);
    Start start = split_start(data_, params, fit_.informative, pair, options_.missing);
    if (start.posterior.size() == 0) return;
    Trial trial = trial_at(std::move(start), record_move(Move::kMergeSplit, pair, a, b));
    continue_em(2 * brief_run(), trial);
    keep_if_good(trials_, std::move(trial), finalists);
  }

  // Items and rows --------------------------------------------------------------------------------

  /// Lets the informative set grow or shrink under another penalty, then puts the penalty back.
  void add_item_trial(double penalty_scale) {
    PolishOptions scaled = options_;
    scaled.refine.penalty_scale = penalty_scale;
    const Start start{fit_.e_step.posterior, fit_.informative};
    Trial trial{move_of(Move::kItems), refine_briefly(data_, start, brief_run(), scaled, monitor_)};
    continue_em(brief_run(), trial);
    keep_if_good(trials_, std::move(trial), finalists);
  }

  /// Moves single items. EM with the item held where it was put: it pays only once the other
  /// parameters have followed, which can take more than a brief run.
  void add_toggle_trials() {
    const RowMatrix by_component =
        m_step(data_, fit_.e_step.posterior, options_.refine.m_step).item_probs;
    for (const Toggle& toggle : best_toggles(data_, fit_, by_component)) {
      const RowMatrix& probs = toggle.joins ? by_component : fit_.params.item_probs;
      ItemSet items = fit_.informative;
      if (toggle.joins)
        items.push_back(toggle.item);
      else
        items.erase(std::find(items.begin(), items.end(), toggle.item));
      if (items.empty()) continue;
      const auto em = [&](const RowMatrix& posterior, const ItemSet& held, Index n) {
        return refine_fixed(data_, posterior, held, brief(options_.refine, n), monitor_);
      };
      Trial trial =
          trial_at({toggled_posterior(data_, fit_, probs, toggle), items}, move_of(Move::kItems));
      race(options_.refine.max_iter, em, trial);
      keep_if_good(trials_, std::move(trial), finalists);
    }
  }

  /// Moves single rows.
  void add_flip_trials() {
    for (const Flip& flip : best_flips(data_, fit_)) {
      Start start{fit_.e_step.posterior, fit_.informative};
      start.posterior.row(flip.row).setZero();
      start.posterior(flip.row, flip.component) = 1.0;
      keep_if_good(trials_, {move_of(Move::kRow), refined(start, brief_iterations)}, finalists);
    }
  }

  const CodedData& data_;
  const MixtureFit& fit_;
  const PolishOptions& options_;
  Monitor& monitor_;
  std::vector<Trial> trials_;  ///< the finalists so far
};

}  // namespace

PolishResult polish(const CodedData& data, MixtureFit fit, const PolishOptions& options,
                    Monitor& monitor) {
  PolishResult result;
  result.fit = std::move(fit);
  // With one component there is nothing to merge.
  const Index n_components = result.fit.params.n_components();
  if (n_components < 2) return result;
  for (Index round = 0; round < options.max_rounds; ++round) {
    PolishRound moves(data, result.fit, options, monitor);
    std::vector<Trial> trials = moves.best();
    if (trials.empty()) return result;
    Trial& best = trials.front();
    const double gain = best.fit.penalised_loglik - result.fit.penalised_loglik;
    if (!(gain > moves.least_gain())) return result;
    result.fit = std::move(best.fit);
    best.move.phase = Phase::kPolish;
    best.move.n_components = n_components;
    best.move.n_informative = static_cast<Index>(result.fit.informative.size());
    best.move.loglik = result.fit.loglik;
    best.move.penalised_loglik = result.fit.penalised_loglik;
    result.trace.push_back(best.move);
  }
  result.status = Status::kIterationLimit;
  return result;
}

}  // namespace mdpd
