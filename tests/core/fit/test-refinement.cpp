#include "fit/refinement.h"

#include <testthat.h>

#include <algorithm>

#include "fit/problems.h"
#include "monitors.h"

namespace mdpd {

namespace {

/// EM from three components of which two share a label and the third has the others: it ends where
/// there is something to polish.
Refined refined_badly(const Table& table, const RefinementPlan& plan) {
  RowMatrix start = RowMatrix::Zero(table.data.n_obs, 3);
  const std::vector<Index> labels = labels_of(table);
  for (Index n = 0; n < start.rows(); ++n) {
    const double share = table.code(n, 0) == 1 ? 0.9 : 0.1;
    if (labels[n] == 0)
      start.row(n) << share, 1.0 - share, 0.0;
    else
      start(n, 2) = 1.0;
  }
  Monitor monitor;
  return refine_from(table.data, start, range(0, 9), plan, monitor);
}

/// EM to the end from the labels of `three_components()`.
MixtureFit optimum_of(const Table& table) {
  RowMatrix start = RowMatrix::Constant(table.data.n_obs, 3, 0.1);
  const std::vector<Index> labels = labels_of(table);
  for (Index n = 0; n < start.rows(); ++n) start(n, labels[n]) = 0.8;
  Monitor monitor;
  return refine_sparse(table.data, start, range(0, 9), {}, monitor).fit;
}

MixtureFit relabelled(MixtureFit fit) {
  fit.e_step.posterior = fit.e_step.posterior.rowwise().reverse().eval();
  fit.params.mixing_weights.reverseInPlace();
  fit.params.item_probs = fit.params.item_probs.rowwise().reverse().eval();
  return fit;
}

}  // namespace

context("refinement") {
  test_that("one component of many asked for is fewer, and one of one has converged") {
    expect_true(status_of(Status::kConverged, 3) == FitStatus::kConverged);
    expect_true(status_of(Status::kIterationLimit, 3) == FitStatus::kIterationLimit);
    expect_true(status_of(Status::kNothingInformative, 3) == FitStatus::kFewerComponents);
    expect_true(status_of(Status::kNothingInformative, 1) == FitStatus::kConverged);
  }

  test_that("of one component no item is informative, whatever the refinement") {
    const Table table = three_components(1);
    Monitor monitor;
    RefinementPlan plan;
    for (const Refinement type : {Refinement::kSparse, Refinement::kFull}) {
      plan.trials.refinement = type;
      const RowMatrix start = RowMatrix::Ones(500, 1);
      const FitResult result =
          refine_from(table.data, start, all_items(table.data), plan, monitor).result;
      expect_true(result.fit.informative.empty());
      expect_true(result.status == FitStatus::kConverged);
    }
  }

  test_that("the trace of a refinement ends with its fit") {
    const Table table = three_components(2);
    RefinementPlan plan;
    for (const Refinement type : {Refinement::kSparse, Refinement::kFull}) {
      plan.trials.refinement = type;
      const FitResult result = refined_badly(table, plan).result;
      const TraceRow& last = result.trace.back();
      expect_true(last.phase == Phase::kRefine);
      expect_true(last.n_components == result.fit.params.n_components());
      expect_true(last.loglik == result.fit.loglik);
      expect_true(last.penalised_loglik == result.fit.penalised_loglik);
    }
  }

  test_that("nothing is polished that is not to be, did not converge or has known rows") {
    Table table = three_components(3);
    Monitor monitor;
    const auto polished_rows = [&](const RefinementPlan& plan) {
      Refined refined = refined_badly(table, plan);
      const std::size_t before = refined.result.trace.size();
      polish_further(table.data, plan, monitor, refined);
      return refined.result.trace.size() - before;
    };
    RefinementPlan plan;
    expect_true(polished_rows(plan) > 0);
    RefinementPlan without = plan;
    without.polish = false;
    expect_true(polished_rows(without) == 0);
    RefinementPlan cut_off = plan;
    cut_off.trials.refine.max_iter = 3;
    expect_true(polished_rows(cut_off) == 0);
    table.data.known.assign(500, no_component);
    expect_true(polished_rows(plan) == 0);
  }

  test_that("an optimum at which a polish has ended is left as it is by another polish") {
    const Table table = three_components(7);
    Monitor monitor;
    RefinementPlan plan;
    Refined refined = refined_badly(table, plan);
    polish_further(table.data, plan, monitor, refined);
    const MixtureFit end = refined.result.fit;
    const std::size_t n_rows = refined.result.trace.size();
    polish_further(table.data, plan, monitor, refined);
    expect_true(refined.result.trace.size() == n_rows);
    expect_true(refined.result.fit.penalised_loglik == end.penalised_loglik);
    expect_true(is_same_optimum(table.data, *refined.optimum, end, 1e-8));
  }

  test_that("smoothing comes last and is no part of the optimum") {
    const Table table = three_components(4);
    Monitor monitor;
    RefinementPlan plan;
    plan.smoothing_loss = 1000.0;
    Refined refined = refined_badly(table, plan);
    polish_further(table.data, plan, monitor, refined);
    expect_true(refined.result.trace.back().move == Move::kSmoothing);
    expect_true(refined.result.smoothing > 0.0);
    expect_true(refined.optimum->penalised_loglik > refined.result.fit.penalised_loglik);
    expect_true(refined.optimum->informative == refined.result.fit.informative);
  }

  test_that("a second fit is better by more than the smallest gain only") {
    FitResult first;
    FitResult second;
    second.fit.penalised_loglik = 0.99 * smallest_gain;
    expect_false(is_better(second, first));
    expect_false(is_better(first, second));
    second.fit.penalised_loglik = 1.01 * smallest_gain;
    expect_true(is_better(second, first));
  }

  test_that("an optimum is the same with its components in another order") {
    const Table table = three_components(5);
    const MixtureFit optimum = optimum_of(table);
    expect_true(is_same_optimum(table.data, optimum, optimum, 1e-8));
    MixtureFit other = relabelled(optimum);
    std::reverse(other.informative.begin(), other.informative.end());
    expect_true(is_same_optimum(table.data, optimum, other, 1e-8));
  }

  test_that("an optimum is another one with other items, rows, components or height") {
    const Table table = three_components(6);
    const MixtureFit optimum = optimum_of(table);
    MixtureFit other = optimum;
    other.informative.pop_back();
    expect_false(is_same_optimum(table.data, optimum, other, 1e-8));
    other = optimum;
    other.penalised_loglik -= 0.1;
    expect_false(is_same_optimum(table.data, optimum, other, 1e-8));
    other = optimum;
    // One row in 500 is more than may have moved.
    const RowMatrix row = other.e_step.posterior.row(0);
    other.e_step.posterior.row(0) << row(2), row(0), row(1);
    expect_false(is_same_optimum(table.data, optimum, other, 1e-8));
    other = finish_fit(table.data, independence_model(table.data), {});
    expect_false(is_same_optimum(table.data, optimum, other, 1e-8));
  }
}

}  // namespace mdpd
