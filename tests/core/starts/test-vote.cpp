#include "starts/vote.h"

#include <testthat.h>

#include "monitors.h"
#include "random_data.h"

namespace mdpd {

namespace {

/// By a plain loop over the cells of a row.
RowMatrix shares_twin(const Table& table, Index n_labels) {
  RowMatrix out(table.data.n_obs, n_labels);
  for (Index row = 0; row < table.data.n_obs; ++row) {
    Vector votes = Vector::Zero(n_labels);
    for (Index item = 0; item < table.data.n_items; ++item) {
      const Index code = table.code(row, item);
      if (code >= 1 && code <= n_labels) votes[code - 1] += 1.0;
    }
    const double n_votes = votes.sum();
    if (n_votes == 0.0) votes.setOnes();
    out.row(row) = votes / votes.sum();
  }
  return out;
}

}  // namespace

context("vote") {
  test_that("the shares are those of a plain loop, dense or sparse, whatever the case weights") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Random random(seed);
      const Table table = random_table(random, {40, std::vector<Index>(6, 3), 0.7, true});
      const RowMatrix twin = shares_twin(table, 3);
      expect_true(distance(label_shares(table.data, 3), twin) < 1e-15);
      expect_true(distance(label_shares(sparse_copy(table.data), 3), twin) < 1e-15);
      expect_true(distance(twin.rowwise().sum(), Vector::Ones(40)) < 1e-15);
    }
  }

  test_that("labels are counted as often as a row has them, and levels beyond them are not") {
    const Table table = table_of({{1, 0, 3}, {1, 0, 1}, {2, 0, 3}}, {3, 3, 3});
    RowMatrix expected(3, 2);
    expected << 2.0, 1.0, 0.0, 0.0, 1.0, 0.0;
    expect_true(label_counts(table.data, 2) == expected);
    expect_true(label_counts(sparse_copy(table.data), 2) == expected);
  }

  test_that("a row without answers has equal shares, and a level beyond the labels is none") {
    const Table table = table_of({{1, 0, 3, 2}, {1, 0, 1, 3}, {2, 0, 3, 3}}, {3, 3, 3});
    RowMatrix expected(4, 2);
    expected << 2.0 / 3.0, 1.0 / 3.0, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0;
    expect_true(distance(label_shares(table.data, 2), expected) < 1e-15);
  }

  test_that("the start is ordinary EM from the shares") {
    const Table table = three_components(1);
    Monitor monitor;
    const MixtureFit start = vote_start(table.data, 3, {}, monitor);
    RefineOptions full;
    full.type = Refinement::kFull;
    const MixtureFit twin = refine(table.data, shares_twin(table, 3), {}, full, monitor).fit;
    expect_true(start.informative == varying_items(table.data));
    expect_true(start.params.n_components() == 3);
    // Some dozens of EM steps on differences of rounding.
    expect_true(relative_difference(start.loglik, twin.loglik) < 1e-10);
    expect_true(distance(start.e_step.posterior, twin.e_step.posterior) < 1e-6);
  }

  test_that("component i of the start is label i") {
    const Table table = three_components(2);
    Monitor monitor;
    const MixtureFit start = vote_start(table.data, 3, {}, monitor);
    for (Index item = 0; item < 9; ++item) {
      for (Index label = 0; label < 3; ++label) {
        Index most_likely = 0;
        start.params.item_probs.col(label).segment(3 * item, 3).maxCoeff(&most_likely);
        expect_true(most_likely == label);
      }
    }
  }

  test_that("an interrupted start unwinds") {
    const Table table = three_components(3);
    InterruptingMonitor interrupting(2);
    expect_error_as(vote_start(table.data, 3, {}, interrupting), Interrupt);
  }
}

}  // namespace mdpd
