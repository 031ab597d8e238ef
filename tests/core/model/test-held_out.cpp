#include "model/held_out.h"

#include <testthat.h>

#include <cmath>

#include "model/m_step.h"
#include "model/posterior.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Columns around the items' frequencies, all of one concentration.
MixtureParameters columns_of(const CodedData& data, const RowMatrix& counts, const Vector& sizes,
                             double c) {
  MixtureParameters params;
  const auto n_components = static_cast<double>(counts.cols());
  params.mixing_weights = (sizes.array() + 1.0) / (data.total_weight + n_components);
  params.item_probs.resize(counts.rows(), counts.cols());
  for (Index item = 0; item < data.n_items; ++item) {
    for (Index k = 0; k < counts.cols(); ++k) {
      const double total = counts.col(k).segment(data.offset[item], data.n_levels[item]).sum();
      for (Index r = 0; r < data.n_levels[item]; ++r) {
        const Index at = data.offset[item] + r;
        params.item_probs(at, k) = (c * data.marginal(item, r) + counts(at, k)) / (c + total);
      }
    }
  }
  return params;
}

ItemEvidence of_one_concentration(const CodedData& data, Index at) {
  ItemEvidence evidence;
  evidence.shares = RowMatrix::Zero(data.n_items, 1 + n_concentrations);
  evidence.shares.col(1 + at).setOnes();
  return evidence;
}

/// The posterior of a row at the columns of all others.
Vector slow_held_out(const Table& table, const RowMatrix& posterior, const RowMatrix& counts,
                     double c, Index row) {
  const CodedData& data = table.data;
  RowMatrix others = counts;
  for (Index item = 0; item < data.n_items; ++item) {
    const int code = table.code(row, item);
    if (code > 0) others.row(data.offset[item] + code - 1) -= posterior.row(row);
  }
  const Vector sizes = (posterior.colwise().sum() - posterior.row(row)).transpose();
  const MixtureParameters params = columns_of(data, others, sizes, c);
  return e_step(data, params, all_items(data)).posterior.row(row).transpose();
}

}  // namespace

context("held_out") {
  test_that("a row's held-out posterior is that of the others' columns") {
    Random random(1);
    const std::vector<Index> n_levels = {2, 3, 5, 2, 3, 2, 4, 2, 3, 2};
    const Table table =
        draw_table(random, random_parameters(random, n_levels, 3), {60, n_levels, 0.2, false});
    const RowMatrix start = random_posterior(random, 60, 3);
    for (const Index at : {Index{0}, Index{3}, n_concentrations - 1}) {
      const double c = concentration(at);
      const RowMatrix counts = level_counts(table.data, start);
      const MixtureParameters params =
          columns_of(table.data, counts, start.colwise().sum().transpose(), c);
      const RowMatrix pull =
          pull_of_answers(table.data, counts, of_one_concentration(table.data, at));
      const ItemSet items = all_items(table.data);
      // What is taken out is of the posterior that gave the columns. Where EM is not at rest it is
      // not the one that they give.
      const RowMatrix posterior = e_step(table.data, params, items).posterior;
      RowMatrix fast = held_out_posterior(table.data, params, items, start, pull);
      fast = fast.cwiseQuotient(start).cwiseProduct(posterior);
      for (Index row = 0; row < 60; ++row) {
        const Vector slow = slow_held_out(table, start, counts, c, row);
        expect_true((fast.row(row).transpose() / fast.row(row).sum() - slow).norm() < 1e-9);
      }
    }
  }

  test_that("a row that is sure by itself alone is not sure held out") {
    // One row has a component of its own.
    const Table table = table_of({{1, 1, 1, 2}, {1, 2, 1, 2}, {2, 1, 1, 2}}, {2, 2, 2});
    RowMatrix posterior = RowMatrix::Zero(4, 2);
    posterior.col(0) << 1.0, 1.0, 1.0, 0.0;
    posterior.col(1) << 0.0, 0.0, 0.0, 1.0;
    const RowMatrix counts = level_counts(table.data, posterior);
    const double c = concentration(0);
    const MixtureParameters params =
        columns_of(table.data, counts, posterior.colwise().sum().transpose(), c);
    const ItemSet items = all_items(table.data);
    const RowMatrix at_rest = e_step(table.data, params, items).posterior;
    const RowMatrix held_out = held_out_posterior(
        table.data, params, items, at_rest,
        pull_of_answers(table.data, counts, of_one_concentration(table.data, 0)));
    expect_true(at_rest(3, 1) > 0.97);
    expect_true(held_out(3, 1) < 0.9);
    for (Index row = 0; row < 3; ++row) expect_true(held_out(row, 0) > 0.6);
  }

  test_that("whatever is taken out, probabilities are left, the same on several threads") {
    Random random(2);
    const std::vector<Index> n_levels(40, 3);
    const MixtureParameters params = random_parameters(random, n_levels, 4);
    Table table = draw_table(random, params, {20000, n_levels, 0.1, true});
    const ItemSet items = all_items(table.data);
    RowMatrix posterior = random_posterior(random, 20000, 4);
    posterior.row(7) << 0.0, 0.0, 1.0, 0.0;
    for (const double pull : {0.0, 1e-3, 0.9, 1e9}) {
      const auto found = [&](int n_threads) {
        table.data.n_threads = n_threads;
        return held_out_posterior(table.data, params, items, posterior,
                                  RowMatrix::Constant(40, 4, pull));
      };
      const RowMatrix one = found(1);
      expect_true(found(3) == one);
      expect_true(one.minCoeff() >= 0.0);
      expect_true((one.rowwise().sum().array() - 1.0).abs().maxCoeff() < 1e-12);
      expect_true(one.row(7) == posterior.row(7));
    }
  }
}

}  // namespace mdpd
