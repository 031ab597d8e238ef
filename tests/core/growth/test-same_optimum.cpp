#include "growth/same_optimum.h"

#include <testthat.h>

#include <algorithm>

#include "base/monitor.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// EM to the end from the labels of `three_components()`.
MixtureFit optimum_of(const Table& table) {
  RowMatrix start = RowMatrix::Constant(table.data.n_obs, 3, 0.1);
  const std::vector<Index> labels = labels_of(table);
  for (Index n = 0; n < start.rows(); ++n) start(n, labels[n]) = 0.8;
  Monitor monitor;
  return refine(table.data, start, range(0, 9), {}, monitor).fit;
}

MixtureFit relabelled(MixtureFit fit) {
  fit.e_step.posterior = fit.e_step.posterior.rowwise().reverse().eval();
  fit.params.mixing_weights.reverseInPlace();
  fit.params.item_probs = fit.params.item_probs.rowwise().reverse().eval();
  return fit;
}

}  // namespace

context("same_optimum") {
  test_that("an optimum is the same with its components in another order") {
    const Table table = three_components(5);
    const MixtureFit optimum = optimum_of(table);
    expect_true(is_same_optimum(table.data, optimum, optimum, {}));
    MixtureFit other = relabelled(optimum);
    std::reverse(other.informative.begin(), other.informative.end());
    expect_true(is_same_optimum(table.data, optimum, other, {}));
  }

  test_that("rows that have moved count in the component they left") {
    const Table table = three_components(8);
    const MixtureFit optimum = optimum_of(table);
    const RowMatrix& before = optimum.e_step.posterior;
    expect_true(moved_shares(table.data, before, before.rowwise().reverse()) == Vector::Zero(3));
    RowMatrix after = before;
    after.row(0) << before(0, 1), before(0, 0), before(0, 2);
    const double moved = std::abs(before(0, 0) - before(0, 1)) / 500.0;
    const Vector shares = moved_shares(table.data, before, after);
    // Shares are whole multiples of 2^-52.
    expect_true(distance(shares, Vector(Eigen::Vector3d(moved, moved, 0.0))) < 1e-15);
  }

  test_that("an optimum is another one with other items, rows, components or height") {
    const Table table = three_components(6);
    const MixtureFit optimum = optimum_of(table);
    MixtureFit other = optimum;
    other.informative.pop_back();
    expect_false(is_same_optimum(table.data, optimum, other, {}));
    other = optimum;
    other.penalised_loglik -= 0.1;
    expect_false(is_same_optimum(table.data, optimum, other, {}));
    other = optimum;
    // One row in 500 is more than may have moved.
    const RowMatrix row = other.e_step.posterior.row(0);
    other.e_step.posterior.row(0) << row(2), row(0), row(1);
    expect_false(is_same_optimum(table.data, optimum, other, {}));
    other = finish_fit(table.data, independence_model(table.data), {});
    expect_false(is_same_optimum(table.data, optimum, other, {}));
  }
}

}  // namespace mdpd
