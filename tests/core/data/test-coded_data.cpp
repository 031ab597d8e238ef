#include <testthat.h>

#include "base/errors.h"
#include "base/exact_sums.h"
#include "data/make_data.h"
#include "random_data.h"

namespace mdpd {

context("coded_data") {
  test_that("level counts, observed counts and marginals agree with plain loops") {
    Random random(1);
    const Table table = random_table(random, {60, {2, 5, 3, 1}, 0.3, true});
    const CodedData& data = table.data;
    expect_true(data.n_total_levels() == 11);
    for (Index item = 0; item < data.n_items; ++item) {
      double observed = 0.0;
      double loglik = 0.0;
      for (Index n = 0; n < data.n_obs; ++n) {
        if (table.code(n, item) > 0) observed += data.case_weights[n];
      }
      Index n_seen = 0;
      for (Index r = 0; r < data.n_levels[item]; ++r) {
        double count = 0.0;
        for (Index n = 0; n < data.n_obs; ++n) {
          if (table.code(n, item) == r + 1) count += data.case_weights[n];
        }
        expect_true(data.level_weight[data.offset[item] + r] == count);
        expect_true(data.marginal(item, r) == count / observed);
        if (count > 0.0) loglik += count * std::log(count / observed);
        n_seen += count > 0.0;
      }
      expect_true(data.observed_weight[item] == observed);
      expect_true(data.n_levels_seen[item] == n_seen);
      expect_true(relative_difference(data.marginal_loglik[item], loglik) < 1e-13);
    }
  }

  test_that("a case weight of 2 is a row twice, and one of 0 no row") {
    Random random(2);
    const Table weighted = random_table(random, {40, {2, 3}, 0.2, true});
    const Table repeated = write_out_weights(weighted);
    expect_true(weighted.data.total_weight == repeated.data.total_weight);
    expect_true(weighted.data.level_weight == repeated.data.level_weight);
    expect_true(weighted.data.n_levels_seen == repeated.data.n_levels_seen);
    expect_true(weighted.data.marginal_loglik == repeated.data.marginal_loglik);
  }

  test_that("a level without weight is not seen") {
    const Table table = table_of({{1, 2, 3}}, {4}, Vector::Unit(3, 0) + Vector::Unit(3, 1));
    expect_true(table.data.n_levels_seen[0] == 2);
    expect_true(table.data.marginal(0, 2) == 0.0);
  }

  test_that("one row, one level and a single observed cell are data") {
    const Table row = table_of({{1}, {3}}, {1, 3});
    expect_true(row.data.total_weight == 1.0);
    expect_true(row.data.marginal_loglik == Vector::Zero(2));
    const Table cell = table_of({{0, 0, 2, 0}}, {2});
    expect_true(cell.data.observed_weight[0] == 1.0);
    expect_true(cell.data.total_weight == 4.0);
    expect_true(cell.data.marginal(0, 1) == 1.0);
  }

  test_that("an item may have 254 levels") {
    std::vector<int> codes(254);
    std::iota(codes.begin(), codes.end(), 1);
    const Table table = table_of({codes}, {254});
    expect_true(table.data.level_weight == Vector::Ones(254));
    expect_true(table.data.n_levels_seen[0] == 254);
  }

  test_that("a table without items is a table") {
    const CodedData data = make_coded_data(nullptr, 3, {}, Vector::Ones(3));
    expect_true(data.total_weight == 3.0);
    expect_true(data.n_total_levels() == 0);
    expect_true(all_items(data).empty());
  }

  test_that("all items are all items, in order") {
    const Table table = table_of({{1}, {1}, {1}}, {1, 2, 3});
    expect_true(all_items(table.data) == ItemSet({0, 1, 2}));
  }

  test_that("items vary when at least two of their levels carry weight") {
    const Table table = table_of({{1, 2, 2}, {2, 2, 0}, {1, 1, 2}, {3, 0, 1}}, {2, 2, 2, 3},
                                 Eigen::Vector3d(1.0, 1.0, 0.0));
    expect_true(varying_items(table.data) == ItemSet({0}));
    expect_true(contains({4, 2}, 2));
    expect_false(contains({4, 2}, 0));
  }

  test_that("a code above its item's levels is an error, also in a row without weight") {
    expect_error_as(table_of({{1, 2}, {1, 3}}, {2, 2}), DimensionError);
    expect_error_as(table_of({{1, 2}, {1, 3}}, {2, 2}, Vector::Unit(2, 0)), DimensionError);
  }

  test_that("an item may be observed nowhere, or in rows without weight only") {
    const Table table = table_of({{1, 2}, {0, 0}, {0, 2}}, {2, 2, 2}, Vector::Unit(2, 0));
    for (const Index item : {1, 2}) {
      expect_true(table.data.observed_weight[item] == 0.0);
      expect_true(table.data.n_levels_seen[item] == 0);
      expect_true(table.data.marginal_loglik[item] == 0.0);
    }
  }

  test_that("answers that do not lie row by row are an error") {
    const auto made = [](std::vector<std::size_t> row_start) {
      return make_sparse_data({std::move(row_start), {0, 1, 0}, {1, 2, 2}}, {2, 2},
                              Vector::Ones(2));
    };
    expect_true(made({0, 2, 3}).most_repeats == 1);
    for (const std::vector<std::size_t>& row_start : std::vector<std::vector<std::size_t>>{
             {}, {0}, {1, 2, 3}, {0, 2, 2}, {0, 4, 3}, {0, 2, 4}, {0, 2, 3, 3}}) {
      expect_error_as(made(row_start), DimensionError);
    }
  }

  test_that("the sum of all weights is within what whole numbers of their unit can be") {
    for (const Index n_obs : {1, 100, 10000}) {
      for (const double heavy : {1.0, 1e6, 1e300}) {
        for (const Index most_repeats : {1, 5}) {
          Vector weights = Vector::Ones(n_obs);
          weights[0] = heavy;
          WeightRange range;
          range.add(weights);
          range.add_rough_sum(weights);
          const double unit = range.unit(most_repeats);
          expect_true(weights.sum() / unit < std::ldexp(1.0, bits_of_sum - 1));
          expect_true(heavy / unit < std::ldexp(1.0, bits_of_term));
          // And no coarser than one of them asks for.
          const double sum = weights.sum() * static_cast<double>(most_repeats);
          const bool is_fine = sum / unit > std::ldexp(1.0, bits_of_sum - 4) ||
                               heavy / unit > std::ldexp(1.0, bits_of_term - 3);
          expect_true(is_fine);
        }
      }
    }
  }

  test_that("rows of which only the totals are known count in the unit of weights as others do") {
    const Vector heavy = Vector::Constant(3, 0x1p20);
    const Vector light = Vector::Constant(50, 0.25);
    WeightRange all;
    WeightRange rest;
    all.add(heavy);
    rest.add(RowTotals{3, 0x1p20, 0x3p20, 1, {}});
    for (WeightRange* range : {&all, &rest}) range->add(light);
    all.add_rough_sum(heavy);
    rest.add_rough_sum(RowTotals{3, 0x1p20, 0x3p20, 1, {}});
    for (WeightRange* range : {&all, &rest}) range->add_rough_sum(light);
    expect_true(all.n_obs == 53);
    expect_true(rest.n_obs == 53);
    expect_true(all.unit(2) == rest.unit(2));
    WeightRange of_light;
    of_light.add(light);
    of_light.add_rough_sum(light);
    expect_true(of_light.unit(2) < all.unit(2));
  }

  test_that("too few or too many case weights are an error") {
    const std::vector<Code> codes = {1, 2};
    expect_error_as(make_coded_data(codes.data(), 2, {2}, Vector::Ones(1)), DimensionError);
    expect_error_as(make_coded_data(codes.data(), 2, {2}, Vector::Ones(3)), DimensionError);
  }
}

}  // namespace mdpd
