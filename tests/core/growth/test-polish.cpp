#include <testthat.h>

#include "by_bic.h"
#include "growth/polish.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Two components share one planted component and the third holds both others: an optimum of EM
/// that is not the best.
RowMatrix bad_start(const Table& table) {
  RowMatrix start(table.data.n_obs, 3);
  for (Index n = 0; n < table.data.n_obs; ++n) {
    Index votes[4] = {0, 0, 0, 0};
    for (Index item = 0; item < 9; ++item) ++votes[table.code(n, item)];
    const bool first = votes[1] > std::max(votes[2], votes[3]);
    start.row(n) << (first ? (table.code(n, 0) == 1 ? 0.9 : 0.1) : 0.0),
        (first ? (table.code(n, 0) == 1 ? 0.1 : 0.9) : 0.0), (first ? 0.0 : 1.0);
  }
  return start;
}

/// Items of `with_copies()` before the copies; the first nine tell.
constexpr Index n_telling_and_noise = 27;

/// `three_components()` with more items of noise, the last two of which are the same.
Table with_copies(std::uint64_t seed) {
  Table three = three_components(seed);
  std::vector<Code> codes = std::move(three.codes);
  Random random(seed + 100);
  const auto n_obs = static_cast<std::size_t>(three.data.n_obs);
  while (codes.size() < (n_telling_and_noise + 1) * n_obs) {
    codes.push_back(static_cast<Code>(1 + random.below(3)));
  }
  const std::vector<Code> copy(codes.end() - three.data.n_obs, codes.end());
  codes.insert(codes.end(), copy.begin(), copy.end());
  return Table(std::move(codes), Vector::Ones(three.data.n_obs), std::vector<Index>(29, 3));
}

FitRun polished(const CodedData& data, const MixtureFit& fit, const FitOptions& options,
                Monitor& monitor) {
  FitRun run{fit};
  SearchBudget budget(monitor);
  polish(data, options, budget, run);
  return run;
}

}  // namespace

context("polish") {
  test_that("polishing repairs an optimum that EM cannot leave") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Table table = three_components(seed);
      Monitor monitor;
      const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, monitor).fit;
      const FitRun result = polished(table.data, bad, by_bic(), monitor);
      CATCH_CAPTURE(seed);
      expect_true(result.fit.params.n_components() == 3);
      expect_true(sorted(result.fit.informative) == range(0, 9));
      // Every planted component has its own: nine items at 0.8 leave little doubt.
      expect_true(result.fit.params.mixing_weights.minCoeff() > 0.2);
      expect_true(result.fit.e_step.posterior.rowwise().maxCoeff().mean() > 0.97);
    }
  }

  test_that("every accepted move raises the penalised log-likelihood, and the trace ends there") {
    const Table table = three_components(4);
    Monitor monitor;
    const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, monitor).fit;
    const FitRun result = polished(table.data, bad, by_bic(), monitor);
    double before = bad.penalised_loglik;
    expect_false(result.trace.empty());
    for (const TraceRow& record : result.trace) {
      expect_true(record.penalised_loglik > before);
      before = record.penalised_loglik;
    }
    expect_true(result.fit.penalised_loglik == before);
    const FitRun again = polished(table.data, result.fit, by_bic(), monitor);
    expect_true(again.trace.empty());
    expect_true(again.fit.params.item_probs == result.fit.params.item_probs);
  }

  test_that("the same start gives the same result, bit by bit") {
    const Table table = three_components(5);
    Monitor monitor;
    const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, monitor).fit;
    const FitRun first = polished(table.data, bad, by_bic(), monitor);
    const FitRun second = polished(table.data, bad, by_bic(), monitor);
    expect_true(first.fit.params.item_probs == second.fit.params.item_probs);
    expect_true(first.trace.size() == second.trace.size());
  }

  test_that("trials that are raced lead to the same optimum with less work") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Table table = three_components(seed);
      CountingMonitor at_leisure;
      CountingMonitor raced;
      const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, raced).fit;
      FitOptions options = by_bic();
      options.most_small_rows = table.data.n_obs;
      const MixtureFit slow = polished(table.data, bad, options, at_leisure).fit;
      options.most_small_rows = table.data.n_obs - 1;
      raced.iterations = 0;
      const MixtureFit fast = polished(table.data, bad, options, raced).fit;
      CATCH_CAPTURE(seed);
      expect_true(sorted(fast.informative) == sorted(slow.informative));
      // EM stops within a hundredth of a nat of its end, from either side.
      expect_true(std::abs(fast.penalised_loglik - slow.penalised_loglik) < 0.05);
      expect_true(3 * raced.iterations < 2 * at_leisure.iterations);
    }
  }

  test_that("of many items only pairs with one that tells are searched") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Table table = with_copies(seed);
      Monitor monitor;
      const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, monitor).fit;
      FitOptions options = by_bic();
      options.most_items_to_pair = table.data.n_items;
      const FitRun of_all = polished(table.data, bad, options, monitor);
      options.most_items_to_pair = table.data.n_items - 1;
      const FitRun of_telling = polished(table.data, bad, options, monitor);
      CATCH_CAPTURE(seed);
      expect_true(of_all.trace.front().item_1 == n_telling_and_noise);
      expect_true(of_telling.trace.front().item_1 < 9);
      expect_true(sorted(of_telling.fit.informative) == range(0, 9));
    }
  }

  test_that("a polish that may do more ends no lower, and soon after its budget is spent") {
    const Table table = three_components(2);
    Monitor monitor;
    const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, monitor).fit;
    SearchBudget unbounded(monitor);
    FitRun best{bad};
    polish(table.data, by_bic(), unbounded, best);
    expect_false(unbounded.is_spent());
    double before = bad.objective();
    expect_true(best.fit.objective() > before + 1.0);
    for (const double most : {1.0, 20.0, 100.0, 400.0, 1e6}) {
      SearchBudget budget(monitor);
      budget.begin(most);
      FitRun run{bad};
      polish(table.data, by_bic(), budget, run);
      expect_true(run.fit.objective() >= before);
      expect_true(run.status == Status::kConverged);
      // One trial is on its way, of at most as many iterations as EM may take.
      expect_true(static_cast<double>(budget.n_passes()) < most + 1000.0);
      expect_true(budget.is_spent() == (most <= static_cast<double>(unbounded.n_passes())));
      before = run.fit.objective();
    }
    expect_true(before == best.fit.objective());
  }

  test_that("a fit of one component is left as it is") {
    Random random(6);
    const Table table = random_table(random, {50, {2, 3, 2}, 0.1});
    Monitor monitor;
    const MixtureFit alone = finish_fit(table.data, independence_model(table.data), {});
    const FitRun result = polished(table.data, alone, {}, monitor);
    expect_true(result.trace.empty());
    expect_true(result.fit.params.item_probs == alone.params.item_probs);
    expect_true(result.fit.penalised_loglik == alone.penalised_loglik);
  }

  test_that("an interrupted polish unwinds") {
    const Table table = three_components(7);
    Monitor monitor;
    const MixtureFit bad = refine(table.data, bad_start(table), {}, {}, monitor).fit;
    for (const Index at : {0, 5, 40}) {
      InterruptingMonitor interrupting(at);
      expect_error_as(polished(table.data, bad, {}, interrupting), Interrupt);
    }
  }
}

}  // namespace mdpd
