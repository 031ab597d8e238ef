#include <testthat.h>

#include "growth/search_budget.h"
#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// Of so many rows and items of two levels; there are no cells.
CodedData shape_of(Index n_obs, Index n_items) {
  CodedData data;
  data.n_obs = n_obs;
  data.n_items = n_items;
  data.offset = {2 * n_items};
  return data;
}

}  // namespace

context("search_budget") {
  test_that("passes shrink as rows, items and components grow, down to some for each component") {
    const FitOptions options;
    const auto passes = [&](Index n_obs, Index n_items, Index k) {
      return most_passes(shape_of(n_obs, n_items), k, options);
    };
    // 2 * (1e4 * 100 answers + 200 levels * 100)
    expect_true(passes(10000, 100, 2) == 1e10 / 2.04e6);
    expect_true(passes(10000, 100, 4) == 1e10 / 4.08e6);
    expect_true(passes(10000, 50, 2) == 2.0 * passes(10000, 100, 2));
    expect_true(passes(20000, 100, 2) < passes(10000, 100, 2));
    expect_true(passes(10000000, 1000, 3) == 1500.0);
  }

  test_that("of sparse data the answers count") {
    const CodedData sparse = sparse_copy(three_components(1).data);
    CodedData fewer = sparse;
    auto& codes = std::get<SparseCodes>(fewer.codes);
    codes.items.resize(codes.items.size() / 2);
    expect_true(most_passes(fewer, 3, {}) > most_passes(sparse, 3, {}));
  }

  test_that("every iteration counts, and reaches the caller") {
    CountingMonitor caller;
    SearchBudget budget(caller);
    expect_true(budget.n_passes() == 0);
    budget.begin(3.0);
    for (Index at = 0; at < 3; ++at) {
      expect_false(budget.is_spent());
      budget.on_iteration(at, 0.0);
    }
    budget.on_stage(0, 1, 0);
    budget.on_work();
    expect_true(budget.is_spent());
    expect_true(budget.n_passes() == 3);
    expect_true(caller.iterations == 3);
    expect_true(caller.stages == 1);
    expect_true(caller.looks == 1);
    budget.begin(1.0);
    expect_false(budget.is_spent());
    expect_true(budget.n_passes() == 0);
  }
}

}  // namespace mdpd
