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

bool is_large(const CodedData& data, const PolishOptions& options) {
  return data.n_obs > options.most_small_rows;
}

/// EM iterations of a brief run: on large data one heat tells where it leads.
Index brief_of(const CodedData& data, const PolishOptions& options) {
  return is_large(data, options) ? heat_iterations : brief_iterations;
}

/// The least gain of penalised log-likelihood that counts (nats).
double least_gain(const CodedData& data, const MixtureFit& fit, const PolishOptions& options) {
  const double change_at_stop = options.refine.tol * std::abs(fit.penalised_loglik);
  const double in_tol =
      is_large(data, options) ? smallest_gain_in_tol_of_large : smallest_gain_in_tol;
  return std::max(smallest_gain, in_tol * change_at_stop);
}

bool better(const Trial& a, const Trial& b) {
  return a.fit.penalised_loglik > b.fit.penalised_loglik;
}

void keep_best(std::vector<Trial>& trials, std::size_t n) {
  std::stable_sort(trials.begin(), trials.end(), better);
  if (trials.size() > n) trials.resize(n);
}

/// Adds a trial to those kept. A fit of large data is large itself: of many only the best stay.
void keep_if_good(std::vector<Trial>& trials, Trial trial, std::size_t n) {
  if (trial.given_up) return;
  trials.push_back(std::move(trial));
  keep_best(trials, n);
}

/// The pairs a < b of components that share most of their rows, relative to the smaller one; in the
/// order (0,1), (0,2), (1,2), ... where all are taken.
std::vector<ComponentPair> overlapping_pairs(const CodedData& data, const RowMatrix& posterior) {
  const Matrix shared = posterior.transpose() * data.case_weights.asDiagonal() * posterior;
  const Vector sizes = posterior.transpose() * data.case_weights;
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
  const Matrix shared = before.transpose() * data.case_weights.asDiagonal() * posterior;
  std::vector<bool> is_taken(before.cols(), false);
  for (Index k = 0; k < before.cols(); ++k) {
    Index match = 0;
    shared.row(k).maxCoeff(&match);
    if (is_taken[match]) return false;
    is_taken[match] = true;
    double difference = 0.0;
    double weight = 0.0;
    for (Index n = 0; n < data.n_obs; ++n) {
      difference += data.case_weights[n] * std::abs(before(n, k) - posterior(n, match));
      weight += data.case_weights[n] * before(n, k);
    }
    if (!(difference < same_component * weight)) return false;
  }
  return true;
}

/// Has a trial that is below the goal no hope to reach it? A move of components that ends where it
/// began has failed; the items have moves of their own.
bool is_hopeless(const CodedData& data, const MixtureFit& fit, double goal, const RefineResult& run,
                 Move kind) {
  if (run.fit.penalised_loglik >= goal) return false;
  if (falls_short(run, goal)) return true;
  const bool of_components = kind == Move::kSplitMerge || kind == Move::kMergeSplit;
  return of_components && has_come_back(data, run.fit.e_step.posterior, fit);
}

/// Goes on with a trial by em(posterior, informative, iterations); on large data in heats, until it
/// cannot beat `fit` any more.
template <class Em>
void race(const CodedData& data, const MixtureFit& fit, Index iterations,
          const PolishOptions& options, Em em, Trial& trial) {
  if (!is_large(data, options)) {
    trial.fit = em(trial.fit.e_step.posterior, trial.fit.informative, iterations).fit;
    return;
  }
  const double goal = fit.penalised_loglik + least_gain(data, fit, options);
  iterations = std::min(iterations, options.refine.max_iter);
  for (Index done = 0; done < iterations && !trial.given_up; done += heat_iterations) {
    RefineResult run = em(trial.fit.e_step.posterior, trial.fit.informative,
                          std::min(heat_iterations, iterations - done));
    trial.given_up = is_hopeless(data, fit, goal, run, trial.move.move);
    trial.fit = std::move(run.fit);
    if (run.status != Status::kIterationLimit) break;
  }
}

TraceRow item_move() {
  TraceRow move;
  move.move = Move::kItems;
  return move;
}

/// A trial at the posterior it starts from, without parameters yet.
Trial trial_at(Start start, const TraceRow& move) {
  Trial trial;
  trial.move = move;
  trial.fit.e_step.posterior = std::move(start.posterior);
  trial.fit.informative = std::move(start.informative);
  return trial;
}

TraceRow record_move(Move kind, const PairChoice& pair, Index merged_1, Index merged_2) {
  TraceRow move;
  move.move = kind;
  move.component = pair.component;
  move.item_1 = pair.item_1;
  move.item_2 = pair.item_2;
  move.merged_1 = merged_1;
  move.merged_2 = merged_2;
  return move;
}

void continue_em(const CodedData& data, const MixtureFit& fit, const PolishOptions& options,
                 Index iterations, Monitor& monitor, Trial& trial) {
  const auto em = [&](const RowMatrix& posterior, const ItemSet& items, Index n) {
    return refine(data, posterior, items, options.refinement, brief(options.refine, n), monitor);
  };
  race(data, fit, iterations, options, em, trial);
}

/// Splits one component, then tries every merge but the one that would undo the split, one EM
/// iteration each, and refines the best briefly.
std::vector<Trial> split_merge_trials(const CodedData& data, const MixtureFit& fit,
                                      const PairChoice& pair, const PolishOptions& options,
                                      Monitor& monitor) {
  std::vector<Trial> trials;
  const Start start = split_start(data, fit.params, fit.informative, pair, options.missing);
  if (start.posterior.size() == 0) return trials;
  const MixtureFit split = refine_briefly(data, start, brief_of(data, options), options, monitor);
  const Index n_split = split.params.n_components();
  for (const auto& [a, b] : overlapping_pairs(data, split.e_step.posterior)) {
    if (a == pair.component && b == n_split - 1) continue;
    const Start merged{merge_posterior(split.e_step.posterior, a, b), split.informative};
    keep_if_good(trials,
                 {record_move(Move::kSplitMerge, pair, a, b),
                  refine_briefly(data, merged, 1, options, monitor)},
                 merges_per_split);
  }
  for (Trial& trial : trials)
    continue_em(data, fit, options, brief_of(data, options), monitor, trial);
  return trials;
}

/// Merges components a and b and splits their union at `pair`.
void add_merge_split_trial(const CodedData& data, const MixtureFit& fit, Index a, Index b,
                           const PairChoice& pair, const PolishOptions& options, Monitor& monitor,
                           std::vector<Trial>& trials) {
  const RowMatrix merged = merge_posterior(fit.e_step.posterior, a, b);
  const MixtureParameters params = m_step(data, merged, options.refine.m_step);
  Start start = split_start(data, params, fit.informative, pair, options.missing);
  if (start.posterior.size() == 0) return;
  Trial trial = trial_at(std::move(start), record_move(Move::kMergeSplit, pair, a, b));
  continue_em(data, fit, options, 2 * brief_of(data, options), monitor, trial);
  keep_if_good(trials, std::move(trial), finalists);
}

/// Lets the informative set grow or shrink under another penalty, then puts the penalty back.
void add_item_trial(const CodedData& data, const MixtureFit& fit, double penalty_scale,
                    const PolishOptions& options, Monitor& monitor, std::vector<Trial>& trials) {
  PolishOptions scaled = options;
  scaled.refine.penalty_scale = penalty_scale;
  const Start start{fit.e_step.posterior, fit.informative};
  Trial trial{item_move(), refine_briefly(data, start, brief_of(data, options), scaled, monitor)};
  continue_em(data, fit, options, brief_of(data, options), monitor, trial);
  keep_if_good(trials, std::move(trial), finalists);
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
  const RowMatrix factors = toggle_factors(data, item_probs, item, joins);
  for_each_answer(data, item, [&](Index row, Code code) {
    const double sum = fit.e_step.posterior.row(row).dot(factors.row(code - 1));
    toggle.gain += data.case_weights[row] * safe_log(sum);
  });
  const double cost =
      data.marginal_loglik[item] + item_penalty(data, item, fit.params.n_components());
  toggle.gain += joins ? -cost : cost;
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

/// Moves single items. EM with the item held where it was put: it pays only once the other
/// parameters have followed, which can take more than a brief run.
void add_toggle_trials(const CodedData& data, const MixtureFit& fit, const PolishOptions& options,
                       Monitor& monitor, std::vector<Trial>& trials) {
  const RowMatrix by_component =
      m_step(data, fit.e_step.posterior, options.refine.m_step).item_probs;
  for (const Toggle& toggle : best_toggles(data, fit, by_component)) {
    const RowMatrix& probs = toggle.joins ? by_component : fit.params.item_probs;
    ItemSet items = fit.informative;
    if (toggle.joins)
      items.push_back(toggle.item);
    else
      items.erase(std::find(items.begin(), items.end(), toggle.item));
    if (items.empty()) continue;
    const auto em = [&](const RowMatrix& posterior, const ItemSet& held, Index n) {
      return refine_fixed(data, posterior, held, brief(options.refine, n), monitor);
    };
    Trial trial = trial_at({toggled_posterior(data, fit, probs, toggle), items}, item_move());
    race(data, fit, options.refine.max_iter, options, em, trial);
    keep_if_good(trials, std::move(trial), finalists);
  }
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

void add_flip_trials(const CodedData& data, const MixtureFit& fit, const PolishOptions& options,
                     Monitor& monitor, std::vector<Trial>& trials) {
  if (is_large(data, options)) return;
  for (const Flip& flip : best_flips(data, fit)) {
    Start start{fit.e_step.posterior, fit.informative};
    start.posterior.row(flip.row).setZero();
    start.posterior(flip.row, flip.component) = 1.0;
    TraceRow move;
    move.move = Move::kRow;
    keep_if_good(trials, {move, refine_briefly(data, start, brief_iterations, options, monitor)},
                 finalists);
  }
}

/// The most promising moves from a fit, each refined to the end, best first.
std::vector<Trial> round_of_trials(const CodedData& data, const MixtureFit& fit,
                                   const PolishOptions& options, Monitor& monitor) {
  SearchOptions search_options;
  search_options.missing = options.missing;
  search_options.unions = overlapping_pairs(data, fit.e_step.posterior);
  const PairSearch search =
      search_pairs({data, fit.e_step.posterior, fit.informative}, search_options, monitor);
  std::vector<Trial> trials;
  for (const PairChoice& pair : search.by_component) {
    if (!pair.found) continue;
    for (Trial& trial : split_merge_trials(data, fit, pair, options, monitor)) {
      keep_if_good(trials, std::move(trial), finalists);
    }
  }
  for (std::size_t at = 0; at < search_options.unions.size(); ++at) {
    const auto& [a, b] = search_options.unions[at];
    const PairChoice& pair = search.by_union[at];
    if (pair.found) add_merge_split_trial(data, fit, a, b, pair, options, monitor, trials);
  }
  if (options.refinement == Refinement::kSparse) {
    for (const double scale : penalty_scales) {
      add_item_trial(data, fit, scale, options, monitor, trials);
    }
    add_toggle_trials(data, fit, options, monitor, trials);
  }
  add_flip_trials(data, fit, options, monitor, trials);
  std::vector<Trial> best;
  for (Trial& trial : trials) {
    continue_em(data, fit, options, options.refine.max_iter, monitor, trial);
    keep_if_good(best, std::move(trial), 1);
  }
  return best;
}

}  // namespace

PolishResult polish(const CodedData& data, MixtureFit fit, const PolishOptions& options,
                    Monitor& monitor) {
  PolishResult result;
  result.fit = std::move(fit);
  // With one component there is nothing to merge.
  const Index n_components = result.fit.params.n_components();
  if (n_components < 2) return result;
  for (Index round = 0; round < options.max_rounds; ++round) {
    std::vector<Trial> trials = round_of_trials(data, result.fit, options, monitor);
    if (trials.empty()) return result;
    Trial& best = trials.front();
    const double gain = best.fit.penalised_loglik - result.fit.penalised_loglik;
    if (!(gain > least_gain(data, result.fit, options))) return result;
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
