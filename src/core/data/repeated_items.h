#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace mdpd {

/// Items that divide the rows as an earlier one does, whatever their levels are called.
///
/// @param codes     n_obs x items, column by column, 0 is missing.
/// @param n_levels  of each item.
/// @return per item the first one that divides the rows alike, itself where there is none before.
///   An item of one level repeats none. Cost O(n_obs * items).
std::vector<Index> repeated_items(const std::uint8_t* codes, Index n_obs,
                                  const std::vector<Index>& n_levels);

/// How many rows answer each item, and how many items each row answers.
std::vector<Index> answers_of_items(const std::uint8_t* codes, Index n_obs, Index n_items);
std::vector<int> answers_of_rows(const std::uint8_t* codes, Index n_obs, Index n_items);

}  // namespace mdpd
