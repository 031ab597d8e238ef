#include "data/code_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace mdpd {

namespace {

constexpr int most_levels = 254;

bool is_missing(int x) { return x == std::numeric_limits<int>::min(); }
bool is_missing(double x) { return std::isnan(x); }

/// Codes counted from the least number that the window holds, 0 where one is missing; false if a
/// number is outside.
bool code_in_window(const int* x, Index n, std::int64_t least, std::uint8_t* codes) {
  bool are_inside = true;
  for (Index i = 0; i < n; ++i) {
    const std::int64_t above = x[i] - least;
    are_inside &= is_missing(x[i]) || (above >= 0 && above < most_levels);
    codes[i] = is_missing(x[i]) ? 0 : static_cast<std::uint8_t>(above + 1);
  }
  return are_inside;
}

bool code_in_window(const double* x, Index n, std::int64_t least, std::uint8_t* codes) {
  const auto from = static_cast<double>(least);
  for (Index i = 0; i < n; ++i) {
    const double above = x[i] - from;
    if (above >= 0.0 && above < most_levels && above == std::trunc(above)) {
      codes[i] = static_cast<std::uint8_t>(above + 1.0);
    } else if (is_missing(x[i])) {
      codes[i] = 0;
    } else {
      return false;
    }
  }
  return true;
}

/// Codes that occur, numbered through in their order.
std::array<std::uint8_t, 256> number_used(const std::uint8_t* codes, Index n) {
  std::array<bool, 256> used{};
  for (Index i = 0; i < n; ++i) used[codes[i]] = true;
  std::array<std::uint8_t, 256> number{};
  std::uint8_t last = 0;
  for (std::size_t code = 1; code < used.size(); ++code) {
    if (used[code]) number[code] = ++last;
  }
  return number;
}

/// R marks its NA by the lower half of the bits of what is no number.
bool is_na_of_r(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & 0xFFFFFFFFU) == 1954;
}

}  // namespace

template <class Number>
std::optional<std::vector<int>> code_numbers(const Number* x, Index n, std::uint8_t* codes) {
  const Number* first = std::find_if(x, x + n, [](Number one) { return !is_missing(one); });
  if (first == x + n) {
    std::fill(codes, codes + n, std::uint8_t{0});
    return std::vector<int>{};
  }
  const double middle = *first;
  const double largest = std::numeric_limits<int>::max() - most_levels;
  if (!(std::abs(middle) <= largest) || middle != std::trunc(middle)) return std::nullopt;
  const std::int64_t least = static_cast<std::int64_t>(middle) - most_levels / 2;
  if (!code_in_window(x, n, least, codes)) return std::nullopt;
  const std::array<std::uint8_t, 256> number = number_used(codes, n);
  std::vector<int> values;
  for (std::size_t code = 1; code < number.size(); ++code) {
    if (number[code] > 0) values.push_back(static_cast<int>(least + static_cast<int>(code) - 1));
  }
  for (Index i = 0; i < n; ++i) codes[i] = number[codes[i]];
  return values;
}

template std::optional<std::vector<int>> code_numbers(const int*, Index, std::uint8_t*);
template std::optional<std::vector<int>> code_numbers(const double*, Index, std::uint8_t*);

bool are_whole(const double* x, Index n) {
  return std::all_of(x, x + n, [](double one) {
    return std::isnan(one) ? is_na_of_r(one) : std::isfinite(one) && one == std::trunc(one);
  });
}

}  // namespace mdpd
