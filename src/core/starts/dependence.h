#pragma once

#include "data/coded_data.h"

namespace mdpd {

/// Answers added to every level's where roots are compared with those of independent items: enough
/// that a level of few rows makes no root of its own.
inline constexpr double answers_added_to_see = 2.0;

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
bool is_above_law(const CodedData& data);

/// Is the sum of the largest roots above that of each of 66 tables in which the answers to every item
/// are shuffled? Of independent items one table in 67 is: an exact test, where cells are missing and
/// margins are unequal too, that a few hundred rows show more by than the law, and whose roots rise
/// together where there are several classes. Up to 50,000 cells, of rows whose weights are counts
/// and who answer an item once.
/// @param n_roots one less than the classes looked for.
/// Cost as `excess_of_largest_root()`, up to 67 times; of independent items five times on average.
bool is_above_shuffled(const CodedData& data, Index n_roots);

}  // namespace mdpd
