#include "subset_sums.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

/// A run over random bits and weights, and what it should add.
struct Run {
  std::vector<std::uint8_t> bits;
  std::vector<std::uint16_t> weights;
  std::vector<std::uint32_t> rows;
  RowRun run;
};

Run random_run(Random& random, Index n_rows, Index n_bytes, Index n_weights, int largest) {
  constexpr Index n_obs = 700;
  Run out;
  for (Index at = 0; at < n_obs * n_bytes; ++at) {
    out.bits.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  const Index stride = (n_weights + digits_of_vector - 1) / digits_of_vector * digits_of_vector;
  for (Index at = 0; at < n_obs * stride; ++at) {
    // At the largest all rows are at it, so that a sum that is too large for its bits shows.
    const int weight = largest - static_cast<int>(at % 3 == 0 ? random.below(largest) : 0);
    out.weights.push_back(static_cast<std::uint16_t>(weight));
  }
  const std::vector<Index> order = random.order(n_obs);
  for (Index at = 0; at < n_rows; ++at) out.rows.push_back(static_cast<std::uint32_t>(order[at]));
  out.run = {out.rows.data(),    n_rows,    out.bits.data(), n_bytes,
             out.weights.data(), n_weights, stride};
  return out;
}

/// One column at a time, straight from the bits.
std::int32_t plain_sum(const RowRun& run, Index column, Index weight) {
  const Index within = column % columns_of_row;
  const Index byte = column / columns_of_row * bytes_of_row + within % bytes_of_row;
  std::int32_t sum = 0;
  for (Index at = 0; at < run.n_rows; ++at) {
    const bool has = run.bits[run.rows[at] * run.n_bytes + byte] >> (within / bytes_of_row) & 1;
    if (has) sum += run.weights[run.rows[at] * run.weight_stride + weight];
  }
  return sum;
}

/// Whether a run adds what it should to two of three targets.
bool adds_plain_sums(const RowRun& run, Index first_block, Instructions instructions) {
  const Index n_blocks = 8 * run.n_bytes / columns_of_block - first_block;
  const Index size = n_blocks * run.n_weights * columns_of_block;
  std::vector<std::int32_t> sums(3 * size, 7);
  const std::vector<Index> targets = {0, 2 * size};
  RunBuffers buffers;
  const BlockSums to{first_block, n_blocks, sums.data()};
  for (int time = 0; time < 2; ++time) add_run(run, to, targets.data(), 2, buffers, instructions);
  for (Index block = 0; block < n_blocks; ++block) {
    for (Index k = 0; k < run.n_weights; ++k) {
      for (Index column = 0; column < columns_of_block; ++column) {
        const std::int32_t plain =
            2 * plain_sum(run, (first_block + block) * columns_of_block + column, k);
        const Index at = (block * run.n_weights + k) * columns_of_block + place_in_block[column];
        if (sums[at] != 7 + plain || sums[size + at] != 7 || sums[2 * size + at] != 7 + plain) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

context("subset_sums") {
  test_that("a run adds the sums of every column, to the last bit on every processor") {
    Random random(1);
    for (const Index n_rows : {1, 2, 3, 4, 5, 37, 511, 512}) {
      for (const Index n_weights : {1, 2, 3, 4, 5, 8, 9, 20}) {
        const Index n_bytes = bytes_of_row * (1 + n_weights % 2);
        const Run in = random_run(random, n_rows, n_bytes, n_weights, (1 << bits_of_digit) - 1);
        for (const Index first_block : {0, 3}) {
          expect_true(adds_plain_sums(in.run, first_block, Instructions::kPortable));
          expect_true(adds_plain_sums(in.run, first_block, widest_instructions()));
        }
      }
    }
  }

  test_that("full runs of the largest weights fit") {
    Random random(2);
    Run in = random_run(random, rows_of_run, bytes_of_row, 3, 1);
    std::fill(in.bits.begin(), in.bits.end(), std::uint8_t{255});
    std::fill(in.weights.begin(), in.weights.end(),
              static_cast<std::uint16_t>((1 << bits_of_digit) - 1));
    expect_true(adds_plain_sums(in.run, 0, Instructions::kPortable));
    expect_true(adds_plain_sums(in.run, 0, widest_instructions()));
  }
}

}  // namespace mdpd
