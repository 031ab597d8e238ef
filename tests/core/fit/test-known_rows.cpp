#include "fit/known_rows.h"

#include <testthat.h>

#include "fit/fit_data.h"
#include "fit/problems.h"
#include "monitors.h"

namespace mdpd {

namespace {

RefinementPlan plain_plan() {
  RefinementPlan plan;
  plan.polish = false;
  return plan;
}

/// EM from the labels of `three_components()`, with component i of label `order[i]`.
FitResult fit_by_labels(const Table& table, const std::vector<Index>& order) {
  RowMatrix start = RowMatrix::Constant(table.data.n_obs, 3, 0.05);
  const std::vector<Index> labels = labels_of(table);
  for (Index row = 0; row < start.rows(); ++row) {
    for (Index k = 0; k < 3; ++k) {
      if (order[k] == labels[row]) start(row, k) = 0.9;
    }
  }
  Monitor monitor;
  return refine_from(table.data, start, range(0, 9), plain_plan(), monitor).result;
}

/// What holding these rows makes of that fit.
FitResult hold(const Table& table, const std::vector<Index>& known,
               const std::vector<Index>& order) {
  Problem problem = problem_of(table);
  problem.known = known;
  FitData rows(problem.cells, problem);
  FitResult result = fit_by_labels(table, order);
  Monitor monitor;
  hold_known_rows(rows, 3, plain_plan(), monitor, result);
  return result;
}

/// The level each item gives most often in a component, for the nine items that tell.
bool says_labels(const FitResult& result, const std::vector<Index>& label_of_component) {
  for (Index item = 0; item < 9; ++item) {
    for (Index k = 0; k < 3; ++k) {
      Index label = 0;
      result.fit.params.item_probs.col(k).segment(3 * item, 3).maxCoeff(&label);
      if (label != label_of_component[k]) return false;
    }
  }
  return true;
}

bool holds(const FitResult& result, const std::vector<Index>& known) {
  for (std::size_t n = 0; n < known.size(); ++n) {
    if (known[n] != no_component && result.fit.e_step.posterior(n, known[n]) != 1.0) return false;
  }
  return true;
}

}  // namespace

context("known_rows") {
  test_that("component i becomes label i, whatever its number was, and known rows are in theirs") {
    const Table table = three_components(1);
    const std::vector<Index> known = every(10, labels_of(table));
    for (const std::vector<Index>& order :
         {std::vector<Index>{0, 1, 2}, std::vector<Index>{2, 0, 1}, std::vector<Index>{1, 0, 2}}) {
      const FitResult result = hold(table, known, order);
      expect_true(says_labels(result, {0, 1, 2}));
      expect_true(holds(result, known));
      expect_true(result.holds_known);
      for (Index label = 0; label < 3; ++label) expect_true(order[result.born[label]] == label);
    }
  }

  test_that("a few rows known to be what nobody says are held, and undo no names") {
    const Table table = three_components(2);
    std::vector<Index> known(500, no_component);
    const std::vector<Index> labels = labels_of(table);
    for (Index n = 0; n < 5; ++n) known[n] = (labels[n] + 1) % 3;
    const FitResult result = hold(table, known, {1, 2, 0});
    expect_true(says_labels(result, {0, 1, 2}));
    expect_true(holds(result, known));
  }

  test_that("many known rows say which component it is, whatever the items call it") {
    const Table table = three_components(3);
    std::vector<Index> known = every(2, labels_of(table));
    for (Index& component : known) {
      if (component != no_component) component = (component + 1) % 3;
    }
    const FitResult result = hold(table, known, {0, 1, 2});
    expect_true(says_labels(result, {2, 0, 1}));
    expect_true(holds(result, known));
  }

  test_that("what is added to the trace is a refinement that ends with the fit") {
    const Table table = three_components(4);
    const std::size_t n_before = fit_by_labels(table, {0, 1, 2}).trace.size();
    const FitResult result = hold(table, every(10, labels_of(table)), {0, 1, 2});
    expect_true(result.trace.size() > n_before);
    for (std::size_t at = n_before; at < result.trace.size(); ++at) {
      expect_true(result.trace[at].phase == Phase::kRefine);
      expect_true(result.trace[at].n_components == 3);
    }
    expect_true(result.trace.back().penalised_loglik == result.fit.penalised_loglik);
    expect_true(result.status == FitStatus::kConverged);
  }
}

}  // namespace mdpd
