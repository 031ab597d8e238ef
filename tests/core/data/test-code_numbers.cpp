#include "data/code_numbers.h"

#include <testthat.h>

#include <cmath>
#include <limits>

namespace mdpd {

namespace {

constexpr int na = std::numeric_limits<int>::min();
const double nan = std::numeric_limits<double>::quiet_NaN();

template <class Number>
bool are_codes(const std::vector<Number>& x, const std::vector<int>& values,
               const std::vector<std::uint8_t>& codes) {
  std::vector<std::uint8_t> found(x.size(), 9);
  const auto given = code_numbers(x.data(), static_cast<Index>(x.size()), found.data());
  return given && *given == values && found == codes;
}

template <class Number>
bool are_refused(const std::vector<Number>& x) {
  std::vector<std::uint8_t> codes(x.size());
  return !code_numbers(x.data(), static_cast<Index>(x.size()), codes.data());
}

}  // namespace

context("code_numbers") {
  test_that("code r is the r-th of the values, and 0 is missing") {
    expect_true(are_codes<int>({7, -2, na, 7, 3}, {-2, 3, 7}, {3, 1, 0, 3, 2}));
    expect_true(are_codes<double>({nan, 7.0, -2.0, 3.0, -0.0}, {-2, 0, 3, 7}, {0, 4, 1, 3, 2}));
    expect_true(are_codes<int>({na, na}, {}, {0, 0}));
    expect_true(are_codes<double>({}, {}, {}));
  }
  test_that("as many values as a byte has codes for are taken") {
    std::vector<int> x;
    std::vector<std::uint8_t> codes;
    for (int i = 0; i < 254; ++i) {
      x.push_back(1000 + i);
      codes.push_back(static_cast<std::uint8_t>(i + 1));
    }
    std::vector<int> from_middle(x.begin() + 127, x.end());
    from_middle.insert(from_middle.end(), x.begin(), x.begin() + 127);
    std::vector<std::uint8_t> middle_codes(codes.begin() + 127, codes.end());
    middle_codes.insert(middle_codes.end(), codes.begin(), codes.begin() + 127);
    expect_true(are_codes(from_middle, x, middle_codes));
    from_middle.push_back(1254);
    expect_true(are_refused(from_middle));
  }
  test_that("numbers that are not whole, or far apart, are refused") {
    expect_true(are_refused<double>({1.0, 1.5}));
    expect_true(are_refused<double>({1.5, 1.0}));
    expect_true(are_refused<double>({1.0, std::numeric_limits<double>::infinity()}));
    expect_true(are_refused<double>({-std::numeric_limits<double>::infinity(), 1.0}));
    expect_true(are_refused<double>({1e10, 1e10}));
    expect_true(are_refused<int>({0, 1000}));
    expect_true(are_refused<int>({-1000, std::numeric_limits<int>::max()}));
    expect_true(are_refused<int>({std::numeric_limits<int>::max()}));
    expect_true(are_refused<double>({0.0, 1e300}));
  }
  test_that("whole or missing is what R calls so") {
    const std::vector<double> whole = {1.0, -0.0, 1e300};
    expect_true(are_whole(whole.data(), 3));
    for (const double bad : {0.5, nan, std::numeric_limits<double>::infinity()}) {
      const std::vector<double> x = {1.0, bad};
      expect_false(are_whole(x.data(), 2));
    }
  }
}

}  // namespace mdpd
