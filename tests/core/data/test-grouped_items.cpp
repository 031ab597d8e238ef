#include "data/grouped_items.h"

#include <testthat.h>

#include "data/packed_items.h"
#include "random_data.h"

namespace mdpd {

context("grouped_items") {
  test_that("groups hold all items in their order, and a cell is the number of its digits") {
    Random random(1);
    for (const double missing : {0.0, 0.2}) {
      const Table table = random_table(random, {5000, {2, 3, 1, 40, 5, 2, 2, 2, 2, 2}, missing});
      const CodedData& data = table.data;
      const ItemSet items = {9, 3, 0, 1, 4, 2, 6, 5, 7};
      const GroupedItems grouped = group_items(data, items);
      expect_true(grouped.items == items);
      std::size_t next = 0;
      for (std::size_t g = 0; g < grouped.groups.size(); ++g) {
        const ItemGroup& group = grouped.groups[g];
        expect_true(group.first_item == next);
        next = group.last_item;
        bool agrees = true;
        for (const Index row : {0, 1, 4095, 4096, 4999}) {
          Index cell = 0;
          Index n_levels = 1;
          for (std::size_t at = group.first_item; at < group.last_item; ++at) {
            const Index digits = n_digits(data, items[at]);
            const Index lowest = data.has_missing[items[at]] ? 0 : 1;
            cell = cell * digits + table.code(row, items[at]) - lowest;
            n_levels *= digits;
          }
          agrees = agrees && grouped.cells[g * 5000 + row] == cell && group.n_levels == n_levels;
        }
        expect_true(agrees);
        if (group.last_item - group.first_item > 1) expect_true(group.n_levels <= 32);
      }
      expect_true(next == items.size());
    }
  }

  test_that("no items are no groups") {
    const Table table = table_of({{1, 2}}, {2});
    expect_true(group_items(table.data, {}).groups.empty());
  }
}

}  // namespace mdpd
