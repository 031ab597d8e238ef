#include "starts/scattered.h"

#include <testthat.h>

#include <cmath>

#include "random_data.h"

namespace mdpd {

namespace {

Table three_items(Vector case_weights = {}) {
  return table_of({{1, 2, 2, 3, 1, 3, 3}, {1, 1, 2, 2, 1, 2, 1}, {2, 1, 0, 2, 2, 1, 1}}, {3, 2, 2},
                  std::move(case_weights));
}

}  // namespace

context("scattered starts") {
  test_that("a start is a mixture, and no two starts or components are alike") {
    const Table table = three_items();
    const ScatteredStarts starts(table.data);
    const MixtureParameters first = starts.start(3, 0);
    const MixtureParameters second = starts.start(3, 1);
    expect_true(first.mixing_weights == Vector::Constant(3, 1.0 / 3.0));
    for (Index item = 0; item < 3; ++item) {
      const auto probs =
          first.item_probs.middleRows(table.data.offset[item], table.data.n_levels[item]);
      expect_true((probs.colwise().sum().array() - 1.0).abs().maxCoeff() < 1e-15);
    }
    expect_true(first.item_probs.minCoeff() > 0.0);
    expect_true((first.item_probs - second.item_probs).cwiseAbs().minCoeff() > 0.0);
    expect_true((first.item_probs.col(0) - first.item_probs.col(1)).cwiseAbs().minCoeff() > 0.0);
  }

  test_that("probabilities are uniform on the simplex") {
    const Table table = three_items();
    const ScatteredStarts starts(table.data);
    Vector sum = Vector::Zero(7);
    Vector squares = Vector::Zero(7);
    constexpr Index n = 4000;
    for (Index number = 0; number < n; ++number) {
      const Vector probs = starts.start(1, number).item_probs;
      sum += probs;
      squares += probs.cwiseAbs2();
    }
    // Of three levels a share has mean 1/3 and mean square 1/6, of two 1/2 and 1/3. Five standard
    // errors of the mean of 4,000 numbers between 0 and 1 are at most .024.
    const Vector mean = sum / n;
    const Vector mean_square = squares / n;
    for (Index r = 0; r < 7; ++r) {
      expect_true(std::abs(mean[r] - (r < 3 ? 1.0 / 3.0 : 0.5)) < 0.024);
      expect_true(std::abs(mean_square[r] - (r < 3 ? 1.0 / 6.0 : 1.0 / 3.0)) < 0.024);
    }
  }

  test_that("the order of rows, items and levels does not matter, nor whether rows are repeated") {
    const Table table = three_items();
    const RowMatrix probs = ScatteredStarts(table.data).start(2, 7).item_probs;
    // Rows backwards, the last item first, the levels of the first item turned round.
    const Table other =
        table_of({{1, 1, 2, 2, 0, 1, 2}, {1, 1, 3, 1, 2, 2, 3}, {1, 2, 1, 2, 2, 1, 1}}, {2, 3, 2});
    const RowMatrix of_other = ScatteredStarts(other.data).start(2, 7).item_probs;
    const Index where[] = {4, 3, 2, 5, 6, 0, 1};
    for (Index r = 0; r < 7; ++r) expect_true(of_other.row(where[r]) == probs.row(r));

    const Table weighted = three_items((Vector(7) << 1, 2, 1, 3, 0, 1, 2).finished());
    const RowMatrix of_weights = ScatteredStarts(weighted.data).start(2, 7).item_probs;
    const Table written_out = write_out_weights(weighted);
    expect_true(ScatteredStarts(written_out.data).start(2, 7).item_probs == of_weights);
    const CodedData sparse = sparse_copy(table.data);
    expect_true(ScatteredStarts(sparse).start(2, 7).item_probs == probs);
  }

  test_that("levels as frequent as each other differ by those chosen with them") {
    const Table table =
        table_of({{1, 1, 2, 2, 1, 2}, {1, 1, 2, 2, 2, 2}, {1, 2, 2, 2, 1, 1}}, {2, 2, 2});
    const RowMatrix probs = ScatteredStarts(table.data).start(2, 0).item_probs;
    expect_true((probs.row(0) - probs.row(4)).cwiseAbs().minCoeff() > 0.0);
    expect_true((probs.row(0) - probs.row(1)).cwiseAbs().minCoeff() > 0.0);
  }
}

}  // namespace mdpd
