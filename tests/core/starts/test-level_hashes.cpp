#include "starts/level_hashes.h"

#include <testthat.h>

#include <set>

#include "random_data.h"

namespace mdpd {

context("level hashes") {
  test_that("they go with the levels, in any order of rows, items and levels") {
    const Table table = table_of({{1, 2, 2, 3, 1, 3, 3}, {1, 1, 2, 2, 1, 2, 1}}, {3, 2});
    // Rows backwards, the items and the levels of the first turned round.
    const Table other = table_of({{1, 2, 1, 2, 2, 1, 1}, {1, 1, 3, 1, 2, 2, 3}}, {2, 3});
    const std::vector<std::uint64_t> a = level_hashes(table.data);
    const std::vector<std::uint64_t> b = level_hashes(other.data);
    expect_true(b == std::vector<std::uint64_t>({a[3], a[4], a[2], a[1], a[0]}));
    expect_true(std::set<std::uint64_t>(a.begin(), a.end()).size() == a.size());
  }

  test_that("rows with weights are those written out, and sparse codes those that are dense") {
    Random random(1);
    const std::vector<Index> n_levels(5, 3);
    const MixtureParameters one = random_parameters(random, n_levels, 1);
    const Table table = draw_table(random, one, {40, n_levels, 0.2, true});
    const std::vector<std::uint64_t> hashes = level_hashes(table.data);
    expect_true(level_hashes(write_out_weights(table).data) == hashes);
    expect_true(level_hashes(sparse_copy(table.data)) == hashes);
  }

  test_that("weights beyond whole numbers of 64 bits add up as well") {
    const double large = std::ldexp(1.0, 45);
    const std::vector<std::vector<int>> codes = {{1, 2, 2, 3, 1, 3, 3}, {1, 1, 2, 2, 1, 2, 1}};
    const Table once = table_of(codes, {3, 2}, Vector::Constant(7, 2.0 * large));
    std::vector<std::vector<int>> again = codes;
    for (std::vector<int>& item : again) {
      const std::vector<int> copy = item;
      item.insert(item.end(), copy.begin(), copy.end());
    }
    const Table twice = table_of(again, {3, 2}, Vector::Constant(14, large));
    const std::vector<std::uint64_t> hashes = level_hashes(once.data);
    expect_true(level_hashes(twice.data) == hashes);
    expect_true(std::set<std::uint64_t>(hashes.begin(), hashes.end()).size() == 5);
  }
}

}  // namespace mdpd
