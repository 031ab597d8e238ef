#include "data/blocked_rows.h"

#include <testthat.h>

#include "base/errors.h"
#include "data/rows_in_memory.h"
#include "data/shards.h"

namespace mdpd {

namespace {

struct RowTwin {
  double weight;
  Index label;
  std::vector<std::pair<Index, Code>> answers;

  bool operator==(const RowTwin& other) const {
    return weight == other.weight && label == other.label && answers == other.answers;
  }
};

RowTwin row_twin(const Shard& shard, Index row) {
  RowTwin out{shard.case_weights[row], shard.known.empty() ? 0 : shard.known[row], {}};
  if (shard.is_dense) {
    for (Index item = 0; item < shard.n_items; ++item) {
      const Code code = shard.codes[item * shard.n_obs + row];
      if (code > 0) out.answers.push_back({item, code});
    }
    return out;
  }
  for (std::size_t at = shard.row_start[row]; at < shard.row_start[row + 1]; ++at) {
    out.answers.push_back({shard.items[at], shard.answers[at]});
  }
  return out;
}

/// Shards as blocks, which counts how often they are read.
class CountedShards : public RowSource {
 public:
  explicit CountedShards(std::vector<Shard> shards) : shards_(std::move(shards)) {}
  Index n_blocks() const override { return static_cast<Index>(shards_.size()); }
  Shard read(Index block) const override {
    ++n_read_;
    return shards_[block];
  }
  int n_read() const { return n_read_; }

 private:
  const std::vector<Shard> shards_;
  mutable int n_read_ = 0;
};

std::vector<Shard> cut_in_three(const Shard& shard) {
  return {cut_rows(shard, 0, 6), cut_rows(shard, 6, 1), cut_rows(shard, 7, shard.n_obs - 7)};
}

std::vector<RowTwin> rows_of_blocks(const BlockedRows& rows) {
  std::vector<RowTwin> out;
  rows.for_each_block([&](const CodedData& data, Index first) {
    expect_true(first == static_cast<Index>(out.size()));
    for (Index row = 0; row < data.n_obs; ++row) {
      RowTwin twin{data.case_weights[row], data.known.empty() ? 0 : data.known[row], {}};
      for_each_item_of_row(data, row, [&](Index item, Code code) {
        twin.answers.push_back({item, code});
      });
      out.push_back(twin);
    }
  });
  return out;
}

}  // namespace

context("blocked_rows") {
  test_that("some rows of a shard are those rows") {
    Random random(1);
    for (const Shard& shard : all_kinds(random, 9)) {
      for (Index first = 0; first <= 9; ++first) {
        for (Index n = 0; first + n <= 9; ++n) {
          const Shard cut = cut_rows(shard, first, n);
          expect_true(cut.n_obs == n);
          expect_true(cut.n_items == shard.n_items);
          expect_true(static_cast<Index>(cut.known.size()) == (shard.known.empty() ? 0 : n));
          for (Index row = 0; row < n; ++row) {
            expect_true(row_twin(cut, row) == row_twin(shard, first + row));
          }
        }
      }
      const std::vector<std::pair<Index, Index>> wrong = {{-1, 2}, {0, -1}, {3, 7}, {10, 0}};
      for (const auto& rows : wrong) {
        expect_error_as(cut_rows(shard, rows.first, rows.second), DimensionError);
      }
    }
  }

  test_that("blocks have the rows in order and the totals of all, however they are cut") {
    Random random(2);
    for (const Shard& shard : all_kinds(random, 20)) {
      const CountedShards one({shard});
      const CountedShards three(cut_in_three(shard));
      const BlockedRows whole(one, some_levels, 1, 0.0);
      const BlockedRows cut(three, some_levels, 2, 0.0);
      expect_true(cut.n_obs() == 20);
      expect_true(cut.n_weighted() == (shard.case_weights.array() > 0.0).count());
      expect_true(cut.largest_weight() == shard.case_weights.maxCoeff());
      const std::vector<RowTwin> rows = rows_of_blocks(cut);
      expect_true(rows == rows_of_blocks(whole));
      for (Index row = 0; row < 20; ++row) {
        RowTwin twin = row_twin(shard, row);
        twin.label = 0;  // nothing is held
        expect_true(rows[row] == twin);
      }
      expect_true(cut.frame().level_weight == whole.frame().level_weight);
      expect_true(cut.totals().n_obs == 20);
      expect_true(cut.totals().total_weight == shard.case_weights.sum());
      expect_true(cut.totals().largest_weight == whole.totals().largest_weight);
      expect_true(cut.totals().most_repeats == most_repeats(shard));
    }
  }

  test_that("blocks stay in memory as far as it goes") {
    Random random(3);
    const Shard shard = dense_shard(random, 20, true);
    const std::vector<Shard> parts = cut_in_three(shard);
    // 3 bytes a cell and 24 a row and an item.
    expect_true(n_bytes_of_block(parts[0]) == 3.0 * 30.0 + 24.0 * 11.0);
    const double first = n_bytes_of_block(parts[0]);
    const double all = first + n_bytes_of_block(parts[1]) + n_bytes_of_block(parts[2]);
    const std::vector<std::pair<double, int>> limits = {{first - 1.0, 3}, {first, 2}, {all, 0}};
    for (const auto& [bytes, n_read_again] : limits) {
      const CountedShards source(parts);
      const BlockedRows rows(source, some_levels, 1, bytes);
      expect_true(source.n_read() == 9);
      const std::vector<RowTwin> before = rows_of_blocks(rows);
      const int n_read = source.n_read();
      expect_true(rows_of_blocks(rows) == before);
      expect_true(source.n_read() == n_read + n_read_again);
    }
    const Shard sparse = sparse_shard(random, 4, false, false);
    expect_true(n_bytes_of_block(sparse) == 10.0 * sparse.answers.size() + 24.0 * 9.0);
  }

  test_that("rows whose label is known are held from when that is said") {
    Random random(4);
    Shard shard = with_known(random, sparse_shard(random, 20, false, false));
    shard.known[3] = 2;
    const CountedShards source(cut_in_three(shard));
    BlockedRows rows(source, some_levels, 1, 1e6);
    rows_of_blocks(rows);
    rows.hold_known({5, 4});
    const std::vector<RowTwin> held = rows_of_blocks(rows);
    std::vector<Index> free;
    rows.for_each_free_block([&](const CodedData& data, const std::vector<Index>& known, Index) {
      expect_true(data.known.empty());
      free.insert(free.end(), known.begin(), known.end());
    });
    for (Index row = 0; row < 20; ++row) {
      const Index label = shard.known[row];
      expect_true(held[row].label == (label == 0 ? no_component : label == 1 ? 5 : 4));
      expect_true(free[row] == (label == 0 ? no_component : label - 1));
    }
    rows.hold_known({5});
    expect_error_as(rows_of_blocks(rows), DimensionError);
  }

  test_that("no row, and a code that is no level, are refused") {
    const CountedShards none({Shard()});
    expect_error_as(BlockedRows(none, {}, 1, 0.0), DimensionError);
    Random random(5);
    Shard shard = dense_shard(random, 5, false);
    shard.codes[0] = 3;
    const CountedShards wrong({shard});
    expect_error_as(BlockedRows(wrong, some_levels, 1, 0.0), DimensionError);
  }

  test_that("a table in memory is cut into blocks of as many rows") {
    Random random(6);
    const Table table = random_table(random, {10, some_levels, 0.3, true});
    Cells cells;
    cells.n_obs = 10;
    cells.n_levels = some_levels;
    cells.codes = table.codes.data();
    std::vector<Index> known(10, no_component);
    known[7] = 2;
    const RowsInMemory source(cells, table.data.case_weights, known, 4);
    expect_true(source.n_blocks() == 3);
    expect_true(source.read(0).n_obs == 4);
    expect_true(source.read(2).n_obs == 2);
    for (Index row = 0; row < 10; ++row) {
      const RowTwin twin = row_twin(source.read(row / 4), row % 4);
      expect_true(twin.weight == table.data.case_weights[row]);
      expect_true(twin.label == (row == 7 ? 3 : 0));
      std::size_t n = 0;
      for (Index item = 0; item < 5; ++item) {
        if (table.code(row, item) == 0) continue;
        expect_true(twin.answers[n++] == std::make_pair(item, table.code(row, item)));
      }
      expect_true(n == twin.answers.size());
    }
    known.pop_back();
    expect_error_as(RowsInMemory(cells, table.data.case_weights, known, 4), DimensionError);
  }
}

}  // namespace mdpd
