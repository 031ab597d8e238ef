#include "data/packed_items.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

context("packed_items") {
  test_that("packs hold every item once, in order, and as many as fit") {
    Random random(1);
    const Table table = random_table(random, {50, {2, 3, 4, 2, 100, 2, 2, 1, 1}, 0.1});
    for (const Index most : {1, 4, 12, 64, 1000}) {
      Index next = 0;
      for (const Pack& pack : pack_items(table.data, most)) {
        expect_true(pack.first_item == next);
        next += pack.n_items;
        Index n_levels = 1;
        for (Index i = pack.first_item; i < next; ++i) n_levels *= n_digits(table.data, i);
        expect_true(pack.n_levels == n_levels);
        const bool fits = n_levels <= most || pack.n_items == 1;
        const bool is_full = next == 9 || n_levels * n_digits(table.data, next) > most;
        expect_true(fits);
        expect_true(is_full);
      }
      expect_true(next == 9);
    }
  }

  test_that("a pack's code holds the codes of its items") {
    Random random(2);
    // More rows than are made at once; the second item is complete.
    const Table mixed = random_table(random, {3000, {3, 4, 2, 5}, 0.2});
    std::vector<Code> codes = mixed.codes;
    for (Index n = 0; n < 3000; ++n) codes[3000 + n] = std::max<Code>(1, codes[3000 + n]);
    const Table table(codes, Vector::Ones(3000), {3, 4, 2, 5});
    expect_true(n_digits(table.data, 0) == 4);
    expect_true(n_digits(table.data, 1) == 4);
    bool all_right = true;
    const PackedCodes& packed = table.data.packed;
    const Index n_packs = static_cast<Index>(packed.packs.size());
    expect_true(packed.cells.size() == static_cast<std::size_t>(3000 * n_packs));
    for (const Tile& tile : packed.tiles) {
      Index base = 0;
      for (Index p = tile.first_pack; p < tile.last_pack; ++p) {
        const Pack& pack = packed.packs[p];
        for (Index n = 0; n < 3000; ++n) {
          const Index code = packed.cells[n * n_packs + p] - base;
          all_right = all_right && code >= 0 && code < pack.n_levels;
          for (Index i = pack.first_item; i < pack.first_item + pack.n_items; ++i) {
            const Index lowest = table.data.has_missing[i] ? 0 : 1;
            all_right =
                all_right && digit_of(table.data, pack, i, code) == table.code(n, i) - lowest;
          }
        }
        base += pack.n_levels;
      }
      expect_true(base == tile.n_cells);
    }
    expect_true(all_right);
  }

  test_that("tiles hold every pack once, in order") {
    Random random(3);
    std::vector<Index> n_levels(120, 5);
    n_levels[40] = 254;
    const Table table = random_table(random, {20, n_levels});
    Index next_pack = 0;
    Index next_item = 0;
    for (const Tile& tile : table.data.packed.tiles) {
      expect_true(tile.first_pack == next_pack);
      expect_true(tile.first_item == next_item);
      next_pack = tile.last_pack;
      next_item = tile.last_item;
    }
    expect_true(table.data.packed.tiles.size() > 1);
    expect_true(next_pack == static_cast<Index>(table.data.packed.packs.size()));
    expect_true(next_item == 120);
  }
}

}  // namespace mdpd
