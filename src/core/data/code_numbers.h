#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.h"

namespace mdpd {

/// Whole numbers as codes: code r is the r-th of the values in ascending order, 0 is missing. An
/// integer is missing where it is the smallest there is, as in R, a double where it is no number.
///
/// @param x, codes  n numbers, int or double, and room for as many codes.
/// @return the values; nothing where a number is not whole, or one lies 128 or more from the first.
///   Then `codes` has no meaning. Cost O(n).
template <class Number>
std::optional<std::vector<int>> code_numbers(const Number* x, Index n, std::uint8_t* codes);

/// Are all numbers whole or missing? Of what is no number only R's own NA is called missing.
bool are_whole(const double* x, Index n);

}  // namespace mdpd
