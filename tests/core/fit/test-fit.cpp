#include "fit/fit.h"

#include <testthat.h>

#include <cmath>

#include "base/errors.h"
#include "data/distinct_rows.h"
#include "fit/problems.h"
#include "model/posterior.h"
#include "monitors.h"

namespace mdpd {

namespace {

bool same_row(const TraceRow& a, const TraceRow& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.phase == b.phase && a.move == b.move && a.n_components == b.n_components &&
         a.item_1 == b.item_1 && a.item_2 == b.item_2 && a.component == b.component &&
         a.merged_1 == b.merged_1 && a.merged_2 == b.merged_2 &&
         a.n_informative == b.n_informative && same(a.information, b.information) &&
         same(a.p_value, b.p_value) && same(a.loglik, b.loglik) &&
         same(a.loglik_all, b.loglik_all) && same(a.penalised_loglik, b.penalised_loglik) &&
         same(a.split_length, b.split_length);
}

/// The model to the last bit, and all that is said of it but for single rows.
bool same_model(const FitResult& a, const FitResult& b) {
  if (a.trace.size() != b.trace.size()) return false;
  for (std::size_t at = 0; at < a.trace.size(); ++at) {
    if (!same_row(a.trace[at], b.trace[at])) return false;
  }
  return a.status == b.status && a.smoothing == b.smoothing && a.born == b.born &&
         a.holds_known == b.holds_known && a.loglik_of_one == b.loglik_of_one &&
         a.n_free_parameters == b.n_free_parameters && a.item_evidence == b.item_evidence &&
         a.fit.informative == b.fit.informative && a.fit.loglik == b.fit.loglik &&
         a.fit.penalised_loglik == b.fit.penalised_loglik &&
         a.fit.params.mixing_weights == b.fit.params.mixing_weights &&
         a.fit.params.item_probs == b.fit.params.item_probs;
}

bool same_fit(const FitResult& a, const FitResult& b) {
  return same_model(a, b) && a.fit.e_step.posterior == b.fit.e_step.posterior &&
         a.fit.e_step.row_loglik == b.fit.e_step.row_loglik;
}

/// The same optimum by sums in another order: differences of 1e-15 that some dozens of EM steps
/// spread.
bool agree(const FitResult& a, const FitResult& b) {
  return a.status == b.status && sorted(a.fit.informative) == sorted(b.fit.informative) &&
         relative_difference(a.fit.loglik, b.fit.loglik) < 1e-9 &&
         relative_difference(a.fit.penalised_loglik, b.fit.penalised_loglik) < 1e-9 &&
         relative_difference(a.loglik_of_one, b.loglik_of_one) < 1e-12 &&
         a.n_free_parameters == b.n_free_parameters &&
         distance(a.fit.params.item_probs, b.fit.params.item_probs) < 1e-6 &&
         distance(a.fit.e_step.posterior, b.fit.e_step.posterior) < 1e-6;
}

/// Answers of workers of whom half are right with this probability and the others guess, the labels
/// in the same shares.
Table crowd(std::uint64_t seed, Index n_obs, Index n_workers, double accuracy, double missing) {
  Random random(seed);
  const std::vector<Index> n_levels(n_workers, 3);
  MixtureParameters truth = random_parameters(random, n_levels, 3);
  truth.mixing_weights.setConstant(1.0 / 3.0);
  truth.item_probs.setConstant(1.0 / 3.0);
  for (Index worker = 0; worker < n_workers / 2; ++worker) {
    auto probs = truth.item_probs.middleRows(3 * worker, 3);
    probs.setConstant((1.0 - accuracy) / 2.0);
    probs.diagonal().setConstant(accuracy);
  }
  return draw_table(random, truth, {n_obs, n_levels, missing});
}

/// 150 rows, eight workers: who are mistaken take labels 2 and 3 for each other, and 1 for 2.
Table crowd_of_near_labels(std::uint64_t seed) {
  Random random(seed);
  MixtureParameters truth;
  truth.mixing_weights = Vector::Constant(3, 1.0 / 3.0);
  RowMatrix columns(3, 3);
  columns << 0.7, 0.05, 0.05, 0.25, 0.7, 0.25, 0.05, 0.25, 0.7;
  truth.item_probs = columns.replicate(8, 1);
  return draw_table(random, truth, {150, std::vector<Index>(8, 3)});
}

Table table_without_dependence(std::uint64_t seed) {
  Random random(seed);
  return random_table(random, {300, std::vector<Index>(8, 3)});
}

/// Starts of ordinary EM.
std::vector<FitStart> random_starts(std::uint64_t seed, Index n_obs, Index n_components, Index n) {
  Random random(seed);
  std::vector<FitStart> out(n);
  for (FitStart& start : out) start.posterior = random_posterior(random, n_obs, n_components);
  return out;
}

FitOptions continued() {
  FitOptions options = by_bic();
  options.task = Task::kContinue;
  return options;
}

FitOptions continued_without_smoothing() {
  FitOptions options = continued();
  options.smoothing_loss = 0.0;
  return options;
}

bool has_move(const FitResult& result, Move move) {
  for (const TraceRow& row : result.trace) {
    if (row.move == move) return true;
  }
  return false;
}

bool is_polished(const FitResult& result) {
  for (const TraceRow& row : result.trace) {
    if (row.phase == Phase::kPolish && row.move != Move::kSmoothing) return true;
  }
  return false;
}

/// Three components of which two share a label and the third has the others: EM ends where there is
/// something to polish.
RowMatrix bad_start(const Table& table) {
  RowMatrix start = RowMatrix::Zero(table.data.n_obs, 3);
  const std::vector<Index> labels = labels_of(table);
  for (Index n = 0; n < start.rows(); ++n) {
    const double share = table.code(n, 0) == 1 ? 0.9 : 0.1;
    if (labels[n] == 0)
      start.row(n) << share, 1.0 - share, 0.0;
    else
      start(n, 2) = 1.0;
  }
  return start;
}

Problem problem_from_bad_start(const Table& table) {
  Problem problem = problem_of(table);
  problem.starts = {{bad_start(table), {}, range(0, 9)}};
  return problem;
}

/// The largest fall between two iterations of one refinement, relative to its size.
double largest_fall(const Trace& trace) {
  double largest = 0.0;
  for (std::size_t at = 1; at < trace.size(); ++at) {
    if (trace[at].phase != Phase::kRefine || trace[at - 1].phase != Phase::kRefine) continue;
    const double fall = trace[at - 1].penalised_loglik - trace[at].penalised_loglik;
    largest = std::max(largest, fall / std::abs(trace[at].penalised_loglik));
  }
  return largest;
}

/// Stages or growth, then refinement, then polish; a path goes on with growth.
bool in_order(const Trace& trace) {
  for (std::size_t at = 1; at < trace.size(); ++at) {
    const Phase before = trace[at - 1].phase;
    const Phase now = trace[at].phase;
    const bool goes_on = now >= before && !(before == Phase::kStage && now == Phase::kGrow);
    const bool grows_again = now == Phase::kGrow && before >= Phase::kRefine;
    if (!goes_on && !grows_again) return false;
    // Only a refinement gives components up.
    if (now != Phase::kRefine && trace[at].n_components < trace[at - 1].n_components) return false;
  }
  return true;
}

/// Calls `check(problem, options)` for a dense and a sparse table, few and many components.
template <class Check>
void for_each_kind(Check check) {
  const Table of_three = three_components(1);
  const Table repeating = repeating_table(2, true);
  for (const Index k : {1, 2, 3, 5}) {
    CATCH_CAPTURE(k);
    check(problem_of(of_three), robust_fit_of({k}));
    check(sparse_problem_of(of_three), robust_fit_of({k}));
    check(problem_of(repeating), robust_fit_of({k}));
  }
  FitOptions paper = paper_fit();
  paper.n_components = {3};
  check(problem_of(of_three), paper);
  paper.refines = false;
  check(problem_of(of_three), paper);
  check(problem_of(of_three), robust_fit_of({1, 2, 3, 4}));
}

/// 300 rows, 20 workers, two labels: workers mistake a quarter of the first label's rows, the hard
/// ones, in four of ten answers, all others in one of twenty.
Table crowd_of_kinds() {
  Random random(1);
  MixtureParameters truth;
  truth.mixing_weights = Vector::Zero(3);
  truth.mixing_weights << 0.4, 0.15, 0.45;
  truth.item_probs.resize(40, 3);
  for (Index worker = 0; worker < 20; ++worker) {
    truth.item_probs.row(2 * worker) << 0.95, 0.6, 0.05;
    truth.item_probs.row(2 * worker + 1) << 0.05, 0.4, 0.95;
  }
  return draw_table(random, truth, {300, std::vector<Index>(20, 2), 0.3, false});
}

}  // namespace

context("fit") {
  // The table, the call and the expected numbers are those of tests/testthat/test-problem.R: a user
  // of the core in plain C++ gets what R gives.
  test_that("a problem made by hand has the fit that R has of the same table") {
    const std::vector<Code> codes = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2,   // item 1
                                     1, 1, 1, 2, 1, 1, 3, 3, 2, 3, 3, 3,   // item 2
                                     1, 1, 2, 1, 1, 1, 2, 2, 2, 1, 2, 0,   // item 3, once missing
                                     1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};  // item 4
    Problem problem;
    problem.cells.n_obs = 12;
    problem.cells.n_levels = {2, 3, 2, 2};
    problem.cells.codes = codes.data();
    problem.case_weights.resize(12);
    problem.case_weights << 8, 7, 3, 4, 6, 5, 9, 8, 2, 3, 7, 6;
    FitOptions options = by_bic();
    options.n_components = {2};
    const FitResult robust = fit_one(problem, options);
    expect_true(std::abs(robust.fit.loglik - -133.76153925025577) < 1e-10);
    expect_true(std::abs(robust.fit.penalised_loglik - -144.26412185313052) < 1e-10);
    expect_true(robust.fit.informative == ItemSet({0, 1, 2}));
    expect_true(robust.n_free_parameters == 10.0);
    expect_true(robust.status == Status::kConverged);
    expect_true(robust.trace.size() == 5);

    options = {};
    options.n_components = {2};
    const FitResult by_evidence = fit_one(problem, options);
    expect_true(std::abs(by_evidence.fit.evidence - -147.17053194026784) < 1e-10);
    expect_true(std::abs(by_evidence.fit.loglik - -134.72416635216982) < 1e-10);

    options = paper_fit();
    options.n_components = {2};
    options.refine.type = Refinement::kFull;
    const FitResult paper = fit_one(problem, options);
    expect_true(std::abs(paper.fit.loglik - -133.7615137607813) < 1e-10);
    expect_true(paper.n_free_parameters == 11.0);
  }

  test_that("the same problem has the same fit, with any number of threads, bit by bit") {
    const auto has_same_fit = [](Problem problem, const FitOptions& options) {
      problem.n_threads = 1;
      const FitOutcome first = fit_all(problem, options);
      problem.n_threads = 7;
      const FitOutcome again = fit_all(problem, options);
      for (std::size_t at = 0; at < first.fits.size(); ++at) {
        expect_true(same_fit(again.fits[at], first.fits[at]));
      }
    };
    for_each_kind(has_same_fit);
    const Table of_three = three_components(1);
    FitOptions by_evidence;
    by_evidence.n_components = {1, 2, 3, 4};
    has_same_fit(problem_of(of_three), by_evidence);
    has_same_fit(sparse_problem_of(of_three), by_evidence);
  }

  test_that("permuted rows have the permuted fit, and where rows repeat the same model") {
    Random random(3);
    const Table of_three = three_components(3);
    const std::vector<Index> order = random.order(500);
    const Table permuted = pick_rows(of_three, order);
    const FitResult fit = fit_one(problem_of(of_three), robust_fit_of({3}));
    FitResult other = fit_one(problem_of(permuted), robust_fit_of({3}));
    expect_true(distance(pick(fit.fit.e_step.posterior, order), other.fit.e_step.posterior) < 1e-6);
    other.fit.e_step.posterior = fit.fit.e_step.posterior;
    expect_true(agree(fit, other));

    const Table repeating = repeating_table(3, true);
    const std::vector<Index> rows = random.order(400);
    const Table mixed = pick_rows(repeating, rows);
    const FitResult of_kinds = fit_one(problem_of(repeating), robust_fit_of({2}));
    const FitResult of_mixed = fit_one(problem_of(mixed), robust_fit_of({2}));
    expect_true(same_model(of_kinds, of_mixed));
    expect_true(pick(of_kinds.fit.e_step.posterior, rows) == of_mixed.fit.e_step.posterior);
  }

  test_that("equal rows have the fit of rows one by one, and of one row of their weight") {
    for (const bool weighted : {false, true}) {
      const Table table = repeating_table(4, weighted);
      const Problem one_by_one = sparse_problem_of(table);
      const DistinctRows kinds =
          distinct_rows(table.codes.data(), 400, table.data.n_items, {}, 400);
      const Table picked = pick_rows(table, kinds.first);
      Vector weights = Vector::Zero(picked.data.n_obs);
      for (Index n = 0; n < 400; ++n) weights[kinds.kind[n]] += table.data.case_weights[n];
      const Table weighed(picked.codes, weights, picked.data.n_levels);
      for (const Index k : {1, 2, 3}) {
        FitOptions options = robust_fit_of({k});
        options.polish = false;  // which moves single rows, of many rows or of one of their weight
        const FitResult fit = fit_one(problem_of(table), options);
        expect_true(agree(fit, fit_one(one_by_one, options)));
        FitResult of_weights = fit_one(problem_of(weighed), options);
        const RowMatrix posterior = pick(of_weights.fit.e_step.posterior, kinds.kind);
        of_weights.fit.e_step.posterior = posterior;
        expect_true(agree(fit, of_weights));
      }
    }
  }

  test_that("sparse data have the fit of the same data stored dense") {
    for (std::uint64_t seed = 5; seed <= 7; ++seed) {
      const Table table = crowd(seed, 400, 30, 0.9, 0.7);
      Problem dense = problem_of(table);
      Problem sparse = sparse_problem_of(table);
      dense.n_labels = sparse.n_labels = 3;
      for (const Index k : {2, 3}) {
        const FitResult fit = fit_one(dense, robust_fit_of({k}));
        expect_true(fit.fit.informative.size() > 5);
        expect_true(agree(fit, fit_one(sparse, robust_fit_of({k}))));
      }
    }
  }

  test_that("a path has a fit of each number asked for, whatever others it goes through") {
    const Table table = three_components(8);
    const FitOutcome all = fit_all(problem_of(table), robust_fit_of({1, 2, 3, 4}));
    expect_true(all.fits.size() == 4);
    for (Index k = 1; k <= 3; ++k) expect_true(all.fits[k - 1].fit.params.n_components() == k);
    const FitOutcome some = fit_all(problem_of(table), robust_fit_of({2, 4}));
    expect_true(some.fits.size() == 2);
    expect_true(same_fit(some.fits[0], all.fits[1]));
    expect_true(same_fit(some.fits[1], all.fits[3]));
  }

  test_that("a component that a path adds comes from the one that has its rows before") {
    Index n_grown = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Table table = three_components(seed);
      FitOptions options = robust_fit_of({1, 2, 3, 4});
      options.polish = false;
      const FitOutcome path = fit_all(problem_of(table), options);
      for (std::size_t at = 1; at < path.fits.size(); ++at) {
        const Trace& before = path.fits[at - 1].trace;
        const Trace& trace = path.fits[at].trace;
        if (trace.size() <= before.size() || trace[before.size()].phase != Phase::kGrow) continue;
        ++n_grown;
        for (std::size_t row = 0; row < before.size(); ++row) {
          expect_true(same_row(trace[row], before[row]));
        }
        // Refinement has moved a few rows since.
        const RowMatrix& old = path.fits[at - 1].fit.e_step.posterior;
        const RowMatrix& now = path.fits[at].fit.e_step.posterior;
        Index component = 0;
        (old.transpose() * now.rightCols(1)).col(0).maxCoeff(&component);
        expect_true(trace[before.size()].component == component);
        expect_true(trace[before.size()].n_components == static_cast<Index>(at) + 1);
      }
    }
    expect_true(n_grown > 0);
  }

  test_that("a path never ends below the fit of the stages alone") {
    // With four components and a polish a fit alone also grows from one, which a path does not.
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Table table = three_components(seed);
      for (const bool polish : {true, false}) {
        FitOptions options = robust_fit_of({1, 2, 3, 4, 5});
        options.polish = polish;
        const FitOutcome path = fit_all(problem_of(table), options);
        for (Index k = 1; k <= (polish ? 3 : 5); ++k) {
          options.n_components = {k};
          const FitResult alone = fit_one(problem_of(table), options);
          CATCH_CAPTURE(k);
          const MixtureFit& fit = path.fits[k - 1].fit;
          expect_true(fit.penalised_loglik >= alone.fit.penalised_loglik);
        }
      }
    }
  }

  test_that("known rows are held in their component, which is that of their label") {
    const Table table = three_components(9);
    Problem problem = problem_of(table);
    problem.n_labels = 3;
    problem.known = every(5, labels_of(table));
    problem.known[0] = (problem.known[0] + 1) % 3;  // whatever the answers say
    const FitResult result = fit_one(problem, robust_fit_of({3}));
    expect_true(result.holds_known);
    expect_true(sorted(result.born) == ItemSet({0, 1, 2}));
    for (Index n = 0; n < 500; n += 5) {
      expect_true(result.fit.e_step.posterior(n, problem.known[n]) == 1.0);
    }
    for (Index item = 0; item < 9; ++item) {
      for (Index label = 0; label < 3; ++label) {
        Index most_likely = 0;
        result.fit.params.item_probs.col(label).segment(3 * item, 3).maxCoeff(&most_likely);
        expect_true(most_likely == label);
      }
    }
  }

  test_that("without a component for each label no row is held") {
    const Table table = table_without_dependence(10);
    Problem problem = problem_of(table);
    problem.n_labels = 3;
    problem.known = every(5, std::vector<Index>(300, 1));
    const FitResult result = fit_one(problem, robust_fit_of({3}));
    expect_true(result.status == Status::kFewerComponents);
    expect_false(result.holds_known);
    expect_true(result.born.empty());
  }

  test_that("where a sparse refinement leaves one component no row is held") {
    const Table table = table_without_dependence(10);
    Problem problem = problem_of(table);
    problem.known = every(5, std::vector<Index>(300, 2));
    problem.starts = random_starts(10, 300, 3, 1);
    const FitResult result = fit_one(problem, continued());
    expect_true(result.status == Status::kFewerComponents);
    expect_false(result.holds_known);
    expect_true(result.fit.e_step.posterior == RowMatrix::Ones(300, 1));
    expect_true(result.fit.loglik == result.loglik_of_one);
  }

  test_that("known rows that are all rows leave EM nothing to do") {
    const Table table = three_components(11);
    Problem problem = problem_of(table);
    problem.known = labels_of(table);
    FitStart start{RowMatrix::Zero(500, 3), {}, range(0, 9)};
    for (Index n = 0; n < 500; ++n) start.posterior(n, problem.known[n]) = 1.0;
    problem.starts = {start};
    for (const FitOptions& options : {em(), continued()}) {
      const FitResult result = fit_one(problem, options);
      expect_true(result.holds_known);
      for (Index n = 0; n < 500; ++n) {
        expect_true(result.fit.e_step.posterior(n, problem.known[n]) == 1.0);
      }
    }
  }

  test_that("of several starts the end with the highest log-likelihood stays") {
    const Table table = three_components(12);
    Problem problem = problem_of(table);
    problem.starts = random_starts(12, 500, 4, 6);
    const FitOutcome all = fit_all(problem, em());
    expect_true(all.starts.size() == 6);
    expect_true(all.fits.size() == 1);
    double highest = -HUGE_VAL;
    for (const StartRecord& start : all.starts) highest = std::max(highest, start.loglik);
    expect_true(all.fits[0].fit.loglik == highest);
    for (Index at = 0; at < 6; ++at) {
      Problem alone = problem;
      alone.starts = {problem.starts[at]};
      const FitOutcome one = fit_all(alone, em());
      expect_true(one.starts[0].loglik == all.starts[at].loglik);
      expect_true(one.starts[0].n_iterations == all.starts[at].n_iterations);
      expect_true(one.starts[0].n_iterations == static_cast<Index>(one.fits[0].trace.size()));
      if (one.starts[0].loglik == highest) expect_true(same_fit(one.fits[0], all.fits[0]));
    }
  }

  test_that(
      "a crowd's EM by evidence uses all workers, and of its starts the one with most stays") {
    const Table table = three_components(15);
    Problem problem = problem_of(table);
    problem.n_labels = 3;
    problem.starts = random_starts(15, 500, 3, 2);
    problem.starts.emplace_back();
    problem.starts.back().is_vote = true;
    FitOptions options = em();
    options.refine.type = Refinement::kEvidence;
    const FitOutcome all = fit_all(problem, options);
    double most = -HUGE_VAL;
    for (const StartRecord& start : all.starts) most = std::max(most, start.evidence);
    expect_true(all.starts.size() == 3);
    expect_true(all.fits[0].fit.evidence == most);
    expect_true(all.fits[0].fit.informative == all_items(table.data));
    expect_true(all.fits[0].fit.item_prior.crowd.cols() == 3);
    // Without evidence, or of data that are no crowd, there is no such vote.
    expect_error_as(fit_all(problem, em()), DimensionError);
    problem.n_labels = 0;
    expect_error_as(fit_all(problem, options), DimensionError);
  }

  test_that("a crowd so small that its vote loses a label begins at the vote as it is") {
    const Table table = table_of({{0, 3, 1, 0, 3}, {1, 0, 0, 2, 0}}, {3, 3},
                                 (Vector(5) << 0.0, 1.0, 1.0, 1.0, 1.0).finished());
    Problem problem = problem_of(table);
    problem.n_labels = 3;
    FitOptions grown;
    grown.n_components = {3};
    FitOptions from_vote = em();
    from_vote.refine.type = Refinement::kEvidence;
    for (const FitOptions& options : {grown, from_vote}) {
      const FitResult result = fit_one(problem, options);
      expect_true(result.fit.e_step.posterior.rows() == 5);
      expect_true(std::isfinite(result.fit.evidence));
      problem.starts.emplace_back();
      problem.starts.back().is_vote = true;
    }
  }

  test_that("a crowd of many labels is searched only from above the end of its vote") {
    const Index n_labels = 10;
    FitOptions grown;
    grown.n_components = {n_labels};
    // 7,000 cells of all columns and 9,000.
    for (const Index n_workers : {70, 90}) {
      MixtureParameters truth;
      truth.mixing_weights = Vector::Constant(n_labels, 0.1);
      truth.item_probs = RowMatrix::Constant(n_workers * n_labels, n_labels, 0.1 / 9.0);
      for (Index at = 0; at < n_workers * n_labels; ++at) {
        truth.item_probs(at, at % n_labels) = 0.9;
      }
      Random random(1);
      const std::vector<Index> n_levels(n_workers, n_labels);
      const Table table = draw_table(random, truth, {200, n_levels, 0.9, false});
      Problem problem = problem_of(table);
      problem.n_labels = n_labels;
      const FitOutcome outcome = fit_all(problem, grown);
      expect_true((outcome.work.n_search_passes == 0) == (n_workers > 80));
      expect_true(outcome.fits.front().fit.params.n_components() == n_labels);
    }
  }

  test_that("a crowd of many answers is searched only from above the end of its vote") {
    FitOptions grown;
    grown.n_components = {3};
    // Eight workers: 19,200 answers and 20,800.
    for (const Index n_obs : {2400, 2600}) {
      const Table table = crowd(1, n_obs, 8, 0.8, 0.0);
      Problem problem = problem_of(table);
      problem.n_labels = 3;
      const FitOutcome outcome = fit_all(problem, grown);
      expect_true((outcome.work.n_search_passes == 0) == (n_obs > 2500));
      expect_true(outcome.fits.front().status == Status::kConverged);
      expect_true(outcome.fits.front().fit.params.n_components() == 3);
    }
  }

  test_that("a crowd whose mistakes are alike is drawn to columns in which they are") {
    for (const bool is_alike : {true, false}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CATCH_CAPTURE(seed);
        const Table table = is_alike ? crowd(seed, 150, 8, 0.8, 0.0) : crowd_of_near_labels(seed);
        Problem problem = problem_of(table);
        problem.n_labels = 3;
        FitOptions grown;
        grown.n_components = {3};
        const RowMatrix pull = fit_one(problem, grown).fit.item_prior.pseudo_counts;
        expect_true(pull.cols() == 3);
        for (Index k = 0; k < 3; ++k) {
          const Vector column = pull.col(k);
          const double least = column.minCoeff();
          const double other = column.sum() - column.maxCoeff() - least;
          expect_true(std::abs(column.sum() - 100.0) < 1e-9);
          expect_true((other - least < 1e-9) == is_alike);
        }
      }
    }
  }

  test_that("a start that goes on with a prior of other items or components is an error") {
    const Table table = three_components(15);
    Problem problem = problem_of(table);
    problem.n_labels = 3;
    problem.starts = random_starts(15, 500, 3, 1);
    FitOptions options = em();
    options.refine.type = Refinement::kEvidence;
    const ItemPrior prior = fit_all(problem, options).fits[0].fit.item_prior;
    problem.starts[0].item_prior = prior;
    expect_true(fit_all(problem, options).fits[0].fit.item_prior.crowd.cols() == 3);
    const auto refused = [&](auto change) {
      problem.starts[0].item_prior = prior;
      change(problem.starts[0].item_prior);
      expect_error_as(fit_all(problem, options), DimensionError);
    };
    refused([](ItemPrior& other) { other.weights.conservativeResize(other.weights.size() - 1); });
    refused([](ItemPrior& other) { other.crowd = Matrix::Constant(2, 3, 0.5); });
    refused([](ItemPrior& other) { other.crowd = Matrix::Constant(3, 2, 0.5); });
  }

  test_that("parameters are the start at their posterior") {
    Random random(13);
    const Table table = three_components(13);
    Problem of_params = problem_of(table);
    of_params.starts.emplace_back();
    of_params.starts[0].params = random_parameters(random, table.data.n_levels, 3);
    Problem of_posterior = problem_of(table);
    of_posterior.starts.emplace_back();
    of_posterior.starts[0].posterior =
        e_step(table.data, of_params.starts[0].params, all_items(table.data)).posterior;
    for (const FitOptions& options : {em(), continued()}) {
      expect_true(same_fit(fit_one(of_params, options), fit_one(of_posterior, options)));
    }
  }

  test_that("relabelled components of a start give the relabelled fit") {
    const Table table = three_components(14);
    Problem problem = problem_of(table);
    problem.starts = random_starts(14, 500, 3, 1);
    Problem reversed = problem;
    reversed.starts[0].posterior = problem.starts[0].posterior.rowwise().reverse();
    FitOptions without_polish = continued();
    without_polish.polish = false;
    for (const FitOptions& options : {em(), without_polish}) {
      const FitResult fit = fit_one(problem, options);
      FitResult other = fit_one(reversed, options);
      other.fit.params.item_probs = other.fit.params.item_probs.rowwise().reverse().eval();
      other.fit.e_step.posterior = other.fit.e_step.posterior.rowwise().reverse().eval();
      expect_true(agree(fit, other));
    }
  }

  test_that("a fit that has converged stays where it is when it is continued") {
    const Table table = three_components(15);
    FitOptions options = robust_fit_of({3});
    // Far below the default, so that EM has little left to go.
    options.refine.tol = 1e-13;
    options.smoothing_loss = 0.0;
    Problem problem = problem_of(table);
    const FitResult first = fit_one(problem, options);
    problem.starts = {{first.fit.e_step.posterior, {}, first.fit.informative}};
    options.task = Task::kContinue;
    const FitResult again = fit_one(problem, options);
    expect_true(again.status == Status::kConverged);
    expect_true(again.fit.informative == first.fit.informative);
    expect_true(relative_difference(again.fit.penalised_loglik, first.fit.penalised_loglik) <
                1e-12);
    // A change of 1e-13 in the objective is its square root in the posterior.
    expect_true(distance(again.fit.e_step.posterior, first.fit.e_step.posterior) < 1e-5);
    expect_true(again.trace.back().phase == Phase::kRefine);
  }

  test_that("nothing is polished that is not to be, did not converge or has known rows") {
    const Table table = three_components(3);
    Problem problem = problem_from_bad_start(table);
    const FitResult polished = fit_one(problem, continued());
    expect_true(is_polished(polished));
    FitOptions options = continued();
    options.polish = false;
    const FitResult without = fit_one(problem, options);
    expect_false(is_polished(without));
    expect_true(polished.fit.penalised_loglik > without.fit.penalised_loglik);
    options = continued();
    options.refine.max_iter = 3;
    expect_false(is_polished(fit_one(problem, options)));
    problem.known.assign(500, no_component);
    expect_false(is_polished(fit_one(problem, continued())));
  }

  test_that("an optimum at which a polish has ended is left as it is by another polish") {
    const Table table = three_components(7);
    Problem problem = problem_from_bad_start(table);
    FitOptions options = continued_without_smoothing();
    const FitResult once = fit_one(problem, options);
    problem.starts = {{once.fit.e_step.posterior, {}, once.fit.informative}};
    expect_false(is_polished(fit_one(problem, options)));
  }

  test_that("smoothing comes last, as far as it may cost") {
    const Table table = three_components(4);
    Problem problem = problem_from_bad_start(table);
    FitOptions options = continued_without_smoothing();
    const FitResult plain = fit_one(problem, options);
    expect_true(plain.smoothing == 0.0);
    options.smoothing_loss = 1000.0;
    const FitResult smoothed = fit_one(problem, options);
    expect_true(smoothed.trace.back().move == Move::kSmoothing);
    expect_true(smoothed.trace.size() == plain.trace.size() + 1);
    expect_true(smoothed.smoothing > 0.0);
    expect_true(smoothed.fit.penalised_loglik < plain.fit.penalised_loglik);
    expect_true(smoothed.fit.informative == plain.fit.informative);
  }

  test_that("of one component no item is informative, but in plain EM") {
    const Table table = three_components(1);
    for (const Refinement type : {Refinement::kSparse, Refinement::kFull}) {
      FitOptions options = robust_fit_of({1});
      options.refine.type = type;
      const FitResult result = fit_one(problem_of(table), options);
      expect_true(result.fit.informative.empty());
      expect_true(result.status == Status::kConverged);
    }
    Problem problem = problem_of(table);
    problem.starts = {{RowMatrix::Ones(500, 1), {}, {}}};
    expect_true(fit_one(problem, em()).fit.informative == varying_items(table.data));
    expect_true(fit_one(problem, continued()).fit.informative.empty());
  }

  test_that("the status says how a fit ended") {
    const Table of_three = three_components(16);
    const Table independent = table_without_dependence(16);
    const auto status = [](const Table& table, const FitOptions& options) {
      return fit_one(problem_of(table), options).status;
    };
    FitOptions options = robust_fit_of({3});
    expect_true(status(of_three, options) == Status::kConverged);
    expect_true(status(independent, options) == Status::kFewerComponents);
    options.refine.max_iter = 2;
    expect_true(status(of_three, options) == Status::kIterationLimit);
    options.refines = false;
    expect_true(status(of_three, options) == Status::kConverged);
    options.max_stages = 2;
    expect_true(status(of_three, options) == Status::kStageLimit);
    options.max_stages = 1;
    expect_true(status(of_three, options) == Status::kFewerComponents);
    Problem problem = problem_of(of_three);
    problem.starts = random_starts(16, 500, 3, 1);
    options = em();
    options.refine.max_iter = 2;
    const FitOutcome cut_off = fit_all(problem, options);
    expect_true(cut_off.fits[0].status == Status::kIterationLimit);
    expect_true(cut_off.starts[0].status == Status::kIterationLimit);
  }

  test_that("an item that only rows of next to no weight answer does no harm") {
    for (const Index n_labels : {0, 3}) {
      for (const double weight : {1e-10, 1e-15, 1e-20, 1e-300}) {
        // The first as rows of which many are equal, and as rows one by one.
        for (const Index n_obs : {12, 200}) {
          Random random(31);
          std::vector<std::vector<int>> codes(4, std::vector<int>(n_obs));
          for (auto& item : codes) {
            for (int& code : item) code = 1 + static_cast<int>(random.below(3));
          }
          std::fill(codes[3].begin() + 2, codes[3].end(), 0);
          Vector weights = Vector::Ones(n_obs);
          weights.head(2).setConstant(weight);
          const Table table = table_of(codes, {3, 3, 3, 3}, weights);
          Problem problem = problem_of(table);
          problem.n_labels = n_labels;
          for (FitOptions options : {FitOptions(), robust_fit_of({3}), em()}) {
            options.n_components = {3};
            if (options.task == Task::kEm) problem.starts = random_starts(31, n_obs, 3, 1);
            const MixtureFit fit = fit_one(problem, options).fit;
            expect_true(fit.params.item_probs.allFinite());
            expect_true(std::isfinite(fit.loglik));
            problem.starts.clear();
          }
        }
      }
    }
  }

  test_that("trials of large data that are given up early would not have led higher") {
    for (const std::uint64_t seed : {4, 15, 17}) {
      const Table table = three_components(seed);
      const FitOptions all = robust_fit_of({4});
      FitOptions in_heats = all;
      in_heats.most_small_rows = 0;
      const double objective = fit_one(problem_of(table), all).fit.objective();
      const double of_heats = fit_one(problem_of(table), in_heats).fit.objective();
      expect_true(relative_difference(of_heats, objective) < 1e-7);
    }
  }

  test_that("a search that its budget ends says so, and its fit has converged") {
    const Table table = three_components(16);
    const Problem problem = problem_from_bad_start(table);
    FitOptions options = continued();
    const FitResult whole = fit_one(problem, options);
    expect_false(whole.search_was_cut);
    expect_true(is_polished(whole));
    options.least_search_passes = 1.0;
    options.most_search_work = 0.0;
    const FitResult cut = fit_one(problem, options);
    expect_true(cut.search_was_cut);
    expect_true(cut.status == Status::kConverged);
    expect_true(cut.fit.penalised_loglik < whole.fit.penalised_loglik);
    // Each number of components has its own, and comes to as many with any.
    options.task = Task::kGrow;
    options.n_components = {1, 2, 3};
    Problem from_one = problem;
    from_one.starts.clear();
    const FitOutcome path = fit_all(from_one, options);
    for (const FitResult& result : path.fits) {
      expect_true(result.status == Status::kConverged);
      expect_true(result.search_was_cut == (result.fit.params.n_components() > 1));
    }
    expect_true(path.fits[2].fit.params.n_components() == 3);
  }

  test_that("a trace is in order, falls in no refinement and ends with the fit") {
    for_each_kind([](const Problem& problem, const FitOptions& options) {
      for (const FitResult& result : fit_all(problem, options).fits) {
        if (result.trace.empty()) continue;
        expect_true(in_order(result.trace));
        // Rounding of a sum of 500 * 15 logarithms.
        expect_true(largest_fall(result.trace) < 1e-13);
        const TraceRow& last = result.trace.back();
        expect_true(last.n_components == result.fit.params.n_components());
        expect_true(last.n_informative == static_cast<Index>(result.fit.informative.size()));
        expect_true(last.loglik == result.fit.loglik);
        expect_true(last.penalised_loglik == result.fit.penalised_loglik);
      }
    });
  }

  test_that("of one component all is at its frequencies, and its log-likelihood is that of one") {
    const Table table = three_components(17);
    for (const FitOptions& options : {robust_fit_of({1}), robust_fit_of({3})}) {
      const FitResult result = fit_one(problem_of(table), options);
      const double of_one = table.data.marginal_loglik.sum();
      expect_true(relative_difference(result.loglik_of_one, of_one) < 1e-14);
      if (result.fit.params.n_components() == 1) {
        expect_true(result.fit.loglik == result.loglik_of_one);
        expect_true(result.fit.penalised_loglik == result.loglik_of_one);
      } else {
        expect_true(result.fit.penalised_loglik > of_one);
      }
    }
  }

  test_that("the vote is another start of a crowd that was split by chance, and of no other") {
    FitOptions options = robust_fit_of({3});
    options.polish = false;
    Index n_votes = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      // Six labels an item: any two workers share an item or two.
      const Table few = crowd(seed, 600, 60, 0.75, 0.9);
      Problem problem = sparse_problem_of(few);
      const FitResult stages = fit_one(problem, options);
      problem.n_labels = 3;
      const FitResult result = fit_one(problem, options);
      expect_true(result.fit.penalised_loglik >= stages.fit.penalised_loglik);
      expect_false(has_move(stages, Move::kVote));
      if (has_move(result, Move::kVote)) ++n_votes;
      // A crowd has a vote only with one component a label.
      FitOptions of_two = options;
      of_two.n_components = {2};
      expect_false(has_move(fit_one(problem, of_two), Move::kVote));

      const Table many = three_components(seed);
      Problem evident = problem_of(many);
      const FitResult without = fit_one(evident, options);
      evident.n_labels = 3;
      expect_true(same_fit(fit_one(evident, options), without));
    }
    expect_true(n_votes > 0);
  }

  test_that("more components than labels are kinds of items of a label, alone as in a path") {
    const Table table = crowd_of_kinds();
    Problem problem = problem_of(table);
    problem.n_labels = 2;
    FitOptions options;
    options.n_components = {2, 3, 4};
    const FitOutcome path = fit_all(problem, options);
    for (std::size_t at = 0; at < 3; ++at) {
      options.n_components = {static_cast<Index>(at) + 2};
      const FitResult alone = fit_one(problem, options);
      expect_true(alone.fit.e_step.posterior == path.fits[at].fit.e_step.posterior);
      expect_true(alone.labels == path.fits[at].labels);
      expect_true(alone.labels.size() == at + 2);
    }
    // Hard items of the first label are the third component.
    expect_true(path.fits[1].fit.evidence > path.fits[0].fit.evidence + 10.0);
    expect_true(path.fits[2].fit.evidence < path.fits[1].fit.evidence);
    expect_true(std::count(path.fits[1].labels.begin(), path.fits[1].labels.end(), 0) == 2);
    expect_true(path.fits[1].label_agreement > 0.8);
    expect_true(path.fits[0].label_agreement == 1.0);
  }

  test_that("components that are not of labels have none") {
    const Table table = crowd_of_kinds();
    Problem problem = problem_of(table);
    FitOptions options;
    options.n_components = {3};
    expect_true(fit_one(problem, options).labels.empty());
    problem.n_labels = 2;
    options.refine.type = Refinement::kSparse;
    expect_true(fit_one(problem, options).labels.empty());
    options.n_components = {1};
    expect_true(fit_one(problem, options).labels.empty());
  }

  test_that("a fit of kinds that goes on keeps its labels, and is not polished") {
    const Table table = crowd_of_kinds();
    Problem problem = problem_of(table);
    problem.n_labels = 2;
    FitOptions options;
    options.n_components = {3};
    const FitResult fit = fit_one(problem, options);
    problem.starts = {{fit.fit.e_step.posterior, {}, fit.fit.informative, fit.labels}};
    options.task = Task::kContinue;
    const FitResult next = fit_one(problem, options);
    expect_true(next.labels == fit.labels);
    for (const TraceRow& row : next.trace) expect_true(row.phase == Phase::kRefine);
  }

  test_that("an interrupted fit unwinds, wherever it is") {
    const Table table = three_components(18);
    Problem problem = problem_of(table);
    problem.n_threads = 2;
    for (const FitOptions& options : {robust_fit_of({4}), robust_fit_of({1, 2, 3})}) {
      bool finished = false;
      Index n_interrupts = 0;
      for (Index at = 0; !finished; at = 2 * at + 1) {
        InterruptingMonitor interrupting(at);
        try {
          fit_mixture(problem, options, interrupting);
          finished = true;
        } catch (const Interrupt&) {
          ++n_interrupts;
        }
      }
      expect_true(n_interrupts > 5);
    }
  }
}

}  // namespace mdpd
