#include "data/repeated_items.h"

#include <testthat.h>

namespace mdpd {

context("repeated_items") {
  // Four rows; the second item is the first with other names of levels, the third differs in a
  // cell, the fourth in a missing one, and the last two have one level.
  const std::vector<std::uint8_t> codes = {1, 2, 1, 3, 3, 1, 3, 2, 1, 2, 3, 1,
                                           1, 2, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  test_that("names of levels do not matter, cells do") {
    const std::vector<Index> expected = {0, 0, 2, 3, 4, 5};
    expect_true(repeated_items(codes.data(), 4, {3, 3, 3, 2, 1, 1}) == expected);
  }
  test_that("the first of several is named") {
    std::vector<std::uint8_t> thrice(codes.begin(), codes.begin() + 4);
    for (int copy = 0; copy < 2; ++copy) {
      thrice.insert(thrice.end(), codes.begin(), codes.begin() + 8);
    }
    const std::vector<Index> expected = {0, 0, 0, 0, 0};
    expect_true(repeated_items(thrice.data(), 4, {3, 3, 3, 3, 3}) == expected);
  }
  test_that("items with levels of the same sizes are told apart") {
    std::vector<std::uint8_t> two = {1, 1, 2, 2, 1, 2, 1, 2};
    for (const std::uint8_t code : {2, 2, 1, 1, 2, 1, 2, 1}) two.push_back(code);
    const std::vector<Index> expected = {0, 1, 0, 1};
    expect_true(repeated_items(two.data(), 4, {2, 2, 2, 2}) == expected);
  }
  test_that("answers are counted by item and by row") {
    const std::vector<Index> of_items = {4, 4, 4, 3, 4, 4};
    const std::vector<int> of_rows = {6, 6, 6, 5};
    expect_true(answers_of_items(codes.data(), 4, 6) == of_items);
    expect_true(answers_of_rows(codes.data(), 4, 6) == of_rows);
  }
}

}  // namespace mdpd
