#include "data/recode_shard.h"

#include <testthat.h>

#include <map>

#include "random_data.h"

namespace mdpd {

namespace {

/// Rows of three items as they came, of which the store has five.
Shard some_rows(bool is_dense) {
  Shard shard;
  shard.n_obs = 3;
  shard.n_items = 3;
  shard.is_dense = is_dense;
  if (is_dense) {
    shard.codes = {1, 2, 0, 2, 2, 1, 0, 0, 3};
  } else {
    shard.row_start = {0, 2, 4, 6};
    shard.items = {0, 1, 0, 1, 1, 2};
    shard.answers = {1, 2, 2, 2, 1, 3};
  }
  shard.case_weights = Vector::LinSpaced(3, 0.5, 1.5);
  return shard;
}

Recoding some_recoding(bool is_dense) {
  return {{1, 2, 2, 1, 3}, {4, 1, 2}, {{0, 3, 1}, {0, 1, 2}, {0, 2, 1, 0}}, is_dense};
}

const std::vector<Code> recoded = {0, 0, 0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 3, 1, 0};

}  // namespace

context("recode_shard") {
  test_that("items get their places and answers their new codes, sparse or dense") {
    for (const bool is_dense : {true, false}) {
      const Shard shard = recode_shard(some_rows(is_dense), some_recoding(true));
      expect_true(shard.is_dense);
      expect_true(shard.n_items == 5);
      expect_true(shard.codes == recoded);
    }
  }

  test_that("the answers of sparse rows are sorted by item and code, those without code are gone") {
    const Shard shard = recode_shard(some_rows(false), some_recoding(false));
    expect_true(shard.row_start == (std::vector<std::size_t>{0, 2, 4, 5}));
    expect_true(shard.items == (std::vector<std::uint32_t>{1, 4, 1, 4, 1}));
    expect_true(shard.answers == (std::vector<Code>{2, 3, 2, 1, 1}));
  }

  test_that("one list of codes may serve all items") {
    Recoding recoding = some_recoding(false);
    recoding.n_levels = {3, 3, 3};
    recoding.item_of = {0, 1, 2};
    recoding.code_of = {{0, 2, 1, 3}};
    Shard rows = some_rows(false);
    rows.known = {2, 0, 3};
    const Shard shard = recode_shard(rows, recoding);
    expect_true(shard.answers == (std::vector<Code>{2, 1, 1, 1, 2, 3}));
    expect_true(shard.known == (std::vector<Code>{1, 0, 3}));
  }

  test_that("weighted counts are those of a map, of dense rows and of sparse ones") {
    for (const bool is_dense : {true, false}) {
      const Shard shard = recode_shard(some_rows(false), some_recoding(is_dense));
      const Vector counts = level_weights(shard, {1, 2, 2, 1, 3});
      std::map<std::pair<Index, Code>, double> twin;
      for (Index row = 0; row < 3; ++row) {
        for (Index item = 0; item < 5; ++item) {
          twin[{item, recoded[item * 3 + row]}] += shard.case_weights[row];
        }
      }
      Index at = 0;
      for (Index item = 0; item < 5; ++item) {
        for (Code code = 1; code <= std::vector<Code>{1, 2, 2, 1, 3}[item]; ++code) {
          // Halves add up exactly.
          expect_true(std::abs(counts[at++] - twin[{item, code}]) < 1e-15);
        }
      }
    }
  }

  test_that("what does not fit is an error") {
    Recoding recoding = some_recoding(true);
    recoding.item_of = {4, 1};
    expect_error_as(recode_shard(some_rows(true), recoding), DimensionError);
    recoding.item_of = {4, 1, 5};
    expect_error_as(recode_shard(some_rows(true), recoding), DimensionError);
    recoding = some_recoding(true);
    recoding.code_of[2] = {0, 1, 2};
    expect_error_as(recode_shard(some_rows(true), recoding), DimensionError);
    expect_error_as(recode_shard(some_rows(false), recoding), DimensionError);
    Shard repeated = some_rows(false);
    repeated.items[1] = 0;
    Shard known = some_rows(false);
    known.known = {1, 0, 0};
    expect_error_as(recode_shard(known, some_recoding(false)), DimensionError);
    expect_error_as(recode_shard(repeated, some_recoding(true)), DimensionError);
  }
}

}  // namespace mdpd
