#include "model/standing_sums.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

RowTotals totals_of(const CodedData& data) {
  return {data.n_obs, data.case_weights.maxCoeff(), data.total_weight, 1, data.level_weight};
}

StandingSums sums_at(const CodedData& data, const RowPoint& at) {
  const RowPass pass = pass_over(data, at, 0);
  return standing_sums(data, totals_of(data), at, pass, pass.loglik.value());
}

}  // namespace

context("standing_sums") {
  test_that("the bound is the log-likelihood where the sums are from, and below it elsewhere") {
    Random random(1);
    const Table table = random_table(random, {200, {2, 3, 4, 2}, 0.2, true});
    const RowPoint at{random_parameters(random, table.data.n_levels, 3), {0, 1, 3}};
    const StandingSums sums = sums_at(table.data, at);
    const double loglik = e_step(table.data, at.params, at.items).loglik;
    expect_true(std::abs(loglik_bound(table.data, sums, at) - loglik) < 1e-9);
    for (int trial = 0; trial < 20; ++trial) {
      const RowPoint other{random_parameters(random, table.data.n_levels, 3), {1, 2}};
      const double there = e_step(table.data, other.params, other.items).loglik;
      expect_true(loglik_bound(table.data, sums, other) < there);
    }
  }

  test_that("sums of one component are those of its only posterior") {
    Random random(2);
    const Table table = random_table(random, {100, {2, 3}, 0.2, true});
    const RowPoint at{independence_model(table.data), {0, 1}};
    const StandingSums by_rows = sums_at(table.data, at);
    const StandingSums sums = standing_sums_of_one(table.data, totals_of(table.data));
    expect_true(sums.counts.levels == by_rows.counts.levels);
    expect_true(sums.counts.components == by_rows.counts.components);
    expect_true((sums.overlap - by_rows.overlap).norm() < 1e-9);
    expect_true((sums.modal - by_rows.modal).norm() < 1e-9);
    expect_true(std::abs(sums.entropy - by_rows.entropy) < 1e-9);
  }

  test_that("sums of other items, levels or components are refused") {
    Random random(3);
    const Table table = random_table(random, {50, {2, 3}});
    const StandingSums sums = standing_sums_of_one(table.data, totals_of(table.data));
    require_compatible({2, 3}, sums, 1);
    expect_error_as(require_compatible({2, 3}, sums, 2), DimensionError);
    expect_error_as(require_compatible({2, 2}, sums, 1), DimensionError);
    expect_error_as(require_compatible({5}, sums, 1), DimensionError);
    StandingSums few = sums;
    few.rows.n_obs = 1;
    require_compatible({2, 3}, few, 1);
    few.rows.n_obs = 0;
    expect_error_as(require_compatible({2, 3}, few, 1), DimensionError);
  }
}

}  // namespace mdpd
