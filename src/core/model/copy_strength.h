#pragma once

#include <array>

#include "base/types.h"

namespace mdpd {

/// What other items say of some rows, as copied_items() asks for it.
struct KnownRows {
  RowMatrix posterior;  ///< n x components, each row summing to 1
  Vector weights;       ///< n, > 0
};

/// An item's codes in these rows: 0 = missing, 1, ..., n_levels.
struct RowCodes {
  const int* codes = nullptr;
  Index n_levels = 0;
};

/// The columns (levels x components, each summing to 1) by which the rows' posterior predicts an item
/// best: EM from its means.
RowMatrix best_columns(const KnownRows& rows, const RowCodes& item, Index n_steps);

/// How far two items depend on each other beyond what the rows' posterior explains by their columns,
/// relative to what it leaves open of the surer one; 0 where chance may have done it, with a
/// probability above `alpha`. The formulas are in the help of copied_items().
double pair_strength(const KnownRows& rows, const std::array<RowCodes, 2>& items,
                     const std::array<RowMatrix, 2>& columns, double alpha);

}  // namespace mdpd
