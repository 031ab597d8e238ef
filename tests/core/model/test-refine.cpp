#include <testthat.h>

#include "model/criterion.h"
#include "model/refine.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// How much an objective falls between two iterations, at most, relative to its size.
double largest_fall(const std::vector<double>& objective) {
  double largest = 0.0;
  for (std::size_t i = 1; i < objective.size(); ++i) {
    largest = std::max(largest, (objective[i - 1] - objective[i]) / std::abs(objective[i]));
  }
  return largest;
}

std::vector<double> column(const Trace& trace, double TraceRow::*member) {
  std::vector<double> out;
  for (const TraceRow& record : trace) out.push_back(record.*member);
  return out;
}

/// 30 items of two to four levels, the first six of them informative.
struct Case {
  std::vector<Index> n_levels;
  MixtureParameters truth;
  Table table;
  RowMatrix start;  ///< the posterior under the true parameters, blurred
};

Case planted_case(std::uint64_t seed, Index n_obs, double missing, bool weighted) {
  Random random(seed);
  std::vector<Index> n_levels;
  for (Index item = 0; item < 30; ++item) n_levels.push_back(2 + item % 3);
  MixtureParameters truth = planted_mixture(random, n_levels, 6, 0.8);
  Table table = draw_table(random, truth, {n_obs, n_levels, missing, weighted});
  const RowMatrix start = 0.6 * e_step(table.data, truth, all_items(table.data)).posterior +
                          0.4 * random_posterior(random, n_obs, 2);
  return {n_levels, std::move(truth), std::move(table), start};
}

Vector item_gains(const CodedData& data, const RowMatrix& counts) {
  Vector gains(data.n_items);
  for (Index item = 0; item < data.n_items; ++item) gains[item] = item_gain(data, counts, item);
  return gains;
}

FitRun refine_full(const CodedData& data, const RowMatrix& start, const RefineOptions& options,
                   Monitor& monitor) {
  return refine(data, start, {}, options.of_type(Refinement::kFull), monitor);
}

FitRun refine_fixed(const CodedData& data, const RowMatrix& start, const ItemSet& informative,
                    const RefineOptions& options, Monitor& monitor) {
  return refine(data, start, informative, options.of_type(Refinement::kFixed), monitor);
}

/// What smoothing makes of a fit.
FitRun smoothed(const CodedData& data, const MixtureFit& fit, double max_loss,
                const RefineOptions& options) {
  FitRun run{fit};
  run.smoothing = options.m_step.smoothing;
  Monitor monitor;
  smooth(data, max_loss, options, monitor, run);
  return run;
}

/// A fit agrees with itself: E-step, log-likelihoods and parameters belong together.
bool is_consistent(const CodedData& data, const MixtureFit& fit) {
  const EStep step = e_step(data, fit.params, fit.informative);
  MixtureParameters params = fit.params;
  set_uninformative_to_marginal(data, fit.informative, params);
  const double loglik = e_step(data, fit.params, all_items(data)).loglik;
  const double penalised =
      penalised_loglik(data, fit.loglik, fit.informative, fit.params.n_components());
  return distance(step.posterior, fit.e_step.posterior) == 0.0 &&
         params.item_probs == fit.params.item_probs &&
         relative_difference(fit.loglik, loglik) < 1e-12 &&
         relative_difference(fit.penalised_loglik, penalised) < 1e-14;
}

}  // namespace

context("refine") {
  test_that("a run falls short where its gains shrink before they can reach the goal") {
    const auto run_with = [](const std::vector<double>& objectives) {
      FitRun run;
      run.status = Status::kIterationLimit;
      for (const double objective : objectives) {
        TraceRow row{Phase::kRefine};
        row.penalised_loglik = objective;
        run.trace.push_back(row);
      }
      run.fit.penalised_loglik = objectives.back();
      return run;
    };
    // Gains of 8, 4, 2, ... lead 4 higher in all; three times that is in reach.
    FitRun halving = run_with({-112.0, -104.0, -100.0});
    expect_false(falls_short(halving, -100.0));
    expect_false(falls_short(halving, -88.5));
    expect_true(falls_short(halving, -87.5));
    expect_false(falls_short(run_with({-106.0, -103.0, -100.0}), 1000.0));
    expect_true(falls_short(run_with({-106.0, -99.0, -100.0}), -99.5));
    expect_false(falls_short(run_with({-106.0, -100.0}), 1000.0));
    halving.status = Status::kConverged;
    expect_true(falls_short(halving, -99.9));
    expect_false(falls_short(halving, -100.0));
  }

  test_that("the penalised log-likelihood never falls in sparse refinement") {
    Monitor monitor;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Case in = planted_case(seed, 150, seed % 2 * 0.3, seed % 3 == 0);
      Random random(seed);
      const RowMatrix start = random_posterior(random, 150, 2 + static_cast<Index>(seed % 3));
      for (const RowMatrix& from : {in.start, start}) {
        const FitRun result = refine(in.table.data, from, {}, {}, monitor);
        // Rounding of a sum of 150 * 30 logarithms.
        expect_true(largest_fall(column(result.trace, &TraceRow::penalised_loglik)) < 1e-13);
        expect_true(is_consistent(in.table.data, result.fit));
      }
    }
  }

  test_that("the log-likelihood never falls in full refinement") {
    Monitor monitor;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Random random(seed);
      const std::vector<Index> n_levels = {2, 3, 4, 2, 5, 1, 3};
      const Table table = draw_table(random, random_parameters(random, n_levels, 3),
                                     {100, n_levels, seed % 2 * 0.3, seed % 3 == 0});
      const RowMatrix start = random_posterior(random, 100, 2 + static_cast<Index>(seed % 4));
      const FitRun result = refine_full(table.data, start, {}, monitor);
      expect_true(largest_fall(column(result.trace, &TraceRow::loglik)) < 1e-13);
      expect_true(is_consistent(table.data, result.fit));
      expect_true(result.fit.informative == ItemSet({0, 1, 2, 3, 4, 6}));  // 5 never varies
    }
  }

  test_that("with a fixed informative set the log-likelihood never falls and the set stays") {
    Monitor monitor;
    const Case in = planted_case(15, 150, 0.2, true);
    const FitRun result = refine_fixed(in.table.data, in.start, {9, 0, 3}, {}, monitor);
    expect_true(largest_fall(column(result.trace, &TraceRow::loglik)) < 1e-13);
    expect_true(result.fit.informative == ItemSet({9, 0, 3}));
    expect_true(is_consistent(in.table.data, result.fit));
  }

  test_that("smoothing takes the strongest prior that costs no more than it may") {
    Monitor monitor;
    const Case in = planted_case(18, 150, 0.2, true);
    const CodedData& data = in.table.data;
    const MixtureFit fit = refine(data, in.start, {}, {}, monitor).fit;
    std::vector<MixtureFit> modes;
    for (const double smoothing : {0.25, 0.5, 1.0, 2.0, 4.0}) {
      RefineOptions options;
      options.m_step.smoothing = smoothing;
      const RowMatrix& from = modes.empty() ? fit.e_step.posterior : modes.back().e_step.posterior;
      modes.push_back(refine_fixed(data, from, fit.informative, options, monitor).fit);
    }
    const auto loss = [&](std::size_t mode) {
      return fit.penalised_loglik - modes[mode].penalised_loglik;
    };
    expect_true(loss(0) > 0.0);
    for (std::size_t mode = 1; mode < modes.size(); ++mode) {
      expect_true(loss(mode) > loss(mode - 1));
    }
    const FitRun none = smoothed(data, fit, 0.99 * loss(0), {});
    expect_true(none.smoothing == 0.0);
    expect_true(none.trace.empty());
    expect_true(none.fit.params.item_probs == fit.params.item_probs);
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      const FitRun run = smoothed(data, fit, loss(mode) * (1.0 + 1e-9), {});
      expect_true(run.smoothing == 0.25 * std::pow(2.0, static_cast<double>(mode)));
      expect_true(run.fit.params.item_probs == modes[mode].params.item_probs);
      expect_true(run.fit.informative == fit.informative);
      expect_true(run.trace.back().move == Move::kSmoothing);
      expect_true(run.trace.back().penalised_loglik == run.fit.penalised_loglik);
      expect_true(is_consistent(data, run.fit));
    }
  }

  test_that("a model with a prior of its own is not smoothed") {
    Monitor monitor;
    const Case in = planted_case(18, 150, 0.2, false);
    const MixtureFit fit = refine(in.table.data, in.start, {}, {}, monitor).fit;
    RefineOptions smooth;
    smooth.m_step.smoothing = 0.1;
    RefineOptions prior;
    prior.m_step.prior_counts = RowMatrix::Ones(in.table.data.n_total_levels(), 2);
    for (const RefineOptions& options : {smooth, prior}) {
      const FitRun same = smoothed(in.table.data, fit, 1e6, options);
      expect_true(same.smoothing == options.m_step.smoothing);
      expect_true(same.fit.params.item_probs == fit.params.item_probs);
    }
  }

  test_that("a scaled penalty lets more or fewer items in") {
    Monitor monitor;
    const Case in = planted_case(17, 300, 0.0, false);
    std::vector<Index> sizes;
    for (const double scale : {0.0, 1.0, 1e6}) {
      RefineOptions options;
      options.penalty_scale = scale;
      options.max_iter = 1;
      sizes.push_back(refine(in.table.data, in.start, {}, options, monitor).trace[0].n_informative);
    }
    expect_true(sizes == std::vector<Index>({30, 6, 0}));
  }

  test_that("sparse refinement finds exactly the planted items") {
    Monitor monitor;
    for (std::uint64_t seed = 20; seed < 25; ++seed) {
      const Case in = planted_case(seed, 800, 0.2, false);
      const FitRun result = refine(in.table.data, in.start, {}, {}, monitor);
      expect_true(result.status == Status::kConverged);
      expect_true(sorted(result.fit.informative) == ItemSet({0, 1, 2, 3, 4, 5}));
    }
  }

  test_that("at the end an item is informative exactly when its gain exceeds its penalty") {
    Monitor monitor;
    const Case in = planted_case(2, 300, 0.2, true);
    const FitRun result = refine(in.table.data, in.start, {}, {}, monitor);
    const Vector gains =
        item_gains(in.table.data, level_counts(in.table.data, result.fit.e_step.posterior));
    const ItemSet informative = sorted(result.fit.informative);
    for (Index item = 0; item < in.table.data.n_items; ++item) {
      const bool inside = std::binary_search(informative.begin(), informative.end(), item);
      expect_true((gains[item] > item_penalty(in.table.data, item, 2)) == inside);
    }
  }

  test_that("an item's gain is its weighted log-ratio to the observed frequencies") {
    Random random(3);
    const Table table = random_table(random, {60, {2, 4, 1, 3}, 0.3, true});
    const CodedData& data = table.data;
    const RowMatrix posterior = random_posterior(random, 60, 3);
    const MixtureParameters params = m_step(data, posterior, {});
    const Vector gains = item_gains(data, level_counts(data, posterior));
    for (Index item = 0; item < 4; ++item) {
      double expected = 0.0;
      for (Index n = 0; n < 60; ++n) {
        const Code code = table.code(n, item);
        if (code == 0 || data.case_weights[n] == 0.0) continue;
        for (Index k = 0; k < 3; ++k) {
          expected += data.case_weights[n] * posterior(n, k) *
                      std::log(params.item_probs(data.offset[item] + code - 1, k) /
                               data.marginal(item, code - 1));
        }
      }
      expect_true(gains[item] >= 0.0);
      expect_true(std::abs(gains[item] - expected) < 1e-11);
    }
    expect_true(gains[2] == 0.0);  // one level
    const Vector alone = item_gains(data, level_counts(data, RowMatrix::Ones(60, 1)));
    expect_true(alone.maxCoeff() < 1e-11);
  }

  test_that("no item gains more than its bound, which small gains are close to") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Case in = planted_case(seed, 200, seed % 2 * 0.3, seed % 3 == 0);
      const CodedData& data = in.table.data;
      Random random(seed);
      for (const RowMatrix& posterior : {in.start, random_posterior(random, 200, 4)}) {
        const RowMatrix counts = level_counts(data, posterior);
        for (Index item = 0; item < data.n_items; ++item) {
          const double gain = item_gain(data, counts, item);
          const double most = most_item_gain(data, counts, item);
          expect_true(gain <= most + 1e-12 * data.observed_weight[item]);
          // Near independence the one divergence is twice the other.
          if (gain < 0.002 * data.observed_weight[item]) expect_true(most < 2.5 * gain + 1e-9);
        }
      }
    }
  }

  test_that("an item with one level, or none in a component, has a bound") {
    const Table table = table_of({{1, 1, 1, 1}, {1, 2, 0, 0}}, {3, 2});
    RowMatrix posterior(4, 2);
    posterior << 1, 0, 1, 0, 0, 1, 0, 1;
    const RowMatrix counts = level_counts(table.data, posterior);
    expect_true(std::abs(most_item_gain(table.data, counts, 0)) < 1e-15);
    expect_true(std::abs(most_item_gain(table.data, counts, 1)) < 1e-15);
  }

  test_that("a case weight of 2 is a row twice, and one of 0 no row") {
    Monitor monitor;
    const Case in = planted_case(4, 200, 0.2, true);
    const Table repeated = write_out_weights(in.table);
    const RowMatrix start = pick(in.start, repeat_by_weight(in.table.data));
    const FitRun sparse = refine(in.table.data, in.start, {}, {}, monitor);
    const FitRun sparse_twin = refine(repeated.data, start, {}, {}, monitor);
    expect_true(sparse.fit.informative == sparse_twin.fit.informative);
    expect_true(relative_difference(sparse.fit.penalised_loglik, sparse_twin.fit.penalised_loglik) <
                1e-12);
    // EM forgets rounding as it converges, hence not a last-digit tolerance but a small one.
    expect_true(distance(sparse.fit.params.item_probs, sparse_twin.fit.params.item_probs) < 1e-8);
    const FitRun full = refine_full(in.table.data, in.start, {}, monitor);
    const FitRun full_twin = refine_full(repeated.data, start, {}, monitor);
    expect_true(full.trace.size() == full_twin.trace.size());
    expect_true(distance(full.fit.params.item_probs, full_twin.fit.params.item_probs) < 1e-8);
  }

  test_that("relabelled components give the relabelled fit") {
    Monitor monitor;
    const Case in = planted_case(5, 200, 0.2, false);
    const FitRun one = refine(in.table.data, in.start, {}, {}, monitor);
    const FitRun other = refine(in.table.data, in.start.rowwise().reverse(), {}, {}, monitor);
    expect_true(one.fit.informative == other.fit.informative);
    expect_true(distance(one.fit.params.item_probs,
                         other.fit.params.item_probs.rowwise().reverse()) < 1e-8);
  }

  test_that("items that stay keep their place, those that join follow by gain") {
    Monitor monitor;
    const Case in = planted_case(6, 800, 0.0, false);
    RefineOptions once;
    once.max_iter = 1;
    // 20 is noise and leaves.
    const FitRun result = refine(in.table.data, in.start, {4, 20, 1}, once, monitor);
    const ItemSet& items = result.fit.informative;
    expect_true(sorted(items) == ItemSet({0, 1, 2, 3, 4, 5}));
    expect_true(items[0] == 4);
    expect_true(items[1] == 1);
    const Vector gains = item_gains(in.table.data, level_counts(in.table.data, in.start));
    for (std::size_t i = 3; i < items.size(); ++i) {
      expect_true(gains[items[i - 1]] >= gains[items[i]]);
    }
  }

  test_that("without dependence no item is worth its penalty and one component is left") {
    Random random(7);
    Monitor monitor;
    const Table table = random_table(random, {400, std::vector<Index>(20, 3), 0.1});
    const FitRun result = refine(table.data, random_posterior(random, 400, 3), {0, 1}, {}, monitor);
    expect_true(result.status == Status::kFewerComponents);
    for (const TraceRow& row : result.trace) expect_true(row.n_components == 1);
    expect_true(result.fit.params.n_components() == 1);
    expect_true(result.fit.informative.empty());
    expect_true(result.fit.e_step.posterior == RowMatrix::Ones(400, 1));
    const double marginal = table.data.marginal_loglik.sum();
    expect_true(relative_difference(result.fit.loglik, marginal) < 1e-14);
    expect_true(result.fit.penalised_loglik == result.fit.loglik);
  }

  test_that("with one component there is nothing to refine") {
    Random random(8);
    Monitor monitor;
    const Table table = random_table(random, {50, {2, 3}, 0.2, true});
    const RowMatrix start = RowMatrix::Ones(50, 1);
    const FitRun sparse = refine(table.data, start, {}, {}, monitor);
    expect_true(sparse.status == Status::kConverged);
    const FitRun full = refine_full(table.data, start, {}, monitor);
    expect_true(full.status == Status::kConverged);
    const MixtureParameters alone = independence_model(table.data);
    for (const FitRun* result : {&sparse, &full}) {
      expect_true(distance(result->fit.params.item_probs, alone.item_probs) < 1e-15);
      expect_true(relative_difference(result->fit.loglik, table.data.marginal_loglik.sum()) <
                  1e-14);
    }
  }

  test_that("a run stops at its iteration limit and says so") {
    Monitor monitor;
    const Case in = planted_case(9, 200, 0.2, false);
    RefineOptions options;
    options.max_iter = 3;
    options.tol = 0.0;
    const FitRun result = refine(in.table.data, in.start, {}, options, monitor);
    expect_true(result.status == Status::kIterationLimit);
    expect_true(result.trace.size() == 3);
    expect_true(is_consistent(in.table.data, result.fit));
    options.max_iter = 0;  // a fit needs an iteration
    expect_true(refine_full(in.table.data, in.start, options, monitor).trace.size() == 1);
  }

  test_that("a converged run is a fixed point") {
    Monitor monitor;
    const Case in = planted_case(10, 300, 0.1, false);
    RefineOptions options;
    options.tol = 1e-15;
    options.max_iter = 5000;
    const FitRun first = refine(in.table.data, in.start, {}, options, monitor);
    options.max_iter = 1;
    const FitRun again =
        refine(in.table.data, first.fit.e_step.posterior, first.fit.informative, options, monitor);
    expect_true(again.fit.informative == first.fit.informative);
    expect_true(distance(again.fit.params.item_probs, first.fit.params.item_probs) < 1e-6);
  }

  test_that("the trace ends with the fit and the monitor sees every iteration") {
    const Case in = planted_case(11, 200, 0.2, false);
    for (const bool sparse : {true, false}) {
      CountingMonitor monitor;
      const FitRun result = sparse ? refine(in.table.data, in.start, {}, {}, monitor)
                                   : refine_full(in.table.data, in.start, {}, monitor);
      expect_true(monitor.iterations == static_cast<Index>(result.trace.size()));
      const TraceRow& last = result.trace.back();
      expect_true(last.loglik == result.fit.loglik);
      expect_true(last.penalised_loglik == result.fit.penalised_loglik);
      expect_true(last.n_informative == static_cast<Index>(result.fit.informative.size()));
    }
  }

  test_that("an interrupted run unwinds") {
    const Case in = planted_case(12, 100, 0.2, false);
    for (const Index at : {0, 1, 3}) {
      InterruptingMonitor sparse(at);
      expect_error_as(refine(in.table.data, in.start, {}, {}, sparse), Interrupt);
      InterruptingMonitor full(at);
      expect_error_as(refine_full(in.table.data, in.start, {}, full), Interrupt);
    }
  }

  test_that("one row, constant items and a single observed cell are refined without harm") {
    Random random(13);
    Monitor monitor;
    const Table tables[] = {table_of({{2}, {1}}, {2, 3}), table_of({{1, 1, 1}, {2, 2, 2}}, {1, 2}),
                            table_of({{0, 0, 1, 0}, {1, 2, 0, 1}}, {2, 2})};
    for (const Table& table : tables) {
      const RowMatrix start = random_posterior(random, table.data.n_obs, 3);
      expect_true(is_consistent(table.data, refine(table.data, start, {}, {}, monitor).fit));
      expect_true(is_consistent(table.data, refine_full(table.data, start, {}, monitor).fit));
    }
  }

  test_that("a floor and smoothing keep every seen level possible") {
    Monitor monitor;
    const Case in = planted_case(14, 60, 0.0, false);
    for (const bool smooth : {true, false}) {
      RefineOptions options;
      (smooth ? options.m_step.smoothing : options.m_step.floor) = smooth ? 1.0 : 0.01;
      const FitRun result = refine_full(in.table.data, in.start, options, monitor);
      const Vector lowest = result.fit.params.item_probs.rowwise().minCoeff();
      for (Index level = 0; level < lowest.size(); ++level) {
        if (in.table.data.level_weight[level] > 0.0) expect_true(lowest[level] > 1e-4);
      }
    }
  }
}

}  // namespace mdpd
