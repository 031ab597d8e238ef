#include "fit/decisions.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

/// All rows as one block.
class OneBlock : public RowSource {
 public:
  explicit OneBlock(const Table& table) : table_(table) {}
  Index n_blocks() const override { return 1; }
  Shard read(Index) const override {
    Shard out;
    out.n_obs = table_.data.n_obs;
    out.n_items = table_.data.n_items;
    out.codes = table_.codes;
    out.case_weights = table_.data.case_weights;
    return out;
  }

 private:
  const Table& table_;
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
