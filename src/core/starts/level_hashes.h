#pragma once

#include <cstdint>
#include <vector>

#include "data/coded_data.h"

namespace mdpd {

/// A number of 64 bits for each level of each item, by its share of the item's answers and by the
/// levels chosen with it: the same in any order of rows, items and levels, and for rows with weights
/// as for rows written out. Levels that cannot be told apart have equal ones.
/// Cost O(answers).
std::vector<std::uint64_t> level_hashes(const CodedData& data);

}  // namespace mdpd
