#include "data/distinct_rows.h"

#include <testthat.h>

#include <map>
#include <numeric>

#include "base/errors.h"
#include "random_data.h"

namespace mdpd {

namespace {

std::vector<int> row_of(const Table& table, Index row, const std::vector<Index>& known) {
  std::vector<int> out;
  for (Index item = 0; item < table.data.n_items; ++item) out.push_back(table.code(row, item));
  if (!known.empty()) out.push_back(static_cast<int>(known[row]));
  return out;
}

DistinctRows find(const Table& table, const std::vector<Index>& known, Index most) {
  return distinct_rows(table.codes.data(), table.data.n_obs, table.data.n_items, known, most);
}

/// Kinds with all their rows, by way of a map.
std::map<std::vector<int>, std::vector<Index>> kinds_twin(const Table& table,
                                                          const std::vector<Index>& known) {
  std::map<std::vector<int>, std::vector<Index>> out;
  for (Index n = 0; n < table.data.n_obs; ++n) out[row_of(table, n, known)].push_back(n);
  return out;
}

void expect_kinds_of_twin(const Table& table, const std::vector<Index>& known) {
  const auto twin = kinds_twin(table, known);
  const auto n_kinds = static_cast<Index>(twin.size());
  const DistinctRows rows = find(table, known, n_kinds);
  expect_true(static_cast<Index>(rows.first.size()) == n_kinds);
  bool agree = static_cast<Index>(rows.kind.size()) == table.data.n_obs;
  for (const auto& [cells, members] : twin) {
    const Index kind = rows.kind[members.front()];
    agree = agree && rows.first[kind] == members.front();
    for (const Index n : members) agree = agree && rows.kind[n] == kind;
  }
  expect_true(agree);
  expect_true(find(table, known, n_kinds - 1).first.empty());
}

/// Items of which the first `n_constant` have one level, the others two.
std::vector<Index> levels_of(Index n_items, Index n_constant) {
  std::vector<Index> out(n_items, 2);
  std::fill_n(out.begin(), n_constant, 1);
  return out;
}

}  // namespace

context("distinct_rows") {
  test_that("kinds are those of a map of rows, whatever the number of items") {
    Random random(1);
    for (const Index n_items : {1, 7, 8, 9, 16, 17, 40}) {
      const std::vector<Index> n_levels = levels_of(n_items, std::max<Index>(0, n_items - 5));
      for (const Index n_obs : {1, 3, 1024, 3000}) {
        const Table table = random_table(random, {n_obs, n_levels, 0.01, true});
        expect_kinds_of_twin(table, {});
      }
    }
  }

  test_that("rows known to be of different components are of different kinds") {
    Random random(2);
    const Table table = random_table(random, {500, {2, 3, 2}, 0.1, false});
    std::vector<Index> known;
    for (Index n = 0; n < 500; ++n) known.push_back(random.below(3) - 1);
    expect_kinds_of_twin(table, known);
  }

  test_that("many kinds in a table of many items are found, too") {
    Random random(3);
    const Table table = random_table(random, {4000, levels_of(30, 0), 0.0, false});
    expect_kinds_of_twin(table, {});
  }

  test_that("the order of the kinds does not depend on that of the rows") {
    Random random(4);
    const Table table = random_table(random, {300, {2, 3, 4}, 0.1, false});
    const std::vector<Index> order = random.order(300);
    std::vector<Code> codes(table.codes.size());
    for (Index item = 0; item < 3; ++item) {
      for (Index n = 0; n < 300; ++n) codes[item * 300 + n] = table.code(order[n], item);
    }
    const Table permuted(std::move(codes), Vector::Ones(300), {2, 3, 4});
    const DistinctRows before = find(table, {}, 300);
    const DistinctRows after = find(permuted, {}, 300);
    bool same = before.first.size() == after.first.size() && !before.first.empty();
    for (Index n = 0; n < 300; ++n) same = same && after.kind[n] == before.kind[order[n]];
    expect_true(same);
  }

  test_that("known components of fewer rows than there are, are an error") {
    const Table table = table_of({{1, 2, 1}}, {2});
    expect_error_as(find(table, {0}, 3), DimensionError);
  }

  test_that("weights of a kind sum up in any order, and a positive one stays positive") {
    Random random(6);
    std::vector<double> weights = {0.0, 1e-20, 1.0};
    for (int n = 0; n < 100; ++n) weights.push_back(random.uniform());
    ExactSum forth = no_weight(1.0);
    ExactSum back = no_weight(1.0);
    for (const double weight : weights) add_weight(weight, forth);
    for (std::size_t n = weights.size(); n > 0; --n) add_weight(weights[n - 1], back);
    expect_true(forth.value() == back.value());
    const double plain = std::accumulate(weights.begin(), weights.end(), 0.0);
    expect_true(std::abs(forth.value() - plain) < 1e-12);
    ExactSum of_next_to_none = no_weight(1.0);
    add_weight(1e-20, of_next_to_none);
    expect_true(of_next_to_none.value() > 0.0);
    ExactSum of_none = no_weight(1.0);
    add_weight(0.0, of_none);
    expect_true(of_none.value() == 0.0);
  }
}

}  // namespace mdpd
