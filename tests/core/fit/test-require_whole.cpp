#include "fit/require_whole.h"

#include <testthat.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "fit/problems.h"

namespace mdpd {

namespace {

/// 20 rows of three items of three levels.
Table some_table() {
  Random random(19);
  return random_table(random, {20, {3, 3, 3}, 0.1});
}

std::vector<FitStart> some_start(Index n_obs) {
  Random random(20);
  std::vector<FitStart> out(1);
  out[0].posterior = random_posterior(random, n_obs, 3);
  return out;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Is a problem with such a change refused, where it was none without?
template <class Change>
bool is_refused(Problem problem, const FitOptions& options, Change change) {
  fit_all(problem, options);
  change(problem);
  try {
    fit_all(problem, options);
  } catch (const DimensionError&) {
    return true;
  }
  return false;
}

}  // namespace

context("require_whole") {
  test_that("a problem whose parts do not fit together is refused") {
    const Table table = some_table();
    const auto refused = [&](auto change) {
      return is_refused(problem_of(table), robust_fit_of({3}), change);
    };
    expect_true(refused([](Problem& it) { it.case_weights.conservativeResize(19); }));
    expect_true(refused([](Problem& it) { it.case_weights[3] = not_a_number; }));
    expect_true(refused([](Problem& it) { it.case_weights[3] = HUGE_VAL; }));
    expect_true(refused([](Problem& it) { it.case_weights[3] = -1.0; }));
    expect_true(refused([](Problem& it) { it.case_weights.setZero(); }));
    expect_true(refused([](Problem& it) { it.cells.n_levels[0] = 2; }));
    expect_true(refused([](Problem& it) { it.cells.n_levels[0] = 0; }));
    expect_true(refused([](Problem& it) { it.cells.n_levels[0] = 256; }));
    expect_true(refused([](Problem& it) { it.cells.codes = nullptr; }));
    expect_true(refused([](Problem& it) {
      it.cells.n_obs = 0;
      it.case_weights.resize(0);
    }));
    expect_true(refused([](Problem& it) { it.n_labels = 4; }));
    expect_true(refused([](Problem& it) { it.n_labels = -1; }));
    expect_true(refused([](Problem& it) { it.known.assign(3, no_component); }));
    // Without labels there is no component for them.
    expect_true(refused([](Problem& it) { it.known.assign(20, no_component); }));
    expect_true(refused([](Problem& it) {
      it.n_labels = 3;
      it.known.assign(20, 3);
    }));
    expect_true(refused([](Problem& it) { it.prior_counts = RowMatrix::Constant(9, 3, -1.0); }));
  }

  test_that("an item whose answers are of rows without a weight is refused") {
    const Table table = table_of({{1, 2, 1, 2}, {1, 2, 2, 1}, {1, 0, 0, 0}}, {2, 2, 2});
    const auto forget = [](Problem& it) { it.case_weights[0] = 0.0; };
    expect_true(is_refused(problem_of(table), robust_fit_of({1}), forget));
    expect_true(is_refused(sparse_problem_of(table), robust_fit_of({1}), forget));
  }

  test_that("a start that is none of the problem is refused") {
    const Table table = some_table();
    Problem problem = problem_of(table);
    expect_error_as(fit_all(problem, em()), DimensionError);
    problem.starts = some_start(20);
    const auto refused = [&](auto change) {
      return is_refused(problem, em(), [&](Problem& it) { change(it.starts[0]); });
    };
    expect_true(refused([](FitStart& it) { it.posterior.resize(0, 0); }));
    expect_true(refused([](FitStart& it) { it.posterior.conservativeResize(19, 3); }));
    expect_true(refused([](FitStart& it) { it.posterior(2, 1) = not_a_number; }));
    expect_true(refused([](FitStart& it) { it.posterior(2, 1) += 0.5; }));
    expect_true(refused([](FitStart& it) { it.informative = {3}; }));
    expect_true(refused([](FitStart& it) { it.informative = {-1}; }));
    expect_true(refused([](FitStart& it) { it.informative = {1, 2, 1}; }));
    expect_true(refused([](FitStart& it) { it.labels = {0, 1, 2}; }));
    expect_true(refused([](FitStart& it) { it.item_prior.weights = Vector::Constant(9, -1.0); }));
    expect_true(refused([](FitStart& it) { it.is_vote = true; }));
    problem.n_labels = 3;
    expect_false(refused([](FitStart& it) { it.labels = {2, 0, 1}; }));
    expect_true(refused([](FitStart& it) { it.labels = {2, 0}; }));
    expect_true(refused([](FitStart& it) { it.labels = {2, 0, 3}; }));
    expect_true(refused([](FitStart& it) { it.labels = {2, 0, -1}; }));
    problem.n_labels = 0;
    const auto known = [](Problem& it) { it.known.assign(20, 3); };
    expect_true(is_refused(problem, em(), known));
  }

  test_that("parameters that are none of the problem's are refused") {
    const Table table = some_table();
    Random random(21);
    Problem problem = problem_of(table);
    problem.starts = {{{}, random_parameters(random, {3, 3, 3}, 3), {}}};
    const auto refused = [&](auto change) {
      return is_refused(problem, em(), [&](Problem& it) { change(it.starts[0].params); });
    };
    expect_true(refused([](MixtureParameters& it) { it.item_probs.conservativeResize(6, 3); }));
    expect_true(refused([](MixtureParameters& it) { it.item_probs(4, 1) = not_a_number; }));
    expect_true(refused([](MixtureParameters& it) { it.item_probs(4, 1) = -0.5; }));
    expect_true(refused([](MixtureParameters& it) { it.mixing_weights[1] += 0.5; }));
    expect_true(refused([](MixtureParameters& it) { it.mixing_weights.resize(0); }));
  }

  test_that("numbers of components ascend from 1, and settings are what they can be") {
    const Table table = some_table();
    const Problem problem = problem_of(table);
    for (const std::vector<Index>& ks :
         {std::vector<Index>{}, std::vector<Index>{0}, std::vector<Index>{3, 2}}) {
      expect_error_as(fit_all(problem, robust_fit_of(ks)), DimensionError);
    }
    const auto refused = [&](auto change) {
      FitOptions options = robust_fit_of({2});
      change(options);
      expect_error_as(fit_all(problem, options), DimensionError);
    };
    refused([](FitOptions& it) { it.max_stages = 0; });
    refused([](FitOptions& it) { it.em_steps = 0; });
    refused([](FitOptions& it) { it.refine.max_iter = 0; });
    refused([](FitOptions& it) { it.alpha = not_a_number; });
    refused([](FitOptions& it) { it.split_step = -0.1; });
    refused([](FitOptions& it) { it.floor = HUGE_VAL; });
    refused([](FitOptions& it) { it.smoothing_loss = -1.0; });
    refused([](FitOptions& it) { it.refine.tol = not_a_number; });
    refused([](FitOptions& it) { it.refine.m_step.smoothing = -1.0; });
  }
}

}  // namespace mdpd
