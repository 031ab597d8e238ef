#include "model/refine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numerics.h"
#include "model/criterion.h"

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

MixtureFit finish_ready_fit(const CodedData& data, MixtureParameters params,
                            const ReadyItems& items) {
  MixtureFit fit;
  fit.informative = items.items;
  set_uninformative_to_marginal(data, fit.informative, params);
  fit.e_step = e_step_of_ready(data, params, items);
  fit.loglik = fit.e_step.loglik + marginal_loglik(data, fit.informative);
  fit.penalised_loglik = penalised_loglik(data, fit.loglik, fit.informative, params.n_components());
  fit.params = std::move(params);
  return fit;
}

/// The loop both refinements share: `count(posterior, items)` counts the levels of the items that
/// are looked at, `choose(sums, items)` names those that differ between components after an M-step;
/// the objective is the fit's penalised log-likelihood.
template <class Count, class Choose>
RefineResult run_em(const CodedData& data, const RowMatrix& start, ItemSet informative,
                    const RefineOptions& options, Monitor& monitor, Count count, Choose choose) {
  RefineResult result;
  result.status = Status::kIterationLimit;
  ReadyItems ready = make_ready(data, informative);
  const RowMatrix* posterior = &start;
  double before = -std::numeric_limits<double>::infinity();
  for (Index iteration = 0; iteration < std::max<Index>(1, options.max_iter); ++iteration) {
    const LevelSums sums = count(*posterior, ready);
    informative = choose(sums, informative);
    if (informative != ready.items) ready = make_ready(data, informative);
    result.fit = finish_ready_fit(data, m_step_from_sums(data, sums, options.m_step), ready);
    posterior = &result.fit.e_step.posterior;
    const double now = result.fit.penalised_loglik +
                       log_prior(data, result.fit.params, options.m_step, informative);
    result.trace.push_back(trace_row(Phase::kRefine, Move::kNone, result.fit));
    monitor.on_iteration(iteration, now);
    if (informative.size() < 2) {
      result.fit = finish_fit(data, independence_model(data), {});
      result.status = Status::kNothingInformative;
      break;
    }
    if (std::abs(now - before) <= options.tol * std::abs(now)) {
      result.status = Status::kConverged;
      break;
    }
    before = now;
  }
  return result;
}

}  // namespace

TraceRow trace_row(Phase phase, Move move, const MixtureFit& fit) {
  TraceRow row;
  row.phase = phase;
  row.move = move;
  row.n_components = fit.params.n_components();
  row.n_informative = static_cast<Index>(fit.informative.size());
  row.loglik = fit.loglik;
  row.penalised_loglik = fit.penalised_loglik;
  return row;
}

MixtureFit finish_fit(const CodedData& data, MixtureParameters params, ItemSet informative) {
  return finish_ready_fit(data, std::move(params), make_ready(data, std::move(informative)));
}

double item_gain(const CodedData& data, const RowMatrix& counts, Index item) {
  const auto table = counts.middleRows(data.offset[item], data.n_levels[item]);
  double by_component = 0.0;
  for (Index k = 0; k < table.cols(); ++k) {
    for (Index r = 0; r < table.rows(); ++r) by_component += x_log_x(table(r, k));
    by_component -= x_log_x(table.col(k).sum());
  }
  return std::max(0.0, by_component - data.marginal_loglik[item]);
}

double most_item_gain(const CodedData& data, const RowMatrix& counts, Index item) {
  const auto table = counts.middleRows(data.offset[item], data.n_levels[item]);
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

RefineResult refine_sparse(const CodedData& data, const RowMatrix& start,
                           const ItemSet& informative, const RefineOptions& options,
                           Monitor& monitor) {
  const ReadyItems all = make_ready(data, all_items(data));
  return run_em(
      data, start, informative, options, monitor,
      [&](const RowMatrix& posterior, const ReadyItems&) {
        return level_sums(data, posterior, all);
      },
      [&](const LevelSums& sums, const ItemSet& items) {
        return worth_their_penalty(data, sums.levels, options.penalty_scale, items);
      });
}

RefineResult refine_fixed(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
                          const RefineOptions& options, Monitor& monitor) {
  return run_em(
      data, start, informative, options, monitor,
      [&](const RowMatrix& posterior, const ReadyItems& items) {
        return level_sums(data, posterior, items);
      },
      [&](const LevelSums&, const ItemSet&) { return informative; });
}

RefineResult refine_full(const CodedData& data, const RowMatrix& start,
                         const RefineOptions& options, Monitor& monitor) {
  return refine_fixed(data, start, varying_items(data), options, monitor);
}

RefineResult refine(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
                    Refinement type, const RefineOptions& options, Monitor& monitor) {
  if (type == Refinement::kFull) return refine_full(data, start, options, monitor);
  return refine_sparse(data, start, informative, options, monitor);
}

SmoothedFit smooth(const CodedData& data, const MixtureFit& fit, double max_loss,
                   const RefineOptions& options, Monitor& monitor) {
  SmoothedFit smoothest{fit, options.m_step.smoothing};
  if (options.m_step.smoothing > 0.0 || options.m_step.prior_counts.size() > 0) return smoothest;
  RefineOptions with_prior = options;
  for (const double pseudo_count : smoothings) {
    with_prior.m_step.smoothing = pseudo_count;
    MixtureFit smoothed =
        refine_fixed(data, smoothest.fit.e_step.posterior, fit.informative, with_prior, monitor)
            .fit;
    if (!(smoothed.penalised_loglik >= fit.penalised_loglik - max_loss)) break;
    smoothest = {std::move(smoothed), pseudo_count};
  }
  return smoothest;
}

}  // namespace mdpd
