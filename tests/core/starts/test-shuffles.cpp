#include "starts/shuffles.h"

#include <testthat.h>

#include <algorithm>

#include "random_data.h"

namespace mdpd {

namespace {

Table three_items(Vector case_weights = {}) {
  return table_of({{1, 2, 2, 3, 1, 3, 3, 2}, {1, 1, 2, 2, 1, 2, 1, 1}, {2, 1, 0, 2, 2, 1, 1, 0}},
                  {3, 2, 2}, std::move(case_weights));
}

/// The rows, in a sorted list: of each a code for each item.
std::vector<std::vector<int>> rows_of(const CodedData& data) {
  std::vector<std::vector<int>> rows(data.n_obs, std::vector<int>(data.n_items, 0));
  for (Index item = 0; item < data.n_items; ++item) {
    for_each_answer(data, item, [&](Index row, Code code) { rows[row][item] = code; });
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

context("shuffles") {
  test_that("a table has the levels and the missing cells of the data, dealt out anew") {
    const Table table = three_items();
    Shuffles shuffles(table.data);
    expect_true(rows_of(shuffles.table(0)) == rows_of(table.data));
    for (std::uint64_t number = 1; number <= 5; ++number) {
      const CodedData dealt = shuffles.table(number);
      expect_true(dealt.level_weight == table.data.level_weight);
      int n_missing = 0;
      for (const std::vector<int>& row : rows_of(dealt)) n_missing += row[2] == 0;
      expect_true(n_missing == 2);
      expect_true(rows_of(dealt) != rows_of(table.data));
    }
    const std::vector<std::vector<int>> first = rows_of(shuffles.table(1));
    expect_true(rows_of(shuffles.table(2)) != first);
    expect_true(rows_of(shuffles.table(1)) == first);
  }

  test_that("an answer comes to every row as often") {
    const Table table = three_items();
    Shuffles shuffles(table.data);
    Vector sum = Vector::Zero(8);
    constexpr int n = 4000;
    for (int number = 1; number <= n; ++number) {
      const CodedData dealt = shuffles.table(static_cast<std::uint64_t>(number));
      for_each_answer(dealt, 1, [&](Index row, Code code) { sum[row] += code == 2 ? 1.0 : 0.0; });
    }
    // 3 of 8 answers are 2; five standard errors are .038.
    expect_true((sum.array() / n - 0.375).abs().maxCoeff() < 0.038);
  }

  test_that("the order of rows and levels does not matter, nor whether rows are repeated") {
    const Table table = three_items();
    const Table backwards = table_of(
        {{2, 3, 3, 1, 3, 2, 2, 1}, {1, 1, 2, 1, 2, 2, 1, 1}, {0, 1, 1, 2, 2, 0, 1, 2}}, {3, 2, 2});
    expect_true(rows_of(Shuffles(backwards.data).table(3)) ==
                rows_of(Shuffles(table.data).table(3)));
    const Table weighted = three_items((Vector(8) << 1, 2, 1, 3, 0, 1, 2, 1).finished());
    const Table written_out = write_out_weights(weighted);
    expect_true(rows_of(Shuffles(weighted.data).table(3)) ==
                rows_of(Shuffles(written_out.data).table(3)));
  }
}

}  // namespace mdpd
