#include "data/row_hash.h"

#include <testthat.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"

namespace mdpd {

namespace {

const std::vector<Code> codes = {1, 2, 0, 2, 2, 1, 0, 0, 3};  // 3 x 3
const Vector weights = Vector::LinSpaced(3, 0.5, 1.5);

Cells dense(const std::vector<Code>& codes, Index n_obs = 3) {
  Cells cells;
  cells.n_obs = n_obs;
  cells.n_levels = {2, 2, 3};
  cells.codes = codes.data();
  return cells;
}

Cells sparse() {
  Cells cells;
  cells.n_obs = 3;
  cells.n_levels = {2, 2, 3};
  cells.row_start = {0, 2, 4, 6};
  cells.items = {0, 1, 0, 1, 1, 2};
  cells.answers = {1, 2, 2, 2, 1, 3};
  return cells;
}

}  // namespace

context("row_hash") {
  test_that("dense and sparse cells and a shard of them have the same hash") {
    const std::uint64_t hash = hash_rows(dense(codes), weights);
    expect_true(hash_rows(sparse(), weights) == hash);
    Shard shard;
    shard.n_obs = 3;
    shard.n_items = 3;
    shard.codes = codes;
    shard.case_weights = weights;
    expect_true(hash_rows(shard) == hash);
    shard.known = {2, 0, 1};
    expect_true(hash_rows(shard) == hash_rows(dense(codes), weights, {1, -1, 0}));
    shard.known.clear();
    shard.is_dense = false;
    shard.row_start = {0, 2, 4, 6};
    shard.items = {0, 1, 0, 1, 1, 2};
    shard.answers = {1, 2, 2, 2, 1, 3};
    expect_true(hash_rows(shard) == hash);
  }

  test_that("the hash never changes: fingerprints that are published depend on it") {
    // By an independent program, the definition in Python.
    expect_true(hash_rows(dense(codes), weights) == 0x92A26BC7B628A46F);
    expect_true(hash_rows(dense(codes), weights, {1, -1, 0}) == 0x2D583BA8B7A4BFE8U);
  }

  test_that("the order of the rows does not matter, and parts add up to the whole") {
    const std::vector<Code> turned = {0, 2, 1, 1, 2, 2, 3, 0, 0};
    const std::uint64_t hash = hash_rows(dense(codes), weights);
    expect_true(hash_rows(dense(turned), weights.reverse()) == hash);
    const std::vector<Code> first = {1, 2, 0};
    const std::vector<Code> others = {2, 0, 2, 1, 0, 3};
    const std::uint64_t sum =
        hash_rows(dense(first, 1), weights.head(1)) + hash_rows(dense(others, 2), weights.tail(2));
    expect_true(sum == hash);
  }

  test_that("every change of a cell, a weight or a known component shows") {
    std::set<std::uint64_t> seen = {hash_rows(dense(codes), weights)};
    for (std::size_t cell = 0; cell < codes.size(); ++cell) {
      for (Code code = 0; code < 4; ++code) {
        std::vector<Code> changed = codes;
        changed[cell] = code;
        if (changed != codes) seen.insert(hash_rows(dense(changed), weights));
      }
    }
    for (Index row = 0; row < 3; ++row) {
      Vector changed = weights;
      changed[row] = std::nextafter(changed[row], 2.0);
      seen.insert(hash_rows(dense(codes), changed));
      for (const Index component : {0, 1}) {
        std::vector<Index> known = {-1, -1, -1};
        known[row] = component;
        seen.insert(hash_rows(dense(codes), weights, known));
      }
    }
    expect_true(seen.size() == 1 + 9 * 3 + 3 + 3 * 2);
    expect_true(hash_rows(dense(codes), weights, {-1, -1, -1}) == hash_rows(sparse(), weights));
  }

  test_that("rows that repeat others count, and empty ones too") {
    const std::vector<Code> none(6, 0);
    const Vector ones = Vector::Ones(2);
    expect_true(hash_rows(dense(none, 2), ones) == 2 * hash_rows(dense(none, 1), ones.head(1)));
    expect_true(hash_rows(dense(none, 1), ones.head(1)) != 0);
  }

  test_that("a code that stands for missing cells counts as none, and zeros have no sign") {
    std::vector<Code> without = codes;
    std::replace(without.begin() + 3, without.begin() + 6, Code{2}, Code{0});
    const std::uint64_t hash = hash_rows(dense(without), weights);
    expect_true(hash_rows(dense(codes), weights, {}, {0, 2, 0}) == hash);
    expect_true(hash_rows(sparse(), weights, {}, {0, 2, 0}) == hash);
    Vector zero = weights;
    zero[0] = 0.0;
    const std::uint64_t with_zero = hash_rows(dense(codes), zero);
    zero[0] = -0.0;
    expect_true(hash_rows(dense(codes), zero) == with_zero);
  }

  test_that("sizes that disagree are errors") {
    expect_error_as(hash_rows(dense(codes), weights.head(2)), DimensionError);
    expect_error_as(hash_rows(dense(codes), weights, {1}), DimensionError);
    expect_error_as(hash_rows(dense(codes), weights, {}, {1}), DimensionError);
  }
}

}  // namespace mdpd
