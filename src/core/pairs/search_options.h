#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "data/leading_items.h"
#include "pairs/pair_tables.h"

namespace mdpd {

/// By what the stage loop chooses its pair.
enum class Selection {
  kInformation,  ///< the largest I_k(i, j): the paper
  kEvidence      ///< the smallest p-value of G2, corrected for the number of pairs and components
};

/// Which pairs may be chosen.
enum class Candidates {
  kAll,
  kTouchingOutside  ///< at least one of the two items is not informative yet
};

/// Two components, the lower one first.
using ComponentPair = std::pair<Index, Index>;

/// Which pairs are searched, and for what.
struct SearchOptions {
  Selection selection = Selection::kEvidence;
  Candidates candidates = Candidates::kAll;
  MissingCells missing = MissingCells::kIgnore;
  std::vector<ComponentPair> unions = {};  ///< unions of components to search as well
  /// If not null: pairs without one of its leading items need not be searched.
  const LeadingItems* leading = nullptr;
  /// A pair is strong in a component where the logarithm of its uncorrected p-value is below this.
  double log_p_of_strong = -std::numeric_limits<double>::infinity();
};

}  // namespace mdpd
