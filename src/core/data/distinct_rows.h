#pragma once

#include "base/exact_sums.h"
#include "data/coded_data.h"

namespace mdpd {

/// Rows of a table sorted into kinds: two rows are of one kind where they agree in all cells and in
/// the component they are known to belong to.
struct DistinctRows {
  std::vector<Index> first;  ///< of each kind its first row; empty where there are too many kinds
  std::vector<Index> kind;   ///< n_obs: the kind of each row
};

/// Finds equal rows. The order of the kinds depends on what is in their rows, not on where these
/// are, so that sums over kinds do not depend on the order of the rows.
///
/// @param codes  n_obs x n_items, column-major.
/// @param known  empty, or n_obs: see CodedData.
/// @param most   kinds to give up at: with more, nothing is found.
/// Cost O(n_obs * n_items), and where there are too many kinds as few items as show it: of wide data
/// the first eight, sixteen, ...
DistinctRows distinct_rows(const Code* codes, Index n_obs, Index n_items,
                           const std::vector<Index>& known, Index most);

/// The weight of no row yet, of rows of one kind of which none weighs more than `largest`.
ExactSum no_weight(double largest);

/// Adds a row's, whatever the order of the rows. A positive weight stays positive.
void add_weight(double weight, ExactSum& sum);

}  // namespace mdpd
