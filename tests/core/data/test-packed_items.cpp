#include "data/packed_items.h"

#include <testthat.h>

#include "random_data.h"

namespace mdpd {

namespace {

/// The digit of an item of a pack of all items in a code of the pack.
Index digit_of(const CodedData& data, const Pack& pack, Index item, Index code) {
  for (Index at = pack.first_item + pack.n_items - 1; at > item; --at) code /= n_digits(data, at);
  return code % n_digits(data, item);
}

/// Cell of a row of dense data in the table of the tile.
Index cell_of(const PackedItems& packed, Index n_obs, const Tile& tile, Index row, Index pack) {
  const Index n_packs = tile.last_pack - tile.first_pack;
  return packed.cells[n_obs * tile.first_pack + row * n_packs + pack - tile.first_pack];
}

}  // namespace

context("packed_items") {
  test_that("packs hold every item once, in order, and as many as fit") {
    Random random(1);
    const Table table = random_table(random, {50, {2, 3, 4, 2, 100, 2, 2, 1, 1}, 0.1});
    for (const Index most : {1, 4, 12, 64, 1000}) {
      Index next = 0;
      for (const Pack& pack : pack_items(table.data, all_items(table.data), most)) {
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
    std::vector<Index> n_levels;
    for (Index item = 0; item < 200; ++item) n_levels.push_back(Index{2} + item * 7 % 4);
    const Table mixed = random_table(random, {3000, n_levels, 0.2});
    std::vector<Code> codes = mixed.codes;
    for (Index n = 0; n < 3000; ++n) codes[3000 + n] = std::max<Code>(1, codes[3000 + n]);
    const Table table(codes, Vector::Ones(3000), n_levels);
    expect_true(n_digits(table.data, 0) == 3);
    expect_true(n_digits(table.data, 1) == 5);
    bool all_right = true;
    const ReadyItems ready = make_ready(table.data, all_items(table.data));
    const PackedItems& packed = *ready.packed;
    expect_true(packed.tiles.size() > 2);
    expect_true(packed.cells.size() == static_cast<std::size_t>(3000 * packed.n_packs()));
    for (const Tile& tile : packed.tiles) {
      Index base = 0;
      for (Index p = tile.first_pack; p < tile.last_pack; ++p) {
        const Pack& pack = packed.packs[p];
        for (Index n = 0; n < 3000; ++n) {
          const Index code = cell_of(packed, 3000, tile, n, p) - base;
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
    const ReadyItems ready = make_ready(table.data, all_items(table.data));
    Index next_pack = 0;
    for (const Tile& tile : ready.packed->tiles) {
      expect_true(tile.first_pack == next_pack);
      next_pack = tile.last_pack;
    }
    expect_true(ready.packed->tiles.size() > 1);
    expect_true(next_pack == ready.packed->n_packs());
  }

  test_that("some items are packed in the order given, and a cell is the number of its digits") {
    Random random(4);
    for (const double missing : {0.0, 0.2}) {
      const std::vector<Index> n_levels = {2, 3, 1, 40, 5, 2, 2, 2, 2, 2, 3, 3};
      const Table table = random_table(random, {5000, n_levels, missing});
      const CodedData& data = table.data;
      const ItemSet items = {9, 3, 0, 1, 4, 2, 6, 5, 7};
      const ReadyItems ready = make_ready(data, items);
      const PackedItems& packed = *ready.packed;
      expect_true(ready.items == items);
      expect_true(packed.items == items);
      Index next = 0;
      for (const Tile& tile : packed.tiles) {
        Index base = 0;
        for (Index p = tile.first_pack; p < tile.last_pack; ++p) {
          const Pack& pack = packed.packs[p];
          expect_true(pack.first_item == next);
          next += pack.n_items;
          bool agrees = true;
          for (const Index row : {0, 1, 511, 512, 4999}) {
            Index cell = base;
            Index n_cells = pack.n_levels;
            for (Index at = pack.first_item; at < next; ++at) {
              const Index lowest = data.has_missing[items[at]] ? 0 : 1;
              n_cells /= n_digits(data, items[at]);
              cell += (table.code(row, items[at]) - lowest) * n_cells;
            }
            agrees = agrees && cell_of(packed, 5000, tile, row, p) == cell;
          }
          expect_true(agrees);
          base += pack.n_levels;
        }
      }
      expect_true(next == static_cast<Index>(items.size()));
    }
  }

  test_that("all items, or nearly, share packs that are made once") {
    Random random(5);
    const Table table = random_table(random, {20, std::vector<Index>(16, 2)});
    const ReadyItems all = make_ready(table.data, all_items(table.data));
    ItemSet most = all_items(table.data);
    most.erase(most.begin() + 3, most.begin() + 5);
    expect_true(make_ready(table.data, most).packed == all.packed);
    expect_true(make_ready(table.data, most).items == most);
    most.pop_back();
    expect_true(make_ready(table.data, most).packed != all.packed);
    const CodedData copy = table.data;
    expect_true(make_ready(copy, all.items).packed == all.packed);
  }

  test_that("of sparse data each item is a pack, and others share cells behind them") {
    Random random(6);
    const Table table = random_table(random, {20, {2, 4, 3}, 0.5});
    const ReadyItems ready = make_ready(sparse_copy(table.data), {2, 0});
    expect_true(ready.packed->n_packs() == 2);
    expect_true(ready.packed->tiles.size() == 1);
    expect_true(ready.packed->first == std::vector<std::uint32_t>({3, 5, 0}));
    expect_true(ready.packed->n_cells == 5 + 4);
  }

  test_that("no items are no packs") {
    const Table table = table_of({{1, 2}}, {2});
    expect_true(make_ready(table.data, {}).packed->packs.empty());
    expect_true(make_ready(sparse_copy(table.data), {}).packed->packs.empty());
  }

  test_that("of sparse data items of one level are packs of their own, too") {
    const Table table = table_of({{1, 1}, {1, 0}, {1, 1}, {2, 1}}, {1, 1, 1, 2});
    const ReadyItems ready = make_ready(sparse_copy(table.data), {0, 1, 2, 3});
    const std::vector<std::uint32_t> first = {0, 1, 2, 3};
    expect_true(ready.packed->n_packs() == 4);
    expect_true(ready.packed->first == first);
  }
}

}  // namespace mdpd
