#include "model/refine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/numerics.h"
#include "model/acceleration.h"
#include "model/criterion.h"
#include "model/crowd_prior.h"
#include "model/evidence.h"

namespace mdpd {

namespace {

/// Pseudo-counts of an item in a component that `smooth()` tries, the weakest first.
constexpr double smoothings[] = {0.25, 0.5, 1.0, 2.0, 4.0};

/// Relative to the sums that a gain is a difference of, far above the rounding of either.
constexpr double gain_rounding = 1e-10;

/// Items whose gain exceeds their penalty. Those that were informative keep their place in the
/// order of joining; new ones follow by decreasing gain.
ItemSet worth_their_penalty(const CodedData& data, const RowMatrix& counts, double penalty_scale,
                            const ItemSet& before) {
  std::vector<bool> joins(data.n_items, false);
  Vector gains = Vector::Zero(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) {
    const double penalty = penalty_scale * item_penalty(data, item, counts.cols());
    // Of most items the bound says enough, and it takes no logarithm.
    const double rounding =
        gain_rounding * (data.observed_weight[item] - data.marginal_loglik[item]);
    if (most_item_gain(data, counts, item) + rounding < penalty) continue;
    gains[item] = item_gain(data, counts, item);
    joins[item] = gains[item] > penalty;
  }
  ItemSet kept;
  for (const Index item : before) {
    if (!joins[item]) continue;
    kept.push_back(item);
    joins[item] = false;
  }
  ItemSet added;
  for (Index item = 0; item < data.n_items; ++item) {
    if (joins[item]) added.push_back(item);
  }
  std::stable_sort(added.begin(), added.end(),
                   [&](Index a, Index b) { return gains[a] > gains[b]; });
  kept.insert(kept.end(), added.begin(), added.end());
  return kept;
}

MixtureFit finish_fit_of(const CodedData& data, PosteriorRows& rows, MixtureParameters params,
                         const ItemSet& items) {
  MixtureFit fit;
  fit.informative = items;
  set_uninformative_to_marginal(data, fit.informative, params);
  fit.e_step = rows.e_step(params, items);
  fit.loglik = fit.e_step.loglik + marginal_loglik(data, fit.informative);
  fit.penalised_loglik = penalised_loglik(data, fit.loglik, fit.informative, params.n_components());
  fit.params = std::move(params);
  return fit;
}

/// Rows in memory.
class RowsAtHand : public PosteriorRows {
 public:
  /// @param counts_all the counts of all items, else of those in the E-step.
  RowsAtHand(const CodedData& data, ItemSet items, bool counts_all)
      : data_(data),
        ready_(make_ready(data, std::move(items))),
        counted_(counts_all ? make_ready(data, all_items(data)) : ready_) {}

  EStep e_step(const MixtureParameters& params, const ItemSet& items) override {
    if (items != ready_.items) ready_ = make_ready(data_, items);
    return e_step_of_ready(data_, params, ready_);
  }
  LevelSums level_sums(const RowMatrix& posterior, bool with_rare) override {
    if (with_rare) return level_sums_with_rare(data_, posterior, counted_);
    return mdpd::level_sums(data_, posterior, counted_);
  }
  Matrix overlap(const RowMatrix& posterior) override {
    return shared_weight(data_, posterior, posterior);
  }

 private:
  const CodedData& data_;
  ReadyItems ready_;
  const ReadyItems counted_;
};

/// Items that differ with less probability, under the prior, are left out of the posterior.
constexpr double least_to_use = 0.01;
/// EM steps of the prior in each iteration: few while the posterior is not yet much, then enough to
/// keep up with it.
constexpr int first_prior_steps = 3;
constexpr int prior_steps = 10;
constexpr Index first_iterations = 25;

/// Iterations of a crowd without leaps, after one that lowered the evidence.
constexpr Index fewest_to_walk = 50;

/// The prior that a run begins with: that of the run it goes on with, unless that was of a crowd with
/// other components.
ItemPrior first_prior(const CodedData& data, const RowMatrix& counts,
                      const RefineOptions& options) {
  const ItemPrior& known = options.item_prior;
  const Index n_columns = options.is_crowd ? counts.cols() : 0;
  if (known.weights.size() > 0 && known.crowd.cols() == n_columns) return known;
  return options.is_crowd ? flat_prior_of_crowd(data, counts) : flat_prior();
}

/// What every iteration of EM ends with.
class Progress {
 public:
  /// @param n_components that EM began with.
  Progress(const CodedData& data, Index n_components, const RefineOptions& options,
           Monitor& monitor)
      : data_(data), n_components_(n_components), tol_(options.tol), monitor_(monitor) {}

  /// Adds the fit of an iteration to the trace; was it the last?
  /// @param keeps_components false where the fit cannot tell its components apart.
  /// @param by_leap of the acceleration, which may well end as high as it began.
  bool ends(double objective, bool keeps_components, bool by_leap, FitRun& run) {
    run.trace.push_back(trace_row({Phase::kRefine}, run.fit));
    monitor_.on_iteration(static_cast<Index>(run.trace.size()) - 1, objective);
    if (!keeps_components) {
      give_up_components(data_, run);
      if (n_components_ == 1) run.status = Status::kConverged;
      return true;
    }
    if (!by_leap && has_converged(objective)) {
      run.status = Status::kConverged;
      return true;
    }
    before_ = objective;
    return false;
  }

  bool has_converged(double objective) const {
    return std::abs(objective - before_) <= tol_ * std::abs(objective);
  }
  bool has_fallen(double objective) const { return objective < before_; }

 private:
  const CodedData& data_;
  const Index n_components_;
  const double tol_;
  Monitor& monitor_;
  double before_ = -std::numeric_limits<double>::infinity();
};

/// A step of EM by evidence.
struct EvidenceStep {
  EmState to;
  ItemEvidence items = {};  ///< of the posterior that it set out from
  ItemPrior prior;
  double evidence = 0.0;
};

EvidenceStep step_by_evidence(const CodedData& data, const LevelSums& sums, const Overlap& overlap,
                              double entropy, int n_prior_steps, ItemPrior prior) {
  EvidenceStep step;
  step.items = weigh_items(data, sums.levels, overlap, n_prior_steps, prior);
  step.to.prior = prior;
  const double cost_of_crowd = update_crowd(data, sums.levels, step.items.shares, step.to.prior);
  // By the crowd's new columns: by those before, where workers hardly differ from the crowd, every
  // second step would lead to one end and the others to another.
  step.to.params = posterior_means(data, sums, step.items, step.to.prior);
  step.evidence = data.marginal_loglik.sum() + step.items.gain.sum() - cost_of_crowd +
                  component_evidence(sums.components, entropy, overlap) + entropy;
  step.prior = std::move(prior);
  return step;
}

/// Lets rows go to components by the expected log probability of their answers, as the bound of the
/// evidence asks for (variational Bayes). By the logarithm of the expected one small components,
/// whose columns are less known and so nearer to the centre, draw rows from the large ones.
void discount(const Vector& doubt, Eigen::Ref<Eigen::RowVectorXd> weights) {
  const double least = doubt.minCoeff();
  const auto factors = doubt.unaryExpr([=](double d) { return exp_of(least - d); });
  const double total = weights.dot(factors.transpose());
  // Rows that are all in a component without others cannot go elsewhere.
  if (total > 0.0) weights = weights.cwiseProduct(factors.transpose()).eval() / total;
}

ItemSet items_in_use(const ItemEvidence& items) {
  ItemSet out;
  for (Index item = 0; item < items.gain.size(); ++item) {
    if (1.0 - items.shares(item, 0) >= least_to_use) out.push_back(item);
  }
  return out;
}

/// A fit that is shown is one E-step after where its EM ended: back there, to go on with its prior.
/// Returns the sizes of its components before.
RowMatrix discount_start(const CodedData& data, PosteriorRows& rows, ItemPrior prior,
                         MixtureFit& start) {
  RowMatrix& posterior = start.e_step.posterior;
  const LevelSums sums = rows.level_sums(posterior, false);
  const Overlap overlap(rows.overlap(posterior));
  const ItemEvidence items = weigh_items(data, sums.levels, overlap, 0, prior);
  const Vector doubt = doubt_of_columns(data, sums.levels, items);
  if (start.params.n_components() > 0) {
    discount(doubt, start.params.mixing_weights.transpose());
    start = finish_fit_of(data, rows, std::move(start.params), start.informative);
  } else {
    for (Index n = 0; n < posterior.rows(); ++n) discount(doubt, posterior.row(n));
  }
  return sums.components;
}

/// Has a component lost more than three quarters of its rows?
bool has_emptied(const RowMatrix& before, const RowMatrix& now) {
  return (now.array() < 0.25 * before.array()).any();
}

/// None where a component lost most of its rows to the discount.
std::optional<FitRun> em_by_evidence(const CodedData& data, PosteriorRows& rows, MixtureFit start,
                                     const RefineOptions& options, bool discounts,
                                     Monitor& monitor) {
  FitRun run;
  run.status = Status::kIterationLimit;
  run.fit = std::move(start);
  RowMatrix first_sizes;
  RowMatrix last_sizes;
  if (discounts && options.item_prior.weights.size() > 0) {
    first_sizes = discount_start(data, rows, options.item_prior, run.fit);
  }
  const Index n_components = run.fit.e_step.posterior.cols();
  Acceleration acceleration(data);
  Index n_to_walk = 0;  // iterations without a leap
  EmState at;
  ItemSet in_use = run.fit.informative;
  Progress progress(data, n_components, options, monitor);
  const Index max_iter = std::max<Index>(1, options.max_iter);
  for (Index iteration = 0; iteration < max_iter; ++iteration) {
    const bool is_last = iteration + 1 == max_iter;
    const RowMatrix& posterior = run.fit.e_step.posterior;
    const LevelSums sums = rows.level_sums(posterior, false);
    const double entropy = run.fit.params.n_components() == 0 ? entropy_of(data, posterior)
                                                              : entropy_of(data, run.fit, sums);
    if (first_sizes.size() == 0) first_sizes = sums.components;
    last_sizes = sums.components;
    if (iteration == 0) at.prior = first_prior(data, sums.levels, options);
    EvidenceStep step = step_by_evidence(
        data, sums, Overlap(rows.overlap(posterior)), entropy,
        iteration < first_iterations ? first_prior_steps : prior_steps, std::move(at.prior));
    const bool by_leap = acceleration.has_leapt();
    if (by_leap && !is_last && progress.has_fallen(step.evidence)) {
      at = acceleration.take_back();
      run.fit = finish_fit_of(data, rows, at.params, in_use);
      continue;
    }
    // Of a crowd EM ends where its steps do, not where the evidence is highest: where they lower it,
    // leaps that raise it would lead round and round. Where they raise it for long, it is far from
    // its end.
    n_to_walk = std::max<Index>(0, n_to_walk - 1);
    if (options.is_crowd && !by_leap && progress.has_fallen(step.evidence)) {
      n_to_walk = fewest_to_walk;
      acceleration.begin_again();
    }
    in_use = options.uses_all_items ? all_items(data) : items_in_use(step.items);
    const bool may_end = is_last || (!by_leap && progress.has_converged(step.evidence));
    if (discounts && !may_end) {
      discount(doubt_of_columns(data, sums.levels, step.items),
               step.to.params.mixing_weights.transpose());
    }
    at = may_end || n_to_walk > 0 ? std::move(step.to) : acceleration.next(std::move(step.to));
    run.fit = finish_fit_of(data, rows, at.params, in_use);
    run.fit.evidence = step.evidence;
    run.fit.item_prior = std::move(step.prior);
    run.fit.item_evidence = std::move(step.items);
    const bool keeps_components = n_components > 1 && run.fit.informative.size() > 1;
    if (progress.ends(step.evidence, keeps_components, by_leap, run)) break;
  }
  if (discounts && has_emptied(first_sizes, last_sizes)) return {};
  return run;
}

/// @param start a posterior; or parameters with `informative`, whose E-step was done.
FitRun refine_by_evidence(const CodedData& data, PosteriorRows& rows, MixtureFit start,
                          const RefineOptions& options, Monitor& monitor) {
  if (options.discounts_unsure && !options.is_crowd) {
    if (auto run = em_by_evidence(data, rows, start, options, true, monitor))
      return std::move(*run);
    if (start.params.n_components() > 0) {
      start = finish_fit_of(data, rows, std::move(start.params), start.informative);
    }
  }
  return *em_by_evidence(data, rows, std::move(start), options, false, monitor);
}

/// By the penalised log-likelihood.
FitRun refine_by_likelihood(const CodedData& data, PosteriorRows& rows, MixtureFit start,
                            const RefineOptions& options, Monitor& monitor) {
  const bool is_sparse = options.type == Refinement::kSparse;
  FitRun run;
  run.status = Status::kIterationLimit;
  run.smoothing = options.m_step.smoothing;
  run.fit = std::move(start);
  const bool is_full = options.type == Refinement::kFull;
  ItemSet in_use = is_full ? varying_items(data) : run.fit.informative;
  Progress progress(data, run.fit.e_step.posterior.cols(), options, monitor);
  Acceleration acceleration(data);
  double now = 0.0;
  const auto go_to = [&](MixtureParameters params) {
    run.fit = finish_fit_of(data, rows, std::move(params), in_use);
    now = run.fit.penalised_loglik +
          log_prior(data, run.fit.params, options.m_step, run.fit.informative);
  };
  const Index max_iter = std::max<Index>(1, options.max_iter);
  for (Index iteration = 0; iteration < max_iter; ++iteration) {
    const LevelSums sums = rows.level_sums(run.fit.e_step.posterior, true);
    if (is_sparse) {
      in_use = worth_their_penalty(data, sums.levels, options.penalty_scale, in_use);
    }
    EmState at{m_step_from_sums(data, sums, options.m_step)};
    if (is_full && iteration + 1 < max_iter) at = acceleration.next(std::move(at));
    go_to(std::move(at.params));
    if (acceleration.has_leapt() && progress.has_fallen(now)) {
      go_to(acceleration.take_back().params);
    }
    if (progress.ends(now, run.fit.informative.size() > 1, acceleration.has_leapt(), run)) break;
  }
  return run;
}

FitRun refine_from(const CodedData& data, PosteriorRows& rows, MixtureFit start,
                   const RefineOptions& options, Monitor& monitor) {
  return options.type == Refinement::kEvidence
             ? refine_by_evidence(data, rows, std::move(start), options, monitor)
             : refine_by_likelihood(data, rows, std::move(start), options, monitor);
}

/// A goal is in reach while this many times what EM would still gain at its present pace would do: it
/// slows down less than its last steps say, when it passes from one direction to another.
constexpr double pace_margin = 3.0;

}  // namespace

double entropy_of(const CodedData& data, const RowMatrix& posterior) {
  Vector entropy(data.n_obs);
  for (Index n = 0; n < data.n_obs; ++n) {
    entropy[n] = -sum_x_log_x(posterior.row(n));
  }
  return loglik_sum(data, entropy).value();
}

double expected_log_joint(const CodedData& data, const MixtureParameters& params,
                          const ItemSet& items, const LevelSums& sums) {
  const auto weighted_log = [](const auto& counts, const auto& probs) {
    return counts.cwiseProduct(probs.unaryExpr([](double p) { return safe_log(p); })).sum();
  };
  double log_joint = weighted_log(sums.components.row(0), params.mixing_weights.transpose());
  for (const Index item : items) {
    log_joint +=
        weighted_log(data.levels_of(item, sums.levels), data.levels_of(item, params.item_probs));
  }
  return log_joint;
}

double entropy_of(const CodedData& data, const MixtureFit& fit, const LevelSums& sums) {
  return fit.e_step.loglik - expected_log_joint(data, fit.params, fit.informative, sums);
}

RefineOptions RefineOptions::of_type(Refinement other) const {
  RefineOptions out = *this;
  out.type = other;
  return out;
}

RefineOptions RefineOptions::at_most(Index iterations) const {
  RefineOptions out = *this;
  out.max_iter = std::min(max_iter, iterations);
  return out;
}

TraceRow trace_row(TraceRow row, const MixtureFit& fit) {
  row.n_components = fit.params.n_components();
  row.n_informative = static_cast<Index>(fit.informative.size());
  row.loglik = fit.loglik;
  row.penalised_loglik = fit.penalised_loglik;
  row.evidence = fit.evidence;
  return row;
}

MixtureFit start_at(RowMatrix posterior, ItemSet informative) {
  MixtureFit fit;
  fit.e_step.posterior = std::move(posterior);
  fit.informative = std::move(informative);
  return fit;
}

MixtureFit finish_fit(const CodedData& data, MixtureParameters params, ItemSet informative) {
  RowsAtHand rows(data, informative, false);
  return finish_fit_of(data, rows, std::move(params), informative);
}

bool falls_short(const FitRun& run, double goal) {
  const double end = run.fit.objective();
  const std::size_t n = run.trace.size();
  if (end >= goal) return false;
  if (run.status != Status::kIterationLimit) return true;
  if (n < 3) return false;
  const double before = run.trace[n - 2].objective() - run.trace[n - 3].objective();
  const double last = run.trace[n - 1].objective() - run.trace[n - 2].objective();
  if (last <= 0.0) return true;
  return last < before && end + pace_margin * last * last / (before - last) < goal;
}

void give_up_components(const CodedData& data, FitRun& run) {
  const bool is_by_evidence = !std::isnan(run.fit.evidence);
  run.fit = finish_fit(data, independence_model(data), {});
  run.status = Status::kFewerComponents;
  // The steps so far count as those of what the fit became.
  for (TraceRow& row : run.trace) row.n_components = 1;
  if (!is_by_evidence) return;
  run.fit.evidence = run.fit.loglik;
  run.fit.item_prior = flat_prior();
  // Of one component every item has one column.
  ItemEvidence& items = run.fit.item_evidence;
  items = {RowMatrix::Zero(data.n_items, run.fit.item_prior.weights.size()),
           Vector::Zero(data.n_items)};
  items.shares.col(0).setOnes();
}

double item_gain(const CodedData& data, const RowMatrix& counts, Index item) {
  const double of_columns = entropy_in_columns(data.levels_of(item, counts));
  return std::max(0.0, -of_columns - data.marginal_loglik[item]);
}

double most_item_gain(const CodedData& data, const RowMatrix& counts, Index item) {
  const auto table = data.levels_of(item, counts);
  double sum = 0.0;
  for (Index k = 0; k < table.cols(); ++k) {
    double weight = 0.0;
    double squares = 0.0;
    for (Index r = 0; r < table.rows(); ++r) {
      const double level_weight = data.level_weight[data.offset[item] + r];
      weight += table(r, k);
      if (level_weight > 0.0) squares += table(r, k) * table(r, k) / level_weight;
    }
    if (weight > 0.0) sum += data.observed_weight[item] * squares / weight - weight;
  }
  return sum;
}

FitRun refine(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
              const RefineOptions& options, Monitor& monitor) {
  const bool by_evidence = options.type == Refinement::kEvidence;
  ItemSet items = by_evidence ? ItemSet() : informative;
  if (options.type == Refinement::kFull) items = varying_items(data);
  RowsAtHand rows(data, std::move(items), by_evidence || options.type == Refinement::kSparse);
  return refine_from(data, rows, start_at(start, informative), options, monitor);
}

FitRun refine_rows(const CodedData& frame, PosteriorRows& rows, const MixtureParameters& start,
                   const ItemSet& informative, const RefineOptions& options, Monitor& monitor) {
  return refine_from(frame, rows, finish_fit_of(frame, rows, start, informative), options, monitor);
}

void smooth(const CodedData& data, double max_loss, const RefineOptions& options, Monitor& monitor,
            FitRun& run) {
  if (options.m_step.smoothing > 0.0 || options.m_step.prior_counts.size() > 0) return;
  RefineOptions with_prior = options.of_type(Refinement::kFixed);
  const double lowest = run.fit.penalised_loglik - max_loss;
  for (const double pseudo_count : smoothings) {
    with_prior.m_step.smoothing = pseudo_count;
    FitRun smoothed =
        refine(data, run.fit.e_step.posterior, run.fit.informative, with_prior, monitor);
    if (!(smoothed.fit.penalised_loglik >= lowest)) break;
    run.fit = std::move(smoothed.fit);
    run.smoothing = pseudo_count;
  }
  if (run.smoothing > 0.0) {
    run.trace.push_back(trace_row({Phase::kPolish, Move::kSmoothing}, run.fit));
  }
}

}  // namespace mdpd
