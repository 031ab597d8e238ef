#include <testthat.h>

#include "data/row_sums.h"
#include "pairs/dependence.h"
#include "pairs/union_bounds.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Row weight times nats left in the table of a pair, by its definition.
double dependence_twin(const CodedData& data, const RowMatrix& weights, Index i, Index j,
                       MissingCells missing) {
  PairTable table;
  fill_pair_table(data, weights, i, j, missing, table);
  const Matrix joint = table.component(0);
  double sum = 0.0;
  for (Index r = 0; r < joint.rows(); ++r) {
    for (Index s = 0; s < joint.cols(); ++s) {
      const double cell = joint(r, s);
      const double expected = joint.row(r).sum() * joint.col(s).sum() / joint.sum();
      if (cell > 0.0) sum += cell * std::log(cell / expected);
    }
  }
  return sum;
}

const std::vector<ComponentPair> all_unions = {{0, 1}, {0, 2}, {1, 2}};

/// Calls check(most, dependence) for every pair of items and union.
template <class Check>
void for_each_bound(const CodedData& data, const RowMatrix& weights, MissingCells missing,
                    const Check& check) {
  const UnionBounds bounds(data, weights, missing, all_unions);
  for (Index i = 0; i < data.n_items; ++i) {
    for (Index j = i + 1; j < data.n_items; ++j) {
      Vector of_component(3);
      for (Index k = 0; k < 3; ++k) {
        of_component[k] = dependence_twin(data, weights.col(k), i, j, missing);
      }
      for (Index at = 0; at < 3; ++at) {
        const auto& [a, b] = all_unions[at];
        const RowMatrix merged = weights.col(a) + weights.col(b);
        const double exact = dependence_twin(data, merged, i, j, missing);
        check(bounds.most(at, i, j, of_component), exact);
      }
    }
  }
}

}  // namespace

context("union_bounds") {
  test_that("no pair depends more within a union than its bound says") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Random random(seed);
      const std::vector<Index> n_levels = {2, 3, 4, 2, 3};
      const MixtureParameters truth = random_parameters(random, n_levels, 3);
      const Table table = draw_table(random, truth, {80, n_levels, 0.0, true});
      const RowMatrix weights = row_shares(table.data, random_posterior(random, 80, 3));
      for_each_bound(table.data, weights, MissingCells::kIgnore,
                     [](double most, double exact) { expect_true(exact <= most); });
      const Table gaps = draw_table(random, truth, {80, n_levels, 0.3, true});
      for_each_bound(gaps.data, row_shares(gaps.data, random_posterior(random, 80, 3)),
                     MissingCells::kFrozen,
                     [](double most, double exact) { expect_true(exact <= most); });
    }
  }

  test_that("the bound is reached where no item tells the components apart") {
    Random random(3);
    const std::vector<Index> n_levels = {2, 3, 4, 2};
    const Table table = draw_table(random, random_parameters(random, n_levels, 2), {60, n_levels});
    RowMatrix posterior(60, 3);
    posterior.rowwise() = Eigen::RowVector3d(0.2, 0.3, 0.5);
    const RowMatrix weights = row_shares(table.data, posterior);
    for_each_bound(table.data, weights, MissingCells::kIgnore, [](double most, double exact) {
      // The bound allows for rounding.
      expect_true(std::abs(most - exact) < 3e-11);
    });
  }

  test_that("data are complete where every cell counts") {
    const Table full = table_of({{1, 2, 1}, {2, 1, 1}}, {2, 2});
    const Table gap = table_of({{1, 2, 0}, {2, 1, 1}}, {2, 2});
    expect_true(is_complete(full.data, MissingCells::kIgnore));
    expect_true(is_complete(gap.data, MissingCells::kFrozen));
    expect_false(is_complete(gap.data, MissingCells::kIgnore));
  }

  test_that("several threads find the same bounds") {
    Random random(4);
    Table table = random_table(random, {30000, std::vector<Index>(25, 2), 0.0});
    const RowMatrix weights = row_shares(table.data, random_posterior(random, 30000, 3));
    table.data.n_threads = 1;
    const UnionBounds one(table.data, weights, MissingCells::kIgnore, all_unions);
    table.data.n_threads = 3;
    const UnionBounds several(table.data, weights, MissingCells::kIgnore, all_unions);
    for (Index i = 0; i + 1 < 25; ++i) {
      const Vector none = Vector::Zero(3);
      for (Index at = 0; at < 3; ++at) {
        expect_true(several.most(at, i, i + 1, none) == one.most(at, i, i + 1, none));
      }
    }
  }
}

}  // namespace mdpd
