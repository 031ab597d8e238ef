#include "growth/row_moves.h"

#include <testthat.h>

#include "base/numerics.h"
#include "model/m_step.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// What x log x gains when x grows by `change`; rounding can leave a count a hair below zero.
double x_log_x_gain(double x, double change) {
  return x_log_x(std::max(0.0, x + change)) - x_log_x(x);
}

/// Row by row, with the library's logarithm.
RowMatrix gains_twin(const CodedData& data, const RowMatrix& posterior,
                     const ItemSet& informative) {
  const Index n_components = posterior.cols();
  const RowMatrix counts = level_counts(data, posterior);
  const Vector sizes = posterior.transpose() * data.case_weights;
  std::vector<bool> is_informative(data.n_items, false);
  for (const Index item : informative) is_informative[item] = true;
  RowMatrix gains(data.n_obs, n_components);
  Vector leaves(n_components);
  Vector joins(n_components);
  for (Index n = 0; n < data.n_obs; ++n) {
    const Vector inside = data.case_weights[n] * posterior.row(n).transpose();
    const Vector outside = Vector::Constant(n_components, data.case_weights[n]) - inside;
    double entropy = 0.0;
    for (Index k = 0; k < n_components; ++k) {
      leaves[k] = x_log_x_gain(sizes[k], -inside[k]);
      joins[k] = x_log_x_gain(sizes[k], outside[k]);
      entropy -= data.case_weights[n] * x_log_x(posterior(n, k));
    }
    for_each_item_of_row(data, n, [&](Index item, Code code) {
      if (!is_informative[item]) return;
      const auto table = counts.middleRows(data.offset[item], data.n_levels[item]);
      for (Index k = 0; k < n_components; ++k) {
        const double total = table.col(k).sum();
        leaves[k] += x_log_x_gain(table(code - 1, k), -inside[k]) - x_log_x_gain(total, -inside[k]);
        joins[k] += x_log_x_gain(table(code - 1, k), outside[k]) - x_log_x_gain(total, outside[k]);
      }
    });
    gains.row(n) = (joins - leaves).transpose().array() + (leaves.sum() - entropy);
  }
  return gains;
}

/// The bound that EM climbs at the parameters that maximise it: expected complete-data
/// log-likelihood of the informative items and entropy.
double bound_twin(const CodedData& data, const RowMatrix& posterior, const ItemSet& informative) {
  const RowMatrix counts = level_counts(data, posterior);
  const Vector sizes = posterior.transpose() * data.case_weights;
  double bound = 0.0;
  for (Index k = 0; k < posterior.cols(); ++k) {
    bound += x_log_x(sizes[k]);
    for (const Index item : informative) {
      const auto table = counts.col(k).segment(data.offset[item], data.n_levels[item]);
      for (Index r = 0; r < table.size(); ++r) bound += x_log_x(table[r]);
      bound -= x_log_x(table.sum());
    }
    for (Index n = 0; n < data.n_obs; ++n) bound -= data.case_weights[n] * x_log_x(posterior(n, k));
  }
  return bound;
}

}  // namespace

context("row_moves") {
  test_that("every kernel agrees with the plain twin") {
    Random random(1);
    const std::vector<Index> n_levels = {2, 3, 1, 4, 3};
    const ItemSet items = {3, 0, 2, 4};
    for (const double missing : {0.0, 0.3}) {
      Table table = random_table(random, {60, n_levels, missing, true});
      for (Index n_components = 2; n_components <= 6; ++n_components) {
        const RowMatrix posterior = random_posterior(random, 60, n_components);
        table.data.instructions = widest_instructions();
        const RowMatrix gains = row_move_gains(table.data, posterior, items);
        // Differences of sums of up to 500 nats.
        expect_true(distance(gains, gains_twin(table.data, posterior, items)) < 1e-12);
        table.data.instructions = Instructions::kPortable;
        expect_true(row_move_gains(table.data, posterior, items) == gains);
      }
    }
  }

  test_that("a gain is what the bound rises when the row is moved") {
    Random random(2);
    const Table table = random_table(random, {30, {2, 3, 4}, 0.2, true});
    const RowMatrix posterior = random_posterior(random, 30, 3);
    const double before = bound_twin(table.data, posterior, {0, 2});
    const RowMatrix gains = row_move_gains(table.data, posterior, {0, 2});
    for (const Index n : {0, 7, 29}) {
      for (Index k = 0; k < 3; ++k) {
        RowMatrix moved = posterior;
        moved.row(n) = Eigen::RowVector3d::Unit(k);
        const double after = bound_twin(table.data, moved, {0, 2});
        expect_true(std::abs(gains(n, k) - (after - before)) < 1e-11);
      }
    }
  }

  test_that("equal rows gain the same to the last bit") {
    const Table table = table_of({{1, 2, 1, 1, 2}, {1, 3, 1, 2, 3}}, {2, 3});
    RowMatrix posterior(5, 2);
    posterior << 0.3, 0.7, 0.9, 0.1, 0.3, 0.7, 0.5, 0.5, 0.9, 0.1;
    const RowMatrix gains = row_move_gains(table.data, posterior, {0, 1});
    expect_true(gains.row(0) == gains.row(2));
    expect_true(gains.row(1) == gains.row(4));
  }
}

}  // namespace mdpd
