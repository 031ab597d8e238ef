#include "indicators.h"

#include <testthat.h>

#include "packed_items.h"
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
  test_that("a column holds one level of one item, or all rows") {
    Random random(1);
    std::vector<Index> n_levels(130, 5);
    n_levels[3] = 1;
    n_levels[50] = 254;
    n_levels[60] = 63;
    n_levels[61] = 64;
    const Table table = random_table(random, {300, n_levels, 0.1});
    const Indicators& in = table.data.indicators;
    expect_true(in.tiles.size() > 1);
    Index next = 0;
    bool all_right = true;
    for (const IndicatorTile& tile : in.tiles) {
      Index column = 0;
      expect_true(tile.first_column.size() == tile.items.size());
      for (std::size_t at = 0; at < tile.items.size(); ++at) {
        const Index item = tile.items[at];
        while (next < item) expect_true(is_wide(table.data, next++));
        ++next;
        all_right = all_right && tile.first_column[at] == column && !is_wide(table.data, item);
        const Index lowest = table.data.has_missing[item] ? 0 : 1;
        for (Index digit = 1; digit < n_digits(table.data, item); ++digit, ++column) {
          for (Index n = 0; n < 300; ++n) {
            const bool has_level = table.code(n, item) == digit + lowest;
            all_right = all_right && bit_of(in, tile, n, column) == has_level;
          }
        }
      }
      expect_true(tile.n_columns == column + 1);
      for (; column < 8 * tile.n_bytes; ++column) {
        for (Index n = 0; n < 300; ++n) {
          const bool is_of_all = column == tile.n_columns - 1;
          all_right = all_right && bit_of(in, tile, n, column) == is_of_all;
        }
      }
    }
    expect_true(next == 130);
    expect_true(all_right);
  }

  test_that("wide items alone have no columns") {
    Random random(2);
    const Table table = random_table(random, {20, {100, 200}});
    expect_true(table.data.indicators.tiles.empty());
    expect_true(table.data.indicators.bits.empty());
  }
}

}  // namespace mdpd
