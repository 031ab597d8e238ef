#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// How far the largest root of what the rows have in common, see RowProducts, lies above that of
/// independent items with the same levels, in units in which of these it has Tracy and Widom's law
/// (of order 1) as rows and items grow: its 95 % point is 0.98. What many items show a little of
/// is seen here before the evidence can pay for all their probabilities. Place and scale of the
/// largest root: El Karoui (2007), doi:10.1214/009117906000000917; of real data that are not normal:
/// Lee and Schnelli (2016), doi:10.1214/16-AAP1193.
/// @return the lowest number where rows do not differ, where their weights are no counts, and where
///     many cells are missing: of rows with unequal parts in the roots another law holds.
/// Cost O(answers) for each of a few dozen products.
double excess_of_largest_root(const CodedData& data);

/// Is that excess above the 95 % point? Of finite data the law promises too much: of independent
/// items, 60 x 40 to 1000 x 75, at most one table in a hundred is above it.
bool hangs_together(const CodedData& data);

}  // namespace mdpd
