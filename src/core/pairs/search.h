#pragma once

#include <limits>
#include <utility>

#include "base/monitor.h"
#include "data/leading_items.h"
#include "pairs/pair_tables.h"

namespace mdpd {

/// Two components, the lower one first.
using ComponentPair = std::pair<Index, Index>;

/// By what the stage loop chooses its pair.
enum class Selection {
  kInformation,  ///< the largest I_k(i, j): the paper
  kSignificance  ///< the smallest p-value of G2, corrected for the number of pairs and components
};

/// Which pairs may be chosen.
enum class Candidates {
  kAll,
  kTouchingOutside  ///< at least one of the two items is not informative yet
};

/// Which pairs are searched, and for what.
struct SearchOptions {
  Selection selection = Selection::kSignificance;
  Candidates candidates = Candidates::kAll;
  MissingCells missing = MissingCells::kIgnore;
  std::vector<ComponentPair> unions = {};  ///< unions of components to search as well
  /// If not null: pairs without one of its leading items need not be searched.
  const LeadingItems* leading = nullptr;
  /// A pair is strong in a component where the logarithm of its uncorrected p-value is below this.
  double log_p_of_strong = -std::numeric_limits<double>::infinity();
};

/// The mixture whose unexplained dependence is searched for.
struct SearchState {
  const CodedData& data;
  const RowMatrix& posterior;  ///< n_obs x n_components, non-negative
  const ItemSet& informative;
};

struct PairChoice {
  bool found = false;  ///< false when no pair may be chosen or none shows any dependence
  Index item_1 = 0;    ///< item_1 < item_2
  Index item_2 = 0;
  Index component = 0;
  double information = 0.0;  ///< of the chosen pair (nats)
  double log_p_value = 0.0;  ///< of the chosen pair, corrected (Bonferroni), at most 0
  double score = 0.0;        ///< what pairs are compared by; larger is better
};

/// Worst explained pairs, from one pass over all pairs of items.
struct PairSearch {
  std::vector<PairChoice> by_component;
  /// The same within the unions asked for: what would be left to explain if two components were one.
  /// `component` is the first of the two.
  std::vector<PairChoice> by_union;
  double largest_information = 0.0;  ///< over all pairs and components, chosen or not (nats)
  std::vector<bool> strong;          ///< per item: is it in a strong pair? See SearchOptions
};

/// The door of the pair engine: what is behind it knows neither components nor models, only row
/// weights. Other rooms include of this one what is here, `pair_tables.h` and `dependence.h`.
///
/// The pair of largest score is that of a plain loop over the exact tables of all pairs, and ties go
/// to the lowest indices. Cost: one pass over all pairs.
PairSearch search_pairs(const SearchState& state, const SearchOptions& options, Monitor& monitor);

/// The pair and component whose dependence the mixture explains worst; ties as above.
PairChoice worst_explained(const PairSearch& search);

}  // namespace mdpd
