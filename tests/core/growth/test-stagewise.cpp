#include <testthat.h>

#include <limits>

#include "growth/stagewise.h"
#include "model/criterion.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Sets items aside wherever that is fewer than half of the pairs' items.
FitOptions eager(FitOptions options) {
  options.least_items_to_set_aside = 0;
  return options;
}

FitOptions never(FitOptions options) {
  options.least_items_to_set_aside = 1000000;
  return options;
}

StageRun run(const Table& table, Index k, const FitOptions& options) {
  Monitor monitor;
  return stagewise_em(table.data, k, options, monitor);
}

/// 30 items of two to four levels, the first six of them informative.
Table planted_table(std::uint64_t seed, Index n_obs, double missing, bool weighted = false) {
  Random random(seed);
  std::vector<Index> n_levels;
  for (Index item = 0; item < 30; ++item) n_levels.push_back(2 + item % 3);
  const MixtureParameters truth = planted_mixture(random, n_levels, 6, 0.85);
  return draw_table(random, truth, {n_obs, n_levels, missing, weighted});
}

Table table_without_dependence(std::uint64_t seed) {
  Random random(seed);
  return random_table(random, {300, std::vector<Index>(15, 3), 0.1});
}

/// The distance of two posteriors whose two components may have changed places.
double distance_up_to_labels(const RowMatrix& a, const RowMatrix& b) {
  return std::min(distance(a, b), distance(a, b.rowwise().reverse()));
}

bool is_valid(const CodedData& data, const MixtureFit& fit) {
  const MixtureParameters& params = fit.params;
  double largest = std::abs(params.mixing_weights.sum() - 1.0);
  for (Index item = 0; item < data.n_items; ++item) {
    const Vector sums =
        params.item_probs.middleRows(data.offset[item], data.n_levels[item]).colwise().sum();
    largest = std::max(largest, distance(sums, Vector::Ones(sums.size())));
  }
  const Vector rows = fit.e_step.posterior.rowwise().sum();
  largest = std::max(largest, distance(rows, Vector::Ones(data.n_obs)));
  const double penalised =
      penalised_loglik(data, fit.loglik, fit.informative, params.n_components());
  return largest < 1e-12 && params.item_probs.minCoeff() >= 0.0 &&
         relative_difference(fit.penalised_loglik, penalised) < 1e-14;
}

/// Components on the first `n_planted` items, by `strength` from none to random ones.
Table mixture_table(std::uint64_t seed, const Shape& shape, Index n_planted, Index n_components,
                    double strength) {
  Random random(seed);
  MixtureParameters truth = random_parameters(random, shape.n_levels, n_components);
  Index first = 0;
  for (Index item = 0; item < static_cast<Index>(shape.n_levels.size()); ++item) {
    auto probs = truth.item_probs.middleRows(first, shape.n_levels[item]);
    const Vector common = probs.col(0);
    const double share = item < n_planted ? strength : 0.0;
    for (Index k = 0; k < n_components; ++k) {
      probs.col(k) = share * probs.col(k) + (1.0 - share) * common;
    }
    first += shape.n_levels[item];
  }
  return draw_table(random, truth, shape);
}

std::vector<Index> mixed_levels(Index n_items) {
  std::vector<Index> n_levels;
  for (Index item = 0; item < n_items; ++item) n_levels.push_back(2 + item % 4);
  return n_levels;
}

bool is_same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

/// Is every bit the same? The largest information is that of the pairs searched.
bool same_result(const StageRun& a, const StageRun& b) {
  if (a.status != b.status || a.trace.size() != b.trace.size()) return false;
  for (std::size_t stage = 0; stage < a.trace.size(); ++stage) {
    const TraceRow& x = a.trace[stage];
    const TraceRow& y = b.trace[stage];
    const bool same = x.n_components == y.n_components && x.move == y.move &&
                      x.item_1 == y.item_1 && x.item_2 == y.item_2 && x.component == y.component &&
                      is_same(x.p_value, y.p_value) && x.n_informative == y.n_informative &&
                      x.loglik == y.loglik && x.loglik_all == y.loglik_all &&
                      x.penalised_loglik == y.penalised_loglik &&
                      is_same(x.split_length, y.split_length) && x.information <= y.information;
    if (!same) return false;
  }
  return a.fit.informative == b.fit.informative && a.fit.loglik == b.fit.loglik &&
         a.fit.params.item_probs == b.fit.params.item_probs &&
         a.fit.params.mixing_weights == b.fit.params.mixing_weights &&
         a.fit.e_step.posterior == b.fit.e_step.posterior;
}

struct Passes {
  Index full = 0;
  Index partial = 0;
  Index plain = 0;
};

/// Runs the stages with and without items set aside.
bool same_without_screening(const CodedData& data, Index k, const FitOptions& options,
                            Passes& passes) {
  Monitor monitor;
  const StageRun screened = stagewise_em(data, k, eager(options), monitor);
  const StageRun plain = stagewise_em(data, k, never(options), monitor);
  passes.full += screened.n_full_passes;
  passes.partial += screened.n_partial_passes;
  passes.plain += plain.n_full_passes;
  return same_result(screened, plain);
}

}  // namespace

context("stagewise") {
  test_that("items set aside change no bit of the trace and the fit") {
    Passes passes;
    const std::vector<Shape> shapes = {{300, std::vector<Index>(60, 2)},
                                       {100, mixed_levels(30), 0.2, true},
                                       {120, std::vector<Index>(80, 2)},
                                       {150, std::vector<Index>(25, 3), 0.6}};
    FitOptions level;
    level.missing = MissingCells::kFrozen;
    const std::vector<FitOptions> all_options = {FitOptions(), paper_fit(), level};
    // Every shape with every number of components and all options.
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Shape& shape = shapes[seed % shapes.size()];
      const auto n_components = static_cast<Index>(1 + seed % 5);
      const double strength = 0.3 + 0.7 * static_cast<double>(seed % 7) / 6.0;
      const Table table = mixture_table(seed, shape, 10, n_components, strength);
      const FitOptions& options = all_options[seed % all_options.size()];
      const bool is_sparse = options.missing != MissingCells::kFrozen && seed / 4 % 2 == 0;
      CATCH_CAPTURE(seed);
      expect_true(same_without_screening(is_sparse ? sparse_copy(table.data) : table.data,
                                         n_components, options, passes));
    }
    expect_true(passes.partial > 50);
    expect_true(passes.full < passes.plain);
  }

  test_that("a whole run of stages takes four full passes at most") {
    const Table table = mixture_table(3, {1000, std::vector<Index>(120, 3)}, 15, 3, 1.0);
    Monitor monitor;
    const StageRun result = stagewise_em(table.data, 3, {}, monitor);
    expect_true(result.trace.size() > 5);
    expect_true(result.n_full_passes <= 4);
  }

  test_that("the stages find planted items only, and refinement finds them all") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Table table = planted_table(seed, 1000, 0.1);
      const StageRun result = run(table, 2, {});
      CATCH_CAPTURE(seed);
      expect_true(result.status == Status::kConverged);
      expect_true(result.fit.params.n_components() == 2);
      const ItemSet found = sorted(result.fit.informative);
      // Growth stops once the dependence is explained, which may be before the last planted item.
      expect_true(found.size() >= 2);
      expect_true(found.back() < 6);
      Monitor monitor;
      const FitRun refined =
          refine(table.data, result.fit.e_step.posterior, result.fit.informative, {}, monitor);
      expect_true(sorted(refined.fit.informative) == ItemSet({0, 1, 2, 3, 4, 5}));
    }
  }

  test_that("the planted components are recovered") {
    Random random(1);
    std::vector<Index> n_levels(40, 3);
    const MixtureParameters truth = planted_mixture(random, n_levels, 8, 0.85);
    const Table table = draw_table(random, truth, {1000, n_levels});
    const RowMatrix best = e_step(table.data, truth, all_items(table.data)).posterior;
    const StageRun grown = run(table, 2, {});
    Monitor monitor;
    const FitRun refined =
        refine(table.data, grown.fit.e_step.posterior, grown.fit.informative, {}, monitor);
    const RowMatrix& found = refined.fit.e_step.posterior;
    const double agreement = std::max((best.cwiseProduct(found)).sum(),
                                      (best.cwiseProduct(found.rowwise().reverse())).sum());
    expect_true(agreement > 0.98 * 1000);
  }

  test_that("every fit is valid, whatever the method and the missing cells") {
    for (const double missing : {0.0, 0.4}) {
      const Table table = planted_table(11, 150, missing, true);
      for (const Index n_components : {1, 2, 3, 6}) {
        for (const FitOptions& method : {FitOptions(), paper_fit()}) {
          for (const MissingCells cells : {MissingCells::kIgnore, MissingCells::kFrozen}) {
            FitOptions options = method;
            options.missing = cells;
            const StageRun result = run(table, n_components, options);
            expect_true(is_valid(table.data, result.fit));
            expect_true(result.fit.params.n_components() <= n_components);
          }
        }
      }
    }
  }

  test_that("permuted rows give the permuted result") {
    const Table table = planted_table(2, 500, 0.1);
    Random random(2);
    const std::vector<Index> rows = random.order(500);
    for (const FitOptions& options : {FitOptions(), paper_fit()}) {
      const MixtureFit fit = run(table, 2, options).fit;
      const MixtureFit permuted = run(pick_rows(table, rows), 2, options).fit;
      expect_true(permuted.informative == fit.informative);
      // The line search ends within 1e-4 of its bracket; EM brings both ends together.
      expect_true(distance_up_to_labels(pick(fit.e_step.posterior, rows),
                                        permuted.e_step.posterior) < 1e-6);
    }
  }

  test_that("permuted items give the permuted result") {
    const Table table = planted_table(3, 500, 0.1);
    Random random(3);
    const std::vector<Index> items = random.order(30);
    for (const FitOptions& options : {FitOptions(), paper_fit()}) {
      const MixtureFit fit = run(table, 2, options).fit;
      const MixtureFit permuted = run(pick_items(table, items), 2, options).fit;
      ItemSet back;
      for (const Index item : permuted.informative) back.push_back(items[item]);
      expect_true(sorted(back) == sorted(fit.informative));
      expect_true(distance_up_to_labels(fit.e_step.posterior, permuted.e_step.posterior) < 1e-6);
    }
  }

  test_that("the coding of the levels does not matter") {
    const Table table = planted_table(4, 500, 0.1);
    const Table recoded = recode(recode(recode(table, 0, {1, 0}), 1, {2, 0, 1}), 2, {3, 1, 0, 2});
    for (const FitOptions& options : {FitOptions(), paper_fit()}) {
      const MixtureFit fit = run(table, 2, options).fit;
      const MixtureFit other = run(recoded, 2, options).fit;
      expect_true(other.informative == fit.informative);
      expect_true(distance_up_to_labels(fit.e_step.posterior, other.e_step.posterior) < 1e-6);
    }
  }

  test_that("a case weight of 2 is a row twice, and one of 0 no row") {
    const Table table = planted_table(5, 300, 0.1, true);
    for (const FitOptions& options : {FitOptions(), paper_fit()}) {
      const MixtureFit fit = run(table, 2, options).fit;
      const MixtureFit twin = run(write_out_weights(table), 2, options).fit;
      expect_true(twin.informative == fit.informative);
      expect_true(distance_up_to_labels(pick(fit.e_step.posterior, repeat_by_weight(table.data)),
                                        twin.e_step.posterior) < 1e-6);
    }
  }

  test_that("the same data give the same fit, bit by bit") {
    const Table table = planted_table(6, 300, 0.2);
    const MixtureFit first = run(table, 3, {}).fit;
    const MixtureFit second = run(table, 3, {}).fit;
    expect_true(first.informative == second.informative);
    expect_true(first.params.item_probs == second.params.item_probs);
    expect_true(first.e_step.posterior == second.e_step.posterior);
  }

  test_that("with one component there are no stages and the items stay independent") {
    const Table table = planted_table(7, 200, 0.1);
    for (const FitOptions& options : {FitOptions(), paper_fit()}) {
      const StageRun result = run(table, 1, options);
      expect_true(result.status == Status::kConverged);
      expect_true(result.trace.empty());
      expect_true(result.fit.informative.empty());
      expect_true(result.fit.params.n_components() == 1);
      const double marginal = table.data.marginal_loglik.sum();
      expect_true(relative_difference(result.fit.loglik, marginal) < 1e-14);
    }
  }

  test_that("data without dependence end soon, with no more items than one split needs") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const StageRun result = run(table_without_dependence(seed), 2, {});
      expect_true(result.status == Status::kConverged);
      expect_true(result.fit.informative.size() <= 2);
    }
  }

  test_that("the paper's method runs all its stages and splits only at pairs that are new") {
    const Table table = planted_table(8, 300, 0.0);
    const StageRun result = run(table, 3, paper_fit());
    expect_true(result.status == Status::kStageLimit);
    expect_true(result.trace.size() == 30);
    Index n_informative = 0;
    Index n_components = 1;
    for (const TraceRow& record : result.trace) {
      const bool grew = record.n_informative > n_informative;
      expect_true(record.n_informative - n_informative <= 2);
      expect_true(record.n_informative >= n_informative);
      expect_true(record.n_components <= n_components + (grew ? 1 : 0));
      if (record.split_length > 0.0) {
        // 0.05 on each of two items.
        expect_true(std::abs(record.split_length - 0.05 * std::sqrt(2.0)) < 1e-15);
      }
      n_informative = record.n_informative;
      n_components = record.n_components;
    }
    expect_true(n_components == 3);
  }

  test_that("a floor holds in every informative item") {
    const Table table = planted_table(9, 200, 0.0);
    const MixtureFit fit = run(table, 2, paper_fit()).fit;
    for (const Index item : fit.informative) {
      const auto probs =
          fit.params.item_probs.middleRows(table.data.offset[item], table.data.n_levels[item]);
      expect_true(probs.minCoeff() >= 0.002 * (1.0 - 1e-15));
    }
  }

  test_that("tables that leave nothing to find end without harm") {
    const Table tables[] = {
        table_of({{1}, {2}, {1}}, {2, 2, 3}),                             // one row
        table_of({{1, 2, 1, 1}}, {2}),                                    // one item
        table_of({{1, 1, 1}, {2, 2, 2}, {1, 1, 1}}, {1, 2, 1}),           // constant items
        table_of({{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 1, 0}}, {2, 2, 2}),  // never two answers
        table_of({{1, 2, 1, 2}, {1, 1, 2, 2}}, {2, 2}),                   // independent
    };
    for (const Table& table : tables) {
      for (const FitOptions& options : {FitOptions(), paper_fit()}) {
        const StageRun result = run(table, 3, options);
        expect_true(is_valid(table.data, result.fit));
        expect_true(result.fit.params.n_components() == 1);
        expect_true(result.fit.informative.empty());
      }
    }
  }

  test_that("items that never vary, rows without answers and rows without weight change nothing") {
    Random random(10);
    const std::vector<Index> n_levels = {3, 3, 3, 3, 2, 2};
    const MixtureParameters truth = planted_mixture(random, n_levels, 4, 0.85);
    const Table plain = draw_table(random, truth, {400, n_levels});
    std::vector<std::vector<int>> codes(7);
    Vector weights = Vector::Ones(402);
    weights[401] = 0.0;
    for (Index item = 0; item < 6; ++item) {
      for (Index n = 0; n < 400; ++n) codes[item].push_back(plain.code(n, item));
      codes[item].push_back(0);  // no answer
      codes[item].push_back(1);  // no weight
    }
    codes[6].assign(402, 1);
    codes[6][400] = 0;
    const Table padded = table_of(codes, {3, 3, 3, 3, 2, 2, 1}, weights);
    const MixtureFit fit = run(plain, 2, {}).fit;
    const MixtureFit other = run(padded, 2, {}).fit;
    expect_true(other.informative == fit.informative);
    // The row without answers enters the mixing weights only, with its posterior equal to them.
    expect_true(distance_up_to_labels(fit.e_step.posterior, other.e_step.posterior.topRows(400)) <
                0.02);
    expect_true(distance(other.e_step.posterior.row(400).transpose(), other.params.mixing_weights) <
                1e-14);
  }

  test_that("three hundred items and 254 levels are no hindrance") {
    Random random(11);
    std::vector<Index> n_levels(300, 2);
    n_levels[299] = 254;
    const MixtureParameters truth = planted_mixture(random, n_levels, 10, 0.9);
    const Table table = draw_table(random, truth, {300, n_levels});
    const StageRun result = run(table, 2, {});
    expect_true(is_valid(table.data, result.fit));
    expect_true(result.fit.informative.size() >= 2);
    expect_true(sorted(result.fit.informative).back() < 10);
  }

  test_that("the monitor sees every stage and may stop the loop anywhere") {
    const Table table = planted_table(12, 300, 0.0);
    CountingMonitor counting;
    const StageRun result = stagewise_em(table.data, 2, {}, counting);
    // The last stage found everything explained and left no record.
    expect_true(counting.stages == static_cast<Index>(result.trace.size()) + 1);
    for (Index at = 0; at < counting.stages; ++at) {
      InterruptingMonitor interrupting(at);
      expect_error_as(stagewise_em(table.data, 2, {}, interrupting), Interrupt);
    }
  }

  test_that("the steps of EM in a stage may be stopped too, however many they are") {
    const Table table = three_components(1);
    FitOptions options = paper_fit();
    options.em_steps = std::numeric_limits<Index>::max();
    InterruptingMonitor monitor(20);
    expect_error_as(stagewise_em(table.data, 3, options, monitor), Interrupt);
  }

  test_that("they end where a step changes nothing, as all later ones would be the same") {
    const Table table = three_components(1);
    FitOptions options = paper_fit();
    options.em_steps = 20000;
    const StageRun long_run = run(table, 3, options);
    options.em_steps = std::numeric_limits<Index>::max();
    const StageRun endless = run(table, 3, options);
    expect_true(endless.fit.params.item_probs == long_run.fit.params.item_probs);
    expect_true(endless.trace.size() == long_run.trace.size());
    options.em_steps = 5;
    const StageRun short_run = run(table, 3, options);
    expect_false(short_run.fit.params.item_probs == long_run.fit.params.item_probs);
  }

  test_that("the trace ends with the fit") {
    const Table table = planted_table(13, 300, 0.1);
    for (const FitOptions& options : {FitOptions(), paper_fit()}) {
      const StageRun result = run(table, 2, options);
      const TraceRow& last = result.trace.back();
      expect_true(last.loglik == result.fit.loglik);
      expect_true(last.penalised_loglik == result.fit.penalised_loglik);
      expect_true(last.n_components == result.fit.params.n_components());
      expect_true(last.n_informative == static_cast<Index>(result.fit.informative.size()));
    }
  }
}

}  // namespace mdpd
