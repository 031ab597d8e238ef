#pragma once

#include <limits>

#include "monitor.h"
#include "union_bounds.h"

namespace mdpd {

/// Dependence of two items within one component.
struct PairInformation {
  double information = 0.0;  ///< I_k(i, j) in nats, times the share of the component's weight where
      ///< both items count, so that a pair seen on few rows cannot win on noise
  double g2 = 0.0;  ///< likelihood-ratio statistic of conditional independence
};

/// @param component_weight total row weight of the component, observed or not.
/// @param total_weight the N of G2.
PairInformation pair_information(const PairTable& table, Index component, double component_weight,
                                 double total_weight);

/// (levels - 1) x (levels - 1), counting the levels that carry weight in the table.
double degrees_of_freedom(const PairTable& table);

/// Symmetric n_items x n_items matrix of I_k(i, j); the diagonal is zero.
/// @param component a component, or -1 for the sum over components weighted by their mixing weight.
Matrix information_matrix(const CodedData& data, const RowMatrix& row_weights, Index component,
                          MissingCells missing, Monitor& monitor);

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

/// The items once more, some of them first, so that a pass can keep to the pairs that touch one of
/// those.
struct LeadingItems {
  CodedData data;               ///< the items in another order
  std::vector<Code> codes;      ///< what it reads, where it is dense
  std::vector<Index> original;  ///< per item of `data`: its index in the data it was made from
  Index n_leading = 0;

  LeadingItems() = default;
  LeadingItems(const LeadingItems&) = delete;
  LeadingItems& operator=(const LeadingItems&) = delete;
  LeadingItems(LeadingItems&&) = default;
  LeadingItems& operator=(LeadingItems&&) = default;
};

/// @param leads per item: does it come first?
LeadingItems put_first(const CodedData& data, const std::vector<bool>& leads);

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

/// Ties go to the lowest indices. Cost: one pass over all pairs.
PairSearch search_pairs(const CodedData& data, const RowMatrix& row_weights,
                        const ItemSet& informative, const SearchOptions& options, Monitor& monitor);

/// The pair and component whose dependence the mixture explains worst; ties as above.
PairChoice worst_explained(const PairSearch& search);

}  // namespace mdpd
