#include "starts/kinds.h"

#include <testthat.h>

#include <algorithm>

#include "monitors.h"
#include "random_data.h"
#include "starts/vote.h"

namespace mdpd {

namespace {

/// A fit that has only what names its components.
MixtureFit fit_with(const Matrix& item_probs, ItemSet informative) {
  MixtureFit fit;
  fit.params.mixing_weights =
      Vector::Constant(item_probs.cols(), 1.0 / static_cast<double>(item_probs.cols()));
  fit.params.item_probs = item_probs;
  fit.informative = std::move(informative);
  return fit;
}

/// Answers of each label by component, cell by cell.
Matrix votes_twin(const Table& table, const RowMatrix& posterior, Index n_labels) {
  Matrix votes = Matrix::Zero(n_labels, posterior.cols());
  for (Index n = 0; n < table.data.n_obs; ++n) {
    for (Index item = 0; item < table.data.n_items; ++item) {
      const Index code = table.code(n, item);
      if (code < 1 || code > n_labels) continue;
      votes.row(code - 1) += table.data.case_weights[n] * posterior.row(n);
    }
  }
  return votes;
}

}  // namespace

context("kinds") {
  test_that("a component's label is the one its informative workers give most, one to one") {
    const Table table = table_of({{1, 2, 1, 2}, {1, 2, 2, 1}, {1, 1, 2, 2}}, {2, 2, 2});
    Matrix probs(6, 2);
    probs << 0.2, 0.7, 0.8, 0.3, 0.2, 0.7, 0.8, 0.3, 0.99, 0.01, 0.01, 0.99;
    expect_true(
        (labels_by_answers(table.data, fit_with(probs, {0, 1})) == std::vector<Index>{1, 0}));
    // A worker who is not informative had no say.
    expect_true(labels_by_answers(table.data, fit_with(probs, {2})) == (std::vector<Index>{0, 1}));
    expect_true(labels_by_answers(table.data, fit_with(probs, {})).empty());
    // Both mostly say the first label; the one that says it more gets it.
    probs << 0.6, 0.9, 0.4, 0.1, 0.6, 0.9, 0.4, 0.1, 0.5, 0.5, 0.5, 0.5;
    expect_true(
        (labels_by_answers(table.data, fit_with(probs, {0, 1})) == std::vector<Index>{1, 0}));
  }

  test_that("a worker's say in the labels has the weight of the rows labelled") {
    const Table table = table_of({{1, 0, 0}, {1, 2, 2}}, {2, 2});
    Matrix probs(4, 2);
    probs << 0.9, 0.1, 0.1, 0.9, 0.2, 0.8, 0.8, 0.2;
    expect_true(
        (labels_by_answers(table.data, fit_with(probs, {0, 1})) == std::vector<Index>{1, 0}));
  }

  test_that("a label with less than half as many answers as another gives way, and no other") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const Table table = random_table(random, {60, std::vector<Index>(4, 3), 0.3, true});
      RowMatrix posterior = random_posterior(random, 60, 4);
      for (Index n = 0; n < 60; ++n) {
        // The first component has the rows that say label 2.
        if (table.code(n, 0) == 2) posterior.row(n) << 0.97, 0.01, 0.01, 0.01;
      }
      const std::vector<Index> labels = {0, 1, 2, 0};
      const std::vector<Index> out =
          corrected_by_votes(table.data, level_counts(table.data, posterior), 3, labels);
      const Matrix votes = votes_twin(table, posterior, 3);
      for (Index k = 0; k < 4; ++k) {
        Index most = 0;
        votes.col(k).maxCoeff(&most);
        const bool gives_way = votes(labels[k], k) < 0.5 * votes(most, k);
        expect_true(out[k] == (gives_way ? most : labels[k]));
      }
    }
    // One row in three, and one in two and a half, says the component's label.
    const RowMatrix one = RowMatrix::Ones(6, 1);
    const Table third = table_of({{1, 2, 2, 0, 0, 0}}, {2});
    expect_true(corrected_by_votes(third.data, level_counts(third.data, one), 2, {0}) ==
                (std::vector<Index>{0}));
    const Table fourth = table_of({{1, 2, 2, 2, 0, 0}}, {2});
    expect_true(corrected_by_votes(fourth.data, level_counts(fourth.data, one), 2, {0}) ==
                (std::vector<Index>{1}));
  }

  test_that("rows go to the new kind by what disputes the label, and none for sure") {
    Random random(2);
    const RowMatrix posterior = random_posterior(random, 40, 3);
    RowMatrix shares = random_posterior(random, 40, 2);
    shares.row(0) << 0.0, 1.0;
    const RowMatrix out = split_kind(posterior, shares, 1, 1);
    expect_true(out.cols() == 4);
    expect_true(out.col(0) == posterior.col(0));
    expect_true(out.col(2) == posterior.col(2));
    expect_true(distance(out.col(1) + out.col(3), posterior.col(1)) < 1e-15);
    expect_true(std::abs(out(0, 3) - 0.05 * posterior(0, 1)) < 1e-15);
    for (Index n = 0; n < 40; ++n) {
      const double go = std::min(0.95, std::max(0.05, 1.0 - shares(n, 1)));
      expect_true(std::abs(out(n, 3) - go * posterior(n, 1)) < 1e-15);
    }
  }

  test_that("the agreement is the least share of a component's rows with its label before") {
    Random random(4);
    const Table table = random_table(random, {50, std::vector<Index>(3, 3), 0.2, true});
    const RowMatrix before = random_posterior(random, 50, 3);
    RowMatrix now = random_posterior(random, 50, 4);
    now.col(3) *= 1e-3;  // too small to count, whatever its rows
    for (Index n = 0; n < 50; ++n) now.row(n) /= now.row(n).sum();
    const std::vector<Index> labels = {0, 2, 2, 1};
    const Vector& weights = table.data.case_weights;
    double least = 1.0;
    for (Index k = 0; k < 3; ++k) {
      double agreed = 0.0;
      for (Index n = 0; n < 50; ++n) {
        for (Index at = 0; at < 3; ++at) {
          if (labels[at] == labels[k]) agreed += weights[n] * now(n, k) * before(n, at);
        }
      }
      least = std::min(least, agreed / now.col(k).dot(weights));
    }
    // Rows are rounded to multiples of 2^-52 of all.
    const double out = least_agreement(table.data, now, labels, before);
    expect_true(std::abs(out - least) < 1e-12);
    // A label that nothing had before.
    now.col(3) *= 1e3;
    expect_true(least_agreement(table.data, now, labels, before) == 0.0);
    const RowMatrix sure =
        (before.array() > before.rowwise().maxCoeff().replicate(1, 3).array() - 1e-9)
            .cast<double>();
    expect_true(least_agreement(table.data, sure, {0, 1, 2}, sure) == 1.0);
  }
}

}  // namespace mdpd
