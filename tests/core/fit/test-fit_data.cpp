#include "fit/fit_data.h"

#include <testthat.h>

#include <set>

#include "fit/problems.h"
#include "model/m_step.h"

namespace mdpd {

namespace {

/// The cells of a row, and its known component.
std::vector<Index> row_of(const Table& table, Index row, const std::vector<Index>& known) {
  std::vector<Index> out;
  for (Index item = 0; item < table.data.n_items; ++item) out.push_back(table.code(row, item));
  if (!known.empty()) out.push_back(known[row]);
  return out;
}

Index n_different(const Table& table, const std::vector<Index>& known) {
  std::set<std::vector<Index>> rows;
  for (Index n = 0; n < table.data.n_obs; ++n) rows.insert(row_of(table, n, known));
  return static_cast<Index>(rows.size());
}

std::vector<Index> some_known(Index n_obs) {
  std::vector<Index> out;
  for (Index n = 0; n < n_obs; ++n) out.push_back(n % 5 < 2 ? n % 5 : no_component);
  return out;
}

FitData rows_of(const Problem& problem) { return FitData(problem.cells, problem); }

}  // namespace

context("fit_data") {
  test_that("equal rows are one of their weight, and all that is summed over rows stays") {
    for (const bool weighted : {false, true}) {
      const Table table = repeating_table(1, weighted);
      const FitData rows = rows_of(problem_of(table));
      const CodedData& kinds = rows.data();
      expect_true(kinds.n_obs == n_different(table, {}));
      expect_true(kinds.total_weight == table.data.total_weight);
      expect_true(kinds.level_weight == table.data.level_weight);  // whole numbers
      expect_true(kinds.observed_weight == table.data.observed_weight);
      expect_true(distance(kinds.marginal_loglik, table.data.marginal_loglik) < 1e-11);
    }
  }

  test_that("rows of different known components stay apart, and keep them") {
    const Table table = repeating_table(2, false);
    Problem problem = problem_of(table);
    problem.known = some_known(400);
    FitData rows = rows_of(problem);
    expect_true(rows.data().n_obs == n_different(table, problem.known));
    expect_true(static_cast<Index>(rows.known().size()) == rows.data().n_obs);
    expect_true(rows.data().known.empty());
    rows.hold_known();
    expect_true(rows.data().known == rows.known());
    Vector weight = Vector::Zero(3);
    for (Index n = 0; n < rows.data().n_obs; ++n) {
      weight[rows.known()[n] + 1] += rows.data().case_weights[n];
    }
    expect_true(weight == Vector(Eigen::Vector3d(240.0, 80.0, 80.0)));
  }

  test_that("data of many kinds of rows, and sparse ones, are computed with as they are") {
    // A row more than half of the kinds: of a large table it does not pay.
    Random random(3);
    for (const Index n_items : {20, 1250}) {
      std::vector<std::vector<int>> items(n_items);
      for (std::vector<int>& item : items) {
        for (int n = 0; n < 801; ++n) {
          item.push_back(n < 401 ? static_cast<int>(random.below(4)) + 1 : item[n - 401]);
        }
      }
      const Table table = table_of(items, std::vector<Index>(n_items, 4));
      const FitData rows = rows_of(problem_of(table));
      const bool is_large = 801 * n_items > most_cells_of_kinds;
      expect_true(rows.data().n_obs == (is_large ? 801 : 401));
      const Code* cells = std::get<DenseCodes>(rows.data().codes).cells;
      expect_true((cells == table.codes.data()) == is_large);
    }
    const Table repeating = repeating_table(3, true);
    expect_true(rows_of(sparse_problem_of(repeating)).data().n_obs == 400);
  }

  test_that("the first M-step from a start of kinds is that from the start of all rows") {
    for (const bool weighted : {false, true}) {
      const Table table = repeating_table(4, weighted);
      Random random(4);
      const RowMatrix start = random_posterior(random, 400, 3);
      const FitData rows = rows_of(problem_of(table));
      const RowMatrix of_kinds = rows.of_kinds(start, table.data.case_weights);
      expect_true(distance(of_kinds.rowwise().sum(), Vector::Ones(of_kinds.rows())) < 1e-13);
      const MixtureParameters params = m_step(rows.data(), of_kinds, {});
      const MixtureParameters twin = m_step(table.data, start, {});
      expect_true(distance(params.mixing_weights, twin.mixing_weights) < 1e-13);
      expect_true(distance(params.item_probs, twin.item_probs) < 1e-13);
    }
  }

  test_that("a kind without weight has a start as well") {
    std::vector<int> item;
    for (int n = 0; n < 20; ++n) item.push_back(n % 4 + 1);
    Vector weights = Vector::Ones(20);
    for (Index n = 0; n < 20; n += 4) weights[n] = 0.0;
    const Table table = table_of({item, item}, {4, 4}, weights);
    Random random(5);
    const RowMatrix start = random_posterior(random, 20, 2);
    const FitData rows = rows_of(problem_of(table));
    expect_true(rows.data().n_obs == 4);
    const RowMatrix of_kinds = rows.of_kinds(start, weights);
    expect_true(distance(of_kinds.rowwise().sum(), Vector::Ones(4)) < 1e-14);
  }

  test_that("a fit of the kinds is given to all of their rows, to the last bit") {
    const Table table = repeating_table(6, true);
    const FitData rows = rows_of(problem_of(table));
    Random random(6);
    const MixtureParameters params = random_parameters(random, table.data.n_levels, 2);
    const ItemSet items = all_items(table.data);
    MixtureFit fit = finish_fit(rows.data(), params, items);
    const MixtureFit twin = finish_fit(table.data, params, items);
    rows.expand(fit);
    // A row's posterior does not depend on the other rows.
    expect_true(fit.e_step.posterior == twin.e_step.posterior);
    expect_true(fit.e_step.row_loglik == twin.e_step.row_loglik);
    expect_true(relative_difference(fit.loglik, twin.loglik) < 1e-13);
  }

  test_that("what is computed with as it is, is given back as it is") {
    const Table table = table_of({{1, 1, 2, 2}, {1, 2, 1, 2}}, {2, 2});
    const FitData rows = rows_of(problem_of(table));
    Random random(7);
    const RowMatrix start = random_posterior(random, 4, 2);
    expect_true(rows.of_kinds(start, table.data.case_weights) == start);
  }
}

}  // namespace mdpd
