#include "fit/decisions.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

/// All rows as one block.
class OneBlock : public RowSource {
 public:
  explicit OneBlock(const Table& table, std::vector<Code> known = {})
      : table_(table), known_(std::move(known)) {}
  Index n_blocks() const override { return 1; }
  Shard read(Index) const override {
    Shard out;
    out.n_obs = table_.data.n_obs;
    out.n_items = table_.data.n_items;
    out.codes = table_.codes;
    out.case_weights = table_.data.case_weights;
    out.known = known_;
    return out;
  }

 private:
  const Table& table_;
  const std::vector<Code> known_;
};

ChangedRows changed_in(const Table& table, const Classifier& before, const Classifier& after,
                       Index most = 1000) {
  const OneBlock source(table);
  return changed_rows(BlockedRows(source, table.data.n_levels, 1, 0.0), before, after, most);
}

Index class_twin(const Table& table, Index row, const Classifier& by) {
  const Table one = pick_rows(table, {row});
  const EStep step = e_step(one.data, by.at.params, by.at.items);
  Vector shares = Vector::Zero(3);
  for (Index k = 0; k < 3; ++k)
    shares[by.labels.empty() ? k : by.labels[k]] += step.posterior(0, k);
  Index at = 0;
  shares.maxCoeff(&at);
  return at;
}

}  // namespace

context("decisions") {
  test_that("rows that are held are of their class, before and after") {
    Random random(3);
    const Table table = random_table(random, {60, {3, 3, 3}, 0.0, false});
    const Classifier at{{random_parameters(random, table.data.n_levels, 3), {0, 1, 2}}, {2, 0, 1}};
    std::vector<Code> known(60, 0);
    for (Index row = 0; row < 60; row += 3) known[row] = static_cast<Code>(1 + row % 2);
    const OneBlock source(table, known);
    BlockedRows rows(source, table.data.n_levels, 1, 1e9);
    expect_true(changed_rows(rows, at, at, 1000).n == 0);
    rows.hold_known({1, 2, 0});
    Classifier before = at;
    before.known = {{0, 2}, {1, 0}};
    const ChangedRows changed = changed_rows(rows, before, at, 1000);
    std::size_t next = 0;
    for (Index row = 0; row < 60; ++row) {
      const Index by_answers = class_twin(table, row, at);
      const Index from = row == 0 ? 2 : row == 1 ? 0 : by_answers;
      const Index to = known[row] > 0 ? known[row] - 1 : by_answers;
      if (from == to) continue;
      const ChangedRow& listed = changed.rows.at(next++);
      expect_true(std::vector<Index>({listed.row, listed.from, listed.to}) ==
                  std::vector<Index>({row, from, to}));
    }
    expect_true(next == changed.rows.size());
    expect_true(next > 5);
  }

  test_that("rows whose answers told nothing before are of no class before") {
    Random random(4);
    const Table table = random_table(random, {80, {3, 3}, 0.5, false});
    const MixtureParameters params = random_parameters(random, table.data.n_levels, 3);
    const Classifier after{{params, {0, 1}}};
    Classifier before = after;
    before.n_levels = {2, 0};
    const ChangedRows changed = changed_in(table, before, after);
    std::size_t next = 0;
    for (Index row = 0; row < 80; ++row) {
      const bool has_answer = table.code(row, 0) > 0 || table.code(row, 1) > 0;
      const bool had_answer = table.code(row, 0) == 1 || table.code(row, 0) == 2;
      if (!has_answer || had_answer) continue;
      const ChangedRow& listed = changed.rows.at(next++);
      expect_true(std::vector<Index>({listed.row, listed.from, listed.to}) ==
                  std::vector<Index>({row, no_component, class_twin(table, row, after)}));
    }
    expect_true(next == changed.rows.size());
    expect_true(next > 10);
  }

  test_that("rows of another class are those by the posteriors, one by one") {
    Random random(1);
    const Table table = random_table(random, {300, {2, 3, 4, 2}, 0.3, true});
    for (const bool has_labels : {false, true}) {
      Classifier before{{random_parameters(random, table.data.n_levels, 3), {0, 1, 2}}};
      Classifier after{{random_parameters(random, table.data.n_levels, 3), {0, 2, 3}}};
      if (has_labels) before.labels = after.labels = {1, 0, 1};
      const ChangedRows changed = changed_in(table, before, after);
      std::size_t at = 0;
      for (Index row = 0; row < 300; ++row) {
        const Index from = class_twin(table, row, before);
        const Index to = class_twin(table, row, after);
        bool has_answer = false;
        for (Index item = 0; item < 4; ++item) has_answer = has_answer || table.code(row, item) > 0;
        if (from == to || !has_answer) continue;
        expect_true(at < changed.rows.size());
        expect_true(changed.rows[at].row == row);
        expect_true(changed.rows[at].from == from);
        expect_true(changed.rows[at].to == to);
        ++at;
      }
      expect_true(at > 20);
      expect_true(static_cast<Index>(at) == changed.n);
      const ChangedRows some = changed_in(table, before, after, 5);
      expect_true(some.rows.size() == 5);
      expect_true(some.n == changed.n);
    }
  }

  test_that("a tie goes to the first label, or to the largest component") {
    const Table table = table_of({{1, 2}}, {2});
    // The answers say nothing; the weights differ by less than rounding.
    Classifier by{{{Vector(3), RowMatrix::Constant(2, 3, 0.5)}, {0}}};
    by.at.params.mixing_weights << 0.25, 0.375 - 1e-12, 0.375;
    Classifier other = by;
    other.at.params.mixing_weights << 0.25, 0.375, 0.375 - 1e-12;
    const ChangedRows changed = changed_in(table, by, other);
    expect_true(changed.n == 2);
    expect_true(changed.rows[0].from == 2);
    expect_true(changed.rows[0].to == 1);
    by.labels = other.labels = {2, 1, 0};
    expect_true(changed_in(table, by, other).n == 0);
  }
}

}  // namespace mdpd
