#include "pairs/subset_sums.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

constexpr Index n_obs = 700;

/// A stretch over random bits and weights, and between which quads each target has its rows.
struct Case {
  struct Range {
    Index target = 0;
    Index first_quad = 0;
    Index last_quad = 0;
  };

  std::vector<std::uint8_t> bits;
  std::vector<std::uint16_t> weights;
  std::vector<std::uint32_t> rows;
  std::vector<Range> ranges;
  RowTable table;
  RowStretch stretch;
};

void add_step(Case& to, Index n_quads, const std::vector<std::int32_t>& closed,
              const std::vector<std::int32_t>& opened) {
  to.stretch.steps.push_back({static_cast<std::int32_t>(n_quads),
                              static_cast<std::int32_t>(closed.size()),
                              static_cast<std::int32_t>(opened.size())});
  std::vector<std::int32_t>& changes = to.stretch.changes;
  changes.insert(changes.end(), closed.begin(), closed.end());
  changes.insert(changes.end(), opened.begin(), opened.end());
}

/// One target has all rows, the other those before the first third and after the second.
void cut_into_thirds(Case& to, Index n_quads) {
  const Index first = n_quads / 3;
  const Index second = 2 * n_quads / 3;
  to.ranges = {{0, 0, n_quads}, {1, second, n_quads}};
  if (first > 0) {
    add_step(to, first, {1}, {});
    to.ranges.push_back({1, 0, first});
  }
  if (first == 0) {
    // What is closed at once without having been opened has all rows from the start.
    to.ranges[1] = {1, 0, n_quads};
    add_step(to, n_quads, {0, 1}, {});
    return;
  }
  add_step(to, second - first, {}, {1});
  add_step(to, n_quads - second, {0, 1}, {});
}

Case random_case(Random& random, Index n_quads, Index n_bytes, Index n_weights, int largest) {
  Case out;
  for (Index at = 0; at < (n_obs + 1) * n_bytes; ++at) {
    out.bits.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  const Index stride = (n_weights + limbs_of_vector - 1) / limbs_of_vector * limbs_of_vector;
  for (Index at = 0; at < n_obs * stride; ++at) {
    // At the largest all rows are at it, so that a sum that is too large for its bits shows.
    const int weight = largest - static_cast<int>(at % 3 == 0 ? random.below(largest) : 0);
    out.weights.push_back(static_cast<std::uint16_t>(weight));
  }
  out.weights.resize((n_obs + 1) * stride, 0);
  for (Index at = 0; at < (n_quads + quads_ahead) * rows_of_quad; ++at) {
    const Index row = at % 11 == 10 ? n_obs : static_cast<Index>(random.below(n_obs));
    out.rows.push_back(static_cast<std::uint32_t>(row));
  }
  cut_into_thirds(out, n_quads);
  out.table = {out.bits.data(), n_bytes, out.weights.data(), n_weights, stride};
  out.stretch.rows = out.rows.data();
  out.stretch.n_quads = n_quads;
  out.stretch.targets = {1, 3};  // among four
  return out;
}

/// One row at a time, straight from the bits; of all rows for column -1.
std::int64_t plain_sum(const Case& in, Index target, Index column, Index weight) {
  const Index within = column % columns_of_row;
  const Index byte = column / columns_of_row * bytes_of_row + within % bytes_of_row;
  std::int64_t sum = 0;
  for (const Case::Range& range : in.ranges) {
    if (range.target != target) continue;
    for (Index at = range.first_quad * rows_of_quad; at < range.last_quad * rows_of_quad; ++at) {
      const Index row = in.rows[at];
      const bool has =
          column < 0 || (in.bits[row * in.table.n_bytes + byte] >> (within / bytes_of_row) & 1) > 0;
      if (has) sum += in.weights[row * in.table.weight_stride + weight];
    }
  }
  return sum;
}

/// Whether a stretch, added twice, gives what it should to two of four targets.
bool adds_plain_sums(const Case& in, Index first_block, Instructions instructions) {
  const Index n_weights = in.table.n_weights;
  const Index n_blocks = 8 * in.table.n_bytes / columns_of_block - first_block;
  const Index size = n_blocks * n_weights * columns_of_block;
  AlignedArray<std::int32_t> sums;
  sums.grow_to(4 * size);
  std::fill_n(sums.data(), 4 * size, 7);
  std::vector<double> all_rows(4 * n_weights, 7.0);
  StretchBuffers buffers;
  const TargetSums to{first_block, n_blocks, sums.data(), all_rows.data()};
  for (int time = 0; time < 2; ++time) {
    add_stretch(in.table, in.stretch, to, buffers, instructions);
  }
  for (Index target = 0; target < 4; ++target) {
    const Index of_stretch = target % 2 == 0 ? -1 : target / 2;
    for (Index k = 0; k < n_weights; ++k) {
      const auto all = static_cast<double>(plain_sum(in, of_stretch, -1, k));
      if (all_rows[target * n_weights + k] != 7.0 + 2.0 * all) return false;
      for (Index at_place = 0; at_place < n_blocks * columns_of_block; ++at_place) {
        const Index block = at_place / columns_of_block;
        const Index place = at_place % columns_of_block;
        const Index column = block * columns_of_block + column_at_place[place];
        const std::int64_t plain =
            plain_sum(in, of_stretch, first_block * columns_of_block + column, k);
        const Index at = target * size + (block * n_weights + k) * columns_of_block + place;
        if (sums.data()[at] != 7 + 2 * plain) return false;
      }
    }
  }
  return true;
}

}  // namespace

context("subset_sums") {
  test_that("a stretch adds the sums of every column, to the last bit on every processor") {
    Random random(1);
    for (const Index n_quads : {1, 2, 3, 4, 37, 254}) {
      for (const Index n_weights : {1, 2, 3, 4, 5, 8, 9, 20}) {
        const Index n_bytes = bytes_of_row * (1 + n_weights % 2);
        const Case in = random_case(random, n_quads, n_bytes, n_weights, (1 << bits_of_limb) - 1);
        for (const Index first_block : {0, 3}) {
          expect_true(adds_plain_sums(in, first_block, Instructions::kPortable));
          expect_true(adds_plain_sums(in, first_block, widest_instructions()));
        }
      }
    }
  }

  test_that("full stretches of the largest weights fit") {
    Random random(2);
    Case in = random_case(random, quads_of_stretch, bytes_of_row, 3, 1);
    std::fill(in.bits.begin(), in.bits.end(), std::uint8_t{255});
    std::fill(in.weights.begin(), in.weights.end(),
              static_cast<std::uint16_t>((1 << bits_of_limb) - 1));
    expect_true(adds_plain_sums(in, 0, Instructions::kPortable));
    expect_true(adds_plain_sums(in, 0, widest_instructions()));
  }

  test_that("without columns all rows are added up nevertheless") {
    Random random(3);
    const Case in = random_case(random, 9, 0, 2, 100);
    expect_true(adds_plain_sums(in, 0, Instructions::kPortable));
    expect_true(adds_plain_sums(in, 0, widest_instructions()));
  }
}

}  // namespace mdpd
