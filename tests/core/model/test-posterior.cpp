#include <testthat.h>

#include "base/errors.h"
#include "model/posterior.h"
#include "random_data.h"

namespace mdpd {

namespace {

double largest_row_error(const RowMatrix& posterior) {
  return (posterior.rowwise().sum().array() - 1.0).abs().maxCoeff();
}

/// Bayes' rule row by row, without logarithms of probabilities.
EStep bayes_twin(const Table& table, const MixtureParameters& params, const ItemSet& items) {
  const CodedData& data = table.data;
  EStep step;
  step.posterior.resize(data.n_obs, params.n_components());
  step.row_loglik.resize(data.n_obs);
  for (Index n = 0; n < data.n_obs; ++n) {
    Vector joint = params.mixing_weights;
    for (const Index item : items) {
      const Code code = table.code(n, item);
      if (code == 0) continue;
      joint.array() *= params.item_probs.row(data.offset[item] + code - 1).transpose().array();
    }
    step.posterior.row(n) = joint.transpose() / joint.sum();
    step.row_loglik[n] = std::log(joint.sum());
    step.loglik += data.case_weights[n] * step.row_loglik[n];
  }
  return step;
}

}  // namespace

context("posterior") {
  test_that("posterior and log-likelihood are what Bayes' rule gives on a small table") {
    Random random(1);
    // Groups of one and of several items, and one item with more levels than a group has.
    const std::vector<Index> n_levels = {2, 3, 5, 1, 40, 2, 2};
    const ItemSet items = {4, 0, 2, 3, 5, 1};
    for (const double missing : {0.0, 0.3}) {
      const Table table = random_table(random, {51, n_levels, missing, true});
      for (const Index n_components : {1, 2, 3, 4, 5, 6, 7, 9}) {
        const MixtureParameters params = random_parameters(random, n_levels, n_components);
        const EStep step = e_step(table.data, params, items);
        const EStep twin = bayes_twin(table, params, items);
        expect_true(distance(step.posterior, twin.posterior) < 1e-14);
        expect_true(distance(step.row_loglik, twin.row_loglik) < 1e-13);
        expect_true(relative_difference(step.loglik, twin.loglik) < 1e-13);
      }
    }
  }

  test_that("2000 items neither underflow nor drown what tells the components apart") {
    Random random(2);
    const std::vector<Index> n_levels(2000, 3);
    const MixtureParameters params = planted_mixture(random, n_levels, 2000, 0.5);
    const Table table = draw_table(random, params, {20, n_levels});
    const EStep step = e_step(table.data, params, all_items(table.data));
    expect_true(largest_row_error(step.posterior) < 1e-15);
    expect_true(step.posterior.rowwise().maxCoeff().minCoeff() > 1.0 - 1e-12);
    // About 2000 * (log(3) - 0.06) nats a row, far below the smallest double.
    expect_true(step.row_loglik.maxCoeff() < -1500.0);
  }

  test_that("an item with equal probabilities in all components leaves the posterior unchanged") {
    Random random(4);
    const Table table = random_table(random, {40, {3, 4, 2}, 0.2});
    MixtureParameters params = random_parameters(random, table.data.n_levels, 3);
    set_uninformative_to_marginal(table.data, {0, 2}, params);
    const EStep with = e_step(table.data, params, {0, 1, 2});
    const EStep without = e_step(table.data, params, {0, 2});
    expect_true(distance(with.posterior, without.posterior) < 1e-14);
    expect_true(relative_difference(with.loglik, without.loglik + table.data.marginal_loglik[1]) <
                1e-13);
  }

  test_that("without items, or without answers, the posterior is the mixing weights") {
    Random random(5);
    const Table table = table_of({{1, 0, 2}, {2, 0, 1}}, {2, 2});
    const MixtureParameters params = random_parameters(random, {2, 2}, 3);
    const EStep none = e_step(table.data, params, {});
    expect_true(distance(none.posterior.row(2).transpose(), params.mixing_weights) < 1e-15);
    const EStep step = e_step(table.data, params, {0, 1});
    expect_true(distance(step.posterior.row(1).transpose(), params.mixing_weights) < 1e-15);
    expect_true(std::abs(step.row_loglik[1]) < 1e-15);
  }

  test_that("sparse data and a plain loop over the cells give the same posterior") {
    for (Index n_components = 1; n_components <= 8; ++n_components) {
      Random random(20 + n_components);
      const std::vector<Index> n_levels = {2, 4, 3, 2, 5};
      const MixtureParameters params = random_parameters(random, n_levels, n_components);
      const Table table = draw_table(random, params, {700, n_levels, 0.5, true});
      for (const ItemSet& items : {ItemSet{0, 1, 2, 3, 4}, ItemSet{4, 1}, ItemSet{}}) {
        const EStep step = e_step(table.data, params, items);
        const EStep sparse = e_step(sparse_copy(table.data), params, items);
        RowMatrix posterior(700, n_components);
        Vector row_loglik(700);
        for (Index n = 0; n < 700; ++n) {
          posterior.row(n) = params.mixing_weights.transpose();
          for (const Index item : items) {
            const Code code = table.code(n, item);
            if (code == 0) continue;
            posterior.row(n).array() *=
                params.item_probs.row(table.data.offset[item] + code - 1).array();
          }
          row_loglik[n] = std::log(posterior.row(n).sum());
          posterior.row(n) /= posterior.row(n).sum();
        }
        expect_true(distance(step.posterior, posterior) < 1e-13);
        expect_true(distance(sparse.posterior, posterior) < 1e-13);
        expect_true(distance(step.row_loglik, row_loglik) < 1e-12);
        expect_true(distance(sparse.row_loglik, row_loglik) < 1e-12);
      }
    }
  }

  test_that("an item observed nowhere, as in new data, leaves the posterior as it is") {
    Random random(10);
    const Table table = table_of({{1, 2, 2}, {0, 0, 0}}, {2, 3});
    const MixtureParameters params = random_parameters(random, {2, 3}, 2);
    const EStep with = e_step(table.data, params, {0, 1});
    expect_true(with.posterior == e_step(table.data, params, {0}).posterior);
  }

  test_that("a row of a known component is its, with the density joint with the component") {
    Random random(11);
    Table table = random_table(random, {20, {2, 3}, 0.2});
    const MixtureParameters params = random_parameters(random, {2, 3}, 3);
    const EStep free = e_step(table.data, params, {0, 1});
    table.data.known.assign(20, no_component);
    table.data.known[4] = 2;
    const EStep step = e_step(table.data, params, {0, 1});
    expect_true(step.posterior.row(4) == Eigen::RowVector3d(0.0, 0.0, 1.0));
    const double joint = free.row_loglik[4] + std::log(free.posterior(4, 2));
    expect_true(std::abs(step.row_loglik[4] - joint) < 1e-14);
    expect_true(step.posterior.row(5) == free.posterior.row(5));
    expect_true(step.row_loglik[5] == free.row_loglik[5]);
    // Of one component, which is left where no item tells rows apart, every row is.
    const MixtureParameters one = independence_model(table.data);
    const EStep of_one = e_step(table.data, one, {0, 1});
    expect_true(of_one.posterior == RowMatrix::Ones(20, 1));
    expect_true(of_one.row_loglik.allFinite());
  }

  test_that("with one component the posterior is one") {
    Random random(6);
    const Table table = random_table(random, {10, {2, 3}, 0.2});
    const EStep step = e_step(table.data, independence_model(table.data), {0, 1});
    expect_true(step.posterior == RowMatrix::Ones(10, 1));
    expect_true(relative_difference(step.loglik, table.data.marginal_loglik.sum()) < 1e-14);
  }

  test_that("a component without weight gets none, and an impossible row stays finite") {
    const Table table = table_of({{1, 2}}, {2});
    MixtureParameters params{Vector::Unit(2, 0), RowMatrix(2, 2)};
    params.item_probs << 1.0, 0.5, 0.0, 0.5;
    const EStep step = e_step(table.data, params, {0});
    expect_true(step.posterior(0, 0) == 1.0);
    expect_true(largest_row_error(step.posterior) < 1e-15);
    expect_true(std::isfinite(step.loglik));
  }

  test_that("permuted rows and components give the permuted posterior") {
    Random random(7);
    const Table table = random_table(random, {30, {2, 3, 4}, 0.2, true});
    const MixtureParameters params = random_parameters(random, table.data.n_levels, 3);
    const EStep step = e_step(table.data, params, {0, 1, 2});
    const std::vector<Index> rows = random.order(30);
    const EStep by_row = e_step(pick_rows(table, rows).data, params, {0, 1, 2});
    expect_true(by_row.posterior == pick(step.posterior, rows));
    const Eigen::PermutationMatrix<3> relabel(Eigen::Vector3i(2, 0, 1));
    const EStep by_component = e_step(
        table.data, {relabel * params.mixing_weights, params.item_probs * relabel.transpose()},
        {2, 1, 0});
    expect_true(distance(by_component.posterior, step.posterior * relabel.transpose()) < 1e-14);
    // The sums over items are exact: their order changes no bit.
    expect_true(e_step(table.data, params, {2, 0, 1}).posterior == step.posterior);
  }

  test_that("a row's posterior is the same to the last bit wherever the row stands") {
    Random random(12);
    const std::vector<Index> n_levels(12, 3);
    const Table table = random_table(random, {23, n_levels});
    for (const Index n_components : {2, 3, 7}) {
      const MixtureParameters params = random_parameters(random, n_levels, n_components);
      const EStep all = e_step(table.data, params, all_items(table.data));
      for (Index first = 1; first < 6; ++first) {
        const Table rest = pick_rows(table, range(first, 23));
        const EStep step = e_step(rest.data, params, all_items(rest.data));
        expect_true(step.posterior == all.posterior.bottomRows(23 - first));
        expect_true(step.row_loglik == all.row_loglik.tail(23 - first));
      }
    }
  }

  test_that("parameters of other data are an error") {
    Random random(9);
    const Table table = random_table(random, {10, {2, 3}});
    expect_error_as(e_step(table.data, random_parameters(random, {2, 4}, 2), {0}), DimensionError);
  }

  test_that("several threads give the same bits") {
    Random random(6);
    const std::vector<Index> n_levels(10, 3);
    const MixtureParameters params = random_parameters(random, n_levels, 4);
    Table table = draw_table(random, params, {30000, n_levels, 0.1, true});
    table.data.n_threads = 1;
    const EStep one = e_step(table.data, params, all_items(table.data));
    table.data.n_threads = 3;
    const EStep several = e_step(table.data, params, all_items(table.data));
    expect_true(several.posterior == one.posterior);
    expect_true(several.row_loglik == one.row_loglik);
    expect_true(several.loglik == one.loglik);
  }
}

}  // namespace mdpd
