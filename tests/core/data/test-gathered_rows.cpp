#include "data/gathered_rows.h"

#include <testthat.h>

#include "data/shards.h"

namespace mdpd {

namespace {

class OneShard : public RowSource {
 public:
  explicit OneShard(Shard shard) : shard_(std::move(shard)) {}
  Index n_blocks() const override { return 1; }
  Shard read(Index) const override { return shard_; }

 private:
  const Shard shard_;
};

}  // namespace

context("gathered_rows") {
  test_that("a sample is of rows that count, as many as there are of them to have") {
    Random random(1);
    Shard shard = dense_shard(random, 20000, false);
    for (Index row = 0; row < shard.n_obs; ++row) {
      if (row % 10 != 0) shard.case_weights[row] = 0.0;
      shard.codes[row] = 1;  // a row without any answer does not count
    }
    const OneShard source(shard);
    const BlockedRows rows(source, some_levels, 1, 0.0);
    const GatheredRows half = gather_sample(rows, 1000);
    expect_true(std::abs(half.rows.n_obs - 1000) < 100);
    expect_true((half.rows.case_weights.array() == 1.0).all());
    expect_true(gather_sample(rows, 2000).rows.n_obs == 2000);
    expect_true(gather_sample(rows, 5000).rows.n_obs == 2000);
  }
}

}  // namespace mdpd
