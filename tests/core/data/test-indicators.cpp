#include "data/indicators.h"

#include <testthat.h>

#include "data/packed_items.h"
#include "random_data.h"

namespace mdpd {

namespace {

bool bit_of(const Indicators& in, const IndicatorTile& tile, Index row, Index column) {
  const std::uint8_t* bits = in.bits.data() + tile.start + row * tile.n_bytes;
  const Index within = column % columns_of_row;
  const Index byte = column / columns_of_row * bytes_of_row + within % bytes_of_row;
  return (bits[byte] >> (within / bytes_of_row) & 1) != 0;
}

}  // namespace

context("indicators") {
  test_that("a column holds one level of one item") {
    Random random(1);
    std::vector<Index> n_levels(130, 5);
    n_levels[3] = 1;
    n_levels[50] = 254;
    const Table table = random_table(random, {300, n_levels, 0.1});
    const Indicators& in = indicators_of(table.data);
    expect_true(&in == &indicators_of(table.data));
    expect_true(in.tiles.size() > 1);
    Index next = 0;
    bool all_right = true;
    for (const IndicatorTile& tile : in.tiles) {
      Index column = 0;
      expect_true(tile.first_item == next);
      for (; next < tile.last_item; ++next) {
        all_right = all_right && tile.first_column[next - tile.first_item] == column;
        const Index lowest = table.data.has_missing[next] ? 0 : 1;
        for (Index digit = 1; digit < n_digits(table.data, next); ++digit, ++column) {
          for (Index n = 0; n < 300; ++n) {
            const bool has_level = table.code(n, next) == digit + lowest;
            all_right = all_right && bit_of(in, tile, n, column) == has_level;
          }
        }
      }
      expect_true(tile.n_columns == column);
      for (; column < 8 * tile.n_bytes; ++column) {
        for (Index n = 0; n < 300; ++n) {
          all_right = all_right && !bit_of(in, tile, n, column);
        }
      }
    }
    expect_true(next == 130);
    expect_true(all_right);
  }
}

}  // namespace mdpd
