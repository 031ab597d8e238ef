#include <testthat.h>

#include "data/leading_items.h"
#include "random_data.h"

namespace mdpd {

context("leading_items") {
  test_that("items put first are the same items in another order") {
    Random random(71);
    const std::vector<Index> n_levels = {2, 3, 4, 2, 3, 5, 2};
    const Table table =
        draw_table(random, random_parameters(random, n_levels, 2), {90, n_levels, 0.4, true});
    const CodedData sparse = sparse_copy(table.data);
    const std::vector<bool> leads = {false, true, false, false, true, true, false};
    for (const CodedData* data : {&table.data, &sparse}) {
      const LeadingItems out = put_first(*data, leads);
      expect_true(out.n_leading == 3);
      expect_true(out.original == ItemSet({1, 4, 5, 0, 2, 3, 6}));
      expect_true(out.data.codes.index() == data->codes.index());
      expect_true(out.data.n_threads == data->n_threads);
      // Made again from the cells, one by one.
      const Table twin = pick_items(table, out.original);
      expect_true(out.data.n_levels == twin.data.n_levels);
      expect_true(out.data.offset == twin.data.offset);
      expect_true(out.data.case_weights == twin.data.case_weights);
      expect_true(out.data.level_weight == twin.data.level_weight);
      expect_true(out.data.has_missing == twin.data.has_missing);
      for (Index item = 0; item < out.data.n_items; ++item) {
        std::vector<int> codes(90, 0);
        for_each_answer(out.data, item, [&](Index row, Code code) { codes[row] = code; });
        for (Index row = 0; row < 90; ++row) {
          expect_true(codes[row] == twin.code(row, item));
          expect_true(codes[row] == table.code(row, out.original[item]));
        }
      }
    }
  }
}

}  // namespace mdpd
